//! Shapes in the plane, one file each: what a shape is, its size and mass properties, what it touches with, and what it
//! looks like.
//!
//! A new shape is its file, its variant and line in [`PlanarShape`], and its keys in
//! `stickslip-scene/src/body/shapes.rs`. It touches others as the convex polygon grown by a radius that it says it is,
//! [`PlanarGeometry::core`], or as several of them, [`PlanarGeometry::pieces`]. The disc and the half-plane are
//! neither, and have their pairs in `collide/planar.rs`.

mod core;
mod disc;
mod half_plane;
mod outline;
mod polygon;
mod polyline;
mod rectangle;
mod stadium;

pub(crate) use core::{Core, Piece, Room};
pub use disc::Disc;
pub use half_plane::HalfPlane;
pub use outline::Outline;
pub use polygon::{ConvexPolygon, PolygonError};
pub use polyline::Polyline;
pub use rectangle::Rectangle;
pub use stadium::Stadium;

use crate::audit::part::Part;
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Vector2, Vector3};

/// A planar shape. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanarShape {
    /// A disc.
    Disc(Disc),
    /// A rectangle.
    Box(Rectangle),
    /// All points within a radius of a segment along x.
    Capsule(Stadium),
    /// A convex polygon.
    Polygon(ConvexPolygon),
    /// A simple polygon, convex or not.
    Outline(Outline),
    /// An open chain of segments, without area.
    Polyline(Polyline),
    /// Several shapes in one body, each where its pose puts it. See [`MOST_PARTS`](super::MOST_PARTS).
    Compound(Vec<(PlanarPose, PlanarShape)>),
    /// Everything below y = 0.
    HalfPlane,
}

/// What a planar shape says of itself, in its own frame.
pub(crate) trait PlanarGeometry {
    /// Distance of the farthest point from the origin, or a bound of it, m.
    fn outer_radius(&self) -> f64;
    /// Smallest extent, m.
    fn smallest_extent(&self) -> f64;
    /// Area, m², if it has one.
    fn area(&self) -> Option<f64>;
    /// Moment of inertia about the centroid per unit mass for a uniform body, m².
    fn unit_inertia(&self) -> Option<f64>;
    /// Centre of mass of a uniform body, m.
    fn centroid(&self) -> Vector2<f64> {
        Vector2::zeros()
    }
    /// The mean distance of its points from the centroid at the origin, m, where it is known.
    fn mean_distance(&self) -> Option<f64> {
        None
    }
    /// The same shape elsewhere in its frame; none for one that is always at the origin.
    fn moved(&self, _by: &Vector2<f64>) -> Option<PlanarShape> {
        None
    }
    /// The least box about it where it is placed, or one a little larger.
    fn bounds(&self, pose: &PlanarPose) -> Aabb;
    /// The convex polygon with a radius that it is; none for what is none.
    fn core<'a>(&'a self, _room: &'a mut Room) -> Option<Core<'a>> {
        None
    }
    /// The convex pieces of a shape that has several.
    fn pieces(&self) -> &[Piece] {
        &[]
    }
    /// Appends its convex parts as the auditor sees them.
    fn add_parts(&self, out: &mut Vec<Part>);
    /// What it looks like.
    fn solids(&self) -> Vec<Placed>;
    /// What it is, in words.
    fn describe(&self) -> String;
}

impl PlanarShape {
    /// The shape as its own file has it.
    pub(crate) fn geometry(&self) -> &dyn PlanarGeometry {
        match self {
            PlanarShape::Disc(shape) => shape,
            PlanarShape::Box(shape) => shape,
            PlanarShape::Capsule(shape) => shape,
            PlanarShape::Polygon(shape) => shape,
            PlanarShape::Outline(shape) => shape,
            PlanarShape::Polyline(shape) => shape,
            PlanarShape::Compound(parts) => parts,
            PlanarShape::HalfPlane => &HalfPlane,
        }
    }

    /// Distance of the farthest point from the origin (for compounds a bound of it), m; infinite for the half-plane.
    pub fn outer_radius(&self) -> f64 {
        self.geometry().outer_radius()
    }

