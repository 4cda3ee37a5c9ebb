//! One trial: the scene with values put in, run to its end, the motion turned into numbers.

use crate::error::StudyError;
use crate::quantity::Watch;
use crate::study::{SceneText, Study};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

/// What came of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The values of the study's parameters.
    pub values: Vec<f64>,
    /// The quantities; NaN where the run ended before they could be known.
    pub quantities: Vec<f64>,
    /// The outcomes; none of them holds for a trial that failed.
    pub outcomes: Vec<bool>,
    /// Steps that missed a tolerance: the trial is certified when there are none and it did not fail.
    pub missed_steps: u64,
    /// Steps taken.
    pub steps: u64,
    /// Why it ended before its time, if it did: the scene cannot take the values, or a step could not be taken.
    pub failure: Option<String>,
    /// How far it came through the stages of the study, where it has some.
    pub passage: Option<Passage>,
}

/// How far a trial came through the stages of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The stage it ended in: the one that refused it, or the last.
    pub stage: usize,
    /// The last run of that stage, where it runs something.
    pub run: Option<u64>,
    /// True when every stage let it pass.
    pub passed: bool,
    /// Whether the last stage would have let it pass, where that was tried on a trial that an earlier one refused.
    pub audit: Option<bool>,
}

impl Trial {
    /// True when every step held its tolerances up to the end.
    pub fn is_certified(&self) -> bool {
        self.failure.is_none() && self.missed_steps == 0
    }
}

/// Runs a trial with these values of the study's parameters.
pub fn run(study: &Study, values: &[f64]) -> Trial {
    run_in(study, &study.scene, values)
}

/// Runs a trial in another scene than the study's own: one with further settings.
pub fn run_in(study: &Study, scene: &SceneText, values: &[f64]) -> Trial {
    run_with(study, scene, values, &[]).0
}

/// The same with further values put in, by paths of the scene. The second result is what the outcomes' formulas are of.
pub(crate) fn run_with(
    study: &Study,
    scene: &SceneText,
    values: &[f64],
    further: &[(&str, f64)],
) -> (Trial, Vec<f64>) {
    let mut settings = study.settings(values);
    settings.extend(further);
    match scene.with(&settings) {
        Ok(scene) => run_scene(study, values, &scene),
        Err(error) => {
            let failure = Some(StudyError::values(&error).to_string());
            (Trial { failure, ..Trial::before(study, values) }, Vec::new())
        }
    }
}

impl Trial {
    /// A trial that nothing was run of.
    pub(crate) fn before(study: &Study, values: &[f64]) -> Self {
        Self {
            values: values.to_vec(),
            quantities: vec![f64::NAN; study.quantities.names.len()],
            outcomes: vec![false; study.outcomes.len()],
            missed_steps: 0,
            steps: 0,
            failure: None,
            passage: None,
        }
    }
}

fn run_scene(study: &Study, values: &[f64], scene: &Scene) -> (Trial, Vec<f64>) {
    let mut known = values.to_vec();
    for name in &study.known[values.len()..] {
        let value = scene.parameters.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| *v);
        known.push(value);
    }
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), scene.settings());
    let mut watch = Watch::new(&study.quantities, &known);
    let failure = simulation.run(&mut [&mut watch]).reason();
    let numbers = watch.finish();
    let holds = |f: &crate::quantity::formula::Formula| failure.is_none() && f.value(&numbers) != 0.0;
    let trial = Trial {
        values: values.to_vec(),
        outcomes: study.outcomes.iter().map(|(_, f)| holds(f)).collect(),
        quantities: numbers[known.len()..].to_vec(),
        missed_steps: simulation.certificate().missed_steps,
        steps: simulation.index(),
        failure,
        passage: None,
    };
    (trial, numbers)
}
