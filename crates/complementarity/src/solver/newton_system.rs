//! The linear system of a Newton step for contact problems: `C dlambda + B dxi = −f` group by group (`linearise.rs`)
//! with `dxi = A dlambda`.
//!
//! *Factored*, `A = J J^T` with `J = W^T L`, `M^-1 = L L^T`: each group is solved for its impulse,
//! `dlambda = −(H dxi + g)`, which leaves one equation for the velocities `y = J^T dlambda` in units of mass one,
//!
//! ```text
//! (1 + J^T H J) y = −J^T g,   dlambda = −(H J y + g).                                   (1)
//! ```
//!
//! Its size is the number of coordinates, however many contacts there are.
//! *Assembled*: the groups whose impulse is not given, in the order of the problem,
//!
//! ```text
//! (C + B A) dlambda = −f.                                                              (2)
//! ```

use super::linearise::Piece;
use super::profile_lu::ProfileLu;
use crate::problem::contact::ContactProblem;
use crate::problem::law::MAX_ROWS;
use crate::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};

/// The system's memory.
#[derive(Clone, Debug, Default)]
pub struct NewtonSystem {
    /// `L`, the blocks of the inverse mass one after the other.
    root: Vec<f64>,
    /// `J`, laid out like the Jacobian's values.
    white: Vec<f64>,
    /// `H` of each group, at `rows * MAX_ROWS` from its first row on.
    h: Vec<f64>,
    g: Vec<f64>,
    rhs: Vec<f64>,
    /// First row in (2) of each group, or none.
    position: Vec<Option<usize>>,
    lu: ProfileLu,
}

impl NewtonSystem {
    /// What depends on the problem only.
    pub fn prepare(&mut self, problem: &ContactProblem) {
        if let Operator::Factored { inverse_mass, jacobian } = &problem.operator {
            self.take_root(inverse_mass);
            self.white.clear();
            self.white.resize(jacobian.values.len(), 0.0);
            for group in &problem.groups {
                for part in &jacobian.parts[group.parts()] {
                    for r in 0..group.law.rows() {
                        let range = part.at + r * part.width..part.at + (r + 1) * part.width;
                        let row = &jacobian.values[range.clone()];
                        self.whiten(inverse_mass, part.start, row, range.start);
                    }
                }
            }
        }
    }

