//! Outlines and polylines against their definitions: distances by brute force over the boundary, moments by
//! integration.

#[allow(dead_code)]
use crate::bodies::Random;
use nalgebra::Vector2;
use stickslip::body::planar::PlanarPose;
use stickslip::collide::{ContactPoint, planar};
use stickslip::shape::{Disc, Outline, PlanarShape, Polyline, Rectangle};

type Points = Vec<Vector2<f64>>;

/// A star-shaped outline with teeth of random height: reentrant at every other vertex or so.
fn star(random: &mut Random) -> Points {
    let n = 5 + random.uniform(0.0, 12.0) as usize;
    let at = |(k, r): (usize, f64)| {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        Vector2::new(r * angle.cos(), r * angle.sin())
    };
    (0..n).map(|k| (k, random.uniform(0.3, 1.3))).map(at).collect()
}

fn placed(points: &[Vector2<f64>], pose: &PlanarPose) -> Points {
    points.iter().map(|p| pose.p + pose.rotate(*p)).collect()
}

fn to_segment(x: &Vector2<f64>, a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
    let d = b - a;
    let t = (d.dot(&(x - a)) / d.norm_squared()).clamp(0.0, 1.0);
    (x - (a + d * t)).norm()
}

fn edges(points: &[Vector2<f64>], closed: bool) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> + '_ {
    let n = if closed { points.len() } else { points.len() - 1 };
    (0..n).map(|i| (points[i], points[(i + 1) % points.len()]))
}

/// The distance of two boundaries: of every vertex of each from every edge of the other.
fn distance(a: &[Vector2<f64>], b: (&[Vector2<f64>], bool)) -> f64 {
    let one = |p: &[Vector2<f64>], q: &[Vector2<f64>], closed: bool| {
        let all = p.iter().flat_map(|x| edges(q, closed).map(move |(s, e)| to_segment(x, &s, &e)));
        all.fold(f64::INFINITY, f64::min)
    };
    one(a, b.0, b.1).min(one(b.0, a, true))
}

/// Winding number of a polygon about a point.
fn is_inside(x: &Vector2<f64>, points: &[Vector2<f64>]) -> bool {
    let turn = |(a, b): (Vector2<f64>, Vector2<f64>)| {
        let (a, b) = (a - x, b - x);
        (a.x * b.y - a.y * b.x).atan2(a.dot(&b))
    };
    edges(points, true).map(turn).sum::<f64>().abs() > 3.0
}

fn least(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().copied().min_by(|x, y| x.gap.total_cmp(&y.gap))
}

fn crosses(a: &[Vector2<f64>], b: (&[Vector2<f64>], bool)) -> bool {
    let side = |p: Vector2<f64>, q: Vector2<f64>, x: Vector2<f64>| {
        (q.x - p.x) * (x.y - p.y) - (q.y - p.y) * (x.x - p.x)
    };
    let meet = |(p, q): (Vector2<f64>, Vector2<f64>), (r, s): (Vector2<f64>, Vector2<f64>)| {
        side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
    };
    edges(a, true).any(|e| edges(b.0, b.1).any(|f| meet(e, f)))
}

