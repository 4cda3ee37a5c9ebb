//! The page of a design: result, search, cases, before and after.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::ReportError;
use crate::lines::{Lines, json_message, read_text};
use crate::plot::{Plot, Scale, Series, figure_grid};
use crate::text::{count, escape, number};

/// What the directory of a design holds.
pub(crate) struct Design {
    /// `design.json`
    summary: Value,
    /// `evaluations.jsonl`
    evaluations: Vec<Evaluation>,
    /// `study.toml`
    study: String,
}

/// What a line of the log says; what is not drawn is not read.
#[derive(Deserialize)]
struct Evaluation {
    phase: String,
    parameters: Map<String, Value>,
    merit: Option<f64>,
    refused: Option<String>,
}

impl Design {
    pub(crate) fn read(dir: &Path) -> Result<Self, ReportError> {
        let file = dir.join("design.json");
        let summary = serde_json::from_str(&read_text(&file)?).map_err(|error| ReportError::Json {
            file,
            line: error.line().max(1),
            what: json_message(&error),
        })?;
        let evaluations = evaluations(Lines::open(&dir.join("evaluations.jsonl"))?)?;
        Ok(Design { summary, evaluations, study: read_text(&dir.join("study.toml"))? })
    }
}

fn evaluations(mut lines: Lines) -> Result<Vec<Evaluation>, ReportError> {
    let mut out = Vec::new();
    while let Some(line) = lines.next()? {
        let parsed = serde_json::from_str(line);
        out.push(parsed.map_err(|error| lines.json_error(&error))?);
    }
    Ok(out)
}

/// The page of a design that is going on in a directory: `summary` is design.json as far as it can be told. Nothing in
/// it is certified.
pub fn render_growing_design(mut summary: Value, dir: &Path) -> Result<String, ReportError> {
    summary["running"] = Value::Bool(true);
    let evaluations = evaluations(Lines::open_growing(&dir.join("evaluations.jsonl"))?)?;
    let study = read_text(&dir.join("study.toml"))?;
    Ok(render(&Design { summary, evaluations, study }))
}

/// True while the search is going on: what is there is what it has written so far.
fn is_running(summary: &Value) -> bool {
    summary["running"] == true
}

/// The page.
pub(crate) fn render(design: &Design) -> String {
    let s = &design.summary;
    let title = escape(s["study"].as_str().unwrap_or("–"));
    let sections = [
        ("refused", "Refused evaluations", refusals(design)),
        ("result", if is_running(s) { "Best so far" } else { "Result" }, result(design)),
        ("search", "Search", search(design)),
        ("parameters", "Parameters over the search", parameters(design)),
        ("cases", "Before and after", cases(s)),
        ("verified", "Verified", verified(s)),
        ("study", "Study", source(design)),
    ];
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\"><link rel=icon href=\"data:,\">\n\
         <title>{title} – stickslip design</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n",
        include_str!("style.css")
    );
    page.push_str(&heading(design, &title));
    page.push_str("<nav>");
    let shown = || sections.iter().filter(|(_, _, body)| !body.is_empty());
    for (id, title, _) in shown() {
        let _ = write!(page, "<a href=\"#{id}\">{title}</a> ");
    }
    page.push_str("</nav>\n</header>\n<main>\n");
    for (id, title, body) in shown() {
        let _ = write!(page, "<section id={id}>\n<h2>{title}</h2>\n{body}</section>\n");
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn heading(design: &Design, title: &str) -> String {
    let s = &design.summary;
    let text = |key: &str| s[key].as_str().map_or("–".into(), escape);
    let end = match (is_running(s), s["converged"] == true) {
        (true, _) => "so far",
        (_, true) => "converged",
        _ => "not converged: all that were allowed",
    };
    let mut out = format!("<h1>{title}</h1>\n<p>{}</p>\n<p class=facts>", text("description"));
    for (label, value) in [
        ("scene", text("scene")),
        ("minimise", text("objective")),
        ("method", text("method")),
        ("evaluations", format!("{} ({end})", design.evaluations.len())),
        ("seed", s["seed"].to_string()),
    ] {
        let _ = write!(out, "<span>{label} <b>{value}</b></span> ");
    }
    out.push_str("</p>\n");
    let violation = s["best"]["violation"].as_f64();
    let (class, verdict) = match (&s["best"], s["certified"] == true) {
        _ if is_running(s) => {
            ("going", "Not done: the search is going on; nothing is certified before the end".to_owned())
        }
        (Value::Null, _) => ("bad", "No result: no evaluation counts".to_owned()),
        (_, true) => {
            ("good", "Certified: every step of the result within tolerance, all constraints hold".to_owned())
        }
        (_, false) if violation != Some(0.0) => {
            ("bad", format!("The result misses constraints by {}", number(violation.unwrap_or(f64::NAN), 4)))
        }
        _ => {
            let why = s["verified"]["best"]["refused"].as_str().unwrap_or("constraints are missed");
            ("bad", format!("Not certified when verified: {}", escape(why)))
        }
    };
    let _ = writeln!(out, "<div class=\"verdict {class}\"><strong>{verdict}</strong>");
    if let (Some(best), Some(start)) = (s["best"]["objective"].as_f64(), s["start"]["objective"].as_f64()) {
        let (best, start) = (number(best, 5), number(start, 5));
        let _ = write!(out, "<p>Objective <b>{best}</b>, at the start <b>{start}</b></p>");
    }
    out.push_str("</div>\n");
    out
}

/// Reasons and how often each was met, the digits in them aside.
fn refusals(design: &Design) -> String {
    let mut kinds: Vec<(String, &str, usize)> = Vec::new();
    for why in design.evaluations.iter().filter_map(|e| e.refused.as_deref()) {
        let kind: String = why.chars().filter(|c| !c.is_ascii_digit()).collect();
        match kinds.iter_mut().find(|(k, ..)| *k == kind) {
            Some((_, _, n)) => *n += 1,
            None => kinds.push((kind, why, 1)),
        }
    }
    if kinds.is_empty() {
        return String::new();
    }
    let all = design.evaluations.iter().filter(|e| e.refused.is_some()).count();
    let mut out = format!(
        "<p class=no>{} of {} do not count.</p>\n",
        count(all, "evaluation"),
        design.evaluations.len()
    );
    out.push_str(
        "<div class=scroll tabindex=0 role=group aria-label=table><table class=narrow><thead><tr><th class=n>how many<th>the first says</thead>\n",
    );
    for (_, why, n) in kinds.iter().take(20) {
        let _ = writeln!(out, "<tr><td class=n>{n}<td>{}", escape(why));
    }
    out.push_str("</table></div>\n");
    out
}

/// Start, references and result: titles and objects.
fn columns(s: &Value) -> Vec<(String, &Value)> {
    let mut out = vec![("start".to_owned(), &s["start"])];
    for reference in s["references"].as_array().into_iter().flatten() {
        out.push((reference["name"].as_str().unwrap_or("–").to_owned(), reference));
    }
    let best = if is_running(s) { "best so far" } else { "result" };
    out.push((best.to_owned(), &s["best"]));
    out
}

/// A row: its title, and the keys that lead to its values.
type Row<'a> = (String, Vec<&'a str>);

