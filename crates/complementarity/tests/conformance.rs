//! Every solver on every stored small problem of `tests/problems/`: what its traits say it takes it answers, the rest
//! it refuses.
//!
//! The problems are generated: `cargo test -p complementarity --test conformance -- --ignored` writes them anew.

mod boxes;

use boxes::Random;
use complementarity::dense::Dense;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::convert::ContactLcp;
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::lcp::Lcp;
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::newton::Newton;
use complementarity::solver::traits::{LcpTraits, MatrixKind};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Solver, Status};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems")
}

/// The stored problems by name; there are some.
fn stored() -> Vec<(String, JsonProblem)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|f| f.extension().is_some())
        .collect();
    files.sort();
    assert!(files.len() >= 20, "{} problems", files.len());
    let name = |f: &PathBuf| f.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|f| (name(f), read(&std::fs::read_to_string(f).unwrap()).unwrap())).collect()
}

#[test]
fn every_contact_solver_answers_what_it_takes_and_refuses_the_rest() {
    let (mut answered, mut refused) = ([0; ContactSolver::ALL.len()], 0);
    for (name, problem) in stored() {
        let JsonProblem::Contact(problem) = problem else { continue };
        for (k, method) in ContactSolver::ALL.into_iter().enumerate() {
            let traits = method.traits();
            let mut lcp = ContactLcp::default();
            let fits = traits
                .max_lcp_unknowns
                .is_none_or(|most| lcp.build(&problem).is_ok() && lcp.lcp().len() <= most);
            let mut z = vec![0.0; problem.len()];
            let report = ContactSolverConfig::new(method).build().solve(&problem, &mut z);
            if traits.takes(&problem) && fits {
                let found = problem.residual(&z).max();
                assert!(found < 1e-9, "{name} {}: {report:?}, found {found:e}", method.name());
                assert_ne!(report.status, Status::Unsupported, "{name} {}", method.name());
                answered[k] += 1;
            } else {
                assert_eq!(report.status, Status::Unsupported, "{name} {}: {report:?}", method.name());
                refused += 1;
            }
        }
    }
    assert!(answered.iter().all(|n| *n >= 3) && refused > 20, "{answered:?} {refused}");
}

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

/// A body of mass 2 with unit inertia, groups of rows on it that are given at random but for the normal, which pushes
/// it up.
fn on_one_body(random: &mut Random, laws: &[Law]) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(
        6,
        &std::array::from_fn::<f64, 36, _>(|k| if k % 7 == 0 { 0.5 + 0.1 * (k / 7) as f64 } else { 0.0 }),
    );
    let (mut groups, mut q) = (Vec::new(), Vec::new());
    for law in laws {
        let part = groups.len();
        let rows: Vec<f64> = (0..6 * law.rows())
            .map(|k| 0.3 * random.next() + f64::from(k % 6 == (k / 6 + part) % 6))
            .collect();
        jacobian.push(0, 6, &rows);
        groups.push(Group { law: *law, first_row: q.len(), first_part: part, end_part: part + 1 });
        q.extend((0..law.rows()).map(|r| if r == 0 { -0.5 + 0.4 * random.next() } else { random.next() }));
    }
    let mut directions = Vec::new();
    polygon_directions(6, 0.2, &mut directions);
    ContactProblem {
        groups,
        q,
        operator: Operator::Factored { inverse_mass, jacobian },
        directions,
        scale: 1.0,
    }
}

/// The same problem with its operator block by block.
fn assembled(problem: &ContactProblem) -> ContactProblem {
    let count = problem.groups.len();
    let mut blocks = BlockSparse { row_start: vec![0], ..BlockSparse::default() };
    let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    let column = |r: usize, scratch: &mut Vec<f64>, work: &mut Vec<f64>, xi: &mut Vec<f64>| {
        let unit: Vec<f64> = (0..problem.len()).map(|k| f64::from(k == r)).collect();
        problem.velocities(&unit, scratch, work, xi);
        xi.iter().zip(&problem.q).map(|(x, q)| x - q).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> =
        (0..problem.len()).map(|r| column(r, &mut scratch, &mut work, &mut xi)).collect();
    for c in 0..count {
        for d in 0..count {
            blocks.column.push(d);
            blocks.at.push(blocks.values.len());
            for i in problem.groups[c].rows() {
                blocks.values.extend(problem.groups[d].rows().map(|j| columns[j][i]));
            }
        }
        blocks.row_start.push(blocks.column.len());
    }
    let groups = problem.groups.iter().map(|g| Group { first_part: 0, end_part: 0, ..*g }).collect();
    ContactProblem { groups, operator: Operator::Assembled(blocks), ..problem.clone() }
}

fn contact_problems() -> Vec<(String, ContactProblem)> {
    use Cone::{Ball, Disc, Polygon, Segment};
    let coulomb = |cone| Law::Contact { friction: 0.4, cone };
    let associated = |cone| Law::Associated { friction: 0.4, cone };
    let combined =
        |first, last| Law::Combined { friction: [0.4, 0.0, 0.1], cones: [Some(first), None, Some(last)] };
    let sets: [(&str, Vec<Law>); 16] = [
        ("one-segment", vec![coulomb(Segment)]),
        ("two-segments", vec![coulomb(Segment); 2]),
        ("one-disc", vec![coulomb(Disc)]),
        ("two-discs", vec![coulomb(Disc); 2]),
        ("two-polygons", vec![coulomb(Polygon); 2]),
        ("two-balls", vec![coulomb(Ball), coulomb(Disc)]),
        ("joint-and-segment", vec![Law::Bilateral { rows: 2 }, coulomb(Segment)]),
        ("joint-limit-and-dry", vec![Law::Bilateral { rows: 2 }, Law::Unilateral, Law::Dry { bound: 0.2 }]),
        ("combined-polyhedral", vec![combined(Segment, Segment)]),
        ("combined-round", vec![combined(Disc, Disc)]),
        ("dry-disc", vec![Law::Unilateral, Law::DryCone { bound: 0.3, cone: Disc }]),
        ("dry-polygon", vec![Law::Unilateral, Law::DryCone { bound: 0.3, cone: Polygon }]),
        ("associated-segments", vec![associated(Segment); 2]),
        ("associated-discs", vec![associated(Disc), Law::Bilateral { rows: 1 }]),
        ("associated-ball", vec![associated(Ball), Law::Dry { bound: 0.1 }]),
        ("frictionless", vec![Law::Contact { friction: 0.0, cone: Disc }, Law::Unilateral]),
    ];
    let mut random = Random(20);
    let mut out = Vec::new();
    for (name, laws) in sets {
        let problem = on_one_body(&mut random, &laws);
        out.push((format!("contact-{name}-assembled"), assembled(&problem)));
        out.push((format!("contact-{name}"), problem));
    }
    out
}

fn lcp_problems() -> Vec<(String, Lcp)> {
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

#[test]
#[ignore = "writes the problems"]
fn write_problems() {
    let contacts = contact_problems().into_iter().map(|(n, p)| (n, JsonProblem::Contact(p)));
    let lcps = lcp_problems().into_iter().map(|(n, p)| (n, JsonProblem::Lcp(p)));
    for (name, problem) in contacts.chain(lcps) {
        std::fs::write(folder().join(name + ".json"), write(&problem).unwrap() + "\n").unwrap();
    }
}
