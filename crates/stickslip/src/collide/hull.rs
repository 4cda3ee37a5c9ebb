//! Where points are relative to a convex polyhedron with a radius (`shape/spatial/hull.rs`).

use super::Feature;
use super::box_point::direction;
use crate::shape::Face;
pub(super) use crate::shape::spatial::{CODES, Hull, Room, edge_code, face_code};
use nalgebra::Vector3;

/// Where a point lies relative to a hull's surface.
pub(super) struct Near {
    pub point: Vector3<f64>,
    /// Outward, towards the point if that is outside.
    pub normal: Vector3<f64>,
    /// Negative inside.
    pub distance: f64,
    pub code: u64,
}

impl<'a> Hull<'a> {
    /// The extent that tolerances refer to.
    pub(crate) fn size(&self) -> f64 {
        self.vertices.iter().map(|v| v.amax()).fold(0.0, f64::max)
    }

    /// What the feature of a code is; `turn` takes directions to the world.
    pub(super) fn feature(&self, code: u64, turn: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Feature {
        if code >= face_code(0) {
            return Feature::Face;
        }
        let Some(edge) = code.checked_sub(edge_code(0)) else { return Feature::Point(self.radius) };
        let Some([i, j]) = self.edges.get(edge as usize) else { return Feature::Curved };
        let d = self.vertex(*j) - self.vertex(*i);
        Feature::Line(turn(d / d.norm()), self.radius)
    }

    /// A face's vertices with the numbers of the edges that follow them.
    pub(crate) fn ring(&self, face: &Face) -> &'a [[u16; 2]] {
        &self.corners[face.first..face.end]
    }

    /// The face that n points out of most, of those with such a corner, and the cosine; later ones must be better by
    /// 1e-6.
    pub(crate) fn facing(&self, n: &Vector3<f64>, has: impl Fn(&[u16; 2]) -> bool) -> Option<(usize, f64)> {
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
    pub(crate) fn vertex(&self, number: u16) -> &'a Vector3<f64> {
        &self.vertices[usize::from(number)]
    }

    /// How far a point lies above a face.
    pub(crate) fn height(&self, face: &Face, x: &Vector3<f64>) -> f64 {
        face.normal.dot(&(x - self.vertex(self.corners[face.first][0])))
    }

    /// The closest point of the surface to x. Inside, the nearest face counts; over a face the normal is that face's,
    /// at whatever distance.
    pub(super) fn closest(&self, x: &Vector3<f64>) -> Near {
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
