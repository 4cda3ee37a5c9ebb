//! Shapes, each in its body's frame and in its own file: [`PlanarShape`] in `planar/`, [`SpatialShape`] in `spatial/`,
//! compounds of both in `compound.rs`.
//!
//! The half-plane is solid below `y = 0`, the half-space below `z = 0`: the body's orientation turns them. Boxes, discs,
//! spheres, capsules, cylinders, cones, ellipsoids and super-ellipsoids are centred at the body's origin, which is its
//! centre of mass. Polygons and polyhedra are where their vertices say, and compounds where their parts are; a moving
//! body's has its [`centroid`](PlanarShape::centroid) at the origin.

mod compound;
pub(crate) mod planar;
pub(crate) mod spatial;

pub use planar::{
    ConvexPolygon, Disc, HalfPlane, Outline, PlanarShape, PolygonError, Polyline, Rectangle, Stadium,
};
pub use spatial::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Face, FlatFace, HalfSpace, HullError,
    Implicit, Intersection, IntersectionError, MeshError, Moments, SpatialShape, Sphere, SuperEllipsoid,
    Surface, TriangleMesh, convex_hull,
};

/// The most parts a compound may have, none of them a compound or unbounded: features of contacts are numbered so.
pub const MOST_PARTS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// The integral of f over an interval (midpoint rule).
    fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
        let n = 200_000;
        let h = (to - from) / f64::from(n);
        (0..n).map(|k| f(from + (f64::from(k) + 0.5) * h)).sum::<f64>() * h
    }

    /// Half the width of a capsule at a distance from its middle.
    fn width(r: f64, h: f64, z: f64) -> f64 {
        let beyond = (z.abs() - h).max(0.0);
        (r * r - beyond * beyond).max(0.0).sqrt()
    }

    #[test]
    fn a_cones_moments_are_the_integrals_over_its_slices() {
        let (r, h) = (0.3, 0.7);
        let slices =
            |f: &dyn Fn(f64, f64) -> f64| integral(-0.25 * h, 0.75 * h, |z| f(z, r * (0.75 - z / h)));
        let cone = SpatialShape::Cone(Cone { radius: r, height: h });
        let volume = slices(&|_, y| PI * y * y);
        let first = slices(&|z, y| PI * y * y * z);
        let across = slices(&|z, y| PI * y * y * (z * z + 0.25 * y * y));
        let along = slices(&|_, y| 0.5 * PI * y.powi(4));
        let [x, y, z]: [f64; 3] = cone.unit_inertia().unwrap().diagonal().into();
        assert!((cone.volume().unwrap() / volume - 1.0).abs() < 1e-9 && first.abs() < 1e-9 * volume);
        assert!((x * volume / across - 1.0).abs() < 1e-9 && x == y);
        assert!((z * volume / along - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_capsules_moments_are_the_integrals_over_its_slices() {
        let (r, h) = (0.3, 0.7);
        let slices = |f: &dyn Fn(f64, f64) -> f64| integral(-h - r, h + r, |z| f(z, width(r, h, z)));
        let flat = PlanarShape::Capsule(Stadium { radius: r, half: h });
        let area = slices(&|_, y| 2.0 * y);
        let second = slices(&|z, y| 2.0 * y * z * z + 2.0 * y.powi(3) / 3.0);
        assert!((flat.area().unwrap() / area - 1.0).abs() < 1e-7);
        assert!((flat.unit_inertia().unwrap() * area / second - 1.0).abs() < 1e-7);
        let solid = SpatialShape::Capsule(Capsule { radius: r, half: h });
        let volume = slices(&|_, y| PI * y * y);
        let across = slices(&|z, y| PI * y * y * (z * z + 0.25 * y * y));
        let along = slices(&|_, y| 0.5 * PI * y.powi(4));
        let [x, y, z]: [f64; 3] = solid.unit_inertia().unwrap().diagonal().into();
        assert!((solid.volume().unwrap() / volume - 1.0).abs() < 1e-7);
        assert!((x * volume / across - 1.0).abs() < 1e-7 && x == y);
        assert!((z * volume / along - 1.0).abs() < 1e-7);
    }
}
