//! The contacts of two hulls that a step relies on (`branch.rs`): with all faces and the best pairs of edges at its
//! start and at its end as directions.
//!
//! These are all the directions that polyhedra need. Of a hull with a radius they are too few: beside an edge or a
//! vertex it is round, and there every direction from the closest point of one core to that of the other is one of its
//! own. Along a face such parts would seem to touch that are apart by up to 0.7 radii. Where the cores are farther
//! apart than along any face or pair of edges, at the start or at the end, the direction of their closest points there
//! is one more to choose from,
//!
//! ```text
//! n = (y − x) / |y − x|,   s(n) = |y − x| − r_a − r_b,   x, y the closest points of the cores      (1)
//! ```
//!
//! which no other surpasses there.

use super::{Axis, Of, Pair, ROUNDING, SIDE, View, Writer, closest};
use crate::body::spatial::SpatialPose;
use crate::collide::branch::{self, Course};
use crate::collide::hull::CODES;
use crate::collide::hull::Hull;
use crate::collide::hull_clip::Manifold;
use crate::collide::{ContactPoint, Turns};
use nalgebra::Vector3;

/// Cosine of the angle between two separating directions from which on they are a choice.
const CHOICE: f64 = 0.95;
/// The most directions of two hulls: their faces, two pairs of edges and two pairs of closest points.
const DIRECTIONS: usize = 2 * (CODES as usize - 122) + 4;

/// A hull, where it is at the start and at the foreseen end of a step, and the number of a face that nothing touches.
#[derive(Clone, Copy)]
pub(in crate::collide) struct Moving<'a> {
    pub hull: Hull<'a>,
    pub poses: [&'a SpatialPose; 2],
    pub inner: Option<usize>,
}

/// A direction of two hulls: a face of the first or of the second, a pair of edges and the sense of their cross
/// product, or that of the closest points at the start (0) or at the end (1).
#[derive(Clone, Copy, Default)]
enum Direction {
    #[default]
    None,
    Face(bool, usize),
    Edges(usize, usize, f64),
    Closest(usize),
}

/// The directions of two hulls with their separations at both ends of a step.
struct Directions {
    what: [Direction; DIRECTIONS],
    courses: [Course; DIRECTIONS],
    count: usize,
}

impl Directions {
    fn push(&mut self, what: Direction, course: Course) {
        if self.count < DIRECTIONS {
            (self.what[self.count], self.courses[self.count]) = (what, course);
            self.count += 1;
        }
    }

    /// Of faces, then also of edges if asked for. `views[t][0]`: seen from a, at time t.
    fn new(a: &Moving, b: &Moving, views: &[[View; 2]; 2], with_edges: bool) -> Self {
        let mut all =
            Self { what: [Direction::None; DIRECTIONS], courses: [Course::default(); DIRECTIONS], count: 0 };
        let radii = a.hull.radius + b.hull.radius;
        let rounding = ROUNDING * (a.hull.size() + b.hull.size());
        for (on_b, x) in [(false, a), (true, b)] {
            for (f, face) in x.hull.faces.iter().enumerate() {
                let [start, end] = [0, 1].map(|t| {
                    let view = &views[t][usize::from(on_b)];
                    x.hull.height(face, &view.x[view.support(&face.normal)]) - radii
                });
                all.push(Direction::Face(on_b, f), Course { start, end, inner: x.inner == Some(f) });
            }
        }
        for t in (0..2).filter(|_| with_edges) {
            let Some(axis) = views[t][0].best_edges(f64::NEG_INFINITY, rounding) else { continue };
            let Of::Edges(i, j) = axis.of else { continue };
            let [(_, d), (_, e)] = views[t][0].edges(i, j);
            let sense = d.cross(&e).dot(&axis.normal).signum();
            let [start, end] = [0, 1].map(|t| views[t][0].along_edges(i, j, sense).separation - radii);
            all.push(Direction::Edges(i, j, sense), Course { start, end, inner: false });
        }
        for t in (0..2).filter(|_| with_edges && radii > 0.0) {
            let least = all.courses[..all.count].iter().map(|c| if t == 0 { c.start } else { c.end });
            let least = least.fold(f64::NEG_INFINITY, f64::max);
            if let Some(course) = along_closest((a, b), views, t, least) {
                all.push(Direction::Closest(t), course);
            }
        }
        all
    }

    fn choose(&self, slack: f64) -> Option<usize> {
        branch::choose(self.count, |i| self.courses[i], slack)
    }
}

