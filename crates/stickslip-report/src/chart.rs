//! Charts of one number over another, with linear or logarithmic axes: lines, points, and dashed lines to compare with.

use std::fmt::Write;

use crate::axis::{Axes, UNITS, drawable, linear_range, log_range, to_units};
use crate::pen::Pen;
use crate::plot::{area, colour, figure, ramp};
use crate::text::escape;
use crate::ticks;

/// Decades that a logarithmic axis shows at most.
const DECADES: f64 = 18.0;

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is along it, with its unit.
    pub label: String,
    /// Logarithmic: what is not positive is not drawn.
    pub log: bool,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Points joined by a line.
    Joined,
    /// A line without points.
    Line,
    /// A thin dashed line, to compare with.
    Dashed,
    /// Points only.
    Points,
    /// The inside of a line around it, behind everything else.
    Region,
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; empty: it is not there.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// Horizontal.
    pub x: Axis,
    /// Vertical.
    pub y: Axis,
    /// The curves; those dashed come last in the legend and take no colour.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// The chart as HTML.
    pub fn html(&self) -> String {
        let drawn: Vec<Vec<(f64, f64)>> = self.curves.iter().map(|c| self.transformed(c)).collect();
        // what is compared with does not stretch the axes
        let solid = self.curves.iter().zip(&drawn).filter(|(c, _)| c.stroke != Stroke::Dashed);
        let all: Vec<(f64, f64)> = solid.flat_map(|(_, points)| points.iter().copied()).collect();
        let range = |axis: &Axis, values: &mut dyn Iterator<Item = f64>| {
            if axis.log {
                log_range(values.map(|v| 10f64.powf(v)), DECADES)
            } else {
                linear_range(values, 0.0).0
            }
        };
        let axes = Axes {
            x: range(&self.x, &mut all.iter().map(|p| p.0)),
            y: range(&self.y, &mut all.iter().map(|p| p.1)),
        };
        let mut svg = String::new();
        let (mut legend, mut number) = (String::new(), 0);
        let coloured = self.curves.iter().filter(|c| c.stroke != Stroke::Dashed).count();
        for (curve, points) in self.curves.iter().zip(&drawn) {
            let style = if curve.stroke == Stroke::Dashed {
                "--c:var(--soft)".to_owned()
            } else {
                number += 1;
                colour(ramp(number - 1, coloured))
            };
            let cut = if curve.stroke == Stroke::Dashed { clipped(points, axes.y) } else { points.clone() };
            svg.push_str(&strokes(&cut, &axes, curve.stroke, &style));
            if curve.name.is_empty() {
                continue;
            }
            let _ = write!(legend, "<span class=k style=\"{style}\"><i></i>{}</span>", escape(&curve.name));
        }
        let tick = |axis: &Axis, range: (f64, f64)| {
            if axis.log { ticks::decades(range.0, range.1, 6) } else { ticks::linear(range.0, range.1, 6) }
        };
        let (x, y) = (tick(&self.x, axes.x), tick(&self.y, axes.y));
        let label = format!("{} over {}", self.y.label, self.x.label);
        figure(&self.title, &label, &legend, &area(&axes, &x, &y, &svg, "", "chart"))
    }

    /// The points as they are placed on the axes; what cannot be is left out.
    fn transformed(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let place =
            |axis: &Axis, v: f64| if axis.log { if v > 0.0 { v.log10() } else { f64::NAN } } else { v };
        let points = curve.points.iter().map(|&(x, y)| (place(&self.x, x), place(&self.y, y)));
        points.filter(|(x, y)| drawable(*x) && drawable(*y)).collect()
    }
}

/// A line cut off where it leaves a range, instead of bent along its edge.
fn clipped(points: &[(f64, f64)], range: (f64, f64)) -> Vec<(f64, f64)> {
    let inside = |y: f64| y >= range.0 && y <= range.1;
    let mut out = Vec::new();
    for w in points.windows(2) {
        let (a, b) = (w[0], w[1]);
        let cut = |from: (f64, f64), to: (f64, f64)| {
            let edge = from.1.clamp(range.0, range.1);
            let part = (edge - from.1) / (to.1 - from.1);
            (from.0 + part * (to.0 - from.0), edge)
        };
        match (inside(a.1), inside(b.1)) {
            (true, true) => out.extend([a, b]),
            (true, false) => out.extend([a, cut(b, a)]),
            (false, true) => out.extend([cut(a, b), b]),
            (false, false) => {}
        }
    }
    out
}

fn strokes(points: &[(f64, f64)], axes: &Axes, stroke: Stroke, style: &str) -> String {
    let at = |(x, y): (f64, f64)| (to_units(x, axes.x) as i64, (UNITS - to_units(y, axes.y)) as i64);
    let mut out = String::new();
    if stroke == Stroke::Region {
        let mut pen = Pen::default();
        points.iter().for_each(|p| {
            let (x, y) = at(*p);
            pen.line_to(x, y);
        });
        let _ = write!(out, "<path class=region style=\"{style}\" d=\"{}z\"/>", pen.finish());
        return out;
    }
    if stroke != Stroke::Points {
        let mut pen = Pen::default();
        points.iter().for_each(|p| {
            let (x, y) = at(*p);
            pen.line_to(x, y);
        });
        let class = if stroke == Stroke::Dashed { "line dashed" } else { "line" };
        let _ = write!(out, "<path class=\"{class}\" style=\"{style}\" d=\"{}\"/>", pen.finish());
    }
    if matches!(stroke, Stroke::Points | Stroke::Joined) {
        let mut d = String::new();
        for p in points {
            let (x, y) = at(*p);
            let _ = write!(d, "M{x} {y}h0");
        }
        let _ = write!(out, "<path class=point style=\"{style}\" d=\"{d}\"/>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> String {
        let axis = |label: &str| Axis { label: label.to_owned(), log: true };
        let curve = Curve { name: "<a>".to_owned(), points, stroke: Stroke::Joined };
        Chart { title: "t".to_owned(), x: axis("h, s"), y: axis("error"), curves: vec![curve] }.html()
    }

    #[test]
    fn a_power_law_is_straight_on_two_logarithmic_axes() {
        let html = chart((0..5).map(|k| (10f64.powi(-k), 10f64.powi(-2 * k))).collect());
        let d = html.split("class=point").nth(1).unwrap();
        let numbers: Vec<f64> =
            d.split(['M', ' ', 'h', '"']).filter_map(|s| s.parse().ok()).filter(|x| *x != 0.0).collect();
        // equal distances along each axis
        let xs: Vec<f64> = numbers.iter().step_by(2).copied().collect();
        assert!(xs.windows(3).all(|w| ((w[1] - w[0]) - (w[2] - w[1])).abs() <= 2.0), "{xs:?}");
        assert!(html.contains("&lt;a&gt;") && !html.contains("<a>"));
    }

    #[test]
    fn what_a_logarithm_does_not_know_is_left_out() {
        for points in
            [vec![], vec![(0.0, 1.0)], vec![(1.0, -1.0), (f64::NAN, 1.0)], vec![(1.0, f64::INFINITY)]]
        {
            assert!(chart(points).contains("<figure>"));
        }
    }
}
