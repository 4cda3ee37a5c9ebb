//! The description as tables of a page: between the lines `<!-- keys: ID -->` and `<!-- end of keys -->` of a Markdown
//! text stands the table of that name. The prose around them is written by hand.

use super::{ANY, Kind, Table};
use crate::error::PageError;
use crate::value::Bound;
use std::fmt::Write;

const END: &str = "<!-- end of keys -->";

/// The text with every marked table as it is now, or what is wrong with the marks.
pub fn page(text: &str, root: &'static Table) -> Result<String, PageError> {
    let tables = root.all();
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(id) = line.strip_prefix("<!-- keys: ").and_then(|l| l.strip_suffix(" -->")) else {
            continue;
        };
        let found = tables.iter().find(|t| t.id == id).ok_or_else(|| PageError::NoTable(id.to_owned()))?;
        if !lines.by_ref().any(|line| line == END) {
            return Err(PageError::NoEnd { mark: line.to_owned(), end: END });
        }
        let _ = writeln!(out, "\n{}\n{END}", table(found));
    }
    Ok(out)
}

/// The keys of a table, one row each.
pub fn table(table: &Table) -> String {
    let bare = table.keys.iter().all(|k| k.default.is_empty());
    let mut out = match bare {
        true => "| key | takes | meaning |\n| --- | --- | --- |\n".to_owned(),
        false => "| key | takes | default | meaning |\n| --- | --- | --- | --- |\n".to_owned(),
    };
    for key in table.keys {
        let default = if bare { String::new() } else { format!(" {} |", escaped(key.default)) };
        let _ = writeln!(out, "| `{}` | {} |{default} {} |", key.name, words(&key.kind), escaped(key.doc));
    }
    out
}

/// A bar would end the cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Number(Bound::Any) => "number".to_owned(),
        Kind::Number(Bound::Positive) => "number above 0".to_owned(),
        Kind::Number(Bound::NonNegative) => "number from 0".to_owned(),
        Kind::Number(Bound::Fraction) => "number from 0 to 1".to_owned(),
        Kind::Whole(least, most) if *most >= 1_000_000_000 => format!("whole number from {least}"),
        Kind::Whole(least, most) => format!("whole number from {least} to {most}"),
        Kind::Formula => "formula".to_owned(),
        Kind::Function => "function of time".to_owned(),
        Kind::Truth => "truth value".to_owned(),
        Kind::Text | Kind::Form(_) => "text".to_owned(),
        Kind::Name => "name".to_owned(),
        Kind::Words(_) => "a word".to_owned(),
        Kind::Plain => "plain value".to_owned(),
        Kind::List(inner, least, most) => {
            let count = match (*least, *most) {
                (least, most) if least == most => format!("{least}"),
                (least, ANY) => format!("{least} or more"),
                (least, most) => format!("{least} to {most}"),
            };
            format!("list of {count}: {}", words(inner))
        }
        Kind::Own(inner) => format!("table of {}", words(inner)),
        Kind::Table(_) => "table".to_owned(),
        Kind::Tables(_) => "tables".to_owned(),
        Kind::Either(kinds) => kinds.iter().map(words).collect::<Vec<_>>().join(", or "),
    }
}
