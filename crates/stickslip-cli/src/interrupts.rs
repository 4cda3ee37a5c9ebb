//! Ctrl-C and TERM end a run after its step, or within it where steps may be long (`event`, `gauss`), with all files,
//! a checkpoint and a page; a second one ends the process at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;

/// Whether somebody asked for an end.
pub(crate) struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// Listens from now on.
    pub(crate) fn new() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // in this order: the first signal finds the flag not set
            flag::register_conditional_shutdown(signal, 128 + signal, asked.clone())?;
            flag::register(signal, asked.clone())?;
        }
        Ok(Self(asked))
    }

    /// The flag that says so.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Observer for Interrupts {
    fn step(&mut self, _simulation: &Simulation) -> ControlFlow<Stop> {
        if self.0.load(Ordering::Relaxed) {
            return ControlFlow::Break(Stop::Interrupted);
        }
        ControlFlow::Continue(())
    }
}
