//! Solvers, one algorithm per file.
//!
//! A solver owns its scratch memory: after the first solve of a given size it allocates nothing. Its unknowns come in
//! as the warm start (solvers that cannot use one say so) and go out as the answer. What it reports is checked
//! against the problem: `Solved` is never said when the residual recomputed from the problem disagrees.
//!
//! How a solver goes about it is in its settings, a struct with defaults. Each says where its value comes from:
//! *theory* (the method's own analysis), *rounding* (what double precision leaves of the quantity), what it was
//! measured on, or *by hand*: found while the method was written against the stored problems and the piles, and not
//! measured alone since. What is by hand is changed with the benches before and after.

pub(crate) mod contact;
pub(crate) mod convex;
pub(crate) mod interior;
pub(crate) mod lcp;
pub(crate) mod mcp;
pub(crate) mod qp;
pub(crate) mod scatter;
pub mod traits;

pub use contact::{
    anderson, auto, contact_newton, lifted, local, nsgs, pgs, proximal, rest, sweep, swept_newton,
    through_lcp,
};
pub use convex::augmented;
pub use interior::interior_point;
pub use lcp::{dantzig, enumeration, feasible, isolated, lcp_auto, lemke, murty};
pub use mcp::{merit, newton};
pub use qp::active_set;
#[cfg(feature = "clarabel")]
pub use qp::interior_qp;

use crate::law::Cone;
use crate::problem::contact::ContactProblem;
use serde::{Deserialize, Serialize};
use traits::ContactTraits;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The residual, recomputed from the problem, is within the tolerance.
    Solved,
    /// The iteration limit was reached first.
    IterationLimit,
    /// The method stopped by itself without an answer (a secondary ray, a singular system, no progress).
    Failed,
    /// There is no solution, and the method proved it.
    NoSolution,
    /// The problem is not of a kind or size this solver takes.
    Unsupported,
}

/// What a solver says after a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Iterations, sweeps or pivots.
    pub iterations: usize,
    /// The residual recomputed from the problem, divided by the problem's scale.
    pub residual: f64,
}

impl Report {
    /// A report whose status follows from the recomputed residual, `otherwise` when that is not good enough.
    pub fn checked(residual: f64, tolerance: f64, iterations: usize, otherwise: Status) -> Self {
        let status = if residual <= tolerance { Status::Solved } else { otherwise };
        Self { status, iterations, residual }
    }
}

/// Anything that answers problems of kind `P`.
pub trait Solver<P>: Send {
    /// Solves `problem`. `z` is the warm start and becomes the answer (or the best candidate there is).
    fn solve(&mut self, problem: &P, z: &mut [f64]) -> Report;
}

/// Declares the solvers of contact problems: for each its name in scene files and on the command line, what it takes
/// and how it is built.
macro_rules! contact_solvers {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $traits:expr => $build:expr;)*) => {
        /// The solvers a contact problem can be given to, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ContactSolver {
            $($(#[$doc])* $variant,)*
        }

        impl ContactSolver {
            /// All solvers, in the order in which they are listed to users.
            pub const ALL: [ContactSolver; [$($name),*].len()] = [$(ContactSolver::$variant),*];

            /// The name used in scene files and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(ContactSolver::$variant => $name,)*
                }
            }

            /// What the solver takes.
            pub const fn traits(self) -> ContactTraits {
                match self {
                    $(ContactSolver::$variant => $traits,)*
                }
            }
        }

        impl ContactSolverConfig {
            /// The solver itself.
            pub fn build(self) -> Box<dyn Solver<ContactProblem>> {
                let build: fn(f64, usize, Self) -> Box<dyn Solver<ContactProblem>> = match self.method {
                    $(ContactSolver::$variant => $build,)*
                };
                build(self.tolerance, self.iterations, self)
            }
        }
    };
}

