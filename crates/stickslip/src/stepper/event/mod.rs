//! Event-driven integration: smooth phases at high order, everything that ends one located inside the step.
//!
//! ```text
//! smooth phase    q' = u,  M u' = f + C x with a fixed set of closed contacts     `flow.rs`         (1)
//! ends when       gap = 0 of an open contact                    -> impact         `switch.rs`
//!                 lambda_n = 0 of a closed one                  -> opens
//!                 |lambda_t| = mu lambda_n of friction that sticks -> slips
//!                 gamma_t = 0 of friction that slips            -> sticks or turns around
//!                 other features of two bodies touch            -> `features.rs`
//!                 a visco-elastic layer is met or let go        -> `layers.rs`
//!                 what is given has a kink or jumps             -> `breaks.rs`
//! next phase      from the acceleration-level problem           [Trinkle 2003, §2.5; Berard 2009, §2.5.2]
//! impact          M (u+ − u−) = W Lambda,  gamma_n+ + e_n gamma_n− and gamma_t+ + e_t gamma_t− under the laws  (2)
//! ```
//!
//! Friction is sliding, spin about the normal and rolling, each on its own or (cone `ellipsoid`) the first two together
//! (`friction.rs`); the coefficient of slipping may be another than that of sticking, and change with the speed.
//!
//! (1) is integrated by an embedded pair with error control (`integrate`). A step within which one of the quantities
//! changes sign is repeated with another length until the sign change is bracketed to rounding: events lie on the
//! solution itself, not on an interpolation of it. Impulses of contacts and the work of forces are integrated along.
//!
//! After every step positions are moved onto closed contacts and joints and velocities onto their rates, in the metric
//! of the mass (`settle.rs`); or by coordinate partitioning; with Baumgarte's stabilisation joints
//! are left to that. A rebound lower than rounding can resolve
//! (Zeno) closes the contact and is listed as `accumulation`. Where the laws allow several motions the one of least
//! constraint is taken and `ambiguous` is listed; where they allow none the run stops and says so.
//!
//! *Certificate.* At the end of the step: complementarity, cone and dissipation are residuals of the acceleration-level
//! laws, relative to the largest acceleration of the rows without constraint forces, or of an impact within the step if
//! that is worse; penetration and joint errors are geometric. The energy ledger's `discretisation` is the integration
//! error.

mod account;
mod breaks;
mod cuts;
mod features;
mod flow;
mod judge;
mod layers;
mod least;
mod part;
mod press_or_lift;
mod rates;
mod search;
mod settings;
mod settle;
mod share;
mod strike;
mod switch;
mod triggers;

pub use settings::{EventSettings, GAUSS, JointMethod, TRAITS};

