//! Observed orders and error bars, eq. (1) and (2) of `mod.rs`.

use super::size::Sizes;
use crate::sampled::Sampled;

/// The safety factor F of eq. (2).
const SAFETY: f64 = 3.0;
/// The least order that eq. (2) relies on.
const LEAST_ORDER: f64 = 0.5;
/// The largest: beyond it a difference is close to rounding.
const MOST_ORDER: f64 = 10.0;
/// The most differences, the last ones, that an order is taken from.
pub(super) const WINDOW: usize = 5;

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

/// Eq. (1): the slope of log2 D_k by least squares; none when differences vanish.
fn order_of(means: &[f64]) -> Option<f64> {
    let window = &means[means.len().saturating_sub(WINDOW)..];
    if window.len() < 2 || window.iter().any(|d| d.is_nan() || *d <= 0.0) {
        return None;
    }
    let n = window.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let (mut up, mut down) = (0.0, 0.0);
    for (k, d) in window.iter().enumerate() {
        up -= (k as f64 - middle) * d.log2();
        down += (k as f64 - middle).powi(2);
    }
    (up / down).is_finite().then_some(up / down)
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
pub(super) fn overall(runs: &[&Sampled], sizes: &Sizes, asked: &[usize], until: f64) -> Option<f64> {
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
            let order = if exact { None } else { order_of(&means(runs, i, until)) };
            let value = finest.last()[i];
            let usable = usable(order, overall);
            let (error, extrapolated) = if exact {
                (Some(largest_step(&ends).max(f64::EPSILON * value.abs())), None)
            } else if until < end {
                (None, None)
            } else {
                (bar(&ends, usable), extrapolation(&ends, usable))
            };
            let name = finest.quantities[i].name.clone();
            Estimate { name, value, error, extrapolated, size: sizes.size[i], order, exact }
        })
        .collect()
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
    let last = *d.last()?;
    let before = d.len().checked_sub(2).map_or(0.0, |k| d[k] / shrink);
    let error = SAFETY * last.max(before) / (shrink - 1.0);
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
            assert!((order_of(&d).unwrap() - p).abs() < 1e-9);
        }
    }

    /// The last difference may vanish by chance; the one before it still counts.
    #[test]
    fn a_difference_that_vanishes_is_no_proof() {
        assert!((bar(&[1.0, 1.2, 1.2], 1.0).unwrap() - 0.3).abs() < 1e-12);
    }
}
