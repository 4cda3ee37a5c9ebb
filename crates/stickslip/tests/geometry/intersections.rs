//! Intersections of smooth solids and half-spaces: closest points against projections and against what proves them,
//! mass properties, and a lens that rocks.

use crate::common;
use crate::projections;
use crate::rounded::{Placed, Random, collide, least};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use std::f64::consts::PI;
use stickslip::body::spatial::SpatialPose;
use stickslip::shape::{
    Cuboid, Ellipsoid, Implicit, Intersection, SpatialShape, Sphere, SuperEllipsoid, Surface,
};

const GAPS: [f64; 7] = [1.0, 1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-4];

fn at(p: [f64; 3], turn: Vector3<f64>) -> SpatialPose {
    SpatialPose { p: p.into(), r: Rotation3::from_scaled_axis(turn).into_inner() }
}

fn ball(radius: f64) -> SpatialShape {
    SpatialShape::Sphere(Sphere { radius })
}

fn intersection(parts: &[(SpatialPose, SpatialShape)]) -> SpatialShape {
    SpatialShape::Intersection(Intersection::new(parts).unwrap().into())
}

/// Two balls with their centres at ± c on z.
fn lens(radius: f64, c: f64) -> SpatialShape {
    let (low, high) = (at([0.0, 0.0, -c], Vector3::zeros()), at([0.0, 0.0, c], Vector3::zeros()));
    intersection(&[(low, ball(radius)), (high, ball(radius))])
}

/// A ball without what is above z = h.
fn cap(radius: f64, h: f64) -> SpatialShape {
    intersection(&[
        (at([0.0; 3], Vector3::zeros()), ball(radius)),
        (at([0.0, 0.0, h], Vector3::zeros()), SpatialShape::HalfSpace),
    ])
}

fn somewhere(random: &mut Random) -> SpatialPose {
    SpatialPose { p: random.vector(3.0), r: Rotation3::from_scaled_axis(random.vector(3.0)).into_inner() }
}

/// Up to four solids that have a ball of radius 0.3 in common.
fn random_shape(random: &mut Random) -> SpatialShape {
    let count = 2 + (random.uniform(0.0, 3.0) as usize);
    let parts: Vec<_> = (0..count)
        .map(|k| {
            let turn = random.vector(3.0);
            let semi_axes = [0; 3].map(|_| random.uniform(0.6, 1.2));
            let shift: [f64; 3] = random.vector(0.17).into();
            match (k, random.uniform(0.0, 4.0) as usize) {
                (0, _) | (_, 0) => (at(shift, turn), SpatialShape::Ellipsoid(Ellipsoid { semi_axes })),
                (_, 1) => (at(shift, turn), ball(semi_axes[0])),
                (_, 2) => (
                    at(shift, turn),
                    SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes, exponents: [3.0; 2] }),
                ),
                _ => {
                    let pose = at([0.0; 3], turn);
                    let p = pose.r.column(2) * random.uniform(0.3, 0.5);
                    (SpatialPose { p, ..pose }, SpatialShape::HalfSpace)
                }
            }
        })
        .collect();
    intersection(&parts)
}

/// A lens or a cut ball against others, gaps from 1 to -1e-4: gap, normal and points are those of alternating
/// projections.
#[test]
fn closest_points_of_lenses_are_those_of_alternating_projections() {
    for kind in [0, 1, 3, 7, 9] {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 + kind as u64);
        let (mut worst, mut done) = ([0.0f64; 3], 0);
        while done < 200 {
            let half = |random: &mut Random| {
                let r = random.uniform(0.5, 1.0);
                let c = r * random.uniform(0.2, 0.8);
                if random.uniform(0.0, 1.0) < 0.5 { lens(r, c) } else { cap(r, c - 0.5 * r) }
            };
            let a = Placed::Solid(half(&mut random), somewhere(&mut random));
            let b = if kind == 9 {
                Placed::Solid(half(&mut random), somewhere(&mut random))
            } else {
                random.solid(kind)
            };
            let Some((p, q)) = projections::closest(&a, &b).filter(|(p, q)| (p - q).norm() > 0.3) else {
                continue;
            };
            let (n, start, gap) = ((p - q).normalize(), (p - q).norm(), GAPS[done % GAPS.len()]);
            // two edges that touch have no one normal there
            let sharp = matches!(kind, 1 | 9);
            if sharp && gap < 1e-3 {
                done += 1;
                continue;
            }
            let (a, p) = (a.moved(&(n * (gap - start)), &Vector3::zeros()), p + n * (gap - start));
            let c = least(&collide(&a, &b, f64::INFINITY));
            worst[0] = worst[0].max((c.gap - gap).abs());
            worst[1] = worst[1].max((c.normal - n).norm());
            let apart = (c.p_a - p).norm();
            worst[2] = worst[2].max(if sharp { 0.0 } else { apart });
            assert!(
                (c.gap - gap).abs() < 1e-11 && (c.normal - n).norm() < 1e-9,
                "{gap} {c:?} {n:?} {a:?} {b:?}"
            );
            done += 1;
        }
        println!("kind {kind}: gap off by {:e}, normal by {:e}, point by {:e}", worst[0], worst[1], worst[2]);
    }
}

