//! The loop: step, certify, account, observe.
//!
//! Times are multiples of the step, not sums of it. A run that goes on from between two of them counts the step that
//! begins there ([`Checkpoint::broken`]), so that index and time of a checkpoint can be held against each other.
//!
//! A [`Simulation`] is a system and a [`Paused`]; who keeps one without its system, as Python does, keeps the latter.

use crate::audit::{self, Auditor, Exchange};
use crate::certificate::{RunCertificate, Tolerance};
use crate::energy::Ledger;
use crate::events::{Event, Modes};
use crate::fixed_point::{FixedPoint, is_same_place};
use crate::observer::{Ending, Observer, Stop};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::stepper::{StepError, Stepper, TimeStep};
use crate::system::{Law, Snapshot, System};
use complementarity::problem::contact::ContactProblem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use crate::checkpoint::Checkpoint;

/// Times closer than this part of themselves are the same.
const SAME_TIME: f64 = 1e-9;

/// What a run needs besides a system and a stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Length of a step, s.
    pub step: f64,
    /// End of the run, s. A last, shorter step is taken when it is not a whole number of steps.
    pub until: f64,
    /// What the certificate is judged by.
    pub tolerance: Tolerance,
}

/// A simulation under way.
pub struct Simulation<'a> {
    system: &'a dyn System,
    run: Paused,
}

/// A simulation without its system: to be kept, and resumed with the same system.
pub struct Paused {
    stepper: Box<dyn Stepper>,
    settings: Settings,
    state: State,
    index: u64,
    broken: u64,
    step: Step,
    held: bool,
    ledger: Ledger,
    certificate: RunCertificate,
    auditor: Auditor,
    exchange: Exchange,
    modes: Modes,
    events: Vec<Event>,
    fixed_point: FixedPoint,
}

impl<'a> Simulation<'a> {
    /// Steps until the end, shown to every observer, in order, before the first step and after each; the first that has
    /// seen enough ends it.
    pub fn run(&mut self, observers: &mut [&mut dyn Observer]) -> Ending {
        if let Some(stop) = observers.iter_mut().find_map(|o| o.begin(self).break_value()) {
            return Ending::Stopped(stop);
        }
        while !self.is_done() {
            match self.advance() {
                Ok(_) => {}
                Err(StepError::Interrupted { .. }) => return Ending::Stopped(Stop::Interrupted),
                Err(error) => return Ending::Failed(error),
            }
            if let Some(stop) = observers.iter_mut().find_map(|o| o.step(self).break_value()) {
                return Ending::Stopped(stop);
            }
        }
        Ending::Complete
    }

    /// Gives a flag that ends a run within a long step once it is set (an observer looks at its own between steps); the
    /// state is that before the step then.
    pub fn heed(&mut self, stop: Arc<AtomicBool>) {
        self.run.stepper.heed(stop);
    }

    /// Lets go of the system.
    pub fn pause(self) -> Paused {
        self.run
    }

    /// Goes on with a simulation of this system.
    pub fn resume(system: &'a dyn System, run: Paused) -> Self {
        Self { system, run }
    }

    /// Puts the system elsewhere, by hand, at the time it has come to, as if a run began there: nothing is left of what
    /// the solver knew. The energies of the ledger become those of the new state; what was done to get there is
    /// nobody's work. Coordinates that are off their manifold (quaternions) by more than rounding are moved onto it.
    pub fn place(&mut self, q: &[f64], u: &[f64]) {
        let from = self.run.state.clone();
        self.run.state.q.copy_from_slice(q);
        self.run.state.u.copy_from_slice(u);
        let mut on_manifold = q.to_vec();
        self.system.normalise(&mut on_manifold);
        let off = q.iter().zip(&on_manifold).any(|(a, b)| (a - b).abs() > 4.0 * f64::EPSILON);
        if off {
            self.run.state.q = on_manifold;
        }
        self.system.follow(&from, &mut self.run.state);
        self.run.stepper.set_warm(Warm::default());
        let mut snapshot = Snapshot::default();
        self.system.dynamics(&self.run.state, &mut snapshot);
        self.run.ledger.kinetic = snapshot.mass.half_square(&self.run.state.u);
        self.run.ledger.potential = snapshot.potential;
        self.run.exchange = Exchange::beginning(&self.run.ledger);
        self.run.modes = Modes::default();
        self.run.fixed_point.forget();
    }