/// A table of rows over start, references and result.
fn table(s: &Value, rows: &[Row<'_>]) -> String {
    let columns = columns(s);
    let mut out = String::from(
        "<div class=scroll tabindex=0 role=group aria-label=table><table class=narrow><thead><tr><th>",
    );
    for (title, _) in &columns {
        let _ = write!(out, "<th class=n>{}", escape(title));
    }
    out.push_str("</thead>\n");
    for (title, keys) in rows {
        let _ = write!(out, "<tr><td>{}", escape(title));
        for (_, column) in &columns {
            let value = keys.iter().fold(*column, |value, key| &value[*key]);
            let _ = write!(out, "<td class=n>{}", number(value.as_f64().unwrap_or(f64::NAN), 6));
        }
        out.push('\n');
    }
    out.push_str("</table></div>\n");
    out
}

/// Parameters and objective; nothing before the first evaluation.
fn result(design: &Design) -> String {
    if design.evaluations.is_empty() { String::new() } else { comparison(&design.summary, true) }
}

/// Objective and, where asked, parameters.
fn comparison(s: &Value, with_parameters: bool) -> String {
    let names = s["start"]["parameters"].as_object().into_iter().flat_map(|p| p.keys());
    let names = names.filter(|_| with_parameters);
    let mut rows: Vec<Row<'_>> = names.map(|name| (name.clone(), vec!["parameters", name])).collect();
    rows.push(("objective".to_owned(), vec!["objective"]));
    let constraints: Vec<&str> =
        s["constraints"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !constraints.is_empty() {
        rows.push((format!("missed of {}", constraints.join(", ")), vec!["violation"]));
    }
    table(s, &rows)
}

/// Each quantity over the cases, before and after.
fn over_cases(s: &Value) -> String {
    let Some(cases) = s["start"]["cases"].as_object().filter(|c| c.len() > 1) else { return String::new() };
    let numbers: Vec<f64> = (1..=cases.len()).map(|i| i as f64).collect();
    let names = cases.values().next().and_then(Value::as_object).into_iter().flat_map(|q| q.keys());
    let plot = |name: &String| {
        let values = |c: &Value| -> Vec<f64> {
            cases.keys().map(|case| c["cases"][case][name].as_f64().unwrap_or(f64::NAN)).collect()
        };
        let lines = columns(s).into_iter().enumerate();
        let lines = lines.map(|(i, (title, c))| Series { name: title, values: values(c).into(), colour: i });
        let scale = Scale::Linear { magnitude: 0.0, from_zero: false };
        let mut plot = Plot::new(name.clone(), "over the cases", &numbers, lines.collect(), scale);
        plot.across = "";
        plot.html()
    };
    let figures: Vec<String> = names.map(plot).collect();
    let order: Vec<String> =
        cases.keys().enumerate().map(|(i, c)| format!("{} {}", i + 1, escape(c))).collect();
    format!("<p class=remark>Cases: {}.</p>\n{}", order.join(", "), figure_grid(&figures))
}

fn cases(s: &Value) -> String {
    let mut out = over_cases(s);
    for (case, quantities) in s["start"]["cases"].as_object().into_iter().flatten() {
        let names = quantities.as_object().into_iter().flat_map(|q| q.keys());
        let rows: Vec<Row<'_>> = names.map(|name| (name.clone(), vec!["cases", case, name])).collect();
        if !case.is_empty() {
            let _ = writeln!(out, "<h3>{}</h3>", escape(case));
        }
        out.push_str(&table(s, &rows));
    }
    out
}

fn verified(s: &Value) -> String {
    let v = &s["verified"];
    let Some(set) = v["set"].as_array() else { return String::new() };
    let set: Vec<&str> = set.iter().filter_map(Value::as_str).collect();
    let mut out = format!("<p class=remark>Once more with {}.</p>\n", escape(&set.join(", ")));
    out.push_str(&comparison(v, false));
    out.push_str(&cases(v));
    out
}

/// The best of all so far at each evaluation of the search; NaN before there is one.
fn so_far(design: &Design, value: impl Fn(&Evaluation) -> f64) -> Vec<f64> {
    let (mut merit, mut best) = (f64::INFINITY, f64::NAN);
    let next = |e: &Evaluation| {
        if let Some(m) = e.merit.filter(|m| *m < merit && e.phase != "reference") {
            (merit, best) = (m, value(e));
        }
        best
    };
    design.evaluations.iter().map(next).collect()
}

fn search(design: &Design) -> String {
    if design.evaluations.is_empty() {
        return String::new();
    }
    let numbers: Vec<f64> = (0..design.evaluations.len()).map(|i| i as f64).collect();
    let each: Vec<f64> = design.evaluations.iter().map(|e| e.merit.unwrap_or(f64::NAN)).collect();
    let best = so_far(design, |e| e.merit.unwrap_or(f64::NAN));
    let positive = each.iter().all(|m| m.is_nan() || *m > 0.0);
    let scale = if positive {
        Scale::Log { decades: 20.0, at_least: None }
    } else {
        Scale::Linear { magnitude: 0.0, from_zero: false }
    };
    let series = vec![
        Series { name: "each".into(), values: each.into(), colour: 6 },
        Series { name: "best so far".into(), values: best.into(), colour: 1 },
    ];
    let mut plot = Plot::new("Objective with penalty".into(), "over evaluations", &numbers, series, scale);
    plot.across = "";
    let refused = design.evaluations.iter().enumerate().filter(|(_, e)| e.refused.is_some());
    plot.marks = refused.map(|(i, _)| i as f64).collect();
    let references = design.summary["references"].as_array();
    let first = references.and_then(|r| r.first());
    plot.limit = first.and_then(|r| Some((r["merit"].as_f64()?, r["name"].as_str()?.to_owned())));
    figure_grid(&[plot.html()])
}

fn parameters(design: &Design) -> String {
    let numbers: Vec<f64> = (0..design.evaluations.len()).map(|i| i as f64).collect();
    let bounds = design.summary["bounds"].as_object().filter(|_| !design.evaluations.is_empty());
    let Some(bounds) = bounds else { return String::new() };
    let of = |e: &Evaluation, name: &str| e.parameters.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let plot = |name: &String| {
        let each: Vec<f64> = design.evaluations.iter().map(|e| of(e, name)).collect();
        let series = vec![
            Series { name: "each".into(), values: each.into(), colour: 6 },
            Series { name: "best so far".into(), values: so_far(design, |e| of(e, name)).into(), colour: 1 },
        ];
        let scale = Scale::Linear { magnitude: 0.0, from_zero: false };
        let mut plot = Plot::new(name.clone(), "over evaluations", &numbers, series, scale);
        plot.across = "";
        plot.html()
    };
    figure_grid(&bounds.keys().map(plot).collect::<Vec<_>>())
}

fn source(design: &Design) -> String {
    let text = escape(&design.study);
    format!("<details><summary>study.toml, as run</summary><pre>{text}</pre></details>\n")
}
