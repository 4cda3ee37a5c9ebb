//! The joints of a world: their rows, what they leave free, and what they do to the bodies.
//!
//! Constraints of a joint come after all contacts: `id.a` is the number of bodies plus the joint's index, `id.b` says
//! which of its constraints.

use super::{World, WorldError};
use crate::body::Space;
use crate::force::{Controller, Force, Moving};
use crate::joint::{Goal, Joint, Placed, Row, RowValue, Side};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

/// Which constraint of a joint an id means.
pub(crate) const KEPT: u32 = 0;
pub(crate) const LEAST: u32 = 1;
pub(crate) const GREATEST: u32 = 2;
pub(crate) const FRICTION: u32 = 3;
pub(crate) const MOTOR: u32 = 4;
/// The first controller with a bound; others follow.
pub(crate) const CONTROLLER: u32 = 5;

impl<S: Space> World<S> {
    /// Adds a joint between two bodies, or a body and the world.
    pub fn add_joint(&mut self, joint: Joint) -> Result<(), WorldError> {
        let fault = |what: &'static str| Err(WorldError::Joint { joint: joint.name.clone(), what });
        let bodies = [joint.a.body, joint.b.body];
        if bodies.iter().flatten().any(|&i| i >= self.bodies.len()) {
            return fault("names a body that does not exist");
        }
        if bodies[0] == bodies[1] || bodies.iter().flatten().all(|&i| self.slot[i].is_none()) {
            return fault("does not connect a body that moves to something else");
        }
        if joint.kind.rows(S::CONTACT_ROWS).is_none() {
            return fault("is of a kind that exists in space only");
        }
        let extras =
            joint.limits.is_some() || joint.motor.is_some() || joint.friction != 0.0 || joint.viscous != 0.0;
        if (extras || joint.rotor_inertia != 0.0) && joint.kind.free(S::CONTACT_ROWS).is_none() {
            return fault("has limits, friction, a motor or its rotor, but not exactly one free direction");
        }
        if !(joint.rotor_inertia >= 0.0 && joint.rotor_inertia.is_finite()) {
            return fault("has a rotor inertia that is negative or not finite");
        }
        let motor = joint.motor.as_ref().map_or(0.0, |m| m.bound);
        if [joint.friction, joint.viscous, motor].iter().any(|x| !(*x >= 0.0 && x.is_finite())) {
            return fault("has a friction or motor bound that is negative or not finite");
        }
        if joint.limits.is_some_and(|[low, high]| low.is_nan() || high.is_nan() || low > high) {
            return fault("has limits in the wrong order");
        }
        self.autonomous &= joint.motor.is_none() && !bodies.iter().flatten().any(|&i| self.is_driven(i));
        self.joints.push(joint);
        Ok(())
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joints with a row that follows from the joints before it, at the start: what they carry is not unique.
    pub fn redundant_joints(&self) -> Vec<usize> {
        let found = crate::mobility::mobility(self, &crate::system::System::initial(self));
        let mut joints: Vec<usize> =
            found.redundant.iter().map(|r| r.id.a as usize - self.bodies.len()).collect();
        joints.retain(|&i| i < self.joints.len());
        joints.dedup();
        joints
    }

    pub(crate) fn kept_rows(&self, joint: usize) -> ([Row; 6], usize) {
        self.joints[joint].kind.rows(S::CONTACT_ROWS).unwrap_or(([Row::Slide(0); 6], 0))
    }

    /// A body, or the world, as it moves.
    pub(crate) fn moving(&self, body: Option<usize>, at: &State) -> Moving {
        let Some(i) = body else { return Moving::world() };
        let (p, r) = S::frame(&self.pose(i, at));
        let mut u = [0.0; 6];
        self.velocity(i, at, &mut u);
        let (v, omega) = S::twist(&u[..S::FREEDOMS]);
        Moving { p, r, v, omega }
    }

    pub(crate) fn placed(&self, joint: &Joint, at: &State) -> Placed {
        let place = |side: &Side| {
            let (c, r) = match side.body {
                Some(i) => S::frame(&self.pose(i, at)),
                None => (Vector3::zeros(), nalgebra::Matrix3::identity()),
            };
            (c, c + r * side.p, r * side.r)
        };
        let (a, b) = (place(&joint.a), place(&joint.b));
        Placed { c: [a.0, b.0], p: [a.1, b.1], r: [a.2, b.2] }
    }

    /// The constraints of all joints; with `all` false only what is kept at zero. Returns the worst relative error.
    pub(super) fn add_joints(&self, at: &State, all: bool, out: &mut Snapshot) -> f64 {
        let mut worst = 0.0f64;
        for index in 0..self.joints.len() {
            worst = worst.max(self.add_joint_rows(index, at, all, out));
        }
        for index in 0..self.couplings().len() {
            worst = worst.max(self.add_coupling_rows(index, at, out));
        }
        worst
    }

    /// The constraints of one joint; with `all` false only what is kept at zero. Returns the worst relative error.
    pub(crate) fn add_joint_rows(&self, index: usize, at: &State, all: bool, out: &mut Snapshot) -> f64 {
        let mut worst = 0.0f64;
        let placed = self.placed(&self.joints[index], at);
        let (rows, count) = self.kept_rows(index);
        let mut values = [placed.row(rows[0]); MAX_ROWS];
        for (value, row) in values.iter_mut().zip(&rows[..count]) {
            *value = placed.row(*row);
            worst = worst.max(relative(value));
        }
        self.push(at, index, KEPT, (Law::Bilateral { rows: count }, &values[..count]), out);
        if all && let Some(free) = self.free_row(index, &placed, at) {
            self.add_free(at, index, free, out);
        }
        worst
    }

    /// Limits, dry friction and motor in the free direction of a joint.
    fn add_free(&self, at: &State, index: usize, free: RowValue, out: &mut Snapshot) {
        let joint = &self.joints[index];
        if let Some([low, high]) = joint.limits {
            let above = RowValue { value: free.value - low, ..free };
            let below = RowValue {
                value: high - free.value,
                wrench: free.wrench.map(|(linear, angular)| (-linear, -angular)),
                ..free
            };
            self.push(at, index, LEAST, (Law::Limit, &[above]), out);
            self.push(at, index, GREATEST, (Law::Limit, &[below]), out);
        }
        if joint.friction > 0.0 {
            self.push(at, index, FRICTION, (Law::Dry { bound: joint.friction }, &[free]), out);
        }
        if let Some(motor) = &joint.motor {
            let (law, value, speed) = match &motor.goal {
                Goal::Speed(speed) => (Law::Dry { bound: motor.bound }, free, speed.value_on(at.instant())),
                Goal::Position(target) => {
                    let off = RowValue { value: free.value - target.value_on(at.instant()), ..free };
                    (Law::Servo { bound: motor.bound, gains: None }, off, target.rate_on(at.instant()))
                }
            };
            self.push(at, index, MOTOR, (law, &[value]), out);
            if let Some(c) = out.constraints.last_mut() {
                c.drift[0] -= speed;
            }
        }
        for (which, controller) in self.bounded_controllers(index) {
            let (goal, speed) = controller.goal(at.t);
            let off = RowValue { value: free.value - goal, ..free };
            let Some(law) = controller.law(at.t) else { continue };
            self.push(at, index, which, (law, &[off]), out);
            if let Some(c) = out.constraints.last_mut() {
                c.drift[0] -= speed;
            }
        }
    }

    /// The controllers with a bound on a joint, and which of its constraints they are.
    pub(crate) fn bounded_controllers(&self, joint: usize) -> impl Iterator<Item = (u32, &Controller)> {
        let of_joint = self.forces().iter().filter_map(move |force| match force {
            Force::Controller(c) if c.joint == joint && c.bound.is_some() => Some(c),
            _ => None,
        });
        (CONTROLLER..).zip(of_joint)
    }

    /// True when a controller has a bound.
    pub fn has_bounded_controllers(&self) -> bool {
        self.forces().iter().any(|force| matches!(force, Force::Controller(c) if c.bound.is_some()))
    }

    fn push(
        &self,
        at: &State,
        index: usize,
        which: u32,
        (law, values): (Law, &[RowValue]),
        out: &mut Snapshot,
    ) {
        let joint = &self.joints[index];
        let mut gap = [0.0; MAX_ROWS];
        let mut drift = [0.0; MAX_ROWS];
        let first_part = out.jacobian.parts.len();
        for (s, side) in [&joint.a, &joint.b].into_iter().enumerate() {
            let Some(body) = side.body else { continue };
            out.rows.clear();
            for value in values {
                S::push_row(&value.wrench[s].0, &value.wrench[s].1, &mut out.rows);
            }
            if let Some(slot) = self.slot[body] {
                out.jacobian.push(slot * S::FREEDOMS, S::FREEDOMS, &out.rows);
            } else if self.is_driven(body) {
                self.add_drift(body, at, &out.rows, &mut drift);
            }
        }
        for (gap, value) in gap.iter_mut().zip(values) {
            *gap = value.value;
        }
        let placed = self.placed(joint, at);
        out.constraints.push(Constraint {
            bend: 0.0,
            id: ConstraintId { a: (self.bodies.len() + index) as u32, b: which, feature: 0 },
            law,
            gap,
            drift,
            first_part,
            end_part: out.jacobian.parts.len(),
            point: placed.p[0],
            normal: Vector3::zeros(),
        });
    }

    /// Viscous friction of the joints.
    pub(super) fn add_viscous(&self, at: &State, out: &mut Snapshot) {
        (0..self.joints.len()).for_each(|index| self.add_viscous_of(index, at, out));
    }

    /// Viscous friction of one joint.
    pub(crate) fn add_viscous_of(&self, index: usize, at: &State, out: &mut Snapshot) {
        let joint = &self.joints[index];
        let Some(free) = joint.kind.free(S::CONTACT_ROWS).filter(|_| joint.viscous > 0.0) else { return };
        let value = self.placed(joint, at).row(free);
        let force = -joint.viscous * self.rate(joint, &value, at);
        for (side, (linear, angular)) in [&joint.a, &joint.b].into_iter().zip(&value.wrench) {
            self.add_wrench(side.body, (linear * force, angular * force), false, out);
        }
    }

    pub(crate) fn rate(&self, joint: &Joint, value: &RowValue, at: &State) -> f64 {
        let part = |side: &Side, (linear, angular): &(Vector3<f64>, Vector3<f64>)| {
            let m = self.moving(side.body, at);
            linear.dot(&m.v) + angular.dot(&m.omega)
        };
        part(&joint.a, &value.wrench[0]) + part(&joint.b, &value.wrench[1])
    }

    /// The largest of the lengths or angles whose differences the rows of a joint's constraint are.
    pub(crate) fn joint_size(&self, id: ConstraintId, at: &State) -> f64 {
        if let Some(coupling) = self.coupling_of(id) {
            let size = |j: usize| {
                self.free_row(j, &self.placed(&self.joints[j], at), at).map_or(0.0, |row| row.size)
            };
            let [first, second] = coupling.joints.map(size);
            return first + (coupling.ratio * second).abs() + coupling.offset.abs();
        }
        let index = id.a as usize - self.bodies.len();
        // a support has rows of velocities only
        if index >= self.joints.len() {
            return 0.0;
        }
        let placed = self.placed(&self.joints[index], at);
        let (kept, count) = self.kept_rows(index);
        let free = self.joints[index].kind.free(S::CONTACT_ROWS);
        let rows = if id.b == KEPT { &kept[..count] } else { free.as_slice() };
        rows.iter().map(|&row| placed.row(row).size).fold(0.0, f64::max)
    }

    /// What the joint with that constraint is called.
    pub(super) fn joint_label(&self, id: ConstraintId) -> String {
        if let Some(coupling) = self.coupling_of(id) {
            return coupling.name.clone();
        }
        let name = &self.joints[id.a as usize - self.bodies.len()].name;
        match id.b {
            KEPT => name.clone(),
            LEAST => format!("{name}.least"),
            GREATEST => format!("{name}.greatest"),
            FRICTION => format!("{name}.friction"),
            MOTOR => format!("{name}.motor"),
            CONTROLLER => format!("{name}.controller"),
            which => format!("{name}.controller{}", which - CONTROLLER + 1),
        }
    }

    /// What one row of a joint is called: the joint and the direction in its axes.
    pub(super) fn joint_row_label(&self, id: ConstraintId, row: usize) -> String {
        let label = self.joint_label(id);
        if id.b != KEPT || self.coupling_of(id).is_some() {
            return label;
        }
        let (rows, count) = self.kept_rows(id.a as usize - self.bodies.len());
        rows[..count].get(row).map_or(label.clone(), |r| format!("{label} {}", r.name()))
    }

    /// The wrench of one constraint of a joint on its second body, about the joint's point there, N s and N m s.
    pub(crate) fn joint_wrench(
        &self,
        joint: usize,
        which: u32,
        impulse: &[f64],
        placed: &Placed,
    ) -> [Vector3<f64>; 2] {
        let (kept, count) = self.kept_rows(joint);
        let free = self.joints[joint].kind.free(S::CONTACT_ROWS);
        let mut total = [Vector3::zeros(); 2];
        let rows = if which == KEPT { &kept[..count] } else { free.as_slice() };
        for (row, lambda) in rows.iter().zip(impulse) {
            let (linear, angular) = placed.row(*row).wrench[1];
            let sign = if which == GREATEST { -lambda } else { *lambda };
            total[0] += linear * sign;
            total[1] += (angular - (placed.p[1] - placed.c[1]).cross(&linear)) * sign;
        }
        total
    }
}

fn relative(value: &RowValue) -> f64 {
    if value.value == 0.0 { 0.0 } else { value.value.abs() / value.size }
}
