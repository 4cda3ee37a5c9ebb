//! The elimination order of a sparse symmetric pattern and its fill, by the heuristic of minimum mean local fill.
//!
//! When a node is eliminated, its neighbours become a clique; the neighbours it had are the pattern of its column of
//! the factor. Next is the node for which
//!
//! ```text
//! pairs of its neighbours that are not neighbours / (number of its neighbours + 1)
//! ```
//!
//! is least, the lower degree and then the lower number first among equals. Pairs are counted again only for
//! neighbours of the node eliminated last: for others their number can but have become less. In piles of 1000 balls
//! this saves about a fifth of the work of minimum degree. Where a large pattern has a small separator
//! (`separator.rs`), its nodes are eliminated last, so that the halves can be eliminated at the same time; two
//! threads then make the orders of the halves, each as if there were no other half. The result is kept as long as the
//! pattern stays the same. Reference: E. Rothberg, S. Eisenstat, SIAM J. Matrix Anal. Appl. 19, 1998.

use crate::halves::both;
use crate::linear::separator::Separator;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An elimination order with its fill.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
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
    /// The neighbours of each node, those last that were neighbours of the last node to go that was a neighbour of
    /// it: its set, numbered in order from 1.
    neighbours: Vec<Vec<usize>>,
    set: Vec<usize>,
    /// How many of its neighbours are not in its set.
    outside: Vec<usize>,
    /// How many pairs of its neighbours are not neighbours, or were not when that was counted last.
    missing: Vec<usize>,
    /// The quotient, as bits that are ordered like it, and the number of neighbours.
    key: Vec<(u64, usize)>,
    separator: Separator,
    queue: BinaryHeap<Reverse<((u64, usize), usize)>>,
    /// How many of the set at hand are neighbours of each node outside.
    touching: Vec<usize>,
    /// Number of nodes of each set in the list at hand.
    tally: Vec<usize>,
    /// Nodes of which a list was made last.
    mark: Vec<usize>,
    lists: usize,
    /// The two halves, each with the nodes between them, and these alone.
    pieces: Option<Box<[Piece; 3]>>,
    local: Vec<usize>,
}

/// Some nodes of a pattern, in order of their numbers, as a pattern of their own.
#[derive(Clone, Debug, Default)]
struct Piece {
    nodes: Vec<usize>,
    elimination: Elimination,
}

impl Elimination {
    /// Makes the order for `nodes` nodes and the pairs in `edges` (in any order, sorted here). Returns false when it
    /// is there already.
    pub(crate) fn prepare(&mut self, nodes: usize, edges: &mut Vec<(usize, usize)>) -> bool {
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
        self.separator.find(&self.neighbours[..nodes]);
        if self.separator.within.contains(&true) {
            self.eliminate_halves(nodes);
        } else {
            self.eliminate(nodes);
        }
        self.collect(nodes);
        true
    }

    /// Eliminates the two halves, each with what lies between them, and then that.
    fn eliminate_halves(&mut self, nodes: usize) {
        let mut pieces = self.pieces.take().unwrap_or_default();
        let [low, high, top] = &mut *pieces;
        let within = &self.separator.within;
        let half = |v: usize, low: bool| within[v] || self.separator.is_low(v) == low;
        low.choose((0..nodes).filter(|v| half(*v, true)), within);
        high.choose((0..nodes).filter(|v| half(*v, false)), within);
        top.choose((0..nodes).filter(|v| within[*v]), within);
        for piece in [&mut *low, &mut *high] {
            piece.take_neighbours(&self.neighbours, &mut self.local);
        }
        both(
            true,
            || high.elimination.eliminate(high.nodes.len()),
            || low.elimination.eliminate(low.nodes.len()),
        );
        // what both leave between them
        top.number(nodes, &mut self.local);
        for piece in [&*low, &*high] {
            for (k, v) in piece.nodes.iter().enumerate().filter(|(_, v)| within[**v]) {
                let left = piece.elimination.neighbours[k].iter().map(|u| self.local[piece.nodes[*u]]);
                top.elimination.neighbours[self.local[*v]].extend(left);
            }
        }
        for list in &mut top.elimination.neighbours[..top.nodes.len()] {
            list.sort_unstable();
            list.dedup();
        }
        top.elimination.separator.within.fill(false);
        top.elimination.eliminate(top.nodes.len());
        self.order.clear();
        self.position.clear();
        self.position.resize(nodes, usize::MAX);
        for piece in [&*low, &*high, &*top] {
            for &k in &piece.elimination.order {
                let v = piece.nodes[k];
                self.position[v] = self.order.len();
                self.order.push(v);
                self.neighbours[v].clear();
                self.neighbours[v].extend(piece.elimination.neighbours[k].iter().map(|u| piece.nodes[*u]));
            }
        }
        self.pieces = Some(pieces);
    }

