//! Rectangles about the origin, `|x| <= h_x, |y| <= h_y`.

use super::{Core, PlanarGeometry, Room, box_about, distances};
use crate::audit::part::{self, Part};
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Vector2, Vector3};

/// A rectangle about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Half the extents along x and y, m.
    pub half: [f64; 2],
}

impl PlanarGeometry for Rectangle {
    fn outer_radius(&self) -> f64 {
        let [x, y] = self.half;
        x.hypot(y)
    }

    fn smallest_extent(&self) -> f64 {
        let [x, y] = self.half;
        2.0 * x.min(y)
    }

    fn area(&self) -> Option<f64> {
        let [x, y] = self.half;
        Some(4.0 * x * y)
    }

    fn unit_inertia(&self) -> Option<f64> {
        let [x, y] = self.half;
        Some((x * x + y * y) / 3.0)
    }

    fn mean_distance(&self) -> Option<f64> {
        let [x, y] = self.half;
        let corners = [[x, y], [-x, y], [-x, -y], [x, -y]].map(Vector2::from);
        Some(distances(&corners) / (4.0 * x * y))
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        let ([x, y], cos, sin) = (self.half, pose.cos.abs(), pose.sin.abs());
        box_about(&pose.p, &Vector2::new(cos * x + sin * y, sin * x + cos * y))
    }

    fn core<'a>(&'a self, room: &'a mut Room) -> Option<Core<'a>> {
        let [x, y] = self.half;
        let edges =
            [[[-x, -y], [0.0, -1.0]], [[x, -y], [1.0, 0.0]], [[x, y], [0.0, 1.0]], [[-x, y], [-1.0, 0.0]]];
        Some(room.core(edges, 0.0))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let [x, y] = self.half;
        out.push(Part::new(part::Core::Box(Vector3::new(x, y, 0.0)), 0.0, [x.min(y), x.hypot(y)]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Rectangle { half: self.half })]
    }

    fn describe(&self) -> String {
        let [x, y] = self.half;
        format!("box of {} x {} m", 2.0 * x, 2.0 * y)
    }
}
