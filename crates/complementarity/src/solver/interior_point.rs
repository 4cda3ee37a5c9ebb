//! A primal–dual interior-point method for frictional contact with round cones. With De Saxcé's velocity
//! `v = xi + mu |xi_t| n` Coulomb's law is a complementarity between cones,
//!
//! ```text
//! K* ∋ v ⟂ lambda ∈ K,   K = { |lambda_t| <= mu lambda_n },   xi = A lambda + q.         (1)
//! ```
//!
//! The method follows the central path `lambda ∘ v = target e` (in the sense of the cone's Jordan algebra) to
//! target = 0. Unknowns are lambda and v; a Newton step solves
//!
//! ```text
//! dv = −V dlambda + target lambda^-1 − v                     (`interior_group.rs`)      (2)
//! dv − mu n d^T dv = A dlambda − p,   p = v − mu |v_t| n − xi,   d = v_t / |v_t|         (3)
//! (V + eps a + S A) dlambda = S p + target lambda^-1 − v,   S = 1 + mu n d^T             (4)
//! ```
//!
//! (4) being (2) in (3), as S inverts `1 − mu n d^T`. The sizes |v_t| are thus part of the Newton system, not an outer iteration. V is
//! the scaling of Nesterov and Todd; eps, a small proximal weight, keeps (4) regular where contacts are redundant. Steps stay
//! inside the cones and near the path: no product may fall below a part of the mean. Unilateral rows are cones
//! of dimension one, dry friction is a box, bilateral rows have no barrier. On the path sticking, sliding and open contacts
//! separate by themselves; once they have, the semismooth Newton method (`contact_newton.rs`) finishes from there.
//!
//! The warm start is not used. Without friction and for monotone A convergence is the textbook's; with friction
//! there is no proof, and if A is not monotone the path can turn back, which ends the iteration. Polygons and
//! balls (torsion) are not supported.
//! References: V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, "Second-order cone programming for frictional contact
//! mechanics using interior point algorithm", 2023; G. De Saxcé, Z.-Q. Feng, Math. Comput. Modelling 28, 1998;
//! L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010 (the scaling).

use super::contact_newton::ContactNewton;
use super::interior_barrier::Barrier;
use super::interior_group::{Kind, Place, Products, Step, Three, kind};
use super::newton_engine::is_finite;
use super::newton_system::NewtonSystem;
use super::sweep::Sweep;
use super::{Report, Solver, Status};
use crate::problem::contact::ContactProblem;
use crate::problem::law::{Cone, Law};

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct InteriorPoint {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most steps along the path.
    pub iterations: usize,
    sweep: Sweep,
    system: NewtonSystem,
    finish: ContactNewton,
    kinds: Vec<Kind>,
    barriers: Vec<Barrier>,
    /// v of each row, and the second multiplier of each box.
    dual: Vec<f64>,
    low: Vec<f64>,
    change: Vec<f64>,
    /// Steps of `dual` and `low`, per group.
    dual_change: Vec<(Three, f64)>,
    best: Vec<f64>,
    trial: Vec<f64>,
}

/// The part of the way to the cones' boundary that a step may go.
const INSIDE: f64 = 0.99;
/// No product falls below this part of their mean.
const NEAR: f64 = 1e-2;
/// `target` relative to the mean product: at first, the least, the most.
const CENTRE_FIRST: f64 = 0.3;
const CENTRE_LOW: f64 = 0.05;
const CENTRE_HIGH: f64 = 0.8;
/// The proximal weight eps of eq. (4).
const EPS: f64 = 1e-9;
/// Newton finishes from this residual on; it tries again when that has fallen by a factor of the square root of this.
const FINISH: f64 = 1e-6;
/// Steps shorter than this, so many in a row, mean that the path has turned.
const SHORT: f64 = 1e-2;
const SHORT_STEPS: usize = 6;

