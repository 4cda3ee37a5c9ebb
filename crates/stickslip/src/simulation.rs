//! The loop: step, certify, account, observe.

use crate::audit::{self, Auditor, Exchange};
use crate::certificate::{RunCertificate, Tolerance};
use crate::energy::Ledger;
use crate::events::Modes;
use crate::state::State;
use crate::step::{Step, Warm};
use crate::stepper::{StepError, Stepper, TimeStep};
use crate::system::{Law, Snapshot, System};
use complementarity::problem::contact::ContactProblem;
use serde::{Deserialize, Serialize};

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

/// Everything a run needs to go on from where it was, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The scene as run; a checkpoint continues only the same scene.
    pub scene: String,
    /// Steps done.
    pub index: u64,
    /// The state.
    pub state: State,
    /// Impulses the solver starts from.
    pub warm: Warm,
    /// The energy ledger so far.
    pub ledger: Ledger,
    /// The certificate so far.
    pub certificate: RunCertificate,
    /// What each contact was doing.
    pub modes: Modes,
    /// The energies that growth is compared with; a file without them begins anew.
    #[serde(default)]
    pub exchange: Exchange,
}

/// A simulation under way.
pub struct Simulation<'a> {
    system: &'a dyn System,
    stepper: Box<dyn Stepper>,
    settings: Settings,
    state: State,
    index: u64,
    step: Step,
    ledger: Ledger,
    certificate: RunCertificate,
    auditor: Auditor,
    exchange: Exchange,
}

/// A simulation without its system: to be kept, and resumed with the same system.
pub struct Paused {
    stepper: Box<dyn Stepper>,
    settings: Settings,
    state: State,
    index: u64,
    step: Step,
    ledger: Ledger,
    certificate: RunCertificate,
    auditor: Auditor,
    exchange: Exchange,
}

impl<'a> Simulation<'a> {
    /// Lets go of the system.
    pub fn pause(self) -> Paused {
        let Self { stepper, settings, state, index, step, ledger, certificate, auditor, exchange, .. } = self;
        Paused { stepper, settings, state, index, step, ledger, certificate, auditor, exchange }
    }

    /// Goes on with a simulation of this system.
    pub fn resume(system: &'a dyn System, paused: Paused) -> Self {
        let Paused { stepper, settings, state, index, step, ledger, certificate, auditor, exchange } = paused;
        Self { system, stepper, settings, state, index, step, ledger, certificate, auditor, exchange }
    }

    /// Puts the system elsewhere, by hand, at the time it has come to, as if a run began there: nothing is left of what the
    /// solver knew. The energies of the ledger become those of the new state; what was done to get there is nobody's work.
    /// Coordinates that are off their manifold (quaternions) by more than rounding are moved onto it.
    pub fn place(&mut self, q: &[f64], u: &[f64]) {
        let from = self.state.clone();
        self.state.q.copy_from_slice(q);
        self.state.u.copy_from_slice(u);
        let mut on_manifold = q.to_vec();
        self.system.normalise(&mut on_manifold);
        let off = q.iter().zip(&on_manifold).any(|(a, b)| (a - b).abs() > 4.0 * f64::EPSILON);
        if off {
            self.state.q = on_manifold;
        }
        self.system.follow(&from, &mut self.state);
        self.stepper.set_warm(Warm::default());
        let mut snapshot = Snapshot::default();
        self.system.dynamics(&self.state, &mut snapshot);
        self.ledger.kinetic = snapshot.mass.half_square(&self.state.u);
        self.ledger.potential = snapshot.potential;
        self.exchange = Exchange::beginning(&self.ledger);
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
        Self {
            system,
            stepper,
            settings,
            state,
            index: 0,
            step: Step::default(),
            ledger,
            certificate: RunCertificate::default(),
            auditor: Auditor::new(system),
            exchange: Exchange::beginning(&ledger),
        }
    }

    /// Goes on from a checkpoint.
    pub fn restore(&mut self, checkpoint: &Checkpoint) {
        self.state = checkpoint.state.clone();
        self.index = checkpoint.index;
        self.stepper.set_warm(checkpoint.warm.clone());
        self.ledger = checkpoint.ledger;
        self.certificate = checkpoint.certificate.clone();
        self.exchange = checkpoint.exchange;
    }

    /// What is needed to go on from here later. `scene` is the text of the scene as run.
    pub fn checkpoint(&self, scene: &str, modes: &Modes) -> Checkpoint {
        Checkpoint {
            scene: scene.to_owned(),
            index: self.index,
            state: self.state.clone(),
            warm: self.stepper.warm().clone(),
            ledger: self.ledger,
            certificate: self.certificate.clone(),
            modes: modes.clone(),
            exchange: self.exchange,
        }
    }

    /// Number of steps of the whole run.
    pub fn steps(&self) -> u64 {
        let ratio = self.settings.until / self.settings.step;
        let whole = ratio.round();
        (if (ratio - whole).abs() <= 1e-9 * whole { whole } else { ratio.ceil() }) as u64
    }

    /// True when the end is reached.
    pub fn is_done(&self) -> bool {
        self.index >= self.steps()
    }

    /// Takes one step. Returns true when it holds its tolerances.
    pub fn advance(&mut self) -> Result<bool, StepError> {
        let last = self.index + 1 == self.steps();
        let (step, until) = (self.settings.step, self.settings.until);
        // times are multiples of the step, not sums of it
        let end = if last { until } else { (self.index + 1) as f64 * step };
        let whole = (end - self.index as f64 * step - step).abs() <= 1e-9 * step;
        let dt = if whole { step } else { end - self.index as f64 * step };
        let stepped = self.stepper.step(self.system, &self.state, TimeStep { dt, end }, &mut self.step);
        stepped.map_err(|e| self.name_cause(e, end))?;
        let lifts = |law: Law| matches!(law, Law::DryDisc { bound } if bound.is_nan() || bound < 0.0);
        if let Some(o) = self.step.outcomes.iter().find(|o| lifts(o.constraint.law)) {
            return Err(StepError::Lifts { t: end, support: self.system.label(o.constraint.id) });
        }
        let tolerance = &self.settings.tolerance;
        let accounts = (&self.ledger, &mut self.exchange);
        let manner = self.stepper.manner();
        self.auditor.judge(self.system, manner, &self.state, tolerance, accounts, &mut self.step)?;
        self.state.copy_from(&self.step.state);
        self.index += 1;
        self.ledger.take(&self.step.work, self.step.kinetic, self.step.potential);
        let (blame, system, free) = (self.step.blame, self.system, &self.step.free);
        let label = |what: &str| {
            if what == "uniqueness" {
                let names: Vec<String> = free.iter().map(|&i| system.coordinate_name(i)).collect();
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
        };
        Ok(self.certificate.take(end, &self.step.certificate, &self.settings.tolerance, label))
    }

    /// A state that is no longer finite, by what made it so.
    fn name_cause(&self, error: StepError, end: f64) -> StepError {
        match error {
            StepError::NotFinite { .. } => match audit::cause(self.system, &self.state, end) {
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
        &self.settings
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps done.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The last step.
    pub fn last(&self) -> &Step {
        &self.step
    }

    /// The contact problem of the last step.
    pub fn problem(&self) -> &ContactProblem {
        self.stepper.problem()
    }

    /// The energy ledger so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The certificate so far.
    pub fn certificate(&self) -> &RunCertificate {
        &self.certificate
    }
}
