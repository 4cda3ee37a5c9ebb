//! Contact problems made here: `newton`, `proximal` and `auto` find what mechanics says, agree with `nsgs`, do not
//! care about units, and allocate once.

use crate::boxes::{Boxes, CORNERS, Random, stack, thrown, velocity};
use crate::counting::COUNT;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::auto::Auto;
use complementarity::solver::contact_newton::ContactNewton;
use complementarity::solver::interior_point::InteriorPoint;
use complementarity::solver::nsgs::Nsgs;
use complementarity::solver::proximal::Proximal;
use complementarity::solver::{Solver, Status};

fn solvers(tolerance: f64) -> Vec<(&'static str, Box<dyn Solver<ContactProblem>>)> {
    vec![
        ("newton", Box::new(ContactNewton::new(tolerance, 300))),
        ("proximal", Box::new(Proximal::new(tolerance, 100))),
        ("auto", Box::new(Auto::new(tolerance, 100_000))),
    ]
}

#[test]
fn a_sliding_point_keeps_its_direction_and_loses_mu_times_the_normal_impulse() {
    for (name, mut solver) in solvers(1e-13) {
        let mut boxes = Boxes::new(2.0, 0.25, Cone::Disc);
        boxes.push_box([3.0, -4.0, -1.0, 0.0, 0.0, 0.0]);
        // a contact straight below the centre of a body that cannot turn
        boxes.push_contact(0, None, [0.0, 0.0, 0.0]);
        let problem = boxes.finish();
        let mut z = [0.0; 3];
        let report = solver.solve(&problem, &mut z);
        assert_eq!(report.status, Status::Solved, "{name}");
        for (found, expected) in z.iter().zip([2.0, -0.3, 0.4]) {
            assert!((found - expected).abs() < 1e-12, "{name}: {z:?}");
        }
    }
}

#[test]
fn a_ten_box_stack_stands_still_and_carries_its_weight() {
    for cone in [Cone::Disc, Cone::Polygon] {
        let problem = stack(10, 3.0, 0.0981, cone);
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            let report = solver.solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
            assert!(problem.residual(&z).max() <= 1e-12);
            let ground: f64 = (0..4).map(|c| z[3 * c]).sum();
            assert!((ground - 10.0 * 3.0 * 0.0981).abs() < 1e-9, "{name}: {ground}");
            let again = solver.solve(&problem, &mut z);
            assert_eq!(again.status, Status::Solved, "{name}");
            assert!(again.iterations <= 2 || name == "proximal", "{name}: {again:?}");
        }
    }
}

#[test]
fn thrown_boxes_get_the_velocities_that_gauss_seidel_finds() {
    let mut random = Random(5);
    let mut compared = 0;
    for case in 0..300 {
        let cone = [Cone::Disc, Cone::Polygon][case % 2];
        let problem = thrown(&mut random, 1.0, 1.0, cone);
        let mut reference = vec![0.0; problem.len()];
        let found = Nsgs::new(1e-13, 200_000).solve(&problem, &mut reference);
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            let report = solver.solve(&problem, &mut z);
            assert_eq!(report.status, Status::Solved, "case {case} {name}: {report:?}");
            if found.status != Status::Solved {
                continue;
            }
            compared += 1;
            let (ours, theirs) = (velocity(&problem, &z), velocity(&problem, &reference));
            let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "case {case} {name}: {ours:?} {theirs:?}");
        }
    }
    assert!(compared > 800, "{compared}");
}

#[test]
fn nothing_depends_on_the_units_of_mass_and_time() {
    for (mass, speed) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8), (1e8, 1e-8)] {
        for case in 0..30 {
            let unit = thrown(&mut Random(case), 1.0, 1.0, Cone::Disc);
            let scaled = thrown(&mut Random(case), mass, speed, Cone::Disc);
            for ((name, mut solver), (_, mut other)) in solvers(1e-12).into_iter().zip(solvers(1e-12)) {
                let (mut y, mut z) = (vec![0.0; unit.len()], vec![0.0; unit.len()]);
                assert_eq!(solver.solve(&unit, &mut y).status, Status::Solved, "{name}");
                assert_eq!(other.solve(&scaled, &mut z).status, Status::Solved, "{name}");
                let (ours, theirs) = (velocity(&unit, &y), velocity(&scaled, &z));
                for i in 0..6 {
                    assert!((ours[i] - theirs[i] / speed).abs() < 1e-7, "{name} {case}: {ours:?} {theirs:?}");
                }
            }
        }
    }
}

#[test]
fn without_friction_the_tangents_carry_nothing() {
    let mut boxes = Boxes::new(1.0, 0.0, Cone::Disc);
    boxes.push_box([1.0, 0.5, -1.0, 0.1, -0.2, 0.3]);
    for arm in CORNERS {
        boxes.push_contact(0, None, arm);
    }
    let problem = boxes.finish();
    for (name, mut solver) in solvers(1e-12) {
        let mut z = vec![0.1; problem.len()];
        assert_eq!(solver.solve(&problem, &mut z).status, Status::Solved, "{name}");
        assert!((0..4).all(|c| z[3 * c + 1] == 0.0 && z[3 * c + 2] == 0.0), "{name}: {z:?}");
    }
}

