//! Friction with a moment about the normal, and friction that differs along two tangents: spin and slip end as the
//! limit surface says, the impulse dissipates the most, and every solver that takes round cones finds the same
//! motion.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::convert::{ContactLcp, ConvertError};
use complementarity::problem::elliptic::{recover, scale_tangents};
use complementarity::problem::error::customary_error;
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};
use complementarity::problem::text::write_contact;
use complementarity::solver::{ContactSolver, ContactSolverConfig, Solver, Status};

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

const ROUND: [ContactSolver; 5] = [
    ContactSolver::Pgs,
    ContactSolver::Nsgs,
    ContactSolver::Newton,
    ContactSolver::Proximal,
    ContactSolver::Auto,
];

fn solver(method: ContactSolver, tolerance: f64) -> Box<dyn Solver<ContactProblem>> {
    ContactSolverConfig { tolerance, iterations: 200_000, ..ContactSolverConfig::new(method) }.build()
}

/// A disc on the ground below its centre: coordinates x, y, z and the spin about z, mass and inertia given. Velocities
/// before the contact as in `u`.
fn disc(mass: f64, inertia: f64, friction: f64, u: [f64; 4]) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    for m in [mass, mass, mass, inertia] {
        inverse_mass.push(1, &[1.0 / m]);
    }
    #[rustfmt::skip]
    jacobian.push(0, 4, &[
        0.0, 0.0, 1.0, 0.0,
        1.0, 0.0, 0.0, 0.0,
        0.0, 1.0, 0.0, 0.0,
        0.0, 0.0, 0.0, 1.0,
    ]);
    let law = Law::Contact { friction, cone: Cone::Ball };
    let q = vec![u[2], u[0], u[1], u[3]];
    let scale = u.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let groups = vec![Group { law, first_row: 0, first_part: 0, end_part: 1 }];
    let operator = Operator::Factored { inverse_mass, jacobian };
    ContactProblem { groups, q, operator, directions: Vec::new(), scale }
}

/// The impulses n, t, o and the moment r of a disc with these semi-axes.
fn impulses(mut problem: ContactProblem, axes: [f64; 3], method: ContactSolver) -> [f64; 4] {
    scale_tangents(&mut problem, 0, &axes).unwrap();
    problem.validate().unwrap();
    let mut z = [0.0; 4];
    let report = solver(method, 1e-13).solve(&problem, &mut z);
    assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
    assert!(customary_error(&problem, &z).error < 1e-12, "{method:?}");
    recover(&problem, 0, &axes, &mut z).unwrap();
    z
}

#[test]
fn a_disc_that_only_spins_slows_down_by_the_moment_bound_over_its_inertia_until_it_stops() {
    let (mass, inertia, friction, e_r, weight_impulse) = (2.0, 0.3, 0.4, 0.05, 0.7);
    for method in ROUND {
        let mut spin = 1.0;
        // alpha dt of each step
        let loss = friction * weight_impulse * e_r / inertia;
        for step in 1..=25 {
            let u = [0.0, 0.0, -weight_impulse / mass, spin];
            let z = impulses(disc(mass, inertia, friction, u), [1.0, 1.0, e_r], method);
            spin += z[3] / inertia;
            let expected = (1.0 - step as f64 * loss).max(0.0);
            assert!((spin - expected).abs() < 1e-12, "{method:?} step {step}: {spin} {expected}");
            assert!((z[0] - weight_impulse).abs() < 1e-12 && z[1] == 0.0 && z[2] == 0.0);
        }
        assert!(spin.abs() < 1e-12);
    }
}

#[test]
fn slip_and_spin_together_end_on_the_limit_surface_and_dissipate_the_most() {
    let (axes, friction, mut random) = ([1.0, 0.6, 0.08], 0.5, Random(3));
    for _ in 0..20 {
        let u = [3.0 * random.next(), 3.0 * random.next(), -1.0 - 0.5 * random.next(), 40.0 * random.next()];
        let problem = disc(1.5, 0.02, friction, u);
        let z = impulses(problem.clone(), axes, ContactSolver::Auto);
        let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
        problem.velocities(&z, &mut scratch, &mut work, &mut xi);
        let bound = friction * z[0];
        let on_surface = (0..3).map(|i| (z[1 + i] / axes[i]).powi(2)).sum::<f64>().sqrt();
        assert!(on_surface <= bound * (1.0 + 1e-12));
        let power = |l: [f64; 3]| -(0..3).map(|i| l[i] * xi[1 + i]).sum::<f64>();
        let ours = power([z[1], z[2], z[3]]);
        let slides = xi[1..].iter().any(|x| x.abs() > 1e-9);
        assert!(!slides || (on_surface / bound - 1.0).abs() < 1e-12);
        // every other impulse of the surface, sampled
        let mut best = 0.0f64;
        for i in 0..=200 {
            for j in 0..400 {
                let (theta, phi) =
                    (i as f64 / 200.0 * std::f64::consts::PI, j as f64 / 400.0 * std::f64::consts::TAU);
                let d = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()];
                best = best.max(power(std::array::from_fn(|k| bound * axes[k] * d[k])));
            }
        }
        let rounding = 1e-12 * problem.scale * bound;
        assert!(ours >= best - rounding && ours <= best * 1.001 + rounding, "{ours} {best}");
    }
}

