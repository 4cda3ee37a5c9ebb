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
//! `det x = x_0² − |x_1|²`, `x^-1 = J x / det x`. With `V = W W` the path is `W x ∘ W^-1 y = target e` (Jordan's product), and its second
//! derivatives with respect to target, times target², come from the first ones,
//!
//! ```text
//! y" = −V x" − 2 W L(W x)^-1 (W x' ∘ W^-1 y'),   L(l) z = l ∘ z                         (2)
//! ```
//!
//! Dry friction is a box: the slacks `bound ∓ lambda` have multipliers
//! v and `low`, and `xi + v − low = 0`.

use crate::law::{Domain, MAX_ROWS};
use crate::solver::interior::barrier::Barrier;

/// A group and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
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
pub struct Step<'a> {
    /// Of the impulses.
    pub change: &'a [f64],
    /// Of the multipliers.
    pub dual: Three,
    /// Of the multiplier of a box's lower limit.
    pub low: f64,
}

/// What the tangent of the path adds to the equations of its second derivatives, eq. (2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Bend {
    /// Right-hand side of the relation.
    pub f: [f64; MAX_ROWS],
    /// Of the multipliers, and of that of a box's lower limit.
    pub dual: Three,
    /// See `dual`.
    pub low: f64,
}

/// Products of impulses and multipliers; on the path each is `target`.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    /// The smallest.
    pub least: f64,
    /// Their sum.
    pub sum: f64,
    /// How many there are.
    pub count: f64,
}

/// A vector of the cone, the entries beyond its dimension zero.
pub type Three = [f64; 3];

/// `T z` or `T^-1 z`, for the first row's factor given.
#[inline]
pub(crate) fn scaled(z: &[f64], n: usize, factor: f64) -> Three {
    std::array::from_fn(|i| match i {
        0 => factor * z[0],
        _ if i < n => z[i],
        _ => 0.0,
    })
}

#[inline]
pub(crate) fn det(x: &Three) -> f64 {
    let side = x[1].hypot(x[2]);
    (x[0] - side) * (x[0] + side)
}

#[inline]
fn inner(x: &Three, y: &Three) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// The entries of J.
fn sign(i: usize) -> f64 {
    if i == 0 { 1.0 } else { -1.0 }
}

/// `eta²` and `w` of eq. (1).
#[inline]
pub(crate) fn scaling_point(x: &Three, y: &Three) -> (f64, Three) {
    let (dx, dy) = (det(x).sqrt(), det(y).sqrt());
    let size = (2.0 * (1.0 + inner(x, y) / (dx * dy))).sqrt();
    (dy / dx, std::array::from_fn(|i| (y[i] / dy + sign(i) * x[i] / dx) / size))
}

/// `V` of eq. (1), row-major.
fn scaling(x: &Three, y: &Three, n: usize) -> [f64; 9] {
    let (square, w) = scaling_point(x, y);
    let mut v = [0.0; 9];
    for i in 0..n {
        for j in 0..n {
            v[3 * i + j] = square * (2.0 * w[i] * w[j] - if i == j { sign(i) } else { 0.0 });
        }
    }
    v
}

/// The scaling W of Nesterov and Todd at a pair of points, with `l = W x = W^-1 y`.
struct Scaling {
    eta: f64,
    w: Three,
    l: Three,
}

impl Scaling {
    fn new(x: &Three, y: &Three) -> Self {
        let (square, w) = scaling_point(x, y);
        let mut scaling = Self { eta: square.sqrt(), w, l: *x };
        scaling.l = scaling.apply(x);
        scaling
    }

    /// `W z`; W = eta (w_0, w_1^T; w_1, 1 + w_1 w_1^T / (1 + w_0)).
    fn apply(&self, z: &Three) -> Three {
        self.times(z, 1.0).map(|x| x * self.eta)
    }

    /// `W^-1 z`: −w_1 and 1/eta.
    fn undo(&self, z: &Three) -> Three {
        self.times(z, -1.0).map(|x| x / self.eta)
    }

    fn times(&self, z: &Three, flip: f64) -> Three {
        let w = &self.w;
        let along = flip * (w[1] * z[1] + w[2] * z[2]);
        let more = z[0] + along / (1.0 + w[0]);
        [w[0] * z[0] + along, z[1] + flip * w[1] * more, z[2] + flip * w[2] * more]
    }

