//! The state of a system.

use crate::layer::LayerState;
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
    /// Where each joint stood when the state was reached, m or rad. A quaternion does not know how often a hinge went
    /// round: of the angles that it leaves open, the one nearest to this is meant. May be empty: then all stand about
    /// where they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<f64>,
    /// What visco-elastic layers do, ordered by contact, where a stepper follows that (`event`); empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerState>,
}

impl State {
    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.u.clone_from(&other.u);
        self.positions.clone_from(&other.positions);
        self.layers.clone_from(&other.layers);
    }

    /// True when nothing is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && self.q.iter().chain(&self.u).chain(&self.positions).all(|x| x.is_finite())
    }
}
