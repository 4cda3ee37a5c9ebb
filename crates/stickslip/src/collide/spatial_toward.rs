//! The contacts that a step relies on, in space (`branch.rs`): boxes, capsules and convex polyhedra with each other,
//! and with meshes. Other pairs have one separating direction, or a curved boundary, and are found as by `spatial.rs`.
//!
//! Contacts have the numbers that `spatial.rs` gives them: for pairs with a box those of `box_point.rs`.

use super::box_point::{SPATIAL_CODES, corner_code, corner_sign, digit};
use super::hull::{CODES, Room};
use super::hulls::{self, Moving};
use super::parts::{self, around, parts};
use super::spatial::collide;
use super::{ContactPoint, meshes};
use crate::body::spatial::SpatialPose;
use crate::shape::SpatialShape;

/// A shape and its placements: where constraints are linearised, at the start and at the foreseen end of a step.
pub type Course<'a> = (&'a SpatialShape, [&'a SpatialPose; 3]);

/// A shape at the start and at the foreseen end of a step.
pub type Passing<'a> = (&'a SpatialShape, [&'a SpatialPose; 2]);

/// True for shapes with faces or edges.
fn is_faceted(shape: &SpatialShape) -> bool {
    shape.geometry().is_faceted()
}

/// True when a step may have to choose between the directions that separate two shapes.
pub fn may_choose(a: &SpatialShape, b: &SpatialShape) -> bool {
    use SpatialShape::{Capsule, Compound, Mesh};
    match (a, b) {
        (Compound(parts), other) | (other, Compound(parts)) => {
            parts.iter().any(|(_, part)| may_choose(part, other))
        }
        (Capsule(_), Capsule(_)) => false,
        (Mesh(_), other) | (other, Mesh(_)) => is_faceted(other),
        _ => is_faceted(a) && is_faceted(b),
    }
}

/// Appends the contact points that a step relies on: for compounds of all pairs of parts.
pub fn collide_toward(a: Course, b: Course, reach: f64, out: &mut Vec<ContactPoint>) {
    if !may_choose(a.0, b.0) {
        return collide((a.0, a.1[0]), (b.0, b.1[0]), reach, out);
    }
    if !is_compound(a.0) && !is_compound(b.0) {
        return pair_toward(a, b, reach, out);
    }
    let swept = |part: &SpatialShape, poses: &[SpatialPose; 3]| {
        around(part, &poses[0]).with(&around(part, &poses[1])).with(&around(part, &poses[2]))
    };
    for part_a in parts(a.0) {
        let poses_a = a.1.map(|pose| pose.then(&part_a.2));
        let near = swept(part_a.1, &poses_a).grown(reach.max(0.0));
        for part_b in parts(b.0) {
            let poses_b = b.1.map(|pose| pose.then(&part_b.2));
            if near.touches(&swept(part_b.1, &poses_b)) {
                let first = out.len();
                pair_toward((part_a.1, poses_a.each_ref()), (part_b.1, poses_b.each_ref()), reach, out);
                out[first..].iter_mut().for_each(|point| point.feature += parts::number(&part_a, &part_b));
            }
        }
    }
}

fn is_compound(shape: &SpatialShape) -> bool {
    matches!(shape, SpatialShape::Compound(_))
}

/// The same for two shapes of which none is a compound.
fn pair_toward(a: Course, b: Course, reach: f64, out: &mut Vec<ContactPoint>) {
    let first = out.len();
    if !may_choose(a.0, b.0) {
        return collide((a.0, a.1[0]), (b.0, b.1[0]), reach, out);
    }
    if let (_, SpatialShape::Mesh(_)) = (a.0, b.0) {
        pair_toward(b, a, reach, out);
        out[first..].iter_mut().for_each(|point| *point = point.swapped());
        return;
    }
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let Some(y) = b.0.geometry().hull(&mut room_b) else { return };
    if let SpatialShape::Mesh(mesh) = a.0 {
        let seen = |t: usize| {
            let (from, to) = (a.1[t], b.1[t]);
            let relative = SpatialPose { p: from.r.tr_mul(&(to.p - from.p)), r: from.r.tr_mul(&to.r) };
            b.0.bounds(&relative)
        };
        let near = seen(0).with(&seen(1)).with(&seen(2)).grown(reach.max(0.0));
        return meshes::hull_toward((mesh, a.1), (y, b.1), &near, out);
    }
    let Some(x) = a.0.geometry().hull(&mut room_a) else { return };
    let ([a0, a1, a2], [b0, b1, b2]) = (a.1, b.1);
    let x = Moving { hull: x, poses: [a1, a2], inner: None };
    let y = Moving { hull: y, poses: [b1, b2], inner: None };
    let (time, turns) = hulls::collide_toward(x, y, out);
    for point in &mut out[first..] {
        meshes::carry(point, turns, ([a1, a2][time], a0), ([b1, b2][time], b0));
        point.feature = number(a.0, b.0, point.feature);
    }
}

/// True when which direction separates the parts of a contact is for a step to find out.
pub fn has_choice(a: Passing, b: Passing, feature: u64) -> bool {
    if !is_compound(a.0) && !is_compound(b.0) {
        return pair_has_choice(a, b, feature);
    }
    let (i, j, own) = parts::split(feature);
    let (Some(part_a), Some(part_b)) = (parts(a.0).nth(i), parts(b.0).nth(j)) else { return false };
    let poses_a = a.1.map(|pose| pose.then(&part_a.2));
    let poses_b = b.1.map(|pose| pose.then(&part_b.2));
    pair_has_choice((part_a.1, poses_a.each_ref()), (part_b.1, poses_b.each_ref()), own)
}

/// The same for two shapes of which none is a compound.
fn pair_has_choice(a: Passing, b: Passing, feature: u64) -> bool {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    match (a.0, b.0) {
        (_, SpatialShape::Mesh(_)) if !matches!(a.0, SpatialShape::Mesh(_)) => pair_has_choice(b, a, feature),
        (SpatialShape::Mesh(mesh), other) => other
            .geometry()
            .hull(&mut room_b)
            .is_some_and(|hull| meshes::has_choice((mesh, a.1), (hull, b.1), feature)),
        (x, y) if may_choose(x, y) => {
            match (x.geometry().hull(&mut room_a), y.geometry().hull(&mut room_b)) {
                (Some(x), Some(y)) => {
                    let x = Moving { hull: x, poses: a.1, inner: None };
                    hulls::has_choice(x, Moving { hull: y, poses: b.1, inner: None })
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The number that `spatial.rs` gives a contact which `hulls.rs` has numbered.
fn number(a: &SpatialShape, b: &SpatialShape, feature: u64) -> u64 {
    use SpatialShape::{Box, Capsule};
    let (x, y) = (feature / CODES, feature % CODES);
    // the inside of the segment, its lower and its upper end
    let capsule = |code: u64| [1, 2].get(code as usize).copied().unwrap_or(0);
    match (a, b) {
        (Box(_), Box(_)) => SPATIAL_CODES * box_code(x) + box_code(y),
        (Capsule(_), Box(_)) => SPATIAL_CODES * capsule(x) + box_code(y),
        (Box(_), Capsule(_)) => SPATIAL_CODES * capsule(y) + box_code(x),
        _ => feature,
    }
}

/// The code of a box's feature in `box_point.rs`, from that of `hull.rs`.
fn box_code(code: u64) -> u64 {
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
