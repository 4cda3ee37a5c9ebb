//! What falls and what it falls on: each shape as text of a scene and as the judge's solid, about its centre of mass.

use crate::random::Random;
use crate::solid::Part;
use nalgebra::{Matrix3, Vector3};
use std::fmt::Write;

type V = Vector3<f64>;

/// A shape.
#[derive(Clone)]
pub struct Shape {
    pub name: &'static str,
    /// The value of `shape` in the scene.
    pub text: String,
    /// A file that the text names: name and contents.
    pub file: Option<(String, String)>,
    pub parts: Vec<Part>,
    /// Inertia of a body of 1 kg about the origin, m²; in the plane the last entry.
    pub inertia: Matrix3<f64>,
}

impl Shape {
    /// The farthest point from the centre of mass, m.
    pub fn outer_radius(&self) -> f64 {
        self.parts.iter().map(Part::outer_radius).fold(0.0, f64::max)
    }
}

fn list(v: &V) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

fn pairs(points: &[[f64; 2]]) -> String {
    let each: Vec<String> = points.iter().map(|p| format!("[{:?}, {:?}]", p[0], p[1])).collect();
    format!("[{}]", each.join(", "))
}

fn moments_of_box(size: &V) -> Matrix3<f64> {
    let s = size.component_mul(size) / 12.0;
    Matrix3::from_diagonal(&V::new(s.y + s.z, s.z + s.x, s.x + s.y))
}

/// Boxes of one density, moved so that their centre of mass is the origin: sizes, centres and inertia of 1 kg.
fn boxes_about_centre(boxes: &mut [(V, V)]) -> Matrix3<f64> {
    let volume = |size: &V| size.x * size.y * size.z;
    let total: f64 = boxes.iter().map(|(size, _)| volume(size)).sum();
    let centre = boxes.iter().map(|(size, at)| at * volume(size)).sum::<V>() / total;
    let mut inertia = Matrix3::zeros();
    for (size, at) in boxes {
        *at -= centre;
        let away = Matrix3::identity() * at.norm_squared() - *at * at.transpose();
        inertia += (moments_of_box(size) + away) * (volume(size) / total);
    }
    inertia
}

/// A compound of boxes (sizes and centres) in space.
pub fn boxes(boxes: &[(V, V)]) -> (String, Vec<Part>) {
    let part = |(size, at): &(V, V)| {
        format!("{{ shape = {{ box = {{ size = {} }} }}, position = {} }}", list(size), list(at))
    };
    let texts: Vec<String> = boxes.iter().map(part).collect();
    let parts = boxes.iter().map(|(size, at)| Part::cuboid(size / 2.0, *at)).collect();
    (format!("{{ compound = [{}] }}", texts.join(", ")), parts)
}

