//! LU factorisation of a sparse matrix of dense blocks with a symmetric pattern: `A = L U`, pivoting inside diagonal
//! blocks only, eliminated in the order of `elimination.rs`.
//!
//! ```text
//! for v in order:   U_vw <- D_v^-1 U_vw,   A_uw <- A_uw − L_uv U_vw   for all later neighbours u, w of v
//! ```
//!
//! Without pivoting between blocks this is not backward stable for every matrix: whoever uses it looks at what comes
//! out (the Newton iteration does, and adds to the diagonal when it is not good). Storage is kept, and the order too as long as
//! the pattern stays the same.

use super::elimination::Elimination;

/// The matrix and its factors.
#[derive(Clone, Debug, Default)]
pub struct BlockLu {
    elimination: Elimination,
    /// Rows of each node, and their first row.
    size: Vec<usize>,
    first: Vec<usize>,
    /// Where each node's diagonal block is; swaps of its rows are at `first`.
    diagonal_at: Vec<usize>,
    /// Where the blocks left of (L) and above (U) the diagonal are, per entry of `elimination.later`.
    lower_at: Vec<usize>,
    upper_at: Vec<usize>,
    values: Vec<f64>,
    swaps: Vec<usize>,
    /// Nodes that are the identity.
    idle: Vec<bool>,
    /// Entry of each node in the list at hand.
    index: Vec<usize>,
}

impl BlockLu {
    /// The pattern: sizes of the nodes and pairs of neighbours.
    pub fn prepare(&mut self, sizes: impl Iterator<Item = usize>, edges: &mut Vec<(usize, usize)>) {
        self.index.clear();
        self.index.extend(sizes);
        let same_sizes = self.index == self.size;
        let nodes = self.index.len();
        if !self.elimination.prepare(nodes, edges) && same_sizes {
            return;
        }
        self.size.clone_from(&self.index);
        self.first.clear();
        self.diagonal_at.clear();
        self.lower_at.clear();
        self.upper_at.clear();
        let (mut row, mut at) = (0, 0);
        for v in 0..nodes {
            self.first.push(row);
            self.diagonal_at.push(at);
            row += self.size[v];
            at += self.size[v] * self.size[v];
            for e in self.elimination.start[v]..self.elimination.start[v + 1] {
                let area = self.size[v] * self.size[self.elimination.later[e]];
                self.lower_at.push(at);
                self.upper_at.push(at + area);
                at += 2 * area;
            }
        }
        self.swaps.clear();
        self.swaps.resize(row, 0);
        self.values.clear();
        self.values.resize(at, 0.0);
        self.idle.clear();
        self.idle.resize(nodes, false);
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
        self.idle.fill(false);
    }

    /// Makes a node the identity: its blocks must not be written to.
    pub fn set_idle(&mut self, node: usize) {
        self.idle[node] = true;
    }

    /// The block of rows `u` and columns `v`, row-major, to write. It must be part of the pattern.
    pub fn block_mut(&mut self, u: usize, v: usize) -> &mut [f64] {
        let area = self.size[u] * self.size[v];
        let at = if u == v {
            self.diagonal_at[u]
        } else {
            let position = &self.elimination.position;
            let (early, late) = if position[u] < position[v] { (u, v) } else { (v, u) };
            let range = self.elimination.start[early]..self.elimination.start[early + 1];
            let list = &self.elimination.later[range.clone()];
            let e = range.start + list.partition_point(|w| position[*w] < position[late]);
            if early == u { self.upper_at[e] } else { self.lower_at[e] }
        };
        &mut self.values[at..at + area]
    }

    /// Factors. Returns false, and leaves no usable factor, when a diagonal block is singular.
    pub fn factor(&mut self) -> bool {
        self.index.clear();
        self.index.resize(self.size.len(), 0);
        for k in 0..self.size.len() {
            let v = self.elimination.order[k];
            if self.idle[v] {
                continue;
            }
            let (n, at) = (self.size[v], self.diagonal_at[v]);
            let swaps = &mut self.swaps[self.first[v]..self.first[v] + n];
            let (head, tail) = self.values.split_at_mut(at + n * n);
            if !factor_diagonal(n, &mut head[at..], swaps) {
                return false;
            }
            let diagonal = &head[at..];
            for e in self.elimination.start[v]..self.elimination.start[v + 1] {
                let w = self.elimination.later[e];
                if !self.idle[w] {
                    // all blocks of v lie behind its diagonal block
                    let from = self.upper_at[e] - (at + n * n);
                    solve_diagonal(n, diagonal, swaps, &mut tail[from..from + n * self.size[w]]);
                }
            }
            self.update(v);
        }
        true
    }

