//! Friction in smooth motion, block by block.
//!
//! The friction rows of a contact, scaled so that their limit sets are round (`stepper/surface.rs`), form up to three
//! blocks: sliding (with the cone `ellipsoid` also the spin about the normal), spin, rolling. With the normal force N,
//!
//! ```text
//! sticks   v = 0,   |f| <= hold N + bound                                                  (1)
//! slips    f = −(friction N + bound) d,   d = v/|v|,   friction = mu(|v|) for sliding        (2)
//! ```
//!
//! Dry friction of a joint is one block of one row with `bound` alone, that on a layer (`layer/on_cores.rs`) has two in
//! space. Where friction vanishes at rest and grows with the speed (a slope without `friction`) a block never sticks:
//! (2) is then smooth in v.

use crate::step::HeldMotion;
use crate::stepper::Cone;
use crate::stepper::surface::{Scaling, coefficient, largest, spins_with_sliding, stretch};
use crate::system::{Law, Snapshot, SurfaceLaw};
use complementarity::problem::law::MAX_ROWS;
use std::ops::Range;

/// The most blocks of a constraint: sliding, spin, rolling.
pub(crate) const BLOCKS: usize = 3;
/// The block of sliding.
pub(crate) const SLIDING: usize = 0;

/// One block, eq. (1) and (2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Which: 0 sliding (or dry friction), 1 spin about the normal, 2 rolling.
    pub slot: usize,
    /// First of its rows among those of the constraint.
    pub first: usize,
    /// Number of its rows, 1 to 3.
    pub count: usize,
    /// Coefficient of sticking.
    pub hold: f64,
    /// Coefficient of what it does.
    pub friction: f64,
    /// What its limit is without a normal force, N or N m.
    pub bound: f64,
    /// What it does.
    pub motion: HeldMotion,
}

/// The blocks of a constraint, sliding first.
pub(crate) type Blocks = [Option<Block>; BLOCKS];

impl Block {
    fn new(slot: usize, first: usize, count: usize, hold: f64) -> Self {
        Self { slot, first, count, hold, friction: hold, bound: 0.0, motion: HeldMotion::Stick }
    }

