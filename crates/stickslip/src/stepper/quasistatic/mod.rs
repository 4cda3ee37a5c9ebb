//! Quasistatic motion [Berard 2009, §3.4]: forces balance at every step, and nothing has inertia.
//!
//! ```text
//! 0 = dt f(u) + W lambda                                                                (1) = [eq. 3.29]
//! 0 <= lambda_n ⟂ gap / dt + W_n^T u >= 0                                               (2) = [eq. 3.37]
//! lambda_t dissipates the most in mu lambda_n F, at the slip velocity W_t^T u + drift   (3) = [eq. 3.38–3.40]
//! q' = q ⊕ dt u                                                                         (4) = [eq. 3.36]
//! ```
//!
//! W is taken at the coordinates of the start, with everything driven where it is at the end: gap contains what drives do
//! within the step. f are the forces at the end of the step (`forces.rs`), u is the displacement per time and no state:
//! what it was before does not matter. With the exact cone this is Model-DQC, with polyhedral ones Model-DLC. Joints hold
//! as `gap / dt + W^T u = 0`. First order in time; where gaps are linear in q, the new gaps are exact.
//!
//! There is no mass to write (1)–(3) as a contact problem with. They are solved by the proximal-point method: with the
//! mass matrix as metric and a weight eps, step k is the contact problem of
//!
//! ```text
//! eps M (u⁺ − u) = dt f(u) − dt B (u⁺ − u) + W lambda⁺,   B = −df/du                    (5)
//! ```
//!
//! whose fixed points are the solutions of (1), for any eps. Each (5) goes to the solver of the run's choice. The error
//! falls by a factor of about c per step when `eps M |u|` is c times the forces at work, so eps is chosen by that; c falls
//! when progress is slow. For polyhedral cones without coupling the method ends after finitely many steps (Ferris 1991).
//! It starts at rest: where the motion is not unique, the answer is the one with the least motion.
//!
//! The certificate is that of (1)–(3), without eps: the residuals of the laws at u itself, `balance` of (1), and whether
//! the motion is unique (`unique.rs`). When no motion balances the forces, as on a slope that is too steep, there is no
//! next state: that is an error and not a motion.

mod forces;
mod freedom;
mod unique;

use super::assemble::Assembly;
use super::project::Contacts;
use super::surface::Scaling;
use super::{StepError, Stepper, TimeStep};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Law, System};
use complementarity::dense::{Dense, Lu, dot};
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law as laws;
use complementarity::problem::operator::{Block, Jacobian, Operator};
use complementarity::solver::{Report, Status};
use forces::{Forces, Span};
use std::ops::Range;
use unique::Uniqueness;

/// How often the search for contacts is widened when one was overlooked or nothing holds a body.
const WIDENINGS: usize = 8;
/// The most steps of kind (5).
const STEPS: usize = 60;
/// Steps without progress before giving up.
const PATIENCE: usize = 6;
/// The balance to reach: rounding of forces that cancel.
const BALANCED: f64 = 1e-14;
/// Where the last digits are not worth a further try.
const ENOUGH: f64 = 1e-11;
/// Forces left over, relative to those at work, beyond which the step has no equilibrium.
const LOST: f64 = 1e-6;
/// The weight c of (5) at the start, and its limits.
const WEIGHT: f64 = 1e-2;
const WEIGHT_LOW: f64 = 1e-6;
const WEIGHT_HIGH: f64 = 1.0;

/// The stepper, with its memory.
pub struct Quasistatic {
    assembly: Assembly,
    forces: Forces,
    uniqueness: Uniqueness,
    /// Coordinates at the start, time at the end.
    look: State,
    /// The velocity u of (5), and the best one so far with its impulses.
    u: Vec<f64>,
    best: Vec<f64>,
    best_impulses: Vec<f64>,
    /// `drift + shift` of every row: its velocity when nothing moves.
    rest: Vec<f64>,
    speeds: Vec<f64>,
    left: Vec<f64>,
    turnover: Vec<f64>,
    /// The rows of the problem and whose they are, in the order of its groups.
    rows: Jacobian,
    parts: Vec<Range<usize>>,
    metric: Dense,
    lu: Lu,
    row: Vec<f64>,
}

/// How well forces balance.
#[derive(Clone, Copy)]
struct Balance {
    /// The largest force left over, relative to the largest at work.
    value: f64,
    /// Where.
    worst: usize,
    /// How much, N s or N m s.
    left: f64,
}

