//! Whether a run may be called certified.
//!
//! Only if every source agrees: the summary's count, its worst values against its tolerances, the residuals of every
//! recorded step, and the events. What is absent speaks against the run.

use crate::run::Run;
use crate::summary::{AUDITED, RESIDUALS};
use crate::text::{count, number};

/// What the data say about the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every step is known to be within tolerance.
    Certified,
    /// At least so many steps are not; with what else speaks against the run.
    Missed(u64, Vec<String>),
    /// No step is known to be outside, but the data do not show that all are within; why.
    Unknown(Vec<String>),
}

/// Judges a run by all that its directory says.
pub fn verdict(run: &Run) -> Verdict {
    let mut doubts = Vec::new();
    if run.running {
        doubts.push("the run is not done".into());
    }
    let from_summary = judge_summary(run, &mut doubts);
    let from_steps = judge_steps(run, &mut doubts);
    let from_events = run.events.iter().filter(|event| event.kind == "missed").count() as u64;
    if from_events > 0 && from_summary == Some(0) {
        let listed = count(from_events as usize, "missed step");
        doubts.push(format!("events.jsonl lists {listed}, the summary counts none"));
    }
    let missed = from_summary.unwrap_or(0).max(from_steps).max(u64::from(from_events > 0));
    if missed > 0 {
        Verdict::Missed(missed, doubts)
    } else if doubts.is_empty() {
        Verdict::Certified
    } else {
        Verdict::Unknown(doubts)
    }
}

/// Missed steps by the summary's count, at least one if a worst value exceeds its tolerance.
fn judge_summary(run: &Run, doubts: &mut Vec<String>) -> Option<u64> {
    if run.summary.steps == Some(0) {
        doubts.push("no step was taken".into());
    }
    if let Some(why) = &run.summary.stopped {
        doubts.push(format!("the run stopped before its end: {why}"));
    }
    let Some(certificate) = &run.summary.certificate else {
        doubts.push("summary.json has no certificate".into());
        return None;
    };
    if certificate.missed_steps.is_none() {
        doubts.push("summary.json does not say how many steps missed their tolerance".into());
    }
    let mut exceeded = false;
    for name in RESIDUALS {
        match (certificate.residual(name), certificate.tolerance(name)) {
            (Some(worst), Some(tolerance)) if worst <= tolerance => {}
            (Some(worst), Some(tolerance)) => {
                exceeded = true;
                let (worst, tolerance) = (number(worst, 3), number(tolerance, 3));
                doubts.push(format!("{name}: worst value {worst}, tolerance {tolerance}"));
            }
            (None, _) => doubts.push(format!("summary.json has no worst value of {name}")),
            (_, None) => doubts.push(format!("summary.json has no tolerance for {name}")),
        }
    }
    // absent in runs of older versions
    for name in AUDITED {
        if let (Some(worst), Some(limit)) = (certificate.residual(name), certificate.tolerance(name))
            && (worst.is_nan() || worst > limit)
        {
            exceeded = true;
            doubts.push(format!("{name}: worst value {}, tolerance {}", number(worst, 3), number(limit, 3)));
        }
    }
    // of steppers without inertia; absent in runs of older versions
    let limit = certificate.tolerance.and_then(|t| t.law).unwrap_or(0.0);
    if let Some(balance) = certificate.balance.filter(|b| b.is_nan() || *b > limit) {
        exceeded = true;
        doubts.push(format!("balance: worst value {}, tolerance {}", number(balance, 3), number(limit, 3)));
    }
    if let Some(free) = certificate.free.filter(|n| *n > 0) {
        exceeded = true;
        let directions = count(free as usize, "direction");
        doubts.push(format!("the motion is not unique: up to {directions} free; the least motion was taken"));
    }
    let counted = certificate.missed_steps;
    if exceeded { Some(counted.unwrap_or(0).max(1)) } else { counted }
}

/// Recorded steps with a residual that is not within tolerance.
fn judge_steps(run: &Run, doubts: &mut Vec<String>) -> u64 {
    let steps = run.trajectory.time().len();
    if steps == 0 {
        doubts.push("trajectory.csv has no recorded step".into());
    }
    let mut missed = vec![false; steps];
    for name in RESIDUALS {
        let Some(values) = run.trajectory.column(&format!("certificate.{name}")) else {
            doubts.push(format!("trajectory.csv has no column certificate.{name}"));
            continue;
        };
        let Some(tolerance) = run.summary.certificate.as_ref().and_then(|c| c.tolerance(name)) else {
            continue;
        };
        for (miss, &value) in missed.iter_mut().zip(values) {
            // Written so that NaN is a miss.
            *miss |= !matches!(value.partial_cmp(&tolerance), Some(o) if o.is_le());
        }
    }
    if missed.first() == Some(&true) && first_row_is_before_any_step(run) {
        missed[0] = false;
    }
    let first = missed.iter().position(|&m| m).map_or(f64::NAN, |i| run.trajectory.time()[i]);
    let missed = missed.into_iter().filter(|&m| m).count();
    let counted = run.summary.certificate.as_ref().and_then(|c| c.missed_steps);
    if missed > 0 && counted.is_some_and(|c| c < missed as u64) {
        let (missed, first) = (count(missed, "recorded step"), number(first, 6));
        doubts.push(format!(
            "trajectory.csv has {missed} outside of the tolerance, the first at t = {first} s"
        ));
    }
    missed as u64
}

/// The initial state belongs to no step: a recorder may leave all its residuals NaN.
fn first_row_is_before_any_step(run: &Run) -> bool {
    let first =
        |name: &&str| run.trajectory.column(&format!("certificate.{name}")).and_then(|c| c.first().copied());
    RESIDUALS.iter().all(|name| first(name).is_some_and(f64::is_nan))
}
