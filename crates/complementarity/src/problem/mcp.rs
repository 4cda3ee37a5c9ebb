//! The nonlinear mixed complementarity problem: find `z` with `l <= z <= u` and, with `w = F(z)`,
//!
//! ```text
//! z_i = l_i  =>  w_i >= 0,     z_i = u_i  =>  w_i <= 0,     otherwise  w_i = 0.            (1)
//! ```
//!
//! A problem is anything that can evaluate `F` and its Jacobian, the latter as triplets, so that zeros cost nothing.
//! The linear problems are special cases: a solver for [`Mcp`] takes them as they are. The residual is the natural
//! map `max_i |z_i − mid(l_i, u_i, z_i − w_i)|`, zero exactly at the solutions.

use super::ProblemError;
use super::lcp::{Lcp, affine};
use super::mixed::{MixedLcp, natural};

/// A nonlinear mixed complementarity problem, eq. (1).
pub trait Mcp {
    /// Number of unknowns.
    fn size(&self) -> usize;

    /// Lower and upper bound of unknown `i`; infinite for none.
    fn bounds(&self, i: usize) -> (f64, f64);

    /// Writes `F(z)` to `w`. Where F is not defined, NaN.
    fn evaluate(&self, z: &[f64], w: &mut [f64]);

    /// Adds the entries of the Jacobian at `z`; entries at the same place add up.
    fn jacobian(&self, z: &[f64], out: &mut Triplets);

    /// The number residuals are compared with: the size of `F` where nothing is solved yet.
    fn scale(&self) -> f64 {
        1.0
    }

    /// Whether the data make a problem. Solvers ask before they start.
    fn validate(&self) -> Result<(), ProblemError> {
        (0..self.size()).try_for_each(|i| {
            let (l, u) = self.bounds(i);
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
            Ok(())
        })
    }

    /// The residual of `z`, everything computed anew. Allocates.
    fn natural_residual(&self, z: &[f64]) -> f64 {
        let mut w = vec![0.0; self.size()];
        self.evaluate(z, &mut w);
        natural_residual(self, z, &w)
    }
}

/// The residual of `z` and `w = F(z)`; NaN when one of them is not finite.
pub fn natural_residual<P: Mcp + ?Sized>(problem: &P, z: &[f64], w: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for i in 0..problem.size() {
        if !w[i].is_finite() || !z[i].is_finite() {
            return f64::NAN;
        }
        let (l, u) = problem.bounds(i);
        worst = worst.max(natural(z[i], w[i], l, u));
    }
    worst
}

/// Entries of a sparse matrix, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triplets {
    /// Row, column and value of each entry.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Triplets {
    /// Adds `value` at row `i`, column `j`.
    pub fn push(&mut self, i: usize, j: usize, value: f64) {
        self.entries.push((i, j, value));
    }
}

/// The largest difference between the Jacobian at `z` and central differences with the given step, relative to
/// `1 + |entry|`; infinite when an entry is outside of the matrix. A help for tests of problems.
pub fn check_jacobian<P: Mcp + ?Sized>(problem: &P, z: &[f64], step: f64) -> f64 {
    let n = problem.size();
    let mut given = Triplets::default();
    problem.jacobian(z, &mut given);
    let mut dense = vec![0.0; n * n];
    for (i, j, v) in given.entries {
        if i >= n || j >= n {
            return f64::INFINITY;
        }
        dense[i * n + j] += v;
    }
    let (mut at, mut ahead, mut behind, mut worst) = (z.to_vec(), vec![0.0; n], vec![0.0; n], 0.0f64);
    for j in 0..n {
        at[j] = z[j] + step;
        problem.evaluate(&at, &mut ahead);
        at[j] = z[j] - step;
        problem.evaluate(&at, &mut behind);
        at[j] = z[j];
        for i in 0..n {
            let difference = (ahead[i] - behind[i]) / (2.0 * step);
            worst = worst.max((difference - dense[i * n + j]).abs() / (1.0 + difference.abs()));
        }
    }
    worst
}

impl Mcp for MixedLcp {
    fn size(&self) -> usize {
        self.len()
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        (self.lower[i], self.upper[i])
    }
    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        let scale = MixedLcp::scale(self);
        w.iter_mut().enumerate().for_each(|(i, w)| *w = affine(self.m.row(i), z, self.q[i], scale));
    }
    fn jacobian(&self, _: &[f64], out: &mut Triplets) {
        push_all(&self.m, out);
    }
    fn scale(&self) -> f64 {
        MixedLcp::scale(self)
    }
    fn validate(&self) -> Result<(), ProblemError> {
        MixedLcp::validate(self)
    }
}

impl Mcp for Lcp {
    fn size(&self) -> usize {
        self.len()
    }
    fn bounds(&self, _: usize) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        let scale = Lcp::scale(self);
        w.iter_mut().enumerate().for_each(|(i, w)| *w = affine(self.m.row(i), z, self.q[i], scale));
    }
    fn jacobian(&self, _: &[f64], out: &mut Triplets) {
        push_all(&self.m, out);
    }
    fn scale(&self) -> f64 {
        Lcp::scale(self)
    }
    fn validate(&self) -> Result<(), ProblemError> {
        Lcp::validate(self)
    }
}

fn push_all(m: &crate::linear::dense::Dense, out: &mut Triplets) {
    for i in 0..m.rows() {
        for (j, &v) in m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            out.push(i, j, v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::dense::Dense;

    #[test]
    fn a_linear_problem_has_the_same_residual_either_way() {
        let m = Dense::from_rows(&[[2.0, 1.0], [-1.0, 3.0]]);
        let lcp = Lcp::new(m.clone(), vec![-1.0, 2.0]).unwrap();
        let mixed = MixedLcp { m, q: lcp.q.clone(), lower: vec![-1.0, 0.0], upper: vec![1.0, f64::INFINITY] };
        for z in [[0.3, 0.7], [-2.0, 0.0], [0.5, -0.1]] {
            assert!((lcp.natural_residual(&z) - lcp.residual(&z)).abs() < 1e-15);
            assert_eq!(mixed.natural_residual(&z), mixed.residual(&z));
        }
        assert!(check_jacobian(&lcp, &[0.3, 0.7], 1e-3) < 1e-12);
    }
}
