//! What everything is compared with.
//!
//! `event` locates every event and integrates between them at order 8, so it is the reference where it takes the scene
//! and the scene is small; else the scene's own stepper with the exact cone at a quarter of the finest step.

use super::{CompareError, Load, chooses_steps};
use crate::error::StudyError;
use crate::sampled::{Plan, Sampled};
use complementarity::solver::ContactSolver;
use stickslip::stepper::{Cone, Method};
use stickslip_scene::{Overrides, Scene};

/// The accuracy of the event-driven reference, absolute and relative.
const ACCURACY: f64 = 1e-10;
/// At most this part of the accuracy that the scene itself asks for.
const MARGIN: f64 = 1e-2;
/// The most velocities with which `event` is tried without being asked for.
const SMALL: usize = 60;

/// Which reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferenceChoice {
    /// Event-driven where that goes, else the finest.
    #[default]
    Auto,
    /// Event-driven.
    Event,
    /// A quarter of the finest step.
    Finest,
}

impl std::str::FromStr for ReferenceChoice {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self, StudyError> {
        match text {
            "auto" => Ok(Self::Auto),
            "event" => Ok(Self::Event),
            "finest" => Ok(Self::Finest),
            other => Err(StudyError::Reference(other.to_owned())),
        }
    }
}

/// The reference, as run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Stepper.
    pub stepper: String,
    /// Friction cone.
    pub cone: String,
    /// Solver.
    pub solver: String,
    /// Step (s); of output, where the stepper chooses its own.
    pub step: f64,
    /// Accuracy that `event` was asked for: absolute, relative.
    pub accuracy: Option<(f64, f64)>,
    /// Time it took, s.
    pub wall: f64,
    /// Steps that missed a tolerance.
    pub missed_steps: u64,
    /// Why `event` is not the reference, where it was tried.
    pub instead: Option<String>,
}

/// Runs it, looked at like everything else.
pub(super) fn run(
    load: &Load<'_>,
    scene: &Scene,
    choice: ReferenceChoice,
    (finest, looks): (f64, &[f64]),
) -> Result<(Reference, Sampled), CompareError> {
    // of curved bodies every look at their contacts is dear, and a reference takes many
    let small = scene.system.initial().u.len() <= SMALL && !scene.system.has_curved_pairs();
    let mut instead = None;
    if choice == ReferenceChoice::Event || (choice == ReferenceChoice::Auto && small) {
        match by_events(load, scene, looks) {
            Ok(found) => return Ok(found),
            Err(why) if choice == ReferenceChoice::Event => return Err(CompareError::Reference(why)),
            Err(why) => instead = Some(why.to_string()),
        }
    }
    let mut stepper = Some(scene.stepper.method().name().to_owned());
    if chooses_steps(scene.stepper.method()) {
        stepper = None;
    }
    let step = Some(format!("{:?}", finest / 4.0));
    let exact = Overrides {
        stepper: stepper.clone(),
        cone: Some(Cone::Exact.to_string()),
        solver: Some(ContactSolver::Auto.name().to_owned()),
        step: step.clone(),
        ..Overrides::default()
    };
    let plain = Overrides { stepper, step, ..Overrides::default() };
    let read = load(&exact).or_else(|_| load(&plain)).map_err(CompareError::Reference)?;
    let run = Sampled::run(&Plan::of(&read, read.step, looks));
    match run.stopped.clone() {
        Some(why) => Err(CompareError::Reference(StudyError::Stopped(why))),
        None => Ok((describe(&read, &run, instead), run)),
    }
}

fn by_events(load: &Load<'_>, scene: &Scene, looks: &[f64]) -> Result<(Reference, Sampled), StudyError> {
    // as accurate as any, and far more so than the scene's own
    let asked = scene.event.map_or([ACCURACY; 2], |e| {
        [e.accuracy.absolute, e.accuracy.relative].map(|x| (MARGIN * x).min(ACCURACY))
    });
    let overrides = Overrides {
        stepper: Some(Method::Event.name().to_owned()),
        cone: Some(Cone::Exact.to_string()),
        solver: Some(ContactSolver::Auto.name().to_owned()),
        set: vec![
            "simulation.order=8".to_owned(),
            format!("simulation.absolute={:?}", asked[0]),
            format!("simulation.relative={:?}", asked[1]),
            "simulation.constraint=projection".to_owned(),
        ],
        ..Overrides::default()
    };
    let read = load(&overrides)?;
    let run = Sampled::run(&Plan::of(&read, read.step, looks));
    match run.stopped.clone() {
        Some(why) => Err(StudyError::EventStopped(why)),
        None => Ok((describe(&read, &run, None), run)),
    }
}

fn describe(scene: &Scene, run: &Sampled, instead: Option<String>) -> Reference {
    let accuracy = scene.stepper.event();
    Reference {
        stepper: scene.stepper.method().name().to_owned(),
        cone: scene.stepper.cone.to_string(),
        solver: scene.stepper.solver.method.name().to_owned(),
        step: scene.step,
        accuracy: accuracy.map(|e| (e.accuracy.absolute, e.accuracy.relative)),
        wall: run.cost.wall,
        missed_steps: run.missed_steps,
        instead,
    }
}