/// The surface's function and gradient, from the definition, scaled to lengths.
fn definition(s: &Surface, x: &Vector3<f64>) -> (f64, Vector3<f64>) {
    match s {
        Surface::Plane { point, normal, .. } => (normal.dot(&(x - point)), *normal),
        Surface::Smooth { shape: Implicit { semi_axes: a, exponents: [n, _] }, pose } => {
            let y = pose.r.tr_mul(&(x - pose.p));
            let sum: f64 = (0..3).map(|i| (y[i] / a[i]).abs().powf(*n)).sum();
            let g = Vector3::from_fn(|i, _| n * (y[i] / a[i]).abs().powf(n - 1.0).copysign(y[i]) / a[i]);
            ((sum - 1.0) / g.norm(), (pose.r * g).normalize())
        }
    }
}

/// How far d is from the cone of the normals of the surfaces that x lies on, and how far x lies outside.
fn off_the_normals(shape: &Intersection, x: &Vector3<f64>, d: &Vector3<f64>) -> (f64, f64) {
    let all: Vec<_> = shape.surfaces().iter().map(|s| definition(s, x)).collect();
    let outside = all.iter().map(|(f, _)| *f).fold(f64::NEG_INFINITY, f64::max);
    let on: Vec<_> = all.iter().filter(|(f, _)| f.abs() < 1e-10).map(|(_, g)| *g).collect();
    let mut best = 1.0f64;
    for set in 1..1usize << on.len() {
        let some: Vec<_> = (0..on.len()).filter(|k| set >> k & 1 == 1).map(|k| on[k]).collect();
        let a = DMatrix::from_fn(3, some.len(), |i, j| some[j][i]);
        let b = DVector::from_column_slice(d.as_slice());
        let Ok(weights) = a.clone().svd(true, true).solve(&b, 1e-12) else { continue };
        if weights.iter().all(|w| *w > -1e-9) {
            best = best.min((a * weights - b).norm());
        }
    }
    (best, outside)
}

/// Closest points are proved by where they are: in both bodies, the normal among the outward normals of both there.
#[test]
fn points_of_contact_satisfy_the_conditions_of_closest_points() {
    for kind in 0..9 {
        let mut random = Random(0x1234_5678_9ABC_DEF1 + kind as u64);
        let (mut worst, mut done) = ([0.0f64; 4], 0);
        while done < 80 {
            let shape = random_shape(&mut random);
            let SpatialShape::Intersection(parts) = &shape else { unreachable!() };
            let a = Placed::Solid(shape.clone(), somewhere(&mut random));
            let b = random.solid(kind);
            let c = least(&collide(&a, &b, f64::INFINITY));
            if c.gap < 0.0 {
                continue;
            }
            done += 1;
            let pose = a.pose();
            let x = pose.r.tr_mul(&(c.p_a - pose.p));
            let (normal, outside) = off_the_normals(parts, &x, &-pose.r.tr_mul(&c.normal));
            let other = (b.support(&c.normal) - c.normal.dot(&c.p_b)).abs();
            let apart = (c.p_a - c.p_b - c.normal * c.gap).norm();
            for (w, v) in worst.iter_mut().zip([outside, normal, other, apart]) {
                *w = w.max(v);
            }
            assert!(outside < 1e-12 && normal < 1e-9 && other < 1e-11 && apart < 1e-12, "{c:?} {a:?} {b:?}");
        }
        println!(
            "kind {kind}: outside {:e}, normal {:e}, other body {:e}, gap {:e}",
            worst[0], worst[1], worst[2], worst[3]
        );
    }
}

