//! Quasistatic motion [Berard 2009, §3.4]: forces balance at every step, and nothing has inertia.
//!
//! ```text
//! 0 = dt f(u) + W lambda                                                                (1) = [eq. 3.29]
//! 0 <= lambda_n ⟂ gap / dt + W_n^T u >= 0                                               (2) = [eq. 3.37]
//! lambda_t dissipates the most in mu lambda_n F, at the slip velocity W_t^T u + drift   (3) = [eq. 3.38–3.40]
//! q' = q ⊕ dt u                                                                         (4) = [eq. 3.36]
//! ```
//!
//! W is taken at the coordinates of the start, with everything driven where it is at the end: gap contains what drives
//! do within the step. f are the forces at the end of the step (`forces.rs`), u is the displacement per time and no
//! state: what it was before does not matter. With the exact cone this is Model-DQC, with polyhedral ones Model-DLC.
//! Joints hold as `gap / dt + W^T u = 0`. First order in time; where gaps are linear in q, the new gaps are exact,
//! elsewhere their bends make them so. Which half-space holds a pair of parts, and the bends, are as in `pairs.rs`.
//!
//! There is no mass to write (1)–(3) as a contact problem with. They are solved by the proximal-point method, whose
//! steps are the contact problems of
//!
//! ```text
//! P (u⁺ − u) = dt f(u) − dt B (u⁺ − u) + W lambda⁺,   B = −df/du                        (5)
//! ```
//!
//! whose fixed points are the solutions of (1), for any metric P. Each (5) goes to the solver of the run's choice. With
//! `P = eps M` the error falls by a factor of about c per step when `eps M |u|` is c times the forces at work, so eps
//! is chosen by that; c falls when progress is slow. Forces that hold a motion set its size by themselves, and that may
//! be anything: a particle that a spring has just begun to drag hardly moves. There P is c times the stiffness
//! (`modes.rs`), which does not vanish with the motion. For polyhedral cones without coupling the method ends after
//! finitely many steps (Ferris 1991). It starts at rest: where the motion is not unique, the answer is the one with the
//! least motion.
//!
//! The certificate is that of (1)–(3), without eps: the residuals of the laws at u itself, `balance` of (1), and
//! whether the motion is unique (`unique.rs`). When no motion balances the forces, as on a slope that is too steep,
//! there is no next state: that is an error and not a motion.

mod balance;
mod forces;
mod modes;
mod proximal;
mod unique;

use super::assemble::Assembly;
use super::assemble::problem::Problem;
use super::assemble::solution::Solution;
use super::pairs::{Course, Pairs};
use super::project::Contacts;
use super::surface::Scaling;
use super::{StepError, Stepper, StepperConfig, TimeStep, Traits};
use crate::certificate::Tolerance;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, Row, System};
use balance::Balance;
use complementarity::problem::operator::Jacobian;
use complementarity::solver::{Report, Status};
use forces::{Forces, Probe, Span};
use modes::Modes;
use proximal::Weight;
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
/// Further steps with inertia alone.
const POLISHES: usize = 4;
/// Where the last digits are not worth a further try.
const ENOUGH: f64 = 1e-11;
/// Forces left over, relative to those at work, beyond which the step has no equilibrium.
const LOST: f64 = 1e-6;
/// The weight c of (5) at the start, and its limits.
const WEIGHT: f64 = 1e-2;
const WEIGHT_LOW: f64 = 1e-6;
const WEIGHT_HIGH: f64 = 1.0;

/// What the stepper takes.
pub const TRAITS: Traits = Traits {
    name: "quasistatic",
    summary: "forces balance at every step: no inertia, no velocity of its own",
    velocity: false,
    ..Traits::PLAIN
};

