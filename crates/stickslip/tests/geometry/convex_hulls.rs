//! The convex hull of points: its corners by brute force, its moments by closed forms, and its contacts by what proves
//! them.

#[allow(dead_code)]
use crate::bodies::Random;
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::PI;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::spatial;
use stickslip::shape::{Cuboid, HullError, SpatialShape, convex_hull, convex_hull_of_few};

type Points = Vec<Vector3<f64>>;

fn vertices(shape: &SpatialShape) -> Points {
    match shape {
        SpatialShape::Convex(hull) => hull.vertices().to_vec(),
        SpatialShape::Mesh(mesh) => mesh.vertices().to_vec(),
        other => panic!("{other:?}"),
    }
}

/// Corners and volume of points in general position: a plane through three bears a face if no point is above it.
fn brute(points: &Points) -> (Vec<bool>, f64) {
    let (n, mut corner, mut six) = (points.len(), vec![false; points.len()], 0.0);
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let across = (points[j] - points[i]).cross(&(points[k] - points[i]));
                let mut rest =
                    (0..n).filter(|m| ![i, j, k].contains(m)).map(|m| across.dot(&(points[m] - points[i])));
                let mut below = rest.clone();
                let (all_below, all_above) = (below.all(|h| h < 0.0), rest.all(|h| h > 0.0));
                if all_below || all_above {
                    [i, j, k].iter().for_each(|&m| corner[m] = true);
                    let volume =
                        (points[i] - points[0]).dot(&(points[j] - points[0]).cross(&(points[k] - points[0])));
                    six += if all_below { volume } else { -volume };
                }
            }
        }
    }
    (corner, six / 6.0)
}

#[test]
fn corners_and_volume_are_those_of_brute_force() {
    let (mut random, mut large, mut worst) = (Random(5), 0, 0.0f64);
    for trial in 0..300 {
        let count = 4 + trial % 60;
        let stretch = Vector3::new(1.0, 10f64.powf(random.uniform(-2.0, 0.0)), 0.3);
        let points: Points = (0..count)
            .map(|_| {
                // a third of the trials on a sphere, where every point is a corner
                let p = random.vector(1.0);
                if trial % 3 == 0 { p.normalize() } else { p }.component_mul(&stretch) + Vector3::repeat(7.0)
            })
            .collect();
        let (corner, volume) = brute(&points);
        let hull = convex_hull(&points).unwrap();
        let expected: Points = points.iter().zip(&corner).filter(|(_, c)| **c).map(|(p, _)| *p).collect();
        let found = vertices(&hull);
        assert_eq!(found.len(), expected.len(), "trial {trial}");
        assert!(expected.iter().all(|p| found.contains(p)), "trial {trial}");
        assert_eq!(matches!(hull, SpatialShape::Mesh(_)), expected.len() > 32);
        large += usize::from(expected.len() > 32);
        let off = (hull.volume().unwrap() / volume - 1.0).abs();
        worst = worst.max(off);
        assert!(off < 1e-9, "trial {trial}: {off:e}");
        // the order of the points does not matter to the shape
        let reversed: Points = points.iter().rev().copied().collect();
        let again = convex_hull(&reversed).unwrap();
        assert!((again.volume().unwrap() / volume - 1.0).abs() < 1e-9);
        assert!((again.unit_inertia().unwrap() - hull.unit_inertia().unwrap()).amax() < 1e-12);
    }
    println!("300 sets of points, {large} with more than 32 corners, volume off by {worst:e}");
    assert!(large > 20);
}

/// Points of a lattice in a box, turned and shifted, at any scale: 8 corners remain, and the moments of the box.
#[test]
fn points_in_planes_and_on_lines_are_no_corners() {
    let half = Vector3::new(0.3, 0.2, 0.5);
    let solid = SpatialShape::Box(Cuboid { half: half.into() });
    let mut random = Random(17);
    for trial in 0..60 {
        let scale = [1.0, 1e-3, 1e4][trial % 3];
        let r = if trial < 3 {
            Matrix3::identity()
        } else {
            Rotation3::from_scaled_axis(random.vector(3.0)).into_inner()
        };
        let shift = random.vector(2.0) * scale;
        let mut points = Points::new();
        for k in 0..216 {
            let at = Vector3::new(f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36)) * 0.4
                - Vector3::repeat(1.0);
            points.push(r * at.component_mul(&half) * scale + shift);
        }
        let hull = convex_hull(&points).unwrap();
        assert_eq!(vertices(&hull).len(), 8, "trial {trial}");
        let inertia = r * solid.unit_inertia().unwrap() * r.transpose() * (scale * scale);
        assert!((hull.volume().unwrap() / (solid.volume().unwrap() * scale.powi(3)) - 1.0).abs() < 1e-12);
        assert!((hull.centroid() - shift).norm() < 1e-12 * scale);
        assert!((hull.unit_inertia().unwrap() - inertia).amax() < 1e-12 * scale * scale, "trial {trial}");
    }
}

