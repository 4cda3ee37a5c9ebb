//! The direction of slip that begins, in two directions or more.
//!
//! Slip v turns friction at the rate mu g / |v|: where it has just begun to grow, v lies in the direction to which that
//! leads, but for terms of the order of v, and whoever follows it needs steps shorter than |v| / mu g. With the
//! acceleration of slip a(d) for friction against d, and the acceleration kappa that friction makes of its own rows,
//!
//! ```text
//! a(d) = |a(d)| d       that is   d = e / |e|,   e = a(d) + kappa d                                          (1)
//! ```
//!
//! which is solved by iteration; e is the same for all d where all rows are as heavy, so that it takes few rounds. It is
//! taken while slip is slow and grows, |e| > kappa: contacts that could stick do not begin to slip. What v is off by then
//! it soon forgets, as it forgets the direction it began with.

use super::flow::Flow;
use crate::friction::Block;
use crate::step::HeldMotion;

/// Slip below this, relative to the speed that free acceleration makes over the contact's size, is slow.
pub(super) const SLOW: f64 = 1e-5;
/// The most rounds of eq. (1).
const ROUNDS: usize = 30;
/// Directions that turn by less than this, rad, have settled.
const SETTLED: f64 = 1e-13;

impl Flow {
    /// Eq. (1) for all slip that begins, around the forces known.
    pub(super) fn follow_beginnings(&mut self) {
        if !self.parts.iter().any(|p| p.begins.contains(&true)) {
            return;
        }
        for _ in 0..ROUNDS {
            if !self.turn_beginnings() {
                return;
            }
            self.free_acceleration();
            self.assemble();
            self.solve();
            self.expand_forces();
        }
    }

    /// A round of eq. (1); false when nothing turns.
    fn turn_beginnings(&mut self) -> bool {
        let mut turned = 0.0f64;
        for part in &mut self.parts {
            let (begins, force, a, inertia) = (part.begins, part.force, part.acceleration, part.diagonal);
            for block in part.blocks.iter_mut().flatten().filter(|b| begins[b.slot] && !b.sticks()) {
                let Some(d) = next(block, force[0], &a, &inertia) else { continue };
                let old = block.direction();
                turned = old.iter().zip(d).fold(turned, |m, (x, y)| m.max((x - y).abs()));
                block.motion = HeldMotion::Slip(d);
            }
        }
        turned > SETTLED
    }
}

/// The next direction of a block; none where slip does not grow by itself.
fn next(block: &Block, normal: f64, a: &[f64], inertia: &[f64]) -> Option<[f64; 3]> {
    let own = inertia[block.rows()].iter().sum::<f64>() / block.count as f64;
    let (kappa, old) = (own * block.limit(normal), block.direction());
    let mut e = [0.0; 3];
    for ((e, a), d) in e.iter_mut().zip(&a[block.rows()]).zip(old) {
        *e = a + kappa * d;
    }
    let size = e.iter().fold(0.0, |s: f64, x| s.hypot(*x));
    let along: f64 = e.iter().zip(old).map(|(e, d)| e * d).sum();
    (size > kappa && kappa > 0.0 && along > 0.0).then(|| e.map(|x| x / size))
}
