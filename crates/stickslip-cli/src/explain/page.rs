//! The page of an instant: the motions side by side with their forces, and Gauss' principle where it can be drawn.

use super::{in_words, verdict_in_words};
use stickslip::step::Mode;
use stickslip_report::chart::{Axis, Chart, Curve, Stroke};
use stickslip_report::document::{Block, Document, Section, TextTable};
use stickslip_report::instant::{Force, Instant, Line, Shape};
use stickslip_scene::Scene;
use stickslip_study::explain::{Answer, Explanation, Gauss, OutlineKind, Picture, Verdict};

/// Motions that are drawn.
const DRAWN: usize = 6;
/// Points of a curve.
const POINTS: usize = 80;
/// How far beyond the largest force the set is drawn.
const BEYOND: f64 = 1.6;
/// Contours of the objective.
const CONTOURS: usize = 6;

pub(super) fn page(e: &Explanation, scene: &Scene) -> Document {
    let mut sections = Vec::new();
    if let Ok(answer) = &e.acceleration {
        sections.push(Section { title: "Motions".to_owned(), blocks: motions(e.picture.as_ref(), answer) });
        if let Some(gauss) = &e.gauss {
            let blocks = vec![Block::Text(words(gauss)), Block::Charts(vec![chart(gauss, answer)])];
            sections.push(Section { title: "Gauss' principle of least constraint".to_owned(), blocks });
        }
    }
    // contacts are in the table above
    let text = in_words(e, scene);
    let text = text.lines().filter(|l| !l.starts_with("     ")).map(|l| Block::Text(l.to_owned())).collect();
    sections.push(Section { title: "In words".to_owned(), blocks: text });
    let verdict = e
        .acceleration
        .as_ref()
        .ok()
        .map(|a| (a.verdict == Verdict::Unique, format!("Accelerations: {}", verdict_in_words(a))));
    Document {
        title: format!("{} at t = {} s", scene.name, e.time),
        facts: vec![
            ("stepper".to_owned(), scene.stepper.method().name().to_owned()),
            ("cone".to_owned(), scene.stepper.cone.to_string()),
        ],
        verdict,
        sections,
    }
}

/// Pictures of all motions with arrows, and a table of their contacts.
fn motions(picture: Option<&Picture>, answer: &Answer) -> Vec<Block> {
    let mut blocks = Vec::new();
    let name = |k: usize| {
        let taken = if answer.taken == Some(k) { ", the one that is taken" } else { "" };
        format!("Motion {}{taken}", k + 1)
    };
    if let Some(picture) = picture {
        let one = |k: usize| Instant {
            title: name(k),
            note: format!("Gauss' constraint {:.4e}", answer.solutions[k].constraint),
            shapes: shapes(picture),
            forces: forces(picture, k),
        };
        blocks.push(Block::Instants((0..picture.arrows.len().min(DRAWN)).map(one).collect()));
    }
    let mut rows = Vec::new();
    for (k, s) in answer.solutions.iter().enumerate() {
        for c in &s.contacts {
            let friction: Vec<String> = c.friction_force.iter().map(|f| format!("{f:.4}")).collect();
            let (normal, gap) = (format!("{:.6}", c.normal_force), format!("{:.4e}", c.gap));
            rows.push(vec![
                name(k),
                c.label.clone(),
                mode(c.mode).to_owned(),
                normal,
                friction.join(", "),
                gap,
            ]);
        }
    }
    if !rows.is_empty() {
        let headings = ["motion", "contact", "does", "normal, N", "friction, N", "gap, m/s²"];
        blocks.push(Block::Table(TextTable {
            headings: headings.map(str::to_owned).to_vec(),
            numbers: vec![false, false, false, true, true, true],
            rows,
        }));
    }
    blocks
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "opens",
        Mode::Stick => "sticks",
        Mode::Slip => "slips",
    }
}

fn shapes(picture: &Picture) -> Vec<Shape> {
    let line = |kind: OutlineKind| match kind {
        OutlineKind::Closed => Line::Closed,
        OutlineKind::Open => Line::Open,
        OutlineKind::Edge => Line::Edge,
    };
    let all = picture.outlines.iter();
    all.map(|o| Shape { points: o.points.clone(), line: line(o.kind), moves: o.moves }).collect()
}

fn forces(picture: &Picture, k: usize) -> Vec<Force> {
    let one = |a: &stickslip_study::explain::Arrow| {
        let colour = match a.mode {
            Mode::Open => 6,
            Mode::Stick => 0,
            Mode::Slip => 1,
        };
        Force { at: a.at, force: a.force, label: format!("{} {}", a.label, mode(a.mode)), colour }
    };
    picture.arrows[k].iter().map(one).collect()
}

