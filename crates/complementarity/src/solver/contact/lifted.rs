//! Coulomb's law by a sequence of convex problems.
//!
//! With the lift `s = mu |xi_t|` of the normal velocity, Coulomb's law is the associated one (de Saxcé, Feng 1998):
//!
//! ```text
//! K* ∋ xi + s n ⟂ lambda ∈ K,   s = mu |xi_t|,   xi = A lambda + q                                       (1)
//! ```
//!
//! With s held, (1) is a convex program, which has a method that needs no luck (`augmented.rs`). So
//!
//! ```text
//! lambda_k solves (1) with s_k,   s_(k+1) = mu |xi_t(lambda_k)|                                          (2)
//! ```
//!
//! whose fixed points are the solutions. A few iterations lead to the modes of one, from where Newton's steps
//! (`contact_newton.rs`) end it. Where (2) wanders they may not: the residual decides.
//!
//! Takes round cones and planar ones, with joints, limits and dry friction beside them. Uses the warm start for s.
//! References: F. Cadoux, "Analyse convexe et optimisation pour la dynamique non-régulière", 2009; V. Acary, F. Cadoux,
//! C. Lemaréchal, J. Malick, ZAMM 91, 2011.

use crate::law::GroupLaw;
use crate::problem::contact::ContactProblem;
use crate::solver::contact::contact_newton::ContactNewton;
use crate::solver::convex::augmented::Augmented;
use crate::solver::{Report, Solver, Status};

/// How [`Lifted`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiftedSettings {
    /// The most iterations of (2). By hand.
    pub max_rounds: usize,
    /// The round after which Newton's steps are tried first; then after 2, 4, 8 times as many. By hand.
    pub first_newton_round: usize,
    /// Rounds without a better point before it gives up. By hand.
    pub patience: usize,
}

impl Default for LiftedSettings {
    fn default() -> Self {
        Self { max_rounds: 40, first_newton_round: 1, patience: 6 }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// How it goes about it.
    pub settings: LiftedSettings,
    convex: Augmented,
    newton: ContactNewton,
    problem: ContactProblem,
    lambda: Vec<f64>,
    xi: Vec<f64>,
    tried: Vec<f64>,
    scratch: [Vec<f64>; 2],
}

impl Lifted {
    /// A solver with the residual to reach.
    pub fn new(tolerance: f64) -> Self {
        let mut newton = ContactNewton::new(tolerance, 60);
        newton.patience = 12;
        newton.sweeps = 20;
        Self {
            tolerance,
            settings: LiftedSettings::default(),
            convex: Augmented::new(tolerance, 300),
            newton,
            problem: ContactProblem::default(),
            lambda: Vec::new(),
            xi: Vec::new(),
            tried: Vec::new(),
            scratch: Default::default(),
        }
    }

    /// The convex problem of (1) but for s. False where a law is none that it takes.
    fn take(&mut self, problem: &ContactProblem) -> bool {
        self.problem.operator.copy_from(&problem.operator);
        self.problem.groups.clone_from(&problem.groups);
        self.problem.q.clone_from(&problem.q);
        self.problem.scale = problem.scale;
        self.problem.groups.iter_mut().all(|group| {
            let convex = group.law.convexified();
            group.law = convex.unwrap_or(group.law);
            convex.is_some()
        })
    }

    /// Eq. (2): lifts q by the slip that impulses lead to.
    fn lift(&mut self, problem: &ContactProblem, lambda: &[f64]) {
        let [first, second] = &mut self.scratch;
        problem.velocities(lambda, first, second, &mut self.xi);
        for group in &problem.groups {
            if let Some(lift) = group.law.lift(&self.xi[group.rows()]) {
                self.problem.q[group.first_row] = problem.q[group.first_row] + lift;
            }
        }
    }
}

impl Solver<ContactProblem> for Lifted {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        if !self.take(problem) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let (mut best, mut iterations, mut since, mut next) =
            (f64::INFINITY, 0, 0, self.settings.first_newton_round);
        self.lambda.clear();
        self.lambda.extend_from_slice(z);
        for round in 1..=self.settings.max_rounds {
            let mut lambda = std::mem::take(&mut self.lambda);
            self.lift(problem, &lambda);
            iterations += self.convex.solve(&self.problem, &mut lambda).iterations;
            self.lambda = lambda;
            let mut residual = problem.residual(&self.lambda).max();
            self.tried.clear();
            self.tried.extend_from_slice(&self.lambda);
            if round == next || residual < 0.1 * best {
                next = if round == next { 2 * next } else { next };
                let report = self.newton.solve(problem, &mut self.tried);
                iterations += report.iterations;
                if report.residual < residual {
                    residual = report.residual;
                } else {
                    self.tried.copy_from_slice(&self.lambda);
                }
            }
            since += 1;
            if residual < best {
                if residual < 0.5 * best {
                    since = 0;
                }
                best = residual;
                z.copy_from_slice(&self.tried);
            }
            if best <= self.tolerance || since > self.settings.patience || residual.is_nan() {
                break;
            }
        }
        Report::checked(best, self.tolerance, iterations, Status::Failed)
    }
}
