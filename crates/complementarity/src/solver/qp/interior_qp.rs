//! Convex quadratic programs with the crate `clarabel`, an interior-point method for conic programs: for programs too
//! large for [`active_set`](crate::solver::qp::active_set). Cargo feature `clarabel`.
//!
//! ```text
//! minimise  x^T H x / 2 + g^T x   subject to   A x + s = b,   s = 0 (equations) or s >= 0                 (1)
//! ```
//!
//! A row with two sides becomes two of (1). What is reported is the residual of the optimality conditions recomputed
//! from the problem, whatever the crate says; a program that it calls infeasible is `Failed`, since its certificate
//! holds to its own tolerance only. The optimal point is in the middle of the optimal face, not the one of minimum
//! norm. No warm start, allocates.
//!
//! Reference: Goulart, Chen, "Clarabel: An interior-point solver for conic programs with quadratic objectives", 2024.

use crate::problem::qp::Qp;
use crate::solver::{Report, Solver, Status};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};

/// Convex quadratic programs by an interior-point method.
#[derive(Clone, Copy, Debug)]
pub struct InteriorQp {
    /// Violation of the optimality conditions to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most iterations.
    pub iterations: u32,
}

impl Default for InteriorQp {
    fn default() -> Self {
        Self { tolerance: 1e-7, iterations: 200 }
    }
}

/// A row of (1): which row of the problem, times which sign, and b.
struct Row {
    of: usize,
    sign: f64,
    side: f64,
}

impl Solver<Qp> for InteriorQp {
    fn solve(&mut self, qp: &Qp, z: &mut [f64]) -> Report {
        let (n, m) = (qp.unknowns(), qp.constraints());
        let unsupported = Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        if qp.validate().is_err() || z.len() != n + m {
            return unsupported;
        }
        let (rows, equations) = rows(qp);
        let mut cones = Vec::new();
        if equations > 0 {
            cones.push(SupportedConeT::ZeroConeT(equations));
        }
        if rows.len() > equations {
            cones.push(SupportedConeT::NonnegativeConeT(rows.len() - equations));
        }
        let accuracy = 1e-3 * self.tolerance;
        let settings = DefaultSettings {
            verbose: false,
            max_iter: self.iterations,
            tol_gap_abs: accuracy,
            tol_gap_rel: accuracy,
            tol_feas: accuracy,
            ..DefaultSettings::default()
        };
        let h = columns(n, n, |i, j| (i <= j).then(|| qp.h[(i, j)]));
        let a = columns(rows.len(), n, |r, j| Some(rows[r].sign * qp.c[(rows[r].of, j)]));
        let b: Vec<f64> = rows.iter().map(|r| r.sign * r.side).collect();
        let Ok(mut solver) = DefaultSolver::new(&h, &qp.g, &a, &b, &cones, settings) else {
            return unsupported;
        };
        solver.solve();
        let (x, y) = z.split_at_mut(n);
        x.copy_from_slice(&solver.solution.x);
        y.fill(0.0);
        rows.iter().zip(&solver.solution.z).for_each(|(row, z)| y[row.of] -= row.sign * z);
        let iterations = solver.info.iterations as usize;
        let otherwise =
            if solver.info.iterations < self.iterations { Status::Failed } else { Status::IterationLimit };
        let residual = qp.residual(x, y) / qp.scale();
        if residual.is_nan() {
            z.fill(0.0);
        }
        Report::checked(residual, self.tolerance, iterations, otherwise)
    }
}

/// The rows of (1), equations first, and how many of these there are.
fn rows(qp: &Qp) -> (Vec<Row>, usize) {
    let (mut out, mut others) = (Vec::new(), Vec::new());
    for of in 0..qp.constraints() {
        let (l, u) = (qp.lower[of], qp.upper[of]);
        if l == u {
            out.push(Row { of, sign: 1.0, side: u });
            continue;
        }
        if u.is_finite() {
            others.push(Row { of, sign: 1.0, side: u });
        }
        if l.is_finite() {
            others.push(Row { of, sign: -1.0, side: l });
        }
    }
    let equations = out.len();
    out.extend(others);
    (out, equations)
}

/// A matrix by columns, without its zeros.
fn columns(rows: usize, cols: usize, entry: impl Fn(usize, usize) -> Option<f64>) -> CscMatrix<f64> {
    let (mut start, mut row, mut value) = (vec![0], Vec::new(), Vec::new());
    for j in 0..cols {
        for i in 0..rows {
            if let Some(v) = entry(i, j).filter(|v| *v != 0.0) {
                row.push(i);
                value.push(v);
            }
        }
        start.push(row.len());
    }
    CscMatrix::new(rows, cols, start, row, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::dense::Dense;
    use crate::solver::qp::active_set::ActiveSet;

    #[test]
    fn both_methods_find_the_same_minimum() {
        let qp = Qp {
            h: Dense::from_rows(&[[4.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]),
            g: vec![1.0, 1.0, -3.0],
            c: Dense::from_rows(&[[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            lower: vec![1.0, 0.0, 0.0, f64::NEG_INFINITY],
            upper: vec![1.0, 0.7, 0.7, 0.8],
        };
        let (mut a, mut b) = (vec![0.0; 7], vec![0.0; 7]);
        assert_eq!(InteriorQp::default().solve(&qp, &mut a).status, Status::Solved);
        assert_eq!(ActiveSet::default().solve(&qp, &mut b).status, Status::Solved);
        assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-7), "{a:?} {b:?}");
    }
}
