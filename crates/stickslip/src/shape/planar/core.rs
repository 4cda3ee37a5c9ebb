//! What planar shapes with edges touch with: convex polygons of at least two vertices, grown by a radius. How they
//! touch is in `collide/polygons.rs`.

use nalgebra::Vector2;

/// A core in its body's frame, with its radius.
#[derive(Clone, Copy)]
pub(crate) struct Core<'a> {
    /// Counter-clockwise.
    pub vertices: &'a [Vector2<f64>],
    /// Number i is that of the edge from vertex i to the next.
    pub normals: &'a [Vector2<f64>],
    pub radius: f64,
    /// What a piece of a larger shape knows of the rest.
    pub piece: Option<&'a Piece>,
}

/// Room for the vertices and normals of a core that is not stored.
#[derive(Default)]
pub(crate) struct Room {
    vertices: [Vector2<f64>; 4],
    normals: [Vector2<f64>; 4],
}

impl Room {
    /// The core of up to four vertices, each with the normal of the edge that follows it.
    pub(crate) fn core<const N: usize>(&mut self, edges: [[[f64; 2]; 2]; N], radius: f64) -> Core<'_> {
        for (i, [vertex, normal]) in edges.into_iter().enumerate() {
            (self.vertices[i], self.normals[i]) = (vertex.into(), normal.into());
        }
        Core { vertices: &self.vertices[..N], normals: &self.normals[..N], radius, piece: None }
    }
}

/// A convex piece of a larger shape: at least two vertices, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub vertices: Vec<Vector2<f64>>,
    /// Number i is that of the edge from vertex i to the next.
    pub normals: Vec<Vector2<f64>>,
    /// True for edges that nothing touches.
    pub inner: Vec<bool>,
    /// Directions of the boundary before and after each vertex; none beyond the ends of a polyline.
    pub beside: Vec<[Option<Vector2<f64>>; 2]>,
    /// True for the one piece among those at a boundary vertex that stands for it.
    pub owns: Vec<bool>,
}
