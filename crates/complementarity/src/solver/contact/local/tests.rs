//! Single contacts, singular ones among them, solved to rounding.

use super::*;
use crate::law::{Cone, polygon_directions};
use crate::problem::contact::{ContactProblem, Group};
use crate::problem::operator::{BlockSparse, Operator};

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn single(law: Law, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> ContactProblem {
    let blocks = BlockSparse { row_start: vec![0, 1], column: vec![0], at: vec![0], values: a.to_vec() };
    ContactProblem {
        groups: vec![Group { law, first_row: 0, first_part: 0, end_part: 0 }],
        q: q.to_vec(),
        operator: Operator::Assembled(blocks),
        directions: directions.to_vec(),
        scale: q.iter().fold(0.0, |m: f64, x| m.max(x.abs())),
    }
}

/// Residual relative to the speeds that the impulses stand for.
fn error(law: Law, a: &[f64], q: &[f64]) -> (f64, [f64; MAX_ROWS]) {
    let n = law.rows();
    let problem = single(law, &[], a, q);
    let lambda = Local::default().solve(law, &[], a, q);
    let speeds = (0..n).map(|i| (a[i * n + i] * lambda[i]).abs()).fold(problem.scale, f64::max);
    (problem.residual(&lambda[..n]).max() * problem.scale / speeds, lambda)
}

#[test]
fn a_nearly_singular_planar_contact_that_can_slip_in_no_direction_sticks() {
    let a = [0.0899877572563677, 0.2866479700450686, 0.2866479700450686, 0.9130915275160312];
    let q = [-0.3107226978519773, -0.04844149159214273];
    let law = Law::Contact { friction: 2.9546269715550983, cone: Cone::Segment };
    let (found, lambda) = error(law, &a, &q);
    println!("impulse {:?}, residual relative to its speeds {found:e}", &lambda[..2]);
    assert!(lambda[0] > 0.0 && lambda[1].abs() <= 2.9546269715550983 * lambda[0]);
    assert!(found < 1e-14, "{found:e}");
    // the same with a block that is singular by construction, up to the last bits of one entry
    let mut random = Random(4101842887655102017);
    for case in 0..5000 {
        let (x, y) = (random.next().abs() + 0.1, random.next());
        let a = [x * x, x * y, x * y, (1.0 + 1e-14) * y * y];
        let q = [-0.1 - random.next().abs(), random.next()];
        let law = Law::Contact { friction: 3.0 * random.next().abs(), cone: Cone::Segment };
        let (found, _) = error(law, &a, &q);
        assert!(found < 1e-11, "case {case} {law:?} a {a:?} q {q:?}: {found:e}");
    }
}

/// A tangent that no impulse moves, or two that move together: velocities are of motions that can be stopped.
#[test]
fn a_spatial_contact_with_singular_tangents_is_solved_to_rounding() {
    let mut random = Random(88172645463325252);
    let (mut sticking, mut worst) = (0, 0.0f64);
    for case in 0..10_000 {
        let rank = 1 + case % 2;
        let b: [f64; 6] = std::array::from_fn(|i| if i / 3 < rank { random.next() } else { 0.0 });
        let mut a: [f64; 9] =
            std::array::from_fn(|i| (0..2).map(|k| b[3 * k + i / 3] * b[3 * k + i % 3]).sum());
        if case % 3 == 0 {
            (0..3).for_each(|i| (a[6 + i], a[3 * i + 2]) = (0.0, 0.0));
        }
        let x = [-1.0, 0.5 * random.next(), 0.5 * random.next()];
        let q: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| a[3 * i + j] * x[j]).sum());
        // a velocity that is the difference of much larger ones is not that of a motion any more
        let terms: f64 = (0..3).map(|j| (a[j] * x[j]).abs()).sum();
        if q[0] > -0.05 * terms {
            continue;
        }
        let law = Law::Contact { friction: 0.4 * (random.next() + 1.0), cone: Cone::Disc };
        let (found, lambda) = error(law, &a, &q);
        let slip = (0..3).map(|j| a[3 + j] * lambda[j]).sum::<f64>() + q[1];
        sticking += usize::from(slip.abs() < 1e-12);
        worst = worst.max(found);
        assert!(found < 1e-11, "case {case} {law:?} a {a:?} q {q:?}: {found:e}");
    }
    println!("{sticking} stick, worst residual {worst:e}");
    assert!(sticking > 1000);
}

#[test]
fn every_random_contact_is_solved_to_rounding() {
    let mut random = Random(88172645463325252);
    let mut directions = Vec::new();
    for case in 0..30_000 {
        let cone = [Cone::Segment, Cone::Disc, Cone::Polygon][case % 3];
        polygon_directions([3, 4, 5, 8][case % 4], random.next(), &mut directions);
        let law = Law::Contact { friction: (random.next() + 1.0) * [0.1, 0.5, 1.5][case % 5 % 3], cone };
        let n = law.rows();
        // a = B B^T with columns of very different size
        let b: Vec<f64> = (0..n * n).map(|i| random.next() * [1.0, 0.01, 3.0][i % n % 3]).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n * n {
            a[i] = (0..n).map(|k| b[i / n * n + k] * b[i % n * n + k]).sum();
        }
        let mut q: Vec<f64> = (0..n).map(|_| random.next()).collect();
        q[0] = q[0] * 0.5 - 0.3;
        let problem = single(law, &directions, &a, &q);
        let lambda = Local::default().solve(law, &directions, &a, &q);
        let residual = problem.residual(&lambda[..n]);
        // nearly singular blocks ask for large impulses: rounding is relative to the speeds those stand for
        let speeds = (0..n).map(|i| (a[i * n + i] * lambda[i]).abs()).fold(problem.scale, f64::max);
        let rounding = 1e-11 * speeds / problem.scale;
        assert!(residual.max() < rounding, "case {case} {law:?} a {a:?} q {q:?}: {residual:?}");
    }
}
