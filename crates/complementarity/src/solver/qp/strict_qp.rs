//! The dual active-set method for a strictly convex quadratic program
//!
//! ```text
//! minimise  x^T G x / 2 + a^T x   subject to   l <= C x <= u,   G positive definite.                 (1)
//! ```
//!
//! Starts at the minimum without constraints and takes in the most violated one after the other. With N the active
//! normals, a violated one n moves multipliers and point along
//!
//! ```text
//! S = N^T G^-1 N,   r = S^-1 N^T G^-1 n,   z = G^-1 (n − N r):   x += t z,   y_N −= t r,   y_n += t        (2)
//! ```
//!
//! until n is satisfied, then it becomes active; if a multiplier would change its sign before that, its constraint is
//! dropped on the way. If `z = 0` and no multiplier limits t, then `n = N r` with `r <= 0` on inequalities: a
//! Farkas certificate, (1) has no feasible point. Every full step increases the dual objective, so it ends.
//!
//! Reference: Goldfarb, Idnani, "A numerically stable dual method for solving strictly convex quadratic programs",
//! Math. Programming 27, 1983.

use crate::linear::dense::{Dense, Lu, dot};

/// How the dual active-set method goes about strictly convex programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrictSettings {
    /// A normal depends on the active ones when what is left of it without its part along them is below this, relative
    /// to the normals it is the difference of. Half of the digits: what the products of (2) may lose. Rounding.
    pub min_normal: f64,
    /// A violation below this, relative to the numbers it is the difference of, is none. Rounding.
    pub min_violation: f64,
    /// A gap below this, likewise, proves no infeasibility: as many digits as `min_normal` may have lost. Rounding.
    pub min_proof_gap: f64,
}

impl Default for StrictSettings {
    fn default() -> Self {
        Self { min_normal: 1e-8, min_violation: 1e-13, min_proof_gap: 1e-8 }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// At the minimum.
    Optimal,
    /// There is no feasible point.
    Infeasible,
    /// The limit of iterations was reached, or a system was singular.
    Stuck,
}

/// The constraints of (1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) c: &'a Dense,
    pub(crate) lower: &'a [f64],
    pub(crate) upper: &'a [f64],
}

/// A constraint with the side that counts: `sign * c_row · x >= sign * side`.
#[derive(Clone, Copy, Debug)]
struct Active {
    row: usize,
    sign: f64,
    side: f64,
    equation: bool,
    multiplier: f64,
}

/// The method, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrictQp {
    /// How it goes about it.
    pub(crate) settings: StrictSettings,
    /// The answer.
    pub(crate) x: Vec<f64>,
    /// The largest entry x has had: what its rounding is measured by.
    largest: f64,
    active: Vec<Active>,
    /// Rows that depend on the active ones and disagree with them by no more than rounding.
    ignored: Vec<usize>,
    /// The row, with its sign, that made the constraints infeasible.
    refused: Option<(usize, f64)>,
    /// `G^-1 n` of the active constraints, one per row.
    response: Vec<Vec<f64>>,
    /// Memory for those.
    spare: Vec<Vec<f64>>,
    before: Vec<f64>,
    g: Lu,
    s: Dense,
    s_lu: Lu,
    r: Vec<f64>,
    z: Vec<f64>,
}

impl StrictQp {
    /// Forgets which rows were active in the last answer.
    pub(crate) fn forget(&mut self) {
        self.active.clear();
    }

    /// `G^-1 n` of a row with its sign.
    fn responds(&mut self, normal: &[f64], sign: f64) -> Vec<f64> {
        let mut response = self.spare.pop().unwrap_or_default();
        response.clear();
        response.extend(normal.iter().map(|c| sign * c));
        self.g.solve(&mut response);
        response
    }

    /// Solves (1) within `limit` exchanges; also says how many there were.
    pub(crate) fn solve(&mut self, matrix: &Dense, a: &[f64], rows: Rows, limit: usize) -> (End, usize) {
        self.active.clear();
        self.solve_again(matrix, a, rows, limit)
    }

    /// As [`solve`](Self::solve), starting from the rows that are active in the last answer: a program that has changed
    /// little has nearly the same ones.
    pub(crate) fn solve_again(
        &mut self,
        matrix: &Dense,
        a: &[f64],
        rows: Rows,
        limit: usize,
    ) -> (End, usize) {
        self.ignored.clear();
        self.refused = None;
        self.spare.append(&mut self.response);
        self.x.clear();
        self.x.extend(a.iter().map(|v| -v));
        if !self.g.factor(matrix, f64::EPSILON) {
            return (End::Stuck, 0);
        }
        self.g.solve(&mut self.x);
        self.largest = self.x.iter().fold(0.0, |m, x| m.max(x.abs()));
        self.restart(rows);
        let mut used = 0;
        while let Some(violated) = self.most_violated(rows) {
            match self.take_in(violated, rows, limit, &mut used) {
                End::Optimal => {}
                other => return (other, used),
            }
        }
        self.refine(matrix, a, rows);
        (End::Optimal, used)
    }

