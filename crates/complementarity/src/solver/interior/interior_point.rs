//! A primal–dual interior-point method for frictional contact with round cones. With De Saxcé's velocity
//! `v = xi + mu |xi_t| n` Coulomb's law is a complementarity between cones,
//!
//! ```text
//! K* ∋ v ⟂ lambda ∈ K,   K = { |lambda_t| <= mu lambda_n },   xi = A lambda + q.         (1)
//! ```
//!
//! (1) holds as well with any `v = xi + sigma(v) n` whose sigma is mu |v_t| on the boundary of K* and zero at its
//! tip: at an open contact, where it is neither, v is only another way to write xi. De Saxcé's |v_t| has a kink at
//! sticking contacts; here
//!
//! ```text
//! sigma = mu sqrt((1 − beta²) |v_t|² + beta² v_n² / mu²),   0 < beta < 1,                (2)
//! ```
//!
//! which is smooth inside the cone. The method follows the central path `lambda ∘ v = target e` (in the sense of the
//! cone's Jordan algebra) to target = 0. Unknowns are lambda and v; a Newton step solves
//!
//! ```text
//! dv = −V dlambda + target lambda^-1 − v                     (`interior/group.rs`)      (3)
//! dv − n sigma'(v) dv = A dlambda − p,   p = v − sigma(v) n − xi                         (4)
//! (V + eps a + S A) dlambda = S p + target lambda^-1 − v,   S = (1 − n sigma')^-1        (5)
//! ```
//!
//! (5) being (3) in (4). The sizes of the slips are thus part of the Newton system, not an outer iteration. V is the
//! scaling of Nesterov and Todd; eps, a small proximal weight, keeps (5) regular where contacts are redundant. Steps
//! stay inside the cones and near the path: no product may fall below a part of the mean. Unilateral rows are cones
//! of dimension one, dry friction is a box, bilateral rows have no barrier. On the path sticking, sliding and open
//! contacts separate by themselves; once they have, the semismooth Newton method (`contact_newton.rs`; with many
//! groups `swept_newton.rs`) finishes from there.
//!
//! The warm start is used where [`Start`] says so, and to see which of many groups are open. Without friction and for
//! monotone A convergence is the textbook's. With friction the path can turn back and forth before it gets to zero,
//! which `interior/path.rs` follows; there is no proof that it gets there. Polygons and balls (torsion), combined
//! laws and dry friction in several directions are not supported. References: V. Acary, P. Armand, H. M. Nguyen, M.
//! Shpakovych, "Second-order cone programming for frictional contact mechanics using interior point algorithm", 2023;
//! G. De Saxcé, Z.-Q. Feng, Math. Comput. Modelling 28, 1998; L. Vandenberghe, "The CVXOPT linear and quadratic cone
//! program solvers", 2010 (the scaling).

use crate::law::{Domain, GroupLaw, Law, MAX_ROWS};
use crate::problem::contact::ContactProblem;
use crate::solver::contact::contact_newton::ContactNewton;
use crate::solver::contact::newton_engine::is_finite;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::sweep::Sweep;
use crate::solver::contact::swept_newton::{MANY, SweptNewton};
use crate::solver::interior::barrier::Barrier;
use crate::solver::interior::cone_algebra::Three;
use crate::solver::interior::group::{Place, Products, Step};
use crate::solver::interior::path::{Anchor, Directions};
pub use crate::solver::interior::settings::InteriorSettings;
use crate::solver::{Report, Solver, Status};

/// Where the path begins: another beginning, another path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// With every contact closed, and leaving, at this many times the problem's own speed.
    Own(f64),
    /// At the impulses given, moved inside the cones by as much.
    Given(f64),
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct InteriorPoint {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most steps along the path.
    pub iterations: usize,
    /// Where the path begins.
    pub start: Start,
    /// How it goes about it.
    pub settings: InteriorSettings,
    pub(super) sweep: Sweep,
    pub(super) system: NewtonSystem,
    finish: ContactNewton,
    /// In its place with many groups.
    swept: SweptNewton,
    domains: Vec<Domain>,
    pub(super) barriers: Vec<Barrier>,
    /// v of each row, and the second multiplier of each box.
    pub(super) dual: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) change: Vec<f64>,
    /// Steps of `dual` and `low`, per group.
    pub(super) dual_change: Vec<(Three, f64)>,
    pub(super) best: Vec<f64>,
    trial: Vec<f64>,
    /// The steps of `interior/path.rs`, and the last point near the path.
    pub(super) along: Directions,
    pub(super) anchor: Anchor,
}

