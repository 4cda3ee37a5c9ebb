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
//! ```
//!
//! with p and Q of `law/cone/mod.rs`. Dry friction in several directions is (2) with its bound in place of `mu
//! lambda_n`. A combined law has (2) for each of its blocks, with a_t, p and Q of its own. Bilateral rows, unilateral
//! ones and dry friction are rows of kind (1), or have `lambda⁺` given. Proximal terms `(alpha a (lambda⁺ − centre))`
//! in the velocity and `eps a (lambda⁺ − lambda)` in every row make (1) and (2) solvable for lambda⁺.

use crate::law::cone::{ENTRY, IDENTITY};
use crate::law::{Block, MAX_ROWS, MAX_TANGENTS};
use crate::solver::contact::newton_system::Relation;

/// A group and where it is.
pub(crate) struct Point<'a> {
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
pub(crate) struct Piece {
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
pub(crate) struct Weights {
    /// Of the term that stays, around a centre; already part of the velocities.
    pub alpha: f64,
    /// Of the term that vanishes, around the present point.
    pub eps: f64,
}

/// `mu p`, `Q` and `a_t` of eq. (2) under a load.
fn tangents(at: &Point, block: Block, load: f64) -> Tangents {
    let Block { first, cone, friction: mu } = block;
    let (k, a) = (cone.tangents(), block.largest(&at.diagonal));
    let mut out = Tangents { first, rows: k, a_t: a, ..Default::default() };
    let y = block.target(at, a);
    let radius = a * mu * load;
    let (p, q) = cone.derivative(at.directions, radius, y);
    out.p = p.map(|x| mu * x);
    // entries of tangents that are not there stay zero
    let entries = k * (k + 1) / 2;
    out.q[..entries].copy_from_slice(&q[..entries]);
    out
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
    /// The impulse is given: `dlambda = −difference`.
    pub(crate) fn given(difference: &[f64]) -> Self {
        let mut piece = Self { fixed: true, plain: difference.len(), ..Self::default() };
        piece.f[..difference.len()].copy_from_slice(difference);
        piece
    }

    /// Rows of kind (1); a row that no impulse moves keeps its impulse.
    pub(crate) fn plain(at: &Point, rows: usize, weights: Weights) -> Self {
        let mut piece = Self { plain: rows, ..Self::default() };
        for i in 0..rows {
            let movable = at.diagonal[i] > 0.0;
            piece.c[i] = if movable { (weights.alpha + weights.eps) * at.diagonal[i] } else { 1.0 };
            piece.f[i] = if movable { at.xi[i] } else { 0.0 };
        }
        piece
    }

    /// Eq. (2) of a block whose limit set has the size of `load`; `now` is the load of the present impulses.
    pub(crate) fn add_block(&mut self, at: &Point, block: Block, load: f64, now: f64, weights: Weights) {
        let mut own = tangents(at, block, load);
        own.finish(at, weights, now, &mut self.f);
        self.blocks[self.count] = own;
        self.count += 1;
    }

    /// Eq. (2) of dry friction: the limit set stays as it is whatever the impulses do.
    pub(crate) fn dry(at: &Point, block: Block, weights: Weights) -> Self {
        let mut piece = Self::default();
        piece.add_block(at, block, 1.0, 1.0, weights);
        piece.blocks[0].p = [0.0; MAX_TANGENTS];
        piece
    }

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

#[cfg(test)]
mod tests;
