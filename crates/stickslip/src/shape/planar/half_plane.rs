//! The half-plane: everything below y = 0.

use super::PlanarGeometry;
use crate::audit::part::{self, Part};
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::Vector3;

/// Everything below y = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane;

impl PlanarGeometry for HalfPlane {
    fn outer_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn smallest_extent(&self) -> f64 {
        f64::INFINITY
    }

    fn area(&self) -> Option<f64> {
        None
    }

    fn unit_inertia(&self) -> Option<f64> {
        None
    }

    fn bounds(&self, _: &PlanarPose) -> Aabb {
        Aabb::EVERYTHING
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::new(part::Core::HalfSpace(Vector3::y()), 0.0, [f64::INFINITY; 2]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::HalfPlane)]
    }

    fn describe(&self) -> String {
        "half-plane".to_owned()
    }
}