    /// `L` by Cholesky; a coordinate of infinite mass has a zero column.
    fn take_root(&mut self, inverse_mass: &BlockDiagonal) {
        self.root.clear();
        for block in inverse_mass.blocks() {
            let (n, at) = (block.size, self.root.len());
            self.root.extend_from_slice(inverse_mass.values(*block));
            let l = &mut self.root[at..];
            for j in 0..n {
                let given = l[j * n + j];
                let pivot = given - (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum::<f64>();
                let root = if pivot > 1e-15 * given { pivot.sqrt() } else { 0.0 };
                l[j * n + j] = root;
                for i in j + 1..n {
                    let sum = l[i * n + j] - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f64>();
                    l[i * n + j] = if root > 0.0 { sum / root } else { 0.0 };
                    l[j * n + i] = 0.0;
                }
            }
        }
    }

    /// One row of `J = W^T L`, written to `at`.
    fn whiten(&mut self, inverse_mass: &BlockDiagonal, start: usize, row: &[f64], at: usize) {
        let blocks = inverse_mass.blocks();
        let mut b = blocks.partition_point(|b| b.start < start);
        let mut root_at: usize = blocks[..b].iter().map(|b| b.size * b.size).sum();
        let mut done = 0;
        while done < row.len() {
            let n = blocks[b].size;
            for i in 0..n {
                for j in 0..=i {
                    self.white[at + done + j] += row[done + i] * self.root[root_at + i * n + j];
                }
            }
            done += n;
            root_at += n * n;
            b += 1;
        }
    }

    /// The Newton step from the groups' relations. Returns false when the system cannot be solved.
    pub fn step(&mut self, problem: &ContactProblem, pieces: &[Piece], change: &mut [f64]) -> bool {
        match &problem.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                self.step_factored(problem, inverse_mass.len(), jacobian, pieces, change)
            }
            Operator::Assembled(a) => self.step_assembled(problem, a, pieces, change),
        }
    }

    /// Eq. (1).
    fn step_factored(
        &mut self,
        problem: &ContactProblem,
        coordinates: usize,
        jacobian: &Jacobian,
        pieces: &[Piece],
        change: &mut [f64],
    ) -> bool {
        self.h.resize(problem.len() * MAX_ROWS, 0.0);
        self.g.resize(problem.len(), 0.0);
        self.rhs.clear();
        self.rhs.resize(coordinates, 0.0);
        let matrix = self.lu.reset(coordinates);
        for i in 0..coordinates {
            matrix[(i, i)] = 1.0;
        }
        for (group, piece) in problem.groups.iter().zip(pieces) {
            let (n, first) = (piece.rows(), group.first_row);
            let h = &mut self.h[first * MAX_ROWS..first * MAX_ROWS + n * n];
            let g = &mut self.g[first..first + n];
            piece.solved(h, g);
            for column in &jacobian.parts[group.parts()] {
                let white = &self.white[column.at..column.at + n * column.width];
                for j in 0..column.width {
                    let mut hj = [0.0; MAX_ROWS];
                    for r in 0..n {
                        self.rhs[column.start + j] -= white[r * column.width + j] * g[r];
                        for s in 0..n {
                            hj[r] += h[r * n + s] * white[s * column.width + j];
                        }
                    }
                    if piece.fixed || hj == [0.0; MAX_ROWS] {
                        continue;
                    }
                    for row in &jacobian.parts[group.parts()] {
                        let white = &self.white[row.at..row.at + n * row.width];
                        for i in 0..row.width {
                            let sum: f64 = (0..n).map(|r| white[r * row.width + i] * hj[r]).sum();
                            matrix[(row.start + i, column.start + j)] += sum;
                        }
                    }
                }
            }
        }
        if !self.lu.factor() {
            return false;
        }
        self.lu.solve(&mut self.rhs);
        for group in &problem.groups {
            let (n, first) = (group.law.rows(), group.first_row);
            let mut xi = [0.0; MAX_ROWS];
            for part in &jacobian.parts[group.parts()] {
                let y = &self.rhs[part.start..part.start + part.width];
                for r in 0..n {
                    let at = part.at + r * part.width;
                    xi[r] += crate::dense::dot(&self.white[at..at + part.width], y);
                }
            }
            for r in 0..n {
                let h = &self.h[first * MAX_ROWS + r * n..first * MAX_ROWS + (r + 1) * n];
                change[first + r] = -(crate::dense::dot(h, &xi[..n]) + self.g[first + r]);
            }
        }
        change.iter().all(|x| x.is_finite())
    }

    /// Eq. (2).
    fn step_assembled(
        &mut self,
        problem: &ContactProblem,
        a: &BlockSparse,
        pieces: &[Piece],
        change: &mut [f64],
    ) -> bool {
        self.position.clear();
        let mut size = 0;
        for (group, piece) in problem.groups.iter().zip(pieces) {
            self.position.push((!piece.fixed).then_some(size));
            if piece.fixed {
                for r in 0..piece.rows() {
                    change[group.first_row + r] = -piece.f[r];
                }
            } else {
                size += piece.rows();
            }
        }
        self.rhs.clear();
        self.rhs.resize(size, 0.0);
        let matrix = self.lu.reset(size);
        for (c, piece) in pieces.iter().enumerate() {
            let Some(at) = self.position[c] else { continue };
            let n = piece.rows();
            let mut add = |i: usize, j: usize, value: f64| matrix[(at + i, at + j)] += value;
            piece.add_own(&mut add);
            for r in 0..n {
                self.rhs[at + r] = -piece.f[r];
            }
            for e in a.row_start[c]..a.row_start[c + 1] {
                let d = a.column[e];
                let columns = problem.groups[d].rows();
                let m = columns.len();
                let block = &a.values[a.at[e]..a.at[e] + n * m];
                for r in 0..n {
                    for j in 0..m {
                        let value = piece.times(r, |s| block[s * m + j]);
                        match self.position[d] {
                            Some(other) => matrix[(at + r, other + j)] += value,
                            None => self.rhs[at + r] -= value * change[columns.start + j],
                        }
                    }
                }
            }
        }
        if !self.lu.factor() {
            return false;
        }
        self.lu.solve(&mut self.rhs);
        for (c, group) in problem.groups.iter().enumerate() {
            if let Some(at) = self.position[c] {
                let n = group.law.rows();
                change[group.rows()].copy_from_slice(&self.rhs[at..at + n]);
            }
        }
        change.iter().all(|x| x.is_finite())
    }
}
