//! Surfaces that bound a convex solid, each by an implicit function that is negative inside: smooth ones as
//! `implicit.rs` has them, placed, and planes,
//!
//! (1) `f(x) = n · (x − p) / L`, with a length L of the solid, so that f has no unit.

use super::Implicit;
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector3};

/// Newton's method along a ray ends after so many steps at most.
const STEPS: usize = 100;

/// A surface and the solid behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// A smooth closed one.
    Smooth {
        /// In its own frame.
        shape: Implicit,
        /// Where that frame is.
        pose: SpatialPose,
    },
    /// A plane.
    Plane {
        /// A point of it, m.
        point: Vector3<f64>,
        /// Outward, of length one.
        normal: Vector3<f64>,
        /// L of eq. (1), m.
        length: f64,
    },
}

impl Surface {
    /// The implicit function, no unit.
    pub fn value(&self, x: &Vector3<f64>) -> f64 {
        match self {
            Surface::Smooth { shape, pose } => shape.value(&pose.r.tr_mul(&(x - pose.p))),
            Surface::Plane { point, normal, length } => normal.dot(&(x - point)) / length,
        }
    }

    /// Its gradient, 1/m.
    pub fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Surface::Smooth { shape, pose } => pose.r * shape.gradient(&pose.r.tr_mul(&(x - pose.p))),
            Surface::Plane { normal, length, .. } => normal / *length,
        }
    }

    /// Its Hessian, 1/m².
    pub(crate) fn hessian(&self, x: &Vector3<f64>) -> Matrix3<f64> {
        match self {
            Surface::Smooth { shape, pose } => {
                pose.r * shape.hessian(&pose.r.tr_mul(&(x - pose.p))) * pose.r.transpose()
            }
            Surface::Plane { .. } => Matrix3::zeros(),
        }
    }

    /// About how far a point lies outside, m; negative inside.
    pub fn outside(&self, x: &Vector3<f64>) -> f64 {
        match self {
            Surface::Smooth { .. } => self.value(x) / self.gradient(x).norm(),
            Surface::Plane { point, normal, .. } => normal.dot(&(x - point)),
        }
    }

    /// The point where the outward normal is w; none for planes.
    pub(crate) fn support_point(&self, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        match self {
            Surface::Smooth { shape, pose } => Some(pose.p + pose.r * shape.support_point(&pose.r.tr_mul(w))),
            Surface::Plane { .. } => None,
        }
    }

    /// How far a ray from a point inside goes until it leaves, m. Along it f is convex: Newton's method from beyond
    /// comes down to the root without passing it.
    pub fn leaves(&self, from: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        match self {
            Surface::Plane { point, normal, .. } => {
                let rate = normal.dot(direction);
                if rate > 0.0 { (normal.dot(&(point - from)) / rate).max(0.0) } else { f64::INFINITY }
            }
            Surface::Smooth { shape, pose } => {
                let mut s = (from - pose.p).norm() + shape.outer_radius();
                for _ in 0..STEPS {
                    let x = from + direction * s;
                    let step = self.value(&x) / self.gradient(&x).dot(direction);
                    if step.is_nan() || step <= f64::EPSILON * s {
                        break;
                    }
                    s -= step;
                }
                s.max(0.0)
            }
        }
    }

    /// Moved.
    pub fn shifted(self, by: &Vector3<f64>) -> Self {
        match self {
            Surface::Smooth { shape, pose } => {
                Surface::Smooth { shape, pose: SpatialPose { p: pose.p + by, ..pose } }
            }
            Surface::Plane { point, normal, length } => Surface::Plane { point: point + by, normal, length },
        }
    }

    /// With lengths in another unit.
    pub fn in_units(self, unit: f64) -> Self {
        match self {
            Surface::Smooth { shape, pose } => Surface::Smooth {
                shape: Implicit { semi_axes: shape.semi_axes.map(|a| a / unit), ..shape },
                pose: SpatialPose { p: pose.p / unit, ..pose },
            },
            Surface::Plane { point, normal, length } => {
                Surface::Plane { point: point / unit, normal, length: length / unit }
            }
        }
    }
}
