//! Mixed linear complementarity problems with bounds: as they are, as nonlinear ones, as linear ones after their
//! reduction, and where the matrix is symmetric as quadratic programs.
//!
//! With symmetric M, (1) of `problem/mixed.rs` are the conditions of `min z^T M z / 2 + q^T z` over the bounds; the
//! multipliers are w.

use crate::boxes::Random;
use crate::stored;
use complementarity::dense::{Dense, dot};
use complementarity::problem::json::JsonProblem;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::qp::Qp;
use complementarity::problem::reduction::Reduction;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::dantzig::Dantzig;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::newton::Newton;
use complementarity::solver::traits::{MatrixKind, MixedTraits};
use complementarity::solver::{Report, Solver, Status};

const INF: f64 = f64::INFINITY;

/// The stored problems: name, kind of matrix, whether it is symmetric.
fn mixed() -> Vec<(String, MixedLcp, MatrixKind, bool)> {
    let all = stored().into_iter().filter_map(|(name, problem)| {
        let JsonProblem::Mixed(problem) = problem else { return None };
        let (kind, symmetric) = match name.split('-').nth(1) {
            Some("definite") => (MatrixKind::P, true),
            Some("p") => (MatrixKind::P, false),
            Some("semidefinite") => (MatrixKind::Semidefinite, true),
            Some("indefinite") => (MatrixKind::General, true),
            _ => (MatrixKind::General, false),
        };
        Some((name, problem, kind, symmetric))
    });
    all.collect()
}

/// A linear complementarity problem for each mixed one, its solver and the answer taken back.
fn reduced(solver: &mut dyn Solver<Lcp>, problem: &MixedLcp, z: &mut [f64]) -> Report {
    let mut reduction = Reduction::default();
    if reduction.build(problem).is_err() {
        return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
    }
    let mut y = vec![0.0; reduction.lcp().len()];
    let report = solver.solve(reduction.lcp(), &mut y);
    reduction.recover(problem, &y, z);
    report
}

#[test]
fn every_solver_of_mixed_problems_answers_the_matrices_it_names() {
    type Call = fn(&MixedLcp, &mut [f64]) -> Report;
    // a bound on both sides makes the matrix of the reduced problem semidefinite at best
    let any = MixedTraits { matrices: MatrixKind::Semidefinite, symmetric: false };
    let solvers: [(&str, MixedTraits, Call); 5] = [
        ("dantzig", Dantzig::TRAITS, |p, z| Dantzig::default().solve(p, z)),
        ("newton", MixedTraits { matrices: Newton::TRAITS.matrices, symmetric: false }, |p, z| {
            Newton::default().solve(p, z)
        }),
        ("lemke", any, |p, z| reduced(&mut Lemke::default(), p, z)),
        ("enumeration", any, |p, z| reduced(&mut Enumeration::default(), p, z)),
        ("auto", any, |p, z| reduced(&mut LcpAuto::default(), p, z)),
    ];
    let mut answered = [0; 5];
    for (name, problem, kind, symmetric) in mixed() {
        for (k, (solver, traits, call)) in solvers.iter().enumerate() {
            let mut z = vec![0.0; problem.len()];
            let report = call(&problem, &mut z);
            let found = problem.residual(&z) / problem.scale();
            // all of these problems have a solution
            assert_ne!(report.status, Status::NoSolution, "{name} {solver}");
            assert!(
                report.status != Status::Solved || found <= 1e-10,
                "{name} {solver}: {report:?} {found:e}"
            );
            if kind <= traits.matrices && (symmetric || !traits.symmetric) {
                assert_eq!(report.status, Status::Solved, "{name} {solver}: {report:?}");
                answered[k] += 1;
            }
        }
    }
    assert!(answered.iter().all(|n| *n >= 6), "{answered:?}");
}

/// The quadratic program of a symmetric problem; unknowns without bounds have no row.
fn program(problem: &MixedLcp) -> Qp {
    let n = problem.len();
    let bounded: Vec<usize> = (0..n).filter(|&i| problem.lower[i] > -INF || problem.upper[i] < INF).collect();
    let mut c = Dense::zeros(bounded.len(), n);
    bounded.iter().enumerate().for_each(|(row, &i)| c[(row, i)] = 1.0);
    let sides = |of: &[f64]| bounded.iter().map(|&i| of[i]).collect();
    let (h, g) = (problem.m.clone(), problem.q.clone());
    Qp { h, g, c, lower: sides(&problem.lower), upper: sides(&problem.upper) }
}

