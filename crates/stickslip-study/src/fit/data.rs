//! Measurements: what a study file says of them, and the numbers of a case.
//!
//! A data set belongs to one run of the scene. Its columns are numbers at times of their own, each compared with a
//! formula of signals; missing entries are left out. Synthetic sets are made from the scene with the true values:
//!
//! ```text
//! y_k = f(t_k; truth) + noise_k                                                          (1)
//! ```
//!
//! and say so wherever they are shown.

use super::case::Case;
use super::model::{Trace, simulate};
use super::quadrature;
use super::table::Table;
use crate::error::StudyError;
use crate::quantity::formula::Formula;
use crate::quantity::signal::Signal;
use crate::random::Random;
use crate::study::Study;

/// A data set.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// In which cases it takes part; a formula of the parameters.
    pub when: Option<Formula>,
    /// What it sets in the scene: paths and formulas of the parameters.
    pub set: Vec<(String, Formula)>,
    /// Where the numbers come from.
    pub source: Source,
    /// What was measured.
    pub columns: Vec<Column>,
    /// The signals that the columns' formulas use; rates of coordinates follow where interpolation needs them.
    pub signals: Vec<Signal>,
    /// For each signal, the place of its rate among the signals.
    pub rates: Vec<Option<usize>>,
}

/// Where numbers come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A recording, with the name of its time column (s).
    Recorded {
        /// The file.
        table: Table,
        /// Name of the time column.
        time: String,
    },
    /// The scene itself.
    Synthetic(Synthetic),
}

/// Synthetic measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// Time from one to the next, s.
    pub every: f64,
    /// The first and the last, s.
    pub window: [f64; 2],
    /// Times are moved by up to this part of `every`, at random, both ways.
    pub jitter: f64,
    /// The chance of an entry to be missing.
    pub missing: f64,
    /// What only the run that makes the data has set: a finer step, say.
    pub set: Vec<(String, f64)>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, that in the file if there is one.
    pub name: String,
    /// What it measures: a formula of what the study knows, then signals.
    pub formula: Formula,
    /// The formula as written.
    pub text: String,
    /// Standard deviation of its errors: a formula of the parameters.
    pub deviation: Formula,
    /// Noise of synthetic data.
    pub noise: Noise,
    /// For encoders.
    pub encoder: Option<Encoder>,
}

/// Noise of synthetic data.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// Normal, with the column's deviation.
    Deviation,
    /// Uniform between minus and plus the formula of the parameters.
    Uniform(Formula),
    /// Normal with this deviation.
    Normal(Formula),
}

/// A two-channel encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    /// Names of the channels' columns.
    pub channels: [String; 2],
    /// Transitions of a turn.
    pub per_turn: u32,
    /// True when missed transitions are bridged, and told; else they are an error.
    pub bridge: bool,
}

/// The numbers of a column in a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Index of the data set.
    pub set: usize,
    /// Index of the column.
    pub column: usize,
    /// When, s, ascending.
    pub times: Vec<f64>,
    /// What was measured.
    pub values: Vec<f64>,
    /// Standard deviation of an error.
    pub deviation: f64,
    /// Transitions that an encoder missed and that were bridged.
    pub missed: usize,
}

