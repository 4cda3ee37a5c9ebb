//! A progress bar on stderr for runs over a second; none when stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The bar, once it is worth showing.
pub struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    total: u64,
    terminal: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn new(total: u64) -> Self {
        Self { bar: None, start: Instant::now(), total, terminal: std::io::stderr().is_terminal() }
    }

    /// Says how far the run is.
    pub fn at(&mut self, steps: u64) {
        if !self.terminal || !steps.is_multiple_of(64) {
            return;
        }
        if self.bar.is_none() && self.start.elapsed() > Duration::from_secs(1) {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr_with_hz(10));
            let template = "{bar:40} {pos}/{len} steps  {per_sec}  {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(steps);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
