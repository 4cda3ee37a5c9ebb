//! Strict reading of TOML, for scenes and for what is built on them (studies): every value has a place, every unknown
//! key is an error, several problems are reported at once.
//!
//! [`read`] opens a text; a [`Cursor`] walks a table, an [`Entry`] turns one value into a number, a name, a list; the
//! [`Context`] keeps the parameters and what was found to be wrong.

use crate::context::MAX_FAULTS;
pub use crate::context::{At, Context, Fault};
pub use crate::suggest::{clip, list, nearest, one_of};
pub use crate::value::{Bound, Cursor, Entry, is_name};

use crate::depth;
use crate::error::{Place, Problem, SceneError};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Reads a TOML text by `reader`, which is given the root table, or says everything that is wrong with it. `title` is
/// what to call the whole; files it names are in `folder`.
pub fn read<T>(
    text: &str,
    title: &str,
    folder: Option<&Path>,
    reader: impl FnOnce(&Cursor<'_>) -> Option<T>,
) -> Result<T, Vec<Fault>> {
    depth::check(text).map_err(|fault| vec![fault])?;
    let root = DeTable::parse(text).map_err(|error| vec![syntax(&error)])?;
    let cx = Context::new(folder);
    let root = Cursor::new(&cx, root.get_ref(), 0..0, title.to_owned());
    match reader(&root) {
        Some(value) if cx.is_clean() => Ok(value),
        _ => {
            let nothing = cx.is_clean();
            let mut faults = cx.into_faults();
            if nothing {
                // unreachable as long as whoever gives up says why
                faults.push(Fault {
                    span: 0..0,
                    message: format!("{title} cannot be read"),
                    expected: format!("a file with {title}"),
                });
            }
            Err(faults)
        }
    }
}

/// The keys that `reader` asks for while it reads a text, whether it succeeds or not: for every table that it walks the
/// path to it (keys joined by dots, `[]` for the elements of a list) and the key. For tests of what describes the
/// format.
pub fn trace<T>(
    text: &str,
    folder: Option<&Path>,
    reader: impl FnOnce(&Cursor<'_>) -> Option<T>,
) -> Vec<(String, &'static str)> {
    let Ok(root) = DeTable::parse(text) else { return Vec::new() };
    let cx = Context::tracing(folder);
    let _ = reader(&Cursor::new(&cx, root.get_ref(), 0..0, String::new()));
    let mut out = Vec::new();
    walk(root.get_ref(), "", &mut |table, path| {
        out.extend(cx.asked(table).into_iter().map(|key| (path.to_owned(), key)));
    });
    out
}

/// Shows every table below one, with the path to it.
fn walk<'a>(table: &DeTable<'a>, path: &str, show: &mut dyn FnMut(&DeTable<'a>, &str)) {
    fn inner<'a>(value: &DeValue<'a>, path: &str, show: &mut dyn FnMut(&DeTable<'a>, &str)) {
        match value {
            DeValue::Table(table) => walk(table, path, show),
            DeValue::Array(list) => {
                list.iter().for_each(|item| inner(item.get_ref(), &format!("{path}[]"), show));
            }
            _ => {}
        }
    }
    show(table, path);
    for (key, value) in table {
        let path =
            if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
        inner(value.get_ref(), &path, show);
    }
}

/// Faults of a text as an error about the file it is from.
pub fn blame(file_name: &str, text: &str, faults: &[Fault]) -> SceneError {
    let problem = |fault: &Fault| Problem {
        message: fault.message.clone(),
        expected: fault.expected.clone(),
        option: None,
        place: Some(Place::new(text.as_bytes(), fault.span.clone())),
    };
    let problems = faults.iter().take(MAX_FAULTS).map(problem).collect();
    SceneError::new(file_name, Some(text), problems, faults.len() > MAX_FAULTS)
}

/// What the TOML parser says.
fn syntax(error: &toml::de::Error) -> Fault {
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, expected)) => (message, expected),
        None if error.message().contains("duplicate") => (error.message(), "each key and each table once"),
        None => (error.message(), "TOML: `key = value` lines under `[table]` headers"),
    };
    Fault { span: error.span().unwrap_or(0..0), message: message.to_owned(), expected: expected.to_owned() }
}
