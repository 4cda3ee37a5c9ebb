//! Contact of spheres, boxes, capsules, cylinders, cones, (super-)ellipsoids and intersections of these and
//! half-spaces, convex polyhedra and half-spaces.
//!
//! With n the unit normal from b to a, every contact point satisfies `gap = n · (p_a − p_b)` and `p_a − p_b = gap n`,
//! so the gap's rate is `n · (v_a(p_a) − v_b(p_b))` where the features are a vertex, a sphere or a face.
//!
//! - sphere–sphere: `gap = |c_a − c_b| − r_a − r_b` along the line of centres (the world's z where they coincide).
//! - sphere–half-space: `gap = n · (c − p) − r`.
//! - sphere–box: the closest point of the box (`box_point.rs`) less the radius. Near a face the normal is that face's,
//!   a column of the rotation, so it is right to rounding at any gap. Feature: the code of the box's feature.
//! - box–half-space: every vertex is a contact, `gap = n · (c − p) + sum_k ± h_k n · b_k`. Feature: the vertex, bit k
//!   set on the positive side of axis k.
//! - box–box: `box_box.rs`; capsules: `capsules.rs`, with boxes `capsule_box.rs`.
//! - convex polyhedra with each other, boxes and capsules: `hulls.rs`; with half-spaces every vertex; with spheres the
//!   closest point. Features: the codes of `hull.rs`.
//! - cylinders with spheres and half-spaces, cones with half-spaces: `cylinders.rs`; ellipsoids and super-ellipsoids
//!   with half-spaces: the support point, `gap = n · (c − p) − h(−n)`. All of them with all others: `curved/`.
//! - meshes with each other and all others: `meshes.rs`. Two of more than 8192 triangles do not touch: [`can_collide`]
//!   says so, and a world with such a pair is refused.
//! - compounds: all pairs of parts (`parts.rs`), each as it would have alone.
//!
//! No length appears that is not a length of the shapes: scaling a scene by a power of two scales every bit.

use super::box_point::{closest, corner_sign, direction, feature};
use super::capsules::{self, Capsule};
use super::hull::{Hull, Room};
use super::parts::{around, number, parts};
use super::{CURVED, ContactPoint, Feature, ON_FACE, box_box, capsule_box, curved, cylinders, hulls, meshes};
use crate::body::spatial::SpatialPose;
use crate::shape::{SpatialShape, TriangleMesh};
use nalgebra::Vector3;

/// True when the contacts of two shapes can be found: all but those of two large meshes.
pub fn can_collide(a: &SpatialShape, b: &SpatialShape) -> bool {
    let few = |mesh: &TriangleMesh| mesh.count() <= meshes::PAIR;
    parts(a).all(|(_, x, _)| {
        parts(b).all(|(_, y, _)| match (x, y) {
            (SpatialShape::Mesh(x), SpatialShape::Mesh(y)) => few(x) && few(y),
            _ => true,
        })
    })
}

/// Appends the contact points of two placed shapes whose gap is at most `reach`. Two half-spaces have none.
pub fn collide(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    use SpatialShape::{Box, Compound, Cylinder, HalfSpace, Mesh, Sphere};
    match (a.0, b.0) {
        (Compound(_), _) | (_, Compound(_)) => compounds(a, b, reach, out),
        (Mesh(mesh), _) => with_mesh((mesh, a.1), b, reach, out),
        (_, Mesh(_)) => swapped(a, b, reach, out),
        (shape, HalfSpace) if is_curved(shape) => curved_half_space(a, b.1, reach, out),
        (Cylinder(cylinder), Sphere(sphere)) => {
            keep(cylinders::sphere((sphere.radius, &b.1.p), (cylinder, a.1)).swapped(), reach, out);
        }
        (shape, other) if is_curved(shape) && !matches!(other, HalfSpace) => {
            curved::collide(a, b, reach, out)
        }
        (_, shape) if is_curved(shape) => swapped(a, b, reach, out),
        (HalfSpace, HalfSpace) => {}
        (Sphere(x), Sphere(y)) => keep(sphere_sphere((x.radius, &a.1.p), (y.radius, &b.1.p)), reach, out),
        (Sphere(x), HalfSpace) => keep(sphere_half_space((x.radius, &a.1.p), b.1), reach, out),
        (Sphere(x), Box(y)) => keep(sphere_box((x.radius, &a.1.p), (&y.half, b.1)), reach, out),
        (Box(x), HalfSpace) => box_half_space((&x.half, a.1), b.1, reach, out),
        (Box(x), Box(y)) => box_box::collide((&x.half, a.1), (&y.half, b.1), reach, out),
        (SpatialShape::Capsule(x), HalfSpace | Sphere(_) | Box(_) | SpatialShape::Capsule(_)) => {
            let capsule = Capsule { radius: x.radius, half: x.half, pose: a.1 };
            with_capsule(capsule, b, reach, out);
        }
        (HalfSpace | Sphere(_), _) | (Box(_), Sphere(_) | SpatialShape::Capsule(_)) => {
            swapped(a, b, reach, out)
        }
        (x, y) => faceted((x, a.1), (y, b.1), reach, out),
    }
}