#[test]
fn every_solver_of_quadratic_programs_answers_the_convex_ones_and_refuses_the_rest() {
    let mut solvers: Vec<(&str, f64, Box<dyn Solver<Qp>>)> =
        vec![("active-set", 1e-9, Box::new(ActiveSet::default()))];
    #[cfg(feature = "clarabel")]
    solvers.push(("interior", 1e-6, Box::new(complementarity::solver::interior_qp::InteriorQp::default())));
    let (mut answered, mut refused) = (0, 0);
    for (name, problem, kind, symmetric) in mixed() {
        let qp = program(&problem);
        let n = problem.len();
        for (solver, tolerance, own) in &mut solvers {
            let mut z = vec![0.0; n + qp.constraints()];
            let report = own.solve(&qp, &mut z);
            if symmetric && kind <= MatrixKind::Semidefinite {
                assert_eq!(report.status, Status::Solved, "{name} {solver}: {report:?}");
                let found = problem.residual(&z[..n]) / problem.scale();
                assert!(found <= *tolerance, "{name} {solver}: {found:e}");
                // the multipliers are the w of the mixed problem
                let w = |i: usize| dot(problem.m.row(i), &z[..n]) + problem.q[i];
                let off = (0..qp.constraints()).map(|row| {
                    let i = (0..n).find(|&i| qp.c[(row, i)] == 1.0).unwrap();
                    (z[n + row] - w(i)).abs()
                });
                let off = off.fold(0.0, f64::max) / problem.scale();
                assert!(off <= *tolerance, "{name} {solver}: multipliers off by {off:e}");
                answered += 1;
            } else {
                assert_ne!(report.status, Status::Solved, "{name} {solver}: {report:?}");
                refused += usize::from(report.status == Status::Unsupported);
            }
        }
    }
    assert!(answered == 6 * solvers.len() && refused >= 9, "{answered} {refused}");
}

/// Bounds of every kind, and where within them the known solution is: a value and the sign of its w.
const PLACES: [(f64, f64, f64, f64); 9] = [
    (-INF, INF, 0.4, 0.0),
    (0.0, INF, 0.0, 1.0),
    (0.0, INF, 0.6, 0.0),
    (-INF, -0.5, -0.5, -1.0),
    (-INF, -0.5, -0.9, 0.0),
    (-1.0, 0.25, -1.0, 1.0),
    (-1.0, 0.25, 0.25, -1.0),
    (-0.2, 0.2, 0.1, 0.0),
    (0.7, 0.7, 0.7, -1.0),
];

/// What is stored: matrices of every kind, each in three sizes.
pub fn problems() -> Vec<(String, MixedLcp)> {
    let mut random = Random(11);
    let mut out = Vec::new();
    for kind in ["definite", "semidefinite", "p", "indefinite", "general"] {
        for n in [3, 6, 9] {
            let entries: Vec<f64> = (0..n * n).map(|_| random.next()).collect();
            let rank = if kind == "semidefinite" { n / 2 } else { n };
            let mut m = Dense::zeros(n, n);
            for i in 0..n {
                for j in 0..n {
                    let square: f64 = (0..rank).map(|k| entries[i * n + k] * entries[j * n + k]).sum();
                    let (high, low) = (i.min(j), i.max(j));
                    let skew = if i < j { entries[high * n + low] } else { -entries[high * n + low] };
                    m[(i, j)] = match kind {
                        "general" => entries[i * n + j],
                        "indefinite" => entries[high * n + low],
                        "p" if i != j => square + 0.5 * skew,
                        _ => square,
                    };
                }
                m[(i, i)] += if matches!(kind, "definite" | "p") { 0.5 } else { 0.0 };
            }
            if kind == "indefinite" {
                m[(0, 0)] = -1.0;
            }
            let place: Vec<_> = (0..n).map(|i| PLACES[(i + n) % PLACES.len()]).collect();
            let w = |i: usize| place[i].3 * (0.1 + 0.2 * (1 + i % 3) as f64);
            let z: Vec<f64> = place.iter().map(|p| p.2).collect();
            let q = (0..n).map(|i| w(i) - dot(m.row(i), &z)).collect();
            let (lower, upper) = place.iter().map(|p| (p.0, p.1)).unzip();
            out.push((format!("mixed-{kind}-{n}"), MixedLcp { m, q, lower, upper }));
        }
    }
    out
}
