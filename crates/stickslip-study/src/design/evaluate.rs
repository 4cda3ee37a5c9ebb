//! Evaluations: all cases of a point run, and judged by eq. (2) and (3) of [`design`](super).

use super::{Case, Design, DesignError, Penalty};
use crate::engine::{self, Engine, Request, Workers, WorkersError, exact};
use crate::study::Study;
use crate::trial::{self, Trial};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// What came of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The values of the sought parameters, in their order.
    pub sought: Vec<f64>,
    /// The quantities of each case.
    pub cases: Vec<Vec<f64>>,
    /// f; NaN when it is not known.
    pub objective: f64,
    /// The sum of eq. (2): by how much constraints are missed; NaN when that is not known.
    pub violation: f64,
    /// m: what the search minimises; infinite when refused.
    pub merit: f64,
    /// Steps that missed a tolerance, of all cases.
    pub missed_steps: u64,
    /// Steps taken in all cases.
    pub steps: u64,
    /// Why the point is refused, if it is.
    pub refused: Option<String>,
}

impl Evaluation {
    /// True when it counts and every constraint holds.
    pub fn is_feasible(&self) -> bool {
        self.refused.is_none() && self.violation == 0.0
    }

    /// True when it is better than another: what counts before what does not, then what holds the constraints, then the
    /// least objective (among those that miss constraints, the least merit).
    pub fn is_better(&self, other: &Self) -> bool {
        match (self.refused.is_none(), other.refused.is_none()) {
            (false, _) => false,
            (true, false) => true,
            _ => match (self.is_feasible(), other.is_feasible()) {
                (true, true) => self.objective < other.objective,
                (false, false) => self.merit < other.merit,
                (feasible, _) => feasible,
            },
        }
    }
}

/// A trial as far as an evaluation needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    /// The quantities.
    #[serde(with = "exact")]
    pub quantities: Vec<f64>,
    /// Steps that missed a tolerance.
    pub missed_steps: u64,
    /// Steps taken.
    pub steps: u64,
    /// Why it ended before its time, if it did.
    pub failure: Option<String>,
}

/// Runs a case at a point.
pub fn run(study: &Study, case: &Case, sought: &[f64]) -> Ran {
    let trial = trial::run_in(study, &case.scene, &study.values_at(sought));
    let Trial { quantities, missed_steps, steps, failure, .. } = trial;
    Ran { quantities, missed_steps, steps, failure }
}

/// Points to evaluate, in the cases of the study or in those of `[verify]`.
pub struct Batch<'a> {
    /// The study.
    pub study: &'a Study,
    /// What it says of its kind.
    pub design: &'a Design,
    /// True for the cases of `[verify]`.
    pub verify: bool,
    /// The values of the sought parameters at each point.
    pub points: &'a [Vec<f64>],
}

/// Gets evaluations in the order of the points, each as soon as it and those before it are there; its first error ends
/// the batch.
pub type Done<'a> = &'a mut dyn FnMut(Evaluation) -> Result<(), DesignError>;

