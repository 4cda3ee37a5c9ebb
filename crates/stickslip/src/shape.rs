//! Shapes, each in its body's frame.
//!
//! The half-plane is solid below `y = 0`, the half-space below `z = 0`: the body's orientation turns them. Boxes,
//! discs, spheres, capsules, cylinders, cones, ellipsoids and super-ellipsoids are centred at the body's origin, which is its centre of
//! mass. Polygons and polyhedra are where their
//! vertices say, and compounds where their parts are; a moving body's has its [`centroid`](PlanarShape::centroid) at the
//! origin.

mod compound;
mod convex_hull;
mod gamma;
mod implicit;
mod intersection;
mod mesh;
mod outline;
mod polygon;
mod polyhedron;
mod ray_moments;
mod surface;

pub use convex_hull::convex_hull;
pub use implicit::Implicit;
pub use intersection::{FlatFace, Intersection, IntersectionError};
pub use mesh::{MeshError, TriangleMesh};
pub(crate) use outline::Piece;
pub use outline::{Outline, Polyline};
pub use polygon::{ConvexPolygon, PolygonError};
pub use polyhedron::{ConvexPolyhedron, Face, HullError};
pub use ray_moments::Moments;
pub use surface::Surface;

use crate::body::planar::PlanarPose;
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector2, Vector3};
use std::f64::consts::PI;

/// The most parts a compound may have, none of them a compound or unbounded: features of contacts are numbered so.
pub const MOST_PARTS: usize = 256;

/// A planar shape. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanarShape {
    /// A disc.
    Disc {
        /// Radius, m.
        radius: f64,
    },
    /// A rectangle.
    Box {
        /// Half the extents along x and y, m.
        half: [f64; 2],
    },
    /// All points within a radius of a segment along x.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the length of the segment, m.
        half: f64,
    },
    /// A convex polygon.
    Polygon(ConvexPolygon),
    /// A simple polygon, convex or not.
    Outline(Outline),
    /// An open chain of segments, without area.
    Polyline(Polyline),
    /// Several shapes in one body, each where its pose puts it. See [`MOST_PARTS`].
    Compound(Vec<(PlanarPose, PlanarShape)>),
    /// Everything below y = 0.
    HalfPlane,
}

/// A spatial shape. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum SpatialShape {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A cuboid.
    Box {
        /// Half the extents along x, y and z, m.
        half: [f64; 3],
    },
    /// All points within a radius of a segment along z.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half the length of the segment, m.
        half: f64,
    },
    /// A circular cylinder along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half the height, m.
        half: f64,
    },
    /// A circular cone along z, its apex up: the base at z = −height/4, the apex at 3 height/4.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Height, m.
        height: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes along x, y and z, m.
        semi_axes: [f64; 3],
    },
    /// A super-ellipsoid `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1`.
    SuperEllipsoid {
        /// Semi-axes a, b, c along x, y and z, m.
        semi_axes: [f64; 3],
        /// Exponents m across z and n along it, each at least 2.
        exponents: [f64; 2],
    },
    /// What several smooth convex solids and half-spaces have in common.
    Intersection(Box<Intersection>),
    /// A convex polyhedron.
    Convex(ConvexPolyhedron),
    /// A mesh of triangles, convex or not.
    Mesh(TriangleMesh),
    /// Several shapes in one body, each where its pose puts it. See [`MOST_PARTS`].
    Compound(Vec<(SpatialPose, SpatialShape)>),
    /// Everything below z = 0.
    HalfSpace,
}

impl PlanarShape {
    /// Distance of the farthest point from the origin (for compounds a bound of it), m; infinite for the half-plane.
    pub fn outer_radius(&self) -> f64 {
        match self {
            PlanarShape::Disc { radius } => *radius,
            PlanarShape::Box { half: [x, y] } => x.hypot(*y),
            PlanarShape::Capsule { radius, half } => radius + half,
            PlanarShape::Polygon(polygon) => farthest(polygon.vertices()),
            PlanarShape::Outline(outline) => farthest(outline.vertices()),
            PlanarShape::Polyline(polyline) => farthest(polyline.vertices()),
            PlanarShape::Compound(parts) => {
                parts.iter().map(|(pose, part)| pose.p.norm() + part.outer_radius()).fold(0.0, f64::max)
            }
            PlanarShape::HalfPlane => f64::INFINITY,
        }
    }

    /// Area, m²; none for the half-plane and for polylines.
    pub fn area(&self) -> Option<f64> {
        match self {
            PlanarShape::Disc { radius } => Some(PI * radius * radius),
            PlanarShape::Box { half: [x, y] } => Some(4.0 * x * y),
            PlanarShape::Capsule { radius, half } => Some((PI * radius + 4.0 * half) * radius),
            PlanarShape::Polygon(polygon) => Some(polygon.area()),
            PlanarShape::Outline(outline) => Some(outline.area()),
            PlanarShape::Compound(parts) => parts.iter().map(|(_, part)| part.area()).sum(),
            PlanarShape::Polyline(_) | PlanarShape::HalfPlane => None,
        }
    }

