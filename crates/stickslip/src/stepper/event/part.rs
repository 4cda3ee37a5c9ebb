//! A constraint that takes part in a smooth phase, and its friction.

use crate::bias::row_sizes;
use crate::friction::{Block, Blocks, blocks};
use crate::step::HeldMotion;
use crate::stepper::Cone;
use crate::system::{Constraint, Law, Snapshot};
use complementarity::problem::law::MAX_ROWS;

/// Slip below this, relative to the terms it is the sum of, has no direction of its own: where slip begins it grows
/// like the square of time, and its direction is lost in the error of the integration at first.
const NO_DIRECTION: f64 = 1e-8;
/// The same relative to the speed that free acceleration makes over the contact's size: where everything rests there
/// are no other terms. Friction turns slip v at the rate mu g / v, and whatever is slower than this would have to be
/// followed at that rate; later slip forgets the direction it began with nearly as fast.
const BEGINNING: f64 = 1e-7;

/// A constraint that takes part in the flow. Its rows are scaled (`friction.rs`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Index among the constraints of the look.
    pub index: usize,
    pub law: Law,
    /// Gaps, velocities, forces and accelerations of its rows.
    pub gap: [f64; MAX_ROWS],
    pub velocity: [f64; MAX_ROWS],
    pub force: [f64; MAX_ROWS],
    pub acceleration: [f64; MAX_ROWS],
    /// Diagonal of W^T M^-1 W.
    pub diagonal: [f64; MAX_ROWS],
    /// Its friction, and what that does.
    pub blocks: Blocks,
    /// A speed that is not small here, m/s, even if everything rests; zero where it sticks.
    pub natural: f64,
    first_row: usize,
}

impl Part {
    /// A constraint of a look, at a velocity; its blocks of friction do what `motions` says. `natural` is a speed that
    /// is not small at the contact, m/s, even if everything rests.
    pub fn new(
        (look, index): (&Snapshot, usize),
        (u, natural): (&[f64], f64),
        motions: &[HeldMotion; 3],
        cone: Cone,
        first_row: usize,
    ) -> Self {
        let c = &look.constraints[index];
        let mut velocity = c.drift;
        look.jacobian.add_velocity(c.first_part..c.end_part, u, &mut velocity[..c.law.rows()]);
        let mut blocks = blocks(&c.law, cone);
        for (block, motion) in blocks.iter_mut().zip(motions) {
            if let Some(block) = block {
                let motion = slip(look, (c, block), (&velocity, u, natural), *motion);
                block.set(&c.law, motion, &velocity);
            }
        }
        Self {
            index,
            law: c.law,
            gap: c.gap,
            velocity,
            force: [0.0; MAX_ROWS],
            acceleration: [0.0; MAX_ROWS],
            diagonal: [0.0; MAX_ROWS],
            blocks,
            natural,
            first_row,
        }
    }

    /// Where row `r` is among all rows.
    pub fn row(&self, r: usize) -> usize {
        self.first_row + r
    }

    /// True for what only pushes.
    pub fn is_unilateral(&self) -> bool {
        matches!(self.law, Law::Contact { .. } | Law::Limit)
    }

    /// The friction that a row belongs to.
    pub fn block_of(&self, r: usize) -> Option<&Block> {
        self.blocks.iter().flatten().find(|b| b.rows().contains(&r))
    }

    /// The friction that slips, or has nothing to stick with.
    pub fn slipping(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().flatten().filter(|b| !b.sticks())
    }

    /// True when the force of a row is unknown: that of joints and normals, and of friction that sticks.
    pub fn is_unknown(&self, r: usize) -> bool {
        self.block_of(r).is_none_or(Block::sticks)
    }

    /// The force of row `r` per normal force, where it follows from that.
    pub fn per_normal(&self) -> impl Iterator<Item = (usize, f64)> {
        self.slipping().flat_map(|b| b.rows().zip(b.direction().map(|d| -b.friction * d)))
    }
}

/// What a block does at a velocity: near zero slip the direction is the one carried from before, and it never turns
/// around.
fn slip(
    look: &Snapshot,
    (c, block): (&Constraint, &Block),
    (velocity, u, natural): (&[f64; MAX_ROWS], &[f64], f64),
    motion: HeldMotion,
) -> HeldMotion {
    let HeldMotion::Slip(carried) = motion else { return motion };
    if block.count == 1 {
        return motion;
    }
    let sizes = row_sizes(look, c, u);
    let size = sizes[block.rows()].iter().fold(0.0f64, |m, s| m.max(*s));
    let speed = block.size_of(velocity);
    if speed <= (NO_DIRECTION * size).max(BEGINNING * natural) {
        return motion;
    }
    let mut d = [0.0; 3];
    d.iter_mut().zip(&velocity[block.rows()]).for_each(|(d, v)| *d = v / speed);
    let turned = d.iter().zip(carried).map(|(a, b)| a * b).sum::<f64>() < 0.0;
    HeldMotion::Slip(if turned { d.map(|x| -x) } else { d })
}
