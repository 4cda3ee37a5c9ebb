//! The contacts of two cores that a step relies on (`branch.rs`).

use super::core::Core;
use super::view::{Touch, View};
use super::{SIDE, Writer};
use crate::body::planar::PlanarPose;
use crate::collide::ContactPoint;
use crate::collide::branch::{self, Course};
use crate::shape::ConvexPolygon;

/// Cosine of the angle between two separating directions from which on they are a choice.
const CHOICE: f64 = 0.95;
/// Separations along so many edges are kept; those of more are computed again each time.
const KEPT: usize = 2 * ConvexPolygon::MOST_OF_PART;

/// A core and where it is at the start and at the foreseen end of a step.
pub(in crate::collide) type Moving<'a> = (Core<'a>, [&'a PlanarPose; 2]);

/// The separations along all edges of both cores, first a's, at the start and at the end.
struct Courses<'a> {
    views: [[View<'a>; 2]; 2],
    radii: f64,
    count: usize,
    kept: [Course; KEPT],
}

impl<'a> Courses<'a> {
    fn new(a: Moving<'a>, b: Moving<'a>) -> Self {
        let views = [(a, b), (b, a)].map(|(x, y)| [0, 1].map(|t| View::new((x.0, x.1[t]), (y.0, y.1[t]))));
        let count = a.0.vertices.len() + b.0.vertices.len();
        let (radii, kept) = (a.0.radius + b.0.radius, [Course::default(); KEPT]);
        let mut out = Self { views, radii, count, kept };
        if count <= KEPT {
            for i in 0..count {
                out.kept[i] = out.compute(i);
            }
        }
        out
    }

    fn compute(&self, i: usize) -> Course {
        let own = self.views[0][0].a.vertices.len();
        let (views, i) = if i < own { (&self.views[0], i) } else { (&self.views[1], i - own) };
        let [start, end] = [0, 1].map(|t| views[t].support(i).1 - self.radii);
        Course { start, end, inner: views[0].a.is_inner(i) }
    }

    fn at(&self, i: usize) -> Course {
        if self.count <= KEPT { self.kept[i] } else { self.compute(i) }
    }
}

/// Appends the contact points that a step relies on: along the edge chosen, where the cores face each other at the end, or
/// else at the start. Returns which of the two (0 or 1) the points are of.
pub(in crate::collide) fn collide_toward(a: Moving, b: Moving, out: &mut Vec<ContactPoint>) -> usize {
    let courses = Courses::new(a, b);
    let slack = SIDE * a.0.size().min(b.0.size());
    let Some(chosen) = branch::choose(courses.count, |i| courses.at(i), slack) else { return 1 };
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
            let codes = (lowest.codes.0, 2 * k as u64);
            writer.push(&[Touch { point: point - normal * gap, gap, codes }], out);
        }
    }
    1
}

/// True when which direction separates two cores is for a step to find out: more than one does at the start, or just
/// touches, or on the foreseen path another one takes over.
pub(in crate::collide) fn has_choice(a: Moving, b: Moving) -> bool {
    let courses = Courses::new(a, b);
    let (slack, own) = (SIDE * a.0.size().min(b.0.size()), a.0.vertices.len());
    let direction = |i: usize| {
        let (core, sign, i) = if i < own { (&a, 1.0, i) } else { (&b, -1.0, i - own) };
        core.1[0].rotate(core.0.normals[i]) * sign
    };
    let mut separating = (0..courses.count).filter(|&i| courses.at(i).start >= -slack);
    let Some(first) = separating.next() else { return false };
    let differs = |i: usize| direction(first).dot(&direction(i)) < CHOICE;
    separating.any(differs) || branch::choose(courses.count, |i| courses.at(i), slack).is_none_or(differs)
}
