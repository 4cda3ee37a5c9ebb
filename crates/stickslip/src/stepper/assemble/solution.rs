//! The impulses of a step and the velocity they lead to, made from its problem.

use super::frozen::Frozen;
use super::problem::{Posing, Problem};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::stepper::surface::{Scaling, physical};
use crate::stepper::varying::Varying;
use crate::stepper::{StepError, TimeStep};
use crate::system::{Constraint, System};
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::law::MAX_ROWS;
use complementarity::solver::rest::Rest;
use complementarity::solver::{ContactSolverConfig, Report, Solver, Status};

/// A solver, and the memory of a solution.
pub(in crate::stepper) struct Solving {
    pub solver: Box<dyn Solver<ContactProblem>>,
    /// The solver's.
    pub tolerance: f64,
    /// What is good enough.
    enough: f64,
    /// Those of the problem, whose rows may be scaled (`surface.rs`).
    pub impulses: Vec<f64>,
    /// The row velocities that they lead to, eq. (2).
    pub xi: Vec<f64>,
    /// Contacts whose friction varies.
    pub varying: Vec<Varying>,
    pub velocity_change: Vec<f64>,
    pub scratch: Vec<f64>,
    rest: Rest,
}

/// Velocities below this part of those without impulses may be rest.
const NEAR_REST: f64 = 1e-6;

/// What solves a problem.
pub(in crate::stepper) struct Solution<'a> {
    pub problem: Problem<'a>,
    pub found: &'a mut Solving,
    pub report: Report,
}

impl Solving {
    pub fn new(solver: ContactSolverConfig) -> Self {
        Self {
            solver: solver.build(),
            tolerance: solver.tolerance,
            enough: solver.enough.max(solver.tolerance),
            impulses: Vec::new(),
            xi: Vec::new(),
            varying: Vec::new(),
            velocity_change: Vec::new(),
            scratch: Vec::new(),
            rest: Rest::default(),
        }
    }

    /// Solves a problem, starting from the forces of the last step: where they keep at rest what is, they are the answer.
    pub fn solve<'a>(&'a mut self, mut problem: Problem<'a>, warm: &Warm) -> Solution<'a> {
        self.start_from(warm, &problem);
        let report = if problem.posed.contact.is_empty() {
            Report { status: Status::Solved, iterations: 0, residual: 0.0 }
        } else {
            self.start_friction(&mut problem, warm);
            if let Some(residual) = self.stays_at_rest(&mut problem) {
                Report { status: Status::Solved, iterations: 0, residual }
            } else {
                let report = self.solver.solve(&problem.posed.contact, &mut self.impulses);
                self.settle_friction(problem.posed, report)
            }
        };
        Solution { problem, found: self, report }
    }

    /// What the forces of the last step would do, without a look at the laws.
    pub fn foresee<'a>(&'a mut self, problem: Problem<'a>, warm: &Warm) -> Solution<'a> {
        self.start_from(warm, &problem);
        let report = Report { status: Status::Solved, iterations: 0, residual: 0.0 };
        Solution { problem, found: self, report }
    }

    /// The forces of the last step where the same constraint was there; both lists are ordered by id.
    pub fn start_from(&mut self, warm: &Warm, problem: &Problem) {
        self.impulses.clear();
        let mut k = 0;
        for group in 0..problem.posed.selected.len() {
            let c = problem.constraint(group);
            while k < warm.ids.len() && warm.ids[k] < c.id {
                k += 1;
            }
            let known = k < warm.ids.len() && warm.ids[k] == c.id;
            let first = self.impulses.len();
            for r in 0..c.law.rows() {
                self.impulses.push(if known { warm.forces[k][r] * problem.dt } else { 0.0 });
            }
            if let Some(scaling) = Scaling::of(&c.law, problem.posed.cone) {
                scaling.scaled_impulses(&mut self.impulses[first..]);
            }
        }
    }

    /// The residual of the laws at rest, where everything is at rest before the step and the impulses keep it there.
    fn stays_at_rest(&mut self, problem: &mut Problem) -> Option<f64> {
        let Problem { frozen, posed, .. } = problem;
        let holds = frozen.is_still
            && self.may_rest(frozen, posed)
            && self.rest.holds(&posed.contact, &frozen.free, &self.impulses);
        holds.then(|| self.residual_at_rest(frozen, posed)).filter(|residual| *residual <= self.enough)
    }

    /// Nothing is driven, and no friction depends on slip.
    fn may_rest(&self, frozen: &Frozen, posed: &Posing) -> bool {
        let mut drifts = posed.selected.iter().map(|&i| frozen.at.constraints[i].drift);
        self.varying.is_empty() && drifts.all(|drift| drift == [0.0; MAX_ROWS])
    }

