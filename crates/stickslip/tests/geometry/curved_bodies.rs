//! Cylinders, cones and ellipsoids that stand, lie, roll and spin on boxes and on each other, through scene, world and
//! stepper.

use crate::common;
use crate::rounded::{Placed, Random, collide};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::collections::BTreeSet;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::ContactPoint;
use stickslip::shape::{Capsule, Cone, Cuboid, Cylinder, SpatialShape};
use stickslip::simulation::Simulation;
use stickslip_scene::{Overrides, Scene, parse};

const G: f64 = 9.81;
/// A wide slab with its top at z = 0.
const SLAB: &str = "shape.box.size = [9, 9, 2]\nposition = [0, 0, -1]";
/// Along y, lying: z turned to y.
const LYING: &str = "rotation = { axis = [1, 0, 0], angle = \"-pi / 2\" }";

fn scene(ground: &str, body: &str, friction: f64) -> Scene {
    let text = format!(
        "[scene]\nname = \"test\"\ndescription = \"a body on the ground\"\ndimension = 3\n\
         [world]\ngravity = [0, 0, -9.81]\n[simulation]\nstepper = \"stewart-trinkle\"\ncone = \"exact\"\n\
         solver = \"auto\"\nstep = 0.01\nuntil = 1.0\n\
         [[body]]\nname = \"ground\"\nfixed = true\nmaterial = \"stone\"\n{ground}\n\
         [[body]]\nname = \"body\"\nmass = 2.0\nmaterial = \"wood\"\n{body}\n\
         [[contact]]\nbetween = [\"stone\", \"wood\"]\nfriction = {friction}\n"
    );
    parse("test.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run<'a>(scene: &'a Scene, each: impl FnMut(&Simulation)) -> Simulation<'a> {
    let end = common::run(scene, each);
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    end
}

/// The normal forces of the last step that are not zero.
fn forces(simulation: &Simulation) -> Vec<f64> {
    let step = simulation.last();
    step.outcomes.iter().map(|o| o.impulse[0] / step.dt).filter(|f| *f > 1e-6).collect()
}

fn placed(shape: SpatialShape, p: [f64; 3], turn: [f64; 3]) -> Placed {
    let r: Matrix3<f64> = Rotation3::from_scaled_axis(turn.into()).into_inner();
    Placed::Solid(shape, SpatialPose { p: p.into(), r })
}

fn cylinder() -> SpatialShape {
    SpatialShape::Cylinder(Cylinder { radius: 0.1, half: 0.2 })
}

/// Features of the contacts of two bodies within reach, the same for a hundred perturbations of the first.
fn features(a: &Placed, b: &Placed) -> BTreeSet<u64> {
    let of = |points: Vec<ContactPoint>| points.iter().map(|c| c.feature).collect::<BTreeSet<u64>>();
    let (quiet, mut random) = (of(collide(a, b, 1e-6)), Random(3));
    for _ in 0..100 {
        let moved = a.moved(&random.vector(1e-12), &random.vector(1e-12));
        assert_eq!(of(collide(&moved, b, 1e-6)), quiet);
    }
    quiet
}

#[test]
fn parallel_features_touch_in_points_that_keep_their_identity() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let slab = placed(SpatialShape::Box(Cuboid { half: [1.0, 1.0, 0.5] }), [0.0, 0.0, -0.5], [0.0; 3]);
    let beam = placed(SpatialShape::Box(Cuboid { half: [1.0, 0.05, 0.5] }), [0.0, 0.0, -0.5], [0.0; 3]);
    let lower = placed(cylinder(), [0.05, 0.0, -0.2], [0.0, 0.0, 0.4]);
    let cone = SpatialShape::Cone(Cone { radius: 0.1, height: 0.4 });
    let standing = placed(cylinder(), [0.2, 0.3, 0.2], [0.0, 0.0, 0.7]);
    let lying = placed(cylinder(), [0.0, 0.0, 0.1], [quarter, 0.0, 0.0]);
    let side_by_side = placed(cylinder(), [0.0, 0.1, 0.3], [quarter, 0.0, 0.0]);
    let above = placed(cylinder(), [0.0, 0.0, 0.2], [0.0; 3]);
    let capsule = placed(
        SpatialShape::Capsule(Capsule { radius: 0.05, half: 0.1 }),
        [0.0, 0.0, 0.25],
        [quarter, 0.0, 0.0],
    );
    for (name, a, b, count) in [
        ("a cylinder standing on a face", &standing, &slab, 8),
        ("a cylinder lying on a face", &lying, &slab, 2),
        ("a cylinder lying across a beam", &lying, &beam, 2),
        ("parallel cylinders, shifted along", &side_by_side, &lying, 2),
        ("a capsule along a cylinder", &capsule, &lying, 2),
        ("a cone standing on a face", &placed(cone.clone(), [0.0, 0.0, 0.1], [0.0; 3]), &slab, 8),
    ] {
        let found = features(a, b);
        println!("{name}: {found:?}");
        assert_eq!(found.len(), count, "{name}");
    }
    let caps = features(&above, &lower);
    println!("a cap on a cap: {caps:?}");
    assert!(caps.len() >= 4);
    // all of them on both caps
    for c in collide(&above, &lower, 1e-6) {
        assert!(above.outside(&c.p_a) < 1e-9 && lower.outside(&c.p_b) < 1e-9 && c.gap.abs() < 1e-12);
    }
}

