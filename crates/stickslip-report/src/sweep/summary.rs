//! `summary.json` of a sweep. Every field is optional: the page shows a dash for what is not there, and never calls a
//! sweep certified without it.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

use crate::error::ReportError;
use crate::lines::{json_message, read_text};

/// The directory of a sweep, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// What it found.
    pub summary: SweepSummary,
    /// The study as run.
    pub study: String,
    /// The scene as run.
    pub scene: String,
    /// Trials that have pages of their own, `trials/N/report.html`, in order.
    pub pages: Vec<u64>,
    /// What its stages took: `timing.json`; null where it is not there.
    pub timing: Value,
    /// Motions to look at: `examples.json`; null where it is not there.
    pub examples: Value,
}

/// What a sweep found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SweepSummary {
    /// `sweep`.
    pub kind: Option<String>,
    /// Name of the study.
    pub study: Option<String>,
    /// What it shows.
    pub description: Option<String>,
    /// Name of the scene.
    pub scene: Option<String>,
    /// Of everything random.
    pub seed: Option<u64>,
    /// Trials of the study.
    pub planned: Option<u64>,
    /// Trials that are there.
    pub trials: Option<u64>,
    /// Trials that did not run to their end.
    pub failed: Option<u64>,
    /// Trials that missed a tolerance.
    pub uncertified: Option<u64>,
    /// Steps of all trials.
    pub steps: Option<u64>,
    /// Those that missed a tolerance.
    pub missed_steps: Option<u64>,
    /// The first trials that failed or missed a tolerance.
    pub failures: Vec<Reason>,
    /// By name: [`Outcome`].
    pub outcomes: Map<String, Value>,
    /// By name: [`Quantity`].
    pub quantities: Map<String, Value>,
    /// What was found at each point of the grid.
    pub grid: Option<Grid>,
    /// The stages, from the first.
    pub stages: Vec<SweepStage>,
    /// [`Outcome`]: trials that every stage let pass.
    pub passed: Option<Value>,
}

/// What a stage did.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SweepStage {
    /// Its name.
    pub name: String,
    /// Trials that came to it.
    pub trials: u64,
    /// Trials that went on.
    pub passed: u64,
    /// Trials that did not.
    pub refused: u64,
    /// Of these, trials of which a run could not be completed.
    pub failed: u64,
    /// Refused trials that the last stage was tried on.
    pub audited: u64,
    /// Of these, the ones that it lets pass.
    pub wrongly_refused: Option<u64>,
}

/// A trial that failed or missed a tolerance.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Reason {
    /// Its index.
    pub trial: u64,
    /// Why.
    pub reason: String,
}

/// How often something held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Trials in which it held.
    pub count: u64,
    /// Of all trials.
    pub probability: Option<f64>,
    /// 95 % interval.
    pub lower: Option<f64>,
    /// 95 % interval.
    pub upper: Option<f64>,
}

/// The values of a quantity.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // the names say it
pub struct Quantity {
    pub count: u64,
    pub mean: Option<f64>,
    pub deviation: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// By share, such as `0.5`.
    pub quantiles: Map<String, Value>,
    pub histogram: Option<Histogram>,
}

/// Bars of equal width.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Histogram {
    /// Where the first begins.
    pub from: f64,
    /// Where the last ends.
    pub to: f64,
    /// Values in each.
    pub counts: Vec<u64>,
}

/// What was found at each point of the grid; the first axis is the fastest.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Grid {
    /// The listed parameters.
    pub axes: Vec<Axis>,
    /// Trials at each point.
    pub trials: Vec<u64>,
    /// By name: a list of [`Outcome`].
    pub outcomes: Map<String, Value>,
    /// By name: a list of means.
    pub quantities: Map<String, Value>,
}

/// A listed parameter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

impl Sweep {
    /// Reads the directory of a sweep.
    pub fn read(dir: &Path) -> Result<Self, ReportError> {
        let file = dir.join("summary.json");
        let summary = serde_json::from_str(&read_text(&file)?).map_err(|error| ReportError::Json {
            file,
            line: error.line().max(1),
            what: json_message(&error),
        })?;
        let study = read_text(&dir.join("study.toml"))?;
        let scene = read_text(&dir.join("scene.toml"))?;
        let pages = pages(&dir.join("trials"));
        let (timing, examples) = (optional(&dir.join("timing.json"))?, optional(&dir.join("examples.json"))?);
        Ok(Sweep { summary, study, scene, pages, timing, examples })
    }
}

/// The trials that were run with all that they record.
fn pages(dir: &Path) -> Vec<u64> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let with_page = entries.filter(|e| e.path().join("report.html").is_file());
    let mut found: Vec<u64> = with_page.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    found
}

/// A file that only some sweeps have; null when it is not there.
fn optional(file: &Path) -> Result<Value, ReportError> {
    if !file.exists() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&read_text(file)?).map_err(|error| ReportError::Json {
        file: file.to_owned(),
        line: error.line().max(1),
        what: json_message(&error),
    })
}

/// The value of an entry, or what a missing one has.
pub(super) fn entry<T: Default + for<'a> Deserialize<'a>>(value: &Value) -> T {
    T::deserialize(value).unwrap_or_default()
}
