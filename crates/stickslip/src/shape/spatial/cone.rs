//! Circular cones along z about their centroid: the base, of radius r, at `z = −height/4`, the apex at `z = 3
//! height/4`. The support function is `h(w) = max(r |(w_x, w_y)| + low w_z, high w_z)`; the surface is the base, its
//! rim, the side and the apex.

use super::curved::{APEX, SIDE, on_circle, rims, turn};
use super::{Candidates, Curved, Patch, SHOWS, Shows, SpatialGeometry, across, face_code, principal};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// A circular cone along z, its apex up: the base at z = −height/4, the apex at 3 height/4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Radius of the base, m.
    pub radius: f64,
    /// Height, m.
    pub height: f64,
}

impl Cone {
    /// Where its base is, m.
    fn low(&self) -> f64 {
        -0.25 * self.height
    }

    /// Where its apex is, m.
    fn high(&self) -> f64 {
        0.75 * self.height
    }
}

impl SpatialGeometry for Cone {
    fn outer_radius(&self) -> f64 {
        self.radius.hypot(0.25 * self.height).max(0.75 * self.height)
    }

    fn smallest_extent(&self) -> f64 {
        (2.0 * self.radius).min(self.height)
    }

    fn volume(&self) -> Option<f64> {
        Some(PI / 3.0 * self.radius * self.radius * self.height)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        let (r, h) = (self.radius, self.height);
        let across = 0.15 * r * r + 0.0375 * h * h;
        principal([across, across, 0.3 * r * r])
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        let axis: Vector3<f64> = pose.r.column(2).into();
        let (base, apex) = (pose.p - axis * (0.25 * self.height), pose.p + axis * (0.75 * self.height));
        let across = across(pose) * self.radius;
        Aabb { min: base - across, max: base + across }.with(&Aabb { min: apex, max: apex })
    }

    fn curved(&self) -> Option<&dyn Curved> {
        Some(self)
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let ball = self.radius * self.height / (self.radius + self.radius.hypot(self.height));
        out.push(Part::curved(*self, [ball, self.outer_radius()]));
    }

    fn solids(&self) -> Vec<Placed> {
        vec![Placed::here(Solid::Cone { radius: self.radius, height: self.height })]
    }

    fn describe(&self) -> String {
        format!("cone of radius {} m and height {} m", self.radius, self.height)
    }
}

impl Curved for Cone {
    fn extent(&self) -> f64 {
        self.radius.max(self.high())
    }

    fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        if w.z * self.high() >= self.radius * w.x.hypot(w.y) + w.z * self.low() {
            Vector3::z() * self.high()
        } else {
            on_circle(self.radius, self.low(), w)
        }
    }

    fn support(&self, w: &Vector3<f64>) -> f64 {
        (self.radius * w.x.hypot(w.y) + w.z * self.low()).max(w.z * self.high())
    }

    fn outside(&self, x: &Vector3<f64>) -> f64 {
        let k = self.radius / (self.high() - self.low());
        let side = (x.x.hypot(x.y) - k * (self.high() - x.z)) / (1.0 + k * k).sqrt();
        side.max(self.low() - x.z)
    }

    fn distance(&self, x: &Vector3<f64>) -> f64 {
        // the slant's normal, then the base
        let (run, rise) = (self.radius, self.high() - self.low());
        let slant = (x.x.hypot(x.y) * rise + (x.z - self.high()) * run) / run.hypot(rise);
        slant.max(self.low() - x.z)
    }

    fn face_normals(&self, show: &mut dyn FnMut(Vector3<f64>)) {
        show(-Vector3::z());
    }

    fn tangent(&self, _: u64, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        Vector3::new(-w.y, w.x, 0.0).try_normalize(0.0)
    }

    fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        let (y, rho, m) = (x / unit, x.x.hypot(x.y) / unit, w.x.hypot(w.y));
        let turn = turn(&y, rho, w);
        let (r, bottom, top) = (self.radius / unit, self.low() / unit, self.high() / unit);
        let k = r / (top - bottom);
        let c = (1.0 + k * k).sqrt().recip();
        let side = (rho - k * (top - y.z)).abs() * c;
        out.add(Patch::Vertex(Vector3::z() * top), APEX, (y - Vector3::z() * top).norm());
        out.add(Patch::Slope { k, top }, SIDE, side + (w.z - k * m).abs() * c + turn);
        let rim = Patch::Rim { z: bottom, radius: r };
        out.add(rim, 0, (rho - r).abs() + (y.z - bottom).abs() + turn);
        let base = Patch::Plane(Vector3::z() * bottom, Vector3::z() * -1.0);
        out.add(base, face_code(0), (y.z - bottom).abs() + m + w.z.max(0.0));
    }

    fn shows(&self, w: &Vector3<f64>) -> Shows {
        let (m, rise) = (w.x.hypot(w.y), self.high() - self.low());
        let line = Vector3::new(-self.radius * w.x, -self.radius * w.y, rise * m).normalize();
        let base = (w.z < -SHOWS).then_some(0);
        let line = base.is_none() && line.dot(w).abs() < SHOWS.sqrt();
        Shows::Turned { rims: rims([[self.radius, self.low()], [0.0, self.high()]], w), base, line }
    }
}
