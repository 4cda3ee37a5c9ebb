//! Contact problems by way of linear complementarity problems: planar and polyhedral friction, joints, dry friction.

use complementarity::dense::Dense;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::convert::{ContactLcp, ConvertError};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::through_lcp::ThroughLcp;
use complementarity::solver::{Solver, Status};
use proptest::prelude::*;

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance, "{found:?} is not {expected:?}");
    }
}

/// `B B^T + skew + shift I`: a P-matrix for a positive shift, positive semi-definite for none.
fn positive(n: usize, rank: usize, shift: f64, x: &[f64]) -> Dense {
    let mut m = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..rank).map(|k| x[i * n + k] * x[j * n + k]).sum();
            let skew = if rank == n { x[i * n + j] - x[j * n + i] } else { 0.0 };
            m[(i, j)] = product + skew + if i == j { shift } else { 0.0 };
        }
    }
    m
}

/// One row group per entry, on coordinates with the given inverse masses; rows are dense over all coordinates.
fn contact_problem(inverse_mass: &[f64], groups: &[(Law, &[f64])], q: &[f64]) -> ContactProblem {
    let n = inverse_mass.len();
    let (mut mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.iter().for_each(|m| mass.push(1, &[*m]));
    let mut problem = ContactProblem { q: q.to_vec(), ..Default::default() };
    let mut first_row = 0;
    for (part, (law, values)) in groups.iter().enumerate() {
        jacobian.push(0, n, values);
        problem.groups.push(Group { law: *law, first_row, first_part: part, end_part: part + 1 });
        first_row += law.rows();
    }
    problem.operator = Operator::Factored { inverse_mass: mass, jacobian };
    polygon_directions(4, 0.0, &mut problem.directions);
    problem.scale = q.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    problem.validate().unwrap();
    problem
}

/// The impulses both solvers agree on.
fn impulses(problem: &ContactProblem) -> Vec<f64> {
    let (mut a, mut b) = (vec![f64::NAN; problem.len()], vec![f64::NAN; problem.len()]);
    let first = ThroughLcp::new(Lemke::default(), 1e-13).solve(problem, &mut a);
    let second = ThroughLcp::new(Enumeration::default(), 1e-13).solve(problem, &mut b);
    assert_eq!((first.status, second.status), (Status::Solved, Status::Solved), "{first:?} {second:?}");
    assert!(problem.residual(&a).max() <= 1e-13);
    let size = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert_close(&a, &b, 1e-12 * size);
    a
}

fn planar(mass: f64, friction: f64, q: [f64; 2]) -> ContactProblem {
    let law = Law::Contact { friction, cone: Cone::Segment };
    contact_problem(&[1.0 / mass; 2], &[(law, &[0.0, 1.0, 1.0, 0.0])], &q)
}

#[test]
fn a_planar_contact_sticks_slips_and_opens() {
    assert_close(&impulses(&planar(1.0, 0.5, [-1.0, 0.2])), &[1.0, -0.2], 1e-15);
    assert_close(&impulses(&planar(1.0, 0.5, [-1.0, 2.0])), &[1.0, -0.5], 1e-15);
    assert_close(&impulses(&planar(1.0, 0.5, [-1.0, -2.0])), &[1.0, 0.5], 1e-15);
    assert_close(&impulses(&planar(1.0, 0.5, [1.0, 2.0])), &[0.0, 0.0], 0.0);
    assert_close(&impulses(&planar(1.0, 0.0, [-1.0, 2.0])), &[1.0, 0.0], 1e-15);
    assert_close(&impulses(&planar(1.0, 0.5, [0.0, 0.0])), &[0.0, 0.0], 0.0);
    // a speck of dust and a mountain
    assert_close(&impulses(&planar(1e-9, 0.5, [-1e-6, 2e-6])), &[1e-15, -0.5e-15], 1e-28);
    assert_close(&impulses(&planar(1e9, 0.5, [-1e3, 2e3])), &[1e12, -0.5e12], 1e-1);
}

#[test]
fn a_square_friction_cone_is_felt_by_its_vertices_or_its_edges() {
    let law = Law::Contact { friction: 0.5, cone: Cone::Polygon };
    let rows: &[f64] = &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let sliding = |q: [f64; 3], angle: f64| {
        let mut problem = contact_problem(&[1.0; 3], &[(law, rows)], &q);
        polygon_directions(4, angle, &mut problem.directions);
        problem
    };
    assert_close(&impulses(&sliding([-1.0, 3.0, 0.0], 0.0)), &[1.0, -0.5, 0.0], 1e-15);
    let turned = impulses(&sliding([-1.0, 3.0, 0.0], std::f64::consts::FRAC_PI_4));
    assert_close(&turned, &[1.0, -0.5 * std::f64::consts::FRAC_1_SQRT_2, 0.0], 1e-15);
    assert_close(&impulses(&sliding([-1.0, 0.1, -0.2], 0.0)), &[1.0, -0.1, 0.2], 1e-15);
    assert_close(&impulses(&sliding([1.0, 3.0, 2.0], 0.0)), &[0.0; 3], 0.0);
}

#[test]
fn dry_friction_holds_up_to_its_bound() {
    let block = |bound, v: f64| contact_problem(&[0.5], &[(Law::Dry { bound }, &[1.0])], &[v]);
    assert_close(&impulses(&block(0.3, 1.0)), &[-0.3], 1e-15);
    assert_close(&impulses(&block(0.3, 0.1)), &[-0.2], 1e-15);
    assert_close(&impulses(&block(0.0, 0.1)), &[0.0], 0.0);
}

#[test]
fn a_joint_between_two_bodies_shares_the_blow() {
    // masses 1 and 3 move together and strike: 4 kg at 2 m/s, the joint carries the second body's share
    let rigid: (Law, &[f64]) = (Law::Bilateral { rows: 1 }, &[1.0, -1.0]);
    let floor: (Law, &[f64]) = (Law::Unilateral, &[1.0, 0.0]);
    let masses = [1.0, 1.0 / 3.0];
    assert_close(&impulses(&contact_problem(&masses, &[rigid, floor], &[0.0, -2.0])), &[-6.0, 8.0], 1e-14);
    // the same joint twice: one of the two rows carries all, and the count says so
    let twice = contact_problem(&masses, &[rigid, rigid, floor], &[0.0, 0.0, -2.0]);
    let found = impulses(&twice);
    assert_close(&[found[0] + found[1], found[2]], &[-6.0, 8.0], 1e-14);
    let mut conversion = ContactLcp::default();
    conversion.build(&twice).unwrap();
    assert_eq!(conversion.redundant(), 1);
    // two joints that contradict each other have no answer
    let torn = contact_problem(&masses, &[rigid, rigid, floor], &[0.0, 1.0, -2.0]);
    let report = ThroughLcp::new(Lemke::default(), 1e-13).solve(&torn, &mut [0.0; 3]);
    assert_eq!(report.status, Status::Failed);
}

#[test]
fn the_round_cone_is_refused_and_the_impulses_are_left_alone() {
    let law = Law::Contact { friction: 0.5, cone: Cone::Disc };
    let rows: &[f64] = &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let problem = contact_problem(&[1.0; 3], &[(law, rows)], &[-1.0, 3.0, 0.0]);
    let mut lambda = [7.0; 3];
    let report = ThroughLcp::new(Lemke::default(), 1e-13).solve(&problem, &mut lambda);
    assert_eq!((report.status, lambda), (Status::Unsupported, [7.0; 3]));
    assert_eq!(ContactLcp::default().build(&problem), Err(ConvertError::RoundCone { group: 0 }));
}

#[test]
fn nothing_to_solve_is_solved() {
    let report = ThroughLcp::new(Lemke::default(), 1e-13).solve(&ContactProblem::default(), &mut []);
    assert_eq!((report.status, report.residual), (Status::Solved, 0.0));
}

/// A chain of bodies with three coordinates and full mass blocks: joints, contacts and dry friction between
/// neighbours; also the same problem with `A` assembled.
fn chain(x: &[f64]) -> (ContactProblem, ContactProblem) {
    let mut draw = x.iter().copied().cycle();
    let mut draw = || draw.next().unwrap_or(0.0);
    let (mut mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    for _ in 0..5 {
        let b: Vec<f64> = (0..9).map(|_| draw()).collect();
        mass.push(3, positive(3, 2, 0.5, &b).as_slice());
    }
    let contact = Law::Contact { friction: 0.6, cone: Cone::Polygon };
    let planar = Law::Contact { friction: 0.3, cone: Cone::Segment };
    let laws = [Law::Bilateral { rows: 2 }, contact, planar, Law::Dry { bound: 0.2 }, Law::Unilateral];
    let mut problem = ContactProblem { scale: 1.0, ..Default::default() };
    for (g, &law) in laws.iter().enumerate() {
        let (first_part, first_row) = (jacobian.parts.len(), problem.q.len());
        for start in [3 * g, 3 * ((g + 1) % 5)] {
            let values: Vec<f64> = (0..3 * law.rows()).map(|_| draw()).collect();
            jacobian.push(start, 3, &values);
        }
        problem.q.extend((0..law.rows()).map(|_| draw()));
        problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
    }
    problem.operator = Operator::Factored { inverse_mass: mass, jacobian };
    polygon_directions(6, 0.1, &mut problem.directions);
    let mut blocks = BlockSparse { row_start: vec![0], ..Default::default() };
    let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    for row_group in &problem.groups {
        for (d, column_group) in problem.groups.iter().enumerate() {
            blocks.column.push(d);
            blocks.at.push(blocks.values.len());
            for r in row_group.rows() {
                for c in column_group.rows() {
                    let mut lambda = vec![0.0; problem.len()];
                    lambda[c] = 1.0;
                    problem.velocities(&lambda, &mut scratch, &mut work, &mut xi);
                    blocks.values.push(xi[r] - problem.q[r]);
                }
            }
        }
        blocks.row_start.push(blocks.column.len());
    }
    let assembled = ContactProblem { operator: Operator::Assembled(blocks), ..problem.clone() };
    (problem, assembled)
}

proptest! {
    #[test]
    fn factored_and_assembled_operators_give_one_problem(x in prop::collection::vec(-1.0f64..1.0, 211)) {
        let (factored, assembled) = chain(&x);
        let (mut a, mut b) = (ContactLcp::default(), ContactLcp::default());
        a.build(&factored).unwrap();
        b.build(&assembled).unwrap();
        assert_close(a.mixed().m.as_slice(), b.mixed().m.as_slice(), 1e-13);
        assert_close(&a.mixed().q, &b.mixed().q, 0.0);
    }

    #[test]
    fn all_laws_at_once_are_satisfied_to_rounding(x in prop::collection::vec(-1.0f64..1.0, 211)) {
        let (factored, _) = chain(&x);
        let mut lambda = vec![0.0; factored.len()];
        let report = ThroughLcp::new(Lemke::default(), 1e-13).solve(&factored, &mut lambda);
        prop_assert_eq!(report.status, Status::Solved);
        prop_assert!(factored.residual(&lambda).max() <= 1e-13);
    }
}
