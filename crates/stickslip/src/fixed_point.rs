//! A step that changes nothing is the next step, too.
//!
//! A step is a function of what it begins with: state and forces x, the accounts of the run, and its length. Where
//! nothing depends on the time,
//!
//! ```text
//! f(x) = x  =>  f(f(x)) = x                                                              (1)
//! ```
//!
//! to the last bit, so that what rests, exactly and with the same forces, need not be solved, looked at and judged
//! again: the last step, dated anew, is the next one. That (1) holds is seen from two steps in turn that left the state
//! as it was, the second the forces, too: the first may have begun with others.

use crate::state::State;
use crate::step::Warm;

/// Whether the last step changed anything.
#[derive(Default)]
pub(crate) struct FixedPoint {
    /// Length of the last step, if it left the state as it was, s.
    dt: Option<f64>,
    /// The forces after it.
    forces: Warm,
    /// Whether eq. (1) holds for a step of this length.
    holds: bool,
}

impl FixedPoint {
    /// True when the last step is the next one, too.
    pub fn holds(&self, dt: f64) -> bool {
        self.holds && self.dt == Some(dt)
    }

    /// Takes note of a step of length `dt`: whether it left all but the forces as they were, and the forces after it.
    pub fn take(&mut self, changed: bool, dt: f64, forces: &Warm) {
        if changed {
            (self.dt, self.holds) = (None, false);
        } else if self.dt == Some(dt) && self.is_same(forces) {
            self.holds = true;
        } else {
            (self.dt, self.holds) = (Some(dt), false);
            self.forces.copy_from(forces);
        }
    }

    fn is_same(&self, forces: &Warm) -> bool {
        let bits = self.forces.forces.iter().flatten().zip(forces.forces.iter().flatten());
        self.forces == *forces && bits.into_iter().all(|(a, b)| a.to_bits() == b.to_bits())
    }

    /// Forgets: something else has changed.
    pub fn forget(&mut self) {
        (self.dt, self.holds) = (None, false);
    }
}

/// True for two states that are the same but for their time.
pub(crate) fn is_same_place(a: &State, b: &State) -> bool {
    let State { t: _, q, u, positions, layers, branch } = a;
    same(q, &b.q)
        && same(u, &b.u)
        && same(positions, &b.positions)
        && *layers == b.layers
        && *branch == b.branch
}

/// True for numbers that are the same to the last bit: zeros have signs.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