/// A prism over a regular polygon of 50 sides, with points inside and on its faces: 100 corners, a mesh.
#[test]
fn a_prism_of_many_sides_has_the_moments_of_the_books() {
    let (n, r, h) = (50, 0.7, 0.9);
    let corner = |k: usize, z: f64| {
        let angle = 2.0 * PI * k as f64 / n as f64;
        Vector3::new(r * angle.cos(), r * angle.sin(), z)
    };
    let mut points: Points = (0..n).flat_map(|k| [corner(k, -0.5 * h), corner(k, 0.5 * h)]).collect();
    points.extend((0..n).map(|k| corner(k, 0.0)));
    points.extend((0..n).map(|k| corner(k, 0.5 * h).component_mul(&Vector3::new(0.4, 0.4, 1.0))));
    let hull = convex_hull(&points).unwrap();
    let SpatialShape::Mesh(mesh) = &hull else { panic!("{hull:?}") };
    assert_eq!((mesh.vertices().len(), mesh.count(), mesh.open_edges()), (100, 196, 0));
    let (a, c) = (2.0 * PI / n as f64, n as f64);
    let area = 0.5 * c * r * r * a.sin();
    // the second moment of a regular polygon about an axis in its plane, over its area
    let across = r * r / 12.0 * (2.0 + a.cos());
    let inertia = Vector3::new(across + h * h / 12.0, across + h * h / 12.0, 2.0 * across);
    assert!((hull.volume().unwrap() / (area * h) - 1.0).abs() < 1e-13);
    assert!(hull.centroid().norm() < 1e-15);
    assert!((hull.unit_inertia().unwrap() - Matrix3::from_diagonal(&inertia)).amax() < 1e-14);
}

/// Two points at the distance of the support functions along their difference are closest; those of the hull are those
/// of its points. A little deeper the same features overlap.
#[test]
fn hulls_of_any_size_touch_as_their_points_say() {
    let mut random = Random(29);
    for (count, poses) in [(12, 300), (50, 100), (120, 20)] {
        let (mut done, mut worst, mut deep) = (0, [0.0f64; 2], 0);
        while done < poses {
            let [first, second] =
                [0; 2].map(|_| (0..count).map(|_| random.vector(1.0).normalize() * 0.6).collect::<Points>());
            let shapes = [&first, &second].map(|p| convex_hull(p).unwrap());
            let reach = |points: &Points, at: &SpatialPose, n: Vector3<f64>| {
                points.iter().map(|p| n.dot(&(at.p + at.r * p))).fold(f64::NEG_INFINITY, f64::max)
            };
            let separation = |a: &SpatialPose, b: &SpatialPose, n: Vector3<f64>| {
                -reach(&first, a, -n) - reach(&second, b, n)
            };
            let least = |a: &SpatialPose, b: &SpatialPose| {
                let mut out = Vec::new();
                // balls of half a metre fit into hulls of many points: there is no need to look farther
                let reach = if count > 32 { (a.p - b.p).norm() - 0.9 } else { 10.0 };
                spatial::collide((&shapes[0], a), (&shapes[1], b), reach, &mut out);
                out.into_iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).expect("a contact")
            };
            for _ in 0..30 {
                let [a, b] = [0; 2].map(|_| {
                    let r = Rotation3::from_scaled_axis(random.vector(3.0)).into_inner();
                    SpatialPose { p: random.vector(1.2), r }
                });
                if separation(&a, &b, (a.p - b.p).normalize()) < 1e-3 {
                    continue;
                }
                let c = least(&a, &b);
                worst[0] = worst[0].max((separation(&a, &b, c.normal) - c.gap).abs());
                assert!(worst[0] < 1e-11, "{count}: {c:?}");
                done += 1;
                // exactly corner on corner, a surface of triangles is passed by; a face and a corner, or two edges,
                // overlap as they were met
                let codes = (c.feature >> 3 & 7, c.feature & 7);
                if count > 32 && !matches!(codes, (6, 0..=2) | (0..=2, 6) | (3..=5, 3..=5)) {
                    continue;
                }
                let nearer = SpatialPose { p: a.p - c.normal * (c.gap + 1e-5), ..a };
                let d = least(&nearer, &b);
                assert!(d.gap < 0.0 && d.gap > -1e-4, "{count}: {c:?} {d:?}");
                worst[1] = worst[1].max((separation(&nearer, &b, d.normal) - d.gap).abs());
                deep += 1;
            }
        }
        println!(
            "{count} points: {done} poses, separation off by {:e} m; {deep} of them 1e-5 m deeper, off by {:e} m",
            worst[0], worst[1]
        );
    }
}

