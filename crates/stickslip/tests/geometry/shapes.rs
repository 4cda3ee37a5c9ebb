//! Contacts of capsules, polygons and cylinders against what proves them: two points of the bodies whose distance is
//! the separation of the bodies' support functions along their difference are closest points, and no direction
//! separates overlapping bodies by more than the normal.

use crate::rounded::{Placed, Random, collide, least, separation};
use nalgebra::{Rotation3, Vector3};
use std::collections::HashSet;
use stickslip::collide::ContactPoint;

const GAPS: [f64; 9] = [1.0, 1e-3, 1e-6, 1e-9, 0.0, -1e-12, -1e-9, -1e-6, -1e-2];

/// Pairs of kinds of `Random::flat` that have a capsule or a polygon: 0 disc, 1 box, 2 half-plane, 3 capsule, 4
/// polygon.
const FLAT: [(usize, usize); 12] =
    [(3, 3), (3, 4), (4, 4), (0, 3), (0, 4), (1, 3), (4, 1), (3, 2), (4, 2), (2, 3), (4, 0), (3, 0)];
/// The same of `Random::solid`: 0 sphere, 1 box, 2 half-space, 3 capsule, 4 cylinder, 5 convex polyhedron.
#[rustfmt::skip]
const SOLID: [(usize, usize); 17] = [
    (3, 3), (3, 2), (4, 2), (2, 3), (2, 4), (0, 3), (0, 4), (4, 0), (3, 1), (1, 3),
    (5, 5), (5, 2), (0, 5), (5, 0), (1, 5), (5, 1), (3, 5),
];

/// Runs a check on 1000 random placements of every pair of shapes. Moving a body along the normal of a pair that is
/// apart keeps the pair's points, so the gap can be set.
fn for_random_pairs(gaps: &[f64], mut check: impl FnMut(&Placed, &Placed, f64, &mut Random)) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let flat = FLAT.into_iter().map(|kinds| (true, kinds));
    for (flat, (first, second)) in flat.chain(SOLID.into_iter().map(|kinds| (false, kinds))) {
        let mut done = 0;
        while done < 1000 {
            let mut place = |kind| if flat { random.flat(kind) } else { random.solid(kind) };
            let (a, b) = (place(first), place(second));
            let start = least(&collide(&a, &b, f64::INFINITY));
            if start.gap < 0.0 {
                continue;
            }
            let gap = gaps[done % gaps.len()];
            check(&a.moved(&(start.normal * (gap - start.gap)), &Vector3::zeros()), &b, gap, &mut random);
            done += 1;
        }
    }
}

/// Cores without radius that pass corner to corner closer than the clipping tolerance of 1e-9 are right to that.
fn tolerance(gap: f64) -> f64 {
    if gap.abs() <= 1e-9 { 3e-9 } else { 1e-11 }
}

#[test]
fn closest_points_are_in_the_bodies_and_the_supports_are_as_far_apart() {
    for_random_pairs(&GAPS, |a, b, gap, _| {
        let points = collide(a, b, f64::INFINITY);
        for c in &points {
            assert!((c.normal.norm() - 1.0).abs() < 2e-15, "{c:?}");
            assert!((c.p_a - c.p_b - c.normal * c.gap).norm() < 1e-14, "{c:?}");
            let slack = 3e-9 + f64::max(0.0, -2.0 * gap);
            assert!(a.outside(&c.p_a) < slack && b.outside(&c.p_b) < slack, "{gap} {c:?} {a:?} {b:?}");
        }
        let features: HashSet<u64> = points.iter().map(|c| c.feature).collect();
        assert_eq!(features.len(), points.len(), "every contact has its own feature: {points:?} {a:?} {b:?}");
        let c = least(&points);
        assert!(
            (c.gap - gap).abs() < if gap > -1e-9 { tolerance(gap) } else { 2e-2 },
            "{gap} {c:?} {a:?} {b:?}"
        );
        assert!((separation(a, b, &c.normal) - c.gap).abs() < 1e-11, "{gap} {c:?} {a:?} {b:?}");
    });
}

#[test]
fn no_direction_separates_overlapping_bodies_more_than_the_normal() {
    for_random_pairs(&[-0.3, -1e-2, -1e-3, -1e-6], |a, b, gap, random| {
        let c = least(&collide(a, b, f64::INFINITY));
        // a thin polygon's tip may have passed the other body's
        if c.gap > 0.0 {
            return;
        }
        let (mut best, mut n) = (c.gap, c.normal);
        for k in 0..200 {
            // From the whole sphere of directions down to a neighbourhood of 1e-8 of the best one found.
            let size = if k < 50 { 3.0 } else { 10f64.powf(-f64::from(k - 50) / 18.0) };
            let mut trial = n + random.vector(size);
            if a.flat() {
                trial.z = 0.0;
            }
            let trial = trial.normalize();
            let s = separation(a, b, &trial);
            if s > best {
                (best, n) = (s, trial);
            }
        }
        assert!(best <= c.gap + 1e-11, "{gap} {} {c:?} {a:?} {b:?}", best - c.gap);
    });
}

