//! Linear relations that are already solved for the impulses: `dlambda + H dxi = −f`, one for each group.

use crate::law::MAX_ROWS;
use crate::solver::contact::newton_system::Relation;

/// The most rows of a group whose H is not a multiple of the unit matrix: a normal and three tangents.
pub(crate) const MOST: usize = 4;

/// `H` of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slope {
    /// Zero: the impulse is given.
    None,
    /// A number times the unit matrix.
    Even(f64),
    /// Symmetric, row-major with as many columns as rows.
    Full([f64; MOST * MOST]),
}

/// The relation of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response {
    /// Number of rows.
    pub rows: usize,
    /// H.
    pub slope: Slope,
    /// The right-hand side.
    pub f: [f64; MAX_ROWS],
}

impl Relation for Response {
    const SYMMETRIC: bool = true;

    fn fixed(&self) -> bool {
        self.slope == Slope::None
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
        match self.slope {
            Slope::None => h.fill(0.0),
            Slope::Even(x) => (0..n * n).for_each(|k| h[k] = if k % (n + 1) == 0 { x } else { 0.0 }),
            Slope::Full(m) => h.copy_from_slice(&m[..n * n]),
        }
        g.copy_from_slice(&self.f[..n]);
    }

    fn solved_again(&self, g: &mut [f64]) {
        g.copy_from_slice(&self.f[..self.rows]);
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        (0..self.rows).for_each(|i| add(i, i, 1.0));
    }

    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        match self.slope {
            Slope::None => 0.0,
            Slope::Even(h) => h * x(row),
            Slope::Full(m) => (0..self.rows).map(|k| m[row * self.rows + k] * x(k)).sum(),
        }
    }
}
