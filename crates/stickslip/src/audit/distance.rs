//! Distance and depth of two convex parts, from their support functions alone.
//!
//! The distance of the cores is the norm of the point of `A − B` nearest to the origin, found by the method of Gilbert,
//! Johnson and Keerthi (1988): with v the nearest point of a simplex of the difference, the support point along −v
//! either joins the simplex or shows that v is the answer,
//!
//! (1) `|v|² − v · w <= accuracy |v|²`.
//!
//! That cores are apart is said only with a proof: the plane across v, which all of `A − B` lies beyond, `v · w > 0`.
//! Simplices that hold the origin show it but for rounding, and so small a v has no direction.
//!
//! Where the cores overlap, the depth is the least way that separates them. Along a unit direction n that way is
//!
//! (2) `o(n) = max_B n · b − min_A n · a`,
//!
//! so every direction gives an upper bound; normals of flat sides and directions spread over the sphere are tried, and
//! the best is improved by turning it until less than a hundredth of a radian is left. What remains is found by moving
//! A out along it: with v the nearest point of `A + n o(n) − B`,
//!
//! (3) `n' = v / |v|,   o(n') = n' · n o(n) − |v| < o(n)`,
//!
//! until A touches B there, which makes o(n) stationary. Half-spaces need one direction only.

use super::part::{Core, Frame, Part};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

const ACCURACY: f64 = 1e-12;
const ROUNDS: usize = 64;
/// Determinants below this part of what they could be are zero.
const FLAT: f64 = 1e-14;

/// A part where it is in the world.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub part: &'a Part,
    pub frame: Frame,
}

impl Placed<'_> {
    fn support(&self, w: &Vector3<f64>) -> Vector3<f64> {
        self.frame.world_point(&self.part.support(&self.frame.r.tr_mul(w)))
    }

    /// Its plane, if it is all below one.
    fn plane(&self) -> Option<Vector3<f64>> {
        if let Core::HalfSpace(n) = &self.part.core { Some(self.frame.r * n) } else { None }
    }
}

/// The signed distance of two convex parts, m, and the direction from b to a; negative: the depth, or an upper bound of
/// it.
pub(super) fn signed(a: &Placed, b: &Placed, flat: bool) -> (f64, Vector3<f64>) {
    if let Some(n) = b.plane() {
        return (n.dot(&(a.support(&-n) - b.frame.p)) - a.part.radius, n);
    }
    if let Some(n) = a.plane() {
        return (n.dot(&(b.support(&-n) - a.frame.p)) - b.part.radius, -n);
    }
    let radii = a.part.radius + b.part.radius;
    if let Some(v) = nearest(a, b, flat) {
        let distance = v.norm();
        return (distance - radii, v / distance);
    }
    let (depth, n) = depth(a, b, flat);
    (-depth - radii, n)
}

/// Eq. (2): how far one is in the other seen along a unit direction from b to a, m; negative where they are apart. The
/// depth is at most this.
pub(super) fn along(a: &Placed, b: &Placed, n: &Vector3<f64>) -> f64 {
    n.dot(&(b.support(n) - a.support(&-n))) + a.part.radius + b.part.radius
}

/// Eq. (2) with the best direction found.
fn depth(a: &Placed, b: &Placed, flat: bool) -> (f64, Vector3<f64>) {
    let overlap = |n: &Vector3<f64>| n.dot(&(b.support(n) - a.support(&-n)));
    let mut best = (f64::INFINITY, Vector3::x());
    let mut offer = |n: Vector3<f64>| {
        let o = overlap(&n);
        if o < best.0 {
            best = (o, n);
        }
    };
    // nothing leaves the plane
    let within = |n: &Vector3<f64>| !flat || n.z == 0.0;
    a.part.normals(|n| {
        if within(n) {
            offer(-(a.frame.r * n))
        }
    });
    b.part.normals(|n| {
        if within(n) {
            offer(b.frame.r * n)
        }
    });
    directions(flat).for_each(&mut offer);
    let mut angle = 0.3f64;
    while angle > 1e-2 {
        let n = best.1;
        let side = if flat { Vector3::z() } else { Vector3::ith(n.iamin(), 1.0) };
        let t = n.cross(&side).normalize();
        let mut better = best;
        for d in if flat { [t, -t, t, -t] } else { [t, -t, n.cross(&t), t.cross(&n)] } {
            let turned = (n + d * angle).normalize();
            let o = overlap(&turned);
            if o < better.0 {
                better = (o, turned);
            }
        }
        if better.0 < best.0 { best = better } else { angle *= 0.5 }
    }
    for _ in 0..ROUNDS {
        // eq. (3)
        let out = Placed { frame: Frame { p: a.frame.p + best.1 * best.0, r: a.frame.r }, ..*a };
        let Some(n) = nearest(&out, b, flat).and_then(|v| v.try_normalize(0.0)) else { break };
        let o = overlap(&n);
        if o >= best.0 * (1.0 - ACCURACY) {
            break;
        }
        best = (o, n);
    }
    best
}

