//! The period of a motion that returns, from the times at which a contact closes.
//!
//! In the second half of the run, a contact that closes at `t_1, t_2, ...` closes m times in a period when
//! `t_(i+m) − t_i` is the same for all i, to within a fiftieth; of all contacts that do, the one with the fewest closings
//! in a period is the section. The period is the mean of all returns, its error bar that of the refinement (`order.rs`) and the scatter of the
//! returns over their number. A period shorter than twenty of the coarsest steps is not one: a contact at rest may flicker.

use super::order;
use crate::sampled::Sampled;
use stickslip::system::ConstraintId;
use stickslip_scene::Scene;

/// How far returns may scatter, relative to their mean.
const SCATTER: f64 = 0.02;
/// The most closings of a contact in a period.
const MOST: usize = 6;
/// The fewest returns.
const RETURNS: usize = 3;
/// The shortest period, in coarsest steps.
const STEPS: f64 = 20.0;

/// A period.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// The contact whose closings are the section.
    pub section: String,
    /// How often it closes in a period.
    pub closings: usize,
    /// How many returns of the finest run it is the mean of.
    pub returns: usize,
    /// In the finest run, s.
    pub value: f64,
    /// Its error bar, s.
    pub error: Option<f64>,
    /// Per run, coarse to fine, s.
    pub values: Vec<f64>,
}

/// The returns of a contact that closes m times in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Returns {
    mean: f64,
    scatter: f64,
    count: usize,
}

pub(super) fn period(scene: &Scene, runs: &[&Sampled], order: Option<f64>) -> Option<Period> {
    let finest = runs.last()?;
    let (id, m) = section(scene, finest)?;
    let returns: Vec<Returns> =
        runs.iter().filter_map(|r| returns(&closings(r, id, scene.until), m)).collect();
    if returns.len() < runs.len() {
        return None;
    }
    let values: Vec<f64> = returns.iter().map(|r| r.mean).collect();
    let last = returns[returns.len() - 1];
    let regular = |r: &Returns| (r.mean - last.mean).abs() <= 10.0 * SCATTER * last.mean;
    if !returns.iter().all(regular) {
        return None;
    }
    let error = order::bar_with(&values, order).map(|e| e + last.scatter / last.count as f64);
    Some(Period {
        section: scene.system.label(id),
        closings: m,
        returns: last.count,
        value: last.mean,
        error,
        values,
    })
}

/// The contact with the fewest closings in a period, and how many.
fn section(scene: &Scene, run: &Sampled) -> Option<(ConstraintId, usize)> {
    let mut ids: Vec<ConstraintId> = run.closings.iter().map(|c| c.id).collect();
    ids.sort_unstable();
    ids.dedup();
    // events that are located do not flicker
    let shortest = if super::refines_accuracy(&scene.stepper) { 0.0 } else { STEPS * scene.step };
    let regular = |id: ConstraintId, m: usize| {
        returns(&closings(run, id, scene.until), m)
            .filter(|r| r.scatter <= SCATTER * r.mean && r.mean >= shortest)
    };
    (1..=MOST).find_map(|m| {
        let fits = ids.iter().filter_map(|&id| Some((id, regular(id, m)?)));
        let best = fits.min_by(|a, b| a.1.scatter.total_cmp(&b.1.scatter))?;
        Some((best.0, m))
    })
}

/// When a contact closes in the second half of the run.
fn closings(run: &Sampled, id: ConstraintId, until: f64) -> Vec<f64> {
    run.closings.iter().filter(|c| c.id == id && c.t >= 0.5 * until).map(|c| c.t).collect()
}

fn returns(closings: &[f64], m: usize) -> Option<Returns> {
    let count = closings.len().checked_sub(m).filter(|n| *n >= RETURNS)?;
    let all = || (0..count).map(|i| closings[i + m] - closings[i]);
    // over whole periods, so that what is between counts once
    let whole = count / m;
    let mean = (closings[whole * m] - closings[0]) / whole as f64;
    let (low, high) = all().fold((f64::INFINITY, 0.0f64), |(l, h), r| (l.min(r), h.max(r)));
    Some(Returns { mean, scatter: high - low, count: whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_closings_in_a_period_are_told_from_one() {
        let closings: Vec<f64> =
            (0..12).map(|i| f64::from(i / 2) + if i % 2 == 1 { 0.3 } else { 0.0 }).collect();
        assert!(returns(&closings, 1).unwrap().scatter > 0.3);
        let two = returns(&closings, 2).unwrap();
        assert!((two.mean - 1.0).abs() < 1e-12 && two.scatter < 1e-12 && two.count == 5);
        assert!(returns(&closings[..3], 1).is_none());
    }
}
