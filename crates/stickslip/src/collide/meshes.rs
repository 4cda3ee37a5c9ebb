//! Contact of triangle meshes with convex shapes, half-spaces and each other.
//!
//! The tree of the mesh (`shape/spatial/mesh/tree.rs`) gives the triangles near a body. A triangle is a polyhedron with
//! two faces, the back of which nothing touches; its contacts with a polyhedron are those of `hulls.rs` that eq. (1)
//! and
//! (2) of `shape/spatial/mesh.rs` admit; corners over a face, which it is for them to stay above, also up to 30 degrees
//! beside that. What touches a flat edge or a flat vertex touches the faces beside it, too, and is left out.
//!
//! - sphere: the closest point of every triangle, if admitted, less the radius: one contact for each place where the
//!   distance has a minimum. A centre inside a closed mesh is moved out to the closest point of the surface, and so is
//!   one behind a face of an open mesh by less than the radius.
//! - half-space: every vertex that is not flat.
//! - curved shapes: as polyhedra, by `curved/`. Exactly over a flat edge the face beside it is touched: [`SEAM`].
//!
//! [`hull_toward`] finds the contacts that a step relies on, triangle by triangle. Two meshes, and spheres, are left to
//! the features closest at the start.
//!
//! Features. With a sphere or polyhedron: `2^11 triangle + 2^8 own + other`, `own` the corners 0 to 2, the edges 3 to 5
//! and the face 6, of the first triangle that has it, `other` the code of `hull.rs`. Of two meshes of at most [`PAIR`]
//! triangles: `2^19 triangle_a + 2^6 triangle_b + 8 own_a + own_b`. With a half-space: the vertex.

mod toward;

pub(super) use toward::{carry, has_choice, hull_toward};

use super::box_point::direction;
use super::hull::{CODES, Hull, face_code};
use super::spatial::curved_half_space;
use super::{Aabb, CURVED, ContactPoint, ON_FACE, curved, hulls};
use crate::body::spatial::SpatialPose;
use crate::shape::{Face, SpatialShape, TriangleMesh};
use nalgebra::{Matrix3, Vector3};

/// The most triangles of each of two meshes that can touch each other.
pub(super) const PAIR: usize = 1 << 13;
/// Slack of the directions in which an edge or a vertex touches.
const CONE: f64 = 1e-9;
/// Sine of the angle out of the directions in which a corner touches, up to which it counts over a face.
const ROCKING: f64 = 0.5;
/// Gap, relative to a triangle's size, below which a curved shape counts as overlapping it.
const TOUCHING: f64 = 1e-12;
/// Sine of the angle from a face's normal up to which what is nearest to a flat edge of it is over the face.
const SEAM: f64 = 1e-9;

