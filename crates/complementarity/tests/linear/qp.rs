//! Convex quadratic programs: closed forms, linear programs, the optimal point closest to zero, what has no solution.

use complementarity::dense::{Dense, dot};
use complementarity::problem::qp::Qp;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::{Report, Solver, Status};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

fn solve(qp: &Qp) -> (Report, Vec<f64>) {
    let n = qp.unknowns();
    let mut z = vec![0.0; n + qp.constraints()];
    let report = ActiveSet::default().solve(qp, &mut z);
    if report.status == Status::Solved {
        assert_eq!(report.residual, qp.residual(&z[..n], &z[n..]) / qp.scale());
    }
    z.truncate(n);
    (report, z)
}

fn assert_solved(qp: &Qp, expected: &[f64]) {
    let (report, x) = solve(qp);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    let apart = x.iter().zip(expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(apart < 1e-10, "{x:?} is not {expected:?}");
}

#[test]
fn a_regular_program_with_an_equation_and_a_bound() {
    // the point of x + y = 1 closest to (3, 0), then with x <= 1.5
    let free = Qp {
        h: Dense::identity(2),
        g: vec![-3.0, 0.0],
        c: Dense::from_rows(&[[1.0, 1.0]]),
        lower: vec![1.0],
        upper: vec![1.0],
    };
    assert_solved(&free, &[2.0, -1.0]);
    let c = Dense::from_rows(&[[1.0, 1.0], [1.0, 0.0]]);
    let bounded = Qp { c, lower: vec![1.0, -INF], upper: vec![1.0, 1.5], ..free };
    assert_solved(&bounded, &[1.5, -0.5]);
}

#[test]
fn a_linear_program_ends_in_its_vertex_or_in_the_middle_of_its_edge() {
    let rows = Dense::from_rows(&[[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    let program = |g: [f64; 2]| Qp {
        h: Dense::zeros(2, 2),
        g: g.to_vec(),
        c: rows.clone(),
        lower: vec![2.0, 0.0, 0.0],
        upper: vec![INF; 3],
    };
    assert_solved(&program([1.0, 2.0]), &[2.0, 0.0]);
    // all points of the edge are optimal: the middle is closest to zero
    assert_solved(&program([1.0, 1.0]), &[1.0, 1.0]);
    assert_solved(&program([0.0, 0.0]), &[1.0, 1.0]);
}

#[test]
fn redundant_rows_are_no_obstacle() {
    let qp = Qp {
        h: Dense::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
        g: vec![-1.0, -1.0, 0.0],
        c: Dense::from_rows(&[[1.0, -1.0, 0.0], [2.0, -2.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]),
        lower: vec![0.2, 0.4, -1.0, 3.0],
        upper: vec![0.2, 0.4, 5.0, INF],
    };
    assert_solved(&qp, &[0.6, 0.4, 3.0]);
}

#[test]
fn what_has_no_solution_is_told_apart() {
    let empty = Qp {
        h: Dense::identity(1),
        g: vec![0.0],
        c: Dense::from_rows(&[[1.0], [1.0]]),
        lower: vec![1.0, -INF],
        upper: vec![INF, 0.0],
    };
    assert_eq!(solve(&empty).0.status, Status::NoSolution);
    let unbounded = Qp { h: Dense::zeros(1, 1), upper: vec![INF, INF], g: vec![-1.0], ..empty.clone() };
    assert_eq!(solve(&unbounded).0.status, Status::IterationLimit);
    let concave = Qp { h: Dense::from_rows(&[[-1.0]]), ..empty.clone() };
    assert_eq!(solve(&concave).0.status, Status::Unsupported);
    let uneven = Qp { h: Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]]), g: vec![0.0; 2], ..Qp::default() };
    assert!(uneven.validate().unwrap_err().to_string().contains("H[2]"));
    assert_eq!(solve(&Qp::default()).0.status, Status::Solved);
}

/// What is left of `d` without its part along the rows of H, g and the equations.
fn along_the_face(qp: &Qp, d: &[f64]) -> Vec<f64> {
    let n = qp.unknowns();
    let equations = (0..qp.constraints()).filter(|&i| qp.lower[i] == qp.upper[i]);
    let fixed = (0..n).map(|i| qp.h.row(i).to_vec()).chain([qp.g.clone()]);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut v in fixed.chain(equations.map(|i| qp.c.row(i).to_vec())).chain([d.to_vec()]) {
        for q in basis.iter().chain(&basis) {
            let along = dot(&v, q);
            v.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
        }
        let norm = dot(&v, &v).sqrt();
        if norm > 1e-8 {
            basis.push(v.iter().map(|x| x / norm).collect());
        } else {
            basis.push(vec![0.0; n]);
        }
    }
    basis.pop().unwrap_or_default()
}

fn is_feasible(qp: &Qp, x: &[f64]) -> bool {
    (0..qp.constraints()).all(|i| {
        let s = dot(qp.c.row(i), x);
        qp.lower[i] - 1e-12 <= s && s <= qp.upper[i] + 1e-12
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn singular_programs_are_solved_and_their_answer_is_the_smallest(
        n in 2usize..7,
        rank in 0usize..4,
        m in 0usize..8,
        b in prop::collection::vec(-1.0f64..1.0, 64),
        c in prop::collection::vec(-1.0f64..1.0, 64),
        at in prop::collection::vec(-1.0f64..1.0, 8),
        room in prop::collection::vec(0.0f64..1.0, 8),
        other in prop::collection::vec(-1.0f64..1.0, 8),
    ) {
        let mut qp = Qp { h: Dense::zeros(n, n), g: vec![0.0; n], c: Dense::zeros(m, n), ..Qp::default() };
        for i in 0..n {
            for j in 0..n {
                qp.h[(i, j)] = (0..rank).map(|k| b[i * rank + k] * b[j * rank + k]).sum();
            }
        }
        // `at` is feasible and, with g in the range of H, the objective is bounded
        for j in 0..n {
            qp.g[j] = (0..n).map(|k| qp.h[(j, k)] * other[k]).sum();
        }
        for i in 0..m {
            qp.c.row_mut(i).copy_from_slice(&c[i * n..(i + 1) * n]);
            let s: f64 = (0..n).map(|j| qp.c[(i, j)] * at[j]).sum();
            qp.lower.push(if i % 3 == 0 { s } else { s - room[i] });
            qp.upper.push(if i == 0 { s } else if i % 2 == 0 { INF } else { s + room[i] });
        }
        let (report, x) = solve(&qp);
        prop_assert_eq!(report.status, Status::Solved, "{:?} {:?}", report, qp);
        prop_assert!(qp.objective(&x) <= qp.objective(&at[..n]) + 1e-9);
        // along the optimal face, as far as that stays feasible, the norm grows
        for direction in [&b, &c] {
            let d = along_the_face(&qp, &direction[..n]);
            for t in [1e-3, -1e-3, 1e-1, -1e-1] {
                let moved: Vec<f64> = (0..n).map(|j| x[j] + t * d[j]).collect();
                prop_assert!(!is_feasible(&qp, &moved) || dot(&moved, &moved) >= dot(&x, &x) - 1e-8);
            }
        }
    }
}
