//! Polylines: open chains of segments without area. Each segment is a piece of two vertices that knows its neighbours
//! (`outline.rs`); nothing touches the back of a polyline that has one side.

use super::outline::check;
use super::polygon::PolygonError;
use super::{Piece, PlanarGeometry, box_around, farthest, in_space, shortest};
use crate::audit::part::{self, Frame, Part};
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector2};

/// An open chain of segments, without area.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline {
    vertices: Vec<Vector2<f64>>,
    pieces: Vec<Piece>,
    two_sided: bool,
}

impl Polyline {
    /// The most vertices a polyline may have.
    pub const MOST: usize = 257;

    /// The chain through these vertices, m. With one side, that is the left one: the chain is the surface of what lies
    /// to its right.
    pub fn new(vertices: Vec<Vector2<f64>>, two_sided: bool) -> Result<Self, PolygonError> {
        check(&vertices, 2..=Self::MOST, false)?;
        let n = vertices.len();
        let along = |i: usize| (vertices[i + 1] - vertices[i]).normalize();
        let before = |i: usize| (i > 0).then(|| along(i - 1));
        let after = |i: usize| (i + 1 < n).then(|| along(i));
        let segment = |i: usize| {
            let e = along(i);
            Piece {
                vertices: vec![vertices[i], vertices[i + 1]],
                normals: vec![Vector2::new(e.y, -e.x), Vector2::new(-e.y, e.x)],
                inner: vec![!two_sided, false],
                beside: vec![[before(i), after(i)], [before(i + 1), after(i + 1)]],
                owns: vec![true, i + 2 == n],
            }
        };
        let pieces = (0..n - 1).map(segment).collect();
        Ok(Self { vertices, pieces, two_sided })
    }

    /// The vertices, m.
    pub fn vertices(&self) -> &[Vector2<f64>] {
        &self.vertices
    }
}

impl PlanarGeometry for Polyline {
    fn outer_radius(&self) -> f64 {
        farthest(&self.vertices)
    }

    fn smallest_extent(&self) -> f64 {
        shortest(&self.vertices, false)
    }

    fn area(&self) -> Option<f64> {
        None
    }

    fn unit_inertia(&self) -> Option<f64> {
        None
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        box_around(&self.vertices, pose)
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        for ends in self.vertices.windows(2) {
            let (p, half) = (in_space(&(0.5 * (ends[0] + ends[1]))), in_space(&(0.5 * (ends[1] - ends[0]))));
            let part = Part::new(part::Core::Segment(half), 0.0, [0.0, half.norm()]);
            out.push(Part { place: Some(Frame { p, r: Matrix3::identity() }), ..part });
        }
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Polyline { vertices: self.vertices.iter().map(|p| [p.x, p.y]).collect() })]
    }

    fn describe(&self) -> String {
        let sides = if self.two_sided { "both sides" } else { "its left side" };
        format!("polyline of {} vertices with {sides}", self.vertices.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_that_folds_back_is_refused() {
        let chain = Polyline::new(vec![Vector2::zeros(), Vector2::x(), Vector2::zeros()], true);
        assert_eq!(chain, Err(PolygonError::Folded(1)));
    }
}
