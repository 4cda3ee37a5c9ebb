//! Which motions do the laws of contact allow at an instant?
//!
//! Two problems say. The *acceleration-level* one (`stickslip::acceleration`): forces and accelerations of the closed
//! contacts; with friction it may have one solution, several or none. The *velocity-level* one: impulses and velocities
//! of the next time step, which mostly has solutions where the other has none, because an impulse is no force. In the
//! plane, and in space with polyhedral cones, both are linear complementarity problems and all their solutions are
//! listed; else one, and the verdict is `unknown` unless its motion is proven to be the only one (`unique.rs`).
//!
//! Several or no solutions are a *Painlevé configuration* when the matrix of the sliding problem, normal accelerations
//! per normal forces with friction, has a negative principal minor: without friction no principal minor is negative, so
//! friction has taken away what makes the problem uniquely solvable. `indeterminate` is several, `inconsistent` none
//! [Gomez 2008, §2.7]. Minors that are zero are something else: contacts that share a load (`free.rs`),
//! which is why the count of solutions alone does not say.
//!
//! A state that a time-stepper reached is slightly off its contacts: there those count as closed that had an impulse in
//! its last step, and as sliding those that it found slipping. Event-driven steppers know which contacts are closed, also
//! those that have no part of a load.

mod acceleration;
mod distribution;
mod events;
mod free;
mod gauss;
mod json;
mod map;
mod minors;
mod picture;
mod unique;
mod velocity;

pub use free::{Free, FreeForce};
pub use gauss::Gauss;
pub use map::{Map, MapError, Range, map};
pub use picture::{Arrow, Outline, OutlineKind, Picture};

use crate::error::StudyError;
use stickslip::acceleration::{AccelerationProblem, unmodelled};
use stickslip::certificate::WorstStep;
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip::step::{Mode, Outcome};
use stickslip::stepper::Cone;
use stickslip::system::{ConstraintId, Law, Snapshot, System};
use stickslip_scene::Scene;

/// How many motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One.
    Unique,
    /// Several, or a continuum.
    Several,
    /// None.
    None,
    /// Not all solutions could be listed.
    Unknown,
}

impl Verdict {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Unique => "unique",
            Verdict::Several => "several",
            Verdict::None => "none",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A contact in a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name.
    pub label: String,
    /// What it does.
    pub mode: Mode,
    /// N (over the step, at velocity level).
    pub normal_force: f64,
    /// Friction as a vector of the world, or along the tangent where there is no geometry, N.
    pub friction_force: Vec<f64>,
    /// Where it slips to, as a unit vector of the same kind; empty unless it slips.
    pub direction: Vec<f64>,
    /// Acceleration of the gap, m/s² (acceleration level), or its velocity at the end of the step, m/s.
    pub gap: f64,
}

/// One motion that the laws allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// Gauss' constraint `λ^T A λ / 2`, the least of which Gauss' principle takes.
    pub constraint: f64,
    /// Euclidean norm of the forces of contacts.
    pub norm: f64,
    /// Accelerations of the coordinates (acceleration level; else empty).
    pub acceleration: Vec<f64>,
}

/// What one of the two problems says.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How many motions.
    pub verdict: Verdict,
    /// Those found.
    pub solutions: Vec<Solution>,
    /// What the verdict rests on, or what is not decided, in a sentence.
    pub reason: String,
    /// False when a motion goes with more than one distribution of forces.
    pub forces_unique: bool,
    /// The solution that the step takes.
    pub taken: Option<usize>,
    /// Why that one, or why none.
    pub why: String,
}

/// The reason of a verdict that all solutions were listed for.
const LISTED: &str = "every combination of sticking, slipping and opening was looked at";
/// Why there is no proof where friction depends on the slip speed.
const VARIES: &str = "the friction coefficient depends on the slip, for which there is no proof";

/// A Painlevé configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Painleve {
    /// Several motions.
    Indeterminate,
    /// None.
    Inconsistent,
}

impl Painleve {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Painleve::Indeterminate => "indeterminate",
            Painleve::Inconsistent => "inconsistent",
        }
    }
}

/// Everything there is to say of an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The instant, s.
    pub time: f64,
    /// The acceleration-level problem; or why there is none.
    pub acceleration: Result<Answer, StudyError>,
    /// The velocity-level problem of the step that would follow; or why there is none.
    pub velocity: Result<Answer, StudyError>,
    /// Set in a Painlevé configuration.
    pub painleve: Option<Painleve>,
    /// Whether the matrix of the sliding problem has only positive principal minors; none where that was not looked at.
    pub p_matrix: Option<bool>,
    /// Forces that move nothing.
    pub free: Free,
    /// Gauss' principle, where one or two contacts are closed and their friction is known.
    pub gauss: Option<Gauss>,
    /// What there is to see, with the forces of each solution at acceleration level; none without geometry.
    pub picture: Option<Picture>,
    /// What steps on the way there missed: how many did, and the worst of them.
    pub missed: Option<(u64, WorstStep)>,
}

/// Why there is no explanation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The instant is outside of the run.
    #[error("--at {at}: expected a time from 0 to {until} s, the end of the scene")]
    Time {
        /// As asked.
        at: f64,
        /// The scene's end, s.
        until: f64,
    },
    /// The run did not get there.
    #[error("the run stopped before t = {at} s: {why}")]
    Stopped {
        /// As asked.
        at: f64,
        /// Why.
        why: String,
    },
}

