//! Turns, gears and motors that hold a position.

use crate::common;
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::TAU;
use std::sync::Arc;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::drive::Sine;
use stickslip::function::{Constant, Polynomial};
use stickslip::joint::{Coupling, Goal, Joint, Kind, Motor, Side};
use stickslip::simulation::{Checkpoint, Settings, Simulation};
use stickslip::stepper::{Method, StepperConfig};
use stickslip::system::{Describe, System};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

fn simulate(system: &dyn System, method: Method, step: f64, until: f64) -> Simulation<'_> {
    let config = StepperConfig::new(method.into());
    Simulation::new(system, config.build(), Settings { step, until, tolerance: Default::default() })
}

fn planar(name: &str, inertia: f64) -> Body<Planar> {
    let motion = Motion::Dynamic { mass: 1.0, inertia, u: vec![0.0; 3] };
    Body { name: name.to_owned(), motion, shape: None, q: vec![0.0; 3], surface: 0 }
}

fn spatial(name: &str, inertia: f64) -> Body<Spatial> {
    let inertia = SpatialInertia::diagonal([inertia; 3]).unwrap();
    let motion = Motion::Dynamic { mass: 1.0, inertia, u: vec![0.0; 6] };
    let q = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    Body { name: name.to_owned(), motion, shape: None, q, surface: 0 }
}

/// Body and world joined at the origin, in axes turned by `turn`.
fn joined(name: &str, kind: Kind, body: usize, turn: [f64; 3]) -> Joint {
    let r: Matrix3<f64> = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
    let side = |body| Side { body, p: Vector3::zeros(), r };
    Joint::plain(name, kind, side(None), side(Some(body)))
}

const ASLANT: [f64; 3] = [0.3, -0.8, 0.4];

/// A wheel with a motor of 20 rad/s and a limit after five turns, in plane or space.
fn wound(dimension: usize, speed: f64) -> Box<dyn System> {
    let fit = |mut joint: Joint| {
        let goal = Goal::Speed(Arc::new(Constant(speed)));
        joint.motor = Some(Motor { goal, bound: 40.0 });
        joint.limits = Some([-1.0, 5.0 * TAU]);
        joint
    };
    if dimension == 2 {
        let mut world =
            World::<Planar>::new([0.0; 3], vec![planar("wheel", 0.1)], SurfaceLaws::new(1)).unwrap();
        world.add_joint(fit(joined("shaft", Kind::Revolute, 0, [0.0; 3]))).unwrap();
        Box::new(world)
    } else {
        let mut world =
            World::<Spatial>::new([0.0; 3], vec![spatial("wheel", 0.1)], SurfaceLaws::new(1)).unwrap();
        world.add_joint(fit(joined("shaft", Kind::Revolute, 0, ASLANT))).unwrap();
        Box::new(world)
    }
}

#[test]
fn a_driven_hinge_winds_up_five_turns_to_its_limit_and_stops_there() {
    for dimension in [2, 3] {
        for (method, slack) in [(Method::StewartTrinkle, 1e-9), (Method::Moreau, 0.2)] {
            let world = wound(dimension, 20.0);
            let mut run = simulate(world.as_ref(), method, 0.01, 3.0);
            let mut middle = 0.0;
            while !run.is_done() {
                // a law at velocity level passes its limit by a step's way, and says so
                let holds = run.advance().unwrap();
                assert!(holds || method == Method::Moreau, "{:?}", run.certificate());
                if run.index() == 100 {
                    middle = run.state().positions[0];
                }
            }
            let end = run.state().positions[0];
            println!(
                "{dimension}D {}: {middle} rad at 1 s, {end} rad at the end, limit {}",
                method.name(),
                5.0 * TAU
            );
            // to full speed in 0.05 s, half of which is lost
            assert!((middle - 19.5).abs() < 0.11, "{middle}");
            assert!((end - 5.0 * TAU).abs() <= slack, "{dimension}D {}: {end}", method.name());
            assert!(run.state().u.iter().all(|u| u.abs() < 1e-9), "{:?}", run.state());
        }
    }
}

