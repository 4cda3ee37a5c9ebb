//! All cases of a fit, each by all methods.
//!
//! A case becomes one JSON object, which holds all that is ever shown of it: [`output`](super::output) and the report work from these,
//! so that a resumed study cannot differ from one that ran through.

use super::case::{self, Case};
use super::data::{self, Series, Source};
use super::least_squares::{Ending, Solution, minimise};
use super::model::{Evaluation, Model};
use super::statistics::{SHARE, Statistics, statistics};
use super::watch::Watch;
use super::{Fit, Method, crew, filter, mpec, window};
use crate::random::Random;
use crate::study::{Study, Task};
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
    /// What was evaluated.
    pub log: Vec<Evaluation>,
    /// More to be told, as it is in the JSON.
    pub more: Map<String, Value>,
}

/// Runs a case, with up to `jobs` threads.
pub fn run_case(study: &Study, fit: &Fit, index: u64, jobs: usize) -> Value {
    run_watched(study, fit, index, jobs, Watch::default())
}

/// The same, with somebody looking on.
fn run_watched(study: &Study, fit: &Fit, index: u64, jobs: usize, watch: Watch<'_>) -> Value {
    let mut case = Case::new(study, fit, index);
    case.watch = watch;
    let mut out = heading(study, &case);
    let truth = case.truth.as_ref().map(|t| case.values(study, t));
    let series = match data::measure(study, &case, truth.as_deref()) {
        Ok(series) => series,
        Err(failure) => {
            out.insert("failure".to_owned(), json!(failure));
            return Value::Object(out);
        }
    };
    let points: usize = series.iter().map(|s| s.values.len()).sum();
    out.insert("points".to_owned(), json!(points));
    let missed: usize = series.iter().map(|s| s.missed).sum();
    out.insert("missed_transitions".to_owned(), json!(missed));
    let mut answers = Vec::new();
    for method in &fit.methods {
        let found = match method {
            Method::LeastSquares => least_squares(study, &case, &series, jobs).map(|a| vec![a]),
            Method::Mpec => mpec::solve(study, &case, &series).map(|a| vec![a]),
            Method::MovingWindow => window::solve(study, &case, &series),
            Method::ParticleFilter => filter::solve(study, &case, &series, jobs).map(|a| vec![a]),
        };
        match found {
            Ok(found) => answers.extend(found),
            Err(failure) => {
                let text = format!("{}: {failure}", method.name());
                out.insert("failure".to_owned(), json!(text));
            }
        }
    }
    out.insert("answers".to_owned(), answers.iter().map(|a| answer_json(study, &case, a)).collect());
    out.insert("data".to_owned(), data_json(&case, &series, &answers));
    out.insert("log".to_owned(), log_json(&answers));
    Value::Object(out)
}

/// All cases that are not in `done`, in parallel; `keep` is told of each as it is finished, `watch` of every point that is tried.
pub fn run(study: &Study, jobs: usize, done: &[u64], keep: &(dyn Fn(u64, Value) + Sync), watch: Watch<'_>) {
    let Task::Fit(fit) = &study.task else { return };
    let todo: Vec<u64> = (0..case::count(study)).filter(|i| !done.contains(i)).collect();
    let outer = jobs.min(todo.len()).max(1);
    let inner = (jobs / outer).max(1);
    crew::map(todo.len(), outer, |k| keep(todo[k], run_watched(study, fit, todo[k], inner, watch)));
}

fn heading(study: &Study, case: &Case) -> Map<String, Value> {
    let numbers =
        |pairs: Vec<(String, f64)>| Value::Object(pairs.into_iter().map(|(n, v)| (n, json!(v))).collect());
    let mut out = Map::new();
    out.insert("case".to_owned(), json!(case.index));
    out.insert("settings".to_owned(), numbers(case.labels(study)));
    let sets = case.sets.iter().map(|&k| {
        let set = &case.fit.data[k];
        json!({ "name": set.name, "synthetic": matches!(set.source, Source::Synthetic(_)) })
    });
    out.insert("sets".to_owned(), sets.collect());
    let names: Vec<&str> = (0..case.active.len()).map(|i| case.name(study, i)).collect();
    let truth = case.truth.as_ref().map(|truth| {
        numbers(case.active.iter().zip(&names).map(|(&i, n)| ((*n).to_owned(), truth[i])).collect())
    });
    out.insert("truth".to_owned(), json!(truth));
    let all = case.sought.iter().map(|&i| study.parameters[i].name.as_str());
    out.insert("left_out".to_owned(), all.filter(|n| !names.contains(n)).collect());
    out
}

