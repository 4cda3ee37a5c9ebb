//! Title, what was simulated, the verdict, notes.

use std::fmt::Write;

use serde_json::Value;

use crate::run::Run;
use crate::summary::{AUDITED, RESIDUALS};
use crate::text::{count, escape, maybe, number};
use crate::verdict::{Verdict, verdict};

/// The scene's name.
pub(crate) fn title(run: &Run) -> String {
    name(&run.summary.scene)
}

/// Title and one line of facts.
pub(crate) fn heading(run: &Run) -> String {
    let summary = &run.summary;
    let steps = summary.steps.map_or("–".into(), |n| count(n as usize, "step"));
    let facts = [
        ("stepper", name(&summary.stepper)),
        ("cone", name(&summary.cone)),
        ("solver", name(&summary.solver)),
        ("step", format!("{} s", maybe(summary.step, 6))),
        ("simulated", format!("{} s in {steps}", maybe(summary.time, 6))),
        ("wall time", format!("{} s", maybe(summary.wall_seconds, 3))),
    ];
    let mut out = format!("<h1>{}</h1>\n<p class=facts>", title(run));
    for (label, value) in facts {
        let _ = write!(out, "<span>{label} <b>{value}</b></span> ");
    }
    out.push_str("</p>\n");
    out
}

/// The verdict box.
pub(crate) fn verdict_box(run: &Run) -> String {
    if run.running {
        return running(run);
    }
    let verdict = verdict(run);
    let (class, title, reasons) = match &verdict {
        Verdict::Certified => {
            let steps = run.summary.steps.map_or("every step".into(), |n| count(n as usize, "step"));
            ("good", format!("Certified: {steps} within tolerance"), &[][..])
        }
        Verdict::Missed(n, reasons) => {
            let their = if *n == 1 { "its" } else { "their" };
            ("bad", format!("{} missed {their} tolerance", count(*n as usize, "step")), &reasons[..])
        }
        Verdict::Unknown(reasons) => {
            ("bad", "Not certified: the data do not show it".to_string(), &reasons[..])
        }
    };
    let mut out = format!("<div class=\"verdict {class}\"><strong>{title}</strong>\n");
    out.push_str(&worst(run));
    if !reasons.is_empty() {
        let items: String = reasons.iter().map(|r| format!("<li>{}</li>", escape(r))).collect();
        let _ = write!(out, "<ul>{items}</ul>");
    }
    out.push_str("</div>\n");
    out
}

/// In place of a verdict while the run is going on.
fn running(run: &Run) -> String {
    let missed = run.events.iter().filter(|event| event.kind == "missed").count();
    let so_far = match missed {
        0 => "no step has missed its tolerance so far".to_owned(),
        n => format!("{} missed a tolerance so far", count(n, "step")),
    };
    let class = if missed == 0 { "going" } else { "bad" };
    format!(
        "<div class=\"verdict {class}\"><strong>Not done: at t = {} s</strong><p>{so_far}; nothing is certified before the \
         end.</p></div>\n",
        maybe(run.summary.time, 6)
    )
}

/// The summary's remarks.
pub(crate) fn notes(run: &Run) -> String {
    let notes = run.summary.notes.as_deref().unwrap_or(&[]);
    if notes.is_empty() {
        return String::new();
    }
    let items: String = notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    format!("<ul class=notes>{items}</ul>\n")
}

/// Which step, contact and residual came closest to its tolerance, or went furthest beyond.
fn worst(run: &Run) -> String {
    let Some(certificate) = &run.summary.certificate else { return String::new() };
    let Some(worst) = &certificate.worst else { return String::new() };
    let what = worst.what.as_deref().unwrap_or("–");
    let contact = worst.contact.as_deref().map_or(String::new(), |c| format!(" at <b>{}</b>", escape(c)));
    let value = maybe(worst.value, 3);
    let mut out = format!(
        "<p>Worst step: <b>t = {} s</b>{contact}, {} <b>{value}</b>",
        maybe(worst.time, 6),
        escape(what)
    );
    if RESIDUALS.contains(&what) || AUDITED.contains(&what) {
        let tolerance = certificate.tolerance(what);
        let _ = write!(out, " (tolerance {})", maybe(tolerance, 3));
        if let (Some(value), Some(tolerance)) = (worst.value, tolerance) {
            let ratio = value / tolerance;
            if ratio > 1.0 {
                let _ = write!(out, ", {} times what is allowed", number(ratio, 2));
            }
        }
    }
    out.push_str("</p>\n");
    if let (Some(meaning), Some(advice)) = (&worst.meaning, &worst.advice) {
        let _ = writeln!(out, "<p>What it means: {}. What to do: {}.</p>", escape(meaning), escape(advice));
    }
    out
}

/// A name, or whatever else stands in its place, as text.
fn name(value: &Option<Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".into(),
        Some(Value::String(text)) => escape(text),
        Some(other) => escape(&other.to_string()),
    }
}
