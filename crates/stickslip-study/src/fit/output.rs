//! The answer of a study: fit.json, and a table for people.
//!
//! For synthetic data the summary compares with the truth over all cases:
//!
//! ```text
//! rms error = sqrt(mean (x − truth)²),   covered = how often the interval holds the truth        (1)
//! ```
//!
//! Of n cases an interval at 90 % should cover `0.9 n`, give or take `2.576 sqrt(0.09 n)` (99 % of the binomial distribution).

use crate::study::Study;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// fit.json from the cases in their order.
pub fn whole(study: &Study, cases: &[Value]) -> Value {
    whole_of(&study.name, &study.scene.name, cases)
}

/// The same from the names of study and scene.
pub fn whole_of(study: &str, scene: &str, cases: &[Value]) -> Value {
    let synthetic = cases.iter().any(is_synthetic);
    let lean: Vec<Value> = cases.iter().map(lean).collect();
    json!({
        "study": study,
        "scene": scene,
        "synthetic": synthetic,
        "cases": lean,
        "summary": summary(cases),
        "certified": cases.iter().all(is_good),
    })
}

fn is_synthetic(case: &Value) -> bool {
    case["sets"].as_array().is_some_and(|sets| sets.iter().any(|s| s["synthetic"] == true))
}

/// True when every method converged, with a model that explains the data, and its run holds its tolerances.
pub fn is_good(case: &Value) -> bool {
    let answers = case["answers"].as_array();
    case["failure"].is_null()
        && answers.is_some_and(|all| all.iter().all(|a| a["converged"] == true && a["certified"] == true))
}

/// A case without what is in files of its own.
fn lean(case: &Value) -> Value {
    let mut case = case.clone();
    if let Value::Object(map) = &mut case {
        map.remove("data");
        map.remove("log");
    }
    case
}

fn answers(cases: &[Value]) -> impl Iterator<Item = &Value> {
    cases.iter().filter_map(|c| c["answers"].as_array()).flatten()
}

