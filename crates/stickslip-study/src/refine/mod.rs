//! How sure is a result? The same run at h, h/2, h/4, ...
//!
//! With the values `Q_k(t)` of a quantity in the run with the step `h / 2^k`, their differences `d_k = Q_(k+1) − Q_k`,
//! and the mean `D_k` of `|d_k|` over the times looked at,
//!
//! ```text
//! observed order   p = −slope of log2 D_k over k, by least squares, with its 90 % interval                       (1)
//! error bar        F max over j = 0, 1, 2 of |d_(K−j)| 2^(−j p) / (2^p − 1),   F = 3, at the end of the run        (2)
//! ```
//!
//! (2) is Richardson's estimate of what is left, three times over, and with the differences before so that one which
//! happens to vanish does not pass for an answer; p is at least 1/2, and of the run the lower end of its interval, or at
//! most 1 where three runs give none; of the time of something that jumps, one step more. The order of the
//! run is (1) with the sum over all continuous quantities (velocities jump at impacts, and a jump that comes a little
//! late is no small difference), each divided by its size (`size.rs`); in (2) the smaller of the quantity's order and
//! the run's counts. Differences that are rounding make a quantity `exact`.
//!
//! Where contacts close, D_k is no smooth function of the step: when a contact closes within a step is not seen, and
//! the part of the step by which it is late is as good as random, for every run anew. The scatter of log2 D_k about its
//! line says how sure p is; where it cannot tell orders 1/2, 1 and 2 apart, more runs can, and are taken unless their
//! number was asked for (`ladder.rs`).
//!
//! `trust.rs` says up to when the runs approach each other, `period.rs` finds the period of a motion that returns.
//! Event-driven steppers choose their own steps: there the accuracies asked of them are divided by `2^order` instead.

mod accuracy;
mod json;
mod ladder;
mod order;
mod period;
mod size;
mod trust;

pub use accuracy::{Choice, choose};
pub use ladder::SETTLED;
pub use order::Estimate;
pub use period::Period;
pub use size::{Sizes, sizes};
pub use trust::{Parting, Trust, Verdict};

use crate::error::StudyError;
use crate::sampled::{Asked, Kind, Plan, Quantity, Sampled, times};
use ladder::refines_accuracy;
use stickslip::integrate::Accuracy;
use stickslip_scene::Scene;

/// Into how many intervals a run is divided to be looked at.
const SAMPLES: usize = 240;
/// The fewest runs that say anything of an order.
pub const LEAST_LEVELS: usize = 3;
/// The most runs.
pub const MOST_LEVELS: usize = 16;
/// The most steps of all runs together.
pub const MOST_STEPS: f64 = 5e7;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Largest error relative to a quantity's size; none: all levels are run.
    pub accuracy: Option<f64>,
    /// How many runs: at most, with an accuracy; else at least.
    pub levels: usize,
    /// Without an accuracy: how many runs at most, while the order is uncertain; none beyond `levels` where that is
    /// more.
    pub most: usize,
    /// Quantities asked for, by name or formula; empty: all of the state.
    pub quantities: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefineError {
    /// A quantity that cannot be read.
    #[error("quantity {0}")]
    Quantity(StudyError),
    /// A number out of range.
    #[error("{what} is {value}; expected {expected}")]
    Range {
        /// What.
        what: &'static str,
        /// As asked.
        value: f64,
        /// What would be right.
        expected: String,
    },
    /// Fewer than three runs reached their end.
    #[error("only {complete} of {all} runs reached the end: {why}")]
    Stopped {
        /// Runs that reached it.
        complete: usize,
        /// All.
        all: usize,
        /// What the last one that did not said.
        why: String,
    },
}

/// One run of many.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its step, s.
    pub step: f64,
    /// The accuracy asked of an event-driven stepper.
    pub accuracy: Option<Accuracy>,
    /// What was seen.
    pub run: Sampled,
}

/// What the runs say together.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The runs that reached their end, coarse to fine.
    pub levels: Vec<Level>,
    /// Steps (s) at which the run did not reach its end, and why.
    pub stopped: Vec<(f64, String)>,
    /// The observed order, eq. (1); none where everything is exact or nothing can be trusted.
    pub order: Option<f64>,
    /// Half the width of its 90 % interval; none with fewer than three differences.
    pub order_error: Option<f64>,
    /// The quantities asked for, at the end.
    pub estimates: Vec<Estimate>,
    /// The period, where the motion has one.
    pub period: Option<Period>,
    /// Up to when, and what happens then.
    pub trust: Trust,
    /// What differences are compared with, for all quantities of the runs.
    pub sizes: Sizes,
    /// The accuracy asked for.
    pub accuracy: Option<f64>,
    /// True when every estimate is within it, or nothing was asked.
    pub reached: bool,
}

