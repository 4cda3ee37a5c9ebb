//! XML with places: what elements and attributes may stand where, numbers, and what is wrong.
//!
//! A robot may be made of several files. Each of them has a range of its own of a common count of bytes, so that a place
//! is a range of numbers wherever it is.

pub(super) use super::element::{Attribute, Element};

use super::notes::Notes;
use crate::context::{At, MAX_FAULTS};
use crate::error::{Place, Problem, SceneError};
use crate::suggest::{clip, one_of};
use roxmltree::{Document, Error, ParsingOptions};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most elements and texts in a file.
const MAX_NODES: u32 = 1_000_000;
/// How deep elements may be nested.
const MAX_DEPTH: usize = 500;

/// How often an element may stand in another.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Times {
    Once,
    Many,
    /// It may stand there, is not looked into, and is listed.
    Unused,
}

/// A file that a robot is read from.
struct Source {
    file: String,
    text: String,
    /// Where its range begins.
    base: usize,
}

/// The texts of the files, what is said of them, and what is wrong with them.
pub(super) struct Reader {
    sources: RefCell<Vec<Source>>,
    pub notes: Notes,
    /// What is unknown or approximated is refused.
    pub strict: bool,
    problems: RefCell<Vec<(usize, Problem)>>,
    more: Cell<bool>,
}

impl Reader {
    pub(super) fn new(file: &str, text: &str, strict: bool) -> Self {
        let source = Source { file: file.to_owned(), text: text.to_owned(), base: 0 };
        Self {
            sources: RefCell::new(vec![source]),
            notes: Notes::default(),
            strict,
            problems: RefCell::default(),
            more: Cell::new(false),
        }
    }

    /// The name of the first file.
    pub(super) fn file(&self) -> String {
        self.sources.borrow()[0].file.clone()
    }

    /// The name of the file that a place is in.
    pub(super) fn file_of(&self, at: usize) -> String {
        self.sources.borrow()[self.source_of(at)].file.clone()
    }

    fn source_of(&self, at: usize) -> usize {
        self.sources.borrow().partition_point(|s| s.base <= at).saturating_sub(1)
    }

    /// Adds a file; its number.
    pub(super) fn add(&self, file: &str, text: String) -> usize {
        let mut sources = self.sources.borrow_mut();
        let base = sources.last().map_or(0, |s| s.base + s.text.len() + 1);
        sources.push(Source { file: file.to_owned(), text, base });
        sources.len() - 1
    }

    /// Notes a problem at a place of the files.
    pub(super) fn fault(&self, span: &Range<usize>, message: impl Into<String>, expected: impl Into<String>) {
        if self.problems.borrow().len() >= MAX_FAULTS {
            // finding the line of each of a million faults would take hours
            self.more.set(true);
            return;
        }
        let source = self.source_of(span.start);
        let place = {
            let sources = self.sources.borrow();
            let s = &sources[source];
            let local = span.start - s.base..span.end.saturating_sub(s.base);
            Place::new(s.text.as_bytes(), local)
        };
        let (message, expected) = (message.into(), expected.into());
        self.push(source, Problem { message, expected, option: None, place: Some(place) });
    }

    /// Notes a problem of an option, such as one that is missing.
    pub(crate) fn option_fault(&self, option: &str, message: impl Into<String>, expected: impl Into<String>) {
        let option = Some(clip(option));
        self.push(0, Problem { message: message.into(), expected: expected.into(), option, place: None });
    }

