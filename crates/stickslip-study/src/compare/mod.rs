//! Which stepper, cone, solver and step give an answer for the least time?
//!
//! All combinations of what is asked for are run, each measured against one reference run. At every time looked at, the
//! error is the largest difference of a continuous quantity (positions, not velocities, which jump) relative to its
//! size (`refine/size.rs`):
//!
//! ```text
//! e(t) = max over q of |Q(t) − Q_ref(t)| / size_q,    error = max over t of e(t)                          (1)
//! ```
//!
//! The error of a polyhedral friction cone alone is the same against the run with the exact cone, all else equal
//! [Berard 2009, §5.2.3]. `trends.rs` has slopes over the step and where the linear problem becomes dearer than the
//! nonlinear one [Berard 2009, Fig. 5.9–5.12]. Times are of this machine and this moment.

mod combination;
mod json;
mod measure;
mod reference;
mod trends;

pub use combination::{Combination, Refused};
pub use measure::{Measured, Solve};
pub use reference::{Reference, ReferenceChoice};
pub use trends::{Crossing, Slope};

use crate::error::StudyError;
use crate::refine::sizes;
use crate::sampled::{Plan, Sampled, times};
use stickslip::stepper::{Cone, Method};
use stickslip_scene::{Overrides, Scene};

/// Into how many intervals the runs are divided to be looked at.
const SAMPLES: usize = 240;
/// Contact problems of a run that are solved again for their time.
const PROBLEMS: usize = 12;

/// What is asked; empty lists are filled: with all steppers and three steps when nothing is asked for, else with what
/// the scene says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Steppers by name.
    pub steppers: Vec<String>,
    /// Cones.
    pub cones: Vec<String>,
    /// Solvers by name.
    pub solvers: Vec<String>,
    /// Steps, s.
    pub steps: Vec<String>,
    /// How `event` keeps joints: projection, baumgarte:ALPHA:BETA, partitioning-simple, partitioning-full.
    pub constraints: Vec<String>,
    /// What to compare with.
    pub reference: ReferenceChoice,
}

/// Reads the scene with changes; or says in a line why it cannot be.
pub type Load<'a> = dyn Fn(&Overrides) -> Result<Scene, StudyError> + 'a;

/// Why there is no comparison.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// The scene itself cannot be read.
    #[error("{0}")]
    Scene(StudyError),
    /// What was asked makes no sense.
    #[error("{0}")]
    Asked(String),
    /// Nothing fits.
    #[error("none of the {count} combinations fits the scene; the first: {first}")]
    Nothing {
        /// How many there were.
        count: usize,
        /// Why the first does not fit.
        first: String,
    },
    /// There is nothing to compare with.
    #[error("there is no reference: {0}")]
    Reference(StudyError),
}

/// A run of a combination.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was run.
    pub combination: Combination,
    /// What was seen.
    pub run: Sampled,
    /// What was found.
    pub measured: Measured,
    /// True when no other run is both nearer and faster.
    pub pareto: bool,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The scene's name.
    pub scene: String,
    /// End of the runs, s.
    pub until: f64,
    /// What they are compared with.
    pub reference: Reference,
    /// The runs.
    pub entries: Vec<Entry>,
    /// Combinations that do not fit.
    pub refused: Vec<Refused>,
    /// Error over step.
    pub slopes: Vec<Slope>,
    /// Where the linear problem becomes dearer than the nonlinear one.
    pub crossings: Vec<Crossing>,
}

impl Comparison {
    /// True when every run reached its end with every step within its tolerances.
    pub fn is_certified(&self) -> bool {
        self.entries.iter().all(|e| e.run.is_certified())
    }
}

/// Runs all combinations; `observe` is told how many are done, of how many.
pub fn compare(
    load: &Load<'_>,
    request: &Request,
    observe: &dyn Fn(usize, usize),
) -> Result<Comparison, CompareError> {
    let scene = load(&Overrides::default()).map_err(CompareError::Scene)?;
    let all = combination::all(&scene, request)?;
    let count = all.len();
    let (mut fitting, mut refused) = (Vec::new(), Vec::new());
    for combination in all {
        let (combination, read) = match load(&combination.overrides()) {
            // what the scene says of cones and solvers may be for its own stepper only
            Err(why) => match combination.with_plain_choices(request) {
                Some(plain) => load(&plain.overrides()).map_or((combination, Err(why)), |s| (plain, Ok(s))),
                None => (combination, Err(why)),
            },
            Ok(scene) => (combination, Ok(scene)),
        };
        match read {
            Ok(scene) => fitting.push((combination.as_read(&scene), scene)),
            Err(why) => refuse(&mut refused, combination, why.to_string()),
        }
    }
    if fitting.is_empty() {
        let first =
            refused.first().map_or(String::new(), |r| format!("{}: {}", r.combination.method(), r.why));
        return Err(CompareError::Nothing { count, first });
    }
    let coarsest = fitting.iter().map(|(c, _)| c.step).fold(0.0, f64::max);
    let finest = fitting.iter().map(|(c, _)| c.step).fold(f64::INFINITY, f64::min);
    let looks = times(coarsest, scene.until, SAMPLES);
    let (reference, truth) = reference::run(load, &scene, request.reference, (finest, &looks))?;
    let sizes = sizes(&scene, &truth);
    let mut entries = Vec::new();
    for (done, (combination, scene)) in fitting.iter().enumerate() {
        observe(done, fitting.len());
        let run = Sampled::run(&Plan { problems: PROBLEMS, ..Plan::of(scene, combination.step, &looks) });
        let measured = measure::measure(scene, &run, (&truth, &sizes));
        entries.push(Entry { combination: combination.clone(), run, measured, pareto: false });
    }
    measure::cone_errors(&mut entries, &sizes);
    trends::mark_pareto(&mut entries);
    Ok(Comparison {
        scene: scene.name.clone(),
        until: scene.until,
        reference,
        slopes: trends::slopes(&entries),
        crossings: trends::crossings(&entries),
        entries,
        refused,
    })
}

/// Lists a combination that does not fit, once for all its steps if the reason is the same.
fn refuse(refused: &mut Vec<Refused>, combination: Combination, why: String) {
    let known = |r: &&mut Refused| r.combination.method() == combination.method() && r.why == why;
    match refused.iter_mut().find(known) {
        Some(known) => known.steps.push(combination.step),
        None => refused.push(Refused { steps: vec![combination.step], combination, why }),
    }
}

/// True for the steppers that choose their own steps.
fn chooses_steps(method: Method) -> bool {
    method.traits().events
}

/// The number of directions of a polyhedral cone.
fn directions(cone: Cone) -> Option<usize> {
    match cone {
        Cone::Polygon { directions, .. } => Some(directions),
        Cone::Exact | Cone::Ellipsoid | Cone::Box => None,
    }
}
