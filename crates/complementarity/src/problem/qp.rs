//! The convex quadratic program
//!
//! ```text
//! minimise  x^T H x / 2 + g^T x   subject to   l <= C x <= u.                               (1)
//! ```
//!
//! `H` is symmetric and positive semi-definite. An equation is a row with `l = u`, a missing side is infinite, bounds
//! on unknowns are rows of the identity. With multipliers y, x is optimal if and only if
//!
//! ```text
//! H x + g = C^T y,   y_i >= 0 where (C x)_i = l_i,   y_i <= 0 where (C x)_i = u_i,   y_i = 0 between.       (2)
//! ```
//!
//! *The solution meant.* If there are several, `H x` and `g^T x` are the same for all of them, so the optimal set is
//! the polyhedron `{ x : H x = H x*, g^T x = g^T x*, l <= C x <= u }`: closed and convex. A closed convex set has
//! exactly one point of smallest Euclidean norm, the norm being strictly convex along every segment; that point is
//! asked for. Every optimal y goes with every optimal x.

use super::mixed::natural;
use super::{ProblemError, check_finite, check_size};
use crate::linear::dense::{Dense, dot};

/// A convex quadratic program, eq. (1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Qp {
    /// The matrix `H`, n x n.
    pub h: Dense,
    /// The vector `g`, n.
    pub g: Vec<f64>,
    /// The rows `C`, m x n.
    pub c: Dense,
    /// Lower sides of the rows; −∞ for none.
    pub lower: Vec<f64>,
    /// Upper sides of the rows; +∞ for none.
    pub upper: Vec<f64>,
}

impl Qp {
    /// Number of unknowns x.
    pub fn unknowns(&self) -> usize {
        self.g.len()
    }

    /// Number of rows of C, and of multipliers y.
    pub fn constraints(&self) -> usize {
        self.lower.len()
    }

    /// Sizes agree, entries are finite, H is symmetric, sides are in order. That H is positive semi-definite is for
    /// the solver to find out.
    pub fn validate(&self) -> Result<(), ProblemError> {
        let (n, m) = (self.unknowns(), self.constraints());
        check_size("rows of H", self.h.rows(), n)?;
        check_size("columns of H", self.h.cols(), n)?;
        check_size("rows of C", self.c.rows(), m)?;
        if m > 0 {
            check_size("columns of C", self.c.cols(), n)?;
        }
        check_size("upper", self.upper.len(), m)?;
        check_finite("H", self.h.as_slice())?;
        check_finite("g", &self.g)?;
        check_finite("C", self.c.as_slice())?;
        let largest = self.h.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for i in 0..n {
            for j in 0..i {
                let (value, other) = (self.h[(i, j)], self.h[(j, i)]);
                if (value - other).abs() > 1e-12 * largest {
                    let expected = "the same as its mirror image: H is symmetric";
                    return Err(ProblemError::Range { what: "H", index: i * n + j, value, expected });
                }
            }
        }
        for i in 0..m {
            let (l, u) = (self.lower[i], self.upper[i]);
            if l.is_nan() || l == f64::INFINITY {
                return Err(ProblemError::Range {
                    what: "lower",
                    index: i,
                    value: l,
                    expected: "a number or −∞",
                });
            }
            if u.is_nan() || u < l || u == f64::NEG_INFINITY {
                return Err(ProblemError::Range {
                    what: "upper",
                    index: i,
                    value: u,
                    expected: "at least lower",
                });
            }
        }
        Ok(())
    }

    /// The largest violation of (2): `|H x + g − C^T y|`, and `|s − mid(l, u, s − y)|` with `s = C x`. NaN when
    /// something is not finite.
    pub fn residual(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut worst = 0.0f64;
        for j in 0..self.unknowns() {
            let pull: f64 = (0..self.constraints()).map(|i| self.c[(i, j)] * y[i]).sum();
            let gradient = dot(self.h.row(j), x) + self.g[j] - pull;
            if !gradient.is_finite() {
                return f64::NAN;
            }
            worst = worst.max(gradient.abs());
        }
        for i in 0..self.constraints() {
            let s = dot(self.c.row(i), x);
            if !s.is_finite() || !y[i].is_finite() {
                return f64::NAN;
            }
            worst = worst.max(natural(s, y[i], self.lower[i], self.upper[i]));
        }
        worst
    }

    /// The number residuals are compared with: the largest `|g_j|` and the largest finite side; one when all are zero.
    pub fn scale(&self) -> f64 {
        let sides = self.lower.iter().chain(&self.upper).filter(|v| v.is_finite());
        let largest = self.g.iter().chain(sides).fold(0.0f64, |m, v| m.max(v.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// `x^T H x / 2 + g^T x`.
    pub fn objective(&self, x: &[f64]) -> f64 {
        (0..x.len()).map(|j| x[j] * (0.5 * dot(self.h.row(j), x) + self.g[j])).sum()
    }
}
