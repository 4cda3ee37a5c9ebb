//! What steppers ask of mechanisms in joint coordinates.

use super::forest::Motion;
use super::memory::Memory;
use super::{Tree, kinematics, rows};
use crate::body::Space;
use crate::collide::anchor::Anchor;
use crate::layer::Layer;
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Snapshot, System, Turn};
use crate::world::contacts::Look;
use nalgebra::Vector3;

impl<S: Space> System for Tree<S> {
    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        self.fill_dynamics(at, out);
    }

    fn turn(&self, turn: &Turn, out: &mut Snapshot) {
        self.turn_all(turn, out);
    }

    fn turns_under_constraints(&self) -> bool {
        self.forest.mechanisms.iter().any(|m| !m.alone)
    }

    fn stiffness(&self, at: &State, out: &mut Snapshot) {
        self.fill_stiffness(at, out);
    }

    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot) {
        self.fill(at, None, reach, out);
    }

    fn constraints_toward(&self, at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot) {
        self.fill(at, Some(path), reach, out);
    }

    fn contacts_toward(
        &self,
        partners: (u32, u32),
        at: &State,
        path: [&State; 2],
        reach: f64,
        out: &mut Snapshot,
    ) {
        let (i, j) = (partners.0 as usize, partners.1 as usize);
        if i.max(j) >= self.world.bodies().len() {
            return;
        }
        self.at(at, |memory| {
            rows::clear(&mut memory.inner);
            self.on_path(path, |path| {
                let look = Look { reach, path: Some(path) };
                self.world.add_contacts((i, j), &memory.bodies, look, &mut memory.inner);
            });
            self.push_found(memory, out);
        });
    }

    fn carried(&self, contact: &Constraint, seen: &State, at: &State) -> Option<[Vector3<f64>; 2]> {
        self.on_path([seen, at], |[seen, at]| self.world.carried(contact, seen, at))
    }

    fn is_contact(&self, id: ConstraintId) -> bool {
        self.world.is_contact(id)
    }

    fn has_curved_pairs(&self) -> bool {
        self.world.has_curved_pairs()
    }

    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        self.world.next_break(t, until)
    }

    fn anchor(&self, id: ConstraintId, (at, reach): (&State, f64), memory: &mut Snapshot) -> Option<Anchor> {
        self.at(at, |here| self.world.anchor(id, (&here.bodies, reach), memory))
    }

    fn add_anchored(&self, id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot) {
        self.at(at, |memory| {
            rows::clear(&mut memory.inner);
            self.world.push_anchored(id, anchor, &memory.bodies, &mut memory.inner);
            self.push_found(memory, out);
        });
        if let Some(added) = out.constraints.pop() {
            let place = out.constraints.partition_point(|c| c.id < id);
            out.constraints.insert(place, added);
        }
    }

    fn anchored(
        &self,
        anchors: &[(ConstraintId, Option<Anchor>)],
        (at, reach): (&State, f64),
        out: &mut Snapshot,
    ) -> bool {
        out.constraints.clear();
        out.jacobian.clear();
        self.at(at, |memory| {
            let Memory { bodies, inner, .. } = memory;
            self.world.fill_anchored_contacts(anchors, (bodies, reach), inner);
            self.push_found(memory, out);
            self.add_joints(at, true, memory, out);
        });
        true
    }

    fn chooses(&self) -> bool {
        self.world.chooses()
    }

    fn has_choice(&self, path: [&State; 2], id: ConstraintId) -> bool {
        self.on_path(path, |path| self.world.has_choice(path, id))
    }

    fn is_autonomous(&self) -> bool {
        self.world.is_autonomous()
    }

    fn has_joints(&self) -> bool {
        self.has_rows
    }

    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        out.constraints.clear();
        out.jacobian.clear();
        if !self.has_rows {
            return 0.0;
        }
        self.at(at, |memory| self.add_joints(at, false, memory, out))
    }

    fn follow(&self, from: &State, to: &mut State) {
        let mut positions = std::mem::take(&mut to.positions);
        positions.clear();
        for (index, joint) in self.world.joints().iter().enumerate() {
            let followed = |to: &State| {
                if joint.kind.free(S::CONTACT_ROWS).is_none() {
                    return 0.0;
                }
                self.on_path([from, to], |[from, to]| self.world.followed(index, from, to))
            };
            positions.push(match self.forest.single[index] {
                Some(single) => to.q[single.q],
                None => followed(to),
            });
        }
        to.positions = positions;
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        for node in &self.forest.nodes {
            let (width, freedoms) = node.widths::<S>();
            let (q, u) = (&mut q[node.q..node.q + width], &u[node.u..node.u + freedoms]);
            match node.motion {
                Motion::Free => S::displace(q, u, dt),
                Motion::Turn(_) | Motion::Slide(_) => q[0] += dt * u[0],
                Motion::Ball => kinematics::displace_ball(q, u, dt),
                Motion::Fixed => {}
            }
        }
    }

    fn rate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        for node in &self.forest.nodes {
            let (width, freedoms) = node.widths::<S>();
            let (q, u) = (&q[node.q..node.q + width], &u[node.u..node.u + freedoms]);
            let out = &mut out[node.q..node.q + width];
            match node.motion {
                Motion::Free => S::rate(q, u, out),
                Motion::Turn(_) | Motion::Slide(_) => out[0] = u[0],
                Motion::Ball => kinematics::rate_of_ball(q, u, out),
                Motion::Fixed => {}
            }
        }
    }

    fn normalise(&self, q: &mut [f64]) {
        for node in &self.forest.nodes {
            let q = &mut q[node.q..node.q + node.widths::<S>().0];
            match node.motion {
                Motion::Free => S::normalise(q),
                Motion::Ball => kinematics::normalise_ball(q),
                Motion::Turn(_) | Motion::Slide(_) | Motion::Fixed => {}
            }
        }
    }

    fn size(&self, at: &State, look: &Snapshot, constraint: &Constraint) -> f64 {
        let joint = (constraint.id.a as usize).checked_sub(self.world.bodies().len());
        if let Some(joint) = joint
            && let Some(Some(single)) = self.forest.single.get(joint)
        {
            return at.q[single.q].abs().max(self.size_of(joint)).max(constraint.gap[0].abs());
        }
        self.at(at, |memory| self.world.size(&memory.bodies, look, constraint))
    }

    fn size_of_bodies(&self) -> Option<f64> {
        self.world.size_of_bodies()
    }

    fn speed(&self, q: &[f64], u: &[f64]) -> f64 {
        self.moving(q, u, |memory| self.world.speed(&memory.bodies.q, &memory.bodies.u))
    }

    fn bodies(&self) -> Option<&dyn crate::audit::Bodies> {
        Some(self)
    }

    fn joint_space(&self) -> Option<&(dyn crate::joint_space::JointSpace + Sync)> {
        Some(self)
    }

    fn limits(&self, at: &State, _look: &mut Snapshot, show: &mut dyn FnMut(ConstraintId, f64)) {
        let first = self.world.bodies().len();
        for (index, joint) in self.world.joints().iter().enumerate() {
            let Some([low, high]) = joint.limits else { continue };
            let position = match self.forest.single[index] {
                Some(single) => Some(at.q[single.q]),
                None => self.at(at, |memory| self.world.joint_position(index, &memory.bodies)),
            };
            let Some(position) = position else { continue };
            let id = |which| ConstraintId { a: (first + index) as u32, b: which, feature: 0 };
            show(id(crate::world::joints::LEAST), position - low);
            show(id(crate::world::joints::GREATEST), high - position);
        }
    }

    fn not_a_number(&self, at: &State) -> Option<String> {
        self.world.given_not_a_number(at.t)
    }

    fn is_immaterial(&self, index: usize) -> bool {
        let node = &self.forest.nodes[self.forest.node_of[index]];
        let Some(link) = node.link.filter(|_| self.forest.mechanisms[node.mechanism].alone) else {
            return false;
        };
        self.world.is_immaterial(link.slot * S::FREEDOMS + index - node.u)
    }

    fn has_layers(&self) -> bool {
        self.world.has_layers()
    }

    fn layer(&self, id: ConstraintId) -> Option<Layer> {
        self.world.layer(id)
    }
}
