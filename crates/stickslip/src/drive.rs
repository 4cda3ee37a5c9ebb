//! Driven bodies and moving surfaces: motion that is given instead of found.
//!
//! A driven body has no coordinates of its own. It enters the constraints exactly: through where it is at the time the
//! gap is asked for, and through its velocity, `drift = W_driven^T u_driven`, in the same rows that a dynamic body
//! would have. When that time is, the stepper says: the end of the step for Stewart and Trinkle, the midpoint for
//! Moreau. The work of `drift` is work put in.

use crate::function::{Function, Instant};
use crate::shaker::ShakerRotation;
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};
use std::fmt::Debug;
use std::sync::Arc;

/// A prescribed motion of a rigid body: its coordinates and velocities, in the layout of the body's space.
pub trait Trajectory: Send + Sync + Debug {
    /// Writes the coordinates at `t` (m, rad, unit quaternion w x y z).
    fn coordinates(&self, t: f64, q: &mut [f64]);
    /// Writes the velocities at `t`, exactly the derivative of the coordinates (m/s, rad/s).
    fn velocity(&self, t: f64, u: &mut [f64]);
    /// The next kink or jump, as [`Function::next_break`].
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        let _ = (t, until);
        None
    }
    /// The coordinates on a smooth piece.
    fn coordinates_on(&self, at: Instant, q: &mut [f64]) {
        self.coordinates(at.t, q);
    }
    /// The velocities on a smooth piece.
    fn velocity_on(&self, at: Instant, u: &mut [f64]) {
        self.velocity(at.t, u);
    }
}

/// The first of the breaks of some functions; none where all are smooth.
pub(crate) fn first_break<'a>(
    functions: impl IntoIterator<Item = &'a Arc<dyn Function>>,
    (t, until): (f64, f64),
) -> Option<f64> {
    functions.into_iter().filter_map(|f| f.next_break(t, until)).reduce(f64::min)
}

/// A prescribed motion in the plane.
#[derive(Clone, Debug)]
pub struct PlanarDrive {
    /// Position of the body's origin, m.
    pub position: [Arc<dyn Function>; 2],
    /// Angle, rad.
    pub angle: Arc<dyn Function>,
}

impl Trajectory for PlanarDrive {
    fn coordinates(&self, t: f64, q: &mut [f64]) {
        self.coordinates_on(t.into(), q);
    }
    fn velocity(&self, t: f64, u: &mut [f64]) {
        self.velocity_on(t.into(), u);
    }
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        first_break(self.position.iter().chain([&self.angle]), (t, until))
    }
    fn coordinates_on(&self, at: Instant, q: &mut [f64]) {
        for (q, f) in q.iter_mut().zip([&self.position[0], &self.position[1], &self.angle]) {
            *q = f.value_on(at);
        }
    }
    fn velocity_on(&self, at: Instant, u: &mut [f64]) {
        for (u, f) in u.iter_mut().zip([&self.position[0], &self.position[1], &self.angle]) {
            *u = f.rate_on(at);
        }
    }
}

/// A prescribed motion in space: the origin moves, and the body turns about an axis fixed in the world.
#[derive(Clone, Debug)]
pub struct SpatialDrive {
    /// Position of the body's origin, m.
    pub position: [Arc<dyn Function>; 3],
    /// Orientation where the angle is zero, unit quaternion w x y z.
    pub orientation: [f64; 4],
    /// The axis it turns about, in the world.
    pub axis: Unit<Vector3<f64>>,
    /// By how much, rad.
    pub angle: Arc<dyn Function>,
}

impl Trajectory for SpatialDrive {
    fn coordinates(&self, t: f64, q: &mut [f64]) {
        self.coordinates_on(t.into(), q);
    }
    fn velocity(&self, t: f64, u: &mut [f64]) {
        self.velocity_on(t.into(), u);
    }
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        first_break(self.position.iter().chain([&self.angle]), (t, until))
    }
    fn coordinates_on(&self, at: Instant, q: &mut [f64]) {
        for (q, f) in q.iter_mut().zip(&self.position) {
            *q = f.value_on(at);
        }
        let [w, x, y, z] = self.orientation;
        let turn = UnitQuaternion::from_axis_angle(&self.axis, self.angle.value_on(at)).into_inner();
        let r = (turn * Quaternion::new(w, x, y, z)).normalize();
        q[3..7].copy_from_slice(&[r.w, r.i, r.j, r.k]);
    }
    fn velocity_on(&self, at: Instant, u: &mut [f64]) {
        for (u, f) in u.iter_mut().zip(&self.position) {
            *u = f.rate_on(at);
        }
        let turn = self.axis.into_inner() * self.angle.rate_on(at);
        u[3..6].copy_from_slice(turn.as_slice());
    }
}

