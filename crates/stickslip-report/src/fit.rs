//! The page of a fit: parameters with their intervals, data with the fitted motion, residuals, histories of windows and
//! filters.
//!
//! Works from fit.json and the objects of its cases, which also hold the data.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::axis::{Axes, UNITS, drawable, linear_range, time_range, to_units};
use crate::error::ReportError;
use crate::fit_progress::finished_cases;
use crate::lines::read_text;
use crate::pen::Pen;
use crate::plot::{area, colour, figure, figure_grid, left_out};
use crate::run::read_json;
use crate::text::{escape, number};
use crate::ticks;

/// Cases whose data are drawn, and rows of the table of parameters.
const DRAWN: usize = 3;
const ROWS: usize = 200;
/// Points of one series.
const POINTS: usize = 2000;

/// The page for fit.json, its cases with data, and the text of the study.
pub fn render_fit(whole: &Value, cases: &[Value], study: &str) -> String {
    let verdict = if whole["certified"] == true {
        "<div class=\"verdict good\"><strong>Every fit converged and explains its data, every run with the values found is certified</strong></div>\n"
    } else {
        "<div class=\"verdict bad\"><strong>Not certified: a fit did not converge or does not explain its data, or a step missed a tolerance</strong></div>\n"
    };
    page(
        whole,
        cases,
        study,
        &Opening { verdict: verdict.to_owned(), total: cases.len(), going: String::new() },
    )
}

/// The page of the fit that a directory holds.
pub(crate) fn render_kept(dir: &Path) -> Result<String, ReportError> {
    let whole = read_json(&dir.join("fit.json"))?;
    let kept = read_text(&dir.join("study.txt"))?;
    // behind the study's file: a sum of the data, and the scene
    let study = kept.split("\n# data: ").next().unwrap_or_default();
    Ok(render_fit(&whole, &finished_cases(dir)?, study))
}

/// What a page begins with.
pub(crate) struct Opening {
    /// The box at its top.
    pub verdict: String,
    /// Cases of the study.
    pub total: usize,
    /// What is going on.
    pub going: String,
}

pub(crate) fn page(whole: &Value, cases: &[Value], study: &str, opening: &Opening) -> String {
    let name = escape(whole["study"].as_str().unwrap_or("fit"));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\"><link rel=icon href=\"data:,\">\n\
         <title>{name} – stickslip fit</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n",
        include_str!("style.css")
    );
    let data = if whole["synthetic"] == true {
        "synthetic, made from the scene with the true values"
    } else {
        "recorded"
    };
    let scene = escape(whole["scene"].as_str().unwrap_or(""));
    let _ = writeln!(
        page,
        "<p class=facts><span>scene <b>{scene}</b></span> <span>cases <b>{}</b></span> <span>data <b>{data}</b></span></p>",
        opening.total
    );
    page.push_str(&opening.verdict);
    page.push_str("</header>\n<main>\n");
    let mut section = |title: &str, body: String| {
        if !body.is_empty() {
            let _ = write!(page, "<section>\n<h2>{title}</h2>\n{body}</section>\n");
        }
    };
    section("Going on", opening.going.clone());
    section("Against the truth", summary(whole, cases.len()));
    section("Rejected", rejected(cases));
    section("Parameters", if cases.is_empty() { String::new() } else { parameters(cases) });
    for case in cases.iter().take(DRAWN) {
        section(&format!("Data of case {}", case["case"]), plots(case));
    }
    section("Not drawn", left_out(DRAWN, cases.len(), "cases", "that come first"));
    section(
        "Study",
        format!("<details><summary>the study's file</summary><pre>{}</pre></details>\n", escape(study)),
    );
    page.push_str("</main>\n<footer>Horizontal axes are time in s.</footer>\n</body>\n</html>\n");
    page
}

