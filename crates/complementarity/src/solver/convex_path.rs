//! The central path of a convex contact problem (`augmented.rs`), from afar to where its contacts have told themselves apart:
//!
//! ```text
//! v = xi = A lambda + q,   x ∘ y = target e,   x = T lambda,   y = T^-1 v,   target -> 0           (1)
//! ```
//!
//! x and y lie in the self-dual cone `x_0 >= |x_1|` with `T = diag(mu, 1, 1)`, `∘` is Jordan's product; a unilateral row is the case of dimension one.
//! A step solves, with V the scaling of Nesterov and Todd (`interior_group.rs`),
//!
//! ```text
//! V dlambda + dxi = −f,   f = xi − target lambda^-1 − s                                            (2)
//! ```
//!
//! twice with the factors of one matrix (Mehrotra): with target = 0 and s = 0 to see how far that leads, then with the target it suggests and
//! s, what the products of the first steps leave. Dry friction is a box with a multiplier on each side; bilateral rows have no barrier.
//!
//! Multipliers step by what the impulses do, `dv = xi(lambda + dlambda) − v`, so that v does not part from xi by rounding; V (`cone_metric.rs`) is kept from being softer than the rounding of velocities allows.
//!
//! A path that starts at given impulses begins at a target that fits how far from a solution they are; since these are moved well inside the cones, that costs no steps later.
//! Reference: L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010.

use super::cone_metric::{Metric, Piece};
use super::interior_group::{Three, bent, det, scaling_point, to_boundary};
use super::newton_system::NewtonSystem;
use super::sweep::Sweep;
use crate::problem::contact::ContactProblem;
use crate::problem::law::{Cone, Law, MAX_ROWS};

/// The part of the way to the boundary that a step may go.
const INSIDE: f64 = 0.99;
/// How far inside the cones the path begins, relative to the problem's speed.
const BEGIN: f64 = 0.01;
/// The softest V, relative to the group's diagonal.
const SOFTEST: f64 = 1e-10;
/// The path ends when the products are this small, or when a step is shorter than the second after so many.
const SMALL: f64 = 1e-10;
const SHORT: f64 = 0.3;
const EARLY: usize = 6;

/// Whether there is more of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// There is.
    Open,
    /// Products are as small as they are to be, steps became short, or the matrix could not be factored.
    Reached,
}

/// What a group is to the path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// No impulse.
    Zero,
    /// No inequality.
    Free,
    /// A cone of this dimension and slope; further rows have no impulse.
    Cone(usize, f64),
    /// `|lambda| <= bound`.
    Box(f64),
}

/// The path, with its memory.
#[derive(Clone, Debug, Default)]
pub struct ConvexPath {
    kinds: Vec<Kind>,
    pieces: Vec<Piece>,
    /// The largest diagonal entry of each group.
    diagonal: Vec<f64>,
    /// Multipliers v of each row (for a box: of its upper limit), and of the lower limits of boxes.
    dual: Vec<f64>,
    low: Vec<f64>,
    change: Vec<f64>,
    dual_change: Vec<(Three, f64)>,
    /// s of eq. (2), and for the lower limits of boxes.
    second: Vec<(Three, f64)>,
    xi: Vec<f64>,
    ends: Vec<f64>,
    /// The problem's speed, and steps so far.
    speed: f64,
    steps: usize,
}

impl ConvexPath {
    /// True when all laws are of a kind that the path knows.
    pub fn takes(problem: &ContactProblem) -> bool {
        problem.groups.iter().all(|g| match g.law {
            Law::Bilateral { .. } | Law::Unilateral | Law::Dry { .. } => true,
            Law::Associated { cone, .. } => matches!(cone, Cone::Segment | Cone::Disc),
            Law::DryCone { .. } | Law::Contact { .. } | Law::Combined { .. } => false,
        })
    }