impl Quasistatic {
    /// A stepper on an assembly.
    pub fn new(assembly: Assembly) -> Self {
        Self {
            assembly,
            forces: Forces::default(),
            uniqueness: Uniqueness::default(),
            look: State::default(),
            u: Vec::new(),
            best: Vec::new(),
            best_impulses: Vec::new(),
            rest: Vec::new(),
            speeds: Vec::new(),
            left: Vec::new(),
            turnover: Vec::new(),
            rows: Jacobian::default(),
            parts: Vec::new(),
            metric: Dense::default(),
            lu: Lu::default(),
            row: Vec::new(),
        }
    }

    /// Solves (1)–(3) with the constraints frozen; u is left in `u`.
    fn solve(&mut self, system: &dyn System, span: Span<'_>) -> (Report, Balance) {
        let dt = span.dt;
        self.select(dt);
        self.assembly.start_from_warm(dt);
        self.assembly.compute_diagonal();
        self.fill_rest(dt);
        self.u.clear();
        self.u.resize(span.from.u.len(), 0.0);
        let (moving, pushing) = self.scales(span);
        self.probe_speeds(span, moving);
        self.forces.linearise(system, span, &self.speeds);
        self.best.clone_from(&self.u);
        self.best_impulses.clone_from(&self.assembly.impulses);
        let mut least = f64::INFINITY;
        let mut best = Balance { value: f64::INFINITY, worst: 0, left: f64::NAN };
        let mut report = Report { status: Status::Solved, iterations: 0, residual: 0.0 };
        let (mut weight, mut since_best, mut iterations) = (WEIGHT, 0, 0);
        for _ in 0..STEPS {
            let speed = self.row_speed().max(moving);
            // eps M u against the forces, both as speeds; any eps serves when one of the two is nothing
            let ratio = pushing / speed;
            let eps = weight * if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
            let inner = self.proximal_step(eps, dt);
            iterations += inner.iterations;
            self.forces.evaluate(system, span, &self.u);
            let now = self.balance(dt);
            if now.value.is_nan() {
                break;
            }
            // the laws count as much as the balance
            let error = now.value.max(inner.residual);
            let slow = error > 0.3 * least || error.is_nan();
            since_best = if slow { since_best + 1 } else { 0 };
            if error < least || least.is_infinite() {
                (best, report, least) = (now, inner, error);
                self.best.clone_from(&self.u);
                self.best_impulses.clone_from(&self.assembly.impulses);
            }
            let done = best.value <= BALANCED && (inner.status == Status::Solved || least <= ENOUGH);
            if done || since_best >= PATIENCE || (slow && least <= ENOUGH) {
                break;
            }
            if inner.residual > now.value {
                // too much for the solver: more inertia helps
                weight = (10.0 * weight).min(WEIGHT_HIGH);
            } else if slow {
                weight = (0.1 * weight).max(WEIGHT_LOW);
            }
        }
        self.u.clone_from(&self.best);
        self.assembly.impulses.clone_from(&self.best_impulses);
        self.forces.evaluate(system, span, &self.u);
        (Report { iterations, ..report }, best)
    }

    /// Lists all constraints and keeps the rows that the problem has for them.
    fn select(&mut self, dt: f64) {
        self.assembly.select(|_| true, dt);
        let Operator::Factored { jacobian, .. } = &self.assembly.problem.operator else { return };
        self.rows.parts.clone_from(&jacobian.parts);
        self.rows.values.clone_from(&jacobian.values);
        self.parts.clear();
        self.parts.extend(self.assembly.problem.groups.iter().map(Group::parts));
    }

    /// The velocities that u gives the rows of a group.
    fn velocity(&self, group: usize, u: &[f64]) -> [f64; laws::MAX_ROWS] {
        let mut out = [0.0; laws::MAX_ROWS];
        let n = self.assembly.problem.groups[group].law.rows();
        self.rows.add_velocity(self.parts[group].clone(), u, &mut out[..n]);
        out
    }

    /// The rows' velocities at rest, eq. (2).
    fn fill_rest(&mut self, dt: f64) {
        let a = &self.assembly;
        self.rest.clear();
        for &i in &a.selected {
            let (c, first) = (&a.frozen.constraints[i], self.rest.len());
            self.rest.extend((0..c.law.rows()).map(|row| rest(c, row, dt)));
            if let Some(scaling) = Scaling::of(&c.law, a.cone) {
                scaling.rows(&mut self.rest[first..], 1);
            }
        }
    }

