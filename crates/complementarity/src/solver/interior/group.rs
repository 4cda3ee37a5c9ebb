//! One group on the central path of `interior_point.rs`: its barrier relation, its dual step, how far it may go.
//!
//! A contact with friction is written with `x = T lambda`, `y = T^-1 v`, `T = diag(mu, 1, 1)`, so that both x and y
//! are in the self-dual cone `x_0 >= |x_1|`; a unilateral row is the case of dimension one. The path is
//! `y = target x^-1`, linearised with the scaling matrix of Nesterov and Todd,
//!
//! ```text
//! dy = −V dx + target x^-1 − y,   V = eta² (2 w w^T − J),   V x = y                     (1)
//! eta⁴ = det y / det x,   w = (y' + J x') / sqrt(2 (1 + x'·y')),   x' = x / sqrt(det x),   J = diag(1, −1, −1)
//! ```
//!
//! `det x = x_0² − |x_1|²`, `x^-1 = J x / det x`. With `V = W W` the path is `W x ∘ W^-1 y = target e` (Jordan's
//! product), and its second derivatives with respect to target, times target², come from the first ones,
//!
//! ```text
//! y" = −V x" − 2 W L(W x)^-1 (W x' ∘ W^-1 y'),   L(l) z = l ∘ z                         (2)
//! ```
//!
//! Dry friction is a box: the slacks `bound ∓ lambda` have multipliers
//! v and `low`, and `xi + v − low = 0`.

use crate::law::{Domain, MAX_ROWS};
use crate::solver::interior::barrier::Barrier;
use crate::solver::interior::cone_algebra::{Three, bent, det, inner, scaled, scaling, to_boundary};

/// A group and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Where its impulses are.
    pub domain: Domain,
    /// `beta²` of eq. (2) of `interior_point.rs`.
    pub smoothing: f64,
    /// Impulses.
    pub lambda: &'a [f64],
    /// Multipliers v: the modified velocities of a contact, or those of the upper limit of a box.
    pub dual: &'a [f64],
    /// Multiplier of the lower limit of a box.
    pub low: f64,
    /// Velocities.
    pub xi: &'a [f64],
    /// The diagonal of the group's own block.
    pub diagonal: [f64; MAX_ROWS],
}

/// A step of one group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    /// Of the impulses.
    pub change: &'a [f64],
    /// Of the multipliers.
    pub dual: Three,
    /// Of the multiplier of a box's lower limit.
    pub low: f64,
}

/// What the tangent of the path adds to the equations of its second derivatives, eq. (2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bend {
    /// Right-hand side of the relation.
    pub f: [f64; MAX_ROWS],
    /// Of the multipliers, and of that of a box's lower limit.
    pub dual: Three,
    /// See `dual`.
    pub low: f64,
}

/// Products of impulses and multipliers; on the path each is `target`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products {
    /// The smallest.
    pub least: f64,
    /// Their sum.
    pub sum: f64,
    /// How many there are.
    pub count: f64,
}