#[test]
fn a_cylinder_rolls_on_a_box_without_ripple_in_its_normal_force() {
    let body = format!(
        "shape.cylinder = {{ radius = 0.1, height = 0.4 }}\nposition = [0, 0, 0.1]\n{LYING}\n\
         velocity = [1, 0, 0]\nangular_velocity = [0, 10, 0]"
    );
    for ground in ["shape.half_space = {}", SLAB] {
        let scene = scene(ground, &body, 0.9);
        let (mut ripple, mut slowed) = (0.0f64, 0.0f64);
        run(&scene, |s| {
            let found = forces(s);
            assert_eq!(found.len(), 2, "the two ends of its line: {found:?}");
            ripple = ripple.max((found.iter().sum::<f64>() / (2.0 * G) - 1.0).abs());
            slowed = slowed.max((s.state().u[0] - 1.0).abs());
        });
        println!("ripple {ripple:e}, slowed {slowed:e}");
        assert!(ripple < 1e-9 && slowed < 1e-9, "{ripple:e} {slowed:e}");
    }
}

#[test]
fn standing_cylinders_and_cones_rest_on_a_box() {
    for shape in
        ["shape.cylinder = { radius = 0.1, height = 0.4 }", "shape.cone = { radius = 0.1, height = 0.8 }"]
    {
        let body = format!("{shape}\nposition = [0.3, 0, 0.2]");
        let scene = scene(SLAB, &body, 0.5);
        let end = run(&scene, |s| {
            let total: f64 = forces(s).iter().sum();
            assert!((total / (2.0 * G) - 1.0).abs() < 1e-8, "{shape} {total}");
        });
        assert!(end.state().u.iter().all(|u| u.abs() < 1e-9), "{shape} {:?}", end.state());
    }
}

/// The gap of a curved body is no linear function over a step; what it would overlap by is taken out within the step.
#[test]
fn an_ellipsoid_spins_and_rolls_without_overlap() {
    for (shape, most) in [
        ("ellipsoid.semi_axes = [0.3, 0.2, 0.1]", 3e-6),
        // where it is nearly flat, its lowest point runs over it faster than a step can follow
        ("super_ellipsoid = { semi_axes = [0.3, 0.2, 0.1], exponent = 3 }", 3e-5),
    ] {
        for ground in ["shape.half_space = {}", SLAB] {
            let body = format!(
                "shape.{shape}\nposition = [0, 0, 0.1]\nvelocity = [0.3, 0.1, 0]\nangular_velocity = [1, -2, 6]"
            );
            let overlap = [0.01, 0.0025].map(|step| {
                let mut scene = scene(ground, &body, 0.3);
                scene.step = step;
                let end = common::run(&scene, |_| ());
                let worst = &end.certificate().worst;
                assert!(worst.complementarity.max(worst.cone).max(worst.dissipation) < 1e-8, "{worst:?}");
                worst.penetration
            });
            println!("{shape} on {}: overlap {overlap:?} m", &ground[..14]);
            assert!(overlap[0] < most && overlap[1] < 0.5 * most, "{overlap:?}");
        }
    }
}

#[test]
fn a_compound_of_curved_parts_stands_on_all_of_them() {
    let body = "position = [0, 0, 0.2]\nshape.compound = [\n\
                { shape.cylinder = { radius = 0.1, height = 0.4 }, position = [-0.5, 0, 0] },\n\
                { shape.cone = { radius = 0.1, height = 0.8 }, position = [0.5, 0.4, 0] },\n\
                { shape.ellipsoid.semi_axes = [0.1, 0.1, 0.2], position = [0.5, -0.4, 0] }]";
    let scene = scene(SLAB, body, 0.5);
    let end = run(&scene, |s| {
        let total: f64 = forces(s).iter().sum();
        assert!((total / (2.0 * G) - 1.0).abs() < 1e-8, "{total}");
    });
    let on = |x: f64, y: f64| {
        let step = end.last();
        let near = |p: &Vector3<f64>| (p.x - x).hypot(p.y - y) < 0.15;
        step.outcomes.iter().filter(|o| near(&o.constraint.point)).map(|o| o.impulse[0]).sum::<f64>()
    };
    for (x, y) in [(-0.5, 0.0), (0.5, 0.4), (0.5, -0.4)] {
        assert!(on(x, y) > 0.0, "nothing carries at {x}, {y}");
    }
    assert!(end.state().u.iter().all(|u| u.abs() < 1e-9), "{:?}", end.state());
}

#[test]
fn the_built_in_scene_of_curved_shapes_is_certified() {
    let scene = common::scene("curved-shapes", &[]);
    let start = std::time::Instant::now();
    let end = common::run(&scene, |_| ());
    println!("{:?}, {:.1} ms a step", end.certificate(), start.elapsed().as_secs_f64() * 1e3 / 500.0);
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
}
