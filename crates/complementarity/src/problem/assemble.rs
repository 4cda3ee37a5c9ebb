//! The matrix of a contact problem, written out:
//!
//! ```text
//! A = W^T M^-1 W     (factored),     A = its blocks     (assembled)           (1)
//! ```
//!
//! For the factored form only parts that share a mass block are multiplied with each other, so the work follows the
//! entries of `A` that are not zero.

use super::contact::ContactProblem;
use super::operator::{BlockDiagonal, Jacobian, Operator};
use crate::linear::dense::{Dense, dot};

/// Memory for writing out (1), kept between uses.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// `M^-1 W`, laid out like the Jacobian's values.
    response: Vec<f64>,
    /// Mass block, group and part, sorted.
    block_parts: Vec<(usize, usize, usize)>,
}

impl Assembly {
    /// Writes the dense `A` of a valid problem to `a`.
    pub fn dense(&mut self, problem: &ContactProblem, a: &mut Dense) {
        let n = problem.len();
        a.reset(n, n);
        match &problem.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                self.respond(problem, inverse_mass, jacobian);
                self.multiply(problem, inverse_mass, jacobian, a);
            }
            Operator::Assembled(blocks) => {
                for (c, group) in problem.groups.iter().enumerate() {
                    for e in blocks.row_start[c]..blocks.row_start[c + 1] {
                        let columns = problem.groups[blocks.column[e]].rows();
                        let mut at = blocks.at[e];
                        for i in group.rows() {
                            for j in columns.clone() {
                                a[(i, j)] += blocks.values[at];
                                at += 1;
                            }
                        }
                    }
                }
            }
        }
    }

    /// The responses `M^-1 W` part by part, and which parts touch which mass block.
    fn respond(&mut self, problem: &ContactProblem, inverse_mass: &BlockDiagonal, jacobian: &Jacobian) {
        let blocks = inverse_mass.blocks();
        self.response.clear();
        self.response.resize(jacobian.values.len(), 0.0);
        self.block_parts.clear();
        for (g, group) in problem.groups.iter().enumerate() {
            for p in group.parts() {
                let part = jacobian.parts[p];
                for r in 0..group.law.rows() {
                    let row = part.at + r * part.width..part.at + (r + 1) * part.width;
                    inverse_mass.add_product(
                        part.start,
                        &jacobian.values[row.clone()],
                        &mut self.response[row],
                    );
                }
                let mut b = blocks.partition_point(|b| b.start < part.start);
                while b < blocks.len() && blocks[b].start < part.start + part.width {
                    self.block_parts.push((b, g, p));
                    b += 1;
                }
            }
        }
        self.block_parts.sort_unstable();
    }

    /// `A = W^T M^-1 W`: products of parts that share a mass block.
    fn multiply(
        &self,
        problem: &ContactProblem,
        inverse_mass: &BlockDiagonal,
        jacobian: &Jacobian,
        a: &mut Dense,
    ) {
        let blocks = inverse_mass.blocks();
        for same in self.block_parts.chunk_by(|x, y| x.0 == y.0) {
            let block = blocks[same[0].0];
            for (k, &(_, g, p)) in same.iter().enumerate() {
                let left = jacobian.parts[p];
                for &(_, h, o) in same.iter().skip(k) {
                    let right = jacobian.parts[o];
                    for (r, i) in problem.groups[g].rows().enumerate() {
                        let x = left.at + r * left.width + (block.start - left.start);
                        for (s, j) in problem.groups[h].rows().enumerate() {
                            let y = right.at + s * right.width + (block.start - right.start);
                            let product =
                                dot(&jacobian.values[x..x + block.size], &self.response[y..y + block.size]);
                            a[(i, j)] += product;
                            if o != p {
                                a[(j, i)] += product;
                            }
                        }
                    }
                }
            }
        }
    }
}
