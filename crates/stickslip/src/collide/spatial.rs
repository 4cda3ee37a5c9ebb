//! Contact of spheres, boxes, capsules, cylinders, cones, (super-)ellipsoids and intersections of these and half-spaces, convex polyhedra and half-spaces.
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
//! - convex polyhedra with each other, boxes and capsules: `hulls.rs`; with half-spaces every vertex; with spheres the closest
//!   point. Features: the codes of `hull.rs`.
//! - cylinders with spheres and half-spaces, cones with half-spaces: `cylinders.rs`; ellipsoids and super-ellipsoids with half-spaces: the
//!   support point, `gap = n · (c − p) − h(−n)`. All of them with all others: `curved/`.
//! - meshes with each other and all others: `meshes.rs`. Two of more than 8192 triangles do not touch: [`can_collide`] says so, and a world
//!   with such a pair is refused.
//! - compounds: all pairs of parts (`parts.rs`), each as it would have alone.
//!
//! No length appears that is not a length of the shapes: scaling a scene by a power of two scales every bit.

use super::box_point::{closest, corner_sign, direction};
use super::capsules::{self, Capsule};
use super::cylinders::{self, Cylinder};
use super::hull::{Hull, Room};
use super::parts::{around, number, parts};
use super::{Aabb, ContactPoint, box_box, capsule_box, curved, hulls, meshes};
use crate::body::spatial::SpatialPose;
use crate::shape::{ConvexPolyhedron, Implicit, Intersection, SpatialShape, Surface, TriangleMesh};
use nalgebra::Vector3;

/// The bounding box of a placed shape.
pub fn bounds(shape: &SpatialShape, pose: &SpatialPose) -> Aabb {
    let extent = match shape {
        SpatialShape::Sphere { radius } => Vector3::repeat(*radius),
        SpatialShape::Box { half } => pose.r.abs() * Vector3::from(*half),
        SpatialShape::Capsule { radius, half } => pose.r.column(2).abs() * *half + Vector3::repeat(*radius),
        SpatialShape::Cylinder { radius, half } => {
            let across = |k: usize| pose.r[(k, 0)].hypot(pose.r[(k, 1)]);
            pose.r.column(2).abs() * *half + Vector3::new(across(0), across(1), across(2)) * *radius
        }
        SpatialShape::Cone { radius, height } => return cone_bounds((*radius, *height), pose),
        SpatialShape::Ellipsoid { semi_axes } => along_axes(&Implicit::ellipsoid(*semi_axes), pose),
        SpatialShape::SuperEllipsoid { semi_axes, exponents } => {
            along_axes(&Implicit { semi_axes: *semi_axes, exponents: *exponents }, pose)
        }
        SpatialShape::Intersection(shape) => return common_bounds(shape, pose),
        SpatialShape::Convex(hull) => return about(hull.vertices(), pose),
        SpatialShape::Mesh(mesh) => return about(mesh.vertices(), pose),
        SpatialShape::Compound(_) => {
            return parts(shape)
                .map(|(_, part, at)| bounds(part, &pose.then(&at)))
                .fold(Aabb::NOTHING, |all, b| all.with(&b));
        }
        SpatialShape::HalfSpace => return Aabb::EVERYTHING,
    };
    Aabb { min: pose.p - extent, max: pose.p + extent }
}

/// How far a smooth shape reaches along the world's axes.
fn along_axes(shape: &Implicit, pose: &SpatialPose) -> Vector3<f64> {
    Vector3::from_fn(|k, _| shape.support(&pose.r.row(k).transpose()))
}

/// What the boxes about the smooth parts of an intersection have in common.
fn common_bounds(shape: &Intersection, pose: &SpatialPose) -> Aabb {
    let boxes = shape.surfaces().iter().filter_map(|s| match s {
        Surface::Smooth { shape, pose: at } => {
            let placed = pose.then(at);
            let extent = along_axes(shape, &placed);
            Some(Aabb { min: placed.p - extent, max: placed.p + extent })
        }
        Surface::Plane { .. } => None,
    });
    boxes.fold(Aabb::EVERYTHING, |all, b| Aabb { min: all.min.sup(&b.min), max: all.max.inf(&b.max) })
}

fn about(vertices: &[Vector3<f64>], pose: &SpatialPose) -> Aabb {
    let corners = vertices.iter().map(|v| pose.p + pose.r * v);
    corners.map(|v| Aabb { min: v, max: v }).fold(Aabb::NOTHING, |all, b| all.with(&b))
}

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

