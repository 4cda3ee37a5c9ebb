//! A run directory, read and written to.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contacts::Contacts;
use crate::design::{self, Design};
use crate::error::ReportError;
use crate::events::Event;
use crate::fit;
use crate::lines::{Lines, json_message, read_text};
use crate::page::render;
use crate::summary::Summary;
use crate::sweep::{Sweep, SweepSummary, render_sweep};
use crate::table::Table;

/// Everything a report shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// `summary.json`
    pub summary: Summary,
    /// `scene.toml`, as run.
    pub scene: String,
    /// `trajectory.csv`
    pub trajectory: Table,
    /// `contacts.csv`
    pub contacts: Contacts,
    /// `events.jsonl`
    pub events: Vec<Event>,
    /// `drawing.json`: what the system looks like, where it has a look.
    pub drawing: Option<Value>,
    /// `figures.csv`: where figures are that are no bodies.
    pub figures: Option<Table>,
    /// True while the run is going on: what is here is what it has written so far.
    pub running: bool,
}

impl Run {
    /// Reads the files of a run directory.
    pub fn read(dir: &Path) -> Result<Self, ReportError> {
        let summary: Summary = read_json(&dir.join("summary.json"))?;
        let scene = read_text(&dir.join("scene.toml"))?;
        let trajectory = Table::read(&dir.join("trajectory.csv"))?;
        let contacts = Contacts::read(&dir.join("contacts.csv"), trajectory.time())?;
        let events = Event::read_all(&dir.join("events.jsonl"))?;
        let drawing = dir.join("drawing.json");
        let drawing = if drawing.exists() { Some(read_json(&drawing)?) } else { None };
        let figures = dir.join("figures.csv");
        let figures = if figures.exists() { Some(Table::read(&figures)?) } else { None };
        Ok(Run { summary, scene, trajectory, contacts, events, drawing, figures, running: false })
    }
}

/// Where a run writes to, below its directory, until it is over.
pub const UNFINISHED: &str = "unfinished";

/// True when a run is being recorded in the directory, or was ended before it could finish: what it has written is
/// newer than what may be there of an earlier run.
pub fn is_running(dir: &Path) -> bool {
    let written = |name: &str| fs::metadata(dir.join(name)).and_then(|m| m.modified()).ok();
    match (written(&format!("{UNFINISHED}/trajectory.csv.part")), written("summary.json")) {
        (Some(part), Some(summary)) => part >= summary,
        (part, _) => part.is_some(),
    }
}

impl Run {
    /// Reads what a run has written so far. Nothing in it is certified.
    pub fn read_growing(dir: &Path) -> Result<Self, ReportError> {
        let dir = &dir.join(UNFINISHED);
        let lines = |name: &str| Lines::open_growing(&dir.join(name));
        let scene = read_text(&dir.join("scene.toml"))?;
        let trajectory = Table::from_lines(lines("trajectory.csv.part")?)?;
        let contacts = Contacts::read_growing(&dir.join("contacts.csv.part"), trajectory.time())?;
        let events = Event::from_lines(lines("events.jsonl.part")?)?;
        let drawing = dir.join("drawing.json");
        let drawing = if drawing.exists() { Some(read_json(&drawing)?) } else { None };
        let figures = match lines("figures.csv.part") {
            Ok(lines) => Some(Table::from_lines(lines)?),
            Err(ReportError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        let name = scene.lines().find_map(|l| l.trim().strip_prefix("name = ")).map(|n| n.trim_matches('"'));
        let scene_name = name.map(|n| Value::String(n.to_owned()));
        let time = trajectory.time().last().copied();
        let summary = Summary { scene: scene_name, time, ..Summary::default() };
        Ok(Run { summary, scene, trajectory, contacts, events, drawing, figures, running: true })
    }
}

/// Reads the run directory `dir` and writes `report.html` into it; returns the path of the page.
///
/// The page appears under its name only when complete: a crash leaves the old page or none.
pub fn write_report(dir: &Path) -> Result<PathBuf, ReportError> {
    // a directory is that of a run, or of a study, which says so by its files
    let page = if dir.join("design.json").exists() {
        design::render(&Design::read(dir)?)
    } else if dir.join("fit.json").exists() {
        fit::render_kept(dir)?
    } else if is_sweep(dir) {
        render_sweep(&Sweep::read(dir)?)
    } else {
        render(&Run::read(dir)?)
    };
    write_page(dir, &page)
}

/// Writes a page as `report.html` into a directory; it has its name only when complete.
pub(crate) fn write_page(dir: &Path, page: &str) -> Result<PathBuf, ReportError> {
    let target = dir.join("report.html");
    write_bytes(&target, page.as_bytes())?;
    Ok(target)
}

/// Writes a file; it has its name only when complete.
pub(crate) fn write_bytes(target: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = target.with_file_name(format!(".{name}.{}.tmp", process::id()));
    let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, target));
    written.map_err(|source| {
        // The error being reported matters more than whether the half-written file could be removed.
        let _ = fs::remove_file(&temporary);
        ReportError::Write { file: target.to_path_buf(), source }
    })
}

/// True when the directory is that of a sweep.
fn is_sweep(dir: &Path) -> bool {
    let text = read_text(&dir.join("summary.json")).ok();
    let summary: Option<SweepSummary> = text.and_then(|t| serde_json::from_str(&t).ok());
    summary.is_some_and(|s| s.kind.as_deref() == Some("sweep"))
}

fn write_synced(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut out = File::create(file)?;
    out.write_all(bytes)?;
    out.sync_all()
}

pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, ReportError> {
    let text = read_text(file)?;
    serde_json::from_str(&text).map_err(|error| ReportError::Json {
        file: file.to_path_buf(),
        line: error.line().max(1),
        what: json_message(&error),
    })
}
