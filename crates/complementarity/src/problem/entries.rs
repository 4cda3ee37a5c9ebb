//! Contact problems from single entries of their matrix, as files and other programs give them.

use super::ProblemError;
use super::contact::{ContactProblem, Group};
use super::operator::{BlockSparse, Operator};
use super::{check_finite, check_size};
use crate::law::{Cone, Law};

impl BlockSparse {
    /// A matrix of square blocks of one size from entries (row, column, value) in any order. Rows and columns must be
    /// within it; of several entries at one place the last in order of appearance counts.
    pub fn from_entries(groups: usize, size: usize, entries: &[(usize, usize, f64)]) -> Self {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        let key = |&e: &usize| (entries[e].0 / size, entries[e].1 / size, entries[e].0, entries[e].1, e);
        order.sort_unstable_by_key(key);
        let mut out = Self { row_start: vec![0; groups + 1], ..Default::default() };
        let mut last = None;
        for (i, j, value) in order.into_iter().map(|e| entries[e]) {
            let block = (i / size, j / size);
            if last != Some(block) {
                last = Some(block);
                out.row_start[block.0 + 1] += 1;
                out.column.push(block.1);
                out.at.push(out.values.len());
                out.values.resize(out.values.len() + size * size, 0.0);
            }
            let at = out.values.len() - size * size;
            out.values[at + i % size * size + j % size] = value;
        }
        for c in 0..groups {
            out.row_start[c + 1] += out.row_start[c];
        }
        out
    }
}

impl ContactProblem {
    /// Contacts with the exact cone from their coefficients, `q`, and the entries of the matrix: in the plane two
    /// rows per contact (`dimension` 2), in space three, the normal first.
    pub fn from_entries(
        dimension: usize,
        friction: &[f64],
        q: &[f64],
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, ProblemError> {
        let cone = match dimension {
            2 => Cone::Segment,
            3 => Cone::Disc,
            other => return Err(ProblemError::Size { what: "rows per contact", found: other, expected: 3 }),
        };
        let n = dimension * friction.len();
        check_size("q", q.len(), n)?;
        check_finite("q", q)?;
        if let Some((index, e)) = entries.iter().enumerate().find(|(_, e)| e.0 >= n || e.1 >= n) {
            let value = e.0.max(e.1) as f64;
            let expected = "a row and a column of the matrix";
            return Err(ProblemError::Range { what: "entry", index, value, expected });
        }
        let group = |(c, &friction): (usize, &f64)| Group {
            law: Law::Contact { friction, cone },
            first_row: c * dimension,
            first_part: 0,
            end_part: 0,
        };
        let problem = Self {
            groups: friction.iter().enumerate().map(group).collect(),
            q: q.to_vec(),
            operator: Operator::Assembled(BlockSparse::from_entries(friction.len(), dimension, entries)),
            directions: Vec::new(),
            scale: q.iter().fold(0.0f64, |m, x| m.max(x.abs())),
        };
        problem.validate()?;
        Ok(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{ContactSolver, ContactSolverConfig, Status};

    #[test]
    fn entries_in_any_order_make_the_same_matrix() {
        let forwards = [(0, 0, 2.0), (0, 3, 0.5), (1, 1, 1.0), (3, 0, 0.5), (3, 3, 4.0), (2, 2, 1.0)];
        let mut backwards = forwards;
        backwards.reverse();
        let (a, b) =
            (BlockSparse::from_entries(2, 2, &forwards), BlockSparse::from_entries(2, 2, &backwards));
        assert_eq!(a, b);
        assert_eq!(a.row_start, [0, 2, 4]);
    }

    #[test]
    fn a_particle_pressed_and_pushed_slips_as_coulomb_says() {
        let identity = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)];
        let problem = ContactProblem::from_entries(3, &[0.5], &[-1.0, 3.0, 0.0], &identity).unwrap();
        let mut lambda = [0.0; 3];
        let report = ContactSolverConfig::new(ContactSolver::Auto).build().solve(&problem, &mut lambda);
        assert_eq!(report.status, Status::Solved);
        assert!((lambda[0] - 1.0).abs() < 1e-12 && (lambda[1] + 0.5).abs() < 1e-12, "{lambda:?}");
    }

    #[test]
    fn an_entry_outside_of_the_matrix_is_named() {
        let error = ContactProblem::from_entries(2, &[0.5], &[0.0, 0.0], &[(0, 2, 1.0)]).unwrap_err();
        assert!(error.to_string().contains("entry[0]"), "{error}");
    }
}
