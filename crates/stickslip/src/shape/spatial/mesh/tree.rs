//! The tree of boxes that a mesh's triangles are found by.

use super::{Data, TriangleMesh};
use nalgebra::Vector3;

/// Triangles of a leaf of the tree.
const LEAF: usize = 4;

/// A box of the tree: of triangles in the order, or with its two halves, the first of which follows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub min: Vector3<f64>,
    pub max: Vector3<f64>,
    from: u32,
    to: u32,
    /// The second half; zero for a leaf.
    second: u32,
}

impl TriangleMesh {
    /// Shows the triangles whose boxes meet a box, in a fixed order.
    pub(crate) fn visit(&self, min: &Vector3<f64>, max: &Vector3<f64>, mut show: impl FnMut(usize)) {
        let mut stack = [0u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let node = &self.0.nodes[at];
            if (0..3).any(|k| node.min[k] > max[k] || node.max[k] < min[k]) {
                continue;
            }
            if node.second == 0 {
                self.0.order[node.from as usize..node.to as usize].iter().for_each(|&t| show(t as usize));
            } else {
                // halves of equal size: 64 levels are never needed
                stack[height] = node.second;
                stack[height + 1] = at as u32 + 1;
                height += 2;
            }
        }
    }
}

impl Data {
    /// Builds the tree: halves by the middle of the longest side.
    pub(super) fn plant(&mut self) {
        self.nodes.clear();
        self.order = (0..self.triangles.len() as u32).collect();
        let mut order = std::mem::take(&mut self.order);
        self.grow(&mut order, 0);
        self.order = order;
    }

    fn grow(&mut self, order: &mut [u32], from: usize) {
        let corners = |t: u32| self.triangles[t as usize].corners.map(|k| self.vertices[k as usize]);
        let all = order.iter().flat_map(|&t| corners(t));
        let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        let (min, max) = all.fold(none, |(low, high), v| (low.inf(&v), high.sup(&v)));
        let at = self.nodes.len();
        self.nodes.push(Node { min, max, from: from as u32, to: (from + order.len()) as u32, second: 0 });
        if order.len() <= LEAF {
            return;
        }
        let axis = (max - min).imax();
        let middle = |t: u32| {
            self.triangles[t as usize].corners.map(|k| self.vertices[k as usize][axis]).iter().sum::<f64>()
        };
        order.sort_by(|&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
        let half = order.len() / 2;
        let (left, right) = order.split_at_mut(half);
        self.grow(left, from);
        self.nodes[at].second = self.nodes.len() as u32;
        self.grow(right, from + half);
    }
}
