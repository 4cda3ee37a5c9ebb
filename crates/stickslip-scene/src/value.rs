//! Reading values of the file with their places: a [`Cursor`] walks a table, remembers which keys were asked for and
//! complains about the others; an [`Entry`] turns one value into a number, a name, a list.

use crate::context::{At, Context};
use crate::suggest::{clip, nearest, one_of};
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Finite.
    Any,
    /// Greater than 0.
    Positive,
    /// At least 0.
    NonNegative,
    /// From 0 to 1.
    Fraction,
}

impl Bound {
    fn holds(self, x: f64) -> bool {
        match self {
            Bound::Any => true,
            Bound::Positive => x > 0.0,
            Bound::NonNegative => x >= 0.0,
            Bound::Fraction => (0.0..=1.0).contains(&x),
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Bound::Any => "a finite number",
            Bound::Positive => "a number greater than 0",
            Bound::NonNegative => "a number of at least 0",
            Bound::Fraction => "a number from 0 to 1",
        }
    }
}

/// Walks a table.
pub struct Cursor<'a> {
    /// What reading carries along.
    pub cx: &'a Context,
    /// The table.
    pub table: &'a DeTable<'a>,
    /// Where the table begins: its header, or the inline table.
    pub header: Range<usize>,
    /// What to call it.
    pub title: String,
    asked: RefCell<Vec<&'static str>>,
    /// Keys that should have been there, with a line that would do.
    missing: RefCell<Vec<(&'static str, String)>>,
}

/// A key and its value.
#[derive(Clone)]
pub struct Entry<'a> {
    /// What reading carries along.
    pub cx: &'a Context,
    /// What to call it.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// The value.
    pub value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Cursor<'a> {
    /// At a table.
    pub fn new(cx: &'a Context, table: &'a DeTable<'a>, header: Range<usize>, title: String) -> Self {
        Self { cx, table, header, title, asked: RefCell::default(), missing: RefCell::default() }
    }

    /// The value of a key that may be missing.
    pub fn get(&self, key: &'static str) -> Option<Entry<'a>> {
        self.cx.ask(self.table, key);
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        let (at, value) = self.table.get_key_value(key)?;
        Some(Entry { cx: self.cx, key: key.to_owned(), key_span: at.span(), value })
    }

    /// The value of a key that must be there; `example` is a line that would do. [`finish`](Self::finish) complains
    /// if it is not.
    pub fn require(&self, key: &'static str, example: &str) -> Option<Entry<'a>> {
        let entry = self.get(key);
        if entry.is_none() {
            self.missing.borrow_mut().push((key, example.to_owned()));
        }
        entry
    }

    /// A number that must be there.
    pub fn number(&self, key: &'static str, bound: Bound, example: &str) -> Option<f64> {
        self.require(key, example)?.number(bound)
    }

    /// A number that may be missing; none when it is there but wrong.
    pub fn number_or(&self, key: &'static str, bound: Bound, default: f64) -> Option<f64> {
        self.get(key).map_or(Some(default), |e| e.number(bound))
    }

    /// Complains about keys that nobody asked for and keys that are missing. A missing key that an unknown one looks
    /// like was misspelt: one complaint is enough.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        let mut missing = self.missing.borrow_mut();
        for (key, _) in self.table {
            if self.cx.is_full() {
                return;
            }
            let word: &str = key.get_ref();
            if asked.contains(&word) {
                continue;
            }
            let expected = match asked.as_slice() {
                [] => "no keys here".to_owned(),
                keys => one_of(word, keys.iter().copied()),
            };
            self.cx.fault(&key.span(), format!("unknown key `{}` in {}", clip(word), self.title), expected);
            let meant = nearest(word, asked.iter().copied());
            missing.retain(|(key, _)| Some(*key) != meant);
        }
        for (key, example) in missing.drain(..) {
            let message = format!("{} has no `{key}`", self.title);
            self.cx.fault(&self.header, message, format!("a line such as `{example}`"));
        }
    }
}

impl<'a> Entry<'a> {
    /// Where the value stands.
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Notes that the value is wrong.
    pub fn fault(&self, message: impl Into<String>, expected: impl Into<String>) {
        self.cx.fault(&self.span(), message, expected);
    }

    /// Notes that the value is of another type than expected.
    pub fn wrong_type(&self, expected: &str) {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.fault(format!("`{}` is {found}", self.key), expected);
    }

