//! All pairs of the plane against brute force over boundaries.

use crate::rounded::{Random, least};
use nalgebra::Vector2;
use stickslip::body::planar::PlanarPose;
use stickslip::collide::planar;
use stickslip::shape::{ConvexPolygon, Disc, Outline, PlanarShape, Polyline, Rectangle, Stadium};

fn in_the_plane(shape: &PlanarShape) -> &'static str {
    match shape {
        PlanarShape::Disc(_) => "disc",
        PlanarShape::Box(_) => "box",
        PlanarShape::Capsule(_) => "capsule",
        PlanarShape::Polygon(_) => "polygon",
        PlanarShape::Outline(_) => "outline",
        PlanarShape::Polyline(_) => "polyline",
        PlanarShape::Compound(_) => "compound",
        PlanarShape::HalfPlane => "half-plane",
    }
}

/// A planar shape as lists of points, closed or not, grown by a radius; none for the half-plane.
type Outlines = Option<Vec<(Vec<Vector2<f64>>, bool, f64)>>;

/// A random shape of a kind.
fn flat(kind: usize, random: &mut Random) -> PlanarShape {
    let mut star = |n: usize| -> Vec<Vector2<f64>> {
        let at = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        (0..n).map(|k| Vector2::new(at(k).cos(), at(k).sin()) * random.uniform(0.3, 1.0)).collect()
    };
    match kind {
        0 => PlanarShape::Disc(Disc { radius: 0.4 }),
        1 => PlanarShape::Box(Rectangle { half: [0.5, 0.3] }),
        2 => PlanarShape::Capsule(Stadium { radius: 0.2, half: 0.5 }),
        3 => PlanarShape::Polygon(ConvexPolygon::new(star(3)).unwrap()),
        4 => PlanarShape::Outline(Outline::new(star(9)).unwrap()),
        5 => PlanarShape::Polyline(Polyline::new(star(5), true).unwrap()),
        6 => {
            let parts = [(-0.5, flat(1, random)), (0.4, flat(2, random)), (0.9, flat(0, random))];
            PlanarShape::Compound(
                parts.map(|(x, part)| (PlanarPose::new(x, 0.3 * x, 2.0 * x), part)).to_vec(),
            )
        }
        _ => PlanarShape::HalfPlane,
    }
}

fn outlines(shape: &PlanarShape, pose: &PlanarPose) -> Outlines {
    let place = |points: &[Vector2<f64>]| points.iter().map(|p| pose.p + pose.rotate(*p)).collect::<Vec<_>>();
    let one =
        |points: &[Vector2<f64>], closed: bool, radius: f64| Some(vec![(place(points), closed, radius)]);
    let v = |x: f64, y: f64| Vector2::new(x, y);
    match shape {
        PlanarShape::Disc(Disc { radius }) => one(&[v(0.0, 0.0)], false, *radius),
        PlanarShape::Box(Rectangle { half: [x, y] }) => {
            one(&[v(-x, -y), v(*x, -y), v(*x, *y), v(-x, *y)], true, 0.0)
        }
        PlanarShape::Capsule(Stadium { radius, half }) => {
            one(&[v(-half, 0.0), v(*half, 0.0)], false, *radius)
        }
        PlanarShape::Polygon(polygon) => one(polygon.vertices(), true, 0.0),
        PlanarShape::Outline(outline) => one(outline.vertices(), true, 0.0),
        PlanarShape::Polyline(polyline) => one(polyline.vertices(), false, 0.0),
        PlanarShape::Compound(parts) => {
            let of = |(at, part): &(PlanarPose, PlanarShape)| {
                let p = pose.p + pose.rotate(at.p);
                outlines(part, &PlanarPose::new(p.x, p.y, turn(pose) + turn(at)))
            };
            parts.iter().map(of).try_fold(Vec::new(), |all, part| Some([all, part?].concat()))
        }
        PlanarShape::HalfPlane => None,
    }
}

fn turn(pose: &PlanarPose) -> f64 {
    let x = pose.rotate(Vector2::x());
    x.y.atan2(x.x)
}

fn sides(points: &[Vector2<f64>], closed: bool) -> Vec<[Vector2<f64>; 2]> {
    match points {
        [p] => vec![[*p, *p]],
        _ => {
            let n = points.len() - usize::from(!closed);
            (0..n).map(|i| [points[i], points[(i + 1) % points.len()]]).collect()
        }
    }
}