/// Least squares from all starts; the best counts.
fn least_squares(study: &Study, case: &Case, series: &[Series], jobs: usize) -> Result<Answer, String> {
    let starts = starts(study, case);
    let outer = jobs.min(starts.len()).max(1);
    let run = |k: usize| {
        let mut model = Model::new(study, case, series, (jobs / outer).max(1));
        model.start = k;
        let solution = minimise(&mut model, &starts[k]);
        let (fitted, missed) = match &solution {
            Some(s) => (model.fit(&s.x).unwrap_or_default(), model.missed()),
            None => (Vec::new(), 0),
        };
        (solution, fitted, missed, model.log, model.failure)
    };
    let mut all = crew::map(starts.len(), outer, run);
    let cost = |s: &Option<Solution>| s.as_ref().map_or(f64::INFINITY, Solution::cost);
    let best = (0..all.len()).fold(0, |best, k| if cost(&all[k].0) < cost(&all[best].0) { k } else { best });
    let list: Vec<Value> = all
        .iter()
        .map(|(s, ..)| match s {
            Some(s) => json!({ "status": s.ending.name(), "cost": s.cost(), "values": s.x }),
            None => json!({ "status": Ending::Failed.name(), "cost": null, "values": null }),
        })
        .collect();
    let log = all.iter_mut().flat_map(|a| std::mem::take(&mut a.3)).collect();
    let (solution, fitted, missed, _, failure) = all.swap_remove(best);
    let Some(solution) = solution else {
        return Err(format!("no start could be run: {}", failure.unwrap_or_default()));
    };
    let ranges: Vec<f64> = case.active.iter().map(|&i| case.upper[i] - case.lower[i]).collect();
    let statistics = statistics(&solution.residuals, &solution.jacobian, &ranges, case.fit.estimated);
    let mut more = Map::new();
    more.insert("starts".to_owned(), json!(list));
    if let Some(failure) = failure {
        more.insert("some_values_failed".to_owned(), json!(failure));
    }
    Ok(Answer {
        method: Method::LeastSquares.name().to_owned(),
        status: solution.ending.name().to_owned(),
        converged: solution.ending == Ending::Converged,
        certified: missed == 0 && !fitted.is_empty(),
        cost: solution.cost(),
        x: solution.x,
        iterations: solution.iterations,
        statistics: Some(statistics),
        spread: None,
        fitted,
        log,
        more,
    })
}

/// The first is the study's, the others are uniform between the bounds.
fn starts(study: &Study, case: &Case) -> Vec<Vec<f64>> {
    let mut random = Random::new(study.seed ^ 0x57A2_7500, case.index);
    let first: Vec<f64> = case.active.iter().map(|&i| case.start[i]).collect();
    let mut out = vec![first];
    for _ in 1..case.fit.starts {
        let draw = |&i: &usize| case.lower[i] + random.uniform() * (case.upper[i] - case.lower[i]);
        out.push(case.active.iter().map(draw).collect());
    }
    out
}

fn answer_json(study: &Study, case: &Case, answer: &Answer) -> Value {
    let mut parameters = Map::new();
    for (k, &i) in case.active.iter().enumerate() {
        let x = answer.x[k];
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
        parameters.insert(case.name(study, k).to_owned(), entry);
    }
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
        "parameters": parameters,
        "correlation": statistics.map(|s| s.correlation.clone()),
        "unidentified": unidentified,
    });
    out["rms_error"] = families(&out["parameters"]);
    if let Value::Object(map) = &mut out {
        map.extend(answer.more.clone());
    }
    out
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

fn data_json(case: &Case, series: &[Series], answers: &[Answer]) -> Value {
    let one = |(k, s): (usize, &Series)| {
        let set = &case.fit.data[s.set];
        let fitted: Map<String, Value> =
            answers.iter().filter_map(|a| Some((a.method.clone(), json!(a.fitted.get(k)?)))).collect();
        json!({
            "set": set.name,
            "column": set.columns[s.column].name,
            "signal": set.columns[s.column].text,
            "deviation": s.deviation,
            "time": s.times,
            "measured": s.values,
            "fitted": fitted,
        })
    };
    series.iter().enumerate().map(one).collect()
}

fn log_json(answers: &[Answer]) -> Value {
    let rows = answers.iter().flat_map(|a| a.log.iter().map(|e| json!([a.method, e.cost, e.x])));
    rows.collect()
}
