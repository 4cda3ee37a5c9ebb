//! Each law of `law/mod.rs` as a linear relation between the next impulses and velocities of its group, chosen by where
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
//! disc, ball    p = d      Q = R/|y| (1 − d d^T),   d = y/|y|
//! vertex d_j    p = d_j    Q = 0                    (also the segment, d_j = ±1)
//! edge          p = h m    Q = e e^T                e along the edge, m its outer normal, h its distance
//! ```
//!
//! Dry friction in several directions is (2) with its bound in place of `mu lambda_n`. A combined law has (2) for each of its blocks, with a_t, p and Q of its own. Bilateral rows, unilateral ones and dry friction are rows of kind (1), or have `lambda⁺` given. Proximal terms
//! `(alpha a (lambda⁺ − centre))` in the velocity and `eps a (lambda⁺ − lambda)` in every row make (1) and (2)
//! solvable for lambda⁺.

use crate::law::{Block, Cone, Law, MAX_ROWS, MAX_TANGENTS, project};
use crate::solver::contact::newton_system::Relation;

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

/// Where the entries of a symmetric matrix of tangents are kept: 11, 12, 22, 13, 23, 33, so that fewer tangents use
/// the first ones.
const ENTRY: [[usize; MAX_TANGENTS]; MAX_TANGENTS] = [[0, 1, 3], [1, 2, 4], [3, 4, 5]];
/// The identity, kept so.
const IDENTITY: [f64; 6] = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];

/// `C dlambda + B dxi = −f` of one group: either `dlambda = −f`, or rows of kind (1) and then tangents, eq. (2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Piece {
    /// The impulse is given: `dlambda = −f`.
    pub fixed: bool,
    /// Number of rows of kind (1).
    pub plain: usize,
    /// `C` of the rows of kind (1), at least rounding.
    pub c: [f64; MAX_ROWS],
    /// Right-hand side.
    pub f: [f64; MAX_ROWS],
    /// Eq. (2) of each block of tangents.
    blocks: [Tangents; 3],
    /// How many blocks there are.
    count: usize,
}