#[test]
fn a_shaft_of_most_of_a_turn_per_step_is_counted() {
    let mut world =
        World::<Spatial>::new([0.0; 3], vec![spatial("rotor", 0.1)], SurfaceLaws::new(1)).unwrap();
    let mut joint = joined("shaft", Kind::Revolute, 0, ASLANT);
    joint.motor = Some(Motor { goal: Goal::Speed(Arc::new(Polynomial(vec![0.0, 500.0]))), bound: 1e6 });
    world.add_joint(joint).unwrap();
    // to 500 rad/s in a second: at the end 5 rad in each step
    let mut run = simulate(&world, Method::StewartTrinkle, 0.01, 1.0);
    while !run.is_done() {
        run.advance().unwrap();
    }
    // the sum of the steps, each with the speed at its end
    let exact = (1..=100).map(|k| 0.01 * 5.0 * k as f64).sum::<f64>();
    let found = run.state().positions[0];
    println!("{found} rad, {exact} expected");
    assert!((found - exact).abs() < 1e-9);
}

#[test]
fn a_run_from_a_checkpoint_knows_its_turns() {
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        let world = wound(3, -0.7);
        let mut run = simulate(world.as_ref(), method, 0.01, 4.0);
        let mut text = String::new();
        while !run.is_done() {
            run.advance().unwrap();
            if run.index() == 100 {
                text = serde_json::to_string(&run.checkpoint("")).unwrap();
            }
        }
        let mut again = simulate(world.as_ref(), method, 0.01, 4.0);
        again.restore(&serde_json::from_str::<Checkpoint>(&text).unwrap());
        while !again.is_done() {
            again.advance().unwrap();
        }
        assert_eq!(run.state(), again.state());
    }
    // a checkpoint from before joints had positions
    let old: stickslip::state::State =
        serde_json::from_str(r#"{"t":0.0,"q":[0.0,0.0,0.0],"u":[0.0,0.0,0.0]}"#).unwrap();
    assert!(old.positions.is_empty());
}

/// Two shafts with a gear between them; a motor of 3 N m on the second.
fn geared(dimension: usize, ratio: f64) -> Box<dyn System> {
    let gear = Coupling { name: "gear".to_owned(), joints: [0, 1], ratio, offset: 0.0 };
    let drive = |mut joint: Joint| {
        joint.motor = Some(Motor { goal: Goal::Speed(Arc::new(Constant(1e3))), bound: 3.0 });
        joint
    };
    if dimension == 2 {
        let bodies = vec![planar("a", 0.02), planar("b", 0.05)];
        let mut world = World::<Planar>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
        world.add_joint(joined("first", Kind::Revolute, 0, [0.0; 3])).unwrap();
        world.add_joint(drive(joined("second", Kind::Revolute, 1, [0.0; 3]))).unwrap();
        world.add_coupling(gear).unwrap();
        Box::new(world)
    } else {
        let bodies = vec![spatial("a", 0.02), spatial("b", 0.05)];
        let mut world = World::<Spatial>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
        world.add_joint(joined("first", Kind::Revolute, 0, ASLANT)).unwrap();
        world.add_joint(drive(joined("second", Kind::Revolute, 1, [0.0; 3]))).unwrap();
        world.add_coupling(gear).unwrap();
        Box::new(world)
    }
}

