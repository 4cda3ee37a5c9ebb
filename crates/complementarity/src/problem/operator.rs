//! The linear map from impulses to relative velocities, `xi = A lambda + q`, in the two forms it comes in.
//!
//! *Factored*: `A = W^T M^-1 W` with M^-1 block-diagonal and W stored by row groups as (first coordinate, small
//! block) pairs. This is what a stepper has; solvers sweep over it without forming A.
//! *Assembled*: A itself, as blocks between row groups. This is what problem files hold.

mod block_diagonal;

use super::{ProblemError, check_finite, check_size};
use crate::linear::dense::dot;
pub use block_diagonal::{Block, BlockDiagonal};
use std::collections::BTreeMap;

/// Where in the Jacobian a row group touches which coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// First coordinate; must be the first of a mass block.
    pub start: usize,
    /// Number of coordinates; must fill whole mass blocks.
    pub width: usize,
    /// Where the values are: rows x width, row-major.
    pub at: usize,
}

/// The rows `W^T` by groups, as small dense parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// All parts; a group owns a range of them.
    pub parts: Vec<Part>,
    /// All values.
    pub values: Vec<f64>,
}

impl Jacobian {
    /// Removes everything; keeps the allocation.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.values.clear();
    }

    /// Appends a part with the given values (rows x width, row-major).
    pub fn push(&mut self, start: usize, width: usize, values: &[f64]) {
        self.parts.push(Part { start, width, at: self.values.len() });
        self.values.extend_from_slice(values);
    }

    /// `out_r += (W^T u)_r` for the `out.len()` rows of the parts given.
    #[inline]
    pub fn add_velocity(&self, parts: std::ops::Range<usize>, u: &[f64], out: &mut [f64]) {
        self.add_velocity_from(parts, (0, u), out);
    }

    /// The same for `u` that begins with the coordinate `base`; the parts may touch no earlier one.
    #[inline]
    pub(crate) fn add_velocity_from(
        &self,
        parts: std::ops::Range<usize>,
        (base, u): (usize, &[f64]),
        out: &mut [f64],
    ) {
        for part in &self.parts[parts] {
            let u = &u[part.start - base..][..part.width];
            for (r, o) in out.iter_mut().enumerate() {
                let row = &self.values[part.at + r * part.width..part.at + (r + 1) * part.width];
                *o += dot_small(row, u);
            }
        }
    }

    /// `force += W lambda` for the rows of the parts given.
    #[inline]
    pub fn add_force(&self, parts: std::ops::Range<usize>, lambda: &[f64], force: &mut [f64]) {
        for part in &self.parts[parts] {
            let force = &mut force[part.start..part.start + part.width];
            for (r, l) in lambda.iter().enumerate() {
                let row = &self.values[part.at + r * part.width..part.at + (r + 1) * part.width];
                for (f, w) in force.iter_mut().zip(row) {
                    *f += w * l;
                }
            }
        }
    }
}

/// The inner product, with the six entries of a spatial body unrolled.
#[inline]
fn dot_small(a: &[f64], b: &[f64]) -> f64 {
    match (<&[f64; 6]>::try_from(a), <&[f64; 6]>::try_from(b)) {
        (Ok(a), Ok(b)) => {
            (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
        }
        _ => dot(a, b),
    }
}

/// A matrix of dense blocks between row groups, stored by block rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockSparse {
    /// Block row `c` owns the entries `row_start[c]..row_start[c + 1]`; one longer than there are groups.
    pub row_start: Vec<usize>,
    /// Column group of each entry.
    pub column: Vec<usize>,
    /// Where the values of each entry are: rows(c) x rows(column), row-major.
    pub at: Vec<usize>,
    /// All values.
    pub values: Vec<f64>,
}

/// The map `A`, in one of its two forms.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// `A = W^T M^-1 W`.
    Factored {
        /// `M^-1`.
        inverse_mass: BlockDiagonal,
        /// `W^T`.
        jacobian: Jacobian,
    },
    /// `A` itself.
    Assembled(BlockSparse),
}

impl Default for Operator {
    fn default() -> Self {
        Operator::Factored { inverse_mass: BlockDiagonal::default(), jacobian: Jacobian::default() }
    }
}

impl Operator {
    /// Becomes the same as another; keeps the allocation where both are factored.
    pub(crate) fn copy_from(&mut self, other: &Operator) {
        match (self, other) {
            (
                Operator::Factored { inverse_mass, jacobian },
                Operator::Factored { inverse_mass: mass, jacobian: rows },
            ) => {
                inverse_mass.copy_from(mass);
                jacobian.parts.clone_from(&rows.parts);
                jacobian.values.clone_from(&rows.values);
            }
            (own, other) => *own = other.clone(),
        }
    }

