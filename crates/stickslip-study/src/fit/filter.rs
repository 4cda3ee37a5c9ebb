//! A bootstrap particle filter: the baseline beside the other methods [Berard 2009, §7.2, §7.6.2].
//!
//! A particle is a state and values of the parameters. From one instant with measurements to the next
//!
//! ```text
//! predict:   every particle takes the scene's own steps                                              (1)
//! weigh:     w_i ~ w_i prod_k exp(−r_ik²/2),   r in units of the deviations                             (2)
//! resample:  when 1/sum w² < n/2, systematically, one random number for all                          (3)
//! ```
//!
//! Parameters do not change with time, so that (3) would leave copies only. Its survivors are moved as Liu and West
//! (2001) do,
//!
//! ```text
//! x_i -> a x_i + (1 − a) mean + sqrt(1 − a²) deviation N(0, 1),   a = 0.98                               (4)
//! ```
//!
//! which keeps mean and deviation. What the filter leaves of a measurement, before it has seen it, is
//!
//! ```text
//! (predicted mean − y) / sqrt(deviation² + predicted deviation²)                                       (5)
//! ```
//!
//! by which it is judged (`verdict.rs`). In scenes without contacts (4) moves the states, too; with contacts it would push
//! bodies into each other, and only the parameters are moved. At the start parameters are uniform between their bounds;
//! values beyond them are put on them. Random numbers depend on the seed, the case and the particle; the filter is the
//! same for any number of threads.

use super::Method;
use super::answer::Answer;
use super::case::Case;
use super::crew;
use super::data::Series;
use super::least_squares::{Factor, Problem};
use super::model::Model;
use super::watch::Watch;
use crate::error::StudyError;
use crate::quantity::signal;
use crate::random::Random;
use crate::study::Study;
use serde_json::{Map, Value, json};
use std::sync::Mutex;
use stickslip::state::State;
use stickslip::step::Step;
use stickslip::stepper::{Stepper, TimeStep};
use stickslip::system::{Law, Snapshot};
use stickslip_scene::Scene;

/// Shrinkage of eq. (4).
const KEEP: f64 = 0.98;

struct Particle {
    x: Vec<f64>,
    scene: Scene,
    stepper: Box<dyn Stepper>,
    step: Step,
    state: State,
    steps: u64,
    /// Steps that missed a tolerance.
    missed: u64,
    log_weight: f64,
    random: Random,
}

/// What the filter says of a parameter at an instant: mean and deviation.
type Moments = Vec<[f64; 2]>;

/// Runs the filter on a case with one data set.
pub fn solve(study: &Study, case: &Case, series: &[Series], jobs: usize) -> Result<Answer, StudyError> {
    if case.sets.len() != 1 {
        return Err(StudyError::OneSet { method: "the particle filter", sets: case.sets.len() });
    }
    let made = crew::map(case.fit.particles, jobs, |i| Particle::new(study, case, i));
    let particles: Result<Vec<Particle>, StudyError> = made.into_iter().collect();
    let mut filter = Filter {
        study,
        case,
        series,
        particles: particles?,
        jobs,
        resampled: 0,
        innovations: vec![Vec::new(); series.len()],
        least_effective: f64::INFINITY,
    };
    let (mut time, mut history): (Vec<f64>, Vec<Moments>) = (Vec::new(), Vec::new());
    let mut random = Random::new(study.seed ^ 0x5A3B_1E00, case.index);
    for (t, marks) in instants(series) {
        filter.predict_and_weigh(t, &marks)?;
        time.push(t);
        history.push(filter.moments());
        let effective = filter.effective();
        filter.least_effective = filter.least_effective.min(effective);
        if effective < 0.5 * case.fit.particles as f64 {
            filter.resample(&mut random)?;
        }
    }
    filter.answer(&time, &history)
}

