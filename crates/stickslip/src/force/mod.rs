//! Forces on bodies beside gravity, one kind per file. Springs between bodies that move by themselves have a potential
//! energy; everything else is energy put in.

mod controller;
mod drag;
mod spring;
mod wrench;

pub use controller::{Controller, Target};
pub use drag::Drag;
pub use spring::Spring;
pub use wrench::Wrench;

use crate::state::State;
use nalgebra::{Matrix3, Vector3};
use std::fmt;
use std::sync::Arc;

/// A force.
#[derive(Clone, Debug)]
pub enum Force {
    /// A force and torque on one body, functions of time.
    Wrench(Wrench),
    /// A spring with dampers between two points.
    Spring(Spring),
    /// Resistance in proportion to velocity.
    Drag(Drag),
    /// A spring or controller on a joint.
    Controller(Controller),
    /// Anything.
    Custom(Custom),
}

/// Any function of the state that adds to the generalized forces (N, N m).
#[derive(Clone)]
pub struct Custom(pub Arc<CustomForce>);

/// What [`Custom`] holds: given the state, adds to the forces, one entry per velocity.
pub type CustomForce = dyn Fn(&State, &mut [f64]) + Send + Sync;

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}

/// A body as forces see it: where it is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    /// Origin, m.
    pub p: Vector3<f64>,
    /// Rotation from the body frame to the world.
    pub r: Matrix3<f64>,
    /// Velocity of the origin, m/s.
    pub v: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub omega: Vector3<f64>,
}

impl Moving {
    /// The world itself.
    pub fn world() -> Self {
        let zero = Vector3::zeros();
        Self { p: zero, r: Matrix3::identity(), v: zero, omega: zero }
    }

    /// A point given in the body frame: where it is and how fast.
    pub fn point(&self, p: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let arm = self.r * p;
        (self.p + arm, self.v + self.omega.cross(&arm))
    }
}
