//! Quantities by formulas of signals and parameters. A comparison asks when it first begins to hold: that time is its
//! value once it has come; before, the time now, so that the value is continuous; at the end of a run in which it never
//! came, NaN.

use super::names::{Kind, Quantity};
use crate::error::StudyError;
use crate::quantity::formula::Formula;
use crate::quantity::reduce::{Running, Take};
use crate::quantity::signal::{self, Reader, Signal};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

/// Formulas, and what they need to know.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// As written.
    pub texts: Vec<String>,
    formulas: Vec<Formula>,
    signals: Vec<Signal>,
    /// Parameters, in the order of the scene.
    parameters: Vec<f64>,
}

impl Asked {
    /// Reads formulas of the signals of docs/studies.md and of the scene's parameters; or says what is wrong and what
    /// would be right.
    pub fn read(texts: &[String], scene: &Scene) -> Result<Self, StudyError> {
        let known = signal::names(scene.system.as_ref());
        let mut out = Self {
            texts: texts.to_vec(),
            parameters: scene.parameters.iter().map(|p| p.1).collect(),
            ..Self::default()
        };
        let mut signals: Vec<Signal> = Vec::new();
        for text in texts {
            let formula = Formula::read(text, &mut |name| {
                if let Some(k) = scene.parameters.iter().position(|p| p.0 == name) {
                    return Some(k);
                }
                let signal = signal::find(name, scene, &known)?;
                let at = signals.iter().position(|s| *s == signal).unwrap_or_else(|| {
                    signals.push(signal);
                    signals.len() - 1
                });
                Some(scene.parameters.len() + at)
            });
            let names = || known.iter().map(|k| k.0.as_str()).take(16).collect::<Vec<_>>().join(", ");
            out.formulas.push(formula.map_err(|e| match e.unknown {
                Some(unknown) => {
                    let name = unknown.word().to_owned();
                    StudyError::Quantity { text: text.clone(), name, known: names() }
                }
                None => StudyError::Formula { text: text.clone(), message: e.message, expected: e.expected },
            })?);
        }
        out.signals = signals;
        Ok(out)
    }

    /// What the formulas are.
    pub(super) fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let kind = |f: &Formula| if f.is_question() { Kind::First } else { Kind::Asked };
        self.texts.iter().zip(&self.formulas).map(move |(t, f)| Quantity { name: t.clone(), kind: kind(f) })
    }

    /// Before a run.
    pub(super) fn begin(&self) -> Firsts {
        let running = |f: &Formula| f.is_question().then(|| Running::new(Take::First, [0.0, f64::INFINITY]));
        Firsts { running: self.formulas.iter().map(running).collect(), values: self.parameters.clone() }
    }

    fn read_values(&self, simulation: &Simulation, reader: &mut Reader, values: &mut Vec<f64>) {
        values.resize(self.parameters.len() + self.signals.len(), 0.0);
        reader.read(simulation, &self.signals, &mut values[self.parameters.len()..]);
    }

    /// Takes what holds now into account: once before the first step and after each.
    pub(super) fn follow(&self, simulation: &Simulation, reader: &mut Reader, firsts: &mut Firsts) {
        if firsts.running.iter().all(Option::is_none) {
            return;
        }
        self.read_values(simulation, reader, &mut firsts.values);
        for (formula, running) in self.formulas.iter().zip(&mut firsts.running) {
            if let Some(running) = running {
                running.sample(simulation.state().t, formula, &firsts.values);
            }
        }
    }

    /// Appends the values of the formulas.
    pub(super) fn look(
        &self,
        simulation: &Simulation,
        reader: &mut Reader,
        firsts: &Firsts,
        out: &mut Vec<f64>,
    ) {
        let mut values = self.parameters.clone();
        self.read_values(simulation, reader, &mut values);
        for (formula, running) in self.formulas.iter().zip(&firsts.running) {
            let first = running.as_ref().map(Running::finish);
            out.push(match first {
                None => formula.value(&values),
                Some(t) if t.is_nan() && !simulation.is_done() => simulation.state().t,
                Some(t) => t,
            });
        }
    }
}

/// When comparisons first began to hold, so far.
pub(super) struct Firsts {
    /// For each formula that is a comparison.
    running: Vec<Option<Running>>,
    /// Parameters, then signals.
    values: Vec<f64>,
}
