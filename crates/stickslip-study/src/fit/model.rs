//! The scene as a model of the measurements: run with values put in, looked at at the measured times.
//!
//! ```text
//! r_k = (f(t_k; x) − y_k) / deviation                                                     (1)
//! dr/dy_i ≈ (r(x + d e_i) − r(x − d e_i)) / (2 d),   d = difference · range_i               (2)
//! ```
//!
//! The step of the simulation is the scene's, the same at every x, so that the error of time discretisation is a smooth
//! function of x and no noise in (2); what noise there is comes from tolerances of solvers and step control, and
//! `difference` is to be well above it. At a bound (2) is one-sided. Sets whose run a parameter does not change are not
//! run again.

use super::Method;
use super::case::Case;
use super::crew;
use super::data::{DataSet, Series};
use super::least_squares::Problem;
use crate::error::StudyError;
use crate::quantity::formula::Formula;
use crate::quantity::signal::{Reader, Signal};
use crate::study::Study;
use nalgebra::DMatrix;
use std::ops::ControlFlow;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;

/// A run as far as the data need it.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Ends of steps, s.
    pub times: Vec<f64>,
    /// What formulas know, then the signals, at each.
    rows: Vec<Vec<f64>>,
    known: usize,
    /// Steps that missed a tolerance.
    pub missed: u64,
}

impl Trace {
    /// A trace from rows of what formulas know followed by signals.
    pub fn new(times: Vec<f64>, rows: Vec<Vec<f64>>, known: usize) -> Self {
        Self { times, rows, known, missed: 0 }
    }

    /// The value of a formula at the end of a step.
    pub fn value(&self, formula: &Formula, i: usize) -> f64 {
        formula.value(&self.rows[i])
    }

    /// Its rate there: by a central difference along the rates of the signals.
    pub fn slope(&self, formula: &Formula, rates: &[Option<usize>], i: usize) -> f64 {
        let span = self.times[self.times.len() - 1] - self.times[0];
        // small against the step, large against rounding
        let d = 1e-3 * span / self.times.len() as f64;
        let row = &self.rows[i];
        let moved = |d: f64| {
            let mut row = row.clone();
            for (s, rate) in rates.iter().enumerate() {
                if let Some(rate) = rate {
                    row[self.known + s] += d * self.rows[i][self.known + rate];
                }
            }
            formula.value(&row)
        };
        (moved(d) - moved(-d)) / (2.0 * d)
    }
}

/// Runs the scene with settings up to a time.
pub fn simulate(
    study: &Study,
    set: &DataSet,
    (values, settings): (&[f64], &[(&str, f64)]),
    until: f64,
) -> Result<Trace, StudyError> {
    let scene = study.scene.with(settings).map_err(|e| StudyError::values(&e))?;
    if until > scene.until * (1.0 + 1e-12) {
        return Err(StudyError::Beyond { until, end: scene.until });
    }
    let mut known = values.to_vec();
    for name in &study.known[values.len()..] {
        known.push(scene.parameters.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| *v));
    }
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), scene.settings());
    let mut tracing = Tracing {
        trace: Trace { known: known.len(), ..Trace::default() },
        known: &known,
        signals: &set.signals,
        reader: Reader::default(),
        until,
    };
    if let Some(why) = simulation.run(&mut [&mut tracing]).reason() {
        return Err(StudyError::Stopped(why));
    }
    Ok(Trace { missed: simulation.certificate().missed_steps, ..tracing.trace })
}

/// Follows a run as far as the data reach.
struct Tracing<'a> {
    trace: Trace,
    known: &'a [f64],
    signals: &'a [Signal],
    reader: Reader,
    until: f64,
}

impl Observer for Tracing<'_> {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.step(simulation)
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        let (known, t) = (self.known.len(), simulation.state().t);
        let mut row = self.known.to_vec();
        row.resize(known + self.signals.len(), 0.0);
        self.reader.read(simulation, self.signals, &mut row[known..]);
        self.trace.times.push(t);
        self.trace.rows.push(row);
        if t >= self.until * (1.0 + 1e-12) {
            ControlFlow::Break(Stop::Enough)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// One evaluation, for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The parameters in use.
    pub x: Vec<f64>,
    /// |r|²; none when the scene could not be run.
    pub cost: Option<f64>,
}

/// The problem of least squares of a case.
pub struct Model<'a> {
    study: &'a Study,
    case: &'a Case<'a>,
    series: &'a [Series],
    lower: Vec<f64>,
    upper: Vec<f64>,
    jobs: usize,
    /// Settings and traces of the sets at the last point.
    last: Vec<(Vec<f64>, Trace)>,
    /// Which start of least squares it serves.
    pub start: usize,
    /// What was evaluated.
    pub log: Vec<Evaluation>,
    /// Why the last evaluation failed, if it did.
    pub failure: Option<StudyError>,
}

impl<'a> Model<'a> {
    /// Of a case with its measurements; up to `jobs` runs at a time.
    pub fn new(study: &'a Study, case: &'a Case<'a>, series: &'a [Series], jobs: usize) -> Self {
        let pick = |all: &[f64]| case.active.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let (lower, upper) = (pick(&case.lower), pick(&case.upper));
        let (last, log) = (Vec::new(), Vec::new());
        Self { study, case, series, lower, upper, jobs, last, start: 0, log, failure: None }
    }

