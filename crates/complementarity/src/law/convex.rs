//! Projections onto the sets that impulses of convex laws are confined to, with their derivatives.
//!
//! A law is convex here when it says `−xi ∈ N(lambda)` with N the normal cone of a convex set C of impulses. The
//! projection P onto C and its (generalised) derivative, symmetric with eigenvalues from 0 to 1:
//!
//! ```text
//! bilateral      C = everything          P x = x                       P' = 1
//! unilateral     C = [0, ∞)              P x = max(x, 0)               P' = 0 or 1
//! dry            C = |x| <= bound        P x = x min(1, bound / |x|)   P' = 1, or bound / |x| across x
//! associated     C = |x_t| <= mu x_n     P x = (e·x) e outside         P' = e e^T + (mu p_n / |x_t|) across x_t
//! ```
//!
//! with `e = (1, mu x_t / |x_t|) / sqrt(1 + mu²)` and `p_n` the normal part of P x; inside of the cone P' = 1, inside
//! of the polar cone 0.

use crate::law::{GroupLaw, Law, MAX_ROWS};
use crate::solver::convex::response::{MOST, Slope};

/// The point of a convex law's set closest to `x`, entries beyond its rows zero.
#[inline]
pub(crate) fn project(law: Law, x: &[f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    match law.region(x) {
        Region::Inside => *x,
        Region::Tip => [0.0; MAX_ROWS],
        Region::Ball { bound, length } => x.map(|v| v * (bound / length)),
        Region::Side { mu, normal, side } => {
            let mut at = x.map(|v| v * (mu * normal / side));
            at[0] = normal;
            at
        }
    }
}

/// True when `x` is in the set of a convex law.
#[inline]
pub(crate) fn is_inside(law: Law, x: &[f64; MAX_ROWS]) -> bool {
    matches!(law.region(x), Region::Inside)
}

/// `factor P'` at `x`.
pub(crate) fn derivative(law: Law, x: &[f64; MAX_ROWS], factor: f64) -> Slope {
    let n = law.rows();
    let matrix = |entry: &dyn Fn(usize, usize) -> f64| {
        let mut m = [0.0; MOST * MOST];
        (0..n * n).for_each(|k| m[k] = factor * entry(k / n, k % n));
        Slope::Full(m)
    };
    match law.region(x) {
        Region::Inside => Slope::Even(factor),
        Region::Tip => Slope::None,
        Region::Ball { .. } if n == 1 => Slope::None,
        Region::Ball { bound, length } => matrix(&|i, j| {
            let unit = if i == j { 1.0 } else { 0.0 };
            bound / length * (unit - x[i] * x[j] / (length * length))
        }),
        Region::Side { mu, normal, side } => {
            let across = mu * normal / side;
            let along = 1.0 / (1.0 + mu * mu);
            matrix(&|i, j| match (i, j) {
                (0, 0) => along,
                (0, t) | (t, 0) => along * mu * x[t] / side,
                _ => {
                    let unit = if i == j { across } else { 0.0 };
                    unit + (along * mu * mu - across) * x[i] * x[j] / (side * side)
                }
            })
        }
    }
}

/// Where a point is.
pub(crate) enum Region {
    /// In the set.
    Inside,
    /// Its closest point is zero.
    Tip,
    /// Outside of a ball of radius `bound`, at this distance from zero.
    Ball { bound: f64, length: f64 },
    /// Beside a cone: its slope, the normal part of the closest point, and the size of the point's own tangential part.
    Side { mu: f64, normal: f64, side: f64 },
}

impl Region {
    /// Relative to the ball of radius `bound`.
    #[inline]
    pub(crate) fn of_ball(bound: f64, x: &[f64]) -> Self {
        let length = size(x);
        if length <= bound { Self::Inside } else { Self::Ball { bound, length } }
    }

    /// Relative to the cone of slope `mu`.
    #[inline]
    pub(crate) fn of_cone(mu: f64, x: &[f64]) -> Self {
        let side = size(&x[1..]);
        if x[0] <= -mu * side {
            Self::Tip
        } else if side <= mu * x[0] {
            Self::Inside
        } else {
            // the tangential part is not zero here: otherwise x would be in one of the two cones
            Self::Side { mu, normal: (x[0] + mu * side) / (1.0 + mu * mu), side }
        }
    }
}

#[inline]
fn size(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Cone;

    const LAWS: [Law; 8] = [
        Law::Bilateral { rows: 3 },
        Law::Unilateral,
        Law::Dry { bound: 0.7 },
        Law::DryCone { bound: 0.7, cone: Cone::Disc },
        Law::Associated { friction: 0.0, cone: Cone::Segment },
        Law::Associated { friction: 0.5, cone: Cone::Segment },
        Law::Associated { friction: 0.5, cone: Cone::Disc },
        Law::Associated { friction: 1.5, cone: Cone::Ball },
    ];

    fn points() -> impl Iterator<Item = [f64; MAX_ROWS]> {
        (0..200).map(|k| {
            let x = |i: f64| 1.7 * (0.1 + 1.3 * i + 0.7 * f64::from(k) * (i + 1.0)).sin();
            [x(0.0), x(1.0), x(2.0), x(3.0), 0.0, 0.0]
        })
    }

    /// What characterises a projection onto a convex cone or ball: it is in the set, and nothing of the set is nearer.
    #[test]
    fn projections_are_the_nearest_points() {
        for law in LAWS {
            let n = law.rows();
            let square = |a: &[f64; MAX_ROWS], b: &[f64; MAX_ROWS]| -> f64 {
                (0..n).map(|i| (a[i] - b[i]).powi(2)).sum()
            };
            for x in points() {
                let p = project(law, &x);
                assert!(square(&project(law, &p), &p) < 1e-28, "{law:?}: not in the set");
                for y in points() {
                    let other = project(law, &y);
                    assert!(square(&x, &p) <= square(&x, &other) + 1e-13, "{law:?} {x:?}");
                }
            }
        }
    }

    #[test]
    fn without_friction_the_cone_is_a_ray() {
        let law = Law::Associated { friction: 0.0, cone: Cone::Disc };
        assert_eq!(project(law, &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.0; MAX_ROWS]);
        assert_eq!(project(law, &[2.0, 3.0, 0.0, 0.0, 0.0, 0.0]), [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let h = 1e-6;
        for law in LAWS {
            let n = law.rows();
            for x in points() {
                let slope = derivative(law, &x, 2.0);
                for j in 0..n {
                    let (mut low, mut high) = (x, x);
                    (low[j], high[j]) = (x[j] - h, x[j] + h);
                    let (low, high) = (project(law, &low), project(law, &high));
                    for i in 0..n {
                        let expected = (high[i] - low[i]) / h;
                        let found = match slope {
                            Slope::None => 0.0,
                            Slope::Even(s) => {
                                if i == j {
                                    s
                                } else {
                                    0.0
                                }
                            }
                            Slope::Full(m) => m[i * n + j],
                        };
                        assert!((found - expected).abs() < 1e-6, "{law:?} {x:?} {i} {j}: {found} {expected}");
                    }
                }
            }
        }
    }
}
