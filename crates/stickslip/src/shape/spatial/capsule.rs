//! Capsules: all points within a radius r of a segment of half length h along z.

use super::{Hull, Room, SpatialGeometry, box_about, principal};
use crate::audit::part::{self, Part};
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// All points within a radius of a segment along z, about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Radius, m.
    pub radius: f64,
    /// Half the length of the segment, m.
    pub half: f64,
}

impl SpatialGeometry for Capsule {
    fn outer_radius(&self) -> f64 {
        self.radius + self.half
    }

    fn smallest_extent(&self) -> f64 {
        2.0 * self.radius
    }

    fn volume(&self) -> Option<f64> {
        Some((4.0 / 3.0 * self.radius + 2.0 * self.half) * PI * self.radius * self.radius)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let (r, h) = (self.radius, self.half);
        // a cylinder and two half balls, whose centroids are 3r/8 beyond their centres
        let (middle, ends) = (2.0 * h, 4.0 / 3.0 * r);
        let across = middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
        let along = middle * 0.5 * r * r + ends * 0.4 * r * r;
        let all = middle + ends;
        principal([across / all, across / all, along / all])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, pose.r.column(2).abs() * self.half + Vector3::repeat(self.radius))
    }

    fn is_faceted(&self) -> bool {
        true
    }

    fn hull<'a>(&'a self, room: &'a mut Room) -> Option<Hull<'a>> {
        (room.0[0], room.0[1]) = (Vector3::z() * -self.half, Vector3::z() * self.half);
        let vertices = &room.0[..2];
        Some(Hull { vertices, faces: &[], corners: &[], edges: &[[0, 1]], radius: self.radius })
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let core = part::Core::Segment(Vector3::z() * self.half);
        out.push(Part::new(core, self.radius, [self.radius, self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Capsule { radius: self.radius, half: self.half })]
    }

    fn describe(&self) -> String {
        format!("capsule of radius {} m, {} m between the centres of its ends", self.radius, 2.0 * self.half)
    }
}
