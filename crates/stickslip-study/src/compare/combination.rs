//! What is combined, and what does not go together.

use super::{CompareError, Request, chooses_steps};
use complementarity::solver::ContactSolver;
use std::fmt;
use stickslip::stepper::{Cone, Method};
use stickslip_scene::{Overrides, Scene};

/// The most combinations.
const MOST: usize = 1000;

/// One of all combinations.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// Stepper.
    pub stepper: String,
    /// Friction cone.
    pub cone: String,
    /// Solver.
    pub solver: String,
    /// Step, s.
    pub step: f64,
    /// How `event` keeps joints, as asked.
    pub constraint: Option<String>,
}

/// A combination that does not fit the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Which; of several steps the first.
    pub combination: Combination,
    /// The steps, s, that this is so for.
    pub steps: Vec<f64>,
    /// Why.
    pub why: String,
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.method())?;
        if Method::from_name(&self.stepper).is_some_and(chooses_steps) {
            return Ok(());
        }
        write!(f, ", {} s", self.step)
    }
}

impl Combination {
    /// Everything but the step.
    pub fn method(&self) -> String {
        let constraint = self.constraint.as_ref().map_or(String::new(), |c| format!(" / {c}"));
        format!("{} / {} / {}{constraint}", self.stepper, self.cone, self.solver)
    }

    /// The cone.
    pub fn cone(&self) -> Option<Cone> {
        self.cone.parse().ok()
    }

    /// What it changes in the scene.
    pub fn overrides(&self) -> Overrides {
        let mut set = Vec::new();
        if let Some(constraint) = &self.constraint {
            let mut parts = constraint.split(':');
            set.push(format!("simulation.constraint={}", parts.next().unwrap_or_default()));
            for (key, value) in ["alpha", "beta"].iter().zip(parts) {
                set.push(format!("simulation.{key}={value}"));
            }
        }
        Overrides {
            stepper: Some(self.stepper.clone()),
            cone: Some(self.cone.clone()),
            solver: Some(self.solver.clone()),
            step: Some(format!("{:?}", self.step)),
            set,
            ..Overrides::default()
        }
    }

    /// For steppers that locate events: the same with the exact cone and the solver `auto`, where nobody asked for
    /// others.
    pub fn with_plain_choices(&self, request: &Request) -> Option<Self> {
        let own = Method::from_name(&self.stepper).is_some_and(chooses_steps);
        let (cone, solver) = (Cone::Exact.to_string(), ContactSolver::Auto.name().to_owned());
        (own && request.cones.is_empty() && request.solvers.is_empty()).then(|| Self {
            cone,
            solver,
            ..self.clone()
        })
    }

    /// The same with the names that the scene was read with.
    pub fn as_read(&self, scene: &Scene) -> Self {
        Self { cone: scene.stepper.cone.to_string(), step: scene.step, ..self.clone() }
    }
}

/// All combinations, in the order asked for.
pub(super) fn all(scene: &Scene, request: &Request) -> Result<Vec<Combination>, CompareError> {
    let plain = request.steppers.is_empty() && request.cones.is_empty() && request.solvers.is_empty();
    let or = |list: &[String], otherwise: String| {
        if list.is_empty() { vec![otherwise] } else { list.to_vec() }
    };
    let steppers = match (request.steppers.is_empty(), request.constraints.is_empty()) {
        (true, false) => vec![Method::Event.name().to_owned()],
        (true, true) if plain && request.steps.is_empty() => {
            Method::ALL.iter().map(|m| m.name().to_owned()).collect()
        }
        _ => or(&request.steppers, scene.stepper.method().name().to_owned()),
    };
    let steps = steps(scene, request, plain)?;
    let cones = or(&request.cones, scene.stepper.cone.to_string());
    let solvers = or(&request.solvers, scene.stepper.solver.method.name().to_owned());
    let mut out = Vec::new();
    for stepper in steppers {
        let own = Method::from_name(&stepper).is_some_and(chooses_steps);
        let constraints: Vec<Option<String>> = if own && !request.constraints.is_empty() {
            request.constraints.iter().cloned().map(Some).collect()
        } else {
            vec![None]
        };
        // it chooses its own steps: one run says all
        let steps = if own { &steps[..1] } else { &steps[..] };
        for cone in &cones {
            for solver in &solvers {
                for constraint in &constraints {
                    out.extend(steps.iter().map(|&step| Combination {
                        stepper: stepper.clone(),
                        cone: cone.clone(),
                        solver: solver.clone(),
                        step,
                        constraint: constraint.clone(),
                    }));
                }
            }
        }
    }
    if out.len() > MOST {
        let message = format!("{} combinations are asked for; expected at most {MOST}", out.len());
        return Err(CompareError::Asked(message));
    }
    Ok(out)
}

fn steps(scene: &Scene, request: &Request, plain: bool) -> Result<Vec<f64>, CompareError> {
    if request.steps.is_empty() {
        let halves = if plain && request.constraints.is_empty() { 3 } else { 1 };
        return Ok((0..halves).map(|k| scene.step / f64::powi(2.0, k)).collect());
    }
    let read = |text: &String| match text.trim().parse::<f64>() {
        Ok(h) if h > 0.0 && h <= scene.until => Ok(h),
        _ => Err(CompareError::Asked(format!(
            "--steps: `{text}` is no step; expected numbers of seconds above 0 and at most {}",
            scene.until
        ))),
    };
    request.steps.iter().map(read).collect()
}
