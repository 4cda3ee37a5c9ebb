//! Contact problems answered by a solver for linear complementarity problems.
//!
//! ```text
//! contact problem  ->  mixed LCP  ->  LCP  ->  y  ->  lambda             (1)
//! ```
//!
//! The conversions are those of [`crate::problem::convert`]; they are exact for segments and polygons, so the answer
//! is an answer of the contact problem as it is, to rounding. The round cone is no LCP: it is refused. What is
//! reported is the residual recomputed from the contact problem. No warm start.
//!
//! Reference: Stewart, Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
//! and Coulomb friction", Int. J. Numer. Meth. Eng. 39, 1996.

use crate::law::MAX_ROWS;
use crate::problem::contact::ContactProblem;
use crate::problem::convert::ContactLcp;
use crate::problem::lcp::Lcp;
use crate::solver::{Report, Solver, Status};

/// A solver of contact problems made from one of linear complementarity problems.
#[derive(Clone, Debug)]
pub struct ThroughLcp<S> {
    /// The solver of the LCP.
    pub solver: S,
    /// Residual to reach, relative to the contact problem's scale.
    pub tolerance: f64,
    contact: ContactLcp,
    y: Vec<f64>,
    scratch: Vec<f64>,
    work: Vec<f64>,
    xi: Vec<f64>,
}

impl<S> ThroughLcp<S> {
    /// Solves contact problems with `solver`, to `tolerance` relative to the contact problem's scale.
    pub fn new(solver: S, tolerance: f64) -> Self {
        Self {
            solver,
            tolerance,
            contact: ContactLcp::default(),
            y: Vec::new(),
            scratch: Vec::new(),
            work: Vec::new(),
            xi: Vec::new(),
        }
    }

    /// The conversion made for the latest problem.
    pub fn conversion(&self) -> &ContactLcp {
        &self.contact
    }

    fn residual(&mut self, problem: &ContactProblem, lambda: &[f64]) -> f64 {
        problem.velocities(lambda, &mut self.scratch, &mut self.work, &mut self.xi);
        let diagonal = |c: usize| {
            let mut out = [0.0; MAX_ROWS];
            for (o, row) in out.iter_mut().zip(problem.groups[c].rows()) {
                *o = self.contact.diagonal(row);
            }
            out
        };
        problem.residual_of(lambda, &self.xi, diagonal).max()
    }
}

impl<S: Solver<Lcp>> Solver<ContactProblem> for ThroughLcp<S> {
    fn solve(&mut self, problem: &ContactProblem, lambda: &mut [f64]) -> Report {
        let unsupported = Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        if lambda.len() != problem.len() || self.contact.build(problem).is_err() {
            return unsupported;
        }
        self.y.clear();
        self.y.resize(self.contact.lcp().len(), 0.0);
        let inner = self.solver.solve(self.contact.lcp(), &mut self.y);
        if inner.status == Status::Unsupported {
            return unsupported;
        }
        self.contact.recover(&self.y, lambda);
        let residual = self.residual(problem, lambda);
        let otherwise = if inner.status == Status::Solved { Status::Failed } else { inner.status };
        Report::checked(residual, self.tolerance, inner.iterations, otherwise)
    }
}
