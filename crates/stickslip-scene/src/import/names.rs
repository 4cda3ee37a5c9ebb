//! Names that scenes can have, each once: letters, digits, `_` and `-`, 64 at most.

use super::xml::Reader;
use crate::value::is_name;
use std::collections::BTreeSet;

/// The names given so far. `world` is the world's.
pub(super) struct Names<'r> {
    reader: &'r Reader,
    taken: BTreeSet<String>,
}

impl<'r> Names<'r> {
    pub(super) fn new(reader: &'r Reader) -> Self {
        Self { reader, taken: ["world".to_owned()].into() }
    }

    /// The name for a thing of the robot, of the kind `what`; if it cannot be its own, says so.
    pub(super) fn give(&mut self, name: &str, what: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let mut given: String = name.chars().take(48).map(plain).collect();
        if is_name(name) {
            given = name.to_owned();
        } else if given.is_empty() {
            given = what.to_owned();
        }
        if self.taken.contains(&given) {
            given = format!("{}_{what}", given.chars().take(48).collect::<String>());
        }
        let (stem, mut number) = (given.clone(), 2);
        while self.taken.contains(&given) {
            given = format!("{stem}{number}");
            number += 1;
        }
        if given != name {
            let shown = crate::suggest::clip(name);
            self.reader.notes.approximated(format!("{what} `{shown}` is named `{given}` in the scene"));
        }
        self.taken.insert(given.clone());
        given
    }

    /// A name for something that the import adds.
    pub(super) fn add(&mut self, name: &str) -> String {
        let (mut given, mut number) = (name.to_owned(), 2);
        while !self.taken.insert(given.clone()) {
            given = format!("{name}{number}");
            number += 1;
        }
        given
    }
}
