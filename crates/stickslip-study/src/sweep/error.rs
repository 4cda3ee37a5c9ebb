//! What can go wrong with a sweep, as opposed to with a trial of it.

use crate::error::StudyError;
use crate::held::HeldError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a sweep stopped.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The study is of another kind.
    #[error("{study}: this study is no sweep; expected `kind = \"sweep\"`")]
    NotASweep {
        /// Its name.
        study: String,
    },
    /// Two columns of the results would have one name.
    #[error("{study}: `{name}` is a column of the results; expected another name for the {what}")]
    Reserved {
        /// The study.
        study: String,
        /// The name.
        name: String,
        /// What has it.
        what: &'static str,
    },
    /// A range that is not made of chunks.
    #[error(
        "--range {start}..{end} does not fit; expected FIRST..END with multiples of {chunk} (the study's chunk), at most {trials}"
    )]
    Range {
        /// First trial asked for.
        start: u64,
        /// The one after the last.
        end: u64,
        /// Trials of a chunk.
        chunk: u64,
        /// Trials of the study.
        trials: u64,
    },
    /// There are files in the directory.
    #[error("{}: the directory is not empty; expected a new one, or --resume to go on with the sweep in it", dir.display())]
    NotEmpty {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory belongs to something else.
    #[error("{}: cannot resume here, {what}; expected the directory of a sweep of the same study by the same version", dir.display())]
    Another {
        /// The directory.
        dir: PathBuf,
        /// How one can tell.
        what: String,
    },
    /// Another process is at work there.
    #[error(transparent)]
    Held(#[from] HeldError),
    /// The file system refused.
    #[error("cannot {action} {}: {source}{advice}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What to do now.
        advice: &'static str,
    },
    /// A file of results is not what was written.
    #[error("{}: {what}; expected a whole file of results: remove it and go on with --resume", path.display())]
    Shard {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: StudyError,
    },
}

impl SweepError {
    pub(super) fn read(path: &Path, source: io::Error) -> Self {
        SweepError::Io { action: "read", path: path.to_owned(), source, advice: "" }
    }

    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
        let advice = if full.contains(&source.kind()) {
            "; what is written is whole: make room and go on with --resume"
        } else {
            ""
        };
        SweepError::Io { action: "write", path: path.to_owned(), source, advice }
    }
}
