//! A plot: HTML labels around an SVG area that stretches with the page.
//!
//! The area's coordinates run from 0 to [`UNITS`] both ways whatever its size on screen; strokes do not scale. Text
//! stays outside of the SVG, so it keeps its size on a phone.

use std::borrow::Cow;
use std::fmt::Write;

use crate::axis::{Axes, UNITS, drawable, extent, linear_range, log_range, time_range, to_units};
use crate::decimate::{POINTS, keep_extrema, keep_largest};
use crate::pen::Pen;
use crate::text::{escape, number};
use crate::ticks::{self, Ticks};

/// Points of all series of one plot together.
const POINTS_PER_PLOT: usize = 12 * POINTS;
/// One line.
pub(crate) struct Series<'a> {
    pub name: String,
    pub values: Cow<'a, [f64]>,
    /// Number of the colour, see [`colour`].
    pub colour: usize,
}

/// The vertical axis.
#[derive(Clone, Copy)]
pub(crate) enum Scale {
    /// `magnitude`: what counts as large for this quantity, to tell motion from rounding. `from_zero`: 0 is on the
    /// axis.
    Linear { magnitude: f64, from_zero: bool },
    /// Zero, and what is more than `decades` below the largest value, sits on the lower edge.
    /// The axis reaches to `at_least` if given, so that plots side by side can share it.
    Log { decades: f64, at_least: Option<(f64, f64)> },
}

/// What is drawn of more samples than a plot has room for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Thinning {
    /// Smallest and largest of each stretch: the shape.
    Extrema,
    /// The largest only: where just the worst counts, a readable line instead of a filled block.
    Largest,
}

/// Stretches drawn with [`Thinning::Largest`].
pub(crate) const STRETCHES: usize = 300;

/// Series over time.
pub(crate) struct Plot<'a> {
    pub title: String,
    pub unit: &'a str,
    pub time: &'a [f64],
    /// Unit of the horizontal axis.
    pub across: &'a str,
    pub series: Vec<Series<'a>>,
    pub scale: Scale,
    /// A dashed horizontal line with its name.
    pub limit: Option<(f64, String)>,
    pub thinning: Thinning,
    /// Instants to mark.
    pub marks: Vec<f64>,
}

impl<'a> Plot<'a> {
    /// A plot without limit and marks.
    pub(crate) fn new(
        title: String,
        unit: &'a str,
        time: &'a [f64],
        series: Vec<Series<'a>>,
        scale: Scale,
    ) -> Self {
        let (limit, thinning, marks) = (None, Thinning::Extrema, Vec::new());
        Plot { title, unit, time, across: "s", series, scale, limit, thinning, marks }
    }

    /// The plot as HTML.
    pub(crate) fn html(&self) -> String {
        let (y, flat) = self.vertical();
        let axes = Axes { x: time_range(self.time), y };
        let y_ticks = match self.scale {
            Scale::Linear { .. } => ticks::linear(y.0, y.1, 6),
            Scale::Log { .. } => ticks::decades(y.0, y.1, 6),
        };
        let mut svg = String::new();
        for &mark in &self.marks {
            let _ = write!(svg, "<path class=mark d=\"M{} 0V{UNITS}\"/>", to_units(mark, axes.x));
        }
        let budget = (POINTS_PER_PLOT / self.series.len().max(1)).clamp(100, POINTS);
        for (i, series) in self.series.iter().enumerate() {
            let d = self.path(&series.values, &axes, budget, flat);
            let _ =
                write!(svg, "<path data-s={i} class=line style=\"{}\" d=\"{d}\"/>", colour(series.colour));
        }
        let mut labels = String::new();
        if let Some((value, name)) = &self.limit {
            let at = UNITS - to_units(self.transform(*value), axes.y);
            let _ = write!(svg, "<path class=limit d=\"M0 {at}H{UNITS}\"/>");
            let _ = write!(labels, "<span class=limit style=\"top:{}%\">{}</span>", at / 100.0, escape(name));
        }
        let spread = self.spread();
        if flat && spread > 0.0 {
            let _ = write!(
                labels,
                "<span class=flat>constant to {} {}</span>",
                number(spread, 2),
                escape(self.unit)
            );
        }
        let log = matches!(self.scale, Scale::Log { .. });
        let x_ticks = ticks::linear(axes.x.0, axes.x.1, 6).with_unit(self.across);
        let body = area(&axes, &x_ticks, &y_ticks, &svg, &labels, if log { "time log" } else { "time" });
        let mut unit = self.unit.to_string();
        if log {
            unit.push_str(", log scale");
        }
        if self.thinning == Thinning::Largest && self.time.len() > STRETCHES {
            let _ = write!(unit, ", largest of each {} steps", self.time.len().div_ceil(STRETCHES));
        }
        figure(&self.title, &unit, &self.legend(), &body)
    }

    /// Range of the vertical axis, and whether all that varies is rounding.
    fn vertical(&self) -> ((f64, f64), bool) {
        let limit = self.limit.as_ref().map(|l| l.0);
        let drawn =
            |s: &Series| self.kept(&s.values, POINTS).into_iter().map(|i| s.values[i]).collect::<Vec<_>>();
        let all = self.series.iter().flat_map(drawn).chain(limit).filter(|v| drawable(*v));
        match self.scale {
            Scale::Linear { magnitude, from_zero } => {
                linear_range(all.chain(from_zero.then_some(0.0)), magnitude)
            }
            Scale::Log { decades, at_least } => {
                let shared = at_least.map_or([f64::NAN; 2], |(low, high)| [low, high]);
                (log_range(all.chain(shared), decades), false)
            }
        }
    }

