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
//! Each starts from the best point so far unless it says otherwise. What was tried is kept in [`Auto::tried`]; the
//! answer is the best point met, and its residual is recomputed from the problem. Trying ends early when the residual
//! is at the level that rounding alone can make. In a time step with many groups ([`Auto::content_with`]) it ends, too,
//! when a method fell short of `enough` by little, and when the residual is small and three methods in turn have not
//! halved it: the rows then contradict each other by as much, and the methods left would take a hundred times the step
//! to say so. The choice depends on the problem only, so that the same problem gives the same answer.

use crate::problem::contact::ContactProblem;
use crate::problem::operator::Operator;
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

/// A method that [`Auto`] tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Nsgs,
    Anderson,
    SweptNewton,
    Newton,
    Lifted,
    InteriorPoint,
    Proximal,
    Augmented,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Nsgs => "nsgs",
            Method::Anderson => "anderson",
            Method::SweptNewton => "swept-newton",
            Method::Newton => "newton",
            Method::Lifted => "lifted",
            Method::InteriorPoint => "interior-point",
            Method::Proximal => "proximal",
            Method::Augmented => "augmented-lagrangian",
        }
    }
}

/// The methods in order, and whether they start from zero.
const FOR_FEW: [(Method, bool); 8] = [
    (Method::Newton, false),
    (Method::InteriorPoint, false),
    (Method::Lifted, false),
    (Method::Newton, true),
    (Method::Proximal, false),
    (Method::Proximal, true),
    (Method::Nsgs, false),
    (Method::Proximal, false),
];
const FOR_MANY: [(Method, bool); 13] = [
    (Method::SweptNewton, false),
    (Method::InteriorPoint, false),
    (Method::Lifted, false),
    (Method::InteriorPoint, false),
    (Method::InteriorPoint, false),
    (Method::InteriorPoint, false),
    (Method::InteriorPoint, false),
    (Method::SweptNewton, false),
    (Method::Newton, false),
    (Method::Proximal, false),
    (Method::Proximal, true),
    (Method::Anderson, false),
    (Method::Proximal, false),
];

/// From this many groups on, those of mechanisms are many: rows of one joint couple with all others. By hand, on a
/// robot with 39 controlled joints on four wheels.
const MANY_ON_JOINTS: usize = 40;

/// Whether there are many groups, for bodies on their own or for mechanisms: blocks of more than a body's coordinates.
fn has_many(problem: &ContactProblem) -> bool {
    let on_joints = match &problem.operator {
        Operator::Factored { inverse_mass, .. } => inverse_mass.blocks().iter().any(|b| b.size > 6),
        Operator::Assembled(_) => false,
    };
    problem.groups.len() >= if on_joints { MANY_ON_JOINTS } else { MANY }
}

/// How [`Auto`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    /// The most iterations of `anderson`, the last resort: what the worst steps of a pile needed.
    pub max_accelerated_sweeps: usize,
    /// The patience of the first and of further tries of `swept-newton`. By hand.
    pub swept_patience: [usize; 2],
    /// Where the tries of `interior-point` begin with many groups: other beginnings are other paths. By hand.
    pub interior_starts: [Start; 5],
    /// In a time step, what is good enough of a method that fell short, as a multiple of `enough`: half of the
    /// certificate's tolerance where both are the defaults.
    pub nearly: f64,
    /// In a time step, the residual below which methods that do not halve it are not followed by others: that of the
    /// jammed heaps of boxes, whose bends contradict each other by 1e-8 to 1e-7.
    pub stuck: f64,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self {
            max_accelerated_sweeps: 15_000,
            swept_patience: [20, 120],
            interior_starts: [
                Start::Given(0.1),
                Start::Own(1.0),
                Start::Given(0.01),
                Start::Own(10.0),
                Start::Own(0.1),
            ],
            nearly: 5.0,
            stuck: 1e-6,
        }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// With a residual below this no further method is tried: the tolerance itself, or more where the last digits are
    /// not worth thousands of times the first method's work.
    enough: f64,
    /// Whether this is for a time step.
    content: bool,
    settings: AutoSettings,
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
    /// The same as methods.
    methods: Vec<Method>,
    best: Vec<f64>,
    /// What rounding alone can make of the residual of `best`.
    rounding: f64,
}