    /// `W L(l)^-1 c`.
    fn divide(&self, c: &Three) -> Three {
        let l = &self.l;
        let first = (l[0] * c[0] - l[1] * c[1] - l[2] * c[2]) / det(l);
        self.apply(&[first, (c[1] - first * l[1]) / l[0], (c[2] - first * l[2]) / l[0]])
    }
}

/// Jordan's product.
fn jordan(a: &Three, b: &Three) -> Three {
    [inner(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// `−2 W L(l)^-1 (W dx ∘ W^-1 dy)` of eq. (2), l = W x.
pub(crate) fn bent(x: &Three, y: &Three, dx: &Three, dy: &Three, n: usize) -> Three {
    if n == 1 {
        return [-2.0 * dx[0] * dy[0] / x[0], 0.0, 0.0];
    }
    let scaling = Scaling::new(x, y);
    scaling.divide(&jordan(&scaling.apply(dx), &scaling.undo(dy))).map(|x| -2.0 * x)
}

/// `W L(l)^-1 t` where t takes the products of the points `x + dx` and `y + dy` into the given range: it changes the eigenvalues of
/// `W (x + dx) ∘ W^-1 (y + dy)` that are outside, and none by more than the upper end of the range.
pub(crate) fn centred(x: (&Three, &Three), y: (&Three, &Three), range: (f64, f64), n: usize) -> Three {
    let into = |e: f64| (e.clamp(range.0, range.1) - e).max(-range.1);
    if n == 1 {
        return [into((x.0[0] + x.1[0]) * (y.0[0] + y.1[0])) / x.0[0], 0.0, 0.0];
    }
    let scaling = Scaling::new(x.0, y.0);
    let sum = |a: &Three, b: &Three| std::array::from_fn(|i| a[i] + b[i]);
    let c = jordan(&scaling.apply(&sum(x.0, x.1)), &scaling.undo(&sum(y.0, y.1)));
    let side = c[1].hypot(c[2]);
    let (high, low) = (into(c[0] + side), into(c[0] - side));
    let along = if side > 0.0 { 0.5 * (high - low) / side } else { 0.0 };
    scaling.divide(&[0.5 * (high + low), along * c[1], along * c[2]])
}

impl Place<'_> {
    /// `x` and `y` of eq. (1).
    fn pair(&self, n: usize, mu: f64) -> (Three, Three) {
        (scaled(self.lambda, n, mu), scaled(self.dual, n, 1.0 / mu))
    }

    /// The products of impulses and multipliers after a step of the given length.
    pub fn products(&self, length: f64, step: &Step) -> Products {
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
    pub fn relate(&self, target: f64, eps: f64) -> Barrier {
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
    pub fn dual_step(&self, barrier: &Barrier, target: f64, change: &[f64]) -> (Three, f64) {
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
    pub fn push(&self, target: f64) -> [f64; MAX_ROWS] {
        let (dual, low) = self.pushed(target);
        let mut f = [0.0; MAX_ROWS];
        match self.domain {
            Domain::Box(_) => f[0] = dual[0] - low,
            _ => (0..3).for_each(|i| f[i] = -dual[i]),
        }
        f
    }

    /// The derivatives of the multipliers along the path with respect to log target, for those of the impulses.
    pub fn dual_tangent(&self, barrier: &Barrier, target: f64, change: &[f64]) -> (Three, f64) {
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

    /// The second derivatives along the path with respect to target, times its square, as far as the first ones make them: eq. (2).
    pub fn bend(&self, barrier: &Barrier, tangent: &Step) -> Bend {
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
    pub fn longest(&self, step: &Step) -> f64 {
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

/// The least positive root of `det(x + s dx) = 0`.
#[inline]
pub(crate) fn to_boundary(x: &Three, dx: &Three, n: usize) -> f64 {
    if n == 1 {
        return if dx[0] < 0.0 { -x[0] / dx[0] } else { f64::INFINITY };
    }
    let b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    let (a, c) = (det(dx), det(x));
    let root = b * b - a * c;
    // zero but for rounding where both point the same way
    let root = if root.abs() < 1e-12 * b * b { 0.0 } else { root };
    let below = root.max(0.0).sqrt() - b;
    if root >= 0.0 && below > 0.0 { c / below } else { f64::INFINITY }
}

#[cfg(test)]
mod tests;
