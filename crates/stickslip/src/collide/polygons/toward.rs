//! The contacts of two cores that a step relies on (`branch.rs`): with all edges as directions.
//!
//! Of a core with a radius these are too few: beside a vertex it is round, and there the direction from the closest
//! vertex of one core to that of the other is one of its own. Where the cores are farther apart than along any edge, at
//! the start or at the end, it is one more to choose from; no other surpasses it there. (In space: `hulls/toward.rs`.)

use super::core::Core;
use super::view::{Touch, View};
use super::{SIDE, Writer};
use crate::body::planar::PlanarPose;
use crate::collide::branch::{self, Course};
use crate::collide::{ContactPoint, Turns};
use crate::shape::ConvexPolygon;
use nalgebra::Vector2;

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
    /// Those of the closest vertices at the start and at the end; they follow the edges.
    round: [Option<Round>; 2],
}

/// An edge, a's first, or the closest vertices at the start (0) or at the end (1).
enum Chosen {
    Edge(usize),
    Closest(usize, Round),
}

/// The direction of the closest vertices at one end of a step.
#[derive(Clone, Copy)]
struct Round {
    /// True when they are seen from b.
    on_b: bool,
    touch: Touch,
    /// Away from the core they are seen from, in its frame.
    normal: Vector2<f64>,
    course: Course,
}

impl<'a> Courses<'a> {
    fn new(a: Moving<'a>, b: Moving<'a>) -> Self {
        let views = [(a, b), (b, a)].map(|(x, y)| [0, 1].map(|t| View::new((x.0, x.1[t]), (y.0, y.1[t]))));
        let count = a.0.vertices.len() + b.0.vertices.len();
        let (radii, kept) = (a.0.radius + b.0.radius, [Course::default(); KEPT]);
        let mut out = Self { views, radii, count, kept, round: [None; 2] };
        if count <= KEPT {
            for i in 0..count {
                out.kept[i] = out.compute(i);
            }
        }
        if radii > 0.0 && !a.0.is_piece() && !b.0.is_piece() {
            let slack = SIDE * a.0.size().min(b.0.size());
            out.round = [0, 1].map(|t| out.closest([a.1, b.1], t, slack));
        }
        out
    }

    /// The direction of the closest vertices at a time, and the separations in the same direction of the world; none
    /// unless it is above that along all edges there.
    fn closest(&self, poses: [[&PlanarPose; 2]; 2], time: usize, slack: f64) -> Option<Round> {
        let seen = [0, 1].map(|v| self.views[v][time].closest_vertex());
        let v = if seen[1].0.gap < seen[0].0.gap { 1 } else { 0 };
        let (touch, normal) = seen[v];
        let world = poses[v][time].rotate(normal);
        let [start, end] = [0, 1].map(|t| {
            let (view, n) = (&self.views[v][t], poses[v][t].unrotate(world));
            let top = view.a.vertices.iter().map(|x| n.dot(x)).fold(f64::NEG_INFINITY, f64::max);
            let low =
                (0..view.b.vertices.len()).map(|k| n.dot(&view.vertex(k))).fold(f64::INFINITY, f64::min);
            low - top - self.radii
        });
        let at = |course: Course| if time == 0 { course.start } else { course.end };
        let course = Course { start, end, inner: false };
        let best = (0..self.count).map(|i| at(self.at(i))).fold(f64::NEG_INFINITY, f64::max);
        // cores that overlap have no closest points: the separation then is not the distance
        let proved = (at(course) - (touch.gap - self.radii)).abs() <= slack;
        (proved && at(course) > best + slack).then_some(Round { on_b: v == 1, touch, normal, course })
    }

    /// The direction to rely on.
    fn choose(&self, slack: f64) -> Option<Chosen> {
        let mut rounds = self.round.iter().enumerate().filter_map(|(t, r)| r.map(|r| (t, r)));
        let rounds = [rounds.next(), rounds.next()];
        let round = |i: usize| i.checked_sub(self.count).and_then(|k| rounds[k]);
        let count = self.count + rounds.iter().flatten().count();
        let chosen =
            branch::choose(count, |i| round(i).map_or_else(|| self.at(i), |(_, r)| r.course), slack)?;
        Some(round(chosen).map_or(Chosen::Edge(chosen), |(time, r)| Chosen::Closest(time, r)))
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

/// Appends the contact points that a step relies on: along the edge chosen, where the cores face each other at the end,
/// or else at the start. Returns which of the two (0 or 1) the points are of, and what their normal turns with.
pub(in crate::collide) fn collide_toward(
    a: Moving,
    b: Moving,
    out: &mut Vec<ContactPoint>,
) -> (usize, Turns) {
    let courses = Courses::new(a, b);
    let slack = SIDE * a.0.size().min(b.0.size());
    let chosen = match courses.choose(slack) {
        None => return (1, Turns::Stays),
        Some(Chosen::Edge(edge)) => edge,
        Some(Chosen::Closest(time, Round { on_b, touch, normal, .. })) => {
            let (view, x) = (&courses.views[usize::from(on_b)][time], if on_b { b } else { a });
            let (reach, closest) = (f64::INFINITY, true);
            Writer { view, reference: x.1[time], normal, on_b, reach, closest }.push(&[touch], out);
            return (time, Turns::Stays);
        }
    };
    let (on_b, edge) = match chosen.checked_sub(a.0.vertices.len()) {
        Some(edge) => (true, edge),
        None => (false, chosen),
    };
    let (x, y, turns) = if on_b { (b, a, Turns::WithB) } else { (a, b, Turns::WithA) };
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
            return (time, turns);
        }
    }
    if courses.at(chosen).end >= -slack {
        return (1, turns);
    }
    // not above each other at either end, but on the way: the corner, or both corners of an edge that is parallel
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
    (1, turns)
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
