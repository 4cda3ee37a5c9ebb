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

use super::layers::{Layered, Layers};
use super::project::{Contacts, Projection};
use super::surface::{Scaling, physical, problem_law};
use super::varying::Varying;
use super::{Cone, StepError, TimeStep};
use crate::certificate::{Blame, Certificate};
use crate::energy::StepWork;
use crate::state::State;
use crate::step::{Mode, Outcome, Step, Warm};
use crate::system::{Constraint, Law, Snapshot, System};
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{self as laws, MAX_ROWS};
use complementarity::problem::operator::Operator;
use complementarity::solver::{ContactSolverConfig, Report, Solver};

/// Slip slower than this, relative to the free motion's contact speed, is called sticking.
pub(super) const STICKING: f64 = 1e-9;

/// Row velocities of joints are differences; below this part of what they are differences of, their rounding would be
/// judged. A tolerance of 1e-8 then stands for 45 units in the last place.
const CANCELLATION: f64 = 1e-6;

/// The contact problem of a step and the memory to build, solve and judge it.
pub struct Assembly {
    pub(super) cone: Cone,
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

    /// The weight on a support is no force in the plane, but a speed per step all the same: without it a body at rest on
    /// its supports would be judged by rounding. Counts what friction there can change in a step.
    fn scale_by_supports(&mut self) {
        if !self.problem.groups.iter().any(|g| g.law.dry_block().is_some()) {
            return;
        }
        self.compute_diagonal();
        let most = self.supports_speed();
        self.problem.scale = self.problem.scale.max(most);
    }

    /// The largest speed that friction at a support can change in a step. Needs the diagonal.
    pub(super) fn supports_speed(&self) -> f64 {
        let groups = self.problem.groups.iter().zip(&self.diagonal);
        let speed = |block: laws::Block, diagonal| block.friction * block.largest(diagonal);
        groups.filter_map(|(g, d)| Some(speed(g.law.dry_block()?, d))).fold(0.0, f64::max)
    }

