//! The page, top to bottom.

use std::fmt::Write;

use super::summary::{Sweep, SweepSummary};
use super::{bars, curves, map, tables};
use crate::text::{count, escape};

/// The report of a sweep as one HTML page without references to anything outside of it.
pub fn render(sweep: &Sweep) -> String {
    let summary = &sweep.summary;
    let sections = [
        ("outcomes", "Outcomes", tables::outcomes(summary)),
        ("maps", "Probabilities over the grid", with_trials(map::maps(summary), sweep)),
        ("curves", "Quantities over the grid", curves::curves(summary)),
        ("quantities", "Quantities", tables::quantities(summary)),
        ("histograms", "Histograms", bars::histograms(summary)),
        ("files", "Study and scene", files(sweep)),
    ];
    let title = escape(summary.study.as_deref().unwrap_or("–"));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\"><link rel=icon href=\"data:,\">\n\
         <title>{title} – stickslip sweep</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n",
        include_str!("../style.css")
    );
    page.push_str(&heading(summary, &title));
    page.push_str(&verdict(summary));
    page.push_str("<nav>");
    for (id, title, _) in sections.iter().filter(|(_, _, body)| !body.is_empty()) {
        let _ = write!(page, "<a href=\"#{id}\">{title}</a> ");
    }
    page.push_str("</nav>\n</header>\n<main>\n");
    for (id, title, body) in sections.iter().filter(|(_, _, body)| !body.is_empty()) {
        let _ = write!(page, "<section id={id}>\n<h2>{title}</h2>\n{body}</section>\n");
    }
    page.push_str("</main>\n");
    if page.contains("<rect class=cell") {
        let _ = write!(page, "<script>\n{}</script>\n", include_str!("cells.js"));
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// Maps, and below them what is known of the trials at a chosen point.
fn with_trials(maps: String, sweep: &Sweep) -> String {
    let Some(grid) = sweep.summary.grid.as_ref().filter(|_| maps.contains("<rect class=cell")) else {
        return maps;
    };
    let data = serde_json::json!({
        "cells": grid.trials.len(), "planned": sweep.summary.planned, "pages": sweep.pages,
    });
    format!(
        "<p class=remark>A click on a point, or Enter after the arrow keys, names its trials: those that have been run with all \
         that they record have a page.</p>\n{maps}<div id=trials aria-live=polite></div>\n\
         <script type=\"application/json\" id=trials-data>{data}</script>\n"
    )
}

fn heading(summary: &SweepSummary, title: &str) -> String {
    let whole = |n: Option<u64>| n.map_or("–".into(), |n| n.to_string());
    let facts = [
        ("scene", escape(summary.scene.as_deref().unwrap_or("–"))),
        ("trials", format!("{} of {}", whole(summary.trials), whole(summary.planned))),
        ("steps", whole(summary.steps)),
        ("seed", whole(summary.seed)),
    ];
    let description = escape(summary.description.as_deref().unwrap_or(""));
    let mut out = format!("<h1>{title}</h1>\n<p>{description}</p>\n<p class=facts>");
    for (label, value) in facts {
        let _ = write!(out, "<span>{label} <b>{value}</b></span> ");
    }
    out.push_str("</p>\n");
    out
}

/// Certified or not, and the trials that are to blame.
fn verdict(summary: &SweepSummary) -> String {
    let trials = |n: u64| count(n as usize, "trial");
    let (class, title) = match (summary.trials, summary.failed, summary.uncertified) {
        (Some(n), Some(0), Some(0)) if n > 0 => {
            ("good", format!("Certified: every step of {} within tolerance", trials(n)))
        }
        (_, Some(failed), Some(missed)) => {
            ("bad", format!("{} failed, {missed} missed a tolerance", trials(failed)))
        }
        _ => ("bad", "Not certified: the data do not show it".to_string()),
    };
    let mut out = format!("<div class=\"verdict {class}\"><strong>{title}</strong>\n");
    if !summary.failures.is_empty() {
        out.push_str("<ul>");
        for failure in &summary.failures {
            let _ = write!(out, "<li>trial {}: {}</li>", failure.trial, escape(&failure.reason));
        }
        out.push_str("</ul>");
        let all = summary.failed.unwrap_or(0) + summary.uncertified.unwrap_or(0);
        if all > summary.failures.len() as u64 {
            let _ = write!(out, "<p>The first {} of {all}.</p>", summary.failures.len());
        }
    }
    out.push_str("</div>\n");
    if let (Some(trials), Some(planned)) = (summary.trials, summary.planned)
        && trials < planned
    {
        let _ = writeln!(
            out,
            "<p class=\"remark later\">{} trials of the study are not there yet.</p>",
            planned - trials
        );
    }
    out
}

fn files(sweep: &Sweep) -> String {
    let file = |name: &str, text: &str| {
        format!("<details><summary>{name}, as run</summary><pre>{}</pre></details>\n", escape(text))
    };
    file("study.toml", &sweep.study) + &file("scene.toml", &sweep.scene)
}