    /// Centre of mass of a uniform body in the shape's frame, m.
    pub fn centroid(&self) -> Vector2<f64> {
        match self {
            PlanarShape::Polygon(polygon) => polygon.centroid(),
            PlanarShape::Outline(outline) => outline.centroid(),
            PlanarShape::Compound(parts) => compound::planar_centroid(parts),
            _ => Vector2::zeros(),
        }
    }

    /// The shape moved so that its centroid is the origin.
    pub fn centred(self) -> Self {
        match self {
            PlanarShape::Polygon(polygon) => {
                let by = -polygon.centroid();
                PlanarShape::Polygon(polygon.shifted(&by))
            }
            PlanarShape::Outline(outline) => {
                let by = -outline.centroid();
                PlanarShape::Outline(outline.shifted(&by))
            }
            PlanarShape::Compound(mut parts) => {
                let by = compound::planar_centroid(&parts);
                parts.iter_mut().for_each(|(pose, _)| pose.p -= by);
                PlanarShape::Compound(parts)
            }
            shape => shape,
        }
    }

    /// Moment of inertia about the centroid per unit mass for a uniform body, m²; none without an area.
    pub fn unit_inertia(&self) -> Option<f64> {
        match self {
            PlanarShape::Disc { radius } => Some(0.5 * radius * radius),
            PlanarShape::Box { half: [x, y] } => Some((x * x + y * y) / 3.0),
            PlanarShape::Capsule { radius: r, half: h } => {
                // a rectangle and two half discs, whose centroids are 4r/3π beyond their centres
                let (middle, ends) = (4.0 * h, PI * r);
                let of_ends = 0.5 * r * r + h * h + 8.0 / (3.0 * PI) * h * r;
                Some((middle * (h * h + r * r) / 3.0 + ends * of_ends) / (middle + ends))
            }
            PlanarShape::Polygon(polygon) => Some(polygon.unit_inertia()),
            PlanarShape::Outline(outline) => Some(outline.unit_inertia()),
            PlanarShape::Compound(parts) => compound::planar_inertia(parts),
            PlanarShape::Polyline(_) | PlanarShape::HalfPlane => None,
        }
    }
}

fn farthest(vertices: &[Vector2<f64>]) -> f64 {
    vertices.iter().map(|v| v.x.hypot(v.y)).fold(0.0, f64::max)
}

impl SpatialShape {
    /// The implicit function of a smooth shape; none for shapes with edges, flat sides or no bounds.
    pub fn implicit(&self) -> Option<Implicit> {
        match self {
            SpatialShape::Sphere { radius } => Some(Implicit::ellipsoid([*radius; 3])),
            SpatialShape::Ellipsoid { semi_axes } => Some(Implicit::ellipsoid(*semi_axes)),
            SpatialShape::SuperEllipsoid { semi_axes, exponents } => {
                Some(Implicit { semi_axes: *semi_axes, exponents: *exponents })
            }
            _ => None,
        }
    }

