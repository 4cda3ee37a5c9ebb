//! Mechanisms within a step: the inertial forces that keep their energy and their momenta.
//!
//! Frozen at one state of a step, what inertia does at the velocities there makes energy. A step of length dt is given
//! instead what leads to the velocities that the mechanism has at its end by a variational rule. With the motion of each
//! body taken as steady between the ends, `c' − c = dt v`, `R' R^T = exp(dt omega)`, the action of the step is
//! `dt sum (m v² + omega · J omega) / 2`, and its derivatives are the momenta at the ends [Marsden & West, Acta Numerica
//! 2001; for multibody systems Lee, Liu, Park & Srinivasa, WAFR 2016]:
//!
//! ```text
//! p  = sum J^T(q)  (m v, pi) + rotor w,     p = M(q) u + share P                        (1)
//! p' = sum J^T(q') (m v, pi) + rotor w,     M(q') u' = p' + (1 − share) P               (2)
//! pi = Y + x x Y / 2 + c(|x|) x x (x x Y),  x = dt omega,  Y = J omega                   (3)
//! q' = q ⊕ dt w
//! ```
//!
//! with P the impulse of all forces of the step and c of the inverse derivative of the exponential of rotations; pi is
//! the same at both ends. (1) is solved for w by Newton's method with the mass at the start. The rule is symplectic: its
//! energy swings about a constant for as long as one likes, and momenta that symmetry keeps are kept to rounding. For
//! bodies on joints that are rows it is SHAKE (`stepper/shake.rs`), so that the two kinds of coordinates agree. What the
//! step is given is
//!
//! ```text
//! g = M(at) (u' − u) / dt − forces,     q' = (q ⊕ (dt − s) u) ⊕ s (u' + lead)            (4)
//! ```
//!
//! as in `world/turning.rs`, whose rule free bodies have. Where (1) is not found, when a body turns too far within the
//! step, inertial forces stay those of the state.

use super::Tree;
use super::forest::{Mechanism, Motion, Node};
use super::kinematics::{Kinematics, quaternion};
use super::mass::Mass;
use super::memory::Memory;
use super::place::Spatial;
use crate::body::Space;
use crate::system::{Snapshot, System, Turn};
use nalgebra::Vector3;

/// A mechanism whose velocities move it by less than this in a step, rad or m, has the inertial forces of its state.
const LITTLE: f64 = 1e-8;
/// The most that a body may turn within a step, rad.
const FAR: f64 = 2.0;
/// The most steps of Newton's method.
const ITERATIONS: usize = 40;
/// A change of this size, relative to the velocities, is rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Changes that no longer shrink are rounding below this, relative to the velocities; above there is no solution.
const NEAR: f64 = 1e-9;

/// Memory for the motion of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    kinematics: Kinematics,
    mass: Mass,
    /// The momentum of all bodies behind each node, about o.
    momenta: Vec<Spatial>,
    /// The velocities w of eq. (1), and the coordinates they lead to from the start.
    w: Vec<f64>,
    q: Vec<f64>,
    /// The coordinates that the step moves on from.
    middle: Vec<f64>,
    /// The forces of the step.
    forces: Vec<f64>,
    /// Of one mechanism: the momentum of eq. (1), what is left of it, the velocities at the end.
    momentum: Vec<f64>,
    left: Vec<f64>,
    end: Vec<f64>,
}

/// c of eq. (3).
fn curvature(x: f64) -> f64 {
    if x < 1e-2 { 1.0 / 12.0 + x * x / 720.0 } else { 1.0 / (x * x) - (1.0 + x.cos()) / (2.0 * x * x.sin()) }
}

/// The part of an impulse that a step takes at its start.
fn share([dt, s]: [f64; 2]) -> f64 {
    if s < dt { 0.5 } else { 1.0 }
}

