//! Contact of two convex polyhedra, each grown by a radius (`hull.rs`): the rule of `box_box.rs`.
//!
//! The separation along a unit vector n from a to b is (1) `s(n) = min_b n·x − max_a n·x`; its maximum s* over the face
//! normals of both and the cross products of their edges is minus the penetration depth of hulls that overlap, and a
//! lower bound on the distance of hulls apart.
//!
//! 1. The best face of a, of b and the best pair of edges are admitted if within 1e-6 of the smaller hull's size of s*,
//!    in that order.
//! 2. Faces: the facing face of the other hull, clipped to the reference face (`hull_clip.rs`), with least gap g. The
//!    first with `g = s*` (to rounding) is the answer. Edges: if they cross within both, the crossing is the answer,
//!    with the corners of the overlap of the faces beside them where those are within 60 degrees of the normal, or the
//!    ends of the part of the one edge that is over such a face beside the other.
//!    Two flat hulls that lie beside each other in one plane are apart, though none of these directions says so.
//! 3. If none and the hulls are apart, their closest points by enumeration: vertices with the other hull, pairs of
//!    edges.
//! 4. If none and they overlap, the overlap's corners along the best axis, and the deepest point.
//!
//! Pairs of edges that no face of the difference of the hulls is made of separate nothing (`arcs.rs`).
//! `toward.rs` finds the contacts that a step relies on.
//!
//! Points move out by the radii, gaps are less by both. Feature: `182 code_a + code_b`.

mod arcs;
mod toward;
mod writer;

use arcs::Arcs;
pub(super) use toward::{Moving, collide_toward, has_choice};

use super::ContactPoint;
use super::hull::{Hull, edge_code, face_code};
use super::hull_clip::{self, Corner, Manifold};
use crate::body::spatial::SpatialPose;
use crate::shape::ConvexPolyhedron;
use nalgebra::{Matrix3, Vector3};
pub(super) use writer::Writer;

const PREFERENCE: f64 = 1e-6;
const SIDE: f64 = 1e-9;
const ROUNDING: f64 = 1e-12;
/// Squared sine of the angle below which edges count as parallel: vertices are as close, to its square.
const PARALLEL: f64 = 1e-12;
/// Cosine of the angle between a pair of edges' normal and a face beside them, up to which its corners count.
const BESIDE: f64 = 0.5;

/// Two hulls in the frame of the first.
pub(super) struct View<'a> {
    pub a: Hull<'a>,
    pub b: Hull<'a>,
    /// The second hull's vertices.
    pub x: [Vector3<f64>; ConvexPolyhedron::MOST],
    /// Rotation from the second hull's frame to the first's.
    pub r: Matrix3<f64>,
}

/// A separating direction, away from the first hull of its view, and what it belongs to there.
#[derive(Clone, Copy)]
struct Axis {
    separation: f64,
    normal: Vector3<f64>,
    of: Of,
}

#[derive(Clone, Copy)]
enum Of {
    Face(usize),
    Edges(usize, usize),
}

impl<'a> View<'a> {
    pub(super) fn new((a, at): (Hull<'a>, &SpatialPose), (b, bt): (Hull<'a>, &SpatialPose)) -> Self {
        let (r, t) = (at.r.tr_mul(&bt.r), at.r.tr_mul(&(bt.p - at.p)));
        let mut x = [Vector3::zeros(); ConvexPolyhedron::MOST];
        for (x, v) in x.iter_mut().zip(b.vertices) {
            *x = t + r * v;
        }
        Self { a, b, x, r }
    }

    fn others(&self) -> &[Vector3<f64>] {
        &self.x[..self.b.vertices.len()]
    }

    /// The number of the second hull's vertex least far along n.
    fn support(&self, n: &Vector3<f64>) -> usize {
        let x = self.others();
        (1..x.len()).fold(0, |best, k| if n.dot(&x[k]) < n.dot(&x[best]) { k } else { best })
    }

