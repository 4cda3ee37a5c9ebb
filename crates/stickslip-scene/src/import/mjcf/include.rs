//! `<include file="..."/>`: the children of another file's root, in its place.

use super::super::Given;
use super::super::xml::{Element, Reader};
use crate::suggest::clip;
use std::path::PathBuf;

/// The most files, and how deep they may include each other.
const MOST: usize = 200;
const LEVELS: usize = 20;
/// The most bytes of all of them.
const MOST_BYTES: u64 = 50_000_000;

struct Files<'r> {
    reader: &'r Reader,
    given: &'r Given<'r>,
    /// Those being read, from the outermost on.
    open: Vec<PathBuf>,
    count: usize,
    bytes: u64,
}

/// The element with what it includes.
pub(super) fn expand(reader: &Reader, given: &Given<'_>, root: Element) -> Option<Element> {
    let open = PathBuf::from(reader.file()).canonicalize().into_iter().collect();
    let mut files = Files { reader, given, open, count: 0, bytes: 0 };
    files.expand(root)
}

impl Files<'_> {
    fn expand(&mut self, mut element: Element) -> Option<Element> {
        let mut children = Vec::new();
        for child in element.children {
            match child.name.as_str() {
                "include" => children.extend(self.include(&child)?),
                _ => children.push(self.expand(child)?),
            }
        }
        element.children = children;
        Some(element)
    }

    fn include(&mut self, element: &Element) -> Option<Vec<Element>> {
        let name = self.reader.require(element, "file", "robot.xml")?;
        let refuse = |message: String, expected: &str| {
            self.reader.fault(&name.span, message, expected);
            None
        };
        let here = self.reader.file_of(element.at());
        let folders =
            [super::super::folder(&here).to_owned(), super::super::folder(&self.reader.file()).to_owned()];
        let tries = folders.iter().map(|folder| self.given.folders.find(folder, &name.value));
        let found = match tries.reduce(|first, second| if first.is_ok() { first } else { second.or(first) }) {
            Some(Ok(found)) => found,
            Some(Err((message, expected))) => return refuse(message, &expected),
            None => return None,
        };
        self.count += 1;
        self.bytes += found.path.metadata().map_or(0, |m| m.len());
        if self.open.contains(&found.path) {
            return refuse(
                format!("\"{}\" includes itself", clip(&name.value)),
                "files that include each other in no circles",
            );
        }
        if self.count > MOST || self.open.len() > LEVELS || self.bytes > MOST_BYTES {
            return refuse(
                "too much is included".to_owned(),
                "at most 200 files, 20 deep, of 50 MB together",
            );
        }
        let text = match std::fs::read_to_string(&found.path) {
            Ok(text) => text,
            Err(error) => {
                return refuse(
                    format!("\"{}\" cannot be read: {error}", clip(&name.value)),
                    "an XML file in UTF-8",
                );
            }
        };
        let source = self.reader.add(&found.path.to_string_lossy(), text);
        let root = self.reader.parse(source)?;
        if !["mujoco", "mujocoinclude"].contains(&root.name.as_str()) {
            let message = format!("the root element is <{}>", clip(&root.name));
            self.reader.fault(&root.span, message, "<mujocoinclude> or <mujoco>");
            return None;
        }
        self.open.push(found.path);
        let expanded = self.expand(root);
        self.open.pop();
        Some(expanded?.children)
    }
}
