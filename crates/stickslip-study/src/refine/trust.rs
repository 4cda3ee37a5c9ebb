//! Up to when the runs approach each other, and what happens then.
//!
//! With the largest difference of two successive runs so far, in units of the quantities' sizes,
//!
//! ```text
//! E_k(t) = max over s <= t, continuous quantities q, of |d_k(s)| / size                          (1)
//! ```
//!
//! the runs *contract* at t where E falls by a factor of at most 0.8 a level, in the mean over the last four differences, and so
//! does the same with sums over s and q in place of the maximum (one quantity may hide what the others do),
//! or where E_K is zero (differences that are rounding do not count). An answer can be trusted while they do and `E_K` is below a twentieth. Where it cannot be to the end:
//!
//! - the runs contract all the same: the steps are too *coarse* for now;
//! - the difference had grown to a twentieth of the motion before the runs ceased to contract: small differences grow, the
//!   motion is *chaotic*, and smaller steps help for a little longer only;
//! - it was still small when they ceased to: something is decided differently in runs that nearly agree, such as which of two
//!   contacts closes first. The motion is *discontinuous* in the step.
//!
//! Runs that contract to the end in the mean, and scatter so much that the interval of their order has zero in it
//! (`order.rs`), are *unsure*: nothing says that smaller steps get nearer, and no time is trusted.
//!
//! With an accuracy e asked for, the time from which on `3 E_K / (2^p − 1) > e` also ends the trust.

use super::order;
use super::size::Sizes;
use crate::sampled::Sampled;
use stickslip::system::System;

/// Mean factor per level above which differences do not contract.
const CONTRACTION: f64 = 0.8;
/// How many differences, the last ones, contraction is judged by.
const WINDOW: usize = 4;
/// Differences of that part of the motion have grown to its size.
const GROWN: f64 = 0.05;

/// What became of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing depends on the step.
    Exact,
    /// The runs approach each other up to the end.
    Converging,
    /// They do in the mean, but scatter so much that their order is not known: it may be none.
    Unsure,
    /// They do, but the accuracy asked for is not reached to the end.
    Coarse,
    /// Differences grow to the size of the motion.
    Chaotic,
    /// Something is decided differently at different steps.
    Discontinuous,
}

impl Verdict {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Converging => "converging",
            Verdict::Unsure => "unsure",
            Verdict::Coarse => "coarse",
            Verdict::Chaotic => "chaotic",
            Verdict::Discontinuous => "discontinuous",
        }
    }

    /// True when the whole run can be trusted.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Exact | Verdict::Converging)
    }
}

/// Where the closings of the two finest runs part.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// When, s: the earlier of the two closings.
    pub time: f64,
    /// The contact that closes in the finest run; none where no more do.
    pub finest: Option<String>,
    /// The contact that closes in the run before.
    pub before: Option<String>,
}

/// Up to when, and what happens then.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// The answer can be trusted until then, s.
    pub until: f64,
    /// What became of the runs.
    pub verdict: Verdict,
    /// Rate at which small differences grow, 1/s, where they do.
    pub growth: Option<f64>,
    /// What was first decided differently, where something was.
    pub parting: Option<Parting>,
}

