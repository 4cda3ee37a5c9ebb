//! A convex polyhedron as the collision routines see it: vertices, faces, edges, grown by a radius. A box is one with
//! fixed faces and edges, a capsule one with two vertices, an edge and no face.
//!
//! A feature's code: vertices from 0, edges from 32, faces from 122; 182 in all.

use super::box_point::{corner, direction};
use crate::shape::{ConvexPolyhedron, Face, SpatialShape};
use nalgebra::Vector3;

/// How many codes features have.
pub(super) const CODES: u64 = 182;

/// The code of an edge.
pub(super) fn edge_code(edge: usize) -> u64 {
    32 + edge as u64
}

/// The code of a face.
pub(super) fn face_code(face: usize) -> u64 {
    122 + face as u64
}

/// A polyhedron in its body's frame, with its radius.
#[derive(Clone, Copy)]
pub(super) struct Hull<'a> {
    pub vertices: &'a [Vector3<f64>],
    pub faces: &'a [Face],
    pub corners: &'a [[u16; 2]],
    pub edges: &'a [[u16; 2]],
    pub radius: f64,
}

/// Where a point lies relative to a hull's surface.
pub(super) struct Near {
    pub point: Vector3<f64>,
    /// Outward, towards the point if that is outside.
    pub normal: Vector3<f64>,
    /// Negative inside.
    pub distance: f64,
    pub code: u64,
}

/// Room for the vertices of a hull that is not stored.
#[derive(Default)]
pub(super) struct Room([Vector3<f64>; 8]);

const fn face(index: usize, normal: [f64; 3]) -> Face {
    Face { normal: Vector3::new(normal[0], normal[1], normal[2]), first: 4 * index, end: 4 * index + 4 }
}

const BOX_FACES: [Face; 6] = [
    face(0, [-1.0, 0.0, 0.0]),
    face(1, [1.0, 0.0, 0.0]),
    face(2, [0.0, -1.0, 0.0]),
    face(3, [0.0, 1.0, 0.0]),
    face(4, [0.0, 0.0, -1.0]),
    face(5, [0.0, 0.0, 1.0]),
];
#[rustfmt::skip]
const BOX_CORNERS: [[u16; 2]; 24] = [
    [0, 8], [4, 6], [6, 10], [2, 4],
    [1, 5], [3, 11], [7, 7], [5, 9],
    [0, 0], [1, 9], [5, 2], [4, 8],
    [2, 10], [6, 3], [7, 11], [3, 1],
    [0, 4], [2, 1], [3, 5], [1, 0],
    [4, 2], [5, 7], [7, 3], [6, 6],
];
#[rustfmt::skip]
const BOX_EDGES: [[u16; 2]; 12] = [
    [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];

impl<'a> Hull<'a> {
    /// The hull of a shape; none for those that have none.
    pub fn new(shape: &'a SpatialShape, room: &'a mut Room) -> Option<Hull<'a>> {
        match shape {
            SpatialShape::Convex(hull) => Some(Self::stored(hull)),
            SpatialShape::Box { half } => {
                let half = Vector3::from(*half);
                room.0 = std::array::from_fn(|k| corner(k, &half));
                let (faces, corners, edges) = (&BOX_FACES, &BOX_CORNERS, &BOX_EDGES);
                Some(Hull { vertices: &room.0, faces, corners, edges, radius: 0.0 })
            }
            SpatialShape::Capsule { radius, half } => {
                (room.0[0], room.0[1]) = (Vector3::z() * -*half, Vector3::z() * *half);
                let edges = &BOX_EDGES[..1];
                Some(Hull { vertices: &room.0[..2], faces: &[], corners: &[], edges, radius: *radius })
            }
            _ => None,
        }
    }

    /// The hull of a stored polyhedron.
    pub fn stored(hull: &'a ConvexPolyhedron) -> Hull<'a> {
        let (vertices, faces) = (hull.vertices(), hull.faces());
        Hull { vertices, faces, corners: hull.corners(), edges: hull.edges(), radius: 0.0 }
    }

    /// The extent that tolerances refer to.
    pub fn size(&self) -> f64 {
        self.vertices.iter().map(|v| v.amax()).fold(0.0, f64::max)
    }

    /// A face's vertices with the numbers of the edges that follow them.
    pub fn ring(&self, face: &Face) -> &'a [[u16; 2]] {
        &self.corners[face.first..face.end]
    }

    /// The face that n points out of most, of those with such a corner, and the cosine; later ones must be better by 1e-6.
    pub fn facing(&self, n: &Vector3<f64>, has: impl Fn(&[u16; 2]) -> bool) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (f, face) in self.faces.iter().enumerate().filter(|(_, face)| self.ring(face).iter().any(&has)) {
            let cosine = face.normal.dot(n);
            if best.is_none_or(|(_, other)| cosine > other + 1e-6) {
                best = Some((f, cosine));
            }
        }
        best
    }

    /// A vertex by its number in a ring.
    pub fn vertex(&self, number: u16) -> &'a Vector3<f64> {
        &self.vertices[usize::from(number)]
    }

    /// How far a point lies above a face.
    pub fn height(&self, face: &Face, x: &Vector3<f64>) -> f64 {
        face.normal.dot(&(x - self.vertex(self.corners[face.first][0])))
    }

    /// The closest point of the surface to x. Inside, the nearest face counts; over a face the normal is that face's, at
    /// whatever distance.
    pub fn closest(&self, x: &Vector3<f64>) -> Near {
        let (mut deepest, mut on) = (f64::NEG_INFINITY, 0);
        for (f, face) in self.faces.iter().enumerate() {
            let height = self.height(face, x);
            if height > 0.0 && self.is_over(face, x) {
                (deepest, on) = (height, f);
                break;
            }
            if height > deepest {
                (deepest, on) = (height, f);
            }
        }
        if let Some(face) = self.faces.get(on)
            && (deepest <= 0.0 || self.is_over(face, x))
        {
            let (normal, code) = (face.normal, face_code(on));
            return Near { point: x - normal * deepest, normal, distance: deepest, code };
        }
        let mut best = (f64::INFINITY, *x, 0, Vector3::zeros());
        for (k, v) in self.vertices.iter().enumerate() {
            let square = (x - v).norm_squared();
            if square < best.0 {
                best = (square, *v, k as u64, Vector3::zeros());
            }
        }
        for (e, [i, j]) in self.edges.iter().enumerate() {
            let (p, d) = (self.vertex(*i), self.vertex(*j) - self.vertex(*i));
            let s = d.dot(&(x - p)) / d.norm_squared();
            let point = p + d * s;
            let square = (x - point).norm_squared();
            if s > 0.0 && s < 1.0 && square < best.0 {
                best = (square, point, edge_code(e), d / d.norm());
            }
        }
        // What rounding left of it along the edge is taken out again: near the edge it would tilt the normal.
        let away = x - best.1;
        let away = away - best.3 * best.3.dot(&away);
        let (normal, distance) = direction(&away).unwrap_or((Vector3::z(), 0.0));
        Near { point: best.1, normal, distance, code: best.2 }
    }

    /// True when a point lies over the inside of a face.
    fn is_over(&self, face: &Face, x: &Vector3<f64>) -> bool {
        let ring = self.ring(face);
        (0..ring.len()).all(|m| {
            let (p, q) = (self.vertex(ring[m][0]), self.vertex(ring[(m + 1) % ring.len()][0]));
            (q - p).cross(&face.normal).dot(&(x - p)) <= 0.0
        })
    }
}
