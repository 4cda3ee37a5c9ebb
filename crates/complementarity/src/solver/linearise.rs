//! Each law of `law.rs` as a linear relation between the next impulses and velocities of its group, chosen by where
//! the present ones are.
//!
//! Coulomb's law is `lambda_n = max(0, lambda_n − xi_n / a_n)`, `a_t lambda_t = P(y)` with
//! `y = a_t lambda_t − xi_t` and P the projection onto `R F`, `R = a_t mu max(0, lambda_n − xi_n / a_n)` (Alart and
//! Curnier). P is piecewise smooth and homogeneous in (R, y), so that its derivative gives it back,
//! `P = R p + Q y`. For the next point, marked ⁺, this says: open, `lambda⁺ = 0`, or closed,
//!
//! ```text
//! xi_n⁺ = 0                                                                             (1)
//! a_t (1 − Q) lambda_t⁺ − a_t mu p lambda_n⁺ + Q xi_t⁺ = 0                              (2)
//!
//! stick         p = 0      Q = 1
//! disc          p = d      Q = R/|y| (1 − d d^T),   d = y/|y|
//! vertex d_j    p = d_j    Q = 0                    (also the segment, d_j = ±1)
//! edge          p = h m    Q = e e^T                e along the edge, m its outer normal, h its distance
//! ```
//!
//! Bilateral rows, unilateral ones and dry friction are rows of kind (1), or have `lambda⁺` given. Proximal terms
//! `(alpha a (lambda⁺ − centre))` in the velocity and `eps a (lambda⁺ − lambda)` in every row make (1) and (2)
//! solvable for lambda⁺.

use super::newton_system::Relation;
use crate::problem::law::{Cone, Law, MAX_ROWS, project};

/// A group and where it is.
pub struct Point<'a> {
    /// The law.
    pub law: Law,
    /// The problem's polygon.
    pub directions: &'a [[f64; 2]],
    /// Impulses.
    pub lambda: &'a [f64],
    /// Velocities, with the proximal term alpha in them.
    pub xi: &'a [f64],
    /// The diagonal of the group's own block.
    pub diagonal: [f64; MAX_ROWS],
}

/// `C dlambda + B dxi = −f` of one group: either `dlambda = −f`, or rows of kind (1) and then tangents, eq. (2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Piece {
    /// The impulse is given: `dlambda = −f`.
    pub fixed: bool,
    /// Number of rows of kind (1).
    pub plain: usize,
    /// Number of tangents.
    pub tangents: usize,
    /// `C` of the rows of kind (1), at least rounding.
    pub c: [f64; MAX_ROWS],
    /// `mu p`.
    pub p: [f64; 2],
    /// `Q`: 11, 12, 22.
    pub q: [f64; 3],
    /// `C / a_t` of the tangents: 11, 12, 22.
    pub t: [f64; 3],
    /// `a_t`.
    pub a_t: f64,
    /// Right-hand side.
    pub f: [f64; MAX_ROWS],
}

/// The proximal weights, relative to the group's own diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Of the term that stays, around a centre; already part of the velocities.
    pub alpha: f64,
    /// Of the term that vanishes, around the present point.
    pub eps: f64,
}

/// The relation at a point.
pub fn linearise(at: &Point, weights: Weights) -> Piece {
    let n = at.law.rows();
    let mut piece = Piece::default();
    match at.law {
        Law::Bilateral { .. } => plain(&mut piece, at, n, weights),
        Law::Unilateral => {
            if at.diagonal[0] * at.lambda[0] > at.xi[0] {
                plain(&mut piece, at, 1, weights);
            } else {
                fix(&mut piece, at.lambda);
            }
        }
        Law::Dry { bound } => {
            let a = at.diagonal[0];
            let y = a * at.lambda[0] - at.xi[0];
            if y.abs() <= a * bound && a > 0.0 {
                plain(&mut piece, at, 1, weights);
            } else {
                fix(&mut piece, &[at.lambda[0] - bound.copysign(y)]);
            }
        }
        Law::Contact { friction, cone } => {
            if at.diagonal[0] * at.lambda[0] > at.xi[0] && at.diagonal[0] > 0.0 {
                plain(&mut piece, at, 1, weights);
                tangents(&mut piece, at, cone, friction);
                finish_tangents(&mut piece, at, weights);
            } else {
                fix(&mut piece, at.lambda);
            }
        }
    }
    piece
}

