//! The problem of a single group, solved exactly: given its positive semi-definite block `a` (symmetric, or
//! nearly so) and velocity `q` without its own impulse, find `lambda` with `xi = a lambda + q` and the group's law.
//! How is the law's own business (`law/`).

use crate::law::combined::CombinedSettings;
use crate::law::{GroupLaw, Law, MAX_ROWS, Single};
use crate::linear::dense::{Dense, Lu};

/// Scratch memory of the local solver.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// For the law's small systems.
    pub(crate) dense: Dense,
    pub(crate) lu: Lu,
    /// How contacts under several friction laws are solved.
    pub(crate) combined: CombinedSettings,
}

impl Local {
    /// Solves one group. `a` is row-major with as many rows as the law has; entries of `lambda` beyond are zero.
    #[inline]
    pub fn solve(&mut self, law: Law, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; MAX_ROWS] {
        law.solve(&Single { directions, a, q }, self)
    }
}

#[cfg(test)]
mod tests;
