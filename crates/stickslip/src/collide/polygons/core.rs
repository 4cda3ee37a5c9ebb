//! Where points are relative to a convex polygon with a radius (`shape/planar/core.rs`), and which of its features are
//! those of the whole shape that it is a piece of.

use super::super::Feature;
use super::super::box_point::direction;
use crate::shape::planar::Piece;
pub(in crate::collide) use crate::shape::planar::{Core, Room};
use nalgebra::Vector2;

/// Slack of the directions in which a vertex touches.
const CONE: f64 = 1e-6;

/// Where a point lies relative to a core's boundary.
pub(in crate::collide) struct Near {
    pub point: Vector2<f64>,
    /// Outward, towards the point if that is outside.
    pub normal: Vector2<f64>,
    /// Negative inside.
    pub distance: f64,
    pub code: u64,
}

impl<'a> Core<'a> {
    /// The core of a piece.
    pub(crate) fn of_piece(piece: &'a Piece) -> Core<'a> {
        Core { vertices: &piece.vertices, normals: &piece.normals, radius: 0.0, piece: Some(piece) }
    }

    /// True for a piece of a larger shape.
    pub(super) fn is_piece(&self) -> bool {
        self.piece.is_some()
    }

    pub(super) fn is_inner(&self, edge: usize) -> bool {
        self.piece.is_some_and(|piece| piece.inner[edge])
    }

    /// True when a contact at the feature of that code, with the rest of the world in direction d, is one of the whole
    /// shape. `closest`: whether the feature is the closest one, or one of several of a face.
    pub(crate) fn admits(&self, code: u64, d: &Vector2<f64>, closest: bool) -> bool {
        let Some(piece) = self.piece else { return true };
        let i = (code / 2) as usize;
        if code % 2 == 1 {
            return !piece.inner[i];
        }
        let [before, after] = piece.beside[i].map(|e| e.map_or(0.0, |e| e.dot(d)));
        let faces = piece.vertices.len() > 2 || !piece.inner[0] || piece.normals[1].dot(d) > -CONE;
        // eq. (1) of `outline.rs`; for a face's end only that the vertex is not reentrant
        faces && if closest { before > -CONE && after < CONE } else { before - after > -CONE }
    }

    /// What the feature of a code is.
    pub(in crate::collide) fn feature(&self, code: u64) -> Feature {
        if code % 2 == 0 { Feature::Point(self.radius) } else { Feature::Face }
    }

    /// The vertices with their codes; those that other pieces have too only once.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = (Vector2<f64>, u64)> + '_ {
        let owned = |i: usize| self.piece.is_none_or(|piece| piece.owns[i]);
        let all = self.vertices.iter().enumerate().filter(move |(i, _)| owned(*i));
        all.map(|(i, v)| (*v, 2 * i as u64))
    }

    pub(super) fn next(&self, i: usize) -> usize {
        if i + 1 == self.vertices.len() { 0 } else { i + 1 }
    }

    /// Direction and length of edge i.
    pub(super) fn along(&self, i: usize) -> (Vector2<f64>, f64) {
        let d = Vector2::new(-self.normals[i].y, self.normals[i].x);
        (d, d.dot(&(self.vertices[self.next(i)] - self.vertices[i])))
    }

    pub(super) fn size(&self) -> f64 {
        self.vertices.iter().map(Vector2::amax).fold(0.0, f64::max)
    }

    /// The closest point of the boundary to x. Inside, the nearest edge counts; the normal of an edge's region is that
    /// edge's, at whatever distance.
    pub(in crate::collide) fn closest(&self, x: &Vector2<f64>) -> Near {
        let (mut deepest, mut edge) = (f64::NEG_INFINITY, 0);
        for (i, n) in self.normals.iter().enumerate() {
            let (s, (d, length)) = (n.dot(&(x - self.vertices[i])), self.along(i));
            let u = d.dot(&(x - self.vertices[i]));
            if s > 0.0 && (0.0..=length).contains(&u) {
                (deepest, edge) = (s, i);
                break;
            }
            // A segment's two edges are no bounds along it: only points beside it count as inside.
            if s > deepest && (self.vertices.len() > 2 || (0.0..=length).contains(&u)) {
                (deepest, edge) = (s, i);
            }
        }
        if deepest <= 0.0 && deepest > f64::NEG_INFINITY && self.is_inner(edge) {
            // inside: the nearest edge of the boundary
            let depth = |i: &usize| self.normals[*i].dot(&(x - self.vertices[*i]));
            let real = (0..self.normals.len()).filter(|&i| !self.is_inner(i));
            if let Some(i) = real.reduce(|a, b| if depth(&b) > depth(&a) { b } else { a }) {
                (deepest, edge) = (depth(&i), i);
            }
        }
        let (d, length) = self.along(edge);
        let beside = (0.0..=length).contains(&d.dot(&(x - self.vertices[edge])));
        // of a segment's two edges one faces every point beside it, unless rounding has left only the other
        let inside = deepest <= 0.0 && (self.vertices.len() > 2 || deepest == 0.0);
        if deepest > f64::NEG_INFINITY && (inside || (deepest > 0.0 && beside)) {
            let n = self.normals[edge];
            return Near { point: x - n * deepest, normal: n, distance: deepest, code: 2 * edge as u64 + 1 };
        }
        let square = |i: usize| (x - self.vertices[i]).norm_squared();
        let i = (1..self.vertices.len()).fold(0, |best, i| if square(i) < square(best) { i } else { best });
        let (normal, distance) = direction(&(x - self.vertices[i])).unwrap_or((self.normals[i], 0.0));
        Near { point: self.vertices[i], normal, distance, code: 2 * i as u64 }
    }
}
