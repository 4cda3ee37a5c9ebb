//! Every pair of kinds of shapes is held to an independent computation of its distance at 1000 random poses, or refused
//! by name. A new kind of shape does not compile here until it has a name, and fails until its pairs are in the tables.
//!
//! In the plane all pairs are in `plane.rs`, against brute force over boundaries; in space the table says which test
//! has a pair, and the pairs with intersections are in `lens.rs`.

mod lens;
mod plane;

use lens::lens;
use nalgebra::{Matrix3, Vector3};
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::spatial;
use stickslip::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, SpatialShape, Sphere, SuperEllipsoid,
    TriangleMesh,
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
        "lens.rs",
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
    ("collision.rs", include_str!("../collision.rs")),
    ("shapes.rs", include_str!("../shapes.rs")),
    ("curved.rs", include_str!("../curved.rs")),
    ("lens.rs", include_str!("lens.rs")),
    ("compound_meshes.rs", include_str!("../compound_meshes.rs")),
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