    /// Steps of the last evaluation's runs that missed a tolerance.
    pub fn missed(&self) -> u64 {
        self.last.iter().map(|(_, trace)| trace.missed).sum()
    }

    /// The run of each set at x; one of `known` serves where the settings are the same.
    fn traces(&self, x: &[f64], known: &[(Vec<f64>, Trace)]) -> Result<Vec<(Vec<f64>, Trace)>, StudyError> {
        let values = self.case.values(self.study, &self.case.full(x));
        let run = |k: usize| {
            let index = self.case.sets[k];
            let set = &self.case.fit.data[index];
            let settings = self.case.settings(self.study, set, &values);
            let numbers: Vec<f64> = settings.iter().map(|s| s.1).collect();
            if let Some((_, trace)) = known.get(k).filter(|(before, _)| *before == numbers) {
                // the run is the same, what formulas know of the parameters is not
                let mut trace = trace.clone();
                for row in &mut trace.rows {
                    row[..values.len()].copy_from_slice(&values);
                }
                return Ok((numbers, trace));
            }
            let of_set = self.series.iter().filter(|s| s.set == index);
            let until = of_set.filter_map(|s| s.times.last()).fold(0.0f64, |m, t| m.max(*t));
            simulate(self.study, set, (&values, &settings), until).map(|trace| (numbers, trace))
        };
        (0..self.case.sets.len()).map(run).collect()
    }

    fn compare(&self, traces: &[(Vec<f64>, Trace)]) -> Vec<f64> {
        let mut out = Vec::new();
        for series in self.series {
            let fitted = self.fitted(series, traces);
            out.extend(fitted.iter().zip(&series.values).map(|(f, y)| (f - y) / series.deviation));
        }
        out
    }

    fn fitted(&self, series: &Series, traces: &[(Vec<f64>, Trace)]) -> Vec<f64> {
        let set = &self.case.fit.data[series.set];
        let k = self.case.sets.iter().position(|s| *s == series.set).unwrap_or(0);
        let column = &set.columns[series.column];
        traces[k].1.at(&column.formula, &set.rates, self.case.fit.interpolation, &series.times)
    }
}

impl Problem for Model<'_> {
    fn lower(&self) -> &[f64] {
        &self.lower
    }

    fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// eq. (1).
    fn residuals(&mut self, x: &[f64]) -> Option<Vec<f64>> {
        let result = self.traces(x, &self.last).and_then(|traces| {
            let residuals = self.compare(&traces);
            let finite = residuals.iter().all(|r| r.is_finite());
            if finite { Ok((traces, residuals)) } else { Err(StudyError::Residual) }
        });
        let cost = result.as_ref().ok().map(|(_, r)| r.iter().map(|r| r * r).sum());
        self.log.push(Evaluation { x: x.to_vec(), cost });
        self.case.tried(Method::LeastSquares, self.start, cost);
        match result {
            Ok((traces, residuals)) => {
                self.last = traces;
                Some(residuals)
            }
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    /// eq. (2).
    fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>> {
        // a rejected trial may have come after x
        let base = self.traces(x, &self.last).ok()?;
        let n = x.len();
        let points: Vec<(usize, f64)> = (0..2 * n)
            .map(|k| {
                let i = k / 2;
                let d = self.case.fit.difference * (self.upper[i] - self.lower[i]);
                let at = if k % 2 == 0 { x[i] - d } else { x[i] + d };
                (i, at.clamp(self.lower[i], self.upper[i]))
            })
            .collect();
        let this: &Self = self;
        let run = |k: usize| {
            let (i, at) = points[k];
            let mut moved = x.to_vec();
            moved[i] = at;
            this.traces(&moved, &base).map(|traces| this.compare(&traces))
        };
        let sides: Result<Vec<Vec<f64>>, StudyError> = crew::map(2 * n, this.jobs, run).into_iter().collect();
        let sides = match sides {
            Ok(sides) => sides,
            Err(failure) => {
                self.failure = Some(failure);
                return None;
            }
        };
        for (k, side) in sides.iter().enumerate() {
            let mut moved = x.to_vec();
            moved[points[k].0] = points[k].1;
            self.log.push(Evaluation { x: moved, cost: Some(side.iter().map(|r| r * r).sum()) });
        }
        let rows = sides.first().map_or(0, Vec::len);
        Some(DMatrix::from_fn(rows, n, |row, i| {
            let width = (points[2 * i + 1].1 - points[2 * i].1) / (self.upper[i] - self.lower[i]);
            (sides[2 * i + 1][row] - sides[2 * i][row]) / width
        }))
    }
}

impl Model<'_> {
    /// What the model says at the measured times of a series, at x.
    pub fn fit(&mut self, x: &[f64]) -> Option<Vec<Vec<f64>>> {
        let traces = self.traces(x, &self.last).ok()?;
        let all = self.series.iter().map(|series| self.fitted(series, &traces)).collect();
        self.last = traces;
        Some(all)
    }
}
