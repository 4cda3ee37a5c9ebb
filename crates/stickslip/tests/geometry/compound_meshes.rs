//! Meshes as parts of compounds: the moments of the solids they enclose, the contacts of a box that is one, distances
//! by brute force, and numbers that contacts keep.

#[allow(dead_code)]
use crate::bodies::Random;
use crate::surfaces::{Soup, cross, cuboid, distance, ell, is_inside, least, mesh, place, triangles};
use nalgebra::{Rotation3, Vector3};
use std::collections::HashSet;
use stickslip::body::spatial::{SpatialPose, tangents};
use stickslip::collide::{ContactPoint, spatial, spatial_toward};
use stickslip::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Intersection, SpatialShape, Sphere,
    SuperEllipsoid,
};

const HALF: [f64; 3] = [0.3, 0.2, 0.5];

fn solid(soup: &Soup) -> SpatialShape {
    SpatialShape::Mesh(mesh(soup))
}

fn at(x: f64, y: f64, z: f64) -> SpatialPose {
    let r = Rotation3::from_scaled_axis(Vector3::new(0.3 * x, 0.5 - y, z)).into_inner();
    SpatialPose { p: Vector3::new(x, y, z), r }
}

/// Two boxes in one body, as boxes and as meshes.
fn dumbbell() -> [SpatialShape; 2] {
    let places = [at(0.4, 0.0, 0.1), at(-0.5, 0.2, 0.0)];
    [SpatialShape::Box(Cuboid { half: HALF }), solid(&cuboid(HALF))]
        .map(|part| SpatialShape::Compound(places.iter().map(|p| (*p, part.clone())).collect()))
}

fn collide(
    a: (&SpatialShape, &SpatialPose),
    b: (&SpatialShape, &SpatialPose),
    reach: f64,
) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    spatial::collide(a, b, reach, &mut out);
    out
}

#[test]
fn a_compound_of_meshes_has_the_moments_of_the_solids() {
    let [boxes, meshes] = dumbbell();
    assert!((boxes.volume().unwrap() - meshes.volume().unwrap()).abs() < 1e-15);
    assert!((boxes.centroid() - meshes.centroid()).norm() < 1e-15);
    assert!((boxes.unit_inertia().unwrap() - meshes.unit_inertia().unwrap()).amax() < 1e-15);
    // a mesh that is written away from its own origin
    let (mut points, faces) = cuboid(HALF);
    let off = Vector3::new(3.0, -1.0, 0.7);
    points.iter_mut().for_each(|p| *p += off);
    let (place, part) = (at(0.2, 0.3, -0.4), solid(&(points, faces)));
    let shifted = SpatialPose { p: place.p - place.r * off, r: place.r };
    let both = |part: SpatialShape, place: SpatialPose| {
        SpatialShape::Compound(vec![
            (place, part),
            (at(0.9, 0.0, 0.0), SpatialShape::Sphere(Sphere { radius: 0.4 })),
        ])
    };
    let (a, b) = (both(part, shifted), both(SpatialShape::Box(Cuboid { half: HALF }), place));
    assert!((a.centroid() - b.centroid()).norm() < 1e-14);
    assert!((a.unit_inertia().unwrap() - b.unit_inertia().unwrap()).amax() < 1e-14);
    assert!(a.clone().centred().centroid().norm() < 1e-14);
    // an open mesh has none
    let (points, faces) = cuboid(HALF);
    let open = SpatialShape::Compound(vec![(place, solid(&(points, faces[..11].to_vec())))]);
    assert!(open.volume().is_none() && open.unit_inertia().is_none());
}

/// One of every kind of shape.
fn others() -> [(&'static str, SpatialShape); 13] {
    let corners = [[0.5, 0.1, 0.0], [-0.4, 0.3, 0.1], [-0.1, -0.6, 0.2], [0.0, 0.0, 0.7], [0.1, 0.0, -0.4]];
    let lens = [-0.3, 0.3].map(|z| {
        (
            SpatialPose::new(Vector3::new(0.0, 0.0, z), [1.0, 0.0, 0.0, 0.0]),
            SpatialShape::Sphere(Sphere { radius: 0.5 }),
        )
    });
    let convex = ConvexPolyhedron::new(corners.map(Vector3::from).to_vec()).unwrap();
    [
        ("sphere", SpatialShape::Sphere(Sphere { radius: 0.3 })),
        ("box", SpatialShape::Box(Cuboid { half: [0.4, 0.3, 0.2] })),
        ("capsule", SpatialShape::Capsule(Capsule { radius: 0.2, half: 0.4 })),
        ("cylinder", SpatialShape::Cylinder(Cylinder { radius: 0.3, half: 0.4 })),
        ("cone", SpatialShape::Cone(Cone { radius: 0.4, height: 0.9 })),
        ("ellipsoid", SpatialShape::Ellipsoid(Ellipsoid { semi_axes: [0.2, 0.5, 0.3] })),
        (
            "super-ellipsoid",
            SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes: [0.3, 0.4, 0.5], exponents: [4.0; 2] }),
        ),
        (
            "super-ellipsoid of two exponents",
            SpatialShape::SuperEllipsoid(SuperEllipsoid {
                semi_axes: [0.3, 0.4, 0.5],
                exponents: [6.0, 2.5],
            }),
        ),
        ("intersection", SpatialShape::Intersection(Intersection::new(&lens).unwrap().into())),
        ("convex", SpatialShape::Convex(convex)),
        ("half-space", SpatialShape::HalfSpace),
        ("mesh", solid(&cuboid([0.2, 0.4, 0.3]))),
        ("compound", dumbbell()[1].clone()),
    ]
}

