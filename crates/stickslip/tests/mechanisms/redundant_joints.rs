//! Mechanisms with more joints than they need: they move as they should, the surplus is named, and the reactions are
//! those of least norm.

use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;
use stickslip::body::Space;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::drive::PlanarDrive;
use stickslip::function::{Constant, Function, Polynomial};
use stickslip::joint::{Joint, Kind, Side};
use stickslip::mobility::{Mobility, mobility};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::{Method, StepperConfig};
use stickslip::system::{Describe, Reaction, System};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

fn simulate(system: &dyn System, method: Method, step: f64, until: f64) -> Simulation<'_> {
    let config = StepperConfig::new(method.into());
    Simulation::new(system, config.build(), Settings { step, until, tolerance: Default::default() })
}

/// A joint at a point of the world, as the bodies stand at the start.
fn join<S: Space>(world: &mut World<S>, name: &str, kind: Kind, bodies: [Option<usize>; 2], p: [f64; 3]) {
    let [a, b] = bodies.map(|body| {
        let p = Vector3::from(p);
        let Some(i) = body else { return Side { body, p, r: Matrix3::identity() } };
        let (origin, axes) = S::frame(&S::pose(&world.bodies()[i].q));
        Side { body, p: axes.tr_mul(&(p - origin)), r: axes.transpose() }
    });
    world.add_joint(Joint::plain(name, kind, a, b)).unwrap();
}

fn names(system: &dyn System, found: &Mobility) -> Vec<String> {
    found.redundant.iter().map(|r| system.row_label(r.id, r.row)).collect()
}

fn box_body(name: &str, position: [f64; 3], size: [f64; 3]) -> Body<Spatial> {
    let [x, y, z] = size.map(|x| x * x / 12.0);
    let inertia = SpatialInertia::diagonal([y + z, x + z, x + y].map(|j| 2.0 * j)).unwrap();
    let motion = Motion::Dynamic { mass: 2.0, inertia, u: vec![0.0; 6] };
    let [px, py, pz] = position;
    Body { name: name.to_owned(), motion, shape: None, q: vec![px, py, pz, 1.0, 0.0, 0.0, 0.0], surface: 0 }
}

#[test]
fn a_door_on_three_hinges_shares_its_weight() {
    // about z, gravity along it; the door's centre at the height of the middle hinge
    let door = box_body("door", [0.4, 0.0, 0.0], [0.8, 0.04, 2.0]);
    let mut world = World::<Spatial>::new([0.0, 0.0, -9.81], vec![door], SurfaceLaws::new(1)).unwrap();
    for (name, z) in [("upper", 0.9), ("middle", 0.0), ("lower", -0.9)] {
        join(&mut world, name, Kind::Revolute, [None, Some(0)], [0.0, 0.0, z]);
    }
    let found = mobility(&world, &world.initial());
    println!("{found:?}: {:?}", names(&world, &found));
    assert_eq!((found.freedoms, found.rows, found.rank, found.redundant.len()), (1, 15, 5, 10));
    assert_eq!(names(&world, &found)[..2], ["middle along x", "middle along y"]);
    assert!(found.open.is_empty() && found.contradictory.is_empty() && found.closes);
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        let mut run = simulate(&world, method, 0.01, 0.05);
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{:?}", run.certificate());
        }
        let r = world.reactions(run.last());
        println!("{}: {r:?}", method.name());
        let weight = 2.0 * 9.81;
        let total: f64 = r.iter().map(|r| r.force[2]).sum();
        assert!((total - weight).abs() < 1e-10, "{total}");
        for r in &r {
            assert!((r.force[2] - weight / 3.0).abs() < 1e-10, "a third each: {r:?}");
        }
        mirrored(&r[0], &r[2], 1e-10);
        // the moment about y of the weight, 0.4 m from the axis, is taken up by all that can
        let moment: f64 = r.iter().zip([0.9, 0.0, -0.9]).map(|(r, z)| r.torque[1] + z * r.force[0]).sum();
        assert!((moment + 0.4 * weight).abs() < 1e-10, "{moment}");
        least(&r, 0.8, 2.0);
    }
}

