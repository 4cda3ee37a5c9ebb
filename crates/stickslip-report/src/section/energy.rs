//! The energy ledger.

use std::borrow::Cow;
use std::fmt::Write;

use crate::plot::{Plot, Scale, Series, Thinning, figure_grid};
use crate::run::Run;
use crate::summary::Energy;
use crate::text::maybe;

/// Column, name, what it is.
const LINES: [(&str, &str, &str); 8] = [
    ("kinetic", "kinetic", "energy of motion"),
    ("potential", "potential", "energy of position"),
    ("dissipated_friction", "dissipated by friction", "taken by dry friction since the start"),
    ("dissipated_impact", "dissipated by impact", "taken by impacts since the start"),
    ("work_in", "work in", "put in from outside since the start"),
    ("discretisation", "discretisation", "added or lost by the time discretisation itself"),
    ("imbalance", "imbalance", "left over when the ledger is closed: rounding"),
    ("overlap", "of impact: overlap", "put in by taking out overlaps that were there; impact is less by it"),
];

/// Table and plots.
pub(crate) fn energy(run: &Run) -> String {
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>line<th class=n>start, J<th class=n>end, J<th>what it is</thead>\n",
    );
    for (column, name, meaning) in LINES {
        let values = run.trajectory.column(&format!("energy.{column}")).unwrap_or(&[]);
        let end = run.summary.energy.and_then(|e| e.line(column)).or(values.last().copied());
        let exact = end.map_or(String::new(), |v| format!(" title=\"{v:?} J\""));
        let (start, end) = (maybe(values.first().copied(), 6), maybe(end, 6));
        let _ = writeln!(
            out,
            "<tr><td>{name}<td class=n>{start}<td class=n{exact}>{end}<td class=what>{meaning}"
        );
    }
    out.push_str("</table></div>\n");
    out.push_str(
        "<p>The change of kinetic and potential energy together is work in, less what friction and impact dissipated, plus \
         discretisation and imbalance.</p>\n",
    );

    let series: Vec<Series> = LINES[..6]
        .iter()
        .enumerate()
        .filter_map(|(i, (column, name, _))| {
            let values = run.trajectory.column(&format!("energy.{column}"))?;
            Some(Series { name: (*name).into(), values: Cow::Borrowed(values), colour: i })
        })
        .collect();
    let mut plots = Vec::new();
    let time = run.trajectory.time();
    if !series.is_empty() {
        let scale = Scale::Linear { magnitude: 0.0, from_zero: true };
        plots.push(Plot::new("energy ledger".into(), "J", time, series, scale).html());
    }
    if let Some(values) = run.trajectory.column("energy.imbalance") {
        plots.push(imbalance(time, values));
    }
    out.push_str(&figure_grid(&plots));
    out
}

fn imbalance(time: &[f64], values: &[f64]) -> String {
    let size: Vec<f64> = values.iter().map(|v| v.abs()).collect();
    let series = vec![Series { name: "|imbalance|".into(), values: Cow::Owned(size), colour: 6 }];
    let title = "imbalance".to_string();
    let scale = Scale::Log { decades: 12.0, at_least: None };
    Plot { thinning: Thinning::Largest, ..Plot::new(title, "J", time, series, scale) }.html()
}

impl Energy {
    fn line(&self, name: &str) -> Option<f64> {
        match name {
            "kinetic" => self.kinetic,
            "potential" => self.potential,
            "dissipated_friction" => self.dissipated_friction,
            "dissipated_impact" => self.dissipated_impact,
            "work_in" => self.work_in,
            "discretisation" => self.discretisation,
            "imbalance" => self.imbalance,
            "overlap" => self.overlap,
            _ => None,
        }
    }
}
