//! A window that moves along the data: the full-space problem of [`mpec`](super::mpec) on the last k steps only, with a
//! free initial state [Berard 2009, §7.6.2].
//!
//! ```text
//! p(t_l) = argmin sum over steps l − k ... l, over p and the state at the start of the window             (1)
//! ```
//!
//! There is no arrival cost: what lies before a window is forgotten, so that shorter windows follow changes faster and
//! scatter more. Windows are a fifth of their length apart; each starts from the courses of the one before, carried on
//! to its end.

use super::Method;
use super::answer::Answer;
use super::case::Case;
use super::data::Series;
use super::least_squares::Ending;
use super::mpec::STAGES;
use super::mpec::course::Course;
use super::mpec::full::FullSpace;
use crate::error::StudyError;
use crate::study::Study;
use nalgebra::DVector;
use serde_json::{Map, Value, json};

/// One answer for every length: the parameters of the last window, with the history of all.
pub fn solve(study: &Study, case: &Case, series: &[Series]) -> Result<Vec<Answer>, StudyError> {
    if case.sets.len() != 1 {
        return Err(StudyError::OneSet { method: "a moving window", sets: case.sets.len() });
    }
    case.fit.windows.iter().map(|length| along(study, case, series, *length)).collect()
}

fn along(study: &Study, case: &Case, series: &[Series], length: usize) -> Result<Answer, StudyError> {
    let start: Vec<f64> = case.active.iter().map(|&i| case.start[i]).collect();
    let mut problem = FullSpace::new(study, case, series, start)?;
    problem.free = true;
    let whole = problem.parts[0].course.clone();
    let steps = whole.impulses.len();
    if length > steps {
        return Err(StudyError::Window { length, steps });
    }
    let stride = length.div_ceil(5);
    let (mut time, mut history): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut stalled, mut violation, mut relaxed) = (0, 0.0f64, 0.0f64);
    problem.parts[0].course = whole.cut(0, length);
    let mut end = length;
    loop {
        if problem.optimise(&STAGES)? != Ending::Converged {
            stalled += 1;
        }
        violation = violation.max(problem.violation());
        relaxed = relaxed.max(problem.relaxed);
        time.push(whole.times[end]);
        history.push(problem.x.clone());
        let by = stride.min(steps - end);
        if by == 0 {
            break;
        }
        problem.parts[0].course = carried(&problem, &whole.times[end - length..=end + by], by);
        problem.restore(STAGES[0]);
        end += by;
    }
    let tolerance = problem.tolerance();
    let (statistics, cost) = problem.statistics()?;
    let mut values = Map::new();
    for k in 0..case.active.len() {
        let column: Vec<f64> = history.iter().map(|x| x[k]).collect();
        values.insert(case.name(study, k).to_owned(), json!(column));
    }
    let mut more = Map::new();
    let windows = json!({ "steps": length, "count": time.len(), "not_converged": stalled });
    more.insert("window".to_owned(), windows);
    more.insert("history".to_owned(), json!({ "time": time, "values": Value::Object(values) }));
    more.insert("relaxation".to_owned(), json!(relaxed));
    more.insert("law_violation".to_owned(), json!(violation));
    Ok(Answer {
        method: format!("{}:{length}", Method::MovingWindow.name()),
        status: (if stalled == 0 { Ending::Converged } else { Ending::Stalled }).name().to_owned(),
        converged: stalled == 0,
        certified: violation <= tolerance,
        cost,
        iterations: problem.iterations,
        statistics: Some(statistics),
        spread: None,
        residuals: None,
        fitted: Vec::new(),
        log: std::mem::take(&mut problem.log),
        x: problem.x,
        more,
    })
}

/// The window's course without its first steps, carried on by as many; `times` are from its start to the new end.
fn carried(problem: &FullSpace, times: &[f64], by: usize) -> Course {
    let part = &problem.parts[0];
    let mut course = part.course.cut(by, part.course.impulses.len());
    for k in (times.len() - by)..times.len() {
        let dt = times[k] - times[k - 1];
        let last = course.q.len() - 1;
        let (q, u): (DVector<f64>, DVector<f64>) =
            (&course.q[last] + &course.u[last] * dt, course.u[last].clone());
        course.times.push(times[k]);
        course.q.push(q);
        course.u.push(u);
        let impulse = course.impulses[course.impulses.len() - 1].clone();
        course.impulses.push(impulse);
    }
    course
}
