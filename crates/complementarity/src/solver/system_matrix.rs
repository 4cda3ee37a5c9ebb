//! A square matrix of blocks between nodes, to be factored: dense with pivoting when it is small, sparse without
//! pivoting between blocks when it is not.

use super::block_lu::BlockLu;
use super::profile_lu::ProfileLu;

/// Up to this many rows the dense factorisation is used: it pivots, and it is as quick.
const DENSE_ROWS: usize = 96;

/// The matrix with its memory.
#[derive(Clone, Debug, Default)]
pub struct SystemMatrix {
    sparse: bool,
    dense: ProfileLu,
    blocks: BlockLu,
    /// First row of each node, and the end.
    first: Vec<usize>,
}

impl SystemMatrix {
    /// The pattern: sizes of the nodes and pairs of neighbours.
    pub fn prepare(&mut self, sizes: impl Iterator<Item = usize>, edges: &mut Vec<(usize, usize)>) {
        self.first.clear();
        self.first.push(0);
        for size in sizes {
            self.first.push(self.first[self.first.len() - 1] + size);
        }
        self.sparse = self.rows() > DENSE_ROWS;
        if self.sparse {
            self.blocks.prepare(self.first.windows(2).map(|w| w[1] - w[0]), edges);
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// First row of a node.
    pub fn first(&self, node: usize) -> usize {
        self.first[node]
    }

    /// Number of rows of a node.
    pub fn size(&self, node: usize) -> usize {
        self.first[node + 1] - self.first[node]
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        match self.sparse {
            true => self.blocks.clear(),
            false => self.dense.reset(self.rows()),
        }
    }

    /// Makes a node the identity: no other entry of its rows and columns may be written.
    pub fn set_idle(&mut self, node: usize) {
        match self.sparse {
            true => self.blocks.set_idle(node),
            false => {
                for i in self.first[node]..self.first[node + 1] {
                    self.dense.tail_mut(i, i)[0] = 1.0;
                }
            }
        }
    }

    /// The block of rows `u` and columns `v` with its row length, to write.
    pub fn block_mut(&mut self, u: usize, v: usize) -> (&mut [f64], usize) {
        let stride = if self.sparse { self.size(v) } else { self.rows() };
        let block = match self.sparse {
            true => self.blocks.block_mut(u, v),
            false => self.dense.tail_mut(self.first[u], self.first[v]),
        };
        (block, stride)
    }

    /// Factors what was written, which may be said to be symmetric. Returns false when that cannot be done.
    pub fn factor(&mut self, symmetric: bool) -> bool {
        if self.sparse { self.blocks.factor(symmetric) } else { self.dense.factor() }
    }

    /// True when the determinant of what was factored is negative.
    pub fn is_negative(&self) -> bool {
        if self.sparse { self.blocks.is_negative() } else { self.dense.is_negative() }
    }

    /// Solves in place, after a successful `factor`.
    pub fn solve(&mut self, b: &mut [f64]) {
        if self.sparse { self.blocks.solve(b) } else { self.dense.solve(b) }
    }
}
