//! The verdict over two parameters, as a map.

use super::{Answer, Verdict, classify};
use crate::error::StudyError;
use std::str::FromStr;
use stickslip::step::Mode;
use stickslip_scene::Scene;

/// The most cells.
const MOST: usize = 250_000;
/// Contacts that are named one by one; more are counted.
const NAMED: usize = 3;

/// Values of a parameter: `NAME=FROM:TO:COUNT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// A parameter, or the path of any other key.
    pub name: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many, evenly spaced.
    pub count: usize,
}

impl FromStr for Range {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self, StudyError> {
        let bad = || StudyError::Range(text.to_owned());
        let (name, range) = text.split_once('=').ok_or_else(bad)?;
        let parts: Vec<&str> = range.split(':').collect();
        let [from, to, count] = parts[..] else { return Err(bad()) };
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(bad);
        let count = count.trim().parse().ok().filter(|n| (2..=MOST).contains(n)).ok_or_else(bad)?;
        let (from, to) = (number(from)?, number(to)?);
        if from >= to || name.trim().is_empty() {
            return Err(bad());
        }
        Ok(Self { name: name.trim().to_owned(), from, to, count })
    }
}

impl Range {
    /// The values.
    pub fn values(&self) -> Vec<f64> {
        let part = |i: usize| i as f64 / (self.count - 1) as f64;
        (0..self.count).map(|i| self.from + part(i) * (self.to - self.from)).collect()
    }
}

/// A cell of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Index into the classes.
    pub class: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// True in a Painlevé configuration.
    pub painleve: bool,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Along and up.
    pub ranges: [Range; 2],
    /// What there is, in the order of first appearance.
    pub classes: Vec<String>,
    /// Row by row, the first range fastest.
    pub cells: Vec<Cell>,
}

/// Why there is no map.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MapError {
    /// A grid that is too large.
    #[error("the map has {0} cells; expected at most {MOST}")]
    Size(usize),
    /// A cell's scene cannot be read or explained.
    #[error("at {}, {}: {source}", set[0], set[1])]
    Cell {
        /// The values put in.
        set: [String; 2],
        /// Why.
        source: Box<StudyError>,
    },
}

/// Reads the scene with values put in; or says why that cannot be.
pub type Load<'a> = dyn Fn(&[String]) -> Result<Scene, StudyError> + 'a;

/// The map of the acceleration-level verdict at a time, s.
pub fn map(load: &Load<'_>, ranges: [Range; 2], at: f64) -> Result<Map, MapError> {
    let size = ranges[0].count.saturating_mul(ranges[1].count);
    if size > MOST {
        return Err(MapError::Size(size));
    }
    let mut classes: Vec<String> = Vec::new();
    let mut cells = Vec::with_capacity(size);
    for y in ranges[1].values() {
        for x in ranges[0].values() {
            let set = [format!("{}={x:?}", ranges[0].name), format!("{}={y:?}", ranges[1].name)];
            let place = |e| MapError::Cell { set: set.clone(), source: Box::new(e) };
            let scene = load(&set).map_err(place)?;
            let (answer, negative) = classify(&scene, at).map_err(place)?;
            let name = name(&answer);
            let class = classes.iter().position(|c| *c == name).unwrap_or_else(|| {
                classes.push(name);
                classes.len() - 1
            });
            let painleve = negative && matches!(answer.verdict, Verdict::Several | Verdict::None);
            cells.push(Cell { class, verdict: answer.verdict, painleve });
        }
    }
    Ok(Map { ranges, classes, cells })
}

/// Verdict, and what the contacts do in each motion.
fn name(answer: &Answer) -> String {
    let motions: Vec<String> = answer.solutions.iter().map(|s| modes(&s.contacts)).collect();
    match motions.len() {
        0 => answer.verdict.name().to_owned(),
        _ => format!("{}: {}", answer.verdict.name(), motions.join(" | ")),
    }
}

fn modes(contacts: &[super::Contact]) -> String {
    let word = |m: Mode| match m {
        Mode::Open => "opens",
        Mode::Stick => "sticks",
        Mode::Slip => "slips",
    };
    if contacts.is_empty() {
        return "no contact".to_owned();
    }
    if contacts.len() <= NAMED {
        return contacts
            .iter()
            .map(|c| format!("{} {}", c.label, word(c.mode)))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let count = |m: Mode| contacts.iter().filter(|c| c.mode == m).count();
    let all = [(Mode::Stick, "stick"), (Mode::Slip, "slip"), (Mode::Open, "open")];
    let words = all.iter().filter(|(m, _)| count(*m) > 0).map(|(m, w)| format!("{} {w}", count(*m)));
    words.collect::<Vec<_>>().join(", ")
}

impl Map {
    /// `map.csv`: one line per cell.
    pub fn csv(&self) -> String {
        let mut out = format!("{},{},verdict,painleve,motions\n", self.ranges[0].name, self.ranges[1].name);
        let (xs, ys) = (self.ranges[0].values(), self.ranges[1].values());
        for (k, cell) in self.cells.iter().enumerate() {
            let (x, y) = (xs[k % xs.len()], ys[k / xs.len()]);
            let motions = self.classes[cell.class].replace(',', ";");
            out.push_str(&format!(
                "{x:?},{y:?},{},{},{motions}\n",
                cell.verdict.name(),
                u8::from(cell.painleve)
            ));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_strictly() {
        let range: Range = "theta=0.1:1.5:8".parse().unwrap();
        assert_eq!((range.name.as_str(), range.values().len()), ("theta", 8));
        assert!((range.values()[7] - 1.5).abs() < 1e-15);
        for bad in
            ["theta", "theta=1:2", "theta=2:1:5", "=0:1:5", "theta=0:1:1", "theta=0:NaN:5", "theta=0:1:-5"]
        {
            assert!(bad.parse::<Range>().is_err(), "{bad}");
        }
    }
}
