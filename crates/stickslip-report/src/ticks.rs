//! Where the ticks of an axis go and what they say.
//!
//! Ticks sit at integer multiples of 1, 2 or 5 times a power of ten. A label is formed from that integer, not from the
//! floating-point tick, so it never reads `0.30000000000000004`. Labels stay short: a common power of ten or a common
//! offset moves to a note beside the axis.

use crate::text::superscript;

/// Values below this in magnitude, and above its inverse, are beyond plotting.
const TINY: f64 = 1e-290;

/// Positions on an axis with their labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Ticks {
    /// In axis units: the value, or its decimal logarithm on a log axis.
    pub at: Vec<f64>,
    pub labels: Vec<String>,
    /// What to multiply the labels with and add to them, if anything.
    pub note: String,
}

impl Ticks {
    /// The last label also names the unit.
    pub(crate) fn with_unit(mut self, unit: &str) -> Self {
        if let Some(last) = self.labels.last_mut() {
            *last = format!("{last} {unit}").trim_end().to_owned();
        }
        self
    }
}

/// At most `most` ticks on a linear axis from `low` to `high`, `low < high`.
pub(crate) fn linear(low: f64, high: f64, most: usize) -> Ticks {
    if !(high - low).is_finite() || high - low < TINY {
        return Ticks::default();
    }
    let most = most.max(2);
    let mut power = ((high - low) / most as f64).log10().floor() as i32;
    let mut factor = 1;
    loop {
        let (first, last) = multiples(low, high, factor, power);
        if last - first < most as i64 {
            return label(first, last, factor, power);
        }
        (factor, power) = match factor {
            1 => (2, power),
            2 => (5, power),
            _ => (1, power + 1),
        };
    }
}

/// Ticks at whole decades, or every 2, 5, 10, ... of them; `low` and `high` are decimal logarithms.
pub(crate) fn decades(low: f64, high: f64, most: usize) -> Ticks {
    let steps = [1_i64, 2, 5, 10, 20, 50, 100, 200, 500];
    let span = |step: i64| ((low / step as f64).ceil() as i64, (high / step as f64).floor() as i64);
    let fits = |step: &&i64| span(**step).1 - span(**step).0 < most as i64;
    let step = *steps.iter().find(fits).unwrap_or(&1000);
    let (first, last) = span(step);
    let exponents = (first..=last).map(|i| i * step);
    Ticks {
        at: exponents.clone().map(|e| e as f64).collect(),
        labels: exponents
            .map(|e| if e == 0 { "1".into() } else { format!("10{}", superscript(e as i32)) })
            .collect(),
        note: String::new(),
    }
}

/// First and last integer whose multiple of the tick distance lies on the axis.
fn multiples(low: f64, high: f64, factor: i64, power: i32) -> (i64, i64) {
    // Ends that are ticks up to rounding count as ticks.
    let slack = 1e-9;
    let first = (in_units(low, power) / factor as f64 - slack).ceil();
    let last = (in_units(high, power) / factor as f64 + slack).floor();
    (first as i64, last as i64)
}

/// `value / 10^power` with one rounding where 10^power is exact one way or the other.
fn in_units(value: f64, power: i32) -> f64 {
    if power < 0 { value * 10_f64.powi(-power) } else { value / 10_f64.powi(power) }
}

fn from_units(n: f64, power: i32) -> f64 {
    if power < 0 { n / 10_f64.powi(-power) } else { n * 10_f64.powi(power) }
}

