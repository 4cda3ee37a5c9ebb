//! The full-space problem linearised: residuals as affine functions of the parameters, through the responses of the
//! courses.

use super::course::{DIFFERENCE, Response, Sides, Start};
use super::full::{FullSpace, Part};
use crate::error::StudyError;
use nalgebra::{DMatrix, DVector};

/// The parameters with less and with more of one of them.
type TwoPoints = [Vec<f64>; 2];

/// Everything linear at the current point.
pub(super) struct Linear {
    /// Residuals when the course is moved onto its linearised equations.
    pub shifted: Vec<f64>,
    /// Residuals as they are.
    pub residuals: Vec<f64>,
    /// Their derivatives by the parameters, in parts of their ranges, then by free states.
    pub jacobian: DMatrix<f64>,
    /// What the courses do.
    pub responses: Vec<Response>,
}

impl FullSpace<'_> {
    /// Scenes on both sides of each parameter, where it changes one; and the two values.
    fn sides(&self, part: &Part) -> Result<(Vec<Option<Sides>>, Vec<TwoPoints>), StudyError> {
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

    /// Everything at the current point.
    pub(super) fn linearise(&self) -> Result<Linear, StudyError> {
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
            let response =
                part.course.response(&part.scene, &sides, &start, (&part.sizes, self.relaxation(part)));
            let response = response.ok_or(StudyError::Singular)?;
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
}

/// A value between the ends of steps, on a straight line.
pub(super) fn between(times: &[f64], t: f64, value: impl Fn(usize) -> f64) -> f64 {
    let j = times.partition_point(|x| *x <= t).clamp(1, times.len() - 1);
    let share = ((t - times[j - 1]) / (times[j] - times[j - 1])).clamp(0.0, 1.0);
    value(j - 1) + share * (value(j) - value(j - 1))
}
