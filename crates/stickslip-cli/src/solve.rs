//! `stickslip solve`: one stored complementarity problem.

use crate::{Failure, output};
use clap::Args;
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::convert::ContactLcp;
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
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args)]
pub struct SolveArgs {
    /// A problem file: the text formats `lcp` and `fc`, or JSON.
    problem: PathBuf,
    /// auto (default); for linear problems lemke, murty, enumeration, newton; for mixed ones dantzig, newton; for contact
    /// problems those of `run`.
    #[arg(long, default_value = "auto")]
    solver: String,
    /// Residual to reach, relative to the problem's scale.
    #[arg(long, default_value_t = 1e-10)]
    tolerance: f64,
    /// Enumerate all solutions (small linear problems, and contact problems with polyhedral cones).
    #[arg(long)]
    all: bool,
    /// Print one JSON object on stdout.
    #[arg(long)]
    json: bool,
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
pub fn answer(problem: &JsonProblem, solver: &str, tolerance: f64) -> Result<Answer, String> {
    let answer = match problem {
        JsonProblem::Lcp(lcp) => linear(lcp, (solver, tolerance)),
        JsonProblem::Mixed(mixed) => bounded(mixed, (solver, tolerance)),
        JsonProblem::Contact(contact) => frictional(contact, (solver, tolerance)),
    };
    answer.map_err(|failure| match failure {
        Failure::Message(message) => message,
        Failure::Scene(error) => error.to_string(),
    })
}

/// Reads a problem: the text formats `lcp` and `fc`, or JSON.
pub fn read_problem(text: &str) -> Result<JsonProblem, String> {
    if text.trim_start().starts_with('{') {
        return json::read(text).map_err(|e| e.to_string());
    }
    Ok(match text::read(text).map_err(|e| e.to_string())? {
        TextProblem::Lcp(lcp) => JsonProblem::Lcp(lcp),
        TextProblem::Contact(contact) => JsonProblem::Contact(contact),
    })
}

/// Runs the command. The code is 0 when the question is answered: solved, or proven to have no solution.
pub fn solve(args: SolveArgs) -> Result<u8, Failure> {
    if !(args.tolerance > 0.0 && args.tolerance.is_finite()) {
        return Err(Failure::Message(format!("--tolerance {}: expected a positive number", args.tolerance)));
    }
    let problem = read(&args.problem)?;
    let all = match &problem {
        _ if !args.all => None,
        JsonProblem::Lcp(lcp) => Some(all_of(lcp, |z| z.to_vec())?),
        JsonProblem::Mixed(_) => {
            return Err(Failure::Message(
                "--all takes linear and contact problems, this one is mixed".to_owned(),
            ));
        }
        JsonProblem::Contact(contact) => Some(all_contact(contact)?),
    };
    let answer = answer(&problem, &args.solver, args.tolerance)?;
    let mut value = json!({
        "status": answer.report.status,
        "residual": answer.errors[0],
        "residual_by_q": answer.errors[1],
        "iterations": answer.report.iterations,
        "tried": answer.tried.iter().map(|(name, r)| json!({
            "solver": name, "status": r.status, "residual": r.residual, "iterations": r.iterations,
        })).collect::<Vec<_>>(),
        "solution": answer.solution,
    });
    if let Some(all) = all {
        value["solutions"] = all;
    }
    output::print(&if args.json { format!("{value:#}\n") } else { in_words(&value) })?;
    Ok(u8::from(!matches!(answer.report.status, Status::Solved | Status::NoSolution)))
}

fn read(path: &std::path::Path) -> Result<JsonProblem, Failure> {
    let bad = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let advice = "expected a problem file, such as `run --out DIR` keeps in DIR/missed of steps that missed their laws";
    let text = std::fs::read_to_string(path).map_err(|e| bad(format!("{e}; {advice}")))?;
    read_problem(&text).map_err(bad)
}

fn unknown(solver: &str, known: &str) -> Failure {
    Failure::Message(format!("--solver {solver}: not a solver for this problem; expected {known}"))
}

fn linear(lcp: &Lcp, (name, tolerance): (&str, f64)) -> Result<Answer, Failure> {
    lcp.validate().map_err(|e| e.to_string())?;
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

fn bounded(mixed: &MixedLcp, (name, tolerance): (&str, f64)) -> Result<Answer, Failure> {
    mixed.validate().map_err(|e| e.to_string())?;
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

fn frictional(contact: &ContactProblem, (name, tolerance): (&str, f64)) -> Result<Answer, Failure> {
    contact.validate().map_err(|e| e.to_string())?;
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

fn all_of(lcp: &Lcp, mut as_solution: impl FnMut(&[f64]) -> Vec<f64>) -> Result<Value, Failure> {
    let mut enumeration = Enumeration::default();
    enumeration.tolerance = 1e-10;
    if lcp.len() > enumeration.largest {
        let limit = enumeration.largest;
        return Err(Failure::Message(format!("--all: {} unknowns, expected at most {limit}", lcp.len())));
    }
    let all = enumeration.all(lcp);
    let solutions: Vec<Vec<f64>> = all.solutions.iter().map(|z| as_solution(z)).collect();
    if all.singular_bases > 0 {
        eprintln!(
            "note: {} singular bases hold solutions too: a continuum may pass through them",
            all.singular_bases
        );
    }
    Ok(json!(solutions))
}

fn all_contact(contact: &ContactProblem) -> Result<Value, Failure> {
    let mut convert = ContactLcp::default();
    convert.build(contact).map_err(|e| format!("--all: {e}; expected polyhedral or planar cones"))?;
    let lcp = convert.lcp().clone();
    all_of(&lcp, |y| {
        let mut lambda = vec![0.0; contact.len()];
        convert.recover(y, &mut lambda);
        lambda
    })
}

fn in_words(value: &Value) -> String {
    let mut text = format!(
        "{}: residual {:.3e}, by |q| {:.3e}, {} iterations\n",
        value["status"].as_str().unwrap_or("?"),
        value["residual"].as_f64().unwrap_or(f64::NAN),
        value["residual_by_q"].as_f64().unwrap_or(f64::NAN),
        value["iterations"],
    );
    for one in value["tried"].as_array().into_iter().flatten() {
        let (solver, status) = (one["solver"].as_str().unwrap_or("?"), one["status"].as_str().unwrap_or("?"));
        let residual = one["residual"].as_f64().unwrap_or(f64::NAN);
        text.push_str(&format!(
            "  {solver:<12} {status:<16} {residual:.3e}  {} iterations\n",
            one["iterations"]
        ));
    }
    match value.get("solutions").and_then(Value::as_array) {
        Some(all) => {
            text.push_str(&format!("{} solutions\n", all.len()));
            all.iter().for_each(|z| text.push_str(&format!("  {z}\n")));
        }
        None => text.push_str(&format!("solution {}\n", value["solution"])),
    }
    text
}
