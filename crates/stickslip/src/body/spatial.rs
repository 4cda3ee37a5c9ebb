//! Bodies in space: `q = (x, y, z, w, i, j, k)` with a unit quaternion, `u = (v, omega)`, both in the world frame.
//!
//! The orientation moves along its manifold, `R_WB <- exp(dt omega) R_WB`, so it stays a rotation. The gyroscopic
//! term `−omega x I omega` is part of the forces; time-steppers take it as `world/turning.rs` says.

use super::free_rotation::rotate;
use super::{Shapes, Space, Written};
use crate::collide::{Aabb, ContactPoint, spatial as collide, spatial_toward as toward};
use crate::shape::SpatialShape;
use crate::system::{Description, Snapshot};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Space.
#[derive(Clone, Copy, Debug)]
pub struct Spatial;

/// Placement of a spatial body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialPose {
    /// Position of the body's origin in the world, m.
    pub p: Vector3<f64>,
    /// Rotation from the body frame to the world frame.
    pub r: Matrix3<f64>,
}

impl SpatialPose {
    /// A placement from position (m) and unit quaternion (w, x, y, z).
    pub fn new(p: Vector3<f64>, [w, x, y, z]: [f64; 4]) -> Self {
        let r = Matrix3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        );
        Self { p, r }
    }

    /// The placement in the world of what is placed in the body frame.
    pub fn then(&self, inner: &SpatialPose) -> SpatialPose {
        SpatialPose { p: self.p + self.r * inner.p, r: self.r * inner.r }
    }
}

/// Moment of inertia of a spatial body in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialInertia {
    /// The tensor, kg m².
    pub tensor: Matrix3<f64>,
    /// Its inverse.
    inverse: Matrix3<f64>,
    /// True for a multiple of the identity, whose world-frame tensor does not depend on the orientation.
    spherical: bool,
}

impl SpatialInertia {
    /// A tensor that must be symmetric, positive definite and satisfy the triangle inequality; none otherwise.
    pub fn new(tensor: Matrix3<f64>) -> Option<Self> {
        let largest = tensor.amax();
        if !largest.is_finite() || (tensor - tensor.transpose()).amax() > 1e-12 * largest {
            return None;
        }
        let principal = tensor.symmetric_eigenvalues();
        let (least, most) = (principal.min(), principal.max());
        if least.is_nan() || least <= 0.0 || most > (principal.sum() - most) * (1.0 + 1e-12) {
            return None;
        }
        let inverse = tensor.try_inverse()?;
        let spherical = tensor == Matrix3::identity() * tensor[(0, 0)];
        Some(Self { tensor, inverse, spherical })
    }

    /// A diagonal tensor, kg m²; the conditions of [`new`](Self::new).
    pub fn diagonal(principal: [f64; 3]) -> Option<Self> {
        Self::new(Matrix3::from_diagonal(&Vector3::from(principal)))
    }

    fn in_world(&self, pose: &SpatialPose) -> (Matrix3<f64>, Matrix3<f64>) {
        if self.spherical {
            return (self.tensor, self.inverse);
        }
        (pose.r * self.tensor * pose.r.transpose(), pose.r * self.inverse * pose.r.transpose())
    }
}

impl Shapes for Spatial {
    type Pose = SpatialPose;
    type Shape = SpatialShape;

    fn outer_radius(shape: &SpatialShape) -> f64 {
        shape.outer_radius()
    }

    fn is_round(shape: &SpatialShape) -> bool {
        shape.implicit().is_some()
    }

    fn bounds(shape: &SpatialShape, pose: &SpatialPose) -> Aabb {
        shape.bounds(pose)
    }

    fn add_parts(shape: &Self::Shape, out: &mut Vec<crate::audit::part::Part>) {
        shape.geometry().add_parts(out);
    }

    fn solids(shape: &Self::Shape) -> Vec<crate::drawing::Placed> {
        shape.solids()
    }

    fn is_choosy(shape: &SpatialShape) -> bool {
        match shape {
            SpatialShape::Compound(parts) => parts.iter().any(|(_, part)| Self::is_choosy(part)),
            shape => matches!(shape, SpatialShape::Mesh(_)),
        }
    }

