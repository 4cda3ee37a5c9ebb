//! What the import says of itself: assumptions, repairs, approximations, and what is not used.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// Collected while reading and writing.
#[derive(Default)]
pub(super) struct Notes {
    stated: RefCell<Vec<String>>,
    repaired: RefCell<Vec<String>>,
    approximated: RefCell<Vec<String>>,
    /// By what it is: how many, and where the first begins, in bytes.
    unused: RefCell<BTreeMap<String, (usize, usize)>>,
}

impl Notes {
    /// Something the file leaves open that is now decided.
    pub(crate) fn stated(&self, line: impl Into<String>) {
        self.stated.borrow_mut().push(line.into());
    }

    /// Something that was wrong, and is cured as `--repair` asks.
    pub(super) fn repaired(&self, line: impl Into<String>) {
        self.repaired.borrow_mut().push(line.into());
    }

    /// Something that is not exactly as the file says.
    pub(super) fn approximated(&self, line: impl Into<String>) {
        let line = line.into();
        let mut lines = self.approximated.borrow_mut();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }

    /// Something that has no influence on the scene, at a place of the file.
    pub(super) fn unused(&self, what: impl Into<String>, at: usize) {
        let mut unused = self.unused.borrow_mut();
        let entry = unused.entry(what.into()).or_insert((0, at));
        entry.0 += 1;
        entry.1 = entry.1.min(at);
    }

    /// All of it, one line each; `place` names a place.
    pub(super) fn lines(&self, place: impl Fn(usize) -> String) -> Vec<String> {
        let mut lines: Vec<String> = self.stated.borrow().clone();
        lines.extend(self.repaired.borrow().iter().map(|line| format!("repaired: {line}")));
        lines.extend(self.approximated.borrow().iter().map(|line| format!("approximated: {line}")));
        let unused = self.unused.borrow();
        lines.extend(unused.iter().map(|(what, (count, at))| match count {
            1 => format!("not used: {what} ({})", place(*at)),
            _ => format!("not used: {what} ({count} times, first in {})", place(*at)),
        }));
        lines
    }
}
