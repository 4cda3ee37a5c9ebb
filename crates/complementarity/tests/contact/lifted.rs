//! Coulomb's law by convex problems: what mechanics says, what the interior-point method finds, and what it does not
//! take.

use crate::boxes::{Boxes, Random, stack, thrown, velocity};
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::law::Cone;
use complementarity::solver::interior_point::InteriorPoint;
use complementarity::solver::lifted::Lifted;
use complementarity::solver::{Solver, Status};

fn solved(problem: &ContactProblem) -> Option<Vec<f64>> {
    let mut z = vec![0.0; problem.len()];
    let report = Lifted::new(1e-11).solve(problem, &mut z);
    let residual = problem.residual(&z).max();
    assert!(report.residual >= 0.5 * residual, "{report:?} but {residual:e}");
    (report.status == Status::Solved).then_some(z)
}

/// A body that cannot turn, with one contact straight below its centre: sliding, sticking, leaving, without friction.
#[test]
fn a_point_slides_sticks_or_leaves_as_coulomb_says() {
    for (u, friction, expected) in [
        ([3.0, -4.0, -1.0], 0.25, [2.0, -0.3, 0.4]),
        ([0.3, -0.4, -1.0], 0.75, [2.0, -0.6, 0.8]),
        ([0.3, -0.4, 1.0], 0.75, [0.0; 3]),
        ([0.3, -0.4, -1.0], 0.0, [2.0, 0.0, 0.0]),
    ] {
        let mut boxes = Boxes::new(2.0, friction, Cone::Disc);
        boxes.push_box([u[0], u[1], u[2], 0.0, 0.0, 0.0]);
        boxes.push_contact(0, None, [0.0, 0.0, 0.0]);
        let z = solved(&boxes.finish()).expect("a solution");
        assert!(
            z.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9),
            "{u:?}: {z:?}"
        );
    }
}

#[test]
fn thrown_boxes_get_the_velocities_that_the_central_path_finds() {
    let (mut random, mut compared) = (Random(23), 0);
    for case in 0..200 {
        let problem = thrown(&mut random, 1.0, 1.0, Cone::Disc);
        let mut z = vec![0.0; problem.len()];
        let other = InteriorPoint::new(1e-12, 200).solve(&problem, &mut z);
        let (Some(ours), Status::Solved) = (solved(&problem), other.status) else { continue };
        let (ours, theirs) = (velocity(&problem, &ours), velocity(&problem, &z));
        let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-7, "{case}: {ours:?} {theirs:?}");
        compared += 1;
    }
    assert!(compared >= 195, "{compared} of 200");
}

#[test]
fn stacks_with_redundant_contacts_carry_their_weight() {
    for count in [1, 4, 10, 30] {
        let z = solved(&stack(count, 3.0, 0.1, Cone::Disc)).expect("a solution");
        let ground: f64 = (0..4).map(|c| z[3 * c]).sum();
        assert!((ground - 0.3 * count as f64).abs() < 1e-8, "{count}: {ground}");
    }
}

#[test]
fn polygons_are_refused() {
    let mut problem = stack(2, 1.0, 0.1, Cone::Polygon);
    problem.directions = vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let mut z = vec![0.0; problem.len()];
    assert_eq!(Lifted::new(1e-10).solve(&problem, &mut z).status, Status::Unsupported);
}