/// The stepper of a configuration.
pub(super) fn build(config: &StepperConfig) -> Box<dyn Stepper> {
    Box::new(Quasistatic::new(config.assembly(), config.tolerance))
}

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
    probes: Vec<Probe>,
    left: Vec<f64>,
    turnover: Vec<f64>,
    /// The rows of the problem and whose they are, in the order of its groups.
    rows: Jacobian,
    parts: Vec<Range<usize>>,
    /// Of mass and stiffness, for P.
    modes: Modes,
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
            probes: Vec::new(),
            left: Vec::new(),
            turnover: Vec::new(),
            rows: Jacobian::default(),
            parts: Vec::new(),
            modes: Modes::default(),
            row: Vec::new(),
        }
    }

    /// Solves (1)–(3) with the constraints frozen; u is left in `u`.
    fn solve(&mut self, system: &dyn System, span: Span<'_>) -> (Report, Balance) {
        let dt = span.dt;
        self.select(dt);
        let Assembly { frozen, posing, solving, warm, .. } = &mut self.assembly;
        posing.compute_diagonal();
        solving.start_from(warm, &Problem { frozen, posed: posing, dt });
        self.fill_rest(dt);
        self.u.clear();
        self.u.resize(span.from.u.len(), 0.0);
        let (moving, pushing) = self.scales(span);
        let mut stiff = self.linearise(system, span, moving);
        self.best.clone_from(&self.u);
        self.best_impulses.clone_from(&self.assembly.solving.impulses);
        let mut least = f64::INFINITY;
        let mut best = Balance { value: f64::INFINITY, worst: 0, left: f64::NAN };
        let mut report = Report { status: Status::Solved, iterations: 0, residual: 0.0 };
        let (mut weight, mut since_best, mut iterations) = (WEIGHT, 0, 0);
        for _ in 0..STEPS {
            let speed = self.row_speed().max(moving);
            // eps M u against the forces, both as speeds; any eps serves when one of the two is nothing
            let ratio = pushing / speed;
            let eps = weight * if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
            let inner = self.proximal_step(Weight { eps, part: weight, stiff }, dt);
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
                self.best_impulses.clone_from(&self.assembly.solving.impulses);
            }
            let done = best.value <= BALANCED && (inner.status == Status::Solved || least <= ENOUGH);
            if done || since_best >= PATIENCE || (slow && least <= ENOUGH) {
                break;
            }
            if stiff && slow {
                // forces change otherwise than they did at the start
                self.u.clone_from(&self.best);
                stiff = self.linearise(system, span, moving);
            }
            if inner.residual > now.value {
                // too much for the solver: more inertia helps
                weight = (10.0 * weight).min(WEIGHT_HIGH);
            } else if slow {
                weight = (0.1 * weight).max(WEIGHT_LOW);
            }
        }
        self.u.clone_from(&self.best);
        self.assembly.solving.impulses.clone_from(&self.best_impulses);
        self.forces.evaluate(system, span, &self.u);
        let found = (Report { iterations, ..report }, best);
        if stiff && best.value <= LOST { self.polish(system, span, found) } else { found }
    }

    /// Where forces hardly hold, digits of the laws are lost to them: a few more of (5) with inertia alone, which leave
    /// a solution where it is.
    fn polish(&mut self, system: &dyn System, span: Span<'_>, found: (Report, Balance)) -> (Report, Balance) {
        let (report, best) = found;
        let mut iterations = report.iterations;
        for _ in 0..POLISHES {
            let inner = self.proximal_step(Weight { eps: 1.0, part: f64::INFINITY, stiff: true }, span.dt);
            iterations += inner.iterations;
            self.forces.evaluate(system, span, &self.u);
            let now = self.balance(span.dt);
            if now.value <= best.value.max(ENOUGH) && inner.residual <= report.residual.max(ENOUGH) {
                return (Report { iterations, ..inner }, now);
            }
        }
        self.u.clone_from(&self.best);
        self.assembly.solving.impulses.clone_from(&self.best_impulses);
        self.forces.evaluate(system, span, &self.u);
        (Report { iterations, ..report }, best)
    }

    /// B and its modes at u. False if nothing but inertia opposes motion.
    fn linearise(&mut self, system: &dyn System, span: Span<'_>, moving: f64) -> bool {
        self.fill_probes(span, moving);
        self.forces.linearise(system, span, &self.u, &self.probes);
        let mass = &self.assembly.frozen.at.mass;
        self.forces.has_slope && self.modes.find(mass, &self.forces.slope, span.dt)
    }

    /// The rows' velocities at rest, eq. (2).
    fn fill_rest(&mut self, dt: f64) {
        let a = &self.assembly;
        self.rest.clear();
        for &i in &a.posing.selected {
            let (c, first) = (&a.frozen.at.constraints[i], self.rest.len());
            self.rest.extend((0..c.law.rows()).map(|row| rest(c, row, dt)));
            if let Some(scaling) = Scaling::of(&c.law, a.posing.cone) {
                scaling.rows(&mut self.rest[first..], 1);
            }
        }
    }

    /// Freezes mass at the start, and the forces there at rest. Returns how far to look for contacts, m.
    fn begin(&mut self, system: &dyn System, span: Span<'_>) -> f64 {
        let Assembly { frozen, ending, .. } = &mut self.assembly;
        frozen.dynamics(system, span.from, ending);
        self.u.clear();
        self.u.resize(span.from.u.len(), 0.0);
        self.forces.evaluate(system, span, &self.u);
        frozen.at.force.clone_from(&self.forces.conservative);
        frozen.at.applied.clone_from(&self.forces.applied);
        frozen.free_velocity(&self.u, span.dt);
        2.0 * span.dt * system.speed(&span.from.q, &span.from.u).max(system.speed(&span.from.q, &frozen.free))
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
        let mut reach = self.begin(system, span);
        let (mut widenings, mut solutions, mut last) = (0, 0, false);
        out.solutions = 0;
        loop {
            let (touching, overlap) = (0.0, self.overlap);
            let course = Course { system, from, look, dt, reach, touching, overlap, inertia: false };
            if solutions == 0 {
                let Assembly { frozen, warm, .. } = &mut self.assembly;
                frozen.constraints(system, look, reach, warm);
                self.pairs.begin(frozen, warm, &course, time.end);
            }
            let (report, balance) = self.solve(system, span);
            solutions += 1;
            out.solutions += 1;
            let balanced = balance.value <= LOST;
            // without the rows that were there nothing may hold a body: the last solution stands then
            if !balanced && !last && self.pairs.has_kept() {
                last = self.pairs.go_back(&mut self.assembly.frozen);
                continue;
            }
            if balanced {
                self.move_by_answer(&course, time, out)?;
                let Assembly { frozen, posing, solving, ending, warm } = &mut self.assembly;
                let solution =
                    Solution { problem: Problem { frozen, posed: posing, dt }, found: solving, report };
                ending.look(system, 1.5 * reach, &solution, out);
                if widenings == WIDENINGS || !ending.has_overlooked_contact(&solution) {
                    let again = self.pairs.doubt(&solution, ending, &course, &out.state.u);
                    if again && !last && solutions < SOLUTIONS {
                        solution.remember(warm);
                        self.pairs.revise(frozen, ending, &course, &out.state);
                        continue;
                    }
                    self.finish(system, report, out);
                    return Ok(());
                }
            }
            if widenings == WIDENINGS {
                let force = balance.left / dt;
                let coordinate = system.coordinate_name(balance.worst);
                return Err(StepError::NoBalance { t: from.t, coordinate, force });
            }
            // what pushes or holds may be farther away
            reach = (4.0 * reach).max(4.0 * dt * system.speed(&span.from.q, &self.u));
            (widenings, solutions, last) = (widenings + 1, 0, false);
        }
    }

    /// Eq. (4), and joints.
    fn move_by_answer(&mut self, course: &Course, time: TimeStep, out: &mut Step) -> Result<(), StepError> {
        let (system, from) = (course.system, course.from);
        out.dt = time.dt;
        out.state.t = time.end;
        out.state.u.clone_from(&self.u);
        out.state.q.clone_from(&from.q);
        system.displace(&mut out.state.q, &self.u, time.dt);
        system.follow(from, &mut out.state);
        if !out.state.is_finite() {
            return Err(StepError::NotFinite { t: from.t });
        }
        let Assembly { frozen, ending, .. } = &mut self.assembly;
        let contacts = Contacts { reach: course.reach, undo_overlap: true };
        ending.keep_joints(system, frozen, &mut out.state, contacts);
        Ok(())
    }

    /// Judges the answer, by the problem without inertia.
    fn finish(&mut self, system: &dyn System, report: Report, out: &mut Step) {
        let dt = out.dt;
        self.pose_answer(dt);
        let Assembly { frozen, posing, solving, ending, warm } = &mut self.assembly;
        let problem = Problem { frozen, posed: posing, dt };
        ending.judge(&mut Solution { problem, found: solving, report }, &self.u, warm, out);
        self.pairs.keep(&out.outcomes, dt, warm);
        out.kinetic = 0.0;
        out.certificate.balance = self.balance(dt).value;
        let slope = self.forces.has_slope.then_some(&self.forces.slope);
        out.certificate.free = self.uniqueness.judge(system, &self.assembly, slope, &mut out.free);
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

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}

/// The velocity of a row when nothing moves: what drives do within the step is part of the gap.
fn rest(c: &Constraint, row: usize, dt: f64) -> f64 {
    match c.law.row(row) {
        Row::Friction => c.drift[row],
        Row::Normal => (c.gap[row] + c.bend) / dt,
        Row::Joint | Row::Limit | Row::Motor => c.gap[row] / dt,
    }
}
