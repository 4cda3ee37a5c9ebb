//! Contact problems.

use crate::boxes::Random;
use crate::stored;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::convert::ContactLcp;
use complementarity::problem::json::JsonProblem;
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Status};

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

/// What is stored.
pub fn problems() -> Vec<(String, ContactProblem)> {
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
