//! A point and a box, in the box's frame; and the numbering of a box's features.
//!
//! The box is `|x_k| <= h_k`. Its closest point to q is the clamp of q, so the difference `e = q − clamp(q)` is zero on
//! every axis where q lies between the faces: one axis out is a face region, two an edge, three a vertex. A feature's
//! code is its digits in base 3, axis k worth 3^k: 0 where the feature extends along the axis, 1 on the negative face,
//! 2 on the positive. In space 27 codes (0 the inside), in the plane 9.

use super::Feature;
use nalgebra::{SVector, Vector3};

/// How many codes the features of a spatial box have.
pub(super) const SPATIAL_CODES: u64 = 27;
/// How many codes the features of a planar box have.
pub(super) const PLANAR_CODES: u64 = 9;

/// Where a point lies relative to a box's surface.
pub(super) struct Closest<const D: usize> {
    /// The closest point of the box's surface.
    pub point: SVector<f64, D>,
    /// The outward unit normal there, towards the query point if that is outside.
    pub normal: SVector<f64, D>,
    /// Distance from the surface, negative inside.
    pub distance: f64,
    /// Code of the closest feature.
    pub code: u64,
}

/// The digit of a code: the face of `axis` on the side of `sign`.
pub(super) fn digit(axis: usize, sign: f64) -> u64 {
    [1, 3, 9][axis] * if sign > 0.0 { 2 } else { 1 }
}

/// The sign with which corner number `index` (bit k for axis k) lies on an axis.
pub(super) fn corner_sign(index: usize, axis: usize) -> f64 {
    if index >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

/// Corner number `index` of a box, in its frame.
pub(super) fn corner<const D: usize>(index: usize, half: &SVector<f64, D>) -> SVector<f64, D> {
    SVector::from_fn(|k, _| corner_sign(index, k) * half[k])
}

/// The code of corner number `index`.
pub(super) fn corner_code<const D: usize>(index: usize) -> u64 {
    (0..D).map(|k| digit(k, corner_sign(index, k))).sum()
}

/// The first axis of greatest magnitude; a later axis must beat it by 1e-6, so that rounding cannot choose.
pub(super) fn dominant<const D: usize>(v: &SVector<f64, D>) -> usize {
    (1..D).fold(0, |best, k| if v[k].abs() > v[best].abs() + 1e-6 { k } else { best })
}

/// What the feature of a code is, of a box in the plane (two axes) or in space; `along` turns an axis into a direction
/// of the world.
pub(super) fn feature<const D: usize>(code: u64, along: impl Fn(usize) -> Vector3<f64>) -> Feature {
    let free = |k: &usize| code / [1, 3, 9][*k] % 3 == 0;
    match (0..D).filter(free).count() {
        0 => Feature::Point(0.0),
        1 if D == 3 => Feature::Line((0..D).find(free).map_or_else(Vector3::zeros, along), 0.0),
        _ => Feature::Face,
    }
}

/// A unit vector and a length; none for a zero or not finite vector.
pub(super) fn direction<const D: usize>(v: &SVector<f64, D>) -> Option<(SVector<f64, D>, f64)> {
    let square = v.norm_squared();
    if square > f64::MIN_POSITIVE / f64::EPSILON && square < f64::MAX {
        let length = square.sqrt();
        return Some((v / length, length));
    }
    // The square under- or overflows: scale first.
    let largest = v.amax();
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let scaled = v / largest;
    let length = scaled.norm();
    Some((scaled / length, length * largest))
}

/// The closest point of a box's surface to the point q. Inside, the nearest face counts (the first of equals, the
/// positive one at the centre); the normal of a face region is an exact unit vector, at whatever distance.
pub(super) fn closest<const D: usize>(q: &SVector<f64, D>, half: &SVector<f64, D>) -> Closest<D> {
    let mut point = *q;
    let (mut code, mut axis, mut axes_out) = (0, 0, 0);
    for k in 0..D {
        // Not `clamp`, which panics when the half extent is not a number.
        if q[k].abs() > half[k] {
            point[k] = half[k].copysign(q[k]);
            code += digit(k, q[k]);
            axis = k;
            axes_out += 1;
        }
    }
    if axes_out > 1
        && let Some((normal, distance)) = direction(&(q - point))
    {
        return Closest { point, normal, distance, code };
    }
    if axes_out == 0 {
        axis = (1..D)
            .fold(0, |best, k| if q[k].abs() - half[k] > q[best].abs() - half[best] { k } else { best });
    }
    let sign = if q[axis] < 0.0 { -1.0 } else { 1.0 };
    point[axis] = sign * half[axis];
    let mut normal = SVector::zeros();
    normal[axis] = sign;
    Closest { point, normal, distance: q[axis].abs() - half[axis], code: digit(axis, sign) }
}
