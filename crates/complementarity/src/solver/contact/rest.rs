//! Rest: the islands of a problem (`islands.rs`) in which nothing moves, and impulses under which nothing does.
//!
//! With the velocity without impulses, `u_free`, nothing moves in an island when
//!
//! ```text
//! r = u_free + M^-1 W lambda = 0                                                        (1)
//! ```
//!
//! and then the rows have the velocities `xi_0 = q − W^T u_free` and have to satisfy their laws,
//!
//! ```text
//! law(xi_0, lambda) per group.                                                          (2)
//! ```
//!
//! (2) is judged as every solution is. (1) has to hold to the rounding of its sums, block of coordinates by block:
//! a solver's tolerance there would be a force that holds what should begin to move. What a solver found is not that
//! exact, but near: of the impulses that are, those are taken which differ least from it, each measured by how far it
//! is from its limits,
//!
//! ```text
//! minimise d^T D^-1 d   subject to   M^-1 W d = −r                                      (3)
//! ```
//!
//! where D holds the distances of lambda from the bounds of its row and from the surface of its cone: what is at a
//! limit stays there. The method of multipliers for (3), with a large stiffness s, is
//!
//! ```text
//! d = −s D W^T (r + M^-1 W d),   lambda += d                                            (4)
//! ```
//!
//! again and again, which a Newton system solves (`newton_system.rs`) with one factorisation. Where nothing can balance
//! the forces of an island r does not vanish, and the solver's answer stands.

use crate::law::{GroupLaw, MAX_ROWS};
use crate::linear::dense::dot;
use crate::problem::contact::{ContactProblem, Group};
use crate::problem::operator::Block;
use crate::solver::contact::islands::{Factored, Islands};
use crate::solver::contact::newton_system::{NewtonSystem, Relation};

/// How many roundings of the sizes of its terms a sum of eq. (1) may leave.
const ROUNDINGS: f64 = 64.0;
/// What moves by more than this part of the sizes of the terms of (1) is not near rest.
const NEAR: f64 = 1e-7;
/// The same as a multiple of the residual that was asked for.
const ASKED: f64 = 10.0;
/// Nor is an island with a velocity above this multiple of that part of the largest that it would have without
/// impulses.
const SLOW: f64 = 10.0;
/// s of eq. (4), for rows that move as all do on the mean under an impulse of the largest size: (4) leaves about one
/// part in s of what it is to remove.
const STIFFNESS: f64 = 1e8;
/// Blocks of the mass matrix of a body have no more coordinates.
const MOST: usize = 3;
/// How often (4) is solved.
const REPETITIONS: usize = 4;

/// A problem with the velocity that it starts from without impulses.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// u_free of eq. (1).
    pub free: &'a [f64],
    /// The residual to which the laws are asked to hold.
    pub residual: f64,
}

/// The islands, and the memory of the search.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    islands: Islands,
    /// The left-hand side of (1).
    left: Vec<f64>,
    /// Sizes of its terms, one per block of the mass matrix.
    sizes: Vec<f64>,
    /// s D.
    slack: Vec<f64>,
    force: Vec<f64>,
    /// The impulses before.
    impulses: Vec<f64>,
    change: Vec<f64>,
    pieces: Vec<Spring>,
    system: NewtonSystem,
    xi: Vec<f64>,
}

/// Eq. (4) of a group: `d = −stiffness (xi + dxi)`, row by row, f being `stiffness xi`.
#[derive(Clone, Copy, Debug)]
struct Spring {
    rows: usize,
    stiffness: [f64; MAX_ROWS],
    f: [f64; MAX_ROWS],
}

impl Relation for Spring {
    const SYMMETRIC: bool = true;

    fn fixed(&self) -> bool {
        self.stiffness == [0.0; MAX_ROWS]
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn f(&self) -> &[f64; MAX_ROWS] {
        &self.f
    }

    fn with_f(&self, f: [f64; MAX_ROWS]) -> Self {
        Self { f, ..*self }
    }

    fn solved(&self, h: &mut [f64], g: &mut [f64]) {
        h.fill(0.0);
        (0..self.rows).for_each(|r| h[r * (self.rows + 1)] = self.stiffness[r]);
        g.copy_from_slice(&self.f[..self.rows]);
    }

    fn add_own(&self, add: &mut impl FnMut(usize, usize, f64)) {
        (0..self.rows).for_each(|r| add(r, r, 1.0));
    }

    fn times(&self, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        self.stiffness[row] * x(row)
    }
}

/// The velocities of a group's rows at rest, xi_0.
fn velocities_at_rest(start: Start, factored: Factored, group: &Group, xi: &mut [f64]) {
    let own = &mut xi[group.rows()];
    own.fill(0.0);
    factored.jacobian.add_velocity(group.parts(), start.free, own);
    own.iter_mut().zip(&start.problem.q[group.rows()]).for_each(|(xi, q)| *xi = q - *xi);
}

impl<'a> Start<'a> {
    /// The problem, where it has no coordinates but those that start.
    fn factored(&self) -> Option<Factored<'a>> {
        Factored::of(self.problem).filter(|factored| factored.inverse.len() == self.free.len())
    }
}