    /// Lists the constraints that take part and copies their rows into the problem.
    pub(super) fn select(&mut self, takes_part: impl Fn(&Constraint) -> bool, dt: f64) {
        let Self { frozen, problem, selected, cone, layers, .. } = self;
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

    /// The contacts that took part, with their normal impulses.
    pub(super) fn impulses_of_contacts(&self) -> impl Iterator<Item = (&Constraint, f64)> {
        let all = self.selected.iter().zip(&self.problem.groups);
        let of =
            |(&i, group): (&usize, &Group)| (&self.frozen.constraints[i], self.impulses[group.first_row]);
        all.map(of).filter(|(c, _)| matches!(c.law, Law::Contact { .. }))
    }

    /// Finds the contacts with a layer.
    pub(super) fn look_at_layers(&mut self, system: &dyn System) {
        self.layers.look(system, &self.frozen.constraints, &self.warm);
    }

    /// Keeps the deflections for the next step and returns the energy they store, J.
    pub(super) fn keep_layers(&mut self, system: &dyn System) -> f64 {
        self.layers.keep(system, &self.frozen.constraints, &mut self.warm);
        self.layers.entries.iter().map(Layered::energy).sum()
    }

    /// The worst violation of a core, like the other laws as a speed relative to the problem's. Needs `finish`.
    pub(super) fn layer_violation(&self, dt: f64) -> f64 {
        let worst = self.layers.entries.iter().map(|e| {
            let (beyond, pull) = e.violation();
            let diagonal = self.selected.binary_search(&e.constraint).map_or(0.0, |g| self.diagonal[g][0]);
            (beyond / dt).max(pull * diagonal)
        });
        let worst = worst.fold(0.0, f64::max);
        if worst > 0.0 { worst / self.problem.scale } else { 0.0 }
    }

    /// Tells the layers the impulses found. Returns true when contacts went onto their core or left it.
    pub(super) fn press_layers(&mut self, dt: f64) -> bool {
        let Self { layers, frozen, selected, problem, impulses, cone, .. } = self;
        layers.take(&frozen.constraints, dt, |i| {
            let Ok(g) = selected.binary_search(&i) else { return [0.0; 3] };
            let p = physical(&frozen.constraints[i].law, *cone, &impulses[problem.groups[g].rows()]);
            [p[0], p[1], p[2]]
        })
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

    /// The work of the step, `energy.rs` eq. (1). Drives and moving surfaces put in what their drift does.
    fn account(&self, u: &[f64], out: &mut Step) {
        let end = &out.state.u;
        let mut work = StepWork::default();
        for i in 0..u.len() {
            let mean = 0.5 * (u[i] + end[i]);
            let (conservative, applied) = (self.frozen.force[i] * mean, self.frozen.applied[i] * mean);
            work.conservative += out.dt * conservative;
            work.applied += out.dt * applied;
            work.turnover += out.dt * (conservative.abs() + applied.abs());
        }
        for (g, group) in self.problem.groups.iter().enumerate() {
            let c = &self.frozen.constraints[self.selected[g]];
            let mut mean = c.drift;
            let parts = c.first_part..c.end_part;
            self.frozen.jacobian.add_velocity(parts, end, &mut mean[..c.law.rows()]);
            let impulse = physical(&c.law, self.cone, &self.impulses[group.rows()]);
            if let Some(layer) = self.layers.of(self.selected[g]) {
                self.account_layer(layer, (group, c), (&impulse, &mean), (out.dt, &mut work));
                continue;
            }
            for (r, row) in group.rows().enumerate() {
                let lambda = impulse[r];
                let power = lambda * 0.5 * (mean[r] + self.before[row]);
                work.applied -= lambda * c.drift[r];
                work.turnover += power.abs() + (lambda * c.drift[r]).abs();
                match c.law {
                    Law::Contact { .. } | Law::Limit if r == 0 => work.normal += power,
                    Law::Contact { .. } | Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } => {
                        work.friction += power
                    }
                    Law::Bilateral { .. } => work.joints += power,
                    // all that a motor does is put in; its target's motion is in `drift`
                    Law::Servo { .. } => work.applied += power,
                }
            }
        }
        work.kinetic_change = self.frozen.mass.half_square(end) - self.frozen.mass.half_square(u);
        out.work = work;
    }

    /// The work of a layered contact: what its damper, its core and slip take, and the rest, which its spring stores but
    /// for the discretisation.
    fn account_layer(
        &self,
        layer: &Layered,
        (group, c): (&Group, &Constraint),
        (impulse, end): (&[f64; MAX_ROWS], &[f64; MAX_ROWS]),
        (dt, work): (f64, &mut StepWork),
    ) {
        let (mut total, mut slip) = (0.0, 0.0);
        for (r, row) in group.rows().enumerate() {
            let lambda = impulse[r];
            let power = lambda * 0.5 * (end[r] + self.before[row]);
            total += power;
            work.applied -= lambda * c.drift[r];
            work.turnover += power.abs() + (lambda * c.drift[r]).abs();
            // scaled or not, the product is the same
            slip += if r > 0 { self.impulses[row] * self.xi[row] } else { 0.0 };
        }
        let first = group.rows().start;
        let taken = layer.core() * 0.5 * (end[0] + self.before[first]) - layer.damped(dt);
        work.normal += taken;
        work.friction += slip;
        work.conservative += total - taken - slip;
        work.turnover += taken.abs() + slip.abs();
    }

    fn write_outcomes(&self, out: &mut Step) {
        out.outcomes.clear();
        let sticking = STICKING * self.problem.scale;
        let (mut g, mut k) = (0, 0);
        for (i, c) in self.frozen.constraints.iter().enumerate() {
            let mut outcome = Outcome {
                constraint: *c,
                gap: c.gap[0],
                impulse: [0.0; MAX_ROWS],
                velocity: c.drift,
                velocity_before: [0.0; MAX_ROWS],
                mode: Mode::Open,
            };
            let rows = c.law.rows();
            let parts = c.first_part..c.end_part;
            self.frozen.jacobian.add_velocity(parts, &out.state.u, &mut outcome.velocity[..rows]);
            if g < self.selected.len() && self.selected[g] == i {
                let range = self.problem.groups[g].rows();
                outcome.impulse = physical(&c.law, self.cone, &self.impulses[range.clone()]);
                outcome.velocity_before[..rows].copy_from_slice(&self.before[range]);
                outcome.mode = mode(c.law, &outcome, sticking);
                g += 1;
            }
            // the gap at the end: from the geometry there, or by its rate where the end does not list it
            while k < self.end.constraints.len() && self.end.constraints[k].id < c.id {
                k += 1;
            }
            let listed = k < self.end.constraints.len() && self.end.constraints[k].id == c.id;
            outcome.gap =
                if listed { self.end.constraints[k].gap[0] } else { c.gap[0] + out.dt * outcome.velocity[0] };
            out.outcomes.push(outcome);
        }
    }
}

/// The speed that residuals of a constraint are compared with: that of the free motion, of an overlap to be undone within
/// the step, and of what rounding leaves of a joint that turns steadily.
fn speed(
    at: &Snapshot,
    c: &Constraint,
    (free, q): (&[f64], &[f64]),
    (u, dt): (&[f64], f64),
    scratch: &mut Vec<f64>,
) -> f64 {
    if matches!(c.law, Law::Contact { .. }) {
        return free.iter().fold(-q[0], |m, x| m.max(x.abs()));
    }
    let mut most = 0.0f64;
    for r in 0..q.len() {
        let undo = match c.law {
            // a motor far from its target asks for more than its force can do: what it can do counts
            Law::Servo { bound } => {
                let reachable = bound * dt * diagonal(at, c, r, scratch);
                q[r].abs().min(free[r].abs() + reachable)
            }
            _ if r == 0 => -q[r],
            _ => 0.0,
        };
        let size = c.drift[r].abs() + row_size(at, c, r, u);
        most = most.max(free[r].abs()).max(undo).max(CANCELLATION * size);
    }
    most
}

/// Sum of the sizes of what makes up one row velocity.
fn row_size(at: &Snapshot, c: &Constraint, row: usize, u: &[f64]) -> f64 {
    let mut sum = 0.0;
    for part in &at.jacobian.parts[c.first_part..c.end_part] {
        let values = &at.jacobian.values[part.at + row * part.width..part.at + (row + 1) * part.width];
        sum += values.iter().zip(&u[part.start..]).map(|(w, u)| (w * u).abs()).sum::<f64>();
    }
    sum
}

/// One diagonal entry of W^T M^-1 W.
fn diagonal(at: &Snapshot, c: &Constraint, row: usize, scratch: &mut Vec<f64>) -> f64 {
    let mut sum = 0.0;
    for part in &at.jacobian.parts[c.first_part..c.end_part] {
        let values = &at.jacobian.values[part.at + row * part.width..part.at + (row + 1) * part.width];
        scratch.clear();
        scratch.resize(part.width, 0.0);
        at.inverse_mass.add_product(part.start, values, scratch);
        sum += complementarity::dense::dot(values, scratch);
    }
    sum
}

fn mode(law: Law, outcome: &Outcome, sticking: f64) -> Mode {
    let v = &outcome.velocity;
    let slip = match law {
        Law::Contact { .. } | Law::Limit if outcome.impulse[0] <= 0.0 => return Mode::Open,
        Law::Contact { tangents: 1, .. } => v[1].abs(),
        Law::Contact { .. } => v[1].hypot(v[2]),
        Law::Dry { .. } | Law::Servo { .. } => v[0].abs(),
        Law::DryDisc { .. } => v[0].hypot(v[1]),
        Law::Bilateral { .. } | Law::Limit => 0.0,
    };
    if slip > sticking { Mode::Slip } else { Mode::Stick }
}