    pub(crate) fn validate(&self, group_rows: &[usize]) -> Result<(), ProblemError> {
        match self {
            Operator::Factored { inverse_mass, jacobian } => {
                check_finite("inverse mass", &inverse_mass.values)?;
                check_finite("jacobian", &jacobian.values)?;
                let starts_block = |i: usize| {
                    i == inverse_mass.len()
                        || inverse_mass.blocks.binary_search_by_key(&i, |block| block.start).is_ok()
                };
                for (index, part) in jacobian.parts.iter().enumerate() {
                    let end = part.start + part.width;
                    if end > inverse_mass.len() || !starts_block(part.start) || !starts_block(end) {
                        return Err(ProblemError::Range {
                            what: "jacobian part",
                            index,
                            value: part.start as f64,
                            expected: "a range that fills whole mass blocks",
                        });
                    }
                }
                Ok(())
            }
            Operator::Assembled(a) => {
                check_size("row_start", a.row_start.len(), group_rows.len() + 1)?;
                check_size("at", a.at.len(), a.column.len())?;
                check_finite("A", &a.values)?;
                for c in 0..group_rows.len() {
                    if a.row_start[c] > a.row_start[c + 1] || a.row_start[c + 1] > a.column.len() {
                        return Err(ProblemError::Range {
                            what: "row_start",
                            index: c + 1,
                            value: a.row_start[c + 1] as f64,
                            expected: "growing and at most the number of blocks",
                        });
                    }
                    for e in a.row_start[c]..a.row_start[c + 1] {
                        let d = a.column[e];
                        if d >= group_rows.len() || a.at[e] + group_rows[c] * group_rows[d] > a.values.len() {
                            return Err(ProblemError::Range {
                                what: "column",
                                index: e,
                                value: d as f64,
                                expected: "a group of this problem, with all its values there",
                            });
                        }
                    }
                }
                a.check_symmetry(group_rows)
            }
        }
    }
}

/// Entries across the diagonal may differ by this much of the geometric mean of their diagonal entries: measured
/// problems do by up to 2 percent, transposed or misplaced blocks by more.
const ASYMMETRY: f64 = 0.1;

impl BlockSparse {
    /// Names the first entry that differs too much from the one across the diagonal.
    fn check_symmetry(&self, group_rows: &[usize]) -> Result<(), ProblemError> {
        let mut blocks = BTreeMap::new();
        let mut diagonal = vec![Vec::new(); group_rows.len()];
        for c in 0..group_rows.len() {
            for e in self.row_start[c]..self.row_start[c + 1] {
                blocks.insert((c, self.column[e]), self.at[e]);
            }
            let entry =
                |i: usize| blocks.get(&(c, c)).map_or(0.0, |at| self.values[at + i * group_rows[c] + i]);
            diagonal[c] = (0..group_rows[c]).map(entry).collect();
        }
        for (&(c, d), &at) in &blocks {
            let across = blocks.get(&(d, c));
            for i in 0..group_rows[c] {
                for j in 0..group_rows[d] {
                    let index = at + i * group_rows[d] + j;
                    let value = self.values[index];
                    let other = across.map_or(0.0, |at| self.values[at + j * group_rows[c] + i]);
                    let allowed = ASYMMETRY * (diagonal[c][i] * diagonal[d][j]).abs().sqrt();
                    if (value - other).abs() > allowed {
                        let expected = "about the entry across the diagonal: W is symmetric";
                        return Err(ProblemError::Range { what: "A", index, value, expected });
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_span_several_blocks() {
        let mut m = BlockDiagonal::default();
        m.push(1, &[2.0]);
        m.push(2, &[1.0, 0.5, 0.5, 3.0]);
        let mut out = [0.0; 3];
        m.add_product(0, &[1.0, 2.0, 4.0], &mut out);
        assert_eq!(out, [2.0, 4.0, 13.0]);
        assert_eq!(m.half_square(&[1.0, 2.0, 4.0]), 0.5 * (2.0 + 8.0 + 52.0));
    }

    #[test]
    fn an_entry_that_breaks_symmetry_is_named() {
        let mut a = BlockSparse {
            row_start: vec![0, 2, 4],
            column: vec![0, 1, 0, 1],
            at: vec![0, 1, 2, 3],
            values: vec![2.0, 1.0, 1.01, 2.0],
        };
        assert!(Operator::Assembled(a.clone()).validate(&[1, 1]).is_ok());
        a.values[2] = -1.0;
        let error = Operator::Assembled(a).validate(&[1, 1]).unwrap_err();
        assert!(error.to_string().contains("A[1]") && error.to_string().contains("symmetric"), "{error}");
    }
}
