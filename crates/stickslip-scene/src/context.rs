//! What reading a scene carries along: the parameters' values and what was found to be wrong.

use crate::expression::{self, ExpressionError, Unknown};
use crate::suggest::{list, nearest};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stickslip::function::Function;

/// Functions of time that a program gives to a scene, by name.
pub type Functions = BTreeMap<String, Arc<dyn Function>>;

/// The most problems reported at once.
pub(crate) const MAX_FAULTS: usize = 20;

/// A problem at a place of the text being read.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Where.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
}

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Range<usize>,
}

/// Shared by all readers of one scene.
#[derive(Default)]
pub struct Context {
    faults: RefCell<Vec<Fault>>,
    parameters: RefCell<BTreeMap<String, f64>>,
    /// The folder of the scene's file, where files it names are.
    folder: Option<PathBuf>,
    /// The files read, by the names the scene gives them.
    files: RefCell<BTreeSet<String>>,
    /// When the simulation ends, s, once that is known.
    until: Cell<Option<f64>>,
    /// What was asked of which table, by its address, where someone wants to know.
    asked: Option<RefCell<BTreeSet<(usize, &'static str)>>>,
    /// True when the same bodies were read before.
    read_again: Cell<bool>,
    /// Functions of time from outside.
    functions: RefCell<Functions>,
}

impl Context {
    /// For a scene in a folder, if it is in one.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), ..Self::default() }
    }

    /// One that remembers which keys were asked for.
    pub(crate) fn tracing(folder: Option<&Path>) -> Self {
        Self { asked: Some(RefCell::default()), ..Self::new(folder) }
    }

    /// The same bodies were read before: where they are need not be checked again.
    pub(crate) fn set_read_again(&self) {
        self.read_again.set(true);
    }

    /// Whether that is so.
    pub(crate) fn is_read_again(&self) -> bool {
        self.read_again.get()
    }

    /// Notes that a key of a table was asked for.
    pub(crate) fn ask<T>(&self, table: &T, key: &'static str) {
        if let Some(asked) = &self.asked {
            asked.borrow_mut().insert((std::ptr::from_ref(table).addr(), key));
        }
    }

    /// The keys that were asked of a table.
    pub(crate) fn asked<T>(&self, table: &T) -> Vec<&'static str> {
        let Some(asked) = &self.asked else { return Vec::new() };
        let address = std::ptr::from_ref(table).addr();
        asked
            .borrow()
            .range((address, "")..)
            .take_while(|(a, _)| *a == address)
            .map(|(_, key)| *key)
            .collect()
    }

    /// The folder of the scene's file.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Remembers that the scene reads a file of its folder.
    pub fn reads(&self, name: &str) {
        self.files.borrow_mut().insert(name.to_owned());
    }

    /// The files the scene reads, by the names it gives them, sorted.
    pub fn files(&self) -> Vec<String> {
        self.files.borrow().iter().cloned().collect()
    }

    /// When the simulation ends, s, if that is known.
    pub fn until(&self) -> Option<f64> {
        self.until.get()
    }

    /// Makes known when the simulation ends.
    pub(crate) fn set_until(&self, until: f64) {
        self.until.set(Some(until));
    }

    /// Makes functions known that the scene may name.
    pub(crate) fn set_functions(&self, functions: &Functions) {
        self.functions.borrow_mut().clone_from(functions);
    }

    /// A function that a program gives, or the names of those that it does.
    pub fn function(&self, name: &str) -> Result<Arc<dyn Function>, Vec<String>> {
        let functions = self.functions.borrow();
        functions.get(name).cloned().ok_or_else(|| functions.keys().cloned().collect())
    }

    /// Notes a problem. One beyond the last that is kept shows that there are more.
    pub fn fault(&self, span: &Range<usize>, message: impl Into<String>, expected: impl Into<String>) {
        let mut faults = self.faults.borrow_mut();
        if faults.len() <= MAX_FAULTS {
            faults.push(Fault { span: span.clone(), message: message.into(), expected: expected.into() });
        }
    }

    /// True when there is no point in looking for more problems.
    pub(crate) fn is_full(&self) -> bool {
        self.faults.borrow().len() > MAX_FAULTS
    }

    /// True when nothing is wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.faults.borrow().is_empty()
    }

    /// Everything that is wrong.
    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults.into_inner()
    }

    /// Makes a parameter known to the formulas that follow.
    pub(crate) fn set_parameter(&self, name: &str, value: f64) {
        self.parameters.borrow_mut().insert(name.to_owned(), value);
    }

    /// Makes a parameter unknown again.
    pub(crate) fn forget_parameter(&self, name: &str) {
        self.parameters.borrow_mut().remove(name);
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.borrow().get(name).copied()
    }

    /// The value of the formula `text`, a TOML string at `span`; `what` names the key.
    pub fn formula(&self, what: &str, text: &str, span: &Range<usize>) -> Option<f64> {
        let result = expression::parse(text).and_then(|e| e.evaluate(&|name| self.parameter(name)));
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault_in_formula(what, text, span, (error, &[]));
                None
            }
        }
    }

    /// Notes what is wrong with the formula `text`, which may use the parameters and `variables`.
    pub fn fault_in_formula(
        &self,
        what: &str,
        text: &str,
        span: &Range<usize>,
        (error, variables): (ExpressionError, &[String]),
    ) {
        // inside a string without escapes the error has a place of its own
        let plain = span.len() == text.len() + 2;
        let place =
            if plain { span.start + 1 + error.at.start..span.start + 1 + error.at.end } else { span.clone() };
        let parameters = self.parameters.borrow();
        let expected = match &error.unknown {
            None => error.expected,
            Some(unknown) => {
                let variables = variables.iter().map(String::as_str);
                let names = || variables.clone().chain(parameters.keys().map(String::as_str)).chain(["pi"]);
                let functions = || expression::FUNCTIONS.iter().map(|f| f.0);
                let guess = match unknown {
                    Unknown::Name(name) => nearest(name, names()),
                    Unknown::Function(name) => nearest(name, functions()),
                };
                let guess = guess.map_or(String::new(), |g| format!("`{g}`, or "));
                format!("{guess}a number or a formula of {} with {}", list(names()), list(functions()))
            }
        };
        self.fault(&place, format!("{} in the formula for `{what}`", error.message), expected);
    }
}
