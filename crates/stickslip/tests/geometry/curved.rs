//! Contacts of cylinders, cones, ellipsoids and super-ellipsoids with every convex shape, against an independent
//! minimiser (`projections/`) and against what proves them, the separation of support functions.

use crate::projections;
use crate::rounded::{Placed, Random, collide, least, separation};
use nalgebra::{Rotation3, Vector3};
use std::collections::HashSet;
use stickslip::collide::ContactPoint;

const GAPS: [f64; 9] = [1.0, 1e-3, 1e-6, 1e-9, 0.0, -1e-12, -1e-9, -1e-6, -1e-2];
const NAMES: [&str; 10] = [
    "sphere",
    "box",
    "half-space",
    "capsule",
    "cylinder",
    "convex",
    "cone",
    "ellipsoid",
    "super-ellipsoid",
    "super-ellipsoid of two exponents",
];

/// All pairs of kinds of `Random::solid` with a curved shape.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let curved = |k: usize| matches!(k, 4 | 6..);
    (0..10).flat_map(|i| (i..10).map(move |j| (i, j))).filter(move |&(i, j)| curved(i) || curved(j))
}

/// True for shapes with edges: two of them that touch at edges have no one normal there.
fn sharp(kind: usize) -> bool {
    matches!(kind, 1 | 4 | 5 | 6)
}

/// Placements that are apart, with their closest points by alternating projections.
fn apart((i, j): (usize, usize), random: &mut Random) -> (Placed, Placed, Vector3<f64>, Vector3<f64>) {
    loop {
        let (a, b) = (random.solid(i), random.solid(j));
        if let Some((p, q)) = projections::closest(&a, &b).filter(|(p, q)| (p - q).norm() > 0.3) {
            return (a, b, p, q);
        }
    }
}

/// Runs a check on placements of every pair, the gap set by moving the first body along the normal.
fn for_random_pairs(
    count: usize,
    gaps: &[f64],
    mut check: impl FnMut(&Placed, &Placed, f64, (usize, usize), &mut Random),
) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for kinds in pairs() {
        for k in 0..count {
            let (a, b, start) = loop {
                let (a, b) = (random.solid(kinds.0), random.solid(kinds.1));
                let start = least(&collide(&a, &b, f64::INFINITY));
                if start.gap >= 0.0 {
                    break (a, b, start);
                }
            };
            let gap = gaps[k % gaps.len()];
            let moved = a.moved(&(start.normal * (gap - start.gap)), &Vector3::zeros());
            check(&moved, &b, gap, kinds, &mut random);
        }
    }
}

/// A sixth of the pairs each, to run side by side.
fn against_projections(part: usize) {
    for kinds in pairs().skip(part).step_by(6) {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let both_sharp = sharp(kinds.0) && sharp(kinds.1);
        let mut worst = [0.0f64; 4];
        for k in 0..1000 {
            let gap = GAPS[k % GAPS.len()];
            let (a, b, p, q) = apart(kinds, &mut random);
            let (n, start) = ((p - q).normalize(), (p - q).norm());
            let (a, p) = (a.moved(&(n * (gap - start)), &Vector3::zeros()), p + n * (gap - start));
            let points = collide(&a, &b, f64::INFINITY);
            let c = least(&points);
            let note = || format!("{gap} {c:?} {a:?} {b:?}");
            assert!((separation(&a, &b, &c.normal) - c.gap).abs() < 1e-11, "{}", note());
            if both_sharp && gap < 0.0 {
                // edges that have passed each other: another direction may separate them with less
                assert!(c.gap > gap - 1e-11, "{}", note());
                continue;
            }
            worst[0] = worst[0].max((c.gap - gap).abs());
            assert!((c.gap - gap).abs() < 1e-11, "{}", note());
            if both_sharp && gap < 1e-3 {
                // the normal of edges is that of their difference, which rounding turns
                assert!((c.normal - n).norm() * gap < 1e-14, "{}", note());
                continue;
            }
            worst[1] = worst[1].max((c.normal - n).norm());
            assert!((c.normal - n).norm() < 1e-11, "{}", note());
            let off = |x: &Placed, y: &Vector3<f64>| x.outside(y);
            worst[2] = worst[2].max(off(&a, &c.p_a)).max(off(&b, &c.p_b) - f64::max(0.0, -gap));
            if points.len() == 1 {
                worst[3] = worst[3].max((c.p_a - p).norm()).max((c.p_b - q).norm());
            }
        }
        let (i, j) = kinds;
        println!(
            "{}/{}: gap {:.0e}, normal {:.0e}, outside {:.0e}, points {:.0e}",
            NAMES[i], NAMES[j], worst[0], worst[1], worst[2], worst[3]
        );
        assert!(worst[2] < 1e-11, "{worst:?}");
    }
}

