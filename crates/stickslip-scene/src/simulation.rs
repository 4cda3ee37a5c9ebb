//! `[simulation]`, `[tolerance]` and `[output]`: how a scene is simulated and judged.

use crate::context::{At, Context};
use crate::suggest::{clip, one_of};
use crate::value::{Bound, Cursor, Entry};
use complementarity::solver::{ContactSolver, ContactSolverConfig};
use stickslip::certificate::Tolerance;
use stickslip::integrate::{Accuracy, Pair};
use stickslip::stepper::config::Choice;
use stickslip::stepper::event::{EventSettings, JointMethod};
use stickslip::stepper::{Cone, Forces, Method, Misfit, Own, StepperConfig};
use stickslip::system::SurfaceLaw;

/// The most steps of a run.
const MAX_STEPS: f64 = 1e9;

/// The ways to keep joints in smooth phases.
pub(crate) const CONSTRAINTS: [&str; 4] =
    ["projection", "baumgarte", "partitioning-simple", "partitioning-full"];

/// What `[simulation]` says. Each choice keeps its place: whether they fit is known once the bodies are.
pub(crate) struct Simulation {
    pub method: At<Method>,
    pub cone: At<Cone>,
    pub solver: At<ContactSolver>,
    /// Of the solver, where the scene says so.
    pub limits: Limits,
    pub stabilisation: f64,
    pub forces: Forces,
    pub touching: Option<At<f64>>,
    pub event: Option<AskedEvent>,
    pub step: f64,
    pub until: f64,
}

/// What a scene says of when a solver stops.
pub(crate) struct Limits {
    tolerance: Option<f64>,
    enough: Option<f64>,
    iterations: Option<usize>,
}

impl Limits {
    /// A method with these limits, and else with those that residuals up to `law` ask for.
    fn solver(&self, method: ContactSolver, law: f64) -> ContactSolverConfig {
        let usual = ContactSolverConfig::for_law(method, law);
        ContactSolverConfig {
            tolerance: self.tolerance.unwrap_or(usual.tolerance),
            enough: self.enough.unwrap_or(usual.enough),
            iterations: self.iterations.unwrap_or(usual.iterations),
            ..usual
        }
    }
}

/// A choice by name out of a list.
fn choice<T>(
    entry: Option<Entry<'_>>,
    names: &[&str],
    from_name: impl Fn(&str) -> Option<T>,
) -> Option<At<T>> {
    let entry = entry?;
    let name = entry.string(&format!("one of {}", crate::suggest::list(names.iter().copied())))?;
    match from_name(name.value) {
        Some(value) => Some(At { value, span: name.span }),
        None => {
            let message = format!("unknown {} \"{}\"", entry.key, clip(name.value));
            entry.fault(message, one_of(name.value, names.iter().copied()));
            None
        }
    }
}

fn cone(entry: &Entry<'_>) -> Option<At<Cone>> {
    let text =
        entry.string("\"exact\", \"ellipsoid\", \"box\", or \"polygon:8\" with any number of directions")?;
    match text.value.parse() {
        Ok(value) => Some(At { value, span: text.span }),
        Err(_) => {
            let expected = "exact, ellipsoid, box, polygon:N or polygon:N@ANGLE, with N from 2 to 256 and the angle in rad";
            entry.fault(format!("unknown cone \"{}\"", clip(text.value)), expected);
            None
        }
    }
}

/// The part of an overlap that a step undoes; zero where nothing is said.
fn stabilisation(entry: &Entry<'_>, method: Option<Method>) -> Option<f64> {
    let value = entry.number(Bound::Fraction)?;
    match method {
        Some(method) if value != 0.0 && !method.traits().stabilisation => {
            let message = format!(
                "`stabilisation` is {value:?}, but {} has no constraint stabilisation",
                method.name()
            );
            entry.fault(message, "0, or `stepper = \"anitescu-potra\"`");
            None
        }
        _ => Some(value),
    }
}

