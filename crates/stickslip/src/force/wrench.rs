//! A force and a torque on one body, functions of time, in the world frame or in the body's.

use super::Moving;
use crate::drive::vector;
use crate::function::{Function, Instant};
use nalgebra::Vector3;
use std::sync::Arc;

/// The wrench.
#[derive(Clone, Debug)]
pub struct Wrench {
    /// Index of the body.
    pub body: usize,
    /// Force, N.
    pub force: [Arc<dyn Function>; 3],
    /// Torque, N m.
    pub torque: [Arc<dyn Function>; 3],
    /// Where the force acts, in the body frame, m.
    pub point: Vector3<f64>,
    /// True when force and torque turn with the body.
    pub in_body_frame: bool,
}

impl Wrench {
    /// Force and torque about the body's origin, in the world.
    pub fn evaluate(&self, at: impl Into<Instant>, body: &Moving) -> (Vector3<f64>, Vector3<f64>) {
        let at = at.into();
        let (mut force, mut torque) = (vector(&self.force, at), vector(&self.torque, at));
        if self.in_body_frame {
            (force, torque) = (body.r * force, body.r * torque);
        }
        (force, torque + (body.r * self.point).cross(&force))
    }
}
