//! Ranges of axes, and where a value falls on one.

/// Width and height of the SVG area in its own units.
pub(crate) const UNITS: f64 = 10_000.0;
/// Below this range, relative to the magnitude, a plot shows a flat line: what varies is rounding.
const FLAT: f64 = 1e-9;
/// Values beyond this cannot be scaled without overflow and are drawn as gaps.
const HUGE: f64 = 1e280;

/// Ends of both axes; logarithms on a log axis.
pub(crate) struct Axes {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

/// Axis range of the recorded times.
pub(crate) fn time_range(time: &[f64]) -> (f64, f64) {
    let (first, last) = (time.first().copied().unwrap_or(0.0), time.last().copied().unwrap_or(1.0));
    let width = last - first;
    if !drawable(first) || !drawable(last) {
        (0.0, 1.0)
    } else if width > FLAT * first.abs().max(last.abs()) && width > 1e-280 {
        (first, last)
    } else {
        let half = (0.5 * first.abs()).max(0.5);
        (first - half, first + half)
    }
}

/// Padded range of `values`; flat when it is rounding next to `magnitude` or to the values themselves.
pub(crate) fn linear_range(values: impl Iterator<Item = f64>, magnitude: f64) -> ((f64, f64), bool) {
    let (low, high) = extent(values);
    if low > high {
        return ((-1.0, 1.0), false);
    }
    let magnitude = if drawable(magnitude) { magnitude } else { 0.0 };
    let size = magnitude.max(low.abs()).max(high.abs());
    let range = high - low;
    if range > FLAT * size && range > 1e-280 {
        return ((low - 0.05 * range, high + 0.05 * range), false);
    }
    let middle = 0.5 * (low + high);
    // Zero with nothing to compare it with still needs an axis.
    let half = if size > 1e-280 { 0.5 * size } else { 1.0 };
    ((middle - half, middle + half), true)
}

/// Whole decades around positive values, as logarithms.
pub(crate) fn log_range(values: impl Iterator<Item = f64>, decades: f64) -> (f64, f64) {
    let (low, high) = extent(values.filter(|v| *v > 1e-280));
    if low > high {
        return (-1.0, 1.0);
    }
    let top = (high.log10() + 0.2).ceil();
    let bottom = (low.log10() - 0.2).floor().max(top - decades);
    (bottom.min(top - 1.0), top)
}

pub(crate) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

pub(crate) fn drawable(value: f64) -> bool {
    value.abs() < HUGE
}

/// Position of a value along an axis, in SVG units, clamped to the area.
pub(crate) fn to_units(value: f64, range: (f64, f64)) -> f64 {
    (UNITS * (value - range.0) / (range.1 - range.0)).round().clamp(0.0, UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_around_a_constant_is_flat() {
        let values = [0.05, 0.05 + 1e-15, 0.05 - 2e-15];
        let ((low, high), flat) = linear_range(values.into_iter(), 0.0);
        assert!(flat && low < 0.04 && high > 0.06);
    }

    #[test]
    fn rounding_around_zero_is_flat_next_to_the_size_of_the_scene() {
        let values = || [1e-16, -3e-16].into_iter();
        assert!(linear_range(values(), 1.0).1);
        assert!(!linear_range(values(), 0.0).1, "with nothing to compare, the values are all there is");
    }

    #[test]
    fn ranges_are_sane_for_any_values() {
        for values in [vec![], vec![0.0], vec![-1e279, 1e279], vec![1e-320, 2e-320], vec![5e-324]] {
            let ((low, high), _) = linear_range(values.iter().copied(), f64::NAN);
            assert!(low < high && (high - low).is_finite(), "{values:?}");
            let (low, high) = log_range(values.into_iter(), 20.0);
            assert!(low < high);
        }
        for time in [vec![], vec![0.0], vec![1e200, 1e200], vec![-1e300, 1e300], vec![0.0, 1.0]] {
            let (low, high) = time_range(&time);
            assert!(low < high);
        }
    }
}
