//! The state of a system.

use crate::function::Instant;
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
    /// On which side of kinks and jumps what is given is looked at, within a smooth phase of motion (`event`); empty
    /// elsewhere: there each is looked at as it is.
    #[serde(default, skip_serializing_if = "Branch::is_empty")]
    pub branch: Branch,
}

/// On which side of kinks and jumps functions and formulas are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The first and the last time of the smooth piece of functions of time, s.
    pub piece: Option<[f64; 2]>,
    /// The branches of formulas of the state, [`System::branches`](crate::system::System::branches).
    pub choices: Vec<f64>,
}

impl Branch {
    /// True when nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl State {
    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.u.clone_from(&other.u);
        self.positions.clone_from(&other.positions);
        self.layers.clone_from(&other.layers);
        self.branch.piece = other.branch.piece;
        self.branch.choices.clone_from(&other.branch.choices);
    }

    /// Its time, on the smooth piece that it holds.
    pub fn instant(&self) -> Instant {
        Instant { t: self.t, piece: self.branch.piece }
    }

    /// True when nothing is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && self.q.iter().chain(&self.u).chain(&self.positions).all(|x| x.is_finite())
    }
}
