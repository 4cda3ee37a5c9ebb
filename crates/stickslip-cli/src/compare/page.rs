//! The page of a comparison: Pareto plot, error by step, by time, by number of directions, and solve times.

use super::{COLUMNS, crossing_in_words, reference_in_words};
use stickslip::stepper::Cone;
use stickslip_report::chart::{Axis, Chart, Curve, Stroke};
use stickslip_report::document::{Block, Document, Section, TextTable};
use stickslip_study::compare::{Comparison, Entry};

/// Curves of error over time that are drawn.
const CURVES: usize = 8;

pub(super) fn page(comparison: &Comparison) -> Document {
    let certified = comparison.is_certified();
    let bad = comparison.entries.iter().filter(|e| !e.run.is_certified()).count();
    let verdict = if certified {
        "Certified: every step of every run within its tolerances".to_owned()
    } else {
        format!("Not certified: {bad} of {} runs", comparison.entries.len())
    };
    Document {
        title: format!("{}: comparison", comparison.scene),
        facts: vec![
            ("runs".to_owned(), comparison.entries.len().to_string()),
            ("until".to_owned(), format!("{} s", comparison.until)),
            ("reference".to_owned(), reference_in_words(comparison)),
        ],
        verdict: Some((certified, verdict)),
        sections: vec![
            section("Error and time", pareto(comparison)),
            section("Error by step", by_step(comparison)),
            section("Friction cones", cones(comparison)),
            section("Joints", joints(comparison)),
            section("Runs", table(comparison)),
            section("Left out", refused(comparison)),
        ],
    }
}

fn section(title: &str, blocks: Vec<Block>) -> Section {
    Section { title: title.to_owned(), blocks }
}

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.to_owned(), log }
}

/// The runs of each method, in the order of the methods' first runs.
fn by_method(comparison: &Comparison) -> Vec<(String, Vec<&Entry>)> {
    let mut out: Vec<(String, Vec<&Entry>)> = Vec::new();
    for e in &comparison.entries {
        let method = e.combination.method();
        match out.iter_mut().find(|(m, _)| *m == method) {
            Some((_, list)) => list.push(e),
            None => out.push((method, vec![e])),
        }
    }
    out
}

