//! The linear system of a Newton step for contact problems: `C dlambda + B dxi = −f` group by group (`linearise.rs`)
//! with `dxi = A dlambda`.
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

use super::system_matrix::SystemMatrix;
use super::whitened::Whitened;
use crate::dense::dot;
use crate::problem::contact::ContactProblem;
use crate::problem::law::MAX_ROWS;
use crate::problem::operator::{BlockSparse, Jacobian, Operator};

/// `C dlambda + B dxi = −f` of one group.
pub trait Relation: Sized {
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
pub struct NewtonSystem {
    whitened: Whitened,
    matrix: SystemMatrix,
    edges: Vec<(usize, usize)>,
    /// Groups whose nodes are neighbours (factored only).
    listed: Vec<bool>,
    /// `H` of each group, `MAX_ROWS` times its first row in.
    h: Vec<f64>,
    g: Vec<f64>,
    /// `H J` of one part of a group.
    hj: Vec<f64>,
    rhs: Vec<f64>,
    /// What a step leaves of its equations, and the step that removes it.
    rest: Vec<f64>,
    correction: Vec<f64>,
}

impl NewtonSystem {
    /// What depends on the problem only.
    pub fn prepare(&mut self, problem: &ContactProblem) {
        self.edges.clear();
        match &problem.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                self.whitened.prepare(problem, inverse_mass, jacobian);
                self.listed.clear();
                self.listed.resize(problem.groups.len(), false);
                self.matrix.prepare(self.whitened.sizes(), &mut self.edges);
            }
            Operator::Assembled(a) => {
                for c in 0..problem.groups.len() {
                    for &d in &a.column[a.row_start[c]..a.row_start[c + 1]] {
                        if c != d {
                            self.edges.push((c.min(d), c.max(d)));
                        }
                    }
                }
                self.matrix.prepare(problem.groups.iter().map(|g| g.law.rows()), &mut self.edges);
            }
        }
    }

    /// Makes the nodes of all groups that are not fixed neighbours, if they are not yet.
    fn list(&mut self, problem: &ContactProblem, pieces: &[impl Relation]) {
        let Operator::Factored { jacobian, .. } = &problem.operator else { return };
        let before = self.edges.len();
        for (c, group) in problem.groups.iter().enumerate() {
            if self.listed[c] || pieces[c].fixed() {
                continue;
            }
            self.listed[c] = true;
            let nodes = jacobian.parts[group.parts()].iter().flat_map(|p| self.whitened.nodes(p));
            for u in nodes.clone() {
                self.edges.extend(nodes.clone().filter(|v| *v > u).map(|v| (u, v)));
            }
        }
        if self.edges.len() > before {
            self.matrix.prepare(self.whitened.sizes(), &mut self.edges);
        }
    }

    /// The Newton step from the groups' relations. Returns false when the system cannot be solved.
    pub fn step<P: Relation>(&mut self, problem: &ContactProblem, pieces: &[P], change: &mut [f64]) -> bool {
        self.list(problem, pieces);
        self.matrix.clear();
        self.rhs.clear();
        self.rhs.resize(self.matrix.rows(), 0.0);
        match &problem.operator {
            Operator::Factored { jacobian, .. } => {
                self.load_factored(problem, jacobian, pieces, None);
                self.assemble_factored(problem, jacobian, pieces);
            }
            Operator::Assembled(a) => {
                self.load_groups(problem, a, pieces);
                self.assemble_groups(problem, a, pieces);
            }
        }
        let symmetric = P::SYMMETRIC && matches!(problem.operator, Operator::Factored { .. });
        self.matrix.factor(symmetric) && self.finish(problem, pieces, change)
    }

    /// The step of relations that differ from those of the last [`step`](Self::step) in their right-hand sides only.
    pub fn step_again(
        &mut self,
        problem: &ContactProblem,
        pieces: &[impl Relation],
        change: &mut [f64],
    ) -> bool {
        self.rhs.fill(0.0);
        match &problem.operator {
            Operator::Factored { jacobian, .. } => self.load_factored(problem, jacobian, pieces, None),
            Operator::Assembled(a) => self.load_groups(problem, a, pieces),
        }
        self.finish(problem, pieces, change)
    }

    /// Improves the last step of a factored operator: solves for what is left of its equations, once. Impulses are stiff
    /// functions of velocities, so that the rounding of those is not small in them.
    pub fn refine(&mut self, problem: &ContactProblem, pieces: &[impl Relation], change: &mut [f64]) -> bool {
        let Operator::Factored { jacobian, .. } = &problem.operator else { return true };
        let mut y = std::mem::take(&mut self.rhs);
        y.fill(0.0);
        for group in &problem.groups {
            let n = group.law.rows();
            for part in &jacobian.parts[group.parts()] {
                let rows = self.whitened.values(part, n).chunks_exact(part.width);
                for (row, l) in rows.zip(&change[group.rows()]) {
                    let target = &mut y[part.start..part.start + part.width];
                    target.iter_mut().zip(row).for_each(|(t, w)| *t += w * l);
                }
            }
        }
        self.rest.clear();
        self.rest.resize(problem.len(), 0.0);
        for (group, piece) in problem.groups.iter().zip(pieces).filter(|(_, p)| !p.fixed()) {
            let n = group.law.rows();
            let mut dxi = [0.0; MAX_ROWS];
            for part in &jacobian.parts[group.parts()] {
                let rows = self.whitened.values(part, n).chunks_exact(part.width);
                rows.zip(&mut dxi)
                    .for_each(|(row, x)| *x += dot(row, &y[part.start..part.start + part.width]));
            }
            let (rest, own) = (&mut self.rest[group.rows()], &change[group.rows()]);
            for r in 0..n {
                rest[r] = piece.f()[r] + piece.times(r, |k| dxi[k]);
            }
            piece.add_own(&mut |i, j, value| rest[i] += value * own[j]);
        }
        y.fill(0.0);
        self.rhs = y;
        let rest = std::mem::take(&mut self.rest);
        self.load_factored(problem, jacobian, pieces, Some(&rest));
        self.matrix.solve(&mut self.rhs);
        let mut correction = std::mem::take(&mut self.correction);
        correction.resize(change.len(), 0.0);
        self.impulses(problem, jacobian, (pieces, Some(&rest)), &mut correction);
        self.rest = rest;
        let finite = correction.iter().all(|x| x.is_finite());
        if finite {
            change.iter_mut().zip(&correction).for_each(|(c, d)| *c += d);
        }
        self.correction = correction;
        finite
    }

    /// True when the determinant of the last step's matrix is negative.
    pub fn is_negative(&self) -> bool {
        self.matrix.is_negative()
    }

    fn finish(&mut self, problem: &ContactProblem, pieces: &[impl Relation], change: &mut [f64]) -> bool {
        self.matrix.solve(&mut self.rhs);
        match &problem.operator {
            Operator::Factored { jacobian, .. } => self.impulses(problem, jacobian, (pieces, None), change),
            Operator::Assembled(_) => change.copy_from_slice(&self.rhs),
        }
        change.iter().all(|x| x.is_finite())
    }

    /// H, g and the right-hand side of eq. (1), with the relations' own f or another.
    fn load_factored(
        &mut self,
        problem: &ContactProblem,
        jacobian: &Jacobian,
        pieces: &[impl Relation],
        other: Option<&[f64]>,
    ) {
        self.h.resize(problem.len() * MAX_ROWS, 0.0);
        self.g.resize(problem.len(), 0.0);
        for (group, piece) in problem.groups.iter().zip(pieces) {
            let (n, first) = (piece.rows(), group.first_row);
            let h = &mut self.h[first * MAX_ROWS..first * MAX_ROWS + n * n];
            let g = &mut self.g[first..first + n];
            match other {
                None => piece.solved(h, g),
                Some(other) => piece.with_f(padded(&other[first..first + n])).solved(h, g),
            }
            for part in &jacobian.parts[group.parts()] {
                let white = self.whitened.values(part, n);
                let target = &mut self.rhs[part.start..part.start + part.width];
                for r in 0..n {
                    let row = &white[r * part.width..(r + 1) * part.width];
                    target.iter_mut().zip(row).for_each(|(t, w)| *t -= w * g[r]);
                }
            }
        }
    }

    /// The matrix of eq. (1).
    fn assemble_factored(&mut self, problem: &ContactProblem, jacobian: &Jacobian, pieces: &[impl Relation]) {
        for node in 0..self.whitened.node_count() {
            let size = self.matrix.size(node);
            let (block, stride) = self.matrix.block_mut(node, node);
            for i in 0..size {
                block[i * stride + i] = 1.0;
            }
        }
        for (group, piece) in problem.groups.iter().zip(pieces).filter(|(_, p)| !p.fixed()) {
            let (n, first) = (piece.rows(), group.first_row);
            let h = &self.h[first * MAX_ROWS..first * MAX_ROWS + n * n];
            for column in &jacobian.parts[group.parts()] {
                let white = self.whitened.values(column, n);
                let w = column.width;
                self.hj.clear();
                self.hj.resize(n * w, 0.0);
                for k in 0..n * n {
                    let (target, source) = (&mut self.hj[k / n * w..][..w], &white[k % n * w..][..w]);
                    target.iter_mut().zip(source).for_each(|(t, s)| *t += h[k] * s);
                }
                for row in &jacobian.parts[group.parts()] {
                    for (u, v) in self
                        .whitened
                        .nodes(row)
                        .flat_map(|u| self.whitened.nodes(column).map(move |v| (u, v)))
                    {
                        let rows = (self.matrix.first(u) - row.start, self.matrix.size(u));
                        let columns = (self.matrix.first(v) - column.start, self.matrix.size(v));
                        let (block, stride) = self.matrix.block_mut(u, v);
                        let left =
                            Strip { values: self.whitened.values(row, n), width: row.width, range: rows };
                        let right = Strip { values: &self.hj, width: w, range: columns };
                        add_product(block, stride, left, right);
                    }
                }
            }
        }
    }

    /// The impulses of eq. (1).
    fn impulses(
        &self,
        problem: &ContactProblem,
        jacobian: &Jacobian,
        (pieces, other): (&[impl Relation], Option<&[f64]>),
        change: &mut [f64],
    ) {
        for (group, piece) in problem.groups.iter().zip(pieces) {
            let (n, first) = (group.law.rows(), group.first_row);
            let mut xi = [0.0; MAX_ROWS];
            for part in &jacobian.parts[group.parts()] {
                let y = &self.rhs[part.start..part.start + part.width];
                let white = self.whitened.values(part, n);
                for r in 0..n {
                    xi[r] += dot(&white[r * part.width..(r + 1) * part.width], y);
                }
            }
            let h = &self.h[first * MAX_ROWS..first * MAX_ROWS + n * n];
            let (g, out) = (&self.g[first..first + n], &mut change[first..first + n]);
            match other {
                None => piece.respond(&xi[..n], h, g, out),
                Some(other) => piece.with_f(padded(&other[first..first + n])).respond(&xi[..n], h, g, out),
            }
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

/// The entries of a group, and zeros.
fn padded(x: &[f64]) -> [f64; MAX_ROWS] {
    std::array::from_fn(|i| x.get(i).copied().unwrap_or(0.0))
}

/// Some columns (first, number) of a few rows of given width.
#[derive(Clone, Copy)]
struct Strip<'a> {
    values: &'a [f64],
    width: usize,
    range: (usize, usize),
}

/// `block += left^T right`.
fn add_product(block: &mut [f64], stride: usize, left: Strip, right: Strip) {
    let rows = left.values.len() / left.width;
    for r in 0..rows {
        let x = &left.values[r * left.width + left.range.0..][..left.range.1];
        let y = &right.values[r * right.width + right.range.0..][..right.range.1];
        for (i, factor) in x.iter().enumerate() {
            if *factor != 0.0 {
                for (target, value) in block[i * stride..].iter_mut().zip(y) {
                    *target += factor * value;
                }
            }
        }
    }
}