impl Rest {
    /// Begins with a problem: none of its islands is known to be at rest.
    pub fn begin(&mut self, problem: &ContactProblem) {
        self.islands.begin(problem);
    }

    /// Looks for islands in which nothing moves before the step, by the velocities `before`, and which these impulses
    /// keep at rest, eq. (1); groups that `may` be at rest only. True when there are any: [`confirm`](Self::confirm)
    /// then says whether the laws hold.
    pub fn stays(
        &mut self,
        start: Start,
        before: &[f64],
        lambda: &[f64],
        may: impl Fn(usize) -> bool,
    ) -> bool {
        let Some(factored) = start.factored() else { return false };
        if before.len() != start.free.len() {
            return false;
        }
        self.ask(factored, may);
        self.islands.drop(factored, |_, block| before[block.start..][..block.size].iter().all(|u| *u == 0.0));
        if !self.islands.are_asked() {
            return false;
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(lambda);
        self.sum(factored, start.free, lambda);
        self.size(factored, start.free, lambda);
        self.drop_unless_zero(factored, ROUNDINGS * f64::EPSILON);
        self.islands.are_asked()
    }

    /// Moves impulses that nearly keep an island at rest to where they do, eq. (3), and takes them back where there are
    /// no such; `u` is the velocity that they lead to. True when some are found.
    pub fn settle(
        &mut self,
        start: Start,
        u: &[f64],
        lambda: &mut [f64],
        may: impl Fn(usize) -> bool,
    ) -> bool {
        let Some(factored) = start.factored() else { return false };
        if u.len() != start.free.len() {
            return false;
        }
        self.ask(factored, may);
        let near = NEAR.max(ASKED * start.residual);
        self.islands.drop_fast(factored, (u, start.free), SLOW * near);
        if !self.islands.are_asked() {
            return false;
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(lambda);
        self.sum(factored, start.free, lambda);
        self.size(factored, start.free, lambda);
        self.drop_unless_zero(factored, near);
        if !self.islands.are_asked() {
            return false;
        }
        self.find_slack(factored, lambda);
        for repetition in 0..REPETITIONS {
            if self.islands.all(factored, |k, block| self.is_zero(k, block, ROUNDINGS * f64::EPSILON))
                || !self.improve(start.problem, repetition > 0)
            {
                break;
            }
            lambda.iter_mut().zip(&self.change).for_each(|(l, d)| *l += d);
            self.sum(factored, start.free, lambda);
        }
        self.drop_unless_zero(factored, ROUNDINGS * f64::EPSILON);
        self.undo(factored, lambda);
        self.islands.are_asked()
    }

    /// Whether the laws hold, eq. (2), in the islands that were found; `diagonal` is that of A. Where they do not,
    /// impulses are as they were.
    pub fn confirm(&mut self, start: Start, lambda: &mut [f64], diagonal: &[[f64; MAX_ROWS]]) {
        let Some(factored) = Factored::of(start.problem) else { return };
        let mut xi = std::mem::take(&mut self.xi);
        xi.clear();
        xi.resize(start.problem.len(), 0.0);
        for (c, group) in factored.groups.iter().enumerate() {
            if !self.islands.is_asked(factored, group) {
                continue;
            }
            velocities_at_rest(start, factored, group, &mut xi);
            let own = start.problem.residual_of_group(c, lambda, &xi, diagonal[c]).max();
            if own.is_nan() || own > start.residual {
                self.islands.set_moving(factored, group);
            }
        }
        self.xi = xi;
        self.undo(factored, lambda);
        self.islands.settle();
    }

    /// True when an island is at rest.
    pub fn any_rests(&self) -> bool {
        self.islands.any_rests()
    }

    /// True for a group of an island at rest.
    pub fn rests(&self, problem: &ContactProblem, group: &Group) -> bool {
        Factored::of(problem).is_some_and(|factored| self.islands.rests(factored, group))
    }

    /// Has the islands at rest rest: their velocities become zero, and those of their rows what they are then.
    pub fn stop(&self, start: Start, u: &mut [f64], xi: &mut [f64]) {
        let Some(factored) = Factored::of(start.problem) else { return };
        for block in self.islands.resting(factored) {
            u[block.start..block.start + block.size].fill(0.0);
        }
        for group in factored.groups.iter().filter(|group| self.islands.rests(factored, group)) {
            velocities_at_rest(start, factored, group, xi);
        }
    }

    /// Whether (1) holds in a block up to a part of the sizes of its terms.
    fn is_zero(&self, k: usize, block: &Block, part: f64) -> bool {
        self.left[block.start..][..block.size].iter().all(|x| x.abs() <= part * self.sizes[k])
    }

    /// Islands in which it does not move.
    fn drop_unless_zero(&mut self, factored: Factored, part: f64) {
        let mut islands = std::mem::take(&mut self.islands);
        islands.drop(factored, |k, block| self.is_zero(k, block, part));
        self.islands = islands;
    }

    /// Takes back what was done to the impulses of islands that move.
    fn undo(&self, factored: Factored, lambda: &mut [f64]) {
        for group in factored.groups {
            if self.islands.moves(factored, group) {
                lambda[group.rows()].copy_from_slice(&self.impulses[group.rows()]);
            }
        }
    }

    /// Asks of islands of bodies whose groups may all be at rest. The coordinates of a mechanism are as far apart in
    /// size as its links: what is rounding for one moves another.
    fn ask(&mut self, factored: Factored, may: impl Fn(usize) -> bool) {
        self.islands.ask(factored, may);
        self.islands.drop(factored, |_, block| block.size <= MOST);
    }

    /// The left-hand side of (1).
    fn sum(&mut self, factored: Factored, free: &[f64], lambda: &[f64]) {
        factored.moves(lambda, &mut self.force, &mut self.left);
        self.left.iter_mut().zip(free).for_each(|(l, f)| *l += f);
    }

    /// The sizes of its terms: of a block of the mass matrix, what the largest entries of rows and forces can do.
    fn size(&mut self, factored: Factored, free: &[f64], lambda: &[f64]) {
        let Factored { groups, inverse, jacobian } = factored;
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.sizes.clear();
        self.sizes.resize(inverse.blocks().len(), 0.0);
        for group in groups {
            let load = largest(&lambda[group.rows()]);
            if load == 0.0 {
                continue;
            }
            for part in &jacobian.parts[group.parts()] {
                for block in inverse.blocks_in(part.start, part.width) {
                    let own = inverse.blocks()[block];
                    let mut most = 0.0f64;
                    for row in 0..group.law.rows() {
                        let at = part.at + row * part.width + (own.start - part.start);
                        most = most.max(largest(&jacobian.values[at..at + own.size]));
                    }
                    self.sizes[block] += load * most;
                }
            }
        }
        for (block, size) in inverse.blocks().iter().zip(&mut self.sizes) {
            *size *= largest(inverse.values(*block));
            *size += largest(&free[block.start..block.start + block.size]);
        }
    }

    /// s D.
    fn find_slack(&mut self, factored: Factored, lambda: &[f64]) {
        let Factored { groups, inverse, jacobian } = factored;
        let size = lambda.iter().fold(0.0f64, |m, l| m.max(l.abs()));
        self.slack.clear();
        self.slack.resize(lambda.len(), 0.0);
        let (mut mobility, mut count) = (0.0, 0.0);
        for group in groups {
            if !self.islands.is_asked(factored, group) {
                continue;
            }
            let (own, slack) = (&lambda[group.rows()], &mut self.slack[group.rows()]);
            let (single, low, high) = group.law.row_bounds();
            for (l, s) in own.iter().zip(&mut *slack).take(single) {
                *s = (l - low).min(high - l).clamp(0.0, size);
            }
            if group.law.is_associated() {
                slack[0] = own[0].clamp(0.0, size);
            }
            let dry = group.law.dry_block().map(|block| (block, 1.0));
            let blocks = group.law.blocks().map(|block| (block, own[0]));
            for (block, load) in blocks.chain(dry) {
                let used = block.of(own).iter().fold(0.0f64, |m, l| m.hypot(*l));
                slack[block.rows()].fill((block.friction * load - used).clamp(0.0, size));
            }
            for part in &jacobian.parts[group.parts()] {
                let row = &jacobian.values[part.at..part.at + part.width];
                self.change.clear();
                self.change.resize(part.width, 0.0);
                inverse.add_product(part.start, row, &mut self.change);
                mobility += dot(row, &self.change);
            }
            count += 1.0;
        }
        let s = STIFFNESS * count / (size * mobility);
        self.slack.iter_mut().for_each(|slack| *slack *= if s.is_finite() { s } else { 0.0 });
    }

    /// Eq. (4), for the first time or again with the same s D: the change. Returns false when it cannot be solved.
    fn improve(&mut self, problem: &ContactProblem, again: bool) -> bool {
        let Some(factored) = Factored::of(problem) else { return false };
        let Self { left, slack, pieces, system, change, .. } = self;
        pieces.clear();
        for group in factored.groups {
            let (rows, mut stiffness, mut f) = (group.law.rows(), [0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            stiffness[..rows].copy_from_slice(&slack[group.rows()]);
            factored.jacobian.add_velocity(group.parts(), left, &mut f[..rows]);
            f.iter_mut().zip(&stiffness).for_each(|(f, s)| *f *= s);
            pieces.push(Spring { rows, stiffness, f });
        }
        change.clear();
        change.resize(problem.len(), 0.0);
        if again {
            return system.step_again(problem, pieces, change);
        }
        system.prepare(problem);
        system.step(problem, pieces, change)
    }
}

#[cfg(test)]
mod tests;
