//! Contact forces over time: in total, and for the contacts that carry most.

use std::borrow::Cow;

use crate::axis::drawable;
use crate::contacts::ContactRow;
use crate::plot::{Plot, Scale, Series, figure_grid};
use crate::run::Run;
use crate::text::{count, escape, natural_order, number};

/// So many contacts have plots of their own.
const MOST: usize = 12;
/// A force so many times its median is an impact: linear axes would show nothing else.
const PEAK: f64 = 50.0;
/// Decades on a log axis.
const DECADES: f64 = 8.0;

/// All force plots.
pub(crate) fn forces(run: &Run) -> String {
    if run.contacts.rows.is_empty() {
        return "<p class=remark>No contact was closed at any recorded step.</p>\n".into();
    }
    let time = run.trajectory.time();
    let groups = run.contacts.by_label();
    let drawn = heaviest(run, &groups);
    let log = drawn.iter().any(|&i| has_peaks(&groups[i]));
    let scale = if log {
        Scale::Log { decades: DECADES, at_least: Some(range(&run.contacts.rows)) }
    } else {
        Scale::Linear { magnitude: 0.0, from_zero: true }
    };
    let plot = |title: String, series: Vec<Series>| Plot::new(title, "N", time, series, scale).html();

    let mut out = remark(&groups, &drawn, log);
    let mut plots = Vec::new();
    if groups.len() > 1 {
        let total = series("normal", 0, over_time(time, &run.contacts.rows, |row| row.normal_force));
        plots.push(plot("all contacts: total normal force".into(), vec![total]));
    }
    if groups.len() > 3 {
        out.push_str(&figure_grid(&plots));
        plots.clear();
    }
    for &i in &drawn {
        let normal = series("normal", 0, over_time(time, &groups[i], |row| row.normal_force));
        let friction = series("friction", 1, over_time(time, &groups[i], |row| row.friction));
        plots.push(plot(run.contacts.labels[i].clone(), vec![normal, friction]));
    }
    out.push_str(&figure_grid(&plots));
    out
}

/// The contacts with the largest sums of normal force, by label.
fn heaviest(run: &Run, groups: &[Vec<ContactRow>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| load(&groups[b]).total_cmp(&load(&groups[a])));
    order.truncate(MOST);
    order.sort_by(|&a, &b| natural_order(&run.contacts.labels[a], &run.contacts.labels[b]));
    order
}

fn remark(groups: &[Vec<ContactRow>], drawn: &[usize], log: bool) -> String {
    let mut text =
        String::from("A force is the impulse of a step over its length; friction is its magnitude.");
    if log {
        text.push_str(
            " Impacts exceed lasting forces by far, so the axes are logarithmic; the lower edge is zero.",
        );
    }
    if drawn.len() < groups.len() {
        let all: f64 = groups.iter().map(|rows| load(rows)).sum();
        let shown: f64 = drawn.iter().map(|&i| load(&groups[i])).sum();
        let rest = count(groups.len() - drawn.len(), "contact");
        text.push_str(&format!(
            " Drawn one by one: the {} contacts that carry most; the other {rest} carry {} % of the normal impulse and \
             are part of the total.",
            drawn.len(),
            number(100.0 * (1.0 - shown / all), 2)
        ));
    }
    format!("<p class=remark>{}</p>\n", escape(&text))
}

fn load(rows: &[ContactRow]) -> f64 {
    rows.iter().map(|row| row.normal_force).filter(|f| f.is_finite()).sum()
}

fn has_peaks(rows: &[ContactRow]) -> bool {
    let mut forces: Vec<f64> = rows.iter().map(|row| row.normal_force).filter(|f| *f > 0.0).collect();
    forces.sort_by(f64::total_cmp);
    match (forces.get(forces.len() / 2), forces.last()) {
        (Some(median), Some(most)) => most > &(PEAK * median),
        _ => false,
    }
}

/// Smallest and largest positive force: what the log axes of all contacts have in common.
fn range(rows: &[ContactRow]) -> (f64, f64) {
    let positive =
        rows.iter().flat_map(|row| [row.normal_force, row.friction]).filter(|f| *f > 0.0 && drawable(*f));
    positive.fold((f64::INFINITY, 0.0), |(low, high), f| (low.min(f), high.max(f)))
}

/// A force at every recorded step: zero while open, the sum where several rows share a step. The initial state is the
/// end of no step and has no forces, unless the recorder says otherwise.
fn over_time(time: &[f64], rows: &[ContactRow], force: impl Fn(&ContactRow) -> f64) -> Vec<f64> {
    let mut values = vec![0.0; time.len()];
    if rows.first().is_none_or(|row| Some(&row.time) != time.first())
        && let Some(initial) = values.first_mut()
    {
        *initial = f64::NAN;
    }
    for row in rows {
        let step = time.partition_point(|&t| t < row.time);
        if let Some(value) = values.get_mut(step) {
            *value += force(row);
        }
    }
    values
}

fn series(name: &str, colour: usize, values: Vec<f64>) -> Series<'static> {
    Series { name: name.into(), values: Cow::Owned(values), colour }
}
