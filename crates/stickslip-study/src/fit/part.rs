//! Parts of a case that can be done apart from each other: every start of least squares, and every other method as a
//! whole.
//!
//! A part ends as the JSON that the case will hold, so that it does not matter who did it; [`best`] makes of the starts
//! of least squares its answer. What goes on within a part is one search after another point: a worker does that alone.

use super::answer::{self, Answer};
use super::case::Case;
use super::data::{self, Series};
use super::least_squares::{Ending, minimise};
use super::model::{Evaluation, Model};
use super::statistics::statistics;
use super::watch::{Tried, Watch};
use super::{Fit, Method, filter, mpec, window};
use crate::error::StudyError;
use crate::random::Random;
use crate::study::Study;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The place of its method among those of the study.
    pub method: usize,
    /// The number of the start; 0 for methods with one.
    pub start: usize,
}

/// The parts of every case of a fit, in the order of its answers.
pub fn parts(fit: &Fit) -> Vec<Part> {
    let starts = |method: &Method| if *method == Method::LeastSquares { fit.starts } else { 1 };
    let of = |(k, method)| (0..starts(method)).map(move |start| Part { method: k, start });
    fit.methods.iter().enumerate().flat_map(of).collect()
}

/// An answer with what belongs to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// As in the `answers` of the case.
    pub answer: Value,
    /// What the model says at the measured times, series by series.
    pub fitted: Vec<Value>,
    /// As in [`Answer::residuals`].
    pub residuals: Option<Vec<Vec<f64>>>,
    /// What was evaluated, as in the `log` of the case.
    pub log: Vec<Value>,
}

impl Found {
    /// The name of its method.
    pub fn method(&self) -> &str {
        self.answer["method"].as_str().unwrap_or_default()
    }

    fn new(study: &Study, case: &Case, found: &Answer) -> Self {
        Self {
            answer: answer::json(study, case, found),
            fitted: found.fitted.iter().map(|f| json!(f)).collect(),
            residuals: found.residuals.clone(),
            log: log(&found.method, &found.log),
        }
    }
}

fn log(method: &str, evaluations: &[Evaluation]) -> Vec<Value> {
    evaluations.iter().map(|e| json!([method, e.cost, e.x])).collect()
}

/// What came of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Solved {
    /// Answers of a method.
    Answers(Vec<Found>),
    /// The answer from a start of least squares.
    Start(Found),
    /// A start that leads nowhere: why, and what was evaluated.
    Nowhere(String, Vec<Value>),
    /// A method that has no answer, and why.
    Failed(StudyError),
}

/// The measurements of a case as it shows them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// How many there are.
    pub points: usize,
    /// Transitions that encoders missed.
    pub missed_transitions: usize,
    /// By series, as in the `data` of the case.
    pub data: Vec<Value>,
}

impl Measured {
    /// Of the series of a case.
    pub fn new(case: &Case, series: &[Series]) -> Self {
        let one = |s: &Series| {
            let set = &case.fit.data[s.set];
            json!({
                "set": set.name,
                "column": set.columns[s.column].name,
                "signal": set.columns[s.column].text,
                "deviation": s.deviation,
                "time": s.times,
                "measured": s.values,
                "fitted": {},
            })
        };
        Self {
            points: series.iter().map(|s| s.values.len()).sum(),
            missed_transitions: series.iter().map(|s| s.missed).sum(),
            data: series.iter().map(one).collect(),
        }
    }
}

/// What a worker answers to a part: the measurements come with the first one only.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    measured: Option<Measured>,
    /// Or why there is nothing to fit to.
    solved: Result<Solved, StudyError>,
}

impl Reply {
    /// Tells who looks on of the points that were tried, those of difference quotients among them.
    pub fn tell(&self, case: u64, start: usize, watch: Watch<'_>) {
        let logs: Vec<&[Value]> = match &self.solved {
            Ok(Solved::Answers(all)) => all.iter().map(|f| f.log.as_slice()).collect(),
            Ok(Solved::Start(found)) => vec![&found.log],
            Ok(Solved::Nowhere(_, log)) => vec![log],
            Ok(Solved::Failed(_)) | Err(_) => Vec::new(),
        };
        for line in logs.into_iter().flatten() {
            // what `log` writes
            let method = line[0].as_str().unwrap_or_default();
            watch.tell(&Tried { case, method, start, cost: line[1].as_f64() });
        }
    }
}

/// The parts of a case, in their order, that workers have answered.
pub fn together(replies: Vec<Reply>) -> Result<(Measured, Vec<Solved>), StudyError> {
    let (mut measured, mut solved) = (None, Vec::new());
    for reply in replies {
        solved.push(reply.solved?);
        measured = measured.or(reply.measured);
    }
    Ok((measured.ok_or(StudyError::NoPartMeasured)?, solved))
}

