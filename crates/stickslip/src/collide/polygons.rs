//! Contact of convex polygons with rounded edges: polygons, boxes, and capsules, whose core is a segment.
//!
//! A shape is a core, a convex polygon of at least two vertices, grown by a radius (zero for polygons). The separation
//! along the outward normal n_i of edge i of a core, v_i on it, from the other core's vertices x_k is
//!
//! (1) `s_i = min_k n_i · (x_k − v_i)`;
//!
//! its maximum over the edges of both cores is s*. The rule is that of `rectangles.rs`: the other core's edge most opposed
//! to an edge, clipped to its width, gives up to two contacts; g is the least of their gaps.
//!
//! 1. The best edges of a and of b are admitted if within 1e-6 of the smaller core's size of s*, a's first.
//! 2. The first with `g = s*` (to rounding) is the answer: it proves the distance, which lies between s* and g.
//! 3. If none and the cores are apart, two vertices are closest.
//! 4. If none and they overlap, the clipped contacts of the best edge, and the deepest vertex.
//!
//! Then every point moves out along the normal by its shape's radius, and the gap is less by both radii. So the distance
//! is exact at any gap and any penetration, and a capsule flat on an edge rests on two points. A segment is a polygon of
//! two edges with opposite normals; two segments on one line are apart though s* = 0, which (3) allows for.
//!
//! A piece of an outline or polyline (`shape/outline.rs`) is such a core; what would touch one of its inner edges, or a vertex
//! where another piece is closer, is left out. [`collide_toward`] finds the contacts that a step relies on (`branch.rs`).
//!
//! Vertex i has the code 2i, the edge from it to the next 2i + 1. Feature: `2 n_b code_a + code_b`, n_b the number of
//! vertices of b's core.

use super::ContactPoint;
use super::box_point::direction;
use super::branch::{self, Course};
use super::planar::contact;
use crate::body::planar::PlanarPose;
use crate::shape::{ConvexPolygon, Piece, PlanarShape};
use nalgebra::Vector2;

/// How much better b's edge has to be, relative to the smaller core's size.
const PREFERENCE: f64 = 1e-6;
/// How far outside a side, relative to the smaller core's size, a corner counts as inside.
const SIDE: f64 = 1e-9;
/// Slack, relative to the sum of the sizes, for sums of coordinates that are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// Slack of the directions in which a vertex touches.
const CONE: f64 = 1e-6;
/// Cosine of the angle between two separating directions from which on they are a choice.
const CHOICE: f64 = 0.95;

/// Room for the vertices and normals of a core that is not stored.
#[derive(Default)]
pub(super) struct Room {
    vertices: [Vector2<f64>; 4],
    normals: [Vector2<f64>; 4],
}

/// A core in its body's frame, with its radius.
#[derive(Clone, Copy)]
pub(super) struct Core<'a> {
    vertices: &'a [Vector2<f64>],
    normals: &'a [Vector2<f64>],
    pub radius: f64,
    /// What a piece of a larger shape knows of the rest.
    piece: Option<&'a Piece>,
}

/// Where a point lies relative to a core's boundary.
pub(super) struct Near {
    pub point: Vector2<f64>,
    /// Outward, towards the point if that is outside.
    pub normal: Vector2<f64>,
    /// Negative inside.
    pub distance: f64,
    pub code: u32,
}

