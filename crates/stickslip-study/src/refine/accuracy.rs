//! The step for an accuracy: the largest of the refinement whose own error is within it.
//!
//! With the finest run's error bars `e_K`, that of the run k is `|Q_k − Q_K| + e_K` at the end, and along the run the same of the
//! continuous quantities, as `trust.rs` has it.

use super::Refinement;

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Index of the level.
    pub level: usize,
    /// Its step, s.
    pub step: f64,
    /// The largest error of a quantity at the end, relative to its size.
    pub error: f64,
}

/// The coarsest run within the accuracy asked for; none when the finest is not.
pub fn choose(refinement: &Refinement) -> Option<Choice> {
    let accuracy = refinement.accuracy?;
    if !refinement.reached {
        return None;
    }
    (0..refinement.levels.len())
        .map(|level| Choice { level, step: refinement.levels[level].step, error: error(refinement, level) })
        .find(|choice| choice.error <= accuracy)
}

/// The largest error of a level at the end, relative to the quantities' sizes.
fn error(refinement: &Refinement, level: usize) -> f64 {
    let (run, finest) = (&refinement.levels[level].run, &refinement.levels[refinement.levels.len() - 1].run);
    let mut largest = 0.0f64;
    for estimate in refinement.estimates.iter().filter(|e| !e.exact) {
        let Some(i) = finest.quantities.iter().position(|q| q.name == estimate.name) else { continue };
        let Some(bar) = estimate.error else { return f64::INFINITY };
        // on the way as well, where the quantity is continuous
        let along = finest.quantities[i].kind.is_continuous();
        let from = if along { 0 } else { finest.values.len().saturating_sub(1) };
        let off = |j: usize| (run.values[j][i] - finest.values[j][i]).abs();
        let difference = (from..finest.values.len()).map(off).fold(0.0, f64::max);
        largest = largest.max((difference + bar) / estimate.size);
    }
    largest
}