/// Upper and lower hinge: the plane z = 0 is one of mirror symmetry up to the sign of the horizontal forces.
fn mirrored(upper: &Reaction, lower: &Reaction, to: f64) {
    for (k, sign) in [(0, -1.0), (1, -1.0), (2, 1.0)] {
        assert!((upper.force[k] - sign * lower.force[k]).abs() < to, "{upper:?} {lower:?}");
        assert!((upper.torque[k] - lower.torque[k]).abs() < to, "{upper:?} {lower:?}");
    }
}

/// The horizontal forces ±f and the torques t about y of the three hinges, by hand: 2 z f + 3 t = m with the least
/// 2 f² + 3 t² / l² has t / f = l² / z.
fn least(r: &[Reaction], width: f64, height: f64) {
    let [x, y, z] = [width, 0.04, height].map(|x: f64| x * x / 12.0);
    let l2 = 2.0 * (x + y + z) / 3.0;
    assert!((r[0].torque[1] / r[0].force[0] - l2 / 0.9).abs() < 1e-9, "{r:?} {l2}");
}

#[test]
fn a_platform_on_three_parallel_cranks_has_one_redundant_row() {
    // cranks of 0.5 m at x = -1, 0, 1; gravity across them at the start; the platform's centre above the middle one
    let rod = |name: &str, x: f64| {
        let motion = Motion::Dynamic { mass: 0.3, inertia: 0.3 * 0.25 / 12.0, u: vec![0.0; 3] };
        Body::<Planar> { name: name.to_owned(), motion, shape: None, q: vec![x, 0.25, 0.0], surface: 0 }
    };
    let motion = Motion::Dynamic { mass: 4.0, inertia: 1.5, u: vec![0.0; 3] };
    let platform =
        Body { name: "platform".to_owned(), motion, shape: None, q: vec![0.0, 0.5, 0.0], surface: 0 };
    let bodies = vec![rod("left", -1.0), rod("middle", 0.0), rod("right", 1.0), platform];
    let mut world = World::<Planar>::new([0.0, -9.81, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
    for (i, x) in [-1.0, 0.0, 1.0].into_iter().enumerate() {
        join(&mut world, &format!("foot{i}"), Kind::Revolute, [None, Some(i)], [x, 0.0, 0.0]);
        join(&mut world, &format!("head{i}"), Kind::Revolute, [Some(i), Some(3)], [x, 0.5, 0.0]);
    }
    let found = mobility(&world, &world.initial());
    println!("{found:?}: {:?}", names(&world, &found));
    assert_eq!((found.freedoms, found.rows, found.rank), (1, 12, 11));
    assert_eq!(names(&world, &found), ["head2 along y"]);
    // upright: the weight is carried symmetrically, and there is no other load
    let mut run = simulate(&world, Method::StewartTrinkle, 0.001, 0.001);
    assert!(run.advance().unwrap(), "{:?}", run.certificate());
    let r = world.reactions(run.last());
    let heads: Vec<f64> = r.iter().skip(1).step_by(2).map(|r| r.force[1]).collect();
    println!("{heads:?}");
    assert!((heads.iter().sum::<f64>() - 4.0 * 9.81).abs() < 1e-10);
    assert!((heads[0] - heads[2]).abs() < 1e-10 && (heads[0] - heads[1]).abs() < 1e-10, "{heads:?}");
}

#[test]
fn a_four_bar_with_parallel_axes_is_overconstrained_by_three_in_space() {
    // a parallelogram in the x, y plane, axes along z, mirror-symmetric about x = 0.5 when upright
    let bodies = vec![
        box_body("left", [0.0, 0.25, 0.0], [0.05, 0.5, 0.05]),
        box_body("right", [1.0, 0.25, 0.0], [0.05, 0.5, 0.05]),
        box_body("coupler", [0.5, 0.5, 0.0], [1.0, 0.05, 0.05]),
    ];
    let mut world = World::<Spatial>::new([0.0, -9.81, -3.0], bodies, SurfaceLaws::new(1)).unwrap();
    for (name, bodies, p) in [
        ("left-foot", [None, Some(0)], [0.0, 0.0, 0.0]),
        ("left-head", [Some(0), Some(2)], [0.0, 0.5, 0.0]),
        ("right-foot", [None, Some(1)], [1.0, 0.0, 0.0]),
        ("right-head", [Some(1), Some(2)], [1.0, 0.5, 0.0]),
    ] {
        join(&mut world, name, Kind::Revolute, bodies, p);
    }
    let found = mobility(&world, &world.initial());
    println!("{found:?}: {:?}", names(&world, &found));
    assert_eq!((found.freedoms, found.rows, found.rank), (1, 20, 17));
    assert_eq!(names(&world, &found), ["right-head along z", "right-head about y", "right-head about x"]);
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        let mut run = simulate(&world, method, 1e-3, 1e-3);
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
        let r = world.reactions(run.last());
        for (left, right) in [(&r[0], &r[2]), (&r[1], &r[3])] {
            // a mirror turns the sign of forces along x and of torques about y and z
            for (k, sign) in [(0, -1.0), (1, 1.0), (2, 1.0)] {
                let off = (left.force[k] - sign * right.force[k]).abs();
                assert!(off < 1e-10, "{}: {left:?} {right:?}", method.name());
                assert!((left.torque[k] + sign * right.torque[k]).abs() < 1e-10, "{left:?} {right:?}");
            }
        }
        println!("{}: {:?}", method.name(), r[0]);
        assert!((r[0].force[1] - 0.5 * 6.0 * 9.81).abs() < 1e-9, "{:?}", r[0]);
    }
}

#[test]
fn the_spread_does_not_change_what_the_joints_do_together() {
    // swinging, aslant, with dry friction: force and moment on the door are the same however they are spread
    let build = |hinges: &[f64]| {
        let door = box_body("door", [0.4, 0.0, 0.0], [0.8, 0.04, 2.0]);
        let mut world = World::<Spatial>::new([0.3, -5.0, -9.81], vec![door], SurfaceLaws::new(1)).unwrap();
        for (i, &z) in hinges.iter().enumerate() {
            join(&mut world, &format!("h{i}"), Kind::Revolute, [None, Some(0)], [0.0, 0.0, z]);
        }
        world
    };
    let total = |world: &World<Spatial>, hinges: &[f64]| {
        let mut run = simulate(world, Method::StewartTrinkle, 1e-3, 0.5);
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{:?}", run.certificate());
        }
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for (r, &z) in world.reactions(run.last()).iter().zip(hinges) {
            let f = Vector3::from_column_slice(&r.force);
            force += f;
            moment += Vector3::from_column_slice(&r.torque) + Vector3::new(0.0, 0.0, z).cross(&f);
        }
        (force, moment, run.state().q.clone())
    };
    let (single, several) = ([0.0], [0.7, 0.1, -0.3, -0.8]);
    let (one, four) = (total(&build(&single), &single), total(&build(&several), &several));
    let off = (one.0 - four.0).amax().max((one.1 - four.1).amax());
    println!("{one:?} {four:?}: {off:e}");
    assert!(off < 1e-7 * one.1.amax() && (one.0 - four.0).amax() < 1e-7, "{off:e}");
    assert!(one.2.iter().zip(&four.2).all(|(a, b)| (a - b).abs() < 1e-9));
}

