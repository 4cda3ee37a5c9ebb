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
//!    the order face of a, face of b, pair of edges, so that rounding cannot flip the manifold of nearly parallel faces.
//! 2. The first with `g <= s*` (to rounding) is the answer. For separated boxes this proves the distance, which lies
//!    between s* and g: contacts of a vertex and a face or of two edges, flat stacks included, end here.
//! 3. If there is none and the boxes are apart, the closest features are vertex–vertex or vertex–edge: the one contact
//!    is the exact closest pair (`box_closest.rs`), its normal along the difference.
//! 4. If there is none and they overlap, two corners pass each other: the manifold of the first admitted axis, and the
//!    deepest vertex along it, so that the least gap is the penetration depth.
//!
//! What follows from it: the least gap is the true distance (to rounding; to 1e-9 of the smaller box's size when two
//! corners pass closer than that, where the normal is the axis). Under the preference of (1) nearly parallel faces at an
//! angle up to 1e-6 have normals off by that angle and gaps by its square. A contact of two edges at a small angle to
//! flat also reports the other corners of the overlap within reach, so a rocking box finds its next support in time.
//! Gap rates are exact for reference-face contacts at incident vertices, for edge pairs and closest pairs; the other
//! corners slide along both surfaces, to first order in the angle between the faces.
//!
//! Feature: `27 code_a + code_b` of the touching features (`box_point.rs`): a vertex on a face, an edge across an edge.

use super::box_clip::{self, Manifold};
use super::box_point::{SPATIAL_CODES, corner, corner_code};
use super::{ContactPoint, box_axes, box_closest};
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector3};

/// A box's half extents and its placement.
pub(super) type Placed<'a> = (&'a [f64; 3], &'a SpatialPose);

/// Slack, relative to the sum of the sizes, for sums of coordinates that are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// Two boxes in the frame of the first.
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
    let Some(axes) = box_axes::separate(&boxes, reach) else { return };
    let proven = axes.best + ROUNDING * (boxes.half_a.sum() + boxes.half_b.sum());
    let mut first = None;
    for axis in axes.admitted(boxes.size) {
        let swapped = axis.on_b.then(|| boxes.swapped());
        let manifold = box_clip::manifold(swapped.as_ref().unwrap_or(&boxes), &axis.normal);
        let reference = if axis.on_b { b.1 } else { a.1 };
        let writer = Writer { reference, normal: reference.r * axis.normal, on_b: axis.on_b, reach };
        if manifold.least_gap() <= proven {
            writer.push_manifold(&manifold, out);
            return;
        }
        first.get_or_insert((writer, manifold, axis));
    }
    let apart = if axes.best > 0.0 { box_closest::pair(&boxes) } else { None };
    match (apart, first) {
        (Some(pair), _) => {
            let writer = Writer { reference: a.1, normal: a.1.r * pair.normal, on_b: false, reach };
            writer.push(&pair.point, pair.gap, (pair.code_a, pair.code_b), out);
        }
        (None, Some((writer, manifold, axis))) => {
            writer.push_manifold(&manifold, out);
            let deepest = if axis.on_b { deepest(&boxes.swapped(), &axis) } else { deepest(&boxes, &axis) };
            writer.push(&deepest.0, axis.separation, deepest.1, out);
        }
        (None, None) => {}
    }
}

/// The incident box's deepest vertex, carried along the axis by the separation onto the reference plane, and the
/// codes of reference face and vertex. The boxes are given reference first.
fn deepest(boxes: &Relative, axis: &box_axes::Axis) -> (Vector3<f64>, (u32, u32)) {
    let towards = boxes.r.tr_mul(&axis.normal);
    let index = (0..3).filter(|&k| towards[k] < 0.0).map(|k| 1 << k).sum();
    let vertex = boxes.t + boxes.r * corner(index, &boxes.half_b);
    (vertex - axis.normal * axis.separation, (box_clip::face_code(&axis.normal), corner_code::<3>(index)))
}

/// Turns points in the reference box's frame into contact points.
struct Writer<'a> {
    reference: &'a SpatialPose,
    /// From the reference box to the other, in the world.
    normal: Vector3<f64>,
    /// True when the reference is body b.
    on_b: bool,
    reach: f64,
}

impl Writer<'_> {
    fn push_manifold(&self, manifold: &Manifold, out: &mut Vec<ContactPoint>) {
        for corner in manifold.corners() {
            self.push(&manifold.on_reference(corner), corner.gap, manifold.codes(corner), out);
        }
    }

    /// Appends the contact at a point of the reference box; `codes` are those of reference and other box.
    fn push(&self, point: &Vector3<f64>, gap: f64, codes: (u32, u32), out: &mut Vec<ContactPoint>) {
        if gap > self.reach {
            return;
        }
        let on_reference = self.reference.p + self.reference.r * point;
        let on_other = on_reference + self.normal * gap;
        out.push(if self.on_b {
            let feature = SPATIAL_CODES * codes.1 + codes.0;
            ContactPoint { p_a: on_other, p_b: on_reference, normal: self.normal, gap, feature }
        } else {
            let feature = SPATIAL_CODES * codes.0 + codes.1;
            ContactPoint { p_a: on_reference, p_b: on_other, normal: -self.normal, gap, feature }
        });
    }
}