/// A prescribed motion in space: the origin moves, and the body turns as a shaker turns it [Berard 2009, §5.3].
#[derive(Clone, Debug)]
pub struct ShakerDrive {
    /// Position of the body's origin, m.
    pub position: [Arc<dyn Function>; 3],
    /// Orientation about which the rotation is symmetric, unit quaternion w x y z.
    pub orientation: [f64; 4],
    /// The rotation, about axes of the world.
    pub rotation: ShakerRotation,
}

impl Trajectory for ShakerDrive {
    fn coordinates(&self, t: f64, q: &mut [f64]) {
        self.coordinates_on(t.into(), q);
    }
    fn velocity(&self, t: f64, u: &mut [f64]) {
        self.velocity_on(t.into(), u);
    }
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        first_break(&self.position, (t, until))
    }
    fn coordinates_on(&self, at: Instant, q: &mut [f64]) {
        for (q, f) in q.iter_mut().zip(&self.position) {
            *q = f.value_on(at);
        }
        let [w, x, y, z] = self.orientation;
        let r = (self.rotation.orientation(at.t).into_inner() * Quaternion::new(w, x, y, z)).normalize();
        q[3..7].copy_from_slice(&[r.w, r.i, r.j, r.k]);
    }
    fn velocity_on(&self, at: Instant, u: &mut [f64]) {
        for (u, f) in u.iter_mut().zip(&self.position) {
            *u = f.rate_on(at);
        }
        u[3..6].copy_from_slice(self.rotation.angular_velocity(at.t).as_slice());
    }
}

/// The velocity of a body's surface relative to the body, as on a belt or a turntable, in the body frame:
/// `v(p) = velocity + spin x p`. Only its part along the contact's tangents counts.
#[derive(Clone, Debug)]
pub struct SurfaceVelocity {
    /// The same everywhere, m/s.
    pub velocity: [Arc<dyn Function>; 3],
    /// Rate of rotation about the body's origin, rad/s.
    pub spin: [Arc<dyn Function>; 3],
}

impl SurfaceVelocity {
    /// The velocity at a point of the body, all in the body frame, m/s.
    pub fn at(&self, at: impl Into<Instant>, p: &Vector3<f64>) -> Vector3<f64> {
        let at = at.into();
        vector(&self.velocity, at) + vector(&self.spin, at).cross(p)
    }

    /// The rate of rotation in the body frame, rad/s.
    pub fn rotation(&self, at: impl Into<Instant>) -> Vector3<f64> {
        vector(&self.spin, at.into())
    }

    /// The next kink or jump, as [`Function::next_break`].
    pub fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        first_break(self.velocity.iter().chain(&self.spin), (t, until))
    }
}

/// Three functions at a time.
pub(crate) fn vector(f: &[Arc<dyn Function>; 3], at: Instant) -> Vector3<f64> {
    Vector3::new(f[0].value_on(at), f[1].value_on(at), f[2].value_on(at))
}

/// `offset + amplitude sin(rate t + phase)`: what shakers do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sine {
    /// Mean value.
    pub offset: f64,
    /// Largest departure from it.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub rate: f64,
    /// Phase at t = 0, rad.
    pub phase: f64,
}

impl Function for Sine {
    fn value(&self, t: f64) -> f64 {
        self.offset + self.amplitude * (self.rate * t + self.phase).sin()
    }
    fn rate(&self, t: f64) -> f64 {
        self.amplitude * self.rate * (self.rate * t + self.phase).cos()
    }
    fn acceleration(&self, t: f64) -> f64 {
        -self.amplitude * self.rate * self.rate * (self.rate * t + self.phase).sin()
    }
}