impl<S: Space> Tree<S> {
    /// Eq. (4) for every mechanism, and the rule of a world for every free body.
    pub(super) fn turn_all(&self, turn: &Turn, out: &mut Snapshot) {
        let again = !out.gyroscopic.is_empty();
        self.turn_alone(turn, again, out);
        let dt = turn.times[0];
        let moves =
            |m: &&Mechanism| !m.alone && turn.from.u[m.u.clone()].iter().any(|u| u.abs() * dt >= LITTLE);
        if !self.forest.mechanisms.iter().any(|m| moves(&m)) {
            return;
        }
        out.lead.resize(out.force.len(), 0.0);
        out.gyroscopic.resize(out.force.len(), 0.0);
        if !again {
            for mechanism in self.forest.mechanisms.iter().filter(|m| !m.alone) {
                let range = mechanism.u.clone();
                out.gyroscopic[range.clone()].copy_from_slice(&out.scratch[range]);
            }
        }
        self.at(turn.from, |memory| {
            let mut ahead = std::mem::take(&mut memory.ahead);
            ahead.forces.clear();
            ahead.forces.extend((0..out.force.len()).map(|k| {
                let reaction = turn.reaction.map_or(0.0, |r| r[k]);
                out.force[k] - out.gyroscopic[k] + out.applied[k] + reaction
            }));
            ahead.w.clone_from(&turn.from.u);
            for mechanism in self.forest.mechanisms.iter().filter(moves) {
                if self.solve(mechanism, turn, memory, &mut ahead) {
                    self.arrive(mechanism, turn, &memory.kinematics, &mut ahead);
                    self.write(mechanism, turn, &mut ahead, out);
                }
            }
            memory.ahead = ahead;
        });
    }

    fn turn_alone(&self, turn: &Turn, again: bool, out: &mut Snapshot) {
        for mechanism in self.forest.mechanisms.iter().filter(|m| m.alone) {
            let node = &self.forest.nodes[mechanism.nodes.start];
            let Some(link) = node.link else { continue };
            let poses = [turn.from, turn.at].map(|at| S::pose(&at.q[node.q..node.q + S::COORDINATES]));
            let range = (mechanism.u.end - 3)..mechanism.u.end;
            self.world.turn_body(self.forest.bodies[link.slot], (&poses, range, again), turn, out);
        }
    }

    /// Solves eq. (1). Returns false where it is not found.
    fn solve(&self, mechanism: &Mechanism, turn: &Turn, memory: &mut Memory, ahead: &mut Ahead) -> bool {
        let forest = &self.forest;
        let (range, n, dt) = (mechanism.u.clone(), mechanism.u.len(), turn.times[0]);
        let index = forest.nodes[mechanism.nodes.start].mechanism;
        memory.masses(forest);
        let (kinematics, mass) = (&memory.kinematics, &memory.masses[index]);
        let u = &turn.from.u[range.clone()];
        let impulse = |k: usize, forces: &[f64]| share(turn.times) * dt * forces[k];
        ahead.momentum.clear();
        for (k, row) in range.clone().zip(mass.matrix.chunks_exact(n)) {
            let own = row.iter().zip(u).map(|(m, u)| m * u).sum::<f64>();
            ahead.momentum.push(own + impulse(k, &ahead.forces));
        }
        ahead.left.clear();
        ahead.left.extend(range.clone().map(|k| impulse(k, &ahead.forces)));
        let (mut before, mut size) = (f64::INFINITY, 0.0f64);
        for _ in 0..ITERATIONS {
            mass.solve(forest, mechanism, &mut ahead.left);
            let mut change = 0.0f64;
            for (w, d) in ahead.w[range.clone()].iter_mut().zip(&ahead.left) {
                *w += d;
                size = size.max(w.abs());
                change = change.max(d.abs());
            }
            if before < f64::INFINITY {
                if change <= ROUNDING * size {
                    return true;
                }
                if change.is_nan() || change > 0.5 * before {
                    return change <= NEAR * size;
                }
                before = change;
            } else {
                before = f64::MAX;
            }
            ahead.q.clone_from(&turn.from.q);
            self.displace(&mut ahead.q, &ahead.w, dt);
            ahead.kinematics.place_frames::<S>(forest, &ahead.q);
            if !self.momenta(mechanism, kinematics, dt, ahead) {
                return false;
            }
            let Ahead { left, momentum, momenta, w, .. } = &mut *ahead;
            for (k, (left, momentum)) in range.clone().zip(left.iter_mut().zip(momentum)) {
                let own = kinematics.axes[k].dot(&momenta[forest.node_of[k]]) + forest.rotor[k] * w[k];
                *left = *momentum - own;
            }
        }
        false
    }

