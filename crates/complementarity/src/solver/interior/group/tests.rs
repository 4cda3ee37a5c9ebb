//! The derivatives of a group along the path against finite differences, and where its steps end.

use super::*;

const SMOOTHING: f64 = 0.6;
use crate::solver::contact::newton_system::Relation;

/// Impulses on a curve over target t, and the multipliers v = T target (T lambda)^-1 and velocities xi = v − sigma(v)
/// n with them.
fn curve(t: f64, n: usize, mu: f64) -> (Three, Three, Three) {
    let d = t - 0.3;
    let lambda = [2.0 + 0.7 * d - 0.4 * d * d, 0.4 - 0.5 * d + 0.3 * d * d, -0.3 + 0.2 * d + 0.6 * d * d];
    let lambda: Three = std::array::from_fn(|i| if i < n { lambda[i] } else { 0.0 });
    let x = scaled(&lambda, n, mu);
    let inverse = t / det(&x);
    let y: Three = std::array::from_fn(|i| inverse * if i == 0 { x[0] } else { -x[i] });
    let v = scaled(&y, n, mu);
    let rho = ((1.0 - SMOOTHING) * (y[1] * y[1] + y[2] * y[2]) + SMOOTHING * y[0] * y[0]).sqrt();
    let sigma = if n > 1 { mu * rho } else { 0.0 };
    (lambda, v, [v[0] - sigma, v[1], v[2]])
}

#[test]
fn tangent_and_bend_are_the_derivatives_along_the_path() {
    let (t, e) = (0.3, 1e-4);
    for (n, mu) in [(1, 1.0), (2, 0.7), (3, 0.5)] {
        let [before, at, after] = [t - e, t, t + e].map(|t| curve(t, n, mu));
        let first = |f: fn(&(Three, Three, Three)) -> Three| -> Three {
            std::array::from_fn(|i| t * (f(&after)[i] - f(&before)[i]) / (2.0 * e))
        };
        let second = |f: fn(&(Three, Three, Three)) -> Three| -> Three {
            std::array::from_fn(|i| t * t * (f(&after)[i] - 2.0 * f(&at)[i] + f(&before)[i]) / (e * e))
        };
        let place = Place {
            smoothing: SMOOTHING,
            domain: Domain::Cone(n, mu),
            lambda: &at.0[..n],
            dual: &at.1[..n],
            low: 0.0,
            xi: &at.2[..n],
            diagonal: [1.0; MAX_ROWS],
        };
        let barrier = place.relate(t, 0.0);
        let (change, bent) = (first(|c| c.0), second(|c| c.0));
        let (dual, low) = place.dual_tangent(&barrier, t, &change);
        let bend = place.bend(&barrier, &Step { change: &change, dual, low });
        let (expected, expected_bend) = (first(|c| c.1), second(|c| c.1));
        let xi = second(|c| c.2);
        let mut rest = bend.f;
        barrier.add_own(&mut |i, j, value| rest[i] += value * bent[j]);
        for i in 0..n {
            assert!((dual[i] - expected[i]).abs() < 1e-6, "{n}: {dual:?} {expected:?}");
            let own: f64 = (0..n).map(|j| barrier.v[3 * i + j] * bent[j]).sum();
            assert!((bend.dual[i] - own - expected_bend[i]).abs() < 1e-5, "{n}: {bend:?} {expected_bend:?}");
            // C lambda" + B xi" = −f
            assert!((rest[i] + barrier.times(i, |k| xi[k])).abs() < 1e-5, "{n}: {rest:?} {xi:?}");
        }
    }
}

#[test]
fn a_step_along_the_axis_ends_at_the_tip() {
    for size in [0.1, 0.3, 0.7, 1.1, 1e-7] {
        let end = to_boundary(&[size, 0.0, 0.0], &[-3.0 * size, 0.0, 0.0], 3);
        assert!((end - 1.0 / 3.0).abs() < 1e-9, "{size}: {end}");
    }
    // towards a slanted point of the boundary, and away from it for ever
    assert!((to_boundary(&[2.0, 0.0, 0.0], &[-1.0, 1.0, 0.0], 3) - 1.0).abs() < 1e-12);
    assert_eq!(to_boundary(&[2.0, 1.0, 0.0], &[1.0, 0.5, 0.0], 3), f64::INFINITY);
}

#[test]
fn the_bend_of_a_box_is_that_of_its_path() {
    let (bound, t, e) = (2.0, 0.3, 1e-4);
    let curve = |t: f64| {
        let l = 0.5 - 0.8 * (t - 0.3) + 0.9 * (t - 0.3).powi(2);
        [l, t / (bound - l), t / (bound + l)]
    };
    let [before, at, after] = [t - e, t, t + e].map(curve);
    let first = |i: usize| t * (after[i] - before[i]) / (2.0 * e);
    let second = |i: usize| t * t * (after[i] - 2.0 * at[i] + before[i]) / (e * e);
    let place = Place {
        smoothing: SMOOTHING,
        domain: Domain::Box(bound),
        lambda: &at[..1],
        dual: &at[1..2],
        low: at[2],
        xi: &[at[2] - at[1]],
        diagonal: [1.0; MAX_ROWS],
    };
    let barrier = place.relate(t, 0.0);
    let (dual, low) = place.dual_tangent(&barrier, t, &[first(0)]);
    assert!((dual[0] - first(1)).abs() < 1e-7 && (low - first(2)).abs() < 1e-7);
    let bend = place.bend(&barrier, &Step { change: &[first(0)], dual, low });
    let (upper, lower) = (at[1] / (bound - at[0]), at[2] / (bound + at[0]));
    assert!((bend.dual[0] + upper * second(0) - second(1)).abs() < 1e-5, "{bend:?}");
    assert!((bend.low - lower * second(0) - second(2)).abs() < 1e-5, "{bend:?}");
    // xi" = low" − v", and the relation says so
    assert!((barrier.v[0] * second(0) + second(2) - second(1) + bend.f[0]).abs() < 1e-5, "{bend:?}");
}
