//! Ellipsoids about the origin, `(x/a)² + (y/b)² + (z/c)² <= 1`: smooth solids (`implicit.rs`) with exponents 2.

use super::curved::Smooth;
use super::{Curved, Implicit, SpatialGeometry, box_about, principal};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// An ellipsoid about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Semi-axes along x, y and z, m.
    pub semi_axes: [f64; 3],
}

impl SpatialGeometry for Ellipsoid {
    fn outer_radius(&self) -> f64 {
        let [x, y, z] = self.semi_axes;
        x.max(y).max(z)
    }

    fn smallest_extent(&self) -> f64 {
        let [x, y, z] = self.semi_axes;
        2.0 * x.min(y).min(z)
    }

    fn volume(&self) -> Option<f64> {
        let [x, y, z] = self.semi_axes;
        Some(4.0 / 3.0 * PI * x * y * z)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let [x, y, z] = self.semi_axes.map(|a| 0.2 * a * a);
        principal([y + z, x + z, x + y])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, self.function().reach(&pose.r))
    }

    fn curved(&self) -> Option<&dyn Curved> {
        Some(self)
    }

    fn implicit(&self) -> Option<Implicit> {
        Some(self.function())
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::curved(*self, [Vector3::from(self.semi_axes).min(), self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Ellipsoid { semi_axes: self.semi_axes })]
    }

    fn describe(&self) -> String {
        let [x, y, z] = self.semi_axes;
        format!("ellipsoid of semi-axes {x}, {y} and {z} m")
    }
}

impl Smooth for Ellipsoid {
    fn function(&self) -> Implicit {
        Implicit::ellipsoid(self.semi_axes)
    }
}