    /// The first hull's face of greatest separation: the first unless a later one is better by more than rounding.
    fn best_face(&self, rounding: f64) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        for (f, face) in self.a.faces.iter().enumerate() {
            let separation = self.a.height(face, &self.x[self.support(&face.normal)]);
            if best.is_none_or(|axis| separation > axis.separation + rounding) {
                best = Some(Axis { separation, normal: face.normal, of: Of::Face(f) });
            }
        }
        best
    }

    /// The greatest separation across a side of the first hull, should it be flat: nothing else tells flat hulls in one
    /// plane apart.
    fn beside(&self) -> f64 {
        let [face, back] = self.a.faces else { return f64::NEG_INFINITY };
        if face.normal != -back.normal {
            return f64::NEG_INFINITY;
        }
        let ring = self.a.ring(face);
        let side = |k: usize| {
            let (p, q) = (self.a.vertex(ring[k][0]), self.a.vertex(ring[(k + 1) % ring.len()][0]));
            let out = (q - p).cross(&face.normal).normalize();
            out.dot(&(self.x[self.support(&out)] - p))
        };
        (0..ring.len()).map(side).fold(f64::NEG_INFINITY, f64::max)
    }

    fn arcs(&self) -> (Arcs, Arcs) {
        (Arcs::new(&self.a, &Matrix3::identity()), Arcs::new(&self.b, &self.r))
    }

    /// The ends of an edge of the first and of the second hull.
    fn edges(&self, i: usize, j: usize) -> [(Vector3<f64>, Vector3<f64>); 2] {
        let ([p, q], [v, w]) = (self.a.edges[i], self.b.edges[j]);
        let x = |k: u16| self.x[usize::from(k)];
        [(*self.a.vertex(p), self.a.vertex(q) - self.a.vertex(p)), (x(v), x(w) - x(v))]
    }

    /// The pair of edges of greatest separation above `least`.
    fn best_edges(&self, least: f64, rounding: f64) -> Option<Axis> {
        let (mut best, mut found) = (least, None);
        let (here, there) = self.arcs();
        for i in 0..self.a.edges.len() {
            for j in (0..self.b.edges.len()).filter(|j| here.meet(i, &there, *j)) {
                let [(p, d), (y, e)] = self.edges(i, j);
                let across = d.cross(&e);
                let square = across.norm_squared();
                if square < PARALLEL * d.norm_squared() * e.norm_squared() {
                    continue;
                }
                let across = across / square.sqrt();
                for normal in [across, -across] {
                    // The edges' distance bounds the separation, and is it where both hulls end at their edges.
                    let along = normal.dot(&(y - p));
                    if along <= best {
                        continue;
                    }
                    let top = self.a.vertices.iter().map(|v| normal.dot(v)).fold(f64::NEG_INFINITY, f64::max);
                    let separation = normal.dot(&self.x[self.support(&normal)]) - top; // eq. (1)
                    if separation > best && separation >= along - rounding {
                        best = separation;
                        found = Some(Axis { separation: along, normal, of: Of::Edges(i, j) });
                    }
                }
            }
        }
        found
    }

    /// A face of the first hull as an axis.
    fn along_face(&self, f: usize) -> Axis {
        let face = &self.a.faces[f];
        let separation = self.a.height(face, &self.x[self.support(&face.normal)]);
        Axis { separation, normal: face.normal, of: Of::Face(f) }
    }

    /// A pair of edges as an axis, eq. (1); the sense is the sign of their cross product. Parallel edges separate
    /// nothing.
    fn along_edges(&self, i: usize, j: usize, sense: f64) -> Axis {
        let [(_, d), (_, e)] = self.edges(i, j);
        let across = d.cross(&e) * sense;
        let length = across.norm();
        if length * length < PARALLEL * d.norm_squared() * e.norm_squared() {
            return Axis { separation: f64::NEG_INFINITY, normal: Vector3::z(), of: Of::Edges(i, j) };
        }
        let normal = across / length;
        let top = self.a.vertices.iter().map(|v| normal.dot(v)).fold(f64::NEG_INFINITY, f64::max);
        let separation = normal.dot(&self.x[self.support(&normal)]) - top;
        Axis { separation, normal, of: Of::Edges(i, j) }
    }

    /// Where two edges' lines are closest: the parameters from 0 to 1 on each, and the second's point there, clamped.
    fn crossing(&self, i: usize, j: usize) -> ([f64; 2], Vector3<f64>) {
        let [(p, d), (y, e)] = self.edges(i, j);
        let across = d.cross(&e);
        let (square, w) = (across.norm_squared(), y - p);
        let (s, t) = (w.cross(&e).dot(&across) / square, w.cross(&d).dot(&across) / square);
        ([s, t], y + e * t.clamp(0.0, 1.0))
    }

    /// The deepest point along an axis, carried onto the first hull, and its codes.
    fn deepest(&self, axis: &Axis) -> (Vector3<f64>, (u64, u64)) {
        let (point, codes) = match axis.of {
            Of::Face(f) => {
                let k = self.support(&axis.normal);
                (self.x[k], (face_code(f), k as u64))
            }
            Of::Edges(i, j) => (self.crossing(i, j).1, (edge_code(i), edge_code(j))),
        };
        (point - axis.normal * axis.separation, codes)
    }

    /// The overlap of the faces along an axis; beside a pair of edges the part of an edge over the other's face where
    /// its own faces are steep or missing, and none where those of both are.
    fn manifold(&self, axis: &Axis, tolerance: f64) -> Option<Manifold> {
        let (n, m) = (&axis.normal, -self.r.tr_mul(&axis.normal));
        match axis.of {
            // the face of the deepest vertex: of all faces the most opposed one may be elsewhere
            Of::Face(f) => {
                let k = self.support(n) as u16;
                let incident = self.b.facing(&m, |corner| corner[0] == k).map_or(0, |(f, _)| f);
                Some(hull_clip::manifold(self, n, (f, incident), tolerance))
            }
            Of::Edges(i, j) => {
                let shows =
                    |found: Option<(usize, f64)>| found.filter(|(_, up)| *up >= BESIDE).map(|(f, _)| f);
                let f = shows(self.a.facing(n, |corner| usize::from(corner[1]) == i));
                let g = shows(self.b.facing(&m, |corner| usize::from(corner[1]) == j));
                match (f, g) {
                    (Some(f), Some(g)) => Some(hull_clip::manifold(self, n, (f, g), tolerance)),
                    (Some(f), None) => Some(hull_clip::edge_over_face(self, n, (f, j), tolerance)),
                    (None, Some(g)) => Some(hull_clip::face_over_edge(self, n, (i, g), tolerance)),
                    (None, None) => None,
                }
            }
        }
    }

    /// The closest vertex of the second hull and point of the first.
    fn closest_vertex(&self) -> Pair {
        (0..self.others().len()).fold(Pair::NONE, |best, k| {
            let pair = self.with_vertex(k);
            if pair.distance < best.distance { pair } else { best }
        })
    }

    /// A vertex of the second hull and the closest point of the first.
    fn with_vertex(&self, k: usize) -> Pair {
        let near = self.a.closest(&self.x[k]);
        Pair { point: near.point, normal: near.normal, distance: near.distance, codes: (near.code, k as u64) }
    }

    /// An edge of the first hull and the segment that the second is, where they cross, along their common normal that
    /// is more like n.
    fn across(&self, i: usize, n: &Vector3<f64>) -> Option<Pair> {
        let [(p, d), (y, e)] = self.edges(i, 0);
        let across = d.cross(&e);
        let square = across.norm_squared();
        let ([s, t], _) = self.crossing(i, 0);
        let inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
        if square < PARALLEL * d.norm_squared() * e.norm_squared() || !inside {
            return None;
        }
        let normal = across * (across.dot(n).signum() / square.sqrt());
        let codes = (edge_code(i), edge_code(0));
        Some(Pair { point: p + d * s, normal, distance: normal.dot(&(y - p)), codes })
    }

    /// The closest insides of two edges.
    fn closest_edges(&self) -> Pair {
        let mut best = Pair::NONE;
        let (here, there) = self.arcs();
        for i in 0..self.a.edges.len() {
            for j in (0..self.b.edges.len()).filter(|j| here.meet(i, &there, *j)) {
                let [(p, d), (y, e)] = self.edges(i, j);
                let across = d.cross(&e);
                let square = across.norm_squared();
                if square < PARALLEL * d.norm_squared() * e.norm_squared() {
                    continue;
                }
                let along = (y - p).dot(&across) / square.sqrt();
                let ([s, t], _) = self.crossing(i, j);
                if along.abs() < best.distance && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
                    let normal = across * (along.signum() / square.sqrt());
                    let codes = (edge_code(i), edge_code(j));
                    best = Pair { point: p + d * s, normal, distance: along.abs(), codes };
                }
            }
        }
        best
    }
}

