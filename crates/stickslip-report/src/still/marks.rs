//! Contacts, forces, joints, springs, spokes and trails over the picture, with smooth edges: coverage from the distance
//! to a shape.

use nalgebra::Vector3;

use super::camera::Camera;
use super::scene::{Colour, INK, PAPER, Scene, thinned};
use super::shade::mix;
use crate::look::SpringKind;

/// Rows of colours from the top.
pub(super) struct Picture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Colour>,
}

impl Picture {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![[0.0; 3]; width * height] }
    }

    /// Eight bits a channel.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.pixels.iter().flatten().map(|c| (255.0 * c.clamp(0.0, 1.0)).round() as u8).collect()
    }

    /// Paints what is within a distance, by a function of the distance in pixels; `low` and `high` bound it.
    fn paint(&mut self, low: [f64; 2], high: [f64; 2], colour: Colour, distance: impl Fn(f64, f64) -> f64) {
        let range = |a: f64, b: f64, most: usize| {
            (a - 1.0).clamp(0.0, most as f64) as usize..(b + 2.0).clamp(0.0, most as f64) as usize
        };
        for y in range(low[1], high[1], self.height) {
            for x in range(low[0], high[0], self.width) {
                let cover = (0.5 - distance(x as f64 + 0.5, y as f64 + 0.5)).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let p = &mut self.pixels[y * self.width + x];
                    *p = mix(*p, colour, cover);
                }
            }
        }
    }

    fn dot(&mut self, c: [f64; 2], radius: f64, colour: Colour) {
        let at = |s: f64| c.map(|x| x + s * radius);
        self.paint(at(-1.0), at(1.0), colour, |x, y| (x - c[0]).hypot(y - c[1]) - radius);
    }

    fn line(&mut self, a: [f64; 2], b: [f64; 2], half: f64, colour: Colour) {
        let low = [a[0].min(b[0]) - half, a[1].min(b[1]) - half];
        let high = [a[0].max(b[0]) + half, a[1].max(b[1]) + half];
        let d = [b[0] - a[0], b[1] - a[1]];
        let square = d[0] * d[0] + d[1] * d[1];
        self.paint(low, high, colour, |x, y| {
            let s = ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / square;
            let s = if s.is_nan() { 0.0 } else { s.clamp(0.0, 1.0) };
            (x - a[0] - s * d[0]).hypot(y - a[1] - s * d[1]) - half
        });
    }

    /// A triangle, counter-clockwise or not.
    fn triangle(&mut self, corners: [[f64; 2]; 3], colour: Colour) {
        let [a, b, c] = corners;
        let low = [a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1])];
        let high = [a[0].max(b[0]).max(c[0]), a[1].max(b[1]).max(c[1])];
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let side = move |p: [f64; 2], q: [f64; 2], x: f64, y: f64| {
            let d = [q[0] - p[0], q[1] - p[1]];
            area.signum() * (d[1] * (x - p[0]) - d[0] * (y - p[1])) / d[0].hypot(d[1])
        };
        self.paint(low, high, colour, |x, y| side(a, b, x, y).max(side(b, c, x, y)).max(side(c, a, x, y)));
    }
}