    /// A simulation at its start.
    pub fn new(system: &'a dyn System, stepper: Box<dyn Stepper>, settings: Settings) -> Self {
        let state = system.initial();
        let mut snapshot = Snapshot::default();
        system.dynamics(&state, &mut snapshot);
        let ledger = Ledger {
            kinetic: snapshot.mass.half_square(&state.u),
            potential: snapshot.potential,
            ..Ledger::default()
        };
        let run = Paused {
            stepper,
            settings,
            state,
            index: 0,
            broken: 0,
            step: Step::default(),
            held: true,
            ledger,
            certificate: RunCertificate::default(),
            auditor: Auditor::new(system),
            exchange: Exchange::beginning(&ledger),
            modes: Modes::default(),
            events: Vec::new(),
            fixed_point: FixedPoint::default(),
        };
        Self { system, run }
    }

    /// Goes on from a checkpoint.
    pub fn restore(&mut self, checkpoint: &Checkpoint) {
        self.run.state = checkpoint.state.clone();
        self.run.index = checkpoint.index;
        self.run.broken = checkpoint.broken;
        self.run.stepper.set_warm(checkpoint.warm.clone());
        self.run.ledger = checkpoint.ledger;
        self.run.certificate = checkpoint.certificate.clone();
        self.run.exchange = checkpoint.exchange;
        self.run.modes = checkpoint.modes.clone();
        self.run.fixed_point.forget();
    }

    /// What is needed to go on from here later. `scene` is the text of the scene as run.
    pub fn checkpoint(&self, scene: &str) -> Checkpoint {
        Checkpoint {
            scene: scene.to_owned(),
            index: self.run.index,
            broken: self.run.broken,
            state: self.run.state.clone(),
            warm: self.run.stepper.warm().clone(),
            ledger: self.run.ledger,
            certificate: self.run.certificate.clone(),
            modes: self.run.modes.clone(),
            exchange: self.run.exchange,
        }
    }

    /// Number of steps of the whole run.
    pub fn steps(&self) -> u64 {
        self.run.index.saturating_add(self.remaining())
    }

    /// True when the end is reached.
    pub fn is_done(&self) -> bool {
        let Settings { until, .. } = self.run.settings;
        until - self.run.state.t <= SAME_TIME * self.run.state.t.abs()
    }

    /// Steps up to the end.
    fn remaining(&self) -> u64 {
        let Settings { step, until, .. } = self.run.settings;
        let left = steps_until(until, step).saturating_sub(Multiple::of(self.run.state.t, step).count);
        if self.is_done() { 0 } else { left.max(1) }
    }

    /// The time as a number of steps; none between two multiples of the step, where a run may end and another go on.
    pub fn multiple(&self) -> Option<u64> {
        let multiple = Multiple::of(self.run.state.t, self.run.settings.step);
        multiple.is_exact.then_some(multiple.count)
    }

    /// From when to when the next step goes. Times are multiples of the step, not sums of it: a run that goes on from
    /// between two of them begins with a step to the next.
    fn next(&self) -> (f64, f64) {
        let Settings { step, until, .. } = self.run.settings;
        let multiple = Multiple::of(self.run.state.t, step);
        let from = if multiple.is_exact { multiple.count as f64 * step } else { self.run.state.t };
        (from, if self.remaining() == 1 { until } else { (multiple.count + 1) as f64 * step })
    }

    /// Takes one step. Returns true when it holds its tolerances.
    pub fn advance(&mut self) -> Result<bool, StepError> {
        let step = self.run.settings.step;
        let (from, end) = self.next();
        let whole = (end - from - step).abs() <= 1e-9 * step;
        let dt = if whole { step } else { end - from };
        let broken = self.multiple().is_none();
        let (system, run) = (self.system, &mut self.run);
        if run.fixed_point.holds(dt) && system.is_autonomous() {
            (run.step.start.t, run.step.state.t) = (run.state.t, end);
        } else {
            self.solve(TimeStep { dt, end })?;
        }
        let run = &mut self.run;
        run.state.t = end;
        run.index += 1;
        run.broken += u64::from(broken);
        let label = |what: &str| blamed(system, &run.step, what);
        run.held = run.certificate.take(end, &run.step.certificate, &run.settings.tolerance, label);
        Ok(run.held)
    }

