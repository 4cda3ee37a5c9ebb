//! Mixed linear complementarity problems: closed forms, redundant rows, and solvers against each other.

use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::reduction::Reduction;
use complementarity::solver::dantzig::Dantzig;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::{Report, Solver, Status};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;
const BOUNDS: [(f64, f64); 6] =
    [(-INF, INF), (0.0, INF), (-INF, -0.5), (-1.0, 0.25), (0.7, 0.7), (-0.2, 0.2)];

fn solve(solver: &mut impl Solver<MixedLcp>, problem: &MixedLcp) -> (Report, Vec<f64>) {
    let mut z = vec![f64::NAN; problem.len()];
    let report = solver.solve(problem, &mut z);
    if report.status == Status::Solved {
        assert_eq!(report.residual, problem.residual(&z) / problem.scale());
    }
    (report, z)
}

/// `B B^T + shift I` with B n x rank.
fn symmetric(n: usize, rank: usize, shift: f64, x: &[f64]) -> Dense {
    let mut m = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..rank).map(|k| x[i * rank + k] * x[j * rank + k]).sum();
            m[(i, j)] = product + if i == j { shift } else { 0.0 };
        }
    }
    m
}

fn bounded(m: Dense, q: &[f64], kind: &[usize]) -> MixedLcp {
    let n = m.rows();
    let bounds = kind[..n].iter().map(|&k| BOUNDS[k]);
    let (lower, upper) = bounds.unzip();
    MixedLcp { m, q: q[..n].to_vec(), lower, upper }
}

#[test]
fn free_one_sided_and_boxed_unknowns_of_a_diagonal_problem() {
    let problem = MixedLcp {
        m: Dense::identity(5),
        q: vec![1.0, 1.0, -1.0, -5.0, 5.0],
        lower: vec![-INF, 0.0, 0.0, -2.0, -2.0],
        upper: vec![INF, INF, INF, 2.0, 2.0],
    };
    let (report, z) = solve(&mut Dantzig::default(), &problem);
    assert_eq!((report.status, z), (Status::Solved, vec![-1.0, 0.0, 1.0, 2.0, -2.0]));
}

#[test]
fn rows_that_contradict_each_other_are_not_solved() {
    let torn = MixedLcp {
        m: Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]),
        q: vec![0.0, 1.0],
        lower: vec![-INF; 2],
        upper: vec![INF; 2],
    };
    assert_eq!(solve(&mut Dantzig::default(), &torn).0.status, Status::Failed);
}

#[test]
fn invalid_bounds_sizes_and_numbers_are_refused() {
    let good = MixedLcp { m: Dense::identity(1), q: vec![1.0], lower: vec![0.0], upper: vec![1.0] };
    let broken = [
        MixedLcp { q: vec![f64::NAN], ..good.clone() },
        MixedLcp { lower: vec![2.0], ..good.clone() },
        MixedLcp { upper: vec![], ..good.clone() },
        MixedLcp { lower: vec![f64::NAN], ..good.clone() },
    ];
    for problem in broken {
        let report = Dantzig::default().solve(&problem, &mut vec![0.0; problem.len()]);
        assert!(report.status == Status::Unsupported && report.residual.is_nan());
    }
    assert_eq!(solve(&mut Dantzig::default(), &MixedLcp::default()).0.status, Status::Solved);
}

#[test]
fn an_unknown_that_meets_a_bound_hands_over_to_its_double() {
    // rows 0 and 1 are the same; the first can carry 1, the rest is for the second
    let problem = MixedLcp {
        m: Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]),
        q: vec![-3.0; 2],
        lower: vec![0.0; 2],
        upper: vec![1.0, INF],
    };
    let mut z = [0.0; 2];
    assert_eq!(Dantzig::default().solve(&problem, &mut z).status, Status::Solved);
    assert_eq!(z, [1.0, 2.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn regular_problems_have_the_answer_lemke_finds(
        n in 1usize..9,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        q in prop::collection::vec(-3.0f64..3.0, 8),
        kind in prop::collection::vec(0usize..6, 8),
    ) {
        let problem = bounded(symmetric(n, n, 0.1, &x), &q, &kind);
        let (report, z) = solve(&mut Dantzig::default(), &problem);
        prop_assert_eq!(report.status, Status::Solved);
        let mut reduction = Reduction::default();
        reduction.build(&problem).unwrap();
        let mut y = vec![0.0; reduction.lcp().len()];
        Lemke::default().solve(reduction.lcp(), &mut y);
        let mut expected = vec![0.0; n];
        reduction.recover(&problem, &y, &mut expected);
        for i in 0..n {
            prop_assert!((z[i] - expected[i]).abs() < 1e-10, "{z:?} is not {expected:?}");
        }
    }

    #[test]
    fn semidefinite_problems_with_a_solution_are_solved(
        n in 2usize..9,
        rank in 1usize..4,
        x in prop::collection::vec(-1.0f64..1.0, 64),
        at in prop::collection::vec(-1.0f64..1.0, 8),
        kind in prop::collection::vec(0usize..6, 8),
    ) {
        let mut problem = bounded(symmetric(n, rank.min(n - 1), 0.0, &x), &[0.0; 8], &kind);
        // q for which `at`, moved into the bounds, is a solution
        let z: Vec<f64> = (0..n).map(|i| at[i].max(problem.lower[i]).min(problem.upper[i])).collect();
        for i in 0..n {
            let product: f64 = (0..n).map(|j| problem.m[(i, j)] * z[j]).sum();
            problem.q[i] = (z[i] - at[i]) - product;
        }
        prop_assert!(problem.residual(&z) < 1e-14);
        let mut dantzig = Dantzig::default();
        // rows that nearly depend on each other agree up to their rounding only
        dantzig.tolerance = 1e-7;
        let (report, _) = solve(&mut dantzig, &problem);
        prop_assert_eq!(report.status, Status::Solved, "{:?} {:?}", report, problem);
    }

    #[test]
    fn murty_and_dantzig_agree_on_linear_problems(
        n in 1usize..13,
        x in prop::collection::vec(-1.0f64..1.0, 144),
        q in prop::collection::vec(-1.0f64..1.0, 12),
    ) {
        let lcp = Lcp::new(symmetric(n, n, 0.1, &x), q[..n].to_vec()).unwrap();
        let mut z = vec![0.0; n];
        prop_assert_eq!(Murty::default().solve(&lcp, &mut z).status, Status::Solved);
        let mixed =
            MixedLcp { m: lcp.m.clone(), q: lcp.q.clone(), lower: vec![0.0; n], upper: vec![INF; n] };
        let (report, y) = solve(&mut Dantzig::default(), &mixed);
        prop_assert_eq!(report.status, Status::Solved);
        for i in 0..n {
            prop_assert!((z[i] - y[i]).abs() < 1e-11);
        }
    }
}
