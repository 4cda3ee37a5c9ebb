//! The relation `V dlambda + dxi = −f` of a group on the central path (`convex/path.rs`), V being the scaling of
//! Nesterov and Todd.
//!
//! Near the end of the path the eigenvalues of V differ by one over the square of the target. So `V^-1` is applied
//! factor by factor: as a matrix its small eigenvalues would be lost in the rounding of the large ones. And it is
//! applied to the sum `dxi + f`, whose terms cancel where contacts stick.

use crate::law::MAX_ROWS;
use crate::solver::contact::newton_system::Relation;
use crate::solver::interior::cone_algebra::Three;

/// The diagonal of J.
fn sign(i: usize) -> f64 {
    if i == 0 { 1.0 } else { -1.0 }
}

/// `V` of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Metric {
    /// The impulse is given.
    Fixed,
    /// A number times the unit matrix.
    Even(f64),
    /// A number for the first row; the others have no impulse.
    First(f64),
    /// `T eta² (2 w w^T − J) T`.
    Cone {
        /// eta².
        square: f64,
        /// w.
        w: Three,
        /// The slope of the cone, in `T = diag(mu, 1, 1)`.
        mu: f64,
    },
}

/// The relation of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Number of rows.
    pub rows: usize,
    /// V.
    pub metric: Metric,
    /// The right-hand side.
    pub f: [f64; MAX_ROWS],
}

impl Piece {
    /// `V^-1 x`, for a cone `T^-1 (2 J w w^T J − J) T^-1 x / eta²`.
    fn inverse(&self, x: &[f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
        let n = self.rows;
        let mut out = [0.0; MAX_ROWS];
        match self.metric {
            Metric::Fixed => {}
            Metric::Even(v) => (0..n).for_each(|i| out[i] = x[i] / v),
            Metric::First(v) => out[0] = x[0] / v,
            Metric::Cone { square, w, mu } => {
                let t = |i: usize| if i == 0 { 1.0 / mu } else { 1.0 };
                let along: f64 = (0..n).map(|k| 2.0 * sign(k) * w[k] * t(k) * x[k]).sum();
                (0..n).for_each(|i| out[i] = t(i) * sign(i) * (w[i] * along - t(i) * x[i]) / square);
            }
        }
        out
    }
}

impl Relation for Piece {
    const SYMMETRIC: bool = true;

    fn fixed(&self) -> bool {
        self.metric == Metric::Fixed
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

    fn solved(&self, h: &mut [f64], g: &mut [f64]) {
        let n = self.rows;
        for j in 0..n {
            let mut unit = [0.0; MAX_ROWS];
            unit[j] = 1.0;
            let column = self.inverse(&unit);
            (0..n).for_each(|i| h[i * n + j] = column[i]);
        }
        self.solved_again(g);
    }

    fn solved_again(&self, g: &mut [f64]) {
        let f = if self.fixed() { self.f } else { self.inverse(&self.f) };
        g.copy_from_slice(&f[..self.rows]);
    }

    /// `−V^-1 (dxi + f)`, the sum first.
    fn respond(&self, dxi: &[f64], _: &[f64], g: &[f64], dlambda: &mut [f64]) {
        if self.fixed() {
            dlambda.iter_mut().zip(g).for_each(|(d, g)| *d = -g);
            return;
        }
        let sum = std::array::from_fn(|i| if i < self.rows { dxi[i] + self.f[i] } else { 0.0 });
        dlambda.iter_mut().zip(self.inverse(&sum)).for_each(|(d, x)| *d = -x);
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows {
            match self.metric {
                Metric::Fixed => {}
                Metric::Even(v) => add(i, i, v),
                Metric::First(v) => add(i, i, if i == 0 { v } else { 1.0 }),
                Metric::Cone { square, w, mu } => {
                    let t = |i: usize| if i == 0 { mu } else { 1.0 };
                    for j in 0..self.rows {
                        let unit = if i == j { sign(i) } else { 0.0 };
                        add(i, j, t(i) * t(j) * square * (2.0 * w[i] * w[j] - unit));
                    }
                }
            }
        }
    }

    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        match self.metric {
            Metric::First(_) if row > 0 => 0.0,
            _ => x(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::interior::cone_algebra::scaling_point;

    /// `V V^-1 = 1`, and V takes T x to T^-1 y, for points all over the cones and as near to their sides as the path
    /// goes.
    #[test]
    fn the_metric_and_its_inverse_belong_together() {
        let mu = 0.4;
        for near in [1.0, 1e-3, 1e-6] {
            let (x, y) = ([1.0 + near, 0.6, -0.8], [0.5 * (1.0 + near), -0.3, 0.4]);
            let (square, w) = scaling_point(&x, &y);
            let piece = Piece { rows: 3, metric: Metric::Cone { square, w, mu }, f: [0.0; MAX_ROWS] };
            let mut v = [0.0; 9];
            piece.add_own(&mut |i, j, value| v[3 * i + j] += value);
            // lambda = T^-1 x, V lambda = T y
            let lambda = [x[0] / mu, x[1], x[2]];
            for i in 0..3 {
                let product: f64 = (0..3).map(|j| v[3 * i + j] * lambda[j]).sum();
                let expected = if i == 0 { mu * y[0] } else { y[i] };
                assert!((product - expected).abs() < 1e-9 / near, "{near}: {product} {expected}");
            }
            let back = piece.inverse(&[mu * y[0], y[1], y[2], 0.0, 0.0, 0.0]);
            for i in 0..3 {
                assert!((back[i] - lambda[i]).abs() < 1e-9, "{near}: {back:?} {lambda:?}");
            }
        }
    }
}
