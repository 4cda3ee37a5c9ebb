//! Keeps positions on the joints where a step holds them at velocity level, and takes away the rounding that velocities
//! leave (`shake.rs`): Newton's method in the metric of the mass matrix,
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
use complementarity::problem::operator::{BlockDiagonal, Operator};
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

impl Contacts {
    /// Bodies are moved out of overlap.
    pub fn apart(reach: f64) -> Self {
        Self { reach, undo_overlap: true }
    }
}

/// The memory of the projection.
pub struct Projection {
    held: Snapshot,
    correction: Correction,
    best: Vec<f64>,
}

impl Default for Projection {
    fn default() -> Self {
        // Newton's method corrects what the inner solution leaves
        Self {
            held: Snapshot::default(),
            correction: Correction::new(ContactSolver::Auto, 1e-9),
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
        let Self { held, correction, .. } = self;
        let has_place = |law: Law| !matches!(law, Law::Dry { .. } | Law::DryDisc { .. } | Law::Servo { .. });
        correction.take_rows(held, &frozen.inverse_mass, has_place);
        let gaps = held.constraints.iter().filter(|c| has_place(c.law)).flat_map(|c| {
            let unilateral = c.law.is_unilateral();
            let rows = if unilateral { 1 } else { c.law.rows() };
            c.gap[..rows].iter().map(move |&gap| if unilateral && !undo { gap.max(0.0) } else { gap })
        });
        let movement = correction.solve(gaps);
        system.displace(&mut state.q, movement, 1.0);
    }
}

/// The movement along rows that closes gaps, least in the metric of the mass, eq. (1).
pub(super) struct Correction {
    solver: Box<dyn Solver<ContactProblem>>,
    problem: ContactProblem,
    lambda: Vec<f64>,
    scratch: Vec<f64>,
    movement: Vec<f64>,
}

impl Correction {
    /// Closes gaps up to a part of the largest.
    pub fn new(method: ContactSolver, tolerance: f64) -> Self {
        let config = ContactSolverConfig::new(method);
        Self {
            solver: ContactSolverConfig { tolerance, iterations: 200, ..config }.build(),
            problem: ContactProblem::default(),
            lambda: Vec::new(),
            scratch: Vec::new(),
            movement: Vec::new(),
        }
    }

    /// Takes over the rows of the constraints with a law that is asked for: of joints all, else the first.
    pub fn take_rows(&mut self, held: &Snapshot, inverse: &BlockDiagonal, asked: impl Fn(Law) -> bool) {
        let problem = &mut self.problem;
        problem.groups.clear();
        let Operator::Factored { inverse_mass, jacobian } = &mut problem.operator else { return };
        inverse_mass.copy_from(inverse);
        jacobian.clear();
        let mut first_row = 0;
        for c in held.constraints.iter().filter(|c| asked(c.law)) {
            let (law, rows) = match c.law {
                Law::Bilateral { rows } => (laws::Law::Bilateral { rows }, rows),
                _ => (laws::Law::Unilateral, 1),
            };
            let first_part = jacobian.parts.len();
            for part in &held.jacobian.parts[c.first_part..c.end_part] {
                let values = &held.jacobian.values[part.at..part.at + rows * part.width];
                jacobian.push(part.start, part.width, values);
            }
            problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
            first_row += rows;
        }
    }

    /// Makes the memory for the rows, if there is none: by gaps that contradict each other where rows are redundant.
    pub fn prepare(&mut self) {
        if self.lambda.is_empty() {
            let rows = self.problem.groups.last().map_or(0, |group| group.rows().end);
            self.solve((1..=rows).map(|row| 1.0 / row as f64));
        }
    }

    /// The movement that closes the gaps of the rows.
    pub fn solve(&mut self, gaps: impl Iterator<Item = f64>) -> &[f64] {
        let problem = &mut self.problem;
        problem.q.clear();
        problem.q.extend(gaps);
        problem.scale = 0.0; // the largest violation
        for group in &problem.groups {
            for &gap in &problem.q[group.rows()] {
                let violation = if group.law == laws::Law::Unilateral { -gap } else { gap.abs() };
                problem.scale = problem.scale.max(violation);
            }
        }
        self.lambda.clear();
        self.lambda.resize(problem.q.len(), 0.0);
        self.solver.solve(&self.problem, &mut self.lambda);
        self.problem.impulse_velocity(&self.lambda, &mut self.scratch, &mut self.movement);
        &self.movement
    }
}
