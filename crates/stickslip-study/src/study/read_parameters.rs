//! `[parameters]` of a study: what varies, and how its values are found.

use super::parameter::{Draw, Parameter};
use super::stage;
use crate::quantity::formula::Formula;
use std::ops::Range;
use stickslip_scene::Scene;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Bound, Cursor, Entry, clip, nearest};
use toml::de::DeValue;

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

/// What a parameter's value says: a number, a formula, or a table with one way to draw it.
fn read_draw(entry: &Entry<'_>, before: &[Parameter]) -> Option<(Draw, Option<String>)> {
    match entry.value.get_ref() {
        DeValue::String(text) => Some((Draw::Formula(formula(entry, text, before)?), None)),
        DeValue::Table(_) => {
            let table = entry.table(format!("parameter `{}`", entry.key), "a table")?;
            let sets = table.get("sets").map(|e| e.string("a path of the scene"));
            let draw = read_way(&table, entry, before);
            table.finish();
            let sets = match sets {
                None => None,
                Some(path) => Some(path?.value.to_owned()),
            };
            Some((draw?, sets))
        }
        _ => Some((constant(entry.number(Bound::Any)?), None)),
    }
}

fn constant(value: f64) -> Draw {
    Draw::Listed(vec![value])
}

fn formula(entry: &Entry<'_>, text: &str, before: &[Parameter]) -> Option<Formula> {
    let names: Vec<String> = before.iter().map(|p| p.name.clone()).collect();
    let slot = &mut |name: &str| names.iter().position(|n| n == name);
    let fault = |error| entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &names));
    Formula::read(text, slot).map_err(fault).ok()
}

const WAYS: [&str; 8] = ["values", "grid", "uniform", "log_uniform", "normal", "choice", "start", "formula"];

pub(crate) fn read_way(table: &Cursor<'_>, entry: &Entry<'_>, before: &[Parameter]) -> Option<Draw> {
    let given: Vec<(&str, Entry<'_>)> = WAYS.iter().filter_map(|w| Some((*w, table.get(w)?))).collect();
    let [(way, value)] = given.as_slice() else {
        let found = if given.is_empty() { "no way to find its value" } else { "several values" };
        let message = format!("the parameter `{}` has {found}", entry.key);
        let expected = format!("one of {}", stickslip_scene::reading::list(WAYS));
        entry.cx.fault(&entry.key_span, message, expected);
        return None;
    };
    match *way {
        "values" => some_numbers(value).map(Draw::Listed),
        "grid" => grid(value),
        "uniform" => range(value, Bound::Any).map(Draw::Uniform),
        "log_uniform" => range(value, Bound::Positive).map(Draw::LogUniform),
        "normal" => {
            let inner = value.table("`normal`".to_owned(), "{ mean = 0, deviation = 1 }")?;
            let mean = inner.number("mean", Bound::Any, "mean = 0");
            let deviation = inner.number("deviation", Bound::Positive, "deviation = 1");
            inner.finish();
            Some(Draw::Normal([mean?, deviation?]))
        }
        "choice" => choice(table, value),
        "formula" => {
            let text = value.string("a formula of the parameters before")?;
            formula(value, text.value, before).map(Draw::Formula)
        }
        _ => {
            let start = value.number(Bound::Any);
            let lower = table.number("lower", Bound::Any, "lower = 0");
            let upper = table.number("upper", Bound::Any, "upper = 1");
            let (start, lower, upper) = (start?, lower?, upper?);
            if !(lower < upper && (lower..=upper).contains(&start)) {
                value.fault(
                    format!("`start` is {start:?}, the bounds are {lower:?} and {upper:?}"),
                    "lower < upper, and `start` between them",
                );
                return None;
            }
            Some(Draw::Sought { start, lower, upper })
        }
    }
}

pub(super) fn some_numbers(entry: &Entry<'_>) -> Option<Vec<f64>> {
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type("a list of numbers");
        return None;
    };
    if array.is_empty() {
        entry.fault(format!("`{}` is empty", entry.key), "at least one number");
        return None;
    }
    array.iter().enumerate().map(|(i, v)| entry.item(i, v).number(Bound::Any)).collect()
}

/// `{ from, to, count }`: evenly spaced, both ends included.
fn grid(entry: &Entry<'_>) -> Option<Draw> {
    let table = entry.table("`grid`".to_owned(), "{ from = 0, to = 1, count = 11 }")?;
    let from = table.number("from", Bound::Any, "from = 0");
    let to = table.number("to", Bound::Any, "to = 1");
    let count = table.require("count", "count = 11").and_then(|e| e.whole(2, 1_000_000));
    table.finish();
    let (from, to, count) = (from?, to?, count?);
    let at = |i: usize| {
        let x = i as f64 / (count - 1) as f64;
        from * (1.0 - x) + to * x
    };
    Some(Draw::Listed((0..count).map(at).collect()))
}

fn range(entry: &Entry<'_>, bound: Bound) -> Option<[f64; 2]> {
    let [a, b] = entry.numbers::<2>(bound)?;
    if a >= b {
        entry.fault(format!("`{}` is [{a:?}, {b:?}]", entry.key), "the smaller number first");
        return None;
    }
    Some([a, b])
}

fn choice(table: &Cursor<'_>, entry: &Entry<'_>) -> Option<Draw> {
    let values = some_numbers(entry)?;
    let weights = match table.get("weights") {
        None => vec![1.0; values.len()],
        Some(weights) => {
            let list = some_numbers(&weights)?;
            let sum: f64 = list.iter().sum();
            if list.len() != values.len() || list.iter().any(|w| *w < 0.0) || sum <= 0.0 || !sum.is_finite() {
                let expected = format!("{} numbers of at least 0, one of them positive", values.len());
                weights.fault("`weights` does not fit", expected);
                return None;
            }
            list
        }
    };
    let sum: f64 = weights.iter().sum();
    Some(Draw::Choice(values, weights.iter().map(|w| w / sum).collect()))
}
