//! What a method found, and how a case tells it.

use super::case::Case;
use super::model::Evaluation;
use super::statistics::{SHARE, Statistics};
use crate::study::Study;
use serde_json::{Map, Value, json};

/// What a method found.
pub struct Answer {
    /// Its name, with the length of a window.
    pub method: String,
    /// How it ended.
    pub status: String,
    /// True when that is an answer.
    pub converged: bool,
    /// True when every step of the run with the found values holds its tolerances.
    pub certified: bool,
    /// The active parameters.
    pub x: Vec<f64>,
    /// |r|², in units of the deviations.
    pub cost: f64,
    /// Steps of the method.
    pub iterations: usize,
    /// How sure it is; none for methods without a Jacobian.
    pub statistics: Option<Statistics>,
    /// Deviations and intervals at 90 and 95 % of methods without a Jacobian.
    pub spread: Option<Vec<[f64; 5]>>,
    /// What the model says at the measured times, series by series.
    pub fitted: Vec<Vec<f64>>,
    /// What is left of the measurements, in deviations, series by series, where that is not the difference to `fitted`.
    pub residuals: Option<Vec<Vec<f64>>>,
    /// What was evaluated.
    pub log: Vec<Evaluation>,
    /// More to be told, as it is in the JSON.
    pub more: Map<String, Value>,
}

/// As in the `answers` of a case.
pub fn json(study: &Study, case: &Case, answer: &Answer) -> Value {
    let statistics = answer.statistics.as_ref();
    let unidentified = statistics.map_or(Vec::new(), |s| {
        s.unidentified
            .iter()
            .map(|v| {
                let shares = v.iter().enumerate().filter(|(_, x)| x.abs() > SHARE);
                Value::Object(shares.map(|(k, x)| (case.name(study, k).to_owned(), json!(x))).collect())
            })
            .collect()
    });
    let mut out = json!({
        "method": answer.method,
        "status": answer.status,
        "converged": answer.converged,
        "certified": answer.certified,
        "cost": answer.cost,
        "deviation_factor": statistics.map(|s| s.factor),
        "degrees_of_freedom": statistics.map(|s| s.freedom),
        "iterations": answer.iterations,
        "evaluations": answer.log.len(),
        "parameters": parameters(study, case, answer),
        "correlation": statistics.map(|s| s.correlation.clone()),
        "unidentified": unidentified,
    });
    out["rms_error"] = families(&out["parameters"]);
    if let Value::Object(map) = &mut out {
        map.extend(answer.more.clone());
    }
    out
}

/// The active parameters by name: value, how sure it is, bounds.
fn parameters(study: &Study, case: &Case, answer: &Answer) -> Map<String, Value> {
    let mut parameters = Map::new();
    for k in 0..case.active.len() {
        parameters.insert(case.name(study, k).to_owned(), parameter(case, answer, k));
    }
    parameters
}

/// A parameter: its value, how sure it is, and its bounds.
fn parameter(case: &Case, answer: &Answer, k: usize) -> Value {
    let (i, x) = (case.active[k], answer.x[k]);
    let (deviation, [first, second]) = match (&answer.statistics, &answer.spread) {
        (Some(s), _) => {
            let around = |w: f64| w.is_finite().then_some([x - w, x + w]);
            (s.deviations[k], [around(s.half_widths[0][k]), around(s.half_widths[1][k])])
        }
        (None, Some(spread)) => {
            let [d, a, b, c, e] = spread[k];
            (d, [Some([a, b]), Some([c, e])])
        }
        (None, None) => (f64::NAN, [None, None]),
    };
    let identified = answer.statistics.as_ref().is_none_or(|s| s.deviations[k].is_finite());
    let mut entry = json!({
        "value": x,
        "deviation": deviation,
        "interval_90": first,
        "interval_95": second,
        "lower": case.lower[i],
        "upper": case.upper[i],
        "at_bound": x <= case.lower[i] || x >= case.upper[i],
        "identified": identified,
    });
    if let Some(truth) = &case.truth {
        entry["error"] = json!(x - truth[i]);
    }
    entry
}

/// Root mean square of the errors of parameters `NAME_1`, `NAME_2`, ..., by name.
fn families(parameters: &Value) -> Value {
    let mut all: Vec<(&str, Vec<f64>)> = Vec::new();
    for (name, entry) in parameters.as_object().into_iter().flatten() {
        let Some((stem, number)) = name.rsplit_once('_') else { continue };
        let Some(error) = entry["error"].as_f64().filter(|_| number.parse::<u32>().is_ok()) else { continue };
        match all.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, errors)) => errors.push(error),
            None => all.push((stem, vec![error])),
        }
    }
    let rms = |e: &[f64]| (e.iter().map(|e| e * e).sum::<f64>() / e.len() as f64).sqrt();
    let several = all.iter().filter(|(_, errors)| errors.len() > 1);
    Value::Object(several.map(|(stem, errors)| ((*stem).to_owned(), json!(rms(errors)))).collect())
}
