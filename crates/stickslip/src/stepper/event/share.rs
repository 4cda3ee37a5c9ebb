//! Which forces, where a smooth phase has several: eq. (1) of `flow.rs` where it is singular.
//!
//! Those of least norm (redundant joints, a block that sticks on two corners). Friction forces are weighed by the inverse of
//! their limits mu lambda_n, so that contacts which share a load reach their limits together. If that breaks a limit, the
//! distribution with the most left to the nearest limit is taken instead: contacts stick as long as some distribution lets them.

use super::flow::Flow;
use super::part::Part;
use crate::system::Law;
use complementarity::problem::law::MAX_ROWS;

impl Flow {
    /// Gives the forces of all contacts one scale: their norm is Euclidean then.
    pub(super) fn share_scale(&mut self) {
        let of = |&(k, _): &(usize, usize)| matches!(self.parts[k].law, Law::Contact { .. });
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, s) in self.unknowns.iter().zip(&self.scale).filter(|(u, _)| of(u)) {
            (sum, count) = (sum + s, count + 1.0);
        }
        for (_, s) in self.unknowns.iter().zip(&mut self.scale).filter(|(u, _)| of(u)) {
            *s = sum / count;
        }
    }

    /// Forces of least norm; friction in proportion to its limit.
    pub(super) fn solve(&mut self) {
        let m = self.unknowns.len();
        self.solver.factor(&self.a, &self.b);
        self.weights.clear();
        self.weights.resize(m, 1.0);
        self.x.clear();
        self.x.resize(m, 0.0);
        self.solver.solve(&self.weights, &mut self.x);
        if self.solver.freedom() == 0 {
            return;
        }
        let mut normal = 0.0;
        // sums of limits mu lambda_n and of squared scales over the friction rows
        let mut sums = [0.0f64; 2];
        for pass in 0..2 {
            for (j, &(k, r)) in self.unknowns.iter().enumerate() {
                let part = &self.parts[k];
                if !matches!(part.law, Law::Contact { .. }) {
                    continue;
                }
                let Some(block) = part.block_of(r) else {
                    normal = self.x[j] * self.scale[j];
                    continue;
                };
                let limit = block.limit(normal);
                if pass == 0 {
                    sums = [sums[0] + limit.abs(), sums[1] + self.scale[j].powi(2)];
                } else {
                    // what is weighed is the force, not the scaled unknown
                    let ratio = (sums[0] / limit) * (self.scale[j].powi(2) / sums[1]);
                    self.weights[j] = ratio.clamp(1e-6, 1e6);
                }
            }
        }
        self.solver.solve(&self.weights, &mut self.x);
        // another distribution may do where this one breaks a limit
        let Self { solver, x, parts, unknowns, scale, .. } = self;
        let worth = |x: &[f64]| least_margin(parts, unknowns, scale, x);
        if worth(x) < 0.0 {
            solver.improve(x, worth);
        }
    }

    /// True when forces are not unique.
    pub fn is_hyperstatic(&self) -> bool {
        self.solver.freedom() > 0
    }
}

/// What the forces `x` leave to the nearest limit of a contact or of dry friction, as an acceleration.
fn least_margin(parts: &[Part], unknowns: &[(usize, usize)], scale: &[f64], x: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    let mut j = 0;
    while j < unknowns.len() {
        let (k, mut force) = (unknowns[j].0, [0.0; MAX_ROWS]);
        while j < unknowns.len() && unknowns[j].0 == k {
            force[unknowns[j].1] = x[j] * scale[j];
            j += 1;
        }
        let (part, a) = (&parts[k], &parts[k].diagonal);
        let mut sticking = part.blocks.iter().flatten().filter(|b| b.sticks()).peekable();
        if part.is_unilateral() && sticking.peek().is_none() {
            least = least.min(force[0] * a[0]);
        }
        for block in sticking {
            least = least.min((block.limit(force[0]) - block.size_of(&force)) * a[block.first]);
        }
    }
    least
}
