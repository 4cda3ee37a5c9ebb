//! Design: parameters that make a motion best, with the simulation in the loop [Berard 2009, §6.1].
//!
//! ```text
//! minimise f(p) over lower <= p <= upper                                                         (1)
//! m(p) = f(p) + w sum_i max(0, g_i(p))                                                           (2)
//! m(p) = infinity where a trial failed or missed a tolerance, or f or a g_i is no number           (3)
//! ```
//!
//! f and the constraints g_i <= 0 are formulas of the parameters and of the quantities of one or more cases, each a
//! trial of the scene with settings of its own. The penalty (2) is exact: with w above the constraints' multipliers its
//! minimum is that of the constrained problem. Points (3) are refused: they rank after all others and are never the
//! result.
//!
//! `read` reads the tables, [`evaluate`] makes evaluations of points, many at once, [`log`](mod@log) keeps them,
//! [`run`](mod@run) is the search with its optimisers [`cma_es`] and [`nelder_mead`], [`result`] is what comes out of
//! it.

pub mod cma_es;
pub mod evaluate;
pub mod log;
pub mod nelder_mead;
pub(crate) mod read;
pub mod result;
pub mod run;

use crate::quantity::formula::Formula;
use crate::study::SceneText;

pub use evaluate::Evaluation;
pub use run::{DesignError, Findings, Options, run, so_far};

/// What a study of the kind `design` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// How to search.
    pub method: Method,
    /// What to minimise, f of eq. (1): the parameters of the study, then `picks`.
    pub objective: Objective,
    /// Comparisons that must hold.
    pub constraints: Vec<Objective>,
    /// What it costs when they do not.
    pub penalty: Penalty,
    /// What formulas take from the cases.
    pub picks: Vec<Pick>,
    /// The trials of an evaluation, at least one.
    pub cases: Vec<Case>,
    /// Points to compare with.
    pub references: Vec<Reference>,
    /// Cases with other settings, in which start, references and result are evaluated once more at the end.
    pub verify: Option<Verify>,
    /// The most evaluations.
    pub evaluations: u64,
    /// How often to begin again.
    pub restarts: u64,
    /// Size of the first look around, as a share of the distance of the bounds.
    pub spread: f64,
    /// When to stop: how near together points are, as a share of the distance of the bounds.
    pub tolerance: f64,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// CMA-ES, then Nelder–Mead from the best it found.
    Global,
    /// Nelder–Mead from the start.
    NelderMead,
}

/// The methods with their names.
pub const METHODS: [(&str, Method); 2] = [("global", Method::Global), ("nelder-mead", Method::NelderMead)];

impl Method {
    /// Its name in study files.
    pub fn name(self) -> &'static str {
        METHODS.iter().find(|(_, m)| *m == self).map_or("", |(name, _)| name)
    }
}

/// A formula and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// As in the file.
    pub text: String,
    /// Of the parameters of the study, then of the design's `picks`.
    pub formula: Formula,
}

/// What happens to a point that does not hold the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Penalty {
    /// Eq. (2) with this w, in units of the objective per unit of the constraint.
    Weight(f64),
    /// It is refused, eq. (3).
    Refuse,
}

/// A number that formulas take from the cases of an evaluation; each has the index of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Of one case (the first index).
    Case(usize, usize),
    /// Added up over the cases.
    Sum(usize),
    /// The mean over the cases.
    Mean(usize),
    /// The least of the cases.
    Min(usize),
    /// The largest of the cases.
    Max(usize),
}

impl Pick {
    /// Its value, from the quantities of each case; NaN when one of them is.
    pub fn value(self, cases: &[Vec<f64>]) -> f64 {
        // f64::min and f64::max leave NaN out; here it has to stay
        let fold = |q: usize, f: fn(f64, f64) -> f64| {
            let values = cases.iter().map(|c| c[q]);
            values
                .reduce(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { f(a, b) })
                .unwrap_or(f64::NAN)
        };
        match self {
            Pick::Case(case, q) => cases[case][q],
            Pick::Sum(q) => fold(q, |a, b| a + b),
            Pick::Mean(q) => fold(q, |a, b| a + b) / cases.len() as f64,
            Pick::Min(q) => fold(q, f64::min),
            Pick::Max(q) => fold(q, f64::max),
        }
    }
}

/// One of the trials of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name; empty where the study has no cases.
    pub name: String,
    /// The scene with the case's settings.
    pub scene: SceneText,
}

/// A point to compare with: it is evaluated, but never the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// The values of the sought parameters, in their order.
    pub sought: Vec<f64>,
}

/// Other settings for a last look.
#[derive(Clone, Debug, PartialEq)]
pub struct Verify {
    /// As in the file: `PATH=VALUE`.
    pub settings: Vec<String>,
    /// The cases with them.
    pub cases: Vec<Case>,
}