/// Appends the contacts of a polyhedron with another, a sphere or a half-space.
fn faceted(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let Some(hull) = a.0.geometry().hull(&mut room_a) else { return };
    match b.0 {
        SpatialShape::HalfSpace => hull_half_space((hull, a.1), b.1, reach, out),
        SpatialShape::Sphere(sphere) => {
            keep(sphere_hull((sphere.radius, &b.1.p), (hull, a.1)).swapped(), reach, out);
        }
        other => {
            if let Some(other) = other.geometry().hull(&mut room_b) {
                hulls::collide((hull, a.1), (other, b.1), reach, out);
            }
        }
    }
}

/// The contacts of the bodies in the other order.
fn swapped(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    collide(b, a, reach, out);
    out[first..].iter_mut().for_each(|point| *point = point.swapped());
}

/// The pieces of two curved shapes that a contact is of, as a number for [`follow`]; none where it has to be found
/// anew.
pub fn pieces(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    point: &ContactPoint,
) -> Option<u64> {
    match followed(a.0, b.0)? {
        false => curved::pieces(a, b, point),
        true => curved::pieces(b, a, &point.swapped()),
    }
}

/// The contact of the pieces of two curved shapes that touched at points of both, along a normal, a moment before; none
/// where it has to be found anew. It has the number of its pieces.
pub fn follow(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    ([p_a, p_b], normal): ([Vector3<f64>; 2], Vector3<f64>),
    pieces: u64,
) -> Option<ContactPoint> {
    match followed(a.0, b.0)? {
        false => curved::follow(a, b, (&p_b, &normal), pieces),
        true => curved::follow(b, a, (&p_a, &-normal), pieces).map(|point| point.swapped()),
    }
}

/// Whether the contacts of two shapes are followed in the other order; none where they are not.
fn followed(a: &SpatialShape, b: &SpatialShape) -> Option<bool> {
    use SpatialShape::{Compound, Cylinder, HalfSpace, Mesh, Sphere};
    match (a, b) {
        (Compound(_) | Mesh(_) | HalfSpace, _) | (_, Compound(_) | Mesh(_) | HalfSpace) => None,
        (Cylinder(_), Sphere(_)) | (Sphere(_), Cylinder(_)) => None,
        (x, _) if is_curved(x) => Some(false),
        (_, y) if is_curved(y) => Some(true),
        _ => None,
    }
}

/// True for the shapes of `curved/`.
fn is_curved(shape: &SpatialShape) -> bool {
    shape.geometry().curved().is_some()
}

/// Appends the contacts of a curved shape with a half-space.
pub(super) fn curved_half_space(
    (shape, pose): (&SpatialShape, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    match shape {
        SpatialShape::Cylinder(cylinder) => cylinders::with_half_space((cylinder, pose), plane, reach, out),
        SpatialShape::Cone(cone) => cylinders::cone_with_half_space((cone, pose), plane, reach, out),
        SpatialShape::Intersection(shape) => curved::with_half_space((shape, pose), plane, reach, out),
        _ => {
            let Some(solid) = shape.geometry().curved() else { return };
            let normal: Vector3<f64> = plane.r.column(2).into();
            let w = -pose.r.tr_mul(&normal);
            let gap = normal.dot(&(pose.p - plane.p)) - solid.support(&w);
            let p_a = pose.p + pose.r * solid.support_point(&w);
            keep(
                ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: 0, features: CURVED },
                reach,
                out,
            );
        }
    }
}

