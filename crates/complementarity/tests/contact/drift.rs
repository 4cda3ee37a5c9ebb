//! Redundant contacts that contradict each other a little: their impulses have far to go before anything moves.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig};

/// A particle of mass 1 that falls at speed 1 into a groove whose sides lean `angle` away from the vertical, and
/// overlaps both by as much as has to be undone at speed `push`.
fn groove(angle: f64, friction: f64, push: f64) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(2, &[1.0, 0.0, 0.0, 1.0]);
    let mut problem = ContactProblem::default();
    let (s, c) = angle.sin_cos();
    for (i, side) in [1.0, -1.0].into_iter().enumerate() {
        // inwards and up, then along the side
        let rows = [side * c, s, -side * s, c];
        jacobian.push(0, 2, &rows);
        let law = Law::Contact { friction, cone: Cone::Segment };
        problem.groups.push(Group { law, first_row: 2 * i, first_part: i, end_part: i + 1 });
        problem.q.extend([-rows[1] - push, -rows[3]]);
    }
    problem.scale = 1.0;
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    problem
}

#[test]
fn a_wedged_particle_is_pushed_out_against_friction() {
    let (friction, push) = (0.5f64, 1e-7);
    for beyond in [0.3, 0.1, 0.02] {
        // a little beyond the friction angle, below which nothing pushes it out
        let angle = friction.atan() + beyond;
        let (s, c) = angle.sin_cos();
        let problem = groove(angle, friction, push);
        // it leaves at push / s, sliding up both sides: 1 + push/s = 2 lambda (s − mu c)
        let expected = 0.5 * (1.0 + push / s) / (s - friction * c);
        let solve = |method, iterations| {
            let config =
                ContactSolverConfig { tolerance: 1e-12, iterations, ..ContactSolverConfig::new(method) };
            let mut z = vec![0.0; 4];
            (config.build().solve(&problem, &mut z), z)
        };
        let (report, z) = solve(ContactSolver::SweptNewton, 300);
        println!("{beyond}: {report:?}, impulses {:.9} for {expected:.9}", z[0]);
        assert!(problem.residual(&z).max() <= 1e-12, "{report:?}");
        for side in [0, 2] {
            assert!((z[side] / expected - 1.0).abs() < 1e-9, "{z:?} {expected}");
            assert!((z[side + 1] + friction * expected).abs() < 1e-9 * expected, "{z:?} {expected}");
        }
        // sweeps alone would need about a million for each unit of impulse
        let (plain, _) = solve(ContactSolver::Nsgs, 10_000);
        assert!(plain.residual > 0.1 * push, "{plain:?}");
    }
}
