//! A run that was kept in memory, written as `run --out` writes it.

use crate::{Failure, files};
use std::fs;
use std::path::Path;
use stickslip::record::Record;
use stickslip::recorder::{write_record, write_whole};
use stickslip_scene::Scene;

/// What there is of a run when it is over.
pub struct KeptRun<'a> {
    /// The scene as run.
    pub scene: &'a Scene,
    /// What is kept as its text: it may say more, if more than the scene was simulated.
    pub text: &'a str,
    /// Names, contacts and what happened.
    pub record: &'a Record,
    /// The rows of the record.
    pub rows: &'a [f64],
    /// The summary, JSON.
    pub summary: &'a str,
    /// The checkpoint at the end, JSON.
    pub checkpoint: &'a str,
    /// Contact problems of steps that missed their laws: the step, and the problem as JSON.
    pub missed: &'a [(u64, String)],
}

impl KeptRun<'_> {
    /// Writes the directory of the run with its report; each file gets its name when it is whole.
    pub fn write(&self, dir: &Path) -> Result<(), String> {
        let bad = |e: std::io::Error| format!("{}: {e}", dir.display());
        fs::create_dir_all(dir).map_err(bad)?;
        files::keep(dir, self.scene).map_err(|f| match f {
            Failure::Message(message) => message,
            Failure::Scene(error) => error.to_string(),
        })?;
        write_whole(&dir.join("scene.toml"), self.text).map_err(bad)?;
        write_record(dir, self.scene.system.as_ref(), self.record, self.rows).map_err(bad)?;
        if !self.missed.is_empty() {
            fs::create_dir_all(dir.join("missed")).map_err(bad)?;
        }
        for (index, problem) in self.missed {
            write_whole(&dir.join("missed").join(format!("{index:09}.json")), problem).map_err(bad)?;
        }
        write_whole(&dir.join("summary.json"), &format!("{}\n", self.summary)).map_err(bad)?;
        write_whole(&dir.join("checkpoint.json"), self.checkpoint).map_err(bad)?;
        stickslip_report::write_report(dir).map_err(|e| e.to_string())?;
        Ok(())
    }
}
