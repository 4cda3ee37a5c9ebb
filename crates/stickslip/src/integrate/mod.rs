//! Embedded Runge–Kutta methods for `y' = f(t, y)`; free of mechanics.
//!
//! ```text
//! k_i = f(t + c_i h, y + h sum_j a_ij k_j)                                              (1)
//! y' = y + h sum b_i k_i,   error = h sum e_i k_i                                       (2)
//! ratio = max_i |error_i| / (absolute + relative max(|y_i|, |y'_i|))                    (3)
//! h_next = h clamp(0.9 ratio^(-1/(p + 1)), 0.2, 5),   p the lower order                 (4)
//! ```
//!
//! A step with `ratio <= 1` is accepted. `pair.rs` holds the coefficients: Dormand–Prince 5(4) with its interpolation of
//! fourth order, and Prince–Dormand 8(7), between whose steps runs the cubic through values and rates. [`RungeKutta`]
//! takes single steps and leaves to its caller what to make of them; [`integrate`] goes from one time to another.
//!
//! A rate that is not finite makes the ratio NaN: the step is not accepted.

mod pair;

pub use pair::Pair;

/// The rate of change: `f(t, y, out)`.
pub type Rate<'a> = dyn FnMut(f64, &[f64], &mut [f64]) + 'a;

/// What a step's error is compared with, eq. (3). The same numbers serve all components, in the units of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Absolute part.
    pub absolute: f64,
    /// Part relative to the size of the component.
    pub relative: f64,
}

/// Takes steps of an embedded pair, eq. (1) and (2), in memory that is kept.
#[derive(Clone, Debug)]
pub struct RungeKutta {
    pair: Pair,
    n: usize,
    k: Vec<f64>,
    stage: Vec<f64>,
    end: Vec<f64>,
    error: Vec<f64>,
    /// The rate at the end of the step, when it is known.
    end_rate_known: bool,
}

impl RungeKutta {
    /// Memory for a pair.
    pub fn new(pair: Pair) -> Self {
        Self {
            pair,
            n: 0,
            k: Vec::new(),
            stage: Vec::new(),
            end: Vec::new(),
            error: Vec::new(),
            end_rate_known: false,
        }
    }

