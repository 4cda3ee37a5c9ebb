//! Contact problem to mixed LCP, then (`reduction.rs`) to LCP, and the way back.
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
//! Dry friction in several directions has (2) and (3) with its bound in place of `mu lambda_n`. A combined law has (2) and (3) for each of its blocks. Without friction (1) alone is left. Impulses are counted in a unit of their group, the power of two next to
//! one over the largest diagonal entry of `A` there, so that every unknown and every row is a speed.
//!
//! Reference: Stewart, Trinkle, Int. J. Numer. Meth. Eng. 39, 1996.

use super::assemble::Assembly;
use super::contact::ContactProblem;
use super::lcp::Lcp;
use super::mixed::MixedLcp;
use super::reduction::Reduction;
use crate::law::{Cone, Law};
use crate::linear::dense::Dense;

/// Why a problem cannot be converted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvertError {
    /// The exact cone is not polyhedral.
    #[error("group {group} has a round friction cone, which is no linear complementarity problem")]
    RoundCone {
        /// The group.
        group: usize,
    },
    /// A convex program over cones has other unknowns.
    #[error("group {group} has associated friction, which is a cone program")]
    Associated {
        /// The group.
        group: usize,
    },
    /// The groups do not cover the rows.
    #[error("the groups have {found} rows, q has {expected}")]
    Size {
        /// Rows of the groups.
        found: usize,
        /// Entries of q.
        expected: usize,
    },
    /// The free unknowns are not determined, and not merely redundant.
    #[error("the equations of the free unknowns are singular at unknown {unknown}")]
    SingularFree {
        /// Index in the mixed problem.
        unknown: usize,
    },
}

/// How an unknown of the mixed problem acts on impulses: `lambda[rows] += unit * weights * z`.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    rows: [usize; 2],
    weights: [f64; 2],
    unit: f64,
}

/// A contact problem as mixed LCP and as LCP; memory is kept between builds.
#[derive(Clone, Debug, Default)]
pub struct ContactLcp {
    mixed: MixedLcp,
    reduction: Reduction,
    a: Dense,
    assembly: Assembly,
    unknowns: Vec<Unknown>,
    product: Dense,
    z: Vec<f64>,
}

impl ContactLcp {
    /// Converts `problem`, which must be valid.
    pub fn build(&mut self, problem: &ContactProblem) -> Result<(), ConvertError> {
        let rows = problem.groups.iter().map(|g| g.law.rows()).sum();
        if rows != problem.len() {
            return Err(ConvertError::Size { found: rows, expected: problem.len() });
        }
        if let Some(group) = problem.groups.iter().position(|g| {
            let mut blocks = g.law.blocks().chain(g.law.dry_block());
            blocks.any(|b| matches!(b.cone, Cone::Disc | Cone::Ball))
        }) {
            return Err(ConvertError::RoundCone { group });
        }
        if let Some(group) = problem.groups.iter().position(|g| matches!(g.law, Law::Associated { .. })) {
            return Err(ConvertError::Associated { group });
        }
        self.assembly.dense(problem, &mut self.a);
        self.list_unknowns(problem);
        self.fill_mixed(problem);
        self.reduction.build(&self.mixed)
    }

    /// The mixed problem of the latest build.
    pub fn mixed(&self) -> &MixedLcp {
        &self.mixed
    }

    /// The LCP of the latest build.
    pub fn lcp(&self) -> &Lcp {
        self.reduction.lcp()
    }

    /// How many bilateral rows were redundant in the latest build; their impulses are zero.
    pub fn redundant(&self) -> usize {
        self.reduction.redundant()
    }

