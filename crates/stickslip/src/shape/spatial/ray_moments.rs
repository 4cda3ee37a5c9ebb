//! Volume, centroid and inertia of a convex solid from rays: with r(d) how far it reaches from a point c inside along
//! the unit vector d,
//!
//! (1) `V = int r³/3`,  `V (centroid − c) = int d r⁴/4`,  `V E[(x − c)(x − c)^T] = int d d^T r⁵/5`   over the unit
//! sphere.
//!
//! Over `u = cos theta` and phi, by the Gauss–Kronrod pair of 7 and 15 nodes, halving intervals until the pair agrees.
//! r has kinks where a ray passes from one surface to another: for every u they are located in phi first, and are ends
//! of intervals; what remains in u are square roots at the ends of pieces, which halving takes in. The answer counts if
//! the estimates of the errors, in u together and in phi at the worst u, add up to 1e-9.

use super::Intersection;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::TAU;

/// What the errors may add up to, relative to (1) of a ball of the solid's size.
const ACCURACY: f64 = 1e-9;
/// Errors of single intervals, in u and in phi.
const OUTER: f64 = 1e-11;
const INNER: f64 = 1e-12;
/// Intervals are halved so often at most.
const DEPTH: usize = 40;
/// Pieces of u to begin with: a kink between the last node of an interval and its end is seen by neither of the pair,
/// and the shorter the interval, the less it is.
const PIECES: usize = 32;
/// Directions in phi between which kinks are looked for.
const LOOKS: usize = 48;

/// Nodes of the pair with the weights of fifteen and of seven.
const NODES: [[f64; 3]; 8] = [
    [0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0],
    [0.949_107_912_342_758_5, 0.063_092_092_629_978_55, 0.129_484_966_168_869_7],
    [0.864_864_423_359_769_1, 0.104_790_010_322_250_18, 0.0],
    [0.741_531_185_599_394_4, 0.140_653_259_715_525_92, 0.279_705_391_489_276_64],
    [0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0],
    [0.405_845_151_377_397_2, 0.190_350_578_064_785_42, 0.381_830_050_505_118_9],
    [0.207_784_955_007_898_47, 0.204_432_940_075_298_9, 0.0],
    [0.0, 0.209_482_141_084_727_82, 0.417_959_183_673_469_4],
];

type Sums = [f64; 10];

/// Mass properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Volume, m³.
    pub volume: f64,
    /// Centre of mass of a uniform body, m.
    pub centroid: Vector3<f64>,
    /// Inertia about it per unit mass, m².
    pub inertia: Matrix3<f64>,
}

/// Eq. (1); none where the accuracy is missed.
pub(super) fn moments(solid: &Intersection) -> Option<Moments> {
    let size = solid.size();
    let (mut worst, mut error, mut sums) = (0.0f64, 0.0, [0.0; 10]);
    for piece in 0..PIECES {
        let [from, to] = [piece, piece + 1].map(|k| 2.0 * k as f64 / PIECES as f64 - 1.0);
        let mut around = |u: f64| around(solid, u, &mut worst);
        let (sum, off) = integral(&mut around, from, to, (OUTER, DEPTH));
        sums.iter_mut().zip(sum).for_each(|(a, s)| *a += s);
        error += off;
    }
    // over u from -1 to 1
    error += 2.0 * worst;
    if error.is_nan() || error > ACCURACY {
        return None;
    }
    let [volume, x, y, z, xx, yy, zz, xy, xz, yz] = sums;
    let arm = Vector3::new(x, y, z) / volume;
    let second = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) / volume - arm * arm.transpose();
    let inertia = (Matrix3::identity() * second.trace() - second) * (size * size);
    Some(Moments { volume: volume * size.powi(3), centroid: solid.centre() + arm * size, inertia })
}

/// The integral over phi, in units of the solid's size.
fn around(solid: &Intersection, u: f64, worst: &mut f64) -> Sums {
    let (sin, size) = ((1.0 - u * u).max(0.0).sqrt(), solid.size());
    let ray = |phi: f64| {
        let d = Vector3::new(sin * phi.cos(), sin * phi.sin(), u);
        let (length, surface) = solid.leaves(&solid.centre(), &d, None);
        (d, length / size, surface)
    };
    let mut terms = |phi: f64| {
        let (d, r, _) = ray(phi);
        let (a, b, c) = (r.powi(3) / 3.0, r.powi(4) / 4.0, r.powi(5) / 5.0);
        let pair = |i: usize, j: usize| c * d[i] * d[j];
        [a, b * d.x, b * d.y, b * d.z, pair(0, 0), pair(1, 1), pair(2, 2), pair(0, 1), pair(0, 2), pair(1, 2)]
    };
    let (mut out, mut start, mut error) = ([0.0; 10], 0.0, 0.0);
    let mut before = ray(0.0).2;
    let mut add = |from: f64, to: f64, out: &mut Sums| {
        let (sum, off) = integral(&mut terms, from, to, (INNER, DEPTH));
        out.iter_mut().zip(sum).for_each(|(o, s)| *o += s);
        error += off;
    };
    for k in 1..=LOOKS {
        let next = TAU * k as f64 / LOOKS as f64;
        let surface = ray(next).2;
        if surface != before {
            // the kink between, by halving
            let (mut low, mut high) = (TAU * (k - 1) as f64 / LOOKS as f64, next);
            while high - low > 1e-15 * TAU {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if ray(middle).2 == before { low = middle } else { high = middle }
            }
            add(start, high, &mut out);
            (start, before) = (high, surface);
        }
    }
    add(start, TAU, &mut out);
    *worst = worst.max(error);
    out
}

/// The integral of f and an estimate of its error.
fn integral(
    f: &mut dyn FnMut(f64) -> Sums,
    from: f64,
    to: f64,
    (accuracy, depth): (f64, usize),
) -> (Sums, f64) {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let (mut fine, mut coarse) = ([0.0; 10], [0.0; 10]);
    for [node, fifteen, seven] in NODES {
        let sides: &[f64] = if node == 0.0 { &[0.0] } else { &[-1.0, 1.0] };
        for side in sides {
            let value = f(middle + side * node * half);
            for i in 0..10 {
                fine[i] += fifteen * half * value[i];
                coarse[i] += seven * half * value[i];
            }
        }
    }
    let error = fine.iter().zip(coarse).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    if error <= accuracy || depth == 0 || error.is_nan() {
        return (fine, error);
    }
    let (mut left, e1) = integral(f, from, middle, (accuracy, depth - 1));
    let (right, e2) = integral(f, middle, to, (accuracy, depth - 1));
    left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
    (left, e1 + e2)
}
