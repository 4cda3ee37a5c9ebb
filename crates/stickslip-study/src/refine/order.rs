//! Observed orders and error bars, eq. (1) and (2) of `mod.rs`.

use super::size::Sizes;
use crate::fit::statistics::student;
use crate::sampled::{Kind, Sampled};

/// The safety factor F of eq. (2).
const SAFETY: f64 = 3.0;
/// The differences, the last ones, that eq. (2) looks at.
const LOOKED_AT: usize = 3;
/// The least order that eq. (2) relies on.
const LEAST_ORDER: f64 = 0.5;
/// The largest: beyond it a difference is close to rounding.
const MOST_ORDER: f64 = 10.0;
/// The fewest differences, the last ones, that an order is taken from when there are more.
const FEWEST: usize = 4;

/// An observed order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// The slope, eq. (1).
    pub order: f64,
    /// Half the width of its 90 % interval; none with two differences only.
    pub error: Option<f64>,
}

/// A quantity at the end of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// Its value in the finest run.
    pub value: f64,
    /// The error bar, eq. (2); none where nothing can be said.
    pub error: Option<f64>,
    /// The value that the runs are heading for, by Richardson's extrapolation; none where their order is not to be seen.
    pub extrapolated: Option<f64>,
    /// What its error is compared with.
    pub size: f64,
    /// Its observed order over the run; none where it is exact.
    pub order: Option<f64>,
    /// True when it does not depend on the step.
    pub exact: bool,
}

/// The mean of |d_k| over the times up to `until`, per quantity, for every pair of successive runs.
fn means(runs: &[&Sampled], quantity: usize, until: f64) -> Vec<f64> {
    runs.windows(2)
        .map(|pair| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (j, t) in pair[0].times.iter().enumerate() {
                if let Some(fine) = pair[1].values.get(j)
                    && *t <= until
                {
                    sum += (fine[quantity] - pair[0].values[j][quantity]).abs();
                    count += 1.0;
                }
            }
            if count > 0.0 { sum / count } else { 0.0 }
        })
        .collect()
}

/// Eq. (1); none when differences vanish. Of all differences, or the last ones down to four: coarse runs may not show the order yet, scatter
/// averages out over many. The narrowest interval decides.
fn order_of(means: &[f64]) -> Option<Fit> {
    let fits = (means.len().min(FEWEST)..=means.len()).filter_map(|n| fit(&means[means.len() - n..]));
    fits.min_by(|a, b| {
        let [a, b] = [a, b].map(|f| f.error.unwrap_or(f64::INFINITY));
        a.total_cmp(&b)
    })
}

/// The slope of log2 D_k by least squares, and how sure it is by the scatter about the line.
fn fit(window: &[f64]) -> Option<Fit> {
    if window.len() < 2 || window.iter().any(|d| d.is_nan() || *d <= 0.0) {
        return None;
    }
    let n = window.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let mean = window.iter().map(|d| d.log2()).sum::<f64>() / n;
    let (mut up, mut down) = (0.0, 0.0);
    for (k, d) in window.iter().enumerate() {
        up -= (k as f64 - middle) * d.log2();
        down += (k as f64 - middle).powi(2);
    }
    let order = up / down;
    let off = |(k, d): (usize, &f64)| d.log2() - mean + order * (k as f64 - middle);
    let scatter: f64 = window.iter().enumerate().map(off).map(|x| x * x).sum();
    let deviation = (scatter / (n - 2.0) / down).sqrt();
    let error = (n > 2.0).then(|| student(0.95, n - 2.0) * deviation);
    order.is_finite().then_some(Fit { order, error })
}

/// True when no difference of a quantity, at any time, is more than rounding.
pub(super) fn is_exact(runs: &[&Sampled], quantity: usize, sizes: &Sizes) -> bool {
    runs.windows(2).all(|pair| {
        pair[0].values.iter().zip(&pair[1].values).all(|(a, b)| {
            let (a, b) = (a[quantity], b[quantity]);
            (a - b).abs() <= sizes.rounding[quantity]
        })
    })
}

/// The order of the run: eq. (1) with the sum over the continuous quantities, in units of their sizes.
pub(super) fn overall(runs: &[&Sampled], sizes: &Sizes, asked: &[usize], until: f64) -> Option<Fit> {
    let finest = runs.last()?;
    let inexact: Vec<usize> =
        asked.iter().copied().filter(|&i| sizes.size[i] > 0.0 && !is_exact(runs, i, sizes)).collect();
    let continuous = |i: &usize| finest.quantities[*i].kind.is_continuous();
    let mine: Vec<usize> = inexact.iter().copied().filter(continuous).collect();
    let mine = if mine.is_empty() { inexact } else { mine };
    let mut total = vec![0.0; runs.len() - 1];
    for i in mine {
        let means = means(runs, i, until);
        total.iter_mut().zip(means).for_each(|(sum, mean)| *sum += mean / sizes.size[i]);
    }
    order_of(&total)
}

