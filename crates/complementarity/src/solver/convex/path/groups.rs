//! What a step along the central path is made of, group by group: eq. (2) of `convex/path.rs`.

use super::{ConvexPath, Products};
use crate::law::{Domain, MAX_ROWS};
use crate::problem::contact::ContactProblem;
use crate::solver::contact::sweep::Sweep;
use crate::solver::convex::cone_metric::{Metric, Piece};
use crate::solver::interior::cone_algebra::{bent, centred, det, scaled, scaling_point, to_boundary};

impl ConvexPath {
    /// The products of impulses and multipliers after a part of the step.
    pub(super) fn products(&self, problem: &ContactProblem, z: &[f64], length: f64) -> Products {
        let (mut sum, mut scaled_sum, mut count) = (0.0, 0.0, 0.0);
        for (c, group) in problem.groups.iter().enumerate() {
            let r = group.first_row;
            let (dual, low) = self.dual_change[c];
            let own = match self.domains[c] {
                Domain::Zero | Domain::Free => continue,
                Domain::Cone(n, _) => (0..n)
                    .map(|i| (z[r + i] + length * self.change[r + i]) * (self.dual[r + i] + length * dual[i]))
                    .sum::<f64>(),
                Domain::Box(bound) => {
                    let l = z[r] + length * self.change[r];
                    let upper = (bound - l) * (self.dual[r] + length * dual[0]);
                    count += 1.0;
                    upper + (bound + l) * (self.low[group.first_row] + length * low)
                }
            };
            sum += own;
            scaled_sum += own * self.diagonal[c];
            count += 1.0;
        }
        let count = f64::max(count, 1.0);
        Products { mean: sum / count, relative: scaled_sum / (count * self.speed * self.speed) }
    }