    fn push(&self, source: usize, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_FAULTS {
            problems.push((source, problem));
        } else {
            self.more.set(true);
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// The problems of the first file that has any.
    pub(super) fn into_error(self) -> SceneError {
        let mut problems = self.problems.into_inner();
        if problems.is_empty() {
            // unreachable as long as whoever gives up says why
            let (message, expected) = ("the robot cannot be read".to_owned(), "a robot file".to_owned());
            problems.push((0, Problem { message, expected, option: None, place: None }));
        }
        let first = problems.iter().map(|(source, _)| *source).min().unwrap_or(0);
        let more = self.more.get() || problems.iter().any(|(source, _)| *source != first);
        let of_first: Vec<Problem> =
            problems.into_iter().filter(|(source, _)| *source == first).map(|(_, problem)| problem).collect();
        let sources = self.sources.into_inner();
        let Source { file, text, .. } = &sources[first];
        SceneError::new(file, Some(text), of_first, more)
    }

    /// What the import says of itself, one line each.
    pub(super) fn report(&self) -> Vec<String> {
        self.notes.lines(|at| {
            let source = self.source_of(at);
            let sources = self.sources.borrow();
            let s = &sources[source];
            let line = Place::new(s.text.as_bytes(), at - s.base..at - s.base).line;
            match source {
                0 => format!("line {line}"),
                _ => {
                    let name = std::path::Path::new(&s.file).file_name();
                    let name = name.map_or(String::new(), |n| n.to_string_lossy().into_owned());
                    format!("line {line} of {}", clip(&name))
                }
            }
        })
    }

    /// The root element of a file. Documents that define entities are refused: a few lines of them make gigabytes.
    pub(super) fn parse(&self, source: usize) -> Option<Element> {
        let (text, base) = {
            let sources = self.sources.borrow();
            (sources[source].text.clone(), sources[source].base)
        };
        // white space before the declaration is common in robot files, and means nothing
        let blank = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
        let (body, base) = (&text[blank..], base + blank);
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let error = match Document::parse_with_options(body, options) {
            Ok(document) => {
                let root = document.root_element();
                if root.descendants().any(|n| n.ancestors().take(MAX_DEPTH + 1).count() > MAX_DEPTH) {
                    self.fault(&(base..base + 1), "elements are nested too deep", "at most 500 levels");
                    return None;
                }
                return Some(Element::new(root, base));
            }
            Err(error) => error,
        };
        let (at, expected) = match &error {
            Error::DtdDetected => {
                (body.find("<!DOCTYPE").unwrap_or(0), "a file without <!DOCTYPE ...> and entities")
            }
            Error::NodesLimitReached => (0, "at most 1000000 elements"),
            Error::UnclosedRootNode | Error::UnexpectedEndOfStream => (body.len(), "well-formed XML"),
            Error::UnknownNamespace(prefix, _) if prefix == "xacro" => {
                (offset(body, &error), "plain URDF: expand the file with `xacro` first")
            }
            _ => (offset(body, &error), "well-formed XML"),
        };
        self.fault(&(base + at..base + at + 1), format!("XML: {error}"), expected);
        None
    }

    /// Says that something has no influence, or with `--strict` refuses it.
    pub(super) fn unknown(&self, span: &Range<usize>, what: String, expected: String) {
        if self.strict {
            self.fault(span, format!("unknown {what}"), expected);
        } else {
            self.notes.unused(format!("unknown {what}"), span.start);
        }
    }

    /// Says that something is not exactly as the file says, or with `--strict` refuses it.
    pub(super) fn approximate(&self, span: &Range<usize>, line: String) {
        if self.strict {
            self.fault(span, line, "an import without --strict, which approximates that");
        } else {
            self.notes.approximated(line);
        }
    }

    /// Lists attributes and elements that have no meaning in an element, and text.
    pub(super) fn check(&self, node: &Element, attributes: &[&str], children: &[(&'static str, Times)]) {
        let tag = &node.name;
        for attribute in &node.attributes {
            let name = attribute.name.value.as_str();
            if !attributes.contains(&name) {
                let expected = match attributes {
                    [] => "no attributes here".to_owned(),
                    known => one_of(name, known.iter().copied()),
                };
                self.unknown(
                    &attribute.name.span,
                    format!("attribute `{}` of <{tag}>", clip(name)),
                    expected,
                );
            }
        }
        if let Some(text) = &node.text {
            self.unknown(&text.span, format!("text inside <{tag}>"), "elements only".to_owned());
        }
        let mut seen: Vec<&str> = Vec::new();
        for child in &node.children {
            let name = child.name.as_str();
            let known = children.iter().find(|(known, _)| *known == name);
            match known.filter(|_| child.namespace.is_none()) {
                None => self.unknown_child(child, tag, children),
                Some((known, Times::Unused)) => self.notes.unused(*known, child.at()),
                Some((_, Times::Once)) if seen.contains(&name) => {
                    self.fault(&child.span, format!("a second <{name}> in <{tag}>"), "one");
                }
                Some(_) => seen.push(name),
            }
        }
    }

    fn unknown_child(&self, child: &Element, tag: &str, children: &[(&'static str, Times)]) {
        let name = &child.name;
        let expected = match children {
            _ if child.namespace.as_ref().is_some_and(|uri| uri.contains("xacro")) => {
                let message = format!("unknown element <{}> in <{tag}>", clip(name));
                self.fault(&child.span, message, "plain URDF: expand the file with `xacro` first");
                return;
            }
            [] => "nothing inside it".to_owned(),
            known => one_of(name, known.iter().map(|(known, _)| *known).collect::<Vec<_>>()),
        };
        self.unknown(&child.span, format!("element <{}> in <{tag}>", clip(name)), expected);
    }

    /// The value of an attribute that must be there.
    pub(super) fn require(&self, node: &Element, name: &str, example: &str) -> Option<At<String>> {
        let value = node.get(name).cloned();
        if value.is_none() {
            let message = format!("<{}> has no `{name}`", node.name);
            self.fault(&node.span, message, format!("an attribute such as {name}=\"{example}\""));
        }
        value
    }

    /// `N` numbers separated by white space.
    pub(super) fn numbers<const N: usize>(&self, text: &At<String>) -> Option<[f64; N]> {
        let read = finite(&text.value).and_then(|all| all.try_into().ok());
        if read.is_none() {
            let expected = if N == 1 { "a finite number".to_owned() } else { format!("{N} finite numbers") };
            self.fault(
                &text.span,
                format!("\"{}\" is no list of {N}", clip(&text.value))
                    .replace(" is no list of 1", " is no number"),
                expected,
            );
        }
        read
    }

    /// Any number of numbers, within bounds.
    pub(super) fn list(&self, text: &At<String>, count: std::ops::RangeInclusive<usize>) -> Option<Vec<f64>> {
        let read = finite(&text.value).filter(|all| count.contains(&all.len()));
        if read.is_none() {
            let expected = match (count.start(), count.end()) {
                (a, b) if a == b => format!("{a} finite numbers"),
                (a, b) if *b == usize::MAX => format!("{a} finite numbers or more"),
                (a, b) => format!("{a} to {b} finite numbers"),
            };
            self.fault(&text.span, format!("\"{}\" is no such list", clip(&text.value)), expected);
        }
        read
    }

    /// A number, if the attribute is there; none when it is wrong.
    pub(super) fn number_or(&self, node: &Element, name: &str, default: f64) -> Option<f64> {
        node.get(name).map_or(Some(default), |text| self.numbers::<1>(text).map(|[x]| x))
    }

    /// A positive number that must be there.
    pub(super) fn positive(&self, node: &Element, name: &str) -> Option<f64> {
        let text = self.require(node, name, "0.1")?;
        self.positive_in(&text, name)
    }

    /// A positive number.
    pub(super) fn positive_in(&self, text: &At<String>, name: &str) -> Option<f64> {
        let [x] = self.numbers(text)?;
        if x <= 0.0 {
            self.fault(&text.span, format!("`{name}` is {x:?}"), "a number greater than 0");
        }
        (x > 0.0).then_some(x)
    }

    /// One of some words, by what it means.
    pub(super) fn choice<T: Copy>(&self, text: &At<String>, words: &[(&str, T)]) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == text.value.trim());
        if found.is_none() {
            let message = format!("\"{}\" is not known here", clip(&text.value));
            self.fault(&text.span, message, one_of(&text.value, words.iter().map(|(w, _)| *w)));
        }
        found.map(|(_, value)| *value)
    }

    /// Names that occur twice are wrong; the index of each.
    pub(super) fn unique<'n>(
        &self,
        names: impl Iterator<Item = &'n At<String>>,
        what: &str,
    ) -> BTreeMap<&'n str, usize> {
        let mut index = BTreeMap::new();
        for (i, name) in names.enumerate() {
            if index.insert(name.value.as_str(), i).is_some() {
                let message = format!("two {what}s are named `{}`", clip(&name.value));
                self.fault(&name.span, message, format!("a name of its own for each {what}"));
            }
        }
        index
    }
}

/// Finite numbers separated by white space.
fn finite(text: &str) -> Option<Vec<f64>> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x + 0.0);
    text.split_ascii_whitespace().map(number).collect()
}

/// Where an error of the parser is, in bytes.
fn offset(text: &str, error: &Error) -> usize {
    let at = error.pos();
    let line = text.split_inclusive('\n').take(at.row.saturating_sub(1) as usize);
    let start: usize = line.map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.chars().take(at.col.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
}
