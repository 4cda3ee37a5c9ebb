//! Who looks on while Python's simulations run: exceptions of user code, signals, progress, and who else may end them.
//!
//! Exceptions wait with the thread ([`Failures`]) wherever they come from; [`run`] finds them when the loop is over,
//! before what they did to the step. Simulations run without the interpreter's lock and ask for signals every
//! [`LOOK_UP`].

use crate::load::Failures;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickslip::observer::{Ending, Observer, Stop};
use stickslip::simulation::Simulation;

/// How long a run goes on before it asks the interpreter for signals.
pub const LOOK_UP: Duration = Duration::from_millis(20);
/// Steps between looks at the clock.
const STEPS: u64 = 16;

/// Runs a simulation, without the interpreter, up to its end or the first exception.
pub fn run(
    simulation: &mut Simulation,
    failures: &Failures,
    observers: &mut [&mut dyn Observer],
) -> PyResult<Ending> {
    let ending = simulation.run(observers);
    failures.take().map_or(Ok(ending), Err)
}

/// Ends a run at the first exception of user code; to come before those who would take its step.
pub struct UserCode<'a>(pub &'a Failures);

impl Observer for UserCode<'_> {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.step(simulation)
    }

    fn step(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        if self.0.any() { failed() } else { ControlFlow::Continue(()) }
    }
}

fn failed() -> ControlFlow<Stop> {
    ControlFlow::Break(Stop::Failed("an exception in Python".to_owned()))
}

/// Asks the interpreter for signals now and then, and tells it how far a run is.
pub struct Interpreter<'a> {
    failures: &'a Failures,
    progress: Option<&'a Py<PyAny>>,
    steps: u64,
    looked: Option<Instant>,
}

impl<'a> Interpreter<'a> {
    /// `progress` is called with steps done and to do.
    pub fn new(failures: &'a Failures, progress: Option<&'a Py<PyAny>>) -> Self {
        Self { failures, progress, steps: 0, looked: None }
    }

    /// Tells how far the run is.
    pub fn report(&self, simulation: &Simulation) -> PyResult<()> {
        let Some(progress) = self.progress else { return Ok(()) };
        Python::attach(|py| progress.call1(py, (simulation.index(), simulation.steps())).map(|_| ()))
    }
}

impl Observer for Interpreter<'_> {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.steps += 1;
        let due = self.steps.is_multiple_of(STEPS)
            && self.looked.get_or_insert_with(Instant::now).elapsed() >= LOOK_UP;
        if !due {
            return ControlFlow::Continue(());
        }
        self.looked = None;
        match Python::attach(|py| py.check_signals()).and_then(|()| self.report(simulation)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failures.keep(error);
                failed()
            }
        }
    }
}

/// Ends a run when another thread says so.
pub struct Flag<'a>(pub &'a AtomicBool);

impl Observer for Flag<'_> {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.step(simulation)
    }

    fn step(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        if self.0.load(Ordering::Relaxed) {
            return ControlFlow::Break(Stop::Interrupted);
        }
        ControlFlow::Continue(())
    }
}

/// Ends a run after so many steps; knows whether all of them held their tolerances.
pub struct Steps {
    left: u64,
    /// True while none missed a tolerance.
    pub all_held: bool,
}

impl Steps {
    /// So many.
    pub fn new(count: u64) -> Self {
        Self { left: count, all_held: true }
    }

    fn enough(&self) -> ControlFlow<Stop> {
        if self.left == 0 { ControlFlow::Break(Stop::Enough) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Steps {
    fn begin(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        self.enough()
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.left -= 1;
        self.all_held &= simulation.held();
        self.enough()
    }
}
