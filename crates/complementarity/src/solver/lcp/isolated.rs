//! The complementarity pattern of a solution of an LCP, and whether the solution is isolated.
//!
//! With alpha the unknowns with `z > 0 = w`, beta those with `z = w = 0` and gamma those with `z = 0 < w`, a solution
//! z is isolated (locally unique) if and only if d = 0 is the only solution of
//!
//! ```text
//! d_gamma = 0,   (M d)_alpha = 0,   0 <= d_beta ⟂ (M d)_beta >= 0.                          (1)
//! ```
//!
//! For every part of beta that may be positive, (1) is a polyhedral cone. It is `{0}` if its equations are regular, and
//! otherwise if it reaches none of the hyperplanes `d_i = ±1`, which is decided with proofs (`feasible.rs`). All parts
//! of beta are tried, so there is a largest size of beta.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, theorem 3.3.12 and corollary 3.3.9.

use crate::linear::dense::{Dense, dot};
use crate::problem::lcp::Lcp;
use crate::solver::lcp::basis::BasisSolver;
use crate::solver::lcp::feasible::Feasible;
use crate::solver::lcp::subsets::{eliminate, next_set};

/// Numbers of equilibrated data below this are zero.
const ZERO_ENTRY: f64 = 1e-9;
/// The most unknowns with `z = w = 0`.
const LARGEST_BETA: usize = 12;

/// What a pair `z_i`, `w_i` is at a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairState {
    /// `z > 0 = w`.
    Active,
    /// `z = w = 0`.
    Degenerate,
    /// `z = 0 < w`.
    Inactive,
}

/// Whether a solution is alone in its neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// It is.
    Isolated,
    /// Others are arbitrarily close.
    Continuum,
    /// Rounding, or too many degenerate pairs, do not let one tell.
    Undecided,
}

/// The pattern of a solution of a valid problem, each number judged in the unit of its row or column.
pub fn pattern(lcp: &Lcp, z: &[f64]) -> Vec<PairState> {
    let mut basis = BasisSolver::default();
    basis.load(lcp);
    states(&basis, z)
}

fn states(basis: &BasisSolver, z: &[f64]) -> Vec<PairState> {
    let scaled: Vec<f64> = z.iter().zip(&basis.unit).map(|(z, unit)| z / unit).collect();
    let largest = scaled.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    (0..z.len())
        .map(|i| {
            let w = dot(basis.m.row(i), &scaled) + basis.q[i];
            match (scaled[i] > ZERO_ENTRY * largest, w > ZERO_ENTRY * largest) {
                (true, _) => PairState::Active,
                (false, true) => PairState::Inactive,
                (false, false) => PairState::Degenerate,
            }
        })
        .collect()
}

/// Whether the solution `z` of a valid problem is isolated. Allocates.
pub fn isolation(lcp: &Lcp, z: &[f64]) -> Isolation {
    let mut basis = BasisSolver::default();
    basis.load(lcp);
    let states = states(&basis, z);
    let of = |state: PairState| (0..z.len()).filter(|&i| states[i] == state).collect::<Vec<_>>();
    let (alpha, beta) = (of(PairState::Active), of(PairState::Degenerate));
    if beta.len() > LARGEST_BETA {
        return Isolation::Undecided;
    }
    let mut verdict = Isolation::Isolated;
    for size in 0..=beta.len() {
        let mut positive: Vec<usize> = (0..size).collect();
        loop {
            match is_zero_cone(&basis, &alpha, &beta, &positive) {
                Some(true) => {}
                Some(false) => return Isolation::Continuum,
                None => verdict = Isolation::Undecided,
            }
            if !next_set(&mut positive, beta.len()) {
                break;
            }
        }
    }
    verdict
}

/// Whether (1) holds for d = 0 only, with `d` positive on alpha's free unknowns and beta's `positive` ones.
fn is_zero_cone(basis: &BasisSolver, alpha: &[usize], beta: &[usize], positive: &[usize]) -> Option<bool> {
    let set: Vec<usize> = alpha.iter().copied().chain(positive.iter().map(|&p| beta[p])).collect();
    let others: Vec<usize> = (0..beta.len()).filter(|p| !positive.contains(p)).map(|p| beta[p]).collect();
    let k = set.len();
    let mut c = Dense::zeros(k + positive.len() + others.len(), k);
    let mut table = Dense::zeros(k, k + 1);
    for (r, &i) in set.iter().enumerate() {
        for (s, &j) in set.iter().enumerate() {
            c[(r, s)] = basis.m[(i, j)];
            table[(r, s)] = basis.m[(i, j)];
        }
    }
    if eliminate(&mut table, &mut (0..k).collect::<Vec<_>>()) == k {
        return Some(true);
    }
    for p in 0..positive.len() {
        c[(k + p, alpha.len() + p)] = 1.0;
    }
    for (r, &i) in others.iter().enumerate() {
        for (s, &j) in set.iter().enumerate() {
            c[(k + positive.len() + r, s)] = basis.m[(i, j)];
        }
    }
    let (mut feasible, mut verdict) = (Feasible::default(), Some(true));
    for i in 0..k {
        for value in [1.0, -1.0] {
            match feasible.cone_reaches(&c, k, i, value) {
                Some(true) => return Some(false),
                Some(false) => {}
                None => verdict = None,
            }
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_segment_are_not_isolated_and_a_vertex_of_a_cone_is() {
        let segment = Lcp::new(Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]), vec![-1.0, -1.0]).unwrap();
        for z in [[1.0, 0.0], [0.5, 0.5]] {
            assert_eq!(isolation(&segment, &z), Isolation::Continuum);
        }
        // q = 0: all pairs are degenerate at z = 0, which is the only solution
        let cone = Lcp::new(Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]]), vec![0.0, 0.0]).unwrap();
        assert_eq!(isolation(&cone, &[0.0, 0.0]), Isolation::Isolated);
        assert_eq!(pattern(&cone, &[0.0, 0.0]), [PairState::Degenerate; 2]);
        let zero = Lcp::new(Dense::zeros(2, 2), vec![0.0, 1.0]).unwrap();
        assert_eq!(isolation(&zero, &[0.0, 0.0]), Isolation::Continuum);
    }
}
