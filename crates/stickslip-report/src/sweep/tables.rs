//! Outcomes and quantities in numbers.

use std::fmt::Write;

use super::summary::{Outcome, Quantity, SweepSummary, entry};
use crate::text::{escape, maybe};

/// How often each outcome held.
pub(super) fn outcomes(summary: &SweepSummary) -> String {
    if summary.outcomes.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table class=narrow><thead><tr><th>outcome<th class=n>trials<th class=n>probability\
         <th class=n>95 % interval</thead>\n",
    );
    for (name, value) in &summary.outcomes {
        let o: Outcome = entry(value);
        let _ = writeln!(
            out,
            "<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{} to {}",
            escape(name),
            o.count,
            maybe(o.probability, 4),
            maybe(o.lower, 4),
            maybe(o.upper, 4)
        );
    }
    out.push_str("</table></div>\n");
    out
}

/// Statistics of each quantity.
pub(super) fn quantities(summary: &SweepSummary) -> String {
    if summary.quantities.is_empty() {
        return String::new();
    }
    const SHARES: [&str; 5] = ["0.05", "0.25", "0.5", "0.75", "0.95"];
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>quantity<th class=n>trials<th class=n>mean<th class=n>deviation\
         <th class=n>min<th class=n>5 %<th class=n>25 %<th class=n>median<th class=n>75 %<th class=n>95 %\
         <th class=n>max</thead>\n",
    );
    for (name, value) in &summary.quantities {
        let q: Quantity = entry(value);
        let quantiles = SHARES.map(|s| q.quantiles.get(s).and_then(serde_json::Value::as_f64));
        let cells = [q.mean, q.deviation, q.min].into_iter().chain(quantiles).chain([q.max]);
        let cells: String = cells.map(|v| format!("<td class=n>{}", maybe(v, 4))).collect();
        let _ = writeln!(out, "<tr><td>{}<td class=n>{}{cells}", escape(name), q.count);
    }
    out.push_str("</table></div>\n");
    out
}