/// The distance of two placed outlines, less their radii; none where they overlap.
fn distance(a: &(Vec<Vector2<f64>>, bool, f64), b: &(Vec<Vector2<f64>>, bool, f64)) -> Option<f64> {
    let (of_a, of_b) = (sides(&a.0, a.1), sides(&b.0, b.1));
    let to = |x: &Vector2<f64>, [p, q]: &[Vector2<f64>; 2]| {
        let d = q - p;
        let t =
            if d == Vector2::zeros() { 0.0 } else { (d.dot(&(x - p)) / d.norm_squared()).clamp(0.0, 1.0) };
        (x - (p + d * t)).norm()
    };
    let side = |p: &Vector2<f64>, q: &Vector2<f64>, x: &Vector2<f64>| (q - p).perp(&(x - p));
    let meet = |[p, q]: &[Vector2<f64>; 2], [r, s]: &[Vector2<f64>; 2]| {
        side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
    };
    let inside = |x: &Vector2<f64>, sides: &[[Vector2<f64>; 2]]| {
        let angle = |[p, q]: &[Vector2<f64>; 2]| (p - x).perp(&(q - x)).atan2((p - x).dot(&(q - x)));
        sides.iter().map(angle).sum::<f64>().abs() > 3.0
    };
    if of_a.iter().any(|e| of_b.iter().any(|f| meet(e, f)))
        || (a.1 && inside(&b.0[0], &of_a))
        || (b.1 && inside(&a.0[0], &of_b))
    {
        return None;
    }
    let one = |points: &[Vector2<f64>], sides: &[[Vector2<f64>; 2]]| {
        points.iter().flat_map(|x| sides.iter().map(move |e| to(x, e))).fold(f64::INFINITY, f64::min)
    };
    let least = one(&a.0, &of_b).min(one(&b.0, &of_a)) - a.2 - b.2;
    (least > 1e-3).then_some(least)
}

/// The distance of two placed shapes, of which at most one is the half-plane.
fn between(a: &Outlines, b: &Outlines, plane: &PlanarPose) -> Option<f64> {
    let normal = plane.rotate(Vector2::y());
    match (a, b) {
        (Some(a), Some(b)) => {
            let all: Option<Vec<f64>> =
                a.iter().flat_map(|x| b.iter().map(move |y| distance(x, y))).collect();
            all?.into_iter().reduce(f64::min)
        }
        (Some(a), None) | (None, Some(a)) => {
            let heights = a
                .iter()
                .flat_map(|(points, _, r)| points.iter().map(move |p| normal.dot(&(p - plane.p)) - r));
            heights.reduce(f64::min).filter(|h| *h > 1e-3)
        }
        (None, None) => None,
    }
}

/// All pairs of the plane. Refused: two half-planes, and two polylines, of which none can move.
#[test]
fn every_pair_of_the_plane_is_as_far_as_brute_force_says() {
    let mut kinds: Vec<&str> = (0..8).map(|k| in_the_plane(&flat(k, &mut Random(1)))).collect();
    kinds.dedup();
    assert_eq!(kinds.len(), 8);
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for i in 0..8 {
        for j in i..8 {
            if (i, j) == (7, 7) || (i, j) == (5, 5) || (i, j) == (5, 7) {
                continue; // half-planes and polylines belong to bodies that do not move
            }
            let (mut done, mut worst) = (0, 0.0f64);
            while done < 1000 {
                let (a, b) = (flat(i, &mut random), flat(j, &mut random));
                let mut place = || {
                    PlanarPose::new(
                        random.uniform(-2.0, 2.0),
                        random.uniform(-2.0, 2.0),
                        random.uniform(-3.0, 3.0),
                    )
                };
                let (at, bt) = (place(), place());
                let plane = if j == 7 { &bt } else { &at };
                let Some(exact) = between(&outlines(&a, &at), &outlines(&b, &bt), plane) else { continue };
                let mut out = Vec::new();
                planar::collide((&a, &at), (&b, &bt), f64::INFINITY, &mut out);
                assert!(!out.is_empty(), "{}/{}: no contact", kinds[i], kinds[j]);
                let c = least(&out);
                worst = worst.max((c.gap - exact).abs());
                assert!(worst < 1e-11, "{}/{}: {exact} {c:?} {a:?} {b:?}", kinds[i], kinds[j]);
                assert!((c.p_a - c.p_b - c.normal * c.gap).norm() < 1e-12, "{c:?}");
                done += 1;
            }
            println!("{}/{}: {done} poses, gap off by {worst:.0e} m", kinds[i], kinds[j]);
        }
    }
}
