//! Contact problem to mixed LCP to LCP, and the way back.
//!
//! *Contact to mixed.* Bilateral rows are free unknowns, unilateral ones lie in `[0, ∞)`, dry friction in
//! `[−bound, bound]`. A contact with directions `d_j` (`±1` for a segment) has the unknowns
//! `(lambda_n, beta_1 .. beta_k, sigma)` of Stewart and Trinkle, `lambda_t = sum_j beta_j d_j`:
//!
//! ```text
//! 0 <= xi_n                        ⟂  lambda_n >= 0                 (1)
//! 0 <= d_j · xi_t + sigma          ⟂  beta_j   >= 0                 (2)
//! 0 <= mu lambda_n − sum_j beta_j  ⟂  sigma    >= 0                 (3)
//! ```
//!
//! Without friction (1) alone is left. Impulses are counted in a unit of their group, the power of two next to
//! one over the largest diagonal entry of `A` there, so that every unknown and every row is a speed.
//!
//! *Mixed to LCP.* Unknowns are `z = base + sign y` with `y >= 0`; a box of width b gets a multiplier t,
//!
//! ```text
//! 0 <= w + t ⟂ y >= 0,   0 <= b − y ⟂ t >= 0,                       (4)
//! ```
//!
//! and free unknowns F are eliminated, `z_F = −M_FF^-1 (q_F + M_FB z_B)`. If `M_FF` is singular, a largest regular
//! part of it is kept and the other unknowns of F are zero. For symmetric positive semi-definite `A` that loses
//! nothing as long as the redundant rows do not contradict each other; if they do, the residual will say so.
//!
//! Reference: Stewart, Trinkle, Int. J. Numer. Meth. Eng. 39, 1996; Cottle, Pang, Stone, *The Linear
//! Complementarity Problem*, 1992, sec. 1.5.

use super::contact::ContactProblem;
use super::law::{Cone, Law};
use super::lcp::Lcp;
use super::mixed::MixedLcp;
use super::operator::{BlockDiagonal, Jacobian, Operator};
use crate::dense::{Dense, Lu, dot};

/// A pivot this small relative to its row of `M_FF` makes the row redundant.
const REDUNDANT: f64 = 1e-11;

/// Why a problem cannot be converted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvertError {
    /// The exact cone is not polyhedral.
    #[error("group {group} has a round friction cone, which is no linear complementarity problem")]
    RoundCone {
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
    unknowns: Vec<Unknown>,
    product: Dense,
    z: Vec<f64>,
    response: Vec<f64>,
    block_parts: Vec<(usize, usize, usize)>,
}

