//! Linear complementarity problems: closed forms, other solvers, scaling.

use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::reduction::Reduction;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::{Report, Solver, Status};
use proptest::prelude::*;

fn solve(solver: &mut impl Solver<Lcp>, lcp: &Lcp) -> (Report, Vec<f64>) {
    let mut z = vec![f64::NAN; lcp.len()];
    let report = solver.solve(lcp, &mut z);
    if report.status == Status::Solved {
        assert_eq!(report.residual, lcp.residual(&z) / lcp.scale());
    }
    (report, z)
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance, "{found:?} is not {expected:?}");
    }
}

/// `B B^T + skew + shift I`: a P-matrix for a positive shift, positive semi-definite for none.
fn positive(n: usize, rank: usize, shift: f64, x: &[f64]) -> Dense {
    let mut m = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..rank).map(|k| x[i * n + k] * x[j * n + k]).sum();
            let skew = if rank == n { x[i * n + j] - x[j * n + i] } else { 0.0 };
            m[(i, j)] = product + skew + if i == j { shift } else { 0.0 };
        }
    }
    m
}

#[test]
fn lemke_walks_all_of_murtys_exponential_path() {
    for n in 2..=10 {
        let mut m = Dense::identity(n);
        for i in 0..n {
            for j in 0..i {
                m[(i, j)] = 2.0;
            }
        }
        let (report, z) = solve(&mut Lemke::default(), &Lcp::new(m.clone(), vec![-1.0; n]).unwrap());
        assert_eq!(report.status, Status::Solved);
        let mut expected = vec![0.0; n];
        expected[0] = 1.0;
        assert_eq!(z, expected);

        // Murty 1988, sec. 6.2: the same numbers, upper triangular, with q_i = −sum_{j >= i} 2^(n + i − j)
        let mut upper = Dense::identity(n);
        for i in 0..n {
            for j in i + 1..n {
                upper[(i, j)] = 2.0;
            }
        }
        let q = (0..n).map(|i| -(i..n).map(|j| 2f64.powi((n + i - j) as i32)).sum::<f64>()).collect();
        let lcp = Lcp::new(upper, q).unwrap();
        let (report, z) = solve(&mut Lemke::default(), &lcp);
        assert_eq!(report.status, Status::Solved);
        assert_eq!(solve(&mut Enumeration::default(), &lcp).1, z);
    }
}