#[test]
fn closest_points_are_those_of_alternating_projections_0() {
    against_projections(0);
}

#[test]
fn closest_points_are_those_of_alternating_projections_1() {
    against_projections(1);
}

#[test]
fn closest_points_are_those_of_alternating_projections_2() {
    against_projections(2);
}

#[test]
fn closest_points_are_those_of_alternating_projections_3() {
    against_projections(3);
}

#[test]
fn closest_points_are_those_of_alternating_projections_4() {
    against_projections(4);
}

#[test]
fn closest_points_are_those_of_alternating_projections_5() {
    against_projections(5);
}

#[test]
fn contact_points_are_in_the_bodies_and_have_features_of_their_own() {
    for_random_pairs(200, &GAPS, |a, b, gap, _, _| {
        let points = collide(a, b, f64::INFINITY);
        for c in &points {
            assert!((c.normal.norm() - 1.0).abs() < 2e-15, "{c:?}");
            assert!((c.p_a - c.p_b - c.normal * c.gap).norm() < 1e-14, "{c:?}");
            let slack = 3e-9 + f64::max(0.0, -2.0 * gap);
            assert!(a.outside(&c.p_a) < slack && b.outside(&c.p_b) < slack, "{gap} {c:?} {a:?} {b:?}");
            assert!(c.feature < 1 << 16);
        }
        let features: HashSet<u64> = points.iter().map(|c| c.feature).collect();
        assert_eq!(features.len(), points.len(), "{points:?} {a:?} {b:?}");
    });
}

#[test]
fn no_direction_separates_overlapping_bodies_more_than_the_normal() {
    let (mut tried, mut missed, mut worst) = (0, 0, 0.0f64);
    for_random_pairs(100, &[-1e-2, -1e-3], |a, b, gap, kinds, random| {
        let c = least(&collide(a, b, f64::INFINITY));
        let (mut best, mut n) = (c.gap, c.normal);
        for k in 0..200 {
            let size = if k < 50 { 3.0 } else { 10f64.powf(-f64::from(k - 50) / 18.0) };
            let trial = (n + random.vector(size)).normalize();
            let s = separation(a, b, &trial);
            if s > best {
                (best, n) = (s, trial);
            }
        }
        tried += 1;
        if best > c.gap + 1e-11 {
            // edges that have passed each other leave several ways out; the one found is no longer than that of the
            // approach
            assert!(sharp(kinds.0) && sharp(kinds.1) && c.gap > gap - 1e-11, "{gap} {c:?} {a:?} {b:?}");
            missed += 1;
            worst = worst.max((best - c.gap) / -gap);
        }
    });
    println!("{missed} of {tried} not the shortest way out, by up to {worst:.2} of the overlap");
    assert!(missed * 200 < tried, "{missed} {tried}");
}