#[test]
fn what_spans_no_volume_is_refused() {
    let flat: Points = (0..20).map(|k| Vector3::new(f64::from(k % 5), f64::from(k / 5), 3.0)).collect();
    assert_eq!(convex_hull(&flat), Err(HullError::Flat));
    let tilted: Points =
        flat.iter().map(|p| Rotation3::from_scaled_axis(Vector3::new(0.3, 0.7, 0.1)) * p).collect();
    assert_eq!(convex_hull(&tilted), Err(HullError::Flat));
    let line: Points = (0..9).map(|k| Vector3::new(1.0, 2.0, 3.0) * f64::from(k)).collect();
    assert_eq!(convex_hull(&line), Err(HullError::Flat));
    assert_eq!(convex_hull(&vec![Vector3::x(); 9]), Err(HullError::Count(1)));
    assert_eq!(convex_hull(&[]), Err(HullError::Count(0)));
    let mut bad = flat.clone();
    bad[3].z = f64::NAN;
    assert_eq!(convex_hull(&bad), Err(HullError::NotFinite(3)));
    // a disc of many points that is thinner than anything can tell
    let thin: Points = (0..200)
        .map(|k| {
            Vector3::new((0.1 * f64::from(k)).cos(), (0.1 * f64::from(k)).sin(), 1e-11 * f64::from(k % 2))
        })
        .collect();
    assert_eq!(convex_hull(&thin), Err(HullError::Flat));
    let huge: Points = [[0.0, 0.0, 0.0], [1e300, 0.0, 0.0], [0.0, 1e300, 0.0], [0.0, 0.0, 1e300]]
        .map(Vector3::from)
        .to_vec();
    assert!(convex_hull(&huge).is_err(), "its volume is no number");
}

/// By support functions: no direction sees more of the points stand out than is said, and one sees nearly as much.
#[test]
fn a_hull_of_few_corners_says_how_far_the_points_stand_out_of_it() {
    let mut random = Random(11);
    for trial in 0..20 {
        let stretch = Vector3::new(1.0, random.uniform(0.2, 1.0), random.uniform(0.1, 1.0));
        let points: Points =
            (0..400).map(|_| random.vector(1.0).normalize().component_mul(&stretch)).collect();
        let most = 8 + trial;
        let (shape, off) = convex_hull_of_few(&points, most).unwrap();
        let few = vertices(&shape);
        assert!(few.len() <= most && few.iter().all(|v| points.contains(v)), "{most}: {few:?}");
        let top = |all: &Points, n: &Vector3<f64>| all.iter().map(|v| n.dot(v)).fold(f64::MIN, f64::max);
        let mut seen = 0.0f64;
        for _ in 0..20_000 {
            let n = random.vector(1.0).normalize();
            seen = seen.max(top(&points, &n) - top(&few, &n));
        }
        assert!(seen <= off * (1.0 + 1e-9) && seen > 0.8 * off, "{most}: {seen} of {off}");
    }
    let few: Points = points_of_a_box();
    assert_eq!(convex_hull_of_few(&few, 8).unwrap().1, 0.0);
}

fn points_of_a_box() -> Points {
    let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|k| Vector3::new(sign(k, 0), 2.0 * sign(k, 1), 3.0 * sign(k, 2))).collect()
}
