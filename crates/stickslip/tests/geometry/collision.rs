//! Contact geometry against what proves it: a pair of points of two convex bodies is closest exactly when the bodies'
//! support functions are that far apart along it. Nothing here looks at how the contacts were found.

use crate::bodies::{Body, Random, collide, least, separation};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::collections::HashSet;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::broad::BroadPhase;
use stickslip::collide::{Aabb, ContactPoint, Feature};
use stickslip::shape::{Cuboid, Disc, PlanarShape, Rectangle, SpatialShape, Sphere};

const GAPS: [f64; 9] = [1.0, 1e-3, 1e-6, 1e-9, 0.0, -1e-12, -1e-9, -1e-6, -1e-2];

/// Runs a check on random placements of every pair of shapes, with gaps from one to shallow penetration. A body moved
/// along the normal of a pair that is apart keeps the pair's points, so the gap can be set and the features, faces,
/// edges and vertices alike, stay.
fn for_random_pairs(gaps: &[f64], mut check: impl FnMut(&Body, &Body, f64, &mut Random)) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for flat in [true, false] {
        for (first, second) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 0), (2, 0), (2, 1)] {
            let mut done = 0;
            while done < 1000 {
                let (a, b) = (random.body(flat, first), random.body(flat, second));
                let start = least(&collide(&a, &b, f64::INFINITY));
                if start.gap < 0.0 {
                    continue;
                }
                let gap = gaps[done % gaps.len()];
                check(&a.shifted(&(start.normal * (gap - start.gap))), &b, gap, &mut random);
                done += 1;
            }
        }
    }
}

/// Gaps of corners that pass closer than the clipping tolerance of 1e-9 are right to that tolerance, all else to
/// rounding. (The points may lie beyond a face's rim by the tolerance at any gap, which changes the gap by its square
/// only.)
fn tolerance(gap: f64) -> f64 {
    if gap.abs() <= 1e-9 { 3e-9 } else { 1e-11 }
}

#[test]
fn closest_points_are_in_the_bodies_and_the_supports_are_as_far_apart() {
    for_random_pairs(&GAPS, |a, b, gap, _| {
        let (ca, cb) = (a.convex(), b.convex());
        let points = collide(a, b, f64::INFINITY);
        for c in &points {
            assert!((c.normal.norm() - 1.0).abs() < 2e-15, "{c:?}");
            assert!((c.p_a - c.p_b - c.normal * c.gap).norm() < 1e-14, "{c:?}");
            let slack = 3e-9 + f64::max(0.0, -2.0 * gap);
            assert!(ca.outside(&c.p_a) < slack && cb.outside(&c.p_b) < slack, "{gap} {c:?}");
        }
        let features: HashSet<u64> = points.iter().map(|c| c.feature).collect();
        assert_eq!(features.len(), points.len(), "every contact has its own feature");
        let c = least(&points);
        assert!((c.gap - gap).abs() < if gap > -1e-9 { tolerance(gap) } else { 2e-2 }, "{gap} {c:?}");
        assert!((separation(&ca, &cb, &c.normal) - c.gap).abs() < 1e-11, "{gap} {c:?}");
    });
}

#[test]
fn no_direction_separates_overlapping_bodies_more_than_the_normal() {
    for_random_pairs(&[-1e-2, -1e-3, -1e-6], |a, b, gap, random| {
        let (ca, cb) = (a.convex(), b.convex());
        let c = least(&collide(a, b, 0.0));
        let (mut best, mut n) = (c.gap, c.normal);
        for k in 0..200 {
            // From the whole sphere of directions down to a neighbourhood of 1e-8 of the best one found.
            let size = if k < 50 { 3.0 } else { 10f64.powf(-f64::from(k - 50) / 18.0) };
            let mut trial = n + random.vector(size);
            if a.planar() {
                trial.z = 0.0;
            }
            let trial = trial.normalize();
            let s = separation(&ca, &cb, &trial);
            if s > best {
                (best, n) = (s, trial);
            }
        }
        assert!(best <= c.gap + 1e-11, "{gap} {} {c:?}", best - c.gap);
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
        let radius = |f: Feature| match f {
            Feature::Point(radius) => Feature::Point(radius * s),
            Feature::Line(along, radius) => Feature::Line(along, radius * s),
            other => other,
        };
        let scale = |c: &ContactPoint| ContactPoint {
            p_a: c.p_a * s,
            p_b: c.p_b * s,
            gap: c.gap * s,
            features: c.features.map(radius),
            ..*c
        };
        assert_eq!(full.iter().map(scale).collect::<Vec<_>>(), small);
    });
}

