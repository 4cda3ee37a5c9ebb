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
//! Stewart–Trinkle, restitution times the velocity before for Moreau.

mod layering;
mod outcome;
mod scale;

use super::layers::Layers;
use super::project::{Contacts, Projection};
use super::surface::{Scaling, associate, physical, problem_law};
use super::varying::Varying;
use super::{Cone, StepError, TimeStep};
use crate::certificate::{Blame, Certificate};
use crate::state::State;
use crate::step::{Mode, Step, Warm};
use crate::system::{Constraint, Law, Snapshot, System};
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{self as laws, MAX_ROWS};
use complementarity::problem::operator::Operator;
use complementarity::solver::{ContactSolverConfig, Report, Solver};
use scale::speed;

/// Slip slower than this, relative to the free motion's contact speed, is called sticking.
pub(super) const STICKING: f64 = 1e-9;

/// The contact problem of a step and the memory to build, solve and judge it.
pub struct Assembly {
    pub(super) cone: Cone,
    /// Friction is associated (`convex.rs`).
    pub(super) associated: bool,
    pub(super) solver: Box<dyn Solver<ContactProblem>>,
    /// The solver's.
    pub(super) tolerance: f64,
    /// The frozen configuration.
    pub(super) frozen: Snapshot,
    /// The configuration at the end of the step.
    pub(super) end: Snapshot,
    /// The state `end` belongs to, and whether that is the state frozen now.
    end_state: State,
    seen: bool,
    end_look: f64,
    pub(super) problem: ContactProblem,
    /// Constraints of the frozen configuration that take part.
    pub(super) selected: Vec<usize>,
    /// Velocity without impulses, eq. (1).
    pub(super) free: Vec<f64>,
    /// Those of the problem, whose rows may be scaled (`surface.rs`).
    pub(super) impulses: Vec<f64>,
    /// Velocities before the step, per row.
    pub(super) before: Vec<f64>,
    pub(super) diagonal: Vec<[f64; MAX_ROWS]>,
    pub(super) scratch: Vec<f64>,
    pub(super) velocity_change: Vec<f64>,
    pub(super) xi: Vec<f64>,
    pub(super) warm: Warm,
    pub(super) varying: Vec<Varying>,
    projection: Projection,
    /// Contacts with a layer; none unless the stepper looks for them.
    pub(super) layers: Layers,
}

impl Assembly {
    /// An assembly for a friction cone and a solver.
    pub fn new(cone: Cone, solver: ContactSolverConfig) -> Self {
        let mut problem = ContactProblem::default();
        match cone {
            Cone::Polygon { directions, angle } => {
                laws::polygon_directions(directions, angle, &mut problem.directions);
            }
            Cone::Box => problem.directions.extend([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]),
            Cone::Exact | Cone::Ellipsoid => {}
        }
        Self {
            cone,
            associated: false,
            solver: solver.build(),
            tolerance: solver.tolerance,
            frozen: Snapshot::default(),
            end: Snapshot::default(),
            end_state: State::default(),
            seen: false,
            end_look: 0.0,
            problem,
            selected: Vec::new(),
            free: Vec::new(),
            impulses: Vec::new(),
            before: Vec::new(),
            diagonal: Vec::new(),
            scratch: Vec::new(),
            velocity_change: Vec::new(),
            xi: Vec::new(),
            warm: Warm::default(),
            varying: Vec::new(),
            projection: Projection::default(),
            layers: Layers::default(),
        }
    }

    /// The same with associated friction.
    pub(super) fn associated(mut self) -> Self {
        self.associated = true;
        self
    }

    /// The problem of the last step.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// Impulses of the last step.
    pub fn warm(&self) -> &Warm {
        &self.warm
    }

    /// Continues from the impulses given.
    pub fn set_warm(&mut self, warm: Warm) {
        self.warm = warm;
    }

    /// Freezes mass and forces at a state: those of the last step's end when that is the state.
    pub(super) fn freeze_dynamics(&mut self, system: &dyn System, at: &State) {
        self.seen = system.is_autonomous() && self.end_state == *at;
        if self.seen {
            std::mem::swap(&mut self.frozen, &mut self.end);
        } else {
            system.dynamics(at, &mut self.frozen);
        }
        self.end_state.t = f64::NAN;
    }

