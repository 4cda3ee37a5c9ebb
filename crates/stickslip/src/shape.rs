//! Shapes, each in its body's frame and in its own file: [`PlanarShape`] in `planar/`, [`SpatialShape`] in `spatial/`,
//! compounds of both in `compound.rs`.
//!
//! The half-plane is solid below `y = 0`, the half-space below `z = 0`: the body's orientation turns them. Boxes,
//! discs, spheres, capsules, cylinders, cones, ellipsoids and super-ellipsoids are centred at the body's origin, which
//! is its centre of mass. Polygons and polyhedra are where their vertices say, and compounds where their parts are; a
//! moving body's has its [`centroid`](PlanarShape::centroid) at the origin.

mod compound;
pub(crate) mod planar;
pub(crate) mod spatial;
#[cfg(test)]
mod tests;

pub use planar::*;
pub use spatial::*;

/// The most parts a compound may have, none of them a compound or unbounded: features of contacts are numbered so.
pub const MOST_PARTS: usize = 256;
