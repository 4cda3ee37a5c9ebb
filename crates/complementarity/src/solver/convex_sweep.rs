//! Projected Gauss–Seidel sweeps for convex laws (`augmented.rs`): group after group, with the others' impulses as they are,
//!
//! ```text
//! lambda <- lambda − A_cc^-1 xi              if that lies in the set of the law (a contact that sticks), else     (1)
//! lambda <- P(lambda − xi / a), a few times, a >= the largest eigenvalue of A_cc.                                (2)
//! ```
//!
//! (1) is the exact local answer, (2) gets near to it.

use super::associated::{is_inside, project};
use super::sweep::Sweep;
use crate::dense::{Dense, Lu, dot};
use crate::problem::contact::ContactProblem;
use crate::problem::law::MAX_ROWS;

/// Projections for each group in a sweep.
const PROJECTIONS: usize = 4;
/// A pivot of `A_cc` this small relative to its largest entry leaves (2) only.
const SINGULAR: f64 = 1e-9;

/// What the sweeps know of each group.
#[derive(Clone, Debug, Default)]
pub struct ConvexSweep {
    groups: Vec<Local>,
    /// `A_cc^-1`, rows² entries for each group that has it.
    inverse: Vec<f64>,
    block: Dense,
    lu: Lu,
}

/// One group.
#[derive(Clone, Copy, Debug)]
struct Local {
    /// 1/a of eq. (2), zero where impulses move nothing.
    step: f64,
    /// Where its inverse starts, if there is one.
    at: Option<usize>,
}

impl ConvexSweep {
    /// For a problem whose velocities `sweep` keeps.
    pub fn prepare(&mut self, problem: &ContactProblem, sweep: &Sweep) {
        self.groups.clear();
        self.inverse.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let (n, block) = (group.law.rows(), sweep.block(c, group));
            // no eigenvalue is larger than the largest sum of a row
            let a = block.chunks_exact(n).map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
            let step = if a > 0.0 { 1.0 / a } else { 0.0 };
            let at = self.invert(block, n).then_some(self.inverse.len());
            if at.is_some() {
                for j in 0..n {
                    let mut column = [0.0; MAX_ROWS];
                    column[j] = 1.0;
                    self.lu.solve(&mut column[..n]);
                    // symmetric: the columns are the rows
                    self.inverse.extend_from_slice(&column[..n]);
                }
            }
            self.groups.push(Local { step, at });
        }
    }

    fn invert(&mut self, block: &[f64], n: usize) -> bool {
        self.block.reset(n, n);
        for i in 0..n {
            self.block.row_mut(i).copy_from_slice(&block[i * n..(i + 1) * n]);
        }
        self.lu.factor(&self.block, SINGULAR)
    }

    /// One sweep; `sweep` has the velocities of the impulses, and keeps them up to date.
    pub fn once(&self, problem: &ContactProblem, sweep: &mut Sweep, lambda: &mut [f64]) {
        for (c, (group, local)) in problem.groups.iter().zip(&self.groups).enumerate() {
            if local.step == 0.0 {
                continue;
            }
            let n = group.law.rows();
            let xi = sweep.velocity(problem, c);
            let own = &mut lambda[group.rows()];
            let mut start = [0.0; MAX_ROWS];
            start[..n].copy_from_slice(own);
            let end = self.stuck(problem, c, (&start, &xi)).unwrap_or_else(|| {
                let block = sweep.block(c, group);
                nearer(problem, c, (&start, xi), (block, local.step))
            });
            if end[..n] != start[..n] {
                own.copy_from_slice(&end[..n]);
                let change: [f64; MAX_ROWS] = std::array::from_fn(|i| end[i] - start[i]);
                sweep.update(problem, c, &change[..n]);
            }
        }
    }

    /// Eq. (1), if it lies in the set.
    fn stuck(
        &self,
        problem: &ContactProblem,
        c: usize,
        (start, xi): (&[f64; MAX_ROWS], &[f64; MAX_ROWS]),
    ) -> Option<[f64; MAX_ROWS]> {
        let law = problem.groups[c].law;
        let (n, at) = (law.rows(), self.groups[c].at?);
        let mut end = [0.0; MAX_ROWS];
        for (i, row) in self.inverse[at..at + n * n].chunks_exact(n).enumerate() {
            end[i] = start[i] - dot(row, &xi[..n]);
        }
        is_inside(law, &end).then_some(end)
    }
}

/// Eq. (2).
fn nearer(
    problem: &ContactProblem,
    c: usize,
    (start, mut xi): (&[f64; MAX_ROWS], [f64; MAX_ROWS]),
    (block, step): (&[f64], f64),
) -> [f64; MAX_ROWS] {
    let law = problem.groups[c].law;
    let n = law.rows();
    let mut own = *start;
    for _ in 0..PROJECTIONS {
        let x = std::array::from_fn(|i| if i < n { own[i] - xi[i] * step } else { 0.0 });
        let new = project(law, &x);
        let change: [f64; MAX_ROWS] = std::array::from_fn(|i| if i < n { new[i] - own[i] } else { 0.0 });
        if change == [0.0; MAX_ROWS] {
            break;
        }
        own[..n].copy_from_slice(&new[..n]);
        for (x, row) in xi.iter_mut().zip(block.chunks_exact(n)) {
            *x += dot(row, &change[..n]);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::contact::Group;
    use crate::problem::law::{Cone, Law};
    use crate::problem::operator::{BlockDiagonal, Jacobian, Operator};

    /// One contact on a body whose mass is not the same in all directions; `q` are its velocities without impulses.
    fn contact(q: [f64; 3]) -> ContactProblem {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        inverse_mass.push(3, &[1.0, 0.2, 0.0, 0.2, 2.0, 0.1, 0.0, 0.1, 3.5]);
        jacobian.push(0, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let law = Law::Associated { friction: 0.5, cone: Cone::Disc };
        let operator = Operator::Factored { inverse_mass, jacobian };
        let groups = vec![Group { law, first_row: 0, first_part: 0, end_part: 1 }];
        ContactProblem { groups, q: q.to_vec(), operator, scale: 1.0, ..Default::default() }
    }

    /// The residual after so many sweeps from zero, and the impulses.
    fn swept(problem: &ContactProblem, sweeps: usize) -> (f64, Vec<f64>) {
        let (mut sweep, mut local, mut z) = (Sweep::default(), ConvexSweep::default(), vec![0.0; 3]);
        sweep.start(problem, &z);
        local.prepare(problem, &sweep);
        (0..sweeps).for_each(|_| local.once(problem, &mut sweep, &mut z));
        (problem.residual(&z).max(), z)
    }

    #[test]
    fn a_contact_that_sticks_is_solved_in_one_sweep() {
        let (residual, z) = swept(&contact([-1.0, 0.1, -0.2]), 1);
        assert!(residual < 1e-15 && z[0] > 0.0, "{residual} {z:?}");
    }

    #[test]
    fn one_that_slips_is_approached_and_one_that_opens_left_alone() {
        let slipping = contact([-0.2, 2.0, 1.0]);
        let (few, many) = (swept(&slipping, 2).0, swept(&slipping, 40).0);
        assert!(few < 0.1 && many < 1e-9, "{few} {many}");
        assert_eq!(swept(&contact([1.0, 0.5, 0.0]), 3).1, [0.0; 3]);
    }
}
