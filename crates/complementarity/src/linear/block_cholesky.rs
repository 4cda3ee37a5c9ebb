//! Multifrontal Cholesky factorisation of a sparse symmetric positive definite matrix of dense blocks. Each supernode
//! (`supernodes.rs`) has a dense *frontal matrix* (`cholesky_fronts.rs`). It is assembled from the entries of A in
//! its first columns and the update matrices of its children in the elimination tree (extend-add); its first columns
//! are eliminated; the Schur complement
//!
//! ```text
//! D_22 = sum of the children's update matrices − L_21 L_21^T
//! ```
//!
//! is its update matrix, handed on to its parent, the supernode of the first of its later neighbours. Only lower
//! halves are computed. Update matrices lie on one of two stacks, that of even and that of odd depths in the tree, so
//! that a front is never on that of its children. Large matrices are cut in two (`cholesky_split.rs`), and two
//! threads eliminate a subtree of fronts each before the separator above both is eliminated. Reference: I. Duff, J.
//! Reid, ACM TOMS 9, 1983.

use crate::halves::both;
use crate::linear::aligned_lanes::AlignedLanes;
use crate::linear::block_matrix::{BlockMatrix, Run, list_runs};
use crate::linear::cholesky_fronts::{CholeskyFronts, Layout, LeftMut};
use crate::linear::cholesky_split::{LEAST, Split};
use crate::linear::symmetric_panels::{HIGH, Lanes, corner, corner_row, factor, head, set_corner};

/// The matrix and its factors.
#[derive(Clone, Debug)]
pub(crate) struct BlockCholesky {
    /// The matrix, of each pair of neighbours the block of the lower one's rows.
    pub matrix: BlockMatrix,
    fronts: CholeskyFronts,
    /// Nodes that were idle when the fronts were laid out.
    laid_out: Vec<bool>,
    /// The depth of each group is odd.
    odd: Vec<bool>,
    /// Where the fronts are cut, for how many operations at least, and what the threads work with: on the first
    /// subtree, on the second, and on the separator.
    split: Split,
    least: f64,
    workers: [Worker; 3],
    /// Children of a group that are yet to come, and its depth is odd.
    open: Vec<(usize, bool)>,
    /// What is solved for, in the order of elimination.
    x: Vec<f64>,
}

impl Default for BlockCholesky {
    fn default() -> Self {
        Self {
            matrix: BlockMatrix::default(),
            fronts: CholeskyFronts::default(),
            laid_out: Vec::new(),
            odd: Vec::new(),
            split: Split::default(),
            least: LEAST,
            workers: Default::default(),
            open: Vec::new(),
            x: Vec::new(),
        }
    }
}

/// Corners, one after the other, as long as `top`; those before `bottom` were taken over by another worker.
#[derive(Clone, Debug, Default)]
struct Stack {
    values: AlignedLanes,
    top: usize,
    bottom: usize,
}

impl Stack {
    /// Room for one more.
    fn push(&mut self, lanes: usize) -> &mut [Lanes] {
        let from = self.top;
        self.top += lanes;
        self.values.grow(self.top);
        &mut self.values.all_mut()[from..self.top]
    }
}

impl BlockCholesky {
    /// The pattern: sizes of the nodes and pairs of neighbours.
    pub(crate) fn prepare(&mut self, sizes: impl Iterator<Item = usize>, edges: &mut Vec<(usize, usize)>) {
        if !self.matrix.prepare(sizes, edges, true) {
            return;
        }
        self.laid_out.clear();
        let children = &self.matrix.groups.children;
        self.odd.clear();
        self.odd.resize(children.len(), false);
        let open = &mut self.open;
        open.clear();
        for s in (0..children.len()).rev() {
            while open.pop_if(|(left, _)| *left == 0).is_some() {}
            if let Some((left, odd)) = open.last_mut() {
                *left -= 1;
                self.odd[s] = !*odd;
            }
            open.push((children[s], self.odd[s]));
        }
    }