fn words(gauss: &Gauss) -> String {
    let set = if gauss.feasible(f64::MAX.sqrt()).is_empty() {
        "It is empty: no forces will do."
    } else {
        "Its point of the least constraint is the motion by Gauss' principle."
    };
    format!(
        "Normal forces with which no closed contact is entered, the feasible set, and Gauss' constraint over them \
         [Gomez 2008, eq. 2.39]. {set}"
    )
}

/// The set and the objective over one normal force, or contours over two.
fn chart(gauss: &Gauss, answer: &Answer) -> Chart {
    let force = |s: &stickslip_study::explain::Solution, label: &String| {
        s.contacts.iter().find(|c| c.label == *label).map_or(0.0, |c| c.normal_force)
    };
    let points: Vec<Vec<f64>> =
        answer.solutions.iter().map(|s| gauss.labels.iter().map(|l| force(s, l)).collect()).collect();
    let most = BEYOND * largest(gauss, &points);
    let set = gauss.feasible(most);
    let axis = |label: String| Axis { label, log: false };
    let curve =
        |name: &str, points: Vec<(f64, f64)>, stroke: Stroke| Curve { name: name.to_owned(), points, stroke };
    if let [label] = &gauss.labels[..] {
        let top = gauss.objective(&[most]);
        let mut curves = Vec::new();
        if let [low, high] = &set[..] {
            let corners = vec![(low[0], 0.0), (high[0], 0.0), (high[0], top), (low[0], top)];
            curves.push(curve("feasible set", corners, Stroke::Region));
        }
        let n = |k: usize| most * k as f64 / POINTS as f64;
        let phi = (0..=POINTS).map(|k| (n(k), gauss.objective(&[n(k)]))).collect();
        curves.push(curve("Gauss' constraint", phi, Stroke::Line));
        let found = points.iter().map(|p| (p[0], gauss.objective(p))).collect();
        curves.push(curve("solutions", found, Stroke::Points));
        return Chart {
            title: "Objective and feasible set".to_owned(),
            x: axis(format!("normal force of {label}, N")),
            y: axis("Gauss' constraint, N m/s²".to_owned()),
            curves,
        };
    }
    let mut curves = Vec::new();
    let pair = |p: &Vec<f64>| (p[0], p[1]);
    if !set.is_empty() {
        curves.push(curve("feasible set", set.iter().map(pair).collect(), Stroke::Region));
    }
    for (label, (row, b)) in gauss.labels.iter().zip(gauss.rows.iter().zip(&gauss.b)) {
        curves.push(curve(&format!("{label} neither opens nor closes"), border(row, *b, most), Stroke::Line));
    }
    curves.push(curve("solutions", points.iter().map(pair).collect(), Stroke::Points));
    let top = gauss.objective(&[most, most]).max(gauss.objective(&[most, 0.0]));
    for k in 1..=CONTOURS {
        let inside = |p: &[f64; 2]| p.iter().all(|x| *x <= most);
        let level = top * (k as f64 / CONTOURS as f64).powi(2);
        let line = gauss.contour(level).iter().filter(|p| inside(p)).map(|p| (p[0], p[1])).collect();
        let name = if k == 1 { "equal constraint" } else { "" };
        curves.push(curve(name, line, Stroke::Dashed));
    }
    Chart {
        title: "Objective and feasible set".to_owned(),
        x: axis(format!("normal force of {}, N", gauss.labels[0])),
        y: axis(format!("normal force of {}, N", gauss.labels[1])),
        curves,
    }
}

/// The largest force that there is to show: of a solution, or where a gap ceases to close.
fn largest(gauss: &Gauss, points: &[Vec<f64>]) -> f64 {
    let own = points.iter().flatten().fold(0.0f64, |m, x| m.max(*x));
    let edges = (0..gauss.b.len()).map(|i| (gauss.b[i] / gauss.rows[i][i]).abs());
    let edge = edges.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let both = if own > 0.0 { own.max(edge.min(3.0 * own)) } else { edge };
    if both > 0.0 { both } else { 1.0 }
}

/// The line `row · N + b = 0` within a square.
fn border(row: &[f64], b: f64, most: f64) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    for at in [0.0, most] {
        out.push((at, -(b + row[0] * at) / row[1]));
        out.push((-(b + row[1] * at) / row[0], at));
    }
    let inside = |x: f64| (-1e-9 * most..=most * (1.0 + 1e-9)).contains(&x);
    out.retain(|(x, y)| inside(*x) && inside(*y));
    out.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    out.dedup();
    out
}
