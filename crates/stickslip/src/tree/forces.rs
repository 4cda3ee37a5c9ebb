//! Mass and forces of mechanisms in joint coordinates.
//!
//! With the bodies' Jacobians J, which kinematics knows as axes, their masses M_b and what acts on them f_b,
//!
//! ```text
//! M = sum J^T M_b J,   h = sum J^T (f_b − M_b dJ/dt u − gyroscopic)                     (1)
//! ```
//!
//! h is computed from the tips to the root, as in the recursive Newton–Euler method [Featherstone 2008, ch. 5]: what acts
//! on all bodies behind a joint, about o, times the axis of the joint. Springs and viscous friction of a joint that is a
//! coordinate act on that.

use super::Tree;
use super::memory::Memory;
use super::place::Spatial;
use crate::body::Space;
use crate::force::{Controller, Force, Target};
use crate::state::State;
use crate::system::{Snapshot, Stiff};
use crate::world::Motion as BodyMotion;
use crate::world::stiffness::stiff;
use nalgebra::Vector3;
use std::ops::Range;

impl<S: Space> Tree<S> {
    pub(super) fn fill_dynamics(&self, at: &State, out: &mut Snapshot) {
        for list in [&mut out.force, &mut out.applied, &mut out.load, &mut out.scratch] {
            list.clear();
            list.resize(at.u.len(), 0.0);
        }
        out.mass.clear();
        out.inverse_mass.clear();
        out.potential = 0.0;
        out.gyroscopic.clear();
        out.lead.clear();
        self.at(at, |memory| {
            memory.inverses(&self.forest);
            memory.forces.clear();
            memory.forces.resize(self.forest.nodes.len(), Spatial::ZERO);
            for index in 0..self.forest.mechanisms.len() {
                if self.forest.mechanisms[index].alone {
                    self.alone(index, memory, out);
                } else {
                    let mass = &memory.inverses(&self.forest)[index];
                    let n = self.forest.mechanisms[index].u.len();
                    out.mass.push(n, &mass.matrix);
                    out.inverse_mass.push(n, &mass.inverse);
                    self.inertial(index, memory, out);
                }
            }
            self.add_joint_forces(at, out);
            if self.has_body_forces {
                self.add_body_forces(memory, out);
            }
        });
    }

    /// A free body, as in a world.
    fn alone(&self, index: usize, memory: &Memory, out: &mut Snapshot) {
        let (forest, world) = (&self.forest, &self.world);
        let mechanism = &forest.mechanisms[index];
        let Some(link) = forest.nodes[mechanism.nodes.start].link else { return };
        let BodyMotion::Dynamic { mass, inertia, .. } = &world.bodies()[forest.bodies[link.slot]].motion
        else {
            return;
        };
        let pose = world.pose(forest.bodies[link.slot], &memory.bodies);
        S::push_mass(*mass, inertia, &pose, out);
        let range = mechanism.u.clone();
        let u = &memory.bodies.u[link.slot * S::FREEDOMS..(link.slot + 1) * S::FREEDOMS];
        let force = &mut out.force[range.clone()];
        out.potential += S::force(*mass, inertia, &world.gravity(), (&pose, u), force);
        out.load[range.clone()].iter_mut().zip(&out.force[range]).for_each(|(l, f)| *l += f.abs());
    }

    /// Gravity, and what inertia does at the velocities that there are. The latter stays in `scratch`.
    fn inertial(&self, index: usize, memory: &mut Memory, out: &mut Snapshot) {
        let forest = &self.forest;
        let mechanism = &forest.mechanisms[index];
        let gravity = Vector3::from(self.world.gravity());
        let Memory { kinematics, forces, .. } = memory;
        for node in mechanism.nodes.clone() {
            let Some(link) = &forest.nodes[node].link else { continue };
            let arm = kinematics.arm(forest, node);
            let weight = gravity * link.mass;
            out.potential -= weight.dot(&kinematics.frames[node].p);
            let pull = Spatial::force((&weight, &Vector3::zeros()), &arm);
            self.along(node, &kinematics.axes, &pull, |k, [value, _]| {
                out.force[k] += value;
                out.load[k] += value.abs();
            });
            let (a, alpha) = kinematics.bias(forest, node);
            let r = kinematics.frames[node].axes();
            let omega = kinematics.velocity[node].angular;
            let turned = |x: &Vector3<f64>| r * (link.inertia * r.tr_mul(x));
            let torque = -turned(&alpha) - omega.cross(&turned(&omega));
            forces[node].add(&Spatial::force((&(a * -link.mass), &torque), &arm), 1.0);
        }
        for node in mechanism.nodes.clone().rev() {
            let own = forces[node];
            if let Some(parent) = forest.nodes[node].parent {
                forces[parent].add(&own, 1.0);
            }
            let u = forest.nodes[node].u;
            for k in u..u + forest.nodes[node].widths::<S>().1 {
                let value = kinematics.axes[k].dot(&own);
                out.force[k] += value;
                out.load[k] += value.abs();
                out.scratch[k] = value;
            }
        }
    }

