//! Gauss–Seidel sweeps and Newton steps in turn, for many contacts of rigid bodies: the sweeps settle which contacts
//! open, stick and slide, the Newton steps move the whole network at once.
//!
//! ```text
//! from x   Newton's step with the proximal weight eps (`law/linearise.rs`, `newton_system.rs`), then a few sweeps
//!          m = |the last sweep's change of the impulses|, in the metric of the contacts' own blocks             (1)
//!          m falls              the step is kept, eps falls
//!          m stays the same     the network drifts: on along the step as far as there is room (`drift.rs`)
//!          m grows              the step is undone, eps grows; when that does not help, sweeps alone
//! ```
//!
//! *Drift.* Where a loop of sticking contacts is redundant and its gaps and slips contradict each other, no velocity
//! changes any more while the impulses of the loop grow by the same amount in every sweep, for as long as it takes
//! until one of its contacts slides or opens: with contradictions of 1e-7 that is millions of sweeps, and a Newton
//! step without eps goes to infinity. A piece of this straight line ends where the first contact reaches its limit,
//! which (1) of `drift.rs` tells.
//!
//! *Escape.* With friction some solutions repel sweeps and Newton's method cannot hold them either, since contacts
//! change between them. When (1) grows during sweeps these are left to themselves until it has fallen again.
//!
//! No proof of convergence with friction: the residual decides. Takes every law and cone on rigid bodies (at most two
//! per group). Uses the warm start.

use crate::law::GroupLaw;
use crate::law::linearise::{Piece, Point, Weights};
use crate::problem::contact::ContactProblem;
use crate::solver::contact::drift::{ENDLESS, room};
use crate::solver::contact::newton_engine::is_finite;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::packed::Packed;
use crate::solver::contact::sweep::Sweep;
use crate::solver::{Report, Solver, Status};

/// From this many groups on, sweeps settle more of them than Newton's method alone.
pub const MANY: usize = 100;

/// How [`SweptNewton`] goes about it: sweeps, what (1) has to do, and the proximal weight eps relative to the
/// diagonal of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptNewtonSettings {
    /// Sweeps, up and down, before the first Newton step. By hand.
    pub first_sweeps: usize,
    /// Of these, sweeps from one look at the residual to the next, with a tolerance that sweeps alone may reach. By
    /// hand.
    pub sweeps_per_look: usize,
    /// The least such tolerance: sweeps gain a digit in some ten. By hand.
    pub sweeps_reach: f64,
    /// Sweeps after each Newton step. By hand.
    pub sweeps_per_step: usize,
    /// The most sweeps in a row where Newton steps do not help. By hand.
    pub max_sweeps: usize,
    /// Sweeps at a time where they lead away from a point. By hand.
    pub escape_sweeps: usize,
    /// How often, at most. By hand.
    pub max_escapes: usize,
    /// A step is good when (1), and the residual, fall below this part of what they were. By hand.
    pub decrease_factor: f64,
    /// With (1) below this part fewer sweeps will do next time. By hand.
    pub good_decrease_factor: f64,
    /// With (1) below this part the network drifts: the step is followed to the end of its room. By hand.
    pub stall_factor: f64,
    /// Sweeps lead away when (1) grows by this factor. By hand.
    pub sweep_growth_factor: f64,
    /// They have escaped when (1) is below this part of its peak. By hand.
    pub escaped_factor: f64,
    /// eps of the first step. By hand.
    pub first_weight: f64,
    /// eps after sweeps in place of a step. By hand.
    pub weight_after_sweeps: f64,
    /// The least eps: the rounding of impulses that nothing else holds is one over it. Rounding.
    pub min_weight: f64,
    /// The most: beyond one, a step does no more than a sweep. Theory.
    pub max_weight: f64,
    /// eps falls by this factor after a good step. By hand.
    pub weight_decrease: f64,
    /// And by this one while the network drifts. By hand.
    pub weight_drift_decrease: f64,
    /// eps grows by this factor after a step that was no good. By hand.
    pub weight_increase: f64,
    /// A drift goes this much beyond its room, so that the contact that ends it is at its limit. By hand.
    pub overshoot: f64,
    /// The least room, as a part of the step, of one that has carried a contact beyond its limit. By hand.
    pub min_room: f64,
}

