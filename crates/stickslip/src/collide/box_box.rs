//! Contact of two boxes in space.
//!
//! The separation along a unit vector n is `s(n) = min_b n·x − max_a n·x`. Its maximum s* over the 15 candidate axes
//! (`box_axes.rs`) is minus the penetration depth when the boxes overlap, and a lower bound on the distance when they
//! do not. Along a chosen axis the face of one box, the reference, and the facing face of the other, the incident
//! one, overlap in a polygon of at most 8 corners (`box_clip.rs`): the manifold. All its points share the axis as
//! their normal and are pairs of surface points along it; let g be the least of their gaps.
//!
//! The rule:
//! 1. An axis is admitted if its separation is within 1e-6 of the smaller box's size of s*. Admitted axes are tried in
//!    the order face of a, face of b, pair of edges, so that rounding cannot flip the manifold of nearly parallel
//!    faces.
//! 2. The first with `g = s*` (to rounding) is the answer. For separated boxes this proves the distance, which lies
//!    between s* and g: contacts of a vertex and a face or of two edges, flat stacks included, end here.
//! 3. If there is none and the boxes are apart, the closest features are vertex–vertex or vertex–edge: the one contact
//!    is the exact closest pair (`box_closest.rs`), its normal along the difference.
//! 4. If there is none and they overlap, two corners pass each other: the manifold of the best axis, and the deepest
//!    point along it, so that the least gap is the penetration depth.
//!
//! What follows from it: the least gap is the true distance (to rounding; to 1e-9 of the smaller box's size when two
//! corners pass closer than that, where the normal is the axis). Under the preference of (1) nearly parallel faces at
//! an angle up to 1e-6 have normals off by that angle and gaps by its square. A contact of two edges at a small angle
//! to flat also reports the other corners of the overlap within reach, so a rocking box finds its next support in time.
//! Gap rates are exact for reference-face contacts at incident vertices, for edge pairs and closest pairs; the other
//! corners slide along both surfaces, to first order in the angle between the faces.
//!
//! Feature: `27 code_a + code_b` of the touching features (`box_point.rs`): a vertex on a face, an edge across an edge.

use super::box_axes::{self, Axis};
use super::box_clip::{self, Corner, Manifold};
use super::box_point::{SPATIAL_CODES, digit, feature};
use super::{ContactPoint, box_closest};
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector3};

/// A box's half extents and its placement.
pub(super) type Placed<'a> = (&'a [f64; 3], &'a SpatialPose);

/// Slack, relative to the sum of the sizes, for sums of coordinates that are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// Two boxes in the frame of the first.
#[derive(Clone, Copy)]
pub(super) struct Relative {
    /// Half extents of the first box.
    pub half_a: Vector3<f64>,
    /// Half extents of the second box.
    pub half_b: Vector3<f64>,
    /// Rotation from the second box's frame to the first's.
    pub r: Matrix3<f64>,
    /// Centre of the second box.
    pub t: Vector3<f64>,
    /// The greatest half extent of the smaller box, the length that tolerances refer to.
    pub size: f64,
}

impl Relative {
    fn new((half_a, a): Placed, (half_b, b): Placed) -> Self {
        let (half_a, half_b) = (Vector3::from(*half_a), Vector3::from(*half_b));
        let size = half_a.max().min(half_b.max());
        Self { half_a, half_b, r: a.r.tr_mul(&b.r), t: a.r.tr_mul(&(b.p - a.p)), size }
    }

    /// The same two boxes in the frame of the second.
    fn swapped(&self) -> Self {
        let r = self.r.transpose();
        Self { half_a: self.half_b, half_b: self.half_a, t: -(r * self.t), r, size: self.size }
    }
}

/// Appends the contact points of two boxes with a gap of at most `reach`.
pub(super) fn collide(a: Placed, b: Placed, reach: f64, out: &mut Vec<ContactPoint>) {
    let boxes = Relative::new(a, b);
    let rounding = ROUNDING * (boxes.half_a.sum() + boxes.half_b.sum());
    let Some(axes) = box_axes::separate(&boxes, reach, rounding) else { return };
    let mut best = None;
    for axis in axes.admitted(boxes.size) {
        let view = if axis.on_b { boxes.swapped() } else { boxes };
        let manifold = box_clip::manifold(&view, &axis.normal);
        let reference = if axis.on_b { b.1 } else { a.1 };
        let other = if axis.on_b { a.1 } else { b.1 };
        let writer = Writer { reference, other, normal: reference.r * axis.normal, on_b: axis.on_b, reach };
        if (manifold.least_gap() - axes.best).abs() <= rounding {
            writer.push_corners(&manifold, manifold.corners().iter(), out);
            return;
        }
        if best.as_ref().is_none_or(|(.., other): &(_, _, _, Axis)| axis.separation > other.separation) {
            best = Some((writer, manifold, view, axis));
        }
    }
    let apart = if axes.best > 0.0 { box_closest::pair(&boxes) } else { None };
    if let Some(pair) = apart {
        let writer = Writer { reference: a.1, other: b.1, normal: a.1.r * pair.normal, on_b: false, reach };
        writer.push(&pair.point, pair.gap, (pair.code_a, pair.code_b), out);
    } else if let Some((writer, manifold, view, axis)) = best {
        let (point, codes) = deepest(&view, &axis);
        // Corners below the separation were let in by the clipping tolerance alone.
        let above = |corner: &&Corner| corner.gap > axis.separation + rounding;
        writer.push_corners(&manifold, manifold.corners().iter().filter(above), out);
        writer.push(&point, axis.separation, codes, out);
    }
}

