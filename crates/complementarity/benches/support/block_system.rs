//! Sparse matrices of blocks for tests and benches, and faer's factorisations of them: an oracle and a rival of
//! `src/linear/`.

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Side};
use std::collections::BTreeMap;

/// A square matrix of dense blocks with a symmetric pattern.
pub struct BlockSystem {
    /// What it is.
    pub name: String,
    /// Rows of each node.
    pub sizes: Vec<usize>,
    /// Blocks by row node and column node, row-major.
    pub blocks: BTreeMap<(usize, usize), Vec<f64>>,
}

/// Numbers between −1 and 1, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl BlockSystem {
    /// `1 + sum J^T H J` of a pile: bodies of six coordinates on a lattice of this many along each edge, a contact of
    /// three rows between neighbours. H is symmetric, or that of contacts that slide.
    pub fn pile(edge: usize, symmetric: bool) -> Self {
        let (mut random, count) = (Random(88172645463325252), edge * edge * edge);
        let mut system = Self {
            name: format!("pile of {count} bodies"),
            sizes: vec![6; count],
            blocks: (0..count).map(|v| ((v, v), (0..36).map(|k| f64::from(k % 7 == 0)).collect())).collect(),
        };
        for body in 0..count {
            let (x, y, z) = (body % edge, body / edge % edge, body / edge / edge);
            let neighbours = [(x + 1 < edge, 1), (y + 1 < edge, edge), (z + 1 < edge, edge * edge)];
            for (_, step) in neighbours.into_iter().filter(|n| n.0) {
                let j: [[f64; 18]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.next()));
                let stiffness = 10f64.powf(3.0 * random.next());
                let slope = if symmetric { 0.0 } else { random.next() };
                system.add_contact([body, body + step], &j, stiffness, slope);
            }
        }
        system
    }

    /// Adds `J^T H J` of a contact with `H = stiffness (1, 0, 0; slope, 1, 0; 0, 0, 1)`.
    fn add_contact(&mut self, bodies: [usize; 2], j: &[[f64; 18]; 2], stiffness: f64, slope: f64) {
        for (a, u) in bodies.into_iter().enumerate() {
            for (b, v) in bodies.into_iter().enumerate() {
                let block = self.blocks.entry((u, v)).or_insert_with(|| vec![0.0; 36]);
                for (k, value) in block.iter_mut().enumerate() {
                    let (r, c) = (k / 6, k % 6);
                    let along: f64 = (0..3).map(|i| j[a][6 * i + r] * j[b][6 * i + c]).sum();
                    *value += stiffness * (along + slope * j[a][6 + r] * j[b][c]);
                }
            }
        }
    }

    /// First row of each node, and the end.
    fn first(&self) -> Vec<usize> {
        let mut first = vec![0];
        self.sizes.iter().for_each(|n| first.push(first[first.len() - 1] + n));
        first
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Pairs of neighbours, the lower node first.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        self.blocks.keys().copied().filter(|(u, v)| u < v).collect()
    }

    /// The matrix in faer's form.
    pub fn to_faer(&self) -> SparseColMat<usize, f64> {
        let (first, n, mut triplets) = (self.first(), self.rows(), Vec::new());
        for (&(u, v), block) in &self.blocks {
            for (k, value) in block.iter().enumerate() {
                let (r, c) = (k / self.sizes[v], k % self.sizes[v]);
                triplets.push(Triplet::new(first[u] + r, first[v] + c, *value));
            }
        }
        SparseColMat::try_new_from_triplets(n, n, &triplets).expect("entries inside")
    }

    /// The largest entry of `A x − b`, relative to the sizes of what it is the difference of.
    pub fn residual(&self, x: &[f64], b: &[f64]) -> f64 {
        let (first, mut rest) = (self.first(), b.to_vec());
        let mut size: Vec<f64> = b.iter().map(|b| b.abs()).collect();
        for (&(u, v), block) in &self.blocks {
            for (k, value) in block.iter().enumerate() {
                let (r, c) = (first[u] + k / self.sizes[v], first[v] + k % self.sizes[v]);
                rest[r] -= value * x[c];
                size[r] += (value * x[c]).abs();
            }
        }
        rest.iter().zip(&size).fold(0.0, |m: f64, (r, s)| m.max(r.abs() / s.max(f64::MIN_POSITIVE)))
    }
}

/// A right-hand side.
pub fn right_hand_side(rows: usize) -> Vec<f64> {
    let mut random = Random(4101842887655102017);
    (0..rows).map(|_| random.next()).collect()
}

/// faer's Cholesky factorisation, of the lower triangle.
pub struct FaerCholesky(SymbolicLlt<usize>, Option<Llt<usize, f64>>);

impl FaerCholesky {
    pub fn prepare(a: &SparseColMat<usize, f64>) -> Self {
        Self(SymbolicLlt::try_new(a.symbolic(), Side::Lower).expect("memory"), None)
    }

    pub fn factor(&mut self, a: &SparseColMat<usize, f64>) -> bool {
        self.1 = Llt::try_new_with_symbolic(self.0.clone(), a.as_ref(), Side::Lower).ok();
        self.1.is_some()
    }

    pub fn solve(&self, b: &mut [f64]) {
        let rows = b.len();
        if let Some(factors) = &self.1 {
            factors.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(b, rows, 1));
        }
    }
}

/// faer's LU factorisation, with partial pivoting.
pub struct FaerLu(SymbolicLu<usize>, Option<Lu<usize, f64>>);

impl FaerLu {
    pub fn prepare(a: &SparseColMat<usize, f64>) -> Self {
        Self(SymbolicLu::try_new(a.symbolic()).expect("memory"), None)
    }

    pub fn factor(&mut self, a: &SparseColMat<usize, f64>) -> bool {
        self.1 = Lu::try_new_with_symbolic(self.0.clone(), a.as_ref()).ok();
        self.1.is_some()
    }

    pub fn solve(&self, b: &mut [f64]) {
        let rows = b.len();
        if let Some(factors) = &self.1 {
            factors.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(b, rows, 1));
        }
    }
}
