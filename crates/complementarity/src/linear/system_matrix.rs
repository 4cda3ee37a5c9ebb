//! A square matrix of blocks between nodes, to be factored: dense with pivoting when it is small, sparse without
//! pivoting between blocks when it is not; by Cholesky's method when it is sparse and symmetric positive definite.

use crate::linear::block_cholesky::BlockCholesky;
use crate::linear::block_lu::BlockLu;
use crate::linear::profile_lu::ProfileLu;

/// Up to this many rows the dense factorisation is used: it pivots, and it is as quick.
const DENSE_ROWS: usize = 96;

/// How a matrix is kept and factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Backend {
    /// Dense, by LU with pivoting.
    #[default]
    Dense,
    /// Dense and symmetric: of two mirrored blocks only the one with the lower node's rows is written, and mirrored
    /// before LU.
    DenseSymmetric,
    /// Sparse, by LU without pivoting between blocks.
    Lu,
    /// Sparse and symmetric positive definite, by Cholesky's method: of two mirrored blocks the one with the lower
    /// node's rows is written.
    Cholesky,
}

/// The matrix with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemMatrix {
    backend: Backend,
    dense: ProfileLu,
    lu: BlockLu,
    cholesky: BlockCholesky,
    /// First row of each node, and the end.
    first: Vec<usize>,
}

impl SystemMatrix {
    /// The pattern: sizes of the nodes and pairs of neighbours, of a matrix that is symmetric positive definite or
    /// may be anything.
    pub(crate) fn prepare(
        &mut self,
        sizes: impl Iterator<Item = usize>,
        edges: &mut Vec<(usize, usize)>,
        symmetric: bool,
    ) {
        self.first.clear();
        self.first.push(0);
        for size in sizes {
            self.first.push(self.first[self.first.len() - 1] + size);
        }
        self.backend = match (self.rows() > DENSE_ROWS, symmetric) {
            (true, true) => Backend::Cholesky,
            (true, false) => Backend::Lu,
            (false, true) => Backend::DenseSymmetric,
            (false, false) => Backend::Dense,
        };
        let sizes = self.first.windows(2).map(|w| w[1] - w[0]);
        match self.backend {
            Backend::Cholesky => self.cholesky.prepare(sizes, edges),
            Backend::Lu => self.lu.prepare(sizes, edges),
            Backend::Dense | Backend::DenseSymmetric => {}
        }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// Number of rows of a node.
    pub(crate) fn size(&self, node: usize) -> usize {
        self.first[node + 1] - self.first[node]
    }

    /// Sets all entries to zero.
    pub(crate) fn clear(&mut self) {
        match self.backend {
            Backend::Cholesky => self.cholesky.matrix.clear(),
            Backend::Lu => self.lu.matrix.clear(),
            Backend::Dense | Backend::DenseSymmetric => self.dense.reset(self.rows()),
        }
    }

    /// Makes a node the identity: no other entry of its rows and columns may be written.
    pub(crate) fn set_idle(&mut self, node: usize) {
        match self.backend {
            Backend::Cholesky => self.cholesky.matrix.set_idle(node),
            Backend::Lu => self.lu.matrix.set_idle(node),
            Backend::Dense | Backend::DenseSymmetric => {
                for i in self.first[node]..self.first[node + 1] {
                    self.dense.tail_mut(i, i)[0] = 1.0;
                }
            }
        }
    }

    /// Where in [`values_mut`](Self::values_mut) the block of rows `u` and columns `v` is; of a symmetric matrix only
    /// those with `u <= v` are there.
    pub(crate) fn block_at(&self, u: usize, v: usize) -> usize {
        match self.backend {
            Backend::Cholesky => self.cholesky.matrix.block_at(u, v),
            Backend::Lu => self.lu.matrix.block_at(u, v),
            Backend::Dense | Backend::DenseSymmetric => self.first[u] * self.rows() + self.first[v],
        }
    }

    /// The length of a row in blocks with the given number of columns.
    pub(crate) fn stride(&self, columns: usize) -> usize {
        match self.backend {
            Backend::Cholesky | Backend::Lu => columns,
            Backend::Dense | Backend::DenseSymmetric => self.rows(),
        }
    }

    /// All blocks, to write.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        match self.backend {
            Backend::Cholesky => self.cholesky.matrix.values_mut(),
            Backend::Lu => self.lu.matrix.values_mut(),
            Backend::Dense | Backend::DenseSymmetric => self.dense.tail_mut(0, 0),
        }
    }

    /// The block of rows `u` and columns `v` with its row length, to write.
    pub(crate) fn block_mut(&mut self, u: usize, v: usize) -> (&mut [f64], usize) {
        let (at, stride) = (self.block_at(u, v), self.stride(self.size(v)));
        (&mut self.values_mut()[at..], stride)
    }

    /// Factors what was written. Returns false when that cannot be done.
    pub(crate) fn factor(&mut self) -> bool {
        match self.backend {
            Backend::Cholesky => self.cholesky.factor(),
            Backend::Lu => self.lu.factor(),
            Backend::DenseSymmetric => {
                self.dense.mirror();
                self.dense.factor()
            }
            Backend::Dense => self.dense.factor(),
        }
    }

    /// True when the determinant of what was factored is negative.
    pub(crate) fn is_negative(&self) -> bool {
        match self.backend {
            Backend::Cholesky => false,
            Backend::Lu => self.lu.is_negative(),
            Backend::Dense | Backend::DenseSymmetric => self.dense.is_negative(),
        }
    }

    /// Solves in place, after a successful `factor`.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        match self.backend {
            Backend::Cholesky => self.cholesky.solve(b),
            Backend::Lu => self.lu.solve(b),
            Backend::Dense | Backend::DenseSymmetric => self.dense.solve(b),
        }
    }
}
