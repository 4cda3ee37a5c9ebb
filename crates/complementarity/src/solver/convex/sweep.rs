//! Projected Gauss–Seidel sweeps for convex laws (`augmented.rs`): group after group, with the others' impulses as
//! they are,
//!
//! ```text
//! lambda <- lambda − A_cc^-1 xi              if that lies in the set of the law (a contact that sticks), else     (1)
//! lambda <- P(lambda − xi / a), a few times, a >= the largest eigenvalue of A_cc.                                (2)
//! ```
//!
//! (1) is the exact local answer, (2) gets near to it.
//!
//! Many groups are swept by two threads: those that touch the first half of the coordinates only, those that touch
//! the second half only, and then the others. Which these are depends on the problem alone.

use crate::halves::{GROUPS_FOR_THREADS, both};
use crate::law::MAX_ROWS;
use crate::law::convex::{is_inside, project};
use crate::linear::dense::{Dense, Lu, dot};
use crate::problem::contact::ContactProblem;
use crate::problem::operator::Operator;
use crate::solver::contact::sweep::{Flow, Sweep};

/// Projections for each group in a sweep.
const PROJECTIONS_PER_SWEEP: usize = 4;
/// A pivot of `A_cc` this small relative to its largest entry leaves (2) only.
const SINGULAR_PIVOT: f64 = 1e-9;

/// What the sweeps know of each group.
#[derive(Clone, Debug)]
pub(crate) struct ConvexSweep {
    groups: Vec<Local>,
    /// The first coordinate of the second half; zero when the groups are swept in one.
    cut: usize,
    /// So many groups at least are cut in two.
    many: usize,
    /// Those of the first half, of the second, and the others.
    halves: [Half; 2],
    between: Vec<usize>,
    /// `A_cc^-1`, rows² entries for each group that has it.
    inverse: Vec<f64>,
    block: Dense,
    lu: Lu,
}

/// Groups that one thread sweeps, with their impulses one after the other.
#[derive(Clone, Debug, Default)]
struct Half {
    groups: Vec<usize>,
    lambda: Vec<f64>,
}

