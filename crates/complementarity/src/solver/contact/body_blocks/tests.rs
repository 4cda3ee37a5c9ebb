use super::*;
use crate::law::{Cone, Law};
use crate::linear::dense::Dense;
use crate::problem::contact::Group;
use crate::problem::operator::{BlockDiagonal, Operator};

/// Bodies in space, in the plane and with one coordinate, of mass one; groups of one and of three rows between them.
fn problem() -> ContactProblem {
    let mut inverse_mass = BlockDiagonal::default();
    for size in [3, 3, 2, 1, 3, 3] {
        let mut unit = vec![0.0; size * size];
        (0..size).for_each(|i| unit[i * (size + 1)] = 1.0);
        inverse_mass.push(size, &unit);
    }
    let (mut jacobian, mut groups, mut row) = (Jacobian::default(), Vec::new(), 0);
    let touched: [&[(usize, usize)]; 5] =
        [&[(0, 6)], &[(0, 6), (9, 6)], &[(9, 6), (0, 6)], &[(6, 2), (0, 6)], &[(8, 1), (6, 2), (9, 6)]];
    for (c, parts) in touched.iter().enumerate() {
        let law = match c {
            3 => Law::Unilateral,
            _ => Law::Contact { friction: 0.5, cone: Cone::Disc },
        };
        let first_part = jacobian.parts.len();
        for &(start, width) in *parts {
            let value = |k: usize| (1.3 * k as f64 + c as f64 + start as f64).sin();
            let values: Vec<f64> = (0..width * law.rows()).map(value).collect();
            jacobian.push(start, width, &values);
        }
        groups.push(Group { law, first_row: row, first_part, end_part: jacobian.parts.len() });
        row += law.rows();
    }
    let operator = Operator::Factored { inverse_mass, jacobian };
    ContactProblem { groups, q: vec![0.0; row], operator, ..Default::default() }
}

/// `1 + sum J^T H J`, from the rows of J spread out.
fn expected(problem: &ContactProblem, jacobian: &Jacobian, h: impl Fn(usize, usize) -> f64) -> Dense {
    let mut a = Dense::identity(15);
    for group in &problem.groups {
        let n = group.law.rows();
        let mut rows = vec![[0.0; 15]; n];
        for part in &jacobian.parts[group.parts()] {
            for k in 0..n * part.width {
                rows[k / part.width][part.start + k % part.width] += jacobian.values[part.at + k];
            }
        }
        for (r, s) in (0..n * n).map(|k| (k / n, k % n)) {
            for (i, j) in (0..225).map(|k| (k / 15, k % 15)) {
                a[(i, j)] += rows[r][i] * h(r, s) * rows[s][j];
            }
        }
    }
    a
}

#[test]
fn blocks_of_all_groups_add_up_to_the_matrix() {
    let problem = problem();
    let Operator::Factored { inverse_mass, jacobian } = &problem.operator else { unreachable!() };
    let mut whitened = Whitened::default();
    whitened.prepare(&problem, inverse_mass, jacobian);
    for symmetric in [false, true] {
        let h = |r: usize, s: usize| match (r == s, symmetric) {
            (true, _) => 2.0,
            (false, true) => 0.1 * (r + s) as f64,
            (false, false) => 0.3 * r as f64 - 0.2 * s as f64,
        };
        let (mut bodies, mut matrix) = (BodyBlocks::default(), SystemMatrix::default());
        matrix.prepare(whitened.sizes(), &mut Vec::new(), symmetric);
        matrix.clear();
        bodies.prepare(&problem, jacobian, &whitened);
        bodies.locate(&matrix, &[true; 5], symmetric);
        bodies.begin(&mut matrix, whitened.node_count(), &[0, 1, 2, 3, 4]);
        for (c, group) in problem.groups.iter().enumerate() {
            let n = group.law.rows();
            let h: Vec<f64> = (0..n * n).map(|k| h(k / n, k % n)).collect();
            bodies.add(c, &h, whitened.all_values(), &mut matrix);
        }
        let expected = expected(&problem, jacobian, h);
        for (i, j) in (0..225).map(|k| (k / 15, k % 15)).filter(|(i, j)| !symmetric || i <= j) {
            let found = matrix.values_mut()[15 * i + j];
            assert!((found - expected[(i, j)]).abs() < 1e-12, "{symmetric}: {i} {j}");
        }
    }
}

#[test]
fn products_with_the_rows_of_a_group_are_transposed_to_each_other() {
    let problem = problem();
    let Operator::Factored { inverse_mass, jacobian } = &problem.operator else { unreachable!() };
    let (mut whitened, mut bodies) = (Whitened::default(), BodyBlocks::default());
    whitened.prepare(&problem, inverse_mass, jacobian);
    bodies.prepare(&problem, jacobian, &whitened);
    let y: Vec<f64> = (0..15).map(|i| (0.7 * i as f64).cos()).collect();
    for (c, group) in problem.groups.iter().enumerate() {
        let n = group.law.rows();
        let x = [0.3, -1.1, 0.8];
        let xi = bodies.velocities(c, n, whitened.all_values(), &y);
        let mut back = vec![0.0; 15];
        bodies.add_transposed(c, whitened.all_values(), &x[..n], (2.0, &mut back));
        let one: f64 = (0..n).map(|r| 2.0 * x[r] * xi[r]).sum();
        let other: f64 = (0..15).map(|i| y[i] * back[i]).sum();
        assert!((one - other).abs() < 1e-12 && one != 0.0, "{c}: {one} {other}");
    }
}
