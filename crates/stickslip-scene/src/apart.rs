//! `[[no_contact]]`: bodies that never touch each other, such as links whose shapes overlap at their joint.

use crate::suggest::{clip, one_of};
use crate::value::Cursor;
use std::collections::{BTreeMap, BTreeSet};
use toml::de::DeValue;

/// The most pairs: a list of n bodies means n (n − 1) / 2 of them.
const MAX_PAIRS: usize = 1_000_000;

/// Pairs of bodies by index, the lower one first.
pub(crate) type Apart = BTreeSet<(usize, usize)>;

/// Reads every `[[no_contact]]`; none when one is wrong. `names` are the bodies in order, `shapeless` those that touch
/// nothing anyway.
pub(crate) fn read(tables: &[Cursor<'_>], names: &[&str], shapeless: &BTreeSet<&str>) -> Option<Apart> {
    let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let (mut apart, mut good) = (Apart::new(), true);
    for table in tables {
        if table.cx.is_full() {
            return None;
        }
        let members = bodies(table, &index, shapeless);
        table.finish();
        let Some(members) = members else {
            good = false;
            continue;
        };
        if apart.len() + members.len() * members.len() / 2 > MAX_PAIRS {
            table.cx.fault(&table.header, format!("more than {MAX_PAIRS} pairs are kept apart"), "fewer");
            return None;
        }
        for (k, &a) in members.iter().enumerate() {
            apart.extend(members[k + 1..].iter().map(|&b| (a.min(b), a.max(b))));
        }
    }
    good.then_some(apart)
}

/// The bodies of `between`, two or more.
fn bodies(
    table: &Cursor<'_>,
    index: &BTreeMap<&str, usize>,
    shapeless: &BTreeSet<&str>,
) -> Option<Vec<usize>> {
    let expected = "a list of two or more bodies, none of which touches another";
    let entry = table.require("between", "between = [\"upper_arm\", \"forearm\"]")?;
    let DeValue::Array(list) = entry.value.get_ref() else {
        entry.wrong_type(expected);
        return None;
    };
    if list.len() < 2 {
        entry.fault("`between` names fewer than two bodies", expected);
        return None;
    }
    let mut members = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let item = entry.item(i, value);
        let name = item.string(expected)?.value;
        let Some(&body) = index.get(name) else {
            let known: Vec<&str> = index.keys().copied().collect();
            item.fault(format!("there is no body \"{}\"", clip(name)), one_of(name, known.iter().copied()));
            return None;
        };
        if shapeless.contains(name) {
            item.fault(format!("body `{name}` has no shape and touches nothing"), "a body with a shape");
            return None;
        }
        if members.contains(&body) {
            item.fault(format!("body `{name}` is named twice"), "each body once");
            return None;
        }
        members.push(body);
    }
    Some(members)
}
