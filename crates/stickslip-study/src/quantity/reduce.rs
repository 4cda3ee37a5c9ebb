//! From a signal over time to one number. Between two samples a signal is taken as straight:
//!
//! ```text
//! mean = (1/T) ∫ f dt,   rms = sqrt((1/T) ∫ f² dt),   integral = ∫ f dt                     (1)
//! first, last: the first and last instant at which a truth begins to hold; of a comparison a < b,
//!              where the straight line of a − b turns sign; NaN when it never does            (2)
//! ```
//!
//! all within a window of time, by default the whole run. A window that no part of the run is in gives NaN (and 0 for
//! `integral` and `count`).

use super::formula::Formula;

/// How a signal becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Take {
    Start,
    End,
    Min,
    Max,
    Mean,
    Rms,
    Integral,
    First,
    Last,
    Count,
}

/// The ways with their names.
pub const TAKES: [(&str, Take); 10] = [
    ("start", Take::Start),
    ("end", Take::End),
    ("min", Take::Min),
    ("max", Take::Max),
    ("mean", Take::Mean),
    ("rms", Take::Rms),
    ("integral", Take::Integral),
    ("first", Take::First),
    ("last", Take::Last),
    ("count", Take::Count),
];

impl Take {
    /// True for the ones that ask when something holds.
    pub fn asks(self) -> bool {
        matches!(self, Take::First | Take::Last | Take::Count)
    }
}

/// A signal's way to a number so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    take: Take,
    window: [f64; 2],
    /// Time, value, margin of the last sample.
    last: Option<(f64, f64, Option<f64>)>,
    value: f64,
    length: f64,
}

impl Running {
    /// Before the first sample. The window is in s.
    pub fn new(take: Take, window: [f64; 2]) -> Self {
        let value = match take {
            Take::Integral | Take::Count | Take::Mean | Take::Rms => 0.0,
            _ => f64::NAN,
        };
        Self { take, window, last: None, value, length: 0.0 }
    }

    /// Takes the sample at a time.
    pub fn sample(&mut self, t: f64, formula: &Formula, values: &[f64]) {
        let (f, margin) = (formula.value(values), formula.margin(values));
        match self.last {
            None => self.begin(t, f),
            Some(last) => self.segment(last, (t, f, margin)),
        }
        self.last = Some((t, f, margin));
    }

    fn begin(&mut self, t: f64, f: f64) {
        if t < self.window[0] || t > self.window[1] {
            return;
        }
        match self.take {
            Take::Start | Take::End | Take::Min | Take::Max => self.value = f,
            Take::First | Take::Last if f != 0.0 => self.value = t,
            Take::Count if f != 0.0 => self.value = 1.0,
            _ => {}
        }
    }

    fn segment(&mut self, (t0, f0, m0): (f64, f64, Option<f64>), (t1, f1, m1): (f64, f64, Option<f64>)) {
        if self.take.asks() {
            if f0 == 0.0 && f1 != 0.0 {
                let share = match (m0, m1) {
                    (Some(a), Some(b)) if a != b => (a / (a - b)).clamp(0.0, 1.0),
                    _ => 1.0,
                };
                self.begins(t0 + share * (t1 - t0));
            }
            return;
        }
        let (a, b) = (t0.max(self.window[0]), t1.min(self.window[1]));
        if b < a || t1 <= t0 {
            return;
        }
        let at = |t: f64| {
            let share = (t - t0) / (t1 - t0);
            // exact at the samples themselves
            if t == t1 { f1 } else { f0 + share * (f1 - f0) }
        };
        let (fa, fb) = (at(a), at(b));
        match self.take {
            Take::Start if self.value.is_nan() => self.value = fa,
            Take::Start => {}
            Take::End => self.value = fb,
            Take::Min => self.value = self.value.min(fa).min(fb),
            Take::Max => self.value = self.value.max(fa).max(fb),
            Take::Mean | Take::Integral => self.value += 0.5 * (fa + fb) * (b - a),
            Take::Rms => self.value += (fa * fa + fa * fb + fb * fb) / 3.0 * (b - a),
            Take::First | Take::Last | Take::Count => {}
        }
        self.length += b - a;
    }

    /// A truth begins to hold.
    fn begins(&mut self, t: f64) {
        if t < self.window[0] || t > self.window[1] {
            return;
        }
        match self.take {
            Take::First if self.value.is_nan() => self.value = t,
            Take::Last => self.value = t,
            Take::Count => self.value += 1.0,
            _ => {}
        }
    }

    /// The number.
    pub fn finish(&self) -> f64 {
        match self.take {
            Take::Mean => self.value / self.length,
            Take::Rms => (self.value / self.length).sqrt(),
            _ => self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(take: Take, window: [f64; 2], text: &str) -> f64 {
        let formula = Formula::read(text, &mut |name| (name == "t").then_some(0)).unwrap();
        let mut running = Running::new(take, window);
        for i in 0..=10 {
            let t = 0.25 * f64::from(i);
            running.sample(t, &formula, &[t]);
        }
        running.finish()
    }

    #[test]
    fn straight_signals_are_reduced_exactly() {
        let all = [0.0, f64::INFINITY];
        for (take, window, text, expected) in [
            (Take::Start, all, "3 - t", 3.0),
            (Take::End, all, "3 - t", 0.5),
            (Take::End, [0.0, 1.1], "3 - t", 1.9),
            (Take::Start, [0.3, 1.0], "3 - t", 2.7),
            (Take::Min, all, "3 - t", 0.5),
            (Take::Max, [0.6, 1.0], "3 - t", 2.4),
            (Take::Mean, [0.1, 1.3], "3 - t", 2.3),
            (Take::Integral, [0.5, 1.0], "t", 0.375),
            (Take::Rms, [0.0, 1.0], "t", (1.0f64 / 3.0).sqrt()),
            (Take::First, all, "t > 1.1", 1.1),
            (Take::First, all, "not t <= 1.1", 1.25),
            (Take::First, all, "t >= 0", 0.0),
            (Take::Count, all, "sin(4*pi*t/2) > 0.5", 3.0),
            (Take::Last, all, "sin(4*pi*t/2) > 0.5", 2.0 + 0.125),
            (Take::Count, all, "t > 99", 0.0),
        ] {
            let value = run(take, window, text);
            assert!((value - expected).abs() < 1e-12, "{take:?} {text}: {value} not {expected}");
        }
        assert!(run(Take::First, all, "t > 99").is_nan());
        assert!(run(Take::Mean, [5.0, 6.0], "t").is_nan());
    }
}
