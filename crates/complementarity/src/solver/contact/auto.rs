//! The default for contact problems: one method after the other until the residual is reached.
//!
//! ```text
//! nsgs        when there is a single group: its exact local solution
//! newton      a sweep from the warm start, then Newton steps: nearly every time step of a simulation ends here
//! interior    the central path round its folds, from its own start; not for polygons
//! lifted      a sequence of convex problems; not for polygons
//! newton      from zero, where the central path could not be tried: a warm start can lead it astray
//! proximal    redundant contacts and nearly contradicting modes; for polygons also from zero
//! nsgs        long; what is left to try
//! proximal    again: from there it can come further
//! augmented   alone, where friction is associated: the problem is convex
//! ```
//!
//! and where there are many groups of the kind that sweeps take
//!
//! ```text
//! swept       sweeps and Newton steps in turn, with little patience
//! interior    the central path from near the best point so far, ended by sweeps and Newton steps
//! lifted      a sequence of convex problems
//! interior    from its own starts and from nearer, which are other paths
//! swept       patiently
//! newton, proximal, anderson (accelerated sweeps), proximal
//! ```
//!
//! Each starts from the best point so far unless it says otherwise. What was tried is kept in
//! [`Auto::tried`]; the answer is the best point met, and its residual is recomputed from the problem. Trying ends early
//! when the residual is at the level that rounding alone can make. The choice depends on the problem only, so that the same
//! problem gives the same answer.

use crate::problem::contact::ContactProblem;
use crate::solver::contact::anderson::Anderson;
use crate::solver::contact::contact_newton::ContactNewton;
use crate::solver::contact::lifted::Lifted;
use crate::solver::contact::newton_engine::{Engine, is_finite};
use crate::solver::contact::nsgs::Nsgs;
use crate::solver::contact::proximal::Proximal;
use crate::solver::contact::swept_newton::{MANY, SweptNewton};
use crate::solver::convex::augmented::Augmented;
use crate::solver::interior::interior_point::{InteriorPoint, Start};
use crate::solver::{Report, Solver, Status};

/// Accelerated sweeps as the last resort: what the worst steps of a pile needed.
const LAST_SWEEPS: usize = 15_000;

/// The methods in order, and whether they start from zero.
const FOR_FEW: [(&str, bool); 8] = [
    ("newton", false),
    ("interior-point", false),
    ("lifted", false),
    ("newton", true),
    ("proximal", false),
    ("proximal", true),
    ("nsgs", false),
    ("proximal", false),
];
const FOR_MANY: [(&str, bool); 13] = [
    ("swept-newton", false),
    ("interior-point", false),
    ("lifted", false),
    ("interior-point", false),
    ("interior-point", false),
    ("interior-point", false),
    ("interior-point", false),
    ("swept-newton", false),
    ("newton", false),
    ("proximal", false),
    ("proximal", true),
    ("anderson", false),
    ("proximal", false),
];
/// The patience of the first and of further tries of `swept-newton`, and the starts of those of `interior-point` with many groups.
const PATIENCE: [usize; 2] = [20, 120];
const STARTS: [Start; 5] =
    [Start::Given(0.1), Start::Own(1.0), Start::Given(0.01), Start::Own(10.0), Start::Own(0.1)];

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// With a residual below this no further method is tried: the tolerance itself, or more where the last digits are
    /// not worth thousands of times the first method's work.
    enough: f64,
    swept: SweptNewton,
    anderson: Anderson,
    newton: ContactNewton,
    /// Made when it is needed first: hardly ever.
    lifted: Option<Box<Lifted>>,
    interior: InteriorPoint,
    proximal: Proximal,
    nsgs: Nsgs,
    augmented: Augmented,
    judge: Engine,
    tried: Vec<(&'static str, Report)>,
    best: Vec<f64>,
    /// What rounding alone can make of the residual of `best`.
    rounding: f64,
}