/// Appends the contacts of a mesh.
fn with_mesh(a: meshes::Placed, b: (&SpatialShape, &SpatialPose), reach: f64, out: &mut Vec<ContactPoint>) {
    let mut room = Room::default();
    match b.0 {
        SpatialShape::HalfSpace => meshes::with_half_space(a, b.1, reach, out),
        SpatialShape::Mesh(mesh) => meshes::with_mesh(a, (mesh, b.1), reach, out),
        SpatialShape::Sphere(sphere) => {
            let first = out.len();
            meshes::with_sphere((sphere.radius, &b.1.p), a, reach, out);
            out[first..].iter_mut().for_each(|point| *point = point.swapped());
        }
        other => {
            let relative = SpatialPose { p: a.1.r.tr_mul(&(b.1.p - a.1.p)), r: a.1.r.tr_mul(&b.1.r) };
            let around = other.bounds(&relative);
            if is_curved(other) {
                meshes::with_curved(a, b, &around, reach, out);
            } else if let Some(hull) = other.geometry().hull(&mut room) {
                meshes::with_hull(a, (hull, b.1), &around, reach, out);
            }
        }
    }
}

/// Appends the contacts of two bodies of which at least one is a compound: of all pairs of parts. Features: `parts.rs`.
fn compounds(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    for part_a in parts(a.0) {
        let pose_a = a.1.then(&part_a.2);
        let near = around(part_a.1, &pose_a).grown(reach.max(0.0));
        for part_b in parts(b.0) {
            let pose_b = b.1.then(&part_b.2);
            if near.touches(&around(part_b.1, &pose_b)) {
                let first = out.len();
                collide((part_a.1, &pose_a), (part_b.1, &pose_b), reach, out);
                out[first..].iter_mut().for_each(|point| point.feature += number(&part_a, &part_b));
            }
        }
    }
}

/// The number of parts, which contacts are numbered by.
pub fn count_parts(shape: &SpatialShape) -> usize {
    match shape {
        SpatialShape::Compound(parts) => parts.len(),
        _ => 1,
    }
}

fn with_capsule(a: Capsule, b: (&SpatialShape, &SpatialPose), reach: f64, out: &mut Vec<ContactPoint>) {
    match b.0 {
        SpatialShape::HalfSpace => capsules::with_half_space(a, b.1, reach, out),
        SpatialShape::Sphere(sphere) => {
            keep(capsules::sphere((sphere.radius, &b.1.p), a).swapped(), reach, out);
        }
        SpatialShape::Box(other) => capsule_box::collide(a, (&other.half, b.1), reach, out),
        SpatialShape::Capsule(other) => {
            capsules::collide(a, Capsule { radius: other.radius, half: other.half, pose: b.1 }, reach, out);
        }
        // met in `collide`
        _ => {}
    }
}

fn keep(point: ContactPoint, reach: f64, out: &mut Vec<ContactPoint>) {
    if point.gap <= reach {
        out.push(point);
    }
}

fn sphere_sphere(a: (f64, &Vector3<f64>), b: (f64, &Vector3<f64>)) -> ContactPoint {
    let (normal, distance) = direction(&(a.1 - b.1)).unwrap_or((Vector3::z(), 0.0));
    let (p_a, p_b) = (a.1 - normal * a.0, b.1 + normal * b.0);
    ContactPoint {
        p_a,
        p_b,
        normal,
        gap: distance - a.0 - b.0,
        feature: 0,
        features: [Feature::Point(a.0), Feature::Point(b.0)],
    }
}

fn sphere_half_space((radius, centre): (f64, &Vector3<f64>), plane: &SpatialPose) -> ContactPoint {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let height = normal.dot(&(centre - plane.p));
    let (p_a, p_b) = (centre - normal * radius, centre - normal * height);
    ContactPoint {
        p_a,
        p_b,
        normal,
        gap: height - radius,
        feature: 0,
        features: [Feature::Point(radius), Feature::Face],
    }
}

