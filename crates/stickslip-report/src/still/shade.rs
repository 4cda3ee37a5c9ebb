//! Light, shadows, planes and outlines: from what is nearest at each subpixel to colours.

use nalgebra::{Point3, Vector3};

use super::camera::Camera;
use super::marks::Picture;
use super::raster::{Canvas, NOTHING};
use super::scene::{Colour, INK, PAPER, Plane, Scene};
use crate::look::mesh::unit;

const GROUND: Colour = [0.87, 0.885, 0.90];
/// How much of its colour a surface keeps in shadow, and seen from the sun.
const AMBIENT: f64 = 0.64;
const SUN: f64 = 0.48;
/// Cosine of the angle between neighbouring faces from which on their edge is drawn.
const EDGE: f64 = 0.85;

/// Adds up the subpixels.
pub(super) fn shade(scene: &Scene, camera: &Camera, canvas: &Canvas, fine: usize) -> Picture {
    let fine_camera = camera.scaled(fine);
    let light = (!scene.flat).then(|| Light::new(scene));
    let (width, height) = (canvas.width / fine, canvas.height / fine);
    let mut picture = Picture::new(width, height);
    let share = 1.0 / (fine * fine) as f64;
    for y in 0..canvas.height {
        for x in 0..canvas.width {
            let mut colour = match &light {
                Some(light) => lit(scene, &fine_camera, canvas, light, [x, y]),
                None => flat(scene, canvas, y * canvas.width + x),
            };
            let line = outline(scene, canvas, [x, y], fine);
            if line > 0.0 {
                let strength = if scene.flat { 0.85 } else { 0.6 } * line;
                colour = mix(colour, INK, strength);
            }
            let sum = &mut picture.pixels[y / fine * width + x / fine];
            (0..3).for_each(|k| sum[k] += share * colour[k]);
        }
    }
    picture
}

