//! Quantities over the grid: the mean of each over the longest axis, a curve for each point of the other axes.

use super::summary::{Axis, Grid, SweepSummary, entry};
use crate::chart::{self, Chart, Curve, Stroke};
use crate::plot::figure_grid;
use crate::text::number;

/// The most curves of a chart, beyond which none is drawn, and the most charts.
const CURVES: usize = 8;
const CHARTS: usize = 24;
/// Ratio of an axis' ends from which on it is logarithmic.
const WIDE: f64 = 30.0;

/// The charts of all quantities.
pub(super) fn curves(summary: &SweepSummary) -> String {
    let Some(grid) = &summary.grid else { return String::new() };
    let lengths = || grid.axes.iter().map(|a| a.values.len());
    let Some(points) = lengths().try_fold(1usize, usize::checked_mul) else { return String::new() };
    let Some(main) = (0..grid.axes.len()).max_by_key(|&i| (grid.axes[i].values.len(), usize::MAX - i)) else {
        return String::new();
    };
    if points / grid.axes[main].values.len().max(1) > CURVES {
        return String::new();
    }
    let chart = |(name, value): (&String, &serde_json::Value)| {
        let means: Vec<Option<f64>> = entry(value);
        (means.len() == points).then(|| one(name, grid, main, &means).html())
    };
    let charts: Vec<String> = grid.quantities.iter().filter_map(chart).take(CHARTS).collect();
    if charts.is_empty() { String::new() } else { figure_grid(&charts) }
}

/// The chart of a quantity, its means at the points of the grid given, the first axis the fastest.
fn one(name: &str, grid: &Grid, main: usize, means: &[Option<f64>]) -> Chart {
    let axis = &grid.axes[main];
    let stride: usize = grid.axes[..main].iter().map(|a| a.values.len()).product();
    let starts = (0..means.len()).filter(|i| (i / stride).is_multiple_of(axis.values.len()));
    let curve = |start: usize| {
        let along = axis.values.iter().enumerate();
        let points = along.filter_map(|(k, x)| Some((*x, means[start + k * stride]?))).collect();
        Curve { name: others(grid, main, start), points, stroke: Stroke::Joined }
    };
    Chart {
        title: name.to_owned(),
        x: chart::Axis { label: axis.name.clone(), log: is_wide(axis) },
        y: chart::Axis { label: name.to_owned(), log: false },
        curves: starts.map(curve).collect(),
    }
}

/// The values of the other axes at a point.
fn others(grid: &Grid, main: usize, point: usize) -> String {
    let mut rest = point;
    let mut out = Vec::new();
    for (i, axis) in grid.axes.iter().enumerate() {
        let at = rest % axis.values.len();
        rest /= axis.values.len();
        if i != main {
            out.push(format!("{} = {}", axis.name, number(axis.values[at], 4)));
        }
    }
    if out.is_empty() { "mean".to_owned() } else { out.join(", ") }
}

fn is_wide(axis: &Axis) -> bool {
    let (low, high) = axis.values.iter().fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    low > 0.0 && high >= WIDE * low
}