/// Runs a scene at ever smaller steps.
pub fn refine(scene: &Scene, request: &Request) -> Result<Refinement, RefineError> {
    check(request)?;
    let looks = times(scene.step, scene.until, SAMPLES);
    let asked = formulas(scene, request)?;
    let (mut levels, mut stopped): (Vec<Level>, Vec<(f64, String)>) = (Vec::new(), Vec::new());
    let mut steps = 0.0;
    for (k, (step, stepper)) in ladder::ladder(scene, request).into_iter().enumerate() {
        steps += scene.until / step;
        let enough = |levels: &[Level]| {
            levels.len() < LEAST_LEVELS || !ladder::goes_on(scene, steps, &judge(scene, levels, request))
        };
        if steps > MOST_STEPS || (k >= request.levels && enough(&levels)) {
            break;
        }
        let plan = Plan { stepper, asked: Some(&asked), ..Plan::of(scene, step, &looks) };
        let run = Sampled::run(&plan);
        match run.stopped.clone() {
            Some(why) => stopped.push((step, why)),
            None => {
                let accuracy = stepper.event().map(|e| e.accuracy);
                levels.push(Level { step, accuracy, run });
            }
        }
        if levels.len() >= LEAST_LEVELS && request.accuracy.is_some() {
            let so_far = judge(scene, &levels, request);
            if so_far.reached {
                return Ok(Refinement { levels, stopped, ..so_far });
            }
        }
    }
    if levels.len() < LEAST_LEVELS {
        let (complete, all) = (levels.len(), levels.len() + stopped.len());
        let why = stopped.pop().map_or("more steps than the budget allows".to_owned(), |s| s.1);
        return Err(RefineError::Stopped { complete, all, why });
    }
    let judgement = judge(scene, &levels, request);
    Ok(Refinement { levels, stopped, ..judgement })
}

impl Refinement {
    /// The largest difference of a continuous quantity between a run and the next finer one, relative to its size, at
    /// every time looked at; one list per pair of runs, coarse to fine.
    pub fn differences(&self) -> Vec<Vec<f64>> {
        let largest = |(a, b): (&Vec<f64>, &Vec<f64>), of: &Sampled| {
            let continuous =
                (0..a.len()).filter(|&i| of.quantities[i].kind.is_continuous() && self.sizes.size[i] > 0.0);
            continuous.map(|i| (a[i] - b[i]).abs() / self.sizes.size[i]).fold(0.0, f64::max)
        };
        let pair = |w: &[Level]| {
            w[0].run.values.iter().zip(&w[1].run.values).map(|p| largest(p, &w[1].run)).collect()
        };
        self.levels.windows(2).map(pair).collect()
    }

    /// Whether all positions, and all velocities, among the quantities asked for are exact; none where none was asked
    /// for.
    pub fn exact_kinds(&self) -> [Option<bool>; 2] {
        let all = self.levels.last().map_or(&[][..], |l| &l.run.quantities);
        let mut out = [None; 2];
        for e in &self.estimates {
            let kind = all.iter().find(|q| q.name == e.name).map_or(Kind::Asked, |q| q.kind);
            if kind.is_continuous() || kind.is_velocity() {
                let seen = &mut out[usize::from(kind.is_velocity())];
                *seen = Some(seen.unwrap_or(true) && e.exact);
            }
        }
        out
    }

    /// True when every step of every run held its tolerances.
    pub fn is_certified(&self) -> bool {
        self.stopped.is_empty() && self.levels.iter().all(|l| l.run.is_certified())
    }
}

/// The quantities asked for that no run has by itself.
fn formulas(scene: &Scene, request: &Request) -> Result<Asked, RefineError> {
    let plain = Quantity::all(scene.system.as_ref());
    let is_formula = |text: &&String| !plain.iter().any(|q| q.name == **text);
    let texts: Vec<String> = request.quantities.iter().filter(is_formula).cloned().collect();
    Asked::read(&texts, scene).map_err(RefineError::Quantity)
}

fn check(request: &Request) -> Result<(), RefineError> {
    if let Some(value) = request.accuracy
        && !(value > 0.0 && value < 1.0)
    {
        let expected = "a part of a quantity's size, above 0 and below 1".to_owned();
        return Err(RefineError::Range { what: "the accuracy", value, expected });
    }
    if !(LEAST_LEVELS..=MOST_LEVELS).contains(&request.levels) {
        let expected = format!("{LEAST_LEVELS} to {MOST_LEVELS}");
        return Err(RefineError::Range {
            what: "the number of levels",
            value: request.levels as f64,
            expected,
        });
    }
    Ok(())
}

/// The indices of the quantities asked for.
fn select(all: &[Quantity], asked: &[String]) -> Vec<usize> {
    if asked.is_empty() {
        return (0..all.len()).collect();
    }
    asked.iter().filter_map(|name| all.iter().position(|q| q.name == *name)).collect()
}

/// What runs that reached their end say, of which there is at least one; the levels themselves are left out.
fn judge(scene: &Scene, levels: &[Level], request: &Request) -> Refinement {
    let runs: Vec<&Sampled> = levels.iter().map(|l| &l.run).collect();
    let finest = runs[runs.len() - 1];
    let sizes = size::sizes(scene, finest);
    let asked = select(&finest.quantities, &request.quantities);
    let mut trust = trust::trust(scene.system.as_ref(), &runs, &sizes, (&asked, request.accuracy));
    let fit = order::overall(&runs, &sizes, &asked, trust.until);
    let order = fit.map(|f| f.order);
    // bars rely on the least order that the scatter allows
    let sure = fit.map(|f| f.error.map_or(f.order.min(1.0), |e| f.order - e));
    let estimates = order::estimates(&runs, &sizes, &asked, (sure, trust.until));
    let period = period::period(scene, &runs, sure);
    if trust.verdict == Verdict::Converging && sure.is_some_and(|p| p <= 0.0) {
        (trust.verdict, trust.until) = (Verdict::Unsure, 0.0);
    }
    let within = |e: f64| estimates.iter().all(|q| q.exact || q.error.is_some_and(|x| x <= e * q.size));
    let reached = request.accuracy.is_none_or(|e| trust.verdict.holds() && within(e));
    Refinement {
        levels: Vec::new(),
        stopped: Vec::new(),
        order,
        order_error: fit.and_then(|f| f.error),
        estimates,
        period,
        trust,
        sizes,
        accuracy: request.accuracy,
        reached,
    }
}
