//! The parts of spatial compounds, and the numbers of their contacts.
//!
//! A contact of the parts i of body a and j of body b has the number of the parts' own contact, which is below 2^16,
//! plus
//!
//! (1) `2^16 i + 2^24 j`; (2) `2^48 + 2^32 i + 2^40 j` where one of the parts is a mesh: its triangles take 32 bits.
//!
//! Hence numbers of 64 bits. So a contact keeps its number from step to step as that of its parts alone does, and no
//! two of a pair of bodies share one.

use super::Aabb;
use crate::body::spatial::SpatialPose;
use crate::shape::SpatialShape;
use nalgebra::{Matrix3, Vector3};

/// What marks the numbers of eq. (2).
const MESH: u64 = 1 << 48;

/// Where a shape is in its own frame.
const HERE: SpatialPose = SpatialPose {
    p: Vector3::new(0.0, 0.0, 0.0),
    r: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
};

/// A part of a shape: its number, itself, and where it is in the frame of the whole.
pub(super) type Part<'a> = (u64, &'a SpatialShape, SpatialPose);

/// The parts of a shape: of one that is no compound, itself.
pub(super) fn parts(shape: &SpatialShape) -> impl Iterator<Item = Part<'_>> {
    let (parts, alone) = match shape {
        SpatialShape::Compound(parts) => (parts.as_slice(), None),
        shape => (&[][..], Some((0, shape, HERE))),
    };
    alone.into_iter().chain(parts.iter().enumerate().map(|(i, (at, part))| (i as u64, part, *at)))
}

/// What the parts add to the number of a contact, eq. (1) and (2).
pub(super) fn number(a: &Part, b: &Part) -> u64 {
    let is_mesh = |part: &Part| matches!(part.1, SpatialShape::Mesh(_));
    if is_mesh(a) || is_mesh(b) { MESH + (a.0 << 32) + (b.0 << 40) } else { (a.0 << 16) + (b.0 << 24) }
}

/// The numbers of the parts of a and b, and that of their own contact.
pub(super) fn split(feature: u64) -> (usize, usize, u64) {
    let (low, own) =
        if feature >= MESH { (32, feature & u64::from(u32::MAX)) } else { (16, feature & 0xffff) };
    ((feature >> low & 255) as usize, (feature >> (low + 8) & 255) as usize, own)
}

/// A box about a placed shape to rule out pairs of parts by: about a mesh, that about its own box, without a look at
/// its vertices.
pub(super) fn around(shape: &SpatialShape, pose: &SpatialPose) -> Aabb {
    let SpatialShape::Mesh(mesh) = shape else { return shape.bounds(pose) };
    let (min, max) = mesh.extent();
    let (centre, extent) = (pose.p + pose.r * (min + max) * 0.5, pose.r.abs() * (max - min) * 0.5);
    Aabb { min: centre - extent, max: centre + extent }
}
