//! Quantities: numbers that a study takes from a motion.
//!
//! `signal.rs` names what there is at an instant, `formula.rs` computes with it, `reduce.rs` turns a formula over time
//! into one number; a quantity may also be a formula of the parameters and of the quantities before it.

pub mod formula;
pub mod reduce;
pub mod signal;

use formula::Formula;
use reduce::{Running, Take};
use signal::{Reader, Signal};
use std::ops::ControlFlow;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;

/// How a quantity is found.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// From a formula of parameters and signals over a window of time, s.
    Over {
        /// Which number of the formula over time.
        take: Take,
        /// The formula; places are parameters, then signals.
        formula: Formula,
        /// From when to when, s.
        window: [f64; 2],
    },
    /// By a formula of parameters and the quantities before; places in that order.
    Of(Formula),
}

/// The quantities of a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantities {
    /// Their names, in the order of the file.
    pub names: Vec<String>,
    /// How each is found.
    pub definitions: Vec<Definition>,
    /// The signals in use.
    pub signals: Vec<Signal>,
}

/// Takes the quantities from one run.
pub struct Watch<'a> {
    quantities: &'a Quantities,
    /// Parameters, then signals.
    values: Vec<f64>,
    parameters: usize,
    running: Vec<Option<Running>>,
    reader: Reader,
}

impl<'a> Watch<'a> {
    /// Before the run; `parameters` are those that the formulas know.
    pub fn new(quantities: &'a Quantities, parameters: &[f64]) -> Self {
        let mut values = parameters.to_vec();
        values.resize(parameters.len() + quantities.signals.len(), 0.0);
        let running = |d: &Definition| match d {
            Definition::Over { take, window, .. } => Some(Running::new(*take, *window)),
            Definition::Of(_) => None,
        };
        let running = quantities.definitions.iter().map(running).collect();
        Self { quantities, values, parameters: parameters.len(), running, reader: Reader::default() }
    }

    fn look(&mut self, simulation: &Simulation) {
        self.reader.read(simulation, &self.quantities.signals, &mut self.values[self.parameters..]);
        let t = simulation.state().t;
        for (definition, running) in self.quantities.definitions.iter().zip(&mut self.running) {
            if let (Definition::Over { formula, .. }, Some(running)) = (definition, running) {
                running.sample(t, formula, &self.values);
            }
        }
    }

    /// The parameters followed by the quantities.
    pub fn finish(self) -> Vec<f64> {
        let mut out = self.values[..self.parameters].to_vec();
        for (definition, running) in self.quantities.definitions.iter().zip(&self.running) {
            let value = match (definition, running) {
                (Definition::Of(formula), _) => formula.value(&out),
                (_, Some(running)) => running.finish(),
                (_, None) => f64::NAN,
            };
            out.push(value);
        }
        out
    }
}

impl Observer for Watch<'_> {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.look(simulation);
        ControlFlow::Continue(())
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.look(simulation);
        ControlFlow::Continue(())
    }
}
