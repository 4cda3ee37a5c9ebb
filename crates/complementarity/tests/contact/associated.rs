//! Associated friction: a convex program. Its solver against closed forms, against the conditions of a minimum
//! evaluated here, against projected Gauss–Seidel, and where contacts are redundant or wedged.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Status};

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// One particle of the given mass between surfaces: axes n, t1, t2 of each; q is the velocity without impulses along
/// these, plus gaps.
fn particle(mass: f64, u: [f64; 3], walls: &[([[f64; 3]; 3], f64)], mu: f64) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    inverse_mass.push(3, &[1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass]);
    let mut problem = ContactProblem::default();
    for (k, (axes, gap)) in walls.iter().enumerate() {
        jacobian.push(0, 3, axes.as_flattened());
        let along = |a: &[f64; 3]| a.iter().zip(u).map(|(a, u)| a * u).sum::<f64>();
        problem.q.extend([along(&axes[0]) + gap, along(&axes[1]), along(&axes[2])]);
        let law = Law::Associated { friction: mu, cone: Cone::Disc };
        problem.groups.push(Group { law, first_row: 3 * k, first_part: k, end_part: k + 1 });
    }
    problem.scale = u.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    problem
}

const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn solve(problem: &ContactProblem, method: ContactSolver, tolerance: f64) -> Vec<f64> {
    let config = ContactSolverConfig { tolerance, enough: tolerance, ..ContactSolverConfig::new(method) };
    let mut z = vec![0.0; problem.len()];
    let report = config.build().solve(problem, &mut z);
    assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
    z
}

fn velocities(problem: &ContactProblem, z: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut scratch, mut u, mut xi) = (vec![], vec![], vec![]);
    problem.velocities(z, &mut scratch, &mut u, &mut xi);
    (u, xi)
}

