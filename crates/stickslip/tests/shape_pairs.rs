//! Every pair of kinds of shapes is held to an independent computation of its distance at 1000 random poses, or refused by name. A new kind of shape
//! does not compile here until it has a name, and fails until its pairs are in the tables.
//!
//! In the plane all pairs are here, against brute force over boundaries; in space the table says which test has a pair, and the pairs with
//! intersections are here.

mod rounded;

use nalgebra::{Matrix3, Rotation3, Vector2, Vector3};
use rounded::{Placed, Random, least};
use stickslip::body::planar::PlanarPose;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::{planar, spatial};
use stickslip::shape::{
    Capsule, Cone, ConvexPolygon, ConvexPolyhedron, Cuboid, Cylinder, Disc, Ellipsoid, Intersection, Outline,
    PlanarShape, Polyline, Rectangle, SpatialShape, Sphere, Stadium, SuperEllipsoid, TriangleMesh,
};

/// The name of a kind of shape in space; no wildcard: a new kind has to be named.
fn in_space(shape: &SpatialShape) -> &'static str {
    match shape {
        SpatialShape::Sphere(_) => "sphere",
        SpatialShape::Box(_) => "box",
        SpatialShape::Capsule(_) => "capsule",
        SpatialShape::Cylinder(_) => "cylinder",
        SpatialShape::Cone(_) => "cone",
        SpatialShape::Ellipsoid(_) => "ellipsoid",
        SpatialShape::SuperEllipsoid(_) => "super-ellipsoid",
        SpatialShape::Intersection(_) => "intersection",
        SpatialShape::Convex(_) => "convex",
        SpatialShape::Mesh(_) => "mesh",
        SpatialShape::Compound(_) => "compound",
        SpatialShape::HalfSpace => "half-space",
    }
}

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

/// One of every kind in space.
fn solids() -> [SpatialShape; 12] {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let here = SpatialPose { p: Vector3::zeros(), r: Matrix3::identity() };
    [
        SpatialShape::Sphere(Sphere { radius: 0.4 }),
        SpatialShape::Box(Cuboid { half: [0.3, 0.2, 0.5] }),
        SpatialShape::Capsule(Capsule { radius: 0.2, half: 0.3 }),
        SpatialShape::Cylinder(Cylinder { radius: 0.3, half: 0.4 }),
        SpatialShape::Cone(Cone { radius: 0.3, height: 0.8 }),
        SpatialShape::Ellipsoid(Ellipsoid { semi_axes: [0.3, 0.4, 0.5] }),
        SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes: [0.3, 0.4, 0.5], exponents: [3.0, 5.0] }),
        lens(0.8, 0.4),
        SpatialShape::Convex(ConvexPolyhedron::new(corners.to_vec()).unwrap()),
        SpatialShape::Mesh(TriangleMesh::new(&corners, &faces).unwrap()),
        SpatialShape::Compound(vec![(here, SpatialShape::Sphere(Sphere { radius: 0.4 }))]),
        SpatialShape::HalfSpace,
    ]
}

const ALL: &[&str] = &[
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "super-ellipsoid",
    "intersection",
    "convex",
    "mesh",
    "compound",
    "half-space",
];
const CURVED: &[&str] = &["cylinder", "cone", "ellipsoid", "super-ellipsoid"];

/// Kinds, each with each, and the file and test that has their 1000 poses.
type Entry = (&'static [&'static str], &'static [&'static str], &'static str, &'static str);

const TESTED: &[Entry] = &[
    (
        &["sphere", "box"],
        &["sphere", "box", "half-space"],
        "collision.rs",
        "closest_points_are_in_the_bodies_and_the_supports_are_as_far_apart",
    ),
    (
        &["capsule", "convex"],
        &["sphere", "box", "half-space", "capsule", "convex"],
        "shapes.rs",
        "closest_points_are_in_the_bodies_and_the_supports_are_as_far_apart",
    ),
    (CURVED, CURVED, "curved.rs", "closest_points_are_those_of_alternating_projections_0"),
    (
        CURVED,
        &["sphere", "box", "half-space", "capsule", "convex"],
        "curved.rs",
        "closest_points_are_those_of_alternating_projections_0",
    ),
    (
        &["intersection"],
        &[
            "sphere",
            "box",
            "half-space",
            "capsule",
            "convex",
            "cylinder",
            "cone",
            "ellipsoid",
            "super-ellipsoid",
            "intersection",
        ],
        "shape_pairs.rs",
        "a_lens_is_as_far_from_every_convex_shape_as_its_closed_form_says",
    ),
    (
        &["mesh", "compound"],
        ALL,
        "compound_meshes.rs",
        "a_box_of_triangles_in_a_compound_touches_as_the_box_in_a_compound_does",
    ),
];

/// What never meets, and why.
const REFUSED: &[(&str, &str, &str)] = &[("half-space", "half-space", "none of the two can move")];

const FILES: [(&str, &str); 5] = [
    ("collision.rs", include_str!("collision.rs")),
    ("shapes.rs", include_str!("shapes.rs")),
    ("curved.rs", include_str!("curved.rs")),
    ("shape_pairs.rs", include_str!("shape_pairs.rs")),
    ("compound_meshes.rs", include_str!("compound_meshes.rs")),
];

