//! A run, seen at given times: its quantities there, its closings, its certificate and what it cost. Runs are
//! compared at the same times, whatever their steps.

mod asked;
mod clock;
mod names;

pub use asked::Asked;
pub use clock::Cost;
pub use names::{Kind, Quantity};

use crate::quantity::signal::Reader;
use asked::Firsts;
use clock::Clock;
pub(crate) use clock::thread_seconds;
use complementarity::problem::contact::ContactProblem;
use std::ops::ControlFlow;
use stickslip::certificate::Certificate;
use stickslip::energy::Ledger;
use stickslip::events::EventKind;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::StepperConfig;
use stickslip::system::{ConstraintId, System};
use stickslip_scene::Scene;

/// Times closer than this part of a step are the same.
const SAME_TIME: f64 = 1e-6;

/// What to run and when to look.
pub struct Plan<'a> {
    /// The system.
    pub system: &'a dyn System,
    /// Stepper, cone and solver.
    pub stepper: StepperConfig,
    /// Step, end and tolerances.
    pub settings: Settings,
    /// When to look, s, ascending, within the run. Between two steps quantities are interpolated.
    pub times: &'a [f64],
    /// Quantities by formula, besides those that every run has.
    pub asked: Option<&'a Asked>,
    /// How many contact problems to keep, at even distances of steps.
    pub problems: usize,
}

impl<'a> Plan<'a> {
    /// The run of a scene as it is, with another step (s).
    pub fn of(scene: &'a Scene, step: f64, times: &'a [f64]) -> Self {
        let settings = Settings { step, until: scene.until, tolerance: scene.tolerance };
        Self {
            system: scene.system.as_ref(),
            stepper: scene.stepper,
            settings,
            times,
            asked: None,
            problems: 0,
        }
    }
}

/// A time, s, and the values of all quantities then.
type Look = (f64, Vec<f64>);

impl Plan<'_> {
    fn quantities(&self) -> Vec<Quantity> {
        let by_formula = self.asked.into_iter().flat_map(Asked::quantities);
        Quantity::all(self.system).into_iter().chain(by_formula).collect()
    }

    /// Notes which comparisons hold now.
    fn follow(&self, simulation: &Simulation, (reader, firsts): &mut (Reader, Option<Firsts>)) {
        if let (Some(asked), Some(firsts)) = (self.asked, firsts) {
            asked.follow(simulation, reader, firsts);
        }
    }

    fn look(&self, simulation: &Simulation, (reader, firsts): &mut (Reader, Option<Firsts>)) -> Look {
        let mut values = names::values(&self.system.describe(simulation.state()));
        if let (Some(asked), Some(firsts)) = (self.asked, firsts) {
            asked.look(simulation, reader, firsts, &mut values);
        }
        (simulation.state().t, values)
    }
}

/// A contact that closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closing {
    /// When, s.
    pub t: f64,
    /// Which.
    pub id: ConstraintId,
}

/// A run, seen at given times.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// What was looked at.
    pub quantities: Vec<Quantity>,
    /// When, s: those of the plan that the run reached.
    pub times: Vec<f64>,
    /// Per time, the value of every quantity.
    pub values: Vec<Vec<f64>>,
    /// The closings and impacts, in order of time.
    pub closings: Vec<Closing>,
    /// Largest kinetic energy seen, J.
    pub kinetic: f64,
    /// The energy ledger at the end.
    pub ledger: Ledger,
    /// The worst over the run.
    pub certificate: Certificate,
    /// Steps that missed a tolerance.
    pub missed_steps: u64,
    /// Steps taken.
    pub steps: u64,
    /// Why the run ended before its time, if it did.
    pub stopped: Option<String>,
    /// What it cost.
    pub cost: Cost,
    /// The contact problems kept.
    pub problems: Vec<ContactProblem>,
}

