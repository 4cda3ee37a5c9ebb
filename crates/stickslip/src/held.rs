//! A directory of results belongs to one process at a time.
//!
//! The process holds a lock on the file [`LOCK`] in it, which is empty and may stay there. The lock is the operating
//! system's and goes with the process, however that ends: nothing has to be cleared up after a kill. Processes that
//! share the trials of a sweep (`--range`) hold it together.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The name of the file.
pub const LOCK: &str = ".lock";

/// A directory that this process holds until this is dropped.
#[derive(Debug)]
pub struct Held {
    file: File,
    path: PathBuf,
}

impl Held {
    /// Gives the directory back, without the file.
    pub fn release(self) {
        // where it cannot be removed it stays, as after a kill
        let _ = fs::remove_file(&self.path);
    }

    /// True when the file is still the one of that name: another process may have given it back since it was opened.
    #[cfg(unix)]
    fn is_there(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let own = self.file.metadata()?;
        match fs::metadata(&self.path) {
            Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// A file that is open keeps its name.
    #[cfg(not(unix))]
    fn is_there(&self) -> io::Result<bool> {
        self.file.metadata().map(|_| true)
    }
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
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(bad)?;
        match if alone { file.try_lock() } else { file.try_lock_shared() } {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(HeldError::Taken { dir: dir.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(bad(source)),
        }
        let held = Held { file, path: path.clone() };
        if held.is_there().map_err(bad)? {
            return Ok(held);
        }
    }
}
