//! The mixed linear complementarity problem with bounds: find `z` with `lower <= z <= upper`, `w = M z + q` and
//!
//! ```text
//! z_i = lower_i  =>  w_i >= 0,
//! z_i = upper_i  =>  w_i <= 0,                                      (1)
//! otherwise          w_i  = 0.
//! ```
//!
//! An infinite bound is no bound: two of them make an equation `w_i = 0` with a free unknown.
//! The residual is the natural map `max_i |z_i − mid(lower_i, upper_i, z_i − w_i)|`.

use super::lcp::affine;
use super::{ProblemError, check_finite, check_size};
use crate::linear::dense::Dense;

/// A mixed linear complementarity problem, eq. (1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MixedLcp {
    /// The matrix `M`, n x n.
    pub m: Dense,
    /// The vector `q`, n.
    pub q: Vec<f64>,
    /// Lower bounds; −∞ for none.
    pub lower: Vec<f64>,
    /// Upper bounds; +∞ for none.
    pub upper: Vec<f64>,
}

impl MixedLcp {
    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// True when there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Sizes agree, entries are finite, bounds are in order.
    pub fn validate(&self) -> Result<(), ProblemError> {
        let n = self.len();
        check_size("rows of M", self.m.rows(), n)?;
        check_size("columns of M", self.m.cols(), n)?;
        check_size("lower", self.lower.len(), n)?;
        check_size("upper", self.upper.len(), n)?;
        check_finite("M", self.m.as_slice())?;
        check_finite("q", &self.q)?;
        for i in 0..n {
            let (l, u) = (self.lower[i], self.upper[i]);
            if l.is_nan() || l == f64::INFINITY {
                return Err(ProblemError::Range {
                    what: "lower",
                    index: i,
                    value: l,
                    expected: "a number or −∞",
                });
            }
            if u.is_nan() || u < l {
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

    /// `max_i |z_i − mid(lower_i, upper_i, z_i − w_i)|`; NaN when `z` or `w` is not finite.
    pub fn residual(&self, z: &[f64]) -> f64 {
        let (mut worst, scale) = (0.0f64, self.scale());
        for i in 0..self.len() {
            let w = affine(self.m.row(i), z, self.q[i], scale);
            if !w.is_finite() || !z[i].is_finite() {
                return f64::NAN;
            }
            worst = worst.max(natural(z[i], w, self.lower[i], self.upper[i]));
        }
        worst
    }

    /// The number residuals are compared with: the largest `|q_i|` and `|(M b + q)_i|`, b being the point within
    /// the bounds closest to zero; one when all of these are zero.
    pub fn scale(&self) -> f64 {
        let mut largest = 0.0f64;
        for i in 0..self.len() {
            let bounds = self.lower.iter().zip(&self.upper);
            let at_base: f64 = bounds.zip(self.m.row(i)).map(|((l, u), m)| m * l.max(0.0).min(*u)).sum();
            largest = largest.max(self.q[i].abs()).max((self.q[i] + at_base).abs());
        }
        if largest > 0.0 { largest } else { 1.0 }
    }
}

/// `|z − mid(lower, upper, z − w)|`, without losing a small w next to a large z.
pub fn natural(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    if w >= z - lower {
        (z - lower).abs()
    } else if w <= z - upper {
        (z - upper).abs()
    } else {
        w.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residual_of_free_one_sided_and_boxed_unknowns() {
        let p = MixedLcp {
            m: Dense::identity(3),
            q: vec![1.0, 1.0, -5.0],
            lower: vec![f64::NEG_INFINITY, 0.0, -2.0],
            upper: vec![f64::INFINITY, f64::INFINITY, 2.0],
        };
        p.validate().unwrap();
        assert_eq!(p.residual(&[-1.0, 0.0, 2.0]), 0.0);
        assert!(p.residual(&[0.0, 0.0, 2.0]) == 1.0);
    }

    #[test]
    fn a_small_slack_next_to_a_large_unknown_counts() {
        assert_eq!(natural(1e9, 1e-12, 0.0, f64::INFINITY), 1e-12);
        assert_eq!(natural(0.0, 3.0, 0.0, 0.0), 0.0);
        assert_eq!(natural(1.0, -3.0, 0.0, 1.0), 0.0);
        assert_eq!(natural(-2.0, 1.0, 0.0, 1.0), 2.0);
    }
}
