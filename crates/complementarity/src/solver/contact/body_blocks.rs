//! Where the groups of a factored operator are in the equation of the bodies, `(1 + J^T H J) y = −J^T g`
//! (`newton_system.rs`), and the products with the rows of J that belong to one group.
//!
//! A *slot* is a node that a group touches, with its part of J; it has as many rows as the group, most often six
//! columns.

use crate::law::MAX_ROWS;
use crate::linear::system_matrix::SystemMatrix;
use crate::problem::contact::ContactProblem;
use crate::problem::operator::Jacobian;
use crate::solver::contact::whitened::Whitened;

/// Columns of a body in space.
const BODY: usize = 6;

/// A node that a group touches.
#[derive(Clone, Copy, Debug)]
struct Slot {
    node: usize,
    /// Its first coordinate, and how many there are.
    first: usize,
    size: usize,
    /// Where its part of J starts, and the length of rows there.
    at: usize,
    stride: usize,
}

/// The slots of all groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyBlocks {
    slots: Vec<Slot>,
    slot_start: Vec<usize>,
    /// Where in the matrix the blocks of each group are, pair after pair of its slots.
    blocks: Vec<usize>,
    block_start: Vec<usize>,
    symmetric: bool,
    /// Nodes that are not the identity.
    touched: Vec<bool>,
    /// `H J` of one slot.
    hj: Vec<f64>,
}

impl BodyBlocks {
    /// Lists the slots.
    pub(crate) fn prepare(&mut self, problem: &ContactProblem, jacobian: &Jacobian, whitened: &Whitened) {
        self.slots.clear();
        self.slot_start.clear();
        self.slot_start.push(0);
        for group in &problem.groups {
            for part in &jacobian.parts[group.parts()] {
                for node in whitened.nodes(part) {
                    let coordinates = whitened.coordinates(node);
                    self.slots.push(Slot {
                        node,
                        first: coordinates.start,
                        size: coordinates.len(),
                        at: part.at + coordinates.start - part.start,
                        stride: part.width,
                    });
                }
            }
            self.slot_start.push(self.slots.len());
        }
    }

    /// The nodes of a group.
    pub(crate) fn nodes(&self, c: usize) -> impl Iterator<Item = usize> + Clone {
        self.slots(c).iter().map(|slot| slot.node)
    }

    fn slots(&self, c: usize) -> &[Slot] {
        &self.slots[self.slot_start[c]..self.slot_start[c + 1]]
    }

    /// Finds the blocks of the groups that are listed; those with the lower node's rows only when the matrix is
    /// symmetric.
    pub(crate) fn locate(&mut self, matrix: &SystemMatrix, listed: &[bool], symmetric: bool) {
        self.symmetric = symmetric;
        self.blocks.clear();
        self.block_start.clear();
        for (c, listed) in listed.iter().enumerate() {
            self.block_start.push(self.blocks.len());
            let slots = &self.slots[self.slot_start[c]..self.slot_start[c + 1]];
            for column in slots.iter().filter(|_| *listed) {
                for row in slots.iter().filter(|row| !symmetric || row.node <= column.node) {
                    self.blocks.push(matrix.block_at(row.node, column.node));
                }
            }
        }
    }

    /// Starts the matrix: the identity. `free` are the groups that will be added.
    pub(crate) fn begin(&mut self, matrix: &mut SystemMatrix, nodes: usize, free: &[usize]) {
        self.touched.clear();
        self.touched.resize(nodes, false);
        for &c in free {
            for slot in &self.slots[self.slot_start[c]..self.slot_start[c + 1]] {
                self.touched[slot.node] = true;
            }
        }
        for (node, touched) in self.touched.iter().enumerate() {
            if !touched {
                matrix.set_idle(node);
                continue;
            }
            let size = matrix.size(node);
            let (block, stride) = matrix.block_mut(node, node);
            (0..size).for_each(|i| block[i * stride + i] = 1.0);
        }
    }

