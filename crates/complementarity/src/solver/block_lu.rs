//! LU factorisation of a sparse matrix of dense blocks with a symmetric pattern, in the order of `elimination.rs`, some
//! nodes at a time (`supernodes.rs`), with row interchanges among these only.
//!
//! Each group of nodes has a dense matrix, its front: the rows and columns of the group (1) and of its later
//! neighbours (2). It starts as the entries of A in row or column 1, plus what its children hand on; then
//!
//! ```text
//! D_22 <- D_22 − D_21 D_11^-1 D_12
//! ```
//!
//! is handed on to its parent, the group of the first of its later neighbours (`fronts.rs`).
//!
//! Without interchanges between groups this is not backward stable for every matrix: whoever uses it looks at what
//! comes out (the Newton iteration does, and adds to the diagonal when it is not good). Storage is kept, and the order
//! too as long as the pattern stays the same. Reference: I. Duff, J. Reid, ACM TOMS 9, 1983.

use super::elimination::Elimination;
use super::fronts::Fronts;
use super::panels::{Quad, Scratch, Triangle};
use super::supernodes::Supernodes;

/// The matrix and its factors.
#[derive(Clone, Debug, Default)]
pub struct BlockLu {
    elimination: Elimination,
    groups: Supernodes,
    /// Rows of each node, and their first row.
    size: Vec<usize>,
    first: Vec<usize>,
    /// `neighbour[start[v]..start[v + 1]]` are the neighbours of v, and where the blocks in row v are.
    start: Vec<usize>,
    neighbour: Vec<(usize, usize)>,
    diagonal_at: Vec<usize>,
    /// The blocks of the matrix; of two neighbours, that of the lower one's rows first.
    values: Vec<f64>,
    /// Nodes that are the identity.
    idle: Vec<bool>,
    /// Where in the order of elimination each node's rows are, those of idle nodes being left out.
    place: Vec<usize>,
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

/// Some rows of a child that follow each other in its parent too.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The first of them in the child.
    there: usize,
    /// The first of them in the parent.
    here: usize,
    length: usize,
}

impl BlockLu {
    /// The pattern: sizes of the nodes and pairs of neighbours.
    pub fn prepare(&mut self, sizes: impl Iterator<Item = usize>, edges: &mut Vec<(usize, usize)>) {
        let new = &mut self.work.local;
        new.clear();
        new.extend(sizes);
        let (nodes, same_sizes) = (new.len(), *new == self.size);
        if !self.elimination.prepare(nodes, edges) && same_sizes {
            return;
        }
        self.size.clone_from(&self.work.local);
        self.groups.prepare(&self.elimination, &self.size);
        self.first.clear();
        self.diagonal_at.clear();
        let (mut row, mut at) = (0, 0);
        for size in &self.size {
            self.first.push(row);
            self.diagonal_at.push(at);
            row += size;
            at += size * size;
        }
        at = self.list_neighbours(edges, at);
        self.values.clear();
        self.values.resize(at, 0.0);
        self.idle.clear();
        self.idle.resize(nodes, false);
    }

    /// Lists the neighbours of each node, from sorted pairs; their blocks lie from `at` on. Returns the end.
    fn list_neighbours(&mut self, edges: &[(usize, usize)], mut at: usize) -> usize {
        self.start.clear();
        self.start.resize(self.size.len() + 2, 0);
        for &(u, v) in edges {
            self.start[u + 2] += 1;
            self.start[v + 2] += 1;
        }
        for v in 1..self.start.len() {
            self.start[v] += self.start[v - 1];
        }
        self.neighbour.clear();
        self.neighbour.resize(2 * edges.len(), (0, 0));
        for &(u, v) in edges {
            // the entries from v + 1 on move to the end of the list of v
            let area = self.size[u] * self.size[v];
            for (w, other, block) in [(u, v, at), (v, u, at + area)] {
                self.neighbour[self.start[w + 1]] = (other, block);
                self.start[w + 1] += 1;
            }
            at += 2 * area;
        }
        at
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
        let at = if u == v {
            self.diagonal_at[u]
        } else {
            let list = &self.neighbour[self.start[u]..self.start[u + 1]];
            list[list.partition_point(|(w, _)| *w < v)].1
        };
        &mut self.values[at..at + self.size[u] * self.size[v]]
    }

    /// Factors. Returns false, and leaves no usable factor, when a diagonal block is singular.
    pub fn factor(&mut self, symmetric: bool) -> bool {
        self.lay_out();
        self.work.handed.clear();
        self.work.pending.clear();
        (0..self.fronts.list.len()).all(|s| self.eliminate(s, symmetric))
    }

    /// Makes the fronts, without the idle nodes.
    fn lay_out(&mut self) {
        self.place.clear();
        self.place.resize(self.size.len(), usize::MAX);
        let mut end = 0;
        for &v in self.groups.order.iter().filter(|v| !self.idle[**v]) {
            self.place[v] = end;
            end += self.size[v];
        }
        self.fronts.clear();
        for s in 0..self.groups.children.len() {
            let active = |v: &&usize| !self.idle[**v];
            let p = self.groups.nodes(s).iter().filter(active).map(|v| self.size[*v]).sum();
            let rows = self.groups.later(s).iter().filter(active);
            self.fronts.push(p, rows.flat_map(|v| self.place[*v]..self.place[*v] + self.size[*v]));
        }
        let rows = self.fronts.allocate();
        self.work.local.resize(rows, 0);
    }

