//! Contact problems whose laws are convex: associated friction, unilateral and bilateral rows, dry friction. The
//! impulses minimise
//!
//! ```text
//! lambda^T A lambda / 2 + q^T lambda   over the sets C of the laws,                                (1)
//! ```
//!
//! and `−xi ∈ N(lambda)` with `xi = A lambda + q` says that they do. Every problem (1) that has a solution is solved,
//! up to rounding, by three methods, each where the others are poor:
//!
//! ```text
//! sweeps        projected Gauss–Seidel: settle what is local
//! central path  tells thousands of contacts apart in a dozen matrices (`convex/path.rs`)
//! multipliers   make the answer exact (`multipliers.rs`)
//! ```
//!
//! The method works on an active set: contacts that open, and faster than impulses of a step are likely to change,
//! take no part: all work is done on the other groups (`problem/subset.rs`). Now and then along the path, and at the
//! end, the velocities of all groups are looked at, and those that close after all are taken in. The residual is that
//! of the whole problem, with velocities computed anew.

use crate::law::convex::project;
use crate::law::{GroupLaw, MAX_ROWS};
use crate::problem::contact::ContactProblem;
use crate::problem::subset::Subset;
use crate::solver::contact::newton_engine::is_finite;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::sweep::Sweep;
use crate::solver::convex::best::Best;
use crate::solver::convex::multipliers::{Limits, Multipliers, Tools};
use crate::solver::convex::path::{At, ConvexPath, End};
pub use crate::solver::convex::settings::{ConvexSettings, MultiplierSettings, PathSettings};
use crate::solver::convex::sweep::ConvexSweep;
use crate::solver::{Report, Solver, Status};

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Augmented {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The residual from which on a step that does not help is the last, if it is larger than `tolerance`.
    pub enough: f64,
    /// The most matrices factored.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: ConvexSettings,
    /// Of the whole problem.
    best: Best,
    /// Groups that take part, and their problem.
    kept: Vec<bool>,
    subset: Subset,
    /// The best impulses of that, and the present ones.
    part: Best,
    z: Vec<f64>,
    sweep: Sweep,
    local: ConvexSweep,
    system: NewtonSystem,
    path: ConvexPath,
    multipliers: Multipliers,
    /// A vector with all rows.
    all: Vec<f64>,
}