fn views<'a>(a: &Moving<'a>, b: &Moving<'a>) -> [[View<'a>; 2]; 2] {
    [0, 1].map(|t| {
        let (x, y) = ((a.hull, a.poses[t]), (b.hull, b.poses[t]));
        [View::new(x, y), View::new(y, x)]
    })
}

/// Eq. (1) at one end of a step, and the separation in the same direction of the world at the other; none unless it is
/// above that along all others there. Inner faces know better what lies beside an edge.
fn along_closest(
    (a, b): (&Moving, &Moving),
    views: &[[View; 2]; 2],
    time: usize,
    least: f64,
) -> Option<Course> {
    let (size, radii) = (a.hull.size().min(b.hull.size()), a.hull.radius + b.hull.radius);
    if a.inner.is_some() || b.inner.is_some() {
        return None;
    }
    let (on_b, pair) = closest(&views[time]);
    let (of, reference) = if on_b { (1, b) } else { (0, a) };
    let normal = reference.poses[time].r * pair.normal;
    let [start, end] = [0, 1].map(|t| {
        let (view, n) = (&views[t][of], reference.poses[t].r.tr_mul(&normal));
        let top = view.a.vertices.iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
        n.dot(&view.x[view.support(&n)]) - top - radii
    });
    // cores that overlap have no closest points: the separation then is not the distance
    let found = if time == 0 { start } else { end };
    let proved = (found - (pair.distance - radii)).abs() <= SIDE * size;
    (proved && found > least + SIDE * size).then_some(Course { start, end, inner: false })
}

/// Appends a contact of two hulls at one end of a step and, where one's core is a segment, all others of its ends and
/// its inside that face the same way: a capsule lies across a box on two edges, and along an edge with both ends. Each
/// is one of parts of the hulls, so its gap is never less than theirs.
fn round_contacts(
    poses: [&SpatialPose; 2],
    views: &[View; 2],
    (seen, pair): (bool, Pair),
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    // in the world, from the first hull to the second
    let turned = |on_b: bool, normal: &Vector3<f64>| {
        if on_b { -(poses[1].r * normal) } else { poses[0].r * normal }
    };
    let direction = turned(seen, &pair.normal);
    let mut push = |on_b: bool, pair: &Pair| {
        if turned(on_b, &pair.normal).dot(&direction) > CHOICE {
            let (view, reference) = (&views[usize::from(on_b)], poses[usize::from(on_b)]);
            let writer = Writer { view, reference, normal: pair.normal, on_b, reach: f64::INFINITY, first };
            writer.push(&pair.point, pair.distance, pair.codes, out);
        }
    };
    push(seen, &pair);
    for on_b in [false, true].into_iter().filter(|on_b| views[usize::from(*on_b)].b.faces.is_empty()) {
        let [view, back] = [on_b, !on_b].map(|v| &views[usize::from(v)]);
        let along = if on_b { -(poses[1].r.tr_mul(&direction)) } else { poses[0].r.tr_mul(&direction) };
        (0..view.b.vertices.len()).for_each(|k| push(on_b, &view.with_vertex(k)));
        (0..back.b.vertices.len()).for_each(|k| push(!on_b, &back.with_vertex(k)));
        (0..view.a.edges.len()).filter_map(|i| view.across(i, &along)).for_each(|pair| push(on_b, &pair));
    }
}

