//! Projected Gauss–Seidel: row by row for normals, tangents together, a step against the velocity and back onto the
//! admissible set:
//!
//! ```text
//! lambda_n <- max(0, lambda_n − omega xi_n / a_nn)                                       (1)
//! lambda_t <- P( lambda_t − omega xi_t / a_t ),   a_t = trace of the tangential block    (2)
//! ```
//!
//! with P the projection onto `mu lambda_n F`. With associated friction all rows of a contact go together,
//!
//! ```text
//! lambda <- P_K( lambda − omega xi / a ),   a = trace of the block, K the cone           (3)
//! ```
//!
//! (Tasora, Anitescu 2011), which converges. The fixed points are the solutions of the contact problem for every
//! `0 < omega < 2`. Cheaper per sweep than `nsgs` and slower to converge. Takes every law and cone, uses the warm
//! start. Reference: M. Jourdan, P. Alart, M. Jean, "A Gauss–Seidel like algorithm to solve
//! frictional contact problems", 1998.

use crate::law::{GroupLaw, MAX_ROWS, MAX_TANGENTS, convex, project};
use crate::problem::contact::{ContactProblem, Group};
use crate::solver::contact::sweep::Sweep;
use crate::solver::{Report, Solver, Status};

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Pgs {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most sweeps.
    pub iterations: usize,
    /// Relaxation omega, between 0 and 2.
    pub relaxation: f64,
    sweep: Sweep,
}

impl Pgs {
    /// A solver with its limits, without over-relaxation.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self { tolerance, iterations, relaxation: 1.0, sweep: Sweep::default() }
    }

    /// Sets the rows of a group given in `rows` and passes the change on. Returns it as a speed.
    fn set(&mut self, problem: &ContactProblem, c: usize, old: &mut [f64], new: [f64; MAX_ROWS]) -> f64 {
        let n = old.len();
        let mut change = [0.0; MAX_ROWS];
        let mut largest = 0.0f64;
        let block = self.sweep.block(c, &problem.groups[c]);
        for i in 0..n {
            change[i] = new[i] - old[i];
            largest = largest.max((change[i] * block[i * n + i]).abs());
            old[i] = new[i];
        }
        if largest > 0.0 {
            self.sweep.update(problem, c, &change[..n]);
        }
        largest
    }

    /// Normal (or free, or dry) rows one after the other, eq. (1).
    fn rows_of(&mut self, problem: &ContactProblem, c: usize, group: &Group, lambda: &mut [f64]) -> f64 {
        let n = group.law.rows();
        let (rows, low, high) = group.law.row_bounds();
        let mut largest = 0.0f64;
        for r in 0..rows {
            let xi = self.sweep.velocity(problem, c);
            let a = self.sweep.block(c, group)[r * n + r];
            if a > 0.0 {
                let mut new = [0.0; MAX_ROWS];
                new[..n].copy_from_slice(lambda);
                new[r] = (lambda[r] - self.relaxation * xi[r] / a).max(low).min(high);
                largest = largest.max(self.set(problem, c, lambda, new));
            }
        }
        largest
    }

    /// All rows of a contact with associated friction, eq. (3).
    fn cone_of(&mut self, problem: &ContactProblem, c: usize, group: &Group, lambda: &mut [f64]) -> f64 {
        let n = group.law.rows();
        let xi = self.sweep.velocity(problem, c);
        let block = self.sweep.block(c, group);
        let a: f64 = (0..n).map(|i| block[i * n + i]).sum();
        if a.is_nan() || a <= 0.0 {
            return 0.0;
        }
        let x = std::array::from_fn(|i| if i < n { lambda[i] - self.relaxation * xi[i] / a } else { 0.0 });
        self.set(problem, c, lambda, convex::project(group.law, &x))
    }

    /// The tangential rows of a contact, eq. (2).
    fn tangents_of(&mut self, problem: &ContactProblem, c: usize, group: &Group, lambda: &mut [f64]) -> f64 {
        let n = group.law.rows();
        let mut largest = 0.0f64;
        for limits in group.law.blocks().chain(group.law.dry_block()) {
            let xi = self.sweep.velocity(problem, c);
            let block = self.sweep.block(c, group);
            let a: f64 = limits.rows().map(|i| block[i * n + i]).sum();
            if a.is_nan() || a <= 0.0 {
                continue;
            }
            let mut x = [0.0; MAX_TANGENTS];
            for (x, i) in x.iter_mut().zip(limits.rows()) {
                *x = lambda[i] - self.relaxation * xi[i] / a;
            }
            let load = if limits.first == 0 { 1.0 } else { lambda[0] };
            let t = project(limits.cone, &problem.directions, limits.friction * load, x);
            let mut new = [0.0; MAX_ROWS];
            new[..n].copy_from_slice(lambda);
            new[limits.rows()].copy_from_slice(&t[..limits.cone.tangents()]);
            largest = largest.max(self.set(problem, c, lambda, new));
        }
        largest
    }
}

impl Solver<ContactProblem> for Pgs {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        self.sweep.start(problem, z);
        let limit = self.tolerance * problem.scale;
        for iterations in 1..=self.iterations {
            let mut change = 0.0f64;
            for (c, group) in problem.groups.iter().enumerate() {
                let lambda = &mut z[group.rows()];
                if group.law.is_associated() {
                    change = change.max(self.cone_of(problem, c, group, lambda));
                    continue;
                }
                change = change.max(self.rows_of(problem, c, group, lambda));
                change = change.max(self.tangents_of(problem, c, group, lambda));
            }
            if change <= limit {
                let residual = self.sweep.residual(problem, z).max();
                if residual <= self.tolerance || change == 0.0 {
                    return Report::checked(residual, self.tolerance, iterations, Status::Failed);
                }
            }
        }
        let residual = self.sweep.residual(problem, z).max();
        Report::checked(residual, self.tolerance, self.iterations, Status::IterationLimit)
    }
}
