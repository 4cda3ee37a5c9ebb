//! Pictures of one instant side by side: outlines, and the forces of contacts as arrows. All of them have the same frame
//! and the same length for a newton.

use std::fmt::Write;

use crate::axis::UNITS;
use crate::plot::figure;
use crate::text::{escape, number};

/// The part of the frame that the longest arrow takes.
const LONGEST: f64 = 0.3;
/// Room around what is seen, relative to it.
const ROOM: f64 = 0.15;
/// Forces below this part of the largest are dots.
const NOTHING: f64 = 1e-3;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Around a solid.
    Closed,
    /// Open.
    Open,
    /// The edge of all below it: two points on it.
    Edge,
}

/// An outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its points, m.
    pub points: Vec<[f64; 2]>,
    /// What it is.
    pub line: Line,
    /// True for what moves.
    pub moves: bool,
}

/// A force.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Where it acts, m.
    pub at: [f64; 2],
    /// N.
    pub force: [f64; 2],
    /// What is written at it.
    pub label: String,
    /// Number of its colour.
    pub colour: usize,
}

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    /// Its title.
    pub title: String,
    /// What is said beside it.
    pub note: String,
    /// What there is.
    pub shapes: Vec<Shape>,
    /// The forces.
    pub forces: Vec<Force>,
}

/// A square of the world: its middle and half its side, m, and m per N.
struct Frame {
    middle: [f64; 2],
    half: f64,
    per_newton: f64,
    largest: f64,
}

/// The pictures as figures.
pub(crate) fn html(all: &[Instant]) -> Vec<String> {
    let Some(frame) = Frame::around(all) else { return Vec::new() };
    all.iter().map(|one| frame.draw(one)).collect()
}