impl InteriorPoint {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let mut finish = ContactNewton::new(tolerance, 12);
        (finish.patience, finish.sweeps) = (4, 4);
        let mut swept = SweptNewton::new(tolerance, 300);
        swept.patience = 20;
        Self {
            tolerance,
            iterations,
            start: Start::Own(1.0),
            settings: InteriorSettings::default(),
            sweep: Sweep::default(),
            system: NewtonSystem::default(),
            finish,
            swept,
            domains: Vec::new(),
            barriers: Vec::new(),
            dual: Vec::new(),
            low: Vec::new(),
            change: Vec::new(),
            dual_change: Vec::new(),
            best: Vec::new(),
            trial: Vec::new(),
            along: Directions::default(),
            anchor: Anchor::default(),
        }
    }

    /// The path begins at the impulses given.
    pub(super) fn starts_from_given(&self) -> bool {
        matches!(self.start, Start::Given(_))
    }

    /// The first point, from the impulses given.
    fn begin(&mut self, problem: &ContactProblem, z: &mut [f64]) {
        self.sweep.start(problem, z);
        self.system.prepare(problem);
        self.domains.clear();
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
        let own = if problem.scale > 0.0 { problem.scale } else { fastest };
        let (Start::Own(times) | Start::Given(times)) = self.start;
        let speed = times * own;
        let leaving =
            if problem.groups.len() >= MANY { self.settings.leaving_speed * own } else { f64::INFINITY };
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = self.sweep.diagonal(c, group);
            let (lambda, xi) = (&mut z[group.rows()], &self.sweep.velocities()[group.rows()]);
            // laws without are refused before
            let mut domain = group.law.domain(&diagonal).unwrap_or(Domain::Zero);
            if matches!(domain, Domain::Cone(..)) && lambda[0] <= 0.0 && xi[0] > leaving {
                domain = Domain::Zero;
            }
            self.domains.push(domain);
            if !self.starts_from_given() || domain == Domain::Zero {
                lambda.fill(0.0);
            }
            let dual = &mut self.dual[group.rows()];
            let inside = speed / diagonal[0];
            match (domain, self.start) {
                (Domain::Zero | Domain::Free, _) => {}
                (Domain::Cone(..), Start::Own(_)) => (lambda[0], dual[0]) = (inside, speed),
                (Domain::Box(_), Start::Own(_)) => (dual[0], self.low[c]) = (speed, speed),
                (Domain::Cone(n, mu), Start::Given(_)) => {
                    let size = |x: &[f64]| x[1..n].iter().map(|x| x * x).sum::<f64>().sqrt();
                    dual[..n].copy_from_slice(&xi[..n]);
                    lambda[0] = lambda[0].max(size(lambda) / mu).max(0.0) + inside;
                    dual[0] = xi[0].max(0.0) + mu * size(xi) + speed;
                    lambda[n..].fill(0.0);
                }
                (Domain::Box(bound), Start::Given(_)) => {
                    let most = bound - inside.min(0.5 * bound);
                    lambda[0] = lambda[0].clamp(-most, most);
                    (dual[0], self.low[c]) = ((-xi[0]).max(0.0) + speed, xi[0].max(0.0) + speed);
                }
            }
        }
    }

    /// The largest speed at which a group without an impulse along the path closes, relative to the problem's scale,
    /// at the last velocities.
    pub(super) fn left_out(&self, problem: &ContactProblem) -> f64 {
        let xi = self.sweep.velocities();
        let mut most = 0.0f64;
        for (group, domain) in problem.groups.iter().zip(&self.domains) {
            if let (Domain::Zero, Some(separation)) = (domain, group.law.separation(&xi[group.rows()])) {
                most = most.max(-separation);
            }
        }
        if problem.scale > 0.0 { most / problem.scale } else { most }
    }

    pub(super) fn place<'a>(&'a self, problem: &'a ContactProblem, c: usize, z: &'a [f64]) -> Place<'a> {
        let group = &problem.groups[c];
        let rows = group.rows();
        Place {
            domain: self.domains[c],
            smoothing: self.settings.smoothing,
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
    pub(super) fn products(&self, problem: &ContactProblem, z: &[f64], length: f64) -> Products {
        let mut all = Products { least: f64::INFINITY, sum: 0.0, count: 0.0 };
        for c in 0..problem.groups.len() {
            let one = self.place(problem, c, z).products(length, &self.step_of(problem, c));
            all.least = all.least.min(one.least);
            all.sum += one.sum;
            all.count += one.count;
        }
        all
    }

    /// Newton from a point of the path; `residual` and the best point follow if that helps. Returns its iterations.
    pub(super) fn polish(&mut self, problem: &ContactProblem, z: &[f64], residual: &mut f64) -> usize {
        self.trial.clear();
        self.trial.extend_from_slice(z);
        (self.finish.tolerance, self.swept.tolerance) = (self.tolerance, self.tolerance);
        let many = problem.groups.len() >= MANY;
        let swept = many.then(|| self.swept.solve(problem, &mut self.trial));
        let report = match swept {
            Some(report) if report.status != Status::Unsupported => report,
            _ => self.finish.solve(problem, &mut self.trial),
        };
        if report.residual < *residual {
            *residual = report.residual;
            self.best.copy_from_slice(&self.trial);
        }
        report.iterations
    }
}

impl Solver<ContactProblem> for InteriorPoint {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        // groups of at most three rows, and no edges
        let other = |law: Law| law.is_associated() || law.domain(&[1.0; MAX_ROWS]).is_none();
        if !is_finite(problem) || problem.groups.iter().any(|g| other(g.law)) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let (mut residual, mut steps, mut finishing) = (f64::INFINITY, 0, 0);
        for _ in 0..self.settings.max_rounds {
            self.begin(problem, z);
            let (reached, along, after) = self.follow(problem, z);
            (residual, steps, finishing) = (reached, steps + along, finishing + after);
            z.copy_from_slice(&self.best);
            self.sweep.refresh(problem, z);
            if residual <= self.tolerance || self.left_out(problem) <= self.tolerance {
                break;
            }
        }
        let otherwise = if steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(residual, self.tolerance, steps + finishing, otherwise)
    }
}
