//! Bodies that turn within a step: the gyroscopic forces that keep their energy and angular momentum.
//!
//! Frozen at one state of a step, `−omega x J omega` makes energy, the more the farther a body turns within the step.
//! What a step of length dt is given instead leads to where the body is by itself, under the other torques of the step,
//! at its end (`body/free_rotation.rs`): with the spin omega' and the orientation R' there,
//!
//! ```text
//! g = J(at) (omega' − omega) / dt − torque                                             (1)
//! R' = exp(s (omega' + lead)) exp((dt − s) omega) R                  without torque     (2)
//! ```
//!
//! where the coordinates of the step move at the velocity of the start and then, for a time s, at that of the end and
//! the lead. Torques and impulses of constraints change omega' and move the body by that, as they do all else. Bodies
//! whose inertia is the same about all axes, and those of the plane, are left as they are; so are those that hardly turn
//! within the step, where (1) and (2) would be rounding.

use super::{Motion, World};
use crate::body::Space;
use crate::system::{Snapshot, Turn};
use nalgebra::Vector3;
use std::ops::Range;

/// A body that turns by less than this in a step, rad, has the gyroscopic force of its state.
const LITTLE: f64 = 1e-8;

impl<S: Space> World<S> {
    /// Eq. (1) and (2) for every body.
    pub(super) fn turn_bodies(&self, turn: &Turn, out: &mut Snapshot) {
        let again = !out.gyroscopic.is_empty();
        for i in 0..self.bodies.len() {
            let Some(slot) = self.slot[i] else { continue };
            let poses = [turn.from, turn.at].map(|state| self.pose(i, state));
            let range = (slot + 1) * S::FREEDOMS - 3..(slot + 1) * S::FREEDOMS;
            self.turn_body(i, (&poses, range, again), turn, out);
        }
    }

    /// Eq. (1) and (2) for one body, whose spin is at this place among the velocities; `again` where that was done
    /// before at the same look.
    pub(crate) fn turn_body(
        &self,
        body: usize,
        ([start, at], range, again): (&[S::Pose; 2], Range<usize>, bool),
        turn: &Turn,
        out: &mut Snapshot,
    ) {
        let Motion::Dynamic { inertia, .. } = &self.bodies[body].motion else { return };
        if !S::turns(inertia) {
            return;
        }
        out.lead.resize(out.force.len(), 0.0);
        out.gyroscopic.resize(out.force.len(), 0.0);
        let part = |v: &[f64]| Vector3::from_column_slice(&v[range.clone()]);
        let present =
            if again { part(&out.gyroscopic) } else { S::gyroscopic(inertia, at, &part(&turn.at.u)) };
        let others = part(&out.force) - present;
        let torque = others + part(&out.applied) + turn.reaction.map_or(Vector3::zeros(), part);
        let omega = part(&turn.from.u);
        if omega.norm() * turn.times[0] < LITTLE {
            return;
        }
        let Some((end, lead)) = S::turn(inertia, start, (&omega, &torque), turn.times) else { return };
        let g = S::angular_momentum(inertia, at, &(end - omega)) / turn.times[0] - torque; // eq. (1)
        out.force[range.clone()].copy_from_slice((others + g).as_slice());
        out.gyroscopic[range.clone()].copy_from_slice(g.as_slice());
        out.lead[range].copy_from_slice(lead.as_slice()); // eq. (2)
    }
}
