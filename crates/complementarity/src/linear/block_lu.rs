//! Multifrontal LU factorisation of a sparse matrix of dense blocks with a symmetric pattern, in the order of
//! `elimination.rs`, a supernode at a time (`supernodes.rs`), with row interchanges within supernodes only.
//!
//! Each supernode has a dense *frontal matrix*: its own rows and columns (1) and those of its later neighbours (2).
//! It is assembled from the entries of A in row or column 1 and the Schur complements of its children; its own Schur
//! complement
//!
//! ```text
//! D_22 <- D_22 − D_21 D_11^-1 D_12
//! ```
//!
//! is handed on to its parent, the supernode of the first of its later neighbours (`fronts.rs`).
//!
//! Without interchanges between groups this is not backward stable for every matrix: whoever uses it looks at what
//! comes out (the Newton iteration does, and adds to the diagonal when it is not good). Reference: I. Duff, J. Reid,
//! ACM TOMS 9, 1983.

use crate::linear::block_matrix::{BlockMatrix, Run, list_runs};
use crate::linear::fronts::Fronts;
use crate::linear::panels::{Quad, Scratch, Triangle};

/// The matrix and its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    /// The matrix, both blocks of each pair of neighbours.
    pub matrix: BlockMatrix,
    fronts: Fronts,
    work: Work,
}

/// Memory for a factorisation and a solution.
#[derive(Clone, Debug, Default)]
struct Work {
    /// What is handed on, one after the other, and by which fronts.
    handed: Vec<f64>,
    pending: Vec<usize>,
    /// Row of a place in the front at hand; sizes of nodes before that.
    local: Vec<usize>,
    /// The rows of the children of the front at hand.
    runs: Vec<Run>,
    scratch: Scratch,
    triangle: Triangle,
    /// What is solved for, in the order of elimination, and sums on the way there.
    x: Vec<f64>,
    sums: Vec<Quad>,
}

impl BlockLu {
    /// The pattern: sizes of the nodes and pairs of neighbours.
    pub(crate) fn prepare(&mut self, sizes: impl Iterator<Item = usize>, edges: &mut Vec<(usize, usize)>) {
        self.matrix.prepare(sizes, edges, false);
    }

    /// Factors. Returns false, and leaves no usable factor, when a diagonal block is singular.
    pub(crate) fn factor(&mut self) -> bool {
        self.lay_out();
        self.work.handed.clear();
        self.work.pending.clear();
        (0..self.fronts.list.len()).all(|s| self.eliminate(s))
    }

    /// Makes the fronts, without the idle nodes.
    fn lay_out(&mut self) {
        self.matrix.place_nodes();
        let m = &self.matrix;
        self.fronts.clear();
        for s in 0..m.groups.children.len() {
            let active = |v: &&usize| !m.idle[**v];
            let p = m.groups.nodes(s).iter().filter(active).map(|v| m.size[*v]).sum();
            let rows = m.groups.later(s).iter().filter(active);
            self.fronts.push(p, rows.flat_map(|v| m.place[*v]..m.place[*v] + m.size[*v]));
        }
        let rows = self.fronts.allocate();
        self.work.local.resize(rows, 0);
    }

    /// Assembles a front and eliminates its rows.
    fn eliminate(&mut self, s: usize) -> bool {
        let m = &self.matrix;
        let Work { handed, pending, local, runs, scratch, triangle, .. } = &mut self.work;
        let (p, q, first) = (self.fronts.list[s].p, self.fronts.list[s].q, self.fronts.list[s].first);
        for k in 0..p {
            local[first + k] = k;
        }
        for (k, row) in self.fronts.rows(s).iter().enumerate() {
            local[*row] = p + k;
        }
        let kept = pending.len() - m.groups.children[s];
        runs.clear();
        for &c in &pending[kept..] {
            list_runs(self.fronts.rows(c), local, p, runs);
        }
        let end = handed.len();
        let top = end - pending[kept..].iter().map(|c| self.fronts.list[*c].q.pow(2)).sum::<usize>();
        handed.resize(end + q * q, 0.0);
        let (before, corner) = handed.split_at_mut(end);
        let mut front = self.fronts.start(s, corner);

        for &v in m.groups.nodes(s).iter().filter(|v| !m.idle[**v]) {
            let (n, row) = (m.size[v], m.place[v] - first);
            front.add(&m.values()[m.block_at(v, v)..], n, (n, n), (row, row));
            for &(u, at) in m.neighbours(v) {
                if m.place[u] < m.place[v] || m.idle[u] {
                    continue;
                }
                let (size, column) = (m.size[u], local[m.place[u]]);
                let other = if v < u { at + n * size } else { at - n * size };
                front.add(&m.values()[at..], size, (n, size), (row, column));
                front.add(&m.values()[other..], n, (size, n), (column, row));
            }
        }
        let mut children = &before[top..];
        for runs in runs.chunk_by(|a, b| a.there < b.there) {
            let width = runs.last().map_or(0, |r| r.there + r.length);
            for rows in runs {
                for columns in runs {
                    let block = &children[rows.there * width + columns.there..];
                    front.add(block, width, (rows.length, columns.length), (rows.here, columns.here));
                }
            }
            children = &children[width * width..];
        }
        if !front.eliminate(scratch, triangle) {
            return false;
        }
        handed.copy_within(end.., top);
        handed.truncate(top + q * q);
        pending.truncate(kept);
        pending.push(s);
        true
    }