/// The triangles of a polyhedron as an OBJ file.
pub fn obj(points: &[V], faces: &[[usize; 3]]) -> String {
    let mut text = String::new();
    for p in points {
        let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    for f in faces {
        let _ = writeln!(text, "f {} {} {}", f[0] + 1, f[1] + 1, f[2] + 1);
    }
    text
}

/// The triangles of a box, from outside counter-clockwise; corner i has the signs of the bits of i.
pub const BOX_FACES: [[usize; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// A shape in space with extents by chance between `low` and `high` m. `tag` tells its files from others.
pub fn in_space(random: &mut Random, which: usize, (low, high): (f64, f64), tag: &str) -> Shape {
    let size = V::from_fn(|_, _| random.between(low, high));
    match which {
        0 => {
            let parts = vec![Part::cuboid(size / 2.0, V::zeros())];
            let text = format!("{{ box = {{ size = {} }} }}", list(&size));
            Shape { name: "box", text, file: None, parts, inertia: moments_of_box(&size) }
        }
        1 => {
            let size = V::repeat(size.x);
            let part = Part::cuboid(size / 2.0, V::zeros());
            let file = (format!("cube{tag}.obj"), obj(&part.corners, &BOX_FACES));
            let text = format!("{{ mesh = {{ file = \"{}\" }} }}", file.0);
            Shape { name: "mesh", text, file: Some(file), parts: vec![part], inertia: moments_of_box(&size) }
        }
        2 => {
            let mut points: Vec<V> =
                (0..12).map(|_| V::from_fn(|i, _| size[i] * random.between(-0.5, 0.5))).collect();
            let centre = Part::hull(&points).1.centre;
            points.iter_mut().for_each(|p| *p -= centre);
            let (part, moments) = Part::hull(&points);
            let each: Vec<String> = points.iter().map(list).collect();
            let text = format!("{{ convex_hull = {{ points = [{}] }} }}", each.join(", "));
            Shape { name: "hull", text, file: None, parts: vec![part], inertia: moments.inertia }
        }
        _ => {
            let thick = random.between(0.2, 0.5) * size.x.min(size.z);
            let upright = size.z - thick;
            let mut both = [
                (V::new(size.x, size.y, thick), V::zeros()),
                (
                    V::new(thick, size.y, upright),
                    V::new((thick - size.x) / 2.0, 0.0, (thick + upright) / 2.0),
                ),
            ];
            let inertia = boxes_about_centre(&mut both);
            let (text, parts) = boxes(&both);
            Shape { name: "ell", text, file: None, parts, inertia }
        }
    }
}

/// A rectangle by its lower and upper corner.
fn rectangle(a: [f64; 2], b: [f64; 2]) -> Vec<[f64; 2]> {
    vec![[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]]
}

/// Area, centre of mass and polar moment about it for 1 kg, of polygons of one density.
fn planar_moments(pieces: &[Vec<[f64; 2]>]) -> ([f64; 2], f64) {
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], 0.0);
    for piece in pieces {
        for (i, a) in piece.iter().enumerate() {
            let b = piece[(i + 1) % piece.len()];
            let cross = a[0] * b[1] - a[1] * b[0];
            area += cross / 2.0;
            for k in 0..2 {
                first[k] += cross * (a[k] + b[k]) / 6.0;
                second += cross * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 12.0;
            }
        }
    }
    let centre = first.map(|x| x / area);
    (centre, second / area - centre[0] * centre[0] - centre[1] * centre[1])
}

fn planar(name: &'static str, text: String, parts: Vec<Part>, moment: f64) -> Shape {
    Shape { name, text, file: None, parts, inertia: Matrix3::identity() * moment }
}

/// Shifts an outline and its convex pieces to their centre of mass; the polar moment of 1 kg.
fn about_centre(outline: &mut [[f64; 2]], pieces: &mut [Vec<[f64; 2]>]) -> f64 {
    let (centre, moment) = planar_moments(pieces);
    for p in outline.iter_mut().chain(pieces.iter_mut().flatten()) {
        *p = [p[0] - centre[0], p[1] - centre[1]];
    }
    moment
}

/// How many shapes there are in the plane.
pub const PLANAR: usize = 6;

/// A polygon with corners on an ellipse of axes a and b.
fn polygon(random: &mut Random, a: f64, b: f64) -> Shape {
    let count = 3 + random.below(5);
    let corner = |random: &mut Random, i: usize| {
        let angle = (i as f64 + random.between(0.1, 0.9)) * std::f64::consts::TAU / count as f64;
        [a / 2.0 * angle.cos(), b / 2.0 * angle.sin()]
    };
    let mut corners: Vec<[f64; 2]> = (0..count).map(|i| corner(random, i)).collect();
    let moment = about_centre(&mut [], std::slice::from_mut(&mut corners));
    let text = format!("{{ polygon = {{ vertices = {} }} }}", pairs(&corners));
    planar("polygon", text, vec![Part::polygon(&corners, 0.0)], moment)
}

/// An outline that is not convex: an L, a V or a U.
fn outline(random: &mut Random, a: f64, b: f64) -> Shape {
    let t = random.between(0.2, 0.5) * a.min(b);
    let (mut outline, mut pieces) = match random.below(3) {
        0 => (
            vec![[0.0, 0.0], [a, 0.0], [a, t], [t, t], [t, b], [0.0, b]],
            vec![rectangle([0.0, 0.0], [a, t]), rectangle([0.0, t], [t, b])],
        ),
        1 => (
            vec![[0.0, 0.0], [a / 2.0, b], [0.0, t], [-a / 2.0, b]],
            vec![vec![[0.0, 0.0], [a / 2.0, b], [0.0, t]], vec![[0.0, 0.0], [0.0, t], [-a / 2.0, b]]],
        ),
        _ => {
            let t = 0.6 * t;
            let u = a - t;
            (
                vec![[0.0, 0.0], [a, 0.0], [a, b], [u, b], [u, t], [t, t], [t, b], [0.0, b]],
                vec![rectangle([0.0, 0.0], [a, t]), rectangle([0.0, t], [t, b]), rectangle([u, t], [a, b])],
            )
        }
    };
    let moment = about_centre(&mut outline, &mut pieces);
    let text = format!("{{ outline = {{ vertices = {} }} }}", pairs(&outline));
    planar("outline", text, pieces.iter().map(|p| Part::polygon(p, 0.0)).collect(), moment)
}

/// A bar with a disc at each end, or crossed bars.
fn compound(random: &mut Random, a: f64, b: f64) -> Shape {
    let t = 0.3 * b;
    let bar = rectangle([-a / 2.0, -t / 2.0], [a / 2.0, t / 2.0]);
    let mut parts = vec![Part::polygon(&bar, 0.0)];
    let mut text =
        format!("{{ compound = [{{ shape = {{ box = {{ size = [{a:?}, {t:?}] }} }}, position = [0, 0] }}");
    if random.chance(0.5) {
        for x in [-a / 2.0, a / 2.0] {
            let _ = write!(text, ", {{ shape = {{ disc = {{ radius = {t:?} }} }}, position = [{x:?}, 0] }}");
            let mut disc = Part::polygon(&[[x, 0.0]], t);
            disc.radius = t;
            parts.push(disc);
        }
    } else {
        let _ = write!(text, ", {{ shape = {{ box = {{ size = [{t:?}, {b:?}] }} }}, position = [0, 0] }}");
        parts.push(Part::polygon(&rectangle([-t / 2.0, -b / 2.0], [t / 2.0, b / 2.0]), 0.0));
    }
    planar("compound", text + "] }", parts, (a * a + b * b) / 12.0)
}

/// A shape in the plane with extents by chance between `low` and `high` m.
pub fn in_the_plane(random: &mut Random, which: usize, (low, high): (f64, f64)) -> Shape {
    let (a, b) = (random.between(low, high), random.between(low, high));
    match which {
        0 => {
            let parts = vec![Part::polygon(&[[0.0, 0.0]], a / 2.0)];
            planar("disc", format!("{{ disc = {{ radius = {:?} }} }}", a / 2.0), parts, a * a / 8.0)
        }
        1 => {
            let parts = vec![Part::polygon(&rectangle([-a / 2.0, -b / 2.0], [a / 2.0, b / 2.0]), 0.0)];
            let text = format!("{{ box = {{ size = [{a:?}, {b:?}] }} }}");
            planar("box", text, parts, (a * a + b * b) / 12.0)
        }
        2 => polygon(random, a, b),
        3 => {
            let radius = 0.25 * b;
            let parts = vec![Part::polygon(&[[-a / 2.0, 0.0], [a / 2.0, 0.0]], radius)];
            let text = format!("{{ capsule = {{ radius = {radius:?}, length = {a:?} }} }}");
            planar("capsule", text, parts, a * a / 12.0 + radius * radius / 2.0)
        }
        4 => outline(random, a, b),
        _ => compound(random, a, b),
    }
}
