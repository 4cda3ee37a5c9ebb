//! `[parameters]` of a study: what varies, and that all of it serves; `draw.rs` reads how a value is found.

use super::draw::read_draw;
use super::parameter::{Draw, Parameter};
use super::stage;
use std::ops::Range;
use stickslip_scene::Scene;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Cursor, Entry, clip, nearest};

/// Parameters that neither set something nor serve in another's formula: their indices and places.
pub(super) type Unused = Vec<(usize, Range<usize>)>;

pub(super) fn read_parameters(table: &Cursor<'_>, scene: &Scene) -> Option<(Vec<Parameter>, Unused)> {
    let cx = table.cx;
    let mut entries: Vec<_> = table.table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut out: Vec<Parameter> = Vec::new();
    let mut unused = Vec::new();
    let mut good = true;
    for (key, value) in entries {
        let name: &str = key.get_ref();
        if !is_free_name(name) || name.len() > 64 || ["t", "and", "or", "not"].contains(&name) {
            let expected = "letters, digits and `_`, starting with a letter, and no function's name";
            cx.fault(&key.span(), format!("`{}` cannot name a parameter", clip(name)), expected);
            good = false;
            continue;
        }
        let entry = Entry { cx, key: name.to_owned(), key_span: key.span(), value };
        let Some((draw, path)) = read_draw(&entry, &out) else {
            good = false;
            continue;
        };
        if let Draw::Formula(formula) = &draw {
            formula.slots(&mut |i| unused.retain(|(k, _)| *k != i));
        }
        let own = scene.parameters.iter().any(|(known, _)| known == name).then(|| name.to_owned());
        let sets = path.or(own);
        if sets.is_none() {
            unused.push((out.len(), key.span()));
        }
        out.push(Parameter { name: name.to_owned(), sets, draw });
    }
    good.then_some((out, unused))
}

/// A sweep seeks nothing: a parameter to be found would stay at its start, whatever its bounds promise.
pub(super) fn refuse_sought(table: &Cursor<'_>, parameters: &[Parameter]) -> Option<()> {
    let sought = parameters.iter().find(|p| matches!(p.draw, Draw::Sought { .. }));
    let Some(name) = sought.map(|p| p.name.as_str()) else { return Some(()) };
    let span = table.table.get_key_value(name).map_or(table.header.clone(), |(key, _)| key.span());
    let expected = "values, a distribution, or kind = \"design\" or \"fit\"";
    table.cx.fault(&span, format!("`{name}` is to be found, but a sweep seeks nothing"), expected);
    None
}

/// A parameter that nothing uses is a slip of the pen.
pub(super) fn refuse_unused(
    table: &Cursor<'_>,
    (parameters, mut unused): (&[Parameter], Unused),
    stages: &[stage::Stage],
    scene: &Scene,
) -> Option<()> {
    let formulas = stages.iter().flat_map(|s| &s.accept);
    formulas.for_each(|f| f.slots(&mut |i| unused.retain(|(k, _)| *k != i)));
    let good = unused.is_empty();
    for (index, span) in unused {
        let name = &parameters[index].name;
        let names = || scene.parameters.iter().map(|(name, _)| name.as_str());
        let guess = nearest(name, names()).map_or(String::new(), |g| format!("`{g}`, or "));
        let message = format!("nothing uses the parameter `{name}`: the scene has none of that name");
        let expected = format!("{guess}a key of the scene: `{name} = {{ ..., sets = \"body.box.mass\" }}`");
        table.cx.fault(&span, message, expected);
    }
    good.then_some(())
}
