//! Supernodes: nodes that are eliminated together, as one dense *frontal matrix*. A node is amalgamated with its
//! parent, the first of its later neighbours, when that costs less than to eliminate it alone.
//!
//! A front with p rows to eliminate and q rows of later neighbours takes about
//!
//! ```text
//! T(p, q) = (p^3 / 3 + p^2 q + p q^2) a + (p^2 / 2 + p q) b + (q^2 / 2) c + d,              (1)
//! ```
//!
//! for the operations, the entries kept, which every solve reads, what is handed on to the next front (in one half of
//! a symmetric matrix), and a constant. A group is made part of the next when T of both as one front is not more than
//! the sum. Groups are in an order in which each comes after all that hand on to it (its children) and what these
//! need, with nothing in between. Reference: J. Liu, SIAM Review 34, 1992.

use crate::linear::elimination::Elimination;

/// Rough nanoseconds per operation, per entry kept, per entry handed on, per front: a, b, c, d of eq. (1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost([f64; 4]);

/// With row interchanges (`fronts.rs`), both halves. A larger d joins stacks of boxes too, which was no quicker.
pub(crate) const WHOLE: Cost = Cost([0.18, 2.0, 2.4, 150.0]);
/// With Cholesky's method (`cholesky_fronts.rs`).
pub(crate) const HALF: Cost = Cost([0.05, 2.0, 2.4, 500.0]);

/// The groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supernodes {
    /// The nodes, group by group, and where each group starts.
    pub order: Vec<usize>,
    start: Vec<usize>,
    /// The later neighbours of each group, in order, and where they start.
    rows: Vec<usize>,
    row_start: Vec<usize>,
    /// How many groups hand on to each.
    pub children: Vec<usize>,
    position: Vec<usize>,
    groups: Vec<Group>,
    stack: Vec<(usize, bool)>,
}

/// A group, under the number of its last node.
#[derive(Clone, Debug, Default)]
struct Group {
    /// Rows to eliminate, rows of later neighbours.
    p: f64,
    q: f64,
    nodes: Vec<usize>,
    children: Vec<usize>,
}

impl Cost {
    /// Eq. (1).
    fn of(&self, p: f64, q: f64) -> f64 {
        let [a, b, c, d] = self.0;
        a * p * (p * p / 3.0 + q * (p + q)) + b * p * (0.5 * p + q) + 0.5 * c * q * q + d
    }
}

impl Supernodes {
    /// Makes the groups for an order of elimination and the nodes' numbers of rows.
    pub(crate) fn prepare(&mut self, elimination: &Elimination, sizes: &[usize], cost: Cost) {
        let nodes = sizes.len();
        self.groups.resize_with(nodes.max(self.groups.len()), Group::default);
        for group in &mut self.groups {
            group.children.clear();
            group.nodes.clear();
        }
        self.stack.clear();
        for &v in &elimination.order {
            let later = &elimination.later[elimination.start[v]..elimination.start[v + 1]];
            self.groups[v].p = sizes[v] as f64;
            self.groups[v].q = later.iter().map(|u| sizes[*u] as f64).sum();
            self.join(v, cost);
            match later.first() {
                Some(parent) => self.groups[*parent].children.push(v),
                None => self.stack.push((v, false)),
            }
        }
        self.stack.reverse();
        self.collect(elimination);
    }

    /// The nodes of a group.
    pub(crate) fn nodes(&self, s: usize) -> &[usize] {
        &self.order[self.start[s]..self.start[s + 1]]
    }

    /// The later neighbours of a group, in order.
    pub(crate) fn later(&self, s: usize) -> &[usize] {
        &self.rows[self.row_start[s]..self.row_start[s + 1]]
    }

