//! Runs contact solvers over the problems of a folder and prints how far each comes and how long it takes.
//!
//! `cargo run --release --example problems -- ../shared/problems [PART OF A NAME] [TOLERANCE]`

use complementarity::problem::contact::ContactProblem;
use complementarity::problem::error::customary_error;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::{ContactSolver, ContactSolverConfig, ENOUGH};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().map_or("../shared/problems", String::as_str);
    let part = arguments.get(1).map_or("", String::as_str);
    let tolerance = arguments.get(2).map_or(Ok(1e-12), |t| t.parse())?;
    let methods = [
        (ContactSolver::Auto, 100_000),
        (ContactSolver::Newton, 300),
        (ContactSolver::Proximal, 100),
        (ContactSolver::InteriorPoint, 200),
        (ContactSolver::Nsgs, 10_000),
    ];
    for set in ["fc3d", "fc2d"] {
        println!(
            "{:<38} {:>5} {:<14} {:<14} {:>8} {:>8} {:>8} {:>6} {:>9}",
            set, "nc", "", "status", "residual", "error", "by q", "its", "ms"
        );
        let mut files: Vec<PathBuf> = std::fs::read_dir(format!("{folder}/{set}"))?
            .map(|e| Ok(e?.path()))
            .collect::<Result<_, std::io::Error>>()?;
        files.sort();
        let mut totals = [0.0; 5];
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !name.contains(part) {
                continue;
            }
            let TextProblem::Contact(problem) = read(&std::fs::read_to_string(&file)?)? else { continue };
            for (total, (method, iterations)) in totals.iter_mut().zip(methods) {
                *total += line(
                    &name,
                    &problem,
                    ContactSolverConfig { method, tolerance, enough: ENOUGH, iterations },
                );
            }
        }
        for (total, (method, _)) in totals.iter().zip(methods) {
            println!("{:<59} {total:>9.1} ms", format!("{set} {}", method.name()));
        }
    }
    Ok(())
}

/// One line of the table. Returns the time in ms.
fn line(name: &str, problem: &ContactProblem, config: ContactSolverConfig) -> f64 {
    let mut z = vec![0.0; problem.len()];
    let start = Instant::now();
    let report = config.build().solve(problem, &mut z);
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let error = customary_error(problem, &z);
    println!(
        "{name:<38} {:>5} {:<14} {:<14} {:>8.1e} {:>8.1e} {:>8.1e} {:>6} {ms:>9.2}",
        problem.groups.len(),
        config.method.name(),
        format!("{:?}", report.status),
        report.residual,
        error.error,
        error.error_by_q,
        report.iterations
    );
    ms
}
