//! What steppers ask of a world.

use super::contacts::Look;
use super::{Motion, World};
use crate::body::Space;
use crate::collide::anchor::Anchor;
use crate::layer::Layer;
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Snapshot, System, Turn};
use nalgebra::Vector3;

impl<S: Space> System for World<S> {
    fn initial(&self) -> State {
        let mut state = State::default();
        for body in &self.bodies {
            if let Motion::Dynamic { u, .. } = &body.motion {
                state.q.extend_from_slice(&body.q);
                state.u.extend_from_slice(u);
            }
        }
        self.start_positions(&mut state);
        state
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        out.mass.clear();
        out.inverse_mass.clear();
        out.force.clear();
        out.force.resize(at.u.len(), 0.0);
        out.applied.clear();
        out.applied.resize(at.u.len(), 0.0);
        out.potential = 0.0;
        out.gyroscopic.clear();
        out.lead.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            let (Motion::Dynamic { mass, inertia, .. }, Some(slot)) = (&body.motion, self.slot[i]) else {
                continue;
            };
            let pose = self.pose(i, at);
            S::push_mass(*mass, inertia, &pose, out);
            let range = slot * S::FREEDOMS..(slot + 1) * S::FREEDOMS;
            let force = &mut out.force[range.clone()];
            out.potential += S::force(*mass, inertia, &self.gravity, (&pose, &at.u[range]), force);
        }
        let Snapshot { load, force, .. } = &mut *out;
        load.clear();
        load.extend(force.iter().map(|f| f.abs()));
        self.add_forces(at, out);
        self.add_viscous(at, out);
    }

    fn turn(&self, turn: &Turn, out: &mut Snapshot) {
        self.turn_bodies(turn, out);
    }

    fn stiffness(&self, at: &State, out: &mut Snapshot) {
        self.add_stiffness(at, out);
    }

    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot) {
        self.add_constraints(at, Look { reach, path: None }, out);
    }

    fn constraints_toward(&self, at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot) {
        self.add_constraints(at, Look { reach, path: Some(path) }, out);
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
        if i.max(j) < self.bodies.len() {
            self.add_contacts((i, j), at, Look { reach, path: Some(path) }, out);
        }
    }

    fn carried(&self, contact: &Constraint, seen: &State, at: &State) -> Option<[Vector3<f64>; 2]> {
        let (i, j) = (contact.id.a as usize, contact.id.b as usize);
        if i.max(j) >= self.bodies.len() {
            return None; // a joint
        }
        let (i, j) = self.in_order((i, j));
        let half = contact.normal * (0.5 * contact.gap[0]);
        let with = |(body, point): (usize, Vector3<f64>)| {
            let ((p, r), (q, s)) = (S::frame(&self.pose(body, seen)), S::frame(&self.pose(body, at)));
            q + s * r.tr_mul(&(point - p))
        };
        Some([(i, contact.point + half), (j, contact.point - half)].map(with))
    }

    fn is_contact(&self, id: ConstraintId) -> bool {
        (id.a.max(id.b) as usize) < self.bodies.len()
    }

    fn has_curved_pairs(&self) -> bool {
        self.curved_pairs()
    }

    fn anchor(&self, id: ConstraintId, look: (&State, f64), memory: &mut Snapshot) -> Option<Anchor> {
        self.anchor_of(id, look, memory)
    }

    fn add_anchored(&self, id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot) {
        self.insert_anchored(id, anchor, at, out);
    }

    fn anchored(
        &self,
        anchors: &[(ConstraintId, Option<Anchor>)],
        look: (&State, f64),
        out: &mut Snapshot,
    ) -> bool {
        self.fill_anchored(anchors, look, out);
        true
    }

    fn chooses(&self) -> bool {
        self.chooses
    }

    fn has_choice(&self, path: [&State; 2], id: ConstraintId) -> bool {
        self.contact_has_choice(path, id)
    }

    fn is_autonomous(&self) -> bool {
        self.autonomous
    }

    fn has_joints(&self) -> bool {
        !self.joints.is_empty()
    }

    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        out.constraints.clear();
        out.jacobian.clear();
        self.add_joints(at, false, out)
    }

    fn follow(&self, from: &State, to: &mut State) {
        self.follow_joints(from, to);
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        for (q, u) in q.chunks_exact_mut(S::COORDINATES).zip(u.chunks_exact(S::FREEDOMS)) {
            S::displace(q, u, dt);
        }
    }

    fn rate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        let bodies = q.chunks_exact(S::COORDINATES).zip(u.chunks_exact(S::FREEDOMS));
        for ((q, u), out) in bodies.zip(out.chunks_exact_mut(S::COORDINATES)) {
            S::rate(q, u, out);
        }
    }

    fn normalise(&self, q: &mut [f64]) {
        q.chunks_exact_mut(S::COORDINATES).for_each(S::normalise);
    }

    fn size(&self, at: &State, _look: &Snapshot, constraint: &Constraint) -> f64 {
        let id = constraint.id;
        if id.a as usize >= self.bodies.len() {
            return self.joint_size(id, at);
        }
        let radius = |i: u32| Some(self.outer_radius[i as usize]).filter(|r| r.is_finite()).unwrap_or(0.0);
        constraint.point.amax() + radius(id.a) + radius(id.b) + constraint.gap[0].abs()
    }

    fn size_of_bodies(&self) -> Option<f64> {
        let count = self.bodies.len();
        let touches = |i: usize| (0..count).any(|j| j != i && self.may_touch(i, j));
        let has_size = |i: &usize| {
            let radius = self.outer_radius[*i];
            self.slot[*i].is_some() && radius > 0.0 && radius.is_finite() && touches(*i)
        };
        (0..count).filter(has_size).map(|i| self.outer_radius[i]).min_by(f64::total_cmp)
    }

    fn speed(&self, _q: &[f64], u: &[f64]) -> f64 {
        let mut most = 0.0f64;
        for (i, slot) in self.slot.iter().enumerate() {
            if let Some(s) = slot {
                most = most.max(S::speed(self.outer_radius[i], &u[s * S::FREEDOMS..(s + 1) * S::FREEDOMS]));
            }
        }
        most
    }

    fn bodies(&self) -> Option<&dyn crate::audit::Bodies> {
        Some(self)
    }

    fn joint_space(&self) -> Option<&(dyn crate::joint_space::JointSpace + Sync)> {
        Some(self)
    }

    fn limits(&self, at: &State, _look: &mut Snapshot, show: &mut dyn FnMut(ConstraintId, f64)) {
        self.show_limits(at, show);
    }

    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        self.first_break(t, until)
    }

    fn not_a_number(&self, at: &State) -> Option<String> {
        self.given_not_a_number(at.t)
    }

    /// The turning of a point, or of a body without shape, that nothing is attached to.
    fn is_immaterial(&self, index: usize) -> bool {
        let slot = Some(index / S::FREEDOMS);
        let Some(i) = self.slot.iter().position(|s| *s == slot) else { return false };
        let attached =
            self.is_supported(i) || self.joints.iter().any(|j| [j.a.body, j.b.body].contains(&Some(i)));
        index % S::FREEDOMS >= S::CONTACT_ROWS && self.outer_radius[i] == 0.0 && !attached
    }

    fn has_layers(&self) -> bool {
        self.laws.has_layers()
    }

    fn layer(&self, id: ConstraintId) -> Option<Layer> {
        let (a, b) = (self.bodies.get(id.a as usize)?, self.bodies.get(id.b as usize)?);
        self.laws.layer(a.surface, b.surface)
    }
}