    /// Eliminates all nodes but those of the separator, or all if there is none else.
    fn eliminate(&mut self, nodes: usize) {
        self.order.clear();
        self.position.clear();
        self.position.resize(nodes, usize::MAX);
        for list in [
            &mut self.set,
            &mut self.outside,
            &mut self.missing,
            &mut self.touching,
            &mut self.tally,
            &mut self.mark,
        ] {
            list.clear();
            list.resize(nodes + 1, 0);
        }
        self.lists = 0;
        self.key.clear();
        self.key.resize(nodes, (u64::MAX, 0));
        self.queue.clear();
        for v in 0..nodes {
            self.outside[v] = self.neighbours[v].len();
        }
        for v in 0..nodes {
            if self.neighbours[v].is_empty() && !self.separator.within[v] {
                // before all others
                self.position[v] = self.order.len();
                self.order.push(v);
                continue;
            }
            self.missing[v] = self.count_missing(v, 0);
            self.put(v);
        }
        while let Some(Reverse((key, v))) = self.queue.pop() {
            if self.position[v] != usize::MAX || key != self.key[v] {
                continue;
            }
            if self.separator.within[v] {
                break;
            }
            self.position[v] = self.order.len();
            self.order.push(v);
            self.leave(v);
        }
    }

    /// Makes the neighbours of v neighbours of each other instead of v.
    fn leave(&mut self, v: usize) {
        let around = std::mem::take(&mut self.neighbours[v]);
        if self.missing[v] == 0 {
            // they are already
            for &u in &around {
                let list = &mut self.neighbours[u];
                let before = list.len().min(self.outside[u]);
                self.outside[u] -= usize::from(list[..before].contains(&v));
                list.retain(|w| *w != v);
                self.missing[u] -= list.len() + 1 - around.len();
                self.put(u);
            }
            self.neighbours[v] = around;
            return;
        }
        around.iter().for_each(|u| self.set[*u] = self.order.len());
        for &u in &around {
            let (list, set) = (&mut self.neighbours[u], &self.set);
            list.retain(|w| set[*w] != set[u] && *w != v);
            list.iter().for_each(|w| self.touching[*w] += 1);
            self.outside[u] = list.len();
            list.extend(around.iter().filter(|w| **w != u));
        }
        for &u in &around {
            self.missing[u] = self.count_missing(u, around.len());
            self.put(u);
        }
        for &u in &around {
            self.neighbours[u][..self.outside[u]].iter().for_each(|w| self.touching[*w] = 0);
        }
        self.neighbours[v] = around;
    }

    /// Puts a node in the queue anew.
    fn put(&mut self, u: usize) {
        let degree = self.neighbours[u].len();
        let mean = self.missing[u] as f64 / (degree + 1) as f64;
        // bits of numbers that are not negative are ordered like the numbers
        let last = u64::from(self.separator.within[u]) << 63;
        let key = (mean.to_bits() | last, degree);
        if key != self.key[u] {
            self.key[u] = key;
            self.queue.push(Reverse((key, u)));
        }
    }