    /// Factors. Returns false, and leaves no usable factor, when the matrix is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        if self.laid_out != self.matrix.idle {
            self.lay_out();
        }
        let Self { matrix, fronts, odd, split, workers: [first, second, top], .. } = self;
        let CholeskyFronts { layout, panels, .. } = fronts;
        let panels = panels.all_mut();
        let (tree, rows) = (Tree { matrix, layout, odd }, layout.start(layout.list.len()).0);
        [&mut *first, &mut *second, &mut *top].into_iter().for_each(|w| w.begin(rows));
        let cut = layout.start(split.at).1;
        let (low, high) = panels.split_at_mut(cut);
        let (good, own) = both(
            split.is_cut(),
            || split.second().all(|s| second.eliminate(s, tree, layout.left_mut(s, high, cut))),
            || (0..split.at).all(|s| first.eliminate(s, tree, layout.left_mut(s, low, 0))),
        );
        good && own && {
            let mut taken = 0;
            split.separator.iter().all(|&s| {
                let before = taken;
                taken += second.pending[before..].iter().take_while(|c| **c < s).count();
                let number = matrix.groups.children[s] - top.pending.len() - (taken - before);
                top.take_last(first, number, tree);
                top.take_first(second, before..taken, tree);
                top.eliminate(s, tree, layout.left_mut(s, panels, 0))
            })
        }
    }

    /// Makes the fronts, without the idle nodes.
    fn lay_out(&mut self) {
        self.matrix.place_nodes();
        let m = &self.matrix;
        self.laid_out.clone_from(&m.idle);
        self.fronts.layout.clear();
        for s in 0..m.groups.children.len() {
            let active = |v: &&usize| !m.idle[**v];
            let p = m.groups.nodes(s).iter().filter(active).map(|v| m.size[*v]).sum();
            let rows = m.groups.later(s).iter().filter(active);
            self.fronts.layout.push(p, rows.flat_map(|v| m.place[*v]..m.place[*v] + m.size[*v]));
        }
        self.fronts.allocate();
        let work = |s: usize| {
            let front = &self.fronts.layout.list[s];
            let (p, q) = (front.p as f64, front.q as f64);
            p * (p * p / 3.0 + q * (p + q))
        };
        self.split.find(&m.groups.children, work, self.least);
    }

    /// Solves in place, after a successful `factor`; rows of idle nodes are left alone.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let rows = self.fronts.layout.start(self.fronts.layout.list.len()).0;
        self.x.resize(b.len(), 0.0);
        self.matrix.reorder(b, &mut self.x, false);
        self.fronts.solve(&mut self.x[..rows], &self.split);
        self.matrix.reorder(b, &mut self.x, true);
    }
}

/// What all threads look at: the matrix, the fronts, and which have an odd depth.
#[derive(Clone, Copy)]
struct Tree<'a> {
    matrix: &'a BlockMatrix,
    layout: &'a Layout,
    odd: &'a [bool],
}

impl Tree<'_> {
    /// How much some fronts hand on.
    fn lanes(&self, fronts: &[usize]) -> usize {
        fronts.iter().map(|c| corner(self.layout.list[*c].q)).sum()
    }
}

/// Memory for the elimination of some fronts, children before their parents.
#[derive(Clone, Debug, Default)]
struct Worker {
    /// What is handed on from even and odd depths, and by which fronts.
    handed: [Stack; 2],
    pending: Vec<usize>,
    /// Row of a place in the front at hand.
    local: Vec<usize>,
    /// The rows of the children of the front at hand.
    runs: Vec<Run>,
}

impl Worker {
    fn begin(&mut self, rows: usize) {
        self.handed.iter_mut().for_each(|stack| (stack.top, stack.bottom) = (0, 0));
        self.pending.clear();
        self.local.resize(rows, 0);
    }

    /// Takes over what the last fronts of another worker hand on, which are all of one depth.
    fn take_last(&mut self, other: &mut Worker, number: usize, tree: Tree) {
        let fronts = other.pending.split_off(other.pending.len() - number);
        let Some(&last) = fronts.last() else { return };
        let (lanes, depth) = (tree.lanes(&fronts), usize::from(tree.odd[last]));
        let stack = &mut other.handed[depth];
        stack.top -= lanes;
        self.handed[depth].push(lanes).copy_from_slice(&stack.values.all()[stack.top..stack.top + lanes]);
        self.pending.extend(fronts);
    }

    /// The same of the first fronts that were not taken before.
    fn take_first(&mut self, other: &mut Worker, fronts: std::ops::Range<usize>, tree: Tree) {
        let fronts = &other.pending[fronts];
        let Some(&last) = fronts.last() else { return };
        let (lanes, depth) = (tree.lanes(fronts), usize::from(tree.odd[last]));
        let stack = &mut other.handed[depth];
        self.handed[depth]
            .push(lanes)
            .copy_from_slice(&stack.values.all()[stack.bottom..stack.bottom + lanes]);
        stack.bottom += lanes;
        self.pending.extend_from_slice(fronts);
    }

