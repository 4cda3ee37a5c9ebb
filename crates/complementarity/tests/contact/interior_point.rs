//! The interior-point method finds what mechanics says, agrees with Newton's method and does not care about units.

use crate::boxes::{Boxes, CORNERS, Random, stack, thrown, velocity};
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::solver::contact_newton::ContactNewton;
use complementarity::solver::interior_point::{InteriorPoint, Start};
use complementarity::solver::{ContactSolver, Solver, Status};

fn solved(problem: &ContactProblem, tolerance: f64) -> Vec<f64> {
    let mut z = vec![0.0; problem.len()];
    let report = InteriorPoint::new(tolerance, 200).solve(problem, &mut z);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    assert!(problem.residual(&z).max() <= tolerance);
    z
}

/// A body that cannot turn with one contact straight below its centre.
fn point(u: [f64; 3], mass: f64, friction: f64) -> ContactProblem {
    let mut boxes = Boxes::new(mass, friction, Cone::Disc);
    boxes.push_box([u[0], u[1], u[2], 0.0, 0.0, 0.0]);
    boxes.push_contact(0, None, [0.0, 0.0, 0.0]);
    boxes.finish()
}

#[test]
fn a_point_slides_sticks_or_leaves_as_coulomb_says() {
    let sliding = [2.0, -0.3, 0.4];
    let sticking = [2.0, -0.6, 0.8];
    for (u, friction, expected) in [
        ([3.0, -4.0, -1.0], 0.25, sliding),
        ([0.3, -0.4, -1.0], 0.75, sticking),
        ([0.3, -0.4, 1.0], 0.75, [0.0; 3]),
        ([0.3, -0.4, -1.0], 0.0, [2.0, 0.0, 0.0]),
    ] {
        let z = solved(&point(u, 2.0, friction), 1e-13);
        for (found, expected) in z.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{u:?}: {z:?}");
        }
    }
}

#[test]
fn a_ten_box_stack_stands_still_and_carries_its_weight() {
    let z = solved(&stack(10, 3.0, 0.0981, Cone::Disc), 1e-12);
    let ground: f64 = (0..4).map(|c| z[3 * c]).sum();
    assert!((ground - 10.0 * 3.0 * 0.0981).abs() < 1e-9, "{ground}");
}

#[test]
fn stacks_of_any_height_are_solved_to_the_last_digits() {
    for count in [1, 2, 5, 17, 24, 25, 33, 47, 60] {
        solved(&stack(count, 1.0, 0.1, Cone::Disc), 1e-12);
    }
}

#[test]
fn a_contact_that_is_left_out_because_it_opens_is_taken_in_when_it_closes() {
    // of three boxes on top of each other the lowest comes up at 1, the middle rests, the highest leaves at 0.1: all
    // go on at 1.1/3
    let mut boxes = Boxes::new(2.0, 0.5, Cone::Disc);
    for tower in 0..60 {
        for (floor, speed) in [1.0, 0.0, 0.1].into_iter().enumerate() {
            boxes.push_box([0.0, 0.0, speed, 0.0, 0.0, 0.0]);
            if floor > 0 {
                boxes.push_contact(3 * tower + floor, Some(3 * tower + floor - 1), [0.0, 0.0, -1.0]);
            }
        }
    }
    let problem = boxes.finish();
    assert!(problem.groups.len() >= 100);
    let z = solved(&problem, 1e-12);
    // the middle of each tower gets 2 · 1.9/3 from below and gives 2 · 0.8/3 upwards
    for pair in z.chunks_exact(6) {
        assert!((pair[0] - 3.8 / 3.0).abs() < 1e-9 && (pair[3] - 1.6 / 3.0).abs() < 1e-9, "{pair:?}");
    }
}

#[test]
fn a_start_from_impulses_given_ends_where_the_own_one_does() {
    let mut random = Random(5);
    for case in 0..100 {
        let problem = thrown(&mut random, 1.0, 1.0, Cone::Disc);
        let own = solved(&problem, 1e-12);
        let ours = velocity(&problem, &own);
        for given in [0.0, 0.5, 1.0, 1.5] {
            let mut z: Vec<f64> = own.iter().map(|x| given * x).collect();
            let mut solver = InteriorPoint::new(1e-12, 200);
            solver.start = Start::Given(0.1);
            let report = solver.solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "{case} {given}: {report:?}");
            let theirs = velocity(&problem, &z);
            let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8, "{case}: {ours:?} {theirs:?}");
        }
    }
}

#[test]
fn thrown_boxes_get_the_velocities_that_newton_finds() {
    let mut random = Random(11);
    let mut compared = 0;
    for case in 0..200 {
        let problem = thrown(&mut random, 1.0, 1.0, Cone::Disc);
        let ours = velocity(&problem, &solved(&problem, 1e-12));
        let mut z = vec![0.0; problem.len()];
        if ContactNewton::new(1e-12, 300).solve(&problem, &mut z).status == Status::Solved {
            compared += 1;
            let theirs = velocity(&problem, &z);
            let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8, "case {case}: {ours:?} {theirs:?}");
        }
    }
    assert!(compared > 190, "{compared}");
}

