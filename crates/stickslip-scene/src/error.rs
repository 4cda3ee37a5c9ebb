//! What is wrong with a scene file, where, and what would be right.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Why there is no scene: one or more [`Problem`]s. Displays as one line for each,
/// `file:line:column: message; expected ...`.
#[derive(Clone, Debug)]
pub struct SceneError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    file: String,
    source: Option<NamedSource<Arc<str>>>,
    problems: Vec<Problem>,
    /// There were more problems than are kept.
    more: bool,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What would be right; continues a sentence that begins with "expected".
    pub expected: String,
    /// The command-line options to blame, where it is not the file: `--set slope=abc`.
    pub option: Option<String>,
    /// Where in the file.
    pub place: Option<Place>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Bytes from the start of the file.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte range in a text. Positions beyond the text mean its end.
    pub fn new(text: &[u8], span: Range<usize>) -> Self {
        let start = span.start.min(text.len());
        let end = span.end.clamp(start, text.len());
        let line_start = text[..start].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line = 1 + text[..line_start].iter().filter(|&&b| b == b'\n').count();
        let column = 1 + String::from_utf8_lossy(&text[line_start..start]).chars().count();
        Self { span: start..end, line, column }
    }
}

impl SceneError {
    /// Problems of a file, in the order of the file. `text` is shown around them where a renderer can.
    pub fn new(file: &str, text: Option<&str>, mut problems: Vec<Problem>, more: bool) -> Self {
        problems.sort_by_key(|p| p.place.as_ref().map_or(0, |place| place.span.start));
        let source = text.map(|text| NamedSource::new(file, Arc::from(text)).with_language("toml"));
        Self(Box::new(Inner { file: file.to_owned(), source, problems, more }))
    }

    /// A problem of the file as a whole.
    pub fn whole(file: &str, message: impl Into<String>, expected: impl Into<String>) -> Self {
        let problem =
            Problem { message: message.into(), expected: expected.into(), option: None, place: None };
        Self::new(file, None, vec![problem], false)
    }

    /// Blames options for the problems that have a place in the file.
    pub(crate) fn blame_options(&mut self, options: &str) {
        for problem in &mut self.0.problems {
            problem.option.get_or_insert_with(|| options.to_owned());
        }
    }

    /// The file's name or path as it was given.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// What is wrong, in the order of the file; at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.problems.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            if let Some(option) = &problem.option {
                write!(f, "{option}: ")?;
            }
            match &problem.place {
                Some(place) => write!(f, "{}:{}:{}: ", self.0.file, place.line, place.column)?,
                None if problem.option.is_none() => write!(f, "{}: ", self.0.file)?,
                None => {}
            }
            write!(f, "{}; expected {}", problem.message, problem.expected)?;
        }
        if self.0.more {
            write!(f, "\n{}: more problems follow", self.0.file)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

impl Diagnostic for SceneError {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.0.source.as_ref()?;
        let labels = self.0.problems.iter().filter_map(|problem| {
            let span = problem.place.as_ref()?.span.clone();
            Some(LabeledSpan::new(Some(problem.message.clone()), span.start, span.len()))
        });
        Some(Box::new(labels))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let lines: Vec<String> = self.0.problems.iter().map(|p| format!("expected {}", p.expected)).collect();
        Some(Box::new(lines.join("\n")))
    }
}

/// What is wrong with the marks of a page that has tables of keys: see [`schema::page`](crate::schema::page).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PageError {
    /// A mark that names no table.
    #[error("there is no table `{0}`")]
    NoTable(String),
    /// A mark whose table does not end.
    #[error("`{mark}` has no `{end}` after it")]
    NoEnd {
        /// The mark.
        mark: String,
        /// The line that is missing.
        end: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a = 1\nµ = 2\n".as_bytes();
        assert_eq!(Place::new(text, 0..1), Place { span: 0..1, line: 1, column: 1 });
        assert_eq!(Place::new(text, 5..6), Place { span: 5..6, line: 1, column: 6 });
        assert_eq!(Place::new(text, 9..10), Place { span: 9..10, line: 2, column: 3 });
        assert_eq!(Place::new(text, 99..100), Place { span: 13..13, line: 3, column: 1 });
        assert_eq!(Place::new(b"", 0..0), Place { span: 0..0, line: 1, column: 1 });
    }

    #[test]
    fn errors_can_be_sent_between_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<SceneError>();
    }
}