use super::assemble::Assembly;
use super::{StepError, Stepper, StepperConfig, TimeStep};
use crate::acceleration::unmodelled;
use crate::energy::StepWork;
use crate::events::Event;
use crate::integrate::RungeKutta;
use crate::layer::{OnCores, of_contact};
use crate::state::{Branch, State};
use crate::step::{Motions, Phase, Step};
use crate::system::System;
use account::{Total, held_parts, total};
use flow::{Flow, Scope, Stabilisation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use triggers::Value;

/// The most events within a step.
const MOST_EVENTS: usize = 10_000;
/// The most integration steps within a step.
const MOST_STEPS: usize = 100_000;
/// The most events at one instant.
const MOST_AT_ONCE: usize = 100;
/// A step shorter than this, relative to the time it starts from and the output step, is rounding.
const SHORTEST: f64 = 1e-15;
/// Within a step no point that can touch something goes farther than this part of the smallest body: nothing passes
/// unseen between two looks.
const TRAVEL: f64 = 0.5;
/// The step of biases is looked for from so many steps downwards.
const FIRST_PROBE: f64 = 16.0;
/// The work integrated along: conservative, applied, friction, normal, joints.
const WORKS: usize = 5;

/// `event` of a configuration.
pub(super) fn build(config: &StepperConfig, settings: EventSettings) -> Box<dyn Stepper> {
    Box::new(EventDriven::new(config.assembly(), settings))
}

/// `gauss` of a configuration.
pub(super) fn build_gauss(config: &StepperConfig, settings: EventSettings) -> Box<dyn Stepper> {
    Box::new(EventDriven::gauss(config.assembly(), settings))
}

/// The stepper, with its memory.
pub struct EventDriven {
    settings: EventSettings,
    assembly: Assembly,
    method: RungeKutta,
    flow: Flow,
    phase: Phase,
    /// The state reached, the one before it, and one looked at.
    state: State,
    before: State,
    look: State,
    y: Vec<f64>,
    sample: Vec<f64>,
    values: Vec<Value>,
    earlier: Vec<Value>,
    totals: Vec<Total>,
    work: StepWork,
    events: Vec<Event>,
    /// Worst residual of an impact in the step.
    impact: f64,
    evaluations: usize,
    /// Length of the step, s.
    interval: f64,
    /// When a function of time has its next kink or jump; infinite when not within the step.
    piece_ends: f64,
    /// Ends a step that is under way.
    stop: Option<Arc<AtomicBool>>,
}

impl EventDriven {
    /// A stepper whose impacts are solved by an assembly.
    pub fn new(assembly: Assembly, settings: EventSettings) -> Self {
        let mut flow = Flow::default();
        flow.joints = settings.joints;
        flow.probe.cone = assembly.posing.cone;
        if let JointMethod::Baumgarte { alpha, beta } = settings.joints {
            flow.stabilisation = Stabilisation { alpha, beta };
        }
        Self {
            settings,
            assembly,
            method: RungeKutta::new(settings.pair),
            flow,
            phase: Phase::default(),
            state: State::default(),
            before: State::default(),
            look: State::default(),
            y: Vec::new(),
            sample: Vec::new(),
            values: Vec::new(),
            earlier: Vec::new(),
            totals: Vec::new(),
            work: StepWork::default(),
            events: Vec::new(),
            impact: 0.0,
            evaluations: 0,
            interval: 0.0,
            piece_ends: f64::INFINITY,
            stop: None,
        }
    }

    /// Advances `from` to the end of a step.
    fn integrate(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        self.state.copy_from(from);
        self.look.copy_from(from);
        self.totals.clear();
        self.events.clear();
        self.work = StepWork::default();
        self.impact = 0.0;
        self.interval = time.dt;
        self.flow.least.forget();
        let warm = self.assembly.warm.phase.take();
        // where the run goes on from when this step is given up
        let kept = if self.stop.is_some() { warm.clone() } else { None };
        match warm {
            Some(phase) => {
                self.flow.probe.step = phase.probe;
                self.phase = phase;
                self.flow.ambiguous = self.phase.least;
                self.state.branch.choices.clone_from(&self.phase.choices);
                self.begin_piece(system, time);
            }
            None => {
                self.phase = Phase { trial: time.dt, ..Phase::default() };
                self.flow.ambiguous = false;
                self.begin_piece(system, time);
                self.flow.reach = 1e-9;
                self.choose_branches(system)?;
                if system.has_layers() {
                    self.start_layers(system);
                }
                self.start(system, time.dt)?;
            }
        }
        self.phase.trial = self.phase.trial.min(time.dt);
        let size = self.state.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        self.flow.reach = 4.0 * time.dt * system.speed(&self.state.q, &self.state.u) + 1e-9 * size;
        self.refuse(system)?;
        self.velocities_before(system);
        self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        if let Err(error) = self.run(system, time, &mut out.motions) {
            self.assembly.warm.phase = kept.filter(|_| matches!(error, StepError::Interrupted { .. }));
            return Err(error);
        }
        self.phase.probe = self.flow.probe.step;
        self.phase.choices.clone_from(&self.state.branch.choices);
        self.judge(system, time, out);
        out.state.branch = Branch::default();
        self.assembly.warm.phase = Some(std::mem::take(&mut self.phase));
        Ok(())
    }

    /// A stepper that takes the forces of smooth phases from Gauss' principle of least constraint (`least.rs`):
    /// `gauss`.
    pub fn gauss(assembly: Assembly, settings: EventSettings) -> Self {
        let mut stepper = Self::new(assembly, settings);
        stepper.flow.by_least_constraint = true;
        stepper
    }

    /// Says what of the scene is not modelled here, if it has come within reach.
    fn refuse(&self, system: &dyn System) -> Result<(), StepError> {
        for c in &self.flow.look.constraints {
            if let Some(what) = unmodelled(c.law).filter(|_| !of_contact(c.id).1) {
                let label = system.label(c.id);
                let name = if self.flow.by_least_constraint { "gauss" } else { "event" };
                return Err(StepError::Unsupported(format!("{name} does not model {what}, as at {label}")));
            }
        }
        Ok(())
    }

    /// How often the flow was evaluated since the start.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Runs smooth phases until the end of a step, and lists their motions.
    fn run(&mut self, system: &dyn System, time: TimeStep, motions: &mut Motions) -> Result<(), StepError> {
        let TimeStep { end, dt } = time;
        motions.clear();
        let (mut happened, mut at_once, mut tried) = (0, 0, 0);
        while self.state.t < end {
            self.check_stop()?;
            tried += 1;
            if tried > MOST_STEPS {
                return Err(StepError::TooManySteps { t: self.state.t, count: MOST_STEPS });
            }
            let Some((h, t, crosses)) = self.advance(system, time)? else { continue };
            self.before.copy_from(&self.state);
            self.accept(h, t);
            system.normalise(&mut self.state.q);
            system.follow(&self.before, &mut self.state);
            motions.push(&self.before, &self.state);
            self.look.positions.clone_from(&self.state.positions);
            if crosses {
                happened += 1;
                at_once = if h <= 1e-12 * dt { at_once + 1 } else { 0 };
                if happened > MOST_EVENTS || at_once > MOST_AT_ONCE {
                    let count = if at_once > MOST_AT_ONCE { MOST_AT_ONCE } else { MOST_EVENTS };
                    return Err(StepError::TooManyEvents { t, count });
                }
                self.flow.dependents.clear();
                self.switch(system, dt)?;
            } else {
                self.settle(system);
                self.arm(system);
            }
            if self.state.t >= self.piece_ends {
                happened += 1;
                self.flow.dependents.clear();
                self.pass_break(system, time)?;
            }
            if !self.state.is_finite() {
                return Err(StepError::NotFinite { t: self.state.t });
            }
        }
        Ok(())
    }

    /// A step of the integration: its length, its end, and whether something ends the phase there; none where it has
    /// to be tried again.
    fn advance(
        &mut self,
        system: &dyn System,
        TimeStep { dt, end }: TimeStep,
    ) -> Result<Option<(f64, f64, bool)>, StepError> {
        let stop = end.min(self.piece_ends);
        let rest = stop - self.state.t;
        let trial = self.phase.trial.min(self.longest(system));
        let last = trial >= rest * (1.0 - 1e-9);
        let h = if last { rest } else { trial };
        if h <= SHORTEST * (self.state.t.abs() + dt) && !last {
            return Err(if self.flow.least.infeasible {
                self.without_motion(system, dt)
            } else {
                StepError::TooShort { t: self.state.t }
            });
        }
        let ratio = self.attempt(system, h);
        let next = self.method.next_length(h, ratio);
        if ratio.is_nan() || ratio > 1.0 {
            self.phase.trial = next;
            return Ok(None);
        }
        let crossing = self.crossing(system, h);
        let (h, t) = match crossing {
            None if last => (h, stop),
            None => (h, self.state.t + h),
            Some(fraction) => {
                let h = fraction * h;
                self.try_step(system, h);
                (h, self.state.t + h)
            }
        };
        // an event says nothing about how long steps can be
        self.phase.trial = if last || crossing.is_some() { next.max(self.phase.trial) } else { next };
        Ok(Some((h, t, crossing.is_some())))
    }

    /// Ends the step if somebody asked for that.
    fn check_stop(&self) -> Result<(), StepError> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(StepError::Interrupted { t: self.state.t }),
            _ => Ok(()),
        }
    }

    /// The longest step in which nothing passes unseen, s.
    fn longest(&self, system: &dyn System) -> f64 {
        let Some(size) = system.size_of_bodies() else { return f64::INFINITY };
        // speed h + a h² / 2 = way
        let (way, speed) = (TRAVEL * size, system.speed(&self.state.q, &self.state.u));
        let a = system.speed(&self.state.q, &self.flow.acceleration);
        2.0 * way / (speed + (speed * speed + 2.0 * a * way).sqrt())
    }
}

impl Stepper for EventDriven {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        if system.has_layers() {
            return self.integrate(&OnCores(system), from, time, out);
        }
        self.integrate(system, from, time, out)
    }

    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner { look: crate::audit::Look::End, interval: true, ..Default::default() }
    }

    fn heed(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}