#[test]
fn nothing_depends_on_the_units_of_mass_and_time() {
    for (mass, speed) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8), (1e8, 1e-8)] {
        for case in 0..30 {
            let unit = thrown(&mut Random(case), 1.0, 1.0, Cone::Disc);
            let scaled = thrown(&mut Random(case), mass, speed, Cone::Disc);
            let ours = velocity(&unit, &solved(&unit, 1e-12));
            let theirs = velocity(&scaled, &solved(&scaled, 1e-12));
            for i in 0..6 {
                assert!((ours[i] - theirs[i] / speed).abs() < 1e-7, "{case}: {ours:?} {theirs:?}");
            }
        }
    }
}

/// The same problem with A itself, found column by column.
fn assembled(problem: &ContactProblem) -> ContactProblem {
    let n = problem.len();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let without_q = ContactProblem { q: vec![0.0; n], ..problem.clone() };
            without_q.velocities(&unit, &mut scratch, &mut work, &mut xi);
            xi
        })
        .collect();
    let mut a = BlockSparse { row_start: vec![0], ..Default::default() };
    for group in &problem.groups {
        for (d, other) in problem.groups.iter().enumerate() {
            a.column.push(d);
            a.at.push(a.values.len());
            a.values.extend(
                group.rows().flat_map(|i| other.rows().map(move |j| (i, j))).map(|(i, j)| columns[j][i]),
            );
        }
        a.row_start.push(a.column.len());
    }
    let problem = ContactProblem { operator: Operator::Assembled(a), ..problem.clone() };
    problem.validate().unwrap();
    problem
}

#[test]
fn factored_and_assembled_problems_have_the_same_velocities() {
    let mut random = Random(3);
    for _ in 0..40 {
        let factored = thrown(&mut random, 1.0, 1.0, Cone::Disc);
        let dense = assembled(&factored);
        let (ours, theirs) = (solved(&factored, 1e-12), solved(&dense, 1e-12));
        let (ours, theirs) = (velocity(&factored, &ours), velocity(&factored, &theirs));
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-8), "{ours:?} {theirs:?}");
    }
}

#[test]
fn bilateral_unilateral_and_dry_rows_go_together() {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(3, &[1.0, 0.2, 0.0, 0.2, 2.0, 0.1, 0.0, 0.1, 0.5]);
    jacobian.push(0, 3, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 1.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 0.0, 1.0]);
    // the stop pushes the dry row too: 0.4 holds it at rest, not against 3 m/s
    for (speed, slides) in [(3.0, true), (0.0, false)] {
        let laws = [Law::Bilateral { rows: 2 }, Law::Unilateral, Law::Dry { bound: 0.4 }];
        let mut problem = ContactProblem { q: vec![1.0, 1.0, -2.0, speed], scale: 3.0, ..Default::default() };
        let mut first_row = 0;
        for (p, law) in laws.into_iter().enumerate() {
            problem.groups.push(Group { law, first_row, first_part: p, end_part: p + 1 });
            first_row += law.rows();
        }
        problem.operator =
            Operator::Factored { inverse_mass: inverse_mass.clone(), jacobian: jacobian.clone() };
        let z = solved(&problem, 1e-12);
        assert_eq!(z[3] == -0.4, slides, "{z:?}");
    }
}

#[test]
fn a_sliding_box_on_four_corners_and_a_planar_contact_are_solved() {
    let mut boxes = Boxes::new(1.0, 0.3, Cone::Disc);
    boxes.push_box([2.0, 0.5, -1.0, 0.1, -0.2, 0.3]);
    for arm in CORNERS {
        boxes.push_contact(0, None, arm);
    }
    solved(&boxes.finish(), 1e-11);
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(2, &[0.5, 0.0, 0.0, 0.5]);
    jacobian.push(0, 2, &[0.0, 1.0, 1.0, 0.0]);
    let law = Law::Contact { friction: 0.5, cone: Cone::Segment };
    let groups = vec![Group { law, first_row: 0, first_part: 0, end_part: 1 }];
    let operator = Operator::Factored { inverse_mass, jacobian };
    let problem = ContactProblem { groups, q: vec![-1.0, 3.0], operator, scale: 3.0, ..Default::default() };
    let z = solved(&problem, 1e-13);
    assert!((z[0] - 2.0).abs() < 1e-12 && (z[1] + 1.0).abs() < 1e-12, "{z:?}");
}

#[test]
fn an_empty_problem_is_solved_and_polygons_and_broken_numbers_are_refused() {
    let mut solver = InteriorPoint::new(1e-12, 100);
    assert_eq!(solver.solve(&ContactProblem::default(), &mut []).status, Status::Solved);
    let mut polygon = stack(2, 1.0, 0.1, Cone::Polygon);
    let mut z = vec![0.0; polygon.len()];
    assert_eq!(solver.solve(&polygon, &mut z).status, Status::Unsupported);
    polygon.q[4] = f64::NAN;
    assert_eq!(solver.solve(&polygon, &mut z).status, Status::Unsupported);
    assert_eq!(ContactSolver::from_name("interior-point"), Some(ContactSolver::InteriorPoint));
}
