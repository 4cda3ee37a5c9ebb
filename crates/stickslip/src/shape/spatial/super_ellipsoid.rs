//! Super-ellipsoids about the origin, `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1`: smooth solids (`implicit.rs`).

use super::curved::Smooth;
use super::{Curved, Implicit, SpatialGeometry, box_about, principal};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};

/// A super-ellipsoid `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuperEllipsoid {
    /// Semi-axes a, b, c along x, y and z, m.
    pub semi_axes: [f64; 3],
    /// Exponents m across z and n along it, each at least 2.
    pub exponents: [f64; 2],
}

impl SpatialGeometry for SuperEllipsoid {
    fn outer_radius(&self) -> f64 {
        self.function().outer_radius()
    }

    fn smallest_extent(&self) -> f64 {
        let [x, y, z] = self.semi_axes;
        2.0 * x.min(y).min(z)
    }

    fn volume(&self) -> Option<f64> {
        Some(self.function().volume())
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        principal(self.function().unit_inertia())
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, self.function().reach(&pose.r))
    }

    fn curved(&self) -> Option<&dyn Curved> {
        Some(self)
    }

    fn implicit(&self) -> Option<Implicit> {
        Some(self.function())
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::curved(*self, [Vector3::from(self.semi_axes).min(), self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        let [m, n] = self.exponents;
        let solid = if m == n {
            Solid::SuperEllipsoid { semi_axes: self.semi_axes, exponent: n }
        } else {
            // the points of a lattice on the sphere, scaled to the shape: evenly spread on long ones, too
            let (shape, axes) = (self.function(), Vector3::from(self.semi_axes));
            Solid::by_rays(|d| {
                let d = d.component_mul(&axes);
                d / shape.gauge(&d)
            })
        };
        vec![Placed::here(solid)]
    }

    fn describe(&self) -> String {
        let ([x, y, z], [m, n]) = (self.semi_axes, self.exponents);
        let exponents = if m == n { format!("exponent {n}") } else { format!("exponents {m} and {n}") };
        format!("super-ellipsoid of semi-axes {x}, {y} and {z} m and {exponents}")
    }
}

impl Smooth for SuperEllipsoid {
    fn function(&self) -> Implicit {
        Implicit { semi_axes: self.semi_axes, exponents: self.exponents }
    }
}
