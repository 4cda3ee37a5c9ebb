//! Shapes, each in its body's frame.
//!
//! The half-plane is solid below `y = 0`, the half-space below `z = 0`: the body's orientation turns them. Boxes,
//! discs and spheres are centred at the body's origin, which is its centre of mass.

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
    /// Everything below z = 0.
    HalfSpace,
}

impl PlanarShape {
    /// Distance of the farthest point from the origin, m; infinite for the half-plane.
    pub fn outer_radius(&self) -> f64 {
        match self {
            PlanarShape::Disc { radius } => *radius,
            PlanarShape::Box { half: [x, y] } => x.hypot(*y),
            PlanarShape::HalfPlane => f64::INFINITY,
        }
    }

    /// Area, m²; none for the half-plane.
    pub fn area(&self) -> Option<f64> {
        match self {
            PlanarShape::Disc { radius } => Some(std::f64::consts::PI * radius * radius),
            PlanarShape::Box { half: [x, y] } => Some(4.0 * x * y),
            PlanarShape::HalfPlane => None,
        }
    }

    /// Moment of inertia about the centre per unit mass for a uniform body, m²; none for the half-plane.
    pub fn unit_inertia(&self) -> Option<f64> {
        match self {
            PlanarShape::Disc { radius } => Some(0.5 * radius * radius),
            PlanarShape::Box { half: [x, y] } => Some((x * x + y * y) / 3.0),
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
            SpatialShape::HalfSpace => f64::INFINITY,
        }
    }

    /// Volume, m³; none for the half-space.
    pub fn volume(&self) -> Option<f64> {
        match self {
            SpatialShape::Sphere { radius } => Some(4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)),
            SpatialShape::Box { half: [x, y, z] } => Some(8.0 * x * y * z),
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
            SpatialShape::HalfSpace => None,
        }
    }
}