    /// True when the determinant of what was factored is negative.
    pub fn is_negative(&self) -> bool {
        let mut negative = false;
        for v in (0..self.size.len()).filter(|v| !self.idle[*v]) {
            let n = self.size[v];
            for k in 0..n {
                negative ^= self.values[self.diagonal_at[v] + k * n + k] < 0.0;
                negative ^= self.swaps[self.first[v] + k] != k;
            }
        }
        negative
    }

    /// `A_uw −= L_uv U_vw` for all later neighbours of v.
    fn update(&mut self, v: usize) {
        let range = self.elimination.start[v]..self.elimination.start[v + 1];
        let n = self.size[v];
        for e in range.clone() {
            let u = self.elimination.later[e];
            if self.idle[u] {
                continue;
            }
            let m = self.size[u];
            let (lower, upper) = (self.lower_at[e], self.upper_at[e]);
            multiply_into(&mut self.values, self.diagonal_at[u], (lower, upper), (m, n, m));
            for f in self.elimination.start[u]..self.elimination.start[u + 1] {
                self.index[self.elimination.later[f]] = f;
            }
            for g in e + 1..range.end {
                let w = self.elimination.later[g];
                if self.idle[w] {
                    continue;
                }
                let f = self.index[w];
                let p = self.size[w];
                multiply_into(&mut self.values, self.upper_at[f], (lower, self.upper_at[g]), (m, n, p));
                multiply_into(&mut self.values, self.lower_at[f], (self.lower_at[g], upper), (p, n, m));
            }
        }
    }

    /// Solves in place, after a successful `factor`; rows of idle nodes are left alone.
    pub fn solve(&self, b: &mut [f64]) {
        for &v in &self.elimination.order {
            if self.idle[v] {
                continue;
            }
            let (n, row) = (self.size[v], self.first[v]);
            let diagonal = &self.values[self.diagonal_at[v]..self.diagonal_at[v] + n * n];
            solve_diagonal(n, diagonal, &self.swaps[row..row + n], &mut b[row..row + n]);
            for e in self.elimination.start[v]..self.elimination.start[v + 1] {
                let u = self.elimination.later[e];
                if !self.idle[u] {
                    self.subtract(b, (u, v), self.lower_at[e]);
                }
            }
        }
        for &v in self.elimination.order.iter().rev() {
            for e in self.elimination.start[v]..self.elimination.start[v + 1] {
                let u = self.elimination.later[e];
                if !self.idle[v] && !self.idle[u] {
                    self.subtract(b, (v, u), self.upper_at[e]);
                }
            }
        }
    }

    /// `b_u −= block b_v`.
    fn subtract(&self, b: &mut [f64], (u, v): (usize, usize), at: usize) {
        let n = self.size[v];
        for i in 0..self.size[u] {
            let row = &self.values[at + i * n..at + (i + 1) * n];
            let sum = crate::dense::dot(row, &b[self.first[v]..self.first[v] + n]);
            b[self.first[u] + i] -= sum;
        }
    }
}

/// `C −= A B` inside one vector: C is m x p, A m x n, B n x p. C does not overlap A or B.
fn multiply_into(values: &mut [f64], c: usize, (a, b): (usize, usize), (m, n, p): (usize, usize, usize)) {
    match (m, n, p) {
        (2, 2, 2) => multiply_fixed::<2>(values, c, a, b),
        (3, 3, 3) => multiply_fixed::<3>(values, c, a, b),
        (6, 6, 6) => multiply_fixed::<6>(values, c, a, b),
        _ => {
            for i in 0..m {
                for k in 0..n {
                    let factor = values[a + i * n + k];
                    for j in 0..p {
                        values[c + i * p + j] -= factor * values[b + k * p + j];
                    }
                }
            }
        }
    }
}

