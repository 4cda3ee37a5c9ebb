//! Nonsmooth Gauss–Seidel: group by group, the exact solution of the group's own problem (`local.rs`) with all other
//! impulses held, until nothing changes.
//!
//! ```text
//! lambda_c <- solve( a_cc lambda + (xi_c − a_cc lambda_c), law_c ),   c = 1, 2, ..., 1, 2, ...   (1)
//! ```
//!
//! Converges for friction-free problems (A positive semi-definite) and in practice for frictional ones of moderate
//! coupling; tall stacks and redundant contacts converge slowly. Takes every law and cone, uses the warm start.
//! Reference: M. Jean, "The non-smooth contact dynamics method", 1999.

use crate::law::MAX_ROWS;
use crate::problem::contact::{ContactProblem, Group};
use crate::solver::contact::local::Local;
use crate::solver::contact::sweep::Sweep;
use crate::solver::{Report, Solver, Status};

/// How [`Nsgs`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NsgsSettings {
    /// Sweeps between two looks at the residual while the impulses still change. By hand.
    pub check_interval: usize,
    /// Below this residual, no progress over many looks means rounding. By hand.
    pub stall_residual: f64,
    /// How many looks. By hand.
    pub stall_checks: usize,
}

impl Default for NsgsSettings {
    fn default() -> Self {
        Self { check_interval: 32, stall_residual: 1e-10, stall_checks: 20 }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Nsgs {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most sweeps.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: NsgsSettings,
    sweep: Sweep,
    local: Local,
    best: Vec<f64>,
}

impl Nsgs {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let (sweep, local) = (Sweep::default(), Local::default());
        Self { tolerance, iterations, settings: NsgsSettings::default(), sweep, local, best: Vec::new() }
    }
}

impl Nsgs {
    /// A group on its own is its own problem: one exact local solution.
    fn solve_single(&mut self, problem: &ContactProblem, group: &Group, z: &mut [f64]) -> Report {
        self.sweep.prepare_blocks(problem);
        let block = self.sweep.block(0, group);
        let lambda = self.local.solve(group.law, &problem.directions, block, &problem.q);
        z.copy_from_slice(&lambda[..z.len()]);
        Report::checked(self.sweep.residual(problem, z).max(), self.tolerance, 1, Status::Failed)
    }
}

/// One sweep over all groups, eq. (1). Returns the largest change as a speed.
pub(crate) fn sweep_once(
    sweep: &mut Sweep,
    local: &mut Local,
    problem: &ContactProblem,
    shift: Shift,
    lambda: &mut [f64],
) -> f64 {
    let mut largest = 0.0f64;
    for (c, group) in problem.groups.iter().enumerate() {
        let (n, first) = (group.law.rows(), group.first_row);
        let lambda = &mut lambda[group.rows()];
        let mut q = sweep.velocity(problem, c);
        let mut block = [0.0; MAX_ROWS * MAX_ROWS];
        block[..n * n].copy_from_slice(sweep.block(c, group));
        for i in 0..n {
            for j in 0..n {
                q[i] -= block[i * n + j] * lambda[j];
            }
        }
        if shift.alpha > 0.0 {
            let diagonal = sweep.diagonal(c, group);
            for i in 0..n {
                q[i] -= shift.alpha * diagonal[i] * shift.centre[first + i];
                block[i * n + i] += shift.alpha * diagonal[i];
            }
        }
        let new = local.solve(group.law, &problem.directions, &block[..n * n], &q[..n]);
        let mut change = [0.0; MAX_ROWS];
        for i in 0..n {
            change[i] = new[i] - lambda[i];
            largest = largest.max((change[i] * block[i * n + i]).abs());
            lambda[i] = new[i];
        }
        sweep.update(problem, c, &change[..n]);
    }
    largest
}

/// A proximal term `alpha a (lambda − centre)` added to the velocities, a being [`Sweep::diagonal`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shift<'a> {
    /// Its weight; none when zero.
    pub alpha: f64,
    /// Its centre, one entry per row.
    pub centre: &'a [f64],
}

impl Solver<ContactProblem> for Nsgs {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        if problem.is_associated() {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        if let [group] = problem.groups.as_slice() {
            let report = self.solve_single(problem, group, z);
            if report.status == Status::Solved {
                return report;
            }
        }
        self.sweep.start(problem, z);
        self.best.clear();
        self.best.reserve(z.len());
        let limit = self.tolerance * problem.scale;
        let mut best = f64::INFINITY;
        let mut since_best = 0;
        let mut iterations = 0;
        while iterations < self.iterations {
            iterations += 1;
            let change = sweep_once(&mut self.sweep, &mut self.local, problem, Shift::default(), z);
            if change > limit && !iterations.is_multiple_of(self.settings.check_interval) {
                continue;
            }
            let residual = self.sweep.residual(problem, z).max();
            if residual <= self.tolerance {
                return Report { status: Status::Solved, iterations, residual };
            }
            if residual < 0.5 * best {
                best = residual;
                self.best.clear();
                self.best.extend_from_slice(z);
                since_best = 0;
            } else {
                since_best += 1;
            }
            // at the level of rounding the residual wanders instead of falling
            if change == 0.0
                || residual.is_nan()
                || (best < self.settings.stall_residual && since_best > self.settings.stall_checks)
            {
                break;
            }
        }
        if best.is_finite() {
            z.copy_from_slice(&self.best);
        }
        let residual = self.sweep.residual(problem, z).max();
        let otherwise = if iterations < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(residual, self.tolerance, iterations, otherwise)
    }
}
