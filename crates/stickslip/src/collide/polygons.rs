//! Contact of convex polygons with rounded edges: polygons, boxes, and capsules, whose core is a segment.
//!
//! A shape is a core, a convex polygon of at least two vertices, grown by a radius (zero for polygons). The separation
//! along the outward normal n_i of edge i of a core, v_i on it, from the other core's vertices x_k is
//!
//! (1) `s_i = min_k n_i · (x_k − v_i)`;
//!
//! its maximum over the edges of both cores is s*. The rule is that of `rectangles.rs`: the other core's edge most
//! opposed to an edge, clipped to its width, gives up to two contacts; g is the least of their gaps.
//!
//! 1. The best edges of a and of b are admitted if within 1e-6 of the smaller core's size of s*, a's first.
//! 2. The first with `g = s*` (to rounding) is the answer: it proves the distance, which lies between s* and g.
//! 3. If none and the cores are apart, two vertices are closest.
//! 4. If none and they overlap, the clipped contacts of the best edge, and the deepest vertex.
//!
//! Then every point moves out along the normal by its shape's radius, and the gap is less by both radii. So the
//! distance is exact at any gap and any penetration, and a capsule flat on an edge rests on two points. A segment is a
//! polygon of two edges with opposite normals; two segments on one line are apart though s* = 0, which (3) allows for.
//!
//! A piece of an outline or polyline (`shape/planar/outline.rs`) is such a core; what would touch one of its inner
//! edges, or a vertex where another piece is closer, is left out. [`collide_toward`] finds the contacts that a step
//! relies on (`branch.rs`).
//!
//! Cores of many vertices cost as many steps, not their square: supports are looked for from the last one on
//! (`view.rs`).
//!
//! Vertex i has the code 2i, the edge from it to the next 2i + 1. Feature: `2 n_b code_a + code_b`, n_b the number of
//! vertices of b's core.

mod core;
mod toward;
mod view;

pub(super) use core::{Core, Room};
pub(super) use toward::{collide_toward, has_choice};

use super::ContactPoint;
use super::planar::contact;
use crate::body::planar::PlanarPose;
use nalgebra::Vector2;
use view::{Touch, View};

/// How much better b's edge has to be, relative to the smaller core's size.
const PREFERENCE: f64 = 1e-6;
/// How far outside a side, relative to the smaller core's size, a corner counts as inside.
const SIDE: f64 = 1e-9;
/// Slack, relative to the sum of the sizes, for sums of coordinates that are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// Appends the contact points of two rounded polygons with a gap of at most `reach`.
pub(super) fn collide(
    a: (Core, &PlanarPose),
    b: (Core, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let views = [(View::new(a, b), a.1, false), (View::new(b, a), b.1, true)];
    let (size_a, size_b) = (a.0.size(), b.0.size());
    let (size, rounding) = (size_a.min(size_b), ROUNDING * (size_a + size_b));
    let mut edges = [0, 1].map(|v| views[v].0.best_edge(rounding, true));
    if (0..2).any(|v| views[v].0.a.is_inner(edges[v].0)) {
        let real = [0, 1].map(|v| views[v].0.best_edge(rounding, false));
        let apart = edges[0].1.max(edges[1].1);
        if apart > rounding && apart > real[0].1.max(real[1].1) + rounding {
            return; // another piece lies in between
        }
        edges = real;
    }
    let best = edges[0].1.max(edges[1].1);
    if best - (a.0.radius + b.0.radius) > reach {
        return;
    }
    let mut deeper = None;
    for ((view, pose, on_b), (edge, separation)) in views.iter().zip(edges) {
        if separation < best - PREFERENCE * size {
            continue;
        }
        let normal = view.a.normals[edge];
        let writer = Writer { view, reference: pose, normal, on_b: *on_b, reach, closest: false };
        let (touches, count) = view.clipped(edge, SIDE * size);
        let least = touches[..count].iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
        if (least - best).abs() <= rounding {
            writer.push(&touches[..count], out);
            return;
        }
        if separation == best {
            deeper.get_or_insert((writer, touches, count, view.deepest(edge)));
        }
    }
    let thin = a.0.vertices.len() == 2 || b.0.vertices.len() == 2;
    let vertices = [0, 1].map(|v| views[v].0.closest_vertex());
    let v = if vertices[1].0.gap < vertices[0].0.gap { 1 } else { 0 };
    if (best > 0.0 || (thin && best > -rounding)) && vertices[v].0.gap > 0.0 {
        let (view, reference, on_b) = (&views[v].0, views[v].1, views[v].2);
        let writer = Writer { view, reference, normal: vertices[v].1, on_b, reach, closest: true };
        writer.push(&[vertices[v].0], out);
    } else if let Some((writer, touches, count, deepest)) = deeper {
        let clipped = touches[..count].iter().filter(|touch| touch.codes != deepest.codes);
        clipped.for_each(|touch| writer.push(&[*touch], out));
        writer.push(&[deepest], out);
    }
}

/// Turns contacts in the reference core's frame into contact points of the rounded shapes.
struct Writer<'a> {
    view: &'a View<'a>,
    reference: &'a PlanarPose,
    /// From the reference to the other, in the reference's frame.
    normal: Vector2<f64>,
    /// True when the reference is body b.
    on_b: bool,
    reach: f64,
    /// True for the closest points, false for the points of a face.
    closest: bool,
}

impl Writer<'_> {
    fn push(&self, touches: &[Touch], out: &mut Vec<ContactPoint>) {
        let (reference, other) = (&self.view.a, &self.view.b);
        let normal = self.reference.rotate(self.normal);
        let back = -self.view.pose.unrotate(self.normal);
        for touch in touches {
            let gap = touch.gap - (reference.radius + other.radius);
            let admitted = reference.admits(touch.codes.0, &self.normal, self.closest)
                && other.admits(touch.codes.1, &back, self.closest);
            if gap > self.reach || !admitted {
                continue;
            }
            let on_core = self.reference.p + self.reference.rotate(touch.point);
            let on_reference = on_core + normal * reference.radius;
            let on_other = on_core + normal * (touch.gap - other.radius);
            let codes = touch.codes;
            let features = [reference.feature(codes.0), other.feature(codes.1)];
            out.push(if self.on_b {
                let stride = 2 * reference.vertices.len() as u64;
                contact(
                    [on_other, on_reference],
                    normal,
                    gap,
                    (stride * codes.1 + codes.0, [features[1], features[0]]),
                )
            } else {
                let stride = 2 * other.vertices.len() as u64;
                contact([on_reference, on_other], -normal, gap, (stride * codes.0 + codes.1, features))
            });
        }
    }
}
