//! What is wrong with a formula.

use std::ops::Range;

/// A word in a formula that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// In the place of a parameter or variable.
    Name(String),
    /// Before an opening parenthesis.
    Function(String),
}

impl Unknown {
    /// The word.
    pub fn word(&self) -> &str {
        match self {
            Unknown::Name(word) | Unknown::Function(word) => word,
        }
    }
}

/// What is wrong with a formula, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    /// Where.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
    /// The word that nobody knows, when that is what is wrong.
    pub unknown: Option<Unknown>,
}

impl ExpressionError {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { at, message: message.into(), expected: expected.into(), unknown: None }
    }

    /// A name that nobody knows.
    pub fn unknown_name(at: Range<usize>, name: &str, expected: &str) -> Self {
        let unknown = Some(Unknown::Name(name.to_owned()));
        Self { unknown, ..Self::new(at, format!("unknown name `{name}`"), expected) }
    }

    pub(super) fn unknown_function(at: Range<usize>, name: &str) -> Self {
        let unknown = Some(Unknown::Function(name.to_owned()));
        Self { unknown, ..Self::new(at, format!("unknown function `{name}`"), "a known function") }
    }
}
