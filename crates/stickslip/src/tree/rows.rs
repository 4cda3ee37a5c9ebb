//! The constraints of mechanisms in joint coordinates.
//!
//! Contacts, supports and the joints that close loops have rows w of their bodies' velocities, which a world finds;
//! along a mechanism they are `J^T w`, with entries on the ways from the bodies to the root. What limits, rubs in and
//! moves a joint that is a coordinate has one entry.

use super::Tree;
use super::forest::Single;
use super::kinematics::Kinematics;
use super::memory::Memory;
use crate::body::Space;
use crate::joint::{Goal, Kind};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};
use crate::world::joints::{FRICTION, GREATEST, LEAST, MOTOR};
use complementarity::problem::law::MAX_ROWS;
use complementarity::problem::operator::{Jacobian, Part};
use nalgebra::Vector3;
use std::ops::Range;

/// The part of what an entry is the sum of that is its rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Where the values of the part of that range begin, among the parts from `first` on; zeros where there was none.
pub(super) fn part(out: &mut Jacobian, first: usize, range: &Range<usize>, rows: usize) -> usize {
    if let Some(part) = out.parts[first..].iter().find(|p| p.start == range.start) {
        return part.at;
    }
    let at = out.values.len();
    out.values.resize(at + rows * range.len(), 0.0);
    out.parts.push(Part { start: range.start, width: range.len(), at });
    at
}

impl<S: Space> Tree<S> {
    /// Appends rows of bodies' velocities. Returns their parts. What two bodies of a mechanism share does not move them
    /// against each other: entries that are rounding of what they are sums of are zero.
    pub(super) fn push_rows(
        &self,
        (from, parts): (&Jacobian, Range<usize>),
        rows: usize,
        (kinematics, sizes): (&Kinematics, &mut Vec<f64>),
        out: &mut Jacobian,
    ) -> Range<usize> {
        let (first, values, several) = (out.parts.len(), out.values.len(), parts.len() > 1);
        sizes.clear();
        for from_part in &from.parts[parts] {
            let node = self.forest.of_slot[from_part.start / S::FREEDOMS];
            let range = &self.forest.mechanisms[self.forest.nodes[node].mechanism].u;
            let to = part(out, first, range, rows);
            sizes.resize(out.values.len() - values, 0.0);
            for r in 0..rows {
                let row = &from.values[from_part.at + r * S::FREEDOMS..from_part.at + (r + 1) * S::FREEDOMS];
                let own = to + r * range.len()..to + (r + 1) * range.len();
                let (own, sizes) =
                    (&mut out.values[own.clone()], &mut sizes[own.start - values..own.end - values]);
                self.row_along((node, row), kinematics, |k, [value, size]| {
                    own[k - range.start] += value;
                    sizes[k - range.start] += size;
                });
            }
        }
        if several {
            for (value, size) in out.values[values..].iter_mut().zip(&*sizes) {
                if value.abs() <= ROUNDING * size {
                    *value = 0.0;
                }
            }
        }
        first..out.parts.len()
    }

    /// Appends the constraints that a world has found.
    pub(super) fn push_found(&self, memory: &mut Memory, out: &mut Snapshot) {
        let Memory { inner, kinematics, sizes, .. } = memory;
        for c in &inner.constraints {
            let rows = (&inner.jacobian, c.first_part..c.end_part);
            let parts = self.push_rows(rows, c.law.rows(), (kinematics, sizes), &mut out.jacobian);
            out.constraints.push(Constraint { first_part: parts.start, end_part: parts.end, ..*c });
        }
    }

