//! A progress bar on stderr for runs over a second; none when stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;

/// The bar, once it is worth showing.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    total: u64,
    position: u64,
    /// What is counted, and how often to look at the clock.
    unit: &'static str,
    every: u64,
    terminal: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub(crate) fn new(total: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { bar: None, start: Instant::now(), total, position: 0, unit: "steps", every: 64, terminal }
    }

    /// The same for the trials of a study.
    pub(crate) fn trials(total: u64) -> Self {
        let mut progress = Self::new(total);
        (progress.unit, progress.every) = ("trials", 1);
        progress
    }

    /// How far it has come.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Says how far the run is. Several threads may say so out of turn.
    pub(crate) fn at(&mut self, position: u64) {
        self.position = self.position.max(position);
        if !self.terminal || !position.is_multiple_of(self.every) {
            return;
        }
        if self.bar.is_none() && self.start.elapsed() > Duration::from_secs(1) {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr_with_hz(10));
            let template = format!("{{bar:40}} {{pos}}/{{len}} {}  {{per_sec}}  {{eta}} left", self.unit);
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.position);
        }
    }
}

impl Observer for Progress {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.at(simulation.index());
        ControlFlow::Continue(())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
