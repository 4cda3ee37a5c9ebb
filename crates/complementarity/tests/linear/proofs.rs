//! What is proved about linear complementarity problems: no solution, all solutions, isolated ones.

use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::feasible::{infeasibility_certificate, is_certificate};
use complementarity::solver::isolated::{Isolation, isolation};
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::{Solver, Status};

fn lcp<const N: usize>(rows: [[f64; N]; N], q: [f64; N]) -> Lcp {
    Lcp::new(Dense::from_rows(&rows), q.to_vec()).unwrap()
}

fn names(auto: &LcpAuto) -> Vec<&'static str> {
    auto.tried().iter().map(|t| t.0).collect()
}

#[test]
fn an_infeasible_linear_part_is_proved_by_a_certificate() {
    let problem = lcp([[-1.0, -2.0], [3.0, 1.0]], [-1e-4, 5.0]);
    let y = infeasibility_certificate(&problem).unwrap();
    assert!(is_certificate(&problem, &y) && y[0] > 0.0);
    assert!(!is_certificate(&problem, &[0.0, 1.0]) && !is_certificate(&problem, &[-1.0, 0.0]));
    // the same with rows and columns in other units
    let scaled = lcp([[-1e8, -2e-4], [3e3, 1e-9]], [-1e4, 5e-5]);
    assert!(infeasibility_certificate(&scaled).is_some());
    // feasible, with one solution
    assert!(infeasibility_certificate(&lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])).is_none());
}

#[test]
fn a_large_problem_without_solution_is_settled_by_the_certificate() {
    // w_0 = −z_0 − z_1 − ... − 1 cannot be positive
    let n = 40;
    let mut m = Dense::identity(n);
    m.row_mut(0).fill(-1.0);
    let problem = Lcp::new(m, vec![-1.0; n]).unwrap();
    let mut auto = LcpAuto::default();
    assert_eq!(auto.solve(&problem, &mut vec![0.0; n]).status, Status::NoSolution);
    assert_eq!(names(&auto), ["lemke", "newton", "certificate"]);
}

#[test]
fn a_feasible_problem_without_solution_is_settled_by_enumeration() {
    let problem = lcp([[0.0, 1.0], [1.0, 0.0]], [-1.0, 1.0]);
    assert!(infeasibility_certificate(&problem).is_none());
    let mut auto = LcpAuto::default();
    assert_eq!(auto.solve(&problem, &mut [0.0; 2]).status, Status::NoSolution);
    assert_eq!(names(&auto), ["lemke", "enumeration"]);
}

#[test]
fn a_singular_set_without_solution_does_not_spoil_the_proof() {
    // {0, 1} is singular and consistent, z_0 + z_1 = −1, but holds no z >= 0
    let problem = lcp([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, -1.0]], [1.0, 1.0, -1.0]);
    assert_eq!(Enumeration::default().solve(&problem, &mut [0.0; 3]).status, Status::NoSolution);
    assert_eq!(Enumeration::default().all(&problem).singular_bases, 0);
}

#[test]
fn isolated_solutions_and_segments_are_told_apart() {
    // two separate unknowns: 0 <= z ⟂ 1 − z >= 0 twice over, four isolated solutions
    let four = lcp([[-1.0, 0.0], [0.0, -1.0]], [1.0, 1.0]);
    let all = Enumeration::default().all(&four);
    assert_eq!(all.solutions.len(), 4);
    assert!(all.solutions.iter().all(|z| isolation(&four, z) == Isolation::Isolated));
    // an isolated point next to a ray: z_1 is free where z_0 = 0, and z_0 = 1 needs z_1 = 0
    let mixed = lcp([[-1.0, 0.0], [1.0, 0.0]], [1.0, 0.0]);
    let all = Enumeration::default().all(&mixed);
    let of = |z: &Vec<f64>| isolation(&mixed, z);
    assert_eq!(all.solutions.iter().map(of).collect::<Vec<_>>(), [Isolation::Continuum, Isolation::Isolated]);
}

/// The public test problems: see the README of the folder.
#[test]
#[ignore = "needs ../shared; .ci/run runs it where that is"]
fn the_shared_public_problems_are_settled_and_those_without_solution_are_known() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems/lcp");
    let folder = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut files: Vec<_> = folder.filter_map(|f| Some(f.ok()?.path())).collect();
    files.sort();
    let (mut solved, mut none) = (0, Vec::new());
    println!(
        "{:36} {:>3} {:>11} {:>9} {:>10} {:>9}",
        "problem", "n", "status", "residual", "solutions", "isolated"
    );
    for file in files {
        let TextProblem::Lcp(lcp) = read(&std::fs::read_to_string(&file).unwrap()).unwrap() else { continue };
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut z = vec![0.0; lcp.len()];
        let report = LcpAuto::default().solve(&lcp, &mut z);
        let mut counts = [String::new(), String::new()];
        if lcp.len() <= 12 {
            let all = Enumeration::default().all(&lcp).solutions;
            let isolated = all.iter().filter(|z| isolation(&lcp, z) == Isolation::Isolated).count();
            counts = [all.len().to_string(), isolated.to_string()];
        }
        let (n, status) = (lcp.len(), format!("{:?}", report.status));
        println!(
            "{name:36} {n:>3} {status:>11} {:>9.1e} {:>10} {:>9}",
            report.residual, counts[0], counts[1]
        );
        match report.status {
            Status::Solved => solved += usize::from(report.residual <= 1e-10),
            Status::NoSolution => none.push(name),
            _ => {}
        }
    }
    assert_eq!((solved, none), (16, vec!["lcp_Pang_isolated_sol_perturbed".to_string()]));
}
