//! Writes a run into a directory: `trajectory.csv`, `contacts.csv`, `events.jsonl`, and `drawing.json` with what it
//! looks like (and `figures.csv` with where its figures are, where they are no bodies).
//!
//! Files are written under a temporary name (`NAME.part`) and renamed when the run is complete, so nothing is ever
//! half-written. Who follows a run reads the temporary files: whatever rows of the trajectory are there, the contacts,
//! events and figures up to them are there as well, twice a second. Numbers are printed so that reading them back gives
//! the same bits.

use crate::record::{Components, ContactRow, Happening, Record};
use crate::simulation::Simulation;
use crate::system::System;
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a row may wait for its file.
const WAIT: Duration = Duration::from_millis(500);
/// Bytes of a file that are held back.
const HELD: usize = 1 << 16;

/// The columns of `contacts.csv`; points (m), normals and first tangents are of the world, and empty where there is no
/// geometry; the coefficient is that of sticking friction. Forces are means over the step, the last ones those at its
/// end, empty where the stepper knows means only.
const CONTACT_COLUMNS: &str = "t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3,\
    point_1,point_2,point_3,normal_1,normal_2,normal_3,tangent_1,tangent_2,tangent_3,coefficient,\
    instant_normal_force,instant_friction_1,instant_friction_2,instant_friction_3";

/// Records a simulation while it runs.
pub struct Recorder {
    record: Record,
    files: Files,
}

impl Recorder {
    /// Opens the files in `dir`, which must exist, and writes headers and (at the start of a run) the first row.
    pub fn new(dir: &Path, simulation: &Simulation, every: u64) -> io::Result<Self> {
        let record = Record::new(simulation, every);
        let files = Files::open(dir, simulation.system(), &record)?;
        let mut recorder = Self { record, files };
        recorder.flush()?;
        Ok(recorder)
    }

    /// Takes the last step of the simulation into account.
    pub fn take(&mut self, simulation: &Simulation) -> io::Result<()> {
        self.record.take(simulation);
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.write(&self.record, &self.record.rows)?;
        self.record.forget_rows();
        Ok(())
    }

    /// Gives the files their names.
    pub fn finish(self) -> io::Result<()> {
        self.files.finish()
    }
}

/// Writes the files of a record that was kept in memory into `dir`, which must exist. `rows` are the record's own, or
/// wherever they were moved to.
pub fn write_record(dir: &Path, system: &dyn System, record: &Record, rows: &[f64]) -> io::Result<()> {
    let mut files = Files::open(dir, system, record)?;
    files.write(record, rows)?;
    files.finish()
}

/// The files, under their temporary names.
struct Files {
    trajectory: Output,
    contacts: Output,
    events: Output,
    /// Where figures are that are no bodies.
    figures: Option<Output>,
    written: Instant,
}

impl Files {
    fn open(dir: &Path, system: &dyn System, record: &Record) -> io::Result<Self> {
        let mut files = Self {
            trajectory: Output::new(dir, "trajectory.csv")?,
            contacts: Output::new(dir, "contacts.csv")?,
            events: Output::new(dir, "events.jsonl")?,
            figures: None,
            written: Instant::now(),
        };
        files.trajectory.line(&record.columns.join(","))?;
        files.contacts.line(CONTACT_COLUMNS)?;
        if let Some(drawing) = system.drawing() {
            write_whole(&dir.join("drawing.json"), &json!(drawing).to_string())?;
        }
        if !record.figure_columns.is_empty() {
            let mut figures = Output::new(dir, "figures.csv")?;
            figures.line(&record.figure_columns.join(","))?;
            files.figures = Some(figures);
        }
        Ok(files)
    }

    fn write(&mut self, record: &Record, rows: &[f64]) -> io::Result<()> {
        for happening in &record.happenings {
            self.events.line(&happening_line(happening, &record.labels))?;
        }
        for row in &record.contacts {
            self.contacts.line(&contact_line(row, &record.labels))?;
        }
        if let Some(figures) = &mut self.figures {
            for row in record.figures.chunks_exact(record.figure_columns.len()) {
                figures.line(&numbers_line(row))?;
            }
        }
        for row in rows.chunks_exact(record.columns.len()) {
            // the last is a count
            let (iterations, numbers) = row.split_last().unwrap_or((&0.0, &[]));
            self.write_row(&format!("{},{iterations:.0}", numbers_line(numbers)))?;
        }
        Ok(())
    }

    /// Writes a row of the trajectory, last of all that belongs to it: a reader never finds a row without its contacts.
    fn write_row(&mut self, row: &str) -> io::Result<()> {
        let due = self.written.elapsed() >= WAIT;
        if due || self.trajectory.held() + row.len() >= HELD {
            self.contacts.file.flush()?;
            self.events.file.flush()?;
            if let Some(figures) = &mut self.figures {
                figures.file.flush()?;
            }
        }
        self.trajectory.line(row)?;
        if due {
            self.trajectory.file.flush()?;
            self.written = Instant::now();
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.trajectory.finish()?;
        self.contacts.finish()?;
        if let Some(figures) = self.figures {
            figures.finish()?;
        }
        self.events.finish()
    }
}

fn numbers_line(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(",")
}

fn happening_line(happening: &Happening, labels: &[String]) -> String {
    match *happening {
        Happening::Contact { t, kind, label, value } => {
            json!({ "t": t, "kind": kind.name(), "contact": labels[label as usize], "value": value })
        }
        Happening::Missed { t, what, value, tolerance } => {
            json!({ "t": t, "kind": "missed", "what": what, "value": value, "tolerance": tolerance })
        }
    }
    .to_string()
}

fn contact_line(row: &ContactRow, labels: &[String]) -> String {
    let ContactRow { t, label, mode, gap, normal_force, friction, slip, point, normal, .. } = row;
    let ContactRow { tangent, coefficient, instant, .. } = row;
    let mut line = format!("{t:?},{},{},{gap:?},{normal_force:?}", labels[*label as usize], mode.name());
    [friction, slip, point, normal, tangent].into_iter().for_each(|c| add_components(&mut line, c));
    let now = instant.map_or(String::new(), |(normal, _)| format!("{normal:?}"));
    line.push_str(&format!(",{coefficient:?},{now}"));
    add_components(&mut line, &instant.map_or(Components::new(&[]), |(_, friction)| friction));
    line
}

fn add_components(line: &mut String, c: &Components) {
    for i in 0..3 {
        line.push(',');
        line.push_str(&c.as_slice().get(i).map_or(String::new(), |x| format!("{x:?}")));
    }
}

/// Writes a whole file under a temporary name, then renames it.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = part_name(path);
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

fn part_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// A file that has its name only once it is complete.
struct Output {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Output {
    fn new(dir: &Path, name: &str) -> io::Result<Self> {
        let path = dir.join(name);
        Ok(Self { file: BufWriter::with_capacity(HELD, File::create(part_name(&path))?), path })
    }

    /// Bytes that have not reached the file.
    fn held(&self) -> usize {
        self.file.buffer().len()
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.file.write_all(b"\n")
    }

    fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(part_name(&self.path), &self.path)
    }
}
