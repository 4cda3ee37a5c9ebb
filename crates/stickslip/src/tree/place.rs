//! Placements of frames, and spatial vectors [Featherstone 2008, ch. 2] in the axes of the world.

use crate::body::Space;
use crate::joint::Side;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

/// A placement: of a frame in another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub p: Vector3<f64>,
    pub rotation: UnitQuaternion<f64>,
    /// In the plane: the angle, turns counted.
    pub angle: f64,
}

impl Place {
    /// The frame itself.
    pub const HERE: Place = Place {
        p: Vector3::new(0.0, 0.0, 0.0),
        rotation: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        angle: 0.0,
    };

    /// The placement of `inner`, which is given in this frame.
    pub fn then(&self, inner: &Place) -> Place {
        Place {
            p: self.p + self.rotation * inner.p,
            rotation: self.rotation * inner.rotation,
            angle: self.angle + inner.angle,
        }
    }

    pub fn inverse(&self) -> Place {
        let rotation = self.rotation.inverse();
        Place { p: -(rotation * self.p), rotation, angle: -self.angle }
    }

    /// That of a body with these coordinates.
    pub fn of_body<S: Space>(q: &[f64]) -> Place {
        let (p, rotation, angle) = S::place(q);
        Place { p, rotation, angle }
    }

    /// That of a joint's side in its body.
    pub fn of_side(side: &Side) -> Place {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(side.r));
        Place { p: side.p, rotation, angle: side.r[(1, 0)].atan2(side.r[(0, 0)]) }
    }

    /// The axes as columns.
    pub fn axes(&self) -> Matrix3<f64> {
        self.rotation.to_rotation_matrix().into_inner()
    }
}

/// A velocity (of a point o, and angular), or a force and its moment about o.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spatial {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
}

impl Spatial {
    /// Nothing.
    pub const ZERO: Spatial =
        Spatial { linear: Vector3::new(0.0, 0.0, 0.0), angular: Vector3::new(0.0, 0.0, 0.0) };

    #[inline]
    pub fn dot(&self, other: &Spatial) -> f64 {
        self.linear.dot(&other.linear) + self.angular.dot(&other.angular)
    }

    #[inline]
    pub fn add(&mut self, other: &Spatial, factor: f64) {
        self.linear += other.linear * factor;
        self.angular += other.angular * factor;
    }

    /// A force and a torque at a point that is `arm` away from o, about o.
    #[inline]
    pub fn force((force, torque): (&Vector3<f64>, &Vector3<f64>), arm: &Vector3<f64>) -> Self {
        Spatial { linear: *force, angular: torque + arm.cross(force) }
    }

    /// The turn about a unit vector through a point from which o is `back` away.
    #[inline]
    pub fn turn(d: Vector3<f64>, back: &Vector3<f64>) -> Self {
        Spatial { linear: d.cross(back), angular: d }
    }

    /// The rate of an axis that is fixed in a frame with this velocity: `V x s`.
    #[inline]
    pub fn moves(&self, axis: &Spatial) -> Spatial {
        Spatial {
            linear: self.angular.cross(&axis.linear) + self.linear.cross(&axis.angular),
            angular: self.angular.cross(&axis.angular),
        }
    }
}
