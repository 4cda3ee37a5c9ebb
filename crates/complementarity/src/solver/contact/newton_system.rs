//! The linear system of a Newton step for contact problems: `C dlambda + B dxi = −f` group by group
//! (`law/linearise.rs`) with `dxi = A dlambda`.
//!
//! *Factored*, `A = J J^T` with `J = W^T L`, `M^-1 = L L^T` (`whitened.rs`): each group is solved for its impulse,
//! `dlambda = −(H dxi + g)`, which leaves one equation for the velocities `y = J^T dlambda` in units of mass one,
//!
//! ```text
//! (1 + J^T H J) y = −J^T g,   dlambda = −(H J y + g).                                   (1)
//! ```
//!
//! Its size is the number of coordinates, however many contacts there are; its nodes are the bodies. Nodes
//! are neighbours when a group between them has been free to change its impulse in a step since `prepare`: in a pile, a
//! third of the groups is open throughout, and without them much less fills in.
//! *Assembled*: the nodes are the groups, those whose impulse is given being idle,
//!
//! ```text
//! (C + B A) dlambda = −f.                                                              (2)
//! ```

use std::ops::Range;

use crate::law::MAX_ROWS;
use crate::linear::dense::dot;
use crate::linear::system_matrix::SystemMatrix;
use crate::problem::contact::ContactProblem;
use crate::problem::operator::{BlockSparse, Operator};
use crate::solver::contact::body_blocks::BodyBlocks;
use crate::solver::contact::whitened::Whitened;

/// `C dlambda + B dxi = −f` of one group.
pub(crate) trait Relation: Sized {
    /// `C^-1 B` is symmetric.
    const SYMMETRIC: bool = false;
    /// The impulse is given: `dlambda = −f`.
    fn fixed(&self) -> bool;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// The right-hand side, in the first entries.
    fn f(&self) -> &[f64; MAX_ROWS];
    /// The same with another right-hand side.
    fn with_f(&self, f: [f64; MAX_ROWS]) -> Self;
    /// Solved for the impulse: `dlambda = −(h dxi + g)`. Writes h, rows x rows, and g.
    fn solved(&self, h: &mut [f64], g: &mut [f64]);
    /// Writes g of [`solved`](Self::solved) only.
    fn solved_again(&self, g: &mut [f64]) {
        let mut h = [0.0; MAX_ROWS * MAX_ROWS];
        self.solved(&mut h[..self.rows() * self.rows()], g);
    }
    /// The impulse for a change of the velocities, with h and g of [`solved`](Self::solved).
    fn respond(&self, dxi: &[f64], h: &[f64], g: &[f64], dlambda: &mut [f64]) {
        let n = self.rows();
        for (r, d) in dlambda.iter_mut().enumerate() {
            *d = -(dot(&h[r * n..(r + 1) * n], dxi) + g[r]);
        }
    }
    /// Adds `C` of a group whose impulse is not given, entry by entry.
    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64));
    /// `(B x)_row`, with the entries of x given by a function.
    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64;
}

/// The system's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonSystem {
    whitened: Whitened,
    bodies: BodyBlocks,
    matrix: SystemMatrix,
    /// The matrix has its pattern, for symmetric relations or not.
    prepared: Option<bool>,
    edges: Vec<(usize, usize)>,
    /// Groups whose nodes are neighbours (factored only).
    listed: Vec<bool>,
    /// Groups that are not fixed in the last step (factored only).
    free: Vec<usize>,
    /// `H` of each group, `MAX_ROWS` times its first row in.
    h: Vec<f64>,
    g: Vec<f64>,
    rhs: Vec<f64>,
    /// What a step leaves of its equations, and the step that removes it.
    rest: Vec<f64>,
    correction: Vec<f64>,
}

