//! Bodies in the plane: `q = (x, y, angle)`, `u = (v_x, v_y, omega)`.

use super::{Shapes, Space, Written};
use crate::collide::{Aabb, ContactPoint, planar as collide, planar_toward as toward};
use crate::shape::PlanarShape;
use crate::system::{Description, Snapshot};
use nalgebra::{Matrix3, UnitQuaternion, Vector2, Vector3};

/// The plane.
#[derive(Clone, Copy, Debug)]
pub struct Planar;

/// Placement of a planar body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarPose {
    /// Position of the body's origin in the world, m.
    pub p: Vector2<f64>,
    /// Cosine of the angle.
    pub cos: f64,
    /// Sine of the angle.
    pub sin: f64,
}

impl PlanarPose {
    /// A placement from position (m) and angle (rad).
    pub fn new(x: f64, y: f64, angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { p: Vector2::new(x, y), cos, sin }
    }

    /// The placement in the world of what is placed in the body frame.
    pub fn then(&self, inner: &PlanarPose) -> PlanarPose {
        PlanarPose {
            p: self.p + self.rotate(inner.p),
            cos: self.cos * inner.cos - self.sin * inner.sin,
            sin: self.sin * inner.cos + self.cos * inner.sin,
        }
    }

    /// Turns a vector from the body frame into the world frame.
    pub fn rotate(&self, v: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// Turns a vector from the world frame into the body frame.
    pub(crate) fn unrotate(&self, v: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }
}

impl Shapes for Planar {
    type Pose = PlanarPose;
    type Shape = PlanarShape;

    fn outer_radius(shape: &PlanarShape) -> f64 {
        shape.outer_radius()
    }

    fn is_round(shape: &PlanarShape) -> bool {
        matches!(shape, PlanarShape::Disc(_))
    }

    fn bounds(shape: &PlanarShape, pose: &PlanarPose) -> Aabb {
        shape.bounds(pose)
    }

    fn add_parts(shape: &Self::Shape, out: &mut Vec<crate::audit::part::Part>) {
        shape.geometry().add_parts(out);
    }

    fn solids(shape: &Self::Shape) -> Vec<crate::drawing::Placed> {
        shape.solids()
    }

    fn is_choosy(shape: &PlanarShape) -> bool {
        collide::is_many_sided(shape)
    }

    fn can_collide(a: &PlanarShape, b: &PlanarShape) -> bool {
        collide::can_collide(a, b)
    }

    fn collide(
        a: (&PlanarShape, &PlanarPose),
        b: (&PlanarShape, &PlanarPose),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        collide::collide(a, b, reach, out);
    }

    fn collide_toward(
        a: (&PlanarShape, [&PlanarPose; 3]),
        b: (&PlanarShape, [&PlanarPose; 3]),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        toward::collide_toward(a, b, reach, out);
    }

    fn may_choose(a: &PlanarShape, b: &PlanarShape) -> bool {
        toward::may_choose(a, b)
    }

    fn has_choice(a: toward::Passing, b: toward::Passing, feature: u64) -> bool {
        toward::has_choice(a, b, feature)
    }
}

impl Written for Planar {
    fn components(v: &Vector3<f64>) -> Vec<f64> {
        vec![v.x, v.y]
    }

    fn torque(v: &Vector3<f64>) -> Vec<f64> {
        vec![v.z]
    }

    fn tangent_vector(normal: &Vector3<f64>, components: &[f64]) -> Vec<f64> {
        let t = tangent(normal) * components[0];
        vec![t.x, t.y]
    }

    fn velocity_name(index: usize) -> &'static str {
        ["vx", "vy", "omega"].get(index).copied().unwrap_or("?")
    }

    fn describe(name: &str, q: &[f64], u: &[f64]) -> Description {
        Description::Body {
            name: name.to_owned(),
            position: q[..2].to_vec(),
            orientation: q[2..].to_vec(),
            velocity: u[..2].to_vec(),
            angular_velocity: u[2..].to_vec(),
        }
    }
}

impl Space for Planar {
    const COORDINATES: usize = 3;
    const FREEDOMS: usize = 3;
    const CONTACT_ROWS: usize = 2;
    type Inertia = f64;

    fn pose(q: &[f64]) -> PlanarPose {
        PlanarPose::new(q[0], q[1], q[2])
    }

    fn displace(q: &mut [f64], u: &[f64], dt: f64) {
        for i in 0..3 {
            q[i] += dt * u[i];
        }
    }

    fn rate(_: &[f64], u: &[f64], out: &mut [f64]) {
        out.copy_from_slice(u);
    }

    fn push_mass(mass: f64, inertia: &f64, _: &PlanarPose, out: &mut Snapshot) {
        let (m, j) = (mass, *inertia);
        out.mass.push(3, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, j]);
        out.inverse_mass.push(3, &[1.0 / m, 0.0, 0.0, 0.0, 1.0 / m, 0.0, 0.0, 0.0, 1.0 / j]);
    }

    fn force(mass: f64, _: &f64, gravity: &[f64; 3], at: (&PlanarPose, &[f64]), out: &mut [f64]) -> f64 {
        out[0] = mass * gravity[0];
        out[1] = mass * gravity[1];
        out[2] = 0.0;
        -mass * (gravity[0] * at.0.p.x + gravity[1] * at.0.p.y)
    }

    fn place(q: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>, f64) {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), q[2]);
        (Vector3::new(q[0], q[1], 0.0), rotation, q[2])
    }

    fn write_place((p, _, angle): (&Vector3<f64>, &UnitQuaternion<f64>, f64), q: &mut [f64]) {
        q.copy_from_slice(&[p.x, p.y, angle]);
    }

    fn write_twist(v: &Vector3<f64>, omega: &Vector3<f64>, u: &mut [f64]) {
        u.copy_from_slice(&[v.x, v.y, omega.z]);
    }

    fn tensor(inertia: &f64) -> Matrix3<f64> {
        Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, *inertia))
    }

    fn mean_inertia(inertia: &f64) -> f64 {
        *inertia
    }

    fn speed(outer_radius: f64, u: &[f64]) -> f64 {
        u[0].hypot(u[1]) + outer_radius * u[2].abs()
    }

    fn contact_rows(point: &ContactPoint, pose: &PlanarPose, sign: f64, out: &mut Vec<f64>) {
        let p = if sign > 0.0 { point.p_a } else { point.p_b };
        let arm = Vector2::new(p.x - pose.p.x, p.y - pose.p.y);
        let n = point.normal;
        for d in [n, tangent(&n)] {
            out.extend_from_slice(&[sign * d.x, sign * d.y, sign * (arm.x * d.y - arm.y * d.x)]);
        }
    }

    fn moment_axes(_: &Vector3<f64>) -> [Vector3<f64>; 3] {
        // nothing spins about a normal in the plane
        [Vector3::zeros(), Vector3::z(), Vector3::zeros()]
    }

    fn frame(pose: &PlanarPose) -> (Vector3<f64>, Matrix3<f64>) {
        let (c, s) = (pose.cos, pose.sin);
        (Vector3::new(pose.p.x, pose.p.y, 0.0), Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
    }

    fn twist(u: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        (Vector3::new(u[0], u[1], 0.0), Vector3::new(0.0, 0.0, u[2]))
    }

    fn push_row(linear: &Vector3<f64>, angular: &Vector3<f64>, out: &mut Vec<f64>) {
        out.extend_from_slice(&[linear.x, linear.y, angular.z]);
    }
}

/// The tangent of a planar contact: the normal turned clockwise, so that it points along +x on level ground.
fn tangent(n: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(n.y, -n.x, 0.0)
}