/// Appends the contact points that a step relies on. Returns which end of the step (0 or 1) they are of, and what their
/// normal turns with.
pub(in crate::collide) fn collide_toward(
    a: Moving,
    b: Moving,
    out: &mut Vec<ContactPoint>,
) -> (usize, Turns) {
    let views = views(&a, &b);
    let slack = SIDE * a.hull.size().min(b.hull.size());
    let all = Directions::new(&a, &b, &views, true);
    let Some(chosen) = all.choose(slack) else { return (1, Turns::Stays) };
    let direction = all.what[chosen];
    let first = out.len();
    // where faces overlap or edges cross at the end, else where they do at the start, else the deepest point at the
    // end, if they meet on the way; beside a triangle other triangles do
    let meets = all.courses[chosen].end < -slack && a.inner.is_none() && b.inner.is_none();
    for (time, anyhow) in [(1, false), (0, false), (1, meets)] {
        let (on_b, axis) = match direction {
            Direction::None => return (1, Turns::Stays),
            Direction::Closest(time) => {
                let poses = [a.poses[time], b.poses[time]];
                round_contacts(poses, &views[time], closest(&views[time]), out);
                return (time, Turns::Stays);
            }
            Direction::Face(on_b, f) => (on_b, views[time][usize::from(on_b)].along_face(f)),
            Direction::Edges(i, j, sense) => (false, views[time][0].along_edges(i, j, sense)),
        };
        let (view, reference) =
            (&views[time][usize::from(on_b)], if on_b { b.poses[time] } else { a.poses[time] });
        let writer = Writer { view, reference, normal: axis.normal, on_b, reach: f64::INFINITY, first };
        let manifold = view.manifold(&axis, slack);
        let least = manifold.as_ref().map_or(f64::INFINITY, Manifold::least_gap);
        let crosses = match axis.of {
            Of::Face(_) => least.is_finite(),
            Of::Edges(i, j) => view.crossing(i, j).0.iter().all(|s| (0.0..=1.0).contains(s)),
        };
        if !crosses && !anyhow {
            continue;
        }
        match axis.of {
            Of::Face(_) => {
                if time == 1 && axis.separation < least - slack {
                    let (point, codes) = view.deepest(&axis);
                    writer.push(&point, axis.separation, codes, out);
                }
                writer.push_all(manifold.as_ref(), &axis, slack, out);
            }
            Of::Edges(i, j) => {
                let pair = crossing_pair(view, &axis, (i, j));
                round_contacts([a.poses[time], b.poses[time]], &views[time], (false, pair), out);
                for corner in manifold.iter().flat_map(|m| m.corners()) {
                    writer.push(&corner.y, corner.gap, corner.codes, out);
                }
                let [(_, d), (_, e)] = view.edges(i, j);
                return (time, Turns::Across(reference.r * d, reference.r * e));
            }
        }
        return (time, if on_b { Turns::WithB } else { Turns::WithA });
    }
    (1, Turns::Stays)
}

/// The points of two edges that cross, at their own distance: where the hulls reach beyond the edges, eq. (1) of
/// `hulls.rs` is that of other features.
fn crossing_pair(view: &View, axis: &Axis, (i, j): (usize, usize)) -> Pair {
    let [(p, _), (y, _)] = view.edges(i, j);
    let axis = Axis { separation: axis.normal.dot(&(y - p)), ..*axis };
    let (point, codes) = view.deepest(&axis);
    Pair { point, normal: axis.normal, distance: axis.separation, codes }
}

/// True when which direction separates two hulls is for a step to find out: more than one face does at the start, or
/// just touches, or on the foreseen path another one takes over.
pub(in crate::collide) fn has_choice(a: Moving, b: Moving) -> bool {
    let slack = SIDE * a.hull.size().min(b.hull.size());
    // what rests, but for rounding, has no path: its directions at the end are those at the start
    let rests = |x: &Moving| {
        let [from, to] = x.poses;
        (to.p - from.p).amax() <= ROUNDING * x.hull.size() && (to.r - from.r).amax() <= ROUNDING
    };
    if rests(&a) && rests(&b) {
        return faces_differ(a, b, slack);
    }
    let views = views(&a, &b);
    let all = Directions::new(&a, &b, &views, false);
    let normal = |what: Direction| match what {
        Direction::Face(false, f) => a.poses[0].r * a.hull.faces[f].normal,
        Direction::Face(true, f) => -(b.poses[0].r * b.hull.faces[f].normal),
        _ => Vector3::zeros(),
    };
    let mut separating = (0..all.count).filter(|&i| all.courses[i].start >= -slack).map(|i| all.what[i]);
    let Some(first) = separating.next() else { return false };
    let differs = |what: Direction| normal(first).dot(&normal(what)) < CHOICE;
    separating.any(differs) || all.choose(slack).is_none_or(|i| differs(all.what[i]))
}

/// True when faces of different directions separate two hulls at the start, or just touch.
fn faces_differ(a: Moving, b: Moving, slack: f64) -> bool {
    let mut first: Option<Vector3<f64>> = None;
    for (x, y, sense) in [(&a, &b, 1.0), (&b, &a, -1.0)] {
        let view = View::new((x.hull, x.poses[0]), (y.hull, y.poses[0]));
        for face in x.hull.faces {
            let apart = x.hull.height(face, &view.x[view.support(&face.normal)]);
            if apart - (a.hull.radius + b.hull.radius) < -slack {
                continue;
            }
            let normal = x.poses[0].r * face.normal * sense;
            match first {
                Some(first) if first.dot(&normal) < CHOICE => return true,
                Some(_) => {}
                None => first = Some(normal),
            }
        }
    }
    false
}
