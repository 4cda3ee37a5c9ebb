//! The relation against finite differences of the natural map.

use super::*;
use crate::law::{Cone, GroupLaw, Law, project};

/// The `k` tangents, given by their rows, and zeros.
fn padded(k: usize, row: impl Fn(usize) -> f64) -> [f64; MAX_TANGENTS] {
    std::array::from_fn(|i| if i < k { row(1 + i) } else { 0.0 })
}

const FRICTION: f64 = 0.6;

/// A point with the rows of a cone; the velocities are numbers between −1 and 1.
fn with_point<R>(cone: Cone, lambda: &[f64; 4], xi: &[f64; 4], then: impl Fn(Law, &Point) -> R) -> R {
    let rows = 1 + cone.tangents();
    let law = Law::Contact { friction: FRICTION, cone };
    let diagonal = [1.5, 0.8, 0.8, 0.8, 0.0, 0.0];
    then(law, &Point { directions: &[], lambda: &lambda[..rows], xi: &xi[..rows], diagonal })
}

/// `a_t lambda_t − P(y)` of Alart and Curnier, from the projection.
fn natural_map(cone: Cone, at: &Point) -> [f64; 3] {
    let (k, a) = (cone.tangents(), at.diagonal);
    let y: [f64; 3] = padded(k, |i| a[1] * at.lambda[i] - at.xi[i]);
    let back = project(cone, &[], a[1] * FRICTION * (at.lambda[0] - at.xi[0] / a[0]), y);
    std::array::from_fn(|i| if i < k { a[1] * at.lambda[1 + i] - back[i] } else { 0.0 })
}

/// Sliding, sticking and spinning.
const POINTS: [([f64; 4], [f64; 4]); 4] = [
    ([1.0, 0.3, -0.2, 0.4], [0.0, 0.7, 0.1, -0.5]),
    ([1.0, 0.1, -0.1, 0.2], [0.0, -0.05, 0.1, 0.03]),
    ([0.5, 0.0, 0.0, 0.4], [-0.2, 0.0, 0.0, -0.9]),
    ([2.0, -0.9, 0.8, 0.3], [0.1, 0.9, -0.5, 0.2]),
];

#[test]
fn the_relation_is_the_derivative_of_the_natural_map() {
    for (cone, (lambda, xi)) in
        [Cone::Segment, Cone::Disc, Cone::Ball].iter().flat_map(|c| POINTS.iter().map(move |p| (*c, *p)))
    {
        let piece = with_point(cone, &lambda, &xi, |law, at| law.linearise(at, Weights::default()));
        let n = 1 + cone.tangents();
        let mut own = [0.0; 16];
        piece.add_own(&mut |i, j, value| own[n * i + j] += value);
        let h = 1e-6;
        for j in 0..n {
            let map = |step: f64, of_lambda: bool| {
                let (mut l, mut x) = (lambda, xi);
                *(if of_lambda { &mut l[j] } else { &mut x[j] }) += step;
                with_point(cone, &l, &x, |_, at| natural_map(cone, at))
            };
            for i in 1..n {
                let slope = |of| (map(h, of)[i - 1] - map(-h, of)[i - 1]) / (2.0 * h);
                assert!((own[n * i + j] - slope(true)).abs() < 1e-8, "{cone:?} {lambda:?} {i} {j}");
                // eq. (2) has used xi_n⁺ = 0 already
                if j > 0 {
                    let times = piece.times(i, |k| if k == j { 1.0 } else { 0.0 });
                    assert!((times - slope(false)).abs() < 1e-8, "{cone:?} {lambda:?} {i} {j}");
                }
            }
        }
    }
}

#[test]
fn solved_for_the_impulse_the_relation_still_holds() {
    let weights = Weights { alpha: 0.3, eps: 1e-3 };
    for (cone, (lambda, xi)) in
        [Cone::Segment, Cone::Disc, Cone::Ball].iter().flat_map(|c| POINTS.iter().map(move |p| (*c, *p)))
    {
        let piece = with_point(cone, &lambda, &xi, |law, at| law.linearise(at, weights));
        let n = piece.rows();
        let (mut h, mut g, mut own) = ([0.0; 16], [0.0; 4], [0.0; 16]);
        piece.solved(&mut h[..n * n], &mut g[..n]);
        piece.add_own(&mut |i, j, value| own[n * i + j] += value);
        let dxi = [0.3, -0.7, 0.2, 0.5];
        let dlambda: [f64; 4] = std::array::from_fn(|i| {
            if i < n { -(g[i] + (0..n).map(|j| h[n * i + j] * dxi[j]).sum::<f64>()) } else { 0.0 }
        });
        for i in 0..n {
            let left: f64 = (0..n).map(|j| own[n * i + j] * dlambda[j]).sum();
            let all = left + piece.times(i, |k| dxi[k]) + piece.f[i];
            assert!(all.abs() < 1e-11, "{cone:?} row {i}: {all:e}");
        }
    }
}