#[test]
fn bilateral_unilateral_and_dry_rows_go_together() {
    // a slider held across its way, pressed on a stop, with dry friction along another coordinate
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(3, &[1.0, 0.2, 0.0, 0.2, 2.0, 0.1, 0.0, 0.1, 0.5]);
    jacobian.push(0, 3, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 1.0, 0.0]);
    jacobian.push(0, 3, &[0.0, 0.0, 1.0]);
    let laws = [Law::Bilateral { rows: 2 }, Law::Unilateral, Law::Dry { bound: 0.4 }];
    let mut problem = ContactProblem { q: vec![1.0, 1.0, -2.0, 3.0], scale: 3.0, ..Default::default() };
    let mut first_row = 0;
    for (p, law) in laws.into_iter().enumerate() {
        problem.groups.push(Group { law, first_row, first_part: p, end_part: p + 1 });
        first_row += law.rows();
    }
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    for (name, mut solver) in solvers(1e-13) {
        let mut z = vec![0.0; 4];
        let report = solver.solve(&problem, &mut z);
        assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
        assert!(problem.residual(&z).max() <= 1e-13, "{name}");
        assert_eq!(z[3], -0.4, "{name}");
    }
}

#[test]
fn an_empty_problem_is_solved_and_a_broken_one_is_refused() {
    for (name, mut solver) in solvers(1e-12) {
        assert_eq!(solver.solve(&ContactProblem::default(), &mut []).status, Status::Solved, "{name}");
        for broken in [f64::NAN, f64::INFINITY] {
            let mut problem = stack(2, 1.0, 0.1, Cone::Disc);
            problem.q[4] = broken;
            let mut z = vec![0.0; problem.len()];
            assert_eq!(solver.solve(&problem, &mut z).status, Status::Unsupported, "{name}");
            problem.q[4] = 0.0;
            problem.groups[1].law = Law::Contact { friction: broken, cone: Cone::Segment };
            assert_eq!(solver.solve(&problem, &mut z).status, Status::Unsupported, "{name}");
        }
    }
}

#[test]
fn solving_again_allocates_nothing() {
    // the second stack is large enough for the sparse factorisation
    for problem in [stack(10, 1.0, 0.1, Cone::Disc), stack(30, 1.0, 0.1, Cone::Disc)] {
        for (name, mut solver) in solvers(1e-12) {
            let mut z = vec![0.0; problem.len()];
            solver.solve(&problem, &mut z);
            z.fill(0.0);
            let before = COUNT.get();
            solver.solve(&problem, &mut z);
            assert_eq!(COUNT.get() - before, 0, "{name}");
        }
    }
}

#[test]
fn following_the_central_path_again_allocates_nothing_and_gives_the_same_bits() {
    for problem in [stack(10, 1.0, 0.1, Cone::Disc), stack(30, 1.0, 0.1, Cone::Disc)] {
        let mut solver = InteriorPoint::new(1e-12, 100);
        let (mut y, mut z) = (vec![0.0; problem.len()], vec![0.0; problem.len()]);
        assert_eq!(solver.solve(&problem, &mut y).status, Status::Solved);
        let before = COUNT.get();
        solver.solve(&problem, &mut z);
        assert_eq!(COUNT.get() - before, 0);
        assert_eq!(y, z);
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = stack(12, 1.0, 0.1, Cone::Disc);
    let mut answers = Vec::new();
    let mut used = Auto::new(1e-12, 1000);
    used.solve(&stack(3, 1.0, 0.1, Cone::Disc), &mut [0.0; 36]);
    for mut solver in [Auto::new(1e-12, 1000), used] {
        let mut z = vec![0.0; problem.len()];
        solver.solve(&problem, &mut z);
        answers.push(z);
    }
    assert_eq!(answers[0], answers[1]);
}

/// Particles in a row, each pushed by the next: velocities are those of a matrix with three diagonals. So many groups
/// have two threads.
#[test]
fn velocities_and_residuals_of_very_many_groups_are_those_of_each() {
    let (count, law) = (12_001, Law::Unilateral);
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let weight = |k: usize| 1.0 + (0.7 * k as f64).sin().powi(2);
    (0..=count).for_each(|k| inverse_mass.push(1, &[weight(k)]));
    let (mut groups, mut q, mut z) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..count {
        jacobian.push(k, 1, &[-1.0]);
        jacobian.push(k + 1, 1, &[1.0]);
        groups.push(Group { law, first_row: k, first_part: 2 * k, end_part: 2 * k + 2 });
        q.push((0.3 * k as f64).cos());
        z.push(if k % 3 == 0 { 0.0 } else { (0.1 * k as f64).sin().abs() });
    }
    let operator = Operator::Factored { inverse_mass, jacobian };
    let problem = ContactProblem { groups, q, operator, scale: 2.0, ..Default::default() };
    let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    problem.velocities(&z, &mut scratch, &mut work, &mut xi);
    let at = |k: usize| z.get(k).copied().unwrap_or(0.0);
    let (mut worst, mut group) = (0.0, 0);
    for k in 0..count {
        let before = if k > 0 { at(k - 1) } else { 0.0 };
        let (left, right) = (weight(k), weight(k + 1));
        let expected = problem.q[k] + (left + right) * z[k] - left * before - right * at(k + 1);
        assert!((xi[k] - expected).abs() < 1e-14, "{k}: {} {expected}", xi[k]);
        let violation = expected.min((left + right) * z[k]).abs() / 2.0;
        if violation > worst {
            (worst, group) = (violation, k);
        }
    }
    let residual = problem.residual(&z);
    assert!(
        (residual.max() - worst).abs() < 1e-14 && residual.worst_group == Some(group),
        "{residual:?} {group}"
    );
    // one that is worse in the second half
    z[9000] += 10.0;
    z[8999] = 0.0;
    let residual = problem.residual(&z);
    assert!(residual.max() > worst && (8999..=9001).contains(&residual.worst_group.unwrap()), "{residual:?}");
}
