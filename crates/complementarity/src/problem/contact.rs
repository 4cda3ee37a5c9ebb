//! The frictional contact problem: find impulses `lambda` with
//!
//! ```text
//! xi = A lambda + q,   and per row group the law of `law/mod.rs` between xi and lambda.        (1)
//! ```
//!
//! `A` is symmetric and positive semi-definite ([`Operator`]). `xi` are relative velocities (with what the
//! discretisation adds: restitution, gap over step), `q` is what they would be without impulses.

use super::operator::{BlockDiagonal, Operator, Part};
use super::{ProblemError, check_finite, check_size};
use crate::halves::{both, cut};
use crate::law::linearise::Point;
use crate::law::{Cone, GroupLaw, Law, MAX_ROWS};

/// A row group: some rows of the problem under one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The law; says how many rows.
    pub law: Law,
    /// First row in `q` and `lambda`.
    pub first_row: usize,
    /// First of the Jacobian's parts that belong to this group (unused when the operator is assembled).
    pub first_part: usize,
    /// One past the last of them.
    pub end_part: usize,
}

impl Group {
    /// The rows of this group.
    #[inline]
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.law.rows()
    }

    /// The Jacobian parts of this group.
    pub fn parts(&self) -> std::ops::Range<usize> {
        self.first_part..self.end_part
    }
}

/// The frictional contact problem, eq. (1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactProblem {
    /// The row groups, in row order.
    pub groups: Vec<Group>,
    /// Velocities without impulses, one per row.
    pub q: Vec<f64>,
    /// The map from impulses to velocities.
    pub operator: Operator,
    /// Vertices of the limit set of unit size of all `Cone::Polygon` blocks, counter-clockwise around zero.
    pub directions: Vec<[f64; 2]>,
    /// The speed that residuals are divided by; zero means that any violation counts as infinite.
    pub scale: f64,
}

/// How far a candidate is from satisfying the laws, each as a speed divided by the problem's `scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// `|min(xi_n, a_nn lambda_n)|` of unilateral rows.
    pub complementarity: f64,
    /// Distance of the friction impulse from its limit set, through the effective mass.
    pub cone: f64,
    /// Natural-map residual of the friction law, `|lambda_t − P(lambda_t − xi_t / a_t)| a_t`, a_t the largest of the
    /// tangents' diagonal entries.
    pub dissipation: f64,
    /// `|xi|` of bilateral rows.
    pub bilateral: f64,
    /// The group with the largest of these, if there is any group.
    pub worst_group: Option<usize>,
}

impl Residual {
    /// The largest of all parts.
    pub fn max(&self) -> f64 {
        self.complementarity.max_nan(self.cone).max_nan(self.dissipation).max_nan(self.bilateral)
    }

    /// The worse of both in every part.
    fn take(&mut self, other: Residual) {
        let (mine, others) = (self.max(), other.max());
        if self.worst_group.is_none() || others > mine || (others.is_nan() && !mine.is_nan()) {
            self.worst_group = other.worst_group;
        }
        self.complementarity = self.complementarity.max_nan(other.complementarity);
        self.cone = self.cone.max_nan(other.cone);
        self.dissipation = self.dissipation.max_nan(other.dissipation);
        self.bilateral = self.bilateral.max_nan(other.bilateral);
    }
}

impl ContactProblem {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// True when there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// True when a group has associated friction.
    pub fn is_associated(&self) -> bool {
        self.groups.iter().any(|g| g.law.is_associated())
    }

