//! The unknowns of all data sets of a case, and Gauss–Newton steps in all of them at once (`mod.rs`, eq. 1 and 2).

use super::course::{Course, Sizes};
use super::linear::{Linear, between};
use super::simulated::simulated;
use super::step::Relaxation;
use crate::fit::Method;
use crate::fit::case::Case;
use crate::fit::data::{DataSet, Series};
use crate::fit::least_squares::{Ending, Factor};
use crate::fit::model::Evaluation;
use crate::fit::statistics::{Statistics, statistics};
use crate::quantity::signal;
use crate::study::Study;
use crate::trial::why;
use nalgebra::{DMatrix, DVector};
use stickslip::state::State;
use stickslip_scene::Scene;

/// Steps of a stage at most; the last stage may take more.
const STEPS: [usize; 2] = [30, 60];
/// A stage is done when parameters move less than this part of their ranges and the course is this close to its equations.
const DONE: f64 = 1e-10;
/// Derivatives below this part of the largest are rounding: what they stand for does not move the course.
const NOTHING: f64 = 1e-10;
/// A course farther than this from its equations is not followed, however low its cost.
const FAR: f64 = 1.0;

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
    tau: f64,
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
    ) -> Result<Self, String> {
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

    pub(super) fn scene(&self, index: usize, x: &[f64]) -> Result<Scene, String> {
        let values = self.case.values(self.study, &self.case.full(x));
        let settings = self.case.settings(self.study, &self.case.fit.data[index], &values);
        self.study.scene.with(&settings).map_err(|e| why(&e))
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

    /// The largest difference of fitted values from those of a simulation with the parameters found, in deviations; none when it cannot be run.
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

    fn residuals(&self) -> Vec<f64> {
        let fitted = self.fitted();
        let measured = self.parts.iter().flat_map(|part| self.covered(part));
        let mut out = Vec::new();
        for (fitted, (series, range)) in fitted.iter().zip(measured) {
            out.extend(fitted.iter().zip(&series.values[range]).map(|(f, y)| (f - y) / series.deviation));
        }
        out
    }

    /// How sure the parameters are, with what is free beside them; and the cost.
    pub fn statistics(&self) -> Result<(Statistics, f64), String> {
        let linear = self.linearise()?;
        let mut ranges: Vec<f64> =
            self.case.active.iter().map(|&i| self.case.upper[i] - self.case.lower[i]).collect();
        ranges.resize(linear.jacobian.ncols(), 1.0);
        let cost = linear.residuals.iter().map(|r| r * r).sum();
        let all = statistics(&linear.residuals, &linear.jacobian, &ranges, self.case.fit.estimated);
        Ok((all.of_first(self.x.len()), cost))
    }

    /// The bounded least-squares step: parameters that would leave their ranges are held at the bound.
    fn step(&self, linear: &Linear) -> DVector<f64> {
        let total = linear.jacobian.ncols();
        let mut step = DVector::zeros(total);
        let mut held = vec![false; total];
        for _ in 0..=self.x.len() {
            let free: Vec<usize> = (0..total).filter(|j| !held[*j]).collect();
            if free.is_empty() {
                break;
            }
            let fixed: DVector<f64> = DVector::from_fn(total, |j, _| if held[j] { step[j] } else { 0.0 });
            let r = &linear.jacobian * &fixed + DVector::from_column_slice(&linear.shifted);
            let columns: Vec<DVector<f64>> =
                free.iter().map(|&j| linear.jacobian.column(j).into_owned()).collect();
            let factor = Factor::new(&DMatrix::from_columns(&columns));
            let p = factor.shortest(r.as_slice(), NOTHING);
            free.iter().zip(p.iter()).for_each(|(&j, p)| step[j] = *p);
            let mut changed = false;
            for j in 0..self.x.len() {
                let i = self.case.active[j];
                let range = self.case.upper[i] - self.case.lower[i];
                let (low, high) =
                    ((self.case.lower[i] - self.x[j]) / range, (self.case.upper[i] - self.x[j]) / range);
                if !held[j] && !(low..=high).contains(&step[j]) {
                    step[j] = step[j].clamp(low, high);
                    (held[j], changed) = (true, true);
                }
            }
            if !changed {
                break;
            }
        }
        step
    }

    /// The distance of all courses from their equations, and the cost.
    fn measure(&self) -> (f64, f64) {
        let mut gap = 0.0f64;
        for part in &self.parts {
            let initial = (!self.free).then(|| part.scene.system.initial());
            gap =
                gap.max(part.course.gap(&part.scene, initial.as_ref(), (&part.sizes, self.relaxation(part))));
        }
        let cost = self.residuals().iter().map(|r| r * r).sum();
        if f64::is_finite(gap + cost) { (gap, cost) } else { (f64::INFINITY, f64::INFINITY) }
    }

    /// Puts in parameters and courses.
    fn put(&mut self, x: Vec<f64>, courses: Vec<Course>) -> Result<(), String> {
        for part in 0..self.parts.len() {
            self.parts[part].scene = self.scene(self.parts[part].index, &x)?;
        }
        self.x = x;
        self.parts.iter_mut().zip(courses).for_each(|(part, course)| part.course = course);
        Ok(())
    }

    /// Takes the relaxation through its stages.
    ///
    /// Where the least cost is at a corner, a contact on the verge of slipping, no smooth method finds it to the last digit: then the stage
    /// before counts, if the one before that differs by less than a thousandth of a standard deviation, and its steps are solved without the
    /// relaxation at the parameters found.
    pub fn optimise(&mut self, stages: &[f64]) -> Result<Ending, String> {
        let mut found: Vec<(Vec<f64>, Vec<Course>)> = Vec::new();
        let mut ending = Ending::Iterations;
        for (stage, tau) in stages.iter().enumerate() {
            self.tau = *tau;
            let last = stage + 1 == stages.len();
            ending = self.stage(STEPS[usize::from(last)])?;
            if ending == Ending::Converged {
                self.relaxed = *tau;
                found.push((self.x.clone(), self.parts.iter().map(|p| p.course.clone()).collect()));
            } else if found.len() >= 2 && *tau < 1e-9 {
                break;
            }
        }
        if ending == Ending::Converged {
            return Ok(ending);
        }
        if let [.., before, last] = found.as_slice() {
            self.put(last.0.clone(), last.1.clone())?;
            let linear = self.linearise()?;
            let mut change = DVector::zeros(linear.jacobian.ncols());
            for (j, &i) in self.case.active.iter().enumerate() {
                change[j] = (last.0[j] - before.0[j]) / (self.case.upper[i] - self.case.lower[i]);
            }
            let (m, n) = (linear.residuals.len(), linear.jacobian.ncols());
            let variance =
                linear.residuals.iter().map(|r| r * r).sum::<f64>() / m.saturating_sub(n).max(1) as f64;
            if (&linear.jacobian * change).norm_squared() <= 1e-6 * variance {
                ending = Ending::Converged;
            }
        }
        // a motion in any case
        self.restore(stages.last().copied().unwrap_or(self.tau));
        Ok(ending)
    }

    /// Steps at one relaxation.
    fn stage(&mut self, most: usize) -> Result<Ending, String> {
        for _ in 0..most {
            let (gap, _) = self.measure();
            let size = self.advance()?;
            self.iterations += 1;
            match size {
                None => return Ok(Ending::Stalled),
                Some(size) if size < DONE && gap < DONE => return Ok(Ending::Converged),
                Some(_) => {}
            }
        }
        Ok(Ending::Iterations)
    }

    /// One step in all unknowns. Returns the size of the change of the parameters, none when nothing was gained.
    fn advance(&mut self) -> Result<Option<f64>, String> {
        let linear = self.linearise()?;
        let step = self.step(&linear);
        let (gap, cost) = self.measure();
        let before = (self.x.clone(), self.parts.iter().map(|p| p.course.clone()).collect::<Vec<_>>());
        let size = step.rows(0, self.x.len()).amax();
        let mut part = 1.0;
        while part > 0.01 {
            let x = self.moved(&before.0, &step, part);
            self.put(x, self.shifted(&before.1, &linear, &step, part))?;
            let there = self.measure();
            let reached = there.1.is_finite().then_some(there.1);
            self.log.push(Evaluation { x: self.x.clone(), cost: reached });
            let method = if self.free { Method::MovingWindow } else { Method::Mpec };
            self.case.tried(method, 0, reached);
            let closer = there.0 <= (1.0 - 0.1 * part) * gap || there.0 < 0.1 * DONE;
            let better = there.1 < cost && there.0 < FAR;
            if closer || better {
                return Ok(Some(size));
            }
            part *= 0.5;
        }
        // nothing helps: solve the steps one after the other, here if they are not, else at parameters nearer by
        let parts: &[f64] = if gap > DONE { &[0.0] } else { &[0.5, 0.2, 0.1, 0.05, 0.02, 0.01] };
        for &part in parts {
            let x = self.moved(&before.0, &step, part);
            self.put(x, self.shifted(&before.1, &linear, &step, part))?;
            let courses = self.restored();
            if courses.len() == self.parts.len() {
                let x = self.x.clone();
                self.put(x, courses)?;
                if self.measure().1 < cost || gap > DONE {
                    return Ok(Some(size));
                }
            }
        }
        self.put(before.0, before.1)?;
        Ok(None)
    }

    /// Courses by solving the steps one after the other at the parameters as they are; fewer when one cannot be found.
    fn restored(&self) -> Vec<Course> {
        let restored = |p: &Part| {
            let start = if self.free { p.course.state(0) } else { p.scene.system.initial() };
            p.course.restored(&p.scene, &start, (&p.sizes, self.relaxation(p)))
        };
        self.parts.iter().map_while(restored).collect()
    }

    /// Puts courses by solving the steps one after the other in place of the present ones, with a relaxation; those that cannot be found stay.
    pub fn restore(&mut self, tau: f64) {
        self.tau = tau;
        let courses = self.restored();
        self.parts.iter_mut().zip(courses).for_each(|(part, course)| part.course = course);
    }

    fn moved(&self, x: &[f64], step: &DVector<f64>, part: f64) -> Vec<f64> {
        let moved = |(j, x): (usize, &f64)| {
            let i = self.case.active[j];
            let (lower, upper) = (self.case.lower[i], self.case.upper[i]);
            (x + part * step[j] * (upper - lower)).clamp(lower, upper)
        };
        x.iter().enumerate().map(moved).collect()
    }

    fn shifted(&self, courses: &[Course], linear: &Linear, step: &DVector<f64>, part: f64) -> Vec<Course> {
        let n = self.x.len();
        let mut offset = n;
        let mut out = Vec::new();
        for (course, response) in courses.iter().zip(&linear.responses) {
            let extra = response.q[0].ncols() - 1 - n;
            let change =
                DVector::from_fn(n + extra, |j, _| if j < n { step[j] } else { step[offset + j - n] });
            out.push(course.moved(response, &change, part));
            offset += extra;
        }
        out
    }
}
