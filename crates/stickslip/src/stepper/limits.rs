//! Limits of joints that are too far off to be reached have no part in a step.
//!
//! A limit with the gap g and the row w is left out where
//!
//! ```text
//! g > FAR dt max(|w · u|, |w · u_free|)                                                               (1)
//! ```
//!
//! with the velocities at the start and without impulses. Contacts and motors can make joints faster than that: where a
//! limit that was left out is passed at the end, the step is solved again with all of them, so that (1) saves work and
//! decides nothing.

use super::assemble::frozen::Frozen;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};

/// How many times as far as it would move a joint is looked at.
const FAR: f64 = 4.0;

/// The limits that a step leaves out.
#[derive(Default)]
pub(super) struct Limits {
    far: Vec<ConstraintId>,
    /// The largest speed towards or from them, with which residuals are compared all the same.
    pub speed: f64,
}

impl Limits {
    /// Begins a step from the velocity u.
    pub fn begin(&mut self, frozen: &Frozen, u: &[f64], dt: f64) {
        self.clear();
        for c in frozen.at.constraints.iter().filter(|c| c.law == Law::Limit) {
            let rate = |u: &[f64]| {
                let mut rate = [c.drift[0]];
                frozen.at.jacobian.add_velocity(c.first_part..c.end_part, u, &mut rate);
                rate[0].abs()
            };
            let (before, free) = (rate(u), rate(&frozen.free));
            if c.gap[0] > FAR * dt * before.max(free) {
                self.far.push(c.id);
                self.speed = self.speed.max(free);
            }
        }
    }

    /// Leaves none out.
    pub fn clear(&mut self) {
        self.far.clear();
        self.speed = 0.0;
    }

    /// True for a constraint that takes part; they are ordered by id.
    pub fn takes_part(&self, c: &Constraint) -> bool {
        c.law != Law::Limit || self.far.binary_search(&c.id).is_err()
    }

    /// Where one that was left out is passed at the end, none is left out any more, and the step is to be solved again.
    pub fn give_way(&mut self, end: &Snapshot) -> bool {
        let left_out = |c: &&Constraint| !self.takes_part(c);
        let passed = !self.far.is_empty() && end.constraints.iter().filter(left_out).any(|c| c.gap[0] < 0.0);
        if passed {
            self.clear();
        }
        passed
    }
}
