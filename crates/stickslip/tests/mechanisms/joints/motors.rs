//! Motors, drives, belts, springs and controllers.

use super::{bar, body_side, simulate, world_side};
use crate::common;
use nalgebra::Vector3;
use std::sync::Arc;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::drive::{Sine, SpatialDrive};
use stickslip::force::{Controller, Force, Target};
use stickslip::function::{Constant, Polynomial};
use stickslip::joint::{Goal, Joint, Kind, Motor};
use stickslip::stepper::Method;
use stickslip::system::{Describe, Law};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

#[test]
fn a_motor_reaches_its_speed_as_fast_as_its_torque_allows() {
    let bodies = vec![bar("wheel", vec![0.0; 3])];
    let mut world = World::<Planar>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
    let mut joint = Joint::plain("shaft", Kind::Revolute, world_side([0.0; 3]), body_side(0, [0.0; 3]));
    joint.motor = Some(Motor { goal: Goal::Speed(Arc::new(Constant(5.0))), bound: 0.2 });
    world.add_joint(joint).unwrap();
    let mut run = simulate(&world, Method::StewartTrinkle, 0.01, 4.0);
    while !run.is_done() {
        run.advance().unwrap();
        let t = run.state().t;
        let expected = (0.2 / 0.1 * t).min(5.0);
        assert!((run.state().u[2] - expected).abs() < 1e-9, "at {t}: {}", run.state().u[2]);
    }
    // the motor puts in what the wheel has and what it slips away
    let l = run.ledger();
    assert!((l.work_in - l.dissipated_friction - 0.5 * 0.1 * 25.0).abs() < 1e-9, "{l:?}");
}

#[test]
fn the_box_reaches_the_belt_speed_when_friction_says_so() {
    let scene = common::scene("conveyor", &[]);
    let reach = 1.0 / (0.4 * 9.81);
    common::run(&scene, |s| {
        let (t, v) = (s.state().t, s.state().u[0]);
        if t < reach {
            assert!((v - 0.4 * 9.81 * t).abs() < 1e-9, "at {t}: {v}");
        } else if t > reach + 1e-3 {
            assert!((v - 1.0).abs() < 1e-12, "at {t}: {v}");
        }
    });
}

#[test]
fn a_shaken_plate_carries_its_box_with_the_derivative_of_its_motion() {
    // 100 Hz and 1e-5 m: 3.9 m/s², less than gravity, so the box stays on it
    let (rate, amplitude) = (200.0 * std::f64::consts::PI, 1e-5);
    let sine = Sine { offset: 0.0, amplitude, rate, phase: 0.0 };
    let still: Arc<dyn stickslip::function::Function> = Arc::new(Constant(0.0));
    let drive = SpatialDrive {
        position: [still.clone(), still.clone(), Arc::new(sine)],
        orientation: [1.0, 0.0, 0.0, 0.0],
        axis: Vector3::z_axis(),
        angle: still,
    };
    let plate = Body::<Spatial> {
        name: "plate".to_owned(),
        motion: Motion::Driven(Arc::new(drive)),
        shape: Some(stickslip::shape::SpatialShape::HalfSpace),
        q: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        surface: 0,
    };
    let cube = Body::<Spatial> {
        name: "cube".to_owned(),
        motion: Motion::Dynamic {
            mass: 1.0,
            inertia: SpatialInertia::diagonal([0.1; 3]).unwrap(),
            u: vec![0.0, 0.0, amplitude * rate, 0.0, 0.0, 0.0],
        },
        shape: Some(stickslip::shape::SpatialShape::Box(stickslip::shape::Cuboid { half: [0.1; 3] })),
        q: vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0],
        surface: 0,
    };
    let mut laws = SurfaceLaws::new(1);
    laws.set(0, 0, stickslip::system::SurfaceLaw { friction: 0.5, ..Default::default() });
    let world = World::new([0.0, 0.0, -9.81], vec![plate, cube], laws).unwrap();
    let dt = 1e-4;
    let mut run = simulate(&world, Method::StewartTrinkle, dt, 0.1);
    while !run.is_done() {
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
        let t = run.state().t;
        // the contact's velocity without the box is minus the derivative of the plate's motion
        for o in run.last().outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. })) {
            let plate_velocity = -o.constraint.drift[0];
            assert!((plate_velocity - amplitude * rate * (rate * t).cos()).abs() < 1e-9);
        }
        // the box moves with the plate, to the end of each step
        let gap = run.state().q[2] - 0.1 - amplitude * (rate * t).sin();
        assert!(gap.abs() < 1e-12, "at {t}: {gap:e}");
    }
    // the drive holds the box's weight and accelerates it
    let reaction = &world.reactions(run.last())[0];
    let acceleration = -amplitude * rate * rate * (rate * (0.1 - dt)).sin();
    assert!(reaction.drive && (reaction.force[2] - (9.81 + acceleration)).abs() < 0.05, "{reaction:?}");
}

#[test]
fn a_torsion_spring_swings_at_its_frequency_and_keeps_its_energy() {
    let motion = Motion::Dynamic { mass: 1.0, inertia: 0.1, u: vec![0.0, 0.0, 2.0] };
    let wheel = Body { name: "wheel".to_owned(), motion, shape: None, q: vec![0.0; 3], surface: 0 };
    let mut world = World::<Planar>::new([0.0; 3], vec![wheel], SurfaceLaws::new(1)).unwrap();
    let shaft = Joint::plain("shaft", Kind::Revolute, world_side([0.0; 3]), body_side(0, [0.0; 3]));
    world.add_joint(shaft).unwrap();
    let spring = Controller {
        joint: 0,
        stiffness: 40.0,
        damping: 0.0,
        target: Target::Rest(0.0),
        bound: None,
        ahead: None,
    };
    world.add_force(Force::Controller(spring)).unwrap();
    let mut run = simulate(&world, Method::Moreau, 1e-3, 1.0);
    while !run.is_done() {
        run.advance().unwrap();
        let exact = 0.1 * (20.0 * run.state().t).sin();
        assert!((run.state().q[2] - exact).abs() < 1e-4, "{:?}", run.state());
        let l = run.ledger();
        assert!((l.kinetic + l.potential - 0.2).abs() < 1e-4 && l.work_in.abs() < 1e-9, "{l:?}");
    }
}

#[test]
fn a_controller_follows_a_ramp_and_lags_not() {
    let bodies = vec![bar("slider", vec![0.0; 3])];
    let mut world = World::<Planar>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
    let rail = Joint::plain("rail", Kind::Prismatic, world_side([0.0; 3]), body_side(0, [0.0; 3]));
    world.add_joint(rail).unwrap();
    let target = Target::Follow(Arc::new(Polynomial(vec![0.0, 0.5])));
    let force = Controller { joint: 0, stiffness: 100.0, damping: 20.0, target, bound: None, ahead: None };
    world.add_force(Force::Controller(force)).unwrap();
    let mut run = simulate(&world, Method::StewartTrinkle, 1e-3, 4.0);
    while !run.is_done() {
        run.advance().unwrap();
    }
    assert!(
        (run.state().q[0] - 2.0).abs() < 1e-3 && (run.state().u[0] - 0.5).abs() < 1e-6,
        "{:?}",
        run.state()
    );
    assert!(run.state().q[1].abs() < 1e-12 && run.state().q[2].abs() < 1e-12);
}