pub(super) fn mix(a: Colour, b: Colour, share: f64) -> Colour {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

fn flat(scene: &Scene, canvas: &Canvas, i: usize) -> Colour {
    match canvas.item[i] {
        NOTHING => PAPER,
        item => scene.items[item as usize].colour,
    }
}

fn lit(scene: &Scene, camera: &Camera, canvas: &Canvas, light: &Light, [x, y]: [usize; 2]) -> Colour {
    let i = y * canvas.width + x;
    let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
    let ray = camera.ray(px, py);
    let nearness = f64::from(canvas.nearness[i]);
    let mut colour = PAPER;
    if canvas.item[i] != NOTHING {
        let normal = unit(Vector3::from(canvas.normal[i].map(f64::from)));
        let normal = if normal.dot(&ray) > 0.0 { -normal } else { normal };
        let point = camera.unproject(px, py, nearness);
        let sun = light.reaches(point, normal) * normal.dot(&light.towards).max(0.0);
        // light from above, a little from everywhere
        let level = AMBIENT - 0.12 * (1.0 - normal.z) + SUN * sun;
        colour = scene.items[canvas.item[i] as usize].colour.map(|c| (c * level).min(1.0));
    }
    // planes are seen from their free side only, so that walls do not hide what is between them
    let mut seen: Vec<(f64, Colour, f64)> = Vec::new();
    for plane in &scene.planes {
        if let Some((near, c, alpha)) = plane_at(plane, scene, camera, light, ray)
            && near > nearness
        {
            seen.push((near, c, alpha));
        }
    }
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    seen.iter().fold(colour, |c, (_, over, alpha)| mix(c, *over, *alpha))
}

/// Nearness, colour and opacity of a plane along a ray.
fn plane_at(
    plane: &Plane,
    scene: &Scene,
    camera: &Camera,
    light: &Light,
    ray: Vector3<f64>,
) -> Option<(f64, Colour, f64)> {
    let down = ray.dot(&plane.normal);
    let height = (camera.eye - plane.point).dot(&plane.normal);
    if down >= 0.0 || height <= 0.0 {
        return None;
    }
    let z = -height / down;
    let point = camera.eye + ray * z;
    let middle = 0.5 * (scene.low + scene.high);
    let away = (point - middle).norm() / scene.size;
    // a disc around what is shown that fades out
    let fade = 1.0 - ((away - 0.7) / 1.1).clamp(0.0, 1.0);
    let sun = light.reaches(point, plane.normal) * plane.normal.dot(&light.towards).max(0.0);
    let level = AMBIENT + 0.06 + 0.46 * sun;
    let alpha = fade * fade * (3.0 - 2.0 * fade);
    Some((1.0 / z, GROUND.map(|c| (c * level).min(1.0)), alpha))
}

/// How much of a subpixel is a line: where another figure, or another face of the same one, is next to it.
fn outline(scene: &Scene, canvas: &Canvas, [x, y]: [usize; 2], fine: usize) -> f64 {
    let i = y * canvas.width + x;
    let figure = |item: u32| scene.items.get(item as usize).map(|s| s.figure);
    let here = figure(canvas.item[i]);
    let normal = |k: usize| unit(Vector3::from(canvas.normal[k].map(f64::from)));
    let reach = fine.div_ceil(2);
    let others = [(x + reach, y), (x, y + reach), (x.wrapping_sub(reach), y), (x, y.wrapping_sub(reach))];
    let differs = others.iter().filter(|(x, y)| *x < canvas.width && *y < canvas.height).any(|(x, y)| {
        let k = y * canvas.width + x;
        let there = figure(canvas.item[k]);
        if there != here {
            return true;
        }
        here.is_some() && !scene.flat && normal(i).dot(&normal(k)) < EDGE
    });
    f64::from(u8::from(differs))
}

/// The sun, and what it sees.
struct Light {
    /// Towards the sun.
    towards: Vector3<f64>,
    side: [Vector3<f64>; 2],
    middle: Vector3<f64>,
    /// Cells per m, and how many there are across.
    scale: f64,
    cells: usize,
    /// Height above the middle of what is nearest to the sun, m.
    heights: Canvas,
    bias: f64,
}

impl Light {
    fn new(scene: &Scene) -> Self {
        let towards = unit(Vector3::new(0.5, -0.75, 1.1));
        let first = unit(Vector3::y().cross(&towards));
        let side = [first, towards.cross(&first)];
        let middle = 0.5 * (scene.low + scene.high);
        let cells = 1536;
        let scale = cells as f64 / (2.2 * scene.size);
        let camera = Camera {
            flat: true,
            eye: middle,
            right: side[0],
            up: side[1],
            forward: -towards,
            scale,
            centre: [0.5 * cells as f64; 2],
            near: 0.0,
        };
        let mut heights = Canvas::new(cells, cells);
        scene.items.iter().enumerate().for_each(|(i, item)| heights.draw(item, i, &camera));
        Self { towards, side, middle, scale, cells, heights, bias: 2.5 / scale }
    }

    /// The part of the sun's light that reaches a point, averaged over a few cells.
    fn reaches(&self, point: Vector3<f64>, normal: Vector3<f64>) -> f64 {
        let p = Point3::from(point + normal * self.bias).coords - self.middle;
        let height = p.dot(&self.towards) + 0.5 * self.bias;
        let half = 0.5 * self.cells as f64;
        let (u, v) = (half + self.scale * p.dot(&self.side[0]), half - self.scale * p.dot(&self.side[1]));
        let mut free = 0;
        for (dx, dy) in [(0.0, 0.0), (1.5, 0.5), (-0.5, 1.5), (-1.5, -0.5), (0.5, -1.5)] {
            let (x, y) = (u + dx, v + dy);
            let inside = x >= 0.0 && y >= 0.0 && x < self.cells as f64 && y < self.cells as f64;
            let shaded =
                inside && f64::from(self.heights.nearness[y as usize * self.cells + x as usize]) > height;
            free += u32::from(!shaded);
        }
        f64::from(free) / 5.0
    }
}
