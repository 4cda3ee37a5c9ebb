//! Keeps positions on the joints, which a step holds at velocity level: Newton's method in the metric of the mass
//! matrix,
//!
//! ```text
//! W^T M^-1 W lambda + gap = 0,   q <- q ⊕ M^-1 W lambda                                 (1)
//! ```
//!
//! until the gaps are rounding. It starts a step's drift away, O(dt²), and converges quadratically. Eq. (1) is a
//! contact problem, so redundant joints are no trouble: the solver's proximal steps answer singular systems, and the
//! move `M^-1 W lambda` is unique. Contacts and limits within reach take part as `0 <= lambda ⟂ gap + W^T M^-1 W
//! lambda >= 0`, so that nothing is pushed into anything; for a stepper whose contacts live with overlap, an overlap
//! counts as zero: it does not get deeper.

use crate::state::State;
use crate::system::{Law, Snapshot, System};
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law as laws;
use complementarity::problem::operator::Operator;
use complementarity::solver::{ContactSolver, ContactSolverConfig, Solver};

/// Violations of this size, relative to the numbers they are differences of, are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The most Newton steps.
const ITERATIONS: usize = 6;

/// How contacts and limits are treated while positions move onto the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// Those with a gap of at most this take part, m.
    pub reach: f64,
    /// True to move bodies out of overlap, false to let them be where they are.
    pub undo_overlap: bool,
}

/// The memory of the projection.
pub struct Projection {
    solver: Box<dyn Solver<ContactProblem>>,
    held: Snapshot,
    problem: ContactProblem,
    lambda: Vec<f64>,
    scratch: Vec<f64>,
    movement: Vec<f64>,
    best: Vec<f64>,
}

impl Default for Projection {
    fn default() -> Self {
        // Newton's method corrects what the inner solution leaves
        let config = ContactSolverConfig {
            tolerance: 1e-9,
            iterations: 200,
            ..ContactSolverConfig::new(ContactSolver::Auto)
        };
        Self {
            solver: config.build(),
            held: Snapshot::default(),
            problem: ContactProblem::default(),
            lambda: Vec::new(),
            scratch: Vec::new(),
            movement: Vec::new(),
            best: Vec::new(),
        }
    }
}

impl Projection {
    /// Moves `state.q` onto the joints; `frozen` holds the inverse mass.
    pub fn apply(&mut self, system: &dyn System, frozen: &Snapshot, state: &mut State, contacts: Contacts) {
        let mut error = system.joints(state, &mut self.held);
        for _ in 0..ITERATIONS {
            // a state that is not finite is the stepper's to report
            if error <= ROUNDING || !error.is_finite() {
                return;
            }
            self.best.clone_from(&state.q);
            system.constraints(state, contacts.reach, &mut self.held);
            self.newton_step(system, frozen, state, contacts.undo_overlap);
            let before = error;
            error = system.joints(state, &mut self.held);
            if error.is_nan() || error > 0.5 * before {
                // no longer converging: rounding is reached
                if error.is_nan() || error > before {
                    state.q.clone_from(&self.best);
                }
                return;
            }
        }
    }

    /// Eq. (1).
    fn newton_step(&mut self, system: &dyn System, frozen: &Snapshot, state: &mut State, undo: bool) {
        let Self { held, problem, .. } = self;
        problem.groups.clear();
        problem.q.clear();
        problem.scale = 0.0; // the largest violation
        let Operator::Factored { inverse_mass, jacobian } = &mut problem.operator else { return };
        inverse_mass.copy_from(&frozen.inverse_mass);
        jacobian.clear();
        for c in &held.constraints {
            let (law, rows) = match c.law {
                Law::Bilateral { rows } => (laws::Law::Bilateral { rows }, rows),
                Law::Contact { .. } | Law::Limit => (laws::Law::Unilateral, 1),
                Law::Dry { .. } | Law::DryDisc { .. } | Law::Servo { .. } => continue,
            };
            let (first_row, first_part) = (problem.q.len(), jacobian.parts.len());
            for part in &held.jacobian.parts[c.first_part..c.end_part] {
                let values = &held.jacobian.values[part.at..part.at + rows * part.width];
                jacobian.push(part.start, part.width, values);
            }
            problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
            let unilateral = law == laws::Law::Unilateral;
            for &gap in &c.gap[..rows] {
                let gap = if unilateral && !undo { gap.max(0.0) } else { gap };
                problem.scale = problem.scale.max(if unilateral { -gap } else { gap.abs() });
                problem.q.push(gap);
            }
        }
        self.lambda.clear();
        self.lambda.resize(problem.q.len(), 0.0);
        self.solver.solve(&self.problem, &mut self.lambda);
        self.problem.impulse_velocity(&self.lambda, &mut self.scratch, &mut self.movement);
        system.displace(&mut state.q, &self.movement, 1.0);
    }
}
