//! The Jacobian in coordinates of mass one: `J = W^T L` with `M^-1 = L L^T`, so that `A = J J^T`.
//!
//! In these coordinates nothing depends on the units of mass and length any more.

use crate::linear::dense::dot;
use crate::problem::contact::ContactProblem;
use crate::problem::operator::{BlockDiagonal, Jacobian, Part};

/// The most coordinates of a rigid body.
const BODY: usize = 6;

/// `J`, laid out like the Jacobian it comes from. Its nodes are blocks of the mass, or several that no group tells
/// apart: the two of a rigid body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whitened {
    /// `L`, block after block.
    root: Vec<f64>,
    /// Where each block of it starts.
    root_at: Vec<usize>,
    /// First coordinate of each block, and the end.
    start: Vec<usize>,
    /// First coordinate of each node, and the end.
    node: Vec<usize>,
    /// Of each block: some group takes it together with the one before, some group begins or ends with it.
    joined: Vec<(bool, bool)>,
    values: Vec<f64>,
}

impl Whitened {
    /// Computes L and J.
    pub(crate) fn prepare(
        &mut self,
        problem: &ContactProblem,
        inverse_mass: &BlockDiagonal,
        jacobian: &Jacobian,
    ) {
        self.take_root(inverse_mass);
        self.values.clear();
        self.values.resize(jacobian.values.len(), 0.0);
        for group in &problem.groups {
            for part in &jacobian.parts[group.parts()] {
                for r in 0..group.law.rows() {
                    self.whiten(part, part.at + r * part.width, jacobian);
                }
            }
        }
        self.join(problem, jacobian);
    }

    /// Finds the nodes.
    fn join(&mut self, problem: &ContactProblem, jacobian: &Jacobian) {
        self.joined.clear();
        self.joined.resize(self.start.len(), (false, false));
        for part in problem.groups.iter().flat_map(|g| &jacobian.parts[g.parts()]) {
            let blocks = range(&self.start, part);
            (self.joined[blocks.start].1, self.joined[blocks.end].1) = (true, true);
            for block in blocks.skip(1) {
                self.joined[block].0 = true;
            }
        }
        self.node.clear();
        for (start, (together, edge)) in self.start.iter().zip(&self.joined) {
            if !together || *edge {
                self.node.push(*start);
            }
        }
    }

    /// `L` by Cholesky; a coordinate of infinite mass has a zero column.
    fn take_root(&mut self, inverse_mass: &BlockDiagonal) {
        self.root.clear();
        self.root_at.clear();
        self.start.clear();
        for block in inverse_mass.blocks() {
            let (n, at) = (block.size, self.root.len());
            self.start.push(block.start);
            self.root_at.push(at);
            self.root.extend_from_slice(inverse_mass.values(*block));
            let l = &mut self.root[at..];
            for j in 0..n {
                let given = l[j * n + j];
                let pivot = given - (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum::<f64>();
                let root = if pivot > 1e-15 * given { pivot.sqrt() } else { 0.0 };
                l[j * n + j] = root;
                let (above, below) = l.split_at_mut((j + 1) * n);
                let own = &mut above[j * n..];
                own[j + 1..].fill(0.0);
                let own = &own[..j];
                let scaled = |given: f64, sum: f64| if root > 0.0 { (given - sum) / root } else { 0.0 };
                let mut rows = below[..(n - j - 1) * n].chunks_exact_mut(4 * n);
                for rows in &mut rows {
                    // four rows at once: each sum on its own would wait for its last product
                    let [a, b, c, d] = [0, 1, 2, 3].map(|r| &rows[r * n..r * n + j]);
                    let mut sums = [0.0; 4];
                    for ((((x, a), b), c), d) in own.iter().zip(a).zip(b).zip(c).zip(d) {
                        sums[0] += a * x;
                        sums[1] += b * x;
                        sums[2] += c * x;
                        sums[3] += d * x;
                    }
                    (0..4).for_each(|r| rows[r * n + j] = scaled(rows[r * n + j], sums[r]));
                }
                for row in rows.into_remainder().chunks_exact_mut(n) {
                    row[j] = scaled(row[j], dot(&row[..j], own));
                }
            }
        }
        self.start.push(inverse_mass.len());
    }

    /// One row of J, the one whose values start at `at`.
    fn whiten(&mut self, part: &Part, at: usize, jacobian: &Jacobian) {
        for node in range(&self.start, part) {
            let first = at + self.start[node] - part.start;
            let n = self.start[node + 1] - self.start[node];
            let root = &self.root[self.root_at[node]..self.root_at[node] + n * n];
            for i in 0..n {
                // rows of a mechanism have entries on the way to its root only
                let entry = jacobian.values[first + i];
                if n <= BODY || entry != 0.0 {
                    let values = &mut self.values[first..=first + i];
                    values.iter_mut().zip(&root[i * n..]).for_each(|(v, l)| *v += entry * l);
                }
            }
        }
    }

    /// Number of coordinates of each node.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.node.windows(2).map(|w| w[1] - w[0])
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.node.len() - 1
    }

    /// The nodes a part touches.
    pub(crate) fn nodes(&self, part: &Part) -> std::ops::Range<usize> {
        range(&self.node, part)
    }

    /// The coordinates of a node.
    pub(crate) fn coordinates(&self, node: usize) -> std::ops::Range<usize> {
        self.node[node]..self.node[node + 1]
    }

    /// The values of a part with the given number of rows, row-major.
    pub(crate) fn values(&self, part: &Part, rows: usize) -> &[f64] {
        &self.values[part.at..part.at + rows * part.width]
    }

    /// All values, laid out like the Jacobian's.
    pub(crate) fn all_values(&self) -> &[f64] {
        &self.values
    }
}

/// Which of the ranges with these first coordinates a part touches.
fn range(start: &[usize], part: &Part) -> std::ops::Range<usize> {
    let at = |coordinate| start.partition_point(|s| *s < coordinate);
    at(part.start)..at(part.start + part.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::problem::contact::Group;
    use crate::problem::operator::Operator;

    #[test]
    fn blocks_are_one_node_when_no_group_tells_them_apart() {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        for size in [1, 2, 1, 2, 1, 2, 1, 2] {
            inverse_mass.push(size, &[1.0, 0.0, 0.0, 1.0][..size * size]);
        }
        // the first two together, the next two both so and apart, the others by nobody
        for (start, width) in [(0, 3), (3, 3), (3, 1)] {
            jacobian.push(start, width, &vec![1.0; width]);
        }
        let group = |c| Group { law: Law::Unilateral, first_row: c, first_part: c, end_part: c + 1 };
        let operator = Operator::Factored { inverse_mass: inverse_mass.clone(), jacobian: jacobian.clone() };
        let problem = ContactProblem {
            groups: (0..3).map(group).collect(),
            q: vec![0.0; 3],
            operator,
            ..Default::default()
        };
        let mut whitened = Whitened::default();
        whitened.prepare(&problem, &inverse_mass, &jacobian);
        assert_eq!(whitened.sizes().collect::<Vec<_>>(), [3, 1, 2, 1, 2, 1, 2]);
        assert_eq!(whitened.nodes(&jacobian.parts[1]), 1..3);
        assert_eq!(whitened.node_count(), 7);
    }
}