fn slider(name: &str) -> Body<Planar> {
    let motion = Motion::Dynamic { mass: 1.0, inertia: 0.1, u: vec![0.0; 3] };
    Body { name: name.to_owned(), motion, shape: None, q: vec![0.0; 3], surface: 0 }
}

#[test]
fn joints_that_do_not_hold_are_named_with_their_gap() {
    let mut world = World::<Planar>::new([0.0; 3], vec![slider("bar")], SurfaceLaws::new(1)).unwrap();
    let at = |x: f64, y: f64| Side { body: None, p: Vector3::new(x, y, 0.0), r: Matrix3::identity() };
    let on = |x: f64| Side { body: Some(0), ..at(x, 0.0) };
    world.add_joint(Joint::plain("left", Kind::Revolute, at(0.0, 0.0), on(0.0))).unwrap();
    world.add_joint(Joint::plain("right", Kind::Distance { length: 0.6 }, at(1.0, 0.0), on(0.5))).unwrap();
    let found = mobility(&world, &world.initial());
    println!("{found:?}");
    // 0.5 m apart instead of 0.6: turning the bar closes it
    assert_eq!(found.open.len(), 1);
    assert!((found.open[0].by + 0.1).abs() < 1e-15);
    // at the start the bar points at the anchor and no turn helps to first order; a little aslant one does
    let mut aslant = world.initial();
    aslant.q[2] = 0.1;
    assert!(mobility(&world, &aslant).closes);
    // 3 m cannot be reached
    world.add_joint(Joint::plain("far", Kind::Distance { length: 3.0 }, at(1.0, 0.0), on(0.5))).unwrap();
    let found = mobility(&world, &aslant);
    assert!(
        !found.closes && found.open.iter().any(|o| world.row_label(o.row.id, o.row.row) == "far distance")
    );
}