    /// Smallest extent, m; infinite for the half-plane.
    pub fn smallest_extent(&self) -> f64 {
        self.geometry().smallest_extent()
    }

    /// Area, m²; none for the half-plane and for polylines.
    pub fn area(&self) -> Option<f64> {
        self.geometry().area()
    }

    /// Centre of mass of a uniform body in the shape's frame, m.
    pub fn centroid(&self) -> Vector2<f64> {
        self.geometry().centroid()
    }

    /// Moment of inertia about the centroid per unit mass for a uniform body, m²; none without an area.
    pub fn unit_inertia(&self) -> Option<f64> {
        self.geometry().unit_inertia()
    }

    /// The bounding box where it is placed.
    pub fn bounds(&self, pose: &PlanarPose) -> Aabb {
        self.geometry().bounds(pose)
    }

    /// What it looks like.
    pub fn solids(&self) -> Vec<Placed> {
        self.geometry().solids()
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        self.geometry().describe()
    }

    /// The shape moved so that its centroid is the origin.
    pub fn centred(self) -> Self {
        let by = -self.centroid();
        self.geometry().moved(&by).unwrap_or(self)
    }

    /// The shape moved so that a point of its frame is the origin.
    pub fn about(self, point: &Vector2<f64>) -> Self {
        let moved = self.geometry().moved(&-point);
        moved.unwrap_or_else(|| PlanarShape::Compound(vec![(PlanarPose::new(-point.x, -point.y, 0.0), self)]))
    }
}

/// The distance of the farthest vertex from the origin, m.
fn farthest(vertices: &[Vector2<f64>]) -> f64 {
    vertices.iter().map(|v| v.x.hypot(v.y)).fold(0.0, f64::max)
}

/// The box that reaches so far to both sides of a point.
fn box_about(centre: &Vector2<f64>, extent: &Vector2<f64>) -> Aabb {
    Aabb { min: in_space(&(centre - extent)), max: in_space(&(centre + extent)) }
}

/// The least box about placed points.
pub(crate) fn box_around(vertices: &[Vector2<f64>], pose: &PlanarPose) -> Aabb {
    let none = (Vector2::repeat(f64::INFINITY), Vector2::repeat(f64::NEG_INFINITY));
    let corners = vertices.iter().map(|v| pose.p + pose.rotate(*v));
    let (min, max) = corners.fold(none, |(low, high), v| (low.inf(&v), high.sup(&v)));
    Aabb { min: in_space(&min), max: in_space(&max) }
}

/// The shortest edge of a boundary, m.
fn shortest(v: &[Vector2<f64>], closed: bool) -> f64 {
    let edges = if closed { v.len() } else { v.len() - 1 };
    (0..edges).map(|i| (v[(i + 1) % v.len()] - v[i]).norm()).fold(f64::INFINITY, f64::min)
}

/// The integral of the distance from the origin over a convex polygon around it: over the triangle to an edge at
/// distance d, `d³/3` times the integral of `1/cos³`.
fn distances(vertices: &[Vector2<f64>]) -> f64 {
    let mut sum = 0.0;
    for (i, a) in vertices.iter().enumerate() {
        let edge = vertices[(i + 1) % vertices.len()] - a;
        let along = edge / edge.norm();
        let d = along.perp(a).abs();
        // antiderivative of 1/cos³ with the tangent t = s / d, times d³/3
        let part = |s: f64| (s * s.hypot(d) * d + d.powi(3) * (s / d).asinh()) / 6.0;
        if d > 0.0 {
            sum += part(along.dot(a) + edge.norm()) - part(along.dot(a));
        }
    }
    sum
}

/// A planar vector in space.
pub(crate) fn in_space(v: &Vector2<f64>) -> Vector3<f64> {
    Vector3::new(v.x, v.y, 0.0)
}

/// A polygon to draw.
fn drawn_polygon(vertices: &[Vector2<f64>]) -> Vec<Placed> {
    vec![Placed::here(Solid::Polygon { vertices: vertices.iter().map(|p| [p.x, p.y]).collect() })]
}