#[test]
fn ties_in_every_row_do_not_cycle() {
    // Kostreva's cyclic example
    let m = Dense::from_rows(&[[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]);
    let lcp = Lcp::new(m, vec![-1.0; 3]).unwrap();
    let (report, z) = solve(&mut Lemke::default(), &lcp);
    assert_eq!(report.status, Status::Solved);
    assert_close(&z, &[1.0 / 3.0; 3], 1e-15);

    // a wheel of twelve equal rows, rank one: every ratio ties in every step
    let mut ones = Dense::zeros(12, 12);
    (0..12).for_each(|i| ones.row_mut(i).fill(1.0));
    let (report, z) = solve(&mut Lemke::default(), &Lcp::new(ones, vec![-3.0; 12]).unwrap());
    assert_eq!((report.status, z.iter().sum::<f64>()), (Status::Solved, 3.0));
}

#[test]
fn a_bimatrix_game_that_lemke_leaves_on_a_ray_is_solved_from_another_basis() {
    let m = Dense::from_rows(&[
        [0.0, 0.0, 10.0, 20.0],
        [0.0, 0.0, 30.0, 15.0],
        [10.0, 20.0, 0.0, 0.0],
        [30.0, 15.0, 0.0, 0.0],
    ]);
    let lcp = Lcp::new(m, vec![-1.0; 4]).unwrap();
    assert_eq!(solve(&mut Lemke::default(), &lcp).0.status, Status::Solved);
    let all = Enumeration::default().all(&lcp);
    assert_eq!((all.solutions.len(), all.singular_bases), (3, 0));
    for z in &all.solutions {
        assert!(lcp.residual(z) < 1e-15);
    }
}

#[test]
fn a_problem_without_solution_is_never_solved() {
    let m = Dense::from_rows(&[[-1.0, 0.0], [0.0, -1.0]]);
    let lcp = Lcp::new(m, vec![-1.0, -1.0]).unwrap();
    assert_eq!(solve(&mut Enumeration::default(), &lcp).0.status, Status::NoSolution);
    let (report, _) = solve(&mut Lemke::default(), &lcp);
    assert_eq!(report.status, Status::Failed);
    assert!(report.residual >= 1.0);
    assert!(Enumeration::default().all(&lcp).solutions.is_empty());
}

#[test]
fn several_solutions_come_in_order_of_their_size() {
    // 0 <= z ⟂ 1 − z >= 0, twice
    let lcp = Lcp::new(Dense::from_rows(&[[-1.0, 0.0], [0.0, -1.0]]), vec![1.0, 1.0]).unwrap();
    let all = Enumeration::default().all(&lcp);
    assert_eq!(all.solutions, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
}

#[test]
fn empty_single_and_broken_problems() {
    let (mut lemke, mut all) = (Lemke::default(), Enumeration::default());
    let empty = Lcp::default();
    assert_eq!(solve(&mut lemke, &empty).0, Report { status: Status::Solved, iterations: 0, residual: 0.0 });
    assert_eq!(solve(&mut all, &empty).0.status, Status::Solved);
    for (m, q, expected) in [(2.0, -3.0, 1.5), (2.0, 3.0, 0.0), (2.0, 0.0, 0.0), (1e-200, -1e-190, 1e10)] {
        let one = Lcp::new(Dense::from_rows(&[[m]]), vec![q]).unwrap();
        for (report, z) in [solve(&mut lemke, &one), solve(&mut all, &one)] {
            assert_eq!((report.status, report.residual <= 1e-15), (Status::Solved, true));
            assert_close(&z, &[expected], 1e-15 * expected);
        }
    }
    let nan = Lcp { m: Dense::from_rows(&[[f64::NAN]]), q: vec![1.0] };
    let uneven = Lcp { m: Dense::zeros(2, 2), q: vec![1.0] };
    for broken in [nan, uneven] {
        for (report, _) in [solve(&mut lemke, &broken), solve(&mut all, &broken)] {
            assert!(report.status == Status::Unsupported && report.residual.is_nan());
        }
    }
    let large = Lcp::new(Dense::identity(21), vec![-1.0; 21]).unwrap();
    assert_eq!(solve(&mut all, &large).0.status, Status::Unsupported);
    let mut short = [0.0];
    assert_eq!(lemke.solve(&large, &mut short).status, Status::Unsupported);
}

proptest! {
    #[test]
    fn lemke_and_enumeration_agree_on_p_matrices(
        n in 1usize..9,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        q in prop::collection::vec(-1.0f64..1.0, 8),
    ) {
        let lcp = Lcp::new(positive(n, n, 0.3, &x), q[..n].to_vec()).unwrap();
        let (lemke, z) = solve(&mut Lemke::default(), &lcp);
        let (enumeration, y) = solve(&mut Enumeration::default(), &lcp);
        prop_assert_eq!((lemke.status, enumeration.status), (Status::Solved, Status::Solved));
        assert_close(&z, &y, 1e-12);
        prop_assert_eq!(Enumeration::default().all(&lcp).solutions.len(), 1);
    }

    #[test]
    fn feasible_semidefinite_problems_are_solved(
        n in 2usize..9,
        rank in 1usize..4,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        z in prop::collection::vec(-1.0f64..1.0, 8),
    ) {
        let m = positive(n, rank.min(n - 1), 0.0, &x);
        // q for which z with its negative part as slack is a solution
        let at: Vec<f64> = z[..n].iter().map(|v| v.max(0.0)).collect();
        let q = (0..n).map(|i| (-z[i]).max(0.0) - (0..n).map(|j| m[(i, j)] * at[j]).sum::<f64>()).collect();
        let lcp = Lcp::new(m, q).unwrap();
        // q may be all but cancelled: its own rounding decides how well rows that depend on each other can agree
        let enough = 1e-14 + 1e-13 * lcp.scale();
        prop_assert!(lcp.residual(&solve(&mut Lemke::default(), &lcp).1) <= enough);
        prop_assert!(lcp.residual(&solve(&mut Enumeration::default(), &lcp).1) <= enough);
    }

    #[test]
    fn scaling_rows_and_columns_scales_the_answer(
        n in 1usize..7,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        q in prop::collection::vec(-1.0f64..1.0, 8),
        rows in prop::collection::vec(-8.0f64..8.0, 8),
        columns in prop::collection::vec(-8.0f64..8.0, 8),
    ) {
        let plain = Lcp::new(positive(n, n, 0.3, &x), q[..n].to_vec()).unwrap();
        let mut scaled = plain.clone();
        for i in 0..n {
            scaled.q[i] *= 10f64.powf(rows[i]);
            for j in 0..n {
                scaled.m[(i, j)] *= 10f64.powf(rows[i] + columns[j]);
            }
        }
        let expected = solve(&mut Lemke::default(), &plain).1;
        // products of entries 32 orders of magnitude apart leave more rounding than the usual tolerance
        let mut lemke = Lemke::default();
        let mut enumeration = Enumeration::default();
        (lemke.tolerance, enumeration.tolerance) = (1e-11, 1e-11);
        let answers = [solve(&mut lemke, &scaled), solve(&mut enumeration, &scaled)];
        for (report, z) in answers {
            prop_assert_eq!(report.status, Status::Solved);
            let back: Vec<f64> = (0..n).map(|j| z[j] * 10f64.powf(columns[j])).collect();
            assert_close(&back, &expected, 1e-11);
        }
    }

    #[test]
    fn mixed_problems_go_there_and_back(
        n in 1usize..7,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        q in prop::collection::vec(-3.0f64..3.0, 8),
        kind in prop::collection::vec(0usize..5, 8),
    ) {
        const INF: f64 = f64::INFINITY;
        let bounds = [(-INF, INF), (0.5, INF), (-INF, -0.5), (-1.0, 0.25), (0.7, 0.7)];
        let mixed = MixedLcp {
            m: positive(n, n, 0.3, &x),
            q: q[..n].to_vec(),
            lower: kind[..n].iter().map(|&k| bounds[k].0).collect(),
            upper: kind[..n].iter().map(|&k| bounds[k].1).collect(),
        };
        let mut reduction = Reduction::default();
        reduction.build(&mixed).unwrap();
        let (report, y) = solve(&mut Lemke::default(), reduction.lcp());
        prop_assert_eq!(report.status, Status::Solved);
        let mut z = vec![0.0; n];
        reduction.recover(&mixed, &y, &mut z);
        prop_assert!(mixed.residual(&z) < 1e-12);
    }
}