/// Reads `[simulation]`.
pub(crate) fn simulation(table: &Cursor<'_>) -> Option<Simulation> {
    let methods = Method::ALL.map(Method::name);
    let solvers = ContactSolver::ALL.map(ContactSolver::name);
    let method =
        choice(table.require("stepper", "stepper = \"stewart-trinkle\""), &methods, Method::from_name);
    let solver = choice(table.require("solver", "solver = \"nsgs\""), &solvers, ContactSolver::from_name);
    let cone_entry = table.get("cone");
    let cone = match &cone_entry {
        Some(entry) => cone(entry),
        // the default is blamed on the solver that does not take it
        None => solver.as_ref().map(|s| At { value: Cone::Exact, span: s.span.clone() }),
    };
    let step_entry = table.require("step", "step = 0.01");
    let step = step_entry.as_ref().and_then(|e| e.number(Bound::Positive));
    let until = table.number("until", Bound::Positive, "until = 1.0");
    let stabilisation =
        table.get("stabilisation").map_or(Some(0.0), |e| stabilisation(&e, method.as_ref().map(|m| m.value)));
    let touching = table.get("touching").map(|e| {
        let value = e.number(Bound::NonNegative)?;
        Some(At { value, span: e.span() })
    });
    let forces = Forces::ALL.map(Forces::name);
    let forces = table.get("forces").map(|e| choice(Some(e), &forces, Forces::from_name));
    let tolerance = table.get("solver_tolerance").map(|e| e.number(Bound::Positive));
    let enough = table.get("solver_enough").map(|e| e.number(Bound::Positive));
    let iterations = table.get("solver_iterations").map(|e| e.whole(1, 1_000_000_000));
    let event = event(table, method.as_ref().map(|m| m.value));
    table.finish();
    let (step, until, event) = (step?, until?, event?);
    // the quotient may be infinite
    if until / step > MAX_STEPS {
        let message = format!("a step of {step:?} s takes {:.3e} steps until {until:?} s", until / step);
        step_entry?.fault(message, format!("at most {MAX_STEPS:.0e} steps"));
        return None;
    }
    let solver = solver?;
    let limits = Limits {
        tolerance: tolerance.map_or(Some(None), |t| t.map(Some))?,
        enough: enough.map_or(Some(None), |e| e.map(Some))?,
        iterations: iterations.map_or(Some(None), |i| i.map(Some))?,
    };
    Some(Simulation {
        method: method?,
        cone: cone?,
        solver,
        limits,
        stabilisation: stabilisation?,
        forces: forces.map_or(Some(Forces::default()), |f| f.map(|f| f.value))?,
        touching: touching.map_or(Some(None), |t| t.map(Some))?,
        event,
        step,
        until,
    })
}

/// What a scene says for the event-driven steppers; the rest is the default, known once the bodies are.
#[derive(Clone, Copy)]
pub(crate) struct AskedEvent {
    pair: Option<Pair>,
    absolute: Option<f64>,
    relative: Option<f64>,
    joints: JointMethod,
}

impl AskedEvent {
    /// The settings for bodies of this size, m. `gauss` knows its order and how it keeps joints.
    fn of_size(&self, method: Method, size: Option<f64>) -> EventSettings {
        let default = EventSettings::of_size(size);
        let accuracy = Accuracy {
            absolute: self.absolute.unwrap_or(default.accuracy.absolute),
            relative: self.relative.unwrap_or(default.accuracy.relative),
        };
        match method {
            Method::Gauss => EventSettings::gauss(accuracy),
            _ => EventSettings { pair: self.pair.unwrap_or(default.pair), accuracy, joints: self.joints },
        }
    }
}

/// The keys of the event-driven steppers. A scene may have them for `--stepper event` or `gauss` and name another.
fn event(table: &Cursor<'_>, method: Option<Method>) -> Option<Option<AskedEvent>> {
    let keys = ["order", "absolute", "relative", "constraint", "alpha", "beta"];
    let asked = method.is_some_and(|m| m.traits().events);
    if !asked && !keys.into_iter().any(|key| table.table.contains_key(key)) {
        return Some(None);
    }
    let pair = table.get("order").map(|entry| {
        let order = entry.whole(1, 100)?;
        let pair = Pair::of_order(order);
        if pair.is_none() {
            entry.fault(format!("`order` is {order}"), "5 or 8");
        }
        pair
    });
    let [absolute, relative] =
        ["absolute", "relative"].map(|key| table.get(key).map(|entry| entry.number(Bound::Positive)));
    let by_name = |name: &str| CONSTRAINTS.iter().position(|n| *n == name);
    let constraint = match table.get("constraint") {
        Some(entry) => choice(Some(entry), &CONSTRAINTS, by_name).map(|at| at.value),
        None => Some(0),
    };
    let joints = match constraint {
        Some(1) => {
            let alpha = table.number("alpha", Bound::NonNegative, "alpha = 20");
            let beta = table.number("beta", Bound::NonNegative, "beta = 20");
            JointMethod::Baumgarte { alpha: alpha?, beta: beta? }
        }
        Some(2) => JointMethod::PartitioningSimple,
        Some(3) => JointMethod::PartitioningFull,
        _ => JointMethod::Projection,
    };
    constraint?;
    let given = |value: Option<Option<f64>>| value.map_or(Some(None), |v| v.map(Some));
    let pair = pair.map_or(Some(None), |p| p.map(Some))?;
    Some(Some(AskedEvent { pair, absolute: given(absolute)?, relative: given(relative)?, joints }))
}