/// The integral over z by the midpoint rule with Richardson's extrapolation.
fn slices(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rule = |n: i32| {
        let h = (to - from) / f64::from(n);
        (0..n).map(|k| f(from + (f64::from(k) + 0.5) * h)).sum::<f64>() * h
    };
    (4.0 * rule(200_000) - rule(100_000)) / 3.0
}

#[test]
fn mass_properties_are_those_of_slices_whichever_way_the_shape_is_turned() {
    let (r, c, h) = (0.7f64, 0.3, 0.2);
    let lens_square = |z: f64| r * r - (z.abs() + c).powi(2);
    let cap_square = |z: f64| r * r - z * z;
    type Case<'a> = (&'a str, [f64; 2], &'a dyn Fn(f64) -> f64);
    let cases: [Case; 2] = [("lens", [c - r, r - c], &lens_square), ("cap", [-r, h], &cap_square)];
    for (name, [from, to], square) in cases {
        let volume = slices(from, to, |z| PI * square(z));
        let middle = slices(from, to, |z| PI * square(z) * z) / volume;
        let along = slices(from, to, |z| 0.5 * PI * square(z).powi(2)) / volume;
        let across =
            slices(from, to, |z| PI * square(z) * (0.25 * square(z) + (z - middle).powi(2))) / volume;
        for turn in [Vector3::zeros(), Vector3::new(0.4, -1.1, 0.7)] {
            let turned = Rotation3::from_scaled_axis(turn).into_inner();
            let place = |p: [f64; 3]| SpatialPose { p: turned * Vector3::from(p), r: turned };
            let parts = if name == "lens" {
                [(place([0.0, 0.0, -c]), ball(r)), (place([0.0, 0.0, c]), ball(r))]
            } else {
                [(place([0.0; 3]), ball(r)), (place([0.0, 0.0, h]), SpatialShape::HalfSpace)]
            };
            let m = Intersection::new(&parts).unwrap().moments().expect("moments");
            let inertia =
                turned * Matrix3::from_diagonal(&[across, across, along].into()) * turned.transpose();
            let off = [
                (m.volume / volume - 1.0).abs(),
                (m.centroid - turned * Vector3::z() * middle).norm(),
                (m.inertia - inertia).norm() / along,
            ];
            println!(
                "{name} turned by {turn:?}: volume {:e}, centroid {:e}, inertia {:e}",
                off[0], off[1], off[2]
            );
            assert!(off.iter().all(|x| *x < 1e-9), "{off:?}");
        }
    }
}