/// The instant: where the system is, and what is known of its contacts.
struct Instant {
    state: State,
    /// Closed contacts and dry friction as the last step saw them, and whether they slip; none at the start.
    closed: Option<Vec<(ConstraintId, bool)>>,
    /// How far from closed they are, m.
    reach: f64,
    missed: Option<(u64, WorstStep)>,
}

/// Explains a scene at its start, or at a time that its own stepper is run to.
pub fn explain(scene: &Scene, at: f64) -> Result<Explanation, ExplainError> {
    let instant = reach(scene, at)?;
    let system = scene.system.as_ref();
    let step = velocity::step(scene, &instant.state);
    let velocity = step.as_ref().map(|s| s.answer(system, scene)).map_err(Clone::clone);
    let problem = problem(scene, &instant);
    let mut out = Explanation {
        time: at,
        acceleration: problem
            .as_ref()
            .map(|p| acceleration::answer(system, &instant.state, p))
            .map_err(Clone::clone),
        velocity,
        painleve: None,
        p_matrix: None,
        free: problem.as_ref().map(|p| free::free(system, p)).unwrap_or_default(),
        gauss: problem.as_ref().ok().and_then(|p| gauss::gauss(system, p)),
        picture: None,
        missed: instant.missed.clone(),
    };
    if let (Ok(answer), Ok(problem)) = (&mut out.acceleration, &problem) {
        out.p_matrix = minors::all_positive(problem);
        let negative = minors::some_negative(problem);
        out.painleve = match answer.verdict {
            Verdict::Several if negative => Some(Painleve::Indeterminate),
            Verdict::None if negative => Some(Painleve::Inconsistent),
            _ => None,
        };
        match &step {
            Ok(step) => acceleration::follow(answer, step, system, scene),
            Err(_) if scene.stepper.method().traits().events => events::follow(answer, scene, &instant.state),
            Err(why) => answer.why = why.to_string(),
        }
        out.picture = picture::picture(system, &instant.state, answer);
    }
    Ok(out)
}

/// The verdict of the acceleration-level problem alone, with what each contact does in each motion.
fn classify(scene: &Scene, at: f64) -> Result<(Answer, bool), StudyError> {
    let instant = reach(scene, at)?;
    let problem = problem(scene, &instant)?;
    let negative = minors::some_negative(&problem);
    Ok((acceleration::answer(scene.system.as_ref(), &instant.state, &problem), negative))
}

/// Runs to the instant.
fn reach(scene: &Scene, at: f64) -> Result<Instant, ExplainError> {
    if !(at >= 0.0 && at <= scene.until) {
        return Err(ExplainError::Time { at, until: scene.until });
    }
    let settings = Settings { step: scene.step, until: at, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    if let Some(why) = simulation.run(&mut []).reason() {
        return Err(ExplainError::Stopped { at, why });
    }
    let events = scene.stepper.method().traits().events;
    let closed = |o: &&Outcome| match o.constraint.law {
        // who locates events knows what is closed; of a load that contacts share some may have nothing
        Law::Contact { .. } | Law::Limit => o.mode != Mode::Open && (events || o.impulse[0] > 0.0),
        Law::Dry { .. } | Law::DryDisc { .. } => true,
        Law::Bilateral { .. } | Law::Servo { .. } => false,
    };
    let list = || simulation.last().outcomes.iter().filter(closed);
    let gapped = |o: &&Outcome| !matches!(o.constraint.law, Law::Dry { .. } | Law::DryDisc { .. });
    let reach = list().filter(gapped).map(|o| o.gap.abs()).fold(0.0, f64::max);
    let certificate = simulation.certificate();
    let missed = certificate.worst_step.clone().filter(|_| certificate.missed_steps > 0);
    Ok(Instant {
        missed: missed.map(|worst| (certificate.missed_steps, worst)),
        state: simulation.state().clone(),
        closed: (at > 0.0).then(|| list().map(|o| (o.constraint.id, o.mode == Mode::Slip)).collect()),
        // a gap that is zero but for rounding must be found again
        reach: 2.0 * reach + 1e-9 * simulation.state().q.iter().fold(0.0f64, |m, q| m.max(q.abs())),
    })
}

/// The acceleration-level problem; or why there is none.
fn problem(scene: &Scene, instant: &Instant) -> Result<AccelerationProblem, StudyError> {
    let (system, state) = (scene.system.as_ref(), &instant.state);
    let mut look = Snapshot::default();
    system.dynamics(state, &mut look);
    system.constraints(state, instant.reach, &mut look);
    let servo = |law: Law| Some(law).filter(|l| matches!(l, Law::Servo { .. })).and_then(unmodelled);
    if let Some(what) = look.constraints.iter().find_map(|c| servo(c.law)) {
        return Err(StudyError::Unmodelled(what));
    }
    if system.has_layers() {
        return Err(StudyError::Layers);
    }
    // limit sets of accelerations are round: those of polyhedral cones are a matter of steps
    let cone = if scene.stepper.cone == Cone::Ellipsoid { Cone::Ellipsoid } else { Cone::Exact };
    Ok(match &instant.closed {
        None => AccelerationProblem::with_cone(system, state, scene.step, cone),
        Some(closed) => {
            AccelerationProblem::with_closed(system, state, closed, (instant.reach, scene.step), cone)
        }
    })
}

/// The constraints of a state within a distance, to name directions with.
fn constraints(system: &dyn System, state: &State) -> Snapshot {
    let mut look = Snapshot::default();
    system.dynamics(state, &mut look);
    let size = state.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
    system.constraints(state, 1e-2 * size, &mut look);
    look
}
