//! All cases of a fit, each by all methods.
//!
//! A case becomes one JSON object, which holds all that is ever shown of it: [`output`](super::output) and the report
//! work from these, so that a resumed study cannot differ from one that ran through.

use super::case::{self, Case};
use super::data::Source;
use super::part::{self, Found, Measured, Reply, Solved};
use super::watch::Watch;
use super::{Fit, crew, verdict};
use crate::engine::{self, Engine, Request, Workers, WorkersError};
use crate::error::StudyError;
use crate::study::{Study, Task};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Runs a case, with up to `jobs` threads.
pub fn run_case(study: &Study, fit: &Fit, index: u64, jobs: usize) -> Value {
    run_watched(study, fit, index, jobs, Watch::default())
}

/// The same, with somebody looking on.
fn run_watched(study: &Study, fit: &Fit, index: u64, jobs: usize, watch: Watch<'_>) -> Value {
    let mut case = Case::new(study, fit, index);
    case.watch = watch;
    let found = part::measure(study, &case).map(|series| {
        let mut solved = Vec::new();
        for group in part::parts(fit).chunk_by(|a, b| a.method == b.method) {
            let outer = jobs.min(group.len()).max(1);
            let one = |k: usize| part::solve(study, &case, &series, group[k], (jobs / outer).max(1));
            solved.extend(crew::map(group.len(), outer, one));
        }
        (Measured::new(&case, &series), solved)
    });
    join(study, &case, found)
}

/// All cases that are not in `done`; `keep` is told of each as it is finished, `watch` of every point that is tried: by
/// workers once they have done a part.
pub fn run(
    study: &Study,
    engine: Engine<'_>,
    done: &[u64],
    keep: &(dyn Fn(u64, Value) + Sync),
    watch: Watch<'_>,
) -> Result<(), WorkersError> {
    let Task::Fit(fit) = &study.task else { return Ok(()) };
    let todo: Vec<u64> = (0..case::count(study)).filter(|i| !done.contains(i)).collect();
    match engine {
        Engine::Threads(jobs) => {
            let outer = jobs.min(todo.len()).max(1);
            let inner = (jobs / outer).max(1);
            crew::map(todo.len(), outer, |k| keep(todo[k], run_watched(study, fit, todo[k], inner, watch)));
            Ok(())
        }
        Engine::Workers(workers) => by_workers((study, fit), workers, &todo, (keep, watch)),
    }
}

/// The same with the parts of all cases done by others.
fn by_workers(
    (study, fit): (&Study, &Fit),
    workers: &dyn Workers,
    todo: &[u64],
    (keep, watch): (&(dyn Fn(u64, Value) + Sync), Watch<'_>),
) -> Result<(), WorkersError> {
    let parts = part::parts(fit).len();
    let request = |i: usize| Request::Part { case: todo[i / parts], part: i % parts };
    let requests: Vec<Request> = (0..todo.len() * parts).map(request).collect();
    // parts of cases that are not finished
    let mut open: HashMap<usize, Vec<Option<Reply>>> = HashMap::new();
    let mut ended = Ok(());
    workers.work(&requests, &mut |i, text| {
        let reply: Reply = match engine::read(text) {
            Ok(reply) => reply,
            Err(error) => {
                ended = Err(error);
                return ControlFlow::Break(());
            }
        };
        let k = i / parts;
        reply.tell(todo[k], part::parts(fit)[i % parts].start, watch);
        let replies = open.entry(k).or_insert_with(|| (0..parts).map(|_| None).collect());
        replies[i % parts] = Some(reply);
        if replies.iter().all(Option::is_some) {
            let replies = open.remove(&k).into_iter().flatten().flatten().collect();
            keep(todo[k], join(study, &Case::new(study, fit, todo[k]), part::together(replies)));
        }
        ControlFlow::Continue(())
    })?;
    ended
}

/// A case from its parts, in their order.
fn join(study: &Study, case: &Case, found: Result<(Measured, Vec<Solved>), StudyError>) -> Value {
    let mut out = heading(study, case);
    let (measured, solved) = match found {
        Ok(found) => found,
        Err(failure) => {
            out.insert("failure".to_owned(), json!(failure));
            return Value::Object(out);
        }
    };
    out.insert("points".to_owned(), json!(measured.points));
    out.insert("missed_transitions".to_owned(), json!(measured.missed_transitions));
    let mut found: Vec<Found> = Vec::new();
    let parts = part::parts(case.fit);
    let mut solved = solved.into_iter();
    for group in parts.chunk_by(|a, b| a.method == b.method) {
        let method = case.fit.methods[group[0].method];
        let mine: Vec<Solved> = solved.by_ref().take(group.len()).collect();
        match part::best(mine) {
            Ok(more) => found.extend(more),
            Err(failure) => {
                let text = format!("{}: {failure}", method.name());
                out.insert("failure".to_owned(), json!(text));
            }
        }
    }
    let mut data = measured.data;
    found.iter_mut().for_each(|f| verdict::judge(f, &data, case.fit.estimated));
    for (k, series) in data.iter_mut().enumerate() {
        let fitted = found.iter().filter_map(|f| Some((f.method().to_owned(), f.fitted.get(k)?.clone())));
        series["fitted"] = Value::Object(fitted.collect());
    }
    let log = found.iter().flat_map(|f| f.log.iter().cloned()).collect();
    out.insert("answers".to_owned(), found.into_iter().map(|f| f.answer).collect());
    out.insert("data".to_owned(), Value::Array(data));
    out.insert("log".to_owned(), log);
    Value::Object(out)
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