/// True for shapes with edges.
fn sharp(name: &str) -> bool {
    matches!(name, "box" | "capsule" | "cylinder" | "cone" | "intersection" | "convex" | "mesh" | "compound")
}

/// The gap is set by moving the body along the normal of its closest points.
#[test]
fn a_box_of_triangles_in_a_compound_touches_as_the_box_in_a_compound_does() {
    let [boxes, meshes] = dumbbell();
    for (name, other) in others() {
        let (mut random, mut compared, mut worst) = (Random(77), 0, [0.0f64; 3]);
        let solid = if name == "compound" { &boxes } else { &other };
        while compared < 1000 {
            let (place_a, mut place_b) = (place(&mut random, 0.5), place(&mut random, 2.5));
            let exact = least(&collide((&boxes, &place_a), (solid, &place_b), f64::INFINITY)).unwrap();
            if exact.gap < 1e-3 {
                continue;
            }
            // Overlapping, a surface of triangles is left by another way than a solid, but for these.
            let deep = matches!(name, "sphere" | "half-space");
            // Corners and rims that pass an edge as near as the clipping tolerance are taken to be over the face.
            let close = if sharp(name) { 1e-4 } else { 1e-8 };
            let gap = [0.3, 1e-1, 1e-2, 1e-3, close, 0.0, -1e-2][compared % if deep { 7 } else { 5 }];
            place_b.p += exact.normal * (exact.gap - gap);
            let exact = least(&collide((&boxes, &place_a), (solid, &place_b), f64::INFINITY)).unwrap();
            if (exact.gap - gap).abs() > 1e-11 {
                continue; // on its way along that normal another part of what is not convex has become the closest
            }
            let points = collide((&meshes, &place_a), (&other, &place_b), gap.abs() + 0.02);
            let found = least(&points).unwrap_or_else(|| panic!("{name}: no contact, gap {gap}"));
            let note = || format!("{name} {gap}: {found:?} {exact:?}");
            worst[0] = worst[0].max((found.gap - exact.gap).abs());
            // where a direction is that of a difference of points, rounding turns it by its share of the gap
            worst[1] = worst[1].max((found.normal - exact.normal).norm() * exact.gap.abs());
            worst[2] = worst[2].max((found.p_a - found.p_b - found.normal * found.gap).norm());
            assert!(worst.iter().all(|x| *x < 1e-11), "{} {worst:?}", note());
            let features: HashSet<u64> = points.iter().map(|c| c.feature).collect();
            assert_eq!(features.len(), points.len(), "{} {points:?}", note());
            compared += 1;
        }
        println!(
            "{name}: {compared} poses, gap {:.0e} m, normal x gap {:.0e} m, points {:.0e} m",
            worst[0], worst[1], worst[2]
        );
    }
}

