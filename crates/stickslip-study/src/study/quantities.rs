//! `[quantities]` and `[outcomes]` of a study.
//!
//! ```toml
//! [quantities]
//! turn = { end = "gear.angle" }                       # start, end, min, max, mean, rms, integral of signals
//! late = { mean = "part.vx", from = 0.5, to = 1.0 }   # within a window of time, s
//! lost = { first = "part.z < -0.1" }                  # first, last: when it begins to hold; count: how often
//! rate = "late / R"                                   # of parameters and quantities before
//! [outcomes]
//! success = "abs(turn) < 0.1 and not lost < 1"
//! ```

use super::read::{in_order, signals};
use crate::quantity::formula::Formula;
use crate::quantity::reduce::{TAKES, Take};
use crate::quantity::signal::{self, Signal};
use crate::quantity::{Definition, Quantities};
use stickslip_scene::Scene;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Bound, Cursor, Entry, clip, list};
use toml::de::DeValue;

/// Reads `[quantities]`.
pub(super) fn read(table: &Cursor<'_>, scene: &Scene, known: &[String]) -> Option<Quantities> {
    let signals = signals(scene);
    let mut out = Quantities::default();
    let mut good = true;
    for entry in in_order(table) {
        let definition = match entry.value.get_ref() {
            _ if !fits(&entry, known, &out) => None,
            DeValue::String(text) => of(&entry, text, known, &out.names),
            _ => over(&entry, scene, (known, &signals), &mut out.signals),
        };
        match definition {
            Some(definition) => {
                out.names.push(entry.key);
                out.definitions.push(definition);
            }
            None => good = false,
        }
    }
    good.then_some(out)
}

/// True when the name can name a quantity.
fn fits(entry: &Entry<'_>, known: &[String], before: &Quantities) -> bool {
    let name = &entry.key;
    let reserved = ["t", "and", "or", "not", "trial", "status"].contains(&name.as_str());
    let good = is_free_name(name) && name.len() <= 64 && !reserved;
    let taken = known.contains(name) || before.names.contains(name);
    if !good || taken {
        let what = if taken { "is already the name of a parameter" } else { "cannot name a quantity" };
        let expected = "letters, digits and `_`, starting with a letter, and a name of its own";
        entry.cx.fault(&entry.key_span, format!("`{}` {what}", clip(name)), expected);
    }
    good && !taken
}

/// A formula of parameters and quantities before.
fn of(entry: &Entry<'_>, text: &str, known: &[String], before: &[String]) -> Option<Definition> {
    let names: Vec<String> = known.iter().chain(before).cloned().collect();
    formula(entry, text, &names).map(Definition::Of)
}

fn formula(entry: &Entry<'_>, text: &str, names: &[String]) -> Option<Formula> {
    let slot = &mut |name: &str| names.iter().position(|n| n == name);
    let fault = |error| entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, names));
    Formula::read(text, slot).map_err(fault).ok()
}

/// A table: a formula of signals, and which number of it.
fn over(
    entry: &Entry<'_>,
    scene: &Scene,
    (known, all): (&[String], &[(String, Signal)]),
    used: &mut Vec<Signal>,
) -> Option<Definition> {
    let table = entry.table(format!("quantity `{}`", entry.key), "a formula, or { end = \"BODY.x\" }")?;
    let given: Vec<(Take, Entry<'_>)> =
        TAKES.iter().filter_map(|&(name, take)| Some((take, table.get(name)?))).collect();
    let from = table.number_or("from", Bound::NonNegative, 0.0);
    let to = table.number_or("to", Bound::NonNegative, f64::INFINITY);
    table.finish();
    let [(take, value)] = given.as_slice() else {
        let message = format!("the quantity `{}` is {} numbers", entry.key, given.len());
        let expected = format!("one of {}", list(TAKES.map(|t| t.0)));
        entry.cx.fault(&entry.key_span, message, expected);
        return None;
    };
    let (from, to) = (from?, to?);
    if from >= to {
        entry.fault(format!("`from` is {from:?}, `to` is {to:?}"), "`from` before `to`");
        return None;
    }
    let text = value.string("a formula in quotes")?.value;
    let slot = &mut |name: &str| {
        if let Some(i) = known.iter().position(|n| n == name) {
            return Some(i);
        }
        let signal = signal::find(name, scene, all)?;
        let i = used.iter().position(|s| *s == signal).unwrap_or_else(|| {
            used.push(signal);
            used.len() - 1
        });
        Some(known.len() + i)
    };
    let formula = Formula::read(text, slot).map_err(|error| {
        let names: Vec<String> = known.iter().chain(all.iter().map(|(name, _)| name)).cloned().collect();
        value.cx.fault_in_formula(&value.key, text, &value.span(), (error, &names));
    });
    let formula = formula.ok()?;
    if take.asks() && !formula.is_question() {
        value.fault(
            format!("`{}` asks when something holds", value.key),
            "a comparison such as \"part.x > 0\"",
        );
        return None;
    }
    Some(Definition::Over { take: *take, formula, window: [from, to] })
}

/// Reads `[outcomes]`.
pub(super) fn outcomes(
    table: &Cursor<'_>,
    known: &[String],
    quantities: &Quantities,
) -> Option<Vec<(String, Formula)>> {
    let names: Vec<String> = known.iter().chain(&quantities.names).cloned().collect();
    let mut out: Vec<(String, Formula)> = Vec::new();
    let mut good = true;
    for entry in in_order(table) {
        let read = fits(&entry, &names, &Quantities::default())
            .then(|| entry.string("a comparison in quotes"))
            .flatten()
            .and_then(|text| formula(&entry, text.value, &names));
        match read {
            Some(formula) if formula.is_question() => out.push((entry.key, formula)),
            Some(_) => {
                let message = format!("`{}` is a number, neither true nor false", entry.key);
                entry.fault(message, "a comparison such as \"turn < 0.1\"");
                good = false;
            }
            None => good = false,
        }
    }
    good.then_some(out)
}
