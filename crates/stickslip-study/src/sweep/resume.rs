//! The directory of a sweep: begun, or gone on with.
//!
//! ```text
//! study.toml  scene.toml  manifest.json              what is run; the manifest is written last
//! trials-FIRST-END.parquet                           one for each chunk that is done
//! timing-FIRST-END.json  timing.json  examples.json  where there are stages
//! summary.json  report.html                          of the chunks that are there
//! ```

use super::plan::Plan;
use super::shard::Format;
use super::whole::{PART, write_whole};
use super::{Identity, SweepError};
use crate::held::{Held, LOCK, hold};
use crate::study::Study;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The directory.
pub struct Directory<'a> {
    /// Where it is.
    pub path: &'a Path,
    plan: &'a Plan,
    format: &'a Format,
    _held: Held,
}

impl<'a> Directory<'a> {
    /// Begins a sweep in a new or empty directory, or with `resume` goes on with the one in it.
    pub fn open(
        path: &'a Path,
        study: &Study,
        identity: &Identity,
        (plan, format): (&'a Plan, &'a Format),
        resume: bool,
    ) -> Result<Self, SweepError> {
        fs::create_dir_all(path).map_err(|e| SweepError::Io {
            action: "make the directory",
            path: path.to_owned(),
            source: e,
            advice: "",
        })?;
        let names = entries(path)?;
        if !resume && !names.is_empty() {
            return Err(SweepError::NotEmpty { dir: path.to_owned() });
        }
        // others may be at work on other ranges
        let held = hold(path, plan.run == (0..plan.chunks()))?;
        let directory = Self { path, plan, format, _held: held };
        let files = kept(study, identity, plan);
        if names.iter().any(|n| n == "manifest.json") {
            directory.compare(&files)?;
            directory.clear(&names)?;
            return Ok(directory);
        }
        let ours = |n: &String| is_leftover(n) || n == "study.toml" || n == "scene.toml";
        if !names.iter().all(ours) {
            let what = "it has files but no manifest.json".to_owned();
            return Err(SweepError::Another { dir: path.to_owned(), what });
        }
        for (name, text) in &files {
            write_whole(&path.join(name), text.as_bytes())?;
        }
        Ok(directory)
    }

    /// Takes part in a sweep that was begun here, as one of many: what else is in the directory, and how much, does not
    /// matter.
    pub fn join(
        path: &'a Path,
        study: &Study,
        identity: &Identity,
        (plan, format): (&'a Plan, &'a Format),
    ) -> Result<Self, SweepError> {
        let directory = Self { path, plan, format, _held: hold(path, false)? };
        directory.compare(&kept(study, identity, plan))?;
        Ok(directory)
    }

    /// That what is there was run by the same program from the same texts.
    fn compare(&self, files: &[(&str, String)]) -> Result<(), SweepError> {
        for (name, expected) in files {
            let path = self.path.join(name);
            let found = fs::read(&path).map_err(|e| SweepError::read(&path, e))?;
            if found != expected.as_bytes() {
                let what = format!("its {name} differs");
                return Err(SweepError::Another { dir: self.path.to_owned(), what });
            }
        }
        Ok(())
    }

    /// Removes temporary files: all of them, or where others may be at work on the rest of the study, those of its
    /// chunks.
    fn clear(&self, names: &[String]) -> Result<(), SweepError> {
        let alone = self.plan.run == (0..self.plan.chunks());
        let first = self.plan.file_name(self.plan.run.start);
        let last = self.plan.file_name(self.plan.run.end - 1);
        for name in names.iter().filter(|n| is_leftover(n)) {
            let shard = name.split_inclusive(".parquet").next().unwrap_or(name);
            // names have fixed widths: their order is that of the trials
            if alone || (shard >= first.as_str() && shard <= last.as_str()) {
                let path = self.path.join(name);
                fs::remove_file(&path).map_err(|e| SweepError::write(&path, e))?;
            }
        }
        Ok(())
    }

    /// The chunks of the plan that have no whole file yet.
    pub fn left(&self) -> Result<Vec<u64>, SweepError> {
        let mut left = Vec::new();
        for chunk in self.plan.run.clone() {
            let path = self.shard(chunk);
            match self.format.check(&path, &self.plan.trials_of(chunk)) {
                Ok(None) => {}
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(SweepError::read(&path, e)),
                _ => left.push(chunk),
            }
        }
        Ok(left)
    }

    /// The file of a chunk.
    pub fn shard(&self, chunk: u64) -> PathBuf {
        self.path.join(self.plan.file_name(chunk))
    }

    /// The file of the times that a chunk took.
    pub fn timing(&self, chunk: u64) -> PathBuf {
        self.path.join(self.plan.timing_name(chunk))
    }
}

/// What a directory tells of its sweep, the manifest last.
fn kept(study: &Study, identity: &Identity, plan: &Plan) -> [(&'static str, String); 3] {
    [
        ("study.toml", study.text.clone()),
        ("scene.toml", study.scene.text.clone()),
        ("manifest.json", identity.manifest(study, plan)),
    ]
}

/// True for the temporary files of shards, summary and report.
fn is_leftover(name: &str) -> bool {
    name.ends_with(PART) || (name.starts_with(".report.html.") && name.ends_with(".tmp"))
}

/// The names of what is there, but for the lock.
fn entries(path: &Path) -> Result<Vec<String>, SweepError> {
    let bad = |e| SweepError::read(path, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(bad)? {
        names.push(entry.map_err(bad)?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != LOCK);
    Ok(names)
}