#[test]
fn drives_that_pull_a_body_apart_are_named() {
    let still: Arc<dyn Function> = Arc::new(Constant(0.0));
    let driven = |name: &str, speed: f64| {
        let x: Arc<dyn Function> = Arc::new(Polynomial(vec![0.0, speed]));
        let drive = PlanarDrive { position: [x, still.clone()], angle: still.clone() };
        let motion = Motion::Driven(Arc::new(drive));
        Body::<Planar> { name: name.to_owned(), motion, shape: None, q: vec![0.0; 3], surface: 0 }
    };
    for (speeds, off) in [([0.2, 0.2], None), ([0.2, 0.5], Some(0.3))] {
        let bodies = vec![slider("bar"), driven("a", speeds[0]), driven("b", speeds[1])];
        let mut world = World::<Planar>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
        join(&mut world, "left", Kind::Weld, [Some(0), Some(1)], [0.0; 3]);
        join(&mut world, "right", Kind::Weld, [Some(0), Some(2)], [0.0; 3]);
        let found = mobility(&world, &world.initial());
        println!("{found:?}");
        assert_eq!((found.freedoms, found.rank, found.redundant.len()), (0, 3, 3));
        let label = |k: usize| world.row_label(found.contradictory[k].row.id, found.contradictory[k].row.row);
        match off {
            None => assert!(found.contradictory.is_empty()),
            Some(off) => {
                assert_eq!((found.contradictory.len(), label(0)), (1, "right along x".to_owned()));
                assert!((found.contradictory[0].by.abs() - off).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn what_is_redundant_does_not_depend_on_units() {
    // the door of 2 m in millimetres and grams, or in kilometres and tonnes: lengths and masses scaled
    for scale in [1e-6, 1e-3, 1.0, 1e3] {
        let mut door = box_body("door", [0.4 * scale, 0.0, 0.0], [0.8, 0.04, 2.0].map(|x| x * scale));
        if let Motion::Dynamic { mass, inertia, .. } = &mut door.motion {
            *mass *= scale;
            *inertia = SpatialInertia::new(inertia.tensor * scale).unwrap();
        }
        let mut world =
            World::<Spatial>::new([0.0, 0.0, -9.81 * scale], vec![door], SurfaceLaws::new(1)).unwrap();
        for (name, z) in [("upper", 0.9), ("middle", 0.0), ("lower", -0.9)] {
            join(&mut world, name, Kind::Revolute, [None, Some(0)], [0.0, 0.0, z * scale]);
        }
        let found = mobility(&world, &world.initial());
        assert_eq!((found.freedoms, found.rank, found.redundant.len()), (1, 5, 10), "{scale}");
        let mut run = simulate(&world, Method::StewartTrinkle, 0.01, 0.01);
        assert!(run.advance().unwrap(), "{scale}: {:?}", run.certificate());
        let unit = 2.0 * 9.81 * scale * scale;
        for r in world.reactions(run.last()) {
            assert!((r.force[2] / unit - 1.0 / 3.0).abs() < 1e-12, "{scale}: {r:?}");
        }
    }
}