    /// Moves impulses of a solution that hardly moves anything to where nothing moves, if the laws hold there.
    fn comes_to_rest(&mut self, problem: &mut Problem) -> bool {
        let Problem { frozen, posed, .. } = problem;
        if !self.may_rest(frozen, posed)
            || !self.rest.settle(&posed.contact, &frozen.free, &mut self.impulses)
        {
            return false;
        }
        let holds = self.residual_at_rest(frozen, posed) <= self.enough;
        if !holds {
            self.rest.undo(&mut self.impulses);
            self.velocities(posed);
        }
        holds
    }

    /// The residual of the laws when nothing moves, with the velocities of the rows then.
    fn residual_at_rest(&mut self, frozen: &Frozen, posed: &mut Posing) -> f64 {
        posed.compute_diagonal();
        Rest::velocities(&posed.contact, &frozen.free, &mut self.xi);
        let diagonal = |group: usize| posed.diagonal[group];
        posed.contact.residual_of(&self.impulses, &self.xi, diagonal).max()
    }

    /// Eq. (1): what impulses add to the velocity without them, and eq. (2).
    pub fn velocities(&mut self, posed: &Posing) {
        posed.contact.velocities(&self.impulses, &mut self.scratch, &mut self.velocity_change, &mut self.xi);
    }
}

impl Solution<'_> {
    /// Eq. (1): the velocity at the end of the step.
    pub fn velocity(&mut self, out: &mut Vec<f64>) {
        self.found.velocities(self.problem.posed);
        out.clear();
        out.extend(self.problem.frozen.free.iter().zip(&self.found.velocity_change).map(|(a, b)| a + b));
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if self.problem.posed.contact.is_empty() {
            return;
        }
        let (left, free) = (largest(out), largest(&self.problem.frozen.free));
        if left <= NEAR_REST * free && free > 0.0 && self.found.comes_to_rest(&mut self.problem) {
            out.fill(0.0);
        }
    }

    /// Moves by the solution: the state at the end of a step that takes its velocity at the end throughout.
    pub fn advance(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        out.dt = time.dt;
        out.state.t = time.end;
        self.velocity(&mut out.state.u);
        out.state.q.clone_from(&from.q);
        let led = self.problem.frozen.led(&out.state.u, &mut self.found.scratch);
        system.displace(&mut out.state.q, led, time.dt);
        system.follow(from, &mut out.state);
        if out.state.is_finite() { Ok(()) } else { Err(StepError::NotFinite { t: from.t }) }
    }

    /// The impulses of a group's rows, true to size.
    pub fn impulse(&self, group: usize) -> [f64; MAX_ROWS] {
        let rows = self.problem.posed.contact.groups[group].rows();
        physical(&self.problem.constraint(group).law, self.problem.posed.cone, &self.found.impulses[rows])
    }

    /// The constraints that took part, with their impulses.
    pub fn impulses(&self) -> impl Iterator<Item = (&Constraint, [f64; MAX_ROWS])> {
        let groups = 0..self.problem.posed.selected.len();
        groups.map(|group| (self.problem.constraint(group), self.impulse(group)))
    }

    /// The difference of two velocities relative to those of the step, in the metric of the mass matrix.
    pub fn relative_change(&mut self, u: &[f64], v: &[f64], start: &[f64]) -> f64 {
        let scratch = &mut self.found.scratch;
        scratch.clear();
        scratch.extend(u.iter().zip(v).map(|(u, v)| u - v));
        let (mass, free) = (&self.problem.frozen.at.mass, &self.problem.frozen.free);
        let scale = mass.half_square(u).max(mass.half_square(start)).max(mass.half_square(free));
        if scale > 0.0 { (mass.half_square(scratch) / scale).sqrt() } else { 0.0 }
    }

    /// True when forces answer the motion, and the velocity of a state moves nothing by more than rounding beside
    /// another: what rests on a stiff spring has no other velocities to compare with.
    pub fn hardly_moves(&self, at: &State, v: &[f64]) -> bool {
        let size = at.q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        let moves = at.u.iter().zip(v).fold(0.0, |m: f64, (u, v)| m.max((u - v).abs())) * self.problem.dt;
        self.problem.frozen.soft.acts && moves <= 4.0 * f64::EPSILON * size
    }

    /// Lets the next solution start from this one.
    pub fn remember(&self, warm: &mut Warm) {
        warm.ids.clear();
        warm.forces.clear();
        for (c, impulse) in self.impulses() {
            warm.ids.push(c.id);
            warm.forces.push(impulse.map(|x| x / self.problem.dt));
        }
    }
}
