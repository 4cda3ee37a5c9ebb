//! The Jacobian in coordinates of mass one: `J = W^T L` with `M^-1 = L L^T`, so that `A = J J^T`.
//!
//! In these coordinates nothing depends on the units of mass and length any more.

use crate::problem::contact::ContactProblem;
use crate::problem::operator::{BlockDiagonal, Jacobian, Part};

/// `J`, laid out like the Jacobian it comes from. Blocks of the mass are its nodes.
#[derive(Clone, Debug, Default)]
pub struct Whitened {
    /// `L`, block after block.
    root: Vec<f64>,
    /// Where each block of it starts.
    root_at: Vec<usize>,
    /// First coordinate of each node, and the end.
    start: Vec<usize>,
    values: Vec<f64>,
}

impl Whitened {
    /// Computes L and J.
    pub fn prepare(&mut self, problem: &ContactProblem, inverse_mass: &BlockDiagonal, jacobian: &Jacobian) {
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
                for i in j + 1..n {
                    let sum = l[i * n + j] - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f64>();
                    l[i * n + j] = if root > 0.0 { sum / root } else { 0.0 };
                    l[j * n + i] = 0.0;
                }
            }
        }
        self.start.push(inverse_mass.len());
    }

    /// One row of J, the one whose values start at `at`.
    fn whiten(&mut self, part: &Part, at: usize, jacobian: &Jacobian) {
        for node in self.nodes(part) {
            let first = at + self.start[node] - part.start;
            let n = self.start[node + 1] - self.start[node];
            let root = &self.root[self.root_at[node]..self.root_at[node] + n * n];
            for i in 0..n {
                for j in 0..=i {
                    self.values[first + j] += jacobian.values[first + i] * root[i * n + j];
                }
            }
        }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.root_at.len()
    }

    /// The nodes a part touches.
    pub fn nodes(&self, part: &Part) -> std::ops::Range<usize> {
        let node = |coordinate| self.start.partition_point(|s| *s < coordinate);
        node(part.start)..node(part.start + part.width)
    }

    /// The values of a part with the given number of rows, row-major.
    pub fn values(&self, part: &Part, rows: usize) -> &[f64] {
        &self.values[part.at..part.at + rows * part.width]
    }
}
