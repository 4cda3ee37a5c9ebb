//! XML with places: what elements and attributes may stand where, numbers, and what is wrong.

use super::notes::Notes;
use crate::context::{At, MAX_FAULTS};
use crate::error::{Place, Problem, SceneError};
use crate::suggest::{clip, one_of};
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// The most elements and texts in a file.
const MAX_NODES: u32 = 1_000_000;

/// How often an element may stand in another.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Times {
    Once,
    Many,
    /// It may stand there, is not looked into, and is listed.
    Unused,
}

/// The text of a file, and what is wrong with it.
pub(super) struct Reader<'a> {
    pub file: &'a str,
    pub text: &'a str,
    pub notes: Notes,
    problems: RefCell<Vec<Problem>>,
    more: Cell<bool>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, notes: Notes::default(), problems: RefCell::default(), more: Cell::new(false) }
    }

    /// Notes a problem at a place of the file.
    pub(super) fn fault(&self, span: &Range<usize>, message: impl Into<String>, expected: impl Into<String>) {
        if self.problems.borrow().len() >= MAX_FAULTS {
            // finding the line of each of a million faults would take hours
            self.more.set(true);
            return;
        }
        let place = Place::new(self.text.as_bytes(), span.clone());
        self.push(Problem {
            message: message.into(),
            expected: expected.into(),
            option: None,
            place: Some(place),
        });
    }

    /// Notes a problem of an option, such as one that is missing.
    pub(crate) fn option_fault(&self, option: &str, message: impl Into<String>, expected: impl Into<String>) {
        let option = Some(clip(option));
        self.push(Problem { message: message.into(), expected: expected.into(), option, place: None });
    }

    fn push(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_FAULTS {
            problems.push(problem);
        } else {
            self.more.set(true);
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    pub(super) fn into_error(self) -> SceneError {
        let mut problems = self.problems.into_inner();
        if problems.is_empty() {
            // unreachable as long as whoever gives up says why
            let (message, expected) = ("the robot cannot be read".to_owned(), "a URDF file".to_owned());
            problems.push(Problem { message, expected, option: None, place: None });
        }
        SceneError::new(self.file, Some(self.text), problems, self.more.get())
    }

    /// What the import says of itself, one line each.
    pub(super) fn report(&self) -> Vec<String> {
        self.notes.lines(|at| Place::new(self.text.as_bytes(), at..at).line)
    }

    /// The document. Documents that define entities are refused: a few lines of them make gigabytes.
    pub(super) fn parse(&self) -> Option<Document<'a>> {
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let error = match Document::parse_with_options(self.text, options) {
            Ok(document) => return Some(document),
            Err(error) => error,
        };
        let (at, expected) = match &error {
            Error::DtdDetected => {
                (self.text.find("<!DOCTYPE").unwrap_or(0), "a file without <!DOCTYPE ...> and entities")
            }
            Error::NodesLimitReached => (0, "at most 1000000 elements"),
            Error::UnclosedRootNode | Error::UnexpectedEndOfStream => (self.text.len(), "well-formed XML"),
            Error::UnknownNamespace(prefix, _) if prefix == "xacro" => {
                (self.offset(&error), "plain URDF: expand the file with `xacro` first")
            }
            _ => (self.offset(&error), "well-formed XML"),
        };
        self.fault(&(at..at + 1), format!("XML: {error}"), expected);
        None
    }

    /// Where an error of the parser is, in bytes.
    fn offset(&self, error: &Error) -> usize {
        let at = error.pos();
        let line = self.text.split_inclusive('\n').take(at.row.saturating_sub(1) as usize);
        let start: usize = line.map(str::len).sum();
        let rest = self.text.get(start..).unwrap_or_default();
        start + rest.chars().take(at.col.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
    }

    /// Complains about attributes and elements that may not stand in an element, and about text.
    pub(super) fn check(&self, node: Node<'_, 'a>, attributes: &[&str], children: &[(&'static str, Times)]) {
        let tag = node.tag_name().name();
        for attribute in node.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || !attributes.contains(&name) {
                let expected = match attributes {
                    [] => "no attributes here".to_owned(),
                    known => one_of(name, known.iter().copied()),
                };
                let message = format!("unknown attribute `{}` of <{tag}>", clip(name));
                self.fault(&attribute.range_qname(), message, expected);
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for child in node.children() {
            if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                self.fault(&child.range(), format!("text inside <{tag}>"), "elements only");
            }
            if !child.is_element() {
                continue;
            }
            let name = child.tag_name().name();
            let known = children.iter().find(|(known, _)| *known == name);
            match known.filter(|_| child.tag_name().namespace().is_none()) {
                None => self.unknown(child, tag, children),
                Some((known, Times::Unused)) => self.notes.unused(known, child.range().start),
                Some((_, Times::Once)) if seen.contains(&name) => {
                    self.fault(&start(child), format!("a second <{name}> in <{tag}>"), "one");
                }
                Some(_) => seen.push(name),
            }
        }
    }

    fn unknown(&self, child: Node<'_, 'a>, tag: &str, children: &[(&'static str, Times)]) {
        let name = child.tag_name().name();
        let expected = match children {
            [] => "nothing inside it".to_owned(),
            _ if child.tag_name().namespace().is_some_and(|uri| uri.contains("xacro")) => {
                "plain URDF: expand the file with `xacro` first".to_owned()
            }
            known => one_of(name, known.iter().map(|(known, _)| *known).collect::<Vec<_>>()),
        };
        self.fault(&start(child), format!("unknown element <{}> in <{tag}>", clip(name)), expected);
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, node: Node<'_, 'a>, name: &str) -> Option<At<String>> {
        let attribute = node.attribute_node(name)?;
        Some(At { value: attribute.value().to_owned(), span: attribute.range_value() })
    }

    /// The value of an attribute that must be there.
    pub(super) fn require(&self, node: Node<'_, 'a>, name: &str, example: &str) -> Option<At<String>> {
        let value = self.attribute(node, name);
        if value.is_none() {
            let message = format!("<{}> has no `{name}`", node.tag_name().name());
            self.fault(&start(node), message, format!("an attribute such as {name}=\"{example}\""));
        }
        value
    }

    /// `N` numbers separated by white space.
    pub(super) fn numbers<const N: usize>(&self, text: &At<String>) -> Option<[f64; N]> {
        let mut out = [0.0; N];
        let words: Vec<&str> = text.value.split_ascii_whitespace().collect();
        let expected = if N == 1 { "a finite number".to_owned() } else { format!("{N} finite numbers") };
        let good = words.len() == N
            && words.iter().zip(&mut out).all(|(word, x)| match word.parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    *x = value + 0.0; // no negative zeros
                    true
                }
                _ => false,
            });
        if !good {
            self.fault(
                &text.span,
                format!("\"{}\" is no list of {N}", clip(&text.value))
                    .replace(" is no list of 1", " is no number"),
                expected,
            );
        }
        good.then_some(out)
    }

    /// A number, if the attribute is there; none when it is wrong.
    pub(super) fn number_or(&self, node: Node<'_, 'a>, name: &str, default: f64) -> Option<f64> {
        self.attribute(node, name).map_or(Some(default), |text| self.numbers::<1>(&text).map(|[x]| x))
    }

    /// A positive number that must be there.
    pub(super) fn positive(&self, node: Node<'_, 'a>, name: &str) -> Option<f64> {
        let text = self.require(node, name, "0.1")?;
        let [x] = self.numbers(&text)?;
        if x <= 0.0 {
            self.fault(&text.span, format!("`{name}` is {x:?}"), "a number greater than 0");
        }
        (x > 0.0).then_some(x)
    }
}

/// The first child element of that name.
pub(super) fn child<'a, 'b>(node: Node<'b, 'a>, name: &str) -> Option<Node<'b, 'a>> {
    node.children().find(|c| c.is_element() && c.tag_name().name() == name)
}

/// The child elements of that name.
pub(super) fn children<'a, 'b: 'a>(
    node: Node<'b, 'b>,
    name: &'a str,
) -> impl Iterator<Item = Node<'b, 'b>> + 'a {
    node.children().filter(move |c| c.is_element() && c.tag_name().name() == name)
}

/// Where an element begins: `<name`.
pub(super) fn start(node: Node<'_, '_>) -> Range<usize> {
    let at = node.range().start;
    at..at + 1 + node.tag_name().name().len()
}
