//! Fitting: parameters and initial state from measured motions.
//!
//! A study of kind `fit` has data sets, recorded or made from the scene with known values and noise, and parameters that are
//! sought between bounds. Listed parameters and `repeats` make cases, each fitted on its own. Top to bottom: `read.rs` reads the
//! tables, [`data`] the recordings (with [`quadrature`] for encoders), [`case`](mod@case) puts a case together, [`model`] runs the scene and
//! looks at it at the measured times, and the methods find the parameters:
//!
//! | method | what |
//! | --- | --- |
//! | [`least_squares`] | through the simulator |
//! | [`mpec`] | all steps' states and impulses are unknowns, the laws of contact constraints |
//! | [`window`] | the same on the last few steps |
//! | [`filter`] | a particle filter |
//!
//! [`statistics`] says how sure an [`answer`] is, [`verdict`] whether the model explains the data, [`part`] is what can be done apart, [`run`](mod@run) does all cases, [`output`] writes them down.

pub mod answer;
pub mod case;
pub mod crew;
pub mod data;
pub mod filter;
pub mod least_squares;
pub mod model;
pub mod mpec;
pub mod output;
pub mod part;
pub mod quadrature;
pub(crate) mod read;
mod read_data;
pub mod run;
pub mod statistics;
pub mod table;
pub mod verdict;
pub mod watch;
pub mod window;

use crate::study::Draw;
use data::DataSet;

/// How to find the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Nonlinear least squares through the simulator.
    LeastSquares,
    /// The full-space problem with the laws of contact as constraints.
    Mpec,
    /// The full-space problem on a window that moves along.
    MovingWindow,
    /// A bootstrap particle filter.
    ParticleFilter,
}

/// The methods with their names.
pub const METHODS: [(&str, Method); 4] = [
    ("least-squares", Method::LeastSquares),
    ("mpec", Method::Mpec),
    ("moving-window", Method::MovingWindow),
    ("particle-filter", Method::ParticleFilter),
];

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        METHODS.into_iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }
}

/// What a signal does between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// It is straight, as coordinates are under a time-stepper.
    #[default]
    Linear,
    /// The cubic through values and rates at both ends (Hermite).
    Cubic,
}

/// What a study of this kind says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// How, one after the other.
    pub methods: Vec<Method>,
    /// Fits at each point of the grid of listed parameters.
    pub repeats: u64,
    /// Starting points of least squares: the first is `start`, the others are random between the bounds.
    pub starts: usize,
    /// True when the deviations are known up to a common factor only, which the residuals then give.
    pub estimated: bool,
    /// Half the step of central differences, in parts of a parameter's range.
    pub difference: f64,
    /// What signals do between steps.
    pub interpolation: Interpolation,
    /// Lengths of moving windows, in steps.
    pub windows: Vec<usize>,
    /// Particles of the filter.
    pub particles: usize,
    /// The measurements.
    pub data: Vec<DataSet>,
    /// The true values of the sought parameters, in their order, where data are synthetic.
    pub truth: Option<Vec<Draw>>,
}

impl Fit {
    /// True when some data are made up.
    pub fn is_synthetic(&self) -> bool {
        self.truth.is_some()
    }
}
