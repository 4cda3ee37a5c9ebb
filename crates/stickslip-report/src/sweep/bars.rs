//! Histograms.

use std::fmt::Write;

use super::summary::{Histogram, Quantity, SweepSummary, entry};
use crate::axis::{Axes, UNITS, drawable, to_units};
use crate::plot::{area, figure, figure_grid};
use crate::text::number;
use crate::ticks;

/// One for each quantity that has different values.
pub(super) fn histograms(summary: &SweepSummary) -> String {
    let figures = summary.quantities.iter().filter_map(|(name, value)| {
        let q: Quantity = entry(value);
        histogram(name, &q.histogram?)
    });
    figure_grid(&figures.collect::<Vec<_>>())
}

fn histogram(name: &str, h: &Histogram) -> Option<String> {
    let most = h.counts.iter().copied().max().filter(|n| *n > 0)?;
    if !(drawable(h.from) && drawable(h.to) && h.from < h.to) {
        return None;
    }
    let axes = Axes { x: (h.from, h.to), y: (0.0, 1.05 * most as f64) };
    let n = h.counts.len() as f64;
    let at = |i: f64| h.from + (h.to - h.from) * i / n;
    let mut svg = String::new();
    for (i, count) in h.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (at(i as f64), at(i as f64 + 1.0));
        let (left, right) = (to_units(from, axes.x), to_units(to, axes.x));
        let height = to_units(*count as f64, axes.y);
        let _ = write!(
            svg,
            "<rect class=bar x={left} y={} width={} height={height}><title>{} to {}: {count}</title></rect>",
            UNITS - height,
            right - left,
            number(from, 4),
            number(to, 4)
        );
    }
    let x = ticks::linear(axes.x.0, axes.x.1, 5);
    let y = ticks::linear(axes.y.0, axes.y.1, 5);
    Some(figure(name, "trials", "", &area(&axes, &x, &y, &svg, "", "still")))
}
