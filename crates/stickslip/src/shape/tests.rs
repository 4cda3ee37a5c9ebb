//! Every shape agrees with itself: what it says of its size and mass is what its definition, which contacts and the
//! auditor rely on, adds up to.

use super::*;
use crate::audit::part::Part;
use crate::body::planar::PlanarPose;
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Vector2, Vector3};
use std::f64::consts::PI;

/// The integral of f over an interval (midpoint rule).
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 200_000;
    let h = (to - from) / f64::from(n);
    (0..n).map(|k| f(from + (f64::from(k) + 0.5) * h)).sum::<f64>() * h
}

/// Half the width of a capsule at a distance from its middle.
fn width(r: f64, h: f64, z: f64) -> f64 {
    let beyond = (z.abs() - h).max(0.0);
    (r * r - beyond * beyond).max(0.0).sqrt()
}

#[test]
fn a_cones_moments_are_the_integrals_over_its_slices() {
    let (r, h) = (0.3, 0.7);
    let slices = |f: &dyn Fn(f64, f64) -> f64| integral(-0.25 * h, 0.75 * h, |z| f(z, r * (0.75 - z / h)));
    let cone = SpatialShape::Cone(Cone { radius: r, height: h });
    let volume = slices(&|_, y| PI * y * y);
    let first = slices(&|z, y| PI * y * y * z);
    let across = slices(&|z, y| PI * y * y * (z * z + 0.25 * y * y));
    let along = slices(&|_, y| 0.5 * PI * y.powi(4));
    let [x, y, z]: [f64; 3] = cone.unit_inertia().unwrap().diagonal().into();
    assert!((cone.volume().unwrap() / volume - 1.0).abs() < 1e-9 && first.abs() < 1e-9 * volume);
    assert!((x * volume / across - 1.0).abs() < 1e-9 && x == y);
    assert!((z * volume / along - 1.0).abs() < 1e-9);
}

#[test]
fn a_capsules_moments_are_the_integrals_over_its_slices() {
    let (r, h) = (0.3, 0.7);
    let slices = |f: &dyn Fn(f64, f64) -> f64| integral(-h - r, h + r, |z| f(z, width(r, h, z)));
    let flat = PlanarShape::Capsule(Stadium { radius: r, half: h });
    let area = slices(&|_, y| 2.0 * y);
    let second = slices(&|z, y| 2.0 * y * z * z + 2.0 * y.powi(3) / 3.0);
    assert!((flat.area().unwrap() / area - 1.0).abs() < 1e-7);
    assert!((flat.unit_inertia().unwrap() * area / second - 1.0).abs() < 1e-7);
    let solid = SpatialShape::Capsule(Capsule { radius: r, half: h });
    let volume = slices(&|_, y| PI * y * y);
    let across = slices(&|z, y| PI * y * y * (z * z + 0.25 * y * y));
    let along = slices(&|_, y| 0.5 * PI * y.powi(4));
    let [x, y, z]: [f64; 3] = solid.unit_inertia().unwrap().diagonal().into();
    assert!((solid.volume().unwrap() / volume - 1.0).abs() < 1e-7);
    assert!((x * volume / across - 1.0).abs() < 1e-7 && x == y);
    assert!((z * volume / along - 1.0).abs() < 1e-7);
}

fn placed(p: [f64; 3], q: [f64; 4]) -> SpatialPose {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    SpatialPose::new(p.into(), q.map(|x| x / norm))
}

/// One of each kind of spatial shape with a volume.
fn solids() -> Vec<SpatialShape> {
    let corners = [[0.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.3, 0.2, 0.7], [0.8, 0.7, 0.5]];
    let tilted = placed([0.1, 0.0, 0.05], [0.9, 0.3, 0.1, 0.2]);
    let ball = SpatialShape::Sphere(Sphere { radius: 0.5 });
    let lens = [(placed([0.0; 3], [1.0, 0.0, 0.0, 0.0]), ball.clone()), (tilted, SpatialShape::HalfSpace)];
    let cylinder = SpatialShape::Cylinder(Cylinder { radius: 0.2, half: 0.4 });
    vec![
        ball,
        SpatialShape::Box(Cuboid { half: [0.3, 0.2, 0.5] }),
        SpatialShape::Capsule(Capsule { radius: 0.2, half: 0.3 }),
        cylinder.clone(),
        SpatialShape::Cone(Cone { radius: 0.4, height: 0.8 }),
        SpatialShape::Ellipsoid(Ellipsoid { semi_axes: [0.3, 0.2, 0.5] }),
        SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes: [0.3, 0.2, 0.5], exponents: [3.0, 5.0] }),
        SpatialShape::Intersection(Box::new(Intersection::new(&lens).unwrap())),
        SpatialShape::Convex(ConvexPolyhedron::new(corners.map(Vector3::from).to_vec()).unwrap()),
        SpatialShape::Compound(vec![
            (tilted, cylinder),
            (placed([0.6, 0.2, 0.0], [1.0, 0.0, 0.4, 0.0]), SpatialShape::Box(Cuboid { half: [0.1; 3] })),
        ]),
    ]
}

