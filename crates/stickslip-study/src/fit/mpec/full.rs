//! The unknowns of all data sets of a case, and Gauss–Newton steps in all of them at once (`mod.rs`, eq. 1 and 2).

use super::course::{Course, DIFFERENCE, Response, Sides, Sizes, Start};
use super::simulated::simulated;
use super::step::Relaxation;
use crate::fit::case::Case;
use crate::fit::data::{DataSet, Series};
use crate::fit::least_squares::{Ending, Factor};
use crate::fit::model::Evaluation;
use crate::fit::statistics::{Statistics, statistics};
use crate::quantity::signal;
use crate::study::Study;
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
    study: &'a Study,
    case: &'a Case<'a>,
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

/// The parameters with less and with more of one of them.
type TwoPoints = [Vec<f64>; 2];

/// Everything linear at the current point.
struct Linear {
    /// Residuals when the course is moved onto its linearised equations.
    shifted: Vec<f64>,
    /// Residuals as they are.
    residuals: Vec<f64>,
    jacobian: DMatrix<f64>,
    responses: Vec<Response>,
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

    fn set(&self, part: &Part) -> &'a DataSet {
        &self.case.fit.data[part.index]
    }

    fn scene(&self, index: usize, x: &[f64]) -> Result<Scene, String> {
        let values = self.case.values(self.study, &self.case.full(x));
        let settings = self.case.settings(self.study, &self.case.fit.data[index], &values);
        self.study.scene.with(&settings).map_err(|e| e.to_string())
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

    fn relaxation(&self, part: &Part) -> Relaxation {
        Relaxation { tau: self.tau, speed: part.sizes.speed }
    }

    /// What formulas know: the study's parameters and the scene's others.
    fn known(&self, x: &[f64], scene: &Scene) -> Vec<f64> {
        let mut known = self.case.values(self.study, &self.case.full(x));
        for name in &self.study.known[known.len()..] {
            known.push(scene.parameters.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, v)| *v));
        }
        known
    }

    /// The values of a set's columns at the ends of all steps.
    fn looks(&self, part: &Part) -> Vec<Vec<f64>> {
        let known = self.known(&self.x, &part.scene);
        (0..part.course.times.len())
            .map(|k| self.columns(part, &known, &part.scene, &part.course.state(k)))
            .collect()
    }

    fn columns(&self, part: &Part, known: &[f64], scene: &Scene, state: &State) -> Vec<f64> {
        let set = self.set(part);
        let mut row = known.to_vec();
        row.resize(known.len() + set.signals.len(), 0.0);
        signal::of_state(scene.system.as_ref(), state, &set.signals, &mut row[known.len()..]);
        set.columns.iter().map(|c| c.formula.value(&row)).collect()
    }

    /// The series of a part with the times that lie in its course.
    fn covered<'s>(
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

    /// Scenes on both sides of each parameter, where it changes one; and the two values.
    fn sides(&self, part: &Part) -> Result<(Vec<Option<Sides>>, Vec<TwoPoints>), String> {
        let mut scenes = Vec::new();
        let mut points = Vec::new();
        let set = self.set(part);
        for (j, &i) in self.case.active.iter().enumerate() {
            let range = self.case.upper[i] - self.case.lower[i];
            let d = self.case.fit.difference * range;
            let ends = [-1.0, 1.0].map(|s| (self.x[j] + s * d).clamp(self.case.lower[i], self.case.upper[i]));
            let x = ends.map(|end| {
                let mut x = self.x.clone();
                x[j] = end;
                x
            });
            let settings = |x: &[f64]| {
                let values = self.case.values(self.study, &self.case.full(x));
                self.case.settings(self.study, set, &values).iter().map(|s| s.1).collect::<Vec<f64>>()
            };
            scenes.push(if settings(&x[0]) == settings(&x[1]) {
                None
            } else {
                let scenes = [self.scene(part.index, &x[0])?, self.scene(part.index, &x[1])?];
                Some(Sides { scenes, width: (ends[1] - ends[0]) / range })
            });
            points.push(x);
        }
        Ok((scenes, points))
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

    fn linearise(&self) -> Result<Linear, String> {
        let extra: Vec<usize> =
            self.parts.iter().map(|p| if self.free { 2 * p.course.u[0].len() } else { 0 }).collect();
        let total = self.x.len() + extra.iter().sum::<usize>();
        let mut out = Linear {
            shifted: Vec::new(),
            residuals: Vec::new(),
            jacobian: DMatrix::zeros(0, total),
            responses: Vec::new(),
        };
        let mut rows: Vec<DVector<f64>> = Vec::new();
        let mut offset = self.x.len();
        for (part, extra) in self.parts.iter().zip(&extra) {
            let (sides, points) = self.sides(part)?;
            let start = if self.free { Start::Free(&part.sizes) } else { Start::Scene };
            let singular = "the equations of a step are singular";
            let response =
                part.course.response(&part.scene, &sides, &start, (&part.sizes, self.relaxation(part)));
            let response = response.ok_or(singular)?;
            let values = self.column_response(part, (&sides, &points), &response);
            let looks = self.looks(part);
            for (series, range) in self.covered(part) {
                for k in range {
                    let t = series.times[k];
                    let f = between(&part.course.times, t, |k| looks[k][series.column]);
                    let r = (f - series.values[k]) / series.deviation;
                    let entry = |j: usize| {
                        between(&part.course.times, t, |k| values[k][(series.column, j)]) / series.deviation
                    };
                    out.residuals.push(r);
                    out.shifted.push(r + entry(0));
                    let mut row = DVector::zeros(total);
                    (0..self.x.len()).for_each(|j| row[j] = entry(1 + j));
                    (0..*extra).for_each(|j| row[offset + j] = entry(1 + self.x.len() + j));
                    rows.push(row);
                }
            }
            out.responses.push(response);
            offset += extra;
        }
        out.jacobian = DMatrix::from_fn(rows.len(), total, |i, j| rows[i][j]);
        Ok(out)
    }

    /// Derivatives of a set's columns at the ends of steps: by the shift and the parameters.
    fn column_response(
        &self,
        part: &Part,
        (sides, points): (&[Option<Sides>], &[[Vec<f64>; 2]]),
        response: &Response,
    ) -> Vec<DMatrix<f64>> {
        let known = self.known(&self.x, &part.scene);
        let n = part.course.u[0].len();
        let columns = self.set(part).columns.len();
        let sides_known: Vec<[Vec<f64>; 2]> = (0..points.len())
            .map(|j| {
                [0, 1].map(|s| {
                    self.known(&points[j][s], sides[j].as_ref().map_or(&part.scene, |x| &x.scenes[s]))
                })
            })
            .collect();
        (0..part.course.times.len())
            .map(|k| {
                let state = part.course.state(k);
                let mut out = DMatrix::zeros(columns, response.q[k].ncols());
                for i in 0..2 * n {
                    let d = DIFFERENCE * if i < n { part.sizes.q[i] } else { part.sizes.u[i - n] };
                    let side = |d: f64| {
                        let mut state = state.clone();
                        if i < n {
                            state.q[i] += d;
                        } else {
                            state.u[i - n] += d;
                        }
                        DVector::from_vec(self.columns(part, &known, &part.scene, &state))
                    };
                    let slope = (side(d) - side(-d)) / (2.0 * d);
                    let by = if i < n { response.q[k].row(i) } else { response.u[k].row(i - n) };
                    out += slope * by;
                }
                for (j, both) in sides_known.iter().enumerate() {
                    if both[0] != both[1] {
                        let i = self.case.active[j];
                        let width =
                            (points[j][1][j] - points[j][0][j]) / (self.case.upper[i] - self.case.lower[i]);
                        let scene = |s: usize| sides[j].as_ref().map_or(&part.scene, |x| &x.scenes[s]);
                        let [less, more] =
                            [0, 1].map(|s| DVector::from_vec(self.columns(part, &both[s], scene(s), &state)));
                        let column = out.column(1 + j) + (more - less) / width;
                        out.set_column(1 + j, &column);
                    }
                }
                out
            })
            .collect()
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
            self.log.push(Evaluation { x: self.x.clone(), cost: there.1.is_finite().then_some(there.1) });
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

/// A value between the ends of steps, on a straight line.
fn between(times: &[f64], t: f64, value: impl Fn(usize) -> f64) -> f64 {
    let j = times.partition_point(|x| *x <= t).clamp(1, times.len() - 1);
    let share = ((t - times[j - 1]) / (times[j] - times[j - 1])).clamp(0.0, 1.0);
    value(j - 1) + share * (value(j) - value(j - 1))
}
