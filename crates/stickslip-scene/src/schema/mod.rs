//! What may stand in a scene file, as data: every table, its keys, their types, defaults and meanings.
//!
//! From this one description come the JSON Schema that editors complete and check with (`json.rs`) and the tables of
//! `docs/scene-files.md` (`markdown.rs`). The readers are code and stay the judges: that they ask for exactly these
//! keys is tested with [`reading::trace`](crate::reading::trace), in `tests.rs`. What passes the schema may still be
//! refused for what a schema cannot say: a joint that does not hold, a pair without friction.

mod body;
mod function;
mod json;
mod markdown;
mod mechanism;
mod scene;
mod system;
#[cfg(test)]
mod tests;

pub(crate) use body::ROTATION;
pub use json::schema;
pub use markdown::{page, table};

use crate::error::PageError;
use crate::value::Bound;
use serde_json::Value;

/// A table of a file.
#[derive(Debug)]
pub struct Table {
    /// Its name in the schema's `$defs` and in the generated pages; unique.
    pub id: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// Its keys, in the order to show them.
    pub keys: &'static [Key],
    /// True where exactly one of the keys is given.
    pub one: bool,
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// As written in the file.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is not given; `REQUIRED` where it must be.
    pub default: &'static str,
    /// What it means, with its unit.
    pub doc: &'static str,
}

/// The default of a key that must be given.
pub const REQUIRED: &str = "required";

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number, or a formula of the parameters in quotes.
    Number(Bound),
    /// A whole number between these, or a formula.
    Whole(u64, u64),
    /// A number, or a formula in quotes of whatever the key's text says.
    Formula,
    /// A function of time.
    Function,
    /// True or false.
    Truth,
    /// Any text.
    Text,
    /// 1 to 64 letters, digits, `_` and `-`.
    Name,
    /// A text of this form, a regular expression.
    Form(&'static str),
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// Anything but a list or a table.
    Plain,
    /// So many of these.
    List(&'static Kind, usize, usize),
    /// Names of one's own, each with one of these.
    Own(&'static Kind),
    /// A table.
    Table(&'static Table),
    /// A list of tables, `[[key]]`.
    Tables(&'static Table),
    /// One or the other.
    Either(&'static [Kind]),
}

/// No upper limit to a list.
pub const ANY: usize = usize::MAX;
/// A number without bounds.
pub const NUMBER: Kind = Kind::Number(Bound::Any);
/// A number above 0.
pub const POSITIVE: Kind = Kind::Number(Bound::Positive);
/// A number of at least 0.
pub const NOT_NEGATIVE: Kind = Kind::Number(Bound::NonNegative);
/// A number from 0 to 1.
pub const FRACTION: Kind = Kind::Number(Bound::Fraction);
/// A point or direction in the plane or in space.
pub const POINT: Kind = Kind::List(&NUMBER, 2, 3);
/// A list of points.
pub const POINTS: Kind = Kind::List(&POINT, 1, ANY);
/// Names.
pub const NAMES: Kind = Kind::List(&Kind::Text, 2, 2);
/// A function of time for each axis.
pub const FUNCTIONS: Kind = Kind::List(&Kind::Function, 2, 3);

/// A key that must be given.
pub const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key { name, kind, default: REQUIRED, doc }
}

/// A key that may be left out.
pub const fn may(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind, default, doc }
}

/// The root of a scene file.
pub fn scene_root() -> &'static Table {
    &scene::ROOT
}

/// The JSON Schema (draft 2020-12) of scene files.
pub fn scene_schema() -> Value {
    schema(&scene::ROOT, "stickslip scene")
}

/// `docs/scene-files.md` with its tables of keys as they are now: see [`page`].
pub fn scene_page(text: &str) -> Result<String, PageError> {
    page(text, &scene::ROOT)
}

impl Table {
    /// This table and all that can stand below it, each once, in order.
    pub fn all(&'static self) -> Vec<&'static Table> {
        let mut out = vec![self];
        let mut next = 0;
        while let Some(table) = out.get(next) {
            let table: &'static Table = table;
            for key in table.keys {
                key.kind.tables(&mut |found| {
                    if !out.iter().any(|t| t.id == found.id) {
                        out.push(found);
                    }
                });
            }
            next += 1;
        }
        out
    }
}

impl Table {
    /// The table that keys lead to from here.
    pub fn at(&'static self, path: &[&str]) -> Option<&'static Table> {
        match path {
            [] => Some(self),
            [first, rest @ ..] => self.keys.iter().find(|k| k.name == *first)?.kind.at(rest),
        }
    }
}

impl Kind {
    fn at(&'static self, path: &[&str]) -> Option<&'static Table> {
        match self {
            Kind::Table(table) | Kind::Tables(table) => table.at(path),
            Kind::List(inner, ..) => inner.at(path),
            Kind::Own(inner) => inner.at(path.get(1..)?),
            Kind::Either(kinds) => kinds.iter().find_map(|k| k.at(path)),
            Kind::Function => function::FUNCTION.at(path),
            _ => None,
        }
    }

    /// The tables it speaks of.
    fn tables(&self, found: &mut dyn FnMut(&'static Table)) {
        match self {
            Kind::Table(table) | Kind::Tables(table) => found(table),
            Kind::List(inner, ..) | Kind::Own(inner) => inner.tables(found),
            Kind::Either(kinds) => kinds.iter().for_each(|k| k.tables(found)),
            Kind::Function => found(&function::FUNCTION),
            _ => {}
        }
    }
}
