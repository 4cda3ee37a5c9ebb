//! Contact of two boxes in the plane.
//!
//! The plane's version of `box_box.rs`, and its rule. The separation s along the four face normals, in the frame of box
//! a with half extents h of a and k of b:
//!
//! (1) `s = |t_i| − h_i − sum_j |R_ij| k_j`, and the same in b's frame;
//!
//! its maximum is s*. A reference face and the other box's edge most opposed to it, clipped to the face's width, give
//! up to two contacts, each the clipped point and its projection onto the face; g is the lesser gap.
//!
//! 1. The best faces of a and of b are admitted if within 1e-6 of the smaller box's size of s*, a's first, so that
//!    rounding cannot flip the manifold of nearly parallel faces.
//! 2. The first with `g = s*` (to rounding) is the answer: for boxes apart it proves the distance, between s* and g.
//! 3. If none and the boxes are apart, two vertices are closest: they are the one contact, its normal along the
//!    difference.
//! 4. If none and they overlap, two corners pass each other: the clipped contacts of the best face, and the deepest
//!    vertex.
//!
//! A corner within 1e-9 of the smaller box's size of a side counts as inside. Feature: `9 code_a + code_b` of the
//! touching features (`box_point.rs`): a vertex on a face (of either box), or two vertices.

use super::ContactPoint;
use super::box_point::{PLANAR_CODES, closest, corner, corner_code, digit, dominant};
use super::planar::{contact, in_plane};
use crate::body::planar::PlanarPose;
use nalgebra::{Matrix2, Vector2};

/// A box's half extents and its placement.
pub(super) type Placed<'a> = (&'a [f64; 2], &'a PlanarPose);

/// How much better b's face has to be, relative to the smaller box's size.
const PREFERENCE: f64 = 1e-6;
/// How far outside a side, relative to the smaller box's size, a corner counts as inside.
const SIDE: f64 = 1e-9;
/// Slack, relative to the sum of the sizes, for sums of coordinates that are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// Two boxes in the frame of the first.
struct Relative {
    half_a: Vector2<f64>,
    half_b: Vector2<f64>,
    /// Rotation from the second box's frame to the first's.
    r: Matrix2<f64>,
    /// Centre of the second box.
    t: Vector2<f64>,
}

/// A contact in the first box's frame: its point, the gap along the outward normal, the codes of the features.
#[derive(Clone, Copy, Default)]
struct Touch {
    point: Vector2<f64>,
    gap: f64,
    codes: (u64, u64),
}

impl Relative {
    fn new((half_a, a): Placed, (half_b, b): Placed) -> Self {
        let (cos, sin) = (a.cos * b.cos + a.sin * b.sin, a.cos * b.sin - a.sin * b.cos);
        let t = a.unrotate(b.p - a.p);
        Self { half_a: (*half_a).into(), half_b: (*half_b).into(), r: Matrix2::new(cos, -sin, sin, cos), t }
    }

    /// The best face of the first box, eq. (1): outward normal and separation; the first face unless the second is
    /// better by more than rounding.
    fn best_face(&self, rounding: f64) -> (Vector2<f64>, f64) {
        let s = self.t.abs() - self.half_a - self.r.abs() * self.half_b;
        let i = if s[1] > s[0] + rounding { 1 } else { 0 };
        let mut normal = Vector2::zeros();
        normal[i] = if self.t[i] < 0.0 { -1.0 } else { 1.0 };
        (normal, s[i])
    }