    /// Sizes agree, entries are finite, coefficients are in range.
    pub fn validate(&self) -> Result<(), ProblemError> {
        check_finite("q", &self.q)?;
        let mut rows = 0;
        for (index, group) in self.groups.iter().enumerate() {
            check_size("first row of a group", group.first_row, rows)?;
            rows += group.law.rows();
            if let Some((value, expected)) = group.law.fault() {
                return Err(ProblemError::Range { what: "law of group", index, value, expected });
            }
            let mut blocks = group.law.blocks().chain(group.law.dry_block());
            if blocks.any(|b| b.cone == Cone::Polygon) && self.directions.len() < 3 {
                return Err(ProblemError::Size {
                    what: "directions",
                    found: self.directions.len(),
                    expected: 3,
                });
            }
        }
        check_size("q", self.q.len(), rows)?;
        let group_rows: Vec<usize> = self.groups.iter().map(|g| g.law.rows()).collect();
        self.operator.validate(&group_rows)
    }

    /// `work = M^-1 W lambda` for a factored operator; cleared for an assembled one. `scratch` is overwritten.
    pub fn impulse_velocity(&self, lambda: &[f64], scratch: &mut Vec<f64>, work: &mut Vec<f64>) {
        work.clear();
        if let Operator::Factored { inverse_mass, jacobian } = &self.operator {
            let n = inverse_mass.len();
            let (low, high) = self.groups.split_at(cut(self.groups.len()));
            let at_once = !high.is_empty();
            scratch.clear();
            scratch.resize(if at_once { 2 * n } else { n }, 0.0);
            work.resize(n, 0.0);
            let add = |groups: &[Group], force: &mut [f64]| {
                for group in groups {
                    let own = &lambda[group.rows()];
                    if own.iter().any(|l| *l != 0.0) {
                        jacobian.add_force(group.parts(), own, force);
                    }
                }
            };
            let (force, other) = scratch.split_at_mut(n);
            both(at_once, || add(high, other), || add(low, force));
            force.iter_mut().zip(other).for_each(|(f, o)| *f += *o);
            inverse_mass.add_product(0, force, work);
        }
    }

    /// `xi = A lambda + q`. `scratch` and `work` are overwritten; `work` ends as in
    /// [`impulse_velocity`](Self::impulse_velocity).
    pub fn velocities(&self, lambda: &[f64], scratch: &mut Vec<f64>, work: &mut Vec<f64>, xi: &mut Vec<f64>) {
        xi.clone_from(&self.q);
        self.impulse_velocity(lambda, scratch, work);
        match &self.operator {
            Operator::Factored { jacobian, .. } => {
                let (low, high) = self.groups.split_at(cut(self.groups.len()));
                let row = high.first().map_or(xi.len(), |g| g.first_row);
                let (low_xi, high_xi) = xi.split_at_mut(row);
                let add = |groups: &[Group], first: usize, xi: &mut [f64]| {
                    for group in groups {
                        let rows = group.first_row - first..group.first_row - first + group.law.rows();
                        jacobian.add_velocity(group.parts(), work, &mut xi[rows]);
                    }
                };
                both(!high.is_empty(), || add(high, row, high_xi), || add(low, 0, low_xi));
            }
            Operator::Assembled(a) => {
                for (c, group) in self.groups.iter().enumerate() {
                    for e in a.row_start[c]..a.row_start[c + 1] {
                        let columns = self.groups[a.column[e]].rows();
                        let n = columns.len();
                        let lambda = &lambda[columns];
                        for (r, x) in xi[group.rows()].iter_mut().enumerate() {
                            let row = &a.values[a.at[e] + r * n..a.at[e] + (r + 1) * n];
                            for j in 0..n {
                                *x += row[j] * lambda[j];
                            }
                        }
                    }
                }
            }
        }
    }