/// The times of all measurements, each with the (series, entry) there.
fn instants(series: &[Series]) -> Vec<(f64, Vec<(usize, usize)>)> {
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    for (s, series) in series.iter().enumerate() {
        all.extend(series.times.iter().enumerate().map(|(k, t)| (*t, s, k)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out: Vec<(f64, Vec<(usize, usize)>)> = Vec::new();
    for (t, s, k) in all {
        match out.last_mut() {
            Some((last, marks)) if *last == t => marks.push((s, k)),
            _ => out.push((t, vec![(s, k)])),
        }
    }
    out
}

impl Particle {
    fn new(study: &Study, case: &Case, index: usize) -> Result<Self, StudyError> {
        let mut random = Random::new(study.seed ^ 0xF117_E200, (case.index << 24) + index as u64);
        let draw = |&i: &usize| case.lower[i] + random.uniform() * (case.upper[i] - case.lower[i]);
        let x: Vec<f64> = case.active.iter().map(draw).collect();
        let scene = scene(study, case, &x)?;
        let (state, stepper) = (scene.system.initial(), scene.stepper.build());
        Ok(Self {
            x,
            scene,
            stepper,
            step: Step::default(),
            state,
            steps: 0,
            missed: 0,
            log_weight: 0.0,
            random,
        })
    }

    /// Takes whole steps until the time is reached; returns the states before and after the last one.
    fn go(&mut self, t: f64) -> Result<(State, State), StudyError> {
        let mut before = self.state.clone();
        while self.state.t < t * (1.0 - 1e-12) {
            before = self.state.clone();
            let time = TimeStep { dt: self.scene.step, end: (self.steps + 1) as f64 * self.scene.step };
            self.stepper.step(self.scene.system.as_ref(), &self.state, time, &mut self.step)?;
            self.missed += u64::from(!self.step.certificate.holds(&self.scene.tolerance));
            self.state.copy_from(&self.step.state);
            self.steps += 1;
        }
        Ok((before, self.state.clone()))
    }
}

fn scene(study: &Study, case: &Case, x: &[f64]) -> Result<Scene, StudyError> {
    let values = case.values(study, &case.full(x));
    let settings = case.settings(study, &case.fit.data[case.sets[0]], &values);
    study.scene.with(&settings).map_err(|e| StudyError::values(&e))
}

struct Filter<'a> {
    study: &'a Study,
    case: &'a Case<'a>,
    series: &'a [Series],
    particles: Vec<Particle>,
    jobs: usize,
    resampled: usize,
    /// Eq. (5), series by series.
    innovations: Vec<Vec<f64>>,
    /// The least 1/sum w² of all instants.
    least_effective: f64,
}

impl Filter<'_> {
    /// eq. (1), (2) and (5).
    fn predict_and_weigh(&mut self, t: f64, marks: &[(usize, usize)]) -> Result<(), StudyError> {
        let before = self.weights();
        let all: Vec<Mutex<&mut Particle>> = self.particles.iter_mut().map(Mutex::new).collect();
        let (study, case, series) = (self.study, self.case, self.series);
        let weigh = |i: usize| -> Result<Vec<f64>, StudyError> {
            let mut guard = all[i].lock().unwrap_or_else(|e| e.into_inner());
            let particle: &mut Particle = &mut guard;
            let (before, after) = particle.go(t)?;
            let looks = [&before, &after].map(|state| columns(study, case, particle, state));
            let length = after.t - before.t;
            let share = if length > 0.0 { (t - before.t) / length } else { 1.0 };
            let mut values = Vec::with_capacity(marks.len());
            for &(s, k) in marks {
                let column = series[s].column;
                let value = looks[0][column] + share * (looks[1][column] - looks[0][column]);
                let r = (value - series[s].values[k]) / series[s].deviation;
                particle.log_weight -= 0.5 * r * r;
                values.push(value);
            }
            Ok(values)
        };
        let seen: Result<Vec<Vec<f64>>, StudyError> =
            crew::map(all.len(), self.jobs, weigh).into_iter().collect();
        let seen = seen?;
        let predicted = moments(marks.len(), &before, |i, m| seen[i][m]);
        for (&(s, k), [mean, spread]) in marks.iter().zip(predicted) {
            self.innovations[s].push((mean - series[s].values[k]) / spread.hypot(series[s].deviation));
        }
        Ok(())
    }

    fn weights(&self) -> Vec<f64> {
        let top = self.particles.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p.log_weight));
        let raw: Vec<f64> = self.particles.iter().map(|p| (p.log_weight - top).exp()).collect();
        let sum: f64 = raw.iter().sum();
        raw.iter().map(|w| w / sum).collect()
    }

    fn effective(&self) -> f64 {
        1.0 / self.weights().iter().map(|w| w * w).sum::<f64>()
    }

    fn moments(&self) -> Moments {
        let weights = self.weights();
        moments(self.case.active.len(), &weights, |i, k| self.particles[i].x[k])
    }

    /// eq. (3) and (4).
    fn resample(&mut self, random: &mut Random) -> Result<(), StudyError> {
        self.resampled += 1;
        let weights = self.weights();
        let n = weights.len();
        let states = !self.has_contacts();
        let width = self.case.active.len();
        let entries = |p: &Particle| -> Vec<f64> {
            let mut all = p.x.clone();
            if states {
                all.extend(p.state.q.iter().chain(&p.state.u));
            }
            all
        };
        let rows: Vec<Vec<f64>> = self.particles.iter().map(entries).collect();
        let spread = moments(rows[0].len(), &weights, |i, k| rows[i][k]);
        let first = random.uniform();
        let (mut chosen, mut sum, mut i) = (Vec::with_capacity(n), weights[0], 0);
        for k in 0..n {
            while sum < (first + k as f64) / n as f64 && i + 1 < n {
                i += 1;
                sum += weights[i];
            }
            chosen.push((rows[i].clone(), self.particles[i].state.clone(), self.particles[i].missed));
        }
        for (particle, (row, state, missed)) in self.particles.iter_mut().zip(chosen) {
            let moved: Vec<f64> = row
                .iter()
                .zip(&spread)
                .map(|(x, [mean, deviation])| {
                    KEEP * x
                        + (1.0 - KEEP) * mean
                        + (1.0 - KEEP * KEEP).sqrt() * deviation * particle.random.normal()
                })
                .collect();
            for (k, &i) in self.case.active.iter().enumerate() {
                particle.x[k] = moved[k].clamp(self.case.lower[i], self.case.upper[i]);
            }
            particle.state = state;
            if states {
                let q = particle.state.q.len();
                particle.state.q.copy_from_slice(&moved[width..width + q]);
                particle.state.u.copy_from_slice(&moved[width + q..]);
            }
            (particle.missed, particle.log_weight) = (missed, 0.0);
        }
        let all: Vec<Mutex<&mut Particle>> = self.particles.iter_mut().map(Mutex::new).collect();
        let (study, case) = (self.study, self.case);
        let renew = |i: usize| -> Result<(), StudyError> {
            let mut particle = all[i].lock().unwrap_or_else(|e| e.into_inner());
            particle.scene = scene(study, case, &particle.x)?;
            Ok(())
        };
        crew::map(n, self.jobs, renew).into_iter().collect()
    }

    fn has_contacts(&self) -> bool {
        let particle = &self.particles[0];
        let mut look = Snapshot::default();
        let size = particle.state.q.iter().chain(&particle.state.u).fold(1.0f64, |m, x| m.max(x.abs()));
        particle.scene.system.constraints(&particle.state, 1e3 * size, &mut look);
        look.constraints
            .iter()
            .any(|c| matches!(c.law, Law::Contact { .. } | Law::Limit | Law::Bilateral { .. }))
    }

    /// How far the least squares of all data are from the filter's values, by a step of Gauss and Newton, in deviations
    /// of the filter: where that is many, its particles were spread too little.
    fn away(&self, model: &mut Model, x: &[f64], moments: &Moments) -> Option<Vec<f64>> {
        let residuals = model.residuals(x)?;
        let step = Factor::new(&model.jacobian(x)?).shortest(&residuals, 1e-12);
        let range = |k: usize| self.case.upper[self.case.active[k]] - self.case.lower[self.case.active[k]];
        Some((0..x.len()).map(|k| step[k].abs() * range(k) / moments[k][1]).collect())
    }

    /// How means and deviations went, and the particles.
    fn course(&self, time: &[f64], history: &[Moments]) -> Map<String, Value> {
        let (mut values, mut deviations, mut means) = (Map::new(), Map::new(), Map::new());
        for k in 0..self.case.active.len() {
            let name = self.case.name(self.study, k);
            let mean: Vec<f64> = history.iter().map(|m| m[k][0]).collect();
            means.insert(name.to_owned(), json!(mean.iter().sum::<f64>() / mean.len() as f64));
            values.insert(name.to_owned(), json!(mean));
            deviations.insert(name.to_owned(), json!(history.iter().map(|m| m[k][1]).collect::<Vec<f64>>()));
        }
        let mut more = Map::new();
        let values =
            json!({ "time": time, "values": Value::Object(values), "deviations": Value::Object(deviations) });
        more.insert("history".to_owned(), values);
        more.insert("mean_over_time".to_owned(), Value::Object(means));
        more.insert(
            "particles".to_owned(),
            json!({
                "count": self.particles.len(),
                "resampled": self.resampled,
                "least_effective": self.least_effective,
            }),
        );
        more
    }

    /// Weighted means at the end, with quantiles as intervals.
    fn answer(self, time: &[f64], history: &[Moments]) -> Result<Answer, StudyError> {
        let n = self.case.active.len();
        let weights = self.weights();
        let last = history.last().ok_or(StudyError::NoMeasurements)?;
        let spread = |k: usize| {
            let mut order: Vec<(f64, f64)> =
                self.particles.iter().zip(&weights).map(|(p, w)| (p.x[k], *w)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let quantile = |p: f64| {
                let mut sum = 0.0;
                let found = order.iter().find(|(_, w)| {
                    sum += w;
                    sum >= p
                });
                found.map_or(f64::NAN, |(x, _)| *x)
            };
            [last[k][1], quantile(0.05), quantile(0.95), quantile(0.025), quantile(0.975)]
        };
        let mut more = self.course(time, history);
        let x: Vec<f64> = last.iter().map(|m| m[0]).collect();
        let missed: u64 = self.particles.iter().map(|p| p.missed).sum();
        // what is looked at here is no point that a method tried
        let mut quiet = self.case.clone();
        quiet.watch = Watch::default();
        let mut model = Model::new(self.study, &quiet, self.series, self.jobs);
        let fitted = model.fit(&x).unwrap_or_default();
        let away = self.away(&mut model, &x, last);
        more.insert("away_from_least_squares".to_owned(), json!(away));
        let pairs = fitted.iter().zip(self.series);
        let cost = pairs
            .map(|(f, s)| f.iter().zip(&s.values).map(|(f, y)| ((f - y) / s.deviation).powi(2)).sum::<f64>());
        Ok(Answer {
            method: Method::ParticleFilter.name().to_owned(),
            status: "filtered".to_owned(),
            converged: true,
            certified: missed == 0,
            cost: cost.sum(),
            iterations: time.len(),
            statistics: None,
            spread: Some((0..n).map(spread).collect()),
            fitted,
            residuals: Some(self.innovations),
            log: Vec::new(),
            x,
            more,
        })
    }
}

fn moments(width: usize, weights: &[f64], x: impl Fn(usize, usize) -> f64) -> Moments {
    (0..width)
        .map(|k| {
            let mean: f64 = weights.iter().enumerate().map(|(i, w)| w * x(i, k)).sum();
            let square: f64 = weights.iter().enumerate().map(|(i, w)| w * (x(i, k) - mean).powi(2)).sum();
            [mean, square.sqrt()]
        })
        .collect()
}

/// The columns of the data set at a particle's state.
fn columns(study: &Study, case: &Case, particle: &Particle, state: &State) -> Vec<f64> {
    let set = &case.fit.data[case.sets[0]];
    let mut row = case.values(study, &case.full(&particle.x));
    for name in &study.known[row.len()..] {
        row.push(particle.scene.parameters.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| *v));
    }
    let known = row.len();
    row.resize(known + set.signals.len(), 0.0);
    signal::of_state(particle.scene.system.as_ref(), state, &set.signals, &mut row[known..]);
    set.columns.iter().map(|c| c.formula.value(&row)).collect()
}