    fn can_collide(a: &SpatialShape, b: &SpatialShape) -> bool {
        collide::can_collide(a, b)
    }

    fn is_curved(shape: &SpatialShape) -> bool {
        shape.geometry().curved().is_some()
    }

    fn collide(
        a: (&SpatialShape, &SpatialPose),
        b: (&SpatialShape, &SpatialPose),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        collide::collide(a, b, reach, out);
    }

    fn follow(
        a: (&SpatialShape, &SpatialPose),
        b: (&SpatialShape, &SpatialPose),
        before: ([Vector3<f64>; 2], Vector3<f64>),
        pieces: u64,
    ) -> Option<ContactPoint> {
        collide::follow(a, b, before, pieces)
    }

    fn pieces(
        a: (&SpatialShape, &SpatialPose),
        b: (&SpatialShape, &SpatialPose),
        point: &ContactPoint,
    ) -> Option<u64> {
        collide::pieces(a, b, point)
    }

    fn collide_toward(
        a: (&SpatialShape, [&SpatialPose; 3]),
        b: (&SpatialShape, [&SpatialPose; 3]),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        toward::collide_toward(a, b, reach, out);
    }

    fn may_choose(a: &SpatialShape, b: &SpatialShape) -> bool {
        toward::may_choose(a, b)
    }

    fn has_choice(a: toward::Passing, b: toward::Passing, feature: u64) -> bool {
        toward::has_choice(a, b, feature)
    }
}

impl Written for Spatial {
    fn components(v: &Vector3<f64>) -> Vec<f64> {
        v.as_slice().to_vec()
    }

    fn torque(v: &Vector3<f64>) -> Vec<f64> {
        v.as_slice().to_vec()
    }

    fn tangent_vector(normal: &Vector3<f64>, components: &[f64]) -> Vec<f64> {
        let [t1, t2] = tangents(normal);
        (t1 * components[0] + t2 * components[1]).as_slice().to_vec()
    }

    fn velocity_name(index: usize) -> &'static str {
        ["vx", "vy", "vz", "wx", "wy", "wz"].get(index).copied().unwrap_or("?")
    }

    fn describe(name: &str, q: &[f64], u: &[f64]) -> Description {
        Description::Body {
            name: name.to_owned(),
            position: q[..3].to_vec(),
            orientation: q[3..7].to_vec(),
            velocity: u[..3].to_vec(),
            angular_velocity: u[3..6].to_vec(),
        }
    }
}

impl Space for Spatial {
    const COORDINATES: usize = 7;
    const FREEDOMS: usize = 6;
    const CONTACT_ROWS: usize = 3;
    type Inertia = SpatialInertia;

    fn pose(q: &[f64]) -> SpatialPose {
        SpatialPose::new(Vector3::new(q[0], q[1], q[2]), [q[3], q[4], q[5], q[6]])
    }

    fn displace(q: &mut [f64], u: &[f64], dt: f64) {
        for i in 0..3 {
            q[i] += dt * u[i];
        }
        let turn = Vector3::new(u[3], u[4], u[5]) * dt;
        if turn != Vector3::zeros() {
            let moved =
                UnitQuaternion::from_scaled_axis(turn).into_inner() * Quaternion::new(q[3], q[4], q[5], q[6]);
            let moved = moved.normalize();
            q[3..7].copy_from_slice(&[moved.w, moved.i, moved.j, moved.k]);
        }
    }

