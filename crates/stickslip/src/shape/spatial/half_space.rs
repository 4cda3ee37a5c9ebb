//! The half-space: everything below z = 0.

use super::SpatialGeometry;
use crate::audit::part::{self, Part};
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};

/// Everything below z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace;

impl SpatialGeometry for HalfSpace {
    fn outer_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn smallest_extent(&self) -> f64 {
        f64::INFINITY
    }

    fn volume(&self) -> Option<f64> {
        None
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        None
    }

    fn bounds(&self, _: &SpatialPose) -> Aabb {
        Aabb::EVERYTHING
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::new(part::Core::HalfSpace(Vector3::z()), 0.0, [f64::INFINITY; 2]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::HalfSpace)]
    }

    fn describe(&self) -> String {
        "half-space".to_owned()
    }
}
