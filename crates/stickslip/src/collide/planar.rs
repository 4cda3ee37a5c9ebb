//! Contact of discs, boxes, capsules, convex polygons and half-planes.
//!
//! With n the unit normal from b to a, every contact point satisfies `gap = n · (p_a − p_b)` and `p_a − p_b = gap n`,
//! so the gap's rate is `n · (v_a(p_a) − v_b(p_b))` where the features are a vertex, a disc or a face.
//!
//! - disc–disc: `gap = |c_a − c_b| − r_a − r_b` along the line of centres (the world's y where they coincide).
//! - disc–half-plane: `gap = n · (c − p) − r`.
//! - disc–box: the closest point of the box (`box_point.rs`) less the radius. Near a face the normal is that face's,
//!   a column of the rotation, so it is right to rounding at any gap. Feature: the code of the box's feature.
//! - box–half-plane: every vertex is a contact, `gap = n · (c − p) + sum_k ± h_k n · b_k`. Feature: the vertex, bit k
//!   set on the positive side of axis k.
//! - box–box: `rectangles.rs`.
//! - capsule or polygon with each other or a box: `polygons.rs`, where a capsule is a segment with a radius.
//! - capsule or polygon with a half-plane: every vertex of the core, `gap = n · (x − p) − r`. With a disc: the closest
//!   point of the core. Features: the codes of `polygons.rs`.
//! - outlines and polylines: their convex pieces (`shape/planar/outline.rs`), as `polygons.rs` treats them.
//! - compounds: all pairs of parts.
//!
//! No length appears that is not a length of the shapes: scaling a scene by a power of two scales every bit.

use super::box_point::{closest, corner_sign, direction, feature};
use super::polygons::{self, Core, Room};
use super::{Aabb, ContactPoint, Feature, ON_FACE, rectangles};
use crate::body::planar::PlanarPose;
use crate::shape::planar::{Piece, box_around, in_space};
use crate::shape::{ConvexPolygon, PlanarShape};
use nalgebra::{Vector2, Vector3};

/// A part of a shape.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Shape(&'a PlanarShape),
    Piece(&'a Piece),
}

pub(super) fn part_bounds(part: Part, pose: &PlanarPose) -> Aabb {
    match part {
        Part::Shape(shape) => shape.bounds(pose),
        Part::Piece(piece) => box_around(&piece.vertices, pose),
    }
}

/// Appends the contact points of two placed shapes whose gap is at most `reach`. Two half-planes have none.
pub fn collide(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    use PlanarShape::{Box, Disc, HalfPlane};
    if has_parts(a.0) || has_parts(b.0) {
        return compounds(a, b, reach, out);
    }
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    match (a.0, b.0) {
        (Disc(x), Disc(y)) => keep(disc_disc((x.radius, a.1.p), (y.radius, b.1.p)), reach, out),
        (Disc(disc), HalfPlane) => keep(disc_half_plane((disc.radius, a.1.p), b.1), reach, out),
        (Disc(disc), Box(x)) => keep(disc_box((disc.radius, a.1.p), (&x.half, b.1)), reach, out),
        (Box(x), HalfPlane) => box_half_plane((&x.half, a.1), b.1, reach, out),
        (Box(x), Box(y)) => rectangles::collide((&x.half, a.1), (&y.half, b.1), reach, out),
        (HalfPlane, HalfPlane) => {}
        (HalfPlane, _) => swapped(a, b, reach, out),
        (shape, HalfPlane) => {
            if let Some(core) = shape.geometry().core(&mut room_a) {
                core_half_plane((core, a.1), b.1, reach, out);
            }
        }
        (Disc(disc), shape) => {
            if let Some(core) = shape.geometry().core(&mut room_b) {
                disc_core((disc.radius, a.1.p), (core, b.1), reach, out);
            }
        }
        (_, Disc(_)) => swapped(a, b, reach, out),
        (x, y) => {
            let cores = (x.geometry().core(&mut room_a), y.geometry().core(&mut room_b));
            if let (Some(core_a), Some(core_b)) = cores {
                polygons::collide((core_a, a.1), (core_b, b.1), reach, out);
            }
        }
    }
}

/// The contacts of the bodies in the other order.
fn swapped(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    collide(b, a, reach, out);
    out[first..].iter_mut().for_each(|point| *point = point.swapped());
}

/// True for compounds and for shapes of several pieces.
fn has_parts(shape: &PlanarShape) -> bool {
    matches!(shape, PlanarShape::Compound(_)) || !shape.geometry().pieces().is_empty()
}