    /// The minimum with the rows that are listed as active, less those whose multipliers would have the wrong sign;
    /// without constraints where that is not to be had.
    fn restart(&mut self, rows: Rows) {
        let mut old = std::mem::take(&mut self.active);
        old.retain(|k| k.row < rows.lower.len());
        while !old.is_empty() {
            self.spare.append(&mut self.response);
            for k in &mut old {
                let (l, u) = (rows.lower[k.row], rows.upper[k.row]);
                k.side = if k.sign > 0.0 { l } else { u };
                k.equation = l == u;
                let response = self.responds(rows.c.row(k.row), k.sign);
                self.response.push(response);
            }
            std::mem::swap(&mut self.active, &mut old);
            let regular = self.factor_active(rows);
            std::mem::swap(&mut self.active, &mut old);
            if !regular {
                break;
            }
            self.r.clear();
            self.r.extend(old.iter().map(|k| k.sign * (k.side - dot(rows.c.row(k.row), &self.x))));
            self.s_lu.solve(&mut self.r);
            if !self.r.iter().all(|r| r.is_finite()) {
                break;
            }
            old.iter_mut().zip(&self.r).for_each(|(k, r)| k.multiplier = *r);
            let count = old.len();
            old.retain(|k| k.equation || k.multiplier >= 0.0);
            if old.len() == count {
                return self.take_up(old, rows);
            }
        }
        old.clear();
        self.active = old;
        self.spare.append(&mut self.response);
    }

    /// Makes rows active whose responses and multipliers are there, if they then hold.
    fn take_up(&mut self, mut rows_active: Vec<Active>, rows: Rows) {
        self.before.clone_from(&self.x);
        for (k, response) in rows_active.iter().zip(&self.response) {
            self.x.iter_mut().zip(response).for_each(|(x, v)| *x += k.multiplier * v);
        }
        self.largest = self.x.iter().fold(self.largest, |m, x| m.max(x.abs()));
        let off = |k: &Active| (k.side - dot(rows.c.row(k.row), &self.x)).abs();
        if rows_active.iter().all(|k| off(k) <= self.settings.min_normal * self.size(rows, k.row, k.side)) {
            self.active = rows_active;
        } else {
            rows_active.clear();
            self.active = rows_active;
            self.x.clone_from(&self.before);
            self.largest = self.x.iter().fold(0.0, |m, x| m.max(x.abs()));
            self.spare.append(&mut self.response);
        }
    }

    /// The multipliers of all rows, signed as those of (1).
    pub(crate) fn multipliers(&self, y: &mut [f64]) {
        y.fill(0.0);
        self.active.iter().for_each(|a| y[a.row] += a.sign * a.multiplier);
    }

    /// After `Infeasible`: weights of the rows, `n − N r = 0` of (2). They are signed like multipliers and prove that
    /// no point satisfies all sides: the rows add up to zero, the sides to more than that.
    pub(crate) fn certificate(&self, y: &mut [f64]) {
        y.fill(0.0);
        self.active.iter().zip(&self.r).for_each(|(a, r)| y[a.row] -= a.sign * r);
        if let Some((row, sign)) = self.refused {
            y[row] += sign;
        }
    }

    /// Equations come first: they stay.
    fn most_violated(&self, rows: Rows) -> Option<Active> {
        self.most_violated_of(rows, true).or_else(|| self.most_violated_of(rows, false))
    }

    fn most_violated_of(&self, rows: Rows, equations: bool) -> Option<Active> {
        let (mut worst, mut found) = (0.0, None);
        for row in (0..rows.lower.len()).filter(|&r| (rows.lower[r] == rows.upper[r]) == equations) {
            let (l, u) = (rows.lower[row], rows.upper[row]);
            let s = dot(rows.c.row(row), &self.x);
            let norm = rows.c.row(row).iter().fold(0.0f64, |m, c| m.max(c.abs()));
            let (sign, side, violation) = if s < l { (1.0, l, l - s) } else { (-1.0, u, s - u) };
            let is_active = self.active.iter().any(|a| a.row == row) || self.ignored.contains(&row);
            if violation > self.settings.min_violation * self.size(rows, row, side)
                && violation > worst * norm
                && !is_active
            {
                worst = violation / norm.max(f64::MIN_POSITIVE);
                found = Some(Active { row, sign, side, equation: equations, multiplier: 0.0 });
            }
        }
        found
    }

    /// The numbers that go into the violation of a row.
    fn size(&self, rows: Rows, row: usize, side: f64) -> f64 {
        side.abs() + self.largest * rows.c.row(row).iter().map(|c| c.abs()).sum::<f64>()
    }

    /// Eq. (2) until `new` is active, or known to be satisfied up to rounding: `Optimal`.
    fn take_in(&mut self, new: Active, rows: Rows, limit: usize, used: &mut usize) -> End {
        let response = self.responds(rows.c.row(new.row), new.sign);
        let (end, active) = self.exchange(new, &response, rows, (limit, used));
        if active {
            self.response.push(response)
        } else {
            self.spare.push(response)
        }
        end
    }

