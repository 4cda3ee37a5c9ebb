//! The linear relation of one group in a step of `interior_point.rs`: eq. (5) there, group by group,
//!
//! ```text
//! C dlambda + B dxi = −f,   C = T V T + eps a,   B = S = (1 − n sigma')^-1              (1)
//! ```
//!
//! with V and T of `interior/group.rs`. Rows without an impulse of their own have no B.

use crate::law::MAX_ROWS;
use crate::solver::contact::newton_system::Relation;

/// The relation `C dlambda + B dxi = −f` of a group, and what gives the multipliers' step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    /// The impulse is given: `dlambda = −f`.
    pub fixed: bool,
    /// Number of rows.
    pub rows: usize,
    /// Rows that have B; the others have none.
    pub active: usize,
    /// `T V T`, row-major.
    pub v: [f64; 9],
    /// What is added to the diagonal of C.
    pub extra: [f64; MAX_ROWS],
    /// The first row of B: its first entry,
    pub lead: f64,
    /// and the others.
    pub couple: [f64; 2],
    /// `T (target x^-1 − y)`.
    pub pull: [f64; 3],
    /// Right-hand side.
    pub f: [f64; MAX_ROWS],
}

impl Barrier {
    /// `a^T V b`: the metric of the cone.
    pub(crate) fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        let n = self.active.min(3).min(self.rows);
        let mut sum = 0.0;
        if !self.fixed {
            for i in 0..n {
                for j in 0..n {
                    sum += a[i] * self.v[3 * i + j] * b[j];
                }
            }
        }
        sum
    }
}

impl Relation for Barrier {
    fn fixed(&self) -> bool {
        self.fixed
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn f(&self) -> &[f64; MAX_ROWS] {
        &self.f
    }

    fn with_f(&self, f: [f64; MAX_ROWS]) -> Self {
        Self { f, ..*self }
    }

    /// By elimination: C is symmetric and positive definite.
    fn solved(&self, h: &mut [f64], g: &mut [f64]) {
        let n = self.rows;
        h.fill(0.0);
        g.copy_from_slice(&self.f[..n]);
        if self.fixed {
            return;
        }
        let mut c = [0.0; MAX_ROWS * MAX_ROWS];
        self.add_own(&mut |i, j, value| c[i * n + j] += value);
        for i in 0..self.active {
            h[i * n + i] = 1.0;
        }
        if self.active > 0 {
            h[0] = self.lead;
        }
        let tangents = self.active.saturating_sub(1);
        h.iter_mut().skip(1).zip(self.couple).take(tangents).for_each(|(x, c)| *x = c);
        for k in 0..n {
            for i in (0..n).filter(|i| *i != k) {
                let factor = c[i * n + k] / c[k * n + k];
                if factor != 0.0 {
                    for j in 0..n {
                        c[i * n + j] -= factor * c[k * n + j];
                        h[i * n + j] -= factor * h[k * n + j];
                    }
                    g[i] -= factor * g[k];
                }
            }
        }
        for i in 0..n {
            g[i] /= c[i * n + i];
            h[i * n..(i + 1) * n].iter_mut().for_each(|x| *x /= c[i * n + i]);
        }
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows {
            add(i, i, self.extra[i]);
        }
        let n = self.active.min(3).min(self.rows);
        for i in 0..n {
            for j in 0..n {
                add(i, j, self.v[3 * i + j]);
            }
        }
    }

    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        if row >= self.active {
            return 0.0;
        }
        let mut sum = if row == 0 { self.lead * x(0) } else { x(row) };
        if row == 0 {
            for k in 1..self.active.min(3) {
                sum += self.couple[k - 1] * x(k);
            }
        }
        sum
    }
}
