//! How many contacts share a load: the normal forces of a row of contacts, side by side, at several instants.

use std::collections::BTreeMap;

use crate::chart::{Axis, Chart, Curve, Stroke};
use crate::contacts::ContactRow;
use crate::plot::figure_grid;
use crate::run::Run;
use crate::text::{natural_order, number};

/// So many contacts of one kind make a row.
const ROW: usize = 6;
/// How many instants are drawn, and how many rows at most.
const INSTANTS: usize = 5;
const ROWS: usize = 4;

/// The charts of all rows.
pub(crate) fn load(run: &Run) -> String {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, label) in run.contacts.labels.iter().enumerate() {
        kinds.entry(kind(label)).or_default().push(i);
    }
    let rows = kinds.into_iter().filter(|(_, contacts)| contacts.len() >= ROW).take(ROWS);
    let charts: Vec<String> = rows.filter_map(|(kind, contacts)| chart(run, kind, contacts)).collect();
    if charts.is_empty() {
        return String::new();
    }
    format!(
        "<p class=remark>Contacts of one kind side by side, in the order of their names; one curve for each of some instants.</p>\n{}",
        figure_grid(&charts)
    )
}

/// A label without the number at its end.
fn kind(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit() || "#_-[]".contains(c))
}

fn chart(run: &Run, kind: &str, mut contacts: Vec<usize>) -> Option<String> {
    contacts.sort_by(|&a, &b| natural_order(&run.contacts.labels[a], &run.contacts.labels[b]));
    let mut place = vec![None; run.contacts.labels.len()];
    contacts.iter().enumerate().for_each(|(k, &c)| place[c] = Some(k));
    let times: Vec<f64> = instants(run, &place);
    let curve = |t: &f64| {
        let mut forces = vec![0.0; contacts.len()];
        let here = run.contacts.rows.iter().filter(|row| row.time == *t);
        here.for_each(|row: &ContactRow| {
            if let Some(k) = place[row.contact] {
                forces[k] = row.normal_force;
            }
        });
        let points = forces.into_iter().enumerate().map(|(k, f)| (k as f64, f)).collect();
        Curve { name: format!("t = {} s", number(*t, 4)), points, stroke: Stroke::Joined }
    };
    let curves: Vec<Curve> = times.iter().map(curve).collect();
    if curves.is_empty() {
        return None;
    }
    let chart = Chart {
        title: format!("{kind}: {} contacts", contacts.len()),
        x: Axis { label: "contact".to_owned(), log: false },
        y: Axis { label: "normal force in N".to_owned(), log: false },
        curves,
    };
    Some(chart.html())
}

/// Recorded times at which contacts of the row are closed, evenly spread over them.
fn instants(run: &Run, place: &[Option<usize>]) -> Vec<f64> {
    let closed = run.contacts.rows.iter().filter(|row| place[row.contact].is_some());
    let mut times: Vec<f64> = closed.map(|row| row.time).collect();
    times.dedup();
    let last = times.len().saturating_sub(1);
    let mut out: Vec<f64> =
        (0..INSTANTS).filter_map(|k| times.get(k * last / (INSTANTS - 1)).copied()).collect();
    out.dedup();
    out
}