/// The series of a case; `truth` are the true values of all parameters.
pub fn measure(study: &Study, case: &Case, truth: Option<&[f64]>) -> Result<Vec<Series>, StudyError> {
    let mut out = Vec::new();
    for &index in &case.sets {
        let set = &case.fit.data[index];
        let values = study_values(study, case, truth);
        let deviation = |column: &Column| {
            let d = column.deviation.value(&values);
            let bad = || {
                let (set, column) = (set.name.clone(), column.name.clone());
                StudyError::Deviation { set, column, deviation: d }
            };
            if d > 0.0 && d.is_finite() { Ok(d) } else { Err(bad()) }
        };
        let made = match &set.source {
            Source::Recorded { table, time } => {
                let time = table.column(time).unwrap_or(&[]);
                set.columns.iter().map(|c| recorded(table, time, c)).collect::<Result<Vec<_>, _>>()?
            }
            Source::Synthetic(synthetic) => synthesize(study, case, (index, synthetic), &values)?,
        };
        for (k, (times, numbers, missed)) in made.into_iter().enumerate() {
            let deviation = deviation(&set.columns[k])?;
            if times.is_empty() {
                let (set, column) = (set.name.clone(), set.columns[k].name.clone());
                return Err(StudyError::NoNumbers { set, column });
            }
            out.push(Series { set: index, column: k, times, values: numbers, deviation, missed });
        }
    }
    Ok(out)
}

/// The parameters' values with those sought at the truth, or where there is none at their starts.
fn study_values(study: &Study, case: &Case, truth: Option<&[f64]>) -> Vec<f64> {
    truth.map_or_else(|| case.values(study, &case.start), <[f64]>::to_vec)
}

/// Times, values, missed transitions.
type Numbers = (Vec<f64>, Vec<f64>, usize);

fn recorded(table: &Table, time: &[f64], column: &Column) -> Result<Numbers, StudyError> {
    let Some(encoder) = &column.encoder else {
        let values = table.column(&column.name).unwrap_or(&[]);
        let there = time.iter().zip(values).filter(|(_, v)| !v.is_nan());
        let (times, values) = there.map(|(t, v)| (*t, *v)).unzip();
        return Ok((times, values, 0));
    };
    let levels = |i: usize| {
        let name = &encoder.channels[i];
        let values = table.column(name).unwrap_or(&[]);
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        if values.iter().any(|v| v.is_nan()) {
            return Err(StudyError::Channel(name.clone()));
        }
        // halfway between the lowest and the highest level
        Ok(values.iter().map(|v| *v > 0.5 * (low + high)).collect::<Vec<bool>>())
    };
    decoded(&column.name, time, (&levels(0)?, &levels(1)?), encoder)
}

fn decoded(
    name: &str,
    time: &[f64],
    (a, b): (&[bool], &[bool]),
    encoder: &Encoder,
) -> Result<Numbers, StudyError> {
    let decoded = quadrature::decode(time, a, b, encoder.per_turn);
    if let Some(first) = decoded.missed.first().filter(|_| !encoder.bridge) {
        let (column, count) = (name.to_owned(), decoded.missed.len());
        return Err(StudyError::Transitions { column, count, t: first.t, sample: first.sample });
    }
    Ok((decoded.times, decoded.angles, decoded.missed.len()))
}

/// eq. (1).
fn synthesize(
    study: &Study,
    case: &Case,
    (index, synthetic): (usize, &Synthetic),
    values: &[f64],
) -> Result<Vec<Numbers>, StudyError> {
    let set = &case.fit.data[index];
    // streams of their own for every case and set, beside those of the truth
    let mut random = Random::new(study.seed ^ 0x5EED_DA7A, case.index * 4096 + index as u64);
    let [from, to] = synthetic.window;
    let count = ((to - from) / synthetic.every * (1.0 + 1e-12) + 1e-9).floor() as usize + 1;
    let mut times: Vec<f64> = (0..count).map(|k| from + k as f64 * synthetic.every).collect();
    if synthetic.jitter > 0.0 {
        for t in &mut times {
            let shift = synthetic.jitter * synthetic.every * (random.uniform() - 0.5);
            *t = (*t + shift).clamp(from, to);
        }
    }
    let mut settings = case.settings(study, set, values);
    settings.extend(synthetic.set.iter().map(|(path, value)| (path.as_str(), *value)));
    let trace = simulate(study, set, (values, &settings), times.last().copied().unwrap_or(0.0))
        .map_err(|e| StudyError::Synthetic { set: set.name.clone(), source: Box::new(e) })?;
    let make = |(column, random): (&Column, &mut Random)| {
        let exact = trace.at(&column.formula, &set.rates, case.fit.interpolation, &times);
        match &column.encoder {
            Some(encoder) => encoded(column, (&times, &exact), (encoder, values), random),
            None => Ok(noisy(column, (&times, &exact), (synthetic.missing, values), random)),
        }
    };
    set.columns.iter().map(|column| make((column, &mut random))).collect()
}