impl Default for ConvexSweep {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            cut: 0,
            many: GROUPS_FOR_THREADS,
            halves: Default::default(),
            between: Vec::new(),
            inverse: Vec::new(),
            block: Dense::default(),
            lu: Lu::default(),
        }
    }
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
    pub(crate) fn prepare(&mut self, problem: &ContactProblem, sweep: &Sweep) {
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
        self.cut(problem);
    }

    /// Says who sweeps which group.
    fn cut(&mut self, problem: &ContactProblem) {
        self.cut = 0;
        let Operator::Factored { inverse_mass, jacobian } = &problem.operator else { return };
        if problem.groups.len() < self.many {
            return;
        }
        let cut = inverse_mass.len() / 2;
        self.halves.iter_mut().for_each(|half| half.groups.clear());
        self.between.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let parts = &jacobian.parts[group.parts()];
            if parts.iter().all(|part| part.start + part.width <= cut) {
                self.halves[0].groups.push(c);
            } else if parts.iter().all(|part| part.start >= cut) {
                self.halves[1].groups.push(c);
            } else {
                self.between.push(c);
            }
        }
        // what one thread has to do alone may not be more than what both share
        if 2 * self.between.len() < problem.groups.len() {
            self.cut = cut;
        }
    }

    fn invert(&mut self, block: &[f64], n: usize) -> bool {
        self.block.reset(n, n);
        for i in 0..n {
            self.block.row_mut(i).copy_from_slice(&block[i * n..(i + 1) * n]);
        }
        self.lu.factor(&self.block, SINGULAR_PIVOT)
    }

    /// One sweep; `sweep` has the velocities of the impulses, and keeps them up to date.
    pub(crate) fn once(&mut self, problem: &ContactProblem, sweep: &mut Sweep, lambda: &mut [f64]) {
        if self.cut == 0 {
            return self.pass(problem, 0..problem.groups.len(), &mut sweep.flow(), Impulses(lambda, false));
        }
        let mut halves = std::mem::take(&mut self.halves);
        for half in &mut halves {
            half.lambda.clear();
            half.groups
                .iter()
                .for_each(|c| half.lambda.extend_from_slice(&lambda[problem.groups[*c].rows()]));
        }
        let [first, second] = &mut halves;
        let (mut low, mut high) = sweep.flows(self.cut);
        let half = |half: &mut Half, flow: &mut Flow| {
            self.pass(problem, half.groups.iter().copied(), flow, Impulses(&mut half.lambda, true));
        };
        both(true, || half(second, &mut high), || half(first, &mut low));
        for half in &halves {
            let mut own = &half.lambda[..];
            for rows in half.groups.iter().map(|c| problem.groups[*c].rows()) {
                let (values, rest) = own.split_at(rows.len());
                lambda[rows].copy_from_slice(values);
                own = rest;
            }
        }
        self.halves = halves;
        let between = self.between.iter().copied();
        self.pass(problem, between, &mut sweep.flow(), Impulses(lambda, false));
    }

    /// Goes through some groups.
    fn pass(
        &self,
        problem: &ContactProblem,
        groups: impl Iterator<Item = usize>,
        flow: &mut Flow,
        Impulses(lambda, packed): Impulses,
    ) {
        let mut next = 0;
        for c in groups {
            let (group, local) = (&problem.groups[c], &self.groups[c]);
            let n = group.law.rows();
            let at = if packed { next } else { group.first_row };
            next += n;
            if local.step == 0.0 {
                continue;
            }
            let xi = flow.velocity(problem, c);
            let own = &mut lambda[at..at + n];
            let mut start = [0.0; MAX_ROWS];
            start[..n].copy_from_slice(own);
            let end = self.stuck(problem, c, (&start, &xi)).unwrap_or_else(|| {
                let block = flow.block(c, group);
                nearer(problem, c, (&start, xi), (block, local.step))
            });
            if end[..n] != start[..n] {
                own.copy_from_slice(&end[..n]);
                let change: [f64; MAX_ROWS] = std::array::from_fn(|i| end[i] - start[i]);
                flow.update(problem, c, &change[..n]);
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

/// Impulses of all groups, or of the groups at hand only, one after the other.
struct Impulses<'a>(&'a mut [f64], bool);

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
    for _ in 0..PROJECTIONS_PER_SWEEP {
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
    use crate::law::{Cone, Law};
    use crate::problem::contact::Group;
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

    /// Bodies in a row, each with a contact to the ground and to the next, the ends of the row joined.
    fn ring(bodies: usize) -> ContactProblem {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        let mut problem = ContactProblem { scale: 1.0, ..Default::default() };
        for k in 0..bodies {
            let m = 1.0 + (k as f64).sin().abs();
            inverse_mass.push(3, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
        }
        let turned = |angle: f64, sign: f64| {
            let (s, c) = angle.sin_cos();
            [sign * c, sign * s, 0.0, -sign * s, sign * c, 0.0, 0.0, 0.0, sign]
        };
        let mut push = |law: Law, parts: &[(usize, [f64; 9])], q: [f64; 3]| {
            let first_part = jacobian.parts.len();
            parts.iter().for_each(|(body, values)| jacobian.push(3 * body, 3, values));
            let (first_row, end_part) = (problem.q.len(), jacobian.parts.len());
            problem.groups.push(Group { law, first_row, first_part, end_part });
            problem.q.extend(q);
        };
        let law = Law::Associated { friction: 0.4, cone: Cone::Disc };
        for k in 0..bodies {
            let x = k as f64;
            push(law, &[(k, turned(0.3 * x.sin(), 1.0))], [-0.5, 0.3 * x.cos(), 0.1]);
            let next = (k + 1) % bodies;
            push(law, &[(k, turned(1.0, -1.0)), (next, turned(1.0, 1.0))], [0.02, 0.2 * x.sin(), 0.0]);
        }
        problem.operator = Operator::Factored { inverse_mass, jacobian };
        problem.validate().unwrap();
        problem
    }

    #[test]
    fn two_halves_are_swept_as_one_after_the_other() {
        let problem = ring(21);
        let (mut sweep, mut local) = (Sweep::default(), ConvexSweep { many: 10, ..Default::default() });
        let mut z = vec![0.0; problem.len()];
        sweep.start(&problem, &z);
        local.prepare(&problem, &sweep);
        // the body in the middle has a coordinate on either side
        assert_eq!((local.cut, local.between.len()), (31, 4));
        let order: Vec<usize> =
            local.halves.iter().flat_map(|half| &half.groups).chain(&local.between).copied().collect();
        let (mut plain, mut expected) = (sweep.clone(), z.clone());
        for _ in 0..200 {
            local.once(&problem, &mut sweep, &mut z);
            let groups = order.iter().copied();
            local.pass(&problem, groups, &mut plain.flow(), Impulses(&mut expected, false));
            assert_eq!(z, expected);
        }
        (0..5000).for_each(|_| local.once(&problem, &mut sweep, &mut z));
        assert!(problem.residual(&z).max() < 1e-9, "{:?}", problem.residual(&z));
    }

    #[test]
    fn few_groups_and_those_that_hang_together_are_swept_in_one() {
        let mut problem = ring(21);
        let mut local = ConvexSweep::default();
        local.cut(&problem);
        assert_eq!(local.cut, 0);
        local.many = 10;
        local.cut(&problem);
        assert!(local.cut > 0);
        // every contact between bodies is one between the first and the last
        let Operator::Factored { jacobian, .. } = &mut problem.operator else { panic!() };
        for group in problem.groups.iter().filter(|g| g.parts().len() == 2) {
            (jacobian.parts[group.first_part].start, jacobian.parts[group.first_part + 1].start) = (0, 60);
        }
        local.cut(&problem);
        assert_eq!(local.cut, 0);
    }
}