    /// Shows what a force at a node does along each velocity on its way to the root, and the size of what that is a sum
    /// of.
    #[inline]
    pub(super) fn along(
        &self,
        node: usize,
        axes: &[Spatial],
        f: &Spatial,
        mut show: impl FnMut(usize, [f64; 2]),
    ) {
        let mut next = self.forest.nodes[node].last;
        while let Some(k) = next {
            let (push, turn) = (axes[k].linear.dot(&f.linear), axes[k].angular.dot(&f.angular));
            show(k, [push + turn, push.abs() + turn.abs()]);
            next = self.forest.before[k];
        }
    }

    /// The joint of a controller, if it is a coordinate.
    fn on_coordinate(&self, controller: &Controller) -> Option<super::forest::Single> {
        self.forest.single[controller.joint]
    }

    /// Controllers and viscous friction on coordinates.
    fn add_joint_forces(&self, at: &State, out: &mut Snapshot) {
        for force in self.world.forces() {
            let Force::Controller(controller) = force else { continue };
            let Some(single) = self.on_coordinate(controller).filter(|_| controller.bound.is_none()) else {
                continue;
            };
            let (elastic, damping, energy) =
                controller.evaluate(at.instant().inside().0, at.q[single.q], at.u[single.u]);
            if controller.rests() {
                out.force[single.u] += elastic;
                out.potential += energy;
            } else {
                out.applied[single.u] += elastic;
            }
            out.applied[single.u] += damping + controller.ahead(at.instant().inside().0);
            out.load[single.u] += elastic.abs() + damping.abs();
        }
        for (joint, single) in self.world.joints().iter().zip(&self.forest.single) {
            if let Some(single) = single
                && joint.viscous > 0.0
            {
                let force = -joint.viscous * at.u[single.u];
                out.applied[single.u] += force;
                out.load[single.u] += force.abs();
            }
        }
    }

    /// True for a force that a world has to evaluate, in body coordinates.
    pub(super) fn is_on_bodies(&self, force: &Force) -> bool {
        !matches!(force, Force::Controller(c) if self.on_coordinate(c).is_some() || c.bound.is_some())
    }