impl<'a> Core<'a> {
    /// The core of a shape; none for discs and half-planes.
    pub fn new(shape: &'a PlanarShape, room: &'a mut Room) -> Option<Core<'a>> {
        let v = Vector2::new;
        let (count, radius) = match shape {
            PlanarShape::Polygon(polygon) => {
                let (vertices, normals) = (polygon.vertices(), polygon.normals());
                return Some(Core { vertices, normals, radius: 0.0, piece: None });
            }
            PlanarShape::Box { half: [x, y] } => {
                room.vertices = [v(-x, -y), v(*x, -y), v(*x, *y), v(-x, *y)];
                room.normals = [v(0.0, -1.0), v(1.0, 0.0), v(0.0, 1.0), v(-1.0, 0.0)];
                (4, 0.0)
            }
            PlanarShape::Capsule { radius, half } => {
                room.vertices[..2].copy_from_slice(&[v(-half, 0.0), v(*half, 0.0)]);
                room.normals[..2].copy_from_slice(&[v(0.0, -1.0), v(0.0, 1.0)]);
                (2, *radius)
            }
            PlanarShape::Disc { .. }
            | PlanarShape::HalfPlane
            | PlanarShape::Compound(_)
            | PlanarShape::Outline(_)
            | PlanarShape::Polyline(_) => return None,
        };
        Some(Core { vertices: &room.vertices[..count], normals: &room.normals[..count], radius, piece: None })
    }

    /// The core of a piece.
    pub fn of_piece(piece: &'a Piece) -> Core<'a> {
        Core { vertices: &piece.vertices, normals: &piece.normals, radius: 0.0, piece: Some(piece) }
    }

    fn is_inner(&self, edge: usize) -> bool {
        self.piece.is_some_and(|piece| piece.inner[edge])
    }

    /// True when a contact at the feature of that code, with the rest of the world in direction d, is one of the whole
    /// shape. `closest`: whether the feature is the closest one, or one of several of a face.
    pub fn admits(&self, code: u32, d: &Vector2<f64>, closest: bool) -> bool {
        let Some(piece) = self.piece else { return true };
        let i = (code / 2) as usize;
        if code % 2 == 1 {
            return !piece.inner[i];
        }
        let [before, after] = piece.beside[i].map(|e| e.map_or(0.0, |e| e.dot(d)));
        let faces = piece.vertices.len() > 2 || !piece.inner[0] || piece.normals[1].dot(d) > -CONE;
        // eq. (1) of `outline.rs`; for a face's end only that the vertex is not reentrant
        faces && if closest { before > -CONE && after < CONE } else { before - after > -CONE }
    }

    /// The vertices with their codes; those that other pieces have too only once.
    pub fn vertices(&self) -> impl Iterator<Item = (Vector2<f64>, u32)> + '_ {
        let owned = |i: usize| self.piece.is_none_or(|piece| piece.owns[i]);
        let all = self.vertices.iter().enumerate().filter(move |(i, _)| owned(*i));
        all.map(|(i, v)| (*v, 2 * i as u32))
    }

    fn next(&self, i: usize) -> usize {
        if i + 1 == self.vertices.len() { 0 } else { i + 1 }
    }

    /// Direction and length of edge i.
    fn along(&self, i: usize) -> (Vector2<f64>, f64) {
        let d = Vector2::new(-self.normals[i].y, self.normals[i].x);
        (d, d.dot(&(self.vertices[self.next(i)] - self.vertices[i])))
    }

    fn size(&self) -> f64 {
        self.vertices.iter().map(Vector2::amax).fold(0.0, f64::max)
    }

    /// The closest point of the boundary to x. Inside, the nearest edge counts; the normal of an edge's region is that
    /// edge's, at whatever distance.
    pub fn closest(&self, x: &Vector2<f64>) -> Near {
        let (mut deepest, mut edge) = (f64::NEG_INFINITY, 0);
        for (i, n) in self.normals.iter().enumerate() {
            let (s, (d, length)) = (n.dot(&(x - self.vertices[i])), self.along(i));
            let u = d.dot(&(x - self.vertices[i]));
            if s > 0.0 && (0.0..=length).contains(&u) {
                (deepest, edge) = (s, i);
                break;
            }
            // A segment's two edges are no bounds along it: only points beside it count as inside.
            if s > deepest && (self.vertices.len() > 2 || (0.0..=length).contains(&u)) {
                (deepest, edge) = (s, i);
            }
        }
        if deepest <= 0.0 && deepest > f64::NEG_INFINITY && self.is_inner(edge) {
            // inside: the nearest edge of the boundary
            let depth = |i: &usize| self.normals[*i].dot(&(x - self.vertices[*i]));
            let real = (0..self.normals.len()).filter(|&i| !self.is_inner(i));
            if let Some(i) = real.reduce(|a, b| if depth(&b) > depth(&a) { b } else { a }) {
                (deepest, edge) = (depth(&i), i);
            }
        }
        let (d, length) = self.along(edge);
        let beside = (0.0..=length).contains(&d.dot(&(x - self.vertices[edge])));
        if deepest > f64::NEG_INFINITY && (deepest <= 0.0 || beside) {
            let n = self.normals[edge];
            return Near { point: x - n * deepest, normal: n, distance: deepest, code: 2 * edge as u32 + 1 };
        }
        let square = |i: usize| (x - self.vertices[i]).norm_squared();
        let i = (1..self.vertices.len()).fold(0, |best, i| if square(i) < square(best) { i } else { best });
        let (normal, distance) = direction(&(x - self.vertices[i])).unwrap_or((self.normals[i], 0.0));
        Near { point: self.vertices[i], normal, distance, code: 2 * i as u32 }
    }
}