/// eq. (1) for each method and parameter; nothing without truth.
pub fn summary(cases: &[Value]) -> Value {
    let mut methods: Vec<&str> = Vec::new();
    for method in answers(cases).filter_map(|a| a["method"].as_str()) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let mut out = Map::new();
    for method in methods {
        let mut of_method = Map::new();
        let mut all: Vec<(&str, &Value, &Value)> = Vec::new();
        for case in cases {
            for answer in case["answers"].as_array().into_iter().flatten().filter(|a| a["method"] == method) {
                for (name, entry) in answer["parameters"].as_object().into_iter().flatten() {
                    all.push((name, entry, &case["truth"][name]));
                }
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for (name, ..) in &all {
            if !names.contains(name) {
                names.push(name);
            }
        }
        for name in names {
            let entries: Vec<_> = all.iter().filter(|a| a.0 == name && a.2.is_f64()).collect();
            if !entries.is_empty() {
                of_method.insert(name.to_owned(), over(&entries));
            }
        }
        out.insert(method.to_owned(), Value::Object(of_method));
    }
    Value::Object(out)
}

fn over(entries: &[&(&str, &Value, &Value)]) -> Value {
    let n = entries.len() as f64;
    let errors: Vec<f64> = entries.iter().filter_map(|e| e.1["error"].as_f64()).collect();
    let covers = |key: &str| {
        let inside = |e: &&&(&str, &Value, &Value)| {
            let truth = e.2.as_f64().unwrap_or(f64::NAN);
            let end = |k: usize| e.1[key][k].as_f64().unwrap_or(f64::NAN);
            end(0) <= truth && truth <= end(1)
        };
        entries.iter().filter(inside).count()
    };
    let due = |p: f64| {
        let give = 2.576 * (n * p * (1.0 - p)).sqrt();
        [(n * p - give).max(0.0).ceil() as u64, (n * p + give).min(n).floor() as u64]
    };
    json!({
        "of": entries.len(),
        "rms_error": (errors.iter().map(|e| e * e).sum::<f64>() / n).sqrt(),
        "largest_error": errors.iter().fold(0.0f64, |m, e| m.max(e.abs())),
        "covered_90": covers("interval_90"),
        "expected_90": due(0.9),
        "covered_95": covers("interval_95"),
        "expected_95": due(0.95),
    })
}

/// Every evaluation as CSV: case, method, cost, parameters.
pub fn evaluations(cases: &[Value]) -> String {
    let mut out = "case,method,cost,values\n".to_owned();
    for case in cases {
        for row in case["log"].as_array().into_iter().flatten() {
            let numbers: Vec<String> =
                row[2].as_array().into_iter().flatten().map(Value::to_string).collect();
            let cost = if row[1].is_null() { String::new() } else { row[1].to_string() };
            let _ = writeln!(
                out,
                "{},{},{cost},{}",
                case["case"],
                row[0].as_str().unwrap_or(""),
                numbers.join(" ")
            );
        }
    }
    out
}

/// The measured and the fitted values as CSV.
pub fn residuals(cases: &[Value]) -> String {
    let mut out = "case,set,column,t,measured,method,fitted\n".to_owned();
    for case in cases {
        for series in case["data"].as_array().into_iter().flatten() {
            let name = |key: &str| series[key].as_str().unwrap_or("").replace(',', ";");
            for (method, fitted) in series["fitted"].as_object().into_iter().flatten() {
                for (k, f) in fitted.as_array().into_iter().flatten().enumerate() {
                    let (set, column) = (name("set"), name("column"));
                    let (t, y) = (&series["time"][k], &series["measured"][k]);
                    let _ = writeln!(out, "{},{set},{column},{t},{y},{method},{f}", case["case"]);
                }
            }
        }
    }
    out
}

/// Lines for people.
pub fn in_words(study: &Study, cases: &[Value]) -> String {
    const MOST: usize = 20;
    let mut out = format!("{}: {} of the scene {}", study.name, study.description, study.scene.name);
    if cases.iter().any(is_synthetic) {
        out.push_str("\nsynthetic data, made from the scene with the true values");
    }
    out.push('\n');
    for case in cases.iter().take(MOST) {
        out.push_str(&case_in_words(case));
    }
    if cases.len() > MOST {
        let _ = writeln!(out, "... {} more cases, see fit.json", cases.len() - MOST);
    }
    if let Value::Object(summary) = summary(cases) {
        for (method, parameters) in summary {
            for (name, s) in parameters.as_object().into_iter().flatten().filter(|_| cases.len() > 1) {
                let number = |key: &str| s[key].as_f64().unwrap_or(f64::NAN);
                let _ = writeln!(
                    out,
                    "{method:<16} {name:<12} rms error {:.3e}, largest {:.3e}; 90 % intervals cover {} of {} ({} to {} expected), \
                     95 %: {}",
                    number("rms_error"),
                    number("largest_error"),
                    s["covered_90"],
                    s["of"],
                    s["expected_90"][0],
                    s["expected_90"][1],
                    s["covered_95"],
                );
            }
        }
    }
    out.push_str(if cases.iter().all(is_good) {
        "every fit converged and explains its data, every run with the values found is certified\n"
    } else {
        "NOT certified: a fit did not converge or does not explain its data, or a step missed a tolerance\n"
    });
    out
}

fn parameter_in_words(name: &str, p: &Value) -> String {
    let number = |v: &Value| v.as_f64().map_or("?".to_owned(), |x| format!("{x:.9}"));
    let small = |v: &Value| v.as_f64().map_or("?".to_owned(), |x| format!("{x:.2e}"));
    let mut line = format!("    {name:<12} {:>14}", number(&p["value"]));
    if p["identified"] == false {
        line.push_str("  the data cannot identify it");
    } else {
        let ends = [number(&p["interval_90"][0]), number(&p["interval_90"][1])];
        let _ = write!(line, " ± {}, 90 % {} to {}", small(&p["deviation"]), ends[0], ends[1]);
    }
    if !p["error"].is_null() {
        let _ = write!(line, ", error {}", small(&p["error"]));
    }
    if p["at_bound"] == true {
        line.push_str(", at its bound");
    }
    line
}

fn case_in_words(case: &Value) -> String {
    let settings = case["settings"].as_object().into_iter().flatten();
    let settings: Vec<String> = settings.map(|(name, value)| format!("{name} = {value}")).collect();
    let mut out = format!("case {}: {} points", case["case"], case["points"]);
    if !settings.is_empty() {
        let _ = write!(out, ", {}", settings.join(", "));
    }
    if case["missed_transitions"].as_u64().is_some_and(|n| n > 0) {
        let _ = write!(out, ", {} encoder transitions missed and bridged", case["missed_transitions"]);
    }
    out.push('\n');
    if let Some(failure) = case["failure"].as_str() {
        let _ = writeln!(out, "  failed: {failure}");
    }
    for answer in case["answers"].as_array().into_iter().flatten() {
        let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
        let certified = if answer["certified"] == true { "" } else { ", NOT certified" };
        let _ = writeln!(
            out,
            "  {}: {}{certified}, cost {:.6}, {} iteration{}",
            text(&answer["method"]),
            text(&answer["status"]),
            answer["cost"].as_f64().unwrap_or(f64::NAN),
            answer["iterations"],
            if answer["iterations"] == 1 { "" } else { "s" }
        );
        for why in answer["verdict"]["failed"].as_array().into_iter().flatten() {
            let _ = writeln!(out, "    the model does not explain the data: {}", text(why));
        }
        for (name, p) in answer["parameters"].as_object().into_iter().flatten() {
            let _ = writeln!(out, "{}", parameter_in_words(name, p));
        }
        for (family, error) in answer["rms_error"].as_object().into_iter().flatten() {
            let _ = writeln!(
                out,
                "    rms error of {family}_1, {family}_2, ...: {:.3e}",
                error.as_f64().unwrap_or(f64::NAN)
            );
        }
        for v in answer["unidentified"].as_array().into_iter().flatten() {
            let shares = v.as_object().into_iter().flatten();
            let shares: Vec<String> =
                shares.map(|(name, x)| format!("{:+.2} {name}", x.as_f64().unwrap_or(0.0))).collect();
            let _ = writeln!(out, "    not identified (in parts of the ranges): {}", shares.join(" "));
        }
    }
    out
}