    /// Makes those children part of group v that are better there.
    fn join(&mut self, v: usize, cost: Cost) {
        let mut children = std::mem::take(&mut self.groups[v].children);
        let mut nodes = std::mem::take(&mut self.groups[v].nodes);
        children.sort_unstable_by(|a, b| self.groups[*b].q.total_cmp(&self.groups[*a].q).then(a.cmp(b)));
        let before = children.len();
        for k in 0..before {
            let (own, child) = (&self.groups[v], &self.groups[children[k]]);
            let apart = cost.of(own.p, own.q) + cost.of(child.p, child.q);
            if cost.of(own.p + child.p, own.q) <= apart {
                self.groups[v].p += child.p;
                let mut child = std::mem::take(&mut self.groups[children[k]]);
                nodes.append(&mut child.nodes);
                children.append(&mut child.children);
                self.groups[children[k]] = child;
                children[k] = usize::MAX;
            }
        }
        children.retain(|c| *c != usize::MAX);
        nodes.push(v);
        self.groups[v].children = children;
        self.groups[v].nodes = nodes;
    }

    /// Lists the groups, children first.
    fn collect(&mut self, elimination: &Elimination) {
        for list in
            [&mut self.order, &mut self.start, &mut self.rows, &mut self.row_start, &mut self.children]
        {
            list.clear();
        }
        self.start.push(0);
        self.row_start.push(0);
        while let Some((v, ready)) = self.stack.pop() {
            let group = &self.groups[v];
            if !ready {
                self.stack.push((v, true));
                self.stack.extend(group.children.iter().rev().map(|c| (*c, false)));
                continue;
            }
            self.order.extend_from_slice(&group.nodes);
            self.start.push(self.order.len());
            self.rows.extend_from_slice(&elimination.later[elimination.start[v]..elimination.start[v + 1]]);
            self.row_start.push(self.rows.len());
            self.children.push(group.children.len());
        }
        self.position.clear();
        self.position.resize(self.order.len(), 0);
        for (k, v) in self.order.iter().enumerate() {
            self.position[*v] = k;
        }
        for w in self.row_start.windows(2) {
            self.rows[w[0]..w[1]].sort_unstable_by_key(|u| self.position[*u]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(nodes: usize, size: usize, edges: &mut Vec<(usize, usize)>) -> Supernodes {
        let mut elimination = Elimination::default();
        elimination.prepare(nodes, edges);
        let mut groups = Supernodes::default();
        groups.prepare(&elimination, &vec![size; nodes], WHOLE);
        groups
    }

    #[test]
    fn nodes_that_are_all_neighbours_are_one_group() {
        let mut edges = (0..8).flat_map(|u| (u + 1..8).map(move |v| (u, v))).collect();
        let groups = groups(8, 6, &mut edges);
        assert_eq!(groups.children, [0]);
        assert_eq!((groups.nodes(0).len(), groups.later(0).len()), (8, 0));
    }

    #[test]
    fn each_group_follows_its_children_and_has_its_neighbours_behind_it() {
        // a grid of 20 x 20 large blocks: too much to be one group
        let mut edges: Vec<_> = (0..400).filter(|k| k % 20 < 19).map(|k| (k, k + 1)).collect();
        edges.extend((0..380).map(|k| (k, k + 20)));
        let groups = groups(400, 6, &mut edges);
        let number = groups.children.len();
        assert!((20..300).contains(&number), "{number}");
        let mut order = groups.order.clone();
        order.sort_unstable();
        assert!(order.into_iter().eq(0..400));
        let mut pending = Vec::new();
        for s in 0..number {
            // what a child hands on is part of its parent
            for _ in 0..groups.children[s] {
                let child: usize = pending.pop().unwrap();
                let is_here = |v: &usize| groups.nodes(s).contains(v) || groups.later(s).contains(v);
                assert!(groups.later(child).iter().all(is_here));
                assert!(groups.nodes(s).contains(&groups.later(child)[0]));
            }
            let places: Vec<usize> = groups.later(s).iter().map(|v| groups.position[*v]).collect();
            assert!(places.is_sorted() && places.iter().all(|k| *k >= groups.start[s + 1]));
            pending.push(s);
        }
        assert!(pending.iter().all(|s| groups.later(*s).is_empty()));
    }
}
