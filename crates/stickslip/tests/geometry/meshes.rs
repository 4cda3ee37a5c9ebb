//! Triangle meshes: moments against closed forms, distances against brute force, and rolling over seams.

#[allow(dead_code)]
use crate::bodies::Random;
use crate::surfaces::{
    cross, cuboid, distance, ell, floor, is_inside, least, mesh, place, segments, to_triangle, triangles,
};
use nalgebra::{Rotation3, Vector3};
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::spatial;
use stickslip::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, MeshError, SpatialShape, Sphere, SuperEllipsoid, TriangleMesh,
};

#[test]
fn a_cuboid_of_triangles_has_the_moments_of_the_box() {
    let h = [0.3, 0.2, 0.5];
    let (mut points, faces) = cuboid(h);
    let far = Vector3::new(7.0, -3.0, 2.0);
    points.iter_mut().for_each(|p| *p += far);
    let (mesh, solid) = (mesh(&(points, faces)), SpatialShape::Box(Cuboid { half: h }));
    assert!((mesh.volume().unwrap() - solid.volume().unwrap()).abs() < 1e-14);
    assert!((mesh.centroid() - far).norm() < 1e-14);
    assert!((mesh.unit_inertia().unwrap() - solid.unit_inertia().unwrap()).amax() < 1e-14);
    assert_eq!(mesh.open_edges(), 0);
}

#[test]
fn a_prism_over_an_l_has_the_moments_of_two_boxes() {
    let mesh = mesh(&ell());
    let at = |x: f64, y: f64| SpatialPose::new(Vector3::new(x, y, 0.5), [1.0, 0.0, 0.0, 0.0]);
    let part = |x: f64| SpatialShape::Box(Cuboid { half: [x, 0.5, 0.5] });
    let both = SpatialShape::Compound(vec![(at(1.5, 0.5), part(1.5)), (at(0.5, 1.5), part(0.5))]);
    assert!((mesh.volume().unwrap() - 4.0).abs() < 1e-14);
    assert!((mesh.centroid() - both.centroid()).norm() < 1e-14);
    assert!((mesh.unit_inertia().unwrap() - both.unit_inertia().unwrap()).amax() < 1e-14);
}

#[test]
fn what_is_no_mesh_is_refused() {
    let (points, mut faces) = cuboid([1.0; 3]);
    let made = |points: &[Vector3<f64>], faces: &[[usize; 3]]| {
        TriangleMesh::new(points, faces).map(|m| m.open_edges())
    };
    assert_eq!(made(&points, &[]), Err(MeshError::Count(0)));
    assert_eq!(made(&points, &[[0, 1, 8]]), Err(MeshError::NoVertex(0)));
    assert_eq!(made(&points, &[[0, 1, 1]]), Err(MeshError::NoArea(0)));
    assert_eq!(made(&points, &faces[..11]), Ok(3));
    let inwards: Vec<[usize; 3]> = faces.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert_eq!(made(&points, &inwards), Err(MeshError::Inwards));
    faces[3].swap(0, 1);
    assert_eq!(made(&points, &faces), Err(MeshError::Fold(3)));
    let mut bad = points.clone();
    bad[4].y = f64::NAN;
    assert_eq!(made(&bad, &faces), Err(MeshError::NotFinite(4)));
}

#[test]
fn a_sphere_is_as_far_from_a_mesh_as_from_its_triangles() {
    let (mut random, mut worst, soup) = (Random(11), 0.0f64, ell());
    let shape = SpatialShape::Mesh(mesh(&soup));
    let ball = SpatialShape::Sphere(Sphere { radius: 0.2 });
    let (mut outside, mut inside) = (0, 0);
    while outside < 1000 {
        let (at, ball_at) = (place(&mut random, 0.5), place(&mut random, 2.5));
        let surface = triangles(&soup, &at);
        let exact = surface.iter().map(|t| to_triangle(&ball_at.p, t)).fold(f64::INFINITY, f64::min);
        let within = is_inside(&ball_at.p, &surface);
        let exact = if within { -exact } else { exact } - 0.2;
        let mut out = Vec::new();
        spatial::collide((&ball, &ball_at), (&shape, &at), 10.0, &mut out);
        let found = least(&out).expect("a contact within a wide reach");
        worst = worst.max((found.gap - exact).abs());
        assert!((found.gap - exact).abs() < 1e-11, "{found:?} {exact}");
        assert!((found.p_a - found.p_b - found.normal * found.gap).norm() < 1e-13);
        assert!((found.normal.norm() - 1.0).abs() < 1e-14);
        // the point is on the surface
        let off = surface.iter().map(|t| to_triangle(&found.p_b, t)).fold(f64::INFINITY, f64::min);
        assert!(off < 1e-12, "{off:e}");
        if within { inside += 1 } else { outside += 1 }
    }
    println!("{outside} spheres outside, {inside} inside, largest difference {worst:e} m");
    assert!(inside > 10);
}

