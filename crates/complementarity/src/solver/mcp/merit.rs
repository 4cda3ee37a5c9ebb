//! Complementarity between bounds as an equation, `phi(z, w) = 0`, with an element of its generalised derivative.
//!
//! With the Fischer–Burmeister function
//!
//! ```text
//! f(a, b) = a + b − sqrt(a² + b²),   f = 0  <=>  a >= 0, b >= 0, a b = 0                    (1)
//! ```
//!
//! an unknown between bounds has `phi = f(z − l, −f(u − z, −w))`; with one bound missing its part is, too, and a
//! free unknown has `phi = w`. `phi²` is continuously differentiable, which makes it a merit function. The min map
//! `phi = z − mid(l, u, z − w)` is piecewise linear: for a linear problem Newton's method on it ends after finitely
//! many steps, and it loses no digits where `a = b = 0`; but its merit function has kinks.
//!
//! Reference: Fischer, "A special Newton-type optimization method", Optimization 24, 1992; Billups, *Algorithms for
//! complementarity problems and generalized equations*, 1995.

use serde::{Deserialize, Serialize};

/// Which equation stands for complementarity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Map {
    /// Eq. (1).
    #[default]
    FischerBurmeister,
    /// The min map.
    Min,
}

/// `phi` and its derivatives by `z` and by `w`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) phi: f64,
    pub(super) by_z: f64,
    pub(super) by_w: f64,
}

impl Map {
    /// `phi` of an unknown with bounds `(l, u)`.
    pub(super) fn pair(self, (l, u): (f64, f64), z: f64, w: f64) -> Pair {
        if l == u {
            return Pair { phi: z - l, by_z: 1.0, by_w: 0.0 };
        }
        match self {
            Map::Min => {
                let moved = z - w;
                if moved <= l {
                    Pair { phi: z - l, by_z: 1.0, by_w: 0.0 }
                } else if moved >= u {
                    Pair { phi: z - u, by_z: 1.0, by_w: 0.0 }
                } else {
                    Pair { phi: w, by_z: 0.0, by_w: 1.0 }
                }
            }
            Map::FischerBurmeister => {
                let inner = if u.is_finite() {
                    let (f, a, b) = fischer(u - z, -w);
                    Pair { phi: -f, by_z: a, by_w: b }
                } else {
                    Pair { phi: w, by_z: 0.0, by_w: 1.0 }
                };
                if !l.is_finite() {
                    return inner;
                }
                let (f, a, b) = fischer(z - l, inner.phi);
                Pair { phi: f, by_z: a + b * inner.by_z, by_w: b * inner.by_w }
            }
        }
    }
}

/// Eq. (1) and its derivatives; at the kink the one in the middle.
fn fischer(a: f64, b: f64) -> (f64, f64, f64) {
    let r = a.hypot(b);
    if r == 0.0 {
        let d = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, d, d);
    }
    // where a + b and r nearly cancel, their difference is known better as a product
    let f = if a + b > 0.0 { 2.0 * a * (b / (a + b + r)) } else { a + b - r };
    (f, 1.0 - a / r, 1.0 - b / r)
}

#[cfg(test)]
mod tests {
    use super::*;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn derivatives_are_those_of_the_function() {
        for bounds in [(0.0, INF), (-INF, 1.0), (-1.0, 2.0), (-INF, INF), (0.5, 0.5)] {
            for (z, w) in [(0.3, -0.6), (1.5, 0.4), (-2.0, 3.0), (1e-3, 2e-3)] {
                for map in [Map::FischerBurmeister, Map::Min] {
                    let h = 1e-6;
                    let at = map.pair(bounds, z, w);
                    let by_z = (map.pair(bounds, z + h, w).phi - map.pair(bounds, z - h, w).phi) / (2.0 * h);
                    let by_w = (map.pair(bounds, z, w + h).phi - map.pair(bounds, z, w - h).phi) / (2.0 * h);
                    assert!((at.by_z - by_z).abs() < 1e-6, "{bounds:?} {z} {w}: {at:?}, {by_z}");
                    assert!((at.by_w - by_w).abs() < 1e-6, "{bounds:?} {z} {w}: {at:?}, {by_w}");
                }
            }
        }
    }

    #[test]
    fn the_equation_holds_exactly_where_complementarity_does() {
        for map in [Map::FischerBurmeister, Map::Min] {
            for (z, w) in [(0.0, 1.0), (0.0, 0.0), (0.5, 0.0), (1.0, -2.0)] {
                assert_eq!(map.pair((0.0, 1.0), z, w).phi, 0.0);
            }
            for (z, w) in [(0.0, -1.0), (0.5, 0.1), (1.0, 2.0), (-0.1, 1.0), (1.1, -1.0)] {
                assert!(map.pair((0.0, 1.0), z, w).phi.abs() > 1e-3);
            }
        }
    }
}
