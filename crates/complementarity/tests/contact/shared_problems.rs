//! Contact problems made by others, kept in a folder next to the repository: every one is solved, and the errors are
//! those its makers use.

use complementarity::problem::contact::ContactProblem;
use complementarity::problem::error::customary_error;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::Solver;
use complementarity::solver::auto::Auto;
use std::path::{Path, PathBuf};

/// The problems of one folder by name.
fn problems(set: &str) -> Vec<(String, ContactProblem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems").join(set);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    assert!(!files.is_empty(), "no problems in {}", folder.display());
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            match read(&std::fs::read_to_string(&file).unwrap()) {
                Ok(TextProblem::Contact(problem)) => (name, problem),
                other => panic!("{name} is no contact problem: {:?}", other.err()),
            }
        })
        .collect()
}

/// Solves all with one set of defaults, prints the table, returns (name, error, error by q).
fn table(set: &str) -> Vec<(String, f64, f64)> {
    let problems = problems(set);
    println!(
        "{:<38} {:>5} {:<14} {:>9} {:>9} {:>9} {:>6}",
        set, "nc", "status", "residual", "error", "by q", "its"
    );
    let mut auto = Auto::new(1e-12, 100_000);
    let mut rows = Vec::new();
    for (name, problem) in problems {
        problem.validate().unwrap();
        let mut z = vec![0.0; problem.len()];
        let report = auto.solve(&problem, &mut z);
        let error = customary_error(&problem, &z);
        assert_eq!(problem.residual(&z).max(), report.residual, "{name}");
        let tried: Vec<&str> = auto.tried().iter().map(|t| t.0).collect();
        println!(
            "{name:<38} {:>5} {:<14} {:>9.1e} {:>9.1e} {:>9.1e} {:>6} {}",
            problem.groups.len(),
            format!("{:?}", report.status),
            report.residual,
            error.error,
            error.error_by_q,
            report.iterations,
            tried.join(", ")
        );
        rows.push((name, error.error, error.error_by_q));
    }
    rows
}

// the matrix of the rock pile is not symmetric, by 2 % of the diagonal
#[test]
#[ignore = "needs ../shared; .ci/run runs it where that is"]
fn shared_spatial_problems_are_solved_to_1e_8_and_the_rock_pile_to_1e_6() {
    for (name, error, by_q) in table("fc3d") {
        let limit = if name.starts_with("RockPile") { 1e-6 } else { 1e-8 };
        assert!(error <= limit && by_q <= limit, "{name}: {error:e} {by_q:e}");
    }
}

#[test]
#[ignore = "needs ../shared; .ci/run runs it where that is"]
fn shared_planar_problems_are_solved_to_1e_10() {
    for (name, error, by_q) in table("fc2d") {
        assert!(error <= 1e-10 && by_q <= 1e-10, "{name}: {error:e} {by_q:e}");
    }
}