impl Frame {
    fn around(all: &[Instant]) -> Option<Self> {
        let seen = |s: &&Shape| s.line != Line::Edge;
        let shapes = || all.iter().flat_map(|i| &i.shapes).filter(seen);
        // what moves sets the frame; where nothing does, everything
        let moving: Vec<[f64; 2]> = shapes().filter(|s| s.moves).flat_map(|s| s.points.clone()).collect();
        let mut points =
            if moving.is_empty() { shapes().flat_map(|s| s.points.clone()).collect() } else { moving };
        points.extend(all.iter().flat_map(|i| i.forces.iter().map(|f| f.at)));
        points.retain(|p| p.iter().all(|x| x.is_finite()));
        let range = |k: usize| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            points.iter().fold(ends, |(l, h), p| (l.min(p[k]), h.max(p[k])))
        };
        let ([x, y], false) = ([range(0), range(1)], points.is_empty()) else { return None };
        let half = 0.5 * (x.1 - x.0).max(y.1 - y.0);
        let half = (if half > 0.0 { half } else { 1.0 }) * (1.0 + ROOM + LONGEST);
        let size = |f: &Force| f.force[0].hypot(f.force[1]);
        let largest =
            all.iter().flat_map(|i| &i.forces).map(size).filter(|s| s.is_finite()).fold(0.0, f64::max);
        let per_newton = if largest > 0.0 { 2.0 * half * LONGEST / largest } else { 0.0 };
        Some(Self { middle: [0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1)], half, per_newton, largest })
    }

    /// Place in the picture, 0 to UNITS both ways.
    fn place(&self, p: [f64; 2]) -> [f64; 2] {
        let x = 0.5 + 0.5 * (p[0] - self.middle[0]) / self.half;
        let y = 0.5 - 0.5 * (p[1] - self.middle[1]) / self.half;
        [x, y].map(|v| (UNITS * v.clamp(-10.0, 11.0)).round())
    }

    fn draw(&self, one: &Instant) -> String {
        let mut svg = String::new();
        for shape in &one.shapes {
            let class = if shape.moves { "body moves" } else { "body" };
            let _ = write!(svg, "<path class=\"{class}\" d=\"{}\"/>", self.path(shape));
        }
        let mut labels = String::new();
        let mut named: Vec<[f64; 2]> = Vec::new();
        for force in &one.forces {
            svg.push_str(&self.arrow(force));
            let [x, y] = self.place(force.at).map(|v| v / 100.0);
            // of those in one place, seen from here, the first
            if named.iter().any(|n| (n[0] - x).hypot(n[1] - y) < 3.0) {
                continue;
            }
            named.push([x, y]);
            let side = if x > 50.0 { " left" } else { "" };
            let _ = write!(
                labels,
                "<span class=\"force{side}\" style=\"left:{x}%;top:{y}%\">{}</span>",
                escape(&force.label)
            );
        }
        let body = format!(
            "<div class=\"area instant\"><svg viewBox=\"0 0 {UNITS} {UNITS}\" role=img aria-label=\"{}\">{svg}</svg>\
             {labels}</div>",
            escape(&one.title)
        );
        let scale = if self.largest > 0.0 {
            format!("; longest arrow {} N", number(self.largest, 3))
        } else {
            String::new()
        };
        figure(&one.title, &format!("{}{scale}", one.note), "", &body)
    }

    fn path(&self, shape: &Shape) -> String {
        let mut points = shape.points.clone();
        if let (Line::Edge, [a, b]) = (shape.line, &shape.points[..]) {
            // as long as the frame is wide, through the point of it that is nearest to the middle
            let d = [b[0] - a[0], b[1] - a[1]];
            let size = d[0].hypot(d[1]);
            if size.is_nan() || size <= 0.0 {
                return String::new();
            }
            let d = d.map(|x| x / size);
            let along = (self.middle[0] - a[0]) * d[0] + (self.middle[1] - a[1]) * d[1];
            points = [-1.5, 1.5].map(|s| [0, 1].map(|k| a[k] + (along + s * self.half) * d[k])).to_vec();
        }
        let mut out = String::new();
        for (k, p) in points.iter().enumerate() {
            let [x, y] = self.place(*p);
            let _ = write!(out, "{}{x} {y}", if k == 0 { 'M' } else { 'L' });
        }
        match (shape.line, points.len()) {
            (_, 1) => out.push_str("h0"),
            (Line::Closed, _) => out.push('z'),
            _ => {}
        }
        out
    }

    /// A line with a head, or a dot where there is no force.
    fn arrow(&self, f: &Force) -> String {
        let [x, y] = self.place(f.at);
        let style = crate::plot::colour(f.colour);
        let size = f.force[0].hypot(f.force[1]);
        if size.is_nan() || size <= NOTHING * self.largest {
            return format!("<path class=point style=\"{style}\" d=\"M{x} {y}h0\"/>");
        }
        let length = size * self.per_newton;
        let unit = f.force.map(|c| c / size);
        let end = [0, 1].map(|k| f.at[k] + length * unit[k]);
        let head = (0.25 * length).min(0.06 * self.half);
        let back = [0, 1].map(|k| end[k] - head * unit[k]);
        let across = [-0.45 * head * unit[1], 0.45 * head * unit[0]];
        let [tip, middle] = [end, back].map(|p| self.place(p));
        let [left, right] =
            [1.0, -1.0].map(|s| self.place([back[0] + s * across[0], back[1] + s * across[1]]));
        format!(
            "<path class=\"line arrow\" style=\"{style}\" d=\"M{x} {y}L{} {}\"/>\
             <path class=\"cell arrow\" style=\"{style}\" d=\"M{} {}L{} {}L{} {}z\"/>",
            middle[0], middle[1], tip[0], tip[1], left[0], left[1], right[0], right[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(force: [f64; 2]) -> Instant {
        let points = vec![[-1.0, 0.0], [1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]];
        Instant {
            title: "<1>".to_owned(),
            note: String::new(),
            shapes: vec![
                Shape { points, line: Line::Closed, moves: true },
                Shape { points: vec![[0.0, 0.0], [1.0, 0.0]], line: Line::Edge, moves: false },
            ],
            forces: vec![Force { at: [1.0, 0.0], force, label: "a & b".to_owned(), colour: 0 }],
        }
    }

    /// Arrows of all pictures are on one scale: twice the force, twice the length; all of it is inside.
    #[test]
    fn arrows_are_as_long_as_their_forces() {
        let all = html(&[instant([0.0, 10.0]), instant([0.0, 5.0])]);
        let length = |page: &str| {
            let d = page.split("class=\"cell arrow\"").nth(1).unwrap().split('"').nth(3).unwrap().to_owned();
            let tip: f64 = d[1..].split('L').next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            let foot =
                page.split("class=\"line arrow\"").nth(1).unwrap().split('"').nth(3).unwrap().to_owned();
            let foot: f64 = foot[1..].split('L').next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            assert!((0.0..=UNITS).contains(&tip) && (0.0..=UNITS).contains(&foot));
            foot - tip
        };
        let (a, b) = (length(&all[0]), length(&all[1]));
        assert!((a - 2.0 * b).abs() <= 3.0 && (a - LONGEST * UNITS).abs() <= 3.0, "{a} {b}");
        assert!(all[0].contains("&lt;1&gt;") && all[0].contains("a &amp; b"));
    }

    #[test]
    fn what_is_no_number_is_not_drawn() {
        let mut odd = instant([f64::NAN, 0.0]);
        odd.shapes[1].points = vec![[0.0, 0.0], [0.0, 0.0]];
        assert!(!html(&[odd])[0].contains("NaN"));
        assert!(html(&[]).is_empty());
    }
}
