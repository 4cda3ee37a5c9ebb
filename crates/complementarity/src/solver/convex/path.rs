//! The central path of a convex contact problem (`augmented.rs`), from afar to where its contacts have told
//! themselves apart:
//!
//! ```text
//! v = xi = A lambda + q,   x ∘ y = target e,   x = T lambda,   y = T^-1 v,   target -> 0           (1)
//! ```
//!
//! x and y lie in the self-dual cone `x_0 >= |x_1|` with `T = diag(mu, 1, 1)`, `∘` is Jordan's product; a unilateral
//! row is the case of dimension one. A step solves, with V the scaling of Nesterov and Todd (`interior/group.rs`),
//!
//! ```text
//! V dlambda + dxi = −f,   f = xi − target lambda^-1 − s                                            (2)
//! ```
//!
//! several times with the factors of one matrix: with target = 0 and s = 0 to see how far that leads, then with the
//! target it suggests and s, what the products of the first steps leave (Mehrotra); and where one of thousands of
//! cones would end that step early, again with an s that takes the products which a longer step would spoil back to
//! the target (Gondzio). Dry friction is a box with a multiplier on each side; bilateral rows have no barrier.
//!
//! Multipliers step by what the impulses do, `dv = xi(lambda + dlambda) − v`, so that v does not part from xi by
//! rounding; V (`cone_metric.rs`) is kept from being softer than the rounding of velocities allows.
//!
//! A path that starts at given impulses begins at a target that fits how far from a solution they are; since these
//! are moved well inside the cones, that costs no steps later. References: L. Vandenberghe, "The CVXOPT linear and
//! quadratic cone program solvers", 2010; J. Gondzio, "Multiple centrality corrections in a primal-dual method for
//! linear programming", Comput. Optim. Appl. 6, 1996.

mod groups;

use crate::law::{Domain, GroupLaw, MAX_ROWS};
use crate::problem::contact::ContactProblem;
use crate::problem::subset::Subset;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::sweep::Sweep;
use crate::solver::convex::cone_metric::Piece;
use crate::solver::convex::settings::PathSettings;
use crate::solver::interior::cone_algebra::Three;

/// Where a step is computed: the problem, its velocities, and its linear systems, prepared.
pub(crate) struct At<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// Velocities, those of the present impulses.
    pub sweep: &'a mut Sweep,
    /// Linear systems.
    pub system: &'a mut NewtonSystem,
}

/// Whether there is more of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There is.
    Open,
    /// Products are as small as they are to be, steps became short, or the matrix could not be factored.
    Reached,
}

/// The path, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConvexPath {
    /// How it goes about it.
    pub settings: PathSettings,
    domains: Vec<Domain>,
    pieces: Vec<Piece>,
    /// The largest diagonal entry of each group.
    diagonal: Vec<f64>,
    /// Multipliers v of each row (for a box: of its upper limit), and of the lower limits of boxes. Those of boxes
    /// and cones are not zero.
    dual: Vec<f64>,
    low: Vec<f64>,
    change: Vec<f64>,
    dual_change: Vec<(Three, f64)>,
    /// s of eq. (2), and for the lower limits of boxes.
    second: Vec<(Three, f64)>,
    /// The steps before the last correction.
    kept: Vec<f64>,
    dual_kept: Vec<(Three, f64)>,
    xi: Vec<f64>,
    ends: Vec<f64>,
    /// The problem's speed, how far inside the cones the path is about, and steps so far.
    speed: f64,
    margin: f64,
    steps: usize,
    /// The products before the last step, relative to that speed, and how many steps in a row have not made them much
    /// smaller.
    before: f64,
    slow: usize,
}

impl ConvexPath {
    /// True when all laws are of a kind that the path knows.
    pub(crate) fn takes(problem: &ContactProblem) -> bool {
        problem.groups.iter().all(|g| g.law.is_convex() && g.law.domain(&[1.0; MAX_ROWS]).is_some())
    }

    /// Begins at impulses `z`, whose velocities `sweep` has, moved inside the cones.
    pub(crate) fn begin(&mut self, problem: &ContactProblem, sweep: &mut Sweep, z: &mut [f64]) {
        for v in [&mut self.dual, &mut self.low] {
            v.clear();
            v.resize(z.len(), 0.0);
        }
        let fastest = problem.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        (self.speed, self.steps) = (if problem.scale > 0.0 { problem.scale } else { fastest }, 0);
        (self.before, self.slow) = (f64::INFINITY, 0);
        self.margin = self.settings.start_margin * self.speed;
        self.lay_out(problem, sweep, z);
    }

    /// Before other groups join: the multipliers, with zeros for them.
    pub(crate) fn leave(&mut self, whole: &ContactProblem, subset: &Subset) {
        for v in [&mut self.dual, &mut self.low] {
            subset.scatter(whole, v, &mut self.ends);
            v.clone_from(&self.ends);
        }
    }

    /// Goes on with the groups that there are now, after [`leave`](Self::leave), from impulses whose velocities
    /// `sweep` has.
    pub(crate) fn enter(
        &mut self,
        whole: &ContactProblem,
        subset: &Subset,
        sweep: &mut Sweep,
        z: &mut [f64],
    ) {
        for v in [&mut self.dual, &mut self.low] {
            self.ends.clone_from(v);
            subset.gather(whole, &self.ends, v);
        }
        self.lay_out(&subset.problem, sweep, z);
    }

