//! Which forces, where a smooth phase has several: eq. (1) of `flow.rs` where it is singular.
//!
//! Those of least norm (redundant joints, a block that sticks on two corners). Friction forces are weighed by the
//! inverse of their limits mu lambda_n, so that contacts which share a load reach their limits together. If that breaks
//! a limit, the distribution with the most left to the nearest limit is taken instead: contacts stick as long as some
//! distribution lets them.

use super::flow::Flow;
use super::part::Part;
use crate::friction::SLIDING;
use crate::system::Law;
use complementarity::problem::law::MAX_ROWS;

impl Flow {
    /// Gives the forces of all contacts one scale: their norm is Euclidean then.
    pub(super) fn share_scale(&mut self) {
        // also to what has a round limit
        let of =
            |&(k, _): &(usize, usize)| matches!(self.parts[k].law, Law::Contact { .. } | Law::DryDisc { .. });
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
        // moments are small beside what normal forces do: without them at first
        let moment = |&(k, r): &(usize, usize)| self.parts[k].block_of(r).is_some_and(|b| b.slot != SLIDING);
        self.weights.extend(self.unknowns.iter().map(|u| if moment(u) { 1e6 } else { 1.0 }));
        self.x.clear();
        self.x.resize(m, 0.0);
        self.solver.solve(&self.weights, &mut self.x);
        if self.solver.freedom() == 0 {
            return;
        }
        let mut normal = 0.0;
        // sums over sliding friction of limits mu lambda_n and squared scales; over normals of squares, and how many
        let [mut limits, mut scales, mut squares, mut count] = [0.0f64; 4];
        for pass in 0..2 {
            for (j, &(k, r)) in self.unknowns.iter().enumerate() {
                let part = &self.parts[k];
                if !matches!(part.law, Law::Contact { .. }) {
                    continue;
                }
                let Some(block) = part.block_of(r) else {
                    normal = self.x[j] * self.scale[j];
                    if pass == 0 {
                        (squares, count) = (squares + self.x[j].powi(2), count + 1.0);
                    }
                    continue;
                };
                let (limit, scale) = (block.limit(normal), self.scale[j].powi(2));
                if pass == 0 && block.slot == SLIDING {
                    (limits, scales) = (limits + limit.abs(), scales + scale);
                } else if pass == 1 {
                    // what is weighed is the force, not the scaled unknown; a moment's limit like the load of a normal
                    let ratio = if block.slot == SLIDING {
                        (limits / limit) * (scale / scales)
                    } else {
                        scale * squares / (count * limit * limit)
                    };
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
