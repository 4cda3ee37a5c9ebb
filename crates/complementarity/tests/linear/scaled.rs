//! Linear complementarity problems in odd units: what has a solution is never said to have none.

use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::{Solver, Status};

/// Numbers between −1 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// 10^±12, or one.
    fn unit(&mut self) -> f64 {
        [1e-12, 1.0, 1e12][(1.5 * (self.next() + 1.0)) as usize % 3]
    }

    /// A problem with a solution: half of its unknowns are positive, the other rows have slack.
    fn solvable(&mut self, n: usize, kind: usize) -> Lcp {
        let mut m = Dense::zeros(n, n);
        let b: Vec<f64> = (0..n * n).map(|_| self.next()).collect();
        for i in 0..n {
            for j in 0..n {
                m[(i, j)] = match kind % 6 {
                    3 => b[i * n + j] * self.unit(),
                    4 => (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>() * self.unit(),
                    5 => b[i * n] * b[j * n] + 1e-12 * b[i * n + j],
                    0 => (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum(),
                    1 => b[i * n + j],
                    _ => b[i * n] * b[j * n], // rank one
                };
            }
        }
        let z: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 0.1 + self.next().abs() } else { 0.0 }).collect();
        let q = (0..n)
            .map(|i| {
                let slack = if i % 2 == 0 { 0.0 } else { 0.1 + self.next().abs() };
                slack - (0..n).map(|j| m[(i, j)] * z[j]).sum::<f64>()
            })
            .collect();
        Lcp::new(m, q).unwrap()
    }
}

/// `R M C`, `s R q`: the solutions are those of the problem in other units.
fn in_units(lcp: &Lcp, rows: &[f64], columns: &[f64], size: f64) -> Lcp {
    let mut out = lcp.clone();
    for i in 0..lcp.len() {
        out.q[i] *= rows[i] * size;
        for j in 0..lcp.len() {
            out.m[(i, j)] *= rows[i] * columns[j];
        }
    }
    out
}

/// Entries of very different size in one row can hide a small block from whoever looks at the whole row.
#[test]
fn a_small_block_beside_large_entries_is_no_singular_one() {
    let m = Dense::from_rows(&[[4.9e-13, 1.5e11], [5.6e-14, 2.6e-13]]);
    let lcp = Lcp::new(m, vec![-3.7e-13, 7.9e-13]).unwrap();
    for mut solver in [Box::new(LcpAuto::default()) as Box<dyn Solver<Lcp>>, Box::new(Enumeration::default())]
    {
        let mut z = [0.0; 2];
        assert_eq!(solver.solve(&lcp, &mut z).status, Status::Solved);
        assert!((z[0] - 37.0 / 49.0).abs() < 1e-12 && z[1] == 0.0, "{z:?}");
    }
}

/// Terms of 1e12 that cancel: the residual is that of the answer, not the rounding of its own computation.
#[test]
fn slacks_that_are_small_differences_are_seen() {
    let (a, b) = (938470781181.5, 707719886100.25);
    let c = a + b;
    let rows = [[1.0, a, b, -c], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 3.0]];
    let lcp = Lcp::new(Dense::from_rows(&rows), vec![-1.0; 4]).unwrap();
    let third = 1.0 / 3.0;
    assert!((a * third + b * third - c * third).abs() > 1e-6, "products would be rounded one by one");
    assert!(lcp.residual(&[1.0, third, third, third]) < 1e-15);
    let mut z = [0.0; 4];
    let report = Enumeration::default().solve(&lcp, &mut z);
    assert_eq!((report.status, z), (Status::Solved, [1.0, third, third, third]), "{report:?}");
}

#[test]
fn what_has_a_solution_is_never_said_to_have_none_whatever_its_units() {
    let mut random = Random(88172645463325252);
    let (mut solved, mut all) = (0, 0);
    for case in 0..2000 {
        let n = 1 + case % 6;
        let lcp = random.solvable(n, case);
        let units: Vec<f64> = (0..2 * n).map(|_| random.unit()).collect();
        let (rows, columns) = units.split_at(n);
        let ones = vec![1.0; n];
        let forms = [
            in_units(&lcp, &ones, &ones, 1.0),
            in_units(&lcp, &ones, &vec![1e12; n], 1.0),
            in_units(&lcp, &ones, &vec![1e-12; n], 1.0),
            in_units(&lcp, &ones, &ones, 1e12),
            in_units(&lcp, &ones, &ones, 1e-12),
            in_units(&lcp, rows, columns, random.unit()),
        ];
        for lcp in forms {
            let solvers: [Box<dyn Solver<Lcp>>; 4] = [
                Box::new(LcpAuto::default()),
                Box::new(Enumeration::default()),
                Box::new(Lemke::default()),
                Box::new(Murty::default()),
            ];
            for (k, mut solver) in solvers.into_iter().enumerate() {
                let status = solver.solve(&lcp, &mut vec![0.0; n]).status;
                assert_ne!(status, Status::NoSolution, "solver {k}: {lcp:?}");
                if k < 2 {
                    (solved, all) = (solved + usize::from(status == Status::Solved), all + 1);
                }
            }
        }
    }
    // the default and enumeration answer all but a few whose slacks no double can make small
    assert!(1000 * solved >= 999 * all, "{solved} of {all}");
}