impl NewtonSystem {
    /// What depends on the problem only.
    pub(crate) fn prepare(&mut self, problem: &ContactProblem) {
        self.edges.clear();
        self.prepared = None;
        match &problem.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                self.whitened.prepare(problem, inverse_mass, jacobian);
                self.bodies.prepare(problem, jacobian, &self.whitened);
                self.listed.clear();
                self.listed.resize(problem.groups.len(), false);
            }
            Operator::Assembled(a) => {
                for c in 0..problem.groups.len() {
                    for &d in &a.column[a.row_start[c]..a.row_start[c + 1]] {
                        if c != d {
                            self.edges.push((c.min(d), c.max(d)));
                        }
                    }
                }
                self.matrix.prepare(problem.groups.iter().map(|g| g.law.rows()), &mut self.edges, false);
            }
        }
    }

    /// Makes the nodes of all groups that are not fixed neighbours, if they are not yet.
    fn list<P: Relation>(&mut self, pieces: &[P]) {
        let mut new = self.prepared != Some(P::SYMMETRIC);
        self.free.clear();
        self.free.extend((0..pieces.len()).filter(|c| !pieces[*c].fixed()));
        for &c in &self.free {
            if self.listed[c] {
                continue;
            }
            (self.listed[c], new) = (true, true);
            let nodes = self.bodies.nodes(c);
            for u in nodes.clone() {
                self.edges.extend(nodes.clone().filter(|v| *v > u).map(|v| (u, v)));
            }
        }
        if new {
            self.matrix.prepare(self.whitened.sizes(), &mut self.edges, P::SYMMETRIC);
            self.bodies.locate(&self.matrix, &self.listed, P::SYMMETRIC);
            self.prepared = Some(P::SYMMETRIC);
        }
    }

    /// The Newton step from the groups' relations. Returns false when the system cannot be solved.
    pub(crate) fn step<P: Relation>(
        &mut self,
        problem: &ContactProblem,
        pieces: &[P],
        change: &mut [f64],
    ) -> bool {
        if let Operator::Factored { .. } = &problem.operator {
            self.list(pieces);
        }
        self.matrix.clear();
        self.rhs.clear();
        self.rhs.resize(self.matrix.rows(), 0.0);
        match &problem.operator {
            Operator::Factored { .. } => self.assemble_factored(problem, pieces),
            Operator::Assembled(a) => {
                self.load_groups(problem, a, pieces);
                self.assemble_groups(problem, a, pieces);
            }
        }
        self.matrix.factor() && self.finish(problem, pieces, change)
    }

    /// The step of relations that differ from those of the last [`step`](Self::step) in their right-hand sides only.
    pub(crate) fn step_again(
        &mut self,
        problem: &ContactProblem,
        pieces: &[impl Relation],
        change: &mut [f64],
    ) -> bool {
        self.rhs.fill(0.0);
        match &problem.operator {
            Operator::Factored { .. } => self.load_factored(problem, pieces),
            Operator::Assembled(a) => self.load_groups(problem, a, pieces),
        }
        self.finish(problem, pieces, change)
    }

    /// Improves the last step of a factored operator: solves for what is left of its equations, once. Impulses are
    /// stiff functions of velocities, so that the rounding of those is not small in them.
    pub(crate) fn refine(
        &mut self,
        problem: &ContactProblem,
        pieces: &[impl Relation],
        change: &mut [f64],
    ) -> bool {
        let Operator::Factored { .. } = &problem.operator else { return true };
        let (j, mut y) = (self.whitened.all_values(), std::mem::take(&mut self.rhs));
        y.fill(0.0);
        for (c, group) in problem.groups.iter().enumerate() {
            if !is_zero(&change[group.rows()]) {
                self.bodies.add_transposed(c, j, &change[group.rows()], (1.0, &mut y));
            }
        }
        self.rest.resize(problem.len(), 0.0);
        for &c in &self.free {
            let (group, piece) = (&problem.groups[c], &pieces[c]);
            let n = group.law.rows();
            let dxi = self.bodies.velocities(c, n, j, &y);
            let (rest, own) = (&mut self.rest[group.rows()], &change[group.rows()]);
            for r in 0..n {
                rest[r] = piece.f()[r] + piece.times(r, |k| dxi[k]);
            }
            piece.add_own(&mut |i, j, value| rest[i] += value * own[j]);
        }
        y.fill(0.0);
        for &c in &self.free {
            let rows = problem.groups[c].rows();
            let g = &mut self.g[rows.clone()];
            pieces[c].with_f(padded(&self.rest[rows])).solved_again(g);
            self.bodies.add_transposed(c, j, g, (-1.0, &mut y));
        }
        self.rhs = y;
        self.matrix.solve(&mut self.rhs);
        let mut correction = std::mem::take(&mut self.correction);
        correction.resize(problem.len(), 0.0);
        for &c in &self.free {
            let rows = problem.groups[c].rows();
            let rest = pieces[c].with_f(padded(&self.rest[rows.clone()]));
            self.respond(c, &rest, &mut correction[rows.clone()], rows);
        }
        let rows = || self.free.iter().flat_map(|c| problem.groups[*c].rows());
        let finite = rows().all(|r| correction[r].is_finite());
        if finite {
            rows().for_each(|r| change[r] += correction[r]);
        }
        self.correction = correction;
        finite
    }

    /// True when the determinant of the last step's matrix is negative.
    pub(crate) fn is_negative(&self) -> bool {
        self.matrix.is_negative()
    }

    fn finish(&mut self, problem: &ContactProblem, pieces: &[impl Relation], change: &mut [f64]) -> bool {
        self.matrix.solve(&mut self.rhs);
        match &problem.operator {
            Operator::Factored { .. } => {
                // that of a fixed group is given
                change.iter_mut().zip(&self.g).for_each(|(c, g)| *c = -g);
                for &c in &self.free {
                    let rows = problem.groups[c].rows();
                    self.respond(c, &pieces[c], &mut change[rows.clone()], rows);
                }
            }
            Operator::Assembled(_) => change.copy_from_slice(&self.rhs),
        }
        change.iter().all(|x| x.is_finite())
    }

    /// The impulse of a group that is not fixed in eq. (1).
    #[inline]
    fn respond(&self, c: usize, piece: &impl Relation, change: &mut [f64], rows: Range<usize>) {
        let n = rows.len();
        let xi = self.bodies.velocities(c, n, self.whitened.all_values(), &self.rhs);
        let h = &self.h[rows.start * MAX_ROWS..][..n * n];
        piece.respond(&xi[..n], h, &self.g[rows], change);
    }

    /// g and the right-hand side of eq. (1), H being there already.
    fn load_factored(&mut self, problem: &ContactProblem, pieces: &[impl Relation]) {
        for (c, (group, piece)) in problem.groups.iter().zip(pieces).enumerate() {
            let g = &mut self.g[group.rows()];
            piece.solved_again(g);
            if !is_zero(g) {
                self.bodies.add_transposed(c, self.whitened.all_values(), g, (-1.0, &mut self.rhs));
            }
        }
    }

    /// H, g, the right-hand side and the matrix of eq. (1).
    fn assemble_factored(&mut self, problem: &ContactProblem, pieces: &[impl Relation]) {
        self.h.resize(problem.len() * MAX_ROWS, 0.0);
        self.g.resize(problem.len(), 0.0);
        self.load_factored(problem, pieces);
        self.bodies.begin(&mut self.matrix, self.whitened.node_count(), &self.free);
        for &c in &self.free {
            let (first, n) = (problem.groups[c].first_row, pieces[c].rows());
            let h = &mut self.h[first * MAX_ROWS..][..n * n];
            pieces[c].solved(h, &mut self.g[first..first + n]);
            self.bodies.add(c, h, self.whitened.all_values(), &mut self.matrix);
        }
    }

    /// The matrix of eq. (2).
    fn assemble_groups(&mut self, problem: &ContactProblem, a: &BlockSparse, pieces: &[impl Relation]) {
        for (c, piece) in pieces.iter().enumerate() {
            if piece.fixed() {
                self.matrix.set_idle(c);
                continue;
            }
            let (block, stride) = self.matrix.block_mut(c, c);
            piece.add_own(&mut |i, j, value| block[i * stride + j] += value);
            let n = piece.rows();
            for e in a.row_start[c]..a.row_start[c + 1] {
                let (d, m) = (a.column[e], problem.groups[a.column[e]].law.rows());
                if pieces[d].fixed() {
                    continue;
                }
                let values = &a.values[a.at[e]..a.at[e] + n * m];
                let (block, stride) = self.matrix.block_mut(c, d);
                for r in 0..n {
                    for j in 0..m {
                        block[r * stride + j] += piece.times(r, |s| values[s * m + j]);
                    }
                }
            }
        }
    }

    /// The right-hand side of eq. (2), given impulses taken into account.
    fn load_groups(&mut self, problem: &ContactProblem, a: &BlockSparse, pieces: &[impl Relation]) {
        for (c, piece) in pieces.iter().enumerate() {
            let (n, first) = (piece.rows(), problem.groups[c].first_row);
            for r in 0..n {
                self.rhs[first + r] -= piece.f()[r];
            }
            if piece.fixed() {
                continue;
            }
            for e in a.row_start[c]..a.row_start[c + 1] {
                let (d, m) = (a.column[e], problem.groups[a.column[e]].law.rows());
                if !pieces[d].fixed() {
                    continue;
                }
                let values = &a.values[a.at[e]..a.at[e] + n * m];
                for r in 0..n {
                    for j in 0..m {
                        self.rhs[first + r] += piece.times(r, |s| values[s * m + j]) * pieces[d].f()[j];
                    }
                }
            }
        }
    }
}

/// True when all entries are zero.
fn is_zero(x: &[f64]) -> bool {
    x.iter().all(|x| *x == 0.0)
}

/// The entries of a group, and zeros.
fn padded(x: &[f64]) -> [f64; MAX_ROWS] {
    std::array::from_fn(|i| x.get(i).copied().unwrap_or(0.0))
}
