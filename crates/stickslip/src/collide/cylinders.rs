//! Contact of cylinders and cones with half-spaces, and of cylinders with spheres: radius r, half height h along their
//! frame's z. Curved surfaces stay curved. All other shapes: `curved/`.
//!
//! **Half-space**, its normal n in the cylinder's frame, `m = |(n_x, n_y)|`, the centre at height c: the lowest point
//! of each rim lies in the direction `d = −(n_x, n_y) / m`, and
//!
//! (1) `gap = c ± h n_z − r m`.
//!
//! As d minimises the height along the rim, the gap's rate is the normal velocity of the material point there: a
//! cylinder lying on the plane touches with the ends of its line and rolls with c = r, whatever its turn about the
//! axis. A standing one touches with the whole rim, of which eight points stand for the rest: the lowest, and those
//! every eighth of a turn from it, each a material point with gap (2) `c ± h n_z − r m cos(phi)`. They come within
//! reach as the cylinder rights itself. Below a tilt of 1e-9 rad the lowest point has no direction but rounding's:
//! there d is the frame's x, so that a standing cylinder keeps its eight points; the least gap is then off by 1e-10 r
//! at most, and the base is an octagon (it tips at 0.92 to 1 of the exact moment; once it tips, the lowest point is
//! exact).
//!
//! **Cone on a half-space**: the same of its one rim, and the apex.
//!
//! **Sphere**: with the centre at distance rho from the axis and z along it, the closest point of the rectangle
//! `rho <= r, |z| <= h` (`box_point.rs`).
//!
//! Features: half-space: 8 k + j, k = 0 for the rim at −z, 1 at +z, j the eighth of a turn; a cone's apex 8. Sphere:
//! the rectangle's code.

use super::box_point::{closest, direction};
use super::{CURVED, ContactPoint, ON_FACE};
use crate::body::spatial::SpatialPose;
use crate::shape::spatial::{TURNS, UPRIGHT};
use crate::shape::{Cone, Cylinder};
use nalgebra::{Vector2, Vector3};

/// Appends the contacts of a cylinder with a half-space.
pub(super) fn with_half_space(
    (a, pose): (&Cylinder, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let n = pose.r.tr_mul(&normal);
    let (height, rise) = (normal.dot(&(pose.p - plane.p)), a.half * n.z);
    if height - rise.abs() - a.radius * n.x.hypot(n.y) > reach {
        return;
    }
    for (rim, side) in [-1.0, 1.0].into_iter().enumerate() {
        let at = Rim { radius: a.radius, z: side * a.half, feature: 8 * rim as u64 };
        at.push(pose, (&normal, height + side * rise), reach, out);
    }
}

/// Appends the contacts of a cone with a half-space.
pub(super) fn cone_with_half_space(
    (&Cone { radius, height }, pose): (&Cone, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let (up, middle) = (pose.r.tr_mul(&normal).z, normal.dot(&(pose.p - plane.p)));
    let rim = Rim { radius, z: -0.25 * height, feature: 0 };
    rim.push(pose, (&normal, middle + rim.z * up), reach, out);
    let (top, gap) = (0.75 * height, middle + 0.75 * height * up);
    if gap <= reach {
        let p_a = pose.p + pose.r * Vector3::new(0.0, 0.0, top);
        out.push(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: 8, features: ON_FACE });
    }
}

/// A circle about the frame's z, and its first feature.
struct Rim {
    radius: f64,
    z: f64,
    feature: u64,
}

impl Rim {
    /// Appends the eight points of a rim whose centre is this high above a plane.
    fn push(
        &self,
        pose: &SpatialPose,
        (normal, height): (&Vector3<f64>, f64),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        let n = pose.r.tr_mul(normal);
        let m = n.x.hypot(n.y);
        let d = if m > UPRIGHT { Vector2::new(-n.x / m, -n.y / m) } else { Vector2::x() };
        for (eighth, turn) in TURNS.iter().enumerate() {
            let spoke = Vector2::new(d.x * turn[0] - d.y * turn[1], d.x * turn[1] + d.y * turn[0]);
            let dip = if m > UPRIGHT { m * turn[0] } else { -(n.x * spoke.x + n.y * spoke.y) };
            let gap = height - self.radius * dip; // eq. (1), (2)
            if gap > reach {
                continue;
            }
            let e = spoke * self.radius;
            let p_a = pose.p + pose.r * Vector3::new(e.x, e.y, self.z);
            let feature = self.feature + eighth as u64;
            out.push(ContactPoint {
                p_a,
                p_b: p_a - normal * gap,
                normal: *normal,
                gap,
                feature,
                features: CURVED,
            });
        }
    }
}

/// The contact of a sphere with a cylinder.
pub(super) fn sphere(
    (radius, centre): (f64, &Vector3<f64>),
    (b, pose): (&Cylinder, &SpatialPose),
) -> ContactPoint {
    let q = pose.r.tr_mul(&(centre - pose.p));
    let (out, rho) = direction(&Vector2::new(q.x, q.y)).unwrap_or((Vector2::x(), 0.0));
    let near = closest(&Vector2::new(rho, q.z), &Vector2::new(b.radius, b.half));
    let in_space = |v: &Vector2<f64>| pose.r * Vector3::new(out.x * v.x, out.y * v.x, v.y);
    let normal = in_space(&near.normal);
    let (p_a, p_b) = (centre - normal * radius, pose.p + in_space(&near.point));
    ContactPoint { p_a, p_b, normal, gap: near.distance - radius, feature: near.code, features: CURVED }
}
