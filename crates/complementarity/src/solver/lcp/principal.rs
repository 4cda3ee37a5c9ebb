//! Principal pivots and the system of a set of free unknowns, for mixed linear problems.
//!
//! A principal pivot exchanges `w_p` and `z_p` in a map from the nonbasic ones of all pairs to the basic ones,
//!
//! ```text
//! z_p = (w_p − sum_{j != p} t_pj x_j) / t_pp,   put into all other rows.                   (1)
//! ```
//!
//! It is its own inverse. With C the unknowns that are not at a bound, the answer of a pivoting method is fixed by
//!
//! ```text
//! M_CC z_C = −(q_C + M_CB z_B),                                                            (2)
//! ```
//!
//! solved here from the problem's data with iterative refinement, so that what pivoting has gathered in rounding is
//! gone.

use crate::linear::dense::{Dense, Lu, dot};
use crate::problem::mixed::MixedLcp;

/// Exchanges `w_p` and `z_p` in `t`, which maps the nonbasic ones of all pairs to the basic ones.
pub(crate) fn principal_pivot(t: &mut Dense, p: usize) {
    let pivot = 1.0 / t[(p, p)];
    t.row_mut(p).iter_mut().for_each(|v| *v *= -pivot);
    t[(p, p)] = pivot;
    for i in (0..t.rows()).filter(|&i| i != p) {
        let factor = t[(i, p)];
        if factor != 0.0 {
            let (source, target) = t.row_pair(p, i);
            target[p] = 0.0;
            target.iter_mut().zip(source).for_each(|(t, s)| *t += factor * s);
        }
    }
}

/// The power of two next to `1 / sqrt(x)`; one for what has no root.
pub(crate) fn power_of_two_near_root(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 { (-0.5 * x.log2()).round().exp2() } else { 1.0 }
}

/// The system (2), with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeSet {
    set: Vec<usize>,
    block: Dense,
    lu: Lu,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl FreeSet {
    /// Memory for sets of up to `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        if self.step.capacity() < n {
            self.set.reserve(n);
            self.block.copy_from(&Dense::identity(n));
            self.lu.factor(&self.block, 0.0);
            self.step.reserve(n);
        }
    }

    /// Makes C the given unknowns.
    pub(crate) fn choose(&mut self, set: impl Iterator<Item = usize>) {
        self.set.clear();
        self.set.extend(set);
    }

    /// Solves (2) starting from `z`, rows and columns scaled by `unit`. `z` becomes the candidate with the smallest
    /// residual on the way, which is returned; it is within the bounds if it was.
    pub(crate) fn improve(&mut self, problem: &MixedLcp, unit: &[f64], z: &mut [f64]) -> f64 {
        let Self { set, block, lu, step, trial } = self;
        let mut best = problem.residual(z);
        block.reset(set.len(), set.len());
        for (r, &i) in set.iter().enumerate() {
            for (c, &j) in set.iter().enumerate() {
                block[(r, c)] = problem.m[(i, j)] * unit[i] * unit[j];
            }
        }
        if !lu.factor(block, f64::EPSILON) {
            return best;
        }
        trial.clear();
        trial.extend_from_slice(z);
        for _ in 0..3 {
            step.clear();
            step.extend(set.iter().map(|&i| -unit[i] * (problem.q[i] + dot(problem.m.row(i), trial))));
            lu.solve(step);
            for (&i, d) in set.iter().zip(step.iter()) {
                trial[i] = (trial[i] + unit[i] * d).max(problem.lower[i]).min(problem.upper[i]);
            }
            let residual = problem.residual(trial);
            if residual < best || best.is_nan() {
                best = residual;
                z.copy_from_slice(trial);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_principal_pivot_is_undone_by_itself() {
        let m = Dense::from_rows(&[[2.0, 1.0, 0.5], [1.0, 4.0, -1.0], [0.5, -1.0, 8.0]]);
        let mut t = m.clone();
        principal_pivot(&mut t, 1);
        assert_eq!(t.row(1), [-0.25, 0.25, 0.25]);
        assert_eq!(t[(0, 0)], 1.75);
        principal_pivot(&mut t, 1);
        assert_eq!(t, m);
    }
}