    /// The other box's edge that faces the normal, clipped to the width of the face.
    fn clipped(&self, normal: &Vector2<f64>, tolerance: f64) -> ([Touch; 2], usize) {
        let i = dominant(normal);
        let (u, h) = (1 - i, &self.half_a);
        let m = self.r.tr_mul(normal);
        let k = dominant(&m);
        let facing = if m[k] > 0.0 { 0 } else { 1 << k };
        let ends = [facing, facing | 1 << (1 - k)].map(|index| {
            let x = self.t + self.r * corner(index, &self.half_b);
            let gap = normal[i] * x[i] - h[i];
            Touch { point: x - normal * gap, gap, codes: (digit(i, normal[i]), corner_code::<2>(index)) }
        });
        let (mut touches, mut count) = ([Touch::default(); 2], 0);
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let side = if end.point[u] < 0.0 { -1.0 } else { 1.0 };
            let (here, there) = (side * end.point[u] - h[u], side * other.point[u] - h[u]);
            touches[count] = if here <= tolerance {
                end
            } else if there <= -tolerance {
                let s = here / (here - there);
                let mut point = end.point + (other.point - end.point) * s;
                point[u] = side * h[u];
                // A vertex of the reference face under the inside of the edge.
                let codes = (end.codes.0 + digit(u, side), digit(k, if facing == 0 { -1.0 } else { 1.0 }));
                Touch { point, gap: end.gap + s * (other.gap - end.gap), codes }
            } else {
                continue;
            };
            count += 1;
        }
        (touches, count)
    }

    /// The first box's face and the second's deepest vertex.
    fn deepest(&self, normal: &Vector2<f64>, separation: f64) -> Touch {
        let (i, m) = (dominant(normal), self.r.tr_mul(normal));
        let index = (0..2).filter(|&k| m[k] < 0.0).map(|k| 1 << k).sum();
        let point = self.t + self.r * corner(index, &self.half_b) - normal * separation;
        Touch { point, gap: separation, codes: (digit(i, normal[i]), corner_code::<2>(index)) }
    }

    /// The second box's vertex closest to the first box: the contact and the normal away from the first box.
    fn closest_vertex(&self) -> (Touch, Vector2<f64>) {
        let vertices = (0..4).map(|index| {
            let near = closest(&(self.t + self.r * corner(index, &self.half_b)), &self.half_a);
            let codes = (near.code, corner_code::<2>(index));
            (Touch { point: near.point, gap: near.distance, codes }, near.normal)
        });
        let none = (Touch { gap: f64::INFINITY, ..Touch::default() }, Vector2::y());
        vertices.fold(none, |best, next| if next.0.gap < best.0.gap { next } else { best })
    }
}

/// Appends the contact points of two boxes with a gap of at most `reach`.
pub(super) fn collide(a: Placed, b: Placed, reach: f64, out: &mut Vec<ContactPoint>) {
    let views = [(Relative::new(a, b), a.1, false), (Relative::new(b, a), b.1, true)];
    let (half_a, half_b) = (&views[0].0.half_a, &views[1].0.half_a);
    let size = half_a.max().min(half_b.max());
    let rounding = ROUNDING * (half_a.sum() + half_b.sum());
    let faces = [0, 1].map(|v| views[v].0.best_face(rounding));
    let best = faces[0].1.max(faces[1].1);
    if best > reach {
        return;
    }
    let mut deeper = None;
    for ((boxes, pose, on_b), (normal, separation)) in views.iter().zip(faces) {
        if separation < best - PREFERENCE * size {
            continue;
        }
        let writer = Writer { reference: pose, normal: pose.rotate(normal), on_b: *on_b, reach };
        let (touches, count) = boxes.clipped(&normal, SIDE * size);
        let least = touches[..count].iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
        if (least - best).abs() <= rounding {
            writer.push(&touches[..count], out);
            return;
        }
        if separation == best {
            deeper.get_or_insert((writer, touches, count, boxes.deepest(&normal, separation)));
        }
    }
    let vertices = [0, 1].map(|v| views[v].0.closest_vertex());
    let v = if vertices[1].0.gap < vertices[0].0.gap { 1 } else { 0 };
    if best > 0.0 && vertices[v].0.gap > 0.0 {
        let (_, reference, on_b) = views[v];
        let writer = Writer { reference, normal: reference.rotate(vertices[v].1), on_b, reach };
        writer.push(&[vertices[v].0], out);
    } else if let Some((writer, touches, count, deepest)) = deeper {
        writer.push(&touches[..count], out);
        writer.push(&[deepest], out);
    }
}

/// Turns contacts in the reference box's frame into contact points.
struct Writer<'a> {
    reference: &'a PlanarPose,
    /// From the reference box to the other, in the world.
    normal: Vector2<f64>,
    /// True when the reference is body b.
    on_b: bool,
    reach: f64,
}

impl Writer<'_> {
    fn push(&self, touches: &[Touch], out: &mut Vec<ContactPoint>) {
        for touch in touches.iter().filter(|touch| touch.gap <= self.reach) {
            let on_reference = self.reference.p + self.reference.rotate(touch.point);
            let on_other = on_reference + self.normal * touch.gap;
            let (reference, other) = touch.codes;
            let [first, second] = [in_plane(reference), in_plane(other)];
            out.push(if self.on_b {
                let named = (PLANAR_CODES * other + reference, [second, first]);
                contact([on_other, on_reference], self.normal, touch.gap, named)
            } else {
                let named = (PLANAR_CODES * reference + other, [first, second]);
                contact([on_reference, on_other], -self.normal, touch.gap, named)
            });
        }
    }
}