#[test]
fn swapping_the_bodies_negates_the_normal_and_swaps_the_points() {
    for_random_pairs(100, &[1.0, 1e-2, 1e-4], |a, b, _, _, _| {
        let (there, back) = (collide(a, b, f64::INFINITY), collide(b, a, f64::INFINITY));
        assert_eq!(there.len(), back.len());
        let (x, y) = (least(&there), least(&back));
        assert!((x.gap - y.gap).abs() < 1e-13, "{x:?} {y:?}");
        assert!((x.normal + y.normal).norm() < 1e-10, "{x:?} {y:?}");
    });
}

#[test]
fn scaling_by_a_power_of_two_scales_every_bit() {
    let s = 1.0 / 1024.0;
    for_random_pairs(50, &GAPS, |a, b, _, _, _| {
        let (full, small) = (collide(a, b, 0.5), collide(&a.scaled(s), &b.scaled(s), 0.5 * s));
        let scale = |c: &ContactPoint| ContactPoint { p_a: c.p_a * s, p_b: c.p_b * s, gap: c.gap * s, ..*c };
        assert_eq!(full.iter().map(scale).collect::<Vec<_>>(), small);
    });
}

#[test]
fn a_rigid_motion_of_both_bodies_moves_the_contacts_along() {
    for_random_pairs(100, &[1.0, 1e-2, -1e-2], |a, b, _, _, random| {
        let (turn, by) = (random.vector(1.0), random.vector(2.0));
        let q = Rotation3::from_scaled_axis(turn);
        let carry = |x: &Vector3<f64>| q * x + by;
        let place = |body: &Placed| body.moved(&(carry(&body.pose().p) - body.pose().p), &turn);
        let (x, y) = (least(&collide(a, b, 2.0)), least(&collide(&place(a), &place(b), 2.0)));
        assert!((x.gap - y.gap).abs() < 1e-12, "{x:?} {y:?}");
        assert!((q * x.normal - y.normal).norm() < 1e-12 / x.gap.abs().min(1.0), "{x:?} {y:?}");
    });
}

#[test]
fn the_least_gap_changes_at_the_normal_velocity_of_its_points() {
    let (mut compared, mut worst) = (0, 0.0f64);
    for_random_pairs(100, &[1.0, 0.1, 1e-2, -1e-2], |a, b, _, _, random| {
        // the quotient's own error falls with dt²; at 1e-6 it reaches 3e-7 where rims cross at a small angle
        let dt = 2e-7;
        let [v_a, w_a, v_b, w_b] = [0; 4].map(|_| random.vector(1.0));
        let at = |t: f64| {
            least(&collide(&a.moved(&(v_a * t), &(w_a * t)), &b.moved(&(v_b * t), &(w_b * t)), f64::INFINITY))
        };
        let (c, before, after) = (at(0.0), at(-dt), at(dt));
        if before.feature == c.feature && after.feature == c.feature {
            let velocity_a = v_a + w_a.cross(&(c.p_a - a.pose().p));
            let velocity_b = v_b + w_b.cross(&(c.p_b - b.pose().p));
            let rate = c.normal.dot(&(velocity_a - velocity_b));
            let found = (after.gap - before.gap) / (2.0 * dt);
            worst = worst.max((rate - found).abs());
            assert!((rate - found).abs() < 1e-7, "{rate} {found} {c:?} {a:?} {b:?}");
            compared += 1;
        }
    });
    println!("{compared} rates, off by {worst:e}");
    assert!(compared > 95 * pairs().count(), "{compared}");
}

#[test]
fn bounds_contain_the_body_and_no_more() {
    let mut random = Random(5);
    for k in 0..1000 {
        let body = random.solid([4, 6, 7, 8, 9][k % 5]);
        let bounds = body.bounds();
        for axis in 0..3 {
            let e = Vector3::ith(axis, 1.0);
            assert!((bounds.max[axis] - body.support(&e)).abs() < 1e-14);
            assert!((bounds.min[axis] + body.support(&-e)).abs() < 1e-14);
        }
    }
}
