//! Lemke's complementary pivoting for the linear complementarity problem
//!
//! ```text
//! w = M z + q,   0 <= w ⟂ z >= 0.                                   (1)
//! ```
//!
//! With a covering vector `d > 0` and an artificial unknown `z0` the augmented problem
//!
//! ```text
//! w − M z − d z0 = q,   w, z, z0 >= 0,   w_i z_i = 0                (2)
//! ```
//!
//! has an almost complementary solution for large `z0`. From there a path of basic solutions is followed: of the
//! pair that has just left the basis, the complement enters; the leaving unknown is found by the ratio test. When
//! `z0` leaves, (1) is solved; when nothing blocks, the path ends in a secondary ray.
//!
//! *Degeneracy.* The ratio test is lexicographic (`tableau.rs`), so that no basis comes back.
//!
//! *Convergence.* In exact arithmetic a solution is found for every copositive-plus `M` if (1) is feasible, for every
//! strictly copositive, and for every P-matrix. For other matrices a ray says nothing; other covering vectors, fixed
//! in advance, are tried before the solver gives up, and then other bases to start from: (2) with `w` and `z` exchanged
//! on a fixed set of unknowns and `d` covering that basis. Murty's examples need 2^n pivots.
//!
//! *Rounding.* Pivoting runs on data equilibrated by powers of two. The basis it ends in is solved anew from the
//! problem's data with iterative refinement. If its residual is small but misses the tolerance, the path is taken up
//! again from that basis with a fresh tableau. No warm start.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 4.4 and 4.9; Lemke, "Bimatrix
//! equilibrium points and mathematical programming", Management Science 11, 1965.

use crate::linear::dense::Dense;
use crate::problem::lcp::Lcp;
use crate::solver::lcp::basis::BasisSolver;
use crate::solver::lcp::tableau::{End, Tableau};
use crate::solver::scatter::scatter;
use crate::solver::traits::{LcpTraits, MatrixKind};
use crate::solver::{Report, Solver, Status};

/// How [`Lemke`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeSettings {
    /// Pivots smaller than this, relative to their column and to equilibrated data, are rounding. Nearly dependent
    /// rows can need smaller ones than is good for others, so attempts take turns. Rounding.
    pub min_pivots: [f64; 2],
    /// How many paths are tried. By hand.
    pub max_attempts: usize,
    /// How many of them start from `z = 0`. By hand.
    pub plain_attempts: usize,
    /// Ratios closer than this, relative to the numbers they were computed from, tie: the rounding of a few sums.
    /// Rounding.
    pub ratio_tie: f64,
}

impl Default for LemkeSettings {
    fn default() -> Self {
        let ratio_tie = 32.0 * f64::EPSILON;
        Self { min_pivots: [1e-9, 1e-13], max_attempts: 16, plain_attempts: 4, ratio_tie }
    }
}

/// Lemke's method.
#[derive(Clone, Debug)]
pub struct Lemke {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most pivots, over all attempts.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: LemkeSettings,
    pub(crate) scratch: Scratch,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    basis: BasisSolver,
    tableau: Tableau,
    cover: Vec<f64>,
    set: Vec<usize>,
    x: Vec<f64>,
}

impl Lemke {
    /// What it answers; further problems it only may.
    pub const TRAITS: LcpTraits = LcpTraits { matrices: MatrixKind::Semidefinite, largest: usize::MAX };
}

impl Default for Lemke {
    fn default() -> Self {
        let (settings, scratch) = (LemkeSettings::default(), Scratch::default());
        Self { tolerance: 1e-13, iterations: 100_000, settings, scratch }
    }
}

impl Solver<Lcp> for Lemke {
    fn solve(&mut self, lcp: &Lcp, z: &mut [f64]) -> Report {
        if lcp.validate().is_err() || z.len() != lcp.len() {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        z.fill(0.0);
        let (scale, nothing) = (lcp.scale(), lcp.residual(z));
        // unless it is exact, z = 0 is no candidate: rows much smaller than the scale want to be solved as well
        let mut best = if nothing > 0.0 { f64::INFINITY } else { 0.0 };
        let Scratch { basis, tableau, cover, set, x } = &mut self.scratch;
        let (mut pivots, mut status, mut closer) = (0, Status::Failed, false);
        if best > 0.0 {
            basis.load(lcp);
            set.clear();
            set.reserve(lcp.len());
            x.clear();
            x.reserve(lcp.len());
        }
        for attempt in 0..self.settings.max_attempts {
            if best / scale <= self.tolerance || pivots >= self.iterations {
                break;
            }
            // a basis that is nearly right was spoilt by rounding: go on from there with a fresh tableau
            if !closer {
                starting_set(&self.settings, attempt, lcp.len(), set);
            }
            covering_vector(if closer { 0 } else { attempt }, &basis.m, cover);
            closer = false;
            tableau.smallest_pivot = self.settings.min_pivots[attempt % 2];
            tableau.ratio_tie = self.settings.ratio_tie;
            if !tableau.start(basis, set, cover) {
                continue;
            }
            // a path that does not end may not use up what the other attempts need
            let left = self.iterations - pivots;
            let (end, used) = tableau.follow(if attempt + 1 < self.settings.max_attempts {
                left.div_ceil(2)
            } else {
                left
            });
            pivots += used;
            let before = best;
            // also at the end of a ray: where z0 is down to rounding, rows depend on each other but for rounding
            tableau.answer(set, x);
            basis.consider(lcp, set, x, z, &mut best);
            basis.improve(lcp, set, z, &mut best);
            match end {
                End::Complementary => closer = best < 0.5 * before,
                End::Ray => {}
                End::Limit => status = Status::IterationLimit,
            }
        }
        if best / scale > self.tolerance && nothing <= best {
            z.fill(0.0);
            best = nothing;
        }
        Report::checked(best / scale, self.tolerance, pivots, status)
    }
}

/// The basis an attempt starts from: `z = 0` in the first ones, then fixed sets of about half of the unknowns.
fn starting_set(settings: &LemkeSettings, attempt: usize, n: usize, set: &mut Vec<usize>) {
    set.clear();
    if attempt >= settings.plain_attempts {
        set.extend((0..n).filter(|&i| scatter(attempt + settings.max_attempts, i) < 0.5));
    }
}

/// The covering vectors: ones, the row sums of |M|, then fixed numbers between 1/8 and 8.
fn covering_vector(attempt: usize, m: &Dense, cover: &mut Vec<f64>) {
    cover.clear();
    cover.extend((0..m.rows()).map(|i| match attempt {
        0 => 1.0,
        1 => 1.0 + m.row(i).iter().map(|v| v.abs()).sum::<f64>(),
        _ => (6.0 * scatter(attempt, i) - 3.0).exp2(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_vectors_are_positive_and_differ() {
        let m = Dense::from_rows(&[[0.0, -2.0], [1.0, 3.0]]);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for attempt in 0..LemkeSettings::default().max_attempts {
            covering_vector(attempt, &m, &mut a);
            assert!(a.iter().all(|&d| (0.125..=8.0).contains(&d)));
            assert_ne!(a, b);
            std::mem::swap(&mut a, &mut b);
        }
    }
}
