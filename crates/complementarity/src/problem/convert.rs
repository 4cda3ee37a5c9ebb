//! Contact problem to mixed LCP, then (`reduction.rs`) to LCP, and the way back.
//!
//! Which unknowns a law has is its own business (`law/lcp_form.rs`). Impulses are counted in a unit of their group,
//! the power of two next to one over the largest diagonal entry of `A` there, so that every unknown and every row is
//! a speed.

use super::assemble::Assembly;
use super::contact::ContactProblem;
use super::lcp::Lcp;
use super::mixed::MixedLcp;
use super::reduction::Reduction;
use crate::law::GroupLaw;
use crate::law::lcp_form::{LcpForm, Limit, Load};
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

/// A contact problem as mixed LCP and as LCP; memory is kept between builds.
#[derive(Clone, Debug, Default)]
pub struct ContactLcp {
    mixed: MixedLcp,
    reduction: Reduction,
    a: Dense,
    assembly: Assembly,
    form: LcpForm,
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
            blocks.any(|b| b.cone.is_round())
        }) {
            return Err(ConvertError::RoundCone { group });
        }
        if let Some(group) = problem.groups.iter().position(|g| g.law.is_associated()) {
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
        for (unknown, z) in self.form.unknowns.iter().zip(&self.z) {
            for (row, weight) in unknown.rows.into_iter().zip(unknown.weights) {
                lambda[row] += weight * unknown.unit * z;
            }
        }
    }

    fn list_unknowns(&mut self, problem: &ContactProblem) {
        self.form.reset(&problem.directions);
        for group in &problem.groups {
            let largest = group.rows().fold(0.0f64, |m, r| m.max(self.a[(r, r)]));
            let unit = if largest > 0.0 { (-largest.log2().round()).exp2() } else { 1.0 };
            self.form.begin(group.first_row, unit);
            group.law.lcp_form(&mut self.form);
        }
    }

    /// Matrix, vector and bounds of the mixed problem, from the list of unknowns.
    fn fill_mixed(&mut self, problem: &ContactProblem) {
        let Self { mixed, a, form: LcpForm { unknowns, limits, .. }, product, .. } = self;
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
        mixed.lower.extend(unknowns.iter().map(|u| u.lower));
        mixed.upper.clear();
        mixed.upper.extend(unknowns.iter().map(|u| u.upper));
        for Limit { betas, load } in limits.iter() {
            let sigma = betas.end;
            match *load {
                Load::Bound(bound) => mixed.q[sigma] = bound / unknowns[sigma].unit,
                Load::Normal { friction, unknown } => mixed.m[(sigma, unknown)] = friction,
            }
            for beta in betas.clone() {
                mixed.m[(beta, sigma)] = 1.0;
                mixed.m[(sigma, beta)] = -1.0;
            }
        }
    }
}