#[test]
fn elliptic_friction_turns_the_force_towards_the_rough_direction() {
    let (axes, friction) = ([1.0, 0.3], 0.2);
    let angle = 0.7f64;
    let u = [50.0 * angle.cos(), 50.0 * angle.sin(), -1.0];
    for method in ROUND {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        inverse_mass.push(3, &[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
        jacobian.push(0, 3, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let law = Law::Contact { friction, cone: Cone::Disc };
        let groups = vec![Group { law, first_row: 0, first_part: 0, end_part: 1 }];
        let operator = Operator::Factored { inverse_mass, jacobian };
        let plain =
            ContactProblem { groups, q: vec![u[2], u[0], u[1]], operator, directions: vec![], scale: 50.0 };
        let mut problem = plain.clone();
        scale_tangents(&mut problem, 0, &axes).unwrap();
        let mut z = [0.0; 3];
        assert_eq!(solver(method, 1e-13).solve(&problem, &mut z).status, Status::Solved, "{method:?}");
        recover(&problem, 0, &axes, &mut z).unwrap();
        let slip = [u[0] + 0.5 * z[1], u[1] + 0.5 * z[2]];
        // lambda_i = −mu lambda_n e_i² xi_i / |E xi| for the slip xi at the end
        let speed = (axes[0] * slip[0]).hypot(axes[1] * slip[1]);
        for i in 0..2 {
            let expected = -friction * 2.0 * axes[i] * axes[i] * slip[i] / speed;
            assert!((z[1 + i] - expected).abs() < 1e-10, "{method:?}: {z:?} {expected}");
        }
        // the force is not opposite to the slip
        assert!((z[2] / z[1]).atan() < 0.2 * angle, "{z:?}");
    }
}

/// Bodies with six coordinates in a row, each touching the ground and the next with friction about the normal.
fn row(random: &mut Random, bodies: usize, mass: f64, speed: f64) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let mut problem = ContactProblem { scale: speed, ..Default::default() };
    for b in 0..bodies {
        let mut inverse = [0.0; 36];
        (0..6).for_each(|i| inverse[7 * i] = if i < 3 { 1.0 } else { 1.5 } / mass);
        inverse_mass.push(6, &inverse);
        for with in [None, b.checked_sub(1)].into_iter().take(1 + usize::from(b > 0)) {
            let law = Law::Contact { friction: 0.5 + 0.3 * random.next(), cone: Cone::Ball };
            let (first_row, first_part) = (problem.q.len(), jacobian.parts.len());
            let axis = if with.is_some() { 0 } else { 2 };
            for (body, side) in [(Some(b), 1.0), (with, -1.0)] {
                let Some(body) = body else { continue };
                let arm: [f64; 3] =
                    std::array::from_fn(|i| if i == axis { -side } else { 0.3 * random.next() });
                let mut rows = [0.0; 24];
                for r in 0..3 {
                    let (mut direction, at) = ([0.0; 3], (axis + r) % 3);
                    direction[at] = side;
                    rows[6 * r..6 * r + 3].copy_from_slice(&direction);
                    for i in 0..3 {
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        rows[6 * r + 3 + i] = arm[j] * direction[k] - arm[k] * direction[j];
                    }
                }
                rows[18 + 3 + axis] = side;
                jacobian.push(6 * body, 6, &rows);
            }
            let size = [0.8, 0.5, 0.5, 1.0];
            problem.q.extend(size.map(|s| s * speed * random.next()));
            problem.q[first_row] -= 0.6 * speed;
            problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
        }
    }
    problem.operator = Operator::Factored { inverse_mass, jacobian };
    for g in 0..problem.groups.len() {
        scale_tangents(&mut problem, g, &[1.0, 0.7, 0.3]).unwrap();
    }
    problem.validate().unwrap();
    problem
}

fn motion(problem: &ContactProblem, method: ContactSolver) -> Vec<f64> {
    velocities(problem, &solved(problem, method))
}

fn solved(problem: &ContactProblem, method: ContactSolver) -> Vec<f64> {
    let mut z = vec![0.0; problem.len()];
    let report = solver(method, 1e-11).solve(problem, &mut z);
    assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
    assert!(problem.residual(&z).max() <= 1e-11);
    z
}

/// What the impulses change the velocities by.
fn velocities(problem: &ContactProblem, z: &[f64]) -> Vec<f64> {
    let (mut scratch, mut work) = (Vec::new(), Vec::new());
    problem.impulse_velocity(z, &mut scratch, &mut work);
    work
}

#[test]
fn all_solvers_find_the_same_motion_of_bodies_in_a_row() {
    let mut random = Random(11);
    // contacts that open, stick and slip
    let mut modes = [0; 3];
    for case in 0..40 {
        let problem = row(&mut random, 1 + case % 5, 1.0, 1.0);
        let impulses = solved(&problem, ContactSolver::Nsgs);
        for group in &problem.groups {
            let Law::Contact { friction, .. } = group.law else { panic!() };
            let z = &impulses[group.rows()];
            let size = z[1].hypot(z[2]).hypot(z[3]);
            modes[if z[0] == 0.0 { 0 } else { 1 + usize::from(size > 0.999999 * friction * z[0]) }] += 1;
        }
        let reference = velocities(&problem, &impulses);
        for method in ROUND {
            let found = motion(&problem, method);
            let apart = found.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-7, "case {case} {method:?}: {apart:e}");
        }
    }
    assert!(modes.iter().all(|count| *count >= 10), "{modes:?}");
}

#[test]
fn torsion_does_not_depend_on_the_units_of_mass_and_time() {
    for (mass, speed) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1.0, 1e-8)] {
        for method in ROUND {
            let unit = motion(&row(&mut Random(7), 3, 1.0, 1.0), method);
            let scaled = motion(&row(&mut Random(7), 3, mass, speed), method);
            for (a, b) in unit.iter().zip(&scaled) {
                assert!((a - b / speed).abs() < 1e-7, "{method:?} {mass:e} {speed:e}: {a} {b}");
            }
        }
    }
}