/// Two cores in the frame of the first.
struct View<'a> {
    a: Core<'a>,
    b: Core<'a>,
    /// Placement of the second.
    pose: PlanarPose,
}

/// A contact in the first core's frame: its point, the gap along the outward normal, the codes of the features.
#[derive(Clone, Copy, Default)]
struct Touch {
    point: Vector2<f64>,
    gap: f64,
    codes: (u32, u32),
}

impl<'a> View<'a> {
    fn new((a, at): (Core<'a>, &PlanarPose), (b, bt): (Core<'a>, &PlanarPose)) -> Self {
        let (cos, sin) = (at.cos * bt.cos + at.sin * bt.sin, at.cos * bt.sin - at.sin * bt.cos);
        Self { a, b, pose: PlanarPose { p: at.unrotate(bt.p - at.p), cos, sin } }
    }

    fn vertex(&self, k: usize) -> Vector2<f64> {
        self.pose.p + self.pose.rotate(self.b.vertices[k])
    }

    /// The second core's vertex that lies least far out along edge i of the first, and how far, eq. (1).
    fn support(&self, i: usize) -> (usize, f64) {
        let (n, v) = (self.a.normals[i], self.a.vertices[i]);
        let m = self.pose.unrotate(n);
        let height = |k: usize| m.dot(&self.b.vertices[k]);
        let k = (1..self.b.vertices.len()).fold(0, |best, k| if height(k) < height(best) { k } else { best });
        (k, n.dot(&(self.vertex(k) - v)))
    }

    /// The first core's edge of greatest separation: the first unless a later one is better by more than rounding. Inner
    /// edges count if asked for.
    fn best_edge(&self, rounding: f64, inner: bool) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for i in (0..self.a.vertices.len()).filter(|&i| inner || !self.a.is_inner(i)) {
            let s = self.support(i).1;
            if s > best.1 + rounding || best.1 == f64::NEG_INFINITY {
                best = (i, s);
            }
        }
        best
    }

    /// The second core's edge that faces edge i of the first, clipped to its width.
    fn clipped(&self, i: usize, tolerance: f64) -> ([Touch; 2], usize) {
        let (n, v, (d, length)) = (self.a.normals[i], self.a.vertices[i], self.a.along(i));
        let m = self.pose.unrotate(n);
        let facing = |k: usize| m.dot(&self.b.normals[k]);
        let k = (1..self.b.normals.len())
            .fold(0, |best, k| if facing(k) < facing(best) - 1e-6 { k } else { best });
        let ends = [k, self.b.next(k)].map(|k| {
            let x = self.vertex(k);
            let gap = n.dot(&(x - v));
            Touch { point: x - n * gap, gap, codes: (2 * i as u32 + 1, 2 * k as u32) }
        });
        let (mut touches, mut count) = ([Touch::default(); 2], 0);
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let u = d.dot(&(end.point - v));
            let far = u + u > length;
            let beyond = |touch: &Touch| {
                let u = d.dot(&(touch.point - v));
                if far { u - length } else { -u }
            };
            let (here, there) = (beyond(&end), beyond(&other));
            touches[count] = if here <= tolerance {
                end
            } else if there <= -tolerance {
                let s = here / (here - there);
                // A vertex of the reference edge under the inside of the other.
                let corner = if far { self.a.next(i) } else { i };
                let codes = (2 * corner as u32, 2 * k as u32 + 1);
                Touch { point: self.a.vertices[corner], gap: end.gap + s * (other.gap - end.gap), codes }
            } else {
                continue;
            };
            count += 1;
        }
        (touches, count)
    }

    /// The first core's edge i and the second's deepest vertex.
    fn deepest(&self, i: usize) -> Touch {
        let (k, gap) = self.support(i);
        Touch {
            point: self.vertex(k) - self.a.normals[i] * gap,
            gap,
            codes: (2 * i as u32 + 1, 2 * k as u32),
        }
    }

    /// The second core's vertex closest to the first: the contact and the normal away from the first.
    fn closest_vertex(&self) -> (Touch, Vector2<f64>) {
        let none = (Touch { gap: f64::INFINITY, ..Touch::default() }, Vector2::y());
        (0..self.b.vertices.len()).fold(none, |best, k| {
            let near = self.a.closest(&self.vertex(k));
            if near.distance < best.0.gap {
                (
                    Touch { point: near.point, gap: near.distance, codes: (near.code, 2 * k as u32) },
                    near.normal,
                )
            } else {
                best
            }
        })
    }
}

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