    /// The pairs of neighbours that are not neighbours, of a node in a set of the given size.
    fn count_missing(&mut self, u: usize, size: usize) -> usize {
        let outside = &self.neighbours[u][..self.outside[u]];
        self.lists += 1;
        outside.iter().for_each(|w| self.mark[*w] = self.lists);
        let (mut pairs, mut missing) = (0, 0);
        for (k, &w) in outside.iter().enumerate() {
            missing += size - self.touching[w] + k;
            // neighbours in the same set, or those of earlier sets: of two nodes, the one of the later set has the
            // other outside
            let own = self.set[w];
            if own > 0 {
                pairs += self.tally[own];
                self.tally[own] += 1;
            }
            for &x in &self.neighbours[w][..self.outside[w]] {
                pairs += usize::from(self.mark[x] == self.lists && (self.set[x], x) < (own, w));
            }
        }
        outside.iter().for_each(|w| self.tally[self.set[*w]] = 0);
        missing - pairs
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

impl Piece {
    /// Takes these nodes; those of the separator are left when the others have gone.
    fn choose(&mut self, nodes: impl Iterator<Item = usize>, separator: &[bool]) {
        self.nodes.clear();
        self.nodes.extend(nodes);
        let (lists, within) = (&mut self.elimination.neighbours, &mut self.elimination.separator.within);
        lists.iter_mut().for_each(Vec::clear);
        lists.resize_with(self.nodes.len().max(lists.len()), Vec::new);
        within.clear();
        within.extend(self.nodes.iter().map(|v| separator[*v]));
    }

    /// Numbers its nodes, of all there are.
    fn number(&self, all: usize, local: &mut Vec<usize>) {
        local.clear();
        local.resize(all, usize::MAX);
        self.nodes.iter().enumerate().for_each(|(k, v)| local[*v] = k);
    }

    /// Makes those neighbours that are among its nodes.
    fn take_neighbours(&mut self, neighbours: &[Vec<usize>], local: &mut Vec<usize>) {
        self.number(neighbours.len(), local);
        for (list, v) in self.elimination.neighbours.iter_mut().zip(&self.nodes) {
            list.extend(neighbours[*v].iter().map(|u| local[*u]).filter(|k| *k != usize::MAX));
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

    #[test]
    fn what_does_not_fill_in_goes_first() {
        // a clique of four, and a ring of five with fewer neighbours each
        let mut edges = vec![(5, 6), (5, 7), (5, 8), (6, 7), (6, 8), (7, 8)];
        edges.extend((0..5).map(|i| (i.min((i + 1) % 5), i.max((i + 1) % 5))));
        let mut elimination = Elimination::default();
        elimination.prepare(9, &mut edges);
        let mut first = elimination.order[..4].to_vec();
        first.sort_unstable();
        assert_eq!(first, [5, 6, 7, 8]);
    }

    /// Eliminates node after node in the order found, and compares what fills in.
    fn check_pattern(elimination: &Elimination, n: usize, edges: &[(usize, usize)]) {
        let mut adjacent = vec![false; n * n];
        for &(u, v) in edges {
            (adjacent[u * n + v], adjacent[v * n + u]) = (true, true);
        }
        assert_eq!(elimination.order.len(), n);
        for (k, &v) in elimination.order.iter().enumerate() {
            assert_eq!(elimination.position[v], k);
            let later = &elimination.order[k + 1..];
            let around: Vec<usize> = later.iter().copied().filter(|u| adjacent[v * n + u]).collect();
            assert_eq!(elimination.later[elimination.start[v]..elimination.start[v + 1]], around);
            for &u in &around {
                around.iter().filter(|w| **w != u).for_each(|w| adjacent[u * n + w] = true);
            }
        }
    }

    #[test]
    fn the_pattern_is_that_of_the_elimination() {
        let n = 60;
        for spread in [7, 11, 29] {
            let mut edges: Vec<_> = (0..130).map(|k| (k * k % n, (k * spread + 1) % n)).collect();
            edges.retain(|(u, v)| u < v);
            let mut elimination = Elimination::default();
            elimination.prepare(n, &mut edges);
            check_pattern(&elimination, n, &edges);
        }
    }

    #[test]
    fn halves_are_eliminated_apart_and_the_pattern_is_that_of_the_whole() {
        // a long grid with shortcuts, and a few nodes that nothing joins to it; twice, with other shortcuts
        let mut elimination = Elimination::default();
        for spread in [7, 5] {
            let (width, n) = (6, 2460);
            let mut edges: Vec<_> = (0..2400).filter(|v| v % width < width - 1).map(|v| (v, v + 1)).collect();
            edges.extend((0..2400 - width).map(|v| (v, v + width)));
            edges.extend((0..2370).filter(|v| v % spread == 0).map(|v| (v, v + 4 * spread)));
            edges.extend((2400..2450).map(|v| (v, v + 3)));
            elimination.prepare(n, &mut edges);
            assert!(elimination.separator.within.contains(&true));
            check_pattern(&elimination, n, &edges);
            let between = elimination.separator.within.iter().filter(|w| **w).count();
            let last = &elimination.order[n - between..];
            assert!(last.iter().all(|v| elimination.separator.within[*v]));
        }
    }
}