/// The incident box's deepest point along the axis, carried by the separation onto the reference plane, and the codes
/// of reference and incident features. For a pair of edges it is the point closest to the reference edge's line. The
/// boxes are given reference first.
fn deepest(boxes: &Relative, axis: &Axis) -> (Vector3<f64>, (u64, u64)) {
    let towards = -boxes.r.tr_mul(&axis.normal);
    let (point, codes) = match axis.edges {
        None => {
            let (corner, code) = support(&towards, &boxes.half_b, None);
            (boxes.t + boxes.r * corner, (box_clip::face_code(&axis.normal), code))
        }
        Some((i, j)) => {
            let (middle_a, code_a) = support(&axis.normal, &boxes.half_a, Some(i));
            let (middle_b, code_b) = support(&towards, &boxes.half_b, Some(j));
            let middle_b = boxes.t + boxes.r * middle_b;
            let (_, y) = box_closest::line_parameters(&boxes.r, (i, j), &(middle_b - middle_a));
            let y = y.min(boxes.half_b[j]).max(-boxes.half_b[j]);
            (middle_b + boxes.r.column(j) * y, (code_a, code_b))
        }
    };
    (point - axis.normal * axis.separation, codes)
}

/// The corner of a box farthest along n and its code, or the middle of the farthest edge along an axis.
fn support(n: &Vector3<f64>, half: &Vector3<f64>, edge: Option<usize>) -> (Vector3<f64>, u64) {
    let (mut point, mut code) = (Vector3::zeros(), 0);
    for k in (0..3).filter(|&k| Some(k) != edge) {
        point[k] = half[k].copysign(n[k]);
        code += digit(k, point[k]);
    }
    (point, code)
}

/// Turns points in the reference box's frame into contact points.
struct Writer<'a> {
    reference: &'a SpatialPose,
    other: &'a SpatialPose,
    /// From the reference box to the other, in the world.
    normal: Vector3<f64>,
    /// True when the reference is body b.
    on_b: bool,
    reach: f64,
}

impl Writer<'_> {
    fn push_corners<'a>(
        &self,
        manifold: &Manifold,
        corners: impl Iterator<Item = &'a Corner>,
        out: &mut Vec<ContactPoint>,
    ) {
        for corner in corners {
            self.push(&manifold.on_reference(corner), corner.gap, manifold.codes(corner), out);
        }
    }

    /// Appends the contact at a point of the reference box; `codes` are those of reference and other box.
    fn push(&self, point: &Vector3<f64>, gap: f64, codes: (u64, u64), out: &mut Vec<ContactPoint>) {
        if gap > self.reach {
            return;
        }
        let on_reference = self.reference.p + self.reference.r * point;
        let on_other = on_reference + self.normal * gap;
        let of = |code: u64, pose: &SpatialPose| feature::<3>(code, |k| pose.r.column(k).into());
        let (first, second) = (of(codes.0, self.reference), of(codes.1, self.other));
        out.push(if self.on_b {
            let (feature, features) = (SPATIAL_CODES * codes.1 + codes.0, [second, first]);
            ContactPoint { p_a: on_other, p_b: on_reference, normal: self.normal, gap, feature, features }
        } else {
            let (feature, features) = (SPATIAL_CODES * codes.0 + codes.1, [first, second]);
            ContactPoint { p_a: on_reference, p_b: on_other, normal: -self.normal, gap, feature, features }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    /// Two unit cubes stacked with offset, tilt, yaw and gap of every magnitude.
    fn nearly_aligned(mut check: impl FnMut(&SpatialPose, &SpatialPose, f64)) {
        let mut seed = 1u64;
        let mut uniform = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for _ in 0..20_000 {
            let mut some = || uniform() * 10f64.powf(8.0 * uniform() - 8.0);
            let turn = Vector3::from_fn(|_, _| some());
            let offset = Vector3::new(some(), some(), 2.0 + some().abs());
            let r = Rotation3::from_scaled_axis(Vector3::from_fn(|_, _| 3.0 * some())).into_inner();
            let b = SpatialPose { p: Vector3::zeros(), r };
            let a = SpatialPose { p: r * offset, r: r * Rotation3::from_scaled_axis(turn).into_inner() };
            check(&a, &b, turn.amax());
        }
    }

    #[test]
    fn the_least_gap_of_nearly_aligned_cubes_is_their_distance() {
        let (half, mut apart) = ([1.0; 3], 0);
        nearly_aligned(|a, b, _| {
            let mut out = Vec::new();
            collide((&half, a), (&half, b), f64::INFINITY, &mut out);
            let gap = out.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            let boxes = Relative::new((&half, a), (&half, b));
            let axes = box_axes::separate(&boxes, f64::INFINITY, 0.0).map_or(f64::NAN, |axes| axes.best);
            if let (true, Some(pair)) = (axes > 1e-9, box_closest::pair(&boxes)) {
                assert!((pair.gap - gap).abs() < 1e-11, "{} {gap}", pair.gap);
                apart += 1;
            }
            assert!(gap >= axes - 1e-9, "{gap} {axes}");
        });
        assert!(apart > 5_000, "{apart}");
    }

    #[test]
    fn flat_contact_of_nearly_aligned_cubes_has_at_least_three_points() {
        let half = [1.0; 3];
        nearly_aligned(|a, b, turn| {
            let mut out = Vec::new();
            collide((&half, a), (&half, b), f64::INFINITY, &mut out);
            let gap = out.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            assert!(out.len() >= 3 || turn > 1e-2 || gap > 1e-2, "{} {gap} {turn} {a:?} {b:?}", out.len());
        });
    }
}
