//! A vertex separator: a few nodes of a graph without which its largest component falls into two halves.
//!
//! Levels are the sets of nodes at the same distance from one that is far from all others. Between two levels in the
//! middle, the separator is a smallest set of nodes that touches every edge between them: by König's theorem as many
//! as the edges of a largest matching, and what alternating paths from unmatched nodes of the lower level reach tells
//! which. Reference: A. Pothen, C.-J. Fan, ACM TOMS 16, 1990.

use std::collections::VecDeque;

/// Parts with fewer nodes are not separated, and neither are those of which more than one in so many would separate
/// the others.
const FEWEST: usize = 2000;
const MOST: usize = 30;
/// A level may not be wider: a node that is matched moves at most that many others, each by a call of a function
/// within another.
const WIDEST: usize = 2000;

/// The separator, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Separator {
    /// Whether each node is part of it.
    pub within: Vec<bool>,
    level: Vec<usize>,
    /// The level before the cut.
    middle: usize,
    reached: Vec<usize>,
    queue: VecDeque<usize>,
    partner: Vec<usize>,
    seen: Vec<bool>,
}

/// No level, no partner.
const NONE: usize = usize::MAX;

impl Separator {
    /// Finds it for the neighbours of each node; it is empty where it would not help.
    pub(crate) fn find(&mut self, neighbours: &[Vec<usize>]) {
        let nodes = neighbours.len();
        for list in [&mut self.level, &mut self.partner] {
            list.clear();
            list.resize(nodes, NONE);
        }
        self.within.clear();
        self.within.resize(nodes, false);
        if nodes < FEWEST {
            return;
        }
        let Some(start) = self.largest_part(neighbours) else { return };
        // from anywhere to a node far away, and from that one
        for from in [Some(start), None] {
            let from = from.unwrap_or_else(|| *self.reached.last().unwrap_or(&start));
            self.reached.iter().for_each(|v| self.level[*v] = NONE);
            self.spread(neighbours, from);
        }
        let middle = self.level[self.reached[self.reached.len() / 2]];
        if self.reached.iter().filter(|v| self.level[**v] == middle).count() > WIDEST {
            return;
        }
        self.middle = middle;
        let size = self.cover(neighbours, middle);
        if size * MOST > self.reached.len() {
            self.within.fill(false);
        }
    }

    /// Whether a node that is not part of it is on the lower side of it. All nodes of other connected parts of the
    /// graph are on the upper.
    pub(crate) fn is_low(&self, node: usize) -> bool {
        self.level[node] <= self.middle
    }

    /// A node of the largest connected part that is large enough.
    fn largest_part(&mut self, neighbours: &[Vec<usize>]) -> Option<usize> {
        let mut largest = (FEWEST - 1, None);
        for v in 0..neighbours.len() {
            if self.level[v] == NONE {
                self.spread(neighbours, v);
                if self.reached.len() > largest.0 {
                    largest = (self.reached.len(), Some(v));
                }
            }
        }
        self.level.fill(NONE);
        self.reached.clear();
        largest.1
    }

    /// The levels of all nodes that can be reached from one.
    fn spread(&mut self, neighbours: &[Vec<usize>], from: usize) {
        self.reached.clear();
        self.queue.clear();
        self.queue.push_back(from);
        self.level[from] = 0;
        while let Some(v) = self.queue.pop_front() {
            self.reached.push(v);
            for &u in &neighbours[v] {
                if self.level[u] == NONE {
                    self.level[u] = self.level[v] + 1;
                    self.queue.push_back(u);
                }
            }
        }
    }

    /// Makes the separator a smallest set that touches all edges between a level and the next. Returns its size.
    fn cover(&mut self, neighbours: &[Vec<usize>], low: usize) -> usize {
        let lower: Vec<usize> = self.reached.iter().copied().filter(|v| self.level[*v] == low).collect();
        self.seen.clear();
        self.seen.resize(neighbours.len(), false);
        let mut size = 0;
        for &v in &lower {
            self.seen.fill(false);
            size += usize::from(self.augment(neighbours, v));
        }
        // what alternating paths from unmatched nodes reach
        self.seen.fill(false);
        for &v in &lower {
            if self.partner[v] == NONE {
                self.augment(neighbours, v);
            }
        }
        for &v in &lower {
            let reached = self.partner[v] == NONE || self.seen[self.partner[v]];
            self.within[v] = !reached;
        }
        for &v in self.reached.iter().filter(|v| self.level[**v] == low + 1) {
            self.within[v] = self.seen[v];
        }
        size
    }

    /// Matches a node of the lower level, others being matched anew where that is necessary. Nodes of the upper level
    /// that were tried are `seen`.
    fn augment(&mut self, neighbours: &[Vec<usize>], v: usize) -> bool {
        for &u in &neighbours[v] {
            if self.level[u] != self.level[v] + 1 || std::mem::replace(&mut self.seen[u], true) {
                continue;
            }
            if self.partner[u] == NONE || self.augment(neighbours, self.partner[u]) {
                (self.partner[u], self.partner[v]) = (v, u);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The neighbours of a grid.
    fn grid(length: usize, width: usize) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); length * width];
        for v in 0..length * width {
            for u in [v + 1, v + width] {
                if u < length * width && (u == v + width || u % width > 0) {
                    neighbours[v].push(u);
                    neighbours[u].push(v);
                }
            }
        }
        neighbours
    }

    #[test]
    fn a_long_grid_falls_into_two_halves() {
        let neighbours = grid(300, 8);
        let mut separator = Separator::default();
        separator.find(&neighbours);
        let size = separator.within.iter().filter(|w| **w).count();
        assert!((1..=8).contains(&size), "{size}");
        // from the first node, without the separator
        let mut reached = vec![false; 2400];
        let mut open = vec![0];
        while let Some(v) = open.pop() {
            if !separator.within[v] && !std::mem::replace(&mut reached[v], true) {
                open.extend(&neighbours[v]);
            }
        }
        let half = reached.iter().filter(|r| **r).count();
        assert!((1000..1400).contains(&half), "{half}");
    }

    #[test]
    fn small_parts_and_those_without_a_small_separator_are_left_alone() {
        let mut separator = Separator::default();
        separator.find(&grid(200, 8));
        assert!(separator.within.iter().all(|w| !w));
        // everything is next to everything
        let all: Vec<Vec<usize>> = (0..2100).map(|v| (0..2100).filter(|u| *u != v).collect()).collect();
        separator.find(&all);
        assert!(separator.within.iter().all(|w| !w));
        // 2500 threads between two ends: a level too wide to look at
        let mut threads = vec![Vec::new(); 2 + 2 * 2500];
        for k in 1..=2500 {
            for (u, v) in [(0, k), (k, 2500 + k), (2500 + k, 5001)] {
                threads[u].push(v);
                threads[v].push(u);
            }
        }
        separator.find(&threads);
        assert!(separator.within.iter().all(|w| !w));
    }
}
