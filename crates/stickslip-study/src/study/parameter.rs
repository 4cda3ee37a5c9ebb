//! What varies from trial to trial.
//!
//! ```text
//! listed values span a grid: cell = i_1 + n_1 (i_2 + n_2 (i_3 + ...)), the first parameter fastest      (1)
//! trial = cell + cells · repeat                                                                    (2)
//! ```
//!
//! Random ones take one number of the trial's generator each, in the order of the file; formulas are of the parameters
//! before them, so that parameters can depend on each other.

use super::Study;
use crate::quantity::formula::Formula;
use crate::random::{Random, inverse_normal};

/// A parameter of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The path of the scene that it sets, if any: others serve in formulas only.
    pub sets: Option<String>,
    /// Where its values come from.
    pub draw: Draw,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// A formula of the parameters before.
    Formula(Formula),
    /// Each of these: an axis of the grid.
    Listed(Vec<f64>),
    /// Uniform between two numbers.
    Uniform([f64; 2]),
    /// The logarithm is uniform between those of two numbers.
    LogUniform([f64; 2]),
    /// Normal with mean and standard deviation.
    Normal([f64; 2]),
    /// One of some values, with these chances (their sum is 1).
    Choice(Vec<f64>, Vec<f64>),
    /// To be found, between bounds.
    Sought {
        /// First guess.
        start: f64,
        /// Least value.
        lower: f64,
        /// Largest value.
        upper: f64,
    },
}

impl Draw {
    /// The listed values, where it is an axis of the grid.
    pub fn listed(&self) -> Option<&[f64]> {
        match self {
            Draw::Listed(values) => Some(values),
            _ => None,
        }
    }

    /// True when it takes a random number.
    pub fn is_random(&self) -> bool {
        matches!(self, Draw::Uniform(_) | Draw::LogUniform(_) | Draw::Normal(_) | Draw::Choice(..))
    }
}

impl Study {
    /// The values of the parameters in a trial of a sweep, in the order of the file.
    pub fn trial_values(&self, index: u64) -> Vec<f64> {
        let mut random = Random::new(self.seed, index);
        self.values(index % self.cells(), &[], || random.uniform())
    }

    /// The values of all parameters when those to be found have the values given, in their order.
    pub fn values_at(&self, sought: &[f64]) -> Vec<f64> {
        self.cell_values(0, sought)
    }

    /// The same at a point of the grid. There are no random parameters where some are to be found.
    pub(crate) fn cell_values(&self, cell: u64, sought: &[f64]) -> Vec<f64> {
        self.values(cell, sought, || f64::NAN)
    }

    /// At a point of the grid, with values of those to be found, and uniform numbers in (0, 1) for the random ones.
    fn values(&self, cell: u64, sought: &[f64], mut uniform: impl FnMut() -> f64) -> Vec<f64> {
        let (mut cell, mut sought) = (cell, sought.iter());
        let mut values = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            let value = match &parameter.draw {
                Draw::Formula(formula) => formula.value(&values),
                Draw::Listed(list) => {
                    let n = list.len() as u64;
                    let value = list[(cell % n) as usize];
                    cell /= n;
                    value
                }
                Draw::Sought { start, .. } => *sought.next().unwrap_or(start),
                draw => drawn(draw, uniform()),
            };
            values.push(value);
        }
        values
    }
}

/// The value of a random parameter for a uniform number in (0, 1).
pub(crate) fn drawn(draw: &Draw, x: f64) -> f64 {
    match draw {
        Draw::Uniform([a, b]) => a + x * (b - a),
        Draw::LogUniform([a, b]) => (a.ln() + x * (b.ln() - a.ln())).exp().clamp(*a, *b),
        Draw::Normal([mean, deviation]) => mean + deviation * inverse_normal(x),
        Draw::Choice(values, chances) => {
            let mut left = x;
            for (value, chance) in values.iter().zip(chances) {
                if left < *chance {
                    return *value;
                }
                left -= chance;
            }
            values[values.len() - 1]
        }
        Draw::Formula(_) | Draw::Listed(_) | Draw::Sought { .. } => f64::NAN,
    }
}
