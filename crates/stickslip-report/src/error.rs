//! What can be wrong with a run directory.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why no report could be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A file every run directory holds is not there.
    #[error("{} is missing; `stickslip run SCENE --out DIR` writes it", file.display())]
    Missing {
        /// The file looked for.
        file: PathBuf,
    },
    /// A file is there but cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not UTF-8 text.
    #[error("{}:{line}: not UTF-8 text", file.display())]
    NotText {
        /// The file.
        file: PathBuf,
        /// Line, counted from 1.
        line: usize,
    },
    /// A row of a CSV file breaks the format.
    #[error("{}:{line}: {problem}", file.display())]
    Row {
        /// The file.
        file: PathBuf,
        /// Line, counted from 1; 1 is the header.
        line: usize,
        /// What is wrong with it.
        problem: RowProblem,
    },
    /// JSON that does not parse, or not to what is expected there.
    #[error("{}:{line}: {what}", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What the parser said.
        what: String,
    },
    /// There is nothing to draw.
    #[error(
        "the run has no drawing.json: its scene says nothing of what it looks like; expected a scene with bodies or a drawing"
    )]
    NoLook,
    /// An instant that is not in the run.
    #[error("t = {at} s is not in the run; expected a time from {from} to {to} s")]
    Outside {
        /// The instant asked for, s.
        at: f64,
        /// Start of the run, s.
        from: f64,
        /// End of the run, s.
        to: f64,
    },
    /// A picture too small or too large.
    #[error("a picture of {width} by {height} pixels; expected 16 to {largest} each")]
    Size {
        /// Width, pixels.
        width: usize,
        /// Height, pixels.
        height: usize,
        /// The most of each.
        largest: usize,
    },
    /// The page cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The page.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What is wrong with a row of a CSV file.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RowProblem {
    /// The file has no first line.
    #[error("the header row is missing")]
    NoHeader,
    /// The first column is not time.
    #[error("the first column is `{found}`, it should be `t`")]
    NoTime {
        /// Name of the first column.
        found: String,
    },
    /// The header differs from the fixed one of this file.
    #[error("the header should be `{expected}`")]
    Header {
        /// The one header this file may have.
        expected: &'static str,
    },
    /// Two columns have one name.
    #[error("column `{column}` appears twice")]
    Duplicate {
        /// The name.
        column: String,
    },
    /// Too few or too many cells.
    #[error("{found} cells where the header has {expected} (a truncated file?)")]
    Width {
        /// Columns of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A cell that should be a number is none.
    #[error("`{cell}` in column `{column}` is not a number")]
    NotANumber {
        /// The column.
        column: String,
        /// The cell, shortened.
        cell: String,
    },
    /// A contact mode other than `stick` and `slip`.
    #[error("mode `{found}` should be `stick` or `slip`")]
    Mode {
        /// The cell, shortened.
        found: String,
    },
    /// Time is not finite, or runs backwards.
    #[error("time {found:?} after {previous:?}: times must be finite and must not decrease")]
    Time {
        /// Time of this row.
        found: f64,
        /// Time of the row before.
        previous: f64,
    },
    /// A contact row at a time that the trajectory does not have.
    #[error("time {found:?} is not a recorded step of trajectory.csv")]
    Unrecorded {
        /// Time of the row.
        found: f64,
    },
}
