//! The unknowns of a mixed linear complementarity problem that a law stands for, and what ties them together.
//!
//! Bilateral rows are free unknowns, unilateral ones lie in `[0, ∞)`, dry friction in
//! `[−bound, bound]`. A contact with directions `d_j` (`±1` for a segment) has the unknowns
//! `(lambda_n, beta_1 .. beta_k, sigma)` of Stewart and Trinkle, `lambda_t = sum_j beta_j d_j`:
//!
//! ```text
//! 0 <= xi_n                        ⟂  lambda_n >= 0                 (1)
//! 0 <= d_j · xi_t + sigma          ⟂  beta_j   >= 0                 (2)
//! 0 <= mu lambda_n − sum_j beta_j  ⟂  sigma    >= 0                 (3)
//! ```
//!
//! Dry friction in several directions has (2) and (3) with its bound in place of `mu lambda_n`. A combined law has
//! (2) and (3) for each of its blocks. Without friction (1) alone is left. Impulses are counted in a unit of their
//! group.
//!
//! Reference: Stewart, Trinkle, Int. J. Numer. Meth. Eng. 39, 1996.

use crate::law::cone::Cone;
use crate::law::friction::Block;
use std::ops::Range;

/// How an unknown acts on impulses: `lambda[rows] += unit * weights * z`; and its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    pub rows: [usize; 2],
    pub weights: [f64; 2],
    pub unit: f64,
    pub lower: f64,
    pub upper: f64,
}

/// What friction is limited by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Load {
    /// A coefficient times an unknown.
    Normal { friction: f64, unknown: usize },
    /// An impulse.
    Bound(f64),
}

/// Eq. (2) and (3) of one block: betas, and sigma behind them.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub betas: Range<usize>,
    pub load: Load,
}

/// All unknowns of a problem; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct LcpForm {
    pub unknowns: Vec<Unknown>,
    pub limits: Vec<Limit>,
    directions: Vec<[f64; 2]>,
    first_row: usize,
    unit: f64,
}

impl LcpForm {
    /// Forgets all, for a problem with this polygon.
    pub(crate) fn reset(&mut self, directions: &[[f64; 2]]) {
        self.unknowns.clear();
        self.limits.clear();
        self.directions.clear();
        self.directions.extend_from_slice(directions);
    }

    /// What follows is of the group with this first row and unit of impulse.
    pub(crate) fn begin(&mut self, first_row: usize, unit: f64) {
        (self.first_row, self.unit) = (first_row, unit);
    }

    /// One row's impulse between bounds.
    pub(crate) fn add(&mut self, row: usize, lower: f64, upper: f64) {
        self.push([row, row], [1.0, 0.0], (lower, upper));
    }

    /// A normal row, eq. (1), and its blocks of friction.
    pub(crate) fn add_contact(&mut self, blocks: impl Iterator<Item = Block>) {
        let unknown = self.unknowns.len();
        self.add(0, 0.0, f64::INFINITY);
        for block in blocks.filter(|b| b.friction > 0.0) {
            self.add_friction(block, Load::Normal { friction: block.friction, unknown });
        }
    }

    /// Eq. (2) and (3).
    pub(crate) fn add_friction(&mut self, block: Block, load: Load) {
        let (t, first, positive) = (block.first, self.unknowns.len(), (0.0, f64::INFINITY));
        if block.cone == Cone::Segment {
            self.push([t, t], [1.0, 0.0], positive);
            self.push([t, t], [-1.0, 0.0], positive);
        } else {
            for j in 0..self.directions.len() {
                self.push([t, t + 1], self.directions[j], positive);
            }
        }
        self.limits.push(Limit { betas: first..self.unknowns.len(), load });
        self.push([0, 0], [0.0, 0.0], positive);
    }

    /// An unknown, its rows counted within the group.
    fn push(&mut self, rows: [usize; 2], weights: [f64; 2], (lower, upper): (f64, f64)) {
        let (rows, unit) = (rows.map(|r| self.first_row + r), self.unit);
        self.unknowns.push(Unknown { rows, weights, unit, lower: lower / unit, upper: upper / unit });
    }
}