impl Simulation {
    /// The stepper for contacts with that many tangents, if the choices fit together.
    pub(crate) fn config(
        &self,
        tangents: usize,
        event: Option<EventSettings>,
        (tolerance, table): (Tolerance, &Cursor<'_>),
    ) -> Option<StepperConfig> {
        let touching = self.touching.as_ref().map_or(0.0, |t| t.value);
        let event = event.unwrap_or(Own::default().event);
        let config = StepperConfig {
            scheme: self.method.value.scheme(Own { touching, stabilisation: self.stabilisation, event }),
            cone: self.cone.value,
            solver: self.limits.solver(self.solver.value, tolerance.law),
            forces: self.forces,
            tolerance,
        };
        let misfit = config.check(tangents).err();
        misfit.map_or(Some(config), |misfit| self.refuse(misfit, table))
    }

    /// The settings of event-driven steppers, if the scene uses one or says anything for them.
    pub(crate) fn event(&self, size: Option<f64>) -> Option<EventSettings> {
        self.event.map(|asked| asked.of_size(self.method.value, size))
    }

    /// Blames the choice that does not fit.
    fn refuse<T>(&self, misfit: Misfit, table: &Cursor<'_>) -> Option<T> {
        let place = match misfit.choice {
            Choice::Stepper => &self.method.span,
            Choice::Cone => &self.cone.span,
            Choice::Solver => &self.solver.span,
        };
        table.cx.fault(place, misfit.why, misfit.instead);
        None
    }

    /// Complains when gaps would count as closed that are larger than the overlaps that are certified.
    pub(crate) fn check_touching(&self, tolerance: &Tolerance, cx: &Context) {
        if let Some(touching) = &self.touching
            && touching.value > tolerance.penetration
        {
            let most = in_metres(tolerance.penetration);
            let message = format!(
                "`touching` is {:?} m, more than the {most} to which overlaps are certified",
                touching.value
            );
            let expected = format!("at most {most}, or a larger `penetration` in [tolerance]");
            cx.fault(&touching.span, message, expected);
        }
    }

    /// Complains when contacts of two surfaces are beyond what was chosen.
    pub(crate) fn check_surface(
        &self,
        config: &StepperConfig,
        surface: &SurfaceLaw,
        at: (usize, &Cursor<'_>),
    ) -> bool {
        let (tangents, table) = at;
        let misfit = config.check_surface(surface, tangents).err();
        misfit.is_none_or(|misfit| self.refuse::<()>(misfit, table).is_some())
    }
}

/// What `[tolerance]` says. Without `penetration` the largest overlap is known once the bodies are.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    law: f64,
    penetration: Option<f64>,
    joint: f64,
}

impl Asked {
    /// The tolerance for bodies of this size, m.
    pub(crate) fn of_size(&self, size: Option<f64>) -> Tolerance {
        let penetration = self.penetration.unwrap_or_else(|| Tolerance::overlap_of(size));
        Tolerance { law: self.law, penetration, joint: self.joint }
    }
}

/// Reads `[tolerance]`; what it does not say is the default.
pub(crate) fn tolerance(table: Option<&Cursor<'_>>) -> Option<Asked> {
    let default = Tolerance::default();
    let Some(table) = table else {
        return Some(Asked { law: default.law, penetration: None, joint: default.joint });
    };
    let law = table.number_or("law", Bound::Positive, default.law);
    let penetration = match table.get("penetration") {
        Some(entry) => entry.number(Bound::Positive).map(Some),
        None => Some(None),
    };
    let joint = table.number_or("joint", Bound::Positive, default.joint);
    table.finish();
    Some(Asked { law: law?, penetration: penetration?, joint: joint? })
}

/// A tolerance for people, m: four digits are enough.
pub(crate) fn in_metres(tolerance: f64) -> String {
    let rounded = format!("{tolerance:.3e}").parse().unwrap_or(tolerance);
    format!("{rounded:?} m")
}

/// Reads `[output]`: how many steps from one record to the next.
pub(crate) fn output(table: Option<&Cursor<'_>>) -> Option<usize> {
    let Some(table) = table else { return Some(1) };
    let every = table.get("every").map_or(Some(1), |e| e.whole(1, 1_000_000_000));
    table.finish();
    every
}