    /// Assembles a front and eliminates its rows.
    fn eliminate(&mut self, s: usize, tree: Tree, mut left: LeftMut) -> bool {
        let (m, layout) = (tree.matrix, tree.layout);
        let Self { handed, pending, local, runs } = self;
        let (p, q, first) = (layout.list[s].p, layout.list[s].q, layout.list[s].first);
        for k in 0..p {
            local[first + k] = k;
        }
        for (k, row) in layout.rows(s).iter().enumerate() {
            local[*row] = p + k;
        }
        let kept = pending.len() - m.groups.children[s];
        runs.clear();
        for &c in &pending[kept..] {
            list_runs(layout.rows(c), local, p, runs);
        }
        let [even, odd] = handed;
        let (own, other) = if tree.odd[s] { (odd, even) } else { (even, odd) };
        let end = other.top;
        other.top -= pending[kept..].iter().map(|c| corner(layout.list[*c].q)).sum::<usize>();
        let children = &other.values.all()[other.top..end];

        add_blocks(m, m.groups.nodes(s), local, &mut left);
        let mut rest = children;
        for runs in runs.chunk_by(|a, b| a.there < b.there) {
            add_left(runs, rest.as_flattened(), &mut left);
            rest = &rest[corner(order(runs))..];
        }
        if p > 0 && !factor(left.lanes, p) {
            return false;
        }
        if q > 0 {
            let target = own.push(corner(q));
            set_corner(target, &left.lanes[head(p)..], p);
            let mut rest = children;
            for runs in runs.chunk_by(|a, b| a.there < b.there) {
                let (child, target) = (rest.as_flattened(), target.as_flattened_mut());
                pulp::Arch::new().dispatch(AddCorner { runs, child, p, target });
                rest = &rest[corner(order(runs))..];
            }
        }
        pending.truncate(kept);
        pending.push(s);
        true
    }
}

/// Number of rows of a child.
fn order(runs: &[Run]) -> usize {
    runs.last().map_or(0, |run| run.there + run.length)
}

/// Adds the blocks of some nodes and their later neighbours.
fn add_blocks(m: &BlockMatrix, nodes: &[usize], local: &[usize], left: &mut LeftMut) {
    for &v in nodes.iter().filter(|v| m.is_active(**v)) {
        let (n, column) = (m.size[v], local[m.place[v]]);
        for (i, row) in m.values()[m.block_at(v, v)..][..n * n].chunks_exact(n).enumerate() {
            left.add(column + i, column, row.iter());
        }
        for &(u, at) in m.neighbours(v) {
            if m.place[u] < m.place[v] || !m.is_active(u) {
                continue;
            }
            let (size, row) = (m.size[u], local[m.place[u]]);
            let block = &m.values()[at..at + n * size];
            for i in 0..size {
                match u < v {
                    true => left.add(row + i, column, block[i * n..(i + 1) * n].iter()),
                    false => left.add(row + i, column, block[i..].iter().step_by(size)),
                }
            }
        }
    }
}

/// Adds those columns of what a child hands on that are eliminated now.
fn add_left(runs: &[Run], child: &[f64], left: &mut LeftMut) {
    let p = left.p;
    for (k, rows) in runs.iter().enumerate() {
        for i in 0..rows.length {
            let row = &child[corner_row(rows.there + i)..][..rows.there + i + 1];
            for columns in runs[..=k].iter().take_while(|columns| columns.here < p) {
                let end = row.len().min(columns.there + columns.length);
                left.add(rows.here + i, columns.here, row[columns.there..end].iter());
            }
        }
    }
}

/// Adds the other columns of what a child hands on.
struct AddCorner<'a> {
    runs: &'a [Run],
    child: &'a [f64],
    p: usize,
    target: &'a mut [f64],
}

impl pulp::WithSimd for AddCorner<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let p = self.p;
        let runs = &self.runs[self.runs.partition_point(|run| run.here < p)..];
        for (k, rows) in runs.iter().enumerate() {
            for i in 0..rows.length {
                let row = &self.child[corner_row(rows.there + i)..][..rows.there + i + 1];
                let target = &mut self.target[corner_row(rows.here + i - p)..][..rows.here + i - p + 1];
                for columns in &runs[..=k] {
                    let end = row.len().min(columns.there + columns.length);
                    add(&mut target[columns.here - p..], &row[columns.there..end]);
                }
            }
        }
    }
}

/// Adds some entries to others.
#[inline(always)]
fn add(target: &mut [f64], source: &[f64]) {
    let (targets, rest) = target[..source.len()].as_chunks_mut::<HIGH>();
    let (sources, others) = source.as_chunks::<HIGH>();
    for (target, source) in targets.iter_mut().zip(sources) {
        *target = std::array::from_fn(|j| target[j] + source[j]);
    }
    // what is left is most often one body
    if let (Ok(rest), Ok(others)) = (<&mut [f64; 6]>::try_from(&mut *rest), <&[f64; 6]>::try_from(others)) {
        *rest = std::array::from_fn(|j| rest[j] + others[j]);
        return;
    }
    for (target, source) in rest.iter_mut().zip(others) {
        *target += source;
    }
}

#[cfg(test)]
mod tests;
