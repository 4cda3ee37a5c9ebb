//! Semismooth Newton for frictional contact, every law and cone: the equations
//!
//! ```text
//! lambda_n = max(0, lambda_n − rho_n xi_n),   lambda_t = P( lambda_t − rho_t xi_t ),   xi = A lambda + q   (1)
//! ```
//!
//! with P the projection onto `mu (lambda_n − rho_n xi_n)+ F` and rho from the contact's own diagonal block, so that
//! nothing depends on units (Alart and Curnier). A step solves the linearised equations of all closed contacts at
//! once; near a solution that is not degenerate the error falls quadratically. Redundant contacts, for which A is
//! singular, are handled by a proximal term that vanishes with the residual: the step taken is close to the shortest.
//! Steps that do not help are replaced by Gauss–Seidel sweeps. No convergence proof for friction: the residual decides.
//!
//! Uses the warm start, and always makes at least one sweep from it. The iteration is in `newton_engine.rs`.
//! Reference: Alart, Curnier, Comput. Meth. Appl. Mech. Eng. 92, 1991; Acary, Brémond, Huber, "On solving contact
//! problems with Coulomb friction: formulations and numerical comparisons", 2018.

use crate::problem::contact::ContactProblem;
use crate::solver::contact::newton_engine::{Engine, Limits, NewtonSettings, is_finite};
use crate::solver::contact::nsgs::Shift;
use crate::solver::{Report, Solver, Status};

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct ContactNewton {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most Newton steps.
    pub iterations: usize,
    /// The most sweeps in a row when Newton steps do not help.
    pub sweeps: usize,
    /// Newton steps without a better point before it gives up.
    pub patience: usize,
    /// How it goes about it.
    pub settings: NewtonSettings,
    engine: Engine,
}

impl ContactNewton {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let (settings, engine) = (NewtonSettings::default(), Engine::default());
        Self { tolerance, iterations, sweeps: 200, patience: 40, settings, engine }
    }
}

impl Solver<ContactProblem> for ContactNewton {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        if problem.is_associated() || !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let limits = Limits {
            tolerance: self.tolerance,
            steps: self.iterations,
            sweeps: self.sweeps,
            patience: self.patience,
        };
        self.engine.settings = self.settings;
        let out = self.engine.run(problem, Shift::default(), limits, z);
        let otherwise = if out.steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(out.residual, self.tolerance, out.steps + out.sweeps, otherwise)
    }
}