#[inline]
fn multiply_fixed<const N: usize>(values: &mut [f64], c: usize, a: usize, b: usize) {
    let mut out = [[0.0; N]; N];
    let (x, y) = (&values[a..a + N * N], &values[b..b + N * N]);
    for i in 0..N {
        for k in 0..N {
            for j in 0..N {
                out[i][j] += x[i * N + k] * y[k * N + j];
            }
        }
    }
    for (target, value) in values[c..c + N * N].iter_mut().zip(out.as_flattened()) {
        *target -= value;
    }
}

/// LU with partial pivoting of a dense block, in place.
fn factor_diagonal(n: usize, d: &mut [f64], swaps: &mut [usize]) -> bool {
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if d[i * n + k].abs() > d[pivot * n + k].abs() {
                pivot = i;
            }
        }
        let size = d[pivot * n + k].abs();
        if size.is_nan() || size <= f64::MIN_POSITIVE {
            return false;
        }
        swaps[k] = pivot;
        for j in 0..n {
            d.swap(k * n + j, pivot * n + j);
        }
        for i in k + 1..n {
            let factor = d[i * n + k] / d[k * n + k];
            d[i * n + k] = factor;
            for j in k + 1..n {
                d[i * n + j] -= factor * d[k * n + j];
            }
        }
    }
    true
}

/// `x <- d^-1 x` for a block x with n rows.
fn solve_diagonal(n: usize, d: &[f64], swaps: &[usize], x: &mut [f64]) {
    let p = x.len() / n.max(1);
    for k in 0..n {
        if swaps[k] != k {
            for j in 0..p {
                x.swap(k * p + j, swaps[k] * p + j);
            }
        }
    }
    for i in 0..n {
        for k in 0..i {
            for j in 0..p {
                x[i * p + j] -= d[i * n + k] * x[k * p + j];
            }
        }
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            for j in 0..p {
                x[i * p + j] -= d[i * n + k] * x[k * p + j];
            }
        }
        for j in 0..p {
            x[i * p + j] /= d[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_blocks_of_different_size_is_solved() {
        let sizes = [2, 3, 1, 6, 3, 3, 2];
        let n = sizes.len();
        let mut edges: Vec<_> = (0..n).map(|i| (i.min((i + 1) % n), i.max((i + 1) % n))).collect();
        let mut lu = BlockLu::default();
        lu.prepare(sizes.iter().copied(), &mut edges);
        for round in 0..2 {
            lu.clear();
            let rows: usize = sizes.iter().sum();
            let x: Vec<f64> = (0..rows).map(|i| (i as f64).sin() + round as f64).collect();
            let mut b = vec![0.0; rows];
            for u in 0..n {
                for v in [u, (u + 1) % n, (u + n - 1) % n] {
                    let (first_u, first_v) = (lu.first[u], lu.first[v]);
                    let block = lu.block_mut(u, v);
                    for (k, entry) in block.iter_mut().enumerate() {
                        let (i, j) = (k / sizes[v], k % sizes[v]);
                        *entry = ((7 * k + 5 * u + 3 * v) % 11) as f64 - 5.0
                            + if u == v && i == j { 20.0 } else { 0.0 };
                        b[first_u + i] += *entry * x[first_v + j];
                    }
                }
            }
            assert!(lu.factor());
            lu.solve(&mut b);
            assert!((0..rows).all(|i| (b[i] - x[i]).abs() < 1e-11), "{b:?} {x:?}");
        }
    }

    #[test]
    fn the_sign_of_the_determinant_counts_swaps_and_negative_pivots() {
        let mut lu = BlockLu::default();
        lu.prepare([2, 1].into_iter(), &mut vec![(0, 1)]);
        // [[0, 1, 2], [3, 0, 1], [1, 1, c]] has the determinant 7 - 3 c
        for (c, negative) in [(1.0, false), (3.0, true)] {
            lu.clear();
            lu.block_mut(0, 0).copy_from_slice(&[0.0, 1.0, 3.0, 0.0]);
            lu.block_mut(0, 1).copy_from_slice(&[2.0, 1.0]);
            lu.block_mut(1, 0).copy_from_slice(&[1.0, 1.0]);
            lu.block_mut(1, 1)[0] = c;
            assert!(lu.factor());
            assert_eq!(lu.is_negative(), negative, "{c}");
        }
    }
}
