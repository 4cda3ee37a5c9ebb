//! Contact of curved convex shapes (cylinder, cone, ellipsoid, super-ellipsoid, intersections) with any convex shape.
//!
//! With h the support function and n a unit vector from b to a, the separation along n is
//!
//! (1) `s(n) = −h_a(−n) − h_b(n)`,
//!
//! never more than the distance of the bodies. Points p of a and q of b with `p − q = gap n` and `gap = s(n)` are
//! closest points if the bodies are apart, and deepest points of a locally least translation that separates them if
//! they overlap.
//!
//! 1. A direction by support points alone (`gjk.rs`), which is globally convergent for bodies apart. Bodies nearer than
//!    a tenth of the smaller one's size are first moved apart along the best direction so far; moving them along the
//!    normal itself keeps the closest points, so the direction is iterated.
//! 2. The pieces of the surfaces that may hold the points (`body.rs`, `shape/spatial/patch.rs`): vertex, edge, plane,
//!    rim, cone's side, smooth surface; a cylinder's side is its axis with a radius.
//! 3. Newton's method on what characterises a pair of points of two pieces (`newton.rs`), at any sign of the gap; the
//!    normal comes from the surfaces, not from `p − q`.
//! 4. What comes out is accepted only if p and q lie in the bodies and the gap is s(n), eq. (1), to rounding. So a
//!    wrong guess in 2 is found out, and the next one tried; if none passes, the one that misses by least is taken.
//! 5. For bodies that overlap, such a pair may be a saddle of s(n): directions about n are tried, and a better one
//!    starts again at 1. Overlapping smooth bodies so get their least translation; of edges that have passed each
//!    other, s(n) has several maxima, and it may be the next best.
//! 6. Where faces or lines are nearly parallel, more points (`manifold.rs`).
//!
//! Once found, two pieces are followed from placement to placement by 3 alone (`follow.rs`).
//!
//! Feature: `182 code_a + code_b` with the codes of `shape/spatial/hull.rs` and `shape/spatial/curved.rs`.

mod body;
mod follow;
mod gjk;
mod manifold;
mod newton;

use super::hull::{CODES, Hull, Room};
use super::{CURVED, ContactPoint};
use crate::body::spatial::SpatialPose;
use crate::shape::spatial::{Candidates, TURNS, UPRIGHT};
use crate::shape::{Intersection, SpatialShape};
use body::{Body, Core};
pub(super) use follow::{follow, pieces};
use gjk::Found;
use nalgebra::{Matrix3, Vector3};
use newton::Start;

/// How far apart, relative to the smaller body's size, bodies are moved for step 1.
const APART: f64 = 0.1;
/// What passes for rounding in step 4, relative to the sizes and the distance of the bodies.
const ROUNDING: f64 = 1e-14;
/// Overlap, relative to the smaller body's size, beyond which step 1 starts from several directions.
const SHALLOW: f64 = 1e-6;
/// The feature of an intersection's lowest point.
const LOWEST: u64 = 48;
/// Rounds of step 1 at most.
const ROUNDS: usize = 40;

/// Two bodies, seen from the second.
struct Pair<'a> {
    a: &'a Body<'a>,
    b: &'a Body<'a>,
    /// The first body's placement in the second's frame.
    r: Matrix3<f64>,
    t: Vector3<f64>,
    /// The smaller size, and all lengths together.
    size: f64,
    extent: f64,
}

/// A pair of points of the cores, q of b and q + gap n of a, in the second body's frame, and the pieces they lie on.
#[derive(Clone, Copy)]
struct Touch {
    q: Vector3<f64>,
    n: Vector3<f64>,
    gap: f64,
    codes: (u64, u64),
    /// By how much it misses step 4.
    error: f64,
}

impl<'a> Pair<'a> {
    fn new((a, at): (&'a Body<'a>, &SpatialPose), (b, bt): (&'a Body<'a>, &SpatialPose)) -> Self {
        let (r, t) = (bt.r.tr_mul(&at.r), bt.r.tr_mul(&(at.p - bt.p)));
        let (x, y) = (a.size(), b.size());
        let smaller = if x > 0.0 && y > 0.0 { x.min(y) } else { x.max(y) };
        Self { a, b, r, t, size: smaller, extent: x + y + t.norm() }
    }