    /// Largest range of a single series.
    fn spread(&self) -> f64 {
        let range = |s: &Series| {
            let (low, high) = extent(s.values.iter().copied().filter(|v| drawable(*v)));
            if low <= high { high - low } else { 0.0 }
        };
        self.series.iter().map(range).fold(0.0, f64::max)
    }

    fn transform(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear { .. } => value,
            // Zero and below go to minus infinity, which clamps to the lower edge.
            Scale::Log { .. } => value.max(0.0).log10(),
        }
    }

    /// Indices of the samples that are drawn.
    fn kept(&self, values: &[f64], budget: usize) -> Vec<usize> {
        match self.thinning {
            Thinning::Extrema => keep_extrema(values, budget),
            Thinning::Largest => keep_largest(values, STRETCHES),
        }
    }

    fn path(&self, values: &[f64], axes: &Axes, budget: usize, flat: bool) -> String {
        let values = &values[..values.len().min(self.time.len())];
        let middle = 0.5 * (axes.y.0 + axes.y.1);
        let mut pen = Pen::default();
        for i in self.kept(values, budget) {
            if !drawable(values[i]) {
                pen.lift();
                continue;
            }
            let value = if flat { middle } else { self.transform(values[i]) };
            pen.line_to(to_units(self.time[i], axes.x) as i64, (UNITS - to_units(value, axes.y)) as i64);
        }
        pen.finish()
    }

    /// Names with their last values; of many series the first ones and the last.
    fn legend(&self) -> String {
        const MOST: usize = 6;
        let n = self.series.len();
        let mut out = String::new();
        for (i, series) in self.series.iter().enumerate() {
            if n > MOST && (3..n - 1).contains(&i) {
                if i == 3 {
                    let _ = write!(out, "<span class=more>… {} more …</span>", n - 4);
                }
                continue;
            }
            let last = series.values.last().map_or(String::new(), |v| number(*v, 4));
            let name = escape(&series.name);
            let _ = write!(
                out,
                "<span class=k data-s={i} style=\"{}\"><i></i>{name} <b>{last}</b></span>",
                colour(series.colour)
            );
        }
        out
    }
}

/// The plot area with its grid and tick labels.
pub(crate) fn area(axes: &Axes, x: &Ticks, y: &Ticks, svg: &str, labels: &str, class: &str) -> String {
    let mut grid = String::new();
    let mut text = String::new();
    for (at, label) in y.at.iter().zip(&y.labels) {
        let top = UNITS - to_units(*at, axes.y);
        let _ = write!(grid, "M0 {top}H{UNITS}");
        let _ = write!(text, "<span class=y style=\"top:{}%\">{label}</span>", top / 100.0);
    }
    for (at, label) in x.at.iter().zip(&x.labels) {
        let left = to_units(*at, axes.x);
        let _ = write!(grid, "M{left} 0V{UNITS}");
        let _ = write!(text, "<span class=x style=\"left:{}%\">{label}</span>", left / 100.0);
    }
    if !y.note.is_empty() {
        let _ = write!(text, "<span class=note>{}</span>", y.note);
    }
    if !x.note.is_empty() {
        let _ = write!(text, "<span class=xnote>{}</span>", x.note);
    }
    // what stands above the axis needs room below the legend
    let noted = if y.note.is_empty() { "" } else { " noted" };
    format!(
        "<div class=\"area {class}{noted}\" data-x=\"{:?} {:?}\" data-y=\"{:?} {:?}\">\
         <svg viewBox=\"0 0 {UNITS} {UNITS}\" preserveAspectRatio=none aria-hidden=true>\
         <path class=grid d=\"{grid}\"/>{svg}</svg>{text}{labels}</div>",
        axes.x.0, axes.x.1, axes.y.0, axes.y.1
    )
}

/// An area with its title and legend.
pub(crate) fn figure(title: &str, unit: &str, legend: &str, area: &str) -> String {
    let (title, unit) = (escape(title), escape(unit));
    format!(
        "<figure><figcaption><span class=title>{title} <em>{unit}</em></span>\
         <span class=legend>{legend}</span></figcaption>{area}</figure>\n"
    )
}

/// Plots side by side: one alone is wide, two or four make pairs, other numbers rows of three.
pub(crate) fn figure_grid(figures: &[String]) -> String {
    let class = match figures.len() {
        0 => return String::new(),
        1 => "grid one",
        2 | 4 => "grid",
        _ => "grid three",
    };
    format!("<div class=\"{class}\">\n{}</div>\n", figures.concat())
}

/// Colours 0..8 are categorical and safe for colour-blind readers; from 100 on a muted ramp, see [`ramp`].
pub(crate) fn colour(n: usize) -> String {
    if n < 100 { format!("--c:var(--c{})", n % 8) } else { format!("--c:hsl({} 38% var(--ramp))", n - 100) }
}

/// Colour of member `i` of `n`: categorical for a few, a ramp from violet to green for many.
pub(crate) fn ramp(i: usize, n: usize) -> usize {
    if n <= 6 { i } else { 100 + 280 - (190 * i) / (n - 1).max(1) }
}

/// Note for plots that show `shown` of `all`; empty if that is everything.
pub(crate) fn left_out(shown: usize, all: usize, plural: &str, which: &str) -> String {
    if shown >= all {
        return String::new();
    }
    format!("<p class=remark>Drawn: the {shown} of {all} {plural} {which}.</p>\n")
}