    /// Eq. (2) for a row with its response; also says whether it became active.
    fn exchange(
        &mut self,
        mut new: Active,
        response: &[f64],
        rows: Rows,
        (limit, used): (usize, &mut usize),
    ) -> (End, bool) {
        let normal = rows.c.row(new.row);
        loop {
            *used += 1;
            if *used > limit || !self.directions(normal, new.sign, response, rows) {
                return (End::Stuck, false);
            }
            let along = new.sign * dot(normal, &self.z);
            let gap = new.sign * (new.side - dot(normal, &self.x));
            let full = if self.depends(normal, new.sign, rows) { f64::INFINITY } else { gap / along };
            let blocking = |k: &usize| !self.active[*k].equation && self.r[*k] > 0.0;
            let ratio = |k: usize| (self.active[k].multiplier / self.r[k]).max(0.0);
            let first = (0..self.active.len())
                .filter(blocking)
                .reduce(|a, b| if ratio(b) < ratio(a) { b } else { a });
            let step = first.map_or(full, |k| full.min(ratio(k)));
            if step == f64::INFINITY {
                let proved = gap > self.settings.min_proof_gap * self.size(rows, new.row, new.side);
                if proved {
                    self.refused = Some((new.row, new.sign));
                    return (End::Infeasible, false);
                }
                self.ignored.push(new.row);
                return (End::Optimal, false);
            }
            if full.is_finite() {
                self.x.iter_mut().zip(&self.z).for_each(|(x, z)| *x += step * z);
                self.largest = self.x.iter().fold(self.largest, |m, x| m.max(x.abs()));
            }
            self.active.iter_mut().zip(&self.r).for_each(|(a, r)| a.multiplier -= step * r);
            new.multiplier += step;
            if step == full {
                self.active.push(new);
                return (End::Optimal, true);
            }
            if let Some(k) = first {
                self.active.remove(k);
                self.ignored.clear();
                let left = self.response.remove(k);
                self.spare.push(left);
            }
        }
    }

    /// r and z of (2); false when S is singular.
    fn directions(&mut self, normal: &[f64], sign: f64, response: &[f64], rows: Rows) -> bool {
        if !self.factor_active(rows) {
            return false;
        }
        self.r.clear();
        self.r.extend(self.response.iter().map(|resp| sign * dot(normal, resp)));
        self.s_lu.solve(&mut self.r);
        self.z.clear();
        self.z.extend_from_slice(response);
        for (r, resp) in self.r.iter().zip(&self.response) {
            self.z.iter_mut().zip(resp).for_each(|(z, v)| *z -= r * v);
        }
        true
    }

    /// Whether `n = N r`.
    fn depends(&self, normal: &[f64], sign: f64, rows: Rows) -> bool {
        let size = |row: &[f64]| row.iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let terms = || self.active.iter().zip(&self.r).map(|(a, r)| (rows.c.row(a.row), a.sign * r));
        let whole = terms().fold(size(normal), |m, (row, factor)| m.max(size(row) * factor.abs()));
        (0..normal.len()).all(|j| {
            let along: f64 = terms().map(|(row, factor)| row[j] * factor).sum();
            (sign * normal[j] - along).abs() <= self.settings.min_normal * whole
        })
    }

    /// Factors S.
    fn factor_active(&mut self, rows: Rows) -> bool {
        let k = self.active.len();
        self.s.reset(k, k);
        for (i, a) in self.active.iter().enumerate() {
            for j in 0..k {
                self.s[(i, j)] = a.sign * dot(rows.c.row(a.row), &self.response[j]);
            }
        }
        self.s_lu.factor(&self.s, 0.0)
    }

    /// Removes the rounding of the way: Newton steps on the equations of the final active set.
    fn refine(&mut self, matrix: &Dense, a: &[f64], rows: Rows) {
        if !self.factor_active(rows) {
            return;
        }
        for _ in 0..2 {
            self.z.clear();
            self.z.extend((0..a.len()).map(|j| -dot(matrix.row(j), &self.x) - a[j]));
            for active in &self.active {
                let factor = active.sign * active.multiplier;
                self.z.iter_mut().zip(rows.c.row(active.row)).for_each(|(z, c)| *z += factor * c);
            }
            self.g.solve(&mut self.z);
            self.r.clear();
            self.r.extend(self.active.iter().map(|k| {
                let row = rows.c.row(k.row);
                k.sign * (k.side - dot(row, &self.x) - dot(row, &self.z))
            }));
            self.s_lu.solve(&mut self.r);
            for (k, r) in self.r.iter().enumerate() {
                self.active[k].multiplier += r;
                self.z.iter_mut().zip(&self.response[k]).for_each(|(z, v)| *z += r * v);
            }
            self.x.iter_mut().zip(&self.z).for_each(|(x, z)| *x += z);
        }
    }
}