    /// True when the determinant of what was factored is negative.
    pub(crate) fn is_negative(&self) -> bool {
        self.fronts.is_negative()
    }

    /// Solves in place, after a successful `factor`; rows of idle nodes are left alone.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        self.work.x.resize(b.len(), 0.0);
        self.matrix.reorder(b, &mut self.work.x, false);
        self.fronts.solve(&mut self.work.x, &mut self.work.sums);
        self.matrix.reorder(b, &mut self.work.x, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::dense::{Dense, Lu};

    /// A block, to write.
    fn block(lu: &mut BlockLu, u: usize, v: usize) -> &mut [f64] {
        let (at, area) = (lu.matrix.block_at(u, v), lu.matrix.size[u] * lu.matrix.size[v]);
        &mut lu.matrix.values_mut()[at..at + area]
    }

    #[test]
    fn a_ring_of_blocks_of_different_size_is_solved() {
        let sizes = [2, 3, 1, 6, 3, 3, 2];
        let n = sizes.len();
        let mut edges: Vec<_> = (0..n).map(|i| (i.min((i + 1) % n), i.max((i + 1) % n))).collect();
        let mut lu = BlockLu::default();
        lu.prepare(sizes.iter().copied(), &mut edges);
        for round in 0..2 {
            lu.matrix.clear();
            let rows: usize = sizes.iter().sum();
            let x: Vec<f64> = (0..rows).map(|i| (i as f64).sin() + round as f64).collect();
            let mut b = vec![0.0; rows];
            for u in 0..n {
                for v in [u, (u + 1) % n, (u + n - 1) % n] {
                    let (first_u, first_v) = (lu.matrix.first[u], lu.matrix.first[v]);
                    let entries = block(&mut lu, u, v);
                    for (k, entry) in entries.iter_mut().enumerate() {
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
            lu.matrix.clear();
            block(&mut lu, 0, 0).copy_from_slice(&[0.0, 1.0, 3.0, 0.0]);
            block(&mut lu, 0, 1).copy_from_slice(&[2.0, 1.0]);
            block(&mut lu, 1, 0).copy_from_slice(&[1.0, 1.0]);
            block(&mut lu, 1, 1)[0] = c;
            assert!(lu.factor());
            assert_eq!(lu.is_negative(), negative, "{c}");
        }
    }

    /// Numbers between -1 and 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn below(&mut self, n: usize) -> usize {
            ((self.next() + 1.0) / 2.0 * n as f64) as usize
        }
    }

    /// Fills the blocks of nodes that are not idle, and the same dense matrix.
    fn fill(lu: &mut BlockLu, edges: &[(usize, usize)], idle: &[bool], random: &mut Random) -> Dense {
        let rows = lu.matrix.size.iter().sum();
        let mut dense = Dense::identity(rows);
        lu.matrix.clear();
        (0..idle.len()).filter(|v| idle[*v]).for_each(|v| lu.matrix.set_idle(v));
        let pairs = edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]);
        for (u, v) in (0..idle.len()).map(|v| (v, v)).chain(pairs).filter(|(u, v)| !idle[*u] && !idle[*v]) {
            let (first_u, first_v, width) = (lu.matrix.first[u], lu.matrix.first[v], lu.matrix.size[v]);
            for (k, entry) in block(lu, u, v).iter_mut().enumerate() {
                let (i, j) = (first_u + k / width, first_v + k % width);
                // the diagonal is large enough, its sign is not always the same
                let own = if i == j { 9.0 * (1.0 + random.next()).signum() } else { 0.0 };
                *entry = random.next() + if i == j && random.next() < -0.5 { -own } else { own };
                dense[(i, j)] = *entry;
            }
        }
        dense
    }