#[test]
fn gears_keep_step_for_a_hundred_turns_and_share_the_torque() {
    let ratio = -2.5;
    for dimension in [2, 3] {
        for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
            let world = geared(dimension, ratio);
            let mut run = simulate(world.as_ref(), method, 0.002, 6.0);
            let mut slip = 0.0f64;
            while !run.is_done() {
                assert!(run.advance().unwrap(), "{:?}", run.certificate());
                slip = slip.max((run.state().positions[0] - ratio * run.state().positions[1]).abs());
            }
            // both together: 0.05 + 2.5² 0.02 kg m²
            let acceleration = 3.0 / (0.05 + ratio * ratio * 0.02);
            let speed = run.state().u[if dimension == 2 { 5 } else { 11 }];
            let turns = run.state().positions[0] / TAU;
            println!(
                "{dimension}D {}: {turns} turns, out of step by {slip:e} rad, speed {speed}",
                method.name()
            );
            assert!(turns.abs() > 100.0 && slip < 1e-11, "{turns} {slip:e}");
            assert!((speed - 6.0 * acceleration).abs() < 1e-9 * speed, "{speed} {acceleration}");
        }
    }
}

#[test]
fn a_rack_moves_by_the_radius_times_the_angle_of_its_pinion() {
    let bodies = vec![planar("rack", 0.1), planar("pinion", 0.002)];
    let mut world = World::<Planar>::new([-9.81, 0.0, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
    world.add_joint(joined("rail", Kind::Prismatic, 0, [0.0; 3])).unwrap();
    world.add_joint(joined("shaft", Kind::Revolute, 1, [0.0; 3])).unwrap();
    let mesh = Coupling { name: "mesh".to_owned(), joints: [0, 1], ratio: 0.05, offset: 0.0 };
    world.add_coupling(mesh).unwrap();
    let mut run = simulate(&world, Method::StewartTrinkle, 0.01, 1.0);
    while !run.is_done() {
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
    }
    // the rack falls and turns the pinion: m + J / r² = 1.8 kg
    let state = run.state();
    assert!((state.u[0] + 9.81 / 1.8).abs() < 1e-9, "{state:?}");
    assert!((state.q[0] - 0.05 * state.positions[1]).abs() < 1e-12, "{state:?}");
    // the mesh pushes the rack with what it is short of its weight, and turns the pinion
    let reactions = world.reactions(run.last());
    assert!((reactions[0].force[0] - (9.81 - 9.81 / 1.8)).abs() < 1e-9, "{reactions:?}");
    assert!((reactions[1].torque[0] + 0.05 * (9.81 - 9.81 / 1.8)).abs() < 1e-9, "{reactions:?}");
}

/// A mass of 1 kg on an upright slider with a motor, at a speed (m/s).
fn lift(target: Goal, bound: f64, speed: f64) -> World<Planar> {
    let mut load = planar("load", 0.1);
    load.motion = Motion::Dynamic { mass: 1.0, inertia: 0.1, u: vec![0.0, speed, 0.0] };
    let mut world = World::<Planar>::new([0.0, -9.81, 0.0], vec![load], SurfaceLaws::new(1)).unwrap();
    let mut joint = joined("rail", Kind::Prismatic, 0, [0.0, 0.0, 0.25 * TAU]);
    joint.motor = Some(Motor { goal: target, bound });
    world.add_joint(joint).unwrap();
    world
}

#[test]
fn a_position_motor_is_where_it_should_be_when_its_force_allows() {
    let sine = Sine { offset: 0.0, amplitude: 0.3, rate: 4.0, phase: 0.0 };
    // 9.81 and at most 4.8 m/s²
    let world = lift(Goal::Position(Arc::new(sine)), 16.0, 1.2);
    for (method, allowed) in [(Method::StewartTrinkle, 1e-12), (Method::Moreau, 1e-3)] {
        let mut errors = Vec::new();
        for dt in [0.01, 0.005] {
            let mut run = simulate(&world, method, dt, 2.0);
            let mut worst = 0.0f64;
            while !run.is_done() {
                assert!(run.advance().unwrap(), "{:?}", run.certificate());
                let off = run.state().q[1] - 0.3 * (4.0 * run.state().t).sin();
                worst = worst.max(off.abs());
            }
            let ledger = *run.ledger();
            let change = ledger.kinetic + ledger.potential;
            println!(
                "{} dt {dt}: off by {worst:e} m, put in {} J, has {change} J",
                method.name(),
                ledger.work_in
            );
            assert!(ledger.dissipated_friction.abs() < 1e-12, "{ledger:?}");
            errors.push(worst);
        }
        assert!(errors[0] < allowed, "{}: {errors:?}", method.name());
        if method == Method::Moreau {
            assert!(errors[1] < 0.3 * errors[0], "second order: {errors:?}");
        }
    }
}

#[test]
fn a_position_motor_pulls_with_all_its_force_when_that_is_not_enough() {
    let world = lift(Goal::Position(Arc::new(Constant(0.0))), 5.0, 0.0);
    let refused = [Method::Event, Method::Gauss];
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity && !refused.contains(m)) {
        let mut run = simulate(&world, method, 0.01, 1.0);
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{:?}", run.certificate());
            assert!((run.state().u[1] + 4.81 * run.state().t).abs() < 1e-10, "{:?}", run.state());
        }
        assert!((run.ledger().work_in - 5.0 * run.state().q[1]).abs() < 0.13, "{:?}", run.ledger());
    }
    // and with enough it does not give way at all
    let world = lift(Goal::Position(Arc::new(Constant(0.0))), 9.9, 0.0);
    let mut run = simulate(&world, Method::StewartTrinkle, 0.01, 10.0);
    while !run.is_done() {
        run.advance().unwrap();
    }
    assert!(run.state().q[1].abs() < 1e-12, "{:?}", run.state());
}