fn sphere_box((radius, centre): (f64, &Vector3<f64>), (half, pose): box_box::Placed) -> ContactPoint {
    let near = closest(&pose.r.tr_mul(&(centre - pose.p)), &Vector3::from(*half));
    let normal = pose.r * near.normal;
    let (p_a, p_b) = (centre - normal * radius, pose.p + pose.r * near.point);
    let features = [Feature::Point(radius), feature::<3>(near.code, |k| pose.r.column(k).into())];
    ContactPoint { p_a, p_b, normal, gap: near.distance - radius, feature: near.code, features }
}

fn box_half_space(
    (half, pose): box_box::Placed,
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let height = normal.dot(&(pose.p - plane.p));
    let edges = [0, 1, 2].map(|k| pose.r.column(k) * half[k]);
    let rises = edges.map(|edge| normal.dot(&edge));
    if height - rises.iter().map(|rise| rise.abs()).sum::<f64>() > reach {
        return;
    }
    for vertex in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| corner_sign(vertex, k));
        let gap = height + (x * rises[0] + y * rises[1] + z * rises[2]);
        if gap <= reach {
            let p_a = pose.p + (edges[0] * x + edges[1] * y + edges[2] * z);
            out.push(ContactPoint {
                p_a,
                p_b: p_a - normal * gap,
                normal,
                gap,
                feature: vertex as u64,
                features: ON_FACE,
            });
        }
    }
}

fn sphere_hull((radius, centre): (f64, &Vector3<f64>), (hull, pose): (Hull, &SpatialPose)) -> ContactPoint {
    let near = hull.closest(&pose.r.tr_mul(&(centre - pose.p)));
    let normal = pose.r * near.normal;
    let (p_a, p_b) = (centre - normal * radius, pose.p + pose.r * near.point + normal * hull.radius);
    let gap = near.distance - radius - hull.radius;
    let features = [Feature::Point(radius), hull.feature(near.code, |d| pose.r * d)];
    ContactPoint { p_a, p_b, normal, gap, feature: near.code, features }
}

fn hull_half_space(
    (hull, pose): (Hull, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let (height, m) = (normal.dot(&(pose.p - plane.p)) - hull.radius, pose.r.tr_mul(&normal));
    for (feature, v) in hull.vertices.iter().enumerate() {
        let gap = height + m.dot(v);
        if gap <= reach {
            let p_a = pose.p + pose.r * v - normal * hull.radius;
            let (feature, features) = (feature as u64, [Feature::Point(hull.radius), Feature::Face]);
            out.push(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature, features });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Cuboid, Sphere};
    use nalgebra::Matrix3;

    fn at(x: f64, y: f64, z: f64) -> SpatialPose {
        SpatialPose { p: Vector3::new(x, y, z), r: Matrix3::identity() }
    }

    #[test]
    fn a_resting_box_touches_the_floor_with_its_four_lower_vertices() {
        let (cube, mut out) = (SpatialShape::Box(Cuboid { half: [1.0, 2.0, 3.0] }), Vec::new());
        collide((&cube, &at(0.0, 0.0, 3.0)), (&SpatialShape::HalfSpace, &at(5.0, 5.0, 0.0)), 0.0, &mut out);
        assert_eq!(out.iter().map(|c| c.feature).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(out.iter().all(|c| c.gap == 0.0 && c.normal == Vector3::z()));
    }

    #[test]
    fn a_sphere_just_above_a_face_has_the_normal_of_the_face() {
        let (ball, cube) =
            (SpatialShape::Sphere(Sphere { radius: 0.5 }), SpatialShape::Box(Cuboid { half: [1.0; 3] }));
        let mut out = Vec::new();
        collide((&cube, &at(0.0, 0.0, 0.0)), (&ball, &at(0.3, 0.2, 1.5 + 1e-12)), 1.0, &mut out);
        assert_eq!(out[0].normal, -Vector3::z());
        assert!((out[0].gap - 1e-12).abs() < 1e-15);
    }
}