fn fix(piece: &mut Piece, difference: &[f64]) {
    piece.fixed = true;
    piece.plain = difference.len();
    piece.f[..difference.len()].copy_from_slice(difference);
}

/// Rows of kind (1); a row that no impulse moves keeps its impulse.
fn plain(piece: &mut Piece, at: &Point, rows: usize, weights: Weights) {
    piece.plain = rows;
    for i in 0..rows {
        let movable = at.diagonal[i] > 0.0;
        piece.c[i] = if movable { (weights.alpha + weights.eps) * at.diagonal[i] } else { 1.0 };
        piece.f[i] = if movable { at.xi[i] } else { 0.0 };
    }
}

/// `mu p`, `Q` and `a_t` of eq. (2).
fn tangents(piece: &mut Piece, at: &Point, cone: Cone, mu: f64) {
    let k = cone.tangents();
    piece.tangents = k;
    piece.a_t = at.diagonal[1].max(at.diagonal[k]);
    let a = piece.a_t;
    let y = [a * at.lambda[1] - at.xi[1], if k == 2 { a * at.lambda[2] - at.xi[2] } else { 0.0 }];
    let radius = a * mu * (at.lambda[0] - at.xi[0] / at.diagonal[0]);
    let (p, q) = match cone {
        Cone::Segment | Cone::Disc => {
            let size = y[0].hypot(y[1]);
            if size <= radius {
                ([0.0, 0.0], [1.0, 0.0, 1.0])
            } else {
                let (d, s) = ([y[0] / size, y[1] / size], radius / size);
                (d, [s * d[1] * d[1], -s * d[0] * d[1], s * d[0] * d[0]])
            }
        }
        Cone::Polygon => polygon(at.directions, radius, y),
    };
    piece.p = [mu * p[0], mu * p[1]];
    piece.q = if k == 2 { q } else { [q[0], 0.0, 0.0] };
}

/// `p` and `Q` of the polygon `radius F` at `y`.
fn polygon(directions: &[[f64; 2]], radius: f64, y: [f64; 2]) -> ([f64; 2], [f64; 3]) {
    let n = directions.len();
    let mut nearest = f64::INFINITY;
    let mut found = ([0.0, 0.0], [1.0, 0.0, 1.0]);
    let mut inside = true;
    for j in 0..n {
        let (a, b) = (directions[j], directions[(j + 1) % n]);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let e = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        let m = [e[1], -e[0]];
        let h = m[0] * a[0] + m[1] * a[1];
        let beyond = m[0] * y[0] + m[1] * y[1] - radius * h;
        if beyond <= 0.0 {
            continue;
        }
        inside = false;
        let along = e[0] * (y[0] - radius * a[0]) + e[1] * (y[1] - radius * a[1]);
        let over = along - along.max(0.0).min(radius * length);
        let distance = beyond.hypot(over);
        if distance < nearest {
            nearest = distance;
            found = if over < 0.0 || radius == 0.0 {
                (a, [0.0; 3])
            } else if over > 0.0 {
                (b, [0.0; 3])
            } else {
                ([h * m[0], h * m[1]], [e[0] * e[0], e[0] * e[1], e[1] * e[1]])
            };
        }
    }
    if inside { ([0.0, 0.0], [1.0, 0.0, 1.0]) } else { found }
}

