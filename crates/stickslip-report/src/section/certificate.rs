//! The certificate: residuals of the laws, step by step, against their tolerances.

use std::borrow::Cow;
use std::fmt::Write;

use crate::plot::{Plot, Scale, Series, Thinning, figure_grid};
use crate::run::Run;
use crate::summary::{AUDITED, BALANCE, Certificate, RESIDUALS};
use crate::text::{maybe, number};

/// Missed steps marked in the plots.
const MARKS: usize = 200;

/// Table and plots.
pub(crate) fn certificate(run: &Run) -> String {
    let none = Certificate::default();
    let certificate = run.summary.certificate.as_ref().unwrap_or(&none);
    let mut out = table(run, certificate);
    let law = ("laws of contact and friction", "dimensionless", &RESIDUALS[..3]);
    let balance = ("balance of forces", "dimensionless", &[BALANCE][..]);
    let groups =
        [law, ("penetration", "m", &RESIDUALS[3..4]), ("joints", "m or rad", &RESIDUALS[4..]), balance];
    let audited = [
        ("touch", "m", &AUDITED[0..1]),
        ("passivity", "of what may be", &AUDITED[1..2]),
        ("passage", "m", &AUDITED[2..3]),
        ("limits", "m or rad", &AUDITED[3..]),
    ];
    let mut plots = Vec::new();
    let has = |name: &str| run.summary.residuals().any(|n| n == name);
    for (title, unit, names) in groups.into_iter().chain(audited).filter(|g| has(g.2[0])) {
        let series = residuals(run, names);
        if series.is_empty() {
            continue;
        }
        if series.iter().all(|s| s.values.iter().all(|v| *v == 0.0)) {
            let _ = writeln!(out, "<p class=remark>{title}: residual exactly 0 at every recorded step.</p>");
            continue;
        }
        let tolerance = certificate.tolerance(names[0]).filter(|t| *t > 0.0);
        let scale = Scale::Log { decades: 20.0, at_least: None };
        let plot = Plot {
            limit: tolerance.map(|t| (t, format!("tolerance {}", number(t, 3)))),
            thinning: Thinning::Largest,
            marks: run.events.iter().filter(|e| e.kind == "missed").map(|e| e.t).take(MARKS).collect(),
            ..Plot::new(title.into(), unit, run.trajectory.time(), series, scale)
        };
        plots.push(plot.html());
    }
    plots.extend(iterations(run));
    out.push_str(&figure_grid(&plots));
    out
}

fn residuals<'a>(run: &'a Run, names: &[&str]) -> Vec<Series<'a>> {
    let one = |(i, name): (usize, &&str)| {
        let values = run.trajectory.column(&format!("certificate.{name}"))?;
        Some(Series { name: (*name).to_string(), values: Cow::Borrowed(values), colour: i })
    };
    names.iter().enumerate().filter_map(one).collect()
}

fn iterations(run: &Run) -> Option<String> {
    let values = run.trajectory.column("solver.iterations")?;
    let series = vec![Series { name: "iterations".into(), values: Cow::Borrowed(values), colour: 7 }];
    let scale = Scale::Linear { magnitude: 1.0, from_zero: true };
    let plot = Plot::new("solver iterations".into(), "per step", run.trajectory.time(), series, scale);
    Some(Plot { thinning: Thinning::Largest, ..plot }.html())
}

fn table(run: &Run, certificate: &Certificate) -> String {
    let meaning = |name| match name {
        "complementarity" => "no force across a gap, no approach under force",
        "cone" => "friction force within its cone",
        "dissipation" => "friction opposes slip",
        "penetration" => "overlap, from geometry, m",
        "touch" => "parts that pushed each other and are apart, or a force beside its body, m",
        "passivity" => "energy from nothing, as a multiple of what may be",
        "passage" => "parts that went through each other within a step, m",
        "limits" => "a joint limit that is passed, m or rad, or a motor beyond its bound",
        BALANCE => "forces that balance at every step, relative to the largest",
        _ => "joints apart, from geometry, m or rad",
    };
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>residual<th class=n>worst of the run<th class=n>tolerance\
         <th>within<th class=n>worst recorded<th>what it measures</thead>\n",
    );
    for name in run.summary.residuals() {
        let (worst, tolerance) = (certificate.residual(name), certificate.tolerance(name));
        let recorded = worst_recorded(run, name);
        let (class, within) = match (worst, tolerance) {
            (Some(worst), Some(tolerance)) if worst <= tolerance => ("yes", "yes"),
            (Some(_), Some(_)) => ("no", "no"),
            _ => ("no", "unknown"),
        };
        let _ = writeln!(
            out,
            "<tr><td>{name}<td class=n>{}<td class=n>{}<td class={class}>{within}<td class=n>{recorded}<td class=what>{}",
            maybe(worst, 3),
            maybe(tolerance, 3),
            meaning(name)
        );
    }
    out.push_str("</table></div>\n");
    out
}

/// Largest recorded value of a residual and when it was first met.
fn worst_recorded(run: &Run, name: &str) -> String {
    let values = run.trajectory.column(&format!("certificate.{name}")).unwrap_or(&[]);
    let worse = |best: Option<usize>, i: usize| match best {
        Some(b) if values[b] >= values[i] => best,
        _ => Some(i),
    };
    match (0..values.len()).filter(|&i| !values[i].is_nan()).fold(None, worse) {
        None => "–".into(),
        Some(i) if values[i] == 0.0 => "0".into(),
        Some(i) => {
            format!("{} <small>at {} s</small>", number(values[i], 3), number(run.trajectory.time()[i], 4))
        }
    }
}
