//! Circular cylinders about the origin, `x² + y² <= r², |z| <= h`. The support function is `h(w) = r |(w_x, w_y)| + h
//! |w_z|`; the surface is two bases, two rims and a side, which is the axis grown by the radius.

use super::curved::{SIDE, on_circle, rims, turn};
use super::{
    Candidates, Curved, Patch, SHOWS, Shows, SpatialGeometry, across, box_about, face_code, principal,
};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// A circular cylinder along z, about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Half the height, m.
    pub half: f64,
}

impl SpatialGeometry for Cylinder {
    fn outer_radius(&self) -> f64 {
        self.radius.hypot(self.half)
    }

    fn smallest_extent(&self) -> f64 {
        2.0 * self.radius.min(self.half)
    }

    fn volume(&self) -> Option<f64> {
        Some(2.0 * PI * self.radius * self.radius * self.half)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let (r, h) = (self.radius, self.half);
        let across = 0.25 * r * r + h * h / 3.0;
        principal([across, across, 0.5 * r * r])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_about(pose, pose.r.column(2).abs() * self.half + across(pose) * self.radius)
    }

    fn curved(&self) -> Option<&dyn Curved> {
        Some(self)
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::curved(*self, [self.radius.min(self.half), self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Cylinder { radius: self.radius, half: self.half })]
    }

    fn describe(&self) -> String {
        format!("cylinder of radius {} m and height {} m", self.radius, 2.0 * self.half)
    }
}

impl Curved for Cylinder {
    fn extent(&self) -> f64 {
        self.radius.max(self.half)
    }

    fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        on_circle(self.radius, self.half.copysign(w.z), w)
    }

    fn support(&self, w: &Vector3<f64>) -> f64 {
        self.radius * w.x.hypot(w.y) + self.half * w.z.abs()
    }

    fn outside(&self, x: &Vector3<f64>) -> f64 {
        (x.x.hypot(x.y) - self.radius).max(x.z.abs() - self.half)
    }

    fn distance(&self, x: &Vector3<f64>) -> f64 {
        let (a, b) = (x.x.hypot(x.y) - self.radius, x.z.abs() - self.half);
        if a > 0.0 && b > 0.0 { a.hypot(b) } else { a.max(b) }
    }

    fn face_normals(&self, show: &mut dyn FnMut(Vector3<f64>)) {
        show(-Vector3::z());
        show(Vector3::z());
    }

    fn tangent(&self, _: u64, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        Vector3::new(-w.y, w.x, 0.0).try_normalize(0.0)
    }

    fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        let (y, rho, m) = (x / unit, x.x.hypot(x.y) / unit, w.x.hypot(w.y));
        let (r, h) = (self.radius / unit, self.half / unit);
        let axis = Patch::Line(Vector3::zeros(), Vector3::z());
        out.add_grown(axis, r, SIDE, (rho - r).abs() + w.z.abs());
        for (rim, side) in [-1.0, 1.0].into_iter().enumerate() {
            let (off, z) = ((y.z - side * h).abs(), side * h);
            let base = Patch::Plane(Vector3::z() * z, Vector3::z() * side);
            out.add(base, face_code(rim), off + m + f64::max(0.0, -w.z * side));
            out.add(Patch::Rim { z, radius: r }, 8 * rim as u64, off + (rho - r).abs() + turn(&y, rho, w));
        }
    }

    fn shows(&self, w: &Vector3<f64>) -> Shows {
        let base = (w.z.abs() > SHOWS.sqrt()).then_some(usize::from(w.z > 0.0));
        let line = base.is_none() && w.z.abs() < SHOWS.sqrt();
        Shows::Turned { rims: rims([[self.radius, -self.half], [self.radius, self.half]], w), base, line }
    }
}