    /// The first body's point farthest along a direction of the second's frame.
    fn support_a(&self, w: &Vector3<f64>) -> Vector3<f64> {
        self.t + self.r * self.a.support_point(&self.r.tr_mul(w))
    }

    /// Eq. (1) of the cores.
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.t) - self.a.support(&-self.r.tr_mul(n)) - self.b.support(n)
    }

    /// By how much a pair of points misses step 4.
    fn error(&self, p: &Vector3<f64>, q: &Vector3<f64>, n: &Vector3<f64>, gap: f64) -> f64 {
        let out = self.a.outside(&self.r.tr_mul(&(p - self.t))).max(self.b.outside(q));
        out.max((self.separation(n) - gap).abs())
    }

    /// The closest or deepest pair of points, none if further apart than `reach`.
    fn solve(&self, reach: f64) -> Option<Touch> {
        let starts = self.directions();
        let touch = self.solve_from(starts[0]?, reach)?;
        if touch.gap > -SHALLOW * self.size {
            return Some(touch);
        }
        let better = |best: Touch, n: Vector3<f64>| {
            let other = self.solve_from(n, reach);
            other.filter(|t| t.error <= ROUNDING * self.extent && t.gap > best.gap).unwrap_or(best)
        };
        Some(starts[1..].iter().flatten().fold(touch, |best, n| better(best, *n)))
    }

    /// The pair of points nearest to a direction. A saddle is left on both sides, and the better end taken.
    fn solve_from(&self, start: Vector3<f64>, reach: f64) -> Option<Touch> {
        let (touch, saddle) = self.approach(start, reach)?;
        let other = saddle.and_then(|saddle| {
            let other_side = saddle.n * (2.0 * saddle.n.dot(&touch.n)) - touch.n;
            self.approach(other_side, reach).map(|(touch, _)| touch)
        });
        let better = |other: &Touch| other.error <= ROUNDING * self.extent && other.gap > touch.gap;
        Some(other.filter(better).unwrap_or(touch))
    }

    /// The pair of points nearest to a direction, and the saddle that was left on the way.
    fn approach(&self, start: Vector3<f64>, reach: f64) -> Option<(Touch, Option<Touch>)> {
        let (mut best, mut saddle, mut floor) = (None, None, f64::NEG_INFINITY);
        let (mut n, mut settled) = (start, false);
        for round in 0..ROUNDS {
            let s = self.separation(&n);
            if s > reach {
                return None;
            }
            let shift = n * (APART * self.size - s).max(0.0);
            let Some(found) = gjk::closest(self, &shift, 1.0, &n) else { break };
            settled |= round > 2 || (found.n - n).norm() < 0.1 || shift == Vector3::zeros();
            n = found.n;
            if !settled {
                continue;
            }
            if self.separation(&n) > reach {
                return None;
            }
            self.polish(&found, shift, floor, &mut best);
            while let Some(touch) = best.filter(|touch: &Touch| touch.error <= ROUNDING * self.extent) {
                let Some(better) = self.climb(&touch) else {
                    return (touch.gap <= reach).then_some((touch, saddle));
                };
                (n, best, saddle, floor) = (better, None, Some(touch), self.separation(&better));
                let (p, q) = (self.support_a(&-n), self.b.support_point(&n));
                self.polish(&Found { p, q, n, distance: floor }, Vector3::zeros(), floor, &mut best);
            }
        }
        // a saddle is a true pair of points; what is not even that is taken only if there is nothing else
        let good = best.filter(|touch| saddle.is_none() || touch.error <= 100.0 * ROUNDING * self.extent);
        good.or(saddle).filter(|touch| touch.gap <= reach).map(|touch| (touch, None))
    }

    /// A direction about the normal of overlapping bodies that separates them more.
    fn climb(&self, touch: &Touch) -> Option<Vector3<f64>> {
        if touch.gap >= 0.0 { None } else { self.ascend(touch.n, touch.codes) }
    }

    /// The direction to which a search for greater separation leads; none if there is none.
    fn ascend(&self, start: Vector3<f64>, codes: (u64, u64)) -> Option<Vector3<f64>> {
        let (mut n, mut most, mut found, mut size) = (start, self.separation(&start), false, 0.2);
        for _ in 0..100 {
            if size < if found { 1e-6 } else { 0.02 } {
                break;
            }
            // Across an edge or a rim the separation changes least: directions along it are among the trials.
            let along_a = self.a.tangent(codes.0, &-self.r.tr_mul(&n)).map(|d| self.r * d);
            let along = [along_a, self.b.tangent(codes.1, &n)].map(|d| n.cross(&d.unwrap_or_default()));
            let aside = n.cross(&Vector3::ith(n.iamin(), 1.0));
            let (mut better, mut s) = (n, most + ROUNDING * self.extent);
            for t1 in [along[0], along[1], aside].iter().filter_map(|t| t.try_normalize(1e-3)) {
                let t2 = n.cross(&t1);
                for trial in TURNS.map(|[x, y]| (n + (t1 * x + t2 * y) * size).normalize()) {
                    let separation = self.separation(&trial);
                    if separation > s {
                        (better, s) = (trial, separation);
                    }
                }
            }
            if better == n {
                size *= 0.5;
            } else {
                (n, most, found) = (better, s, true);
            }
        }
        found.then_some(n)
    }

    /// Directions to begin with, best first: between the bodies if they are apart; else those between the bodies shrunk
    /// about their middles and those across faces that separate them most.
    fn directions(&self) -> [Option<Vector3<f64>>; 4] {
        let between = self.t + self.r * self.a.centre() - self.b.centre();
        let start = between.try_normalize(0.0).unwrap_or_else(Vector3::z);
        let (mut list, mut values) = ([None; 4], [f64::NEG_INFINITY; 4]);
        let mut offer = |n: Vector3<f64>| {
            let s = self.separation(&n);
            let near = list.iter().position(|m: &Option<Vector3<f64>>| m.is_some_and(|m| m.dot(&n) > 0.95));
            let end = near.map_or(4, |k| k + 1);
            if let Some(at) = values[..end].iter().position(|v| s > *v) {
                list[at..end].rotate_right(1);
                values[at..end].rotate_right(1);
                (list[at], values[at]) = (Some(n), s);
            }
        };
        offer(start);
        for shrink in [1.0, 0.9, 0.7, 0.4, 0.1] {
            if let Some(found) = gjk::closest(self, &Vector3::zeros(), shrink, &start) {
                if shrink == 1.0 && found.distance > 1e-4 * self.size {
                    return [Some(found.n), None, None, None];
                }
                offer(found.n);
            }
        }
        self.a.face_normals(|m| offer(-(self.r * m)));
        self.b.face_normals(offer);
        list
    }

    /// Tries the pieces nearest to a pair of points, where the bodies are and where they were moved to, and keeps the
    /// best answer with a gap of at least `floor`.
    fn polish(&self, found: &Found, shift: Vector3<f64>, floor: f64, best: &mut Option<Touch>) {
        let unit = power_of_two(self.size);
        let (mut of_a, mut of_b) = (Candidates::default(), Candidates::default());
        self.a.candidates(&self.r.tr_mul(&(found.p - self.t)), &-self.r.tr_mul(&found.n), unit, &mut of_a);
        self.b.candidates(&found.q, &found.n, unit, &mut of_b);
        let (of_a, of_b) = (of_a.list(), of_b.list());
        for sum in 0..(of_a.len() + of_b.len()).saturating_sub(1) {
            for (i, ca) in of_a.iter().enumerate().take(sum + 1) {
                let Some(cb) = of_b.get(sum - i) else { continue };
                for shift in [Vector3::zeros(), shift] {
                    let start = Start { q: found.q, n: found.n, shift };
                    let Some(touch) = newton::solve(self, (ca, cb), unit, &start) else { continue };
                    if touch.gap < floor - ROUNDING * self.extent {
                        continue;
                    }
                    if best.is_none_or(|other| touch.error < other.error) {
                        *best = Some(touch);
                    }
                    if touch.error <= ROUNDING * self.extent {
                        return;
                    }
                }
            }
        }
        // if no pieces fit: the body's points farthest along the direction
        if let (Some(ca), Some(cb)) = (of_a.first(), of_b.first()) {
            let (n, gap, p) = (found.n, self.separation(&found.n), self.support_a(&-found.n));
            let q = p - n * gap;
            let touch = Touch { q, n, gap, codes: (ca.code, cb.code), error: self.error(&p, &q, &n, gap) };
            if gap >= floor && best.is_none_or(|other| touch.error < other.error) {
                *best = Some(touch);
            }
        }
    }
}

