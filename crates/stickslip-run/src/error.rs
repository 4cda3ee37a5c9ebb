//! What can go wrong with a directory.

use std::io;
use std::path::{Path, PathBuf};
use stickslip::held::HeldError;
use stickslip_report::ReportError;
use thiserror::Error;

/// Why a run cannot be kept in a directory.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The directory or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that the scene reads cannot be kept.
    #[error("{name}: {what}")]
    SceneFile {
        /// As the scene names it.
        name: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// Another process is at work there.
    #[error(transparent)]
    Held(#[from] HeldError),
    /// No page could be made; all else is there.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl DirectoryError {
    /// What the system said of a path.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }
}