fn summary(whole: &Value, cases: usize) -> String {
    let mut rows = String::new();
    for (method, parameters) in whole["summary"].as_object().into_iter().flatten().filter(|_| cases > 1) {
        for (name, s) in parameters.as_object().into_iter().flatten() {
            let short = |key: &str| s[key].as_f64().map_or("–".to_owned(), |x| number(x, 3));
            let _ = writeln!(
                rows,
                "<tr><td>{}<td>{}<td class=n>{}<td class=n>{}<td class=n>{} of {}<td class=n>{} to {}<td class=n>{}",
                escape(method),
                escape(name),
                short("rms_error"),
                short("largest_error"),
                s["covered_90"],
                s["of"],
                s["expected_90"][0],
                s["expected_90"][1],
                s["covered_95"],
            );
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>method<th>parameter<th class=n>rms error<th class=n>largest\
         <th class=n>covered at 90 %<th class=n>expected<th class=n>covered at 95 %</thead>\n{rows}</table></div>\n"
    )
}

/// What speaks against the model, answer by answer.
fn rejected(cases: &[Value]) -> String {
    let mut rows = String::new();
    for case in cases {
        for answer in case["answers"].as_array().into_iter().flatten() {
            for why in answer["verdict"]["failed"].as_array().into_iter().flatten() {
                let method = escape(answer["method"].as_str().unwrap_or(""));
                let why = escape(why.as_str().unwrap_or(""));
                let _ = writeln!(rows, "<tr><td>{}<td>{method}<td class=no>{why}", case["case"]);
            }
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<p>The values are the best of a model that does not explain the data.</p>\n\
         <div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>case<th>method\
         <th>what speaks against it</thead>\n{rows}</table></div>\n"
    )
}

fn parameters(cases: &[Value]) -> String {
    let mut rows = Vec::new();
    for case in cases {
        let settings = case["settings"].as_object().into_iter().flatten();
        let settings: Vec<String> = settings.map(|(name, v)| format!("{} = {v}", escape(name))).collect();
        if let Some(failure) = case["failure"].as_str() {
            rows.push(format!(
                "<tr><td>{}<td>{}<td colspan=7 class=no>{}",
                case["case"],
                settings.join(", "),
                escape(failure)
            ));
        }
        for answer in case["answers"].as_array().into_iter().flatten() {
            for (name, p) in answer["parameters"].as_object().into_iter().flatten() {
                rows.push(row(case, &settings.join(", "), answer, (name, p)));
            }
        }
    }
    let shown: String = rows.iter().take(ROWS).map(|r| format!("{r}\n")).collect();
    let more = if rows.len() > ROWS {
        format!("<p>{} more rows are in fit.json.</p>\n", rows.len() - ROWS)
    } else {
        String::new()
    };
    format!(
        "<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr><th>case<th>settings<th>method<th>parameter<th class=n>value<th class=n>deviation\
         <th class=n>90 %<th class=n>error<th>status</thead>\n{shown}</table></div>\n{more}"
    )
}

fn row(case: &Value, settings: &str, answer: &Value, (name, p): (&str, &Value)) -> String {
    let long = |v: &Value| v.as_f64().map_or("–".to_owned(), |x| number(x, 7));
    let short = |v: &Value| v.as_f64().map_or("–".to_owned(), |x| number(x, 2));
    let interval = match p["interval_90"].as_array() {
        Some(ends) => format!("{} to {}", long(&ends[0]), long(&ends[1])),
        None => "not identified".to_owned(),
    };
    let status = escape(answer["status"].as_str().unwrap_or(""));
    let good = answer["converged"] == true && answer["certified"] == true;
    let class = if good { "yes" } else { "no" };
    let bound = if p["at_bound"] == true { ", at its bound" } else { "" };
    let certified = if answer["certified"] == true { "" } else { ", not certified" };
    format!(
        "<tr><td>{}<td>{settings}<td>{}<td>{}<td class=n>{}<td class=n>{}<td class=n>{interval}<td class=n>{}\
         <td class={class}>{status}{bound}{certified}",
        case["case"],
        escape(answer["method"].as_str().unwrap_or("")),
        escape(name),
        long(&p["value"]),
        short(&p["deviation"]),
        short(&p["error"]),
    )
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn plots(case: &Value) -> String {
    let mut figures = Vec::new();
    for series in case["data"].as_array().into_iter().flatten().take(8) {
        let (time, measured) = (numbers(&series["time"]), numbers(&series["measured"]));
        let deviation = series["deviation"].as_f64().unwrap_or(f64::NAN);
        let fits: Vec<(String, Vec<f64>)> = series["fitted"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(method, f)| (method.clone(), numbers(f)))
            .filter(|(_, f)| f.len() == measured.len())
            .collect();
        let title =
            format!("{}: {}", series["set"].as_str().unwrap_or(""), series["signal"].as_str().unwrap_or(""));
        let lines: Vec<(&str, &[f64])> = fits.iter().map(|(m, f)| (m.as_str(), f.as_slice())).collect();
        figures.push(chart(&title, "measured and fitted", &time, (&[("measured", &measured)], &lines)));
        let residuals: Vec<(&str, Vec<f64>)> = fits
            .iter()
            .map(|(m, f)| (m.as_str(), f.iter().zip(&measured).map(|(f, y)| (f - y) / deviation).collect()))
            .collect();
        let dots: Vec<(&str, &[f64])> = residuals.iter().map(|(m, r)| (*m, r.as_slice())).collect();
        figures.push(chart(&title, "residuals in deviations", &time, (&dots, &[])));
    }
    for answer in case["answers"].as_array().into_iter().flatten() {
        let history = &answer["history"];
        let time = numbers(&history["time"]);
        for (name, values) in history["values"].as_object().into_iter().flatten() {
            let values = numbers(values);
            let title = format!("{name} by {}", answer["method"].as_str().unwrap_or(""));
            figures.push(chart(&title, "over time", &time, (&[], &[(name, &values)])));
        }
    }
    figure_grid(&figures)
}

/// Names with values over time.
type Named<'a> = [(&'a str, &'a [f64])];

/// Dots and lines over time.
fn chart(title: &str, unit: &str, time: &[f64], (dots, lines): (&Named, &Named)) -> String {
    let all = dots.iter().chain(lines).flat_map(|(_, v)| v.iter().copied()).filter(|v| drawable(*v));
    let axes = Axes { x: time_range(time), y: linear_range(all, 0.0).0 };
    let keep = time.len().div_ceil(POINTS).max(1);
    let place = |k: usize, v: f64| (to_units(time[k], axes.x) as i64, (UNITS - to_units(v, axes.y)) as i64);
    let (mut svg, mut legend) = (String::new(), String::new());
    for (i, (name, values)) in dots.iter().chain(lines).enumerate() {
        let points = values.iter().enumerate().take(time.len()).step_by(keep).filter(|(_, v)| drawable(**v));
        let style = colour(i);
        if i < dots.len() {
            let marks: String =
                points.map(|(k, v)| place(k, *v)).map(|(x, y)| format!("M{x} {y}h0")).collect();
            let _ = write!(svg, "<path class=line style=\"{style};stroke-width:3\" d=\"{marks}\"/>");
        } else {
            let mut pen = Pen::default();
            points.map(|(k, v)| place(k, *v)).for_each(|(x, y)| pen.line_to(x, y));
            let _ = write!(svg, "<path class=line style=\"{style}\" d=\"{}\"/>", pen.finish());
        }
        let _ = write!(legend, "<span class=k style=\"{style}\"><i></i>{}</span>", escape(name));
    }
    let x = ticks::linear(axes.x.0, axes.x.1, 6).with_unit("s");
    let y = ticks::linear(axes.y.0, axes.y.1, 6);
    figure(title, unit, &legend, &area(&axes, &x, &y, &svg, "", "phase"))
}
