//! Contact of capsules in space: all points within a radius r of a segment, here of half length h along its frame's z.
//!
//! A ball about any point of the segment belongs to the capsule, so each of these is a contact of parts of the bodies:
//! its gap is never less than the bodies', its rate exact.
//!
//! - half-space: the balls at the two ends.
//! - sphere: with the closest point of the segment, `z = clamp(q_z, ±h)`. Where the centre lies on the segment: the
//!   frame's x.
//! - capsule: (1) each end ball against the other capsule, where the closest point lies inside the other segment, or is
//!   an end whose own closest point is that first end; (2) the closest points of the segments' lines, where both lie
//!   inside, with the normal a × b of the segments' directions. The closest points of the capsules are always among
//!   them, and parallel capsules touch at both ends of the length they share. With w from the middle of a to that of b
//!   and `beta = a · b`, (2) is at the parameters
//!
//!   (3) `y = (beta w·a − w·b) / |a × b|²`, `x = w·a + beta y`.
//!
//! Features: half-space: 0 and 1, the ends at −z and +z. Sphere: 0 inside, 1 and 2 the ends. Capsule: `3 code_a +
//! code_b` of such codes.

use super::box_point::direction;
use super::{ContactPoint, Feature};
use crate::body::spatial::SpatialPose;
use nalgebra::Vector3;

/// A capsule's radius and half length, and its placement.
#[derive(Clone, Copy)]
pub(super) struct Capsule<'a> {
    pub radius: f64,
    pub half: f64,
    pub pose: &'a SpatialPose,
}

/// Edges whose directions cross at less than this angle, rad: their ends are as close, to its square.
const PARALLEL: f64 = 1e-6;

impl Capsule<'_> {
    fn axis(&self) -> Vector3<f64> {
        self.pose.r.column(2).into()
    }

    /// The point of the segment at a parameter.
    fn at(&self, z: f64) -> Vector3<f64> {
        self.pose.p + self.axis() * z
    }

    /// The parameter of the segment's closest point to x, and its code.
    fn closest(&self, x: &Vector3<f64>) -> (f64, u64) {
        let z = self.axis().dot(&(x - self.pose.p));
        if z < -self.half {
            (-self.half, 1)
        } else if z > self.half {
            (self.half, 2)
        } else {
            (z, 0)
        }
    }

    /// What the feature of a code is: an end, or for 0 the side.
    pub(super) fn feature(&self, code: u64) -> Feature {
        if code == 0 { Feature::Line(self.axis(), self.radius) } else { Feature::Point(self.radius) }
    }

    /// A direction away from the segment, for a point on it.
    fn aside(&self) -> Vector3<f64> {
        self.pose.r.column(0).into()
    }
}

/// The contact of balls about two points with the normal between them, or along `aside` where they coincide.
fn balls(
    a: (f64, Vector3<f64>),
    b: (f64, Vector3<f64>),
    aside: Vector3<f64>,
    (feature, features): (u64, [Feature; 2]),
) -> ContactPoint {
    let (normal, distance) = direction(&(a.1 - b.1)).unwrap_or((aside, 0.0));
    let (p_a, p_b) = (a.1 - normal * a.0, b.1 + normal * b.0);
    ContactPoint { p_a, p_b, normal, gap: distance - (a.0 + b.0), feature, features }
}

fn keep(point: ContactPoint, reach: f64, out: &mut Vec<ContactPoint>) {
    if point.gap <= reach {
        out.push(point);
    }
}

/// Appends the contacts of a capsule with a half-space.
pub(super) fn with_half_space(a: Capsule, plane: &SpatialPose, reach: f64, out: &mut Vec<ContactPoint>) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let (height, rise) = (normal.dot(&(a.pose.p - plane.p)) - a.radius, normal.dot(&a.axis()) * a.half);
    for (feature, side) in [-1.0, 1.0].into_iter().enumerate() {
        let gap = height + side * rise;
        let p_a = a.at(side * a.half) - normal * a.radius;
        let (feature, features) = (feature as u64, [a.feature(1), Feature::Face]);
        keep(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature, features }, reach, out);
    }
}

/// The contact of a sphere with a capsule.
pub(super) fn sphere(a: (f64, &Vector3<f64>), b: Capsule) -> ContactPoint {
    let (z, code) = b.closest(a.1);
    let features = [Feature::Point(a.0), b.feature(code)];
    balls((a.0, *a.1), (b.radius, b.at(z)), b.aside(), (code, features))
}

/// Appends the contacts of two capsules.
pub(super) fn collide(a: Capsule, b: Capsule, reach: f64, out: &mut Vec<ContactPoint>) {
    let ends = [(-1.0, 1), (1.0, 2)];
    for (side, code_a) in ends {
        let x = a.at(side * a.half);
        let (z, code_b) = b.closest(&x);
        let mutual = code_b == 0 || a.closest(&b.at(z)).1 == code_a;
        if mutual {
            let named = (3 * code_a + code_b, [a.feature(code_a), b.feature(code_b)]);
            keep(balls((a.radius, x), (b.radius, b.at(z)), b.aside(), named), reach, out);
        }
    }
    for (side, code_b) in ends {
        let x = b.at(side * b.half);
        if let (z, 0) = a.closest(&x) {
            let named = (code_b, [a.feature(0), b.feature(code_b)]);
            keep(balls((a.radius, a.at(z)), (b.radius, x), a.aside(), named), reach, out);
        }
    }
    crossing(a, b, reach, out);
}

/// The closest points of two segments' lines, where both lie inside, eq. (3).
fn crossing(a: Capsule, b: Capsule, reach: f64, out: &mut Vec<ContactPoint>) {
    let (d, e, w) = (a.axis(), b.axis(), b.pose.p - a.pose.p);
    let across = d.cross(&e);
    let square = across.norm_squared();
    if square < PARALLEL * PARALLEL {
        return;
    }
    let (across, beta) = (across / square.sqrt(), d.dot(&e));
    let y = (beta * w.dot(&d) - w.dot(&e)) / square;
    let x = w.dot(&d) + beta * y;
    if x.abs() >= a.half || y.abs() >= b.half {
        return;
    }
    let along = -w.dot(&across);
    let normal = if along < 0.0 { -across } else { across };
    let gap = along.abs() - (a.radius + b.radius);
    let p_a = a.at(x) - normal * a.radius;
    let features = [a.feature(0), b.feature(0)];
    keep(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: 0, features }, reach, out);
}