#[test]
fn a_position_motor_in_space_goes_beyond_a_turn() {
    for (method, allowed) in [(Method::StewartTrinkle, 1e-10), (Method::Moreau, 1e-10)] {
        let mut world =
            World::<Spatial>::new([0.0; 3], vec![spatial("wheel", 0.1)], SurfaceLaws::new(1)).unwrap();
        let mut joint = joined("shaft", Kind::Revolute, 0, ASLANT);
        joint.motor =
            Some(Motor { goal: Goal::Position(Arc::new(Polynomial(vec![0.0, 7.0]))), bound: 100.0 });
        world.add_joint(joint).unwrap();
        let mut run = simulate(&world, method, 0.01, 3.0);
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{:?}", run.certificate());
        }
        let off = (run.state().positions[0] - 21.0).abs();
        println!("{}: off by {off:e} rad after 21 rad", method.name());
        assert!(off < allowed, "{}: {off:e}", method.name());
    }
}

#[test]
fn the_hoist_lifts_its_load_or_lets_it_down() {
    for (stepper, allowed) in [("stewart-trinkle", 1e-11), ("moreau", 1e-4)] {
        let stepper = format!("stepper={stepper}");
        let scene = common::scene("hoist", &[&stepper]);
        let mut worst = 0.0f64;
        let end = common::run(&scene, |run| {
            let s = (run.state().t / 4.0).min(1.0);
            worst = worst.max((run.state().positions[0] - 10.0 * TAU * (3.0 - 2.0 * s) * s * s).abs());
        });
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
        let x = &end.state().positions;
        println!("{stepper}: off its target by {worst:e} rad at most, at the end {x:?}");
        assert!(worst < allowed, "{worst:e}");
        // 10 turns / 5, 0.05 m radius; the pointer shows half of it and 0.1
        let lifted = 2.0 * TAU * 0.05;
        assert!((x[2] - lifted).abs() < allowed && (x[3] - 0.1 - 0.5 * lifted).abs() < allowed, "{x:?}");
    }
    // 0.196 N m are needed to hold the load: with 0.15 it sinks onto the limit
    let scene = common::scene("hoist", &["bound=0.15", "until=1"]);
    let end = common::run(&scene, |_| {});
    assert!((end.state().positions[0] + 0.1).abs() < 1e-9, "{:?}", end.state().positions);
}