const EDGES: [[u16; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
const CORNERS: [[u16; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 2], [2, 1], [1, 0]];

/// A placed mesh.
pub(super) type Placed<'a> = (&'a TriangleMesh, &'a SpatialPose);

/// The closest point of a triangle and the feature it is on: corners 0 to 2, edges 3 to 5, the face 6.
fn closest_point(
    x: &Vector3<f64>,
    v: [Vector3<f64>; 3],
    mesh: &TriangleMesh,
    t: usize,
) -> (Vector3<f64>, usize) {
    let triangle = &mesh.triangles()[t];
    let mut outside = false;
    let mut best = (f64::INFINITY, v[0], 0);
    for k in 0..3 {
        let (a, b) = (v[k], v[(k + 1) % 3]);
        if triangle.out[k].dot(&(x - a)) <= 0.0 {
            continue;
        }
        outside = true;
        let e = b - a;
        let s = e.dot(&(x - a)) / e.norm_squared();
        let (point, code) = match s {
            s if s <= 0.0 => (a, k),
            s if s >= 1.0 => (b, (k + 1) % 3),
            s => (a + e * s, 3 + k),
        };
        let square = (x - point).norm_squared();
        if square < best.0 {
            best = (square, point, code);
        }
    }
    if outside {
        return (best.1, best.2);
    }
    (x - triangle.normal * triangle.normal.dot(&(x - v[0])), 6)
}

/// Appends the contacts of a mesh with a sphere; the mesh is body b.
pub(super) fn with_sphere(
    (radius, centre): (f64, &Vector3<f64>),
    (mesh, pose): Placed,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let x = pose.r.tr_mul(&(centre - pose.p));
    let around = Vector3::repeat(radius + reach.max(0.0));
    let first = out.len();
    // the closest features that are seen from outside, and from inside: distance, triangle, code, point, outward normal
    let (mut outer, mut inner) = (f64::INFINITY, None::<(f64, usize, usize, Vector3<f64>, Vector3<f64>)>);
    let contact = |t: usize, code: usize, point: &Vector3<f64>, normal: &Vector3<f64>, distance: f64| {
        let (normal, on_mesh) = (pose.r * normal, pose.p + pose.r * point);
        let (feature, gap) = (((t as u64) << 11) + ((code as u64) << 8), distance - radius);
        ContactPoint { p_a: on_mesh + normal * gap, p_b: on_mesh, normal, gap, feature, features: CURVED }
    };
    mesh.visit(&(x - around), &(x + around), |t| {
        let triangle = &mesh.triangles()[t];
        let (point, code) = closest_point(&x, mesh.corners(t), mesh, t);
        let height = triangle.normal.dot(&(x - point));
        let (normal, distance) = match (code, direction(&(x - point))) {
            (6, _) => (triangle.normal * if height < 0.0 { -1.0 } else { 1.0 }, height.abs()),
            (_, found) => found.unwrap_or((triangle.normal, 0.0)),
        };
        let (admitted, owned) = match code {
            6 => (height >= 0.0, true),
            3..=5 => {
                let k = code - 3;
                let faces = height > -CONE * distance;
                (
                    faces && mesh.edge_admits(t, k, &normal, CONE),
                    triangle.neighbours[k].is_none_or(|n| t < n as usize),
                )
            }
            _ => {
                let v = triangle.corners[code] as usize;
                (mesh.vertex_admits(v, &normal, CONE), mesh.owner(v) == t)
            }
        };
        if !admitted {
            if inner.is_none_or(|(other, ..)| distance < other) {
                inner = Some((distance, t, code, point, -normal));
            }
            return;
        }
        outer = outer.min(distance);
        if owned && distance - radius <= reach {
            out.push(contact(t, code, &point, &normal, distance));
        }
    });
    // inside a closed mesh, or just behind an open one, the closest feature is seen from inside
    if let Some((distance, t, code, point, normal)) = inner
        && distance < outer
        && (mesh.open_edges() == 0 || (code == 6 && distance < radius))
    {
        out.truncate(first);
        out.push(contact(t, code, &point, &normal, -distance));
    }
}

/// Appends the contacts of a mesh with a half-space; the mesh is body a.
pub(super) fn with_half_space(
    (mesh, pose): Placed,
    plane: &SpatialPose,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal: Vector3<f64> = plane.r.column(2).into();
    let (height, m) = (normal.dot(&(pose.p - plane.p)), pose.r.tr_mul(&normal));
    for (feature, v) in mesh.vertices().iter().enumerate().filter(|(k, _)| !mesh.is_flat(*k)) {
        let gap = height + m.dot(v);
        if gap <= reach {
            let p_a = pose.p + pose.r * v;
            out.push(ContactPoint {
                p_a,
                p_b: p_a - normal * gap,
                normal,
                gap,
                feature: feature as u64,
                features: ON_FACE,
            });
        }
    }
}

/// The two faces of a triangle.
fn faces(normal: Vector3<f64>) -> [Face; 2] {
    [Face { normal, first: 0, end: 3 }, Face { normal: -normal, first: 3, end: 6 }]
}

/// What feature of the triangle a code of `hull.rs` means, if a contact with it in direction d, of the mesh's frame, is
/// one of the mesh. `rim`: how far d may be out of the directions in which an edge touches.
fn admitted(mesh: &TriangleMesh, t: usize, code: u64, d: &Vector3<f64>, rim: f64) -> Option<u64> {
    let triangle = &mesh.triangles()[t];
    if triangle.normal.dot(d) < -CONE {
        return None;
    }
    match code {
        0..=2 => {
            let v = triangle.corners[code as usize] as usize;
            let good = !mesh.is_flat(v) && mesh.owner(v) == t && mesh.vertex_admits(v, d, 1e-6);
            good.then_some(code)
        }
        32..=34 => {
            let k = code as usize - 32;
            let good = !mesh.is_seam(t, k) && mesh.edge_admits(t, k, d, rim);
            good.then_some(code - 29)
        }
        122 => Some(6),
        _ => None,
    }
}

/// The triangle that stands for a feature, and which of its features that is, if a contact with it in direction d, of
/// the mesh's frame, is one of the mesh. What crosses an edge of a face that d points out of cannot pass through that
/// face, so that its edges count before they are the closest, as corners do in [`over`].
fn standing(mesh: &TriangleMesh, t: usize, code: u64, d: &Vector3<f64>) -> Option<(usize, u64)> {
    let beside = 1.0 - mesh.triangles()[t].normal.dot(d).powi(2) <= ROCKING * ROCKING;
    let own = admitted(mesh, t, code, d, if beside { ROCKING } else { 1e-6 })?;
    Some(match own {
        3..=5 => {
            let (t, k) = mesh.edge_owner(t, own as usize - 3);
            (t, k as u64 + 3)
        }
        6 => (mesh.face(t), own),
        _ => (t, own),
    })
}

/// The triangle that stands for a corner over a face of another body, and which of its corners that is, if the corner
/// is one of the mesh. Whichever way the mesh stands, the corner cannot pass through that face: it counts before it is
/// the closest, so that a rocking mesh finds its next support in time.
fn over(mesh: &TriangleMesh, t: usize, code: u64, d: &Vector3<f64>) -> Option<(usize, u64)> {
    let v = mesh.triangles()[t].corners[code as usize];
    let owner = mesh.owner(v as usize);
    let own = mesh.triangles()[owner].corners.iter().position(|c| *c == v)? as u64;
    let good = !mesh.is_flat(v as usize) && mesh.vertex_admits(v as usize, d, ROCKING);
    good.then_some((owner, own))
}

/// The number of a contact with a polyhedron, its number by `hulls.rs` given, if it is one of the mesh.
fn numbered(mesh: &TriangleMesh, t: usize, feature: u64, d: &Vector3<f64>) -> Option<u64> {
    let (code, other) = (feature / CODES, feature % CODES);
    let (triangle, own) = match code {
        0..=2 if other >= face_code(0) => over(mesh, t, code, d)?,
        _ => standing(mesh, t, code, d)?,
    };
    Some(((triangle as u64) << 11) + (own << 8) + other)
}

/// Appends the contacts of a mesh with a polyhedron whose bounds in the mesh's frame are given; the mesh is body a.
pub(super) fn with_hull(
    (mesh, pose): Placed,
    (hull, at): (Hull, &SpatialPose),
    bounds: &Aabb,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (bounds, start) = (bounds.grown(reach.max(0.0)), out.len());
    mesh.visit(&bounds.min, &bounds.max, |t| {
        let (corners, faces) = (mesh.corners(t), faces(mesh.triangles()[t].normal));
        let one = Hull { vertices: &corners, faces: &faces, corners: &CORNERS, edges: &EDGES, radius: 0.0 };
        let first = out.len();
        hulls::collide((one, pose), (hull, at), reach, out);
        let mut kept = first;
        for i in first..out.len() {
            let d = -pose.r.tr_mul(&out[i].normal);
            if let Some(feature) = numbered(mesh, t, out[i].feature, &d) {
                let point = ContactPoint { feature, ..out[i] };
                keep(out, start, &mut kept, point);
            }
        }
        out.truncate(kept);
    });
}

/// Keeps a contact after those from `start` to `kept`, unless its features are closer along another direction.
fn keep(out: &mut [ContactPoint], start: usize, kept: &mut usize, point: ContactPoint) {
    match out[start..*kept].iter_mut().find(|c| c.feature == point.feature) {
        Some(same) if point.gap.abs() < same.gap.abs() => *same = point,
        Some(_) => {}
        None => {
            out[*kept] = point;
            *kept += 1;
        }
    }
}

/// Appends the contacts of a mesh with a curved shape whose bounds in the mesh's frame are given; the mesh is body a.
///
/// A triangle by itself would be left most easily across one of its sides, flat or not. So what overlaps one is taken
/// to overlap the plane of its face, where its lowest points are over the triangle; `over_face` finds them.
pub(super) fn with_curved(
    (mesh, pose): Placed,
    (shape, at): (&SpatialShape, &SpatialPose),
    bounds: &Aabb,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let bounds = bounds.grown(reach.max(0.0));
    mesh.visit(&bounds.min, &bounds.max, |t| {
        let n = mesh.triangles()[t].normal;
        let (corners, faces) = (mesh.corners(t), faces(n));
        let one = Hull { vertices: &corners, faces: &faces, corners: &CORNERS, edges: &EDGES, radius: 0.0 };
        let first = out.len();
        curved::collide_hull((one, pose), (shape, at), reach, out);
        // where they just touch, the direction between them is anything that rounding makes of it
        let size = corners.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let overlaps = out[first..].iter().any(|point| point.gap < TOUCHING * size);
        let mut kept = first;
        for i in first..out.len() {
            let d = -pose.r.tr_mul(&out[i].normal);
            let mut code = out[i].feature / CODES;
            if code == 122 && n.cross(&d).norm() > 1e-6 {
                // one of several points along a side that the triangle shows its face beside
                code = rim(mesh, t, &pose.r.tr_mul(&(out[i].p_a - pose.p)));
            }
            let over =
                || (n.dot(&d) > 0.0 && n.cross(&d).norm() < SEAM && is_seam(mesh, t, code)).then_some(6);
            let own = admitted(mesh, t, code, &d, 1e-6).or_else(over);
            if let Some(own) = own.filter(|own| !(overlaps && *own == 6)) {
                let feature = ((t as u64) << 11) + (own << 8) + out[i].feature % CODES;
                out[kept] = ContactPoint { feature, ..out[i] };
                kept += 1;
            }
        }
        out.truncate(kept);
        if overlaps {
            over_face((mesh, pose), t, (shape, at), reach, out);
        }
    });
}

/// The code of the side or corner of a triangle that a point of it lies on; of no feature for a point inside.
fn rim(mesh: &TriangleMesh, t: usize, x: &Vector3<f64>) -> u64 {
    let corners = mesh.corners(t);
    let near = 1e-9 * (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
    let on = |k: usize| mesh.triangles()[t].out[k].dot(&(x - corners[k])).abs() < near;
    match (on(0), on(1), on(2)) {
        (true, _, true) => 0,
        (true, true, _) => 1,
        (_, true, true) => 2,
        (true, ..) => 32,
        (_, true, _) => 33,
        (.., true) => 34,
        _ => u64::MAX,
    }
}

/// Appends the contacts of a curved shape with the plane of a triangle that are over the triangle.
fn over_face(
    (mesh, pose): Placed,
    t: usize,
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (triangle, corners) = (&mesh.triangles()[t], mesh.corners(t));
    let e = (corners[1] - corners[0]).normalize();
    let frame = Matrix3::from_columns(&[e, triangle.normal.cross(&e), triangle.normal]);
    let plane = SpatialPose { p: pose.p + pose.r * corners[0], r: pose.r * frame };
    let size = corners.iter().map(|v| v.amax()).fold(0.0, f64::max);
    let first = out.len();
    curved_half_space(b, &plane, reach, out);
    let mut kept = first;
    for i in first..out.len() {
        let x = pose.r.tr_mul(&(out[i].p_b - pose.p));
        if (0..3).all(|k| triangle.out[k].dot(&(x - corners[k])) <= 1e-12 * size) {
            let feature = ((t as u64) << 11) + (6 << 8) + out[i].feature % CODES;
            out[kept] = ContactPoint { feature, ..out[i].swapped() };
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// True for a flat edge or vertex of a triangle.
fn is_seam(mesh: &TriangleMesh, t: usize, code: u64) -> bool {
    match code {
        0..=2 => mesh.is_flat(mesh.triangles()[t].corners[code as usize] as usize),
        32..=34 => mesh.is_seam(t, code as usize - 32),
        _ => false,
    }
}

/// Appends the contacts of two meshes.
pub(super) fn with_mesh(a: Placed, b: Placed, reach: f64, out: &mut Vec<ContactPoint>) {
    let relative = SpatialPose { p: a.1.r.tr_mul(&(b.1.p - a.1.p)), r: a.1.r.tr_mul(&b.1.r) };
    let start = out.len();
    for s in 0..b.0.count() {
        let (corners, faces) = (b.0.corners(s), faces(b.0.triangles()[s].normal));
        let one = Hull { vertices: &corners, faces: &faces, corners: &CORNERS, edges: &EDGES, radius: 0.0 };
        let placed = corners.map(|v| relative.p + relative.r * v);
        let around =
            placed.iter().map(|v| Aabb { min: *v, max: *v }).fold(Aabb::NOTHING, |all, x| all.with(&x));
        let first = out.len();
        with_hull(a, (one, b.1), &around, reach, out);
        let mut kept = first;
        for i in first..out.len() {
            let (feature, d) = (out[i].feature, b.1.r.tr_mul(&out[i].normal));
            let (t, other, code) = (feature >> 11, feature >> 8 & 7, feature & 255);
            let own = match code {
                0..=2 if other == 6 => over(b.0, s, code, &d),
                _ => standing(b.0, s, code, &d),
            };
            let Some((of, own)) = own else { continue };
            let feature = (t << 19) + ((of as u64) << 6) + (other << 3) + own;
            let point = ContactPoint { feature, ..out[i] };
            keep(out, start, &mut kept, point);
        }
        out.truncate(kept);
    }
}
