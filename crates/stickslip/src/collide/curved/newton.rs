//! A pair of points of two pieces by Newton's method.
//!
//! In the second body's frame, with R, t the first body's placement, the unknowns are the point q of b, the unit normal
//! n from b to a and the distance c of the pieces; with p = q + c n:
//!
//! (1) the three equations of a's piece at `x = R^T (p − t)`, `w = −R^T n`,
//! (2) the three of b's piece at `x = q`, `w = n`,
//! (3) `n·n = 1`.
//!
//! Seven equations in seven unknowns at any sign of c, zero included. Where the pieces are parallel, points can be
//! moved along both: the system is then singular but consistent, and elimination leaves out what it cannot determine.
//!
//! Where the bodies touch and neither piece turns its normal (a vertex and a rim, say), the normal is not determined by
//! eq. (1) to (3). The same equations of the first body moved away are; with a move along the normal their answer is
//! that of the bodies where they are.
//!
//! A smooth surface and a plane need no iteration: the normal is the plane's, and the point the support point. (Where a
//! super-ellipsoid is flat, Newton's method would creep.)

use super::{Pair, Touch};
use crate::shape::spatial::{Candidate, Patch};
use nalgebra::{SMatrix, SVector, Vector3};

type Matrix7 = SMatrix<f64, 7, 7>;
type Vector7 = SVector<f64, 7>;

const ROUNDS: usize = 60;
/// Steps of this size are rounding.
const SMALL: f64 = 1e-15;
/// The longest step, in radians and units of length.
const LONGEST: f64 = 0.5;
/// An answer from which the next step is longer than this is none.
const REACHED: f64 = 1e-12;
/// Pivots below this, relative to the first, are left out.
const RANK: f64 = 1e-12;

/// Where to start: a point of b, the normal, and how far the first body is moved away.
pub(super) struct Start {
    pub q: Vector3<f64>,
    pub n: Vector3<f64>,
    pub shift: Vector3<f64>,
}

/// The pair of points of two pieces that Newton's method reaches; none if it diverges.
pub(super) fn solve(
    pair: &Pair,
    (of_a, of_b): (&Candidate, &Candidate),
    unit: f64,
    Start { q, n, shift }: &Start,
) -> Option<Touch> {
    let (grow_a, grow_b) = (of_a.grow, of_b.grow);
    let codes = (of_a.code, of_b.code);
    let touch = |q: Vector3<f64>, n: Vector3<f64>, gap: f64| Touch {
        q,
        n,
        gap,
        codes,
        error: pair.error(&(q + n * gap), &q, &n, gap),
    };
    if let Some((q, n, gap)) = flat(pair, of_a, of_b, unit) {
        return Some(Touch { q, n, gap, codes, error: pair.error(&(q + n * gap), &q, &n, gap) });
    }
    let t = (pair.t + shift) / unit;
    let start = pair.separation(n) + n.dot(shift) + (grow_a + grow_b) * unit;
    let mut z = Vector7::zeros();
    z.fixed_rows_mut::<3>(0).copy_from(&(q / unit - n * grow_b));
    z.fixed_rows_mut::<3>(3).copy_from(n);
    z[6] = start / unit;
    let mut last = f64::INFINITY;
    for round in 0..ROUNDS {
        let step = step(pair, &t, (&of_a.patch, &of_b.patch), &z);
        let length = step.amax();
        if !length.is_finite() {
            return None;
        }
        z += step * (LONGEST / length).min(1.0);
        // quadratic convergence: the step after a small one is rounding
        if length < SMALL || (round > 3 && length < 1e-9 && length >= 0.5 * last) {
            break;
        }
        last = length;
    }
    let n = z.fixed_rows::<3>(3).into_owned().try_normalize(0.0)?;
    let q = (z.fixed_rows::<3>(0) + n * grow_b) * unit;
    Some(touch(q, n, (z[6] - (grow_a + grow_b)) * unit))
}

