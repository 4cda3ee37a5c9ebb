//! A visco-elastic layer on a rigid core, [Berard 2009, §2.4.4 and §3.5.2]. With the deflection delta of the layer at a
//! contact, normal component first, positive when pressed in,
//!
//! ```text
//! lambda_s = K delta + C d delta/dt                                                     (1) Kelvin and Voigt
//! 0 <= lambda_s,n ⟂ gap + delta_n >= 0                                                  (2) it keeps to the body
//! 0 <= lambda_r ⟂ depth − delta_n >= 0,   lambda_n = lambda_s,n + lambda_r              (3) the core is rigid
//! ```
//!
//! and Coulomb's law between the tangential force and the slip of the body on the layer's surface, which is the bodies'
//! relative velocity plus `d delta_t/dt`. The gap is that of the undeformed surfaces.

mod on_cores;

pub use on_cores::{OnCores, refusal};
pub(crate) use on_cores::{is_pressed, of_contact};

use crate::system::ConstraintId;
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

/// The layer between two surfaces. Matrices are in the contact's frame: normal, first tangent, second tangent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Rows that give way: 1 for the normal alone (rigid along the surface), or the normal and all tangents.
    pub rows: usize,
    /// Stiffness K, N/m; symmetric and positive definite in its first `rows` rows.
    pub stiffness: Matrix3<f64>,
    /// Damping C, N s/m; symmetric and positive semidefinite in its first `rows` rows.
    pub damping: Matrix3<f64>,
    /// Deflection at which the rigid core is reached, m.
    pub depth: f64,
}

impl Layer {
    /// Elastic energy of a deflection, J.
    pub fn energy(&self, delta: &[f64; 3]) -> f64 {
        let d = nalgebra::Vector3::from(*delta);
        0.5 * d.dot(&(self.stiffness * d))
    }

    /// The force of a layer that keeps to the body along the normal, eq. (1), N, at a gap of the undeformed surfaces
    /// and its rate.
    pub fn normal_force(&self, gap: f64, rate: f64) -> f64 {
        -self.stiffness[(0, 0)] * gap - self.damping[(0, 0)] * rate
    }

    /// The deflection at a time of a layer that was let go, m: eq. (1) without a force.
    pub(crate) fn recovering(&self, state: &LayerState, t: f64) -> f64 {
        state.deflection * (-self.recovery() * (t - state.since)).exp()
    }

    /// The rate of that recovery, 1/s; infinite where nothing damps it.
    pub(crate) fn recovery(&self) -> f64 {
        self.stiffness[(0, 0)] / self.damping[(0, 0)]
    }
}

/// What a layer does where its motion is followed exactly: it keeps to the body, or has been let go and recovers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerState {
    /// The contact.
    pub id: ConstraintId,
    /// True while it keeps to the body.
    pub pressed: bool,
    /// Where it was let go, m.
    pub deflection: f64,
    /// When, s.
    pub since: f64,
}