    /// Factors random matrices and compares with dense ones.
    fn compare(nodes: usize, most: usize, edges: usize, seed: u64) -> bool {
        let mut random = Random(seed);
        let sizes: Vec<usize> = (0..nodes).map(|_| 1 + random.below(most)).collect();
        let mut pattern = Vec::new();
        for _ in 0..edges {
            let (u, v) = (random.below(nodes), random.below(nodes));
            if u != v {
                pattern.push((u.min(v), u.max(v)));
            }
        }
        let mut lu = BlockLu::default();
        lu.prepare(sizes.iter().copied(), &mut pattern);
        let mut negative = false;
        for round in 0..3 {
            let idle: Vec<bool> = (0..nodes).map(|_| round == 1 && random.below(3) == 0).collect();
            let dense = fill(&mut lu, &pattern, &idle, &mut random);
            let mut check = Lu::default();
            assert!(lu.factor() && check.factor(&dense, 1e-14), "{seed}");
            let b: Vec<f64> = (0..dense.rows()).map(|_| random.next()).collect();
            let mut x = b.clone();
            lu.solve(&mut x);
            for i in 0..b.len() {
                let left = b[i] - crate::linear::dense::dot(dense.row(i), &x);
                assert!(left.abs() < 1e-10, "{seed} row {i}: {left:e}");
            }
            assert_eq!(lu.is_negative(), is_negative(&dense), "{seed}");
            negative |= lu.is_negative();
        }
        negative
    }

    /// The sign of the determinant by elimination with row interchanges.
    fn is_negative(dense: &Dense) -> bool {
        let n = dense.rows();
        let mut a = dense.clone();
        let mut negative = false;
        for k in 0..n {
            let pivot = (k..n).max_by(|i, j| a[(*i, k)].abs().total_cmp(&a[(*j, k)].abs())).unwrap();
            negative ^= (a[(pivot, k)] < 0.0) ^ (pivot != k);
            for j in 0..n {
                (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]);
            }
            for i in k + 1..n {
                let factor = a[(i, k)] / a[(k, k)];
                (k..n).for_each(|j| a[(i, j)] -= factor * a[(k, j)]);
            }
        }
        negative
    }

    #[test]
    fn random_matrices_with_idle_nodes_agree_with_dense_ones() {
        let negative = (0..60).filter(|s| compare(1 + *s as usize, 6, 2 * *s as usize, *s)).count();
        assert!((20..60).contains(&negative), "both signs must occur: {negative}");
    }

    #[test]
    fn large_dense_fronts_agree_with_dense_ones() {
        compare(40, 6, 1200, 7);
        compare(200, 3, 500, 8);
    }

    #[test]
    fn nodes_without_rows_are_allowed() {
        let mut lu = BlockLu::default();
        lu.prepare([2, 0, 1].into_iter(), &mut vec![(0, 1), (0, 2), (1, 2)]);
        lu.matrix.clear();
        block(&mut lu, 0, 0).copy_from_slice(&[2.0, 0.0, 0.0, 4.0]);
        block(&mut lu, 2, 2)[0] = 8.0;
        assert!(lu.factor());
        let mut b = [2.0, 4.0, 8.0];
        lu.solve(&mut b);
        assert_eq!(b, [1.0; 3]);
    }

    #[test]
    fn a_singular_matrix_is_not_factored() {
        let mut lu = BlockLu::default();
        lu.prepare([1, 2].into_iter(), &mut vec![(0, 1)]);
        // the second row of blocks is a multiple of the first
        block(&mut lu, 0, 0)[0] = 1.0;
        block(&mut lu, 0, 1).copy_from_slice(&[2.0, 3.0]);
        block(&mut lu, 1, 0).copy_from_slice(&[2.0, 0.0]);
        block(&mut lu, 1, 1).copy_from_slice(&[4.0, 6.0, 0.0, 1.0]);
        assert!(!lu.factor());
        block(&mut lu, 1, 1)[0] = 5.0;
        assert!(lu.factor());
    }
}