#[test]
fn boxes_capsules_and_meshes_are_as_far_as_brute_force_says() {
    let (mut random, soup) = (Random(23), ell());
    let shape = SpatialShape::Mesh(mesh(&soup));
    for kind in 0..3 {
        let (mut compared, mut worst) = (0, 0.0f64);
        let half = [0.4, 0.3, 0.5];
        let (other, other_soup, radius) = match kind {
            0 => (SpatialShape::Box(Cuboid { half }), cuboid(half), 0.0),
            1 => (SpatialShape::Mesh(mesh(&cuboid(half))), cuboid(half), 0.0),
            // a sliver of a triangle for the segment
            _ => {
                let ends = vec![-Vector3::z() * 0.5, Vector3::z() * 0.5, Vector3::z() * 0.5];
                (SpatialShape::Capsule(Capsule { radius: 0.2, half: 0.5 }), (ends, vec![[0, 1, 2]]), 0.2)
            }
        };
        while compared < 1000 {
            let (at, bt) = (place(&mut random, 0.5), place(&mut random, 3.0));
            let (a, b) = (triangles(&soup, &at), triangles(&other_soup, &bt));
            if (kind < 2 && cross(&a, &b)) || is_inside(&b[0][0], &a) || (kind < 2 && is_inside(&a[0][0], &b))
            {
                continue;
            }
            let exact = if kind == 2 {
                let core = [b[0][0], b[0][1]];
                let sides = a.iter().flat_map(|t| (0..3).map(move |i| [t[i], t[(i + 1) % 3]]));
                let ends = core
                    .iter()
                    .flat_map(|x| a.iter().map(move |t| to_triangle(x, t)))
                    .fold(f64::INFINITY, f64::min);
                sides.map(|e| segments(&e, &core)).fold(ends, f64::min)
            } else {
                distance(&a, &b)
            } - radius;
            if kind == 2 && (exact < 1e-3 - radius || cross(&a, &b)) {
                continue;
            }
            let mut out = Vec::new();
            spatial::collide((&shape, &at), (&other, &bt), 10.0, &mut out);
            let found = least(&out).unwrap_or_else(|| panic!("no contact: {kind} {exact}"));
            worst = worst.max((found.gap - exact).abs());
            assert!((found.gap - exact).abs() < 1e-11, "{kind} {found:?} {exact}");
            compared += 1;
        }
        println!("kind {kind}: {compared} poses, largest difference {worst:e} m");
    }
}

/// Curved shapes to touch meshes with.
fn curved() -> [SpatialShape; 4] {
    [
        SpatialShape::Cylinder(Cylinder { radius: 0.3, half: 0.4 }),
        SpatialShape::Cone(Cone { radius: 0.4, height: 0.9 }),
        SpatialShape::Ellipsoid(Ellipsoid { semi_axes: [0.2, 0.5, 0.3] }),
        SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes: [0.3, 0.4, 0.5], exponents: [4.0; 2] }),
    ]
}

/// Against the boxes that the L is the union of; `curved.rs` holds boxes and curved shapes to an independent minimiser.
#[test]
fn curved_shapes_are_as_far_from_a_mesh_as_from_the_boxes_it_is_made_of() {
    let shape = SpatialShape::Mesh(mesh(&ell()));
    let parts = [([1.5, 0.5, 0.5], [1.5, 0.5, 0.5]), ([0.5, 1.0, 0.5], [0.5, 1.0, 0.5])];
    for (kind, other) in curved().iter().enumerate() {
        let (mut random, mut compared, mut worst, mut turned) = (Random(31), 0, 0.0f64, 0.0f64);
        while compared < 1000 {
            let (at, bt) = (place(&mut random, 0.5), place(&mut random, 2.5));
            let exact = parts.iter().filter_map(|(half, centre)| {
                let placed = SpatialPose { p: at.p + at.r * Vector3::from(*centre), r: at.r };
                let mut out = Vec::new();
                spatial::collide(
                    (&SpatialShape::Box(Cuboid { half: *half }), &placed),
                    (other, &bt),
                    10.0,
                    &mut out,
                );
                least(&out)
            });
            let exact = exact.min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap();
            // inside, the way out of one box may lead into the other
            if exact.gap < 1e-6 {
                continue;
            }
            let mut out = Vec::new();
            spatial::collide((&shape, &at), (other, &bt), 10.0, &mut out);
            let found = least(&out).unwrap_or_else(|| panic!("no contact: {kind} {exact:?}"));
            worst = worst.max((found.gap - exact.gap).abs());
            turned = turned.max((found.normal - exact.normal).norm() * exact.gap);
            assert!((found.gap - exact.gap).abs() < 1e-11, "{kind} {found:?} {exact:?}");
            assert!((found.p_a - found.p_b - found.normal * found.gap).norm() < 1e-12);
            compared += 1;
        }
        println!("kind {kind}: {compared} poses, gap off by {worst:e} m, normal times gap by {turned:e}");
        assert!(turned < 1e-10);
    }
}

