//! The contacts in the plane that a step relies on, seen from where it is to end (`branch.rs`): for polygons of all kinds
//! and capsules with each other; other pairs have one separating direction, or a curved boundary, and are found as by
//! `planar.rs`.

use super::planar::{Part, collide_parts, core, part_bounds, parts};
use super::polygons::{self, Room};
use super::{ContactPoint, Turns};
use crate::body::planar::PlanarPose;
use crate::shape::PlanarShape;
use crate::shape::planar::in_space;
use nalgebra::Vector3;

/// A shape and its placements: where constraints are linearised, at the start and at the foreseen end of a step.
pub type Moving<'a> = (&'a PlanarShape, [&'a PlanarPose; 3]);

/// Appends the contact points that a step relies on: found at its foreseen end, and carried back to where constraints
/// are linearised. The gap there is that of the points that will touch, along their normal there.
pub fn collide_toward(a: Moving, b: Moving, reach: f64, out: &mut Vec<ContactPoint>) {
    let boxes_touch = |x: (Part, &[PlanarPose; 3]), y: (Part, &[PlanarPose; 3])| {
        let of = |(part, poses): (Part, &[PlanarPose; 3])| {
            part_bounds(part, &poses[0])
                .with(&part_bounds(part, &poses[1]))
                .with(&part_bounds(part, &poses[2]))
        };
        of(x).grown(reach.max(0.0)).touches(&of(y))
    };
    for (i, part_a, at) in parts(a.0) {
        let poses_a = a.1.map(|pose| pose.then(&at));
        for (j, part_b, at) in parts(b.0) {
            let poses_b = b.1.map(|pose| pose.then(&at));
            if !boxes_touch((part_a, &poses_a), (part_b, &poses_b)) {
                continue;
            }
            let first = out.len();
            let (mut room_a, mut room_b) = (Room::default(), Room::default());
            if let (Some(x), Some(y)) = (core(part_a, &mut room_a), core(part_b, &mut room_b)) {
                let [a0, a1, a2] = &poses_a;
                let [b0, b1, b2] = &poses_b;
                let (time, turns) = polygons::collide_toward((x, [a1, a2]), (y, [b1, b2]), out);
                for point in &mut out[first..] {
                    let turned = |from: &PlanarPose, to: &PlanarPose| {
                        in_space(&(to.rotate(from.unrotate(point.normal.xy()))))
                    };
                    point.normal = match turns {
                        Turns::WithA => turned([a1, a2][time], a0),
                        Turns::WithB => turned([b1, b2][time], b0),
                        Turns::Across(..) | Turns::Stays => point.normal,
                    };
                    point.p_a = carried(&point.p_a, [a1, a2][time], a0);
                    point.p_b = carried(&point.p_b, [b1, b2][time], b0);
                    point.gap = point.normal.dot(&(point.p_a - point.p_b));
                    super::foot(point, turns);
                }
                if let (Part::Shape(PlanarShape::Box(_)), Part::Shape(PlanarShape::Box(_))) = (part_a, part_b)
                {
                    out[first..].iter_mut().for_each(|point| point.feature = box_feature(point.feature));
                }
            } else {
                collide_parts((part_a, &poses_a[0]), (part_b, &poses_b[0]), reach, out);
            }
            out[first..].iter_mut().for_each(|point| point.feature += (i << 16) + (j << 24));
        }
    }
}

/// A point of a body after the body has moved.
fn carried(p: &Vector3<f64>, from: &PlanarPose, to: &PlanarPose) -> Vector3<f64> {
    in_space(&(to.p + to.rotate(from.unrotate(p.xy() - from.p))))
}

/// The number that `rectangles.rs` gives a contact of two boxes which `polygons.rs` has numbered.
fn box_feature(feature: u64) -> u64 {
    const CODES: [u64; 8] = [4, 3, 5, 2, 8, 6, 7, 1];
    let code = |code: u64| CODES[(code % 8) as usize];
    9 * code(feature / 8) + code(feature)
}

/// A shape at the start and at the foreseen end of a step.
pub type Passing<'a> = (&'a PlanarShape, [&'a PlanarPose; 2]);

/// True when a step may have to choose between the directions that separate two shapes: both have edges.
pub fn may_choose(a: &PlanarShape, b: &PlanarShape) -> bool {
    let edged = |shape| {
        parts(shape)
            .any(|(_, part, _)| !matches!(part, Part::Shape(PlanarShape::Disc(_) | PlanarShape::HalfPlane)))
    };
    edged(a) && edged(b)
}

/// True when which direction separates the parts of a contact is for a step to find out.
pub fn has_choice(a: Passing, b: Passing, feature: u64) -> bool {
    let part = |shape, number: u64| {
        // of one part, all of the number is the feature's
        let alone = parts(shape).nth(1).is_none();
        parts(shape).nth(if alone { 0 } else { (number & 255) as usize })
    };
    let Some((_, part_a, at_a)) = part(a.0, feature >> 16) else { return false };
    let Some((_, part_b, at_b)) = part(b.0, feature >> 24) else { return false };
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let [a0, a1] = a.1.map(|pose| pose.then(&at_a));
    let [b0, b1] = b.1.map(|pose| pose.then(&at_b));
    match (core(part_a, &mut room_a), core(part_b, &mut room_b)) {
        (Some(x), Some(y)) => polygons::has_choice((x, [&a0, &a1]), (y, [&b0, &b1])),
        _ => false,
    }
}
