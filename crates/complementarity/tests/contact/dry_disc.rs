//! Dry friction of constant bound in several directions: every solver, against the optimum it stands for.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Status};

/// A plate of mass 1 and inertia 0.02 on three supports, moving; impulses of at most `bound` at each.
fn plate(u: [f64; 3], bound: f64, cone: Cone) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 50.0]);
    let mut problem = ContactProblem::default();
    polygon_directions(4, 0.0, &mut problem.directions);
    for (i, [x, y]) in [[0.1, 0.02], [-0.06, 0.08], [-0.05, -0.09]].into_iter().enumerate() {
        let rows = [1.0, 0.0, -y, 0.0, 1.0, x];
        jacobian.push(0, 3, &rows);
        let law = Law::DryCone { bound, cone };
        problem.groups.push(Group { law, first_row: 2 * i, first_part: i, end_part: i + 1 });
        for row in rows.chunks_exact(3) {
            problem.q.push(row.iter().zip(&u).map(|(w, u)| w * u).sum());
        }
    }
    problem.scale = problem.q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    problem
}

/// The velocity that minimises kinetic energy of the change plus the work of friction, by steps along the gradient of a
/// slightly rounded |v|: slow, and independent of all solvers.
fn minimiser(u: [f64; 3], bound: f64) -> [f64; 3] {
    let supports = [[0.1, 0.02], [-0.06, 0.08], [-0.05, -0.09]];
    let mass = [1.0, 1.0, 0.02];
    let (mut v, rounding) = (u, 1e-6);
    for _ in 0..200_000 {
        let mut g: [f64; 3] = std::array::from_fn(|i| mass[i] * (v[i] - u[i]));
        for [x, y] in supports {
            let slip = [v[0] - y * v[2], v[1] + x * v[2]];
            let size = slip[0].hypot(slip[1]).hypot(rounding);
            let f = slip.map(|s| bound * s / size);
            g = [g[0] + f[0], g[1] + f[1], g[2] + x * f[1] - y * f[0]];
        }
        // the work of friction bends by at most bound / |slip| per direction
        v = std::array::from_fn(|i| v[i] - 0.02 * g[i] / mass[i]);
    }
    v
}

fn velocity(problem: &ContactProblem, u: [f64; 3], z: &[f64]) -> [f64; 3] {
    let (mut scratch, mut change) = (Vec::new(), Vec::new());
    problem.impulse_velocity(z, &mut scratch, &mut change);
    std::array::from_fn(|i| u[i] + change[i])
}

#[test]
fn every_solver_brakes_a_plate_as_much_as_it_can() {
    let u = [1.0, 0.5, 8.0];
    for bound in [1e-2, 0.1, 10.0] {
        let problem = plate(u, bound, Cone::Disc);
        // with much friction it stops
        let expected = if bound < 1.0 { minimiser(u, bound) } else { [0.0; 3] };
        for method in ContactSolver::ALL.into_iter().filter(|m| m.takes_disc()) {
            let mut z = vec![0.0; problem.len()];
            let config = ContactSolverConfig { tolerance: 1e-11, ..ContactSolverConfig::new(method) };
            let report = config.build().solve(&problem, &mut z);
            if method == ContactSolver::InteriorPoint {
                assert_eq!(report.status, Status::Unsupported);
                continue;
            }
            let v = velocity(&problem, u, &z);
            println!("{} bound {bound}: {report:?} {v:?}", method.name());
            assert_eq!(report.status, Status::Solved, "{}", method.name());
            assert!((0..3).all(|i| (v[i] - expected[i]).abs() < 1e-8), "{v:?}, not {expected:?}");
            assert!((0..3).all(|s| z[2 * s].hypot(z[2 * s + 1]) <= bound * (1.0 + 1e-11)));
        }
    }
}

#[test]
fn polygons_agree_with_lemke() {
    let u = [1.0, 0.5, 8.0];
    for bound in [0.05, 0.4, 10.0] {
        let problem = plate(u, bound, Cone::Polygon);
        let mut reference = vec![0.0; problem.len()];
        let report = ContactSolverConfig::new(ContactSolver::Lemke).build().solve(&problem, &mut reference);
        assert_eq!(report.status, Status::Solved, "{report:?}");
        let expected = velocity(&problem, u, &reference);
        for method in [ContactSolver::Auto, ContactSolver::Newton, ContactSolver::Nsgs, ContactSolver::Pgs] {
            let mut z = vec![0.0; problem.len()];
            let config = ContactSolverConfig { tolerance: 1e-11, ..ContactSolverConfig::new(method) };
            let report = config.build().solve(&problem, &mut z);
            let v = velocity(&problem, u, &z);
            assert_eq!(report.status, Status::Solved, "{} {report:?}", method.name());
            assert!(
                (0..3).all(|i| (v[i] - expected[i]).abs() < 1e-9),
                "{}: {v:?} {expected:?}",
                method.name()
            );
        }
    }
}

#[test]
fn stored_problems_come_back() {
    let problem = plate([1.0, 0.5, 8.0], 0.1 + 0.2, Cone::Disc);
    let text = write(&JsonProblem::Contact(problem.clone())).unwrap();
    assert_eq!(read(&text).unwrap(), JsonProblem::Contact(problem));
}