    fn rate(q: &[f64], u: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(&u[..3]);
        // omega in the world: half of omega times the quaternion
        let turn = Quaternion::new(0.0, u[3], u[4], u[5]) * Quaternion::new(q[3], q[4], q[5], q[6]) * 0.5;
        out[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    }

    fn normalise(q: &mut [f64]) {
        let unit = Quaternion::new(q[3], q[4], q[5], q[6]).normalize();
        q[3..7].copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
    }

    fn push_mass(mass: f64, inertia: &SpatialInertia, pose: &SpatialPose, out: &mut Snapshot) {
        let (tensor, inverse) = inertia.in_world(pose);
        let (m, w) = (mass, 1.0 / mass);
        out.mass.push(3, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
        out.mass.push(3, tensor.as_slice());
        out.inverse_mass.push(3, &[w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w]);
        out.inverse_mass.push(3, inverse.as_slice());
    }

    fn force(
        mass: f64,
        inertia: &SpatialInertia,
        gravity: &[f64; 3],
        at: (&SpatialPose, &[f64]),
        out: &mut [f64],
    ) -> f64 {
        let (pose, u) = at;
        let g = Vector3::from(*gravity);
        let gyroscopic = if inertia.spherical {
            Vector3::zeros()
        } else {
            Self::gyroscopic(inertia, pose, &Vector3::new(u[3], u[4], u[5]))
        };
        out[..3].copy_from_slice((g * mass).as_slice());
        out[3..6].copy_from_slice(gyroscopic.as_slice());
        -mass * g.dot(&pose.p)
    }

    fn turns(inertia: &SpatialInertia) -> bool {
        !inertia.spherical
    }

    fn angular_momentum(inertia: &SpatialInertia, pose: &SpatialPose, omega: &Vector3<f64>) -> Vector3<f64> {
        inertia.in_world(pose).0 * omega
    }

    fn turn(
        inertia: &SpatialInertia,
        start: &SpatialPose,
        (omega, torque): (&Vector3<f64>, &Vector3<f64>),
        [dt, moves]: [f64; 2],
    ) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let (tensors, start) = ([&inertia.tensor, &inertia.inverse], (&start.r, omega));
        let (_, end) = rotate(tensors, start, torque, dt);
        let (turn, alone) = rotate(tensors, start, &Vector3::zeros(), dt);
        let moved = UnitQuaternion::from_scaled_axis(-omega * (dt - moves));
        Some((end, (turn * moved).scaled_axis() / moves - alone))
    }

    fn place(q: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>, f64) {
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[4], q[5], q[6]));
        (Vector3::new(q[0], q[1], q[2]), rotation, 0.0)
    }

    fn write_place((p, r, _): (&Vector3<f64>, &UnitQuaternion<f64>, f64), q: &mut [f64]) {
        q.copy_from_slice(&[p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
    }

    fn write_twist(v: &Vector3<f64>, omega: &Vector3<f64>, u: &mut [f64]) {
        u.copy_from_slice(&[v.x, v.y, v.z, omega.x, omega.y, omega.z]);
    }

    fn tensor(inertia: &SpatialInertia) -> Matrix3<f64> {
        inertia.tensor
    }

    fn mean_inertia(inertia: &SpatialInertia) -> f64 {
        inertia.tensor.trace() / 3.0
    }

    fn speed(outer_radius: f64, u: &[f64]) -> f64 {
        let norm = |v: &[f64]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        norm(&u[..3]) + outer_radius * norm(&u[3..6])
    }

    fn contact_rows(point: &ContactPoint, pose: &SpatialPose, sign: f64, out: &mut Vec<f64>) {
        let p = if sign > 0.0 { point.p_a } else { point.p_b };
        let arm = p - pose.p;
        let [t1, t2] = tangents(&point.normal);
        for d in [point.normal, t1, t2] {
            let moment = arm.cross(&d);
            let row = [d.x, d.y, d.z, moment.x, moment.y, moment.z].map(|x| sign * x);
            out.extend_from_slice(&row);
        }
    }

    fn moment_axes(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
        let [t1, t2] = tangents(normal);
        [*normal, t1, t2]
    }

    fn frame(pose: &SpatialPose) -> (Vector3<f64>, Matrix3<f64>) {
        (pose.p, pose.r)
    }

    fn twist(u: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        (Vector3::new(u[0], u[1], u[2]), Vector3::new(u[3], u[4], u[5]))
    }

    fn push_row(linear: &Vector3<f64>, angular: &Vector3<f64>, out: &mut Vec<f64>) {
        out.extend_from_slice(linear.as_slice());
        out.extend_from_slice(angular.as_slice());
    }
}

/// The tangents of a spatial contact: the first is the world's x axis projected onto the tangent plane (the y axis
/// where the normal is within 26 degrees of x), the second completes the right-handed frame (n, t1, t2).
pub fn tangents(n: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let axis = if n.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    let t1 = (axis - n * n.dot(&axis)).normalize();
    [t1, n.cross(&t1)]
}
