//! Contact of a capsule and a box, in the box's frame: the segment `c + z d, |z| <= l`, and `|x_k| <= h_k`.
//!
//! **Segment outside the box.** Closest points of a segment and a box are an end and anything, the inside of the
//! segment and a vertex, or the insides of the segment and of an edge. Each is a contact of parts of the bodies, so its
//! gap is never less than the bodies' and its rate exact; together they hold the closest points, and a capsule lying on
//! a face touches where its ends are, or where its segment crosses the rim.
//!
//! 1. Both ends with the box (`box_point.rs`).
//! 2. Each vertex whose closest point on the segment is inside it.
//! 3. Each edge e whose closest points with the segment's line lie inside both, the normal `± e × d`, at the
//!    parameters of eq. (1) of `box_closest.rs`.
//!
//! Vertices and edges that face away are left out: those where the normal points inwards by more than 30 degrees from
//! one of their faces.
//!
//! **Segment through the box.** The separation is the greatest of
//!
//! (1) faces: `|c_i| − l |d_i| − h_i`, (2) edges: `|n · c| − sum_k h_k |n_k|`, `n = e_i × d / |e_i × d|`,
//!
//! and the contact is the deepest end, or for (2) the segment's point closest to the edge. It is one contact only: the
//! capsule is then deeper in than its radius.
//!
//! Feature: `27 code + box code`, the first 0 for the inside of the segment, 1 and 2 for its ends.

use super::ContactPoint;
use super::box_point::feature as box_feature;
use super::box_point::{SPATIAL_CODES, closest, corner, corner_code, corner_sign, digit, direction};
use super::capsules::Capsule;
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector3};

/// Sine of the angle by which the normal at an edge or vertex may point inwards.
const INWARDS: f64 = 0.5;
/// Sine of the angle below which an edge counts as parallel: the ends are as close, to its square.
const PARALLEL: f64 = 1e-6;

/// The segment in the box's frame.
struct Segment {
    c: Vector3<f64>,
    d: Vector3<f64>,
    l: f64,
    h: Vector3<f64>,
}

/// Points of the box and the segment: the box's, the normal away from it, the distance, and the codes.
struct Pair {
    point: Vector3<f64>,
    normal: Vector3<f64>,
    distance: f64,
    codes: (u64, u64),
}