pub(super) fn trust(
    system: &dyn System,
    runs: &[&Sampled],
    sizes: &Sizes,
    (asked, accuracy): (&[usize], Option<f64>),
) -> Trust {
    let finest = runs[runs.len() - 1];
    let end = finest.times.last().copied().unwrap_or(0.0);
    let whole = |verdict| Trust { until: end, verdict, growth: None, parting: None };
    if asked.iter().all(|&i| order::is_exact(runs, i, sizes)) {
        return whole(Verdict::Exact);
    }
    let envelopes: Vec<Envelope> = runs.windows(2).map(|w| envelope(w[0], w[1], sizes)).collect();
    let last = &envelopes[envelopes.len() - 1].largest;
    let contracting: Vec<bool> = (0..last.len()).map(|j| contracts(&envelopes, j)).collect();
    let first = (0..last.len()).rev().take_while(|&j| !(contracting[j] && last[j] < GROWN)).last();
    let (mut until, mut verdict) = match first {
        None => (end, Verdict::Converging),
        Some(j) => {
            let until = if j == 0 { 0.0 } else { finest.times[j - 1] };
            let verdict = match contracting.iter().rposition(|c| !c) {
                None => Verdict::Coarse,
                Some(k) if k < j => Verdict::Coarse,
                Some(_) if last[j] >= GROWN => Verdict::Chaotic,
                Some(_) => Verdict::Discontinuous,
            };
            (until, verdict)
        }
    };
    if let Some(e) = accuracy {
        let order = order::overall(runs, sizes, asked, until).map_or(0.5, |f| f.order).clamp(0.5, 10.0);
        let limit = e * (f64::powf(2.0, order) - 1.0) / 3.0;
        let first = last.iter().position(|x| *x > limit).map(|j| finest.times[j.saturating_sub(1)]);
        if let Some(t) = first.filter(|t| *t < until) {
            until = t;
            verdict = if verdict.holds() { Verdict::Coarse } else { verdict };
        }
    }
    let parting = if verdict.holds() || verdict == Verdict::Coarse {
        None
    } else {
        parting(system, runs[runs.len() - 2], finest)
    };
    let growth = (verdict == Verdict::Chaotic).then(|| growth(&finest.times, last)).flatten();
    Trust { until, verdict, growth, parting }
}

/// Eq. (1), and the same with sums instead of maxima.
struct Envelope {
    largest: Vec<f64>,
    sum: Vec<f64>,
}

fn envelope(coarse: &Sampled, fine: &Sampled, sizes: &Sizes) -> Envelope {
    let (mut largest, mut sum) = (0.0f64, 0.0);
    let mut out = Envelope { largest: Vec::new(), sum: Vec::new() };
    for (a, b) in coarse.values.iter().zip(&fine.values) {
        for (i, size) in sizes.size.iter().enumerate() {
            let difference = (a[i] - b[i]).abs();
            if fine.quantities[i].kind.is_continuous() && difference > sizes.rounding[i] {
                largest = largest.max(difference / size);
                sum += difference / size;
            }
        }
        out.largest.push(largest);
        out.sum.push(sum);
    }
    out
}

fn contracts(envelopes: &[Envelope], j: usize) -> bool {
    let window = &envelopes[envelopes.len().saturating_sub(WINDOW)..];
    let limit = f64::powi(CONTRACTION, window.len() as i32 - 1);
    let (first, last) = (&window[0], &window[window.len() - 1]);
    last.largest[j] <= limit * first.largest[j] && last.sum[j] <= limit * first.sum[j]
}

/// The rate of growth from where the difference leaves rounding to where it has grown: ln E over t, by least squares.
fn growth(times: &[f64], envelope: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = times
        .iter()
        .zip(envelope)
        .filter(|(_, e)| **e > 0.0 && **e < GROWN)
        .map(|(t, e)| (*t, e.ln()))
        .collect();
    let n = points.len() as f64;
    let (mt, me) = points.iter().fold((0.0, 0.0), |(a, b), (t, e)| (a + t / n, b + e / n));
    let (tt, te) =
        points.iter().fold((0.0, 0.0), |(a, b), (t, e)| (a + (t - mt) * (t - mt), b + (t - mt) * (e - me)));
    (tt > 0.0).then(|| te / tt)
}

/// The first closing in which two runs differ.
fn parting(system: &dyn System, before: &Sampled, finest: &Sampled) -> Option<Parting> {
    let (a, b) = (&before.closings, &finest.closings);
    let k = (0..a.len().max(b.len())).find(|&k| a.get(k).map(|c| c.id) != b.get(k).map(|c| c.id))?;
    let (a, b) = (a.get(k), b.get(k));
    let time = a.iter().chain(&b).map(|c| c.t).fold(f64::INFINITY, f64::min);
    Some(Parting { time, finest: b.map(|c| system.label(c.id)), before: a.map(|c| system.label(c.id)) })
}
