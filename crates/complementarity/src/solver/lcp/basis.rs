//! The linear system of one complementary basis, on equilibrated data.
//!
//! A basis is a set `a` of unknowns; with b its complement it stands for
//!
//! ```text
//! M_aa z_a = −q_a,   z_b = 0,   and solves the LCP if   z_a >= 0,   M_ba z_a + q_b >= 0.          (1)
//! ```
//!
//! Data are equilibrated by powers of two, hence without rounding: `R M C` and `s R q` have entries of about one, and
//! `z = C z' / s`. Since `R, C > 0`, complementarity is kept. Answers are refined with residuals of those data and
//! judged by the residual of the problem itself. Shared by the pivoting solvers.

use crate::linear::dense::{Dense, Lu, dot, dot_compensated};
use crate::problem::lcp::Lcp;

/// The system (1) of a given set on equilibrated data.
#[derive(Clone, Debug, Default)]
pub(crate) struct BasisSolver {
    /// `R M C`: the largest entry of each row and column is about one.
    pub(crate) m: Dense,
    /// `s R q`: the largest entry is about one.
    pub(crate) q: Vec<f64>,
    /// `C / s`.
    pub(crate) unit: Vec<f64>,
    /// Answers are refined with residuals as of twice the digits: dearer, for those who prove something by them.
    pub(crate) compensated: bool,
    block: Dense,
    lu: Lu,
    x: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl BasisSolver {
    /// Memory for sets of up to `n` unknowns, so that a larger set than the ones before allocates nothing.
    fn reserve(&mut self, n: usize) {
        if self.x.capacity() < n {
            self.block.copy_from(&Dense::identity(n));
            self.lu.factor(&self.block, 0.0);
            self.x.reserve(n);
        }
    }

    /// Takes the data of a valid problem.
    pub(crate) fn load(&mut self, lcp: &Lcp) {
        let n = lcp.len();
        self.reserve(n);
        self.m.copy_from(&lcp.m);
        self.q.clone_from(&lcp.q);
        self.unit.clear();
        self.unit.resize(n, 1.0);
        // each sweep halves the spread of the exponents
        for _ in 0..8 {
            for i in 0..n {
                let factor = power_of_two(-exponent(self.m.row(i)) / 2);
                self.m.row_mut(i).iter_mut().for_each(|v| *v *= factor);
                self.q[i] *= factor;
            }
            self.step.clear();
            self.step.resize(n, 0.0);
            for i in 0..n {
                for (largest, v) in self.step.iter_mut().zip(self.m.row(i)) {
                    *largest = largest.max(v.abs());
                }
            }
            for j in 0..n {
                let factor = power_of_two(-exponent(&self.step[j..=j]) / 2);
                self.step[j] = factor;
                self.unit[j] *= factor;
            }
            for i in 0..n {
                self.m.row_mut(i).iter_mut().zip(&self.step).for_each(|(v, factor)| *v *= factor);
            }
        }
        let factor = power_of_two(-exponent(&self.q));
        self.q.iter_mut().for_each(|v| *v *= factor);
        self.unit.iter_mut().for_each(|v| *v /= factor);
    }

    /// Whether `x` on `set` satisfies the inequalities of (1) up to `tolerance`, errors of x being relative to the
    /// largest of its entries counted in the `units` given.
    pub(crate) fn is_promising(&self, set: &[usize], x: &[f64], units: &[f64], tolerance: f64) -> bool {
        let largest = x.iter().zip(units).fold(0.0f64, |m, (v, unit)| m.max(v.abs() / unit));
        if x.iter().zip(units).any(|(&v, unit)| v.is_nan() || v < -tolerance * largest * unit) {
            return false;
        }
        let mut inside = set.iter().peekable();
        (0..self.q.len()).all(|i| {
            if inside.next_if_eq(&&i).is_some() {
                return true;
            }
            let (mut w, mut size) = (self.q[i], self.q[i].abs());
            for ((&j, v), unit) in set.iter().zip(x).zip(units) {
                w += self.m[(i, j)] * v;
                size += (self.m[(i, j)] * largest * unit).abs();
            }
            w >= -tolerance * size
        })
    }

    /// Puts the candidate `x` on `set` (equilibrated), as it is and with negative entries cleared, in the place of
    /// `z` if its residual is better than `best`.
    pub(crate) fn consider(&mut self, lcp: &Lcp, set: &[usize], x: &[f64], z: &mut [f64], best: &mut f64) {
        // without negative entries both are the same
        let both = [0.0, f64::NEG_INFINITY];
        let candidates = if x.iter().all(|v| *v >= 0.0) { &both[..1] } else { &both };
        for &smallest in candidates {
            self.trial.clear();
            self.trial.resize(lcp.len(), 0.0);
            for (&i, v) in set.iter().zip(x) {
                self.trial[i] = v.max(smallest) * self.unit[i];
            }
            let residual = lcp.residual(&self.trial);
            if residual < *best || best.is_nan() {
                *best = residual;
                z.copy_from_slice(&self.trial);
            }
        }
    }

    /// Solves (1) for `set` from the problem's data with iterative refinement; `z` and `best` change if that is
    /// better. What pivoting has accumulated in rounding is gone then.
    pub(crate) fn improve(&mut self, lcp: &Lcp, set: &[usize], z: &mut [f64], best: &mut f64) {
        let k = set.len();
        self.block.reset(k, k);
        for (r, &i) in set.iter().enumerate() {
            for (c, &j) in set.iter().enumerate() {
                self.block[(r, c)] = self.m[(i, j)];
            }
        }
        if !self.lu.factor(&self.block, f64::EPSILON) {
            return;
        }
        let (mut x, mut step) = (std::mem::take(&mut self.x), std::mem::take(&mut self.step));
        x.clear();
        x.resize(k, 0.0);
        for _ in 0..3 {
            step.clear();
            step.extend((0..k).map(|r| match self.compensated {
                true => -dot_compensated(self.q[set[r]], self.block.row(r), &x),
                false => -self.q[set[r]] - dot(self.block.row(r), &x),
            }));
            self.lu.solve(&mut step);
            x.iter_mut().zip(&step).for_each(|(v, d)| *v += d);
            self.consider(lcp, set, &x, z, best);
        }
        (self.x, self.step) = (x, step);
    }

    /// How far two answers are apart relative to their size, each entry in its own unit; zero for two zeros.
    pub(crate) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let (mut apart, mut size) = (0.0f64, 0.0f64);
        for i in 0..a.len() {
            apart = apart.max((a[i] - b[i]).abs() / self.unit[i]);
            size = size.max(a[i].abs().max(b[i].abs()) / self.unit[i]);
        }
        if size > 0.0 { apart / size } else { 0.0 }
    }
}

/// The binary exponent of the largest entry, zero when all are zero.
pub(crate) fn exponent(values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest > 0.0 { (largest.to_bits() >> 52) as i32 - 1023 } else { 0 }
}

/// `2^e`, exactly.
pub(crate) fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equilibrated_data_have_entries_about_one() {
        let m = Dense::from_rows(&[[3e8, 2e-3], [5.0, 7e-12]]);
        let mut basis = BasisSolver::default();
        basis.load(&Lcp::new(m, vec![-4e5, 1.0]).unwrap());
        for i in 0..2 {
            let largest = basis.m.row(i).iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!((0.25..4.0).contains(&largest), "{:?}", basis.m);
        }
        assert!((1.0..2.0).contains(&basis.q[0].abs().max(basis.q[1].abs())));
    }
}