impl Sampled {
    /// Carries a plan out.
    pub fn run(plan: &Plan<'_>) -> Self {
        let mut simulation = Simulation::new(plan.system, plan.stepper.build(), plan.settings);
        let mut sampling = Sampling::new(plan, &simulation);
        let clock = Clock::start();
        let stopped = simulation.run(&mut [&mut sampling]).reason();
        Self {
            cost: clock.stop(),
            stopped,
            ledger: *simulation.ledger(),
            certificate: simulation.certificate().worst,
            missed_steps: simulation.certificate().missed_steps,
            steps: simulation.index(),
            ..sampling.out
        }
    }

    /// Takes the times of the plan that lie between two looks.
    fn take(&mut self, plan: &Plan<'_>, a: &Look, b: &Look) {
        let same = SAME_TIME * plan.settings.step;
        while let Some(&t) = plan.times.get(self.times.len()) {
            if t > b.0 + same {
                return;
            }
            let part = if (t - b.0).abs() <= same { 1.0 } else { (t - a.0) / (b.0 - a.0) };
            let between = |(x, y): (&f64, &f64)| if part == 1.0 { *y } else { x + part * (y - x) };
            self.values.push(a.1.iter().zip(&b.1).map(between).collect());
            self.times.push(t);
        }
    }

    /// The values of one quantity over the times.
    pub fn series(&self, quantity: usize) -> impl Iterator<Item = f64> + Clone {
        self.values.iter().map(move |v| v[quantity])
    }

    /// The values at the last time.
    pub fn last(&self) -> &[f64] {
        self.values.last().map_or(&[], Vec::as_slice)
    }

    /// True when the run reached its end and every step held its tolerances.
    pub fn is_certified(&self) -> bool {
        self.stopped.is_none() && self.missed_steps == 0
    }
}

/// Takes what a plan asks for from a run.
struct Sampling<'a> {
    plan: &'a Plan<'a>,
    out: Sampled,
    reader: (Reader, Option<Firsts>),
    before: Look,
    /// Steps from one problem that is kept to the next.
    every: u64,
}

impl<'a> Sampling<'a> {
    /// Looks at the start.
    fn new(plan: &'a Plan<'a>, simulation: &Simulation) -> Self {
        let mut reader = (Reader::default(), plan.asked.map(Asked::begin));
        plan.follow(simulation, &mut reader);
        let before = plan.look(simulation, &mut reader);
        let kinetic = simulation.ledger().kinetic;
        let mut out = Sampled { quantities: plan.quantities(), kinetic, ..Sampled::default() };
        out.take(plan, &before, &before);
        let every = (simulation.steps() / (plan.problems.max(1) as u64 + 1)).max(1);
        Self { plan, out, reader, before, every }
    }
}

impl Observer for Sampling<'_> {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        let (plan, out) = (self.plan, &mut self.out);
        plan.follow(simulation, &mut self.reader);
        let closed =
            simulation.events().iter().filter(|e| matches!(e.kind, EventKind::Impact | EventKind::Close));
        out.closings.extend(closed.map(|e| Closing { t: e.t, id: e.id }));
        out.kinetic = out.kinetic.max(simulation.ledger().kinetic);
        // a look allocates: only where one is due before the next step
        let next = simulation.state().t + (1.0 + SAME_TIME) * plan.settings.step;
        if plan.times.get(out.times.len()).is_some_and(|t| *t <= next) || simulation.is_done() {
            let after = plan.look(simulation, &mut self.reader);
            out.take(plan, &self.before, &after);
            self.before = after;
        }
        let keep = out.problems.len() < plan.problems && simulation.index().is_multiple_of(self.every);
        if keep && !simulation.problem().is_empty() {
            out.problems.push(simulation.problem().clone());
        }
        ControlFlow::Continue(())
    }
}

/// `count` intervals of whole steps, as even as they can be, up to the end; 0 is among the times, and so is the end.
pub fn times(step: f64, until: f64, count: usize) -> Vec<f64> {
    let steps = (until / step * (1.0 + 1e-12)).floor().max(1.0);
    let count = (count as f64).min(steps);
    let mut out: Vec<f64> = (0..=count as u64).map(|k| (k as f64 * steps / count).floor() * step).collect();
    match out.last_mut() {
        Some(last) if (until - *last).abs() <= SAME_TIME * step => *last = until,
        _ => out.push(until),
    }
    out
}
