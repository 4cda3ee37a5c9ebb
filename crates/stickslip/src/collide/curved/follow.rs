//! The contact of two pieces of curved bodies from one placement to the next: Newton's method from where it was.
//!
//! Which pieces touch is found once (`mod.rs`, steps 1 to 5). Nearby the same equations have an answer nearby, within
//! the pieces or beyond their ends: a smooth function of the placements, and found in a few rounds.

use super::body::Body;
use super::newton::{self, Start};
use super::{Pair, Touch, contact, power_of_two};
use crate::body::spatial::SpatialPose;
use crate::collide::ContactPoint;
use crate::collide::hull::{CODES, Room};
use crate::shape::SpatialShape;
use crate::shape::spatial::{Candidates, Patch};
use nalgebra::Vector3;

/// The cosine of the largest turn of the normal.
const TURNED: f64 = 0.5;
/// The farthest that the point goes, relative to the smaller body.
const FAR: f64 = 1.0;
/// Cores nearer than this, relative to the smaller body, have no direction between them where neither turns its own.
const TOUCHING: f64 = 1e-3;

/// What is followed from where it was found is what was found when it differs by no more than this, relative to the
/// smaller body.
const AS_FOUND: f64 = 1e-10;

/// Where the bodies touched: a point of b and the normal, in the world.
pub(in crate::collide) type Before<'a> = (&'a Vector3<f64>, &'a Vector3<f64>);

/// The pieces that a contact is of, as a number for [`follow`]; none where it is of none, or cannot be followed.
/// (Points where faces overlap are named by edges that meet there.)
pub(in crate::collide) fn pieces(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    point: &ContactPoint,
) -> Option<u64> {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let (body_a, body_b) = (Body::new(a.0, &mut room_a)?, Body::new(b.0, &mut room_b)?);
    let pair = Pair::new((&body_a, a.1), (&body_b, b.1));
    let near = Near::new(&pair, b.1, (&point.p_b, &point.normal));
    let (of_a, of_b) = (near.of_a.list(), near.of_b.list());
    let is = |code_a: u64, code_b: u64| {
        let codes = CODES * code_a + code_b;
        let same = near.touch(codes).map(|touch| contact(&pair, &touch, b.1))?;
        let off = (same.gap - point.gap).abs().max((same.p_b - point.p_b).norm());
        (off <= AS_FOUND * pair.size).then_some(codes)
    };
    (0..(of_a.len() + of_b.len()).saturating_sub(1))
        .find_map(|sum| (0..=sum).find_map(|i| is(of_a.get(i)?.code, of_b.get(sum - i)?.code)))
}

/// The contact of the pieces of a number, near a place; none where it is not to be found.
pub(in crate::collide) fn follow(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    before: Before,
    codes: u64,
) -> Option<ContactPoint> {
    let (mut room_a, mut room_b) = (Room::default(), Room::default());
    let (body_a, body_b) = (Body::new(a.0, &mut room_a)?, Body::new(b.0, &mut room_b)?);
    let pair = Pair::new((&body_a, a.1), (&body_b, b.1));
    let touch = Near::new(&pair, b.1, before).touch(codes)?;
    Some(contact(&pair, &touch, b.1))
}

/// The pieces of two bodies near a place.
struct Near<'a> {
    pair: &'a Pair<'a>,
    start: Start,
    unit: f64,
    of_a: Candidates,
    of_b: Candidates,
}

impl<'a> Near<'a> {
    fn new(pair: &'a Pair<'a>, pose_b: &SpatialPose, (point, normal): Before) -> Self {
        let n = pose_b.r.tr_mul(normal);
        let q = pose_b.r.tr_mul(&(point - pose_b.p)) - n * pair.b.radius;
        let unit = power_of_two(pair.size);
        let (mut of_a, mut of_b) = (Candidates::default(), Candidates::default());
        pair.a.candidates(&pair.r.tr_mul(&(q - pair.t)), &-pair.r.tr_mul(&n), unit, &mut of_a);
        pair.b.candidates(&q, &n, unit, &mut of_b);
        Self { pair, start: Start { q, n, shift: Vector3::zeros() }, unit, of_a, of_b }
    }

    /// The points of two pieces.
    fn touch(&self, codes: u64) -> Option<Touch> {
        let Self { pair, start, unit, of_a, of_b } = self;
        let piece = |of: &Candidates, code: u64| of.list().iter().position(|c| c.code == code);
        let of_a = &of_a.list()[piece(of_a, codes / CODES)?];
        let of_b = &of_b.list()[piece(of_b, codes % CODES)?];
        let touch = newton::follow(pair, (of_a, of_b), *unit, start)?;
        let sharp = |p: &Patch| matches!(p, Patch::Vertex(_));
        let between = touch.gap + (of_a.grow + of_b.grow) * unit;
        if (sharp(&of_a.patch) || sharp(&of_b.patch)) && between.abs() < TOUCHING * pair.size {
            return None;
        }
        let near = touch.n.dot(&start.n) > TURNED && (touch.q - start.q).norm() < FAR * pair.size;
        near.then_some(touch)
    }
}