impl InteriorPoint {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let mut finish = ContactNewton::new(tolerance, 12);
        (finish.patience, finish.sweeps) = (4, 4);
        Self {
            tolerance,
            iterations,
            sweep: Sweep::default(),
            system: NewtonSystem::default(),
            finish,
            kinds: Vec::new(),
            barriers: Vec::new(),
            dual: Vec::new(),
            low: Vec::new(),
            change: Vec::new(),
            dual_change: Vec::new(),
            best: Vec::new(),
            trial: Vec::new(),
        }
    }

    /// The first point: every contact closed, and leaving, at the problem's own speed.
    fn start(&mut self, problem: &ContactProblem, z: &mut [f64]) {
        z.fill(0.0);
        self.sweep.start(problem, z);
        self.system.prepare(problem);
        self.kinds.clear();
        self.best.clear();
        for v in [&mut self.dual, &mut self.change] {
            v.clear();
            v.resize(z.len(), 0.0);
        }
        self.low.clear();
        self.low.resize(problem.groups.len(), 0.0);
        self.dual_change.clear();
        self.dual_change.resize(problem.groups.len(), ([0.0; 3], 0.0));
        let fastest = problem.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let speed = if problem.scale > 0.0 { problem.scale } else { fastest };
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = self.sweep.diagonal(c, group);
            let kind = kind(group.law, &diagonal);
            self.kinds.push(kind);
            if matches!(kind, Kind::Cone(..)) {
                z[group.first_row] = speed / diagonal[0];
                self.dual[group.first_row] = speed;
            } else if matches!(kind, Kind::Box(_)) {
                (self.dual[group.first_row], self.low[c]) = (speed, speed);
            }
        }
    }

    fn place<'a>(&'a self, problem: &'a ContactProblem, c: usize, z: &'a [f64]) -> Place<'a> {
        let group = &problem.groups[c];
        let rows = group.rows();
        Place {
            kind: self.kinds[c],
            lambda: &z[rows.clone()],
            dual: &self.dual[rows.clone()],
            low: self.low[c],
            xi: &self.sweep.velocities()[rows],
            diagonal: self.sweep.diagonal(c, group),
        }
    }

    fn step_of(&self, problem: &ContactProblem, c: usize) -> Step<'_> {
        let (dual, low) = self.dual_change[c];
        Step { change: &self.change[problem.groups[c].rows()], dual, low }
    }

    /// The products of all groups after a step of the given length.
    fn products(&self, problem: &ContactProblem, z: &[f64], length: f64) -> Products {
        let mut all = Products { least: f64::INFINITY, sum: 0.0, count: 0.0 };
        for c in 0..problem.groups.len() {
            let one = self.place(problem, c, z).products(length, &self.step_of(problem, c));
            all.least = all.least.min(one.least);
            all.sum += one.sum;
            all.count += one.count;
        }
        all
    }

    /// Solves eq. (4) and goes along the step as far as it may. Returns how far: zero when there is no step.
    fn advance(&mut self, problem: &ContactProblem, centre: f64, z: &mut [f64]) -> f64 {
        let now = self.products(problem, z, 0.0);
        let target = centre * now.sum / now.count.max(1.0);
        self.barriers.clear();
        for c in 0..problem.groups.len() {
            let barrier = self.place(problem, c, z).relate(target, EPS);
            self.barriers.push(barrier);
        }
        if !self.system.step(problem, &self.barriers, &mut self.change) {
            return 0.0;
        }
        let mut length = 1.0f64;
        for (c, group) in problem.groups.iter().enumerate() {
            let place = self.place(problem, c, z);
            let (dual, low) = place.dual_step(&self.barriers[c], target, &self.change[group.rows()]);
            let step = Step { change: &self.change[group.rows()], dual, low };
            length = length.min(INSIDE * place.longest(&step));
            self.dual_change[c] = (dual, low);
        }
        for _ in 0..30 {
            let after = self.products(problem, z, length);
            if after.least >= NEAR * after.sum / after.count.max(1.0) {
                break;
            }
            length *= 0.8;
        }
        for (x, d) in z.iter_mut().zip(&self.change) {
            *x += length * d;
        }
        for (c, group) in problem.groups.iter().enumerate() {
            let (dual, low) = self.dual_change[c];
            self.dual[group.rows()].iter_mut().zip(dual).for_each(|(v, d)| *v += length * d);
            self.low[c] += length * low;
        }
        length
    }

    /// Newton from the best point so far; `residual` and the best point follow if that helps. Returns its iterations.
    fn polish(&mut self, problem: &ContactProblem, residual: &mut f64) -> usize {
        self.finish.tolerance = self.tolerance;
        self.trial.clear();
        self.trial.extend_from_slice(&self.best);
        let report = self.finish.solve(problem, &mut self.trial);
        if report.residual < *residual {
            *residual = report.residual;
            self.best.copy_from_slice(&self.trial);
        }
        report.iterations
    }

    /// Along the path. Returns the residual of the best point, the steps along the path and Newton's iterations.
    fn follow(&mut self, problem: &ContactProblem, z: &mut [f64]) -> (f64, usize, usize) {
        let (mut best, mut finish, mut centre) = (f64::INFINITY, FINISH, CENTRE_FIRST);
        let (mut steps, mut finishing, mut short) = (0, 0, 0);
        loop {
            let residual = self.sweep.residual(problem, z).max();
            if residual < best || self.best.len() != z.len() {
                best = residual;
                self.best.clear();
                self.best.extend_from_slice(z);
            }
            if best <= finish && best > self.tolerance {
                finishing += self.polish(problem, &mut best);
                finish *= FINISH.sqrt();
            }
            if best <= self.tolerance || steps >= self.iterations || short >= SHORT_STEPS {
                break;
            }
            steps += 1;
            let length = self.advance(problem, centre, z);
            if length == 0.0 || !length.is_finite() {
                break;
            }
            short = if length < SHORT { short + 1 } else { 0 };
            centre = (1.0 - length).powi(2).clamp(CENTRE_LOW, CENTRE_HIGH);
        }
        if best > self.tolerance && best.is_finite() {
            finishing += self.polish(problem, &mut best);
        }
        (best, steps, finishing)
    }
}

impl Solver<ContactProblem> for InteriorPoint {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        // groups of at most three rows, and no edges
        let other = |law| {
            let edges = matches!(law, Law::Contact { cone: Cone::Polygon | Cone::Ball, .. });
            edges || matches!(law, Law::Combined { .. } | Law::DryCone { .. })
        };
        if !is_finite(problem) || problem.groups.iter().any(|g| other(g.law)) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        self.start(problem, z);
        let (residual, steps, finishing) = self.follow(problem, z);
        z.copy_from_slice(&self.best);
        let otherwise = if steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(residual, self.tolerance, steps + finishing, otherwise)
    }
}
