//! Linear drag: `F = −linear v`, `T = −angular omega`.

use super::Moving;
use nalgebra::Vector3;

/// The drag on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Index of the body.
    pub body: usize,
    /// Resistance to translation, N s/m.
    pub linear: f64,
    /// Resistance to rotation, N m s.
    pub angular: f64,
}

impl Drag {
    /// Force and torque.
    pub fn evaluate(&self, body: &Moving) -> (Vector3<f64>, Vector3<f64>) {
        (-self.linear * body.v, -self.angular * body.omega)
    }
}
