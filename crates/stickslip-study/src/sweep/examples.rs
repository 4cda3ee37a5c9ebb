//! `examples.json`: motions of a sweep with stages to look at. The first trial that passed, in the runs of the last
//! stage, and the first that each stage refused, in the run that it refused; of a stage that runs nothing, how things
//! stand at the start.
//!
//! Trials are run again for it: what they do depends on their index alone.

use super::summary::Summary;
use crate::study::{Runs, Study};
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;
use stickslip::system::Description;
use stickslip_scene::Scene;

/// The most poses of a motion, and runs that are shown of a trial.
const POSES: u64 = 300;
const RUNS: u64 = 4;

/// All examples; planar worlds only, others have none.
pub(super) fn json(study: &Study, summary: &Summary<'_>) -> Value {
    let mut out = Vec::new();
    let last = study.stages.last().and_then(|s| s.runs.as_ref());
    if let (Some(trial), Some(runs)) = (summary.first_passed(), last) {
        for run in 0..runs.count().min(RUNS) {
            out.extend(example(study, (study.stages.len() - 1, true), trial, Some((runs, run))));
        }
    }
    for (k, stage) in study.stages.iter().enumerate() {
        if let Some((trial, run)) = summary.first_refused(k) {
            let run = stage.runs.as_ref().zip(run);
            out.extend(example(study, (k, false), trial, run));
        }
    }
    Value::Array(out)
}

/// One motion: what it looks like, and where everything is over time.
fn example(
    study: &Study,
    (stage, passed): (usize, bool),
    trial: u64,
    run: Option<(&Runs, u64)>,
) -> Option<Value> {
    let values = study.trial_values(trial);
    let mut settings = study.settings(&values);
    let further = run.map_or(Vec::new(), |(runs, run)| runs.settings(run));
    settings.extend(&further);
    // values that the scene cannot take have no picture
    let scene = run.map_or(&study.scene, |(runs, _)| &runs.scene).with(&settings).ok()?;
    let drawing = scene.system.drawing().filter(|d| d.dimension == 2)?;
    let poses = motion(&scene, run.is_some());
    let set = further.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
    Some(json!({
        "stage": study.stages[stage].name,
        "passed": passed,
        "trial": trial,
        "run": run.map(|r| r.1),
        "set": set.collect::<Map<_, _>>(),
        "drawing": drawing,
        "times": poses.times,
        "poses": poses.of_bodies,
    }))
}

/// Times and, of every body that moves, x, y and angle then.
#[derive(Default)]
struct Poses {
    /// Steps from one look to the next.
    every: u64,
    times: Vec<f64>,
    of_bodies: Map<String, Value>,
}

impl Poses {
    fn look(&mut self, simulation: &Simulation) {
        if !simulation.index().is_multiple_of(self.every) && !simulation.is_done() {
            return;
        }
        let state = simulation.state();
        self.times.push(state.t);
        for part in simulation.system().describe(state) {
            let Description::Body { name, position, orientation, .. } = part else { continue };
            if let Value::Array(list) = self.of_bodies.entry(name).or_insert_with(|| json!([])) {
                list.push(json!([position[0], position[1], orientation[0]]));
            }
        }
    }
}

impl Observer for Poses {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.look(simulation);
        ControlFlow::Continue(())
    }
}

/// The motion of a scene up to where it stops, or how things stand at its start.
fn motion(scene: &Scene, moves: bool) -> Poses {
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), scene.settings());
    let mut poses = Poses { every: simulation.steps().div_ceil(POSES).max(1), ..Poses::default() };
    poses.look(&simulation);
    if moves {
        simulation.run(&mut [&mut poses]);
    }
    poses
}