    /// Freezes the constraints within `reach` at the state whose dynamics were frozen. Looks as far as the end of the
    /// last step was looked at, if that is enough: then what was seen there serves again, and a run that goes on from a
    /// checkpoint, which has not seen it, looks in the same way.
    pub(super) fn freeze_constraints(&mut self, system: &dyn System, at: &State, reach: f64) {
        let enough = self.warm.look >= reach;
        if !(enough && self.seen) {
            system.constraints(at, if enough { self.warm.look } else { reach }, &mut self.frozen);
        }
        self.seen = false;
        self.frozen.constraints.retain(|c| !matches!(c.law, Law::Contact { .. }) || c.gap[0] <= reach);
    }

    /// Lets the gaps of contacts bend as in the last step (`pairs.rs`); both lists are ordered by id.
    pub(super) fn bend_as_before(&mut self, dt: f64) {
        let mut k = 0;
        for c in &mut self.frozen.constraints {
            while k < self.warm.bends.len() && self.warm.bends[k].0 < c.id {
                k += 1;
            }
            let known = self.warm.bends.get(k).filter(|(id, _)| *id == c.id);
            c.bend = known.map_or(0.0, |(_, beta)| beta * dt * dt);
        }
    }

    /// Takes all bends out. False when there are none.
    pub(super) fn straighten(&mut self) -> bool {
        let bent = self.frozen.constraints.iter().any(|c| c.bend != 0.0);
        self.frozen.constraints.iter_mut().for_each(|c| c.bend = 0.0);
        bent
    }

    /// Eq. (1): the velocity without impulses.
    pub(super) fn free_velocity(&mut self, u: &[f64], dt: f64) {
        self.scratch.clear();
        self.scratch.extend(self.frozen.force.iter().zip(&self.frozen.applied).map(|(f, a)| dt * (f + a)));
        self.free.clear();
        self.free.extend_from_slice(u);
        self.frozen.inverse_mass.add_product(0, &self.scratch, &mut self.free);
    }

    /// Builds and solves the problem of the constraints that `takes_part` names. `shift(constraint, row velocities
    /// before, row)` is the shift of eq. (2).
    pub(super) fn solve(
        &mut self,
        u: &[f64],
        dt: f64,
        takes_part: impl Fn(&Constraint) -> bool,
        shift: impl Fn(&Constraint, f64, usize) -> f64,
    ) -> Report {
        self.select(takes_part, dt);
        let problem = &mut self.problem;
        problem.q.clear();
        problem.scale = 0.0;
        self.before.clear();
        for &i in &self.selected {
            let c = &self.frozen.constraints[i];
            let rows = c.law.rows();
            let parts = c.first_part..c.end_part;
            let (mut before, mut free) = (c.drift, c.drift);
            self.frozen.jacobian.add_velocity(parts.clone(), u, &mut before[..rows]);
            self.frozen.jacobian.add_velocity(parts, &self.free, &mut free[..rows]);
            let layer = self.layers.of(i).map(|e| e.compliance(dt).2);
            let give = |r: usize| layer.filter(|_| r < 3).map_or(0.0, |l| l[r]);
            let first = problem.q.len();
            problem.q.extend((0..rows).map(|r| free[r] + shift(c, before[r], r) + give(r)));
            if let Some(scaling) = Scaling::of(&c.law, self.cone) {
                scaling.rows(&mut free[..rows], 1);
                scaling.rows(&mut problem.q[first..], 1);
            }
            let rows_of = (&free[..rows], &problem.q[first..]);
            problem.scale = problem.scale.max(speed(&self.frozen, c, rows_of, (u, dt), &mut self.scratch));
            self.before.extend_from_slice(&before[..rows]);
        }
        self.scale_by_supports();
        self.start_from_warm(dt);
        if self.problem.is_empty() {
            return Report { status: complementarity::solver::Status::Solved, iterations: 0, residual: 0.0 };
        }
        self.start_friction();
        let report = self.solver.solve(&self.problem, &mut self.impulses);
        self.settle_friction(report)
    }

    /// Lists the constraints that take part and copies their rows into the problem.
    pub(super) fn select(&mut self, takes_part: impl Fn(&Constraint) -> bool, dt: f64) {
        let Self { frozen, problem, selected, cone, layers, associated, .. } = self;
        selected.clear();
        problem.groups.clear();
        let Operator::Factored { inverse_mass, jacobian } = &mut problem.operator else { return };
        inverse_mass.copy_from(&frozen.inverse_mass);
        jacobian.clear();
        let mut first_row = 0;
        for (i, c) in frozen.constraints.iter().enumerate() {
            if !takes_part(c) {
                continue;
            }
            selected.push(i);
            let rows = c.law.rows();
            let first_part = jacobian.parts.len();
            for part in &frozen.jacobian.parts[c.first_part..c.end_part] {
                let values = &frozen.jacobian.values[part.at..part.at + rows * part.width];
                jacobian.push(part.start, part.width, values);
            }
            if let Some(layer) = layers.of(i) {
                layer.push(dt, rows, inverse_mass, jacobian);
            }
            if let Some(scaling) = Scaling::of(&c.law, *cone) {
                for part in &jacobian.parts[first_part..] {
                    let (from, n) = (part.at, rows * part.width);
                    scaling.rows(&mut jacobian.values[from..from + n], part.width);
                }
            }
            let law = problem_law(c.law, *cone, dt);
            let law = if *associated { associate(law) } else { law };
            problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
            first_row += rows;
        }
    }