    /// Solves a step, has it judged and takes it.
    fn solve(&mut self, time: TimeStep) -> Result<(), StepError> {
        let (system, run) = (self.system, &mut self.run);
        let stepped = run.stepper.step(system, &run.state, time, &mut run.step);
        stepped.map_err(|e| self.name_cause(e, time.end))?;
        let run = &mut self.run;
        let lifts = |law: Law| matches!(law, Law::DryDisc { bound } if bound.is_nan() || bound < 0.0);
        if let Some(o) = run.step.outcomes.iter().find(|o| lifts(o.constraint.law)) {
            return Err(StepError::Lifts { t: time.end, support: system.label(o.constraint.id) });
        }
        let before = (run.ledger, run.exchange);
        let (tolerance, accounts) = (&run.settings.tolerance, (&run.ledger, &mut run.exchange));
        run.step.start.copy_from(&run.state);
        run.auditor.judge(system, run.stepper.manner(), &run.state, tolerance, accounts, &mut run.step)?;
        let moved = !is_same_place(&run.state, &run.step.state) || !run.step.motions.list().is_empty();
        run.state.copy_from(&run.step.state);
        run.ledger.take(&run.step.work, run.step.kinetic, run.step.potential);
        run.events.clear();
        run.modes.take(&run.step, &mut run.events);
        let told = !run.events.is_empty() || before != (run.ledger, run.exchange);
        run.fixed_point.take(moved || told || !system.is_autonomous(), time.dt, run.stepper.warm());
        Ok(())
    }

    /// A state that is no longer finite, by what made it so.
    fn name_cause(&self, error: StepError, end: f64) -> StepError {
        match error {
            StepError::NotFinite { .. } => match audit::cause(self.system, &self.run.state, end) {
                Some((t, what)) => StepError::NotANumber { t, what },
                None => error,
            },
            other => other,
        }
    }

    /// The system.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.run.settings
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.run.state
    }

    /// Steps done.
    pub fn index(&self) -> u64 {
        self.run.index
    }

    /// The last step.
    pub fn last(&self) -> &Step {
        &self.run.step
    }

    /// The contact problem of the last step.
    pub fn problem(&self) -> &ContactProblem {
        self.run.stepper.problem()
    }

    /// The energy ledger so far.
    pub fn ledger(&self) -> &Ledger {
        &self.run.ledger
    }

    /// The certificate so far.
    pub fn certificate(&self) -> &RunCertificate {
        &self.run.certificate
    }
    /// True when the last step held its tolerances; before the first, too.
    pub fn held(&self) -> bool {
        self.run.held
    }

    /// What happened to contacts in the last step.
    pub fn events(&self) -> &[Event] {
        &self.run.events
    }
}

/// A time as a multiple of the step: the number of whole steps up to it, and whether it is that but for rounding.
struct Multiple {
    count: u64,
    is_exact: bool,
}

impl Multiple {
    fn of(t: f64, step: f64) -> Self {
        let (ratio, whole) = (t / step, (t / step).round());
        let is_exact = (ratio - whole).abs() <= SAME_TIME * whole;
        Self { count: (if is_exact { whole } else { ratio.floor() }) as u64, is_exact }
    }
}

/// Steps of a run in one piece up to a time; the last may be shorter.
pub(crate) fn steps_until(t: f64, step: f64) -> u64 {
    let Multiple { count, is_exact } = Multiple::of(t, step);
    if is_exact { count } else { count.saturating_add(1) }
}

/// Who is to blame for an entry of a step's certificate.
fn blamed(system: &dyn System, step: &Step, what: &str) -> Option<String> {
    let blame = &step.blame;
    if what == "uniqueness" {
        let names: Vec<String> = step.free.iter().map(|&i| system.coordinate_name(i)).collect();
        return Some(names.join(", "));
    }
    let pair = match what {
        "passage" => blame.passage,
        "penetration" => blame.overlap,
        _ => None,
    };
    if let Some([a, b]) = pair {
        let bodies = system.bodies()?;
        return Some(format!("{}/{}", bodies.name(a), bodies.name(b)));
    }
    let id = match what {
        "penetration" => blame.penetration,
        "joint" => blame.joint,
        "touch" => blame.touch,
        "passivity" => blame.passivity,
        "limits" => blame.limits,
        "balance" => None,
        _ => blame.law,
    };
    id.map(|id| system.label(id))
}