    /// Appends joints and supports behind the contacts; with `all` false only what is kept at zero. Returns the worst
    /// relative error.
    pub(super) fn add_joints(&self, at: &State, all: bool, memory: &mut Memory, out: &mut Snapshot) -> f64 {
        let (world, mut worst) = (&self.world, 0.0f64);
        for index in 0..world.joints().len() {
            if self.forest.held[index] {
                if let Some(single) = self.forest.single[index].filter(|_| all) {
                    self.add_free(index, single, at, out);
                }
                continue;
            }
            clear(&mut memory.inner);
            worst = worst.max(world.add_joint_rows(index, &memory.bodies, all, &mut memory.inner));
            self.push_found(memory, out);
        }
        for (index, coupling) in world.couplings().iter().enumerate() {
            let [first, second] = coupling.joints.map(|joint| self.forest.single[joint]);
            if let (Some(first), Some(second)) = (first, second) {
                let x = [first, second].map(|single| at.q[single.q]);
                let gap = x[0] - coupling.ratio * x[1] - coupling.offset;
                let [a, b] = coupling.joints.map(|joint| self.size_of(joint));
                let size =
                    x[0].abs().max(a) + coupling.ratio.abs() * x[1].abs().max(b) + coupling.offset.abs();
                worst = worst.max(if gap == 0.0 { 0.0 } else { gap.abs() / size });
                let id = world.bodies().len() + world.joints().len() + index;
                let law = (Law::Bilateral { rows: 1 }, gap);
                self.push_own((id, 0), law, &[(first.u, 1.0), (second.u, -coupling.ratio)], out);
            } else {
                clear(&mut memory.inner);
                worst = worst.max(world.add_coupling_rows(index, &memory.bodies, &mut memory.inner));
                self.push_found(memory, out);
            }
        }
        if all && !world.supports().is_empty() {
            clear(&mut memory.inner);
            world.add_supports(&memory.bodies, &mut memory.inner);
            self.push_found(memory, out);
        }
        worst
    }

    /// The size of the numbers that a joint's position is rounded as, at least: 1 rad, or the size of its links, m.
    pub(super) fn size_of(&self, joint: usize) -> f64 {
        match self.world.joints()[joint].kind {
            Kind::Prismatic => self.forest.single[joint].map_or(0.0, |single| {
                let node = &self.forest.nodes[single.node];
                node.place.p.norm() + node.inner.p.norm()
            }),
            _ => 1.0,
        }
    }

    /// Limits, dry friction and motor of a joint that is a coordinate.
    fn add_free(&self, index: usize, single: Single, at: &State, out: &mut Snapshot) {
        let joint = &self.world.joints()[index];
        let (x, id) = (at.q[single.q], self.world.bodies().len() + index);
        if let Some([low, high]) = joint.limits {
            self.push_own((id, LEAST), (Law::Limit, x - low), &[(single.u, 1.0)], out);
            self.push_own((id, GREATEST), (Law::Limit, high - x), &[(single.u, -1.0)], out);
        }
        if joint.friction > 0.0 {
            self.push_own((id, FRICTION), (Law::Dry { bound: joint.friction }, x), &[(single.u, 1.0)], out);
        }
        if let Some(motor) = &joint.motor {
            let (law, speed) = match &motor.goal {
                Goal::Speed(speed) => ((Law::Dry { bound: motor.bound }, x), speed.value_on(at.instant())),
                Goal::Position(target) => (
                    (Law::Servo { bound: motor.bound, gains: None }, x - target.value_on(at.instant())),
                    target.rate_on(at.instant()),
                ),
            };
            self.push_own((id, MOTOR), law, &[(single.u, 1.0)], out);
            if let Some(c) = out.constraints.last_mut() {
                c.drift[0] -= speed;
            }
        }
        if self.has_bounded_controllers {
            for (which, controller) in self.world.bounded_controllers(index) {
                let (goal, speed) = controller.goal(at.t);
                let Some(law) = controller.law(at.t) else { continue };
                self.push_own((id, which), (law, x - goal), &[(single.u, 1.0)], out);
                if let Some(c) = out.constraints.last_mut() {
                    c.drift[0] -= speed;
                }
            }
        }
    }

    /// Appends a constraint of one row with these entries.
    fn push_own(
        &self,
        (a, b): (usize, u32),
        (law, value): (Law, f64),
        entries: &[(usize, f64)],
        out: &mut Snapshot,
    ) {
        let parts = self.push_entries(entries, &mut out.jacobian);
        let mut gap = [0.0; MAX_ROWS];
        gap[0] = value;
        out.constraints.push(Constraint {
            bend: 0.0,
            id: ConstraintId { a: a as u32, b, feature: 0 },
            law,
            gap,
            drift: [0.0; MAX_ROWS],
            first_part: parts.start,
            end_part: parts.end,
            point: Vector3::zeros(),
            normal: Vector3::zeros(),
        });
    }
}

/// Forgets constraints.
pub(super) fn clear(inner: &mut Snapshot) {
    inner.constraints.clear();
    inner.jacobian.clear();
}