impl Augmented {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self {
            tolerance,
            enough: tolerance,
            iterations,
            settings: ConvexSettings::default(),
            best: Best::default(),
            kept: Vec::new(),
            subset: Subset::default(),
            part: Best::default(),
            z: Vec::new(),
            sweep: Sweep::default(),
            local: ConvexSweep::default(),
            system: NewtonSystem::default(),
            path: ConvexPath::default(),
            multipliers: Multipliers::default(),
            all: Vec::new(),
        }
    }

    /// Begins with the points of the sets next to the warm start; no group takes part yet.
    fn begin(&mut self, problem: &ContactProblem, z: &[f64]) {
        self.all.clear();
        for group in &problem.groups {
            let n = group.law.rows();
            let mut x = [0.0; MAX_ROWS];
            x[..n].copy_from_slice(&z[group.rows()]);
            self.all.extend_from_slice(&project(group.law, &x)[..n]);
        }
        self.kept.clear();
        self.kept.resize(problem.groups.len(), false);
        self.best.reset(problem);
        self.best.keep(problem, &self.all);
    }

    /// Takes in the groups that push or do not open faster than a part of the problem's speed, by the impulses and
    /// velocities that were looked at last. Returns whether there are new ones.
    fn take_in(&mut self, problem: &ContactProblem, part: f64) -> bool {
        let mut grown = false;
        for (group, kept) in problem.groups.iter().zip(&mut self.kept).filter(|(_, kept)| !**kept) {
            let (lambda, xi) = (self.all[group.first_row], &self.best.velocities()[group.rows()]);
            let separation = group.law.separation(xi);
            let opens = lambda <= 0.0 && separation.is_some_and(|speed| speed > part * problem.scale);
            *kept = !opens;
            grown |= *kept;
        }
        grown
    }

    /// Takes in groups that close with the present impulses.
    fn look_around(&mut self, problem: &ContactProblem, subset: &Subset, part: f64) -> bool {
        subset.scatter(problem, &self.z, &mut self.all);
        self.best.look(problem, &self.all);
        self.take_in(problem, part)
    }

    /// Makes the problem of the groups that take part, with the impulses in `all`.
    fn enter(&mut self, problem: &ContactProblem, subset: &mut Subset) {
        subset.take(problem, &self.kept);
        subset.gather(problem, &self.all, &mut self.z);
        self.part.reset(&subset.problem);
        self.part.keep(&subset.problem, &self.z);
        self.sweep.start(&subset.problem, &self.z);
        self.local.prepare(&subset.problem, &self.sweep);
    }

    /// Solves the problem of the groups that take part, which become more on the way. Returns the number of matrices.
    fn solve_part(&mut self, problem: &ContactProblem, subset: &mut Subset, most: usize) -> usize {
        self.all.clone_from(&self.best.z);
        self.enter(problem, subset);
        self.sweep_part(&subset.problem, self.settings.sweeps_before_path);
        if self.part.residual > self.settings.path_start_residual
            && self.look_around(problem, subset, self.settings.leaving_speed)
        {
            self.enter(problem, subset);
            self.sweep_part(&subset.problem, self.settings.check_interval);
        }
        let mut steps = 0;
        if self.part.residual > self.tolerance {
            self.system.prepare(&subset.problem);
            if self.part.residual > self.settings.path_start_residual && ConvexPath::takes(problem) {
                steps += self.walk(problem, subset, most);
                self.sweep_part(&subset.problem, self.settings.sweeps_after_path);
            }
            let limits = Limits { tolerance: self.tolerance, enough: self.enough, most: most - steps };
            let Self { sweep, system, part: best, .. } = self;
            let mut tools = Tools { problem: &subset.problem, sweep, system, best };
            steps += self.multipliers.run(&mut tools, &self.z, limits);
        }
        subset.scatter(problem, &self.part.z, &mut self.all);
        self.best.keep(problem, &self.all);
        steps
    }

    /// Sweeps, until the residual is reached, the number is, or they become slow: what a few contacts have to settle
    /// among themselves is not worth a matrix for all.
    fn sweep_part(&mut self, problem: &ContactProblem, most: usize) {
        let mut before = f64::INFINITY;
        for _ in 0..most / self.settings.check_interval {
            (0..self.settings.check_interval)
                .for_each(|_| self.local.once(problem, &mut self.sweep, &mut self.z));
            let residual = self.part.keep(problem, &self.z);
            // how many more of these it would take
            let more = (self.tolerance / residual).ln() / (residual / before).ln();
            if residual <= self.tolerance
                || residual >= before
                || before < self.settings.forecast_residual && more > self.settings.max_forecast
            {
                break;
            }
            before = residual;
        }
    }

    /// Along the central path from the present impulses to its last point. Returns the number of steps.
    fn walk(&mut self, problem: &ContactProblem, subset: &mut Subset, most: usize) -> usize {
        self.path.begin(&subset.problem, &mut self.sweep, &mut self.z);
        for steps in 1..=most {
            let Self { sweep, system, .. } = self;
            let end = self.path.step(&mut At { problem: &subset.problem, sweep, system }, &mut self.z);
            let residual = self.part.keep(&subset.problem, &self.z);
            let arrived = residual <= self.settings.path_end_residual || end == End::Reached;
            if (arrived || steps % self.settings.look_interval == 0)
                && self.look_around(problem, subset, self.settings.closing_speed)
            {
                self.path.leave(problem, subset);
                self.enter(problem, subset);
                self.system.prepare(&subset.problem);
                self.path.enter(problem, subset, &mut self.sweep, &mut self.z);
            } else if arrived {
                return steps;
            }
        }
        most
    }
}

impl Solver<ContactProblem> for Augmented {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        let convex = problem.groups.iter().all(|g| g.law.is_convex());
        if !convex || !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        self.enough = self.enough.max(self.tolerance);
        (self.path.settings, self.multipliers.settings) = (self.settings.path, self.settings.multipliers);
        self.begin(problem, z);
        let mut steps = 0;
        let mut part = self.settings.leaving_speed;
        let mut subset = std::mem::take(&mut self.subset);
        while self.best.residual > self.tolerance && steps < self.iterations && self.take_in(problem, part) {
            steps += self.solve_part(problem, &mut subset, self.iterations - steps);
            part = self.settings.closing_speed;
        }
        self.subset = subset;
        z.copy_from_slice(&self.best.z);
        let otherwise = if steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(self.best.residual, self.tolerance, steps, otherwise)
    }
}