impl Auto {
    /// A solver with the residual to reach and the most sweeps of its last resort.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let mut newton = ContactNewton::new(tolerance, iterations.min(200));
        newton.patience = 15;
        newton.sweeps = 60;
        Self {
            tolerance,
            enough: tolerance,
            swept: SweptNewton::new(tolerance, iterations.min(300)),
            anderson: Anderson::new(tolerance, iterations.min(LAST_SWEEPS)),
            newton,
            lifted: None,
            interior: InteriorPoint::new(tolerance, iterations.min(1000)),
            proximal: Proximal::new(tolerance, iterations.min(100)),
            nsgs: Nsgs::new(tolerance, iterations.min(20_000)),
            augmented: Augmented::new(tolerance, iterations.min(1000)),
            judge: Engine::default(),
            tried: Vec::new(),
            best: Vec::new(),
            rounding: 0.0,
        }
    }

    /// Aims at the tolerance, but goes on to further methods only while the residual is above `enough`, and for no
    /// longer than a time step is worth.
    pub fn content_with(mut self, enough: f64) -> Self {
        self.enough = enough.max(self.tolerance);
        self.proximal.tolerance = self.enough;
        self.interior.tolerance = self.enough;
        self.anderson.tolerance = self.enough;
        self.augmented.enough = self.enough;
        self.proximal.iterations = self.proximal.iterations.min(30);
        self.nsgs.iterations = self.nsgs.iterations.min(2_000);
        self
    }

    /// The methods tried in the last solve, with what they reported.
    pub fn tried(&self) -> &[(&'static str, Report)] {
        &self.tried
    }

    /// Takes `z` if it is better than the best so far. Returns true when there is no need to go on.
    fn judge(&mut self, problem: &ContactProblem, z: &mut [f64], best: &mut f64) -> bool {
        let value = self.judge.residual(problem, z);
        if value.residual < *best || self.best.len() != z.len() {
            *best = value.residual;
            self.rounding = value.rounding;
            self.best.clear();
            self.best.extend_from_slice(z);
        } else {
            z.copy_from_slice(&self.best);
        }
        *best <= self.enough || *best <= self.rounding
    }
}

impl Solver<ContactProblem> for Auto {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        self.tried.clear();
        self.best.clear();
        if problem.groups.len() == 1 && !problem.is_associated() {
            // a single group has an exact local solution; what is not finite is not solved by it
            let report = self.nsgs.solve(problem, z);
            if report.status == Status::Solved {
                self.tried.push(("nsgs", report));
                return report;
            }
        }
        if !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        if problem.is_associated() {
            // a convex program: there is a method that needs no luck
            let report = self.augmented.solve(problem, z);
            self.tried.push(("augmented-lagrangian", report));
            return report;
        }
        let mut best = f64::INFINITY;
        let mut order = if problem.groups.len() >= MANY { FOR_MANY.iter() } else { FOR_FEW.iter() };
        while let Some(&(name, cold)) = order.next() {
            let before = |of: &str| self.tried.iter().filter(|t| t.0 == of).count();
            let refused =
                |of: &str| self.tried.iter().any(|t| t.0 == of && t.1.status == Status::Unsupported);
            // the central path was a start of its own
            let elsewhere = cold && before("interior-point") > 0 && !refused("interior-point");
            if refused(name) || elsewhere {
                continue;
            }
            let again = before(name);
            if cold {
                z.fill(0.0);
            }
            let report = match name {
                "swept-newton" => {
                    self.swept.patience = PATIENCE[again.min(1)];
                    self.swept.solve(problem, z)
                }
                "anderson" => self.anderson.solve(problem, z),
                "newton" => self.newton.solve(problem, z),
                "lifted" => {
                    let lifted = self.lifted.get_or_insert_with(|| Box::new(Lifted::new(self.tolerance)));
                    lifted.tolerance = self.enough;
                    lifted.solve(problem, z)
                }
                "interior-point" => {
                    let many = problem.groups.len() >= MANY;
                    self.interior.start = if many { STARTS[again.min(4)] } else { Start::Own(1.0) };
                    self.interior.solve(problem, z)
                }
                "proximal" => self.proximal.solve(problem, z),
                _ => self.nsgs.solve(problem, z),
            };
            self.tried.push((name, report));
            if name == "swept-newton" && report.status == Status::Unsupported {
                order = FOR_FEW.iter();
                continue;
            }
            if report.status == Status::Solved && report.residual <= self.tolerance {
                // solvers say so of what they recomputed from the problem only
                best = report.residual;
                break;
            }
            if self.judge(problem, z, &mut best) {
                break;
            }
        }
        let iterations = self.tried.iter().map(|t| t.1.iterations).sum();
        Report::checked(best, self.tolerance, iterations, Status::Failed)
    }
}
