//! A trial through the stages of a study: from the cheapest model to the dearest, up to the first that refuses it.
//!
//! ```text
//! stage k refuses the trial when one of its formulas does not hold, of the parameters or after one of its runs     (1)
//! time saved = time of the last stage for every trial − time of all stages as run                                 (2)
//! ```
//!
//! after [Berard 2009, §4.3.1, table 4.1]. A run that could not be completed refuses, too, and the trial says why. What
//! a cheap model refuses need not be bad: an audit runs the last stage for those trials as well, and counts how many it
//! would have let pass.

use crate::quantity::formula::Formula;
use crate::sampled::thread_seconds;
use crate::study::{Runs, Study, Task, Trials};
use crate::trial::{self, Passage, Trial};

/// Processor time that trials took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Trials that the times are of.
    pub trials: u64,
    /// In each stage, s.
    pub stages: Vec<f64>,
    /// In the last stage, for trials that an earlier one had refused, s.
    pub audit: f64,
}

impl Spent {
    /// None yet.
    pub fn new(study: &Study) -> Self {
        Self { stages: vec![0.0; study.stages.len()], ..Self::default() }
    }

    /// Adds what others took.
    pub fn add(&mut self, other: &Self) {
        self.trials += other.trials;
        self.stages.iter_mut().zip(&other.stages).for_each(|(a, b)| *a += b);
        self.audit += other.audit;
    }
}

/// Runs a trial: through the stages, or where there are none the one run that it is.
pub fn run(study: &Study, values: &[f64], spent: &mut Spent) -> Trial {
    if study.stages.is_empty() {
        return trial::run(study, values);
    }
    let mut out = Trial::before(study, values);
    let mut passage = Passage { stage: 0, run: None, passed: true, audit: None };
    for (k, stage) in study.stages.iter().enumerate() {
        let start = thread_seconds();
        passage.stage = k;
        (passage.run, passage.passed) = match &stage.runs {
            None => (None, all_hold(&stage.accept, values)),
            Some(runs) => through(study, values, (runs, &stage.accept), &mut out),
        };
        spent.stages[k] += thread_seconds() - start;
        if !passage.passed {
            break;
        }
    }
    if passage.stage + 1 < study.stages.len() {
        // outcomes are of the last model
        out.outcomes.fill(false);
    }
    let audits = matches!(study.task, Task::Sweep(Trials { audit: true, .. }));
    if let Some(last) = study.stages.last()
        && let Some(runs) = &last.runs
        && audits
        && passage.stage + 1 < study.stages.len()
    {
        let start = thread_seconds();
        let mut unseen = Trial::before(study, values);
        passage.audit = Some(through(study, values, (runs, &last.accept), &mut unseen).1);
        spent.audit += thread_seconds() - start;
    }
    spent.trials += 1;
    out.passage = Some(passage);
    out
}

fn all_hold(formulas: &[Formula], values: &[f64]) -> bool {
    formulas.iter().all(|f| f.value(values) != 0.0)
}

/// The runs of a stage, up to the first that is refused: which was the last, and whether all passed. The trial keeps
/// what the last run showed, and the steps of all.
fn through(
    study: &Study,
    values: &[f64],
    (runs, accept): (&Runs, &[Formula]),
    out: &mut Trial,
) -> (Option<u64>, bool) {
    for run in 0..runs.count() {
        let (mut next, numbers) = trial::run_with(study, &runs.scene, values, &runs.settings(run));
        next.steps += out.steps;
        next.missed_steps += out.missed_steps;
        *out = next;
        if out.failure.is_some() || !all_hold(accept, &numbers) {
            return (Some(run), false);
        }
    }
    (runs.count().checked_sub(1), true)
}
