//! The algebra of the self-dual cone `x_0 >= |x_1|` that the central paths of `interior/` and `convex/` are made of:
//! determinant, Jordan's product, the scaling of Nesterov and Todd. Equations (1) and (2) are those of
//! `interior/group.rs`.

/// A vector of the cone, the entries beyond its dimension zero.
pub(crate) type Three = [f64; 3];

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
pub(crate) fn inner(x: &Three, y: &Three) -> f64 {
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
pub(crate) fn scaling(x: &Three, y: &Three, n: usize) -> [f64; 9] {
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

/// `W L(l)^-1 t` where t takes the products of the points `x + dx` and `y + dy` into the given range: it changes the
/// eigenvalues of `W (x + dx) ∘ W^-1 (y + dy)` that are outside, and none by more than the upper end of the range.
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
mod tests {
    use super::*;

    /// A correction takes the eigenvalues of the products into the range, those inside stay; on the path there is
    /// nothing to correct.
    #[test]
    fn a_correction_takes_products_into_the_range() {
        let range = (0.5, 2.0);
        for k in 0..200 {
            let at = |i: f64| (0.7 + 1.1 * i + 0.37 * f64::from(k) * (i + 1.0)).sin();
            let (a, b) = ([at(0.0), at(1.0)], [at(2.0), at(3.0)]);
            let x: Three = [a[0].hypot(a[1]) + 0.3 + at(4.0).abs(), a[0], a[1]];
            let y: Three = [b[0].hypot(b[1]) + 0.3 + at(5.0).abs(), b[0], b[1]];
            let zero = [0.0; 3];
            let s = centred((&x, &zero), (&y, &zero), range, 3);
            let scaling = Scaling::new(&x, &y);
            let ends = |y: &Three| {
                let c = jordan(&scaling.l, &scaling.undo(y));
                [c[0] - c[1].hypot(c[2]), c[0] + c[1].hypot(c[2])]
            };
            let (before, after) = (ends(&y), ends(&std::array::from_fn(|i| y[i] + s[i])));
            for (e, new) in before.into_iter().zip(after) {
                let expected = if e > range.1 + range.1 { e - range.1 } else { e.clamp(range.0, range.1) };
                assert!((new - expected).abs() < 1e-10, "{k}: {e} {new}");
            }
            // a unilateral row
            let (x, y) = ([x[0], 0.0, 0.0], [0.1 / x[0], 0.0, 0.0]);
            let s = centred((&x, &zero), (&y, &zero), range, 1);
            assert!((x[0] * (y[0] + s[0]) - 0.5).abs() < 1e-12);
        }
    }
}
