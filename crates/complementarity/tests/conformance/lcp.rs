//! Linear complementarity problems.

use crate::boxes::Random;
use crate::stored;
use complementarity::dense::Dense;
use complementarity::problem::json::JsonProblem;
use complementarity::problem::lcp::Lcp;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::newton::Newton;
use complementarity::solver::traits::{LcpTraits, MatrixKind};
use complementarity::solver::{Solver, Status};

#[test]
fn every_solver_of_lcps_answers_the_matrices_it_names() {
    type Entry = (&'static str, LcpTraits, Box<dyn Solver<Lcp>>);
    let mut solvers: [Entry; 5] = [
        ("lemke", Lemke::TRAITS, Box::new(Lemke::default())),
        ("murty", Murty::TRAITS, Box::new(Murty::default())),
        ("enumeration", Enumeration::TRAITS, Box::new(Enumeration::default())),
        ("newton", Newton::TRAITS, Box::new(Newton::default())),
        ("auto", LcpAuto::TRAITS, Box::new(LcpAuto::default())),
    ];
    let mut answered = [0; 5];
    for (name, problem) in stored() {
        let JsonProblem::Lcp(lcp) = problem else { continue };
        let kind = match name.split('-').nth(1) {
            Some("p") => MatrixKind::P,
            Some("semidefinite") => MatrixKind::Semidefinite,
            _ => MatrixKind::General,
        };
        for (k, (solver, traits, own)) in solvers.iter_mut().enumerate() {
            let mut z = vec![0.0; lcp.len()];
            let report = own.solve(&lcp, &mut z);
            let found = lcp.residual(&z) / lcp.scale();
            // whatever the matrix, nobody claims what is not so: all of these problems have a solution
            assert_ne!(report.status, Status::NoSolution, "{name} {solver}");
            assert!(
                report.status != Status::Solved || found <= 1e-11,
                "{name} {solver}: {report:?} {found:e}"
            );
            if kind <= traits.matrices && lcp.len() <= traits.largest {
                assert_eq!(report.status, Status::Solved, "{name} {solver}: {report:?}");
                answered[k] += 1;
            }
        }
    }
    assert!(answered.iter().all(|n| *n >= 3), "{answered:?}");
}

/// What is stored.
pub fn problems() -> Vec<(String, Lcp)> {
    let mut random = Random(7);
    let mut out = Vec::new();
    for (kind, sizes) in [("p", [1, 4, 9]), ("semidefinite", [2, 5, 8]), ("general", [2, 4, 6])] {
        for n in sizes {
            let entries: Vec<f64> = (0..n * n).map(|_| random.next()).collect();
            let mut m = Dense::zeros(n, n);
            let rank = if kind == "semidefinite" { n / 2 } else { n };
            for i in 0..n {
                for j in 0..n {
                    let square: f64 = (0..rank).map(|k| entries[i * n + k] * entries[j * n + k]).sum();
                    let skew = if i < j { entries[i * n + j] } else { -entries[j * n + i] };
                    m[(i, j)] = match kind {
                        "general" => entries[i * n + j],
                        _ => square + if i == j { 0.0 } else { 0.5 * skew },
                    };
                }
                m[(i, i)] += if kind == "p" { 0.5 } else { 0.0 };
            }
            // a solution that is known
            let z: Vec<f64> =
                (0..n).map(|i| if i % 2 == 0 { 0.2 + random.next().abs() } else { 0.0 }).collect();
            let slack = |i: usize| if i.is_multiple_of(2) { 0.0 } else { 0.3 };
            let q = (0..n).map(|i| slack(i) - (0..n).map(|j| m[(i, j)] * z[j]).sum::<f64>()).collect();
            out.push((format!("lcp-{kind}-{n}"), Lcp::new(m, q).unwrap()));
        }
    }
    out
}
