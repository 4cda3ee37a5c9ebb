//! Rest: impulses under which nothing moves.
//!
//! With the velocity without impulses, `u_free`, nothing moves when
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
//! exact, but near: of the impulses that are, those are taken which differ least from it, each measured by how far it is
//! from its limits,
//!
//! ```text
//! minimise d^T D^-1 d   subject to   M^-1 W d = −r:
//! d = D W^T M^-1 z,     (M^-1 W D W^T M^-1) z = −r                                      (3)
//! ```
//!
//! where D holds the distances of lambda from the bounds of its row and from the surface of its cone: what is at a limit
//! stays there. (3) is solved by conjugate gradients, and again for what rounding leaves. Where nothing can balance the
//! forces, there is no such d, and the solver's answer stands.

use crate::law::GroupLaw;
use crate::problem::contact::{ContactProblem, Group};
use crate::problem::operator::{BlockDiagonal, Jacobian, Operator};

/// How many roundings of the sizes of its terms a sum of eq. (1) may leave.
const ROUNDINGS: f64 = 64.0;
/// What moves by more than this part of the sizes of the terms of (1) is not near rest.
const NEAR: f64 = 1e-7;
/// The most iterations for eq. (3), and how often it is solved.
const ITERATIONS: usize = 400;
const REFINEMENTS: usize = 3;
/// By how much conjugate gradients are to reduce what they are given.
const REDUCTION: f64 = 1e-8;

/// The memory of the search.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The left-hand side of (1).
    left: Vec<f64>,
    /// Sizes of its terms, one per block of the mass matrix.
    sizes: Vec<f64>,
    slack: Vec<f64>,
    impulses: Vec<f64>,
    force: Vec<f64>,
    diagonal: Vec<f64>,
    z: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    rest: Vec<f64>,
    velocity: Vec<f64>,
}

/// A problem in its factored form.
#[derive(Clone, Copy)]
struct Factored<'a> {
    groups: &'a [Group],
    inverse: &'a BlockDiagonal,
    jacobian: &'a Jacobian,
}

impl<'a> Factored<'a> {
    fn of(problem: &'a ContactProblem) -> Option<Self> {
        let Operator::Factored { inverse_mass: inverse, jacobian } = &problem.operator else { return None };
        Some(Self { groups: &problem.groups, inverse, jacobian })
    }

    /// `out = M^-1 W lambda`; `force` is overwritten.
    fn moves(&self, lambda: &[f64], force: &mut Vec<f64>, out: &mut Vec<f64>) {
        force.clear();
        force.resize(self.inverse.len(), 0.0);
        for group in self.groups {
            self.jacobian.add_force(group.parts(), &lambda[group.rows()], force);
        }
        out.clear();
        out.resize(self.inverse.len(), 0.0);
        self.inverse.add_product(0, force, out);
    }
}

impl Rest {
    /// True when impulses keep everything at rest, eq. (1), from the velocity `free` without impulses.
    pub fn holds(&mut self, problem: &ContactProblem, free: &[f64], lambda: &[f64]) -> bool {
        let Some(factored) = Factored::of(problem).filter(|f| f.inverse.len() == free.len()) else {
            return false;
        };
        self.sum(factored, free, lambda);
        self.size(factored, free, lambda);
        self.is_within(factored, ROUNDINGS * f64::EPSILON)
    }