    /// The largest speed that anything asks for, and the largest that the forces would give in a step, per row.
    fn scales(&mut self, span: Span<'_>) -> (f64, f64) {
        let a = &mut self.assembly;
        a.free_velocity(&self.u, span.dt);
        let a = &self.assembly;
        let (mut moving, mut pushing) = (0.0f64, 0.0f64);
        for (g, group) in a.problem.groups.iter().enumerate() {
            let c = &a.frozen.constraints[a.selected[g]];
            let free = self.velocity(g, &a.free);
            for (r, row) in group.rows().enumerate() {
                pushing = pushing.max(free[r].abs());
                let one_sided = r == 0 && matches!(c.law, Law::Contact { .. } | Law::Limit);
                moving = moving.max(if one_sided { -self.rest[row] } else { self.rest[row].abs() });
            }
            if let laws::Law::Dry { bound } = group.law {
                pushing = pushing.max(a.diagonal[g][0] * bound);
            }
        }
        (moving, pushing.max(a.supports_speed()))
    }

    /// Speeds of the size that the step may have, one per coordinate, of equal energy: not less than a thousandth of what
    /// each single force would give, so that differences are not rounding.
    fn probe_speeds(&mut self, span: Span<'_>, moving: f64) {
        let a = &self.assembly;
        let mut energy = a.frozen.mass.half_square(&span.from.u).max(a.frozen.mass.half_square(&a.free));
        for (g, group) in a.problem.groups.iter().enumerate() {
            for diagonal in a.diagonal[g][..group.law.rows()].iter().filter(|d| **d > 0.0) {
                energy = energy.max(0.5 * moving * moving / diagonal);
            }
        }
        let diagonal = |b: &Block, i: usize| a.frozen.mass.values(*b)[i * b.size + i];
        for block in a.frozen.mass.blocks() {
            for i in 0..block.size {
                let speed = 1e-3 * span.dt * self.forces.load[block.start + i] / diagonal(block, i);
                energy = energy.max(0.5 * diagonal(block, i) * speed * speed);
            }
        }
        self.speeds.clear();
        if energy > 0.0 {
            for block in a.frozen.mass.blocks() {
                self.speeds.extend((0..block.size).map(|i| (2.0 * energy / diagonal(block, i)).sqrt()));
            }
        } else {
            // no force, no motion: small steps in the coordinates tell what would oppose one
            let size = span.from.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let step = 1e-6 * if size > 0.0 { size } else { 1.0 };
            self.speeds.resize(self.u.len(), step / span.dt);
        }
    }

    /// The largest velocity of a row that u gives.
    fn row_speed(&self) -> f64 {
        let speed = |g: usize| self.velocity(g, &self.u).iter().fold(0.0f64, |m, x| m.max(x.abs()));
        (0..self.parts.len()).map(speed).fold(0.0, f64::max)
    }

    /// One step of kind (5), from `u` and the forces there.
    fn proximal_step(&mut self, eps: f64, dt: f64) -> Report {
        let dense = self.forces.has_slope && self.factor_metric(eps, dt);
        let n = self.u.len();
        let a = &mut self.assembly;
        let Operator::Factored { inverse_mass, jacobian } = &mut a.problem.operator else {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        };
        inverse_mass.clear();
        if dense {
            self.row.clear();
            for i in 0..n {
                let start = self.row.len();
                self.row.resize(start + n, 0.0);
                self.row[start + i] = 1.0;
                self.lu.solve(&mut self.row[start..]);
            }
            inverse_mass.push(n, &self.row);
        } else {
            for block in a.frozen.inverse_mass.blocks() {
                self.row.clear();
                self.row.extend(a.frozen.inverse_mass.values(*block).iter().map(|x| x / eps));
                inverse_mass.push(block.size, &self.row);
            }
        }
        // rows must fill whole blocks of the metric
        jacobian.clear();
        for (g, group) in a.problem.groups.iter_mut().enumerate() {
            let (rows, first_part) = (group.law.rows(), jacobian.parts.len());
            self.row.clear();
            self.row.resize(if dense { rows * n } else { 0 }, 0.0);
            for part in &self.rows.parts[self.parts[g].clone()] {
                let values = &self.rows.values[part.at..part.at + rows * part.width];
                if !dense {
                    jacobian.push(part.start, part.width, values);
                    continue;
                }
                for (k, v) in values.iter().enumerate() {
                    self.row[k / part.width * n + part.start + k % part.width] += v;
                }
            }
            if dense {
                jacobian.push(0, n, &self.row);
            }
            (group.first_part, group.end_part) = (first_part, jacobian.parts.len());
        }
        a.scratch.clear();
        a.scratch.extend((0..n).map(|i| dt * self.forces.total(i)));
        a.free.clone_from(&self.u);
        inverse_mass.add_product(0, &a.scratch, &mut a.free);
        self.pose(1.0 / eps);
        let a = &mut self.assembly;
        let report = if a.problem.is_empty() {
            Report { status: Status::Solved, iterations: 0, residual: 0.0 }
        } else {
            a.solver.solve(&a.problem, &mut a.impulses)
        };
        a.end_velocity(&mut self.u);
        report
    }