    /// Distance of the farthest point from the origin (for compounds a bound of it), m; infinite for the half-space.
    pub fn outer_radius(&self) -> f64 {
        match self {
            SpatialShape::Sphere { radius } => *radius,
            SpatialShape::Box { half: [x, y, z] } => x.hypot(*y).hypot(*z),
            SpatialShape::Capsule { radius, half } => radius + half,
            SpatialShape::Cylinder { radius, half } => radius.hypot(*half),
            SpatialShape::Cone { radius, height } => radius.hypot(0.25 * height).max(0.75 * height),
            SpatialShape::Ellipsoid { semi_axes: [x, y, z] } => x.max(*y).max(*z),
            SpatialShape::SuperEllipsoid { semi_axes, exponents } => {
                Implicit { semi_axes: *semi_axes, exponents: *exponents }.outer_radius()
            }
            SpatialShape::Intersection(shape) => shape.outer_radius(),
            SpatialShape::Convex(hull) => hull.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max),
            SpatialShape::Mesh(mesh) => mesh.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max),
            SpatialShape::Compound(parts) => {
                parts.iter().map(|(pose, part)| pose.p.norm() + part.outer_radius()).fold(0.0, f64::max)
            }
            SpatialShape::HalfSpace => f64::INFINITY,
        }
    }

    /// Volume, m³; none for the half-space, for open meshes, and where an intersection's could not be had.
    pub fn volume(&self) -> Option<f64> {
        match self {
            SpatialShape::Sphere { radius } => Some(4.0 / 3.0 * PI * radius.powi(3)),
            SpatialShape::Box { half: [x, y, z] } => Some(8.0 * x * y * z),
            SpatialShape::Capsule { radius, half } => {
                Some((4.0 / 3.0 * radius + 2.0 * half) * PI * radius * radius)
            }
            SpatialShape::Cylinder { radius, half } => Some(2.0 * PI * radius * radius * half),
            SpatialShape::Cone { radius, height } => Some(PI / 3.0 * radius * radius * height),
            SpatialShape::Ellipsoid { semi_axes: [x, y, z] } => Some(4.0 / 3.0 * PI * x * y * z),
            SpatialShape::SuperEllipsoid { semi_axes, exponents } => {
                Some(Implicit { semi_axes: *semi_axes, exponents: *exponents }.volume())
            }
            SpatialShape::Intersection(shape) => shape.moments().map(|m| m.volume),
            SpatialShape::Convex(hull) => Some(hull.volume()),
            SpatialShape::Mesh(mesh) => mesh.volume(),
            SpatialShape::Compound(parts) => parts.iter().map(|(_, part)| part.volume()).sum(),
            SpatialShape::HalfSpace => None,
        }
    }

    /// Centre of mass of a uniform body in the shape's frame, m.
    pub fn centroid(&self) -> Vector3<f64> {
        match self {
            SpatialShape::Compound(parts) => compound::spatial_centroid(parts),
            SpatialShape::Intersection(shape) => shape.moments().map_or(shape.centre(), |m| m.centroid),
            SpatialShape::Convex(hull) => hull.centroid(),
            SpatialShape::Mesh(mesh) => mesh.centroid(),
            _ => Vector3::zeros(),
        }
    }

    /// The shape moved so that its centroid is the origin.
    pub fn centred(self) -> Self {
        match self {
            SpatialShape::Compound(mut parts) => {
                let by = compound::spatial_centroid(&parts);
                parts.iter_mut().for_each(|(pose, _)| pose.p -= by);
                SpatialShape::Compound(parts)
            }
            SpatialShape::Intersection(ref shape) => {
                let by = -self.centroid();
                SpatialShape::Intersection(Box::new(shape.shifted(&by)))
            }
            SpatialShape::Convex(hull) => {
                let by = -hull.centroid();
                SpatialShape::Convex(hull.shifted(&by))
            }
            SpatialShape::Mesh(mesh) => SpatialShape::Mesh(mesh.shifted(&-mesh.centroid())),
            shape => shape,
        }
    }

    /// Inertia tensor about the centroid per unit mass for a uniform body, m²; none without a volume.
    pub fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let principal = match self {
            SpatialShape::Compound(parts) => return compound::spatial_inertia(parts),
            SpatialShape::Intersection(shape) => return shape.moments().map(|m| m.inertia),
            SpatialShape::Convex(hull) => return Some(hull.unit_inertia()),
            SpatialShape::Mesh(mesh) => return mesh.unit_inertia(),
            SpatialShape::Sphere { radius } => [0.4 * radius * radius; 3],
            SpatialShape::Box { half: [x, y, z] } => {
                let (x, y, z) = (x * x, y * y, z * z);
                [(y + z) / 3.0, (x + z) / 3.0, (x + y) / 3.0]
            }
            SpatialShape::Capsule { radius: r, half: h } => {
                // a cylinder and two half balls, whose centroids are 3r/8 beyond their centres
                let (middle, ends) = (2.0 * h, 4.0 / 3.0 * r);
                let across =
                    middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
                let along = middle * 0.5 * r * r + ends * 0.4 * r * r;
                let all = middle + ends;
                [across / all, across / all, along / all]
            }
            SpatialShape::Cylinder { radius: r, half: h } => {
                let across = 0.25 * r * r + h * h / 3.0;
                [across, across, 0.5 * r * r]
            }
            SpatialShape::Cone { radius: r, height: h } => {
                let across = 0.15 * r * r + 0.0375 * h * h;
                [across, across, 0.3 * r * r]
            }
            SpatialShape::Ellipsoid { semi_axes } => {
                let [x, y, z] = semi_axes.map(|a| 0.2 * a * a);
                [y + z, x + z, x + y]
            }
            SpatialShape::SuperEllipsoid { semi_axes, exponents } => {
                Implicit { semi_axes: *semi_axes, exponents: *exponents }.unit_inertia()
            }
            SpatialShape::HalfSpace => return None,
        };
        Some(Matrix3::from_diagonal(&principal.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cone = SpatialShape::Cone { radius: r, height: h };
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
        let flat = PlanarShape::Capsule { radius: r, half: h };
        let area = slices(&|_, y| 2.0 * y);
        let second = slices(&|z, y| 2.0 * y * z * z + 2.0 * y.powi(3) / 3.0);
        assert!((flat.area().unwrap() / area - 1.0).abs() < 1e-7);
        assert!((flat.unit_inertia().unwrap() * area / second - 1.0).abs() < 1e-7);
        let solid = SpatialShape::Capsule { radius: r, half: h };
        let volume = slices(&|_, y| PI * y * y);
        let across = slices(&|z, y| PI * y * y * (z * z + 0.25 * y * y));
        let along = slices(&|_, y| 0.5 * PI * y.powi(4));
        let [x, y, z]: [f64; 3] = solid.unit_inertia().unwrap().diagonal().into();
        assert!((solid.volume().unwrap() / volume - 1.0).abs() < 1e-7);
        assert!((x * volume / across - 1.0).abs() < 1e-7 && x == y);
        assert!((z * volume / along - 1.0).abs() < 1e-7);
    }
}
