//! The linear complementarity problem: find `z` with
//!
//! ```text
//! w = M z + q,   0 <= w ⟂ z >= 0.                                   (1)
//! ```
//!
//! The residual of a candidate is the natural map `max_i |min(z_i, w_i)|`: zero exactly at the solutions.

use super::{ProblemError, check_finite, check_size};
use crate::linear::dense::{Dense, dot_compensated};

/// Terms of a slack that are so many times the problem's scale leave rounding that the scale would see.
const CANCELLING: f64 = 16.0;

/// A linear complementarity problem, eq. (1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lcp {
    /// The matrix `M`, n x n.
    pub m: Dense,
    /// The vector `q`, n.
    pub q: Vec<f64>,
}

impl Lcp {
    /// A problem whose sizes agree and whose entries are finite.
    pub fn new(m: Dense, q: Vec<f64>) -> Result<Self, ProblemError> {
        let lcp = Self { m, q };
        lcp.validate()?;
        Ok(lcp)
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// True when there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Sizes agree, entries are finite.
    pub fn validate(&self) -> Result<(), ProblemError> {
        check_size("rows of M", self.m.rows(), self.q.len())?;
        check_size("columns of M", self.m.cols(), self.q.len())?;
        check_finite("M", self.m.as_slice())?;
        check_finite("q", &self.q)
    }

    /// `w_i = (M z + q)_i`. A small difference of large terms is computed as if with twice the digits, so that what
    /// is said of a candidate is its own and not the rounding of a sum.
    pub fn slack(&self, z: &[f64], i: usize) -> f64 {
        affine(self.m.row(i), z, self.q[i], self.scale())
    }

    /// `max_i |min(z_i, w_i)|`; NaN when `z` or `w` is not finite.
    pub fn residual(&self, z: &[f64]) -> f64 {
        let (mut worst, scale) = (0.0f64, self.scale());
        for i in 0..self.len() {
            let w = affine(self.m.row(i), z, self.q[i], scale);
            if !w.is_finite() || !z[i].is_finite() {
                return f64::NAN;
            }
            worst = worst.max(z[i].min(w).abs());
        }
        worst
    }

    /// The number residuals are compared with: `max_i |q_i|`, or one when `q = 0`.
    pub fn scale(&self) -> f64 {
        let largest = self.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }
}

/// `row · z + q` of a problem of this scale; a small difference of large terms as if with twice the digits.
pub(crate) fn affine(row: &[f64], z: &[f64], q: f64, scale: f64) -> f64 {
    // the sum and the largest of its terms in one go; hardly any sum is computed again
    let (mut sum, mut largest) = (-0.0, 0.0);
    for (a, z) in row.iter().zip(z) {
        let term = a * z;
        sum += term;
        largest = if term.abs() > largest { term.abs() } else { largest };
    }
    if largest > CANCELLING * scale { dot_compensated(q, row, z) } else { sum + q }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residual_vanishes_at_a_solution_only() {
        let lcp = Lcp::new(Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]), vec![-5.0, -6.0]).unwrap();
        let z = [4.0 / 3.0, 7.0 / 3.0];
        assert!(lcp.residual(&z) < 1e-15);
        assert!((lcp.residual(&[0.0, 0.0]) - 6.0).abs() < 1e-15);
        assert!((lcp.residual(&[-1.0, 10.0]) - 10.0).abs() < 1e-15); // w = (3, 13)
    }

    #[test]
    fn bad_data_is_named() {
        let bad = Lcp::new(Dense::from_rows(&[[1.0, f64::NAN], [0.0, 1.0]]), vec![0.0, 0.0]).unwrap_err();
        assert!(bad.to_string().contains("M[1]"));
        assert!(Lcp::new(Dense::zeros(2, 2), vec![0.0]).is_err());
    }
}
