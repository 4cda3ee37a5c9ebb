//! A case: a point of the grid of listed parameters, and a repeat; fitted on its own.
//!
//! Cases are numbered like the trials of a sweep: `case = cell + cells · repeat`. Parameters that no data set of the case depends on
//! are left out of it.

use super::data::DataSet;
use super::watch::{Tried, Watch};
use super::{Fit, Method};
use crate::quantity::formula::Formula;
use crate::random::Random;
use crate::study::{Draw, Study, Task, drawn};

/// A case.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// What the study says.
    pub fit: &'a Fit,
    /// Its number.
    pub index: u64,
    /// Point of the grid.
    cell: u64,
    /// The data sets that take part.
    pub sets: Vec<usize>,
    /// All sought parameters: index in the study.
    pub sought: Vec<usize>,
    /// Those that the data depend on, as places in `sought`.
    pub active: Vec<usize>,
    /// First guesses of all sought parameters.
    pub start: Vec<f64>,
    /// Their least values.
    pub lower: Vec<f64>,
    /// Their largest values.
    pub upper: Vec<f64>,
    /// Their true values, where data are synthetic.
    pub truth: Option<Vec<f64>>,
    /// Who looks on.
    pub watch: Watch<'a>,
}

/// How many cases a study has.
pub fn count(study: &Study) -> u64 {
    match &study.task {
        Task::Fit(fit) => study.cells().saturating_mul(fit.repeats),
        _ => 0,
    }
}

impl<'a> Case<'a> {
    /// Tells who looks on of a point that a method tried from one of its starts.
    pub fn tried(&self, method: Method, start: usize, cost: Option<f64>) {
        self.watch.tell(&Tried { case: self.index, method: method.name(), start, cost });
    }

    /// The case of a number.
    pub fn new(study: &'a Study, fit: &'a Fit, index: u64) -> Self {
        let mut case = Self {
            fit,
            index,
            cell: index % study.cells(),
            sets: Vec::new(),
            sought: Vec::new(),
            active: Vec::new(),
            start: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            truth: None,
            watch: Watch::default(),
        };
        for (i, parameter) in study.parameters.iter().enumerate() {
            if let Draw::Sought { start, lower, upper } = parameter.draw {
                case.sought.push(i);
                case.start.push(start);
                case.lower.push(lower);
                case.upper.push(upper);
            }
        }
        let values = case.values(study, &case.start);
        let takes_part = |set: &DataSet| set.when.as_ref().is_none_or(|when| when.value(&values) != 0.0);
        case.sets = (0..fit.data.len()).filter(|&k| takes_part(&fit.data[k])).collect();
        case.active = (0..case.sought.len()).filter(|&k| case.matters(study, case.sought[k])).collect();
        case.truth = fit.truth.as_ref().map(|draws| {
            let mut random = Random::new(study.seed, index);
            let mut true_values: Vec<f64> = Vec::new();
            for draw in draws {
                let value = match draw {
                    Draw::Listed(list) => list[0],
                    Draw::Formula(formula) => formula.value(&true_values),
                    draw => drawn(draw, random.uniform()),
                };
                true_values.push(value);
            }
            true_values
        });
        case
    }

    /// The values of the study's parameters for values of all sought ones.
    pub fn values(&self, study: &Study, sought: &[f64]) -> Vec<f64> {
        study.cell_values(self.cell, sought)
    }

    /// Values of all sought parameters from those of the active ones.
    pub fn full(&self, active: &[f64]) -> Vec<f64> {
        let mut full = self.start.clone();
        for (&i, x) in self.active.iter().zip(active) {
            full[i] = *x;
        }
        full
    }

    /// What a data set puts into the scene.
    pub fn settings<'b>(&self, study: &'b Study, set: &'b DataSet, values: &[f64]) -> Vec<(&'b str, f64)> {
        let mut out = study.settings(values);
        out.extend(set.set.iter().map(|(path, formula)| (path.as_str(), formula.value(values))));
        out
    }

    /// True when some data set of the case depends on a parameter.
    fn matters(&self, study: &Study, parameter: usize) -> bool {
        let mut touched = vec![false; study.known.len()];
        touched[parameter] = true;
        for (i, p) in study.parameters.iter().enumerate() {
            if let Draw::Formula(formula) = &p.draw {
                touched[i] |= uses(formula, &touched);
            }
        }
        let in_scene = study.parameters.iter().enumerate().any(|(i, p)| touched[i] && p.sets.is_some());
        in_scene
            || self.sets.iter().any(|&k| {
                let set = &self.fit.data[k];
                set.set.iter().any(|(_, f)| uses(f, &touched))
                    || set.columns.iter().any(|c| uses(&c.formula, &touched))
            })
    }

    /// The name of an active parameter.
    pub fn name<'b>(&self, study: &'b Study, active: usize) -> &'b str {
        &study.parameters[self.sought[self.active[active]]].name
    }

    /// Listed parameters with more than one value, and what they are here.
    pub fn labels(&self, study: &Study) -> Vec<(String, f64)> {
        let values = self.values(study, &self.start);
        let listed = |d: &Draw| d.listed().is_some_and(|l| l.len() > 1);
        let pairs = study.parameters.iter().zip(values).filter(|(p, _)| listed(&p.draw));
        pairs.map(|(p, v)| (p.name.clone(), v)).collect()
    }
}

fn uses(formula: &Formula, touched: &[bool]) -> bool {
    let mut found = false;
    formula.slots(&mut |i| found |= touched.get(i).copied().unwrap_or(false));
    found
}
