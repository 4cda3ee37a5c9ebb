//! A spring with dampers between two points [Berard 2009, eq. 2.131]. With `n` the unit vector from a to b, `l` the
//! distance and `v` the relative velocity of the points, the force on b is
//!
//! ```text
//! −k (l − l0) n  −  c_along n (n · v)  −  c_across (v − n (n · v))                      (1)
//! ```

use super::Moving;
use crate::joint::Side;
use nalgebra::Vector3;

/// The spring.
#[derive(Clone, Debug)]
pub struct Spring {
    /// Its name.
    pub name: String,
    /// First end.
    pub a: Side,
    /// Second end.
    pub b: Side,
    /// Stiffness k, N/m.
    pub stiffness: f64,
    /// Rest length l0, m.
    pub rest: f64,
    /// Damping along the line of the two points, N s/m.
    pub along: f64,
    /// Damping across it, N s/m.
    pub across: f64,
}

/// What a spring does at one state.
#[derive(Clone, Copy, Debug)]
pub struct SpringForce {
    /// The points in the world, m.
    pub points: [Vector3<f64>; 2],
    /// Force of the spring on b, N.
    pub elastic: Vector3<f64>,
    /// Force of the dampers on b, N.
    pub damping: Vector3<f64>,
    /// Energy in the spring, J.
    pub potential: f64,
}

impl Spring {
    /// Eq. (1). Where the points coincide the spring has no direction and pulls nowhere.
    pub fn evaluate(&self, a: &Moving, b: &Moving) -> SpringForce {
        let ((p_a, v_a), (p_b, v_b)) = (a.point(&self.a.p), b.point(&self.b.p));
        let (between, v) = (p_b - p_a, v_b - v_a);
        let l = between.norm();
        let n = if l > 0.0 { between / l } else { Vector3::zeros() };
        let stretch = l - self.rest;
        let along = n * n.dot(&v);
        SpringForce {
            points: [p_a, p_b],
            elastic: -self.stiffness * stretch * n,
            damping: -self.along * along - self.across * (v - along),
            potential: 0.5 * self.stiffness * stretch * stretch,
        }
    }
}
