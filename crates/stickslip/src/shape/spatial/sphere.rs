//! Balls: all points within a radius of the origin; with radius zero a point.

use super::{Implicit, SpatialGeometry, box_about, principal};
use crate::audit::part::{self, Part};
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
}

impl SpatialGeometry for Sphere {
    fn outer_radius(&self) -> f64 {
        self.radius
    }

    fn smallest_extent(&self) -> f64 {
        2.0 * self.radius
    }

    fn volume(&self) -> Option<f64> {
        Some(4.0 / 3.0 * PI * self.radius.powi(3))
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        principal([0.4 * self.radius * self.radius; 3])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, Vector3::repeat(self.radius))
    }

    fn implicit(&self) -> Option<Implicit> {
        Some(Implicit::ellipsoid([self.radius; 3]))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::new(part::Core::Point, self.radius, [self.radius; 2]));
    }

    fn solids(&self) -> Vec<Placed> {
        let solid = if self.radius == 0.0 { Solid::Point } else { Solid::Sphere { radius: self.radius } };
        vec![Placed::here(solid)]
    }

    fn describe(&self) -> String {
        format!("sphere of radius {} m", self.radius)
    }
}