#[test]
fn an_assembled_problem_is_scaled_like_a_factored_one() {
    // A of two contacts with two bodies, entry by entry from unit impulses
    let mut random = Random(19);
    let factored = row(&mut random, 2, 1.0, 1.0);
    let assemble = |problem: &ContactProblem| {
        let mut blocks = BlockSparse { row_start: vec![0], ..Default::default() };
        let mut still = problem.clone();
        still.q.fill(0.0);
        let columns: Vec<Vec<f64>> = (0..still.len())
            .map(|j| {
                let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
                let unit: Vec<f64> = (0..still.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
                still.velocities(&unit, &mut scratch, &mut work, &mut xi);
                xi
            })
            .collect();
        for c in &problem.groups {
            for (d, other) in problem.groups.iter().enumerate() {
                blocks.column.push(d);
                blocks.at.push(blocks.values.len());
                for i in c.rows() {
                    blocks.values.extend(other.rows().map(|j| columns[j][i]));
                }
            }
            blocks.row_start.push(blocks.column.len());
        }
        ContactProblem { operator: Operator::Assembled(blocks), ..problem.clone() }
    };
    let (mut one, mut two) = (assemble(&factored), factored.clone());
    for problem in [&mut one, &mut two] {
        scale_tangents(problem, 1, &[2.0, 0.5, 3.0]).unwrap();
    }
    let two = assemble(&two);
    let (Operator::Assembled(a), Operator::Assembled(b)) = (&one.operator, &two.operator) else { panic!() };
    assert!(a.values.iter().zip(&b.values).all(|(x, y)| (x - y).abs() < 1e-14) && one.q == two.q);
    one.validate().unwrap();
    // and the solvers that work on A find what those that work on its factors find
    for method in ROUND {
        let mut z = vec![0.0; one.len()];
        assert_eq!(solver(method, 1e-11).solve(&one, &mut z).status, Status::Solved, "{method:?}");
    }
}

#[test]
fn contacts_with_torsion_come_back_from_json_and_are_refused_where_there_is_no_form_for_them() {
    let problem = row(&mut Random(23), 3, 1.0, 1.0);
    let text = write(&JsonProblem::Contact(problem.clone())).unwrap();
    assert!(text.contains("\"Ball\""));
    assert_eq!(read(&text).unwrap(), JsonProblem::Contact(problem.clone()));
    assert_eq!(write_contact(&problem, ""), None);
    assert!(matches!(ContactLcp::default().build(&problem), Err(ConvertError::RoundCone { group: 0 })));
    for method in [ContactSolver::Lemke, ContactSolver::Enumeration] {
        let mut z = vec![0.0; problem.len()];
        assert!(!method.takes_disc());
        assert_eq!(solver(method, 1e-10).solve(&problem, &mut z).status, Status::Unsupported);
    }
}

#[test]
fn semi_axes_that_make_no_limit_surface_are_refused_and_change_nothing() {
    let problem = disc(1.0, 1.0, 0.5, [1.0, 0.0, -1.0, 1.0]);
    for axes in [&[1.0, 1.0][..], &[1.0, 1.0, 0.0], &[1.0, -1.0, 1.0], &[f64::NAN, 1.0, 1.0], &[]] {
        let mut copy = problem.clone();
        assert!(scale_tangents(&mut copy, 0, axes).is_err() && copy == problem, "{axes:?}");
        assert!(recover(&problem, 0, axes, &mut [0.0; 4]).is_err());
    }
    assert!(scale_tangents(&mut problem.clone(), 1, &[1.0; 3]).is_err());
    assert!(recover(&problem, 0, &[1.0; 3], &mut [0.0; 3]).is_err());
    let mut free = problem.clone();
    free.groups[0].law = Law::Bilateral { rows: 4 };
    let error = scale_tangents(&mut free, 0, &[1.0; 3]).unwrap_err();
    assert!(error.to_string().contains("contact"), "{error}");
}
