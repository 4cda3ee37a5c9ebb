//! Shapes, each in its body's frame.
//!
//! The half-plane is solid below `y = 0`, the half-space below `z = 0`: the body's orientation turns them. Boxes,
//! discs, spheres and capsules are centred at the body's origin, which is its centre of mass. Polygons are where their
//! vertices say; a moving body's has its [`centroid`](PlanarShape::centroid) at the origin.

mod polygon;

pub use polygon::{ConvexPolygon, PolygonError};

use nalgebra::Vector2;
use std::f64::consts::PI;

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
    /// Everything below z = 0.
    HalfSpace,
}

impl PlanarShape {
    /// Distance of the farthest point from the origin, m; infinite for the half-plane.
    pub fn outer_radius(&self) -> f64 {
        match self {
            PlanarShape::Disc { radius } => *radius,
            PlanarShape::Box { half: [x, y] } => x.hypot(*y),
            PlanarShape::Capsule { radius, half } => radius + half,
            PlanarShape::Polygon(polygon) => {
                polygon.vertices().iter().map(|v| v.x.hypot(v.y)).fold(0.0, f64::max)
            }
            PlanarShape::HalfPlane => f64::INFINITY,
        }
    }

    /// Area, m²; none for the half-plane.
    pub fn area(&self) -> Option<f64> {
        match self {
            PlanarShape::Disc { radius } => Some(PI * radius * radius),
            PlanarShape::Box { half: [x, y] } => Some(4.0 * x * y),
            PlanarShape::Capsule { radius, half } => Some((PI * radius + 4.0 * half) * radius),
            PlanarShape::Polygon(polygon) => Some(polygon.area()),
            PlanarShape::HalfPlane => None,
        }
    }

    /// Centre of mass of a uniform body in the shape's frame, m.
    pub fn centroid(&self) -> Vector2<f64> {
        match self {
            PlanarShape::Polygon(polygon) => polygon.centroid(),
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
            shape => shape,
        }
    }

    /// Moment of inertia about the centroid per unit mass for a uniform body, m²; none for the half-plane.
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
            PlanarShape::HalfPlane => None,
        }
    }
}

impl SpatialShape {
    /// Distance of the farthest point from the origin, m; infinite for the half-space.
    pub fn outer_radius(&self) -> f64 {
        match self {
            SpatialShape::Sphere { radius } => *radius,
            SpatialShape::Box { half: [x, y, z] } => x.hypot(*y).hypot(*z),
            SpatialShape::Capsule { radius, half } => radius + half,
            SpatialShape::Cylinder { radius, half } => radius.hypot(*half),
            SpatialShape::HalfSpace => f64::INFINITY,
        }
    }

    /// Volume, m³; none for the half-space.
    pub fn volume(&self) -> Option<f64> {
        match self {
            SpatialShape::Sphere { radius } => Some(4.0 / 3.0 * PI * radius.powi(3)),
            SpatialShape::Box { half: [x, y, z] } => Some(8.0 * x * y * z),
            SpatialShape::Capsule { radius, half } => {
                Some((4.0 / 3.0 * radius + 2.0 * half) * PI * radius * radius)
            }
            SpatialShape::Cylinder { radius, half } => Some(2.0 * PI * radius * radius * half),
            SpatialShape::HalfSpace => None,
        }
    }

    /// Principal moments of inertia per unit mass for a uniform body, m²; none for the half-space.
    pub fn unit_inertia(&self) -> Option<[f64; 3]> {
        match self {
            SpatialShape::Sphere { radius } => Some([0.4 * radius * radius; 3]),
            SpatialShape::Box { half: [x, y, z] } => {
                let (x, y, z) = (x * x, y * y, z * z);
                Some([(y + z) / 3.0, (x + z) / 3.0, (x + y) / 3.0])
            }
            SpatialShape::Capsule { radius: r, half: h } => {
                // a cylinder and two half balls, whose centroids are 3r/8 beyond their centres
                let (middle, ends) = (2.0 * h, 4.0 / 3.0 * r);
                let across =
                    middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
                let along = middle * 0.5 * r * r + ends * 0.4 * r * r;
                let all = middle + ends;
                Some([across / all, across / all, along / all])
            }
            SpatialShape::Cylinder { radius: r, half: h } => {
                let across = 0.25 * r * r + h * h / 3.0;
                Some([across, across, 0.5 * r * r])
            }
            SpatialShape::HalfSpace => None,
        }
    }
}
