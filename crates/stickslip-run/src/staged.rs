//! A directory that goes from one whole run to the next, however a run ends.
//!
//! A run writes into [`UNFINISHED`], below its directory; what is there of an earlier run is not touched meanwhile.
//! When all is written:
//!
//! ```text
//! unfinished -> .whole     one rename: from here on the new run counts
//! remove what the earlier run had and the new one has not
//! .whole -> .moving        one rename: from here on nothing is removed
//! move every file to its place
//! ```
//!
//! A process that is killed before the first rename leaves the earlier run; one that is killed later leaves steps that
//! can be taken again, and [`settle`] takes them: whoever begins a run there or reads one does that first. One process
//! at a time holds a directory (`stickslip::held`).

use crate::DirectoryError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use stickslip::held::{Held, HeldError, hold};
pub use stickslip_report::UNFINISHED;

/// What a run leaves: all of it is of the same run.
pub(crate) const OF_A_RUN: [&str; 11] = [
    "scene.toml",
    "summary.json",
    "trajectory.csv",
    "contacts.csv",
    "events.jsonl",
    "drawing.json",
    "figures.csv",
    "checkpoint.json",
    "report.html",
    "checkpoints",
    "missed",
];
/// Names on the way from one run to the next.
pub(crate) const WHOLE: &str = ".whole";
pub(crate) const MOVING: &str = ".moving";
/// What a run that was killed has left, while the next begins: its scene may be the one that goes on.
pub(crate) const LEFT: &str = ".left";

/// A directory that this process writes a run into.
#[derive(Debug)]
pub struct Staged {
    dir: PathBuf,
    held: Held,
}

impl Staged {
    /// Takes hold of a directory, which is made if it is not there. What a killed run has left there is at
    /// [`left`](Self::left) until [`begin`](Self::begin).
    pub fn open(dir: &Path) -> Result<Self, DirectoryError> {
        let bad = DirectoryError::io(dir);
        fs::create_dir_all(dir).map_err(&bad)?;
        let held = hold(dir, true)?;
        finish(dir).map_err(&bad)?;
        remove(&dir.join(LEFT)).map_err(&bad)?;
        let staged = Self { dir: dir.to_owned(), held };
        if staged.path().exists() {
            fs::rename(staged.path(), staged.left()).map_err(&bad)?;
        }
        fs::create_dir(staged.path()).map_err(&bad)?;
        Ok(staged)
    }

    /// Where the run will be.
    pub fn target(&self) -> &Path {
        &self.dir
    }

    /// Where it is written to.
    pub fn path(&self) -> PathBuf {
        self.dir.join(UNFINISHED)
    }

    /// Where what a killed run had written is now.
    pub fn left(&self) -> PathBuf {
        self.dir.join(LEFT)
    }

    /// Nothing of what a killed run has left is needed any more.
    pub fn begin(&self) -> Result<(), DirectoryError> {
        remove(&self.left()).map_err(DirectoryError::io(&self.dir))
    }

    /// Puts the new run in the place of the old one.
    pub fn install(self) -> Result<(), DirectoryError> {
        fs::rename(self.path(), self.dir.join(WHOLE))
            .and_then(|()| finish(&self.dir))
            .map_err(DirectoryError::io(&self.dir))?;
        self.held.release();
        Ok(())
    }
}

/// Puts a run in its place that is whole but was killed on its way there; to be called before a directory is read.
pub fn settle(dir: &Path) -> Result<(), DirectoryError> {
    if !dir.join(WHOLE).exists() && !dir.join(MOVING).exists() {
        return Ok(());
    }
    match hold(dir, true) {
        Ok(held) => {
            finish(dir).map_err(DirectoryError::io(dir))?;
            held.release();
            Ok(())
        }
        // the one who is at work there is just doing it
        Err(HeldError::Taken { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The same for the directory of a file, or of a file in a folder of a run.
pub fn settle_around(file: &Path) -> Result<(), DirectoryError> {
    file.ancestors().skip(1).take(2).try_for_each(settle)
}

/// The steps after the first rename, from wherever they were left off.
fn finish(dir: &Path) -> io::Result<()> {
    let (whole, moving) = (dir.join(WHOLE), dir.join(MOVING));
    if whole.exists() {
        for name in OF_A_RUN.iter().filter(|name| !whole.join(name).exists()) {
            remove(&dir.join(name))?;
        }
        fs::rename(&whole, &moving)?;
    }
    if moving.exists() {
        move_all(&moving, dir, true)?;
    }
    Ok(())
}

/// Moves the files of a directory into another; folders of a run take the place of earlier ones, others are shared.
fn move_all(from: &Path, to: &Path, top: bool) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (name, from) = entry.map(|e| (e.file_name(), e.path()))?;
        let to = to.join(&name);
        let replaced = top && OF_A_RUN.iter().any(|own| name == *own);
        if !from.is_dir() {
            fs::rename(&from, &to)?;
        } else if replaced {
            remove(&to)?;
            fs::rename(&from, &to)?;
        } else {
            fs::create_dir_all(&to)?;
            move_all(&from, &to, false)?;
        }
    }
    fs::remove_dir(from)
}

/// Removes a file or a folder, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
