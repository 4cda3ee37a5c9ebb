//! A world as the auditor sees it: bodies and their parts, limits of joints, and what is given as functions of time.

use super::joints::{GREATEST, LEAST};
use super::{Motion, World};
use crate::audit::part::Part;
use crate::audit::{Bodies, Frame};
use crate::body::Space;
use crate::joint::Goal;
use crate::state::State;
use crate::system::ConstraintId;
use nalgebra::Vector3;

impl<S: Space> Bodies for World<S> {
    fn count(&self) -> usize {
        self.bodies.len()
    }

    fn name(&self, body: usize) -> &str {
        &self.bodies[body].name
    }

    fn touching(&self, id: ConstraintId) -> Option<[usize; 2]> {
        let (i, j) = (id.a as usize, id.b as usize);
        if i.max(j) >= self.bodies.len() {
            return None;
        }
        let (i, j) = self.in_order((i, j));
        Some([i, j])
    }

    fn frame(&self, body: usize, at: &State) -> Frame {
        let (p, r) = S::frame(&self.pose(body, at));
        Frame { p, r }
    }

    fn may_touch(&self, a: usize, b: usize) -> bool {
        World::may_touch(self, a, b)
    }

    fn twist(&self, body: usize, at: &State) -> (Vector3<f64>, Vector3<f64>) {
        let moving = self.moving(Some(body), at);
        (moving.v, moving.omega)
    }

    fn is_driven(&self, body: usize) -> bool {
        World::is_driven(self, body)
    }

    fn is_flat(&self) -> bool {
        S::CONTACT_ROWS == 2
    }

    fn add_parts(&self, body: usize, out: &mut Vec<Part>) {
        if let Some(shape) = &self.bodies[body].shape {
            S::add_parts(shape, out);
        }
    }
}

impl<S: Space> World<S> {
    /// Shows the way left to each joint limit, m or rad.
    pub(super) fn show_limits(&self, at: &State, show: &mut dyn FnMut(ConstraintId, f64)) {
        for (index, joint) in self.joints.iter().enumerate() {
            let Some([low, high]) = joint.limits else { continue };
            let Some(position) = self.joint_position(index, at) else { continue };
            let id = |which| ConstraintId { a: (self.bodies.len() + index) as u32, b: which, feature: 0 };
            show(id(LEAST), position - low);
            show(id(GREATEST), high - position);
        }
    }

    /// Names the drive, moving surface or motor that is not a number at a time, if there is one.
    pub(crate) fn given_not_a_number(&self, t: f64) -> Option<String> {
        let finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
        for (i, body) in self.bodies.iter().enumerate() {
            if let Motion::Driven(drive) = &body.motion {
                let (mut q, mut u) = ([0.0; 7], [0.0; 6]);
                drive.coordinates(t, &mut q[..S::COORDINATES]);
                drive.velocity(t, &mut u[..S::FREEDOMS]);
                if !finite(&q[..S::COORDINATES]) {
                    return Some(format!("the drive of body \"{}\"", body.name));
                }
                if !finite(&u[..S::FREEDOMS]) {
                    return Some(format!("the velocity of the drive of body \"{}\"", body.name));
                }
            }
            if let Some(surface) = &self.surface_velocity[i]
                && !finite((surface.at(t, &Vector3::zeros()) + surface.rotation(t)).as_slice())
            {
                return Some(format!("the surface velocity of body \"{}\"", body.name));
            }
        }
        for joint in &self.joints {
            let Some(motor) = &joint.motor else { continue };
            let (what, values) = match &motor.goal {
                Goal::Speed(speed) => ("speed", [speed.value(t), 0.0]),
                Goal::Position(target) => ("target", [target.value(t), target.rate(t)]),
            };
            if !finite(&values) {
                return Some(format!("the {what} of the motor of joint \"{}\"", joint.name));
            }
        }
        None
    }
}