/// Appends the contacts of a capsule with a box.
pub(super) fn collide(
    a: Capsule,
    (half, pose): (&[f64; 3], &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let axis: Vector3<f64> = a.pose.r.column(2).into();
    let (c, d) = (pose.r.tr_mul(&(a.pose.p - pose.p)), pose.r.tr_mul(&axis));
    let segment = Segment { c, d, l: a.half, h: (*half).into() };
    let mut push = |pair: Pair| {
        let gap = pair.distance - a.radius;
        if gap > reach {
            return;
        }
        let normal = pose.r * pair.normal;
        let p_b = pose.p + pose.r * pair.point;
        let feature = SPATIAL_CODES * pair.codes.0 + pair.codes.1;
        let on_box = box_feature::<3>(pair.codes.1, |k| pose.r.column(k).into());
        let features = [a.feature(pair.codes.0), on_box];
        out.push(ContactPoint { p_a: p_b + normal * gap, p_b, normal, gap, feature, features });
    };
    let through = segment.through();
    if through.distance <= 0.0 && segment.meets() {
        return push(through);
    }
    if through.distance - a.radius > reach {
        return;
    }
    segment.ends().for_each(&mut push);
    (0..8).filter_map(|index| segment.vertex(index)).for_each(&mut push);
    for axis in 0..3 {
        (0..4).filter_map(|index| segment.edge(axis, index)).for_each(&mut push);
    }
}

impl Segment {
    fn at(&self, z: f64) -> Vector3<f64> {
        self.c + self.d * z
    }

    /// True when the segment has a point in the box: the stretches between the three pairs of faces overlap.
    fn meets(&self) -> bool {
        let (mut from, mut to) = (-self.l, self.l);
        for k in 0..3 {
            if self.d[k] == 0.0 {
                if self.c[k].abs() > self.h[k] {
                    return false;
                }
                continue;
            }
            let [x, y] = [-self.h[k], self.h[k]].map(|face| (face - self.c[k]) / self.d[k]);
            (from, to) = (from.max(x.min(y)), to.min(x.max(y)));
        }
        from <= to
    }

    fn ends(&self) -> impl Iterator<Item = Pair> + '_ {
        [(-1.0, 1), (1.0, 2)].into_iter().map(|(side, code)| {
            let near = closest(&self.at(side * self.l), &self.h);
            Pair { point: near.point, normal: near.normal, distance: near.distance, codes: (code, near.code) }
        })
    }

    /// A vertex and the inside of the segment.
    fn vertex(&self, index: usize) -> Option<Pair> {
        let point = corner(index, &self.h);
        let z = self.d.dot(&(point - self.c));
        let (normal, distance) = direction(&(self.at(z) - point))?;
        let faces_it = (0..3).all(|k| normal[k] * corner_sign(index, k) > -INWARDS);
        let codes = (0, corner_code::<3>(index));
        (z.abs() < self.l && faces_it).then_some(Pair { point, normal, distance, codes })
    }

    /// The insides of one of the four edges along an axis and of the segment.
    fn edge(&self, axis: usize, index: usize) -> Option<Pair> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let signs = [corner_sign(index, 0), corner_sign(index, 1)];
        let square = self.d[u] * self.d[u] + self.d[v] * self.d[v];
        if square < PARALLEL * PARALLEL {
            return None;
        }
        let (mut normal, mut point) = (Vector3::zeros(), Vector3::zeros());
        (normal[u], normal[v]) = (-self.d[v] / square.sqrt(), self.d[u] / square.sqrt());
        (point[u], point[v]) = (signs[0] * self.h[u], signs[1] * self.h[v]);
        let w = self.c - point;
        // the edge's own direction has no part in the distance of the lines
        let z = -(w[u] * self.d[u] + w[v] * self.d[v]) / square;
        let x = self.c[axis] + z * self.d[axis];
        if x.abs() >= self.h[axis] || z.abs() >= self.l {
            return None;
        }
        let mut distance = normal.dot(&w);
        if distance < 0.0 {
            (normal, distance) = (-normal, -distance);
        }
        point[axis] = x;
        let faces_it = normal[u] * signs[0] > -INWARDS && normal[v] * signs[1] > -INWARDS;
        let codes = (0, digit(u, signs[0]) + digit(v, signs[1]));
        faces_it.then_some(Pair { point, normal, distance, codes })
    }

    /// The greatest separation, eq. (1) and (2), with its pair of points.
    fn through(&self) -> Pair {
        let faces = self.c.abs() - self.d.abs() * self.l - self.h;
        let i = faces.imax();
        let mut normal = Vector3::zeros();
        normal[i] = if self.c[i] < 0.0 { -1.0 } else { 1.0 };
        let end = if normal[i] * self.d[i] < 0.0 { (1.0, 2) } else { (-1.0, 1) };
        let point = self.at(end.0 * self.l) - normal * faces[i];
        let mut best = Pair { point, normal, distance: faces[i], codes: (end.1, digit(i, normal[i])) };
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let length = self.d[u].hypot(self.d[v]);
            if length < PARALLEL {
                continue;
            }
            let mut n = Matrix3::identity().column(axis).cross(&self.d) / length;
            if n.dot(&self.c) < 0.0 {
                n = -n;
            }
            let distance = n.dot(&self.c) - self.h.dot(&n.abs());
            if distance > best.distance {
                let middle = Vector3::from_fn(|k, _| if k == axis { 0.0 } else { self.h[k].copysign(n[k]) });
                let w = self.c - middle;
                let z = -(w[u] * self.d[u] + w[v] * self.d[v]) / (length * length);
                let point = self.at(z.max(-self.l).min(self.l)) - n * distance;
                let code = digit(u, n[u]) + digit(v, n[v]);
                best = Pair { point, normal: n, distance, codes: (0, code) };
            }
        }
        best
    }
}