    /// The pair.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    fn resize(&mut self, n: usize) {
        self.n = n;
        self.end_rate_known = false;
        // one more than the stages: the rate at the end of a step
        self.k.resize((self.pair.tableau().c.len() + 1) * n, 0.0);
        for v in [&mut self.stage, &mut self.end, &mut self.error] {
            v.resize(n, 0.0);
        }
    }

    /// Evaluates the first stage of the steps from `(t, y)`.
    pub fn begin(&mut self, f: &mut Rate, t: f64, y: &[f64]) {
        self.resize(y.len());
        f(t, y, &mut self.k[..self.n]);
    }

    /// Takes a step of length `h` from `(t, y)`, for which [`begin`](Self::begin) was called; may be called again with
    /// another length.
    pub fn attempt(&mut self, f: &mut Rate, t: f64, y: &[f64], h: f64) {
        let (n, tableau) = (self.n, self.pair.tableau());
        let stages = tableau.c.len();
        for i in 1..stages {
            let (before, rest) = self.k.split_at_mut(i * n);
            for c in 0..n {
                let sum: f64 = tableau.a[i].iter().enumerate().map(|(j, a)| a * before[j * n + c]).sum();
                self.stage[c] = y[c] + h * sum; // eq. (1)
            }
            f(t + tableau.c[i] * h, &self.stage, &mut rest[..n]);
        }
        for c in 0..n {
            let sum = |w: &[f64]| w.iter().enumerate().map(|(i, b)| b * self.k[i * n + c]).sum::<f64>();
            self.end[c] = y[c] + h * sum(tableau.b); // eq. (2)
            self.error[c] = h * sum(tableau.e);
        }
        self.end_rate_known = tableau.last_is_next;
        if tableau.last_is_next {
            self.k.copy_within((stages - 1) * n..stages * n, stages * n);
        }
    }

    /// The solution at the end of the last step.
    pub fn end(&self) -> &[f64] {
        &self.end
    }

    /// Eq. (3) over the first `count` components.
    pub fn ratio(&self, y: &[f64], count: usize, accuracy: Accuracy) -> f64 {
        let mut worst = 0.0f64;
        for c in 0..count {
            let size = accuracy.absolute + accuracy.relative * y[c].abs().max(self.end[c].abs());
            let ratio = if self.error[c] == 0.0 { 0.0 } else { self.error[c].abs() / size };
            if !ratio.is_finite() || !self.end[c].is_finite() {
                return f64::NAN;
            }
            worst = worst.max(ratio);
        }
        worst
    }

    /// Eq. (4).
    pub(crate) fn next_length(&self, h: f64, ratio: f64) -> f64 {
        if ratio.is_nan() {
            return 0.2 * h;
        }
        let power = -1.0 / f64::from(self.pair.tableau().lower + 1);
        h * (0.9 * ratio.powf(power)).clamp(0.2, 5.0)
    }

    /// Evaluates the rate at the end of the last step, which ended at `t`, where the pair has not done so.
    /// [`dense`](Self::dense) and [`advance`](Self::advance) need it.
    pub fn finish(&mut self, f: &mut Rate, t: f64) {
        if !self.end_rate_known {
            let at = self.pair.tableau().c.len() * self.n;
            f(t, &self.end, &mut self.k[at..at + self.n]);
            self.end_rate_known = true;
        }
    }

    /// Makes the end of the last step the start of the next: its rate is not evaluated again.
    pub fn advance(&mut self) {
        let at = self.pair.tableau().c.len() * self.n;
        self.k.copy_within(at..at + self.n, 0);
    }

    /// The solution at `theta` (0 to 1) of the last step of length `h` from `y`.
    pub fn dense(&self, y: &[f64], h: f64, theta: f64, out: &mut [f64]) {
        let n = self.n;
        let last = self.pair.tableau().c.len() * n;
        for c in 0..out.len() {
            let step = self.end[c] - y[c];
            let from = h * self.k[c] - step;
            let to = step - h * self.k[last + c] - from;
            let bend = match self.pair {
                Pair::Five => {
                    pair::INTERPOLATION.iter().enumerate().map(|(i, d)| d * self.k[i * n + c]).sum()
                }
                Pair::Eight => 0.0,
            };
            let rest = 1.0 - theta;
            out[c] = y[c] + theta * (step + rest * (from + theta * (to + rest * h * bend)));
        }
    }
}

/// How an integration went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Steps accepted.
    pub accepted: usize,
    /// Steps tried again with a shorter length.
    pub rejected: usize,
    /// True when the end was reached: false when steps became too short for the accuracy, or were too many.
    pub finished: bool,
}

/// Goes from `t` to `until` with steps of eq. (4), beginning with length `h`; `y` becomes the solution there. At most
/// `most` steps are tried.
pub fn integrate(
    method: &mut RungeKutta,
    f: &mut Rate,
    (t, until, h): (f64, f64, f64),
    y: &mut [f64],
    (accuracy, most): (Accuracy, usize),
) -> Count {
    let (mut t, mut h) = (t, h);
    let mut count = Count { accepted: 0, rejected: 0, finished: t == until };
    method.begin(f, t, y);
    while !count.finished && count.accepted + count.rejected < most {
        // a last step that would be nearly the rest is the rest
        let last = (until - t).abs() <= h.abs() * (1.0 + 1e-9);
        let length = if last { until - t } else { h.abs().copysign(until - t) };
        method.attempt(f, t, y, length);
        let ratio = method.ratio(y, y.len(), accuracy);
        h = method.next_length(length, ratio);
        if ratio <= 1.0 {
            t = if last { until } else { t + length };
            method.finish(f, t);
            y.copy_from_slice(method.end());
            method.advance();
            count.accepted += 1;
            count.finished = last;
        } else {
            count.rejected += 1;
            if h.abs() <= 4.0 * f64::EPSILON * t.abs() {
                break;
            }
        }
    }
    count
}
