//! Problems as plain data. Each has a residual that is computed from the problem and a candidate, nothing else.

pub mod assemble;
pub mod contact;
pub mod convert;
pub mod elliptic;
mod entries;
pub mod error;
pub mod json;
mod json_contact;
pub mod lcp;
pub mod mcp;
pub mod mixed;
pub mod operator;
pub mod qp;
pub mod reduction;
pub mod subset;
pub mod text;

pub use crate::law;

/// Data that do not make a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// Two parts of the problem disagree about its size.
    #[error("{what} has length {found}, expected {expected}")]
    Size {
        /// Which part.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the rest of the problem asks for.
        expected: usize,
    },
    /// An entry that is NaN or infinite.
    #[error("{what}[{index}] is {value}, expected a finite number")]
    NotFinite {
        /// Which part.
        what: &'static str,
        /// Index of the entry (row-major for matrices).
        index: usize,
        /// The entry.
        value: f64,
    },
    /// A number outside of its range.
    #[error("{what}[{index}] is {value}, expected {expected}")]
    Range {
        /// Which part.
        what: &'static str,
        /// Index of the entry.
        index: usize,
        /// The entry.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
}

pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

pub(crate) fn check_size(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemError> {
    if found == expected { Ok(()) } else { Err(ProblemError::Size { what, found, expected }) }
}