    /// Moves impulses that nearly keep everything at rest to where they do, eq. (3). False where there are no such; they
    /// are as they were then.
    pub fn settle(&mut self, problem: &ContactProblem, free: &[f64], lambda: &mut [f64]) -> bool {
        let Some(factored) = Factored::of(problem).filter(|f| f.inverse.len() == free.len()) else {
            return false;
        };
        self.sum(factored, free, lambda);
        self.size(factored, free, lambda);
        if !self.is_within(factored, NEAR) {
            return false;
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(lambda);
        self.find_slack(factored, lambda);
        self.find_diagonal(factored);
        for _ in 0..REFINEMENTS {
            if self.is_within(factored, ROUNDINGS * f64::EPSILON) {
                return true;
            }
            self.conjugate_gradients(factored);
            self.add_change(factored, lambda);
            self.sum(factored, free, lambda);
        }
        if self.is_within(factored, ROUNDINGS * f64::EPSILON) {
            return true;
        }
        self.undo(lambda);
        false
    }

    /// Takes back what [`settle`](Self::settle) did.
    pub fn undo(&self, lambda: &mut [f64]) {
        lambda.copy_from_slice(&self.impulses);
    }

    /// The velocities of the rows at rest, xi_0.
    pub fn velocities(problem: &ContactProblem, free: &[f64], xi: &mut Vec<f64>) {
        let Some(Factored { groups, jacobian, .. }) = Factored::of(problem) else { return };
        xi.clear();
        xi.resize(problem.q.len(), 0.0);
        for group in groups {
            jacobian.add_velocity(group.parts(), free, &mut xi[group.rows()]);
        }
        xi.iter_mut().zip(&problem.q).for_each(|(xi, q)| *xi = q - *xi);
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

    /// True when (1) holds up to a part of the sizes of its terms.
    fn is_within(&self, factored: Factored, part: f64) -> bool {
        factored.inverse.blocks().iter().zip(&self.sizes).all(|(block, size)| {
            self.left[block.start..block.start + block.size].iter().all(|x| x.abs() <= part * size)
        })
    }

    /// The diagonal of D.
    fn find_slack(&mut self, factored: Factored, lambda: &[f64]) {
        let size = lambda.iter().fold(0.0f64, |m, l| m.max(l.abs()));
        self.slack.clear();
        self.slack.resize(lambda.len(), 0.0);
        for group in factored.groups {
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
        }
    }

    /// The diagonal of the matrix of (3).
    fn find_diagonal(&mut self, Factored { groups, inverse, jacobian }: Factored) {
        self.diagonal.clear();
        self.diagonal.resize(inverse.len(), 0.0);
        for group in groups {
            for part in &jacobian.parts[group.parts()] {
                for (row, s) in
                    group.rows().enumerate().map(|(r, k)| (r, self.slack[k])).filter(|(_, s)| *s > 0.0)
                {
                    let values =
                        &jacobian.values[part.at + row * part.width..part.at + (row + 1) * part.width];
                    self.product.clear();
                    self.product.resize(part.width, 0.0);
                    inverse.add_product(part.start, values, &mut self.product);
                    let diagonal = &mut self.diagonal[part.start..part.start + part.width];
                    diagonal.iter_mut().zip(&self.product).for_each(|(d, p)| *d += s * p * p);
                }
            }
        }
    }

    /// `rest = D W^T M^-1 x`, per row.
    fn change(&mut self, Factored { groups, inverse, jacobian }: Factored, x: &[f64]) {
        self.velocity.clear();
        self.velocity.resize(inverse.len(), 0.0);
        inverse.add_product(0, x, &mut self.velocity);
        self.rest.clear();
        self.rest.resize(self.slack.len(), 0.0);
        for group in groups {
            jacobian.add_velocity(group.parts(), &self.velocity, &mut self.rest[group.rows()]);
        }
        self.rest.iter_mut().zip(&self.slack).for_each(|(r, s)| *r *= s);
    }

    /// Adds `D W^T M^-1 z` to impulses.
    fn add_change(&mut self, factored: Factored, lambda: &mut [f64]) {
        let z = std::mem::take(&mut self.z);
        self.change(factored, &z);
        self.z = z;
        lambda.iter_mut().zip(&self.rest).for_each(|(l, d)| *l += d);
    }

    /// Eq. (3) for the left-hand side that there is, with its diagonal as preconditioner. `left` is overwritten.
    fn conjugate_gradients(&mut self, factored: Factored) {
        let n = self.left.len();
        self.left.iter_mut().for_each(|l| *l = -*l);
        self.z.clear();
        self.z.resize(n, 0.0);
        self.direction.clear();
        self.direction.resize(n, 0.0);
        let weigh = |left: &[f64], diagonal: &[f64]| -> f64 {
            left.iter().zip(diagonal).filter(|(_, d)| **d > 0.0).map(|(l, d)| l * l / d).sum()
        };
        let (mut before, mut square) = (f64::INFINITY, weigh(&self.left, &self.diagonal));
        let enough = REDUCTION * REDUCTION * square;
        for _ in 0..ITERATIONS {
            if square.is_nan() || square <= enough {
                break;
            }
            let ratio = square / before;
            for ((p, l), d) in self.direction.iter_mut().zip(&self.left).zip(&self.diagonal) {
                *p = ratio * *p + if *d > 0.0 { l / d } else { 0.0 };
            }
            let direction = std::mem::take(&mut self.direction);
            self.change(factored, &direction);
            factored.moves(&self.rest, &mut self.force, &mut self.product);
            let curvature = crate::linear::dense::dot(&direction, &self.product);
            if curvature.is_nan() || curvature <= 0.0 {
                self.direction = direction;
                break;
            }
            let step = square / curvature;
            self.z.iter_mut().zip(&direction).for_each(|(z, p)| *z += step * p);
            self.left.iter_mut().zip(&self.product).for_each(|(l, p)| *l -= step * p);
            self.direction = direction;
            (before, square) = (square, weigh(&self.left, &self.diagonal));
        }
    }
}
