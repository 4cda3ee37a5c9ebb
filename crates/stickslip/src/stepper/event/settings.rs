//! What the event-driven steppers take, and what they need to know.

use crate::integrate::{Accuracy, Pair};
use crate::stepper::Traits;

/// What `event` takes.
pub const TRAITS: Traits = Traits {
    name: "event",
    summary: "smooth phases by Runge–Kutta, events located, impacts by the impact law",
    restitution: true,
    layers: true,
    events: true,
    ..Traits::PLAIN
};

/// What `gauss` takes.
pub const GAUSS: Traits = Traits {
    name: "gauss",
    summary: "event with forces by Gauss' principle of least constraint, of least norm",
    restitution: true,
    events: true,
    ..Traits::PLAIN
};

/// How joints are kept in smooth phases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JointMethod {
    /// Accelerations hold, positions and velocities are moved back onto the joints after every step.
    #[default]
    Projection,
    /// After every step the dependent coordinates and velocities follow from the independent ones.
    PartitioningSimple,
    /// The same, also within the steps.
    PartitioningFull,
    /// Accelerations hold with `−2 alpha gamma − beta² gap` (1/s); nothing is moved.
    Baumgarte {
        /// Damping, 1/s.
        alpha: f64,
        /// Frequency, 1/s.
        beta: f64,
    },
}

/// What the event-driven stepper needs to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventSettings {
    /// The Runge–Kutta pair.
    pub pair: Pair,
    /// Its accuracy, for coordinates (m, rad) and velocities (m/s, rad/s).
    pub accuracy: Accuracy,
    /// How joints are kept.
    pub joints: JointMethod,
}

impl EventSettings {
    /// Order eight to ten digits and more.
    pub const TIGHT: Self = Self {
        pair: Pair::Eight,
        accuracy: Accuracy { absolute: 1e-12, relative: 1e-12 },
        joints: JointMethod::Projection,
    };
}

impl EventSettings {
    /// Accuracy where nothing else is asked for, relative to the sizes of things.
    pub const ACCURACY: f64 = 1e-9;

    /// Where nothing else is asked for: order eight, [`ACCURACY`](Self::ACCURACY) of the size of the bodies, m, but no
    /// more than of a metre and a radian.
    pub fn of_size(size: Option<f64>) -> Self {
        let absolute = Self::ACCURACY * size.map_or(1.0, |size| size.min(1.0));
        Self {
            pair: Pair::Eight,
            accuracy: Accuracy { absolute, relative: Self::ACCURACY },
            joints: JointMethod::Projection,
        }
    }

    /// What `gauss` uses: order five, projection.
    pub fn gauss(accuracy: Accuracy) -> Self {
        Self { pair: Pair::Five, accuracy, joints: JointMethod::Projection }
    }
}