    /// The diagonal block of `A` for group `c`, row-major in the first rows² entries. Allocates when factored.
    pub fn diagonal_block(&self, c: usize) -> [f64; MAX_ROWS * MAX_ROWS] {
        let mut out = [0.0; MAX_ROWS * MAX_ROWS];
        let group = &self.groups[c];
        let rows = group.law.rows();
        match &self.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                for part in &jacobian.parts[group.parts()] {
                    let values = &jacobian.values[part.at..part.at + rows * part.width];
                    add_part_product(inverse_mass, part, values, rows, &mut out);
                }
            }
            Operator::Assembled(a) => {
                for e in a.row_start[c]..a.row_start[c + 1] {
                    if a.column[e] == c {
                        for i in 0..rows * rows {
                            out[i] += a.values[a.at[e] + i];
                        }
                    }
                }
            }
        }
        out
    }

    /// The residual of velocities and impulses that belong together; `diagonal(c)` gives the diagonal of the
    /// diagonal block of group `c`.
    pub fn residual_of(
        &self,
        lambda: &[f64],
        xi: &[f64],
        diagonal: impl Fn(usize) -> [f64; MAX_ROWS] + Sync,
    ) -> Residual {
        let of = |groups: std::ops::Range<usize>| {
            let mut total = Residual::default();
            for c in groups {
                total.take(self.residual_of_group(c, lambda, xi, diagonal(c)));
            }
            total
        };
        let (end, cut) = (self.groups.len(), cut(self.groups.len()));
        let (high, mut low) = both(cut < end, || of(cut..end), || of(0..cut));
        if cut < end {
            low.take(high);
        }
        low
    }

    /// The same of a group.
    pub fn residual_of_group(
        &self,
        c: usize,
        lambda: &[f64],
        xi: &[f64],
        diagonal: [f64; MAX_ROWS],
    ) -> Residual {
        let (law, rows) = (self.groups[c].law, self.groups[c].rows());
        let (lambda, xi) = (&lambda[rows.clone()], &xi[rows]);
        let at = Point { directions: &self.directions, lambda, xi, diagonal };
        Residual { worst_group: Some(c), ..self.group_residual(law, &at) }
    }

    /// The residual of candidate impulses, everything computed anew. Allocates; steppers and solvers use
    /// [`residual_of`](Self::residual_of) with their own memory.
    pub fn residual(&self, lambda: &[f64]) -> Residual {
        let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
        self.velocities(lambda, &mut scratch, &mut work, &mut xi);
        self.residual_of(lambda, &xi, |c| {
            let rows = self.groups[c].law.rows();
            let block = self.diagonal_block(c);
            std::array::from_fn(|r| if r < rows { block[r * rows + r] } else { 0.0 })
        })
    }

    /// The residual of one group at a point.
    fn group_residual(&self, law: Law, at: &Point) -> Residual {
        let speeds = law.residual(at);
        Residual {
            complementarity: self.relative(speeds.complementarity),
            cone: self.relative(speeds.cone),
            dissipation: self.relative(speeds.dissipation),
            bilateral: self.relative(speeds.bilateral),
            worst_group: None,
        }
    }

    fn relative(&self, speed: f64) -> f64 {
        if speed == 0.0 { 0.0 } else { speed / self.scale }
    }
}

/// `out += V D V^T` for the `rows` rows V of a part, D the inverse mass there. Allocates.
fn add_part_product(
    inverse_mass: &BlockDiagonal,
    part: &Part,
    values: &[f64],
    rows: usize,
    out: &mut [f64; MAX_ROWS * MAX_ROWS],
) {
    let (start, width) = (part.start, part.width);
    let mut response = vec![0.0; width];
    for r in 0..rows {
        response.fill(0.0);
        inverse_mass.add_product(start, &values[r * width..(r + 1) * width], &mut response);
        for s in 0..rows {
            out[s * rows + r] += crate::linear::dense::dot(&values[s * width..(s + 1) * width], &response);
        }
    }
}

/// Minimum and maximum that keep a NaN, so that a broken candidate never looks solved.
pub(crate) trait KeepNan {
    fn min_nan(self, other: f64) -> f64;
    fn max_nan(self, other: f64) -> f64;
}

impl KeepNan for f64 {
    fn min_nan(self, other: f64) -> f64 {
        if self.is_nan() || other.is_nan() { f64::NAN } else { self.min(other) }
    }
    fn max_nan(self, other: f64) -> f64 {
        if self.is_nan() || other.is_nan() { f64::NAN } else { self.max(other) }
    }
}