/// `C` and `f` of eq. (2).
fn finish_tangents(piece: &mut Piece, at: &Point, weights: Weights) {
    let q = piece.q;
    let stays = 1.0 - weights.alpha;
    piece.t = [1.0 + weights.eps - stays * q[0], -stays * q[1], 1.0 + weights.eps - stays * q[2]];
    let l = [at.lambda[1], if piece.tangents == 2 { at.lambda[2] } else { 0.0 }];
    let x = [at.xi[1], if piece.tangents == 2 { at.xi[2] } else { 0.0 }];
    let y = [piece.a_t * l[0] - x[0], piece.a_t * l[1] - x[1]];
    let along = piece.a_t * at.lambda[0];
    piece.f[1] = piece.a_t * l[0] - along * piece.p[0] - q[0] * y[0] - q[1] * y[1];
    if piece.tangents == 2 {
        piece.f[2] = piece.a_t * l[1] - along * piece.p[1] - q[1] * y[0] - q[2] * y[1];
    }
    if piece.a_t <= 0.0 {
        // no impulse moves the tangents: keep theirs
        (piece.a_t, piece.q, piece.p, piece.t) = (1.0, [0.0; 3], [0.0; 2], [1.0, 0.0, 1.0]);
        piece.f[1..3].fill(0.0);
    }
}

impl Relation for Piece {
    fn fixed(&self) -> bool {
        self.fixed
    }

    fn f(&self) -> &[f64; MAX_ROWS] {
        &self.f
    }

    fn rows(&self) -> usize {
        self.plain + self.tangents
    }

    fn solved(&self, h: &mut [f64], g: &mut [f64]) {
        let n = self.rows();
        h.fill(0.0);
        if self.fixed {
            g.copy_from_slice(&self.f[..n]);
            return;
        }
        for i in 0..self.plain {
            h[i * n + i] = 1.0 / self.c[i];
            g[i] = self.f[i] / self.c[i];
        }
        if self.tangents == 0 {
            return;
        }
        let [t11, t12, t22] = self.t;
        let determinant = if self.tangents == 2 { t11 * t22 - t12 * t12 } else { t11 };
        let apply = |x: [f64; 2]| match self.tangents {
            2 => [(t22 * x[0] - t12 * x[1]) / determinant, (t11 * x[1] - t12 * x[0]) / determinant],
            _ => [x[0] / determinant, 0.0],
        };
        let along = apply(self.p);
        let first = apply([self.q[0], self.q[1]]);
        let second = apply([self.q[1], self.q[2]]);
        let rest = apply([self.f[1] / self.a_t, self.f[2] / self.a_t]);
        for i in 0..self.tangents {
            h[(i + 1) * n] = along[i] * h[0];
            h[(i + 1) * n + 1] = first[i] / self.a_t;
            if self.tangents == 2 {
                h[(i + 1) * n + 2] = second[i] / self.a_t;
            }
            g[i + 1] = rest[i] + along[i] * g[0];
        }
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        for i in 0..self.plain {
            add(i, i, self.c[i]);
        }
        for i in 0..self.tangents {
            add(1 + i, 0, -self.a_t * self.p[i]);
            for j in 0..self.tangents {
                add(1 + i, 1 + j, self.a_t * self.t[i + j]);
            }
        }
    }

    #[inline]
    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        if row < self.plain {
            return x(row);
        }
        let i = row - self.plain;
        let mut sum = self.q[i] * x(1);
        if self.tangents == 2 {
            sum += self.q[i + 1] * x(2);
        }
        sum
    }
}

/// The squared natural map of a group, as speeds: zero exactly when the law holds.
pub fn defect(at: &Point) -> f64 {
    let a = &at.diagonal;
    let closing = |i: usize| at.xi[i].min(a[i] * at.lambda[i]).powi(2);
    match at.law {
        Law::Bilateral { rows } => (0..rows).map(|i| at.xi[i] * at.xi[i]).sum(),
        Law::Unilateral => closing(0),
        Law::Dry { bound } => {
            let y = a[0] * at.lambda[0] - at.xi[0];
            (a[0] * (at.lambda[0] - bound.min(y / a[0]).max(-bound))).powi(2)
        }
        Law::Contact { friction, cone } => {
            let k = cone.tangents();
            let a_t = a[1].max(a[k]);
            let pair = |v: &[f64]| [v[1], if k == 2 { v[2] } else { 0.0 }];
            let (l, x) = (pair(at.lambda), pair(at.xi));
            let radius = (a_t * friction * at.lambda[0]).max(0.0);
            let y = [a_t * l[0] - x[0], a_t * l[1] - x[1]];
            let back = project(cone, at.directions, radius, y);
            closing(0) + (a_t * l[0] - back[0]).powi(2) + (a_t * l[1] - back[1]).powi(2)
        }
    }
}