impl Auto {
    /// A solver with the residual to reach and the most sweeps of its last resort.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self::with(tolerance, iterations, AutoSettings::default())
    }

    /// The same with settings of one's own.
    pub fn with(tolerance: f64, iterations: usize, settings: AutoSettings) -> Self {
        let mut newton = ContactNewton::new(tolerance, iterations.min(200));
        newton.patience = 15;
        newton.sweeps = 60;
        Self {
            tolerance,
            enough: tolerance,
            content: false,
            settings,
            swept: SweptNewton::new(tolerance, iterations.min(300)),
            anderson: Anderson::new(tolerance, iterations.min(settings.max_accelerated_sweeps)),
            newton,
            lifted: None,
            interior: InteriorPoint::new(tolerance, iterations.min(1000)),
            proximal: Proximal::new(tolerance, iterations.min(100)),
            nsgs: Nsgs::new(tolerance, iterations.min(20_000)),
            augmented: Augmented::new(tolerance, iterations.min(1000)),
            judge: Engine::default(),
            tried: Vec::new(),
            methods: Vec::new(),
            best: Vec::new(),
            rounding: 0.0,
        }
    }

    /// Aims at the tolerance, but goes on to further methods only while the residual is above `enough`, and for no
    /// longer than a time step is worth.
    pub fn content_with(mut self, enough: f64) -> Self {
        self.enough = enough.max(self.tolerance);
        self.content = true;
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

impl Auto {
    fn note(&mut self, method: Method, report: Report) {
        self.tried.push((method.name(), report));
        self.methods.push(method);
    }

    /// How often a method has been tried, and whether it takes such problems as far as is known.
    fn past(&self, method: Method) -> (usize, bool) {
        let mut reports =
            self.methods.iter().zip(&self.tried).filter(|(m, _)| **m == method).map(|(_, t)| t.1);
        (reports.clone().count(), reports.all(|r| r.status != Status::Unsupported))
    }

    /// One method, for the first time or again, from `z`.
    fn attempt(&mut self, method: Method, again: usize, problem: &ContactProblem, z: &mut [f64]) -> Report {
        match method {
            Method::SweptNewton => {
                self.swept.patience = self.settings.swept_patience[again.min(1)];
                self.swept.solve(problem, z)
            }
            Method::Anderson => self.anderson.solve(problem, z),
            Method::Newton => self.newton.solve(problem, z),
            Method::Lifted => {
                let lifted = self.lifted.get_or_insert_with(|| Box::new(Lifted::new(self.tolerance)));
                lifted.tolerance = self.enough;
                lifted.solve(problem, z)
            }
            Method::InteriorPoint => {
                let (many, starts) = (has_many(problem), self.settings.interior_starts);
                self.interior.start = if many { starts[again.min(4)] } else { Start::Own(1.0) };
                self.interior.solve(problem, z)
            }
            Method::Proximal => self.proximal.solve(problem, z),
            Method::Nsgs => self.nsgs.solve(problem, z),
            Method::Augmented => self.augmented.solve(problem, z),
        }
    }

    /// Whether a time step is better served with the residual that there is than with further methods; `before` is what
    /// it was three methods ago.
    fn is_content(&self, best: f64, before: f64) -> bool {
        let AutoSettings { nearly, stuck, .. } = self.settings;
        self.content && (best <= nearly * self.enough || (best <= stuck && before <= 2.0 * best))
    }

    /// The methods in order until one is good enough. Returns the residual of the best point, which `z` becomes.
    fn try_all(&mut self, problem: &ContactProblem, z: &mut [f64]) -> f64 {
        let mut best = f64::INFINITY;
        // after each of the last three methods
        let mut before = [f64::INFINITY; 3];
        let many = has_many(problem);
        let mut order = if many { FOR_MANY.iter() } else { FOR_FEW.iter() };
        while let Some(&(method, cold)) = order.next() {
            // the central path was a start of its own
            let (paths, path_taken) = self.past(Method::InteriorPoint);
            let elsewhere = cold && paths > 0 && path_taken;
            let (again, taken) = self.past(method);
            if !taken || elsewhere {
                continue;
            }
            if cold {
                z.fill(0.0);
            }
            let report = self.attempt(method, again, problem, z);
            self.note(method, report);
            if method == Method::SweptNewton && report.status == Status::Unsupported {
                order = FOR_FEW.iter();
                continue;
            }
            if report.status == Status::Solved && report.residual <= self.tolerance {
                // solvers say so of what they recomputed from the problem only
                return report.residual;
            }
            if self.judge(problem, z, &mut best) || (many && self.is_content(best, before[0])) {
                break;
            }
            before = [before[1], before[2], best];
        }
        best
    }
}

impl Solver<ContactProblem> for Auto {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        self.tried.clear();
        self.methods.clear();
        self.best.clear();
        if problem.groups.len() == 1 && !problem.is_associated() {
            // a single group has an exact local solution; what is not finite is not solved by it
            let report = self.nsgs.solve(problem, z);
            if report.status == Status::Solved {
                self.note(Method::Nsgs, report);
                return report;
            }
        }
        if !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        if problem.is_associated() {
            // a convex program: there is a method that needs no luck
            let report = self.attempt(Method::Augmented, 0, problem, z);
            self.note(Method::Augmented, report);
            return report;
        }
        let best = self.try_all(problem, z);
        let iterations = self.tried.iter().map(|t| t.1.iterations).sum();
        Report::checked(best, self.tolerance, iterations, Status::Failed)
    }
}