    /// The longest step that stays inside.
    pub(super) fn longest(&self, problem: &ContactProblem, z: &[f64]) -> f64 {
        let mut length = f64::INFINITY;
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, change, v) = (&z[rows.clone()], &self.change[rows.clone()], &self.dual[rows]);
            let (dual, low) = self.dual_change[c];
            let own = match self.domains[c] {
                Domain::Zero | Domain::Free => continue,
                Domain::Cone(n, mu) => {
                    let one = to_boundary(&scaled(lambda, n, mu), &scaled(change, n, mu), n);
                    one.min(to_boundary(&scaled(v, n, 1.0 / mu), &scaled(&dual, n, 1.0 / mu), n))
                }
                Domain::Box(bound) => {
                    let one = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
                    let slacks = one(bound - lambda[0], -change[0]).min(one(bound + lambda[0], change[0]));
                    slacks.min(one(v[0], dual[0])).min(one(self.low[group.first_row], low))
                }
            };
            length = length.min(own);
        }
        length
    }

    /// V of all groups.
    pub(super) fn relate(&mut self, z: &[f64], problem: &ContactProblem) {
        self.pieces.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, v) = (&z[rows.clone()], &self.dual[rows]);
            let softest = self.settings.min_stiffness * self.diagonal[c];
            let metric = match self.domains[c] {
                Domain::Zero => Metric::Fixed,
                Domain::Free if softest > 0.0 => Metric::Even(softest),
                Domain::Free => Metric::Fixed,
                Domain::Box(bound) => {
                    let own = v[0] / (bound - lambda[0]) + self.low[group.first_row] / (bound + lambda[0]);
                    Metric::Even(own.max(softest))
                }
                Domain::Cone(1, _) => Metric::First((v[0] / lambda[0]).max(softest)),
                Domain::Cone(n, mu) => {
                    let (square, w) = scaling_point(&scaled(lambda, n, mu), &scaled(v, n, 1.0 / mu));
                    // the least eigenvalue of eta² (2 w w^T − J) is eta² / (w_0 + |w_1|)²
                    let least = square / (w[0] + (w[1] * w[1] + w[2] * w[2]).sqrt()).powi(2);
                    Metric::Cone { square: square * (1.0 + softest / least), w, mu }
                }
            };
            self.pieces.push(Piece { rows: group.law.rows(), metric, f: [0.0; MAX_ROWS] });
        }
    }

    /// f of all groups, eq. (2).
    pub(super) fn load(&mut self, problem: &ContactProblem, z: &[f64], target: f64) {
        for (c, group) in problem.groups.iter().enumerate() {
            let lambda = &z[group.rows()];
            let mut f = [0.0; MAX_ROWS];
            f[..lambda.len()].copy_from_slice(&self.xi[group.rows()]);
            let (second, low) = self.second[c];
            match self.domains[c] {
                Domain::Zero => f[..lambda.len()].copy_from_slice(lambda),
                Domain::Free => {}
                Domain::Cone(n, mu) => {
                    let x = scaled(lambda, n, mu);
                    let inverse = target / if n == 1 { x[0] * x[0] } else { det(&x) };
                    for i in 0..n {
                        f[i] -= inverse * if i == 0 { mu * x[0] } else { -x[i] } + second[i];
                    }
                }
                Domain::Box(bound) => {
                    let (up, down) = (bound - lambda[0], bound + lambda[0]);
                    f[0] -= (target / down + low) - (target / up + second[0]);
                }
            }
            self.pieces[c].f = f;
        }
    }

    /// The steps of the multipliers: those of cones are what the impulses lead to.
    pub(super) fn dual_steps(&mut self, problem: &ContactProblem, sweep: &mut Sweep, z: &[f64], target: f64) {
        self.ends.clear();
        self.ends.extend(z.iter().zip(&self.change).map(|(z, d)| z + d));
        sweep.refresh(problem, &self.ends);
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (second, low) = self.second[c];
            let (v, end) = (&self.dual[rows.clone()], &sweep.velocities()[rows.clone()]);
            self.dual_change[c] = match self.domains[c] {
                Domain::Zero | Domain::Free => ([0.0; 3], 0.0),
                Domain::Cone(n, _) => (std::array::from_fn(|i| if i < n { end[i] - v[i] } else { 0.0 }), 0.0),
                Domain::Box(bound) => {
                    let (lambda, change) = (z[rows.start], self.change[rows.start]);
                    let (up, down) = (bound - lambda, bound + lambda);
                    let upper = (target + v[0] * change) / up - v[0] + second[0];
                    (
                        [upper, 0.0, 0.0],
                        (target - self.low[group.first_row] * change) / down - self.low[group.first_row]
                            + low,
                    )
                }
            };
        }
    }

    /// Adds to s what takes the products after a longer step near the target.
    pub(super) fn centre(&mut self, problem: &ContactProblem, z: &[f64], reach: f64, target: f64) {
        let range = (self.settings.product_range.0 * target, self.settings.product_range.1 * target);
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, change, v) = (&z[rows.clone()], &self.change[rows.clone()], &self.dual[rows]);
            let (dual, _) = self.dual_change[c];
            if let Domain::Cone(n, mu) = self.domains[c] {
                let (x, y) = (scaled(lambda, n, mu), scaled(v, n, 1.0 / mu));
                let (dx, dy) =
                    (scaled(change, n, mu).map(|x| reach * x), scaled(&dual, n, 1.0 / mu).map(|x| reach * x));
                let mut own = centred((&x, &dx), (&y, &dy), range, n);
                own[0] *= mu;
                self.second[c].0.iter_mut().zip(own).for_each(|(s, own)| *s += own);
            }
        }
    }

    /// s of eq. (2): what the products of the predictor's steps leave.
    pub(super) fn correct(&mut self, problem: &ContactProblem, z: &[f64]) {
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.rows();
            let (lambda, change, v) = (&z[rows.clone()], &self.change[rows.clone()], &self.dual[rows]);
            let (dual, low) = self.dual_change[c];
            self.second[c] = match self.domains[c] {
                Domain::Zero | Domain::Free => ([0.0; 3], 0.0),
                Domain::Cone(n, mu) => {
                    let (x, y) = (scaled(lambda, n, mu), scaled(v, n, 1.0 / mu));
                    let (dx, dy) = (scaled(change, n, mu), scaled(&dual, n, 1.0 / mu));
                    let mut own = bent(&x, &y, &dx, &dy, n).map(|s| 0.5 * s);
                    own[0] *= mu;
                    (own, 0.0)
                }
                Domain::Box(bound) => {
                    let (up, down) = (bound - lambda[0], bound + lambda[0]);
                    ([change[0] * dual[0] / up, 0.0, 0.0], -change[0] * low / down)
                }
            };
        }
    }
}