    /// Eq. (3) for all bodies behind each node, about o: since a body's momentum is along its way, the arms may be those
    /// of either end. Returns false where a body turns too far.
    fn momenta(&self, mechanism: &Mechanism, start: &Kinematics, dt: f64, ahead: &mut Ahead) -> bool {
        let forest = &self.forest;
        let Ahead { kinematics: end, momenta, .. } = ahead;
        momenta.resize(forest.nodes.len(), Spatial::ZERO);
        for node in mechanism.nodes.clone() {
            momenta[node] = Spatial::ZERO;
            let Some(link) = &forest.nodes[node].link else { continue };
            let (from, to) = (&start.frames[node], &end.frames[node]);
            let back = from.rotation.inverse();
            let x: Vector3<f64> = (to.rotation * back).scaled_axis();
            let angle = x.norm();
            if angle.is_nan() || angle > FAR {
                return false;
            }
            let y = from.rotation * (link.inertia * (back * x)) / dt;
            let across = x.cross(&y);
            let spin = y + across * 0.5 + x.cross(&across) * curvature(angle);
            let linear = (to.p - from.p) * (link.mass / dt);
            momenta[node] = Spatial::force((&linear, &spin), &start.arm(forest, node));
        }
        for node in mechanism.nodes.clone().rev() {
            if let Some(parent) = forest.nodes[node].parent {
                let own = momenta[node];
                momenta[parent].add(&own, 1.0);
            }
        }
        true
    }

    /// Eq. (2).
    fn arrive(&self, mechanism: &Mechanism, turn: &Turn, start: &Kinematics, ahead: &mut Ahead) {
        let (forest, dt) = (&self.forest, turn.times[0]);
        let Ahead { kinematics, mass, momenta, end, .. } = ahead;
        kinematics.origins.clone_from(&start.origins);
        kinematics.place_axes::<S>(forest);
        mass.fill(forest, kinematics, mechanism);
        mass.factorise(forest, mechanism);
        end.clear();
        for k in mechanism.u.clone() {
            let momentum = kinematics.axes[k].dot(&momenta[forest.node_of[k]]) + forest.rotor[k] * ahead.w[k];
            end.push(momentum + (1.0 - share(turn.times)) * dt * ahead.forces[k]);
        }
        mass.solve(forest, mechanism, end);
    }

    /// Eq. (4).
    fn write(&self, mechanism: &Mechanism, turn: &Turn, ahead: &mut Ahead, out: &mut Snapshot) {
        let ([dt, s], range) = (turn.times, mechanism.u.clone());
        let Ahead { w, q, middle, forces, left, momentum, end, .. } = ahead;
        left.clear();
        left.extend(end.iter().zip(&turn.from.u[range.clone()]).map(|(end, u)| (end - u) / dt));
        momentum.clear();
        momentum.resize(range.len(), 0.0);
        out.mass.add_product(range.start, left, momentum);
        for (k, total) in range.clone().zip(&*momentum) {
            let inertial = total - forces[k];
            out.force[k] += inertial - out.gyroscopic[k];
            out.gyroscopic[k] = inertial;
        }
        if s < dt {
            middle.clone_from(&turn.from.q);
            self.displace(middle, &turn.from.u, dt - s);
            for node in &self.forest.nodes[mechanism.nodes.clone()] {
                way::<S>(node, [middle, q], s, w);
            }
        }
        for (k, end) in range.zip(&*end) {
            out.lead[k] = w[k] - end;
        }
    }
}

/// The velocities of a node that lead from one place to another in a time.
fn way<S: Space>(node: &Node, [from, to]: [&[f64]; 2], time: f64, w: &mut [f64]) {
    let turn = |q: usize| (quaternion(&to[q..]) * quaternion(&from[q..]).inverse()).scaled_axis() / time;
    let straight = |w: &mut [f64], count: usize| {
        for (k, w) in w.iter_mut().enumerate().take(count) {
            *w = (to[node.q + k] - from[node.q + k]) / time;
        }
    };
    let own = &mut w[node.u..node.u + node.widths::<S>().1];
    match node.motion {
        Motion::Fixed => {}
        Motion::Turn(_) | Motion::Slide(_) => straight(own, 1),
        Motion::Ball => own.copy_from_slice(turn(node.q).as_slice()),
        Motion::Free => {
            straight(own, 3);
            if S::FREEDOMS == 6 {
                own[3..].copy_from_slice(turn(node.q + 3).as_slice());
            }
        }
    }
}