/// On one face the lens is a ball with its centre of mass c below the middle: with x = r theta − c sin theta, z = r − c
/// cos theta, (J + m (r² + c² − 2 r c cos theta)) theta'' = −m c sin theta (g + r theta'²).
fn rocked(theta: f64, until: f64, unit_inertia: f64) -> [f64; 2] {
    let (r, c) = (0.5, 0.3);
    let rate = |y: [f64; 2]| {
        let j = unit_inertia + r * r + c * c - 2.0 * r * c * y[0].cos();
        [y[1], -c * y[0].sin() * (9.81 + r * y[1] * y[1]) / j]
    };
    let (mut y, n) = ([theta, 0.0], 20_000);
    let h = until / f64::from(n);
    let add = |y: [f64; 2], s: f64, k: [f64; 2]| [y[0] + s * k[0], y[1] + s * k[1]];
    for _ in 0..n {
        let a = rate(y);
        let b = rate(add(y, 0.5 * h, a));
        let c = rate(add(y, 0.5 * h, b));
        let d = rate(add(y, h, c));
        y = [0, 1].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

#[test]
fn a_lens_rocks_on_one_face_as_a_ball_rolls() {
    let (theta, until) = (0.3, 1.0);
    let unit = lens(0.5, 0.3).unit_inertia().unwrap()[(1, 1)];
    let exact = rocked(theta, until, unit);
    let angle = |q: &[f64]| 2.0 * q[5].atan2(q[3]);
    let scene = common::scene("rocking-lens", &["stepper=event", "step=0.05", "until=1"]);
    let end = common::run(&scene, |_| {});
    let off = [angle(&end.state().q) - exact[0], end.state().u[4] - exact[1]];
    println!("event: angle {} rad, off by {:e}; rate off by {:e}", exact[0], off[0], off[1]);
    assert!(off.iter().all(|x| x.abs() < 1e-8) && end.certificate().missed_steps == 0, "{off:?}");
    // of first order in the step, without overlap but for rounding
    let errors = [0.01, 0.005].map(|step| {
        let scene = common::scene("rocking-lens", &[&format!("step={step}"), "until=1"]);
        let mut energy = Vec::new();
        let end = common::run(&scene, |s| energy.push(s.last().kinetic + s.last().potential));
        let loss = energy[0] - energy[energy.len() - 1];
        println!(
            "implicit at {step}: {:e} rad off, energy falls by {loss:e} J",
            angle(&end.state().q) - exact[0]
        );
        assert!(end.certificate().missed_steps == 0, "{:?}", end.certificate());
        (angle(&end.state().q) - exact[0]).abs()
    });
    assert!((1.5..2.8).contains(&(errors[0] / errors[1])), "{errors:?}");
}

/// A cut ball lies on its flat face: eight points of the rim share its weight and nothing moves.
#[test]
fn a_cut_ball_rests_on_its_flat_face() {
    for (stepper, ground) in [
        ("stewart-trinkle", "shape.half_space = {}"),
        ("stewart-trinkle", "shape.box.size = [2, 2, 1]\nposition = [0, 0, -0.5]"),
    ] {
        let text = format!(
            "# test\n[scene]\nname = \"cap\"\ndescription = \"a cut ball\"\ndimension = 3\n\
             [world]\ngravity = [0, 0, -9.81]\n[simulation]\nsolver = \"auto\"\nstepper = \"{stepper}\"\n\
             step = 0.01\nuntil = 0.5\n\
             [[body]]\nname = \"floor\"\nfixed = true\n{ground}\nmaterial = \"a\"\n\
             [[body]]\nname = \"cap\"\ndensity = 1000\nmaterial = \"b\"\nshape.intersection = [ {{ shape.sphere.radius = 0.5 }},\n\
             {{ shape.half_space = {{}}, position = [0, 0, -0.1], rotation = {{ axis = [1, 0, 0], angle = \"pi\" }} }} ]\n\
             position = [0, 0, 0.1]\n[[contact]]\nbetween = [\"a\", \"b\"]\nfriction = 0.3\n"
        );
        let scene =
            stickslip_scene::parse("cap", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let start = scene.system.initial();
        let end = common::run(&scene, |_| {});
        let load: f64 = end.last().outcomes.iter().map(|o| o.impulse[0]).sum::<f64>() / end.last().dt;
        let h = 0.4f64;
        let exact = 9810.0 * (4.0 / 3.0 * PI * 0.125 - PI * h * h * (1.5 - h) / 3.0);
        let moved = start.q.iter().zip(&end.state().q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let touching = end.last().outcomes.iter().filter(|o| o.impulse[0] > 0.0).count();
        println!("{stepper} on {ground:?}: {touching} points bear {load} N, exact {exact}; moved {moved:e}");
        assert!((load / exact - 1.0).abs() < 1e-8 && moved < 1e-9 && end.certificate().missed_steps == 0);
    }
}

#[test]
fn parts_that_make_no_shape_are_refused() {
    let here = |z: f64| at([0.0, 0.0, z], Vector3::zeros());
    use stickslip::shape::IntersectionError::{Count, Empty, Kind, Unbounded};
    let of = |parts: &[(SpatialPose, SpatialShape)]| Intersection::new(parts).unwrap_err();
    assert_eq!(of(&[(here(0.0), ball(1.0))]), Count(1));
    assert_eq!(of(&[(here(0.0), ball(1.0)), (here(3.0), ball(1.0))]), Empty);
    assert_eq!(of(&[(here(0.0), SpatialShape::HalfSpace), (here(3.0), SpatialShape::HalfSpace)]), Unbounded);
    assert_eq!(
        of(&[(here(0.0), ball(1.0)), (here(0.0), SpatialShape::Box(Cuboid { half: [1.0; 3] }))]),
        Kind(1)
    );
}
