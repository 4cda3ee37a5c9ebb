//! Evaluations: all cases of a point run, and judged by eq. (2) and (3) of [`design`](super).

use super::{Case, Design, Penalty};
use crate::study::Study;
use crate::trial::{self, Trial};
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

    /// True when it is better than another: what counts before what does not, then what holds the constraints, then the least
    /// objective (among those that miss constraints, the least merit).
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

/// Runs all `cases` of all points on up to `jobs` threads. `done` gets the evaluations in the order of the points, each as soon as
/// it and those before it are there; its first error ends the batch.
pub fn batch<E>(
    (study, design): (&Study, &Design),
    cases: &[Case],
    points: &[Vec<f64>],
    jobs: usize,
    done: &mut dyn FnMut(Evaluation) -> Result<(), E>,
) -> Result<(), E> {
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
                    let values = study.values_at(&points[i / cases.len()]);
                    let trial = trial::run_in(study, &cases[i % cases.len()].scene, &values);
                    // nobody listens any more once a batch has ended early
                    if sender.send((i, trial)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut trials: Vec<Option<Trial>> = vec![None; total];
        let mut ready = 0;
        for (i, trial) in receiver {
            trials[i] = Some(trial);
            while ready < points.len() {
                let mine = &mut trials[ready * cases.len()..(ready + 1) * cases.len()];
                if mine.iter().any(Option::is_none) {
                    break;
                }
                let mine: Vec<Trial> = mine.iter_mut().filter_map(Option::take).collect();
                done(judge((study, design), cases, &points[ready], &mine))?;
                ready += 1;
            }
        }
        Ok(())
    })
}

fn judge((study, design): (&Study, &Design), cases: &[Case], sought: &[f64], trials: &[Trial]) -> Evaluation {
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
    trials: &[Trial],
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
