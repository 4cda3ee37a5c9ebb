//! What the joints of trees carry: what the bodies behind them need beside what else acts on them.
//!
//! A step says what its constraints do, and joints of a tree are none. With the momenta h_b of the bodies at both ends of
//! the step and what else acts on them, gravity, forces and the impulses of constraints,
//!
//! ```text
//! F_j = sum over the bodies behind j  ((h_b' − h_b) / dt − others)                       (1)
//! ```
//!
//! is the wrench through the joint, of which the part along its freedoms is that of its drives, springs and stops. The
//! rest are the forces of the rows that the joint would have in body coordinates, and with them everything is told as by
//! a world (`world/reactions.rs`), which also knows what redundant joints share. Forces are those of the end of the step:
//! what springs within loops carry is of first order in the step.

use super::Tree;
use super::memory::Memory;
use super::place::Spatial;
use crate::body::Space;
use crate::describe::Reaction;
use crate::joint::{Placed, Row};
use crate::state::State;
use crate::step::{Mode, Outcome, Step};
use crate::system::{Constraint, ConstraintId, Law};
use crate::world::Motion as BodyMotion;
use crate::world::joints::KEPT;
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

/// Force and torque about the origin of the world.
type Wrench = Spatial;

impl<S: Space> Tree<S> {
    pub(super) fn all_reactions(&self, step: &Step) -> Vec<Reaction> {
        let state = self.in_bodies(&step.state);
        if step.start.u.len() != step.state.u.len() {
            return self.world.all_reactions(&Step { state, ..step.clone() }); // before the first step
        }
        let mut bodies = Step { state, ..step.clone() };
        let needs = self.needs(step, &bodies);
        for index in (0..self.forest.held.len()).filter(|&i| self.forest.held[i]) {
            let outcome = self.kept(index, &needs, &bodies);
            bodies.outcomes.push(outcome);
        }
        bodies.outcomes.sort_by_key(|o| o.constraint.id);
        self.world.all_reactions(&bodies)
    }

    /// Eq. (1) for each node, about the origin of the world.
    fn needs(&self, step: &Step, bodies: &Step) -> Vec<Wrench> {
        let mut needs = vec![Spatial::ZERO; self.forest.nodes.len()];
        let start = self.in_bodies(&step.start);
        let [before, after] = [&start, &bodies.state].map(|at| self.momenta_of(at));
        let gravity = Vector3::from(self.world.gravity());
        for (slot, &node) in self.forest.of_slot.iter().enumerate() {
            let Some(link) = &self.forest.nodes[node].link else { continue };
            let p = S::frame(&self.world.pose(self.forest.bodies[slot], &bodies.state)).0;
            let force = (after[slot].0 - before[slot].0) / step.dt - gravity * link.mass;
            needs[node]
                .add(&Spatial::force((&force, &((after[slot].1 - before[slot].1) / step.dt)), &p), 1.0);
        }
        self.subtract_forces(&step.state, &mut needs);
        for o in &bodies.outcomes {
            self.subtract_impulse(o, bodies, &mut needs);
        }
        for node in (0..needs.len()).rev() {
            if let Some(parent) = self.forest.nodes[node].parent {
                let own = needs[node];
                needs[parent].add(&own, 1.0);
            }
        }
        needs
    }

    /// Momentum and spin of each body about its centre.
    fn momenta_of(&self, at: &State) -> Vec<(Vector3<f64>, Vector3<f64>)> {
        let momentum = |&body: &usize| {
            let BodyMotion::Dynamic { mass, .. } = &self.world.bodies()[body].motion else {
                return (Vector3::zeros(), Vector3::zeros());
            };
            let moving = self.world.moving(Some(body), at);
            let slot = self.world.slot_of(body).map_or(0, |slot| self.forest.of_slot[slot]);
            let tensor = self.forest.nodes[slot].link.map_or_else(nalgebra::Matrix3::zeros, |l| l.inertia);
            (moving.v * *mass, moving.r * (tensor * moving.r.tr_mul(&moving.omega)))
        };
        self.forest.bodies.iter().map(momentum).collect()
    }

    /// The forces that the world evaluates.
    fn subtract_forces(&self, at: &State, needs: &mut [Wrench]) {
        if !self.has_body_forces {
            return;
        }
        self.at(at, |memory| {
            let Memory { bodies, inner, .. } = memory;
            self.evaluate_body_forces(bodies, inner);
            for (slot, &node) in self.forest.of_slot.iter().enumerate() {
                let range = slot * S::FREEDOMS..(slot + 1) * S::FREEDOMS;
                let p = S::frame(&self.world.pose(self.forest.bodies[slot], bodies)).0;
                for list in [&inner.force, &inner.applied] {
                    let (force, torque) = S::twist(&list[range.clone()]);
                    needs[node].add(&Spatial::force((&force, &torque), &p), -1.0);
                }
            }
        });
    }