/// As [`solve`], for a start near the answer; none if it is not reached.
pub(super) fn follow(
    pair: &Pair,
    pieces: (&Candidate, &Candidate),
    unit: f64,
    start: &Start,
) -> Option<Touch> {
    let touch = solve(pair, pieces, unit, start)?;
    if flat(pair, pieces.0, pieces.1, unit).is_some() {
        return Some(touch);
    }
    let (grow_a, grow_b) = (pieces.0.grow, pieces.1.grow);
    let mut z = Vector7::zeros();
    z.fixed_rows_mut::<3>(0).copy_from(&(touch.q / unit - touch.n * grow_b));
    z.fixed_rows_mut::<3>(3).copy_from(&touch.n);
    z[6] = touch.gap / unit + (grow_a + grow_b);
    let left = step(pair, &(pair.t / unit), (&pieces.0.patch, &pieces.1.patch), &z).amax();
    (left <= REACHED).then_some(touch)
}

/// The pair of points of a plane and a smooth surface.
fn flat(pair: &Pair, a: &Candidate, b: &Candidate, unit: f64) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
    match (&a.patch, &b.patch) {
        (Patch::Smooth(_) | Patch::Placed(_), Patch::Plane(c, m)) => {
            let p = pair.support_a(&-m);
            let gap = m.dot(&(p - c * unit));
            Some((p - m * gap, *m, gap))
        }
        (Patch::Plane(c, m), Patch::Smooth(_) | Patch::Placed(_)) => {
            let n = -(pair.r * m);
            let q = pair.b.support_point(&n);
            let gap = n.dot(&(pair.t + pair.r * (c * unit) - q));
            Some((q, n, gap))
        }
        _ => None,
    }
}

/// Newton's step for eq. (1) to (3).
fn step(pair: &Pair, t: &Vector3<f64>, (a, b): (&Patch, &Patch), z: &Vector7) -> Vector7 {
    let (q, n, c) = (z.fixed_rows::<3>(0).into_owned(), z.fixed_rows::<3>(3).into_owned(), z[6]);
    let back = pair.r.transpose();
    let of_a = a.equations(&(back * (q + n * c - t)), &-(back * n));
    let of_b = b.equations(&q, &n);
    let (dx, dw) = (of_a.dx * back, of_a.dw * back);
    let (mut m, mut right) = (Matrix7::zeros(), Vector7::zeros());
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&dx);
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&(dx * c - dw));
    m.fixed_view_mut::<3, 1>(0, 6).copy_from(&(dx * n));
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&of_b.dx);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&of_b.dw);
    m.fixed_view_mut::<1, 3>(6, 3).copy_from(&n.transpose());
    right.fixed_rows_mut::<3>(0).copy_from(&-of_a.value);
    right.fixed_rows_mut::<3>(3).copy_from(&-of_b.value);
    right[6] = 0.5 * (1.0 - n.norm_squared());
    eliminate(m, right)
}

/// Solves a linear system by elimination with complete pivoting; what it does not determine is left at zero.
fn eliminate(mut m: Matrix7, mut right: Vector7) -> Vector7 {
    let (mut columns, mut rank, mut first) = ([0, 1, 2, 3, 4, 5, 6], 7, 0.0);
    for k in 0..7 {
        let (i, j) = m.view_range(k.., k..).iamax_full();
        let (i, j) = (i + k, j + k);
        let pivot = m[(i, j)];
        if k == 0 {
            first = pivot.abs();
        }
        if pivot.abs() <= RANK * first {
            rank = k;
            break;
        }
        m.swap_rows(k, i);
        right.swap_rows(k, i);
        m.swap_columns(k, j);
        columns.swap(k, j);
        for row in k + 1..7 {
            let factor = m[(row, k)] / pivot;
            for column in k + 1..7 {
                m[(row, column)] -= factor * m[(k, column)];
            }
            right[row] -= factor * right[k];
        }
    }
    let mut x = Vector7::zeros();
    for k in (0..rank).rev() {
        let known: f64 = (k + 1..rank).map(|j| m[(k, j)] * x[columns[j]]).sum();
        x[columns[k]] = (right[k] - known) / m[(k, k)];
    }
    x
}