    /// Starts from the forces of the last step where the same constraint was there; both lists are ordered by id.
    pub(super) fn start_from_warm(&mut self, dt: f64) {
        self.impulses.clear();
        let mut k = 0;
        for &i in &self.selected {
            let c = &self.frozen.constraints[i];
            while k < self.warm.ids.len() && self.warm.ids[k] < c.id {
                k += 1;
            }
            let known = k < self.warm.ids.len() && self.warm.ids[k] == c.id;
            let first = self.impulses.len();
            for r in 0..c.law.rows() {
                self.impulses.push(if known { self.warm.forces[k][r] * dt } else { 0.0 });
            }
            if let Some(scaling) = Scaling::of(&c.law, self.cone) {
                scaling.scaled_impulses(&mut self.impulses[first..]);
            }
        }
    }

    /// Eq. (1): the velocity at the end of the step.
    pub(super) fn end_velocity(&mut self, out: &mut Vec<f64>) {
        self.problem.velocities(&self.impulses, &mut self.scratch, &mut self.velocity_change, &mut self.xi);
        out.clear();
        out.extend(self.free.iter().zip(&self.velocity_change).map(|(a, b)| a + b));
    }

    /// Moves by the solution: the state at the end of a step that takes its velocity at the end throughout.
    pub(super) fn advance(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        out.dt = time.dt;
        out.state.t = time.end;
        self.end_velocity(&mut out.state.u);
        out.state.q.clone_from(&from.q);
        system.displace(&mut out.state.q, &out.state.u, time.dt);
        system.follow(from, &mut out.state);
        if out.state.is_finite() { Ok(()) } else { Err(StepError::NotFinite { t: from.t }) }
    }

    /// The constraints that took part, with the impulses of their rows.
    pub(super) fn impulses(&self) -> impl Iterator<Item = (&Constraint, &[f64])> {
        let parts = self.selected.iter().zip(&self.problem.groups);
        parts.map(|(&i, group)| (&self.frozen.constraints[i], &self.impulses[group.rows()]))
    }

    /// The difference of two velocities relative to those of the step, in the metric of the mass matrix.
    pub(super) fn relative_change(&mut self, u: &[f64], v: &[f64], start: &[f64]) -> f64 {
        self.scratch.clear();
        self.scratch.extend(u.iter().zip(v).map(|(u, v)| u - v));
        let mass = &self.frozen.mass;
        let scale = mass.half_square(u).max(mass.half_square(start)).max(mass.half_square(&self.free));
        if scale > 0.0 { (mass.half_square(&self.scratch) / scale).sqrt() } else { 0.0 }
    }

    /// Lets the next solution start from this one.
    pub(super) fn remember(&mut self, dt: f64) {
        self.warm.ids.clear();
        self.warm.forces.clear();
        for (&i, group) in self.selected.iter().zip(&self.problem.groups) {
            let c = &self.frozen.constraints[i];
            let impulse = physical(&c.law, self.cone, &self.impulses[group.rows()]);
            self.warm.ids.push(c.id);
            self.warm.forces.push(impulse.map(|x| x / dt));
        }
    }

    /// Takes a velocity for that before the step, where the problem was built around another.
    pub(super) fn compare_with(&mut self, u: &[f64]) {
        self.before.clear();
        for &i in &self.selected {
            let c = &self.frozen.constraints[i];
            let (rows, mut before) = (c.law.rows(), c.drift);
            self.frozen.jacobian.add_velocity(c.first_part..c.end_part, u, &mut before[..rows]);
            self.before.extend_from_slice(&before[..rows]);
        }
    }

    /// Moves positions back onto the joints they drifted off, not into contacts. The energy that takes is the
    /// discretisation's.
    pub(super) fn keep_joints(&mut self, system: &dyn System, state: &mut State, contacts: Contacts) {
        if system.has_joints() {
            self.projection.apply(system, &self.frozen, state, contacts);
        }
    }

