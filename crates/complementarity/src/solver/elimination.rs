//! In which order to eliminate the nodes of a sparse symmetric pattern, and what fills in: minimum degree.
//!
//! The node with the fewest neighbours goes next, the lower number first among equals; its neighbours become
//! neighbours of each other. What it had as neighbours then is the pattern of its column of the factor. The result
//! is kept as long as the pattern stays the same. Reference: A. George, J. Liu, SIAM Review 31, 1989.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An elimination order with its fill.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// Pairs of neighbours `(low, high)`, sorted: what the order was made for.
    edges: Vec<(usize, usize)>,
    /// Nodes in order.
    pub order: Vec<usize>,
    /// Where in the order each node is.
    pub position: Vec<usize>,
    /// `later[start[v]..start[v + 1]]` are the neighbours of v when it goes, by position.
    pub start: Vec<usize>,
    /// See `start`.
    pub later: Vec<usize>,
    neighbours: Vec<Vec<usize>>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    merged: Vec<usize>,
}

impl Elimination {
    /// Makes the order for `nodes` nodes and the pairs in `edges` (in any order, sorted here). Returns false when it
    /// is there already.
    pub fn prepare(&mut self, nodes: usize, edges: &mut Vec<(usize, usize)>) -> bool {
        edges.sort_unstable();
        edges.dedup();
        if self.order.len() == nodes && self.edges == *edges {
            return false;
        }
        self.edges.clone_from(edges);
        self.neighbours.iter_mut().for_each(Vec::clear);
        self.neighbours.resize_with(nodes.max(self.neighbours.len()), Vec::new);
        for &(u, v) in &self.edges {
            self.neighbours[u].push(v);
            self.neighbours[v].push(u);
        }
        self.neighbours.iter_mut().for_each(|n| n.sort_unstable());
        self.eliminate(nodes);
        self.collect(nodes);
        true
    }

    fn eliminate(&mut self, nodes: usize) {
        self.order.clear();
        self.position.clear();
        self.position.resize(nodes, usize::MAX);
        self.queue.clear();
        self.queue.extend((0..nodes).map(|v| Reverse((self.neighbours[v].len(), v))));
        while let Some(Reverse((degree, v))) = self.queue.pop() {
            if self.position[v] != usize::MAX || degree != self.neighbours[v].len() {
                continue;
            }
            self.position[v] = self.order.len();
            self.order.push(v);
            let around = std::mem::take(&mut self.neighbours[v]);
            for &u in &around {
                merge(&self.neighbours[u], &around, (u, v), &mut self.merged);
                std::mem::swap(&mut self.neighbours[u], &mut self.merged);
                self.queue.push(Reverse((self.neighbours[u].len(), u)));
            }
            self.neighbours[v] = around;
        }
    }

    fn collect(&mut self, nodes: usize) {
        self.start.clear();
        self.later.clear();
        self.start.push(0);
        for v in 0..nodes {
            let first = self.later.len();
            self.later.extend_from_slice(&self.neighbours[v]);
            let position = &self.position;
            self.later[first..].sort_unstable_by_key(|u| position[*u]);
            self.start.push(self.later.len());
        }
    }
}

/// The union of two sorted lists without two nodes.
fn merge(a: &[usize], b: &[usize], without: (usize, usize), out: &mut Vec<usize>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (Some(x), None) | (None, Some(x)) => *x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if next != without.0 && next != without.1 {
            out.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_eliminated_from_its_leaves_without_fill() {
        let mut elimination = Elimination::default();
        let mut edges = vec![(0, 1), (0, 2), (0, 3), (0, 4)];
        assert!(elimination.prepare(5, &mut edges));
        assert_eq!(elimination.later.len(), 4);
        assert_eq!(&elimination.order[..3], &[1, 2, 3]);
        assert!(!elimination.prepare(5, &mut edges));
    }

    #[test]
    fn a_ring_fills_in_once_per_node() {
        let mut elimination = Elimination::default();
        let mut edges: Vec<_> = (0..6).map(|i| (i.min((i + 1) % 6), i.max((i + 1) % 6))).collect();
        elimination.prepare(6, &mut edges);
        assert_eq!(elimination.later.len(), 6 + 3);
    }
}