impl ContactLcp {
    /// Converts `problem`, which must be valid.
    pub fn build(&mut self, problem: &ContactProblem) -> Result<(), ConvertError> {
        let rows = problem.groups.iter().map(|g| g.law.rows()).sum();
        if rows != problem.len() {
            return Err(ConvertError::Size { found: rows, expected: problem.len() });
        }
        if let Some(group) =
            problem.groups.iter().position(|g| matches!(g.law, Law::Contact { cone: Cone::Disc, .. }))
        {
            return Err(ConvertError::RoundCone { group });
        }
        self.assemble(problem);
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

    /// The dense `A`.
    fn assemble(&mut self, problem: &ContactProblem) {
        let n = problem.len();
        self.a.reset(n, n);
        match &problem.operator {
            Operator::Factored { inverse_mass, jacobian } => self.multiply(problem, inverse_mass, jacobian),
            Operator::Assembled(blocks) => {
                for (c, group) in problem.groups.iter().enumerate() {
                    for e in blocks.row_start[c]..blocks.row_start[c + 1] {
                        let columns = problem.groups[blocks.column[e]].rows();
                        let mut at = blocks.at[e];
                        for i in group.rows() {
                            for j in columns.clone() {
                                self.a[(i, j)] += blocks.values[at];
                                at += 1;
                            }
                        }
                    }
                }
            }
        }
    }

    /// `A = W^T M^-1 W`: the responses `M^-1 W` part by part, then products of parts that share a mass block.
    fn multiply(&mut self, problem: &ContactProblem, inverse_mass: &BlockDiagonal, jacobian: &Jacobian) {
        let blocks = inverse_mass.blocks();
        self.response.clear();
        self.response.resize(jacobian.values.len(), 0.0);
        self.block_parts.clear();
        for (g, group) in problem.groups.iter().enumerate() {
            for p in group.parts() {
                let part = jacobian.parts[p];
                for r in 0..group.law.rows() {
                    let row = part.at + r * part.width..part.at + (r + 1) * part.width;
                    inverse_mass.add_product(
                        part.start,
                        &jacobian.values[row.clone()],
                        &mut self.response[row],
                    );
                }
                let mut b = blocks.partition_point(|b| b.start < part.start);
                while b < blocks.len() && blocks[b].start < part.start + part.width {
                    self.block_parts.push((b, g, p));
                    b += 1;
                }
            }
        }
        self.block_parts.sort_unstable();
        for same in self.block_parts.chunk_by(|x, y| x.0 == y.0) {
            let block = blocks[same[0].0];
            for (k, &(_, g, p)) in same.iter().enumerate() {
                let left = jacobian.parts[p];
                for &(_, h, o) in same.iter().skip(k) {
                    let right = jacobian.parts[o];
                    for (r, i) in problem.groups[g].rows().enumerate() {
                        let x = left.at + r * left.width + (block.start - left.start);
                        for (s, j) in problem.groups[h].rows().enumerate() {
                            let y = right.at + s * right.width + (block.start - right.start);
                            let product =
                                dot(&jacobian.values[x..x + block.size], &self.response[y..y + block.size]);
                            self.a[(i, j)] += product;
                            if o != p {
                                self.a[(j, i)] += product;
                            }
                        }
                    }
                }
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
                Law::Contact { friction, cone } => {
                    push([n, n], [1.0, 0.0]);
                    if friction == 0.0 {
                        continue;
                    }
                    if cone == Cone::Segment {
                        push([n + 1, n + 1], [1.0, 0.0]);
                        push([n + 1, n + 1], [-1.0, 0.0]);
                    } else {
                        problem.directions.iter().for_each(|&d| push([n + 1, n + 2], d));
                    }
                    push([n, n], [0.0, 0.0]);
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
                Law::Contact { friction: 0.0, .. } => at += 1,
                Law::Contact { friction, cone } => {
                    let k = if cone == Cone::Segment { 2 } else { problem.directions.len() };
                    let sigma = at + k + 1;
                    mixed.m[(sigma, at)] = friction;
                    for beta in at + 1..sigma {
                        mixed.m[(beta, sigma)] = 1.0;
                        mixed.m[(sigma, beta)] = -1.0;
                    }
                    at = sigma + 1;
                }
            }
        }
    }
}

/// A mixed LCP as LCP; memory is kept between builds.
#[derive(Clone, Debug, Default)]
pub struct Reduction {
    lcp: Lcp,
    redundant: usize,
    /// `z` at `y = 0`; zero for free unknowns.
    base: Vec<f64>,
    /// Index, sign and width of each unknown with bounds.
    bounded: Vec<(usize, f64, f64)>,
    free: Vec<usize>,
    block: Dense,
    row_scale: Vec<f64>,
    lu: Lu,
    /// Row b: `M_FF^-1 M_Fb`; the last row: `M_FF^-1 (q + M base)_F`.
    gain: Dense,
    gather: Vec<f64>,
    step: Vec<f64>,
    diagonal: Vec<f64>,
    kept: Vec<bool>,
}

impl Reduction {
    /// Converts a valid mixed problem.
    pub fn build(&mut self, mixed: &MixedLcp) -> Result<(), ConvertError> {
        self.classify(mixed);
        self.factor_free(mixed)?;
        let (f, b) = (self.free.len(), self.bounded.len());
        self.gain.reset(b + 1, f);
        for column in 0..=b {
            for (r, &i) in self.free.iter().enumerate() {
                self.gain[(column, r)] = self.row_scale[r]
                    * match self.bounded.get(column) {
                        Some(&(j, ..)) => mixed.m[(i, j)],
                        None => mixed.q[i] + dot(mixed.m.row(i), &self.base),
                    };
            }
            self.lu.solve(self.gain.row_mut(column));
        }
        let boxes = self.bounded.iter().filter(|x| x.2.is_finite()).count();
        self.lcp.m.reset(b + boxes, b + boxes);
        self.lcp.q.clear();
        self.lcp.q.resize(b + boxes, 0.0);
        let mut slack = b;
        for (r, &(i, sign, width)) in self.bounded.iter().enumerate() {
            self.gather.clear();
            self.gather.extend(self.free.iter().map(|&j| mixed.m[(i, j)]));
            for (c, &(j, other, _)) in self.bounded.iter().enumerate() {
                let schur = mixed.m[(i, j)] - dot(&self.gather, self.gain.row(c));
                self.lcp.m[(r, c)] = sign * other * schur;
            }
            let free_part = dot(&self.gather, self.gain.row(b));
            self.lcp.q[r] = sign * (mixed.q[i] + dot(mixed.m.row(i), &self.base) - free_part);
            if width.is_finite() {
                // eq. (4)
                self.lcp.m[(r, slack)] = 1.0;
                self.lcp.m[(slack, r)] = -1.0;
                self.lcp.q[slack] = width;
                slack += 1;
            }
        }
        Ok(())
    }

    /// The LCP of the latest build.
    pub fn lcp(&self) -> &Lcp {
        &self.lcp
    }

    /// How many free unknowns were redundant, and set to zero, in the latest build.
    pub fn redundant(&self) -> usize {
        self.redundant
    }

    /// The unknowns of the mixed problem from a solution of the LCP.
    pub fn recover(&mut self, mixed: &MixedLcp, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&self.base);
        for (&(i, sign, width), y) in self.bounded.iter().zip(y) {
            z[i] += sign * y.min(width);
        }
        // the second round removes the rounding of the first
        for _ in 0..2 {
            self.step.clear();
            for (r, &i) in self.free.iter().enumerate() {
                self.step.push(-self.row_scale[r] * (mixed.q[i] + dot(mixed.m.row(i), z)));
            }
            self.lu.solve(&mut self.step);
            self.free.iter().zip(&self.step).for_each(|(&i, d)| z[i] += d);
        }
    }

    fn classify(&mut self, mixed: &MixedLcp) {
        self.base.clear();
        self.bounded.clear();
        self.free.clear();
        for (i, (&lower, &upper)) in mixed.lower.iter().zip(&mixed.upper).enumerate() {
            let mut base = 0.0;
            if lower.is_finite() {
                base = lower;
                if upper > lower {
                    self.bounded.push((i, 1.0, upper - lower));
                }
            } else if upper.is_finite() {
                base = upper;
                self.bounded.push((i, -1.0, f64::INFINITY));
            } else {
                self.free.push(i);
            }
            self.base.push(base);
        }
    }

    /// Factors `M_FF`, without its redundant part if there is one.
    fn factor_free(&mut self, mixed: &MixedLcp) -> Result<(), ConvertError> {
        self.redundant = 0;
        self.fill_block(mixed);
        if !self.lu.factor(&self.block, REDUNDANT) {
            self.drop_redundant()?;
            self.fill_block(mixed);
            if !self.lu.factor(&self.block, 0.0) {
                return Err(ConvertError::SingularFree { unknown: self.free.first().copied().unwrap_or(0) });
            }
        }
        Ok(())
    }

    /// `M_FF`, rows scaled to a largest entry of one.
    fn fill_block(&mut self, mixed: &MixedLcp) {
        let f = self.free.len();
        self.block.reset(f, f);
        self.row_scale.clear();
        for (r, &i) in self.free.iter().enumerate() {
            let largest = self.free.iter().fold(0.0f64, |m, &j| m.max(mixed.m[(i, j)].abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.row_scale.push(scale);
            for (c, &j) in self.free.iter().enumerate() {
                self.block[(r, c)] = scale * mixed.m[(i, j)];
            }
        }
    }

    /// Symmetric elimination with diagonal pivoting on `block`; what has no pivot leaves `free`.
    fn drop_redundant(&mut self) -> Result<(), ConvertError> {
        let Self { block, diagonal, kept, free, .. } = self;
        let f = free.len();
        diagonal.clear();
        diagonal.extend((0..f).map(|r| block[(r, r)].abs()));
        kept.clear();
        kept.resize(f, false);
        loop {
            let size = |r: usize| if diagonal[r] > 0.0 { block[(r, r)].abs() / diagonal[r] } else { 0.0 };
            let open = (0..f).filter(|&r| !kept[r]);
            let best = open.reduce(|a, b| if size(b) > size(a) { b } else { a });
            let Some(p) = best.filter(|&p| size(p) > REDUNDANT) else { break };
            kept[p] = true;
            for r in (0..f).filter(|&r| !kept[r]) {
                let factor = block[(r, p)] / block[(p, p)];
                let (source, target) = block.row_pair(p, r);
                target.iter_mut().zip(source).for_each(|(t, s)| *t -= factor * s);
            }
        }
        // rows were scaled to one: what is left of a merely redundant row is rounding
        let left = |r: usize| (0..f).any(|c| !kept[c] && block[(r, c)].abs() > 1e3 * REDUNDANT);
        if let Some(r) = (0..f).find(|&r| !kept[r] && left(r)) {
            return Err(ConvertError::SingularFree { unknown: free[r] });
        }
        let mut keep = kept.iter();
        free.retain(|_| keep.next().is_some_and(|&k| k));
        self.redundant = f - self.free.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn bounds_become_shifts_mirrors_and_multipliers() {
        let mixed = MixedLcp {
            m: Dense::identity(4),
            q: vec![-1.0, 1.0, -9.0, 3.0],
            lower: vec![2.0, -INF, -2.0, -INF],
            upper: vec![INF, -5.0, 4.0, INF],
        };
        let mut reduction = Reduction::default();
        reduction.build(&mixed).unwrap();
        assert_eq!(reduction.lcp().q, [1.0, 4.0, -11.0, 6.0]);
        let mut z = [0.0; 4];
        reduction.recover(&mixed, &[0.0, 0.0, 6.0, 5.0], &mut z);
        assert_eq!(z, [2.0, -5.0, 4.0, -3.0]);
        assert_eq!(mixed.residual(&z), 0.0);
    }

    #[test]
    fn undetermined_free_unknowns_are_named() {
        let mixed = MixedLcp {
            m: Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]),
            q: vec![0.0; 3],
            lower: vec![-INF; 3],
            upper: vec![INF; 3],
        };
        assert_eq!(Reduction::default().build(&mixed), Err(ConvertError::SingularFree { unknown: 1 }));
    }

    #[test]
    fn a_saddle_point_without_diagonal_is_regular() {
        let mixed = MixedLcp {
            m: Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]),
            q: vec![1.0, 2.0],
            lower: vec![-INF; 2],
            upper: vec![INF; 2],
        };
        let (mut reduction, mut z) = (Reduction::default(), [0.0; 2]);
        reduction.build(&mixed).unwrap();
        reduction.recover(&mixed, &[], &mut z);
        assert_eq!((reduction.redundant(), z), (0, [-2.0, -1.0]));
    }
}
