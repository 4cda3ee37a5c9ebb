//! The page of a refinement: how the runs approach each other, over time and over the step.

use super::verdict_in_words;
use stickslip_report::chart::{Axis, Chart, Curve, Stroke};
use stickslip_report::document::{Block, Document, Section, TextTable};
use stickslip_scene::Scene;
use stickslip_study::refine::{Level, Refinement};

pub(super) fn page(refinement: &Refinement, scene: &Scene) -> Document {
    let words = verdict_in_words(refinement, scene.until);
    let mut lines = words.lines();
    let verdict = lines.next().unwrap_or_default().to_owned();
    let mut facts = vec![
        ("stepper".to_owned(), scene.stepper.method().name().to_owned()),
        ("cone".to_owned(), scene.stepper.cone.to_string()),
        ("solver".to_owned(), scene.stepper.solver.method.name().to_owned()),
        ("until".to_owned(), format!("{} s", scene.until)),
        ("runs".to_owned(), refinement.levels.len().to_string()),
    ];
    if let Some(p) = &refinement.period {
        let error = p.error.map_or("?".to_owned(), |e| format!("{e:.1e}"));
        facts.push(("period".to_owned(), format!("{:.7} ± {error} s", p.value)));
    }
    let good = refinement.trust.verdict.holds() && refinement.reached && refinement.is_certified();
    let mut notes: Vec<Block> = lines.map(|l| Block::Text(l.to_owned())).collect();
    let missed: u64 = refinement.levels.iter().map(|l| l.run.missed_steps).sum();
    if missed > 0 {
        notes.push(Block::Text(format!("Not certified: {missed} steps of these runs missed a tolerance.")));
    }
    notes.push(Block::Charts(vec![over_time(refinement), over_step(refinement)]));
    Document {
        title: format!("{}: refinement", scene.name),
        facts,
        verdict: Some((good, verdict)),
        sections: vec![
            Section { title: "Differences between runs".to_owned(), blocks: notes },
            Section { title: "At the end".to_owned(), blocks: vec![table(refinement)] },
        ],
    }
}

fn name(level: &Level) -> String {
    match level.accuracy {
        Some(a) => format!("accuracy {:.1e}", a.absolute),
        None => format!("{} s", level.step),
    }
}

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.to_owned(), log }
}

fn over_time(refinement: &Refinement) -> Chart {
    let curves = refinement.differences().into_iter().enumerate().map(|(k, d)| {
        let run = &refinement.levels[k].run;
        let points = run.times.iter().copied().zip(d).skip(1).collect();
        Curve { name: format!("{} and the next", name(&refinement.levels[k])), points, stroke: Stroke::Line }
    });
    let mut curves: Vec<Curve> = curves.collect();
    let top = curves.iter().flat_map(|c| c.points.iter().map(|p| p.1)).fold(0.0, f64::max);
    let until = refinement.trust.until;
    if !refinement.trust.verdict.holds() && top > 0.0 {
        let points = vec![(until, top * 1e-30), (until, top)];
        curves.push(Curve { name: format!("trusted until {until} s"), points, stroke: Stroke::Dashed });
    }
    Chart {
        title: "By time".to_owned(),
        x: axis("t, s", false),
        y: axis("largest difference, relative to the motion", true),
        curves,
    }
}

fn over_step(refinement: &Refinement) -> Chart {
    let refines_step = refinement.levels.iter().all(|l| l.accuracy.is_none());
    let place = |k: usize| {
        let level = &refinement.levels[k];
        if refines_step { level.step } else { level.accuracy.map_or(f64::NAN, |a| a.absolute) }
    };
    let mean = |d: &Vec<f64>| d.iter().sum::<f64>() / d.len().max(1) as f64;
    let points: Vec<(f64, f64)> =
        refinement.differences().iter().enumerate().map(|(k, d)| (place(k), mean(d))).collect();
    let mut curves =
        vec![Curve { name: "mean over the run".to_owned(), points: points.clone(), stroke: Stroke::Joined }];
    if let (Some(first), Some(last), true) = (points.first(), points.last(), refines_step) {
        let one = (last.0, first.1 * last.0 / first.0);
        curves.push(Curve { name: "order 1".to_owned(), points: vec![*first, one], stroke: Stroke::Dashed });
    }
    Chart {
        title: "By step".to_owned(),
        x: axis(if refines_step { "step, s" } else { "accuracy asked for" }, true),
        y: axis("difference from the next finer run", true),
        curves,
    }
}

fn table(refinement: &Refinement) -> Block {
    let number = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.2e}"));
    let rows = refinement.estimates.iter().map(|e| {
        let order = if e.exact {
            "exact".to_owned()
        } else {
            e.order.map_or("–".to_owned(), |p| format!("{p:.2}"))
        };
        let extrapolated = e.extrapolated.map_or("–".to_owned(), |x| format!("{x:.10e}"));
        vec![e.name.clone(), format!("{:.10e}", e.value), number(e.error), extrapolated, order]
    });
    Block::Table(TextTable {
        headings: ["quantity", "value", "±", "extrapolated", "order"].map(str::to_owned).to_vec(),
        numbers: vec![false, true, true, true, true],
        rows: rows.collect(),
    })
}