#[test]
fn every_pair_in_space_is_tested_or_refused_by_name() {
    let shapes = solids();
    let names: Vec<&str> = shapes.iter().map(in_space).collect();
    assert_eq!(names, {
        let mut all = ALL.to_vec();
        all.sort_by_key(|n| names.iter().position(|m| m == n));
        all
    });
    let mut counts = [0, 0];
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate().skip(i) {
            let pair = (names[i], names[j]);
            let is = |x: &str, y: &str| (x, y) == pair || (y, x) == pair;
            let entry = TESTED.iter().find(|(x, y, ..)| x.iter().any(|x| y.iter().any(|y| is(x, y))));
            let refused = REFUSED.iter().find(|(x, y, _)| is(x, y));
            let at = |z: f64| SpatialPose { p: Vector3::new(0.05, 0.02, z), r: Matrix3::identity() };
            let mut out = Vec::new();
            spatial::collide((a, &at(3.0)), (b, &at(0.0)), f64::INFINITY, &mut out);
            match (entry, refused) {
                (Some((_, _, file, test)), None) => {
                    let text = FILES.iter().find(|(name, _)| name == file).map(|(_, text)| *text);
                    let text = text.unwrap_or_else(|| panic!("no file {file}"));
                    assert!(
                        text.contains(&format!("#[test]\nfn {test}()")),
                        "{pair:?}: no test {test} in {file}"
                    );
                    assert!(spatial::can_collide(a, b) && !out.is_empty(), "{pair:?} does not touch");
                    counts[0] += 1;
                }
                (None, Some((.., why))) => {
                    assert!(out.is_empty(), "{pair:?} touches although {why}");
                    counts[1] += 1;
                }
                _ => panic!("{pair:?}: no test and no refusal, or both"),
            }
        }
    }
    println!("{} pairs tested, {} refused", counts[0], counts[1]);
}

/// What two balls of radius r about ± c on z have in common.
fn lens(r: f64, c: f64) -> SpatialShape {
    let ball = |z: f64| {
        let pose = SpatialPose { p: Vector3::new(0.0, 0.0, z), r: Matrix3::identity() };
        (pose, SpatialShape::Sphere(Sphere { radius: r }))
    };
    SpatialShape::Intersection(Intersection::new(&[ball(-c), ball(c)]).unwrap().into())
}

/// The support function of a lens: of the cap of one ball, or of the rim.
fn lens_support((r, c): (f64, f64), pose: &SpatialPose, n: &Vector3<f64>) -> f64 {
    let w: Vector3<f64> = pose.r.tr_mul(n);
    let up = w.z.abs();
    n.dot(&pose.p) + if up >= c / r { r - c * up } else { ((r * r - c * c) * (1.0 - up * up)).sqrt() }
}

/// Points of both bodies at the distance by which the support functions are apart are closest points.
#[test]
fn a_lens_is_as_far_from_every_convex_shape_as_its_closed_form_says() {
    for kind in 0..=10 {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 + kind as u64);
        let (mut worst, mut done) = ([0.0f64; 2], 0);
        while done < 1000 {
            let mut some = || {
                let r = random.uniform(0.5, 1.0);
                let pose = SpatialPose {
                    p: random.vector(2.5),
                    r: Rotation3::from_scaled_axis(random.vector(3.0)).into_inner(),
                };
                ((r, r * random.uniform(0.2, 0.8)), pose)
            };
            let (a, at) = some();
            let other = some();
            let b = if kind == 10 {
                Placed::Solid(lens(other.0.0, other.0.1), other.1)
            } else {
                random.solid(kind)
            };
            let body_a = Placed::Solid(lens(a.0, a.1), at);
            let c = least(&rounded::collide(&body_a, &b, f64::INFINITY));
            if c.gap < 1e-3 {
                continue;
            }
            let far =
                if kind == 10 { lens_support(other.0, &other.1, &c.normal) } else { b.support(&c.normal) };
            let separation = -lens_support(a, &at, &-c.normal) - far;
            let outside = |x: &Vector3<f64>, (r, z): (f64, f64), pose: &SpatialPose| {
                let y: Vector3<f64> = pose.r.tr_mul(&(x - pose.p));
                [-z, z].map(|z| (y - Vector3::new(0.0, 0.0, z)).norm() - r).into_iter().fold(0.0, f64::max)
            };
            let beyond = if kind == 10 { outside(&c.p_b, other.0, &other.1) } else { b.outside(&c.p_b) };
            worst[0] = worst[0].max((separation - c.gap).abs());
            worst[1] = worst[1].max(outside(&c.p_a, a, &at)).max(beyond);
            assert!(worst.iter().all(|w| *w < 1e-11), "kind {kind}: {worst:?} {c:?} {b:?}");
            done += 1;
        }
        println!("kind {kind}: {done} poses, gap {:.0e} m, outside {:.0e} m", worst[0], worst[1]);
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