impl Place<'_> {
    /// `x` and `y` of eq. (1).
    fn pair(&self, n: usize, mu: f64) -> (Three, Three) {
        (scaled(self.lambda, n, mu), scaled(self.dual, n, 1.0 / mu))
    }

    /// The products of impulses and multipliers after a step of the given length.
    pub(crate) fn products(&self, length: f64, step: &Step) -> Products {
        match self.domain {
            Domain::Zero | Domain::Free => Products { least: f64::INFINITY, sum: 0.0, count: 0.0 },
            Domain::Cone(n, mu) => {
                let (x, y) = self.pair(n, mu);
                let (dx, dy) = (scaled(step.change, n, mu), scaled(&step.dual, n, 1.0 / mu));
                let moved = |a: Three, d: Three| std::array::from_fn(|i| a[i] + length * d[i]);
                let (x, y) = (moved(x, dx), moved(y, dy));
                let least = (det(&x).max(0.0) * det(&y).max(0.0)).sqrt();
                Products { least, sum: inner(&x, &y), count: 1.0 }
            }
            Domain::Box(bound) => {
                let l = self.lambda[0] + length * step.change[0];
                let high = (bound - l) * (self.dual[0] + length * step.dual[0]);
                let low = (bound + l) * (self.low + length * step.low);
                Products { least: high.min(low), sum: high + low, count: 2.0 }
            }
        }
    }

    /// The relation for a point on the path. `eps` is the weight of the proximal term, relative to the diagonal.
    pub(crate) fn relate(&self, target: f64, eps: f64) -> Barrier {
        let n = self.lambda.len();
        let mut out = Barrier { rows: n, active: n, lead: 1.0, ..Default::default() };
        for i in 0..n {
            out.extra[i] = if self.diagonal[i] > 0.0 { eps * self.diagonal[i] } else { 1.0 };
        }
        match self.domain {
            Domain::Zero => {
                out.fixed = true;
                out.f[..n].copy_from_slice(self.lambda);
            }
            Domain::Free => {
                for i in (0..n).filter(|i| self.diagonal[*i] > 0.0) {
                    out.f[i] = self.xi[i];
                }
            }
            Domain::Box(bound) => {
                let (high, low) = (bound - self.lambda[0], bound + self.lambda[0]);
                out.v[0] = self.dual[0] / high + self.low / low;
                out.f[0] = self.xi[0] + target / high - target / low;
            }
            Domain::Cone(dimension, mu) => self.relate_cone((dimension, mu), target, &mut out),
        }
        out
    }

    fn relate_cone(&self, (n, mu): (usize, f64), target: f64, out: &mut Barrier) {
        let (x, y) = self.pair(n, mu);
        let t = |i: usize| if i == 0 { mu } else { 1.0 };
        let v = scaling(&x, &y, n);
        let inverse = target / det(&x);
        for i in 0..n {
            for j in 0..n {
                out.v[3 * i + j] = t(i) * v[3 * i + j] * t(j);
            }
            out.pull[i] = t(i) * (inverse * if i == 0 { x[0] } else { -x[i] } - y[i]);
        }
        out.active = n;
        for i in n..out.rows {
            out.extra[i] = self.diagonal[0];
            out.f[i] = self.diagonal[0] * self.lambda[i];
        }
        // S p of eq. (5) of the method: what v lacks of the modified velocity
        let mut lack: Three = std::array::from_fn(|i| if i < n { self.dual[i] - self.xi[i] } else { 0.0 });
        if n > 1 {
            let rho =
                ((1.0 - self.smoothing) * (y[1] * y[1] + y[2] * y[2]) + self.smoothing * y[0] * y[0]).sqrt();
            out.lead = 1.0 / (1.0 - self.smoothing * y[0] / rho);
            out.couple = [1, 2].map(|i| out.lead * mu * (1.0 - self.smoothing) * y[i] / rho);
            lack[0] = out.lead * (lack[0] - mu * rho) + out.couple[0] * lack[1] + out.couple[1] * lack[2];
        }
        for i in 0..n {
            out.f[i] = -(lack[i] + out.pull[i]);
        }
    }

    /// The step of the multipliers for a step of the impulses: of `dual`, and of `low`.
    pub(crate) fn dual_step(&self, barrier: &Barrier, target: f64, change: &[f64]) -> (Three, f64) {
        match self.domain {
            Domain::Zero | Domain::Free => ([0.0; 3], 0.0),
            Domain::Cone(n, _) => {
                let row = |i: usize| (0..n).map(|j| barrier.v[3 * i + j] * change[j]).sum::<f64>();
                (std::array::from_fn(|i| if i < n { barrier.pull[i] - row(i) } else { 0.0 }), 0.0)
            }
            Domain::Box(bound) => {
                let (high, low) = (bound - self.lambda[0], bound + self.lambda[0]);
                let upper = (target + self.dual[0] * change[0]) / high - self.dual[0];
                ([upper, 0.0, 0.0], (target - self.low * change[0]) / low - self.low)
            }
        }
    }

    /// What the multipliers have of `target`: `target x^-1`, or `target` over the slacks of a box.
    fn pushed(&self, target: f64) -> (Three, f64) {
        match self.domain {
            Domain::Zero | Domain::Free => ([0.0; 3], 0.0),
            Domain::Cone(n, mu) => {
                let (x, _) = self.pair(n, mu);
                let inverse = target / det(&x);
                let own = |i: usize| if i == 0 { mu * inverse * x[0] } else { -inverse * x[i] };
                (std::array::from_fn(|i| if i < n { own(i) } else { 0.0 }), 0.0)
            }
            Domain::Box(bound) => {
                let (high, low) = (bound - self.lambda[0], bound + self.lambda[0]);
                ([target / high, 0.0, 0.0], target / low)
            }
        }
    }

    /// The derivative of the relation's right-hand side with respect to log target.
    pub(crate) fn push(&self, target: f64) -> [f64; MAX_ROWS] {
        let (dual, low) = self.pushed(target);
        let mut f = [0.0; MAX_ROWS];
        match self.domain {
            Domain::Box(_) => f[0] = dual[0] - low,
            _ => (0..3).for_each(|i| f[i] = -dual[i]),
        }
        f
    }

    /// The derivatives of the multipliers along the path with respect to log target, for those of the impulses.
    pub(crate) fn dual_tangent(&self, barrier: &Barrier, target: f64, change: &[f64]) -> (Three, f64) {
        let (mut dual, mut low) = self.pushed(target);
        match self.domain {
            Domain::Zero | Domain::Free => {}
            Domain::Cone(n, _) => {
                for i in 0..n {
                    dual[i] -= (0..n).map(|j| barrier.v[3 * i + j] * change[j]).sum::<f64>();
                }
            }
            Domain::Box(bound) => {
                dual[0] += self.dual[0] * change[0] / (bound - self.lambda[0]);
                low -= self.low * change[0] / (bound + self.lambda[0]);
            }
        }
        (dual, low)
    }

    /// The second derivatives along the path with respect to target, times its square, as far as the first ones make
    /// them: eq. (2).
    pub(crate) fn bend(&self, barrier: &Barrier, tangent: &Step) -> Bend {
        let mut out = Bend::default();
        match self.domain {
            Domain::Zero | Domain::Free => {}
            Domain::Box(bound) => {
                let (high, low) = (bound - self.lambda[0], bound + self.lambda[0]);
                out.dual[0] = 2.0 * tangent.change[0] * tangent.dual[0] / high;
                out.low = -2.0 * tangent.change[0] * tangent.low / low;
                out.f[0] = out.dual[0] - out.low;
            }
            Domain::Cone(n, mu) => {
                let (x, y) = self.pair(n, mu);
                let (dx, dy) = (scaled(tangent.change, n, mu), scaled(&tangent.dual, n, 1.0 / mu));
                let pull = bent(&x, &y, &dx, &dy, n);
                for i in 0..n {
                    out.dual[i] = if i == 0 { mu * pull[0] } else { pull[i] };
                    out.f[i] = -out.dual[i];
                }
                if n > 1 {
                    let product = |a: &Three, b: &Three| {
                        (1.0 - self.smoothing) * (a[1] * b[1] + a[2] * b[2]) + self.smoothing * a[0] * b[0]
                    };
                    let rho = product(&y, &y).sqrt();
                    let second = (product(&dy, &dy) - (product(&y, &dy) / rho).powi(2)) / rho;
                    out.f[0] += barrier.lead * mu * second;
                }
            }
        }
        out
    }

    /// The longest step that stays inside.
    pub(crate) fn longest(&self, step: &Step) -> f64 {
        let Step { change, dual, low } = *step;
        match self.domain {
            Domain::Zero | Domain::Free => f64::INFINITY,
            Domain::Cone(n, mu) => {
                let (x, y) = self.pair(n, mu);
                let (dx, dy) = (scaled(change, n, mu), scaled(&dual, n, 1.0 / mu));
                to_boundary(&x, &dx, n).min(to_boundary(&y, &dy, n))
            }
            Domain::Box(bound) => {
                let l = self.lambda[0];
                let one = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
                let slacks = one(bound - l, -change[0]).min(one(bound + l, change[0]));
                slacks.min(one(self.dual[0], dual[0])).min(one(self.low, low))
            }
        }
    }
}

#[cfg(test)]
mod tests;
