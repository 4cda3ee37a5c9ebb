//! Cuboids about the origin, `|x_k| <= h_k`. Corner k is on the positive side of axis i where bit i of k is set.

use super::{Face, Hull, Room, SpatialGeometry, box_about, principal};
use crate::audit::part::{self, Part};
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};

/// A cuboid about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half the extents along x, y and z, m.
    pub half: [f64; 3],
}

const fn face(index: usize, normal: [f64; 3]) -> Face {
    Face { normal: Vector3::new(normal[0], normal[1], normal[2]), first: 4 * index, end: 4 * index + 4 }
}

const FACES: [Face; 6] = [
    face(0, [-1.0, 0.0, 0.0]),
    face(1, [1.0, 0.0, 0.0]),
    face(2, [0.0, -1.0, 0.0]),
    face(3, [0.0, 1.0, 0.0]),
    face(4, [0.0, 0.0, -1.0]),
    face(5, [0.0, 0.0, 1.0]),
];
#[rustfmt::skip]
const CORNERS: [[u16; 2]; 24] = [
    [0, 8], [4, 6], [6, 10], [2, 4],
    [1, 5], [3, 11], [7, 7], [5, 9],
    [0, 0], [1, 9], [5, 2], [4, 8],
    [2, 10], [6, 3], [7, 11], [3, 1],
    [0, 4], [2, 1], [3, 5], [1, 0],
    [4, 2], [5, 7], [7, 3], [6, 6],
];
#[rustfmt::skip]
const EDGES: [[u16; 2]; 12] = [
    [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];

impl SpatialGeometry for Cuboid {
    fn outer_radius(&self) -> f64 {
        let [x, y, z] = self.half;
        x.hypot(y).hypot(z)
    }

    fn smallest_extent(&self) -> f64 {
        let [x, y, z] = self.half;
        2.0 * x.min(y).min(z)
    }

    fn volume(&self) -> Option<f64> {
        let [x, y, z] = self.half;
        Some(8.0 * x * y * z)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let [x, y, z] = self.half.map(|h| h * h);
        principal([(y + z) / 3.0, (x + z) / 3.0, (x + y) / 3.0])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, pose.r.abs() * Vector3::from(self.half))
    }

    fn is_faceted(&self) -> bool {
        true
    }

    fn hull<'a>(&'a self, room: &'a mut Room) -> Option<Hull<'a>> {
        Some(box_hull(self.half, 0.0, room))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let half = Vector3::from(self.half);
        out.push(Part::new(part::Core::Box(half), 0.0, [half.min(), self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Box { half: self.half })]
    }

    fn describe(&self) -> String {
        let [x, y, z] = self.half.map(|h| 2.0 * h);
        format!("box of {x} x {y} x {z} m")
    }
}

/// The polyhedron of a box, grown by a radius.
pub(super) fn box_hull(half: [f64; 3], radius: f64, room: &mut Room) -> Hull<'_> {
    let side = |k: usize, i: usize| if k >> i & 1 == 1 { half[i] } else { -half[i] };
    room.0 = std::array::from_fn(|k| Vector3::from_fn(|i, _| side(k, i)));
    Hull { vertices: &room.0, faces: &FACES, corners: &CORNERS, edges: &EDGES, radius }
}