#[test]
fn swapping_the_bodies_negates_the_normal_and_swaps_the_points() {
    for_random_pairs(&[1.0, 1e-2, 1e-4, -1e-2], |a, b, _, _| {
        let (there, back) = (collide(a, b, f64::INFINITY), collide(b, a, f64::INFINITY));
        assert_eq!(there.len(), back.len());
        let (x, y) = (least(&there), least(&back));
        assert!((x.gap - y.gap).abs() < 1e-14, "{x:?} {y:?}");
        assert!((x.normal + y.normal).norm() < 1e-10, "{x:?} {y:?}");
        for x in &there {
            let near = |y: &&ContactPoint| (x.p_a - y.p_b).norm() < 1e-9 && (x.p_b - y.p_a).norm() < 1e-9;
            assert!(back.iter().filter(near).count() >= 1, "{x:?} {back:?}");
        }
    });
}

#[test]
fn scaling_by_a_power_of_two_scales_every_bit() {
    let s = 1.0 / 1024.0;
    for_random_pairs(&GAPS, |a, b, _, _| {
        let (full, small) = (collide(a, b, 0.5), collide(&a.scaled(s), &b.scaled(s), 0.5 * s));
        let scale = |c: &ContactPoint| ContactPoint { p_a: c.p_a * s, p_b: c.p_b * s, gap: c.gap * s, ..*c };
        assert_eq!(full.iter().map(scale).collect::<Vec<_>>(), small);
    });
}

#[test]
fn a_rigid_motion_of_both_bodies_moves_the_contacts_along() {
    for_random_pairs(&[1.0, 1e-2, -1e-2], |a, b, _, random| {
        let (mut turn, mut by) = (random.vector(1.0), random.vector(2.0));
        if a.flat() {
            (turn.x, turn.y, by.z) = (0.0, 0.0, 0.0);
        }
        let q = Rotation3::from_scaled_axis(turn);
        let carry = |x: &Vector3<f64>| q * x + by;
        let place = |body: &Placed| body.moved(&(carry(&body.pose().p) - body.pose().p), &turn);
        let (before, after) = (collide(a, b, 0.5), collide(&place(a), &place(b), 0.5));
        assert_eq!(before.len(), after.len());
        for (x, y) in before.iter().zip(&after) {
            assert_eq!(x.feature, y.feature);
            assert!((x.gap - y.gap).abs() < 1e-12, "{x:?} {y:?}");
            assert!((q * x.normal - y.normal).norm() < 1e-12 / x.gap.abs().min(1.0), "{x:?} {y:?}");
            assert!((carry(&x.p_a) - y.p_a).norm() < 1e-10, "{x:?} {y:?}");
        }
    });
}

#[test]
fn the_least_gap_changes_at_the_normal_velocity_of_its_points() {
    let mut compared = 0;
    for_random_pairs(&[1.0, 0.1, 1e-2, -1e-2], |a, b, _, random| {
        let dt = 1e-6;
        let [v_a, mut w_a, v_b, mut w_b] = [0; 4].map(|_| random.vector(1.0));
        if a.flat() {
            (w_a.x, w_a.y, w_b.x, w_b.y) = (0.0, 0.0, 0.0, 0.0);
        }
        let at = |t: f64| {
            collide(&a.moved(&(v_a * t), &(w_a * t)), &b.moved(&(v_b * t), &(w_b * t)), f64::INFINITY)
        };
        let (now, before, after) = (at(0.0), at(-dt), at(dt));
        let c = least(&now);
        let of = |set: &[ContactPoint]| {
            set.iter().find(|x| x.feature == c.feature && (x.normal - c.normal).norm() < 1e-3).map(|x| x.gap)
        };
        if let (Some(g0), Some(g1)) = (of(&before), of(&after)) {
            let velocity_a = v_a + w_a.cross(&(c.p_a - a.pose().p));
            let velocity_b = v_b + w_b.cross(&(c.p_b - b.pose().p));
            let (rate, found) = (c.normal.dot(&(velocity_a - velocity_b)), (g1 - g0) / (2.0 * dt));
            assert!(
                (rate - found).abs() < 1e-7 + 1e-10 / (c.gap * c.gap),
                "{rate} {found} {c:?} {a:?} {b:?}"
            );
            compared += 1;
        }
    });
    assert!(compared > 950 * (FLAT.len() + SOLID.len()), "{compared}");
}

#[test]
fn bounds_contain_the_body_and_no_more() {
    let mut random = Random(5);
    for k in 0..1000 {
        let body = if k % 2 == 0 { random.flat(3 + k / 2 % 2) } else { random.solid(3 + k / 2 % 2) };
        let bounds = body.bounds();
        for axis in 0..if body.flat() { 2 } else { 3 } {
            let e = Vector3::ith(axis, 1.0);
            assert!((bounds.max[axis] - body.support(&e)).abs() < 1e-14);
            assert!((bounds.min[axis] + body.support(&-e)).abs() < 1e-14);
        }
    }
}