/// The quantities asked for, with error bars.
pub(super) fn estimates(
    runs: &[&Sampled],
    sizes: &Sizes,
    asked: &[usize],
    (overall, until): (Option<f64>, f64),
) -> Vec<Estimate> {
    let Some(finest) = runs.last() else { return Vec::new() };
    let end = finest.times.last().copied().unwrap_or(0.0);
    asked
        .iter()
        .map(|&i| {
            let ends: Vec<f64> = runs.iter().map(|r| r.last()[i]).collect();
            let exact = is_exact(runs, i, sizes);
            let order = if exact { None } else { order_of(&means(runs, i, until)).map(|f| f.order) };
            let value = finest.last()[i];
            let usable = usable(order, overall);
            let (error, extrapolated) = if exact {
                (Some(largest_step(&ends).max(f64::EPSILON * value.abs())), None)
            } else if until < end {
                (None, None)
            } else {
                let grid =
                    if finest.quantities[i].kind == Kind::First { on_grid(finest, value) } else { 0.0 };
                (bar(&ends, usable).map(|e| e + grid), extrapolation(&ends, usable))
            };
            let name = finest.quantities[i].name.clone();
            Estimate { name, value, error, extrapolated, size: sizes.size[i], order, exact }
        })
        .collect()
}

/// One step where a time is the end of one, else 0: of what jumps, such as a contact that closes, only the step is known.
fn on_grid(run: &Sampled, time: f64) -> f64 {
    let step = run.times.last().copied().unwrap_or(0.0) / run.steps.max(1) as f64;
    let off = (time / step - (time / step).round()).abs();
    if off <= 1e-6 { step } else { 0.0 }
}

/// The order that eq. (2) relies on.
fn usable(own: Option<f64>, overall: Option<f64>) -> f64 {
    let own = own.or(overall).unwrap_or(LEAST_ORDER);
    own.min(overall.unwrap_or(own)).clamp(LEAST_ORDER, MOST_ORDER)
}

/// Eq. (2) for a list of values, coarse to fine.
pub(super) fn bar(values: &[f64], order: f64) -> Option<f64> {
    let shrink = f64::powf(2.0, order);
    let d: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    d.last()?;
    let scaled = d.iter().rev().take(LOOKED_AT).enumerate().map(|(j, d)| d / shrink.powi(j as i32));
    // a value that is no number has no bar
    let largest = scaled.fold(0.0f64, |m, d| if m.is_nan() || m > d { m } else { d });
    let error = SAFETY * largest / (shrink - 1.0);
    error.is_finite().then_some(error)
}

fn extrapolation(values: &[f64], order: f64) -> Option<f64> {
    let [.., a, b] = values else { return None };
    let value = b + (b - a) / (f64::powf(2.0, order) - 1.0);
    value.is_finite().then_some(value)
}

fn largest_step(values: &[f64]) -> f64 {
    values.windows(2).fold(0.0, |m, w| m.max((w[1] - w[0]).abs()))
}

/// What eq. (2) would say of other values of the same runs, such as a period.
pub(super) fn bar_with(values: &[f64], overall: Option<f64>) -> Option<f64> {
    bar(values, usable(None, overall))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values Q + c h^p: the bar holds the truth, three times over.
    #[test]
    fn bars_hold_the_limit_of_a_power_law() {
        for p in [0.5, 1.0, 2.0, 5.0] {
            let values: Vec<f64> = (0..5).map(|k| 2.0 + 0.3 * f64::powf(2.0, -p * f64::from(k))).collect();
            let error = bar(&values, p).unwrap();
            let truth = (values[4] - 2.0).abs();
            assert!((error / truth - SAFETY).abs() < 1e-6, "order {p}: {error} {truth}");
            assert!((extrapolation(&values, p).unwrap() - 2.0).abs() < 1e-12);
            let d: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
            let fit = order_of(&d).unwrap();
            assert!((fit.order - p).abs() < 1e-9 && fit.error.unwrap() < 1e-6);
        }
    }

    /// Differences `c 2^(−k) s_k` with scatter s_k of a factor of two either way: four of them cannot tell the order, many can. What coarse runs show that
    /// the others do not is left out.
    #[test]
    fn scatter_makes_an_order_unsure_and_more_runs_make_it_sure() {
        let scatter = [1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
        let d: Vec<f64> = scatter.iter().enumerate().map(|(k, s)| f64::powf(2.0, s - k as f64)).collect();
        let fits = [4, 6, 8, 10].map(|n| order_of(&d[..n]).unwrap());
        println!("{fits:?}");
        assert!(fits[0].error.unwrap() > 1.0 && fits[3].error.unwrap() < 0.25);
        assert!(fits.iter().all(|f| (f.order - 1.0).abs() <= f.error.unwrap()), "intervals cover the truth");
        let late: Vec<f64> = (0..8).map(|k| if k < 3 { 1.0 } else { f64::powi(0.25, k - 3) }).collect();
        assert!((order_of(&late).unwrap().order - 2.0).abs() < 1e-9);
        assert!(order_of(&[1.0, 0.5]).unwrap().error.is_none() && order_of(&[1.0, 0.0]).is_none());
    }

    /// The last difference may vanish by chance; the one before it still counts.
    #[test]
    fn a_difference_that_vanishes_is_no_proof() {
        assert!((bar(&[1.0, 1.2, 1.2], 1.0).unwrap() - 0.3).abs() < 1e-12);
    }
}
