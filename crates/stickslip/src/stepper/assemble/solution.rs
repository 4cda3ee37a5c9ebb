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
use complementarity::problem::subset::Subset;
use complementarity::solver::rest::{Rest, Start};
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
    /// What is not at rest, if some of it is: the groups, their problem and their impulses.
    moving: Vec<bool>,
    subset: Subset,
    own: Vec<f64>,
}

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
            moving: Vec::new(),
            subset: Subset::default(),
            own: Vec::new(),
        }
    }

    /// Solves a problem, starting from the forces of the last step: where they keep at rest what is, they are the
    /// answer.
    pub fn solve<'a>(&'a mut self, mut problem: Problem<'a>, warm: &Warm) -> Solution<'a> {
        self.start_from(warm, &problem);
        let report = if problem.posed.contact.is_empty() {
            Report { status: Status::Solved, iterations: 0, residual: 0.0 }
        } else {
            self.start_friction(&mut problem, warm);
            self.find_rest(&mut problem);
            let report = self.solve_moving(problem.posed);
            self.settle_friction(problem.posed, report)
        };
        Solution { problem, found: self, report }
    }

    /// Solves the problem of what is not at rest.
    fn solve_moving(&mut self, posed: &Posing) -> Report {
        let contact = &posed.contact;
        if !self.rest.any_rests() {
            return self.solver.solve(contact, &mut self.impulses);
        }
        self.moving.clear();
        self.moving.extend(contact.groups.iter().map(|group| !self.rest.rests(contact, group)));
        if !self.moving.contains(&true) {
            return Report { status: Status::Solved, iterations: 0, residual: 0.0 };
        }
        self.subset.take(contact, &self.moving);
        self.subset.gather(contact, &self.impulses, &mut self.own);
        let report = self.solver.solve(&self.subset.problem, &mut self.own);
        for (group, &c) in self.subset.problem.groups.iter().zip(&self.subset.groups) {
            self.impulses[contact.groups[c].rows()].copy_from_slice(&self.own[group.rows()]);
        }
        report
    }

    /// What the forces of the last step would do, without a look at the laws.
    pub fn foresee<'a>(&'a mut self, problem: Problem<'a>, warm: &Warm) -> Solution<'a> {
        self.start_from(warm, &problem);
        self.rest.begin(&problem.posed.contact);
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

    /// Finds what was at rest before the step and stays so under the forces of the last one.
    fn find_rest(&mut self, problem: &mut Problem) {
        let Problem { frozen, posed, .. } = problem;
        self.rest.begin(&posed.contact);
        let start = Start { problem: &posed.contact, free: &frozen.free, residual: self.enough };
        let may = |group: usize| self.varying.is_empty() && is_undriven(frozen, posed, group);
        if self.rest.stays(start, &frozen.before, &self.impulses, may) {
            posed.compute_diagonal();
            let start = Start { problem: &posed.contact, free: &frozen.free, residual: self.enough };
            self.rest.confirm(start, &mut self.impulses, &posed.diagonal);
        }
    }

    /// Moves impulses of a solution that hardly moves anything to where nothing moves, if the laws hold there. `u` is
    /// the velocity that they lead to.
    fn come_to_rest(&mut self, problem: &mut Problem, u: &mut [f64]) {
        let Problem { frozen, posed, .. } = problem;
        let start = Start { problem: &posed.contact, free: &frozen.free, residual: self.enough };
        let may = |group: usize| self.varying.is_empty() && is_undriven(frozen, posed, group);
        if self.rest.settle(start, u, &mut self.impulses, may) {
            posed.compute_diagonal();
            let start = Start { problem: &posed.contact, free: &frozen.free, residual: self.enough };
            self.rest.confirm(start, &mut self.impulses, &posed.diagonal);
        }
        if self.rest.any_rests() {
            self.rest.stop(
                Start { problem: &posed.contact, free: &frozen.free, residual: self.enough },
                u,
                &mut self.xi,
            );
        }
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
        if !self.problem.posed.contact.is_empty() {
            self.found.come_to_rest(&mut self.problem, out);
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

/// True for a constraint that no drive moves.
fn is_undriven(frozen: &Frozen, posed: &Posing, group: usize) -> bool {
    frozen.at.constraints[posed.selected[group]].drift == [0.0; MAX_ROWS]
}