    /// `eps M + dt B`, if that is positive definite.
    fn factor_metric(&mut self, eps: f64, dt: f64) -> bool {
        let n = self.u.len();
        let slope = &self.forces.slope;
        self.metric.reset(n, n);
        for i in 0..n {
            for j in 0..n {
                self.metric[(i, j)] = dt * slope[(i, j)];
            }
        }
        for block in self.assembly.frozen.mass.blocks() {
            for (k, m) in self.assembly.frozen.mass.values(*block).iter().enumerate() {
                self.metric[(block.start + k / block.size, block.start + k % block.size)] += eps * m;
            }
        }
        is_positive_definite(&self.metric, &mut self.row) && self.lu.factor(&self.metric, 0.0)
    }

    /// Velocities without impulses and their scale, from `free`; `per_mass` is one over eps.
    fn pose(&mut self, per_mass: f64) {
        self.assembly.problem.q.clear();
        let mut scale = per_mass * self.assembly.supports_speed();
        for g in 0..self.parts.len() {
            let free = self.velocity(g, &self.assembly.free);
            let group = self.assembly.problem.groups[g];
            let two_sided = matches!(group.law, laws::Law::Bilateral { .. } | laws::Law::Dry { .. });
            for (r, row) in group.rows().enumerate() {
                let q = free[r] + self.rest[row];
                // an overlap to be undone counts as a speed, and so does what drives; a gap does not
                scale = scale.max(free[r].abs()).max(if r == 0 && !two_sided { -q } else { q.abs() });
                self.assembly.problem.q.push(q);
            }
        }
        self.assembly.problem.scale = scale;
    }

    /// What eq. (1) leaves over, forces at `u`.
    fn balance(&mut self, dt: f64) -> Balance {
        let a = &self.assembly;
        let n = self.u.len();
        let Self { left, turnover, forces, .. } = self;
        left.clear();
        left.extend((0..n).map(|i| dt * forces.total(i)));
        turnover.clear();
        turnover.extend(left.iter().zip(&forces.load).map(|(x, load)| x.abs().max(dt * load)));
        for (g, parts) in self.parts.iter().enumerate() {
            let lambda = &a.impulses[a.problem.groups[g].rows()];
            for part in &self.rows.parts[parts.clone()] {
                for (r, l) in lambda.iter().enumerate() {
                    for k in 0..part.width {
                        let force = self.rows.values[part.at + r * part.width + k] * l;
                        left[part.start + k] += force;
                        turnover[part.start + k] += force.abs();
                    }
                }
            }
        }
        let (mut worst, mut most, mut at_work) = (0, 0.0f64, 0.0f64);
        let mut broken = false;
        for block in a.frozen.mass.blocks() {
            for k in 0..block.size {
                let i = block.start + k;
                // through the square root of the mass, so that forces and torques can be compared
                let root = a.frozen.mass.values(*block)[k * block.size + k].sqrt();
                at_work = at_work.max(turnover[i] / root);
                broken |= left[i].is_nan();
                if left[i].abs() / root > most {
                    (worst, most) = (i, left[i].abs() / root);
                }
            }
        }
        let value = if broken {
            f64::NAN
        } else if most == 0.0 {
            0.0
        } else {
            most / at_work
        };
        Balance { value, worst, left: left.get(worst).copied().unwrap_or(0.0) }
    }

