//! The contacts that a step relies on, in space (`branch.rs`): boxes, capsules and convex polyhedra with each other, and with
//! meshes. Other pairs have one separating direction, or a curved boundary, and are found as by `spatial.rs`.
//!
//! Contacts have the numbers that `spatial.rs` gives them: for pairs with a box those of `box_point.rs`.

use super::box_point::{SPATIAL_CODES, corner_code, corner_sign, digit};
use super::hull::{CODES, Hull, Room};
use super::hulls::{self, Moving};
use super::spatial::{bounds, collide, parts};
use super::{ContactPoint, meshes};
use crate::body::spatial::SpatialPose;
use crate::shape::SpatialShape;

/// A shape and its placements: where constraints are linearised, at the start and at the foreseen end of a step.
pub type Course<'a> = (&'a SpatialShape, [&'a SpatialPose; 3]);

/// A shape at the start and at the foreseen end of a step.
pub type Passing<'a> = (&'a SpatialShape, [&'a SpatialPose; 2]);

/// True for shapes with faces or edges.
fn is_faceted(shape: &SpatialShape) -> bool {
    matches!(shape, SpatialShape::Box { .. } | SpatialShape::Convex(_) | SpatialShape::Capsule { .. })
}

/// True when a step may have to choose between the directions that separate two shapes.
pub fn may_choose(a: &SpatialShape, b: &SpatialShape) -> bool {
    use SpatialShape::{Capsule, Compound, Mesh};
    match (a, b) {
        (Compound(parts), other) | (other, Compound(parts)) => {
            parts.iter().any(|(_, part)| may_choose(part, other))
        }
        (Capsule { .. }, Capsule { .. }) => false,
        (Mesh(_), other) | (other, Mesh(_)) => is_faceted(other),
        _ => is_faceted(a) && is_faceted(b),
    }
}

/// Appends the contact points that a step relies on.
pub fn collide_toward(a: Course, b: Course, reach: f64, out: &mut Vec<ContactPoint>) {
    if !may_choose(a.0, b.0) {
        return collide((a.0, a.1[0]), (b.0, b.1[0]), reach, out);
    }
    if let (_, SpatialShape::Mesh(_)) = (a.0, b.0) {
        let first = out.len();
        collide_toward(b, a, reach, out);
        out[first..].iter_mut().for_each(|point| *point = point.swapped());
        return;
    }
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    if let (SpatialShape::Mesh(mesh), Some(hull)) = (a.0, Hull::new(b.0, &mut room_b)) {
        let seen = |t: usize| {
            let (from, to) = (a.1[t], b.1[t]);
            let relative = SpatialPose { p: from.r.tr_mul(&(to.p - from.p)), r: from.r.tr_mul(&to.r) };
            bounds(b.0, &relative)
        };
        let around = seen(0).with(&seen(1)).with(&seen(2)).grown(reach.max(0.0));
        return meshes::hull_toward((mesh, a.1), (hull, b.1), &around, out);
    }
    for (i, part_a, at_a) in parts(a.0) {
        let poses_a = a.1.map(|pose| pose.then(&at_a));
        let swept = |part: &SpatialShape, poses: &[SpatialPose; 3]| {
            bounds(part, &poses[0]).with(&bounds(part, &poses[1])).with(&bounds(part, &poses[2]))
        };
        let around = swept(part_a, &poses_a).grown(reach.max(0.0));
        for (j, part_b, at_b) in parts(b.0) {
            let poses_b = b.1.map(|pose| pose.then(&at_b));
            if !around.touches(&swept(part_b, &poses_b)) {
                continue;
            }
            let first = out.len();
            let hulls = (Hull::new(part_a, &mut room_a), Hull::new(part_b, &mut room_b));
            match hulls {
                (Some(x), Some(y)) if may_choose(part_a, part_b) => {
                    let ([a0, a1, a2], [b0, b1, b2]) = (&poses_a, &poses_b);
                    let x = Moving { hull: x, poses: [a1, a2], inner: None };
                    let y = Moving { hull: y, poses: [b1, b2], inner: None };
                    let time = hulls::collide_toward(x, y, out);
                    for point in &mut out[first..] {
                        meshes::carry(point, ([a1, a2][time], a0), ([b1, b2][time], b0));
                        point.feature = number(part_a, part_b, point.feature);
                    }
                }
                _ => collide((part_a, &poses_a[0]), (part_b, &poses_b[0]), reach, out),
            }
            out[first..].iter_mut().for_each(|point| point.feature += (i << 16) + (j << 24));
        }
    }
}

/// True when which direction separates the parts of a contact is for a step to find out.
pub fn has_choice(a: Passing, b: Passing, feature: u32) -> bool {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    match (a.0, b.0) {
        (SpatialShape::Mesh(mesh), other) => Hull::new(other, &mut room_b)
            .is_some_and(|hull| meshes::has_choice((mesh, a.1), (hull, b.1), feature)),
        (_, SpatialShape::Mesh(_)) => has_choice(b, a, feature),
        _ => {
            let part = |shape, number: u32| parts(shape).nth((number & 255) as usize);
            let Some((_, part_a, at_a)) = part(a.0, feature >> 16) else { return false };
            let Some((_, part_b, at_b)) = part(b.0, feature >> 24) else { return false };
            let [a0, a1] = a.1.map(|pose| pose.then(&at_a));
            let [b0, b1] = b.1.map(|pose| pose.then(&at_b));
            match (Hull::new(part_a, &mut room_a), Hull::new(part_b, &mut room_b)) {
                (Some(x), Some(y)) if may_choose(part_a, part_b) => {
                    let x = Moving { hull: x, poses: [&a0, &a1], inner: None };
                    hulls::has_choice(x, Moving { hull: y, poses: [&b0, &b1], inner: None })
                }
                _ => false,
            }
        }
    }
}

/// The number that `spatial.rs` gives a contact which `hulls.rs` has numbered.
fn number(a: &SpatialShape, b: &SpatialShape, feature: u32) -> u32 {
    use SpatialShape::{Box, Capsule};
    let (x, y) = (feature / CODES, feature % CODES);
    // the inside of the segment, its lower and its upper end
    let capsule = |code: u32| [1, 2].get(code as usize).copied().unwrap_or(0);
    match (a, b) {
        (Box { .. }, Box { .. }) => SPATIAL_CODES * box_code(x) + box_code(y),
        (Capsule { .. }, Box { .. }) => SPATIAL_CODES * capsule(x) + box_code(y),
        (Box { .. }, Capsule { .. }) => SPATIAL_CODES * capsule(y) + box_code(x),
        _ => feature,
    }
}

/// The code of a box's feature in `box_point.rs`, from that of `hull.rs`.
fn box_code(code: u32) -> u32 {
    let on = |axis: usize, corner: usize| digit(axis, corner_sign(corner, axis));
    match code {
        0..=31 => corner_code::<3>(code as usize & 7),
        32..=121 => {
            let edge = code as usize - 32;
            // the lower corners of the four edges along x, along y and along z
            let corner = [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]][edge / 4 % 3][edge % 4];
            (0..3).filter(|&axis| axis != edge / 4 % 3).map(|axis| on(axis, corner)).sum()
        }
        _ => {
            let face = code as usize - 122;
            digit(face / 2 % 3, if face % 2 == 1 { 1.0 } else { -1.0 })
        }
    }
}