/// Points of two hulls, in the frame of the first: its point, the normal away from it, the distance, the codes.
#[derive(Clone, Copy)]
struct Pair {
    point: Vector3<f64>,
    normal: Vector3<f64>,
    distance: f64,
    codes: (u64, u64),
}

impl Pair {
    const NONE: Pair = Pair {
        point: Vector3::new(0.0, 0.0, 0.0),
        normal: Vector3::new(0.0, 0.0, 1.0),
        distance: f64::INFINITY,
        codes: (0, 0),
    };
}

/// The closest points of two hulls that do not overlap, and whether they are seen from the second.
fn closest(views: &[View; 2]) -> (bool, Pair) {
    let pairs = [views[0].closest_vertex(), views[0].closest_edges(), views[1].closest_vertex()];
    let k = (1..3).fold(0, |best, k| if pairs[k].distance < pairs[best].distance { k } else { best });
    (k == 2, pairs[k])
}

/// Appends the contact points of two hulls with a gap of at most `reach`.
pub(super) fn collide(
    a: (Hull, &SpatialPose),
    b: (Hull, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let views = [View::new(a, b), View::new(b, a)];
    let (size_a, size_b) = (a.0.size(), b.0.size());
    let (size, rounding) = (size_a.min(size_b), ROUNDING * (size_a + size_b));
    let faces = [0, 1].map(|v| views[v].best_face(rounding));
    let least = faces.iter().flatten().map(|axis| axis.separation).fold(f64::NEG_INFINITY, f64::max);
    if least - (a.0.radius + b.0.radius) > reach {
        return;
    }
    let edges = views[0].best_edges(least, rounding);
    let best = edges.map_or(least, |axis| axis.separation.max(least));
    let flat = a.0.faces.len() == 2 && b.0.faces.len() == 2;
    let beside = if flat { views[0].beside().max(views[1].beside()) } else { f64::NEG_INFINITY };
    if best.max(beside) - (a.0.radius + b.0.radius) > reach {
        return;
    }
    let first = out.len();
    let mut deeper: Option<(Writer, Option<Manifold>, Axis)> = None;
    let apart = best <= rounding && beside > rounding;
    for (on_b, axis) in [(false, faces[0]), (true, faces[1]), (false, edges)] {
        let counts = |axis: &Axis| !apart && axis.separation >= best - PREFERENCE * size;
        let Some(axis) = axis.filter(counts) else { continue };
        let (view, reference) = if on_b { (&views[1], b.1) } else { (&views[0], a.1) };
        let writer = Writer { view, reference, normal: axis.normal, on_b, reach, first };
        let manifold = view.manifold(&axis, SIDE * size);
        let answers = match axis.of {
            Of::Face(_) => manifold.as_ref().is_some_and(|m| (m.least_gap() - best).abs() <= rounding),
            Of::Edges(i, j) => view.crossing(i, j).0.iter().all(|s| (0.0..=1.0).contains(s)),
        };
        if answers {
            return writer.push_all(manifold.as_ref(), &axis, rounding, out);
        }
        if deeper.as_ref().is_none_or(|(.., other)| axis.separation > other.separation) {
            deeper = Some((writer, manifold, axis));
        }
    }
    if best > 0.0 || apart {
        let (on_b, Pair { point, normal, distance, codes }) = closest(&views);
        // closer than the tolerance the difference has no direction worth its name: the axis has
        if distance > SIDE * size {
            let (view, reference) = if on_b { (&views[1], b.1) } else { (&views[0], a.1) };
            return Writer { view, reference, normal, on_b, reach, first }.push(&point, distance, codes, out);
        }
    }
    if let Some((writer, manifold, axis)) = deeper {
        let (point, codes) = writer.view.deepest(&axis);
        writer.push(&point, axis.separation, codes, out);
        let above = |corner: &&Corner| corner.gap > axis.separation + rounding;
        for corner in manifold.iter().flat_map(|m| m.corners().iter().filter(above)) {
            writer.push(&corner.y, corner.gap, corner.codes, out);
        }
    }
}