/// The least box about a cone: about its base and its apex.
fn cone_bounds((radius, height): (f64, f64), pose: &SpatialPose) -> Aabb {
    let axis: Vector3<f64> = pose.r.column(2).into();
    let (base, apex) = (pose.p - axis * (0.25 * height), pose.p + axis * (0.75 * height));
    let across = Vector3::from_fn(|k, _| pose.r[(k, 0)].hypot(pose.r[(k, 1)])) * radius;
    Aabb { min: base - across, max: base + across }.with(&Aabb { min: apex, max: apex })
}

/// Appends the contact points of two placed shapes whose gap is at most `reach`. Two half-spaces have none.
pub fn collide(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    use SpatialShape::{Box, HalfSpace, Sphere};
    match (a.0, b.0) {
        (SpatialShape::Compound(_), _) | (_, SpatialShape::Compound(_)) => compounds(a, b, reach, out),
        (SpatialShape::Mesh(mesh), _) => with_mesh((mesh, a.1), b, reach, out),
        (_, SpatialShape::Mesh(_)) => swapped(a, b, reach, out),
        (shape, HalfSpace) if is_curved(shape) => curved_half_space(a, b.1, reach, out),
        (SpatialShape::Cylinder { radius: r, half }, Sphere { radius }) => {
            let cylinder = Cylinder { radius: *r, half: *half, pose: a.1 };
            keep(cylinders::sphere((*radius, &b.1.p), cylinder).swapped(), reach, out);
        }
        (shape, other) if is_curved(shape) && !matches!(other, HalfSpace) => {
            curved::collide(a, b, reach, out)
        }
        (_, shape) if is_curved(shape) => swapped(a, b, reach, out),
        (SpatialShape::Convex(hull), HalfSpace) => convex_half_space((hull, a.1), b.1, reach, out),
        (SpatialShape::Convex(hull), Sphere { radius }) => {
            keep(sphere_convex((*radius, &b.1.p), (hull, a.1)).swapped(), reach, out);
        }
        (SpatialShape::Convex(_), _)
        | (SpatialShape::Capsule { .. } | Box { .. }, SpatialShape::Convex(_)) => {
            let (mut room_a, mut room_b) = (Room::default(), Room::default());
            if let (Some(x), Some(y)) = (Hull::new(a.0, &mut room_a), Hull::new(b.0, &mut room_b)) {
                hulls::collide((x, a.1), (y, b.1), reach, out);
            }
        }
        (SpatialShape::Capsule { radius, half }, _) => {
            let capsule = Capsule { radius: *radius, half: *half, pose: a.1 };
            with_capsule(capsule, b, reach, out);
        }
        (Sphere { radius: ra }, Sphere { radius: rb }) => {
            keep(sphere_sphere((*ra, &a.1.p), (*rb, &b.1.p)), reach, out);
        }
        (Sphere { radius }, HalfSpace) => keep(sphere_half_space((*radius, &a.1.p), b.1), reach, out),
        (Sphere { radius }, Box { half }) => keep(sphere_box((*radius, &a.1.p), (half, b.1)), reach, out),
        (Box { half }, HalfSpace) => box_half_space((half, a.1), b.1, reach, out),
        (Box { half: ha }, Box { half: hb }) => box_box::collide((ha, a.1), (hb, b.1), reach, out),
        (HalfSpace, HalfSpace) => {}
        (_, SpatialShape::Capsule { .. } | SpatialShape::Convex(_))
        | (HalfSpace, _)
        | (Box { .. }, Sphere { .. }) => swapped(a, b, reach, out),
        // curved shapes were met above
        _ => {}
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

/// True for the shapes of `curved/`.
fn is_curved(shape: &SpatialShape) -> bool {
    use SpatialShape::{Cone, Cylinder, Ellipsoid, Intersection, SuperEllipsoid};
    matches!(
        shape,
        Cylinder { .. } | Cone { .. } | Ellipsoid { .. } | SuperEllipsoid { .. } | Intersection(_)
    )
}

/// Appends the contacts of a curved shape with a half-space.
pub(super) fn curved_half_space(
    (shape, pose): (&SpatialShape, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    match shape {
        SpatialShape::Cylinder { radius, half } => {
            cylinders::with_half_space(Cylinder { radius: *radius, half: *half, pose }, plane, reach, out);
        }
        SpatialShape::Cone { radius, height } => {
            cylinders::cone_with_half_space(((*radius, *height), pose), plane, reach, out);
        }
        SpatialShape::Intersection(shape) => curved::with_half_space((shape, pose), plane, reach, out),
        _ => {
            let Some(smooth) = shape.implicit() else { return };
            let normal: Vector3<f64> = plane.r.column(2).into();
            let w = -pose.r.tr_mul(&normal);
            let gap = normal.dot(&(pose.p - plane.p)) - smooth.support(&w);
            let p_a = pose.p + pose.r * smooth.support_point(&w);
            keep(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: 0 }, reach, out);
        }
    }
}

/// Appends the contacts of a mesh.
fn with_mesh(a: meshes::Placed, b: (&SpatialShape, &SpatialPose), reach: f64, out: &mut Vec<ContactPoint>) {
    let mut room = Room::default();
    match b.0 {
        SpatialShape::HalfSpace => meshes::with_half_space(a, b.1, reach, out),
        SpatialShape::Mesh(mesh) => meshes::with_mesh(a, (mesh, b.1), reach, out),
        SpatialShape::Sphere { radius } => {
            let first = out.len();
            meshes::with_sphere((*radius, &b.1.p), a, reach, out);
            out[first..].iter_mut().for_each(|point| *point = point.swapped());
        }
        other => {
            let relative = SpatialPose { p: a.1.r.tr_mul(&(b.1.p - a.1.p)), r: a.1.r.tr_mul(&b.1.r) };
            let around = bounds(other, &relative);
            if is_curved(other) {
                meshes::with_curved(a, b, &around, reach, out);
            } else if let Some(hull) = Hull::new(other, &mut room) {
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
        SpatialShape::Sphere { radius } => {
            keep(capsules::sphere((*radius, &b.1.p), a).swapped(), reach, out);
        }
        SpatialShape::Box { half } => capsule_box::collide(a, (half, b.1), reach, out),
        SpatialShape::Capsule { radius, half } => {
            capsules::collide(a, Capsule { radius: *radius, half: *half, pose: b.1 }, reach, out);
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
    ContactPoint { p_a, p_b, normal, gap: distance - a.0 - b.0, feature: 0 }
}

fn sphere_half_space((radius, centre): (f64, &Vector3<f64>), plane: &SpatialPose) -> ContactPoint {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let height = normal.dot(&(centre - plane.p));
    let (p_a, p_b) = (centre - normal * radius, centre - normal * height);
    ContactPoint { p_a, p_b, normal, gap: height - radius, feature: 0 }
}

fn sphere_box((radius, centre): (f64, &Vector3<f64>), (half, pose): box_box::Placed) -> ContactPoint {
    let near = closest(&pose.r.tr_mul(&(centre - pose.p)), &Vector3::from(*half));
    let normal = pose.r * near.normal;
    let (p_a, p_b) = (centre - normal * radius, pose.p + pose.r * near.point);
    ContactPoint { p_a, p_b, normal, gap: near.distance - radius, feature: near.code }
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
            out.push(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: vertex as u64 });
        }
    }
}

fn sphere_convex(
    (radius, centre): (f64, &Vector3<f64>),
    (hull, pose): (&ConvexPolyhedron, &SpatialPose),
) -> ContactPoint {
    let near = Hull::stored(hull).closest(&pose.r.tr_mul(&(centre - pose.p)));
    let normal = pose.r * near.normal;
    let (p_a, p_b) = (centre - normal * radius, pose.p + pose.r * near.point);
    ContactPoint { p_a, p_b, normal, gap: near.distance - radius, feature: near.code }
}

fn convex_half_space(
    (hull, pose): (&ConvexPolyhedron, &SpatialPose),
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let (height, m) = (normal.dot(&(pose.p - plane.p)), pose.r.tr_mul(&normal));
    for (feature, v) in hull.vertices().iter().enumerate() {
        let gap = height + m.dot(v);
        if gap <= reach {
            let p_a = pose.p + pose.r * v;
            out.push(ContactPoint { p_a, p_b: p_a - normal * gap, normal, gap, feature: feature as u64 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    fn at(x: f64, y: f64, z: f64) -> SpatialPose {
        SpatialPose { p: Vector3::new(x, y, z), r: Matrix3::identity() }
    }

    #[test]
    fn a_resting_box_touches_the_floor_with_its_four_lower_vertices() {
        let (cube, mut out) = (SpatialShape::Box { half: [1.0, 2.0, 3.0] }, Vec::new());
        collide((&cube, &at(0.0, 0.0, 3.0)), (&SpatialShape::HalfSpace, &at(5.0, 5.0, 0.0)), 0.0, &mut out);
        assert_eq!(out.iter().map(|c| c.feature).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(out.iter().all(|c| c.gap == 0.0 && c.normal == Vector3::z()));
    }

    #[test]
    fn a_sphere_just_above_a_face_has_the_normal_of_the_face() {
        let (ball, cube) = (SpatialShape::Sphere { radius: 0.5 }, SpatialShape::Box { half: [1.0; 3] });
        let mut out = Vec::new();
        collide((&cube, &at(0.0, 0.0, 0.0)), (&ball, &at(0.3, 0.2, 1.5 + 1e-12)), 1.0, &mut out);
        assert_eq!(out[0].normal, -Vector3::z());
        assert!((out[0].gap - 1e-12).abs() < 1e-15);
    }
}