    /// What a constraint that is a row does to the bodies at both of its sides.
    fn subtract_impulse(&self, o: &Outcome, bodies: &Step, needs: &mut [Wrench]) {
        let (world, id) = (&self.world, o.constraint.id);
        let mut on = |body: Option<usize>, wrench: &Wrench, sign: f64| {
            if let Some(slot) = body.and_then(|body| world.slot_of(body)) {
                needs[self.forest.of_slot[slot]].add(wrench, -sign / bodies.dt);
            }
        };
        let c = &o.constraint;
        match c.law {
            Law::Contact { .. } => {
                let tangents = c.law.tangents();
                let mut force = c.normal * o.impulse[0];
                let tangential = S::tangent_vector(&c.normal, &o.impulse[1..=tangents]);
                force.iter_mut().zip(&tangential).for_each(|(f, t)| *f += t);
                let moment = world.friction_moment(c, &o.impulse[1 + tangents..c.law.rows()]);
                let wrench = Spatial::force((&force, &moment), &c.point);
                let (i, j) = world.in_order((id.a as usize, id.b as usize));
                on(Some(i), &wrench, 1.0);
                on(Some(j), &wrench, -1.0);
            }
            Law::DryDisc { .. } => {
                let force = Vector3::new(o.impulse[0], o.impulse[1], 0.0);
                on(world.supported(id), &Spatial::force((&force, &Vector3::zeros()), &c.point), 1.0);
            }
            _ => {
                let coupling = world.coupling_of(id);
                let joints = match coupling {
                    Some(coupling) => {
                        [Some((coupling.joints[0], 1.0)), Some((coupling.joints[1], -coupling.ratio))]
                    }
                    None => [Some((id.a as usize - world.bodies().len(), 1.0)), None],
                };
                for (joint, factor) in joints.into_iter().flatten().filter(|(j, _)| !self.forest.held[*j]) {
                    let which = if coupling.is_some() { crate::world::joints::MOTOR } else { id.b };
                    let impulse = o.impulse.map(|x| x * factor);
                    let sides = &world.joints()[joint];
                    let placed = world.placed(sides, &bodies.state);
                    let [force, torque] = world.joint_wrench(joint, which, &impulse[..c.law.rows()], &placed);
                    let wrench = Spatial::force((&force, &torque), &placed.p[1]);
                    on(sides.b.body, &wrench, 1.0);
                    on(sides.a.body, &wrench, -1.0);
                }
            }
        }
    }

    /// What the rows of a joint of the tree would have done in body coordinates.
    fn kept(&self, index: usize, needs: &[Wrench], bodies: &Step) -> Outcome {
        let world = &self.world;
        let placed = world.placed(&world.joints()[index], &bodies.state);
        let (rows, count) = world.kept_rows(index);
        let mut impulse = [0.0; MAX_ROWS];
        // none of a joint between what others hold already: what it shares with them is for the world to say
        if let Some(node) = self.forest.nodes.iter().rposition(|node| node.joint == Some(index)) {
            // of the bodies behind the joint, on side b
            let sign = self.forest.nodes[node].sign;
            let force = needs[node].linear * sign;
            let torque = needs[node].angular * sign - placed.p[1].cross(&force);
            for (impulse, row) in impulse.iter_mut().zip(&rows[..count]) {
                *impulse = along(&placed, *row, (&force, &torque)) * bodies.dt;
            }
        }
        let id = ConstraintId { a: (world.bodies().len() + index) as u32, b: KEPT, feature: 0 };
        let constraint = Constraint {
            id,
            law: Law::Bilateral { rows: count },
            gap: [0.0; MAX_ROWS],
            bend: 0.0,
            drift: [0.0; MAX_ROWS],
            first_part: 0,
            end_part: 0,
            point: placed.p[0],
            normal: Vector3::zeros(),
        };
        let zero = [0.0; MAX_ROWS];
        let (velocity, velocity_before) = (zero, zero);
        Outcome { constraint, gap: 0.0, impulse, velocity, velocity_before, mode: Mode::Stick }
    }
}

/// The part of a wrench about the joint's point on side b that a row holds.
fn along(placed: &Placed, row: Row, (force, torque): (&Vector3<f64>, &Vector3<f64>)) -> f64 {
    let (linear, angular) = placed.row(row).wrench[1];
    if linear != Vector3::zeros() {
        return force.dot(&linear) / linear.norm_squared();
    }
    torque.dot(&angular) / angular.norm_squared()
}