/// Does a part from the study alone, by one thread.
pub fn run(study: &Study, fit: &Fit, index: u64, part: usize) -> Reply {
    let case = Case::new(study, fit, index);
    match measure(study, &case) {
        Ok(series) => Reply {
            measured: (part == 0).then(|| Measured::new(&case, &series)),
            solved: Ok(solve(study, &case, &series, parts(fit)[part], 1)),
        },
        Err(failure) => Reply { measured: None, solved: Err(failure) },
    }
}

/// The series of a case.
pub fn measure(study: &Study, case: &Case) -> Result<Vec<Series>, StudyError> {
    let truth = case.truth.as_ref().map(|t| case.values(study, t));
    data::measure(study, case, truth.as_deref())
}

/// Does a part, with up to `jobs` threads.
pub fn solve(study: &Study, case: &Case, series: &[Series], part: Part, jobs: usize) -> Solved {
    let found = match case.fit.methods[part.method] {
        Method::LeastSquares => return least_squares(study, case, series, part.start, jobs),
        Method::Mpec => mpec::solve(study, case, series).map(|a| vec![a]),
        Method::MovingWindow => window::solve(study, case, series),
        Method::ParticleFilter => filter::solve(study, case, series, jobs).map(|a| vec![a]),
    };
    match found {
        Ok(all) => Solved::Answers(all.iter().map(|a| Found::new(study, case, a)).collect()),
        Err(failure) => Solved::Failed(failure),
    }
}

/// Least squares from one start.
fn least_squares(study: &Study, case: &Case, series: &[Series], start: usize, jobs: usize) -> Solved {
    let mut model = Model::new(study, case, series, jobs);
    model.start = start;
    let Some(solution) = minimise(&mut model, &begin(study, case, start)) else {
        let log = log(Method::LeastSquares.name(), &model.log);
        return Solved::Nowhere(model.failure.map_or_else(String::new, |f| f.to_string()), log);
    };
    let fitted = model.fit(&solution.x).unwrap_or_default();
    let ranges: Vec<f64> = case.active.iter().map(|&i| case.upper[i] - case.lower[i]).collect();
    let statistics = statistics(&solution.residuals, &solution.jacobian, &ranges, case.fit.estimated);
    let mut more = Map::new();
    let ending = solution.ending.name();
    more.insert(
        "starts".to_owned(),
        json!([{ "status": ending, "cost": solution.cost(), "values": solution.x }]),
    );
    let missed = model.missed();
    if let Some(failure) = model.failure {
        more.insert("some_values_failed".to_owned(), json!(failure));
    }
    let answer = Answer {
        method: Method::LeastSquares.name().to_owned(),
        status: ending.to_owned(),
        converged: solution.ending == Ending::Converged,
        certified: missed == 0 && !fitted.is_empty(),
        cost: solution.cost(),
        x: solution.x,
        iterations: solution.iterations,
        statistics: Some(statistics),
        spread: None,
        residuals: None,
        fitted,
        log: model.log,
        more,
    };
    Solved::Start(Found::new(study, case, &answer))
}

/// A start: the first is the study's, the others are uniform between the bounds.
fn begin(study: &Study, case: &Case, start: usize) -> Vec<f64> {
    let mut random = Random::new(study.seed ^ 0x57A2_7500, case.index);
    let mut x: Vec<f64> = case.active.iter().map(|&i| case.start[i]).collect();
    for _ in 0..start {
        let draw = |&i: &usize| case.lower[i] + random.uniform() * (case.upper[i] - case.lower[i]);
        x = case.active.iter().map(draw).collect();
    }
    x
}

/// The answers of a method from its parts: of starts the one of least cost, the first of equals, which lists them all.
pub fn best(solved: Vec<Solved>) -> Result<Vec<Found>, StudyError> {
    let (mut best, mut least): (Option<Found>, f64) = (None, f64::INFINITY);
    let (mut starts, mut log, mut failure) = (Vec::new(), Vec::new(), None);
    for part in solved {
        match part {
            Solved::Answers(all) => return Ok(all),
            Solved::Failed(why) => return Err(why),
            Solved::Nowhere(why, more) => {
                starts.push(json!({ "status": Ending::Failed.name(), "cost": null, "values": null }));
                log.extend(more);
                failure.get_or_insert(why);
            }
            Solved::Start(mut found) => {
                starts.extend(found.answer["starts"].as_array().into_iter().flatten().cloned());
                log.append(&mut found.log);
                let cost = found.answer["cost"].as_f64().unwrap_or(f64::INFINITY);
                if best.is_none() || cost < least {
                    (best, least) = (Some(found), cost);
                }
            }
        }
    }
    let Some(mut best) = best else {
        return Err(StudyError::NoStart(failure.unwrap_or_default()));
    };
    best.answer["starts"] = json!(starts);
    best.answer["evaluations"] = json!(log.len());
    best.log = log;
    Ok(vec![best])
}
