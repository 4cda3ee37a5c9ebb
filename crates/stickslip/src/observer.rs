//! Who looks on while a simulation runs ([`Simulation::run`](crate::simulation::Simulation::run)), and how a run ends.
//!
//! An observer is shown the simulation before its first step and after each, and may end it. Recording, progress,
//! strictness, checkpoints, sampling and interrupts are observers: what a run does besides stepping is the list of
//! them. Observers are asked in order, and those after the one that ends a run do not see its last step: what must not
//! miss a step comes first.

use crate::simulation::Simulation;
use crate::stepper::StepError;
use std::ops::ControlFlow;

/// Looks on while a simulation runs.
pub trait Observer {
    /// Before the first step.
    fn begin(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    /// After a step.
    fn step(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Why an observer ends a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It has seen what it wanted.
    Enough,
    /// A step missed a tolerance where none may; which, in words.
    Missed(String),
    /// Somebody asked for it: a signal.
    Interrupted,
    /// The observer cannot do its work; why, in words.
    Failed(String),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// At its end.
    Complete,
    /// No step could be taken.
    Failed(StepError),
    /// An observer ended it.
    Stopped(Stop),
}

impl Ending {
    /// Why the run ended before its time, if it did, in words.
    pub fn reason(&self) -> Option<String> {
        match self {
            Ending::Complete | Ending::Stopped(Stop::Enough) => None,
            Ending::Failed(error) => Some(error.to_string()),
            Ending::Stopped(Stop::Missed(text) | Stop::Failed(text)) => Some(text.clone()),
            Ending::Stopped(Stop::Interrupted) => Some("interrupted".to_owned()),
        }
    }
}

/// Ends a run at the first step that misses a tolerance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strict;

impl Observer for Strict {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        if simulation.held() {
            return ControlFlow::Continue(());
        }
        let (what, value, limit) = simulation.last().certificate.worst(&simulation.settings().tolerance);
        let t = simulation.state().t;
        ControlFlow::Break(Stop::Missed(format!("{what} is {value:.3e} at t = {t} s, tolerance {limit:.3e}")))
    }
}

/// Whoever lends an observer sees what it sees.
impl<T: Observer> Observer for &mut T {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        (**self).begin(simulation)
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        (**self).step(simulation)
    }
}

/// What is not there sees nothing.
impl<T: Observer> Observer for Option<T> {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.as_mut().map_or(ControlFlow::Continue(()), |o| o.begin(simulation))
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.as_mut().map_or(ControlFlow::Continue(()), |o| o.step(simulation))
    }
}
