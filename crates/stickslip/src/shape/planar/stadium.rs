//! Stadiums, the capsules of the plane: all points within a radius r of a segment of half length h along x.

use super::{Core, PlanarGeometry, Room, box_about};
use crate::audit::part::{self, Part};
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::PI;

/// All points within a radius of a segment along x, about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stadium {
    /// Radius, m.
    pub radius: f64,
    /// Half the length of the segment, m.
    pub half: f64,
}

impl PlanarGeometry for Stadium {
    fn outer_radius(&self) -> f64 {
        self.radius + self.half
    }

    fn smallest_extent(&self) -> f64 {
        2.0 * self.radius
    }

    fn area(&self) -> Option<f64> {
        Some((PI * self.radius + 4.0 * self.half) * self.radius)
    }

    fn unit_inertia(&self) -> Option<f64> {
        let (r, h) = (self.radius, self.half);
        // a rectangle and two half discs, whose centroids are 4r/3π beyond their centres
        let (middle, ends) = (4.0 * h, PI * r);
        let of_ends = 0.5 * r * r + h * h + 8.0 / (3.0 * PI) * h * r;
        Some((middle * (h * h + r * r) / 3.0 + ends * of_ends) / (middle + ends))
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        let along = Vector2::new(pose.cos.abs(), pose.sin.abs()) * self.half;
        box_about(&pose.p, &(along + Vector2::repeat(self.radius)))
    }

    fn core<'a>(&'a self, room: &'a mut Room) -> Option<Core<'a>> {
        let h = self.half;
        Some(room.core([[[-h, 0.0], [0.0, -1.0]], [[h, 0.0], [0.0, 1.0]]], self.radius))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let core = part::Core::Segment(Vector3::x() * self.half);
        out.push(Part::new(core, self.radius, [self.radius, self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Stadium { radius: self.radius, half: self.half })]
    }

    fn describe(&self) -> String {
        format!("capsule of radius {} m, {} m between the centres of its ends", self.radius, 2.0 * self.half)
    }
}
