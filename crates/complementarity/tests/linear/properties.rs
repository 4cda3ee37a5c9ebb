//! Random linear complementarity problems of every kind: solvers agree where the answer is unique, and are honest
//! everywhere. `STICKSLIP_CASES` sets the number of cases (default 100,000 over all tests).

use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::solver::dantzig::Dantzig;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::newton::Newton;
use complementarity::solver::{Report, Solver, Status};

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut h = self.0;
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^ (h >> 31)
    }
    /// In [−1, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }
}

/// `B B^T + skew K + shift I`.
fn gram(r: &mut Random, n: usize, rank: usize, skew: f64, shift: f64) -> Dense {
    let (b, k) = (r.vector(n * rank), r.vector(n * n));
    let mut m = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..rank).map(|c| b[i * rank + c] * b[j * rank + c]).sum();
            m[(i, j)] = product + skew * (k[i * n + j] - k[j * n + i]) + if i == j { shift } else { 0.0 };
        }
    }
    m
}

fn cases(share: usize) -> usize {
    let all = std::env::var("STICKSLIP_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(100_000usize);
    all * share / 100
}

/// All solvers, with their memory.
#[derive(Default)]
struct Solvers {
    lemke: Lemke,
    murty: Murty,
    newton: Newton,
    enumeration: Enumeration,
    dantzig: Dantzig,
    auto: LcpAuto,
    z: Vec<f64>,
}

impl Solvers {
    fn new() -> Self {
        let mut all = Self::default();
        // what has no solution should not take for ever
        (all.newton.iterations, all.newton.restarts) = (60, 2);
        (all.lemke.iterations, all.murty.iterations, all.dantzig.iterations) = (2000, 2000, 2000);
        all
    }

    /// Every solver's answer, after the checks that hold for every problem.
    fn all(&mut self, lcp: &Lcp, symmetric: bool) -> Vec<(&'static str, Report, Vec<f64>)> {
        let n = lcp.len();
        let mut out = Vec::new();
        let mut run = |name, solver: &mut dyn Solver<Lcp>, tolerance: f64| {
            self.z.clear();
            self.z.resize(n, 0.5);
            let report = solver.solve(lcp, &mut self.z);
            check(name, lcp, &report, &self.z, tolerance);
            out.push((name, report, self.z.clone()));
        };
        run("lemke", &mut self.lemke, 1e-13);
        run("murty", &mut self.murty, 1e-13);
        run("newton", &mut self.newton, 1e-12);
        if n <= 6 {
            run("enumeration", &mut self.enumeration, 1e-13);
        }
        if symmetric {
            let (m, q) = (lcp.m.clone(), lcp.q.clone());
            let mixed = MixedLcp { m, q, lower: vec![0.0; n], upper: vec![f64::INFINITY; n] };
            self.z.clear();
            self.z.resize(n, 0.5);
            let report = self.dantzig.solve(&mixed, &mut self.z);
            check("dantzig", lcp, &report, &self.z, 1e-13);
            out.push(("dantzig", report, self.z.clone()));
        }
        // nobody proves that there is nothing where somebody has found something, unless that is rounding: rows much
        // smaller than the scale violated by what the tolerance allows, matrices that are regular by rounding alone
        let smallest = lcp.q.iter().filter(|v| **v != 0.0).fold(lcp.scale(), |m, v| m.min(v.abs()));
        let solved = out.iter().any(|(_, report, z)| {
            let clear = report.residual * lcp.scale() < 1e-3 * smallest && z.iter().all(|v| *v < 1e9);
            report.status == Status::Solved && clear
        });
        assert!(!solved || out.iter().all(|x| x.1.status != Status::NoSolution), "{lcp:?} {out:?}");
        out
    }
}

/// No NaN, and no `Solved` that the problem itself does not confirm.
fn check(name: &str, lcp: &Lcp, report: &Report, z: &[f64], tolerance: f64) {
    assert!(z.iter().all(|v| v.is_finite()), "{name}: {z:?} for {lcp:?}");
    assert!(report.status != Status::Unsupported, "{name}: {report:?} for {lcp:?}");
    if report.status == Status::Solved {
        let residual = lcp.residual(z) / lcp.scale();
        assert!(residual <= 2.0 * tolerance, "{name}: {report:?}, found {residual} for {lcp:?}");
    }
}

#[test]
fn every_solver_finds_the_one_solution_of_a_p_matrix() {
    let (mut r, mut solvers) = (Random(1), Solvers::new());
    solvers.newton = Newton::default();
    for case in 0..cases(30) {
        let n = r.below(7);
        let symmetric = case % 2 == 0;
        let m = gram(&mut r, n, n, if symmetric { 0.0 } else { 1.0 }, 0.2);
        let lcp = Lcp::new(m, r.vector(n)).unwrap();
        let answers = solvers.all(&lcp, symmetric);
        let size = answers[0].2.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for (name, report, z) in &answers {
            assert_eq!(report.status, Status::Solved, "{name} {report:?} {lcp:?}");
            let apart = z.iter().zip(&answers[0].2).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart <= 1e-9 * size, "{name} is {apart} apart: {lcp:?}");
        }
    }
}