    /// A number, or a string with a formula of the parameters.
    pub fn number(&self, bound: Bound) -> Option<f64> {
        let (value, formula) = match self.value.get_ref() {
            DeValue::Integer(i) if i.radix() == 10 => (i.as_str().parse().unwrap_or(f64::NAN), None),
            DeValue::Integer(i) => {
                // beyond 128 bits is beyond any use
                (u128::from_str_radix(i.as_str(), i.radix()).map_or(f64::INFINITY, |i| i as f64), None)
            }
            DeValue::Float(x) => (x.as_str().parse().unwrap_or(f64::NAN), None),
            DeValue::String(text) => (self.cx.formula(&self.key, text, &self.span())?, Some(text)),
            _ => {
                self.wrong_type("a number, or a formula of the parameters in quotes");
                return None;
            }
        };
        if value.is_finite() && bound.holds(value) {
            return Some(value + 0.0); // no negative zeros
        }
        let from = formula.map_or(String::new(), |text| format!(" (from \"{}\")", clip(text)));
        let bound = if value.is_finite() { bound } else { Bound::Any };
        self.fault(format!("`{}` is {value:?}{from}", self.key), bound.phrase());
        None
    }

    /// A whole number from `least` to `most`.
    pub fn whole(&self, least: usize, most: usize) -> Option<usize> {
        let value = self.number(Bound::Any)?;
        if value.fract() == 0.0 && value >= least as f64 && value <= most as f64 {
            return Some(value as usize);
        }
        self.fault(format!("`{}` is {value:?}", self.key), format!("a whole number from {least} to {most}"));
        None
    }

    /// Exactly `N` numbers.
    pub fn numbers<const N: usize>(&self, bound: Bound) -> Option<[f64; N]> {
        let expected = || format!("a list of {N} numbers");
        let DeValue::Array(array) = self.value.get_ref() else {
            self.wrong_type(&expected());
            return None;
        };
        if array.len() != N {
            let entries = if array.len() == 1 { "entry" } else { "entries" };
            self.fault(format!("`{}` has {} {entries}", self.key, array.len()), expected());
            return None;
        }
        let mut out = [Some(0.0); N];
        for (i, value) in array.iter().enumerate() {
            out[i] = self.item(i, value).number(bound);
        }
        let all = out.iter().all(Option::is_some);
        all.then(|| out.map(Option::unwrap_or_default))
    }

    /// A list of points of `N` coordinates each.
    pub fn points<const N: usize>(&self) -> Option<Vec<[f64; N]>> {
        let DeValue::Array(array) = self.value.get_ref() else {
            self.wrong_type(&format!("a list of points, each a list of {N} numbers"));
            return None;
        };
        let read = |(i, value)| self.item(i, value).numbers(Bound::Any);
        let points: Vec<Option<[f64; N]>> = array.iter().enumerate().map(read).collect();
        points.into_iter().collect()
    }

    /// An item of this entry's list, as an entry of its own.
    pub fn item(&self, index: usize, value: &'a Spanned<DeValue<'a>>) -> Entry<'a> {
        let key = format!("{}[{index}]", self.key);
        Entry { cx: self.cx, key, key_span: self.key_span.clone(), value }
    }

    /// True or false.
    pub fn boolean(&self) -> Option<bool> {
        let value = self.value.get_ref().as_bool();
        if value.is_none() {
            self.wrong_type("true or false");
        }
        value
    }

    /// A string.
    pub fn string(&self, expected: &str) -> Option<At<&'a str>> {
        match self.value.get_ref().as_str() {
            Some(value) => Some(At { value, span: self.span() }),
            None => {
                self.wrong_type(expected);
                None
            }
        }
    }

    /// A name: letters, digits, `_` and `-`.
    pub fn name(&self) -> Option<At<&'a str>> {
        let expected = "a name of 1 to 64 letters, digits, `_` or `-`, in quotes";
        let name = self.string(expected)?;
        if !is_name(name.value) {
            self.fault(format!("`{}` is \"{}\"", self.key, clip(name.value)), expected);
            return None;
        }
        Some(name)
    }

    /// A table, as it stands.
    pub fn table(&self, title: String, expected: &str) -> Option<Cursor<'a>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Cursor::new(self.cx, table, self.span(), title)),
            _ => {
                self.wrong_type(expected);
                None
            }
        }
    }

    /// The elements of `[[key]]`.
    pub fn tables(&self) -> Option<Vec<Cursor<'a>>> {
        let expected = format!("tables under `[[{}]]` headers", self.key);
        let DeValue::Array(array) = self.value.get_ref() else {
            self.wrong_type(&expected);
            return None;
        };
        let title = format!("[[{}]]", self.key);
        array.iter().enumerate().map(|(i, v)| self.item(i, v).table(title.clone(), &expected)).collect()
    }
}

/// True for what can name a scene, a body or a material.
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