fn curves(comparison: &Comparison, point: impl Fn(&Entry) -> Option<(f64, f64)>) -> Vec<Curve> {
    by_method(comparison)
        .into_iter()
        .map(|(name, list)| {
            let mut points: Vec<(f64, f64)> = list.into_iter().filter_map(&point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve { name, points, stroke: Stroke::Joined }
        })
        .filter(|c| !c.points.is_empty())
        .collect()
}

fn pareto(comparison: &Comparison) -> Vec<Block> {
    let mut curves = curves(comparison, |e| Some((e.run.cost.wall, e.measured.error?)));
    let mut front: Vec<(f64, f64)> = comparison
        .entries
        .iter()
        .filter(|e| e.pareto)
        .filter_map(|e| Some((e.run.cost.wall, e.measured.error?)))
        .collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    curves.push(Curve { name: "Pareto front".to_owned(), points: front, stroke: Stroke::Dashed });
    let chart = Chart {
        title: "Error against time".to_owned(),
        x: axis("wall time, s", true),
        y: axis("largest error, relative to the motion", true),
        curves,
    };
    vec![Block::Charts(vec![chart])]
}

fn by_step(comparison: &Comparison) -> Vec<Block> {
    let curves = curves(comparison, |e| Some((e.combination.step, e.measured.error_mean?)));
    let several = curves.iter().any(|c| c.points.len() > 1);
    let mut blocks = Vec::new();
    if several {
        let over_step = Chart {
            title: "Error by step".to_owned(),
            x: axis("step, s", true),
            y: axis("mean error", true),
            curves: with_slopes(curves),
        };
        blocks.push(Block::Charts(vec![over_step, over_time(comparison)]));
        let slopes: Vec<String> =
            comparison.slopes.iter().map(|s| format!("{}: error ~ step^{:.2}", s.method, s.slope)).collect();
        blocks.push(Block::Text(slopes.join("; ")));
    } else {
        blocks.push(Block::Charts(vec![over_time(comparison)]));
    }
    blocks
}

/// Lines of slope one and two through the largest error.
fn with_slopes(mut curves: Vec<Curve>) -> Vec<Curve> {
    let all: Vec<(f64, f64)> = curves.iter().flat_map(|c| c.points.iter().copied()).collect();
    let low = all.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let Some(top) = all.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else { return curves };
    for order in [1, 2] {
        let end = (low, top.1 * (low / top.0).powi(order));
        let name = format!("slope {order}");
        curves.push(Curve { name, points: vec![end, top], stroke: Stroke::Dashed });
    }
    curves
}

fn over_time(comparison: &Comparison) -> Chart {
    let curves = comparison.entries.iter().take(CURVES).map(|e| Curve {
        name: e.combination.to_string(),
        points: e.run.times.iter().copied().zip(e.measured.errors.iter().copied()).skip(1).collect(),
        stroke: Stroke::Line,
    });
    let shown =
        if comparison.entries.len() > CURVES { format!(", first {CURVES} runs") } else { String::new() };
    Chart {
        title: format!("Error by time{shown}"),
        x: axis("t, s", false),
        y: axis("error", true),
        curves: curves.collect(),
    }
}

/// Error and solve time by number of directions.
fn cones(comparison: &Comparison) -> Vec<Block> {
    let directions = |e: &Entry| match e.combination.cone() {
        Some(Cone::Polygon { directions, .. }) => Some(directions as f64),
        _ => None,
    };
    let group = |value: &dyn Fn(&Entry) -> Option<f64>| {
        let mut out: Vec<Curve> = Vec::new();
        for e in &comparison.entries {
            let c = &e.combination;
            let (Some(n), Some(y)) = (directions(e), value(e)) else { continue };
            let name = format!("{} / {}, {} s", c.stepper, c.solver, c.step);
            match out.iter_mut().find(|x| x.name == name) {
                Some(curve) => curve.points.push((n, y)),
                None => out.push(Curve { name, points: vec![(n, y)], stroke: Stroke::Joined }),
            }
        }
        out
    };
    let errors = group(&|e| e.measured.cone_error);
    let mut times = group(&|e| e.measured.solve.map(|s| s.seconds));
    if errors.is_empty() && times.is_empty() {
        return Vec::new();
    }
    let all: Vec<f64> = times.iter().flat_map(|c| c.points.iter().map(|p| p.0)).collect();
    let ends = all.iter().fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(*x), h.max(*x)));
    for e in comparison.entries.iter().filter(|e| e.combination.cone() == Some(Cone::Exact)) {
        if let Some(s) = e.measured.solve {
            let name = format!("exact cone: {}, {} s", e.combination.solver, e.combination.step);
            times.push(Curve {
                name,
                points: vec![(ends.0, s.seconds), (ends.1, s.seconds)],
                stroke: Stroke::Line,
            });
        }
    }
    let chart = |title: &str, y: &str, curves| Chart {
        title: title.to_owned(),
        x: axis("number of friction directions", true),
        y: axis(y, true),
        curves,
    };
    let mut blocks = vec![Block::Charts(vec![
        chart("Error of the polyhedral cone", "difference from the exact cone, same step", errors),
        chart("Time of one solution", "s", times),
    ])];
    let words: Vec<String> = comparison.crossings.iter().map(crossing_in_words).collect();
    if !words.is_empty() {
        blocks.push(Block::Text(words.join("; ")));
    }
    blocks
}

/// Drift and cost of the ways to keep joints.
fn joints(comparison: &Comparison) -> Vec<Block> {
    let of: Vec<&Entry> = comparison.entries.iter().filter(|e| e.combination.constraint.is_some()).collect();
    let row = |e: &&Entry| {
        let name = e.combination.constraint.clone().unwrap_or_default();
        let numbers = [e.run.certificate.joint, e.run.ledger.discretisation, e.run.cost.wall];
        let error = e.measured.error.map_or("-".to_owned(), |x| format!("{x:.2e}"));
        std::iter::once(name).chain(numbers.map(|x| format!("{x:.2e}"))).chain([error]).collect()
    };
    if of.is_empty() {
        return Vec::new();
    }
    let headings = ["method", "largest error of a joint, m or rad", "energy it adds, J", "wall, s", "error"];
    vec![Block::Table(TextTable {
        headings: headings.map(str::to_owned).to_vec(),
        numbers: vec![false, true, true, true, true],
        rows: of.iter().map(row).collect(),
    })]
}

fn table(comparison: &Comparison) -> Vec<Block> {
    vec![
        Block::Table(TextTable {
            headings: COLUMNS.map(|c| c.0.to_owned()).to_vec(),
            numbers: COLUMNS.map(|c| c.1).to_vec(),
            rows: comparison.entries.iter().map(|e| COLUMNS.iter().map(|c| (c.2)(e)).collect()).collect(),
        }),
        Block::Text(
            "* no other run is both nearer and faster. Errors are relative to the size of the motion, the largest over the run \
             and all positions. Times are of this machine at that moment; solve is one contact problem from zero."
                .to_owned(),
        ),
    ]
}

fn refused(comparison: &Comparison) -> Vec<Block> {
    if comparison.refused.is_empty() {
        return Vec::new();
    }
    vec![Block::Table(TextTable {
        headings: vec!["combination".to_owned(), "why".to_owned()],
        numbers: vec![false, false],
        rows: comparison.refused.iter().map(|r| vec![r.combination.method(), r.why.clone()]).collect(),
    })]
}