/// A core and where it is at the start and at the foreseen end of a step.
pub(super) type Moving<'a> = (Core<'a>, [&'a PlanarPose; 2]);

/// The separations along all edges of both cores, first a's, at the start and at the end.
fn courses(a: Moving, b: Moving, out: &mut [Course; 2 * ConvexPolygon::MOST]) -> usize {
    let (mut count, radii) = (0, a.0.radius + b.0.radius);
    for (x, y) in [(a, b), (b, a)] {
        let views = [0, 1].map(|t| View::new((x.0, x.1[t]), (y.0, y.1[t])));
        for i in 0..x.0.vertices.len() {
            let [start, end] = [0, 1].map(|t| views[t].support(i).1 - radii);
            out[count] = Course { start, end, inner: x.0.is_inner(i) };
            count += 1;
        }
    }
    count
}

/// Appends the contact points that a step relies on: along the edge chosen, where the cores face each other at the end, or
/// else at the start. Returns which of the two (0 or 1) the points are of.
pub(super) fn collide_toward(a: Moving, b: Moving, out: &mut Vec<ContactPoint>) -> usize {
    let mut room = [Course::default(); 2 * ConvexPolygon::MOST];
    let count = courses(a, b, &mut room);
    let slack = SIDE * a.0.size().min(b.0.size());
    let Some(chosen) = branch::choose(&room[..count], slack) else { return 1 };
    let (on_b, edge) = match chosen.checked_sub(a.0.vertices.len()) {
        Some(edge) => (true, edge),
        None => (false, chosen),
    };
    let (x, y) = if on_b { (b, a) } else { (a, b) };
    for time in [1, 0] {
        let view = View::new((x.0, x.1[time]), (y.0, y.1[time]));
        let normal = view.a.normals[edge];
        let (reach, closest) = (f64::INFINITY, false);
        let writer = Writer { view: &view, reference: x.1[time], normal, on_b, reach, closest };
        let (touches, count) = view.clipped(edge, slack);
        let deepest = view.deepest(edge);
        if count > 0 {
            let least = touches[..count].iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            if time == 1 && deepest.gap < least - slack {
                writer.push(&[deepest], out);
            }
            writer.push(&touches[..count], out);
            return time;
        }
    }
    // not above each other at either end: the corner, or both corners of an edge that is parallel
    let view = View::new((x.0, x.1[1]), (y.0, y.1[1]));
    let (normal, lowest) = (view.a.normals[edge], view.deepest(edge));
    let (reach, closest) = (f64::INFINITY, false);
    let writer = Writer { view: &view, reference: x.1[1], normal, on_b, reach, closest };
    for k in 0..view.b.vertices.len() {
        let point = view.vertex(k);
        let gap = normal.dot(&(point - view.a.vertices[edge]));
        if gap <= lowest.gap + slack {
            let codes = (lowest.codes.0, 2 * k as u32);
            writer.push(&[Touch { point: point - normal * gap, gap, codes }], out);
        }
    }
    1
}

/// True when which direction separates two cores is for a step to find out: more than one does at the start, or just
/// touches, or on the foreseen path another one takes over.
pub(super) fn has_choice(a: Moving, b: Moving) -> bool {
    let mut room = [Course::default(); 2 * ConvexPolygon::MOST];
    let count = courses(a, b, &mut room);
    let (slack, own) = (SIDE * a.0.size().min(b.0.size()), a.0.vertices.len());
    let direction = |i: usize| {
        let (core, sign, i) = if i < own { (&a, 1.0, i) } else { (&b, -1.0, i - own) };
        core.1[0].rotate(core.0.normals[i]) * sign
    };
    let mut separating = (0..count).filter(|&i| room[i].start >= -slack);
    let Some(first) = separating.next() else { return false };
    let differs = |i: usize| direction(first).dot(&direction(i)) < CHOICE;
    separating.any(differs) || branch::choose(&room[..count], slack).is_none_or(differs)
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
            out.push(if self.on_b {
                let stride = 2 * reference.vertices.len() as u32;
                contact([on_other, on_reference], normal, gap, stride * codes.1 + codes.0)
            } else {
                let stride = 2 * other.vertices.len() as u32;
                contact([on_reference, on_other], -normal, gap, stride * codes.0 + codes.1)
            });
        }
    }
}