    /// True when a contact overlaps at the end of the step that did not take part in it. Needs [`judge_end`].
    ///
    /// [`judge_end`]: Self::judge_end
    pub(super) fn overlooked_a_contact(&self) -> bool {
        let mut k = 0;
        let mine = &self.frozen.constraints;
        self.end.constraints.iter().filter(|c| matches!(c.law, Law::Contact { .. }) && c.gap[0] < 0.0).any(
            |c| {
                while k < self.selected.len() && mine[self.selected[k]].id < c.id {
                    k += 1;
                }
                k == self.selected.len() || mine[self.selected[k]].id != c.id
            },
        )
    }

    /// Looks at the end configuration: energies, penetration and joint errors. The next step may use this look when
    /// it needs contacts no farther away than `reach`.
    pub(super) fn judge_end(&mut self, system: &dyn System, reach: f64, out: &mut Step) {
        system.dynamics(&out.state, &mut self.end);
        system.constraints(&out.state, reach, &mut self.end);
        self.end_state.copy_from(&out.state);
        self.end_look = reach;
        out.kinetic = self.end.mass.half_square(&out.state.u);
        out.potential = self.end.potential;
        out.certificate = Certificate::default();
        out.blame = Blame::default();
        for c in &self.end.constraints {
            match c.law {
                Law::Contact { .. } => {
                    // a layer gives way as far as its core
                    let depth = if self.layers.entries.is_empty() { None } else { system.layer(c.id) };
                    let overlap = -c.gap[0] - depth.map_or(0.0, |l| l.depth);
                    if overlap > out.certificate.penetration {
                        out.certificate.penetration = overlap;
                        out.blame.penetration = Some(c.id);
                    }
                }
                Law::Bilateral { rows } => {
                    let error = c.gap[..rows].iter().fold(0.0, |m: f64, g| m.max(g.abs()));
                    if error > out.certificate.joint {
                        out.certificate.joint = error;
                        out.blame.joint = Some(c.id);
                    }
                }
                Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } | Law::Servo { .. } => {}
            }
        }
    }

    /// Fills everything else: law residuals, work, outcomes; keeps the forces for the next step.
    pub(super) fn finish(&mut self, u: &[f64], report: Report, out: &mut Step) {
        self.compute_diagonal();
        let residual = self.problem.residual_of(&self.impulses, &self.xi, |c| self.diagonal[c]);
        // a joint's velocity law is an equation: it is judged with the other laws
        let (contact, joint) = (residual.complementarity, residual.bilateral);
        let broken = contact.is_nan() || joint.is_nan();
        out.certificate.complementarity = if broken { f64::NAN } else { contact.max(joint) };
        out.certificate.cone = residual.cone;
        out.certificate.dissipation = residual.dissipation;
        out.blame.law = residual.worst_group.map(|g| self.frozen.constraints[self.selected[g]].id);
        out.report = report;
        self.account(u, out);
        self.write_outcomes(out);
        self.warm.look = self.end_look;
        self.warm.ids.clear();
        self.warm.forces.clear();
        self.warm.slips.clear();
        for o in out.outcomes.iter().filter(|o| o.impulse != [0.0; MAX_ROWS]) {
            self.warm.ids.push(o.constraint.id);
            self.warm.forces.push(o.impulse.map(|x| x / out.dt));
            self.warm.slips.push((o.constraint.id, o.mode == Mode::Slip));
        }
        self.warm.bends.clear();
        self.warm.bends.reserve(out.outcomes.len());
        let bent = out.outcomes.iter().filter(|o| o.impulse[0] > 0.0 && o.constraint.bend < 0.0);
        self.warm.bends.extend(bent.map(|o| (o.constraint.id, o.constraint.bend / (out.dt * out.dt))));
    }

    pub(super) fn compute_diagonal(&mut self) {
        self.diagonal.clear();
        let Operator::Factored { inverse_mass, jacobian } = &self.problem.operator else { return };
        for group in &self.problem.groups {
            let mut diagonal = [0.0; MAX_ROWS];
            for part in &jacobian.parts[group.parts()] {
                for (r, d) in diagonal[..group.law.rows()].iter_mut().enumerate() {
                    let row = &jacobian.values[part.at + r * part.width..part.at + (r + 1) * part.width];
                    self.scratch.clear();
                    self.scratch.resize(part.width, 0.0);
                    inverse_mass.add_product(part.start, row, &mut self.scratch);
                    *d += complementarity::dense::dot(row, &self.scratch);
                }
            }
            self.diagonal.push(diagonal);
        }
    }
}