/// One of each kind of planar shape with an area.
fn figures() -> Vec<PlanarShape> {
    let points = |list: &[[f64; 2]]| list.iter().map(|p| Vector2::from(*p)).collect::<Vec<_>>();
    let ell = points(&[[0.0, 0.0], [0.9, 0.0], [0.9, 0.3], [0.3, 0.3], [0.3, 0.6], [0.0, 0.6]]);
    let disc = PlanarShape::Disc(Disc { radius: 0.3 });
    vec![
        disc.clone(),
        PlanarShape::Box(Rectangle { half: [0.3, 0.2] }),
        PlanarShape::Capsule(Stadium { radius: 0.2, half: 0.3 }),
        PlanarShape::Polygon(ConvexPolygon::new(points(&[[0.0, 0.0], [0.8, 0.1], [0.2, 0.7]])).unwrap()),
        PlanarShape::Outline(Outline::new(ell).unwrap()),
        PlanarShape::Compound(vec![
            (PlanarPose::new(-0.4, 0.1, 0.3), disc),
            (PlanarPose::new(0.3, 0.0, 0.5), PlanarShape::Box(Rectangle { half: [0.2, 0.1] })),
        ]),
    ]
}

/// Content, centroid and second moments about it per unit of content of what lies in the parts, by counting the cells
/// of a grid of so many along each axis over a box.
fn counted(
    parts: &[Part],
    bounds: &crate::collide::Aabb,
    n: [usize; 3],
) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let extent = bounds.max - bounds.min;
    let cell = Vector3::from_fn(|k, _| extent[k] / n[k] as f64);
    let (mut count, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for i in 0..n[0] * n[1] * n[2] {
        let index = Vector3::new(i % n[0], i / n[0] % n[1], i / n[0] / n[1]);
        let x = bounds.min + cell.component_mul(&index.map(|k| k as f64 + 0.5));
        let inside = parts.iter().filter(|part| part.outside(&x, 0.0) <= 0.0).count() as f64;
        count += inside;
        first += x * inside;
        second += x * x.transpose() * inside;
    }
    let (centroid, flat) = (first / count, cell.map(|c| if c > 0.0 { c } else { 1.0 }));
    (count * flat.product(), centroid, second / count - centroid * centroid.transpose())
}

#[test]
fn volume_centroid_and_inertia_are_those_of_the_points_the_auditor_finds_inside() {
    let here = placed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    for shape in solids() {
        let mut parts = Vec::new();
        shape.geometry().add_parts(&mut parts);
        let (volume, centroid, second) = counted(&parts, &shape.bounds(&here), [72; 3]);
        let inertia = Matrix3::identity() * second.trace() - second;
        let given = shape.unit_inertia().unwrap();
        println!("{}: volume {volume} of {:?}", shape.describe(), shape.volume());
        assert!((volume / shape.volume().unwrap() - 1.0).abs() < 0.01, "{}", shape.describe());
        assert!((centroid - shape.centroid()).norm() < 2e-3, "{}: {centroid:?}", shape.describe());
        assert!((inertia - given).amax() < 0.01 * given.amax(), "{}: {inertia} {given}", shape.describe());
    }
    for shape in figures() {
        let mut parts = Vec::new();
        shape.geometry().add_parts(&mut parts);
        let bounds = shape.bounds(&PlanarPose::new(0.0, 0.0, 0.0));
        let (area, centroid, second) = counted(&parts, &bounds, [600, 600, 1]);
        let (inertia, given) = (second.trace(), shape.unit_inertia().unwrap());
        assert!((area / shape.area().unwrap() - 1.0).abs() < 5e-3, "{}", shape.describe());
        assert!((centroid.xy() - shape.centroid()).norm() < 1e-3, "{}: {centroid:?}", shape.describe());
        assert!((inertia / given - 1.0).abs() < 5e-3, "{}: {inertia} {given}", shape.describe());
    }
}

/// Directions spread over the sphere.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    (0..200).map(|k| {
        let (z, phi) = (1.0 - (2.0 * f64::from(k) + 1.0) / 200.0, 2.399_963 * f64::from(k));
        let rho = (1.0 - z * z).sqrt();
        Vector3::new(rho * phi.cos(), rho * phi.sin(), z)
    })
}

#[test]
fn support_points_of_curved_solids_are_on_the_surface_and_no_other_is_farther() {
    for shape in solids() {
        let Some(solid) = shape.geometry().curved() else { continue };
        let all: Vec<Vector3<f64>> = directions().map(|w| solid.support_point(&w)).collect();
        for (w, x) in directions().zip(&all) {
            let far = solid.support(&w);
            assert!((w.dot(x) - far).abs() < 1e-14, "{}: {far}", shape.describe());
            assert!(
                solid.outside(x).abs() < 1e-13 && solid.distance(x).abs() < 1e-13,
                "{}",
                shape.describe()
            );
            assert!(all.iter().all(|y| w.dot(y) <= far + 1e-14), "{}", shape.describe());
        }
        assert!(all.iter().all(|x| x.norm() <= shape.outer_radius() + 1e-15), "{}", shape.describe());
    }
}

#[test]
fn bounds_hold_the_shape_wherever_it_is() {
    let pose = placed([0.3, -0.2, 0.7], [0.5, 0.2, -0.7, 0.4]);
    for shape in solids() {
        let Some(solid) = shape.geometry().curved() else { continue };
        let bounds = shape.bounds(&pose);
        for k in 0..3 {
            let axis: Vector3<f64> = pose.r.row(k).transpose();
            let (low, high) = (pose.p[k] - solid.support(&-axis), pose.p[k] + solid.support(&axis));
            assert!(bounds.min[k] <= low + 1e-15 && bounds.max[k] >= high - 1e-15, "{}", shape.describe());
            // least, but for intersections, which the boxes of their parts bound
            let is_intersection = matches!(shape, SpatialShape::Intersection(_));
            let slack = (bounds.max[k] - high).max(low - bounds.min[k]);
            assert!(is_intersection || slack < 1e-15, "{}: {slack}", shape.describe());
        }
    }
}
