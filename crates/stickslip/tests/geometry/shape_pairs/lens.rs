//! What two balls have in common, as far from every convex shape as its closed form says.

use crate::rounded;
use crate::rounded::{Placed, Random, least};
use nalgebra::{Matrix3, Rotation3, Vector3};
use stickslip::body::spatial::SpatialPose;
use stickslip::shape::{Intersection, SpatialShape, Sphere};

/// What two balls of radius r about ± c on z have in common.
pub fn lens(r: f64, c: f64) -> SpatialShape {
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
