//! The unknowns of all data sets of a case, and what they say of the measurements (`mod.rs`, eq. 1).

use super::course::{Course, Sizes};
use super::linear::between;
use super::simulated::simulated;
use super::step::Relaxation;
use crate::error::StudyError;
use crate::fit::case::Case;
use crate::fit::data::{DataSet, Series};
use crate::fit::model::Evaluation;
use crate::fit::statistics::{Statistics, statistics};
use crate::quantity::signal;
use crate::study::Study;
use stickslip::state::State;
use stickslip_scene::Scene;

/// The unknowns of one data set.
pub struct Part {
    /// Which data set.
    pub index: usize,
    /// The scene with the parameters' values.
    pub scene: Scene,
    /// States and impulses.
    pub course: Course,
    /// Typical sizes.
    pub sizes: Sizes,
}

/// The problem with its unknowns.
pub struct FullSpace<'a> {
    pub(super) study: &'a Study,
    pub(super) case: &'a Case<'a>,
    series: &'a [Series],
    /// One for each data set of the case.
    pub parts: Vec<Part>,
    /// The active parameters.
    pub x: Vec<f64>,
    /// True when the initial states are free.
    pub free: bool,
    pub(super) tau: f64,
    /// The relaxation of the last stage that ended at a minimum.
    pub relaxed: f64,
    /// Steps taken.
    pub iterations: usize,
    /// What was evaluated.
    pub log: Vec<Evaluation>,
}

impl<'a> FullSpace<'a> {
    /// Begins at a simulation with the parameters given.
    pub fn new(
        study: &'a Study,
        case: &'a Case<'a>,
        series: &'a [Series],
        x: Vec<f64>,
    ) -> Result<Self, StudyError> {
        let mut out = Self {
            study,
            case,
            series,
            parts: Vec::new(),
            x,
            free: false,
            tau: 1.0,
            relaxed: f64::INFINITY,
            iterations: 0,
            log: Vec::new(),
        };
        for &index in &case.sets {
            let scene = out.scene(index, &out.x)?;
            let of_set = series.iter().filter(|s| s.set == index);
            let until = of_set.filter_map(|s| s.times.last()).fold(0.0f64, |m, t| m.max(*t));
            let (course, sizes) = simulated(&scene, until)?;
            out.parts.push(Part { index, scene, course, sizes });
        }
        Ok(out)
    }

    pub(super) fn set(&self, part: &Part) -> &'a DataSet {
        &self.case.fit.data[part.index]
    }

    pub(super) fn scene(&self, index: usize, x: &[f64]) -> Result<Scene, StudyError> {
        let values = self.case.values(self.study, &self.case.full(x));
        let settings = self.case.settings(self.study, &self.case.fit.data[index], &values);
        self.study.scene.with(&settings).map_err(|e| StudyError::values(&e))
    }

    /// The tolerance that laws of contact are judged by.
    pub fn tolerance(&self) -> f64 {
        self.parts.iter().map(|p| p.scene.tolerance.law).fold(f64::INFINITY, f64::min)
    }

    /// The worst violation of the laws themselves, as a number.
    pub fn violation(&self) -> f64 {
        self.parts.iter().map(|p| p.course.violation(&p.scene, &p.sizes)).fold(0.0, f64::max)
    }

    /// How many unknowns there are.
    pub fn unknowns(&self) -> usize {
        let sizes = |c: &Course| {
            c.q.iter().chain(&c.u).map(|v| v.len()).sum::<usize>()
                + c.impulses.iter().map(|v| v.len()).sum::<usize>()
        };
        self.x.len() + self.parts.iter().map(|p| sizes(&p.course)).sum::<usize>()
    }

    /// The largest difference of fitted values from those of a simulation with the parameters found, in deviations;
    /// none when it cannot be run.
    pub fn distance_to_simulation(&self) -> Option<f64> {
        let here = self.fitted();
        let again = FullSpace::new(self.study, self.case, self.series, self.x.clone()).ok()?.fitted();
        let mut worst = 0.0f64;
        for ((a, b), series) in here.iter().zip(&again).zip(self.series) {
            for (a, b) in a.iter().zip(b) {
                worst = worst.max((a - b).abs() / series.deviation);
            }
        }
        Some(worst)
    }

    pub(super) fn relaxation(&self, part: &Part) -> Relaxation {
        Relaxation { tau: self.tau, speed: part.sizes.speed }
    }

    /// What formulas know: the study's parameters and the scene's others.
    pub(super) fn known(&self, x: &[f64], scene: &Scene) -> Vec<f64> {
        let mut known = self.case.values(self.study, &self.case.full(x));
        for name in &self.study.known[known.len()..] {
            known.push(scene.parameters.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| *v));
        }
        known
    }

    /// The values of a set's columns at the ends of all steps.
    pub(super) fn looks(&self, part: &Part) -> Vec<Vec<f64>> {
        let known = self.known(&self.x, &part.scene);
        (0..part.course.times.len())
            .map(|k| self.columns(part, &known, &part.scene, &part.course.state(k)))
            .collect()
    }

    pub(super) fn columns(&self, part: &Part, known: &[f64], scene: &Scene, state: &State) -> Vec<f64> {
        let set = self.set(part);
        let mut row = known.to_vec();
        row.resize(known.len() + set.signals.len(), 0.0);
        signal::of_state(scene.system.as_ref(), state, &set.signals, &mut row[known.len()..]);
        set.columns.iter().map(|c| c.formula.value(&row)).collect()
    }

    /// The series of a part with the times that lie in its course.
    pub(super) fn covered<'s>(
        &'s self,
        part: &'s Part,
    ) -> impl Iterator<Item = (&'a Series, std::ops::Range<usize>)> + 's {
        let (from, to) = (part.course.times[0], part.course.times[part.course.times.len() - 1]);
        let slack = 1e-9 * (to - from);
        self.series.iter().filter(|s| s.set == part.index).map(move |s| {
            let first = s.times.partition_point(|t| *t < from - slack);
            let end = s.times.partition_point(|t| *t <= to + slack);
            (s, first..end)
        })
    }

    /// What the courses say at the measured times, series by series (of those a window covers).
    pub fn fitted(&self) -> Vec<Vec<f64>> {
        let mut out = Vec::new();
        for part in &self.parts {
            let looks = self.looks(part);
            for (series, range) in self.covered(part) {
                let at = |t: &f64| between(&part.course.times, *t, |k| looks[k][series.column]);
                out.push(series.times[range].iter().map(at).collect());
            }
        }
        out
    }

    pub(super) fn residuals(&self) -> Vec<f64> {
        let fitted = self.fitted();
        let measured = self.parts.iter().flat_map(|part| self.covered(part));
        let mut out = Vec::new();
        for (fitted, (series, range)) in fitted.iter().zip(measured) {
            out.extend(fitted.iter().zip(&series.values[range]).map(|(f, y)| (f - y) / series.deviation));
        }
        out
    }

    /// How sure the parameters are, with what is free beside them; and the cost.
    pub fn statistics(&self) -> Result<(Statistics, f64), StudyError> {
        let linear = self.linearise()?;
        let mut ranges: Vec<f64> =
            self.case.active.iter().map(|&i| self.case.upper[i] - self.case.lower[i]).collect();
        ranges.resize(linear.jacobian.ncols(), 1.0);
        let cost = linear.residuals.iter().map(|r| r * r).sum();
        let all = statistics(&linear.residuals, &linear.jacobian, &ranges, self.case.fit.estimated);
        Ok((all.of_first(self.x.len()), cost))
    }
}