#[test]
fn the_least_gap_is_the_distance_of_the_boundaries() {
    let mut random = Random(77);
    let (mut compared, mut worst) = (0, 0.0f64);
    while compared < 1000 {
        let (p, mut q) = (star(&mut random), star(&mut random));
        let open = compared % 3 == 2;
        let shape = if open {
            q.truncate(4);
            PlanarShape::Polyline(Polyline::new(q.clone(), true).unwrap())
        } else {
            PlanarShape::Outline(Outline::new(q.clone()).unwrap())
        };
        let mut place = || {
            PlanarPose::new(random.uniform(-1.6, 1.6), random.uniform(-1.6, 1.6), random.uniform(-3.0, 3.0))
        };
        let (at, bt) = (place(), place());
        let (x, y) = (placed(&p, &at), placed(&q, &bt));
        let overlap = crosses(&x, (&y, !open)) || is_inside(&y[0], &x) || (!open && is_inside(&x[0], &y));
        if overlap {
            continue;
        }
        let outline = PlanarShape::Outline(Outline::new(p).unwrap());
        let mut out = Vec::new();
        planar::collide((&outline, &at), (&shape, &bt), f64::INFINITY, &mut out);
        let found = least(&out).expect("a contact within an unlimited reach");
        let exact = distance(&x, (&y, !open));
        worst = worst.max((found.gap - exact).abs());
        assert!((found.gap - exact).abs() < 1e-11, "{found:?} {exact} {x:?} {y:?}");
        assert!((found.p_a - found.p_b - found.normal * found.gap).norm() < 1e-13, "{found:?}");
        // no contact claims more than the distance of the points it names
        for c in &out {
            let (on_a, on_b) = (c.p_a.xy(), c.p_b.xy());
            let off = |v: &Vector2<f64>, points: &[Vector2<f64>], closed| {
                edges(points, closed).map(|(s, e)| to_segment(v, &s, &e)).fold(f64::INFINITY, f64::min)
            };
            assert!(off(&on_a, &x, true) < 1e-9 && off(&on_b, &y, !open) < 1e-9, "{c:?}");
        }
        compared += 1;
    }
    println!("{compared} pairs, largest difference {worst:e} m");
}

#[test]
fn a_disc_beside_an_outline_is_as_far_as_its_boundary() {
    let (mut random, mut compared, mut worst) = (Random(5), 0, 0.0f64);
    while compared < 1000 {
        let p = star(&mut random);
        let at = PlanarPose::new(0.3, -0.2, random.uniform(-3.0, 3.0));
        let c = Vector2::new(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0));
        let x = placed(&p, &at);
        if is_inside(&c, &x) {
            continue;
        }
        let exact = edges(&x, true).map(|(s, e)| to_segment(&c, &s, &e)).fold(f64::INFINITY, f64::min) - 0.1;
        let (outline, disc) =
            (PlanarShape::Outline(Outline::new(p).unwrap()), PlanarShape::Disc(Disc { radius: 0.1 }));
        let mut out = Vec::new();
        planar::collide((&disc, &PlanarPose::new(c.x, c.y, 0.0)), (&outline, &at), f64::INFINITY, &mut out);
        let found = least(&out).expect("a contact");
        worst = worst.max((found.gap - exact).abs());
        assert!((found.gap - exact).abs() < 1e-12, "{found:?} {exact}");
        compared += 1;
    }
    println!("{compared} discs, largest difference {worst:e} m");
}

#[test]
fn what_is_behind_a_one_sided_polyline_is_not_touched() {
    let chain = |sides| {
        let points = vec![Vector2::new(-1.0, 0.0), Vector2::new(0.0, 0.0), Vector2::new(1.0, 0.2)];
        PlanarShape::Polyline(Polyline::new(points, sides).unwrap())
    };
    let (disc, brick) =
        (PlanarShape::Disc(Disc { radius: 0.1 }), PlanarShape::Box(Rectangle { half: [0.1, 0.1] }));
    let here = PlanarPose::new(0.0, 0.0, 0.0);
    for (y, above) in [(0.4, true), (-0.4, false)] {
        for shape in [&disc, &brick] {
            for two_sided in [true, false] {
                let mut out = Vec::new();
                let at = PlanarPose::new(-0.5, y, 0.0);
                planar::collide((shape, &at), (&chain(two_sided), &here), 10.0, &mut out);
                assert_eq!(!out.is_empty(), above || two_sided, "{y} {shape:?} {two_sided} {out:?}");
                if let Some(c) = least(&out) {
                    assert!((c.gap - 0.3).abs() < 1e-15 && c.normal.y == y.signum(), "{c:?}");
                }
            }
        }
    }
}
