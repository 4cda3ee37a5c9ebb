//! The state of a system.

use serde::{Deserialize, Serialize};

/// Time, coordinates and velocities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Generalized coordinates (m, rad, quaternion entries).
    pub q: Vec<f64>,
    /// Generalized velocities (m/s, rad/s).
    pub u: Vec<f64>,
}

impl State {
    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.u.clone_from(&other.u);
    }

    /// True when nothing is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && self.q.iter().chain(&self.u).all(|x| x.is_finite())
    }
}