    /// Adds `J^T H J` of a group.
    pub(crate) fn add(&mut self, c: usize, h: &[f64], j: &[f64], matrix: &mut SystemMatrix) {
        let n = h.len().isqrt();
        let slots = &self.slots[self.slot_start[c]..self.slot_start[c + 1]];
        let mut blocks = self.blocks[self.block_start[c]..].iter();
        for column in slots {
            let stride = matrix.stride(column.size);
            let rows = slots.iter().filter(|row| !self.symmetric || row.node <= column.node);
            if column.size == BODY {
                let mut hj = [[0.0; BODY]; MAX_ROWS];
                times(h, &j[column.at..], column.stride, &mut hj[..n]);
                for (row, at) in rows.zip(&mut blocks) {
                    let block = &mut matrix.values_mut()[*at..];
                    match (n, row.size) {
                        (3, BODY) => add_block::<3>(block, stride, (&j[row.at..], row.stride), &hj),
                        _ => add_rows(block, stride, (&j[row.at..], row.stride, row.size), &hj[..n]),
                    }
                }
                continue;
            }
            self.hj.clear();
            self.hj.resize(n * column.size, 0.0);
            for k in 0..n * n {
                let target = &mut self.hj[k / n * column.size..][..column.size];
                let source = &j[column.at + k % n * column.stride..][..column.size];
                target.iter_mut().zip(source).for_each(|(t, s)| *t += h[k] * s);
            }
            for (row, at) in rows.zip(&mut blocks) {
                let block = &mut matrix.values_mut()[*at..];
                for (k, hj) in self.hj.chunks_exact(column.size).enumerate() {
                    for (i, x) in j[row.at + k * row.stride..][..row.size].iter().enumerate() {
                        let target = block[i * stride..][..column.size].iter_mut();
                        target.zip(hj).for_each(|(t, y)| *t += x * y);
                    }
                }
            }
        }
    }

    /// `y += J^T x` of a group with x times a factor.
    #[inline]
    pub(crate) fn add_transposed(&self, c: usize, j: &[f64], x: &[f64], (factor, y): (f64, &mut [f64])) {
        for slot in self.slots(c) {
            let target = &mut y[slot.first..slot.first + slot.size];
            if let Ok(target) = <&mut [f64; BODY]>::try_from(&mut *target) {
                for (r, x) in x.iter().enumerate() {
                    let row = six(j, slot.at + r * slot.stride);
                    for i in 0..BODY {
                        target[i] += row[i] * (factor * x);
                    }
                }
                continue;
            }
            for (r, x) in x.iter().enumerate() {
                let row = &j[slot.at + r * slot.stride..][..slot.size];
                target.iter_mut().zip(row).for_each(|(t, w)| *t += w * (factor * x));
            }
        }
    }

    /// `J y` of a group, the first entries.
    #[inline]
    pub(crate) fn velocities(&self, c: usize, rows: usize, j: &[f64], y: &[f64]) -> [f64; MAX_ROWS] {
        let mut xi = [0.0; MAX_ROWS];
        for slot in self.slots(c) {
            let y = &y[slot.first..slot.first + slot.size];
            if let Ok(y) = <&[f64; BODY]>::try_from(y) {
                for (r, xi) in xi[..rows].iter_mut().enumerate() {
                    let w = six(j, slot.at + r * slot.stride);
                    *xi +=
                        (w[0] * y[0] + w[1] * y[1] + w[2] * y[2]) + (w[3] * y[3] + w[4] * y[4] + w[5] * y[5]);
                }
                continue;
            }
            for (r, xi) in xi[..rows].iter_mut().enumerate() {
                let row = &j[slot.at + r * slot.stride..][..slot.size];
                *xi += row.iter().zip(y).map(|(w, y)| w * y).sum::<f64>();
            }
        }
        xi
    }
}

/// Six entries from `at` on.
#[inline]
fn six(j: &[f64], at: usize) -> &[f64; BODY] {
    // there are that many: a slot's rows are as long
    j[at..].first_chunk().unwrap_or(&[0.0; BODY])
}

/// `H J` for the rows of a body's slot.
#[inline]
fn times(h: &[f64], j: &[f64], stride: usize, hj: &mut [[f64; BODY]]) {
    let n = hj.len();
    for (r, target) in hj.iter_mut().enumerate() {
        for k in 0..n {
            let (factor, row) = (h[r * n + k], six(j, k * stride));
            for i in 0..BODY {
                target[i] += factor * row[i];
            }
        }
    }
}

/// Adds `J^T (H J)` of N rows to a block between two bodies.
#[inline]
fn add_block<const N: usize>(
    block: &mut [f64],
    stride: usize,
    (j, j_stride): (&[f64], usize),
    hj: &[[f64; BODY]; MAX_ROWS],
) {
    let rows: [&[f64; BODY]; N] = std::array::from_fn(|k| six(j, k * j_stride));
    for i in 0..BODY {
        let Some(target) = block[i * stride..].first_chunk_mut::<BODY>() else { return };
        let mut sum = *target;
        for k in 0..N {
            for c in 0..BODY {
                sum[c] += rows[k][i] * hj[k][c];
            }
        }
        *target = sum;
    }
}

/// The same for any number of rows, and any size of the node whose rows it is.
fn add_rows(
    block: &mut [f64],
    stride: usize,
    (j, j_stride, size): (&[f64], usize, usize),
    hj: &[[f64; BODY]],
) {
    for i in 0..size {
        let target = &mut block[i * stride..][..BODY];
        for (k, hj) in hj.iter().enumerate() {
            let x = j[k * j_stride + i];
            target.iter_mut().zip(hj).for_each(|(t, y)| *t += x * y);
        }
    }
}

#[cfg(test)]
mod tests;
