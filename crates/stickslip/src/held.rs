//! A directory of results belongs to one process at a time.
//!
//! The process holds a lock on the file [`LOCK`] in it, which stays there, empty. The lock is the operating system's and goes with the
//! process, however that ends: nothing has to be cleared up after a kill. Processes that share the trials of a sweep (`--range`) hold it together.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The name of the file.
pub const LOCK: &str = ".lock";

/// A directory that this process holds until this is dropped.
#[derive(Debug)]
pub struct Held {
    _file: File,
}

/// Why a directory cannot be had.
#[derive(Debug, Error)]
pub enum HeldError {
    /// Another process has it.
    #[error("{}: another process is at work in this directory; expected that it has ended, or another directory", dir.display())]
    Taken {
        /// The directory.
        dir: PathBuf,
    },
    /// The file system refused.
    #[error("cannot lock {}: {source}; expected a directory on a file system with locks", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Takes hold of a directory that is there, alone or together with others who do not want it alone.
pub fn hold(dir: &Path, alone: bool) -> Result<Held, HeldError> {
    let path = dir.join(LOCK);
    let bad = |source| HeldError::Io { path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(bad)?;
    match if alone { file.try_lock() } else { file.try_lock_shared() } {
        Ok(()) => Ok(Held { _file: file }),
        Err(TryLockError::WouldBlock) => Err(HeldError::Taken { dir: dir.to_owned() }),
        Err(TryLockError::Error(source)) => Err(bad(source)),
    }
}
