//! How fast contacts open at a velocity, whether they take part in a step's problem or not.

use super::Assembly;
use crate::system::{Constraint, Law, Snapshot};

impl Assembly {
    /// The normal velocity of a contact of a snapshot at a velocity, less what associated friction asks of it.
    pub(in crate::stepper) fn opening(&self, at: &Snapshot, c: &Constraint, u: &[f64]) -> f64 {
        let mut normal = [c.drift[0]];
        at.jacobian.add_velocity(c.first_part..c.end_part, u, &mut normal);
        normal[0] - self.height(at, c, u)
    }

    /// How fast a contact has to open because it slips: `mu |slip|` where friction is associated (`convex.rs`), else zero.
    pub(in crate::stepper) fn height(&self, at: &Snapshot, c: &Constraint, u: &[f64]) -> f64 {
        let Law::Contact { tangents, surface } = c.law else { return 0.0 };
        if !self.associated {
            return 0.0;
        }
        let mut rows = c.drift;
        at.jacobian.add_velocity(c.first_part..c.end_part, u, &mut rows[..=tangents]);
        surface.friction * rows[1..=tangents].iter().fold(0.0, |m: f64, v| m.hypot(*v))
    }
}
