//! Stairs to fall down.

use crate::random::Random;
use crate::shapes::{self, Shape};
use nalgebra::{Matrix3, Vector3};

type V = Vector3<f64>;

/// Stairs of boxes, or of triangles.
pub fn stairs(random: &mut Random, as_mesh: bool) -> Shape {
    let (tread, rise, width, count) = (random.between(0.08, 0.15), random.between(0.04, 0.1), 0.3, 6);
    let bottom = -(count as f64) * rise - 0.05;
    let height = |i: usize| -(i as f64) * rise;
    let columns: Vec<(V, V)> = (0..count)
        .map(|i| {
            let size = V::new(tread, 2.0 * width, height(i) - bottom);
            (size, V::new((i as f64 + 0.5) * tread, 0.0, 0.5 * (height(i) + bottom)))
        })
        .collect();
    let (text, parts) = shapes::boxes(&columns);
    if !as_mesh {
        return Shape { name: "stairs", text, file: None, parts, inertia: Matrix3::identity() };
    }
    // the profile's corners, front and back: bottom, top and next top of each column
    let mut points = Vec::new();
    let mut faces = Vec::new();
    let mut corner = |x: f64, z: f64| {
        points.push(V::new(x, -width, z));
        points.push(V::new(x, width, z));
        points.len() - 2
    };
    let bottoms: Vec<usize> = (0..=count).map(|i| corner(i as f64 * tread, bottom)).collect();
    let tops: Vec<[usize; 2]> = (0..count)
        .map(|i| [corner(i as f64 * tread, height(i)), corner((i + 1) as f64 * tread, height(i))])
        .collect();
    // a strip from front to back between two corners of the profile, which runs clockwise seen from the front
    let strip = |faces: &mut Vec<[usize; 3]>, a: usize, b: usize| {
        faces.push([a, b, b + 1]);
        faces.push([a, b + 1, a + 1]);
    };
    for i in 0..count {
        let [left, right] = tops[i];
        let mut fan = vec![bottoms[i], bottoms[i + 1]];
        strip(&mut faces, bottoms[i + 1], bottoms[i]);
        strip(&mut faces, left, right);
        match tops.get(i + 1) {
            Some(next) => {
                strip(&mut faces, right, next[0]);
                fan.push(next[0]);
            }
            None => strip(&mut faces, right, bottoms[i + 1]),
        }
        fan.push(right);
        for pair in fan.windows(2) {
            faces.push([left, pair[0], pair[1]]);
            faces.push([left + 1, pair[1] + 1, pair[0] + 1]);
        }
    }
    strip(&mut faces, bottoms[0], tops[0][0]);
    let file = ("stairs.obj".to_owned(), shapes::obj(&points, &faces));
    let text = "{ mesh = { file = \"stairs.obj\" } }".to_owned();
    Shape { name: "mesh stairs", text, file: Some(file), parts, inertia: Matrix3::identity() }
}