#[test]
fn solvers_are_honest_about_semidefinite_copositive_and_degenerate_problems() {
    let (mut r, mut solvers) = (Random(2), Solvers::new());
    for case in 0..cases(40) {
        let n = 1 + r.below(6);
        let rank = r.below(n);
        let small = |r: &mut Random| (r.below(5) as f64) - 2.0;
        let (m, symmetric) = match case % 4 {
            0 => (gram(&mut r, n, rank, 0.0, 0.0), true),
            1 => (gram(&mut r, n, rank, 1.0, 0.0), false),
            2 => {
                let mut m = Dense::zeros(n, n);
                (0..n).for_each(|i| m.row_mut(i).iter_mut().for_each(|v| *v = small(&mut r).abs()));
                (m, false)
            }
            _ => {
                let mut m = Dense::zeros(n, n);
                (0..n).for_each(|i| m.row_mut(i).iter_mut().for_each(|v| *v = small(&mut r)));
                (m, false)
            }
        };
        // every other q is made of a few numbers, zero among them: ties and degenerate solutions
        let q = if r.below(2) == 0 { r.vector(n) } else { (0..n).map(|_| small(&mut r)).collect() };
        solvers.all(&Lcp::new(m, q).unwrap(), symmetric);
    }
}

#[test]
fn zero_rows_and_units_far_apart_are_survived() {
    let (mut r, mut solvers) = (Random(3), Solvers::new());
    for case in 0..cases(25) {
        let n = 1 + r.below(5);
        let mut m = gram(&mut r, n, n, 0.5, if case % 2 == 0 { 0.2 } else { 0.0 });
        let mut q = r.vector(n);
        for i in 0..n {
            if r.below(4) == 0 {
                m.row_mut(i).fill(0.0);
            }
            let row = 10f64.powi(r.below(17) as i32 - 8);
            m.row_mut(i).iter_mut().for_each(|v| *v *= row);
            q[i] *= row;
        }
        for j in 0..n {
            let column = 10f64.powi(r.below(17) as i32 - 8);
            (0..n).for_each(|i| m[(i, j)] *= column);
        }
        solvers.all(&Lcp::new(m, q).unwrap(), false);
    }
}

#[test]
fn numbers_that_are_none_and_wrong_sizes_are_refused_by_all() {
    let (mut r, mut s) = (Random(4), Solvers::new());
    for _ in 0..cases(4) {
        let n = 1 + r.below(4);
        let mut lcp = Lcp::new(gram(&mut r, n, n, 0.0, 0.2), r.vector(n)).unwrap();
        let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][r.below(3)];
        let (i, j) = (r.below(n), r.below(n));
        let mut short = vec![0.0; n];
        match r.below(3) {
            0 => lcp.q[i] = bad,
            1 => lcp.m[(i, j)] = bad,
            _ => {
                short.pop();
            }
        }
        let all: [&mut dyn Solver<Lcp>; 5] =
            [&mut s.lemke, &mut s.murty, &mut s.newton, &mut s.enumeration, &mut s.auto];
        for solver in all {
            let report = solver.solve(&lcp, &mut short);
            assert!(report.status == Status::Unsupported && report.residual.is_nan());
        }
    }
}

#[test]
fn auto_settles_nearly_every_small_problem() {
    let (mut r, mut auto) = (Random(5), LcpAuto::default());
    let (total, mut open) = (cases(1), 0);
    for _ in 0..total {
        let n = r.below(6);
        let mut m = Dense::zeros(n, n);
        (0..n).for_each(|i| m.row_mut(i).iter_mut().for_each(|v| *v = r.below(7) as f64 - 3.0));
        let lcp = Lcp::new(m, (0..n).map(|_| r.below(7) as f64 - 3.0).collect()).unwrap();
        let mut z = vec![0.0; n];
        let report = auto.solve(&lcp, &mut z);
        check("auto", &lcp, &report, &z, 1e-12);
        open += usize::from(!matches!(report.status, Status::Solved | Status::NoSolution));
    }
    assert!(open * 1000 <= total, "{open} of {total} are open");
}