fn label(first: i64, last: i64, factor: i64, power: i32) -> Ticks {
    let integers: Vec<i64> = (first..=last).map(|i| i.saturating_mul(factor)).collect();
    let at = integers.iter().map(|&n| from_units(n as f64, power)).collect();
    let digits =
        integers.iter().map(|n| n.unsigned_abs().checked_ilog10().unwrap_or(0)).max().unwrap_or(0) as i32;
    let leading = digits + power;

    // Too many digits: labels count from the first tick.
    let offset = if digits > 4 { integers.first().copied().unwrap_or(0) } else { 0 };
    let shown: Vec<i64> = integers.iter().map(|n| n - offset).collect();
    let shown_digits =
        shown.iter().map(|n| n.unsigned_abs().checked_ilog10().unwrap_or(0)).max().unwrap_or(0) as i32;
    let shown_leading = shown_digits + power;
    let exponent = if (-3..5).contains(&shown_leading) && power >= -4 { 0 } else { shown_leading };

    let mut note = String::new();
    if exponent != 0 {
        note = format!("×10{}", superscript(exponent));
    }
    if offset != 0 {
        let scale = if (-4..6).contains(&leading) { 0 } else { leading };
        let power_text = if scale == 0 { String::new() } else { format!("·10{}", superscript(scale)) };
        note = format!("{note} + {}{power_text}", decimal(offset, power - scale)).trim().to_string();
    }
    Ticks { at, labels: shown.iter().map(|&n| decimal(n, power - exponent)).collect(), note }
}

/// `n * 10^power` in plain digits.
fn decimal(n: i64, power: i32) -> String {
    let sign = if n < 0 { "−" } else { "" };
    let digits = n.unsigned_abs().to_string();
    if n == 0 {
        return "0".into();
    }
    if power >= 0 {
        return format!("{sign}{digits}{}", "0".repeat(power as usize));
    }
    let places = -power as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> (Vec<String>, String) {
        let ticks = linear(low, high, 6);
        (ticks.labels, ticks.note)
    }

    #[test]
    fn ticks_are_1_2_5_steps_with_exact_labels() {
        assert_eq!(labels(0.0, 1.0).0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(-0.05, 0.52).0, ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(labels(-31.0, 9.0).0, ["−30", "−20", "−10", "0"]);
        assert_eq!(labels(0.0, 0.012).0, ["0", "0.005", "0.01"]);
    }

    #[test]
    fn very_large_and_very_small_ranges_share_a_power_of_ten() {
        assert_eq!(
            labels(0.0, 4e-12),
            (vec!["0".into(), "1".into(), "2".into(), "3".into(), "4".into()], "×10⁻¹²".into())
        );
        assert_eq!(
            labels(0.0, 2.1e7),
            (vec!["0".into(), "0.5".into(), "1".into(), "1.5".into(), "2".into()], "×10⁷".into())
        );
    }

    #[test]
    fn a_small_range_far_from_zero_shares_an_offset() {
        let (labels, note) = labels(1000.00001, 1000.00002);
        assert_eq!(labels[..3], ["0", "0.2", "0.4"]);
        assert_eq!(note, "×10⁻⁵ + 1000.00001");
    }

    #[test]
    fn every_range_gives_few_short_distinct_labels() {
        for exponent in -280..280 {
            for (low, width) in [(0.0, 1.0), (-1.0, 3.7), (0.37, 1e-3), (-7.7, 2e-8), (0.0, 9.99)] {
                let scale = 10_f64.powi(exponent);
                let ticks = linear(low * scale, (low + width) * scale, 6);
                assert!((2..=6).contains(&ticks.at.len()), "{low} {width} 1e{exponent}: {ticks:?}");
                assert!(ticks.labels.iter().all(|l| l.chars().count() <= 8), "{ticks:?}");
                let mut distinct = ticks.labels.clone();
                distinct.dedup();
                assert_eq!(distinct, ticks.labels);
            }
        }
    }

    #[test]
    fn a_log_axis_is_marked_at_decades() {
        assert_eq!(decades(-16.2, -7.5, 5).labels, ["10⁻¹⁶", "10⁻¹⁴", "10⁻¹²", "10⁻¹⁰", "10⁻⁸"]);
        assert_eq!(decades(-1.0, 2.0, 5).labels, ["10⁻¹", "1", "10¹", "10²"]);
    }

    #[test]
    fn a_hopeless_range_has_no_ticks() {
        assert_eq!(linear(0.0, f64::INFINITY, 6), Ticks::default());
        assert_eq!(linear(1.0, 1.0, 6), Ticks::default());
    }
}
