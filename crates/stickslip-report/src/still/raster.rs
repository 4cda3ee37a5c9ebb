//! Triangles onto pixels, nearest first: a z-buffer.

use nalgebra::{Point3, Vector3};

use super::camera::Camera;
use super::scene::Item;

/// No item.
pub(super) const NOTHING: u32 = u32::MAX;

/// What is nearest at each pixel.
pub(super) struct Canvas {
    pub width: usize,
    pub height: usize,
    /// Grows towards the eye.
    pub nearness: Vec<f32>,
    pub item: Vec<u32>,
    /// Normals in steps of 1/127.
    pub normal: Vec<[i8; 3]>,
}

/// A corner: place in the picture and nearness, normal.
#[derive(Clone, Copy)]
struct Corner {
    at: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let n = width * height;
        Self {
            width,
            height,
            nearness: vec![f32::NEG_INFINITY; n],
            item: vec![NOTHING; n],
            normal: vec![[0; 3]; n],
        }
    }

    /// Draws the triangles of an item.
    pub(super) fn draw(&mut self, item: &Item, index: usize, camera: &Camera) {
        let world: Vec<Vector3<f64>> =
            item.mesh.positions.iter().map(|p| (item.pose * Point3::from(*p)).coords).collect();
        let normals: Vec<Vector3<f64>> = item.mesh.normals.iter().map(|n| item.pose * n).collect();
        for t in &item.mesh.triangles {
            let corners = t.map(|i| Corner { at: world[i], normal: normals[i] });
            let (seen, count) = clipped(corners, camera);
            let project = |c: Corner| Corner { at: Vector3::from(camera.project(c.at)), ..c };
            for k in 2..count {
                self.fill([project(seen[0]), project(seen[k - 1]), project(seen[k])], index);
            }
        }
    }

    fn fill(&mut self, [a, b, c]: [Corner; 3], index: usize) {
        let area = (b.at.x - a.at.x) * (c.at.y - a.at.y) - (b.at.y - a.at.y) * (c.at.x - a.at.x);
        if !area.is_finite() || area == 0.0 {
            return;
        }
        let span = |v: [f64; 3], most: usize| {
            let (low, high) = (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
            // pixels whose middle lies between
            let first = (low - 0.5).ceil().clamp(0.0, most as f64) as usize;
            let end = ((high - 0.5).floor() + 1.0).clamp(0.0, most as f64) as usize;
            first..end
        };
        let columns = span([a.at.x, b.at.x, c.at.x], self.width);
        for y in span([a.at.y, b.at.y, c.at.y], self.height) {
            let py = y as f64 + 0.5;
            for x in columns.clone() {
                let px = x as f64 + 0.5;
                let share = |p: &Corner, q: &Corner| {
                    ((q.at.x - p.at.x) * (py - p.at.y) - (q.at.y - p.at.y) * (px - p.at.x)) / area
                };
                let (wa, wb, wc) = (share(&b, &c), share(&c, &a), share(&a, &b));
                if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                    continue;
                }
                let nearness = (wa * a.at.z + wb * b.at.z + wc * c.at.z) as f32;
                let i = y * self.width + x;
                if nearness > self.nearness[i] {
                    let n = a.normal * wa + b.normal * wb + c.normal * wc;
                    self.nearness[i] = nearness;
                    self.item[i] = index as u32;
                    self.normal[i] = [n.x, n.y, n.z].map(|x| (127.0 * x).round() as i8);
                }
            }
        }
    }
}

/// The part of a triangle in front of the eye: up to four corners.
fn clipped(corners: [Corner; 3], camera: &Camera) -> ([Corner; 4], usize) {
    let mut out = [corners[0]; 4];
    let Some(near) = camera.nearest() else {
        out[..3].copy_from_slice(&corners);
        return (out, 3);
    };
    let mut count = 0;
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let (da, db) = (camera.depth(a.at) - near, camera.depth(b.at) - near);
        if da >= 0.0 {
            out[count] = a;
            count += 1;
        }
        if (da >= 0.0) != (db >= 0.0) {
            let s = da / (da - db);
            out[count] =
                Corner { at: a.at + (b.at - a.at) * s, normal: a.normal + (b.normal - a.normal) * s };
            count += 1;
        }
    }
    (out, count)
}