/// Appends the contacts of two bodies of which at least one has parts: of all pairs of parts. Feature: the parts'
/// contact's, and the numbers of the parts of a and of b, worth 2^16 and 2^24.
fn compounds(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    for (i, part_a, at) in parts(a.0) {
        let pose_a = a.1.then(&at);
        let around = part_bounds(part_a, &pose_a).grown(reach.max(0.0));
        for (j, part_b, at) in parts(b.0) {
            let pose_b = b.1.then(&at);
            if around.touches(&part_bounds(part_b, &pose_b)) {
                let first = out.len();
                collide_parts((part_a, &pose_a), (part_b, &pose_b), reach, out);
                out[first..].iter_mut().for_each(|point| point.feature += (i << 16) + (j << 24));
            }
        }
    }
}

/// Appends the contacts of two parts that have none of their own.
pub(super) fn collide_parts(
    a: (Part, &PlanarPose),
    b: (Part, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    match (a.0, b.0) {
        (Part::Shape(x), Part::Shape(y)) => collide((x, a.1), (y, b.1), reach, out),
        (Part::Piece(piece), Part::Shape(PlanarShape::HalfPlane)) => {
            core_half_plane((Core::of_piece(piece), a.1), b.1, reach, out);
        }
        (Part::Shape(PlanarShape::Disc(disc)), Part::Piece(piece)) => {
            disc_core((disc.radius, a.1.p), (Core::of_piece(piece), b.1), reach, out);
        }
        (Part::Shape(PlanarShape::HalfPlane), _) | (_, Part::Shape(PlanarShape::Disc(_))) => {
            let first = out.len();
            collide_parts(b, a, reach, out);
            out[first..].iter_mut().for_each(|point| *point = point.swapped());
        }
        (x, y) => {
            if let (Some(x), Some(y)) = (core(x, &mut room_a), core(y, &mut room_b)) {
                polygons::collide((x, a.1), (y, b.1), reach, out);
            }
        }
    }
}

/// The parts of a shape with their numbers and placements: of one that has none, itself.
pub(super) fn parts(shape: &PlanarShape) -> impl Iterator<Item = (u64, Part<'_>, PlanarPose)> {
    let members = match shape {
        PlanarShape::Compound(members) => members.as_slice(),
        _ => &[],
    };
    let alone = members.is_empty().then_some((HERE, shape));
    let all = alone.into_iter().chain(members.iter().map(|(at, part)| (*at, part)));
    let pieces = all.flat_map(|(at, shape)| {
        let pieces = shape.geometry().pieces();
        let whole = pieces.is_empty().then_some((Part::Shape(shape), at));
        whole.into_iter().chain(pieces.iter().map(move |piece| (Part::Piece(piece), at)))
    });
    pieces.enumerate().map(|(i, (part, at))| (i as u64, part, at))
}

/// Where a shape is in its own frame.
const HERE: PlanarPose = PlanarPose { p: Vector2::new(0.0, 0.0), cos: 1.0, sin: 0.0 };

/// True for a polygon of many vertices, or a shape with one among its parts.
pub fn is_many_sided(shape: &PlanarShape) -> bool {
    match shape {
        PlanarShape::Polygon(polygon) => polygon.vertices().len() > ConvexPolygon::MOST_OF_PART,
        PlanarShape::Compound(members) => members.iter().any(|(_, part)| is_many_sided(part)),
        _ => false,
    }
}

/// False for polygons of many vertices that are parts of a body, or would touch one that has parts: their contacts
/// would have no numbers.
pub fn can_collide(a: &PlanarShape, b: &PlanarShape) -> bool {
    !(is_many_sided(a) || is_many_sided(b)) || !(has_parts(a) || has_parts(b))
}

/// The number of parts, which contacts are numbered by.
pub fn count_parts(shape: &PlanarShape) -> usize {
    parts(shape).count()
}

pub(super) fn core<'a>(part: Part<'a>, room: &'a mut Room) -> Option<Core<'a>> {
    match part {
        Part::Shape(shape) => shape.geometry().core(room),
        Part::Piece(piece) => Some(Core::of_piece(piece)),
    }
}

/// A contact point from planar parts.
pub(super) fn contact(
    p: [Vector2<f64>; 2],
    normal: Vector2<f64>,
    gap: f64,
    (feature, features): (u64, [Feature; 2]),
) -> ContactPoint {
    ContactPoint {
        p_a: in_space(&p[0]),
        p_b: in_space(&p[1]),
        normal: in_space(&normal),
        gap,
        feature,
        features,
    }
}

/// What the feature of a box's code is.
pub(super) fn in_plane(code: u64) -> Feature {
    feature::<2>(code, |_| Vector3::zeros())
}

fn keep(point: ContactPoint, reach: f64, out: &mut Vec<ContactPoint>) {
    if point.gap <= reach {
        out.push(point);
    }
}

fn disc_disc(a: (f64, Vector2<f64>), b: (f64, Vector2<f64>)) -> ContactPoint {
    let (normal, distance) = direction(&(a.1 - b.1)).unwrap_or((Vector2::y(), 0.0));
    let features = [Feature::Point(a.0), Feature::Point(b.0)];
    contact([a.1 - normal * a.0, b.1 + normal * b.0], normal, distance - a.0 - b.0, (0, features))
}

fn disc_half_plane((radius, centre): (f64, Vector2<f64>), plane: &PlanarPose) -> ContactPoint {
    let normal = Vector2::new(-plane.sin, plane.cos);
    let height = normal.dot(&(centre - plane.p));
    let features = [Feature::Point(radius), Feature::Face];
    contact([centre - normal * radius, centre - normal * height], normal, height - radius, (0, features))
}

fn disc_box((radius, centre): (f64, Vector2<f64>), (half, pose): rectangles::Placed) -> ContactPoint {
    let near = closest(&pose.unrotate(centre - pose.p), &Vector2::from(*half));
    let normal = pose.rotate(near.normal);
    let points = [centre - normal * radius, pose.p + pose.rotate(near.point)];
    let features = [Feature::Point(radius), in_plane(near.code)];
    contact(points, normal, near.distance - radius, (near.code, features))
}

fn box_half_plane(
    (half, pose): rectangles::Placed,
    plane: &PlanarPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = Vector2::new(-plane.sin, plane.cos);
    let height = normal.dot(&(pose.p - plane.p));
    let edges = [Vector2::new(half[0], 0.0), Vector2::new(0.0, half[1])].map(|edge| pose.rotate(edge));
    let rises = edges.map(|edge| normal.dot(&edge));
    for vertex in 0..4 {
        let [x, y] = [0, 1].map(|k| corner_sign(vertex, k));
        let gap = height + (x * rises[0] + y * rises[1]);
        if gap <= reach {
            let point = pose.p + (edges[0] * x + edges[1] * y);
            out.push(contact([point, point - normal * gap], normal, gap, (vertex as u64, ON_FACE)));
        }
    }
}

fn core_half_plane(
    (core, pose): (Core, &PlanarPose),
    plane: &PlanarPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = Vector2::new(-plane.sin, plane.cos);
    let height = normal.dot(&(pose.p - plane.p)) - core.radius;
    for (vertex, code) in core.vertices() {
        let arm = pose.rotate(vertex);
        let gap = height + normal.dot(&arm);
        if gap <= reach {
            let point = pose.p + arm - normal * core.radius;
            let features = [Feature::Point(core.radius), Feature::Face];
            out.push(contact([point, point - normal * gap], normal, gap, (code, features)));
        }
    }
}

fn disc_core(
    (radius, centre): (f64, Vector2<f64>),
    (core, pose): (Core, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let near = core.closest(&pose.unrotate(centre - pose.p));
    if !core.admits(near.code, &near.normal, true) {
        return;
    }
    let normal = pose.rotate(near.normal);
    let on_core = pose.p + pose.rotate(near.point) + normal * core.radius;
    let gap = near.distance - (radius + core.radius);
    let features = [Feature::Point(radius), core.feature(near.code)];
    keep(contact([centre - normal * radius, on_core], normal, gap, (near.code, features)), reach, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Disc, Rectangle};

    #[test]
    fn a_resting_box_touches_the_ground_with_its_two_lower_vertices() {
        let (brick, mut out) = (PlanarShape::Box(Rectangle { half: [2.0, 1.0] }), Vec::new());
        let (up, ground) = (PlanarPose::new(0.0, 1.0, 0.0), PlanarPose::new(3.0, 0.0, 0.0));
        collide((&brick, &up), (&PlanarShape::HalfPlane, &ground), 0.0, &mut out);
        assert_eq!(out.iter().map(|c| c.feature).collect::<Vec<_>>(), [0, 1]);
        assert!(out.iter().all(|c| c.gap == 0.0 && c.normal == Vector3::y()));
    }

    #[test]
    fn a_disc_just_beside_a_face_has_the_normal_of_the_face() {
        let (disc, brick) =
            (PlanarShape::Disc(Disc { radius: 0.5 }), PlanarShape::Box(Rectangle { half: [1.0, 1.0] }));
        let (at, origin) = (PlanarPose::new(1.5 + 1e-12, 0.4, 0.7), PlanarPose::new(0.0, 0.0, 0.0));
        let mut out = Vec::new();
        collide((&disc, &at), (&brick, &origin), 1.0, &mut out);
        assert_eq!(out[0].normal, Vector3::x());
        assert!((out[0].gap - 1e-12).abs() < 1e-15);
    }
}
