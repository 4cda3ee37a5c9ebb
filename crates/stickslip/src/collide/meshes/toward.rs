//! The contacts that a step relies on of a mesh with a polyhedron, triangle by triangle.

use super::{CORNERS, EDGES, faces, keep, numbered};
use crate::body::spatial::SpatialPose;
use crate::collide::hull::Hull;
use crate::collide::{Aabb, ContactPoint, Turns, foot, hulls};
use crate::shape::TriangleMesh;
use nalgebra::Vector3;

/// The contacts that a step relies on of a mesh with a polyhedron, carried back to where constraints are linearised;
/// the mesh is body a. Poses: there, at the start and at the foreseen end.
pub(in crate::collide) fn hull_toward(
    (mesh, poses): (&TriangleMesh, [&SpatialPose; 3]),
    (hull, at): (Hull, [&SpatialPose; 3]),
    bounds: &Aabb,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    mesh.visit(&bounds.min, &bounds.max, |t| {
        let (corners, faces) = (mesh.corners(t), faces(mesh.triangles()[t].normal));
        let one = Hull { vertices: &corners, faces: &faces, corners: &CORNERS, edges: &EDGES, radius: 0.0 };
        let first = out.len();
        let a = hulls::Moving { hull: one, poses: [poses[1], poses[2]], inner: Some(1) };
        let b = hulls::Moving { hull, poses: [at[1], at[2]], inner: None };
        let (time, turns) = hulls::collide_toward(a, b, out);
        let mut kept = first;
        for i in first..out.len() {
            let d = -poses[1 + time].r.tr_mul(&out[i].normal);
            if let Some(feature) = numbered(mesh, t, out[i].feature, &d) {
                let mut point = ContactPoint { feature, ..out[i] };
                carry(&mut point, turns, (poses[1 + time], poses[0]), (at[1 + time], at[0]));
                keep(out, start, &mut kept, point);
            }
        }
        out.truncate(kept);
    });
}

/// Takes a contact's points and its normal along with their bodies, each from one placement to another. Whichever
/// points of the bodies these are, a direction that separates the bodies there leaves the points no closer than the
/// bodies.
pub(in crate::collide) fn carry(
    point: &mut ContactPoint,
    turns: Turns,
    a: (&SpatialPose, &SpatialPose),
    b: (&SpatialPose, &SpatialPose),
) {
    let turned = |v: &Vector3<f64>, (from, to): (&SpatialPose, &SpatialPose)| to.r * from.r.tr_mul(v);
    let moved = |p: &Vector3<f64>, x: (&SpatialPose, &SpatialPose)| x.1.p + turned(&(p - x.0.p), x);
    point.normal = match turns {
        Turns::WithA => turned(&point.normal, a),
        Turns::WithB => turned(&point.normal, b),
        Turns::Across(d, e) => {
            let sense = d.cross(&e).dot(&point.normal).signum();
            let across = turned(&d, a).cross(&turned(&e, b)) * sense;
            across.try_normalize(0.0).unwrap_or(point.normal)
        }
        Turns::Stays => point.normal,
    };
    (point.p_a, point.p_b) = (moved(&point.p_a, a), moved(&point.p_b, b));
    point.gap = point.normal.dot(&(point.p_a - point.p_b));
    foot(point, turns);
}

/// Whether a step has a choice about a contact of a mesh, its features given by number, with a polyhedron.
pub(in crate::collide) fn has_choice(
    (mesh, poses): (&TriangleMesh, [&SpatialPose; 2]),
    (hull, at): (Hull, [&SpatialPose; 2]),
    feature: u64,
) -> bool {
    let (t, own) = ((feature >> 11) as usize, feature >> 8 & 7);
    if t >= mesh.count() {
        return false;
    }
    let chooses = |t: usize| {
        let (corners, faces) = (mesh.corners(t), faces(mesh.triangles()[t].normal));
        let one = Hull { vertices: &corners, faces: &faces, corners: &CORNERS, edges: &EDGES, radius: 0.0 };
        let a = hulls::Moving { hull: one, poses, inner: Some(1) };
        hulls::has_choice(a, hulls::Moving { hull, poses: at, inner: None })
    };
    if own != 6 {
        return chooses(t);
    }
    // a face is that of all its triangles
    let placed = hull.vertices.iter().map(|v| poses[0].r.tr_mul(&(at[0].p + at[0].r * v - poses[0].p)));
    let around = placed.fold(Aabb::NOTHING, |all, v| all.with(&Aabb { min: v, max: v })).grown(hull.radius);
    let mut found = false;
    mesh.visit(&around.min, &around.max, |k| found |= !found && mesh.face(k) == t && chooses(k));
    found
}
