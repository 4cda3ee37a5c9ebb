//! Bodies that overlap where they are at the start, as the reader of scenes sees it.

use super::group::Body;
use super::robot::Geometry;
use super::write::Writer;
use nalgebra::Isometry3;
use stickslip::body::Shapes;
use stickslip::body::spatial::{Spatial, SpatialPose};
use stickslip::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, SpatialShape, Sphere};

/// The most pairs of boxes looked at.
const MOST: usize = 200_000;
/// The most bodies that are looked at: beyond, the reader of scenes says it.
const MOST_BODIES: usize = 2000;
/// How much two bodies may overlap, relative to the smaller one.
const OVERLAP: f64 = 1e-9;

fn pose(at: &Isometry3<f64>) -> SpatialPose {
    let q = at.rotation;
    SpatialPose::new(at.translation.vector, [q.w, q.i, q.j, q.k])
}

/// The shape of a geometry; none for one that cannot be used, of which the writer complains.
pub(super) fn solid(writer: &Writer<'_>, geometry: &Geometry, fixed: bool) -> Option<SpatialShape> {
    Some(match geometry {
        Geometry::Box { size } => SpatialShape::Box(Cuboid { half: size.map(|x| 0.5 * x) }),
        Geometry::Sphere { radius } => SpatialShape::Sphere(Sphere { radius: *radius }),
        Geometry::Cylinder { radius, length } => {
            SpatialShape::Cylinder(Cylinder { radius: *radius, half: 0.5 * length })
        }
        Geometry::Capsule { radius, length } => {
            SpatialShape::Capsule(Capsule { radius: *radius, half: 0.5 * length })
        }
        Geometry::Ellipsoid { semi_axes } => SpatialShape::Ellipsoid(Ellipsoid { semi_axes: *semi_axes }),
        Geometry::HalfSpace => SpatialShape::HalfSpace,
        Geometry::Mesh { mesh, hull } => writer.robot.meshes.form(*mesh, *hull, fixed).ok()?.shape,
    })
}

/// The parts of a body, where they are.
fn parts(writer: &Writer<'_>, body: &Body) -> Vec<(SpatialShape, SpatialPose)> {
    let part = |k: usize| {
        let shape = solid(writer, &body.collision(writer.robot, k).geometry, body.fixed)?;
        Some((shape, pose(&(body.frame * body.shapes[k].0))))
    };
    (0..body.shapes.len()).filter_map(part).collect()
}

/// Pairs that may touch, and overlap.
pub(super) fn pairs(writer: &Writer<'_>) -> Vec<[usize; 2]> {
    let mut out = Vec::new();
    if writer.bodies.bodies.len() > MOST_BODIES {
        return out;
    }
    let bodies = &writer.bodies.bodies;
    let all: Vec<_> = bodies.iter().map(|b| parts(writer, b)).collect();
    let bounds: Vec<Vec<_>> =
        all.iter().map(|parts| parts.iter().map(|(s, at)| Spatial::bounds(s, at)).collect()).collect();
    let mut looked = 0;
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let own =
                writer.settings.no_self_contact && writer.is_own(&bodies[i]) && writer.is_own(&bodies[j]);
            if own || bodies[i].fixed && bodies[j].fixed || writer.touch.is_apart([i, j]) {
                continue;
            }
            let near = |a: usize, b: usize| bounds[i][a].touches(&bounds[j][b]);
            let candidates = (0..all[i].len()).flat_map(|a| (0..all[j].len()).map(move |b| (a, b)));
            let found = candidates.filter(|(a, b)| near(*a, *b)).any(|(a, b)| {
                looked += 1;
                looked < MOST && overlap(&all[i][a], &all[j][b])
            });
            out.extend(found.then_some([i, j]));
        }
    }
    out
}

fn overlap((a, at): &(SpatialShape, SpatialPose), (b, there): &(SpatialShape, SpatialPose)) -> bool {
    let mut points = Vec::new();
    Spatial::collide((a, at), (b, there), 0.0, &mut points);
    let depth = points.iter().fold(0.0f64, |d, p| d.max(-p.gap));
    let rounding = points.iter().fold(0.0f64, |m, p| m.max(p.p_a.amax())) * 4.0 * f64::EPSILON;
    let smaller = a.smallest_extent().min(b.smallest_extent());
    depth > (OVERLAP * smaller).max(rounding)
}
