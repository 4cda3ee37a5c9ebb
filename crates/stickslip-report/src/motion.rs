//! The data of the animated view: what to draw, where it is at each frame, what the contacts do there, and the columns
//! of the trajectory for its plots.
//!
//! A page must stay small however long the run: at most [`FRAMES`] frames are kept (fewer where there are many bodies),
//! and of each column at most [`POINTS`] points, extrema among them. Numbers are single precision, in base64: the files
//! beside the page have all digits.

use serde_json::{Value, json};

use crate::base64::base64;
use crate::contacts::{ContactRow, Mode};
use crate::decimate::{POINTS, keep_extrema};
use crate::run::Run;

/// The most frames.
const FRAMES: usize = 4000;
/// The most numbers of all frames' poses, of all frames' contacts, and of all columns.
const NUMBERS: usize = 1_000_000;
/// Numbers of a contact in a frame: label, mode, point, normal, normal force, friction, coefficient.
const CONTACT: usize = 13;

/// The data as JSON; none where the run has no drawing.
pub(crate) fn motion(run: &Run) -> Option<Value> {
    let drawing = run.drawing.as_ref()?;
    let figures = drawing["figures"].as_array()?;
    let times = run.trajectory.time();
    let moving: Vec<&str> =
        figures.iter().filter(|f| f["motion"] != "fixed").filter_map(|f| f["name"].as_str()).collect();
    let parts: &[&str] = if drawing["dimension"] == 2 {
        &["x", "y", "angle"]
    } else {
        &["x", "y", "z", "qw", "qx", "qy", "qz"]
    };
    let frames = frames(times.len(), most_frames(moving.len() * parts.len()));
    let mut poses = serde_json::Map::new();
    for name in moving {
        let columns: Option<Vec<&[f64]>> = parts.iter().map(|p| place(run, &format!("{name}.{p}"))).collect();
        let columns = columns?;
        let flat =
            frames.iter().flat_map(|&i| columns.iter().map(move |c| c.get(i).copied().unwrap_or(f64::NAN)));
        poses.insert(name.to_owned(), Value::String(encode(flat)));
    }
    let at: Vec<f64> = frames.iter().map(|&i| times[i]).collect();
    let (first, contacts) = contacts(run, &at);
    Some(json!({
        "drawing": drawing,
        "times": encode(at.iter().copied()),
        "poses": poses,
        "labels": run.contacts.labels,
        "contact_first": first,
        "contacts": encode(contacts.into_iter()),
        "columns": columns(run),
        "events": events(run),
    }))
}

/// The most frames of a drawing whose poses have so many numbers.
fn most_frames(numbers: usize) -> usize {
    (NUMBERS / numbers.max(1)).clamp(2, FRAMES)
}

/// The rows of the trajectory that become frames: of a page, or of a file for other tools.
pub(crate) fn kept_rows(run: &Run) -> Vec<usize> {
    let figures = run.drawing.as_ref().and_then(|d| d["figures"].as_array());
    let moving = figures.map_or(0, |all| all.iter().filter(|f| f["motion"] != "fixed").count());
    let each = if run.drawing.as_ref().is_some_and(|d| d["dimension"] == 2) { 3 } else { 7 };
    frames(run.trajectory.time().len(), most_frames(each * moving))
}

/// A column of the trajectory, or of the figures where bodies have none.
fn place<'a>(run: &'a Run, name: &str) -> Option<&'a [f64]> {
    run.figures.as_ref().and_then(|f| f.column(name)).or_else(|| run.trajectory.column(name))
}

/// Evenly spaced indices, both ends among them.
pub(crate) fn frames(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|i| (i as u128 * (count as u128 - 1) / (most as u128 - 1)) as usize).collect()
}

/// For each frame where its contacts begin, and the numbers of all.
fn contacts(run: &Run, times: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let rows = &run.contacts.rows;
    let (mut first, mut numbers) = (vec![0], Vec::new());
    let mut k = 0;
    for &t in times {
        while k < rows.len() && rows[k].time < t {
            k += 1;
        }
        let here = rows[k..].iter().take_while(|r| r.time == t).filter_map(numbers_of);
        // beyond the limit frames have no contacts: better than a page that does not open
        numbers.extend(here.take((NUMBERS.saturating_sub(numbers.len())) / CONTACT).flatten());
        first.push(numbers.len() / CONTACT);
    }
    (first, numbers)
}

fn numbers_of(row: &ContactRow) -> Option<[f64; CONTACT]> {
    let place = row.place?;
    let [px, py, pz] = place.point;
    let [nx, ny, nz] = place.normal;
    let [fx, fy, fz] = place.friction;
    let mode = f64::from(u8::from(row.mode == Mode::Slip));
    Some([row.contact as f64, mode, px, py, pz, nx, ny, nz, row.normal_force, fx, fy, fz, row.coefficient])
}

/// Every column of the trajectory, and of each contact its forces, thinned: time and value after each other.
fn columns(run: &Run) -> Vec<Value> {
    let times = run.trajectory.time();
    let names = &run.trajectory.names()[1..];
    let points = (NUMBERS / (2 * (names.len() + 2 * run.contacts.labels.len())).max(1)).clamp(16, POINTS);
    let thinned = |name: &str, t: &[f64], values: &[f64]| {
        let kept = keep_extrema(values, points);
        let flat = kept.iter().flat_map(|&i| [t[i], values[i]]);
        json!({ "name": name, "points": encode(flat) })
    };
    let mut out: Vec<Value> =
        names.iter().filter_map(|name| Some(thinned(name, times, run.trajectory.column(name)?))).collect();
    for (label, rows) in run.contacts.labels.iter().zip(run.contacts.by_label()).take(200) {
        // an open contact has no rows: its forces are zero then
        let (mut normal, mut friction) = (vec![0.0; times.len()], vec![0.0; times.len()]);
        let mut k = 0;
        for row in rows {
            while k < times.len() && times[k] < row.time {
                k += 1;
            }
            if k < times.len() {
                (normal[k], friction[k]) = (row.normal_force, row.friction);
            }
        }
        out.push(thinned(&format!("{label} normal force"), times, &normal));
        out.push(thinned(&format!("{label} friction"), times, &friction));
    }
    out
}

/// The first events, what missed a tolerance before all others.
fn events(run: &Run) -> Vec<Value> {
    let one = |e: &crate::events::Event| json!({ "t": e.t, "kind": e.kind, "contact": e.contact, "value": e.value });
    let missed = run.events.iter().filter(|e| e.kind == "missed").take(500);
    let others = run.events.iter().filter(|e| e.kind != "missed").take(2000);
    missed.chain(others).map(one).collect()
}

/// Single precision, little-endian, base64.
fn encode(values: impl Iterator<Item = f64>) -> String {
    base64(&values.flat_map(|x| (x as f32).to_le_bytes()).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_encoded_as_browsers_expect() {
        // 1.0 is 00 00 80 3f, -2.5 is 00 00 20 c0: by hand
        assert_eq!(encode([1.0].into_iter()), "AACAPw==");
        assert_eq!(encode([1.0, -2.5].into_iter()), "AACAPwAAIMA=");
        assert_eq!(encode(std::iter::empty()), "");
    }

    #[test]
    fn frames_keep_both_ends() {
        assert_eq!(frames(5, 10), [0, 1, 2, 3, 4]);
        let kept = frames(100_001, 4000);
        assert!(kept.len() == 4000 && kept[0] == 0 && kept[3999] == 100_000);
        assert!(kept.is_sorted_by(|a, b| a < b));
    }
}