/// Draws all marks of a scene.
pub(super) fn draw(scene: &Scene, camera: &Camera, picture: &mut Picture) {
    let unit = picture.height.min(picture.width) as f64 / 900.0;
    let place = |p: Vector3<f64>| -> Option<[f64; 2]> {
        let seen = camera.nearest().is_none_or(|near| camera.depth(p) > near);
        let [x, y, _] = camera.project(p);
        (seen && x.is_finite() && y.is_finite()).then_some([x, y])
    };
    for trail in &scene.trails {
        for pair in trail.windows(2) {
            if let (Some(a), Some(b)) = (place(pair[0]), place(pair[1])) {
                picture.line(a, b, 0.9 * unit, [0.71, 0.34, 0.56]);
            }
        }
    }
    for [a, b] in &scene.spokes {
        if let (Some(a), Some(b)) = (place(*a), place(*b)) {
            picture.line(a, b, 1.2 * unit, INK);
        }
    }
    for (kind, [a, b]) in &scene.springs {
        if let (Some(a), Some(b)) = (place(*a), place(*b)) {
            let line = spring(*kind, [a, b], unit);
            // all of its rim first, as with contacts
            for (half, colour) in [(2.6 * unit, PAPER), (1.2 * unit, INK)] {
                line.windows(2).for_each(|p| picture.line(p[0], p[1], half, colour));
            }
            if *kind == SpringKind::Damper {
                let third = |s: f64| [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
                picture.line(third(0.38), third(0.62), 5.0 * unit, INK);
            }
        }
    }
    for joint in scene.joints.iter().filter_map(|j| place(*j)) {
        picture.dot(joint, 6.5 * unit, INK);
        picture.dot(joint, 4.2 * unit, PAPER);
        picture.dot(joint, 1.6 * unit, INK);
    }
    let unit = unit * thinned(scene.touches.len());
    // a light rim keeps marks apart from what is behind them: all rims first, then all colours
    for rim in [true, false] {
        for touch in &scene.touches {
            let Some(from) = place(touch.point) else { continue };
            let (wide, colour) = if rim { (2.0 * unit, PAPER) } else { (0.0, touch.colour) };
            if let Some(to) = place(touch.point + touch.arrow) {
                arrow(picture, [from, to], unit, wide, colour);
            }
            picture.dot(from, 6.0 * unit + wide, colour);
        }
    }
}

/// The line that a spring is drawn with: a coil seen from the side, or a spiral about where it is.
fn spring(kind: SpringKind, [a, b]: [[f64; 2]; 2], unit: f64) -> Vec<[f64; 2]> {
    const WINDINGS: f64 = 8.0;
    const POINTS: usize = 160;
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = d[0].hypot(d[1]);
    let across = if length > 0.0 { [-d[1] / length, d[0] / length] } else { [0.0; 2] };
    let at = |i: usize| {
        let s = i as f64 / POINTS as f64;
        // straight ends, a tenth of the length each
        let coil = ((s - 0.1) / 0.8).clamp(0.0, 1.0);
        let out = match kind {
            SpringKind::Linear => 8.0 * unit * (std::f64::consts::TAU * WINDINGS * coil).sin(),
            _ => 0.0,
        };
        [a[0] + s * d[0] + out * across[0], a[1] + s * d[1] + out * across[1]]
    };
    let around = |i: usize| {
        let s = i as f64 / POINTS as f64;
        let (angle, radius) = (std::f64::consts::TAU * 2.5 * s, (3.0 + 13.0 * s) * unit);
        [b[0] + radius * angle.cos(), b[1] - radius * angle.sin()]
    };
    (0..=POINTS).map(|i| if kind == SpringKind::Torsion { around(i) } else { at(i) }).collect()
}

/// An arrow, `wide` pixels larger all around.
fn arrow(picture: &mut Picture, [a, b]: [[f64; 2]; 2], unit: f64, wide: f64, colour: Colour) {
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = d[0].hypot(d[1]);
    // shorter than the dot it starts from
    if length.is_nan() || length <= 8.0 * unit {
        return;
    }
    let e = d.map(|x| x / length);
    let head = (0.45 * length).min(20.0 * unit);
    let neck = [b[0] - head * e[0], b[1] - head * e[1]];
    picture.line(a, neck, 2.4 * unit + wide, colour);
    // grown by `wide` on all sides: the tip is sharp, so that it moves by more
    let half = 0.4 * head;
    let slant = head.hypot(half);
    let (tip, back, side) = (wide * slant / half, wide, half + wide * (slant + half) / head);
    let at =
        |along: f64, across: f64| [b[0] + along * e[0] - across * e[1], b[1] + along * e[1] + across * e[0]];
    picture.triangle([at(tip, 0.0), at(-head - back, side), at(-head - back, -side)], colour);
}
