//! Time on the wall and on the processor.

use std::time::Instant;

/// What something cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time that passed, s.
    pub wall: f64,
    /// Time on processors, all threads together, s; none where the system does not say.
    pub cpu: Option<f64>,
}

/// A clock that runs.
pub(super) struct Clock {
    start: Instant,
    cpu: Option<f64>,
}

impl Clock {
    /// Starts one.
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), cpu: processor() }
    }

    /// What has passed since.
    pub(super) fn stop(&self) -> Cost {
        let cpu = processor().zip(self.cpu).map(|(now, then)| (now - then).max(0.0));
        Cost { wall: self.start.elapsed().as_secs_f64(), cpu }
    }
}

/// Processor time of all threads of this process so far, s: Linux counts it in ns, per thread.
fn processor() -> Option<f64> {
    let mut sum = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9;
    }
    Some(sum)
}

/// Processor time of this thread so far, s; time on the wall where the system does not say.
pub(crate) fn thread_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let spent = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
    };
    spent().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}
