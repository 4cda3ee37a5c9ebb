//! Events: how many of each kind, and the first of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::run::Run;
use crate::text::{escape, maybe, number};

/// So many are listed.
const MOST: usize = 50;

/// Counts and list.
pub(crate) fn events(run: &Run) -> String {
    if run.events.is_empty() {
        return "<p class=remark>None.</p>\n".into();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for event in &run.events {
        *counts.entry(&event.kind).or_default() += 1;
    }
    let mut out = String::from("<p class=facts>");
    for (kind, n) in counts {
        let _ = write!(out, "<span>{} <b>{n}</b></span> ", escape(kind));
    }
    out.push_str("</p>\n");
    let shown = &run.events[..run.events.len().min(MOST)];
    let which = if shown.len() < run.events.len() {
        format!("The first {} of {}", shown.len(), run.events.len())
    } else {
        format!("All {}", shown.len())
    };
    let _ = writeln!(
        out,
        "<details><summary>{which}</summary><div class=scroll tabindex=0 role=group aria-label=table><table class=narrow>\
         <thead><tr><th class=n>t, s<th>kind<th>contact<th class=n>value</thead>"
    );
    for event in shown {
        let contact = event.contact.as_deref().map_or("–".into(), escape);
        let (kind, value) = (escape(&event.kind), maybe(event.value, 6));
        let time = number(event.t, 7);
        let _ = writeln!(out, "<tr><td class=n>{time}<td>{kind}<td>{contact}<td class=n>{value}");
    }
    out.push_str("</table></div></details>\n");
    out
}
