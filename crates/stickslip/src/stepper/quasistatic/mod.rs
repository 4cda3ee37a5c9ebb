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
//! as `gap / dt + W^T u = 0`. First order in time; where gaps are linear in q, the new gaps are exact, elsewhere their bends
//! make them so. Which half-space holds a pair of parts, and the bends, are as in `pairs.rs`.
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
//! when progress is slow. Where all motion is damped, the error falls by `eps M / (eps M + dt B)` at most: there eps is kept well below
//! `dt B / M`, or a body that creeps towards rest, pushed by forces that nearly cancel, would not be done. For polyhedral cones without coupling the method ends after finitely many steps (Ferris 1991).
//! It starts at rest: where the motion is not unique, the answer is the one with the least motion.
//!
//! The certificate is that of (1)–(3), without eps: the residuals of the laws at u itself, `balance` of (1), and whether
//! the motion is unique (`unique.rs`). When no motion balances the forces, as on a slope that is too steep, there is no
//! next state: that is an error and not a motion.

mod balance;
mod forces;
mod freedom;
mod proximal;
mod unique;

use super::assemble::Assembly;
use super::pairs::{Course, Pairs};
use super::project::Contacts;
use super::surface::Scaling;
use super::{StepError, Stepper, TimeStep};
use crate::certificate::Tolerance;
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Law, System};
use balance::Balance;
use complementarity::dense::{Dense, Lu};
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::operator::Jacobian;
use complementarity::solver::{Report, Status};
use forces::{Forces, Span};
use std::ops::Range;
use unique::Uniqueness;

/// How often the search for contacts is widened when one was overlooked or nothing holds a body.
const WIDENINGS: usize = 8;
/// The most solutions of a step.
const SOLUTIONS: usize = 6;
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
/// Inertia of (5) relative to damping, where all motion is damped.
const DAMPED: f64 = 0.1;

/// The stepper, with its memory.
pub struct Quasistatic {
    assembly: Assembly,
    forces: Forces,
    uniqueness: Uniqueness,
    /// Coordinates at the start, time at the end.
    look: State,
    pairs: Pairs,
    /// The overlap to which gaps are exact, m.
    overlap: f64,
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

impl Quasistatic {
    /// A stepper on an assembly, with the tolerances of the certificate.
    pub fn new(assembly: Assembly, tolerance: Tolerance) -> Self {
        Self {
            assembly,
            pairs: Pairs::default(),
            overlap: tolerance.penetration,
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
        let damped = self.damped_weight(dt);
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
            let eps = eps.min(damped);
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

    /// The most that eps should be where every coordinate is damped, from the diagonals of B and M; else no limit.
    fn damped_weight(&self, dt: f64) -> f64 {
        if !self.forces.has_slope {
            return f64::INFINITY;
        }
        let mut least = f64::INFINITY;
        for block in self.assembly.frozen.mass.blocks() {
            let mass = self.assembly.frozen.mass.values(*block);
            for k in 0..block.size {
                let i = block.start + k;
                least = least.min(dt * self.forces.slope[(i, i)] / mass[k * block.size + k]);
            }
        }
        if least > 0.0 { DAMPED * least } else { f64::INFINITY }
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

    /// A step; `look` are the coordinates at the start, with the time of the end.
    fn settle(
        &mut self,
        system: &dyn System,
        from: &State,
        look: &State,
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
        let (mut widenings, mut solutions, mut last) = (0, 0, false);
        loop {
            let (touching, overlap) = (0.0, self.overlap);
            let course = Course { system, from, look, dt, reach, touching, overlap, inertia: false };
            if solutions == 0 {
                self.assembly.freeze_constraints(system, look, reach);
                self.pairs.begin(&mut self.assembly, &course, time.end);
            }
            let (report, balance) = self.solve(system, span);
            solutions += 1;
            let balanced = balance.value <= LOST;
            // without the rows that were there nothing may hold a body: the last solution stands then
            if !balanced && !last && self.pairs.return_to_last(&mut self.assembly) {
                last = true;
                continue;
            }
            out.dt = dt;
            out.state.t = time.end;
            out.state.u.clone_from(&self.u);
            out.state.q.clone_from(&from.q);
            system.displace(&mut out.state.q, &self.u, dt); // eq. (4)
            system.follow(from, &mut out.state);
            if balanced && !out.state.is_finite() {
                return Err(StepError::NotFinite { t: from.t });
            }
            if balanced {
                self.assembly.keep_joints(system, &mut out.state, Contacts { reach, undo_overlap: true });
                self.assembly.judge_end(system, 1.5 * reach, out);
            }
            if balanced && (widenings == WIDENINGS || !self.assembly.overlooked_a_contact()) {
                if self.pairs.doubt(&mut self.assembly, &course, &out.state, last || solutions >= SOLUTIONS) {
                    self.assembly.remember(dt);
                    self.pairs.revise(&mut self.assembly, &course, &out.state);
                    continue;
                }
                self.pairs.end(&mut self.assembly);
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
            if widenings == WIDENINGS {
                let force = balance.left / dt;
                let coordinate = system.coordinate_name(balance.worst);
                return Err(StepError::NoBalance { t: from.t, coordinate, force });
            }
            // what pushes or holds may be farther away
            reach = (4.0 * reach).max(4.0 * dt * system.speed(&self.u));
            (widenings, solutions, last) = (widenings + 1, 0, false);
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
        let mut look = std::mem::take(&mut self.look);
        look.copy_from(from);
        if !system.is_autonomous() {
            look.t = time.end;
        }
        let done = self.settle(system, from, &look, time, out);
        self.look = look;
        done
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
        Law::Contact { .. } => (c.gap[row] + c.bend) / dt,
        Law::Bilateral { .. } | Law::Limit | Law::Servo { .. } => c.gap[row] / dt,
    }
}
