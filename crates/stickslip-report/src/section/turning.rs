//! Turning points: how high each coordinate rises, and how far the last peak is from the start.

use std::fmt::Write;

use crate::run::Run;
use crate::text::{escape, number};

/// A rise and fall smaller than this part of the whole range is noise, not a peak.
const NOISE: f64 = 1e-6;
/// The most coordinates listed.
const ROWS: usize = 12;

/// A table of the peaks of every coordinate that has any; empty when none has.
pub(crate) fn turning(run: &Run) -> String {
    let time = run.trajectory.time();
    let positions = run.trajectory.names().iter().filter(|name| is_position(name));
    let mut rows: Vec<(&str, f64, Vec<usize>)> = positions
        .filter_map(|name| {
            let values = run.trajectory.column(name)?;
            let peaks = peaks(values);
            (!peaks.is_empty()).then(|| (name.as_str(), values[0], peaks))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.2.len()));
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>coordinate<th class=n>peaks<th class=n>start<th class=n>first peak\
         <th class=n>last peak<th class=n>at, s<th class=n>last peak − start</thead>\n",
    );
    for (name, start, peaks) in rows.iter().take(ROWS) {
        let values = run.trajectory.column(name).unwrap_or(&[]);
        let (first, last) = (peaks[0], peaks[peaks.len() - 1]);
        let _ = writeln!(
            out,
            "<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}",
            escape(name),
            peaks.len(),
            number(*start, 6),
            number(values[first], 6),
            number(values[last], 6),
            number(time[last], 6),
            number(values[last] - start, 3),
        );
    }
    out.push_str("</table></div>\n");
    if rows.len() > ROWS {
        let _ = writeln!(out, "<p>{} more coordinates have peaks.</p>", rows.len() - ROWS);
    }
    out
}

/// Positions and angles of bodies, and generalized coordinates.
fn is_position(name: &str) -> bool {
    match name.split_once('.') {
        None => name != "t",
        Some((_, column)) => matches!(column, "x" | "y" | "z" | "angle"),
    }
}

/// Where a series turns from rising to falling, by more than noise each way. Non-finite values end the search.
fn peaks(values: &[f64]) -> Vec<usize> {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let noise = NOISE * (high - low);
    let mut found = Vec::new();
    if !(noise > 0.0 && noise.is_finite()) {
        return found;
    }
    // the highest point since the last valley, the lowest since the last peak
    let (mut top, mut valley) = (0, 0);
    let mut rising = false;
    for (i, v) in values.iter().enumerate() {
        if v.is_nan() {
            break;
        }
        if rising {
            if *v > values[top] {
                top = i;
            } else if *v < values[top] - noise {
                found.push(top);
                (rising, valley) = (false, i);
            }
        } else if *v < values[valley] {
            valley = i;
        } else if *v > values[valley] + noise {
            (rising, top) = (true, i);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_inner_tops_and_noise_is_none() {
        assert_eq!(peaks(&[1.0, 0.0, 0.5, 1.0, 0.2, 0.9, 0.1, 5.0]), vec![3, 5]);
        assert_eq!(peaks(&[1.0, 0.5, 0.5 + 1e-9, 0.5, 0.0]), Vec::<usize>::new());
        assert_eq!(peaks(&[1.0, 1.0, 1.0]), Vec::<usize>::new());
        assert_eq!(peaks(&[]), Vec::<usize>::new());
        assert_eq!(peaks(&[0.0, f64::NAN, 3.0, 0.0]), Vec::<usize>::new());
    }
}
