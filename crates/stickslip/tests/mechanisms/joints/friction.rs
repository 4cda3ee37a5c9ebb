//! Dry friction of hinges, and their limits.

use super::{bar, body_side, simulate, world_side};
use nalgebra::{Rotation3, Vector3};
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::joint::{Joint, Kind, Side};
use stickslip::stepper::Method;
use stickslip::world::{Body, Motion, SurfaceLaws, World};

/// A pendulum held aslant by dry friction of 3 N m against at most 9.81 * 0.5 * sin(0.5) = 2.35 N m.
fn held_pendulum(friction: f64) -> World<Planar> {
    let (s, c) = 0.5f64.sin_cos();
    let bodies = vec![bar("arm", vec![0.5 * s, -0.5 * c, 0.5])];
    let mut world = World::new([0.0, -9.81, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
    let mut joint =
        Joint::plain("hinge", Kind::Revolute, world_side([0.0; 3]), body_side(0, [0.0, 0.5, 0.0]));
    joint.friction = friction;
    world.add_joint(joint).unwrap();
    world
}

#[test]
fn a_hinge_with_enough_dry_friction_does_not_creep() {
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        let world = held_pendulum(3.0);
        // event-driven steppers choose their own steps
        let step = if matches!(method, Method::Event | Method::Gauss) { 0.1 } else { 0.01 };
        let mut run = simulate(&world, method, step, 600.0);
        while !run.is_done() {
            assert!(run.advance().unwrap());
        }
        let creep = (run.state().q[2] - 0.5).abs();
        assert!(creep < 1e-12, "{}: crept by {creep:e} rad", method.name());
    }
}

#[test]
fn a_hinge_in_space_with_enough_dry_friction_does_not_creep() {
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        // the same arm, about a horizontal axis that is none of the world's
        let turn = Rotation3::from_scaled_axis(Vector3::new(0.0, 0.0, 0.7))
            * Rotation3::from_scaled_axis(Vector3::new(0.5 * std::f64::consts::PI, 0.0, 0.0));
        let start = turn * Rotation3::from_scaled_axis(Vector3::new(0.0, 0.0, 0.5));
        let q = nalgebra::UnitQuaternion::from_rotation_matrix(&start);
        let c = start * Vector3::new(0.0, -0.5, 0.0);
        let motion = Motion::Dynamic {
            mass: 1.0,
            inertia: SpatialInertia::diagonal([0.1, 0.02, 0.1]).unwrap(),
            u: vec![0.0; 6],
        };
        let q = vec![c.x, c.y, c.z, q.w, q.i, q.j, q.k];
        let arm = Body::<Spatial> { name: "arm".to_owned(), motion, shape: None, q, surface: 0 };
        let mut world = World::new([0.0, 0.0, -9.81], vec![arm], SurfaceLaws::new(1)).unwrap();
        let a = Side { r: turn.into_inner(), ..world_side([0.0; 3]) };
        let mut joint = Joint::plain("hinge", Kind::Revolute, a, body_side(0, [0.0, 0.5, 0.0]));
        joint.friction = 3.0;
        world.add_joint(joint).unwrap();
        let mut run = simulate(&world, method, 0.05, 600.0);
        let begin = world.joint_position(0, run.state()).unwrap();
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{:?}", run.certificate());
        }
        let creep = (world.joint_position(0, run.state()).unwrap() - begin).abs();
        println!("{}: stands at {begin} rad, crept by {creep:e} rad in 600 s", method.name());
        assert!(creep < 1e-12 && (begin - 0.5).abs() < 1e-12, "{}: {creep:e} rad", method.name());
    }
}

#[test]
fn a_hinge_with_too_little_dry_friction_gives_way() {
    let world = held_pendulum(2.0);
    let mut run = simulate(&world, Method::StewartTrinkle, 0.001, 0.1);
    while !run.is_done() {
        run.advance().unwrap();
    }
    // (2 − 2.352) N m on 0.1 + 0.25 kg m², nearly constant for so short a time
    let expected = 0.5 * (2.0 - 9.81 * 0.5 * 0.5f64.sin()) / 0.35 * 0.01;
    assert!((run.state().q[2] - 0.5 - expected).abs() < 0.02 * expected.abs(), "{:?}", run.state());
}

#[test]
fn a_pendulum_comes_to_rest_at_its_limit() {
    let mut world = held_pendulum(0.0);
    let mut joint = Joint::plain("stop", Kind::Revolute, world_side([0.0; 3]), body_side(0, [0.0, 0.5, 0.0]));
    joint.limits = Some([0.2, 1.0]);
    // the same hinge once more: redundant, and no trouble
    world.add_joint(joint).unwrap();
    assert_eq!(world.redundant_joints(), [1]);
    let mut run = simulate(&world, Method::StewartTrinkle, 0.001, 1.0);
    while !run.is_done() {
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
    }
    assert!((run.state().q[2] - 0.2).abs() < 1e-9 && run.state().u[2].abs() < 1e-9, "{:?}", run.state());
}
