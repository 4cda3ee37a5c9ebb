//! `repeat` of a `[[body]]` or a `[[system.contact]]`: many of them by formula.
//!
//! The body is read `count` times, with the number of the copy, from 0, known to its formulas as `index`, and its name
//! followed by that number. With `random` every copy also takes the next numbers of a stream, uniform in [0, 1), under
//! the names given: a scene that looks random is the same everywhere, always.

use super::{Dimension, ReadBody, body};
use crate::context::Context;
use crate::expression;
use crate::random::MersenneTwister;
use crate::suggest::clip;
use crate::value::{Cursor, Entry, is_name};
use toml::de::DeValue;

/// The most copies of a body.
const MOST_COPIES: usize = 100_000;
/// The most random numbers of a copy.
const MOST_NAMES: usize = 16;

/// What `repeat` says: how many copies, and what their formulas know of each.
pub(crate) struct Repeat {
    pub count: usize,
    index: String,
    random: Option<(MersenneTwister, Vec<String>)>,
}

/// Reads one `[[body]]`, which may be many bodies. None when something is wrong.
pub(crate) fn bodies<S: Dimension>(table: &mut Cursor<'_>, out: &mut Vec<ReadBody<S>>) -> Option<()> {
    let Some(entry) = table.get("repeat") else {
        out.push(body::<S>(table)?);
        return Some(());
    };
    let mut repeat = read(&entry, MOST_COPIES)?;
    let cx = table.cx;
    let mut outcome = Some(());
    for i in 0..repeat.count {
        repeat.begin(cx, i);
        // what is wrong with one copy is most likely wrong with all
        let Some(mut read) = body::<S>(table) else {
            outcome = None;
            break;
        };
        read.name.value = format!("{}{i}", read.name.value);
        if !is_name(&read.name.value) {
            let message = format!("the name of copy {i} is \"{}\"", clip(&read.name.value));
            cx.fault(&read.name.span, message, "at most 64 characters with the number of the copy");
            outcome = None;
            break;
        }
        read.body.name.clone_from(&read.name.value);
        out.push(read);
    }
    repeat.end(cx);
    outcome
}

impl Repeat {
    /// The names that formulas of a copy may use.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        [&self.index].into_iter().chain(self.random.iter().flat_map(|(_, names)| names))
    }

    /// Makes the values of copy `i` known; copies come in order.
    pub(crate) fn begin(&mut self, cx: &Context, i: usize) {
        cx.set_parameter(&self.index, i as f64);
        if let Some((stream, names)) = &mut self.random {
            names.iter().for_each(|name| cx.set_parameter(name, stream.next()));
        }
    }

    /// Makes them unknown again.
    pub(crate) fn end(&self, cx: &Context) {
        self.names().for_each(|name| cx.forget_parameter(name));
    }
}

/// Reads `repeat` of up to `most` copies.
pub(crate) fn read(entry: &Entry<'_>, most: usize) -> Option<Repeat> {
    let table = entry.table("`repeat`".to_owned(), "a table such as `{ count = 10, index = \"i\" }`")?;
    let count = table.require("count", "count = 10").and_then(|e| e.whole(1, most));
    let index = table.require("index", "index = \"i\"").and_then(|e| variable(&e, &[]));
    let random = table.get("random").map(|e| random(&e, index.as_slice()));
    table.finish();
    let random = match random {
        None => None,
        Some(read) => Some(read?),
    };
    Some(Repeat { count: count?, index: index?, random })
}

fn random(entry: &Entry<'_>, taken: &[String]) -> Option<(MersenneTwister, Vec<String>)> {
    let example = "a table such as `{ seed = 1, names = [\"a\", \"b\"] }`";
    let table = entry.table("`random`".to_owned(), example)?;
    let seed = table.require("seed", "seed = 1").and_then(|e| e.whole(0, u32::MAX as usize));
    let names = table.require("names", "names = [\"a\", \"b\"]").and_then(|e| names(&e, taken));
    table.finish();
    Some((MersenneTwister::new(seed? as u32), names?))
}

fn names(entry: &Entry<'_>, taken: &[String]) -> Option<Vec<String>> {
    let expected = format!("a list of 1 to {MOST_NAMES} names");
    let DeValue::Array(list) = entry.value.get_ref() else {
        entry.wrong_type(&expected);
        return None;
    };
    if !(1..=MOST_NAMES).contains(&list.len()) {
        entry.fault(format!("`names` has {} entries", list.len()), expected);
        return None;
    }
    let mut taken = taken.to_vec();
    for (i, value) in list.iter().enumerate() {
        let name = variable(&entry.item(i, value), &taken)?;
        taken.push(name);
    }
    let first = taken.len() - list.len();
    Some(taken.split_off(first))
}

/// A name that formulas may use and nothing else has.
fn variable(entry: &Entry<'_>, taken: &[String]) -> Option<String> {
    let name = entry.string("a name in quotes")?.value;
    if !expression::is_free_name(name) || name.len() > 64 || name == "t" {
        let expected = "letters, digits and `_`, starting with a letter, no function's name and not t";
        entry.fault(format!("`{}` cannot name a variable", clip(name)), expected);
        return None;
    }
    if entry.cx.parameter(name).is_some() || taken.iter().any(|other| other == name) {
        entry.fault(format!("`{name}` is a parameter already"), "a name of its own");
        return None;
    }
    Some(name.to_owned())
}