#[test]
fn a_rigid_motion_of_both_bodies_moves_the_contacts_along() {
    for_random_pairs(&[1.0, 1e-2, -1e-2], |a, b, _, random| {
        let mut turn = random.vector(1.0);
        let mut by = random.vector(2.0);
        if a.planar() {
            (turn.x, turn.y, by.z) = (0.0, 0.0, 0.0);
        }
        let q = Rotation3::from_scaled_axis(turn);
        let carry = |x: &Vector3<f64>| q * x + by;
        let place = |body: &Body| body.moved(&(carry(&body.centre()) - body.centre()), &turn);
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

/// True for a vertex of one box on the face of the other that the normal belongs to.
fn is_vertex_on_reference_face(a: &Body, b: &Body, c: &ContactPoint) -> bool {
    let (axes, codes) = if a.planar() { (2, 9) } else { (3, 27) };
    let digits = |code: u64| (0..axes).map(move |k| code / 3u64.pow(k) % 3);
    let vertex = |code: u64| digits(code).all(|d| d > 0);
    let face = |body: &Body, code: u64| {
        let axis = digits(code).position(|d| d > 0).unwrap_or(0);
        let along = body.convex().axes.column(axis).dot(&c.normal).abs();
        digits(code).filter(|&d| d > 0).count() == 1 && along > 1.0 - 1e-14
    };
    let (code_a, code_b) = (c.feature / codes, c.feature % codes);
    (vertex(code_a) && face(b, code_b)) || (vertex(code_b) && face(a, code_a))
}

#[test]
fn the_gap_changes_at_the_normal_velocity_of_the_contact_points() {
    let mut compared = 0;
    for_random_pairs(&[1.0, 0.1, 1e-2, -1e-2], |a, b, _, random| {
        let dt = 1e-6;
        let [v_a, mut w_a, v_b, mut w_b] = [0; 4].map(|_| random.vector(1.0));
        if a.planar() {
            (w_a.x, w_a.y, w_b.x, w_b.y) = (0.0, 0.0, 0.0, 0.0);
        }
        let at = |t: f64| {
            collide(&a.moved(&(v_a * t), &(w_a * t)), &b.moved(&(v_b * t), &(w_b * t)), f64::INFINITY)
        };
        let (now, before, after) = (at(0.0), at(-dt), at(dt));
        let of = |set: &[ContactPoint], c: &ContactPoint| {
            set.iter().find(|x| x.feature == c.feature && (x.normal - c.normal).norm() < 1e-3).map(|x| x.gap)
        };
        let boxes = a.convex().radius == 0.0 && b.convex().radius == 0.0;
        let half_space = a.convex().up.is_some() || b.convex().up.is_some();
        for c in &now {
            let exact =
                !boxes || half_space || c.gap == least(&now).gap || is_vertex_on_reference_face(a, b, c);
            if let (true, Some(g0), Some(g1)) = (exact, of(&before, c), of(&after, c)) {
                let velocity_a = v_a + w_a.cross(&(c.p_a - a.centre()));
                let velocity_b = v_b + w_b.cross(&(c.p_b - b.centre()));
                let rate = c.normal.dot(&(velocity_a - velocity_b));
                assert!(
                    (rate - (g1 - g0) / (2.0 * dt)).abs() < 1e-7 + 1e-10 / (c.gap * c.gap),
                    "{rate} {} {c:?}",
                    (g1 - g0) / (2.0 * dt)
                );
                compared += 1;
            }
        }
    });
    assert!(compared > 16_000, "{compared}");
}

fn cube(half: f64, p: Vector3<f64>, turn: Vector3<f64>) -> Body {
    let r = Rotation3::from_scaled_axis(turn).into_inner();
    Body::Solid(SpatialShape::Box(Cuboid { half: [half; 3] }), SpatialPose { p, r })
}

#[test]
fn degenerate_placements_have_finite_unit_normals() {
    for flat in [true, false] {
        for centre in 0..27 {
            // The inside, face centres, edge middles and vertices of a unit box, each with the other body's centre on
            // it.
            let digit = |k: u32| f64::from(centre / 3i32.pow(k) % 3 - 1);
            let p = Vector3::new(digit(0), digit(1), if flat { 0.0 } else { digit(2) });
            let place = |p: Vector3<f64>, kind: usize| match (flat, kind) {
                (true, 0) => Body::Flat(PlanarShape::Disc(Disc { radius: 1.0 }), [p.x, p.y, 0.0]),
                (true, 1) => Body::Flat(PlanarShape::Box(Rectangle { half: [1.0; 2] }), [p.x, p.y, 0.0]),
                (true, _) => Body::Flat(PlanarShape::HalfPlane, [p.x, p.y, 0.0]),
                (false, 1) => cube(1.0, p, Vector3::zeros()),
                (false, kind) => {
                    let ball = SpatialShape::Sphere(Sphere { radius: 1.0 });
                    let shape = if kind == 0 { ball } else { SpatialShape::HalfSpace };
                    Body::Solid(shape, SpatialPose { p, r: Matrix3::identity() })
                }
            };
            for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 1), (1, 2)] {
                // With a distance so small that its square underflows, too.
                for scale in [1.0, 2.0, 1e-200] {
                    let points = collide(&place(p * scale, first), &place(Vector3::zeros(), second), 10.0);
                    assert!(!points.is_empty());
                    for c in points {
                        assert!((c.normal.norm() - 1.0).abs() < 1e-15 && c.gap.is_finite(), "{c:?}");
                        assert!((c.p_a - c.p_b - c.normal * c.gap).norm() < 1e-14, "{c:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn ten_stacked_cubes_touch_in_four_points_per_interface() {
    let mut random = Random(7);
    for noise in [0.0, 1e-15, 1e-12] {
        let stack: Vec<Body> = (0..10)
            .map(|k| {
                let p = Vector3::new(0.3, -0.7, 0.1 + 0.2 * f64::from(k)) + random.vector(noise);
                cube(0.1, p, random.vector(noise))
            })
            .collect();
        for pair in stack.windows(2) {
            let points = collide(&pair[1], &pair[0], 1e-6);
            assert_eq!(points.len(), 4, "{points:?}");
            for c in &points {
                assert!(c.gap.abs() < 1e-11 && (c.normal - Vector3::z()).norm() < 1e-11, "{c:?}");
                assert_eq!(points.iter().filter(|x| (x.p_a - c.p_a).norm() < 0.19).count(), 1);
            }
        }
    }
}

#[test]
fn features_of_stacked_cubes_survive_perturbations() {
    let mut random = Random(3);
    let yaw = |angle| Vector3::new(0.0, 0.0, angle);
    for (offset, angle) in [(0.0, 0.0), (0.05, 0.0), (0.03, 0.7), (0.0, std::f64::consts::FRAC_PI_4)] {
        let place = |random: &mut Random, noise: f64| {
            let upper = cube(0.1, Vector3::new(offset, 0.5 * offset, 0.2) + random.vector(noise), yaw(angle));
            let upper = upper.moved(&Vector3::zeros(), &random.vector(noise));
            collide(&upper, &cube(0.1, random.vector(noise), random.vector(noise)), 1e-6)
        };
        let features = |points: Vec<ContactPoint>| points.iter().map(|c| c.feature).collect::<Vec<_>>();
        let quiet = features(place(&mut random, 0.0));
        assert_eq!(quiet.len(), if angle == 0.0 { 4 } else { quiet.len().max(6) });
        assert_eq!(quiet.iter().collect::<HashSet<_>>().len(), quiet.len());
        for _ in 0..100 {
            assert_eq!(features(place(&mut random, 1e-12)), quiet, "{offset} {angle}");
        }
    }
}

#[test]
fn bounds_contain_the_body_and_no_more() {
    let mut random = Random(5);
    for k in 0..1000 {
        let body = random.body(k % 2 == 0, k / 2 % 2);
        let (bounds, convex) = (body.bounds(), body.convex());
        for axis in 0..if body.planar() { 2 } else { 3 } {
            let e = Vector3::ith(axis, 1.0);
            assert!((bounds.max[axis] - convex.support(&e)).abs() < 1e-14);
            assert!((bounds.min[axis] + convex.support(&-e)).abs() < 1e-14);
        }
    }
}

#[test]
fn sweep_and_prune_finds_what_testing_all_pairs_finds() {
    let (mut broad, mut random, mut found) = (BroadPhase::default(), Random(11), Vec::new());
    for round in 0..30 {
        let stretch = [[20.0, 1.0, 1.0], [1.0, 20.0, 1.0], [1.0, 5.0, 5.0]][round % 3];
        let boxes: Vec<Aabb> = (0..200)
            .map(|k| {
                let c = random.vector(1.0).component_mul(&Vector3::from(stretch));
                let h = random.vector(0.4).abs();
                if k % 50 == 49 { Aabb::EVERYTHING } else { Aabb { min: c - h, max: c + h } }
            })
            .collect();
        let may_touch = |i: usize, j: usize| !(i + j).is_multiple_of(7);
        let mut expected = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].touches(&boxes[j]) && may_touch(i, j) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        broad.pairs(&boxes, may_touch, &mut found);
        assert_eq!(found, expected);
    }
}

/// Polygons of very many sides: as far apart as the circles they stand for, but for what their corners are short of it.
#[test]
fn many_sided_polygons_touch_like_circles() {
    use nalgebra::Vector2;
    use stickslip::body::planar::PlanarPose;
    use stickslip::collide::planar::collide;
    use stickslip::shape::{ConvexPolygon, PlanarShape};
    let polygon = |n: usize, radius: f64| {
        let vertex = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            Vector2::new(radius * cos, radius * sin)
        };
        PlanarShape::Polygon(ConvexPolygon::new((0..n).map(vertex).collect()).unwrap())
    };
    for (n, m) in [(4096, 4096), (4096, 3), (100, 1000), (129, 128), (2000, 7)] {
        let (a, b) = (polygon(n, 1.0), polygon(m, 0.3));
        // what the middle of an edge is short of the circle
        let short = |n: usize, radius: f64| radius * (1.0 - (std::f64::consts::PI / n as f64).cos());
        for k in 0..7 {
            let (angle, turn) = (0.9 * f64::from(k), 0.4 * f64::from(k) + 0.05);
            for distance in [1.2, 1.29, 1.31, 1.5] {
                let at = PlanarPose::new(distance * angle.cos(), distance * angle.sin(), turn);
                let mut points = Vec::new();
                collide((&a, &PlanarPose::new(0.0, 0.0, 0.3)), (&b, &at), 1.0, &mut points);
                let least = points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
                let circles = distance - 1.3;
                let slack = short(n, 1.0) + short(m, 0.3) + 1e-12;
                assert!(
                    (circles - 1e-12..=circles + slack).contains(&least),
                    "{n} {m} {distance}: {least} {circles}"
                );
                for p in &points {
                    assert!((p.normal.dot(&(p.p_a - p.p_b)) - p.gap).abs() < 1e-12);
                }
            }
        }
    }
}