impl Default for SweptNewtonSettings {
    fn default() -> Self {
        Self {
            first_sweeps: 20,
            sweeps_per_look: 4,
            sweeps_reach: 1e-6,
            sweeps_per_step: 6,
            max_sweeps: 200,
            escape_sweeps: 50,
            max_escapes: 20,
            decrease_factor: 0.9,
            good_decrease_factor: 0.3,
            stall_factor: 1.2,
            sweep_growth_factor: 1.2,
            escaped_factor: 0.3,
            first_weight: 1e-6,
            weight_after_sweeps: 1e-3,
            min_weight: 1e-9,
            max_weight: 3.0,
            weight_decrease: 0.1,
            weight_drift_decrease: 0.3,
            weight_increase: 30.0,
            overshoot: 1e-3,
            min_room: 1e-3,
        }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct SweptNewton {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most Newton steps.
    pub iterations: usize,
    /// Newton steps without a better point before it gives up.
    pub patience: usize,
    /// How it goes about it.
    pub settings: SweptNewtonSettings,
    packed: Packed,
    judge: Sweep,
    system: NewtonSystem,
    pieces: Vec<Piece>,
    /// Velocities of the impulses, in units of mass one.
    v: Vec<f64>,
    change: Vec<f64>,
    anchor: Vec<f64>,
    before: Vec<f64>,
    best: Vec<f64>,
}

/// Where the iteration is.
struct Progress {
    /// Eq. (1).
    measure: f64,
    eps: f64,
    /// Sweeps when nothing else helps.
    sweeps: usize,
}

impl SweptNewton {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self {
            tolerance,
            iterations,
            patience: 120,
            settings: SweptNewtonSettings::default(),
            packed: Packed::default(),
            judge: Sweep::default(),
            system: NewtonSystem::default(),
            pieces: Vec::new(),
            v: Vec::new(),
            change: Vec::new(),
            anchor: Vec::new(),
            before: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Makes sweeps; returns eq. (1) of the last.
    fn sweeps(&mut self, problem: &ContactProblem, z: &mut [f64], count: usize) -> f64 {
        for _ in 1..count {
            self.packed.sweep(problem, z, &mut self.v);
        }
        self.before.clear();
        self.before.extend_from_slice(z);
        self.packed.sweep(problem, z, &mut self.v);
        let mut sum = 0.0;
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = self.judge.diagonal(c, group);
            for (r, i) in group.rows().enumerate() {
                sum += diagonal[r] * (z[i] - self.before[i]).powi(2);
            }
        }
        sum.sqrt()
    }

    /// Goes to `from + length change` and sweeps a little; returns eq. (1).
    fn go(&mut self, problem: &ContactProblem, z: &mut [f64], length: f64) -> f64 {
        z.iter_mut().zip(&self.change).for_each(|(x, d)| *x += length * d);
        self.packed.state(z, &mut self.v);
        self.sweeps(problem, z, self.settings.sweeps_per_step)
    }

    /// Newton's step from z, into `change`. Returns false when there is none.
    fn newton(&mut self, problem: &ContactProblem, z: &[f64], eps: f64) -> bool {
        self.judge.refresh(problem, z);
        self.pieces.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let point = Point {
                directions: &problem.directions,
                lambda: &z[group.rows()],
                xi: &self.judge.velocities()[group.rows()],
                diagonal: self.judge.diagonal(c, group),
            };
            self.pieces.push(group.law.linearise(&point, Weights { alpha: 0.0, eps }));
        }
        self.change.resize(z.len(), 0.0);
        self.system.step(problem, &self.pieces, &mut self.change)
    }

    /// The sweeps before the first step, as many as are needed: eq. (1) of the last, and the residual.
    fn first_sweeps(&mut self, problem: &ContactProblem, z: &mut [f64]) -> (f64, f64) {
        let SweptNewtonSettings { first_sweeps, sweeps_per_look, sweeps_reach, .. } = self.settings;
        let at_once = if self.tolerance < sweeps_reach { first_sweeps } else { sweeps_per_look };
        let mut done = 0;
        loop {
            let count = at_once.min(first_sweeps - done);
            let measure = self.sweeps(problem, z, count);
            done += count;
            let residual = self.judge.residual(problem, z).max();
            if residual <= self.tolerance || done >= first_sweeps {
                return (measure, residual);
            }
        }
    }

    /// One step, or what takes its place.
    fn iterate(&mut self, problem: &ContactProblem, z: &mut [f64], at: &mut Progress) {
        self.anchor.clear();
        self.anchor.extend_from_slice(z);
        if self.newton(problem, z, at.eps) {
            let new = self.go(problem, z, 1.0);
            if new < self.settings.decrease_factor * at.measure {
                if new < self.settings.good_decrease_factor * at.measure {
                    at.sweeps = (at.sweeps / 4).max(self.settings.sweeps_per_step);
                }
                at.eps = (self.settings.weight_decrease * at.eps).max(self.settings.min_weight);
                at.measure = new;
                return;
            }
            if new < self.settings.stall_factor * at.measure {
                at.eps = (self.settings.weight_drift_decrease * at.eps).max(self.settings.min_weight);
                let room = room(problem, z, &self.change, self.settings.min_room);
                at.measure = if room < ENDLESS {
                    self.go(problem, z, (1.0 + self.settings.overshoot) * room)
                } else {
                    new
                };
                return;
            }
        }
        z.copy_from_slice(&self.anchor);
        self.packed.state(z, &mut self.v);
        at.eps *= self.settings.weight_increase;
        if at.eps > self.settings.max_weight {
            at.eps = self.settings.weight_after_sweeps;
            self.only_sweep(problem, z, at);
        }
    }

    /// More sweeps each time, and as many as it takes where they lead away.
    fn only_sweep(&mut self, problem: &ContactProblem, z: &mut [f64], at: &mut Progress) {
        at.sweeps = (2 * at.sweeps).min(self.settings.max_sweeps);
        let before = at.measure;
        at.measure = self.sweeps(problem, z, at.sweeps);
        if at.measure > self.settings.sweep_growth_factor * before {
            let mut peak = at.measure;
            for _ in 0..self.settings.max_escapes {
                if at.measure <= self.settings.escaped_factor * peak {
                    break;
                }
                at.measure = self.sweeps(problem, z, self.settings.escape_sweeps);
                peak = peak.max(at.measure);
            }
        }
    }
}

impl Solver<ContactProblem> for SweptNewton {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        let finite = is_finite(problem) && z.iter().all(|x| x.is_finite());
        if !finite || !self.packed.load(problem) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        self.judge.prepare_blocks(problem);
        self.packed.state(z, &mut self.v);
        let (measure, mut best) = self.first_sweeps(problem, z);
        self.best.clear();
        self.best.extend_from_slice(z);
        if best > self.tolerance {
            self.system.prepare(problem);
        }
        let mut at =
            Progress { measure, eps: self.settings.first_weight, sweeps: self.settings.sweeps_per_step };
        let (mut steps, mut since) = (0, 0);
        while best > self.tolerance && steps < self.iterations && since < self.patience {
            steps += 1;
            self.iterate(problem, z, &mut at);
            if !at.measure.is_finite() {
                break;
            }
            let residual = self.judge.residual(problem, z).max();
            since = if residual < self.settings.decrease_factor * best { 0 } else { since + 1 };
            if residual < best {
                best = residual;
                self.best.copy_from_slice(z);
            }
        }
        z.copy_from_slice(&self.best);
        let otherwise = if steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(best, self.tolerance, steps, otherwise)
    }
}
