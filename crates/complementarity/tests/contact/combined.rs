//! Several contacts, each with sliding, spinning and rolling friction: every solver that takes the cones finds the same
//! motion, and what is written to a file is read back.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Status};

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A sphere on the floor and one leaning on it, thrown down while they turn: rows n, t1, t2, spin, roll1, roll2 of
/// each contact, moments through a length. No more rows than coordinates: where there are more, the loads, and so the
/// friction and the motion, need not be determined.
fn spheres(random: &mut Random, cones: [Option<Cone>; 3]) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let mut u = [0.0; 12];
    for body in 0..2 {
        (0..6).for_each(|k| inverse_mass.push(1, &[[1.0, 2.5][k / 3]]));
        for k in 0..6 {
            u[6 * body + k] = if k == 2 { -1.0 } else { random.next() };
        }
    }
    let mut problem = ContactProblem::default();
    let floor = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let leaning = [[0.6, 0.0, 0.8], [0.8, 0.0, -0.6], [0.0, 1.0, 0.0]];
    for (a, b, axes) in [(0, None, floor), (1, Some(0), leaning)] {
        let length = 0.05 * (1.5 + random.next());
        let (first_row, first_part) = (problem.q.len(), jacobian.parts.len());
        problem.q.resize(first_row + 6, 0.0);
        for (body, sign) in [(Some(a), 1.0), (b, -1.0)] {
            let Some(body) = body else { continue };
            // radius one: the contact lies against the normal from the first centre, along it from the second
            let arm = axes[0].map(|x: f64| -sign * x);
            let mut rows: Vec<[f64; 6]> = Vec::new();
            for d in axes {
                let m = cross(arm, d);
                rows.push([d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x));
            }
            rows.extend(axes.map(|d| [0.0, 0.0, 0.0, d[0], d[1], d[2]].map(|x| sign * length * x)));
            for (q, row) in problem.q[first_row..].iter_mut().zip(&rows) {
                *q += row.iter().zip(&u[6 * body..]).map(|(a, b)| a * b).sum::<f64>();
            }
            jacobian.push(6 * body, 6, rows.as_flattened());
        }
        let law = Law::Combined { friction: [0.25 + 0.1 * random.next(), 1.0, 1.0], cones };
        problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
    }
    problem.scale = problem.q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    polygon_directions(8, 0.2, &mut problem.directions);
    problem.validate().unwrap();
    problem
}

#[test]
fn every_solver_finds_the_same_motion() {
    use Cone::{Ball, Disc, Polygon, Segment};
    let round = [ContactSolver::Auto, ContactSolver::Newton, ContactSolver::Proximal, ContactSolver::Nsgs];
    let with_lcp = [ContactSolver::Auto, ContactSolver::Newton, ContactSolver::Nsgs, ContactSolver::Lemke];
    let kinds: [([Option<Cone>; 3], &[ContactSolver]); 3] = [
        ([Some(Disc), Some(Segment), Some(Disc)], &round),
        ([Some(Ball), None, Some(Disc)], &round),
        ([Some(Polygon), Some(Segment), Some(Polygon)], &with_lcp),
    ];
    let mut random = Random(7);
    let mut largest = 0.0f64;
    for (cones, solvers) in kinds {
        for case in 0..20 {
            let problem = spheres(&mut random, cones);
            let mut reference: Option<Vec<f64>> = None;
            for &method in solvers {
                let config = ContactSolverConfig { tolerance: 1e-11, ..ContactSolverConfig::new(method) };
                let mut z = vec![0.0; problem.len()];
                let report = config.build().solve(&problem, &mut z);
                assert_eq!(report.status, Status::Solved, "{cones:?} {case} {method:?}: {report:?}");
                let (mut scratch, mut u) = (Vec::new(), Vec::new());
                problem.impulse_velocity(&z, &mut scratch, &mut u);
                let expected = reference.get_or_insert_with(|| u.clone());
                for (x, y) in u.iter().zip(expected) {
                    largest = largest.max((x - *y).abs());
                    assert!((x - *y).abs() < 1e-7, "{cones:?} {case} {method:?}: {x} {y}");
                }
            }
        }
    }
    println!("velocities of all solvers agree to {largest:e}");
}

#[test]
fn combined_laws_survive_a_file_and_broken_ones_are_refused() {
    let cones = [Some(Cone::Disc), Some(Cone::Segment), Some(Cone::Disc)];
    let problem = spheres(&mut Random(3), cones);
    let text = write(&JsonProblem::Contact(problem.clone())).unwrap();
    assert_eq!(read(&text).unwrap(), JsonProblem::Contact(problem.clone()));
    let mut report = ContactSolverConfig::new(ContactSolver::InteriorPoint).build();
    assert_eq!(report.solve(&problem, &mut vec![0.0; problem.len()]).status, Status::Unsupported);
    for (friction, cones) in [
        ([f64::NAN, 1.0, 1.0], cones),
        ([0.4, -1.0, 1.0], cones),
        ([0.4, 1.0, 1.0], [None, Some(Cone::Segment), Some(Cone::Disc)]),
        ([0.4, 1.0, 1.0], [Some(Cone::Disc), Some(Cone::Ball), None]),
        ([0.4, 1.0, 1.0], [Some(Cone::Ball), Some(Cone::Segment), Some(Cone::Disc)]),
    ] {
        let mut broken = problem.clone();
        broken.groups[0].law = Law::Combined { friction, cones };
        assert!(broken.validate().is_err(), "{friction:?} {cones:?}");
    }
}