/// Eq. (2) of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tangents {
    /// The first of its rows in the group.
    first: usize,
    /// Number of tangents.
    rows: usize,
    /// `mu p`.
    p: [f64; MAX_TANGENTS],
    /// `Q`, its entries as in `ENTRY`.
    q: [f64; 6],
    /// `C / a_t`, its entries as in `ENTRY`.
    t: [f64; 6],
    /// `a_t`.
    a_t: f64,
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
        Law::DryCone { bound, cone } => {
            let block = Block { first: 0, cone, friction: bound };
            let mut own = tangents(at, block, 1.0);
            own.finish(at, weights, 1.0, &mut piece.f);
            // the limit set stays as it is whatever the impulses do
            own.p = [0.0; MAX_TANGENTS];
            (piece.blocks[0], piece.count) = (own, 1);
        }
        // associated friction is refused before
        Law::Contact { .. } | Law::Combined { .. } | Law::Associated { .. } => {
            if at.diagonal[0] * at.lambda[0] > at.xi[0] && at.diagonal[0] > 0.0 {
                plain(&mut piece, at, 1, weights);
                let load = at.lambda[0] - at.xi[0] / at.diagonal[0];
                for block in at.law.blocks() {
                    let mut own = tangents(at, block, load);
                    own.finish(at, weights, at.lambda[0], &mut piece.f);
                    piece.blocks[piece.count] = own;
                    piece.count += 1;
                }
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

/// `a lambda − xi` of a block.
fn target(at: &Point, block: Block, a: f64) -> [f64; MAX_TANGENTS] {
    let (lambda, xi) = (block.of(at.lambda), block.of(at.xi));
    std::array::from_fn(|i| a * lambda[i] - xi[i])
}

/// `mu p`, `Q` and `a_t` of eq. (2) under a load.
fn tangents(at: &Point, block: Block, load: f64) -> Tangents {
    let Block { first, cone, friction: mu } = block;
    let (k, a) = (cone.tangents(), block.largest(&at.diagonal));
    let mut out = Tangents { first, rows: k, a_t: a, ..Default::default() };
    let y = target(at, block, a);
    let radius = a * mu * load;
    let (p, q) = match cone {
        Cone::Segment | Cone::Disc => {
            let size = y[0].hypot(y[1]);
            if size <= radius {
                ([0.0; MAX_TANGENTS], IDENTITY)
            } else {
                let (d, s) = ([y[0] / size, y[1] / size], radius / size);
                ([d[0], d[1], 0.0], [s * d[1] * d[1], -s * d[0] * d[1], s * d[0] * d[0], 0.0, 0.0, 0.0])
            }
        }
        Cone::Polygon => {
            let (p, q) = polygon(at.directions, radius, [y[0], y[1]]);
            ([p[0], p[1], 0.0], [q[0], q[1], q[2], 0.0, 0.0, 0.0])
        }
        Cone::Ball => ball(radius, y),
    };
    out.p = p.map(|x| mu * x);
    // entries of tangents that are not there stay zero
    let entries = k * (k + 1) / 2;
    out.q[..entries].copy_from_slice(&q[..entries]);
    out
}

/// `p` and `Q` of the ball of this radius at `y`.
fn ball(radius: f64, y: [f64; MAX_TANGENTS]) -> ([f64; MAX_TANGENTS], [f64; 6]) {
    let size = y[0].hypot(y[1]).hypot(y[2]);
    if size <= radius {
        return ([0.0; MAX_TANGENTS], IDENTITY);
    }
    let (d, s) = (y.map(|x| x / size), radius / size);
    let square = |i: usize, j: usize| s * (d[i] * d[i] + d[j] * d[j]);
    let product = |i: usize, j: usize| -s * d[i] * d[j];
    (d, [square(1, 2), product(0, 1), square(0, 2), product(0, 2), product(1, 2), square(0, 1)])
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

impl Tangents {
    /// `C` and `f` of eq. (2) under a load; `f` has the group's rows.
    fn finish(&mut self, at: &Point, weights: Weights, load: f64, f: &mut [f64; MAX_ROWS]) {
        let (q, k, first) = (self.q, self.rows, self.first);
        if self.a_t <= 0.0 {
            // no impulse moves the tangents: keep theirs
            (self.a_t, self.q, self.p, self.t) = (1.0, [0.0; 6], [0.0; MAX_TANGENTS], IDENTITY);
            f[first..first + k].fill(0.0);
            return;
        }
        let stays = 1.0 - weights.alpha;
        self.t = std::array::from_fn(|e| (1.0 + weights.eps) * IDENTITY[e] - stays * q[e]);
        let along = self.a_t * load;
        for i in 0..k {
            let own = self.a_t * at.lambda[first + i];
            let mut sum = own - along * self.p[i];
            for j in 0..k {
                sum -= q[ENTRY[i][j]] * (self.a_t * at.lambda[first + j] - at.xi[first + j]);
            }
            f[first + i] = sum;
        }
    }

    /// The entries of this block in a list with the group's rows, and zeros.
    fn of(&self, values: impl Fn(usize) -> f64) -> [f64; MAX_TANGENTS] {
        std::array::from_fn(|i| if i < self.rows { values(self.first + i) } else { 0.0 })
    }

    /// `(C / a_t)^-1 x`.
    fn apply(&self, x: [f64; MAX_TANGENTS]) -> [f64; MAX_TANGENTS] {
        let [t11, t12, t22, t13, t23, t33] = self.t;
        match self.rows {
            1 => [x[0] / t11, 0.0, 0.0],
            2 => {
                let determinant = t11 * t22 - t12 * t12;
                [(t22 * x[0] - t12 * x[1]) / determinant, (t11 * x[1] - t12 * x[0]) / determinant, 0.0]
            }
            _ => {
                // positive definite: elimination in the order given
                let (l2, l3) = (t12 / t11, t13 / t11);
                let (s22, s23, s33) = (t22 - l2 * t12, t23 - l2 * t13, t33 - l3 * t13);
                let (y2, l) = (x[1] - l2 * x[0], s23 / s22);
                let z3 = (x[2] - l3 * x[0] - l * y2) / (s33 - l * s23);
                let z2 = (y2 - s23 * z3) / s22;
                [(x[0] - t12 * z2 - t13 * z3) / t11, z2, z3]
            }
        }
    }
}

impl Piece {
    fn tangents(&self) -> &[Tangents] {
        &self.blocks[..self.count]
    }
}

impl Relation for Piece {
    fn fixed(&self) -> bool {
        self.fixed
    }

    fn f(&self) -> &[f64; MAX_ROWS] {
        &self.f
    }

    fn with_f(&self, f: [f64; MAX_ROWS]) -> Self {
        Self { f, ..*self }
    }

    fn rows(&self) -> usize {
        self.plain + self.tangents().iter().map(|b| b.rows).sum::<usize>()
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
        for block in self.tangents() {
            let along = block.apply(block.p);
            let rest = block.apply(block.of(|i| self.f[i] / block.a_t));
            for i in 0..block.rows {
                h[(block.first + i) * n] = along[i] * h[0];
                g[block.first + i] = rest[i] + along[i] * g[0];
            }
            for j in 0..block.rows {
                let column = block.apply(ENTRY[j].map(|e| block.q[e]));
                for i in 0..block.rows {
                    h[(block.first + i) * n + block.first + j] = column[i] / block.a_t;
                }
            }
        }
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        for i in 0..self.plain {
            add(i, i, self.c[i]);
        }
        for block in self.tangents() {
            for i in 0..block.rows {
                add(block.first + i, 0, -block.a_t * block.p[i]);
                for j in 0..block.rows {
                    add(block.first + i, block.first + j, block.a_t * block.t[ENTRY[i][j]]);
                }
            }
        }
    }

    #[inline]
    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        if row < self.plain {
            return x(row);
        }
        let mut block = &self.blocks[0];
        for other in self.tangents() {
            if row >= other.first {
                block = other;
            }
        }
        let (i, first) = (row - block.first, block.first);
        let mut sum = block.q[ENTRY[i][0]] * x(first);
        if block.rows >= 2 {
            sum += block.q[ENTRY[i][1]] * x(first + 1);
        }
        if block.rows == 3 {
            sum += block.q[ENTRY[i][2]] * x(first + 2);
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
        Law::DryCone { bound, cone } => {
            let block = Block { first: 0, cone, friction: bound };
            let a_t = block.largest(a);
            let back = project(cone, at.directions, a_t * bound, target(at, block, a_t));
            block.rows().map(|i| (a_t * at.lambda[i] - back[i]).powi(2)).sum()
        }
        // associated friction is refused before
        Law::Contact { .. } | Law::Combined { .. } | Law::Associated { .. } => {
            let mut sum = closing(0);
            for block in at.law.blocks() {
                let a_t = block.largest(a);
                let radius = (a_t * block.friction * at.lambda[0]).max(0.0);
                let back = project(block.cone, at.directions, radius, target(at, block, a_t));
                for (i, row) in block.rows().enumerate() {
                    sum += (a_t * at.lambda[row] - back[i]).powi(2);
                }
            }
            sum
        }
    }
}

#[cfg(test)]
mod tests;