    /// What the groups are. Those without multipliers get some, and their impulses are moved inside.
    fn lay_out(&mut self, problem: &ContactProblem, sweep: &mut Sweep, z: &mut [f64]) {
        let count = problem.groups.len();
        self.domains.clear();
        self.diagonal.clear();
        self.change.clear();
        self.change.resize(z.len(), 0.0);
        for v in [&mut self.dual_change, &mut self.second] {
            v.clear();
            v.resize(count, ([0.0; 3], 0.0));
        }
        let margin = self.margin;
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = sweep.diagonal(c, group);
            self.diagonal.push(diagonal.into_iter().fold(0.0, f64::max));
            // laws without are refused before
            let domain = group.law.domain(&diagonal).unwrap_or(Domain::Zero);
            self.domains.push(domain);
            let (lambda, xi) = (&mut z[group.rows()], &sweep.velocities()[group.rows()]);
            let dual = &mut self.dual[group.rows()];
            match domain {
                Domain::Zero => lambda.fill(0.0),
                Domain::Free => {}
                _ if dual[0] != 0.0 => {}
                Domain::Cone(n, mu) => {
                    let size = |x: &[f64]| x[1..n].iter().map(|x| x * x).sum::<f64>().sqrt();
                    lambda[n..].fill(0.0);
                    lambda[0] = lambda[0].max(size(lambda) / mu).max(0.0) + margin / diagonal[0];
                    dual[..n].copy_from_slice(&xi[..n]);
                    dual[0] = xi[0].max(mu * size(xi)) + margin;
                }
                Domain::Box(bound) => {
                    let most = bound - (margin / diagonal[0]).min(0.5 * bound);
                    lambda[0] = lambda[0].clamp(-most, most);
                    dual[0] = (-xi[0]).max(0.0) + margin;
                    self.low[group.first_row] = xi[0].max(0.0) + margin;
                }
            }
        }
        sweep.refresh(problem, z);
    }

    /// One step: predictor, corrector, and as many corrections more as make it longer.
    pub(crate) fn step(&mut self, at: &mut At, z: &mut [f64]) -> End {
        self.steps += 1;
        self.xi.clear();
        self.xi.extend_from_slice(at.sweep.velocities());
        let now = self.products(at.problem, z, 0.0);
        self.margin = self.margin.min(now.relative.max(0.0).sqrt() * self.speed);
        self.slow = if now.relative > self.settings.slow_factor * self.before { self.slow + 1 } else { 0 };
        self.before = now.relative;
        self.second.fill(([0.0; 3], 0.0));
        self.relate(z, at.problem);
        let exact = now.relative < self.settings.refined_products;
        if !self.direct(at, z, 0.0, (false, now.relative < self.settings.refined_predictor_products)) {
            at.sweep.refresh(at.problem, z);
            return End::Reached;
        }
        let far = self.longest(at.problem, z).min(1.0);
        let after = self.products(at.problem, z, far).mean.max(0.0);
        let target = if now.mean > 0.0 {
            (after / now.mean).powi(self.settings.centring_power).min(1.0) * now.mean
        } else {
            0.0
        };
        self.correct(at.problem, z);
        if !self.direct(at, z, target, (true, exact)) {
            at.sweep.refresh(at.problem, z);
            return End::Reached;
        }
        let length = self.lengthen(at, z, target, exact);
        z.iter_mut().zip(&self.change).for_each(|(x, d)| *x += length * d);
        for (c, group) in at.problem.groups.iter().enumerate() {
            let (dual, low) = self.dual_change[c];
            self.dual[group.rows()].iter_mut().zip(dual).for_each(|(v, d)| *v += length * d);
            self.low[group.first_row] += length * low;
        }
        at.sweep.refresh(at.problem, z);
        let short = length < self.settings.short_step && now.relative < self.settings.nearly_end_products;
        let poor =
            (short || self.slow == self.settings.max_slow_steps) && self.steps > self.settings.min_steps;
        if poor || now.relative < self.settings.end_products { End::Reached } else { End::Open }
    }

    /// The steps of impulses and multipliers, eq. (2); `again` with the factors that there are, `exact` with the
    /// rounding of the solution removed. Returns false when they cannot be computed.
    fn direct(&mut self, at: &mut At, z: &[f64], target: f64, (again, exact): (bool, bool)) -> bool {
        self.load(at.problem, z, target);
        let (problem, pieces, change) = (at.problem, &self.pieces, &mut self.change);
        let solved = match again {
            true => at.system.step_again(problem, pieces, change),
            false => at.system.step(problem, pieces, change),
        };
        if !solved || exact && !at.system.refine(problem, pieces, change) {
            return false;
        }
        self.dual_steps(problem, at.sweep, z, target);
        true
    }

    /// Corrects the step while that makes it longer: products that would be far from the target a little further on
    /// are taken nearer to it. Returns its length.
    fn lengthen(&mut self, at: &mut At, z: &[f64], target: f64, exact: bool) -> f64 {
        let mut length = (self.settings.max_step_fraction * self.longest(at.problem, z)).min(1.0);
        for _ in 0..self.settings.max_corrections {
            if length > self.settings.long_step {
                break;
            }
            self.kept.clone_from(&self.change);
            self.dual_kept.clone_from(&self.dual_change);
            self.centre(
                at.problem,
                z,
                (self.settings.correction_reach * length + self.settings.correction_reach - 1.0).min(1.0),
                target,
            );
            let solved = self.direct(at, z, target, (true, exact));
            let new = if solved {
                (self.settings.max_step_fraction * self.longest(at.problem, z)).min(1.0)
            } else {
                0.0
            };
            if new < self.settings.min_lengthening * length {
                self.change.clone_from(&self.kept);
                self.dual_change.clone_from(&self.dual_kept);
                break;
            }
            length = new;
        }
        length
    }
}

/// Mean of products, and relative to the problem's speed.
struct Products {
    mean: f64,
    relative: f64,
}
