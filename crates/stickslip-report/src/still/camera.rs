//! From the world to the picture.

use nalgebra::Vector3;

use super::scene::Scene;
use crate::look::mesh::unit;

/// Tangent of half the vertical angle of view, in space.
const HALF_VIEW: f64 = 0.30;
/// The part of the picture left free at each edge.
const MARGIN: f64 = 0.07;

#[derive(Clone, Copy)]
pub(super) struct Camera {
    pub flat: bool,
    pub eye: Vector3<f64>,
    pub right: Vector3<f64>,
    pub up: Vector3<f64>,
    /// Into the picture.
    pub forward: Vector3<f64>,
    /// Pixels per m in the plane, per unit of slope in space.
    pub scale: f64,
    pub centre: [f64; 2],
    /// What is nearer than this is not seen, m.
    pub near: f64,
}

impl Camera {
    pub(super) fn new(scene: &Scene, width: usize, height: usize) -> Self {
        let middle = 0.5 * (scene.low + scene.high);
        let centre = [0.5 * width as f64, 0.5 * height as f64];
        let room = 1.0 - 2.0 * MARGIN;
        if scene.flat {
            let [w, h] = [scene.high.x - scene.low.x, scene.high.y - scene.low.y];
            // a point is not magnified without end
            let least = 1e-3 * scene.size;
            let scale = (room * width as f64 / w.max(least)).min(room * height as f64 / h.max(least));
            return Self {
                flat: true,
                eye: middle + Vector3::z() * scene.size,
                right: Vector3::x(),
                up: Vector3::y(),
                forward: -Vector3::z(),
                scale,
                centre,
                near: 0.0,
            };
        }
        // from the side of the animated view
        let back = unit(Vector3::new(0.55, -1.15, 0.6));
        let right = unit(Vector3::z().cross(&back));
        let up = back.cross(&right);
        let (sx, sy) = (HALF_VIEW * room * width as f64 / height as f64, HALF_VIEW * room);
        // the middle of what is seen from there, and as near to it as all of it allows
        let between = |axis: Vector3<f64>| {
            let along = scene.shown.iter().map(|p| (p - middle).dot(&axis));
            let (low, high) = along.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
            axis * (0.5 * (low + high))
        };
        let middle = middle + between(right) + between(up);
        let distance = scene.shown.iter().fold(0.5 * scene.size, |d, p| {
            let p = p - middle;
            d.max((p.dot(&right).abs() / sx).max(p.dot(&up).abs() / sy) + p.dot(&back))
        });
        Self {
            flat: false,
            eye: middle + back * distance,
            right,
            up,
            forward: -back,
            scale: 0.5 * height as f64 / HALF_VIEW,
            centre,
            near: 1e-3 * scene.size,
        }
    }

    /// The same view on a picture with more pixels.
    pub(super) fn scaled(&self, by: usize) -> Self {
        let by = by as f64;
        Self { scale: self.scale * by, centre: self.centre.map(|c| c * by), ..*self }
    }

    /// How far in front of the eye a point is, m.
    pub(super) fn depth(&self, p: Vector3<f64>) -> f64 {
        (p - self.eye).dot(&self.forward)
    }

    pub(super) fn nearest(&self) -> Option<f64> {
        (!self.flat).then_some(self.near)
    }

    /// Where a point is in the picture, and a number that grows towards the eye and is linear over the picture.
    pub(super) fn project(&self, p: Vector3<f64>) -> [f64; 3] {
        let d = p - self.eye;
        let (x, y, z) = (d.dot(&self.right), d.dot(&self.up), d.dot(&self.forward));
        let (by, nearness) = if self.flat { (self.scale, -z) } else { (self.scale / z, 1.0 / z) };
        [self.centre[0] + by * x, self.centre[1] - by * y, nearness]
    }

    /// The point of the world at a place in the picture, at a nearness.
    pub(crate) fn unproject(&self, x: f64, y: f64, nearness: f64) -> Vector3<f64> {
        let (u, v) = ((x - self.centre[0]) / self.scale, (self.centre[1] - y) / self.scale);
        if self.flat {
            return self.eye + self.right * u + self.up * v - self.forward * nearness;
        }
        self.eye + (self.right * u + self.up * v + self.forward) / nearness
    }

    /// The direction in which the eye looks through a place in the picture; not a unit vector: one m forward.
    pub(super) fn ray(&self, x: f64, y: f64) -> Vector3<f64> {
        let (u, v) = ((x - self.centre[0]) / self.scale, (self.centre[1] - y) / self.scale);
        self.right * u + self.up * v + self.forward
    }
}