    /// Its rows among those of the constraint.
    pub fn rows(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// True when it can hold at all.
    pub(crate) fn is_rough(&self) -> bool {
        self.hold > 0.0 || self.bound > 0.0
    }

    /// True when it holds: its accelerations are zero.
    pub fn sticks(&self) -> bool {
        self.is_rough() && self.motion == HeldMotion::Stick
    }

    /// The direction of slip; zero where it sticks or is smooth.
    pub fn direction(&self) -> [f64; 3] {
        match self.motion {
            HeldMotion::Stick => [0.0; 3],
            HeldMotion::Slip(d) => d,
        }
    }

    /// Its limit at a normal force.
    pub fn limit(&self, normal: f64) -> f64 {
        self.friction * normal + self.bound
    }

    /// The size of its part of a list with the constraint's rows.
    pub fn size_of(&self, values: &[f64]) -> f64 {
        values[self.rows()].iter().fold(0.0, |s: f64, x| s.hypot(*x))
    }

    /// Its part along the direction of slip.
    pub fn along(&self, values: &[f64]) -> f64 {
        values[self.rows()].iter().zip(self.direction()).map(|(v, d)| v * d).sum()
    }

    /// Lets it stick, or slip with these velocities of the constraint's rows. Slip past its end counts as negative
    /// speed, so that a flow stays smooth there.
    pub fn set(&mut self, law: &Law, motion: HeldMotion, velocity: &[f64]) {
        self.motion = motion;
        if let (true, Law::Contact { surface, .. }) = (self.is_viscous(law), law) {
            let speed = self.size_of(velocity);
            self.friction = surface.slope * speed;
            self.motion = if speed > 0.0 {
                HeldMotion::Slip(direction(&velocity[self.rows()]))
            } else {
                HeldMotion::Stick
            };
            return;
        }
        self.friction = match (motion, law) {
            (HeldMotion::Slip(_), Law::Contact { surface, .. }) if self.slot == SLIDING => {
                slipping(surface, self.along(velocity) * self.stretch(surface))
            }
            _ => self.hold,
        };
    }

    /// The true slip speed over that of scaled rows, in the direction of slip.
    fn stretch(&self, surface: &SurfaceLaw) -> f64 {
        if surface.ellipse.is_none() {
            return 1.0;
        }
        let ([x, y], [d1, d2, d3]) = (stretch(surface), self.direction());
        (d1 * x).hypot(d2 * y).hypot(d3)
    }

    /// True when friction grows with the speed from nothing.
    fn is_viscous(&self, law: &Law) -> bool {
        let Law::Contact { surface, .. } = law else { return false };
        self.slot == SLIDING && self.hold == 0.0 && surface.slope > 0.0
    }

    /// The coefficient with which a block at rest begins to slip.
    pub fn beginning(&self, law: &Law) -> f64 {
        match law {
            Law::Contact { surface, .. } if self.slot == SLIDING => slipping(surface, 0.0),
            _ => self.hold,
        }
    }
}

/// The coefficient of slipping of scaled rows at a true speed.
fn slipping(surface: &SurfaceLaw, speed: f64) -> f64 {
    coefficient(surface, surface.slipping(speed))
}

/// The blocks of a law, all of them sticking.
pub(crate) fn blocks(law: &Law, cone: Cone) -> Blocks {
    let mut out = [None; BLOCKS];
    match law {
        Law::Contact { tangents, surface } => {
            let with_spin = spins_with_sliding(surface, *tangents, cone);
            let count = tangents + usize::from(with_spin);
            let mut first = 1 + count;
            out[SLIDING] = Some(Block::new(SLIDING, 1, count, largest(surface)));
            if surface.has_spin(*tangents) && !with_spin {
                out[1] = Some(Block::new(1, first, 1, 1.0));
                first += 1;
            }
            if surface.rolling > 0.0 {
                out[2] = Some(Block::new(2, first, *tangents, 1.0));
            }
        }
        Law::Dry { bound } => out[SLIDING] = Some(Block { bound: *bound, ..Block::new(SLIDING, 0, 1, 0.0) }),
        Law::DryDisc { bound } => {
            out[SLIDING] = Some(Block { bound: *bound, ..Block::new(SLIDING, 0, 2, 0.0) })
        }
        Law::Bilateral { .. } | Law::Limit | Law::Servo { .. } => {}
    }
    out
}

/// Turns and scales the contacts' rows and drifts of a snapshot, so that limit sets are round.
pub(crate) fn scale_rows(look: &mut Snapshot, cone: Cone) {
    for c in &mut look.constraints {
        let Some(scaling) = Scaling::of(&c.law, cone) else { continue };
        let rows = c.law.rows();
        scaling.rows(&mut c.drift[..rows], 1);
        for part in &look.jacobian.parts[c.first_part..c.end_part] {
            let (from, n) = (part.at, rows * part.width);
            scaling.rows(&mut look.jacobian.values[from..from + n], part.width);
        }
    }
}

/// Velocities of a constraint's rows, scaled in the same way.
pub(crate) fn scaled(law: &Law, cone: Cone, mut velocity: [f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    if let Some(scaling) = Scaling::of(law, cone) {
        scaling.rows(&mut velocity[..law.rows()], 1);
    }
    velocity
}

/// The unit vector along up to three components.
pub(crate) fn direction(v: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    if let [x] = v {
        out[0] = x.signum();
        return out;
    }
    let norm = v.iter().fold(0.0, |s: f64, x| s.hypot(*x));
    out.iter_mut().zip(v).for_each(|(o, x)| *o = x / norm);
    out
}
