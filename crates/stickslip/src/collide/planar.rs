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
//! - capsule or polygon with a half-plane: every vertex of the core, `gap = n · (x − p) − r`. With a disc: the closest point
//!   of the core. Features: the codes of `polygons.rs`.
//! - compounds: all pairs of parts.
//!
//! No length appears that is not a length of the shapes: scaling a scene by a power of two scales every bit.

use super::box_point::{closest, corner_sign, direction};
use super::polygons::{self, Core, Room};
use super::{Aabb, ContactPoint, rectangles};
use crate::body::planar::PlanarPose;
use crate::shape::PlanarShape;
use nalgebra::{Vector2, Vector3};

/// The bounding box of a placed shape.
pub fn bounds(shape: &PlanarShape, pose: &PlanarPose) -> Aabb {
    let extent = match shape {
        PlanarShape::Disc { radius } => Vector2::repeat(*radius),
        PlanarShape::Box { half: [x, y] } => {
            let (cos, sin) = (pose.cos.abs(), pose.sin.abs());
            Vector2::new(cos * x + sin * y, sin * x + cos * y)
        }
        PlanarShape::Capsule { radius, half } => {
            Vector2::new(pose.cos.abs(), pose.sin.abs()) * *half + Vector2::repeat(*radius)
        }
        PlanarShape::Polygon(polygon) => {
            let none = (Vector2::repeat(f64::INFINITY), Vector2::repeat(f64::NEG_INFINITY));
            let corners = polygon.vertices().iter().map(|v| pose.p + pose.rotate(*v));
            let (min, max) = corners.fold(none, |(low, high), v| (low.inf(&v), high.sup(&v)));
            return Aabb { min: in_space(min), max: in_space(max) };
        }
        PlanarShape::Compound(_) => {
            return parts((shape, pose))
                .map(|(_, part, pose)| bounds(part, &pose))
                .fold(Aabb::NOTHING, |all, b| all.with(&b));
        }
        PlanarShape::HalfPlane => return Aabb::EVERYTHING,
    };
    Aabb { min: in_space(pose.p - extent), max: in_space(pose.p + extent) }
}

/// Appends the contact points of two placed shapes whose gap is at most `reach`. Two half-planes have none.
pub fn collide(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    use PlanarShape::{Box, Capsule, Disc, HalfPlane, Polygon};
    match (a.0, b.0) {
        (PlanarShape::Compound(_), _) | (_, PlanarShape::Compound(_)) => compounds(a, b, reach, out),
        (Disc { radius: ra }, Disc { radius: rb }) => keep(disc_disc((*ra, a.1.p), (*rb, b.1.p)), reach, out),
        (Disc { radius }, HalfPlane) => keep(disc_half_plane((*radius, a.1.p), b.1), reach, out),
        (Disc { radius }, Box { half }) => keep(disc_box((*radius, a.1.p), (half, b.1)), reach, out),
        (Box { half }, HalfPlane) => box_half_plane((half, a.1), b.1, reach, out),
        (Box { half: ha }, Box { half: hb }) => rectangles::collide((ha, a.1), (hb, b.1), reach, out),
        (HalfPlane, HalfPlane) => {}
        (Capsule { .. } | Polygon(_), HalfPlane) => core_half_plane(a, b.1, reach, out),
        (Disc { radius }, Capsule { .. } | Polygon(_)) => disc_core((*radius, a.1.p), b, reach, out),
        (Box { .. } | Capsule { .. } | Polygon(_), Box { .. } | Capsule { .. } | Polygon(_)) => {
            let (mut room_a, mut room_b) = (Room::default(), Room::default());
            let cores = (Core::new(a.0, &mut room_a), Core::new(b.0, &mut room_b));
            if let (Some(core_a), Some(core_b)) = cores {
                polygons::collide((core_a, a.1), (core_b, b.1), reach, out);
            }
        }
        (HalfPlane, _) | (Box { .. } | Capsule { .. } | Polygon(_), Disc { .. }) => {
            let first = out.len();
            collide(b, a, reach, out);
            out[first..].iter_mut().for_each(|point| *point = point.swapped());
        }
    }
}

/// Appends the contacts of two bodies of which at least one is a compound: of all pairs of parts. Feature: the parts'
/// contact's, and the numbers of the parts of a and of b, worth 2^16 and 2^24.
fn compounds(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    for (i, shape_a, pose_a) in parts(a) {
        let around = bounds(shape_a, &pose_a).grown(reach.max(0.0));
        for (j, shape_b, pose_b) in parts(b) {
            if around.touches(&bounds(shape_b, &pose_b)) {
                let first = out.len();
                collide((shape_a, &pose_a), (shape_b, &pose_b), reach, out);
                out[first..].iter_mut().for_each(|point| point.feature += (i << 16) + (j << 24));
            }
        }
    }
}

