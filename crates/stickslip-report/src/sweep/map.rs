//! Probabilities over the grid: a map over the two longest axes for each point of the others, or a line over the only
//! one. Axes count points, so that any list of values can be drawn; labels are the values.

use std::fmt::Write;

use super::summary::{Axis, Grid, Outcome, SweepSummary, entry};
use crate::axis::{Axes, UNITS, to_units};
use crate::pen::Pen;
use crate::plot::{area, colour, figure, figure_grid, left_out};
use crate::text::{escape, maybe, number};
use crate::ticks::Ticks;

/// The most maps of one outcome.
const PANELS: usize = 24;
/// The most cells of one map.
const CELLS: usize = 40_000;

/// The maps of all outcomes.
pub(super) fn maps(summary: &SweepSummary) -> String {
    let Some(grid) = &summary.grid else { return String::new() };
    let points: Option<usize> =
        grid.axes.iter().map(|a| a.values.len()).try_fold(1usize, |n, len| n.checked_mul(len));
    let mut out = String::new();
    for (name, value) in &grid.outcomes {
        let cells: Vec<Outcome> = entry(value);
        if grid.axes.is_empty() || points != Some(cells.len()) || grid.trials.len() != cells.len() {
            continue;
        }
        match grid.axes.as_slice() {
            [axis] => out.push_str(&figure_grid(&[line(name, axis, &cells)])),
            _ => out.push_str(&panels(name, grid, &cells)),
        }
    }
    out
}

/// Where the points of an axis are, with at most `most` labels.
fn labels(axis: &Axis, most: usize) -> Ticks {
    let stride = axis.values.len().div_ceil(most).max(1);
    let at = || (0..axis.values.len()).step_by(stride);
    Ticks {
        at: at().map(|i| i as f64).collect(),
        labels: at().map(|i| number(axis.values[i], 3)).collect(),
        note: escape(&axis.name),
    }
}

fn range(axis: &Axis) -> (f64, f64) {
    (-0.5, axis.values.len() as f64 - 0.5)
}

/// The two longest axes, in the order of the file.
fn longest(axes: &[Axis]) -> [usize; 2] {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(axes[*i].values.len()));
    let [a, b] = [order[0], order[1]];
    [a.min(b), a.max(b)]
}

fn panels(name: &str, grid: &Grid, cells: &[Outcome]) -> String {
    let shown = longest(&grid.axes);
    let lengths: Vec<usize> = grid.axes.iter().map(|a| a.values.len()).collect();
    if lengths[shown[0]].saturating_mul(lengths[shown[1]]) > CELLS {
        return format!("<p class=remark>{}: too many points to draw.</p>\n", escape(name));
    }
    let others: Vec<usize> = (0..lengths.len()).filter(|i| !shown.contains(i)).collect();
    let all: usize = others.iter().map(|i| lengths[*i]).product();
    let panel = |k: usize| {
        let mut at = vec![0; lengths.len()];
        let mut rest = k;
        let mut title = name.to_owned();
        for (n, i) in others.iter().enumerate() {
            at[*i] = rest % lengths[*i];
            rest /= lengths[*i];
            let value = number(grid.axes[*i].values[at[*i]], 4);
            let _ = write!(title, "{} {} = {value}", if n == 0 { ":" } else { "," }, grid.axes[*i].name);
        }
        map(&title, grid, (cells, &lengths), (shown, at))
    };
    let figures: Vec<String> = (0..all.min(PANELS)).map(panel).collect();
    figure_grid(&figures) + &left_out(figures.len(), all, "maps", "that come first")
}

fn map(
    title: &str,
    grid: &Grid,
    (cells, lengths): (&[Outcome], &[usize]),
    ([x, y], mut at): ([usize; 2], Vec<usize>),
) -> String {
    let (across, up) = (&grid.axes[x], &grid.axes[y]);
    let axes = Axes { x: range(across), y: range(up) };
    let mut svg = String::new();
    for j in 0..lengths[y] {
        for i in 0..lengths[x] {
            (at[x], at[y]) = (i, j);
            // the first axis is the fastest
            let index = at.iter().zip(lengths).rev().fold(0, |sum, (i, n)| sum * n + i);
            let (cell, trials) = (&cells[index], grid.trials[index]);
            let Some(p) = cell.probability else { continue };
            let edge = |k: usize, range| to_units(k as f64 - 0.5, range);
            let (left, right) = (edge(i, axes.x), edge(i + 1, axes.x));
            let (low, high) = (edge(j, axes.y), edge(j + 1, axes.y));
            let _ = write!(
                svg,
                "<rect class=cell data-cell={index} style=\"--p:{}%\" x={left} y={} width={} height={}><title>{} = {}, {} = {}: {} of {trials}, {} \
                 (95 % interval {} to {})</title></rect>",
                (100.0 * p).round(),
                UNITS - high,
                right - left,
                high - low,
                escape(&across.name),
                number(across.values[i], 4),
                escape(&up.name),
                number(up.values[j], 4),
                cell.count,
                number(p, 3),
                maybe(cell.lower, 2),
                maybe(cell.upper, 2)
            );
        }
    }
    let key = "<span class=key>0 <i></i> 1</span>";
    let body = area(&axes, &labels(across, 7), &labels(up, 11), &svg, "", "map");
    figure(title, "probability", key, &body)
}

/// The probability over one axis, with its interval.
fn line(name: &str, axis: &Axis, cells: &[Outcome]) -> String {
    let axes = Axes { x: range(axis), y: (0.0, 1.0) };
    let (mut pen, mut svg) = (Pen::default(), String::new());
    for (i, cell) in cells.iter().enumerate() {
        let (Some(p), Some(lower), Some(upper)) = (cell.probability, cell.lower, cell.upper) else {
            pen.lift();
            continue;
        };
        let x = to_units(i as f64, axes.x) as i64;
        let y = |p: f64| (UNITS - to_units(p, axes.y)) as i64;
        pen.line_to(x, y(p));
        let _ = write!(
            svg,
            "<path class=limits d=\"M{x} {}V{}\"><title>{} = {}: {} of all, 95 % interval {} to {}</title></path>",
            y(lower),
            y(upper),
            escape(&axis.name),
            number(axis.values[i], 4),
            number(p, 3),
            number(lower, 2),
            number(upper, 2)
        );
    }
    let _ = write!(svg, "<path class=line style=\"{}\" d=\"{}\"/>", colour(0), pen.finish());
    let y = crate::ticks::linear(0.0, 1.0, 6);
    let body = area(&axes, &labels(axis, 11), &y, &svg, "", "still");
    figure(name, "probability, with its 95 % interval", "", &body)
}
