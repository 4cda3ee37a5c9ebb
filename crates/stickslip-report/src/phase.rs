//! Phase portraits: velocity over position.
//!
//! The curve folds back on itself, so buckets of time would thin it where it is drawn only once and keep it where it
//! is drawn a hundred times. Instead a grid is laid over the plot and a stretch between two cells is drawn the first
//! time only: a limit cycle costs one turn, however many there are.

use std::collections::HashSet;
use std::fmt::Write;

use crate::axis::{Axes, UNITS, drawable, linear_range, to_units};
use crate::pen::Pen;
use crate::plot::{area, colour, figure};
use crate::ticks;

/// Points of one portrait.
const POINTS: usize = 12_000;

/// `velocity` over `position`, both of the coordinate `name`, with start and end marked.
pub(crate) fn portrait(name: &str, position: &[f64], velocity: &[f64], number: usize) -> String {
    let finite = |values: &[f64]| values.iter().copied().filter(|v| drawable(*v)).collect::<Vec<_>>();
    let axes = Axes {
        x: linear_range(finite(position).into_iter(), 0.0).0,
        y: linear_range(finite(velocity).into_iter(), 0.0).0,
    };
    let points: Vec<Option<(i64, i64)>> = position
        .iter()
        .zip(velocity)
        .map(|(&q, &u)| {
            let seen = drawable(q) && drawable(u);
            seen.then(|| (to_units(q, axes.x) as i64, (UNITS - to_units(u, axes.y)) as i64))
        })
        .collect();

    let mut svg = format!("<path class=line style=\"{}\" d=\"{}\"/>", colour(number), path(&points));
    let (first, last) = (points.iter().flatten().next(), points.iter().flatten().last());
    for (class, point) in [("dot", first), ("hole", first), ("dot", last)] {
        if let Some((x, y)) = point {
            let _ = write!(svg, "<path class={class} d=\"M{x} {y}h0\"/>");
        }
    }
    let x = ticks::linear(axes.x.0, axes.x.1, 5);
    let y = ticks::linear(axes.y.0, axes.y.1, 6);
    let legend = "<span class=k><i class=start></i>start</span><span class=k><i class=end></i>end</span>";
    figure(
        &format!("{name}: phase portrait"),
        "velocity over position",
        legend,
        &area(&axes, &x, &y, &svg, "", "phase"),
    )
}

/// The path with the finest grid that keeps it below [`POINTS`].
fn path(points: &[Option<(i64, i64)>]) -> String {
    let mut cell = 16;
    loop {
        let (d, drawn) = path_on_grid(points, cell);
        if drawn <= POINTS || cell > UNITS as i64 {
            return d;
        }
        cell *= 2;
    }
}

fn path_on_grid(points: &[Option<(i64, i64)>], cell: i64) -> (String, usize) {
    let mut pen = Pen::default();
    let mut known = HashSet::new();
    let mut last: Option<((i64, i64), (i64, i64))> = None;
    let (mut down, mut drawn) = (false, 0);
    for point in points {
        let Some(point) = *point else {
            (last, down) = (None, false);
            pen.lift();
            continue;
        };
        let here = (point.0 / cell, point.1 / cell);
        let Some((from, before)) = last else {
            last = Some((point, here));
            continue;
        };
        if here == before {
            continue;
        }
        if known.insert((before.min(here), before.max(here))) {
            if !down {
                pen.line_to(from.0, from.1);
            }
            pen.line_to(point.0, point.1);
            (down, drawn) = (true, drawn + 1);
        } else if down {
            pen.lift();
            down = false;
        }
        last = Some((point, here));
    }
    (pen.finish(), drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_cycle_is_drawn_once() {
        let turn = |turns: usize| -> Vec<Option<(i64, i64)>> {
            let angle = |i: usize| i as f64 * std::f64::consts::TAU / 2000.0;
            (0..turns * 2000)
                .map(|i| {
                    Some((
                        (5000.0 + 4000.0 * angle(i).cos()) as i64,
                        (5000.0 + 4000.0 * angle(i).sin()) as i64,
                    ))
                })
                .collect()
        };
        let (once, many) = (path(&turn(1)), path(&turn(50)));
        assert!(many.len() < once.len() + 50, "{} {}", many.len(), once.len());
    }

    #[test]
    fn noise_is_bounded() {
        let noise: Vec<_> =
            (0..200_000_i64).map(|i| Some(((i * 7919) % 10_000, (i * i * 104_729) % 10_000))).collect();
        assert!(path(&noise).len() < 200_000);
    }
}
