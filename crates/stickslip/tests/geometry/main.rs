//! Shapes and how they touch, against what proves it: distances, supports, projections and brute force.

mod bodies;
mod collision;
#[path = "../common/mod.rs"]
mod common;
mod compound_meshes;
mod convex_hulls;
mod curved;
mod curved_bodies;
mod intersections;
mod meshes;
mod outlines;
mod projections;
mod rounded;
mod shape_pairs;
mod shapes;
mod surfaces;

use stickslip::collide::{ContactPoint, Feature};

/// The contact of bodies that are s times as large.
fn scaled(c: &ContactPoint, s: f64) -> ContactPoint {
    let radius = |f: Feature| match f {
        Feature::Point(radius) => Feature::Point(radius * s),
        Feature::Line(along, radius) => Feature::Line(along, radius * s),
        other => other,
    };
    ContactPoint { p_a: c.p_a * s, p_b: c.p_b * s, gap: c.gap * s, features: c.features.map(radius), ..*c }
}