/// Not convex, turned and shifted within the body; against all triangles of both.
#[test]
fn a_mesh_in_a_compound_is_as_far_as_brute_force_says() {
    let (soup, brick) = (ell(), cuboid([0.4, 0.3, 0.5]));
    let (inner_a, inner_b) = (at(0.7, -0.2, 0.4), at(-0.3, 0.1, 0.6));
    let far = at(40.0, 0.0, 0.0);
    let a = SpatialShape::Compound(vec![
        (far, SpatialShape::Sphere(Sphere { radius: 0.1 })),
        (inner_a, solid(&soup)),
    ]);
    let b = SpatialShape::Compound(vec![(inner_b, SpatialShape::Box(Cuboid { half: [0.4, 0.3, 0.5] }))]);
    let (mut random, mut compared, mut worst) = (Random(41), 0, 0.0f64);
    while compared < 1000 {
        let (place_a, place_b) = (place(&mut random, 0.5), place(&mut random, 3.0));
        let surface_a = triangles(&soup, &place_a.then(&inner_a));
        let surface_b = triangles(&brick, &place_b.then(&inner_b));
        if cross(&surface_a, &surface_b)
            || is_inside(&surface_b[0][0], &surface_a)
            || is_inside(&surface_a[0][0], &surface_b)
        {
            continue;
        }
        let exact = distance(&surface_a, &surface_b);
        let found = least(&collide((&a, &place_a), (&b, &place_b), 10.0)).unwrap();
        worst = worst.max((found.gap - exact).abs());
        assert!((found.gap - exact).abs() < 1e-11, "{found:?} {exact}");
        let back = least(&collide((&b, &place_b), (&a, &place_a), 10.0)).unwrap();
        assert!((back.gap - found.gap).abs() < 1e-14 && (back.normal + found.normal).norm() * exact < 1e-13);
        compared += 1;
    }
    println!("{compared} poses, gap off by {worst:e} m");
}

/// Contacts of parts are those of the parts alone, with the same numbers but for the parts', and a step finds them too.
#[test]
fn contacts_keep_the_numbers_of_their_parts() {
    let [_, meshes] = dumbbell();
    let SpatialShape::Compound(parts) = &meshes else { unreachable!() };
    let floor = SpatialShape::Box(Cuboid { half: [2.0, 2.0, 0.5] });
    let under = SpatialPose::new(Vector3::new(0.0, 0.0, -0.5), [1.0, 0.0, 0.0, 0.0]);
    let mut random = Random(9);
    for _ in 0..200 {
        let here = place(&mut random, 0.6);
        let all = collide((&meshes, &here), (&floor, &under), 0.3);
        let mut alone = Vec::new();
        for (i, (inner, part)) in parts.iter().enumerate() {
            for c in collide((part, &here.then(inner)), (&floor, &under), 0.3) {
                alone.push(ContactPoint { feature: c.feature + (1 << 48) + ((i as u64) << 32), ..c });
            }
        }
        assert_eq!(all, alone);
        // a hair away the same features touch, and what a step along that hair relies on has such numbers
        let there = SpatialPose { p: here.p + random.vector(1e-13), ..here };
        let near: HashSet<u64> =
            collide((&meshes, &there), (&floor, &under), 0.3).iter().map(|c| c.feature).collect();
        let kept = all.iter().filter(|c| near.contains(&c.feature)).count();
        assert!(kept + 1 >= all.len(), "{all:?} {near:?}");
        let mut toward = Vec::new();
        let course = (&meshes, [&here, &here, &there]);
        spatial_toward::collide_toward(course, (&floor, [&under; 3]), 0.3, &mut toward);
        for c in &toward {
            assert!(
                c.feature >> 48 == 1 && c.feature >> 40 & 255 == 0 && (c.feature >> 32 & 255) < 2,
                "{c:?}"
            );
        }
    }
}

/// The rate of the least gap is the normal velocity of its points.
#[test]
fn the_gap_changes_at_the_normal_velocity_of_its_points() {
    let [_, meshes] = dumbbell();
    let (mut random, mut compared, mut worst, dt) = (Random(3), 0, 0.0f64, 1e-6);
    for (_, other) in others() {
        for _ in 0..100 {
            let (a, b) = (place(&mut random, 0.5), place(&mut random, 2.5));
            let [v, w] = [0; 2].map(|_| random.vector(1.0));
            let at = |t: f64| {
                let r = Rotation3::from_scaled_axis(w * t).into_inner() * a.r;
                least(&collide((&meshes, &SpatialPose { p: a.p + v * t, r }), (&other, &b), f64::INFINITY))
            };
            let (Some(c), Some(before), Some(after)) = (at(0.0), at(-dt), at(dt)) else { continue };
            if c.gap < 1e-2 || before.feature != c.feature || after.feature != c.feature {
                continue;
            }
            let rate = c.normal.dot(&(v + w.cross(&(c.p_a - a.p))));
            let off = (rate - (after.gap - before.gap) / (2.0 * dt)).abs();
            worst = worst.max(off * c.gap * c.gap);
            assert!(off < 1e-7 + 1e-10 / (c.gap * c.gap), "{off:e} {c:?}");
            assert!(tangents(&c.normal).iter().all(|t| t.dot(&c.normal).abs() < 1e-14));
            compared += 1;
        }
    }
    println!("{compared} rates, off by at most {worst:e} m/s times the gap squared");
    assert!(compared > 700, "{compared}");
}
