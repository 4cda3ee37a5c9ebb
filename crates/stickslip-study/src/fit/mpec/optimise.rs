//! Gauss–Newton steps in all unknowns of a case at once (`mod.rs`, eq. 1 and 2), through the stages of the relaxation.

use super::course::Course;
use super::full::{FullSpace, Part};
use super::linear::Linear;
use crate::error::StudyError;
use crate::fit::Method;
use crate::fit::least_squares::{Ending, Factor};
use crate::fit::model::Evaluation;
use nalgebra::{DMatrix, DVector};

/// Steps of a stage at most; the last stage may take more.
const STEPS: [usize; 2] = [30, 60];
/// A stage is done when parameters move less than this part of their ranges and the course is this close to its
/// equations.
const DONE: f64 = 1e-10;
/// Derivatives below this part of the largest are rounding: what they stand for does not move the course.
const NOTHING: f64 = 1e-10;
/// A course farther than this from its equations is not followed, however low its cost.
const FAR: f64 = 1.0;

impl FullSpace<'_> {
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
    fn put(&mut self, x: Vec<f64>, courses: Vec<Course>) -> Result<(), StudyError> {
        for part in 0..self.parts.len() {
            self.parts[part].scene = self.scene(self.parts[part].index, &x)?;
        }
        self.x = x;
        self.parts.iter_mut().zip(courses).for_each(|(part, course)| part.course = course);
        Ok(())
    }

    /// Takes the relaxation through its stages.
    ///
    /// Where the least cost is at a corner, a contact on the verge of slipping, no smooth method finds it to the last
    /// digit: then the stage before counts, if the one before that differs by less than a thousandth of a standard
    /// deviation, and its steps are solved without the relaxation at the parameters found.
    pub fn optimise(&mut self, stages: &[f64]) -> Result<Ending, StudyError> {
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
    fn stage(&mut self, most: usize) -> Result<Ending, StudyError> {
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
    fn advance(&mut self) -> Result<Option<f64>, StudyError> {
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

    /// Puts courses by solving the steps one after the other in place of the present ones, with a relaxation; those
    /// that cannot be found stay.
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
