//! One stored complementarity problem, such as the directory of a run keeps of steps that missed their laws, answered
//! by a solver of one's choice.

use complementarity::problem::contact::ContactProblem;
use complementarity::problem::error::customary_error;
use complementarity::problem::json::{self, JsonProblem};
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::text::{self, TextProblem};
use complementarity::solver::auto::Auto;
use complementarity::solver::dantzig::Dantzig;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::newton::Newton;
use complementarity::solver::{ContactSolver, ContactSolverConfig, Report, Solver, Status};
use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AnswerError {
    /// The text or the problem breaks its format.
    #[error("{0}")]
    Problem(String),
    /// There is no such solver for the problem.
    #[error("--solver {solver}: not a solver for this problem; expected {known}")]
    Solver {
        /// As asked.
        solver: String,
        /// Those there are.
        known: String,
    },
}

impl AnswerError {
    fn problem(error: impl std::fmt::Display) -> Self {
        Self::Problem(error.to_string())
    }
}

/// An answer, with what was tried on the way to it.
pub struct Answer {
    /// What the solver said.
    pub report: Report,
    /// The unknowns.
    pub solution: Vec<f64>,
    /// The solvers that were tried, one after the other.
    pub tried: Vec<(&'static str, Report)>,
    /// Residuals by the customary denominator, and by q alone.
    pub errors: [f64; 2],
}

/// Answers a problem with the solver of that name, to a residual relative to the problem's scale.
pub fn answer(problem: &JsonProblem, solver: &str, tolerance: f64) -> Result<Answer, AnswerError> {
    match problem {
        JsonProblem::Lcp(lcp) => linear(lcp, (solver, tolerance)),
        JsonProblem::Mixed(mixed) => bounded(mixed, (solver, tolerance)),
        JsonProblem::Contact(contact) => frictional(contact, (solver, tolerance)),
    }
}

/// Reads a problem: the text formats `lcp` and `fc`, or JSON.
pub fn read_problem(text: &str) -> Result<JsonProblem, AnswerError> {
    if text.trim_start().starts_with('{') {
        return json::read(text).map_err(AnswerError::problem);
    }
    Ok(match text::read(text).map_err(AnswerError::problem)? {
        TextProblem::Lcp(lcp) => JsonProblem::Lcp(lcp),
        TextProblem::Contact(contact) => JsonProblem::Contact(contact),
    })
}

fn unknown(solver: &str, known: &str) -> AnswerError {
    AnswerError::Solver { solver: solver.to_owned(), known: known.to_owned() }
}

fn linear(lcp: &Lcp, (name, tolerance): (&str, f64)) -> Result<Answer, AnswerError> {
    lcp.validate().map_err(AnswerError::problem)?;
    let mut z = vec![0.0; lcp.len()];
    let mut tried = Vec::new();
    let report = match name {
        "auto" => {
            let mut solver = LcpAuto::default();
            solver.tolerance = tolerance;
            let report = solver.solve(lcp, &mut z);
            tried = solver.tried().to_vec();
            report
        }
        "lemke" => {
            let mut solver = Lemke::default();
            solver.tolerance = tolerance;
            solver.solve(lcp, &mut z)
        }
        "murty" => {
            let mut solver = Murty::default();
            solver.tolerance = tolerance;
            solver.solve(lcp, &mut z)
        }
        "enumeration" => {
            let mut solver = Enumeration::default();
            solver.tolerance = tolerance;
            solver.solve(lcp, &mut z)
        }
        "newton" => {
            let mut solver = Newton::default();
            solver.tolerance = tolerance;
            solver.solve(lcp, &mut z)
        }
        other => return Err(unknown(other, "auto, lemke, murty, enumeration or newton")),
    };
    let absolute = lcp.residual(&z);
    let size = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let w: Vec<f64> = (0..lcp.len()).map(|i| lcp.slack(&z, i)).collect();
    let by = |size: f64| if absolute == 0.0 { 0.0 } else { absolute / size };
    let errors = [by(size(&lcp.q).max(size(&z)).max(size(&w))), by(size(&lcp.q))];
    Ok(finish(name, report, z, tried, errors))
}

fn bounded(mixed: &MixedLcp, (name, tolerance): (&str, f64)) -> Result<Answer, AnswerError> {
    mixed.validate().map_err(AnswerError::problem)?;
    let mut z = vec![0.0; mixed.len()];
    let mut tried = Vec::new();
    let mut report = Report { status: Status::Failed, iterations: 0, residual: f64::INFINITY };
    for method in ["dantzig", "newton"] {
        if (name == "auto" && report.status != Status::Solved) || name == method {
            report = if method == "dantzig" {
                let mut solver = Dantzig::default();
                solver.tolerance = tolerance;
                solver.solve(mixed, &mut z)
            } else {
                let mut solver = Newton::default();
                solver.tolerance = tolerance;
                solver.solve(mixed, &mut z)
            };
            tried.push((method, report));
        }
    }
    if tried.is_empty() {
        return Err(unknown(name, "auto, dantzig or newton"));
    }
    let absolute = mixed.residual(&z);
    let size = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let by = |size: f64| if absolute == 0.0 { 0.0 } else { absolute / size };
    let errors = [by(size(&mixed.q).max(size(&z))), by(size(&mixed.q))];
    Ok(finish(name, report, z, tried, errors))
}

fn frictional(contact: &ContactProblem, (name, tolerance): (&str, f64)) -> Result<Answer, AnswerError> {
    contact.validate().map_err(AnswerError::problem)?;
    let known = || ContactSolver::ALL.map(ContactSolver::name).join(", ");
    let method = ContactSolver::from_name(name).ok_or_else(|| unknown(name, &known()))?;
    let config = ContactSolverConfig { tolerance, ..ContactSolverConfig::new(method) };
    let mut z = vec![0.0; contact.len()];
    let mut tried = Vec::new();
    let report = if method == ContactSolver::Auto {
        let mut solver = Auto::new(config.tolerance, config.iterations);
        let report = solver.solve(contact, &mut z);
        tried = solver.tried().to_vec();
        report
    } else {
        config.build().solve(contact, &mut z)
    };
    let error = customary_error(contact, &z);
    Ok(finish(name, report, z, tried, [error.error, error.error_by_q]))
}

fn finish(
    solver: &str,
    report: Report,
    solution: Vec<f64>,
    mut tried: Vec<(&'static str, Report)>,
    errors: [f64; 2],
) -> Answer {
    if tried.is_empty() {
        let name = ["lemke", "murty", "enumeration", "newton", "dantzig"].into_iter().find(|n| *n == solver);
        let name = name.or(ContactSolver::from_name(solver).map(ContactSolver::name)).unwrap_or("auto");
        tried.push((name, report));
    }
    Answer { report, solution, tried, errors }
}