/// Touching and slightly overlapping a face, at its seams, too: the closed form is the support function.
#[test]
fn a_flat_mesh_is_like_a_plane_for_curved_shapes() {
    let flat = SpatialShape::Mesh(mesh(&floor(7)));
    let here = SpatialPose::new(Vector3::zeros(), [1.0, 0.0, 0.0, 0.0]);
    let mut random = Random(5);
    for other in curved() {
        let mut worst = 0.0f64;
        for k in 0..1000 {
            let mut at = place(&mut random, 1.0);
            if k % 4 == 0 {
                at.p.y = at.p.x;
            }
            at.p.z = 0.0;
            let mut out = Vec::new();
            spatial::collide((&other, &at), (&SpatialShape::HalfSpace, &here), 10.0, &mut out);
            let low = least(&out).unwrap();
            let gap = [1e-2, 1e-6, 0.0, -1e-6, -1e-2][k % 5];
            at.p.z = gap - low.gap;
            if k % 4 == 1 {
                // the lowest point over a seam, as nearly as rounding lets it
                let across = low.p_a.y - low.p_a.x;
                at.p.x += 0.5 * across;
                at.p.y -= 0.5 * across;
            }
            out.clear();
            spatial::collide((&other, &at), (&flat, &here), 0.05, &mut out);
            let found = least(&out).unwrap_or_else(|| panic!("{k} {other:?} {at:?}: no contact"));
            worst = worst.max((found.gap - gap).abs());
            assert!((found.gap - gap).abs() < 1e-11, "{k} {other:?} {found:?} {gap}");
            assert!((found.normal - Vector3::z()).norm() < 1e-8, "{k} {found:?}");
        }
        println!("{other:?}: off by {worst:e} m");
    }
}

#[test]
fn every_place_of_a_flat_mesh_is_like_every_other() {
    let (shape, here) =
        (SpatialShape::Mesh(mesh(&floor(7))), SpatialPose::new(Vector3::zeros(), [1.0, 0.0, 0.0, 0.0]));
    let ball = SpatialShape::Sphere(Sphere { radius: 0.1 });
    let brick = SpatialShape::Box(Cuboid { half: [0.3, 0.2, 0.1] });
    let mut random = Random(3);
    for k in 0..2000 {
        // on seams and corners, too
        let mut p = random.vector(1.2);
        if k % 3 == 0 {
            p.y = p.x;
        }
        if k % 5 == 0 {
            (p.x, p.y) = (4.0 / 7.0 * 3.0 - 2.0, 4.0 / 7.0 * 2.0 - 2.0);
        }
        p.z = 0.1 - 1e-9 + 1e-9 * f64::from(k % 3);
        let mut out = Vec::new();
        spatial::collide((&ball, &SpatialPose { p, ..here }), (&shape, &here), 0.05, &mut out);
        assert!(
            !out.is_empty() && out.iter().all(|c| (c.normal - Vector3::z()).norm() < 1e-12),
            "{p:?} {out:?}"
        );
        assert!(out.iter().all(|c| (c.gap - (p.z - 0.1)).abs() < 1e-15));
        out.clear();
        let r = Rotation3::from_axis_angle(&Vector3::z_axis(), p.x).into_inner();
        spatial::collide((&brick, &SpatialPose { p, r }), (&shape, &here), 0.05, &mut out);
        assert!(
            out.len() >= 4 && out.iter().all(|c| (c.normal - Vector3::z()).norm() < 1e-12),
            "{p:?} {out:?}"
        );
        assert!(out.iter().all(|c| (c.gap - (p.z - 0.1)).abs() < 1e-12), "{out:?}");
    }
}
