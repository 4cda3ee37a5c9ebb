//! How the forces of a world answer motion: the rows, stiffnesses and dampings of those that are taken implicitly
//! (`stepper/assemble/soft.rs`).
//!
//! ```text
//! spring       along n: k, c_along;   across: (pull / l), c_across                         (1)
//! controller   in the joint's free direction: stiffness, damping
//! viscous      in the joint's free direction: damping
//! drag         every coordinate: linear, angular
//! ```
//!
//! Across, a spring that pulls turns its force with its line; one that pushes would have a negative stiffness there,
//! which is left explicit.

use super::World;
use crate::body::Space;
use crate::body::spatial::tangents;
use crate::force::{Force, Spring, Target};
use crate::joint::Side;
use crate::state::State;
use crate::system::{Snapshot, Stiff};
use nalgebra::Vector3;

/// A force and a torque.
type Wrench = (Vector3<f64>, Vector3<f64>);

impl<S: Space> World<S> {
    pub(super) fn add_stiffness(&self, at: &State, out: &mut Snapshot) {
        out.stiff.clear();
        out.stiff_rows.clear();
        self.forces.iter().for_each(|force| self.add_stiff_force(force, at, out));
        (0..self.joints.len()).for_each(|index| self.add_stiff_viscous(index, at, out));
    }

    /// How one force answers motion.
    pub(crate) fn add_stiff_force(&self, force: &Force, at: &State, out: &mut Snapshot) {
        match force {
            Force::Spring(spring) => self.stiff_spring(spring, at, out),
            Force::Controller(c) if c.bound.is_some() => {} // a constraint
            Force::Controller(c) => {
                let joint = &self.joints[c.joint];
                let Some(row) = self.free_row(c.joint, &self.placed(joint, at), at) else { return };
                let drift = match &c.target {
                    Target::Rest(_) => 0.0,
                    Target::Follow(f) => -f.rate(at.t),
                };
                let stiff = Stiff { conservative: c.rests(), drift, ..stiff(c.stiffness, c.damping) };
                self.push_stiff(at, [&joint.a, &joint.b], &row.wrench, stiff, out);
            }
            Force::Drag(drag) => {
                let Some(slot) = self.slot[drag.body] else { return };
                for i in 0..S::FREEDOMS {
                    let turns = i >= S::CONTACT_ROWS;
                    let damping = if turns { drag.angular } else { drag.linear };
                    if damping <= 0.0 {
                        continue;
                    }
                    let first_part = out.stiff_rows.parts.len();
                    out.rows.clear();
                    out.rows.resize(S::FREEDOMS, 0.0);
                    out.rows[i] = 1.0;
                    out.stiff_rows.push(slot * S::FREEDOMS, S::FREEDOMS, &out.rows);
                    out.stiff.push(Stiff { first_part, end_part: first_part + 1, ..stiff(0.0, damping) });
                }
            }
            Force::Wrench(_) | Force::Custom(_) => {}
        }
    }

    /// How the viscous friction of a joint answers motion.
    pub(crate) fn add_stiff_viscous(&self, index: usize, at: &State, out: &mut Snapshot) {
        let joint = &self.joints[index];
        let Some(free) = joint.kind.free(S::CONTACT_ROWS).filter(|_| joint.viscous > 0.0) else { return };
        let row = self.placed(joint, at).row(free);
        self.push_stiff(at, [&joint.a, &joint.b], &row.wrench, stiff(0.0, joint.viscous), out);
    }

    /// Eq. (1).
    fn stiff_spring(&self, spring: &Spring, at: &State, out: &mut Snapshot) {
        let ends = [&spring.a, &spring.b];
        let moving = ends.map(|side| self.moving(side.body, at));
        let points = [moving[0].point(&spring.a.p).0, moving[1].point(&spring.b.p).0];
        let between: Vector3<f64> = points[1] - points[0];
        let length = between.norm();
        if length.is_nan() || length <= 0.0 {
            return;
        }
        let n = between / length;
        let pull = (spring.stiffness * (length - spring.rest) / length).max(0.0);
        let across =
            if S::CONTACT_ROWS == 2 { [Vector3::z().cross(&n), Vector3::zeros()] } else { tangents(&n) };
        let wrenches = |d: &Vector3<f64>| {
            [0, 1].map(|k| {
                let d = if k == 0 { -d } else { *d };
                (d, (points[k] - moving[k].p).cross(&d))
            })
        };
        let own = !ends.iter().filter_map(|side| side.body).any(|i| self.is_driven(i));
        let along = Stiff { conservative: own, ..stiff(spring.stiffness, spring.along) };
        self.push_stiff(at, ends, &wrenches(&n), along, out);
        for d in &across[..S::CONTACT_ROWS - 1] {
            let turning = Stiff { conservative: own, ..stiff(pull, spring.across) };
            self.push_stiff(at, ends, &wrenches(d), turning, out);
        }
    }

    /// Appends what acts on two sides by these wrenches. A driven side drifts, and the energy is the drive's, too.
    fn push_stiff(
        &self,
        at: &State,
        sides: [&Side; 2],
        wrenches: &[Wrench; 2],
        mut stiff: Stiff,
        out: &mut Snapshot,
    ) {
        if stiff.stiffness <= 0.0 && stiff.damping <= 0.0 {
            return;
        }
        stiff.first_part = out.stiff_rows.parts.len();
        for (side, (linear, angular)) in sides.into_iter().zip(wrenches) {
            let Some(body) = side.body else { continue };
            if let Some(slot) = self.slot[body] {
                out.rows.clear();
                S::push_row(linear, angular, &mut out.rows);
                out.stiff_rows.push(slot * S::FREEDOMS, S::FREEDOMS, &out.rows);
            } else if self.is_driven(body) {
                let moving = self.moving(Some(body), at);
                stiff.drift += linear.dot(&moving.v) + angular.dot(&moving.omega);
                stiff.conservative = false;
            }
        }
        stiff.end_part = out.stiff_rows.parts.len();
        out.stiff.push(stiff);
    }
}

/// A stiffness and a damping without a row.
pub(crate) fn stiff(stiffness: f64, damping: f64) -> Stiff {
    Stiff { first_part: 0, end_part: 0, stiffness, damping, drift: 0.0, conservative: false }
}
