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
