//! What each stage of a sweep let pass, and the table of time saved.

use std::fmt::Write;

use serde_json::Value;

use super::summary::{Outcome, Sweep, entry};
use crate::text::{count, escape, maybe, number};

/// The table; empty for a sweep without stages.
pub(super) fn stages(sweep: &Sweep) -> String {
    let stages = &sweep.summary.stages;
    if stages.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<div class=scroll><table class=narrow><thead><tr><th>stage<th class=n>trials<th class=n>passed<th class=n>refused\
         <th class=n>failed<th class=n>wrongly refused<th class=n>processor time, s<th class=n>ms a trial</thead>\n",
    );
    for (i, stage) in stages.iter().enumerate() {
        let seconds = sweep.timing["stages"][i]["seconds"].as_f64();
        let each = seconds.filter(|_| stage.trials > 0).map(|s| 1000.0 * s / stage.trials as f64);
        let wrongly = match stage.wrongly_refused {
            Some(n) => format!("{n} of {}", stage.audited),
            None => "–".to_owned(),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{wrongly}<td class=n>{}<td class=n>{}",
            escape(&stage.name),
            stage.trials,
            stage.passed,
            stage.refused,
            stage.failed,
            maybe(seconds, 3),
            maybe(each, 3)
        );
    }
    out.push_str("</table></div>\n");
    let passed: Outcome = sweep.summary.passed.as_ref().map_or_else(Outcome::default, entry);
    let _ = writeln!(
        out,
        "<p>Every stage let {} pass: {} of all (95 % interval {} to {}).</p>",
        count(usize::try_from(passed.count).unwrap_or(usize::MAX), "trial"),
        maybe(passed.probability, 4),
        maybe(passed.lower, 4),
        maybe(passed.upper, 4)
    );
    out + &saved(&sweep.timing, stages.last().map_or("", |s| &s.name))
}

/// What the stages took together, and the last one for every trial.
fn saved(timing: &Value, last: &str) -> String {
    let Some(all) = timing["seconds"].as_f64() else {
        return "<p class=remark>Times are not known of all trials.</p>\n".to_owned();
    };
    let Some(alone) = timing["last_alone_seconds"].as_f64() else {
        return format!(
            "<p>All stages together took {} s of processor time. What they saved is known after an audit.</p>\n",
            number(all, 3)
        );
    };
    format!(
        "<p>All stages together took {} s of processor time, <i>{}</i> for every trial {} s: {} s saved, {} %.</p>\n",
        number(all, 3),
        escape(last),
        number(alone, 3),
        number(alone - all, 3),
        number(100.0 * (1.0 - all / alone), 3)
    )
}
