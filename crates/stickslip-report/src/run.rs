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
use crate::lines::{json_message, read_text};
use crate::page::render;
use crate::summary::Summary;
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
        Ok(Run { summary, scene, trajectory, contacts, events, drawing, figures })
    }
}

/// Reads the run directory `dir` and writes `report.html` into it; returns the path of the page.
///
/// The page appears under its name only when complete: a crash leaves the old page or none.
pub fn write_report(dir: &Path) -> Result<PathBuf, ReportError> {
    // a directory is that of a run, or of a study, which says so by its file
    let page = if dir.join("design.json").exists() {
        design::render(&Design::read(dir)?)
    } else {
        render(&Run::read(dir)?)
    };
    let target = dir.join("report.html");
    let temporary = dir.join(format!(".report.html.{}.tmp", process::id()));
    let written = write_synced(&temporary, &page).and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|source| {
        // The error being reported matters more than whether the half-written file could be removed.
        let _ = fs::remove_file(&temporary);
        ReportError::Write { file: target.clone(), source }
    })?;
    Ok(target)
}

fn write_synced(file: &Path, text: &str) -> io::Result<()> {
    let mut out = File::create(file)?;
    out.write_all(text.as_bytes())?;
    out.sync_all()
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, ReportError> {
    let text = read_text(file)?;
    serde_json::from_str(&text).map_err(|error| ReportError::Json {
        file: file.to_path_buf(),
        line: error.line().max(1),
        what: json_message(&error),
    })
}