/// The parts of a placed shape with their numbers and placements: of one that is no compound, itself.
fn parts<'a>(
    (shape, pose): (&'a PlanarShape, &'a PlanarPose),
) -> impl Iterator<Item = (u32, &'a PlanarShape, PlanarPose)> {
    let (parts, alone) = match shape {
        PlanarShape::Compound(parts) => (parts.as_slice(), None),
        shape => (&[][..], Some((0, shape, *pose))),
    };
    let placed = parts.iter().enumerate().map(|(i, (at, part))| (i as u32, part, pose.then(at)));
    alone.into_iter().chain(placed)
}

/// A planar vector in space.
pub(super) fn in_space(v: Vector2<f64>) -> Vector3<f64> {
    Vector3::new(v.x, v.y, 0.0)
}

/// A contact point from planar parts.
pub(super) fn contact(p: [Vector2<f64>; 2], normal: Vector2<f64>, gap: f64, feature: u32) -> ContactPoint {
    ContactPoint { p_a: in_space(p[0]), p_b: in_space(p[1]), normal: in_space(normal), gap, feature }
}

fn keep(point: ContactPoint, reach: f64, out: &mut Vec<ContactPoint>) {
    if point.gap <= reach {
        out.push(point);
    }
}

fn disc_disc(a: (f64, Vector2<f64>), b: (f64, Vector2<f64>)) -> ContactPoint {
    let (normal, distance) = direction(&(a.1 - b.1)).unwrap_or((Vector2::y(), 0.0));
    contact([a.1 - normal * a.0, b.1 + normal * b.0], normal, distance - a.0 - b.0, 0)
}

fn disc_half_plane((radius, centre): (f64, Vector2<f64>), plane: &PlanarPose) -> ContactPoint {
    let normal = Vector2::new(-plane.sin, plane.cos);
    let height = normal.dot(&(centre - plane.p));
    contact([centre - normal * radius, centre - normal * height], normal, height - radius, 0)
}

fn disc_box((radius, centre): (f64, Vector2<f64>), (half, pose): rectangles::Placed) -> ContactPoint {
    let near = closest(&pose.unrotate(centre - pose.p), &Vector2::from(*half));
    let normal = pose.rotate(near.normal);
    let points = [centre - normal * radius, pose.p + pose.rotate(near.point)];
    contact(points, normal, near.distance - radius, near.code)
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
            out.push(contact([point, point - normal * gap], normal, gap, vertex as u32));
        }
    }
}

fn core_half_plane(
    (shape, pose): (&PlanarShape, &PlanarPose),
    plane: &PlanarPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (mut room, normal) = (Room::default(), Vector2::new(-plane.sin, plane.cos));
    let Some(core) = Core::new(shape, &mut room) else { return };
    let height = normal.dot(&(pose.p - plane.p)) - core.radius;
    for (vertex, code) in core.vertices() {
        let arm = pose.rotate(vertex);
        let gap = height + normal.dot(&arm);
        if gap <= reach {
            let point = pose.p + arm - normal * core.radius;
            out.push(contact([point, point - normal * gap], normal, gap, code));
        }
    }
}

fn disc_core(
    (radius, centre): (f64, Vector2<f64>),
    (shape, pose): (&PlanarShape, &PlanarPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let mut room = Room::default();
    let Some(core) = Core::new(shape, &mut room) else { return };
    let near = core.closest(&pose.unrotate(centre - pose.p));
    let normal = pose.rotate(near.normal);
    let on_core = pose.p + pose.rotate(near.point) + normal * core.radius;
    let gap = near.distance - (radius + core.radius);
    keep(contact([centre - normal * radius, on_core], normal, gap, near.code), reach, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resting_box_touches_the_ground_with_its_two_lower_vertices() {
        let (brick, mut out) = (PlanarShape::Box { half: [2.0, 1.0] }, Vec::new());
        let (up, ground) = (PlanarPose::new(0.0, 1.0, 0.0), PlanarPose::new(3.0, 0.0, 0.0));
        collide((&brick, &up), (&PlanarShape::HalfPlane, &ground), 0.0, &mut out);
        assert_eq!(out.iter().map(|c| c.feature).collect::<Vec<_>>(), [0, 1]);
        assert!(out.iter().all(|c| c.gap == 0.0 && c.normal == Vector3::y()));
    }

    #[test]
    fn a_disc_just_beside_a_face_has_the_normal_of_the_face() {
        let (disc, brick) = (PlanarShape::Disc { radius: 0.5 }, PlanarShape::Box { half: [1.0, 1.0] });
        let (at, origin) = (PlanarPose::new(1.5 + 1e-12, 0.4, 0.7), PlanarPose::new(0.0, 0.0, 0.0));
        let mut out = Vec::new();
        collide((&disc, &at), (&brick, &origin), 1.0, &mut out);
        assert_eq!(out[0].normal, Vector3::x());
        assert!((out[0].gap - 1e-12).abs() < 1e-15);
    }
}