/// The power of two below a length: dividing by it loses nothing.
fn power_of_two(length: f64) -> f64 {
    f64::from_bits(length.to_bits() & 0x7ff0_0000_0000_0000).max(f64::MIN_POSITIVE)
}

/// Appends the contact points of a curved shape and any bounded convex one with a gap of at most `reach`.
pub(super) fn collide(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let (Some(body_a), Some(body_b)) = (Body::new(a.0, &mut room_a), Body::new(b.0, &mut room_b)) else {
        return;
    };
    touch((&body_a, a.1), (&body_b, b.1), reach, out);
}

/// As [`collide`], for a polyhedron that is no shape of its own: a triangle of a mesh.
pub(super) fn collide_hull(
    (hull, at): (Hull, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let mut room = Room::default();
    let Some(body_b) = Body::new(b.0, &mut room) else { return };
    let body_a = Body { radius: hull.radius, core: Core::Hull(hull) };
    touch((&body_a, at), (&body_b, b.1), reach, out);
}

/// Appends the contacts of an intersection with a half-space: its lowest point, and where a flat face shows, points of
/// its rim.
pub(super) fn with_half_space(
    (shape, pose): (&Intersection, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let w = -pose.r.tr_mul(&normal);
    let lowest = shape.support_point(&w);
    let height = |x: &Vector3<f64>| normal.dot(&(pose.p - plane.p)) - w.dot(x);
    let least = height(&lowest);
    if least > reach {
        return;
    }
    let mut push = |x: &Vector3<f64>, feature: u64| {
        let (gap, p_a) = (height(x), pose.p + pose.r * x);
        if gap <= reach {
            out.push(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature, features: CURVED });
        }
    };
    let mut covered = false;
    if let Some(face) = shape.facing(&w) {
        let number = shape.faces().iter().position(|f| f.surface == face.surface).unwrap_or(0) as u64;
        let rim = shape.lowest_rim(face, &w, face.normal.cross(&w).norm());
        // below the tilt at which the lowest point has a direction, the rim is as low as it gets
        covered = face.normal.cross(&w).norm() <= UPRIGHT;
        for (k, x) in rim.iter().enumerate() {
            covered |= height(x) <= least + 100.0 * ROUNDING * shape.size();
            push(x, 8 * number + k as u64);
        }
    }
    if !covered {
        push(&lowest, LOWEST);
    }
}

fn touch(a: (&Body, &SpatialPose), b: (&Body, &SpatialPose), reach: f64, out: &mut Vec<ContactPoint>) {
    let pair = Pair::new(a, b);
    if let Some(touch) = pair.solve(reach + a.0.radius + b.0.radius) {
        manifold::push(&pair, (a.1, b.1), &touch, reach, out);
    }
}

/// Turns a pair of points of the cores into a contact point.
fn contact(pair: &Pair, touch: &Touch, pose_b: &SpatialPose) -> ContactPoint {
    let normal = pose_b.r * touch.n;
    let p_b = pose_b.p + pose_b.r * touch.q + normal * pair.b.radius;
    let gap = touch.gap - (pair.a.radius + pair.b.radius);
    let feature = CODES * touch.codes.0 + touch.codes.1;
    ContactPoint { p_a: p_b + normal * gap, p_b, normal, gap, feature, features: CURVED }
}