contact_solvers! {
    /// Lemke's complementary pivoting; polyhedral cones only.
    Lemke, "lemke", ContactTraits::POLYHEDRAL => |tolerance, iterations, _| {
        let lemke = lemke::Lemke { tolerance, iterations, ..Default::default() };
        Box::new(through_lcp::ThroughLcp::new(lemke, tolerance))
    };
    /// All bases of the LCP; polyhedral cones and few contacts only.
    Enumeration, "enumeration", ContactTraits {
        max_lcp_unknowns: Some(enumeration::LARGEST),
        ..ContactTraits::POLYHEDRAL
    } => |tolerance, _, _| {
        let enumeration = enumeration::Enumeration { tolerance, ..Default::default() };
        Box::new(through_lcp::ThroughLcp::new(enumeration, tolerance))
    };
    /// Projected Gauss–Seidel.
    Pgs, "pgs", ContactTraits::ALL => |tolerance, n, _| Box::new(pgs::Pgs::new(tolerance, n));
    /// Nonsmooth Gauss–Seidel: the exact solution contact by contact.
    Nsgs, "nsgs", ContactTraits::GENERAL => |tolerance, n, _| Box::new(nsgs::Nsgs::new(tolerance, n));
    /// Nonsmooth Gauss–Seidel with Anderson's acceleration, for many contacts.
    Anderson, "anderson", ContactTraits::WHITENED => |tolerance, n, _| {
        Box::new(anderson::Anderson::new(tolerance, n))
    };
    /// Sweeps and Newton steps in turn, for many contacts.
    SweptNewton, "swept-newton", ContactTraits::WHITENED => |tolerance, n, _| {
        Box::new(swept_newton::SweptNewton::new(tolerance, n.min(1000)))
    };
    /// Semismooth Newton with sweeps; all contacts at once.
    Newton, "newton", ContactTraits::GENERAL => |tolerance, n, _| {
        Box::new(contact_newton::ContactNewton::new(tolerance, n.min(1000)))
    };
    /// The proximal-point method, with Newton inside.
    Proximal, "proximal", ContactTraits::GENERAL => |tolerance, n, _| {
        Box::new(proximal::Proximal::new(tolerance, n.min(1000)))
    };
    /// A primal–dual interior-point method for round cones, finished by Newton.
    InteriorPoint, "interior-point", ContactTraits::BARRIER => |tolerance, n, _| {
        Box::new(interior_point::InteriorPoint::new(tolerance, n.min(1000)))
    };
    /// Augmented Lagrangian with Newton inside, for convex laws: associated friction, or none.
    Augmented, "augmented-lagrangian", ContactTraits::CONVEX => |tolerance, n, _| {
        Box::new(augmented::Augmented::new(tolerance, n.min(1000)))
    };
    /// The default: one method after the other until the residual is reached.
    Auto, "auto", ContactTraits::ALL => |tolerance, n, config| {
        Box::new(auto::Auto::new(tolerance, n).content_with(config.enough))
    };
}

impl ContactSolver {
    /// The solver of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// True when the solver can take the round cone.
    pub fn takes_disc(self) -> bool {
        let traits = self.traits();
        traits.coulomb.contains(&Cone::Disc) || traits.associated.contains(&Cone::Disc)
    }

    /// True when the solver can take polyhedral cones in space.
    pub fn takes_polygon(self) -> bool {
        self.traits().coulomb.contains(&Cone::Polygon)
    }
}

/// Where `auto`, built for stepping, stops trying further methods for the last digits unless told otherwise.
pub const ENOUGH: f64 = 1e-9;

/// A contact solver with its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSolverConfig {
    /// The method.
    pub method: ContactSolver,
    /// Residual to reach, relative to the problem's scale. `auto` aims at it with its first method and is content with
    /// `enough` from then on.
    pub tolerance: f64,
    /// The residual above which `auto` falls back to further methods, if it is larger than `tolerance`.
    pub enough: f64,
    /// The most iterations, sweeps or pivots.
    pub iterations: usize,
}

impl ContactSolverConfig {
    /// The method with its usual limits: 1e-13, [`ENOUGH`] and 100,000 iterations.
    pub fn new(method: ContactSolver) -> Self {
        Self { method, tolerance: 1e-13, enough: ENOUGH, iterations: 100_000 }
    }

    /// The method with the limits that residuals up to `law` ask for, if more than ten times [`ENOUGH`] will do: a
    /// tenth of that, and no more work for digits that nobody asked for.
    pub fn for_law(method: ContactSolver, law: f64) -> Self {
        let (usual, loose) = (Self::new(method), law > 10.001 * ENOUGH);
        if loose { Self { tolerance: 0.1 * law, enough: 0.1 * law, ..usual } } else { usual }
    }
}