impl Batch<'_> {
    fn cases(&self) -> &[Case] {
        match (&self.design.verify, self.verify) {
            (Some(verify), true) => &verify.cases,
            _ => &self.design.cases,
        }
    }

    /// Has all cases of all points run.
    pub fn evaluate(&self, engine: Engine<'_>, done: Done<'_>) -> Result<(), DesignError> {
        let mut order =
            Order { batch: self, trials: vec![None; self.points.len() * self.cases().len()], next: 0 };
        match engine {
            Engine::Threads(jobs) => self.by_threads(jobs, &mut |i, trial| order.take(i, trial, done)),
            Engine::Workers(workers) => self.by_workers(workers, &mut |i, trial| order.take(i, trial, done)),
        }
    }

    fn by_threads(&self, jobs: usize, take: Take<'_>) -> Result<(), DesignError> {
        let (study, cases, points) = (self.study, self.cases(), self.points);
        let total = points.len() * cases.len();
        let next = &AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..jobs.clamp(1, total.max(1)) {
                let sender = sender.clone();
                scope.spawn(move || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= total {
                            return;
                        }
                        let trial = run(study, &cases[i % cases.len()], &points[i / cases.len()]);
                        // nobody listens any more once a batch has ended early
                        if sender.send((i, trial)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            receiver.into_iter().try_for_each(|(i, trial)| take(i, trial))
        })
    }

    fn by_workers(&self, workers: &dyn Workers, take: Take<'_>) -> Result<(), DesignError> {
        let cases = self.cases().len();
        let request = |i: usize| Request::Trial {
            case: i % cases,
            verify: self.verify,
            sought: self.points[i / cases].clone(),
        };
        let requests: Vec<Request> = (0..self.points.len() * cases).map(request).collect();
        let mut ended = Ok(());
        workers.work(&requests, &mut |i, text| {
            ended = self.read(text).and_then(|trial| take(i, trial));
            if ended.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        ended
    }

    fn read(&self, text: &str) -> Result<Ran, DesignError> {
        let trial: Ran = engine::read(text)?;
        if trial.quantities.len() == self.study.quantities.names.len() {
            return Ok(trial);
        }
        Err(WorkersError("a worker answered with quantities of another study".to_owned()).into())
    }
}

type Take<'a> = &'a mut dyn FnMut(usize, Ran) -> Result<(), DesignError>;

/// Trials that came before their turn.
struct Order<'a> {
    batch: &'a Batch<'a>,
    trials: Vec<Option<Ran>>,
    next: usize,
}

impl Order<'_> {
    fn take(&mut self, i: usize, trial: Ran, done: Done<'_>) -> Result<(), DesignError> {
        let (cases, points) = (self.batch.cases(), self.batch.points);
        self.trials[i] = Some(trial);
        while self.next < points.len() {
            let mine = &mut self.trials[self.next * cases.len()..(self.next + 1) * cases.len()];
            if mine.iter().any(Option::is_none) {
                break;
            }
            let mine: Vec<Ran> = mine.iter_mut().filter_map(Option::take).collect();
            let point = &points[self.next];
            self.next += 1;
            done(judge((self.batch.study, self.batch.design), cases, point, &mine))?;
        }
        Ok(())
    }
}

fn judge((study, design): (&Study, &Design), cases: &[Case], sought: &[f64], trials: &[Ran]) -> Evaluation {
    let quantities: Vec<Vec<f64>> = trials.iter().map(|t| t.quantities.clone()).collect();
    let mut values = study.values_at(sought);
    values.extend(design.picks.iter().map(|p| p.value(&quantities)));
    let objective = design.objective.formula.value(&values);
    // NaN stays: a constraint that is no number is not one that holds
    let misses = design.constraints.iter().map(|c| c.formula.excess(&values).unwrap_or(f64::NAN));
    let violation: f64 = misses.fold(0.0, |sum, g| sum + if g < 0.0 { 0.0 } else { g });
    let refused = refusal(design, cases, trials, (objective, violation));
    let merit = match (&refused, design.penalty) {
        (Some(_), _) => f64::INFINITY,
        (None, Penalty::Weight(w)) => objective + w * violation,
        (None, Penalty::Refuse) => objective,
    };
    Evaluation {
        sought: sought.to_vec(),
        cases: quantities,
        objective,
        violation,
        merit,
        missed_steps: trials.iter().map(|t| t.missed_steps).sum(),
        steps: trials.iter().map(|t| t.steps).sum(),
        refused,
    }
}

/// Why a point does not count, eq. (3).
fn refusal(
    design: &Design,
    cases: &[Case],
    trials: &[Ran],
    (objective, violation): (f64, f64),
) -> Option<String> {
    for (case, trial) in cases.iter().zip(trials) {
        let at = if case.name.is_empty() { String::new() } else { format!("{}: ", case.name) };
        if let Some(why) = &trial.failure {
            return Some(format!("{at}{why}"));
        }
        if trial.missed_steps > 0 {
            return Some(format!("{at}{} of {} steps missed a tolerance", trial.missed_steps, trial.steps));
        }
    }
    if !objective.is_finite() {
        return Some(format!("the objective is {objective:?}"));
    }
    if !violation.is_finite() {
        return Some("a constraint is no number".to_owned());
    }
    let refuses = design.penalty == Penalty::Refuse && violation > 0.0;
    refuses.then(|| format!("constraints are missed by {violation:?}"))
}
