//! What shapes with faces and edges touch with: convex polyhedra grown by a radius. A box is one with fixed faces and
//! edges, a capsule one with two vertices, an edge and no face. How they touch is in `collide/hulls.rs`.
//!
//! A feature's code: vertices from 0, edges from 32, faces from 122; 182 in all.

use super::Face;
use nalgebra::Vector3;

/// How many codes features have.
pub(crate) const CODES: u64 = 182;

/// The code of an edge.
pub(crate) fn edge_code(edge: usize) -> u64 {
    32 + edge as u64
}

/// The code of a face.
pub(crate) fn face_code(face: usize) -> u64 {
    122 + face as u64
}

/// A polyhedron in its body's frame, with its radius.
#[derive(Clone, Copy)]
pub(crate) struct Hull<'a> {
    pub vertices: &'a [Vector3<f64>],
    pub faces: &'a [Face],
    /// The faces' vertices with the edges that follow them, as [`ConvexPolyhedron`](super::ConvexPolyhedron) has them.
    pub corners: &'a [[u16; 2]],
    pub edges: &'a [[u16; 2]],
    pub radius: f64,
}

/// Room for the vertices of a hull that is not stored.
#[derive(Default)]
pub(crate) struct Room(pub [Vector3<f64>; 8]);
