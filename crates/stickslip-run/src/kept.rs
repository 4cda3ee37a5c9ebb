//! A run that was kept in memory, written as `run --out` writes it.

use crate::DirectoryError;
use crate::directory::{begin, end, write_numbered};
use std::path::Path;
use stickslip::record::Record;
use stickslip::recorder::write_record;
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
    /// Writes the directory of the run with its page.
    pub fn write(&self, dir: &Path) -> Result<(), DirectoryError> {
        let staged = begin(dir, self.scene, self.text)?;
        let (path, bad) = (staged.path(), DirectoryError::io(dir));
        write_record(&path, self.scene.system.as_ref(), self.record, self.rows).map_err(&bad)?;
        for (index, problem) in self.missed {
            write_numbered(&path.join("missed"), *index, problem).map_err(&bad)?;
        }
        end(staged, &format!("{}\n", self.summary), self.checkpoint)
    }
}
