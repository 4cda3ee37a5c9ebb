//! What steppers share: from a frozen configuration to the contact problem, its solution, and what a step says of it.
//!
//! With M, f and W frozen at one configuration, a step solves
//!
//! ```text
//! u' = u_free + M^-1 W lambda,   u_free = u + dt M^-1 f                                (1)
//! xi = W^T u' + drift + shift,   law(xi, lambda) per constraint                        (2)
//! ```
//!
//! A stepper chooses the configuration, which constraints take part, and the `shift` of each row: gap over step for
//! Stewart–Trinkle, restitution times the velocity before for Moreau. Each value is made from the one before:
//!
//! ```text
//! Frozen  --pose-->  Problem  --solve-->  Solution  --look, judge-->  Step with its certificate
//! ```
//!
//! A `Problem` borrows the configuration it was posed at and a `Solution` its problem: neither outlives a change of
//! what it was made from. Their memory is kept here from step to step.

pub(super) mod frozen;
pub(super) mod judgement;
mod layering;
mod outcome;
pub(super) mod problem;
mod scale;
pub(super) mod soft;
pub(super) mod solution;

use super::Cone;
use crate::step::Warm;
use complementarity::problem::contact::ContactProblem;
use complementarity::solver::ContactSolverConfig;
use frozen::Frozen;
use judgement::Ending;
use problem::Posing;
use solution::Solving;

/// Slip slower than this, relative to the free motion's contact speed, is called sticking.
pub(super) const STICKING: f64 = 1e-9;

/// The memory of a step's configuration, problem, solution and end, and what one step leaves to the next.
pub struct Assembly {
    pub(super) frozen: Frozen,
    pub(super) posing: Posing,
    pub(super) solving: Solving,
    pub(super) ending: Ending,
    pub(super) warm: Warm,
}

impl Assembly {
    /// An assembly for a friction cone and a solver.
    pub fn new(cone: Cone, solver: ContactSolverConfig) -> Self {
        Self {
            frozen: Frozen::default(),
            posing: Posing::new(cone),
            solving: Solving::new(solver),
            ending: Ending::default(),
            warm: Warm::default(),
        }
    }

    /// The same with associated friction.
    pub(super) fn associated(mut self) -> Self {
        self.posing.associated = true;
        self
    }

    /// The problem of the last step.
    pub fn problem(&self) -> &ContactProblem {
        &self.posing.contact
    }
}
