//! Principal pivoting by least index for the linear complementarity problem
//!
//! ```text
//! w = M z + q,   0 <= w ⟂ z >= 0.                                   (1)
//! ```
//!
//! A complementary basis holds one of `w_i`, `z_i` for every i; the others are zero. While a basic unknown is negative,
//! the pair with
//!
//! ```text
//! i = min { i : the basic one of w_i, z_i is negative }             (2)
//! ```
//!
//! is exchanged. *Convergence.* For a P-matrix (all principal minors positive) rule (2) visits no basis twice and ends
//! in the one solution. For other matrices it may cycle, which the limit ends, or meet a principal pivot that is not
//! positive: that proves that `M` is no P-matrix, up to rounding, and the solve ends as failed.
//!
//! Runs on data equilibrated by powers of two; the last basis is solved anew with iterative refinement. The warm start
//! is the set of unknowns that are positive in it. On Murty's examples the rule takes 2^n pivots.
//!
//! Reference: Murty, "Note on a Bard-type scheme for solving the complementarity problem", Opsearch 11, 1974;
//! Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 4.2.

use crate::problem::lcp::Lcp;
use crate::solver::lcp::basis::BasisSolver;
use crate::solver::lcp::tableau::Tableau;
use crate::solver::traits::{LcpTraits, MatrixKind};
use crate::solver::{Report, Solver, Status};

/// How [`Murty`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MurtySettings {
    /// Principal pivots of equilibrated data below this are zero. Rounding.
    pub min_pivot: f64,
    /// How often a basis that rounding has spoilt is started from again. By hand.
    pub max_rounds: usize,
    /// Ratios closer than this, relative to the numbers they were computed from, tie: the rounding of a few sums.
    /// Rounding.
    pub ratio_tie: f64,
}

impl Default for MurtySettings {
    fn default() -> Self {
        Self { min_pivot: 1e-13, max_rounds: 4, ratio_tie: 32.0 * f64::EPSILON }
    }
}

/// Least-index principal pivoting.
#[derive(Clone, Debug)]
pub struct Murty {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most pivots.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: MurtySettings,
    scratch: Scratch,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
struct Scratch {
    basis: BasisSolver,
    tableau: Tableau,
    cover: Vec<f64>,
    set: Vec<usize>,
    x: Vec<f64>,
}

impl Murty {
    /// What it answers; further problems it only may.
    pub const TRAITS: LcpTraits = LcpTraits { matrices: MatrixKind::P, largest: usize::MAX };
}

impl Default for Murty {
    fn default() -> Self {
        let (settings, scratch) = (MurtySettings::default(), Scratch::default());
        Self { tolerance: 1e-13, iterations: 100_000, settings, scratch }
    }
}

impl Solver<Lcp> for Murty {
    fn solve(&mut self, lcp: &Lcp, z: &mut [f64]) -> Report {
        let n = lcp.len();
        if lcp.validate().is_err() || z.len() != n {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let Scratch { basis, tableau, cover, set, x } = &mut self.scratch;
        basis.load(lcp);
        tableau.smallest_pivot = self.settings.min_pivot;
        tableau.ratio_tie = self.settings.ratio_tie;
        cover.clear();
        cover.resize(n, 0.0);
        set.clear();
        set.reserve(n);
        set.extend((0..n).filter(|&i| z[i] > 0.0));
        x.clear();
        x.reserve(n);
        z.fill(0.0);
        let scale = lcp.scale();
        let (mut best, mut pivots, mut status) = (lcp.residual(z), 0, Status::Failed);
        for _ in 0..self.settings.max_rounds {
            if best / scale <= self.tolerance {
                break;
            }
            if !tableau.start(basis, set, cover) {
                // a warm start on a singular basis: from scratch
                set.clear();
                tableau.start(basis, set, cover);
            }
            let (end, used) = pivot_to_the_end(tableau, n, self.iterations - pivots);
            (pivots, status) = (pivots + used, end);
            tableau.answer(set, x);
            basis.consider(lcp, set, x, z, &mut best);
            basis.improve(lcp, set, z, &mut best);
            if end == Status::IterationLimit || used == 0 {
                break;
            }
        }
        let otherwise = if status == Status::Solved { Status::Failed } else { status };
        Report::checked(best / scale, self.tolerance, pivots, otherwise)
    }
}

/// Rule (2) until nothing is negative (`Solved`), a pivot is refused (`Failed`) or `limit` is reached.
fn pivot_to_the_end(tableau: &mut Tableau, n: usize, limit: usize) -> (Status, usize) {
    for pivots in 0..=limit {
        let Some(i) = (0..n).find(|&i| tableau.pair_value(i) < 0.0) else { return (Status::Solved, pivots) };
        if pivots == limit {
            break;
        }
        if !tableau.exchange(i) {
            return (Status::Failed, pivots);
        }
    }
    (Status::IterationLimit, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::dense::Dense;

    #[test]
    fn the_least_index_takes_all_bases_of_murtys_example() {
        let n = 6;
        let mut m = Dense::identity(n);
        for i in 0..n {
            m.row_mut(i)[i + 1..].fill(2.0);
        }
        let q = (0..n).map(|i| -(i..n).map(|j| 2f64.powi((n + i - j) as i32)).sum::<f64>()).collect();
        let lcp = Lcp::new(m, q).unwrap();
        let mut z = vec![0.0; n];
        let report = Murty::default().solve(&lcp, &mut z);
        assert_eq!((report.status, report.iterations), (Status::Solved, (1 << n) - 1));
    }

    #[test]
    fn the_answer_as_warm_start_takes_no_pivot() {
        let lcp = Lcp::new(Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]), vec![-5.0, -6.0]).unwrap();
        let (mut murty, mut z) = (Murty::default(), [0.0; 2]);
        assert_eq!(murty.solve(&lcp, &mut z).iterations, 2);
        assert_eq!(
            murty.solve(&lcp, &mut z),
            Report { status: Status::Solved, iterations: 0, residual: 0.0 }
        );
    }

    #[test]
    fn what_is_no_p_matrix_is_given_back() {
        let lcp = Lcp::new(Dense::from_rows(&[[-1.0, 0.0], [0.0, 1.0]]), vec![-1.0, 1.0]).unwrap();
        let mut z = [0.0; 2];
        let report = Murty::default().solve(&lcp, &mut z);
        assert_eq!((report.status, z), (Status::Failed, [0.0, 0.0]));
    }
}
