//! Contact modes as one band per contact: blank while open, one colour sticking, one slipping.

use std::fmt::Write;

use crate::axis::{UNITS, time_range, to_units};
use crate::contacts::{ContactRow, Mode};
use crate::text::escape;
use crate::ticks;

/// Columns of a band; what is shorter than one is drawn one wide.
const COLUMNS: usize = 1250;

/// Bands of the given contacts over the recorded times, with one time axis below.
pub(crate) fn bands(time: &[f64], contacts: &[(&str, &[ContactRow])]) -> String {
    let range = time_range(time);
    let long = contacts.iter().any(|(label, _)| label.chars().count() > 11);
    let mut out = format!("<div class=\"bands{}\">\n", if long { " long" } else { "" });
    for (label, rows) in contacts {
        let modes = columns(time, rows, range);
        let _ = writeln!(
            out,
            "<div class=band><span class=label title=\"{0}\">{0}</span><div class=\"area time\">\
             <svg viewBox=\"0 0 {COLUMNS} 1\" preserveAspectRatio=none aria-hidden=true>\
             <path class=stick d=\"{1}\"/><path class=slip d=\"{2}\"/></svg></div></div>",
            escape(label),
            rectangles(&modes, Mode::Stick),
            rectangles(&modes, Mode::Slip),
        );
    }
    let ticks = ticks::linear(range.0, range.1, 6).with_unit("s");
    out.push_str("<div class=\"band axis\"><span class=label></span><div class=area>");
    for (at, label) in ticks.at.iter().zip(&ticks.labels) {
        let _ = write!(out, "<span class=x style=\"left:{}%\">{label}</span>", to_units(*at, range) / 100.0);
    }
    let _ = write!(out, "<span class=xnote>{}</span></div></div>\n</div>\n", ticks.note);
    out
}

/// Changes between open, stick and slip: how much there is to see in a band.
pub(crate) fn changes(time: &[f64], rows: &[ContactRow]) -> usize {
    let step = |row: &ContactRow| time.partition_point(|&t| t < row.time);
    let mut changes = 0;
    for pair in rows.windows(2) {
        let open_between = step(&pair[1]) > step(&pair[0]) + 1;
        changes += if open_between { 2 } else { usize::from(pair[0].mode != pair[1].mode) };
    }
    changes
}

/// What a band shows in each column. A step holds from the recorded time before to its own.
fn columns(time: &[f64], rows: &[ContactRow], range: (f64, f64)) -> Vec<Option<Mode>> {
    let mut votes = vec![(0_u32, 0_u32); COLUMNS];
    let column = |t: f64| to_units(t, range) / UNITS * COLUMNS as f64;
    for row in rows {
        let step = time.partition_point(|&t| t < row.time);
        let begin = if step > 0 { time[step - 1] } else { row.time };
        let first = (column(begin).round() as usize).min(COLUMNS - 1);
        let end = (column(row.time).round() as usize).clamp(first + 1, COLUMNS);
        for vote in &mut votes[first..end] {
            match row.mode {
                Mode::Stick => vote.0 += 1,
                Mode::Slip => vote.1 += 1,
            }
        }
    }
    let show = |(stick, slip)| match (stick, slip) {
        (0, 0) => None,
        (stick, slip) if stick > slip => Some(Mode::Stick),
        _ => Some(Mode::Slip),
    };
    votes.into_iter().map(show).collect()
}

fn rectangles(columns: &[Option<Mode>], mode: Mode) -> String {
    let mut d = String::new();
    let mut begin = 0;
    for run in columns.chunk_by(|a, b| a == b) {
        if run[0] == Some(mode) {
            let _ = write!(d, "M{begin} 0h{0}v1h-{0}z", run.len());
        }
        begin += run.len();
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(time: f64, mode: Mode) -> ContactRow {
        ContactRow { time, contact: 0, mode, normal_force: 1.0, friction: 0.0, coefficient: 0.5, place: None }
    }

    #[test]
    fn one_closed_step_in_a_hundred_thousand_is_visible() {
        let time: Vec<f64> = (0..100_000).map(|i| i as f64 * 1e-5).collect();
        let shown = columns(&time, &[row(time[5000], Mode::Slip)], time_range(&time));
        assert_eq!(shown.iter().filter(|m| **m == Some(Mode::Slip)).count(), 1);
    }

    #[test]
    fn a_step_holds_from_the_step_before() {
        let time = [0.0, 1.0, 2.0, 3.0, 4.0];
        let modes = columns(&time, &[row(2.0, Mode::Stick), row(3.0, Mode::Slip)], time_range(&time));
        let quarter = |x: f64| modes[(x / 4.0 * COLUMNS as f64) as usize];
        assert_eq!([0.5, 1.5, 2.5, 3.5].map(quarter), [None, Some(Mode::Stick), Some(Mode::Slip), None]);
        assert!(rectangles(&modes, Mode::Slip).starts_with("M625 0h"));
    }

    #[test]
    fn opening_counts_twice_and_a_change_of_mode_once() {
        let time = [0.0, 1.0, 2.0, 3.0, 4.0];
        let rows = [row(1.0, Mode::Stick), row(2.0, Mode::Slip), row(4.0, Mode::Slip)];
        assert_eq!(changes(&time, &rows), 3);
    }
}