    /// Assembles a front and eliminates its rows.
    fn eliminate(&mut self, s: usize, symmetric: bool) -> bool {
        let Work { handed, pending, local, runs, scratch, triangle, .. } = &mut self.work;
        let (p, q, first) = (self.fronts.list[s].p, self.fronts.list[s].q, self.fronts.list[s].first);
        for k in 0..p {
            local[first + k] = k;
        }
        for (k, row) in self.fronts.rows(s).iter().enumerate() {
            local[*row] = p + k;
        }
        let kept = pending.len() - self.groups.children[s];
        runs.clear();
        for &c in &pending[kept..] {
            list_runs(self.fronts.rows(c), local, p, runs);
        }
        let end = handed.len();
        let top = end - pending[kept..].iter().map(|c| self.fronts.list[*c].q.pow(2)).sum::<usize>();
        handed.resize(end + q * q, 0.0);
        let (before, corner) = handed.split_at_mut(end);
        let mut front = self.fronts.start(s, corner);

        for &v in self.groups.nodes(s).iter().filter(|v| !self.idle[**v]) {
            let (n, row) = (self.size[v], self.place[v] - first);
            front.add(&self.values[self.diagonal_at[v]..], n, (n, n), (row, row));
            for &(u, at) in &self.neighbour[self.start[v]..self.start[v + 1]] {
                if self.place[u] < self.place[v] || self.idle[u] {
                    continue;
                }
                let (m, column) = (self.size[u], local[self.place[u]]);
                let other = if v < u { at + n * m } else { at - n * m };
                front.add(&self.values[at..], m, (n, m), (row, column));
                front.add(&self.values[other..], n, (m, n), (column, row));
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
        if !front.eliminate(symmetric, scratch, triangle) {
            return false;
        }
        handed.copy_within(end.., top);
        handed.truncate(top + q * q);
        pending.truncate(kept);
        pending.push(s);
        true
    }

    /// True when the determinant of what was factored is negative.
    pub fn is_negative(&self) -> bool {
        self.fronts.is_negative()
    }

    /// Solves in place, after a successful `factor`; rows of idle nodes are left alone.
    pub fn solve(&mut self, b: &mut [f64]) {
        let x = &mut self.work.x;
        x.resize(b.len(), 0.0);
        for v in (0..self.size.len()).filter(|v| !self.idle[*v]) {
            x[self.place[v]..][..self.size[v]].copy_from_slice(&b[self.first[v]..][..self.size[v]]);
        }
        self.fronts.solve(x, &mut self.work.sums);
        for v in (0..self.size.len()).filter(|v| !self.idle[*v]) {
            b[self.first[v]..][..self.size[v]].copy_from_slice(&x[self.place[v]..][..self.size[v]]);
        }
    }
}

/// Rows of a child that follow each other in the front too, on the same side of row p.
fn list_runs(rows: &[usize], local: &[usize], p: usize, runs: &mut Vec<Run>) {
    for (there, row) in rows.iter().enumerate() {
        let here = local[*row];
        match runs.last_mut() {
            Some(run) if there > 0 && run.here + run.length == here && here != p => run.length += 1,
            _ => runs.push(Run { there, here, length: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::{Dense, Lu};

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
            assert!(lu.factor(false));
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
            assert!(lu.factor(false));
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
        let rows = lu.size.iter().sum();
        let mut dense = Dense::identity(rows);
        lu.clear();
        (0..idle.len()).filter(|v| idle[*v]).for_each(|v| lu.set_idle(v));
        let pairs = edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]);
        for (u, v) in (0..idle.len()).map(|v| (v, v)).chain(pairs).filter(|(u, v)| !idle[*u] && !idle[*v]) {
            let (first_u, first_v, width) = (lu.first[u], lu.first[v], lu.size[v]);
            for (k, entry) in lu.block_mut(u, v).iter_mut().enumerate() {
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
            assert!(lu.factor(false) && check.factor(&dense, 1e-14), "{seed}");
            let b: Vec<f64> = (0..dense.rows()).map(|_| random.next()).collect();
            let mut x = b.clone();
            lu.solve(&mut x);
            for i in 0..b.len() {
                let left = b[i] - crate::dense::dot(dense.row(i), &x);
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
        lu.clear();
        lu.block_mut(0, 0).copy_from_slice(&[2.0, 0.0, 0.0, 4.0]);
        lu.block_mut(2, 2)[0] = 8.0;
        assert!(lu.factor(false));
        let mut b = [2.0, 4.0, 8.0];
        lu.solve(&mut b);
        assert_eq!(b, [1.0; 3]);
    }

    #[test]
    fn a_singular_matrix_is_not_factored() {
        let mut lu = BlockLu::default();
        lu.prepare([1, 2].into_iter(), &mut vec![(0, 1)]);
        // the second row of blocks is a multiple of the first
        lu.block_mut(0, 0)[0] = 1.0;
        lu.block_mut(0, 1).copy_from_slice(&[2.0, 3.0]);
        lu.block_mut(1, 0).copy_from_slice(&[2.0, 0.0]);
        lu.block_mut(1, 1).copy_from_slice(&[4.0, 6.0, 0.0, 1.0]);
        assert!(!lu.factor(false));
        lu.block_mut(1, 1)[0] = 5.0;
        assert!(lu.factor(false));
    }
}