fn noise(column: &Column, values: &[f64], random: &mut Random) -> f64 {
    match &column.noise {
        Noise::Deviation => column.deviation.value(values) * random.normal(),
        Noise::Normal(deviation) => deviation.value(values) * random.normal(),
        Noise::Uniform(half) => half.value(values) * (2.0 * random.uniform() - 1.0),
    }
}

fn noisy(
    column: &Column,
    (times, exact): (&[f64], &[f64]),
    (missing, values): (f64, &[f64]),
    random: &mut Random,
) -> Numbers {
    let mut out = (Vec::new(), Vec::new(), 0);
    for (t, y) in times.iter().zip(exact) {
        let measured = y + noise(column, values, random);
        if missing == 0.0 || random.uniform() >= missing {
            out.0.push(*t);
            out.1.push(measured);
        }
    }
    out
}

/// As an encoder sees it: the noise is that of the places of its lines (rad).
fn encoded(
    column: &Column,
    (times, exact): (&[f64], &[f64]),
    (encoder, values): (&Encoder, &[f64]),
    random: &mut Random,
) -> Result<Numbers, StudyError> {
    let line = std::f64::consts::TAU / f64::from(encoder.per_turn);
    let (a, b) =
        quadrature::encode(exact, encoder.per_turn, 0.0, &mut || noise(column, values, random) / line);
    let (times, mut angles, missed) = decoded(&column.name, times, (&a, &b), encoder)?;
    // line 0 of the decoder is the one below the start; that of the synthetic wheel is at zero
    let first = line * (exact.first().copied().unwrap_or(0.0) / line).floor();
    angles.iter_mut().for_each(|x| *x += first);
    Ok((times, angles, missed))
}

impl Trace {
    /// The values of a column at times, given the rates of signals for the cubic.
    pub fn at(
        &self,
        formula: &Formula,
        rates: &[Option<usize>],
        interpolation: super::Interpolation,
        times: &[f64],
    ) -> Vec<f64> {
        let mut out = Vec::with_capacity(times.len());
        let last = self.times.len() - 1;
        let mut i = 0;
        let mut ends: Option<(usize, [f64; 4])> = None;
        for &t in times {
            if self.times[i] > t {
                i = 0;
            }
            while i + 1 < last && self.times[i + 1] <= t {
                i += 1;
            }
            let j = (i + 1).min(last);
            let [f0, f1, d0, d1] = match ends {
                Some((at, ends)) if at == i => ends,
                _ => {
                    let (f0, f1) = (self.value(formula, i), self.value(formula, j));
                    let slopes = match interpolation {
                        super::Interpolation::Linear => [0.0; 2],
                        super::Interpolation::Cubic => [i, j].map(|k| self.slope(formula, rates, k)),
                    };
                    let both = [f0, f1, slopes[0], slopes[1]];
                    ends = Some((i, both));
                    both
                }
            };
            let h = self.times[j] - self.times[i];
            let s = if h > 0.0 { (t - self.times[i]) / h } else { 0.0 };
            out.push(match interpolation {
                super::Interpolation::Linear => f0 + s * (f1 - f0),
                super::Interpolation::Cubic => {
                    let (p, q) = (1.0 - s, s);
                    let ends = p * p * (1.0 + 2.0 * q) * f0 + q * q * (1.0 + 2.0 * p) * f1;
                    ends + h * p * q * (p * d0 - q * d1)
                }
            });
        }
        out
    }
}