    /// `A_rr` for a row of the contact problem.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.a[(row, row)]
    }

    /// Impulses from a solution of the LCP.
    pub fn recover(&mut self, y: &[f64], lambda: &mut [f64]) {
        self.z.resize(self.mixed.len(), 0.0);
        self.reduction.recover(&self.mixed, y, &mut self.z);
        lambda.fill(0.0);
        for (unknown, z) in self.unknowns.iter().zip(&self.z) {
            for (row, weight) in unknown.rows.into_iter().zip(unknown.weights) {
                lambda[row] += weight * unknown.unit * z;
            }
        }
    }

    fn list_unknowns(&mut self, problem: &ContactProblem) {
        self.unknowns.clear();
        for group in &problem.groups {
            let n = group.first_row;
            let largest = group.rows().fold(0.0f64, |m, r| m.max(self.a[(r, r)]));
            let unit = if largest > 0.0 { (-largest.log2().round()).exp2() } else { 1.0 };
            let mut push = |rows, weights| self.unknowns.push(Unknown { rows, weights, unit });
            match group.law {
                Law::Bilateral { .. } => group.rows().for_each(|r| push([r, r], [1.0, 0.0])),
                Law::Unilateral | Law::Dry { .. } => push([n, n], [1.0, 0.0]),
                Law::DryCone { cone, .. } => {
                    if cone == Cone::Segment {
                        push([n, n], [1.0, 0.0]);
                        push([n, n], [-1.0, 0.0]);
                    } else {
                        problem.directions.iter().for_each(|&d| push([n, n + 1], d));
                    }
                    push([n, n], [0.0, 0.0]);
                }
                // associated friction is refused before
                Law::Contact { .. } | Law::Combined { .. } | Law::Associated { .. } => {
                    push([n, n], [1.0, 0.0]);
                    for block in group.law.blocks().filter(|b| b.friction > 0.0) {
                        let t = n + block.first;
                        if block.cone == Cone::Segment {
                            push([t, t], [1.0, 0.0]);
                            push([t, t], [-1.0, 0.0]);
                        } else {
                            problem.directions.iter().for_each(|&d| push([t, t + 1], d));
                        }
                        push([n, n], [0.0, 0.0]);
                    }
                }
            }
        }
    }

    /// Matrix, vector and bounds of the mixed problem, from the list of unknowns.
    fn fill_mixed(&mut self, problem: &ContactProblem) {
        let Self { mixed, a, unknowns, product, .. } = self;
        let (rows, n) = (problem.len(), unknowns.len());
        product.reset(rows, n);
        for r in 0..rows {
            for (l, u) in unknowns.iter().enumerate() {
                product[(r, l)] =
                    u.unit * (u.weights[0] * a[(r, u.rows[0])] + u.weights[1] * a[(r, u.rows[1])]);
            }
        }
        mixed.m.reset(n, n);
        mixed.q.clear();
        for (k, u) in unknowns.iter().enumerate() {
            for l in 0..n {
                mixed.m[(k, l)] =
                    u.weights[0] * product[(u.rows[0], l)] + u.weights[1] * product[(u.rows[1], l)];
            }
            mixed.q.push(u.weights[0] * problem.q[u.rows[0]] + u.weights[1] * problem.q[u.rows[1]]);
        }
        mixed.lower.clear();
        mixed.lower.resize(n, 0.0);
        mixed.upper.clear();
        mixed.upper.resize(n, f64::INFINITY);
        let mut at = 0;
        for group in &problem.groups {
            match group.law {
                Law::Bilateral { rows } => {
                    mixed.lower[at..at + rows].fill(f64::NEG_INFINITY);
                    at += rows;
                }
                Law::Unilateral => at += 1,
                Law::Dry { bound } => {
                    mixed.lower[at] = -bound / unknowns[at].unit;
                    mixed.upper[at] = bound / unknowns[at].unit;
                    at += 1;
                }
                Law::DryCone { bound, cone } => {
                    let k = if cone == Cone::Segment { 2 } else { problem.directions.len() };
                    let sigma = at + k;
                    mixed.q[sigma] = bound / unknowns[sigma].unit;
                    for beta in at..sigma {
                        mixed.m[(beta, sigma)] = 1.0;
                        mixed.m[(sigma, beta)] = -1.0;
                    }
                    at = sigma + 1;
                }
                Law::Contact { .. } | Law::Combined { .. } | Law::Associated { .. } => {
                    let normal = at;
                    at += 1;
                    for block in group.law.blocks().filter(|b| b.friction > 0.0) {
                        let k = if block.cone == Cone::Segment { 2 } else { problem.directions.len() };
                        let sigma = at + k;
                        mixed.m[(sigma, normal)] = block.friction;
                        for beta in at..sigma {
                            mixed.m[(beta, sigma)] = 1.0;
                            mixed.m[(sigma, beta)] = -1.0;
                        }
                        at = sigma + 1;
                    }
                }
            }
        }
    }
}
