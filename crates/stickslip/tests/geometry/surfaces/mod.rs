//! Surfaces of triangles for tests: a few solids, and their distances by brute force, written without a look at the
//! collision code.
#![allow(dead_code)]

use crate::bodies::Random;
use nalgebra::{Rotation3, Vector3};
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::ContactPoint;
use stickslip::shape::TriangleMesh;

pub type Soup = (Vec<Vector3<f64>>, Vec<[usize; 3]>);

/// A box with half extents h, two triangles to a side.
pub fn cuboid(h: [f64; 3]) -> Soup {
    let points =
        (0..8).map(|k| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { h[i] } else { -h[i] })).collect();
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]).collect();
    (points, faces)
}

/// An L: the union of a 3 x 1 x 1 and a 1 x 1 x 1 box, as a prism over a planar L of height 1.
pub fn ell() -> Soup {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let mut points = Vec::new();
    for z in [0.0, 1.0] {
        points.extend(outline.iter().map(|[x, y]| Vector3::new(*x, *y, z)));
    }
    let cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut faces: Vec<[usize; 3]> = cap.iter().map(|t| t.map(|k| k + 6)).collect();
    faces.extend(cap.iter().map(|[a, b, c]| [*a, *c, *b]));
    for k in 0..6 {
        let n = (k + 1) % 6;
        faces.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
    }
    (points, faces)
}

pub fn mesh((points, faces): &Soup) -> TriangleMesh {
    TriangleMesh::new(points, faces).unwrap()
}

/// The distance of a point from a triangle, by minimising over barycentric coordinates: project on the plane, else on
/// the three sides.
pub fn to_triangle(x: &Vector3<f64>, t: &[Vector3<f64>; 3]) -> f64 {
    let side = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let s = ((b - a).dot(&(x - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (x - (a + (b - a) * s)).norm()
    };
    let edges = side(&t[0], &t[1]).min(side(&t[1], &t[2])).min(side(&t[2], &t[0]));
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let n = e.cross(&f).normalize();
    let p = x - n * n.dot(&(x - t[0])) - t[0];
    let (ee, ef, ff, pe, pf) = (e.dot(&e), e.dot(&f), f.dot(&f), p.dot(&e), p.dot(&f));
    let det = ee * ff - ef * ef;
    let (u, v) = ((pe * ff - pf * ef) / det, (pf * ee - pe * ef) / det);
    if u >= 0.0 && v >= 0.0 && u + v <= 1.0 { edges.min(n.dot(&(x - t[0])).abs()) } else { edges }
}

/// The distance of two segments.
pub fn segments(p: &[Vector3<f64>; 2], q: &[Vector3<f64>; 2]) -> f64 {
    let (d, e, w) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let on = |x: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>| {
        let s = ((b - a).dot(&(x - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (x - (a + (b - a) * s)).norm()
    };
    let ends = on(&p[0], &q[0], &q[1])
        .min(on(&p[1], &q[0], &q[1]))
        .min(on(&q[0], &p[0], &p[1]))
        .min(on(&q[1], &p[0], &p[1]));
    let c = d.cross(&e);
    let square = c.norm_squared();
    if square < 1e-20 {
        return ends;
    }
    let (s, t) = (w.cross(&e).dot(&c) / square, w.cross(&d).dot(&c) / square);
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { ends.min(w.dot(&c).abs() / square.sqrt()) } else { ends }
}

pub fn triangles((points, faces): &Soup, pose: &SpatialPose) -> Vec<[Vector3<f64>; 3]> {
    faces.iter().map(|f| f.map(|k| pose.p + pose.r * points[k])).collect()
}

/// The distance of two surfaces: corners from triangles and edges from edges.
pub fn distance(a: &[[Vector3<f64>; 3]], b: &[[Vector3<f64>; 3]]) -> f64 {
    let mut best = f64::INFINITY;
    for s in a {
        for t in b {
            best = s.iter().map(|x| to_triangle(x, t)).fold(best, f64::min);
            best = t.iter().map(|x| to_triangle(x, s)).fold(best, f64::min);
            for i in 0..3 {
                for j in 0..3 {
                    best = best.min(segments(&[s[i], s[(i + 1) % 3]], &[t[j], t[(j + 1) % 3]]));
                }
            }
        }
    }
    best
}

/// Whether an edge of one surface passes through a triangle of the other.
pub fn cross(a: &[[Vector3<f64>; 3]], b: &[[Vector3<f64>; 3]]) -> bool {
    let pierces = |p: &Vector3<f64>, q: &Vector3<f64>, t: &[Vector3<f64>; 3]| {
        let volume = |a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>| {
            (b - a).cross(&(c - a)).dot(&(d - a))
        };
        let (x, y) = (volume(&t[0], &t[1], &t[2], p), volume(&t[0], &t[1], &t[2], q));
        let s = [volume(p, q, &t[0], &t[1]), volume(p, q, &t[1], &t[2]), volume(p, q, &t[2], &t[0])];
        x * y < 0.0 && (s.iter().all(|v| *v > 0.0) || s.iter().all(|v| *v < 0.0))
    };
    let any = |a: &[[Vector3<f64>; 3]], b: &[[Vector3<f64>; 3]]| {
        a.iter().any(|s| (0..3).any(|i| b.iter().any(|t| pierces(&s[i], &s[(i + 1) % 3], t))))
    };
    any(a, b) || any(b, a)
}

/// Whether a point lies within a closed surface: the solid angle it sees.
pub fn is_inside(x: &Vector3<f64>, surface: &[[Vector3<f64>; 3]]) -> bool {
    let angle = |t: &[Vector3<f64>; 3]| {
        let [a, b, c] = t.map(|v| (v - x).normalize());
        2.0 * a.dot(&b.cross(&c)).atan2(1.0 + a.dot(&b) + b.dot(&c) + c.dot(&a))
    };
    surface.iter().map(angle).sum::<f64>().abs() > 6.0
}

pub fn least(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().copied().min_by(|x, y| x.gap.total_cmp(&y.gap))
}

pub fn place(random: &mut Random, size: f64) -> SpatialPose {
    SpatialPose { p: random.vector(size), r: Rotation3::from_scaled_axis(random.vector(3.0)).into_inner() }
}

/// A flat square floor of 2 n² triangles with its top at z = 0, open.
pub fn floor(n: usize) -> Soup {
    let at = |k: usize| 4.0 * k as f64 / n as f64 - 2.0;
    let points =
        (0..(n + 1) * (n + 1)).map(|k| Vector3::new(at(k % (n + 1)), at(k / (n + 1)), 0.0)).collect();
    let cell = |k: usize| {
        let a = k % n + (k / n) * (n + 1);
        [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    };
    (points, (0..n * n).flat_map(cell).collect())
}
