//! Options of the command line that change a scene: `--set PATH=VALUE` and its shorthands.
//!
//! They are edits of the text: what is simulated is always the meaning of one scene file, and that file can be kept.

use crate::context::Fault;
use crate::expression;
use crate::patch::Patched;
use crate::suggest::{clip, one_of};
use crate::value::is_name;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What to change in a scene before it is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--stepper`: simulation.stepper.
    pub stepper: Option<String>,
    /// `--cone`: simulation.cone.
    pub cone: Option<String>,
    /// `--solver`: simulation.solver.
    pub solver: Option<String>,
    /// `--step`, s: simulation.step, a number or a formula of the parameters.
    pub step: Option<String>,
    /// `--until`, s: simulation.until, likewise.
    pub until: Option<String>,
    /// `--set`, each `PATH=VALUE`: a parameter, or any key by its dotted path.
    pub set: Vec<String>,
}

/// One option: the path it means, the value as TOML.
struct Change {
    path: Vec<String>,
    value: String,
}

/// Why an option cannot be carried out.
pub(crate) struct OptionError {
    pub option: String,
    pub message: String,
    pub expected: String,
}

type Outcome<T> = Result<T, (String, String)>;

/// The options as they were written, in the order of their indices in the patched text.
pub(crate) fn written(overrides: &Overrides) -> Vec<String> {
    shorthands(overrides)
        .into_iter()
        .map(|(key, value, _)| clip(&format!("--{key} {value}")))
        .chain(overrides.set.iter().map(|set| clip(&format!("--set {set}"))))
        .collect()
}

/// The shorthands in use: key of `[simulation]`, value, and whether it is a word rather than a number.
fn shorthands(o: &Overrides) -> Vec<(&'static str, &str, bool)> {
    let all = [
        ("stepper", &o.stepper, true),
        ("cone", &o.cone, true),
        ("solver", &o.solver, true),
        ("step", &o.step, false),
        ("until", &o.until, false),
    ];
    all.into_iter().filter_map(|(key, value, word)| Some((key, value.as_deref()?, word))).collect()
}

/// The text of the file (which must be valid TOML) with all options carried out.
pub(crate) fn apply(file: &str, overrides: &Overrides) -> Result<Patched, OptionError> {
    let mut patched = Patched::new(file);
    let options = written(overrides);
    let shorthands = shorthands(overrides).into_iter().map(|(key, value, word)| {
        let value = if word { quote(value) } else { as_toml(value) };
        Ok((vec!["simulation".to_owned(), key.to_owned()], value))
    });
    let sets = overrides.set.iter().map(|set| split(set));
    for (index, change) in shorthands.chain(sets).enumerate() {
        let option = options[index].clone();
        let outcome = change.and_then(|(path, value)| {
            let change = Change { path, value };
            carry_out(&mut patched, &change, index)
        });
        outcome.map_err(|(message, expected)| OptionError { option, message, expected })?;
    }
    Ok(patched)
}

/// `PATH=VALUE` taken apart; a path without dots is a parameter.
fn split(set: &str) -> Outcome<(Vec<String>, String)> {
    let bad =
        |message: String| (message, "PATH=VALUE, such as slope=0.5 or simulation.step=0.001".to_owned());
    let (path, value) = set.split_once('=').ok_or_else(|| bad("there is no `=`".to_owned()))?;
    let path: Vec<String> = path.trim().split('.').map(|part| part.trim().to_owned()).collect();
    if let Some(part) = path.iter().find(|part| !is_name(part)) {
        return Err(bad(format!("`{}` cannot be part of a path", clip(part))));
    }
    if path.len() > 8 {
        return Err(bad(format!("the path has {} parts", path.len())));
    }
    if value.trim().is_empty() {
        return Err(bad("there is no value".to_owned()));
    }
    let path = if path.len() == 1 { vec!["parameters".to_owned(), path[0].clone()] } else { path };
    Ok((path, as_toml(value)))
}

/// A value as TOML: as it stands if it is that, else as a string.
fn as_toml(value: &str) -> String {
    let value = value.trim();
    let short = value.len() <= expression::MAX_LENGTH && crate::depth::check(value).is_ok();
    if short
        && let Ok(parsed) = DeValue::parse(value)
        && let Some(text) = value.get(parsed.span()).filter(|text| !text.is_empty())
    {
        return text.to_owned();
    }
    quote(value)
}

fn quote(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Where a new key can be put.
enum Room {
    /// On a line of its own after this header.
    AfterHeader(usize),
    /// After the `{` of an inline table, before other keys or not.
    Inline(usize, bool),
    /// At the end of the file, under a header of its own.
    EndOfFile,
}

fn carry_out(patched: &mut Patched, change: &Change, index: usize) -> Outcome<()> {
    let text = patched.text.clone();
    crate::depth::check(&text).map_err(depth_trouble)?;
    let root = DeTable::parse(&text).map_err(|e| {
        (
            format!("the scene is no longer valid TOML: {}", e.message()),
            "a value that fits its place".to_owned(),
        )
    })?;
    let (range, new) = edit(&text, root.get_ref(), change)?;
    patched.replace(range, &new, index);
    Ok(())
}

fn depth_trouble(fault: Fault) -> (String, String) {
    (fault.message, fault.expected)
}

/// The range to replace and what to put there.
fn edit(text: &str, root: &DeTable<'_>, change: &Change) -> Outcome<(Range<usize>, String)> {
    let path = &change.path;
    match find(text, root, path)? {
        Found::Value(span) => Ok((span, change.value.clone())),
        Found::Missing(table, ..) if path[0] == "parameters" => {
            let names: Vec<&str> = table.keys().map(|k| -> &str { k.get_ref() }).collect();
            let known = if std::ptr::eq(table, root) { Vec::new() } else { names };
            Err(no_parameter(path, &known))
        }
        Found::Missing(_, room, used) => Ok(insertion(text, room, &path[used..], &change.value)),
    }
}

/// What a path leads to.
enum Found<'a, 'i> {
    /// A value, which stands here.
    Value(Range<usize>),
    /// Nothing: the last table on the way, where a new key can be put, and how many parts of the path lead there.
    Missing(&'a DeTable<'i>, Room, usize),
}

/// Follows a path from the root as far as it goes.
fn find<'a, 'i>(text: &str, root: &'a DeTable<'i>, path: &[String]) -> Outcome<Found<'a, 'i>> {
    let mut table = root;
    let mut room = (Room::EndOfFile, 0);
    let mut depth = 0;
    loop {
        let Some(value) = table.get(path[depth].as_str()) else {
            return Ok(Found::Missing(table, room.0, room.1));
        };
        let (value, used) = element(value, &path[..=depth], &path[depth + 1..])?;
        depth += 1 + used;
        let done = depth == path.len();
        match value.get_ref() {
            DeValue::Table(inner) if !done => {
                table = inner;
                let span = value.span();
                match text.as_bytes().get(span.start) {
                    Some(b'[') => room = (Room::AfterHeader(span.end), depth),
                    Some(b'{') => room = (Room::Inline(span.start + 1, !inner.is_empty()), depth),
                    _ => {} // a table that dotted keys imply: its parent has the room
                }
            }
            DeValue::Table(inner) if text.as_bytes().get(value.span().start) != Some(&b'{') => {
                let keys: Vec<&str> = inner.keys().map(|k| -> &str { k.get_ref() }).collect();
                let expected = format!("a key in it: {}", one_of("", keys.iter().copied()));
                return Err((format!("`{}` is a table", path.join(".")), expected));
            }
            DeValue::Array(list)
                if text[value.span()].starts_with("[[") && list.iter().all(|v| v.get_ref().is_table()) =>
            {
                let expected = "the name of one and a key in it".to_owned();
                return Err((format!("`{}` is a list of tables", path.join(".")), expected));
            }
            _ if done => return Ok(Found::Value(value.span())),
            _ => {
                let message = format!("`{}` is not a table", path[..depth].join("."));
                return Err((message, format!("the path to end there, not at `{}`", path.join("."))));
            }
        }
    }
}

fn no_parameter(path: &[String], known: &[&str]) -> (String, String) {
    let expected = match known {
        [] => "a dotted path such as simulation.step, for the scene declares no parameters".to_owned(),
        known => {
            format!("{}, or a dotted path such as simulation.step", one_of(&path[1], known.iter().copied()))
        }
    };
    (format!("the scene has no parameter `{}`", path[1..].join(".")), expected)
}

/// A new key with its value: where it goes, and how it is written there.
fn insertion(text: &str, room: Room, path: &[String], value: &str) -> (Range<usize>, String) {
    match room {
        Room::AfterHeader(at) => (at..at, format!("\n{} = {value}", path.join("."))),
        Room::Inline(at, others) => {
            (at..at, format!(" {} = {value}{}", path.join("."), if others { "," } else { " " }))
        }
        Room::EndOfFile => {
            let (table, key) = path.split_at(path.len() - 1);
            let header = if table.is_empty() { String::new() } else { format!("[{}]\n", table.join(".")) };
            (text.len()..text.len(), format!("\n{header}{} = {value}\n", key[0]))
        }
    }
}

/// The element of a list that the next part of the path means, by `name` or by index, and how many parts that used.
fn element<'a, 'i>(
    value: &'a Spanned<DeValue<'i>>,
    so_far: &[String],
    rest: &[String],
) -> Outcome<(&'a Spanned<DeValue<'i>>, usize)> {
    let (Some(array), Some(which)) = (value.get_ref().as_array(), rest.first()) else {
        return Ok((value, 0));
    };
    let name = |v: &'a Spanned<DeValue<'i>>| v.get_ref().get("name").and_then(|n| n.get_ref().as_str());
    let by_name = array.iter().find(|v| name(v) == Some(which.as_str()));
    let by_index = || which.parse::<usize>().ok().and_then(|i| array.get(i));
    match by_name.or_else(by_index) {
        Some(found) => Ok((found, 1)),
        None => {
            let names: Vec<&str> = array.iter().filter_map(name).collect();
            let indices = format!("an index from 0 to {}", array.len().saturating_sub(1));
            let expected = if names.is_empty() {
                indices
            } else {
                format!("{}, or {indices}", one_of(which, names.iter().copied()))
            };
            Err((format!("`{}` has no element `{which}`", so_far.join(".")), expected))
        }
    }
}
