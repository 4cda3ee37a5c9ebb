//! A sparse matrix of dense blocks between nodes with a symmetric pattern, to be factored in groups of nodes
//! (`supernodes.rs`), in the order of `elimination.rs`. Of a symmetric matrix only one block of each pair of
//! neighbours is kept: that of the lower one's rows.
//!
//! Storage is kept, and the order too as long as the pattern stays the same.

use crate::linear::elimination::Elimination;
use crate::linear::supernodes::{HALF, Supernodes, WHOLE};

/// The matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix {
    elimination: Elimination,
    /// What is eliminated together.
    pub groups: Supernodes,
    symmetric: bool,
    /// Rows of each node, and their first row.
    pub size: Vec<usize>,
    pub first: Vec<usize>,
    /// `neighbour[start[v]..start[v + 1]]` are the neighbours of v, and where the blocks in row v are.
    start: Vec<usize>,
    neighbour: Vec<(usize, usize)>,
    diagonal_at: Vec<usize>,
    /// The blocks, row-major; of two neighbours, that of the lower one's rows first.
    values: Vec<f64>,
    /// Nodes that are the identity.
    pub idle: Vec<bool>,
    /// Where in the order of elimination each node's rows are, those of idle nodes being left out.
    pub place: Vec<usize>,
    new_size: Vec<usize>,
}

impl BlockMatrix {
    /// The pattern: sizes of the nodes and pairs of neighbours. Returns false when it is there already.
    pub(crate) fn prepare(
        &mut self,
        sizes: impl Iterator<Item = usize>,
        edges: &mut Vec<(usize, usize)>,
        symmetric: bool,
    ) -> bool {
        self.new_size.clear();
        self.new_size.extend(sizes);
        let (nodes, same) = (self.new_size.len(), self.new_size == self.size && symmetric == self.symmetric);
        if !self.elimination.prepare(nodes, edges) && same {
            return false;
        }
        self.symmetric = symmetric;
        self.size.clone_from(&self.new_size);
        self.groups.prepare(&self.elimination, &self.size, if symmetric { HALF } else { WHOLE });
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
        true
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
            let mirrored = if self.symmetric { at } else { at + area };
            for (w, other, block) in [(u, v, at), (v, u, mirrored)] {
                self.neighbour[self.start[w + 1]] = (other, block);
                self.start[w + 1] += 1;
            }
            at = mirrored + area;
        }
        at
    }

    /// Sets all entries to zero.
    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
        self.idle.fill(false);
    }

    /// Makes a node the identity: its blocks must not be written to.
    pub(crate) fn set_idle(&mut self, node: usize) {
        self.idle[node] = true;
    }

    /// True for a node that has rows and is not the identity.
    pub(crate) fn is_active(&self, node: usize) -> bool {
        !self.idle[node] && self.size[node] > 0
    }

    /// Where the block of rows `u` and columns `v` is, row-major. It must be part of the pattern, and u not larger
    /// than v when the matrix is symmetric.
    pub(crate) fn block_at(&self, u: usize, v: usize) -> usize {
        if u == v {
            return self.diagonal_at[u];
        }
        let list = self.neighbours(u);
        list[list.partition_point(|(w, _)| *w < v)].1
    }

    /// The neighbours of a node, each with the block in this node's rows; in a symmetric matrix, that of the lower
    /// one's rows.
    pub(crate) fn neighbours(&self, v: usize) -> &[(usize, usize)] {
        &self.neighbour[self.start[v]..self.start[v + 1]]
    }

    /// All blocks.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// All blocks, to write.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Finds the places of all nodes that are not idle.
    pub(crate) fn place_nodes(&mut self) {
        self.place.clear();
        self.place.resize(self.size.len(), usize::MAX);
        let mut end = 0;
        for &v in self.groups.order.iter().filter(|v| !self.idle[**v]) {
            self.place[v] = end;
            end += self.size[v];
        }
    }

    /// Copies what belongs to each node that is not idle: to the order of elimination, or back.
    pub(crate) fn reorder(&self, given: &mut [f64], placed: &mut [f64], back: bool) {
        for v in (0..self.size.len()).filter(|v| !self.idle[*v]) {
            let given = &mut given[self.first[v]..][..self.size[v]];
            let placed = &mut placed[self.place[v]..][..self.size[v]];
            if back { given.copy_from_slice(placed) } else { placed.copy_from_slice(given) }
        }
    }
}

/// Some rows of a front that follow each other in its parent too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The first of them in the child.
    pub there: usize,
    /// The first of them in the parent.
    pub here: usize,
    pub length: usize,
}

/// Rows of a child that follow each other in its parent too, on the same side of the parent's row p; `local` are the
/// parent's rows of places.
pub(crate) fn list_runs(rows: &[usize], local: &[usize], p: usize, runs: &mut Vec<Run>) {
    for (there, row) in rows.iter().enumerate() {
        let here = local[*row];
        match runs.last_mut() {
            Some(run) if there > 0 && run.here + run.length == here && here != p => run.length += 1,
            _ => runs.push(Run { there, here, length: 1 }),
        }
    }
}