    /// Begins at impulses `z`, whose velocities `sweep` has, moved inside the cones. Groups that are left out have none.
    pub fn begin(&mut self, problem: &ContactProblem, sweep: &mut Sweep, left_out: &[bool], z: &mut [f64]) {
        let count = problem.groups.len();
        self.kinds.clear();
        self.diagonal.clear();
        for v in [&mut self.dual, &mut self.change] {
            v.clear();
            v.resize(z.len(), 0.0);
        }
        self.low.clear();
        self.low.resize(count, 0.0);
        for v in [&mut self.dual_change, &mut self.second] {
            v.clear();
            v.resize(count, ([0.0; 3], 0.0));
        }
        let fastest = problem.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        (self.speed, self.steps) = (if problem.scale > 0.0 { problem.scale } else { fastest }, 0);
        let margin = BEGIN * self.speed;
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = sweep.diagonal(c, group);
            self.diagonal.push(diagonal.into_iter().fold(0.0, f64::max));
            let kind = kind(group.law, &diagonal, left_out[c]);
            self.kinds.push(kind);
            let (lambda, xi) = (&mut z[group.rows()], &sweep.velocities()[group.rows()]);
            let dual = &mut self.dual[group.rows()];
            match kind {
                Kind::Zero => lambda.fill(0.0),
                Kind::Free => {}
                Kind::Cone(n, mu) => {
                    let size = |x: &[f64]| x[1..n].iter().map(|x| x * x).sum::<f64>().sqrt();
                    lambda[n..].fill(0.0);
                    lambda[0] = lambda[0].max(size(lambda) / mu).max(0.0) + margin / diagonal[0];
                    dual[..n].copy_from_slice(&xi[..n]);
                    dual[0] = xi[0].max(mu * size(xi)) + margin;
                }
                Kind::Box(bound) => {
                    let most = bound - (margin / diagonal[0]).min(0.5 * bound);
                    lambda[0] = lambda[0].clamp(-most, most);
                    (dual[0], self.low[c]) = ((-xi[0]).max(0.0) + margin, xi[0].max(0.0) + margin);
                }
            }
        }
        sweep.refresh(problem, z);
    }

    /// One step by predictor and corrector.
    pub fn step(
        &mut self,
        problem: &ContactProblem,
        sweep: &mut Sweep,
        system: &mut NewtonSystem,
        z: &mut [f64],
    ) -> End {
        self.steps += 1;
        self.xi.clear();
        self.xi.extend_from_slice(sweep.velocities());
        let now = self.products(problem, z, 0.0);
        self.second.fill(([0.0; 3], 0.0));
        self.relate(z, problem);
        self.load(problem, z, 0.0);
        if !system.step(problem, &self.pieces, &mut self.change) {
            return End::Reached;
        }
        self.dual_steps(problem, sweep, z, 0.0);
        let far = self.longest(problem, z).min(1.0);
        let after = self.products(problem, z, far).mean.max(0.0);
        let target = if now.mean > 0.0 { (after / now.mean).powi(3).min(1.0) * now.mean } else { 0.0 };
        self.correct(problem, z);
        self.load(problem, z, target);
        let solved = system.step_again(problem, &self.pieces, &mut self.change)
            && system.refine(problem, &self.pieces, &mut self.change);
        if !solved {
            sweep.refresh(problem, z);
            return End::Reached;
        }
        self.dual_steps(problem, sweep, z, target);
        let length = (INSIDE * self.longest(problem, z)).min(1.0);
        z.iter_mut().zip(&self.change).for_each(|(x, d)| *x += length * d);
        for (c, group) in problem.groups.iter().enumerate() {
            let (dual, low) = self.dual_change[c];
            self.dual[group.rows()].iter_mut().zip(dual).for_each(|(v, d)| *v += length * d);
            self.low[c] += length * low;
        }
        sweep.refresh(problem, z);
        let short = length < SHORT && self.steps > EARLY;
        if short || now.relative < SMALL { End::Reached } else { End::Open }
    }

    /// The products of impulses and multipliers after a part of the step.
    fn products(&self, problem: &ContactProblem, z: &[f64], length: f64) -> Products {
        let (mut sum, mut scaled_sum, mut count) = (0.0, 0.0, 0.0);
        for (c, group) in problem.groups.iter().enumerate() {
            let r = group.first_row;
            let (dual, low) = self.dual_change[c];
            let own = match self.kinds[c] {
                Kind::Zero | Kind::Free => continue,
                Kind::Cone(n, _) => (0..n)
                    .map(|i| (z[r + i] + length * self.change[r + i]) * (self.dual[r + i] + length * dual[i]))
                    .sum::<f64>(),
                Kind::Box(bound) => {
                    let l = z[r] + length * self.change[r];
                    let upper = (bound - l) * (self.dual[r] + length * dual[0]);
                    count += 1.0;
                    upper + (bound + l) * (self.low[c] + length * low)
                }
            };
            sum += own;
            scaled_sum += own * self.diagonal[c];
            count += 1.0;
        }
        let count = f64::max(count, 1.0);
        Products { mean: sum / count, relative: scaled_sum / (count * self.speed * self.speed) }
    }

    /// The longest step that stays inside.
    fn longest(&self, problem: &ContactProblem, z: &[f64]) -> f64 {
        let mut length = f64::INFINITY;
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, change, v) = (&z[rows.clone()], &self.change[rows.clone()], &self.dual[rows]);
            let (dual, low) = self.dual_change[c];
            let own = match self.kinds[c] {
                Kind::Zero | Kind::Free => continue,
                Kind::Cone(n, mu) => {
                    let one = to_boundary(&scaled(lambda, n, mu), &scaled(change, n, mu), n);
                    one.min(to_boundary(&scaled(v, n, 1.0 / mu), &scaled(&dual, n, 1.0 / mu), n))
                }
                Kind::Box(bound) => {
                    let one = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
                    let slacks = one(bound - lambda[0], -change[0]).min(one(bound + lambda[0], change[0]));
                    slacks.min(one(v[0], dual[0])).min(one(self.low[c], low))
                }
            };
            length = length.min(own);
        }
        length
    }

    /// V of all groups.
    fn relate(&mut self, z: &[f64], problem: &ContactProblem) {
        self.pieces.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, v) = (&z[rows.clone()], &self.dual[rows]);
            let softest = SOFTEST * self.diagonal[c];
            let metric = match self.kinds[c] {
                Kind::Zero => Metric::Fixed,
                Kind::Free if softest > 0.0 => Metric::Even(softest),
                Kind::Free => Metric::Fixed,
                Kind::Box(bound) => {
                    let own = v[0] / (bound - lambda[0]) + self.low[c] / (bound + lambda[0]);
                    Metric::Even(own.max(softest))
                }
                Kind::Cone(1, _) => Metric::First((v[0] / lambda[0]).max(softest)),
                Kind::Cone(n, mu) => {
                    let (square, w) = scaling_point(&scaled(lambda, n, mu), &scaled(v, n, 1.0 / mu));
                    // the least eigenvalue of eta² (2 w w^T − J) is eta² / (w_0 + |w_1|)²
                    let least = square / (w[0] + (w[1] * w[1] + w[2] * w[2]).sqrt()).powi(2);
                    Metric::Cone { square: square * (1.0 + softest / least), w, mu }
                }
            };
            self.pieces.push(Piece { rows: group.law.rows(), metric, f: [0.0; MAX_ROWS] });
        }
    }

    /// f of all groups, eq. (2).
    fn load(&mut self, problem: &ContactProblem, z: &[f64], target: f64) {
        for (c, group) in problem.groups.iter().enumerate() {
            let lambda = &z[group.rows()];
            let mut f = [0.0; MAX_ROWS];
            f[..lambda.len()].copy_from_slice(&self.xi[group.rows()]);
            let (second, low) = self.second[c];
            match self.kinds[c] {
                Kind::Zero => f[..lambda.len()].copy_from_slice(lambda),
                Kind::Free => {}
                Kind::Cone(n, mu) => {
                    let x = scaled(lambda, n, mu);
                    let inverse = target / if n == 1 { x[0] * x[0] } else { det(&x) };
                    for i in 0..n {
                        f[i] -= inverse * if i == 0 { mu * x[0] } else { -x[i] } + second[i];
                    }
                }
                Kind::Box(bound) => {
                    let (up, down) = (bound - lambda[0], bound + lambda[0]);
                    f[0] -= (target / down + low) - (target / up + second[0]);
                }
            }
            self.pieces[c].f = f;
        }
    }

    /// The steps of the multipliers: those of cones are what the impulses lead to.
    fn dual_steps(&mut self, problem: &ContactProblem, sweep: &mut Sweep, z: &[f64], target: f64) {
        self.ends.clear();
        self.ends.extend(z.iter().zip(&self.change).map(|(z, d)| z + d));
        sweep.refresh(problem, &self.ends);
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (second, low) = self.second[c];
            let (v, end) = (&self.dual[rows.clone()], &sweep.velocities()[rows.clone()]);
            self.dual_change[c] = match self.kinds[c] {
                Kind::Zero | Kind::Free => ([0.0; 3], 0.0),
                Kind::Cone(n, _) => (std::array::from_fn(|i| if i < n { end[i] - v[i] } else { 0.0 }), 0.0),
                Kind::Box(bound) => {
                    let (lambda, change) = (z[rows.start], self.change[rows.start]);
                    let (up, down) = (bound - lambda, bound + lambda);
                    let upper = (target + v[0] * change) / up - v[0] + second[0];
                    ([upper, 0.0, 0.0], (target - self.low[c] * change) / down - self.low[c] + low)
                }
            };
        }
    }

    /// s of eq. (2): what the products of the predictor's steps leave.
    fn correct(&mut self, problem: &ContactProblem, z: &[f64]) {
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, change, v) = (&z[rows.clone()], &self.change[rows.clone()], &self.dual[rows]);
            let (dual, low) = self.dual_change[c];
            self.second[c] = match self.kinds[c] {
                Kind::Zero | Kind::Free => ([0.0; 3], 0.0),
                Kind::Cone(n, mu) => {
                    let (x, y) = (scaled(lambda, n, mu), scaled(v, n, 1.0 / mu));
                    let (dx, dy) = (scaled(change, n, mu), scaled(&dual, n, 1.0 / mu));
                    let mut own = bent(&x, &y, &dx, &dy, n).map(|s| 0.5 * s);
                    own[0] *= mu;
                    (own, 0.0)
                }
                Kind::Box(bound) => {
                    let (up, down) = (bound - lambda[0], bound + lambda[0]);
                    ([change[0] * dual[0] / up, 0.0, 0.0], -change[0] * low / down)
                }
            };
        }
    }
}

/// Mean of products, and relative to the problem's speed.
struct Products {
    mean: f64,
    relative: f64,
}

fn kind(law: Law, diagonal: &[f64; MAX_ROWS], left_out: bool) -> Kind {
    match law {
        Law::Bilateral { .. } => Kind::Free,
        _ if diagonal[0] <= 0.0 || left_out => Kind::Zero,
        Law::Associated { friction, .. } if friction > 0.0 && diagonal[1] > 0.0 => {
            Kind::Cone(law.rows(), friction)
        }
        Law::Dry { bound } if bound > 0.0 => Kind::Box(bound),
        Law::Dry { .. } => Kind::Zero,
        // the others are refused before
        Law::Unilateral
        | Law::Associated { .. }
        | Law::Contact { .. }
        | Law::Combined { .. }
        | Law::DryCone { .. } => Kind::Cone(1, 1.0),
    }
}

/// `T z` or `T^-1 z`, for the first row's factor given.
fn scaled(z: &[f64], n: usize, factor: f64) -> Three {
    std::array::from_fn(|i| match i {
        0 => factor * z[0],
        _ if i < n => z[i],
        _ => 0.0,
    })
}
