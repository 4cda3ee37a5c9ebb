//! What the import says of itself: assumptions, approximations, and what is not used.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// Collected while reading and writing.
#[derive(Default)]
pub(super) struct Notes {
    stated: RefCell<Vec<String>>,
    approximated: RefCell<Vec<String>>,
    /// By what it is: how many, and where the first begins, in bytes.
    unused: RefCell<BTreeMap<&'static str, (usize, usize)>>,
}

impl Notes {
    /// Something the URDF leaves open that is now decided.
    pub(crate) fn stated(&self, line: impl Into<String>) {
        self.stated.borrow_mut().push(line.into());
    }

    /// Something that is not exactly as the URDF says.
    pub(super) fn approximated(&self, line: impl Into<String>) {
        self.approximated.borrow_mut().push(line.into());
    }

    /// Something that has no influence on the scene, at a place of the file.
    pub(super) fn unused(&self, what: &'static str, at: usize) {
        let mut unused = self.unused.borrow_mut();
        let entry = unused.entry(what).or_insert((0, at));
        entry.0 += 1;
        entry.1 = entry.1.min(at);
    }

    /// All of it, one line each; `line` knows the line of a place.
    pub(super) fn lines(&self, line: impl Fn(usize) -> usize) -> Vec<String> {
        let mut lines: Vec<String> = self.stated.borrow().clone();
        lines.extend(self.approximated.borrow().iter().map(|line| format!("approximated: {line}")));
        let unused = self.unused.borrow();
        lines.extend(unused.iter().map(|(what, (count, at))| match count {
            1 => format!("not used: {what} (line {})", line(*at)),
            _ => format!("not used: {what} ({count} times, first in line {})", line(*at)),
        }));
        lines
    }
}