/// The largest violation of the conditions of a minimum, evaluated here: impulses in the cone, velocities in its
/// dual, at right angles; relative to the problem's speed and to the impulses it makes.
fn violation(problem: &ContactProblem, z: &[f64]) -> f64 {
    let (_, xi) = velocities(problem, z);
    let most = z.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    let mut worst = 0.0f64;
    for g in &problem.groups {
        let Law::Associated { friction, .. } = g.law else { panic!("a contact") };
        let (l, v) = (&z[g.rows()], &xi[g.rows()]);
        let size = |x: &[f64]| x[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
        worst =
            worst.max((size(l) - friction * l[0]) / most).max((friction * size(v) - v[0]) / problem.scale);
        let power: f64 = l.iter().zip(v).map(|(a, b)| a * b).sum();
        worst = worst.max(power.abs() / (most * problem.scale));
    }
    worst
}

/// A particle thrown onto a floor: sticks where the impulse that stops it is in the cone, leaves as it is where its
/// velocity is in the dual cone, and slides between, by the closed form lambda_n = (mu |u_t| − u_n) m / (1 + mu²).
#[test]
fn a_particle_sticks_slides_or_leaves_as_the_closed_forms_say() {
    let (m, mu) = (2.0, 0.5);
    for (u, expected) in [
        ([0.3, 0.2, -1.0], [2.0, -0.6, -0.4]),
        ([0.1, -0.2, 0.4], [0.0; 3]),
        ([3.0, 4.0, -1.0], {
            let normal: f64 = (mu * 5.0 + 1.0) * m / (1.0 + mu * mu);
            [normal, -0.6 * mu * normal, -0.8 * mu * normal]
        }),
    ] {
        let problem = particle(m, u, &[(FLOOR, 0.0)], mu);
        for method in [ContactSolver::Augmented, ContactSolver::Auto, ContactSolver::Pgs] {
            let z = solve(&problem, method, 1e-12);
            for (a, b) in z.iter().zip(expected) {
                assert!((a - b).abs() < 1e-10, "{method:?} {u:?}: {z:?} {expected:?}");
            }
        }
    }
}

/// Where it slides, friction is Coulomb's and the contact opens at mu times the slip.
#[test]
fn a_sliding_contact_opens_at_mu_times_its_slip() {
    let problem = particle(1.0, [3.0, 4.0, -1.0], &[(FLOOR, 0.0)], 0.5);
    let z = solve(&problem, ContactSolver::Augmented, 1e-13);
    let (_, xi) = velocities(&problem, &z);
    let slip = xi[1].hypot(xi[2]);
    assert!((xi[0] - 0.5 * slip).abs() < 1e-12 && (z[1].hypot(z[2]) - 0.5 * z[0]).abs() < 1e-12);
    assert!(z[1] * xi[1] + z[2] * xi[2] + 0.5 * z[0] * slip < 1e-11, "against the slip");
    let part = problem.residual(&z);
    assert!(part.max() < 1e-12, "{part:?}");
    // Coulomb's law is another one: the same impulses do not satisfy it
    let mut coulomb = problem.clone();
    coulomb.groups[0].law = Law::Contact { friction: 0.5, cone: Cone::Disc };
    assert!(coulomb.residual(&z).complementarity > 0.1);
}

/// Between two walls without any room no velocity is strictly allowed, the impulses have no bound, and the particle
/// stands still: the case in which interior-point methods alone have no path to follow.
#[test]
fn a_particle_wedged_between_walls_stands_still() {
    let other = [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for tilt in [0.0f64, 0.3] {
        let (s, c) = tilt.sin_cos();
        let side = [[s, 0.0, -c], [c, 0.0, s], [0.0, 1.0, 0.0]];
        for walls in [vec![(FLOOR, 0.0), (other, 0.0)], vec![(FLOOR, 0.0), (side, 0.0), (other, 0.0)]] {
            let problem = particle(1.0, [1.0, 0.5, -0.2], &walls, 0.4);
            let z = solve(&problem, ContactSolver::Augmented, 1e-10);
            let (change, _) = velocities(&problem, &z);
            for (d, u) in change.iter().zip([1.0, 0.5, -0.2]) {
                assert!((d + u).abs() < 1e-9, "{change:?}");
            }
        }
    }
}

/// A heap of bodies thrown together with more contacts than coordinates, some far from closing, and masses over four
/// orders.
fn heap(random: &mut Random, bodies: usize, contacts: usize, units: (f64, f64)) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let (length, mass) = units;
    let mut u = Vec::new();
    for _ in 0..bodies {
        let m = mass * 10f64.powf(2.0 * random.next());
        for inertia in [m, 0.4 * m * length * length] {
            inverse_mass
                .push(3, &[1.0 / inertia, 0.0, 0.0, 0.0, 1.0 / inertia, 0.0, 0.0, 0.0, 1.0 / inertia]);
        }
        (0..3).for_each(|_| u.push(length * random.next()));
        (0..3).for_each(|_| u.push(random.next()));
    }
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let unit = |a: [f64; 3]| {
        let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
        a.map(|x| x / size)
    };
    let mut problem = ContactProblem::default();
    for k in 0..contacts {
        let n = unit([random.next(), random.next(), random.next()]);
        let t = unit(cross(n, [random.next(), random.next(), random.next()]));
        let axes = [n, t, cross(n, t)];
        let pick = |r: f64| (((r + 1.0) / 2.0 * bodies as f64) as usize).min(bodies - 1);
        let (a, b) = (pick(random.next()), pick(random.next()));
        let (first_row, first_part) = (problem.q.len(), jacobian.parts.len());
        let gap = if k % 3 == 0 { 3.0 * length } else { 0.0 };
        problem.q.extend([gap, 0.0, 0.0]);
        let sides = [(a.min(b), 1.0), (a.max(b), -1.0)];
        for (body, sign) in sides.into_iter().take(if a == b { 1 } else { 2 }) {
            let arm = [random.next(), random.next(), random.next()].map(|x| length * x);
            let mut rows: Vec<[f64; 6]> = Vec::new();
            for d in axes {
                let m = cross(arm, d);
                rows.push([d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x));
            }
            for (q, row) in problem.q[first_row..].iter_mut().zip(&rows) {
                *q += row.iter().zip(&u[6 * body..]).map(|(a, b)| a * b).sum::<f64>();
            }
            jacobian.push(6 * body, 6, rows.as_flattened());
        }
        let law = Law::Associated { friction: 0.6 + 0.5 * random.next(), cone: Cone::Disc };
        problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
    }
    problem.scale = problem.q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    problem.validate().unwrap();
    problem
}

/// Whatever the heap, and in whatever units, to the conditions of a minimum evaluated here.
#[test]
fn heaps_with_redundant_contacts_and_unequal_masses_are_solved() {
    for units in [(1.0, 1.0), (1e-3, 1e-6)] {
        let mut random = Random(5);
        let (mut worst, mut most, mut sum) = (0.0f64, 0, 0);
        for case in 0..60 {
            let bodies = 2 + case % 12;
            let problem = heap(&mut random, bodies, 4 * bodies, units);
            let config =
                ContactSolverConfig { tolerance: 1e-9, ..ContactSolverConfig::new(ContactSolver::Augmented) };
            let mut z = vec![0.0; problem.len()];
            let report = config.build().solve(&problem, &mut z);
            let off = violation(&problem, &z);
            assert!(report.status == Status::Solved && off < 1e-8, "{case}: {report:?} {off:e}");
            (worst, most, sum) = (worst.max(off), most.max(report.iterations), sum + report.iterations);
        }
        println!(
            "units {units:?}: conditions to {worst:e}, {} matrices on average, at most {most}",
            sum / 60
        );
        assert!(most < 1000 && sum < 60 * 60, "{most} {sum}");
    }
}

/// The velocities of a strictly convex problem are unique: a method that knows nothing of matrices finds the same
/// ones, and so does an assembled operator.
#[test]
fn projected_gauss_seidel_and_the_assembled_operator_agree() {
    let mut random = Random(11);
    for case in 0..10 {
        let mut problem = heap(&mut random, 3, 6, (1.0, 1.0));
        if let Operator::Factored { inverse_mass, .. } = &mut problem.operator {
            inverse_mass.clear();
            (0..6).for_each(|_| inverse_mass.push(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
        }
        let z = solve(&problem, ContactSolver::Augmented, 1e-11);
        let (_, xi) = velocities(&problem, &z);
        let (_, other) = velocities(&problem, &solve(&problem, ContactSolver::Pgs, 1e-11));
        let mut assembled = problem.clone();
        assembled.operator = Operator::Assembled(dense_blocks(&problem));
        assembled.validate().unwrap();
        let (_, third) = velocities(&problem, &solve(&assembled, ContactSolver::Augmented, 1e-11));
        for i in 0..xi.len() {
            let off = (xi[i] - other[i]).abs().max((xi[i] - third[i]).abs());
            assert!(off < 1e-7 * problem.scale, "{case} row {i}: {} {} {}", xi[i], other[i], third[i]);
        }
    }
}

/// A as one block between every two groups.
fn dense_blocks(problem: &ContactProblem) -> BlockSparse {
    let mut out = BlockSparse::default();
    let n = problem.len();
    let mut columns = vec![vec![0.0; n]; n];
    for (r, column) in columns.iter_mut().enumerate() {
        let mut unit = vec![0.0; n];
        unit[r] = 1.0;
        let (_, xi) = velocities(problem, &unit);
        column.iter_mut().zip(xi).zip(&problem.q).for_each(|((c, x), q)| *c = x - q);
    }
    out.row_start.clear();
    out.row_start.push(0);
    for g in &problem.groups {
        for (d, h) in problem.groups.iter().enumerate() {
            out.column.push(d);
            out.at.push(out.values.len());
            for i in g.rows() {
                out.values.extend(h.rows().map(|j| columns[j][i]));
            }
        }
        out.row_start.push(out.column.len());
    }
    out
}

/// Joints, limits and dry friction beside contacts without friction: a problem that Newton's method for Coulomb's law
/// takes too.
#[test]
fn other_convex_laws_agree_with_newton() {
    let mut random = Random(21);
    for case in 0..20 {
        let mut problem = heap(&mut random, 4, 7, (1.0, 1.0));
        let laws = [Law::Bilateral { rows: 3 }, Law::DryCone { bound: 0.3, cone: Cone::Ball }];
        for (g, law) in problem.groups.iter_mut().zip(laws) {
            g.law = law;
        }
        for g in problem.groups.iter_mut().skip(2) {
            g.law = Law::Associated { friction: 0.0, cone: Cone::Disc };
        }
        let z = solve(&problem, ContactSolver::Augmented, 1e-10);
        let mut smooth = problem.clone();
        for g in smooth.groups.iter_mut().skip(2) {
            g.law = Law::Contact { friction: 0.0, cone: Cone::Disc };
        }
        let (_, xi) = velocities(&problem, &z);
        let (_, other) = velocities(&smooth, &solve(&smooth, ContactSolver::Newton, 1e-10));
        for i in 0..xi.len() {
            assert!((xi[i] - other[i]).abs() < 1e-7 * problem.scale, "{case} {i}: {} {}", xi[i], other[i]);
        }
    }
}

/// Solvers for Coulomb's law refuse the other law instead of answering something else, a polygon has none, and files
/// keep it.
#[test]
fn other_solvers_refuse_and_files_keep_the_law() {
    let problem = heap(&mut Random(2), 3, 8, (1.0, 1.0));
    for method in ContactSolver::ALL {
        let takes = matches!(method, ContactSolver::Auto | ContactSolver::Augmented | ContactSolver::Pgs);
        let report = ContactSolverConfig::new(method).build().solve(&problem, &mut vec![0.0; problem.len()]);
        assert_eq!(report.status == Status::Unsupported, !takes, "{method:?} {report:?}");
    }
    let mut coulomb = problem.clone();
    coulomb.groups[0].law = Law::Contact { friction: 0.5, cone: Cone::Disc };
    let mut augmented = ContactSolverConfig::new(ContactSolver::Augmented).build();
    assert_eq!(augmented.solve(&coulomb, &mut vec![0.0; problem.len()]).status, Status::Unsupported);
    let text = write(&JsonProblem::Contact(problem.clone())).unwrap();
    assert_eq!(read(&text).unwrap(), JsonProblem::Contact(problem.clone()));
    let mut broken = problem;
    broken.groups[0].law = Law::Associated { friction: 0.5, cone: Cone::Polygon };
    assert!(broken.validate().is_err());
}
