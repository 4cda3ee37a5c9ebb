//! Convex quadratic programs, small and dense, with the minimum-norm point of the optimal face:
//!
//! ```text
//! minimise  x^T H x / 2 + g^T x   subject to   l <= C x <= u,   H positive semi-definite.                (1)
//! ```
//!
//! *Regular H.* The dual active-set method (`strict_qp.rs`) on (1) itself; the minimum is unique.
//!
//! *Singular H.* The proximal-point iteration
//!
//! ```text
//! x_k+1 = argmin  x^T H x / 2 + g^T x + eps |x − x_k|² / 2   subject to   l <= C x <= u                    (2)
//! ```
//!
//! whose problems are strictly convex. It converges for every bounded sequence `eps > 0` if (1) has a solution, at
//! the rate `eps` over the smallest nonzero curvature once the active set stands, and after finitely many steps for
//! linear programs. What is left of it is removed by solving
//!
//! ```text
//! H x − N^T y = −g,   N x = sides,   N the rows with a multiplier,                                        (3)
//! ```
//!
//! in the least-squares sense. Then the point of the optimal face closest to zero,
//!
//! ```text
//! minimise  |x|² / 2   subject to   Q x = Q x*,   l <= C x <= u,                                         (4)
//! ```
//!
//! with Q an orthonormal basis of the rows of `H` and of g, again strictly convex: unique (`problem/qp.rs` says why).
//!
//! The unknowns of the solver are `(x, y)`, y being the multipliers. `NoSolution` is said when the constraints are
//! infeasible, proved by Farkas' certificate up to rounding. An unbounded objective ends in `IterationLimit`. An H that
//! is not positive semi-definite is unsupported. x and y are no warm start; see [`ActiveSet::warm`].
//!
//! Reference: Goldfarb, Idnani, Math. Programming 27, 1983; Rockafellar, "Monotone operators and the proximal point
//! algorithm", SIAM J. Control Optim. 14, 1976.

use crate::linear::dense::{Dense, dot};
use crate::problem::qp::Qp;
pub use crate::solver::qp::strict_qp::StrictSettings;
use crate::solver::qp::strict_qp::{End, Rows, StrictQp};
use crate::solver::{Report, Solver, Status};
use nalgebra::{DMatrix, DVector, SVD};

/// How [`ActiveSet`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveSetSettings {
    /// Pivots of H below this, relative to its largest entry, are zero. Rounding.
    pub min_pivot: f64,
    /// The weight eps of (2), relative to the largest entry of H. By hand.
    pub first_proximal_weight: f64,
    /// The smallest it comes down to: below, the rounding of (2) in directions without curvature is more than the
    /// tolerance. Rounding.
    pub min_proximal_weight: f64,
    /// Singular values of (3) below this, relative to the largest, are zero. Rounding.
    pub min_singular_value: f64,
    /// The most proximal steps. With 200 one in 40,000 random singular programs of 2 to 6 unknowns was left at a
    /// residual of 2e-9: their smallest curvature is hardly more than `min_proximal_weight`.
    pub max_proximal_steps: usize,
    /// The strictly convex programs.
    pub strict: StrictSettings,
}

impl Default for ActiveSetSettings {
    fn default() -> Self {
        Self {
            min_pivot: 1e-11,
            first_proximal_weight: 1e-4,
            min_proximal_weight: 1e-6,
            min_singular_value: 1e-13,
            max_proximal_steps: 2000,
            strict: StrictSettings::default(),
        }
    }
}

/// The active-set method.
#[derive(Clone, Debug)]
pub struct ActiveSet {
    /// Violation of the optimality conditions to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most exchanges of the active set, per strictly convex problem.
    pub iterations: usize,
    /// Programs with regular H start from the rows that were active at the last answer: for programs that change
    /// little from one to the next. The answer is the same but for rounding.
    pub warm: bool,
    /// How it goes about it.
    pub settings: ActiveSetSettings,
    strict: StrictQp,
    pivots: Dense,
}

impl Default for ActiveSet {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            iterations: 10_000,
            warm: false,
            settings: ActiveSetSettings::default(),
            strict: StrictQp::default(),
            pivots: Dense::default(),
        }
    }
}

