//! Closest points of two convex bodies from support points alone.
//!
//! The difference `a − b` of the bodies is convex, and its point v nearest to the origin is the difference of the
//! closest points. v is found as the nearest point of the hull of up to four points of the difference; each round adds
//! the point farthest along −v and keeps those that carry the new v (Gilbert, Johnson, Keerthi 1988). `|v|² − v·w` for
//! the new point w bounds what is left. All hulls of the points kept are tried, so that no order of cases has to be
//! right.

use super::Pair;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Rounds at most: smooth bodies take about twenty.
const ROUNDS: usize = 100;
/// Relative accuracy of v's square.
const ACCURACY: f64 = 1e-14;
/// Relative volume below which a hull counts as flat: a smaller one has the same nearest point.
const FLAT: f64 = 1e-13;

/// Closest points, in the second body's frame, of the bodies where they are (not where they were moved to).
pub(super) struct Found {
    pub p: Vector3<f64>,
    pub q: Vector3<f64>,
    /// From b to a.
    pub n: Vector3<f64>,
    pub distance: f64,
}

/// A point of the difference, and the points of the bodies that it comes from.
#[derive(Clone, Copy, Default)]
struct Corner {
    w: Vector3<f64>,
    p: Vector3<f64>,
    q: Vector3<f64>,
}

/// Up to four points and the weights with which they carry the nearest point.
#[derive(Clone, Copy, Default)]
struct Simplex {
    corners: [Corner; 4],
    weights: [f64; 4],
    count: usize,
}

/// The closest points of the first body moved by `shift` and the second, both shrunk about their middles; none if they
/// overlap.
pub(super) fn closest(pair: &Pair, shift: &Vector3<f64>, shrink: f64, n: &Vector3<f64>) -> Option<Found> {
    let middles = (pair.t + pair.r * pair.a.centre(), pair.b.centre());
    let corner = |v: &Vector3<f64>| {
        let p = middles.0 + (pair.support_a(&-v) - middles.0) * shrink;
        let q = middles.1 + (pair.b.support_point(v) - middles.1) * shrink;
        Corner { w: p + shift - q, p, q }
    };
    let mut simplex = Simplex { count: 1, ..Simplex::default() };
    (simplex.corners[0], simplex.weights[0]) = (corner(n), 1.0);
    let mut v = simplex.corners[0].w;
    for _ in 0..ROUNDS {
        let square = v.norm_squared();
        let new = corner(&v);
        if square - v.dot(&new.w) <= ACCURACY * square || simplex.list().iter().any(|c| c.w == new.w) {
            break;
        }
        let next = simplex.with(new)?;
        let nearest = next.nearest();
        if nearest.norm_squared() >= square {
            break;
        }
        (simplex, v) = (next, nearest);
    }
    let distance = v.norm();
    let direction = v.try_normalize(0.0)?;
    let sum = |of: fn(&Corner) -> Vector3<f64>| {
        simplex.list().iter().zip(simplex.weights).fold(Vector3::zeros(), |sum, (c, k)| sum + of(c) * k)
    };
    Some(Found { p: sum(|c| c.p), q: sum(|c| c.q), n: direction, distance })
}

impl Simplex {
    fn list(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    fn nearest(&self) -> Vector3<f64> {
        self.list().iter().zip(self.weights).fold(Vector3::zeros(), |v, (c, k)| v + c.w * k)
    }

    /// The part of the hull of these points and a new one that carries the nearest point; none if the origin is inside.
    fn with(&self, new: Corner) -> Option<Simplex> {
        let mut all = self.corners;
        all[self.count] = new;
        let total = self.count + 1;
        let (mut best, mut least) = (Simplex::default(), f64::INFINITY);
        for set in 1..1usize << total {
            let mut part = Simplex::default();
            for (_, corner) in all[..total].iter().enumerate().filter(|(k, _)| set >> k & 1 == 1) {
                part.corners[part.count] = *corner;
                part.count += 1;
            }
            if !part.weigh() {
                continue;
            }
            if part.count == 4 {
                return None;
            }
            let square = part.nearest().norm_squared();
            if square < least {
                (best, least) = (part, square);
            }
        }
        Some(best)
    }

    /// Finds the weights of the nearest point of the plane through the points; false if it is not between them.
    fn weigh(&mut self) -> bool {
        let w = self.corners.map(|c| c.w);
        let (d, e, f) = (w[1] - w[0], w[2] - w[0], w[3] - w[0]);
        let rest = match self.count {
            1 => Vector3::zeros(),
            2 => {
                let square = d.norm_squared();
                if square == 0.0 {
                    return false;
                }
                Vector3::new(-w[0].dot(&d) / square, 0.0, 0.0)
            }
            3 => {
                let gram = Matrix2::new(d.dot(&d), d.dot(&e), d.dot(&e), e.dot(&e));
                let right = Vector2::new(-w[0].dot(&d), -w[0].dot(&e));
                let det = gram.determinant();
                if det <= FLAT * gram.m11 * gram.m22 {
                    return false;
                }
                let x = (gram.m22 * right.x - gram.m12 * right.y) / det;
                let y = (gram.m11 * right.y - gram.m12 * right.x) / det;
                Vector3::new(x, y, 0.0)
            }
            _ => {
                let edges = Matrix3::from_columns(&[d, e, f]);
                let volume = edges.determinant();
                if volume.abs() <= FLAT * d.norm() * e.norm() * f.norm() {
                    return false;
                }
                let det = |k: usize| {
                    let mut m = edges;
                    m.set_column(k, &-w[0]);
                    m.determinant() / volume
                };
                Vector3::new(det(0), det(1), det(2))
            }
        };
        self.weights = [1.0 - rest.x - rest.y - rest.z, rest.x, rest.y, rest.z];
        self.weights[..self.count].iter().all(|k| *k > 0.0)
    }
}
