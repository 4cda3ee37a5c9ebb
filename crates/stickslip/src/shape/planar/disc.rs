//! Discs: all points within a radius of the origin; with radius zero a point.

use super::{PlanarGeometry, box_about};
use crate::audit::part::{self, Part};
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::Vector2;
use std::f64::consts::PI;

/// A disc about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Radius, m.
    pub radius: f64,
}

impl PlanarGeometry for Disc {
    fn outer_radius(&self) -> f64 {
        self.radius
    }

    fn smallest_extent(&self) -> f64 {
        2.0 * self.radius
    }

    fn area(&self) -> Option<f64> {
        Some(PI * self.radius * self.radius)
    }

    fn unit_inertia(&self) -> Option<f64> {
        Some(0.5 * self.radius * self.radius)
    }

    fn mean_distance(&self) -> Option<f64> {
        Some(2.0 / 3.0 * self.radius)
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        box_about(&pose.p, &Vector2::repeat(self.radius))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::new(part::Core::Point, self.radius, [self.radius; 2]));
    }

    fn solids(&self) -> Vec<Placed> {
        let solid = if self.radius == 0.0 { Solid::Point } else { Solid::Disc { radius: self.radius } };
        vec![Placed::here(solid)]
    }

    fn describe(&self) -> String {
        format!("disc of radius {} m", self.radius)
    }
}