    /// Poses (5) with eps = 1 around the answer itself: the problem that the certificate is judged by, in the metric of
    /// the mass like those of all other steppers.
    fn pose_answer(&mut self, dt: f64) {
        self.select(dt);
        let n = self.u.len();
        let a = &mut self.assembly;
        a.frozen.force.clone_from(&self.forces.conservative);
        a.frozen.applied.clone_from(&self.forces.applied);
        a.scratch.clear();
        a.scratch.extend((0..n).map(|i| dt * self.forces.total(i)));
        a.free.clone_from(&self.u);
        a.frozen.inverse_mass.add_product(0, &a.scratch, &mut a.free);
        self.pose(1.0);
        self.assembly.xi.clear();
        self.assembly.before.clear();
        for g in 0..self.parts.len() {
            let xi = self.velocity(g, &self.u);
            let a = &mut self.assembly;
            a.xi.extend(a.problem.groups[g].rows().enumerate().map(|(r, row)| xi[r] + self.rest[row]));
            // there is no velocity before: work is done along the displacement
            let c = &a.frozen.constraints[a.selected[g]];
            let mut v = c.drift;
            a.frozen.jacobian.add_velocity(c.first_part..c.end_part, &self.u, &mut v[..c.law.rows()]);
            a.before.extend_from_slice(&v[..c.law.rows()]);
        }
    }
}

impl Stepper for Quasistatic {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        let dt = time.dt;
        let span = Span { from, dt, end: time.end };
        self.assembly.freeze_dynamics(system, from);
        self.u.clear();
        self.u.resize(from.u.len(), 0.0);
        self.forces.evaluate(system, span, &self.u);
        let a = &mut self.assembly;
        a.frozen.force.clone_from(&self.forces.conservative);
        a.frozen.applied.clone_from(&self.forces.applied);
        a.free_velocity(&self.u, dt);
        let mut reach = 2.0 * dt * system.speed(&from.u).max(system.speed(&a.free));
        self.look.copy_from(from);
        if !system.is_autonomous() {
            self.look.t = time.end;
        }
        for widening in 0..=WIDENINGS {
            self.assembly.freeze_constraints(system, &self.look, reach);
            let (report, balance) = self.solve(system, span);
            let balanced = balance.value <= LOST;
            out.dt = dt;
            out.state.t = time.end;
            out.state.u.clone_from(&self.u);
            out.state.q.clone_from(&from.q);
            system.displace(&mut out.state.q, &self.u, dt); // eq. (4)
            if balanced && !out.state.is_finite() {
                return Err(StepError::NotFinite { t: from.t });
            }
            if balanced {
                self.assembly.keep_joints(system, &mut out.state, Contacts { reach, undo_overlap: true });
                self.assembly.judge_end(system, 1.5 * reach, out);
            }
            if balanced && (widening == WIDENINGS || !self.assembly.overlooked_a_contact()) {
                self.pose_answer(dt);
                let u = std::mem::take(&mut self.u);
                self.assembly.finish(&u, report, out);
                self.u = u;
                out.kinetic = 0.0;
                out.certificate.balance = self.balance(dt).value;
                let slope = self.forces.has_slope.then_some(&self.forces.slope);
                out.certificate.free = self.uniqueness.judge(system, &self.assembly, slope, &mut out.free);
                return Ok(());
            }
            if widening == WIDENINGS {
                let force = balance.left / dt;
                let coordinate = system.coordinate_name(balance.worst);
                return Err(StepError::NoBalance { t: from.t, coordinate, force });
            }
            // what pushes or holds may be farther away
            reach = (4.0 * reach).max(4.0 * dt * system.speed(&self.u));
        }
        Ok(())
    }

    fn problem(&self) -> &ContactProblem {
        self.assembly.problem()
    }

    fn warm(&self) -> &Warm {
        self.assembly.warm()
    }

    fn set_warm(&mut self, warm: Warm) {
        self.assembly.set_warm(warm);
    }
}

/// The velocity of a row when nothing moves: what drives do within the step is part of the gap.
fn rest(c: &Constraint, row: usize, dt: f64) -> f64 {
    match c.law {
        Law::Contact { .. } if row > 0 => c.drift[row],
        Law::Dry { .. } | Law::DryDisc { .. } => c.drift[row],
        Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit => c.gap[row] / dt,
    }
}

/// True for a symmetric matrix all of whose Cholesky pivots are positive.
fn is_positive_definite(m: &Dense, factor: &mut Vec<f64>) -> bool {
    let n = m.rows();
    factor.clear();
    factor.resize(n * n, 0.0);
    for i in 0..n {
        for j in 0..=i {
            let (done, row) = factor.split_at_mut(i * n);
            let other = if i == j { &row[..j] } else { &done[j * n..j * n + j] };
            let rest = m[(i, j)] - dot(&row[..j], other);
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return false;
                }
                row[j] = rest.sqrt();
            } else {
                row[j] = rest / done[j * n + j];
            }
        }
    }
    true
}