/// Directions spread over the circle or the sphere.
pub(super) fn directions(flat: bool) -> impl Iterator<Item = Vector3<f64>> {
    let on = move |k: i32| {
        let (x, y, z) = (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        let kept = (x, y, z) != (0, 0, 0) && (!flat || z == 0);
        kept.then(|| Vector3::new(f64::from(x), f64::from(y), f64::from(z)).normalize())
    };
    (0..27).filter_map(on)
}

/// The points of a simplex of A − B, and the weights of its nearest point.
#[derive(Clone, Copy)]
struct Simplex {
    points: [Vector3<f64>; 4],
    weights: [f64; 4],
    count: usize,
}

/// The point of A − B nearest to the origin; none where no plane separates the cores.
fn nearest(a: &Placed, b: &Placed, flat: bool) -> Option<Vector3<f64>> {
    let corner = |v: &Vector3<f64>| a.support(&-v) - b.support(v);
    let mut v = corner(&(a.frame.p - b.frame.p));
    let mut simplex = Simplex { points: [v; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 };
    let mut size = v.norm();
    let mut proven = false;
    for _ in 0..ROUNDS {
        let square = v.norm_squared();
        if square <= (16.0 * f64::EPSILON * size).powi(2) {
            return None;
        }
        let w = corner(&v);
        size = size.max(w.norm());
        proven = v.dot(&w) > 0.0;
        if square - v.dot(&w) <= ACCURACY * square || simplex.points[..simplex.count].contains(&w) {
            break; // eq. (1)
        }
        let next = simplex.with(w, if flat { 3 } else { 4 })?;
        let closer = next.nearest();
        if closer.norm_squared() >= square {
            break;
        }
        (simplex, v) = (next, closer);
        proven = false;
    }
    (proven || v.dot(&corner(&v)) > 0.0).then_some(v)
}

impl Simplex {
    fn nearest(&self) -> Vector3<f64> {
        self.points[..self.count].iter().zip(self.weights).fold(Vector3::zeros(), |v, (p, k)| v + p * k)
    }

    /// The part of the hull of these points and a new one that carries the nearest point; none if the origin is inside,
    /// for which it takes `full` points.
    fn with(&self, new: Vector3<f64>, full: usize) -> Option<Simplex> {
        let mut all = self.points;
        all[self.count] = new;
        let total = self.count + 1;
        let mut best: Option<(f64, Simplex)> = None;
        for set in 1..1usize << total {
            let mut part = Simplex { count: 0, ..*self };
            for (_, point) in all[..total].iter().enumerate().filter(|(k, _)| set >> k & 1 == 1) {
                part.points[part.count] = *point;
                part.count += 1;
            }
            if !part.weigh() {
                continue;
            }
            if part.count == full {
                return None;
            }
            let square = part.nearest().norm_squared();
            if best.is_none_or(|(least, _)| square < least) {
                best = Some((square, part));
            }
        }
        best.map(|(_, part)| part)
    }

    /// Finds the weights of the nearest point of the plane through the points; false if it is not between them.
    fn weigh(&mut self) -> bool {
        let w = self.points;
        let (d, e, f) = (w[1] - w[0], w[2] - w[0], w[3] - w[0]);
        let rest = match self.count {
            1 => Vector3::zeros(),
            2 if d.norm_squared() == 0.0 => return false,
            2 => Vector3::new(-w[0].dot(&d) / d.norm_squared(), 0.0, 0.0),
            3 => {
                let gram = Matrix2::new(d.dot(&d), d.dot(&e), d.dot(&e), e.dot(&e));
                let det = gram.determinant();
                if det <= FLAT * gram.m11 * gram.m22 {
                    return false;
                }
                let right = Vector2::new(-w[0].dot(&d), -w[0].dot(&e));
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