impl Solver<Qp> for ActiveSet {
    fn solve(&mut self, qp: &Qp, z: &mut [f64]) -> Report {
        let (n, m) = (qp.unknowns(), qp.constraints());
        let largest = qp.h.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let weight = if largest > 0.0 { largest } else { 1.0 };
        let sizes = z.len() == n + m && qp.validate().is_ok();
        if !sizes || !is_definite(&qp.h, self.settings.min_pivot * weight, &mut self.pivots) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        self.strict.settings = self.settings.strict;
        let (x, y) = z.split_at_mut(n);
        x.fill(0.0);
        y.fill(0.0);
        let (status, iterations) = if is_definite(&qp.h, -self.settings.min_pivot * weight, &mut self.pivots)
        {
            let again = if self.warm { self.regular(qp, x, y, true) } else { (Status::Failed, 0) };
            if self.warm && qp.residual(x, y) <= self.tolerance * qp.scale() {
                again
            } else {
                let (status, used) = self.regular(qp, x, y, false);
                (status, again.1 + used)
            }
        } else {
            self.singular(qp, weight, x, y)
        };
        let residual = qp.residual(x, y) / qp.scale();
        if status == Status::NoSolution {
            return Report { status, iterations, residual };
        }
        Report::checked(residual, self.tolerance, iterations, status)
    }
}

impl ActiveSet {
    /// Forgets the rows that were active at the last answer.
    pub fn forget(&mut self) {
        self.strict.forget();
    }

    fn regular(&mut self, qp: &Qp, x: &mut [f64], y: &mut [f64], warm: bool) -> (Status, usize) {
        let (end, used) = if warm {
            self.strict.solve_again(&qp.h, &qp.g, rows(qp), self.iterations)
        } else {
            self.strict.solve(&qp.h, &qp.g, rows(qp), self.iterations)
        };
        self.take(x, y);
        (status(end), used)
    }

    /// (2), then (4). A candidate takes the place of another only with a residual as good.
    fn singular(&mut self, qp: &Qp, weight: f64, x: &mut [f64], y: &mut [f64]) -> (Status, usize) {
        let (mut g, mut eps) = (qp.h.clone(), self.settings.first_proximal_weight * weight);
        let (mut used, mut goal) = (0, f64::INFINITY);
        for step in 0..self.settings.max_proximal_steps {
            (0..x.len()).for_each(|j| g[(j, j)] = qp.h[(j, j)] + eps);
            let a: Vec<f64> = (0..x.len()).map(|j| qp.g[j] - eps * x[j]).collect();
            let (end, exchanges) = self.strict.solve(&g, &a, rows(qp), self.iterations);
            used += exchanges;
            if end != End::Optimal {
                return (status(end), used);
            }
            self.take(x, y);
            if step > 1 {
                // a multiplier next to zero may also be zero
                [0.0, 1e-7]
                    .into_iter()
                    .for_each(|least| polish(qp, least * qp.scale(), self.settings.min_singular_value, x, y));
            }
            let residual = qp.residual(x, y);
            // once it is good enough, as long as it gets better
            if residual <= self.tolerance * qp.scale() && residual > 0.1 * goal {
                break;
            }
            goal = residual;
            eps = (0.1 * eps).max(self.settings.min_proximal_weight * weight);
            if step + 1 == self.settings.max_proximal_steps {
                return (Status::IterationLimit, used);
            }
        }
        used += self.closest_to_zero(qp, x, y);
        (Status::Failed, used)
    }

    /// Moves `x` to the solution of (4), if that is optimal to the tolerance as well.
    fn closest_to_zero(&mut self, qp: &Qp, x: &mut [f64], y: &[f64]) -> usize {
        let (n, m) = (qp.unknowns(), qp.constraints());
        let basis = row_space(qp);
        let mut c = Dense::zeros(basis.len() + m, n);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (i, q) in basis.iter().enumerate() {
            c.row_mut(i).copy_from_slice(q);
            lower.push(dot(q, x));
            upper.push(dot(q, x));
        }
        for i in 0..m {
            c.row_mut(basis.len() + i).copy_from_slice(qp.c.row(i));
        }
        lower.extend_from_slice(&qp.lower);
        upper.extend_from_slice(&qp.upper);
        let all = Rows { c: &c, lower: &lower, upper: &upper };
        let (end, used) = self.strict.solve(&Dense::identity(n), &vec![0.0; n], all, self.iterations);
        let closest = &self.strict.x;
        if end == End::Optimal && qp.residual(closest, y) <= self.tolerance * qp.scale() {
            x.copy_from_slice(closest);
        }
        used
    }

