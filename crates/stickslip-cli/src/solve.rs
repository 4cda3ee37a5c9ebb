//! `stickslip solve`: one stored complementarity problem.

use crate::{Failure, output};
use clap::Args;
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::convert::ContactLcp;
use complementarity::problem::json::JsonProblem;
use complementarity::problem::lcp::Lcp;
use complementarity::solver::Status;
use complementarity::solver::enumeration::Enumeration;
use serde_json::{Value, json};
use std::path::PathBuf;
use stickslip_run::answer::{answer, read_problem};

#[derive(Args)]
pub(crate) struct SolveArgs {
    /// A problem file: the text formats `lcp` and `fc`, or JSON.
    problem: PathBuf,
    /// auto (default); for linear problems lemke, murty, enumeration, newton; for mixed ones dantzig, newton; for
    /// contact problems those of `run`.
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

/// Runs the command. The code is 0 when the question is answered: solved, or proven to have no solution.
pub(crate) fn solve(args: SolveArgs) -> Result<u8, Failure> {
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
    let answer = answer(&problem, &args.solver, args.tolerance).map_err(|e| e.to_string())?;
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
    read_problem(&text).map_err(|e| bad(e.to_string()))
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
