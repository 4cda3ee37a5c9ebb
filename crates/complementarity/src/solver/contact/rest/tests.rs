use super::*;
use crate::law::{Cone, Law};
use crate::problem::operator::{BlockDiagonal, Jacobian, Operator};

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// Bodies of six coordinates in a row, each with some contacts with the one before or with the ground, impulses inside
/// of their cones, and the velocity without impulses that these bring to zero.
fn balanced(seed: &mut u64, bodies: usize) -> (ContactProblem, Vec<f64>, Vec<f64>) {
    let (mut inverse_mass, mut jacobian, mut groups) =
        (BlockDiagonal::default(), Jacobian::default(), Vec::new());
    let (mut lambda, mut q) = (Vec::new(), Vec::new());
    for body in 0..bodies {
        for _ in 0..2 {
            let d = [0.0; 3].map(|_: f64| 0.5 + random(seed));
            inverse_mass.push(3, &[d[0], 0.1, 0.0, 0.1, d[1], 0.2, 0.0, 0.2, d[2]]);
        }
        for _ in 0..4 {
            let (first_part, first_row) = (jacobian.parts.len(), q.len());
            for start in [Some(6 * body), (6 * body).checked_sub(6)].into_iter().flatten() {
                let values: Vec<f64> = (0..18).map(|_| random(seed) - 0.5).collect();
                jacobian.push(start, 6, &values);
            }
            let law = Law::Contact { friction: 0.5, cone: Cone::Disc };
            groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
            let n = 0.1 + random(seed);
            lambda.extend([n, 0.3 * n * (random(seed) - 0.5), 0.3 * n * (random(seed) - 0.5)]);
            q.extend([0.0; 3]);
        }
    }
    let operator = Operator::Factored { inverse_mass, jacobian };
    let mut problem = ContactProblem { groups, q, operator, scale: 1.0, ..Default::default() };
    let (mut force, mut free, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    problem.velocities(&lambda, &mut force, &mut free, &mut xi);
    free.iter_mut().for_each(|u| *u = -*u);
    // rows at rest have no velocity
    problem.q.iter_mut().zip(xi).for_each(|(q, xi)| *q = -xi);
    (problem, free, lambda)
}

fn left(problem: &ContactProblem, free: &[f64], lambda: &[f64]) -> Vec<f64> {
    let (mut force, mut u, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    problem.velocities(lambda, &mut force, &mut u, &mut xi);
    u.iter().zip(free).map(|(u, f)| u + f).collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// By eq. (1), computed here: what is nearly balanced becomes so to rounding, by a change as small as the error, and
/// what nothing balances stays as it was.
#[test]
fn what_is_nearly_at_rest_comes_to_rest_where_it_can() {
    let mut seed = 1;
    for round in 0..50 {
        let (problem, free, exact) = balanced(&mut seed, 1 + round % 9);
        let near: Vec<f64> = exact.iter().map(|l| l * (1.0 + 1e-9 * (random(&mut seed) - 0.5))).collect();
        let u = left(&problem, &free, &near);
        let (mut rest, mut found) = (Rest::default(), near.clone());
        rest.begin(&problem);
        let start = Start { problem: &problem, free: &free, residual: 1e-9 };
        assert!(largest(&u) > 1e-12 && rest.settle(start, &u, &mut found, |_| true), "{round}");
        assert!(largest(&left(&problem, &free, &found)) < 1e-14 * largest(&free), "{round}");
        let moved: Vec<f64> = found.iter().zip(&near).map(|(a, b)| a - b).collect();
        assert!(largest(&moved) < 1e-7, "{round}: {}", largest(&moved));
        // no row acts on the first coordinate: nothing holds what pushes there
        let mut slippery = problem.clone();
        let Operator::Factored { jacobian, .. } = &mut slippery.operator else { panic!() };
        for part in jacobian.parts.iter().filter(|part| part.start == 0) {
            (0..3).for_each(|row| jacobian.values[part.at + row * part.width] = 0.0);
        }
        let mut free: Vec<f64> = left(&slippery, &vec![0.0; free.len()], &exact).iter().map(|u| -u).collect();
        free[0] += 1e-9 * largest(&free);
        let (mut same, start) = (near.clone(), Start { problem: &slippery, free: &free, residual: 1e-9 });
        let u = left(&slippery, &free, &near);
        rest.begin(&slippery);
        assert!(!rest.settle(start, &u, &mut same, |_| true), "{round}");
        assert_eq!(same, near, "{round}");
    }
}

/// Two rows of bodies: one of them at rest is known to be, and the other is not.
#[test]
fn islands_rest_by_themselves() {
    let mut seed = 7;
    let (mut problem, mut free, mut lambda) = balanced(&mut seed, 3);
    let (other, other_free, other_lambda) = balanced(&mut seed, 2);
    let (
        Operator::Factored { inverse_mass, jacobian },
        Operator::Factored { inverse_mass: mass, jacobian: rows },
    ) = (&mut problem.operator, &other.operator)
    else {
        panic!()
    };
    let coordinates = inverse_mass.len();
    mass.blocks().iter().for_each(|block| inverse_mass.push(block.size, mass.values(*block)));
    for group in &other.groups {
        let first_part = jacobian.parts.len();
        for part in &rows.parts[group.parts()] {
            jacobian.push(
                coordinates + part.start,
                part.width,
                &rows.values[part.at..part.at + 3 * part.width],
            );
        }
        problem.groups.push(Group {
            first_row: lambda.len() + group.first_row,
            first_part,
            end_part: jacobian.parts.len(),
            ..*group
        });
    }
    let rows_of_first = lambda.len();
    problem.q.extend(&other.q);
    free.extend(&other_free);
    lambda.extend(&other_lambda);
    free[coordinates + 1] += 0.5; // the second moves
    let mut rest = Rest::default();
    rest.begin(&problem);
    let start = Start { problem: &problem, free: &free, residual: 1e-9 };
    assert!(rest.stays(start, &vec![0.0; free.len()], &lambda, |_| true));
    rest.confirm(start, &mut lambda, &vec![[1.0; MAX_ROWS]; problem.groups.len()]);
    let at_rest: Vec<bool> = problem.groups.iter().map(|group| rest.rests(&problem, group)).collect();
    assert!(
        at_rest.iter().zip(&problem.groups).all(|(rests, group)| *rests == (group.first_row < rows_of_first))
    );
}