    /// The viscous joints that are no coordinates.
    fn viscous_loops(&self) -> impl Iterator<Item = usize> + '_ {
        let joints = self.world.joints().iter().zip(&self.forest.single).enumerate();
        joints.filter(|(_, (joint, single))| joint.viscous > 0.0 && single.is_none()).map(|(index, _)| index)
    }

    /// True when there are forces that a world has to evaluate.
    pub(super) fn needs_bodies(&self) -> bool {
        self.world.forces().iter().any(|force| self.is_on_bodies(force))
            || self.viscous_loops().next().is_some()
    }

    /// Forces on bodies, one entry per velocity of each, and their potential energy.
    pub(super) fn evaluate_body_forces(&self, bodies: &State, inner: &mut Snapshot) {
        for list in [&mut inner.force, &mut inner.applied, &mut inner.load] {
            list.clear();
            list.resize(bodies.u.len(), 0.0);
        }
        inner.potential = 0.0;
        for force in self.world.forces().iter().filter(|force| self.is_on_bodies(force)) {
            self.world.add_one_force(force, bodies, inner);
        }
        self.viscous_loops().for_each(|index| self.world.add_viscous_of(index, bodies, inner));
    }

    /// Eq. (1) for forces on bodies.
    fn add_body_forces(&self, memory: &mut Memory, out: &mut Snapshot) {
        let Memory { kinematics, bodies, inner, .. } = memory;
        self.evaluate_body_forces(bodies, inner);
        out.potential += inner.potential;
        for (slot, &node) in self.forest.of_slot.iter().enumerate() {
            let range = slot * S::FREEDOMS..(slot + 1) * S::FREEDOMS;
            if inner.load[range.clone()].iter().all(|x| *x == 0.0)
                && inner.applied[range.clone()].iter().all(|x| *x == 0.0)
            {
                continue;
            }
            for (from, applied) in [(&inner.force, false), (&inner.applied, true)] {
                let row = &from[range.clone()];
                self.row_along((node, row), kinematics, |k, [value, _]| {
                    let to = if applied { &mut out.applied } else { &mut out.force };
                    to[k] += value;
                    out.load[k] += value.abs();
                });
            }
        }
    }

    /// Shows the entries that a row of a body's velocities has in those of its mechanism.
    #[inline]
    pub(super) fn row_along(
        &self,
        (node, row): (usize, &[f64]),
        kinematics: &super::kinematics::Kinematics,
        mut show: impl FnMut(usize, [f64; 2]),
    ) {
        let forest = &self.forest;
        let mechanism = &forest.mechanisms[forest.nodes[node].mechanism];
        if mechanism.alone {
            row.iter().zip(mechanism.u.clone()).for_each(|(value, k)| show(k, [*value, value.abs()]));
            return;
        }
        let (linear, angular) = S::twist(row);
        let f = Spatial::force((&linear, &angular), &kinematics.arm(forest, node));
        self.along(node, &kinematics.axes, &f, show);
    }

    /// How forces answer motion.
    pub(super) fn fill_stiffness(&self, at: &State, out: &mut Snapshot) {
        out.stiff.clear();
        out.stiff_rows.clear();
        for force in self.world.forces() {
            let Force::Controller(c) = force else { continue };
            let Some(single) = self.on_coordinate(c).filter(|_| c.bound.is_none()) else { continue };
            let drift = match &c.target {
                Target::Rest(_) => 0.0,
                Target::Follow(f) => -f.rate(at.t),
            };
            let stiff = Stiff { conservative: c.rests(), drift, ..stiff(c.stiffness, c.damping) };
            self.push_stiff(single.u, stiff, out);
        }
        for (joint, single) in self.world.joints().iter().zip(&self.forest.single) {
            if let Some(single) = single {
                self.push_stiff(single.u, stiff(0.0, joint.viscous), out);
            }
        }
        if self.has_body_forces {
            self.at(at, |memory| {
                let Memory { bodies, inner, kinematics, sizes, .. } = memory;
                inner.stiff.clear();
                inner.stiff_rows.clear();
                for force in self.world.forces().iter().filter(|force| self.is_on_bodies(force)) {
                    self.world.add_stiff_force(force, bodies, inner);
                }
                self.viscous_loops().for_each(|i| self.world.add_stiff_viscous(i, bodies, inner));
                for stiff in &inner.stiff {
                    let rows = (&inner.stiff_rows, stiff.first_part..stiff.end_part);
                    let parts = self.push_rows(rows, 1, (kinematics, sizes), &mut out.stiff_rows);
                    out.stiff.push(Stiff { first_part: parts.start, end_part: parts.end, ..*stiff });
                }
            });
        }
    }

    /// Appends what answers the motion of one velocity.
    fn push_stiff(&self, u: usize, stiff: Stiff, out: &mut Snapshot) {
        if stiff.stiffness <= 0.0 && stiff.damping <= 0.0 {
            return;
        }
        let parts = self.push_entries(&[(u, 1.0)], &mut out.stiff_rows);
        out.stiff.push(Stiff { first_part: parts.start, end_part: parts.end, ..stiff });
    }

    /// Appends one row with these entries.
    pub(super) fn push_entries(
        &self,
        entries: &[(usize, f64)],
        out: &mut complementarity::problem::operator::Jacobian,
    ) -> Range<usize> {
        let first = out.parts.len();
        for &(u, value) in entries {
            let forest = &self.forest;
            let range = &forest.mechanisms[forest.nodes[forest.node_of[u]].mechanism].u;
            let part = super::rows::part(out, first, range, 1);
            out.values[part + u - range.start] += value;
        }
        first..out.parts.len()
    }
}