    fn take(&self, x: &mut [f64], y: &mut [f64]) {
        x.copy_from_slice(&self.strict.x);
        self.strict.multipliers(y);
    }
}

/// A correction from the equations (3) of the rows that have a multiplier above `least` or are equations, the other
/// multipliers being zero; kept if it is better.
fn polish(qp: &Qp, least: f64, min_singular_value: f64, x: &mut [f64], y: &mut [f64]) {
    let n = x.len();
    let active: Vec<usize> =
        (0..y.len()).filter(|&i| y[i].abs() > least || qp.lower[i] == qp.upper[i]).collect();
    let size = n + active.len();
    let (mut system, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
    for j in 0..n {
        right[j] = -qp.g[j] - dot(qp.h.row(j), x);
        (0..n).for_each(|k| system[(j, k)] = qp.h[(j, k)]);
        for (k, &i) in active.iter().enumerate() {
            right[j] += qp.c[(i, j)] * y[i];
            system[(j, n + k)] = -qp.c[(i, j)];
            system[(n + k, j)] = qp.c[(i, j)];
        }
    }
    for (k, &i) in active.iter().enumerate() {
        let s = dot(qp.c.row(i), x);
        let (low, high) = (qp.lower[i] - s, qp.upper[i] - s);
        right[n + k] = if low.abs() <= high.abs() { low } else { high };
    }
    let Some(svd) = SVD::try_new(system, true, true, f64::EPSILON, 1000) else { return };
    let largest = svd.singular_values.iter().fold(0.0f64, |m, v| m.max(*v));
    let Ok(step) = svd.solve(&right, min_singular_value * largest) else { return };
    let mut better = (x.to_vec(), vec![0.0; y.len()]);
    (0..n).for_each(|j| better.0[j] += step[j]);
    active.iter().enumerate().for_each(|(k, &i)| better.1[i] = y[i] + step[n + k]);
    if qp.residual(&better.0, &better.1) < qp.residual(x, y) {
        x.copy_from_slice(&better.0);
        y.copy_from_slice(&better.1);
    }
}

fn rows(qp: &Qp) -> Rows<'_> {
    Rows { c: &qp.c, lower: &qp.lower, upper: &qp.upper }
}

fn status(end: End) -> Status {
    match end {
        End::Infeasible => Status::NoSolution,
        End::Optimal | End::Stuck => Status::Failed,
    }
}

/// Whether `h + shift I` is positive definite: elimination without exchanges meets positive pivots only.
fn is_definite(h: &Dense, shift: f64, a: &mut Dense) -> bool {
    let n = h.rows();
    a.copy_from(h);
    (0..n).for_each(|i| a[(i, i)] += shift);
    for p in 0..n {
        let pivot = a[(p, p)];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in p + 1..n {
            let factor = a[(i, p)] / pivot;
            let (source, target) = a.row_pair(p, i);
            target.iter_mut().zip(source).skip(p).for_each(|(t, s)| *t -= factor * s);
        }
    }
    true
}

/// An orthonormal basis of the span of the rows of H and of g: Gram–Schmidt, twice, the largest row left first.
fn row_space(qp: &Qp) -> Vec<Vec<f64>> {
    let n = qp.unknowns();
    let mut left: Vec<Vec<f64>> = (0..n).map(|i| qp.h.row(i).to_vec()).chain([qp.g.clone()]).collect();
    for v in &mut left {
        let norm = dot(v, v).sqrt();
        v.iter_mut().for_each(|x| *x /= if norm > 0.0 { norm } else { 1.0 });
    }
    let mut basis: Vec<Vec<f64>> = Vec::new();
    loop {
        for v in &mut left {
            for q in basis.iter().chain(&basis) {
                let along = dot(v, q);
                v.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        let size = |v: &[f64]| dot(v, v);
        let Some(k) = (0..left.len()).reduce(|a, b| if size(&left[b]) > size(&left[a]) { b } else { a })
        else {
            return basis;
        };
        let norm = size(&left[k]).sqrt();
        if norm <= 1e-10 {
            return basis;
        }
        basis.push(left.swap_remove(k).iter().map(|x| x / norm).collect());
    }
}
