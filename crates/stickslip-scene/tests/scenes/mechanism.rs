//! Couplings, start positions, shaken plates and frames as a scene file gives them.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stickslip::drawing::SpringKind;
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip::system::{Description, Law, Snapshot, System};
use stickslip_scene::{Overrides, Scene, parse};

const PLANE: &str = r#"
[scene]
name = "test"
description = "a test"
dimension = 2
[world]
gravity = [0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 1.0
"#;

fn read(head: &str, rest: &str) -> Scene {
    let text = format!("{head}{rest}");
    parse("test.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn simulate(scene: &Scene) -> Simulation<'_> {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !run.is_done() {
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
    }
    run
}

fn joint_positions(system: &dyn System, state: &State) -> Vec<Option<f64>> {
    let joint = |d| if let Description::Joint { position, .. } = d { Some(position) } else { None };
    system.describe(state).into_iter().filter_map(joint).collect()
}

#[test]
fn a_follower_keeps_its_multiple_and_offset_from_the_positions_stated() {
    let scene = read(
        PLANE,
        r#"
[[body]]
name = "finger"
mass = 1
inertia = 0.1
position = [0, 0]
[[body]]
name = "thumb"
mass = 1
inertia = 0.1
position = [1, 0]
[[joint]]
name = "thumb-rail"
kind = "prismatic"
between = ["world", "thumb"]
anchor = [1, 0]
axis = [0, 1]
position = 0.5                                  # = -2 * 7 + 14.5
mimic = { joint = "finger-hinge", multiplier = -2, offset = 14.5 }
[[joint]]
name = "finger-hinge"
kind = "revolute"
between = ["world", "finger"]
anchor = [0, 0]
position = 7                                    # more than a turn
motor = { position = "7 + 3*t^2", bound = 100 }
"#,
    );
    let start = joint_positions(scene.system.as_ref(), &scene.system.initial());
    assert_eq!(start.len(), 2);
    assert!((start[0].unwrap() - 0.5).abs() < 1e-15 && (start[1].unwrap() - 7.0).abs() < 1e-14, "{start:?}");
    let run = simulate(&scene);
    let end = joint_positions(scene.system.as_ref(), run.state());
    assert!((end[1].unwrap() - 10.0).abs() < 1e-12, "{end:?}");
    assert!((end[0].unwrap() - (-2.0 * 10.0 + 14.5)).abs() < 1e-12, "{end:?}");
}

#[test]
fn a_gear_meshes_as_it_stands() {
    let scene = read(
        PLANE,
        r#"
[[body]]
name = "wheel"
mass = 1
inertia = 0.02
position = [0, 0]
[[body]]
name = "pinion"
mass = 1
inertia = 0.01
position = [1, 0]
[[joint]]
name = "first"
kind = "revolute"
between = ["world", "wheel"]
anchor = [0, 0]
position = 0.3
[[joint]]
name = "second"
kind = "revolute"
between = ["world", "pinion"]
anchor = [1, 0]
motor = { speed = 40, bound = 0.6 }
[[gear]]
name = "mesh"
joints = ["first", "second"]
ratio = -0.25
"#,
    );
    let run = simulate(&scene);
    let end = joint_positions(scene.system.as_ref(), run.state());
    let (first, second) = (end[0].unwrap(), end[1].unwrap());
    println!("{first} {second}");
    assert!(second > 15.0 && (first - 0.3 + 0.25 * second).abs() < 1e-12, "{end:?}");
    // 0.6 N m on 0.01 + 0.25² 0.02 kg m²
    let alpha = 0.6 / (0.01 + 0.02 / 16.0);
    assert!((run.state().u[5] - 40.0f64.min(alpha)).abs() < 1e-9, "{:?} {alpha}", run.state());
}

/// A triangle at the same `position`, as a dynamic, a driven and a fixed body: the same corners touch the same ball.
#[test]
fn position_places_the_frame_a_shape_is_written_in_however_the_body_moves() {
    let gap = |how: &str| {
        let scene = read(
            PLANE,
            &format!(
                r#"
[[body]]
name = "wedge"
{how}
shape.polygon.vertices = [[0, 0], [2, 0], [0, 1]]
material = "wood"
[[body]]
name = "ball"
mass = 1
shape.disc.radius = 0.25
material = "wood"
position = [4, 2.7]
[[contact]]
between = ["wood", "wood"]
friction = 0
"#
            ),
        );
        let mut at = Snapshot::default();
        scene.system.constraints(&scene.system.initial(), 10.0, &mut at);
        let contact = at.constraints.iter().find(|c| matches!(c.law, Law::Contact { .. })).unwrap();
        (contact.gap[0], contact.point)
    };
    let (fixed, point) = gap("fixed = true\nposition = [3, 1]\nangle = 0.2");
    for how in ["mass = 1\nposition = [3, 1]\nangle = 0.2", "drive.position = [3, 1]\ndrive.angle = 0.2"] {
        let (other, at) = gap(how);
        assert!((other - fixed).abs() < 1e-14 && (at - point).norm() < 1e-14, "{how}: {other} {fixed}");
    }
}

#[test]
fn a_force_acts_at_the_point_that_was_written() {
    // at the right-angled corner of a triangle whose centre of mass is at (2/3, 1/3)
    let scene = read(
        PLANE,
        r#"
[[body]]
name = "wedge"
mass = 2
inertia = 0.5
shape.polygon.vertices = [[0, 0], [2, 0], [0, 1]]
material = "wood"
position = [3, 1]
[[force]]
kind = "wrench"
body = "wedge"
force = [0, 6]
point = [0, 0]
"#,
    );
    let mut at = Snapshot::default();
    scene.system.dynamics(&scene.system.initial(), &mut at);
    assert!((at.applied[2] + 6.0 * 2.0 / 3.0).abs() < 1e-14, "{:?}", at.applied);
}

/// A plate that is shaken along and about its axes, with a ball above it.
const SHAKEN: &str = r#"
[[body]]
name = "plate"
drive.position = [0, { shaker = { acceleration = 40, frequency = 100, phase = 0.4 } }, { shaker = { acceleration = 70, frequency = 100, phase = 0 } }]
drive.rotation.shaker = { acceleration = [100, 80, 50], frequency = 100, phase = [1.5, 3.1, 0.2] }
shape.box.size = [0.6, 0.6, 0.02]
material = "steel"
[[body]]
name = "ball"
mass = 0.01
shape.sphere.radius = 0.02
material = "steel"
position = [0.17, -0.11, 0.0305]
[[contact]]
between = ["steel", "steel"]
friction = 0.3
"#;

#[test]
fn a_shaken_plate_moves_its_contacts_with_the_derivative_of_its_motion() {
    let scene =
        read(&PLANE.replace("dimension = 2", "dimension = 3").replace("[0, -9.81]", "[0, 0, -9.81]"), SHAKEN);
    let system = scene.system.as_ref();
    let plate = |t: f64| {
        let state = State { t, ..system.initial() };
        let Some(Description::Body { position: p, orientation: r, .. }) =
            system.describe(&state).into_iter().next()
        else {
            panic!("a plate");
        };
        let r = UnitQuaternion::from_quaternion(Quaternion::new(r[0], r[1], r[2], r[3]));
        (Vector3::from_column_slice(&p), r)
    };
    let (mut at, mut worst, mut fastest) = (Snapshot::default(), 0.0f64, 0.0f64);
    for k in 0..200 {
        let t = 0.000317 * k as f64;
        system.constraints(&State { t, ..system.initial() }, 1.0, &mut at);
        let c = &at.constraints[0];
        // the point of the plate that the ball is over, carried along
        let (p, r) = plate(t);
        let on_plate = c.point - c.normal * 0.5 * c.gap[0];
        let local = r.inverse() * (on_plate - p);
        let place = |s: f64| {
            let (p, r) = plate(t + s);
            p + r * local
        };
        let h = 1e-5;
        let v = ((place(h) - place(-h)) * 8.0 - (place(2.0 * h) - place(-2.0 * h))) / (12.0 * h);
        let [t1, t2] = stickslip::body::spatial::tangents(&c.normal);
        for (row, d) in [c.normal, t1, t2].into_iter().enumerate() {
            worst = worst.max((c.drift[row] + d.dot(&v)).abs());
            fastest = fastest.max(c.drift[row].abs());
        }
    }
    println!("contact speeds up to {fastest} m/s, off by {worst:e} m/s");
    assert!(worst < 1e-9 && fastest > 0.05);
    // symmetric about zero: the middle of the extremes of each angle over a period
    let angles: Vec<Vector3<f64>> = (0..1000).map(|k| plate(1e-5 * k as f64).1.scaled_axis()).collect();
    for i in 0..3 {
        let (low, high) = angles.iter().fold((0.0f64, 0.0f64), |(l, h), a| (l.min(a[i]), h.max(a[i])));
        assert!((low + high).abs() < 1e-3 * high, "{i}: {low} {high}");
    }
}

/// A finger on a rail starts at rest and is led at 10 m/s, 0.1 m a step, towards a plate 10 mm thick that is 50 mm
/// away.
const FINGER: &str = r#"
[[body]]
name = "finger"
mass = 0.1
inertia = 1e-4
shape.box.size = [0.02, 0.02]
material = "steel"
position = [0, 0]
[[body]]
name = "plate"
fixed = true
shape.box.size = [0.01, 1.0]
material = "steel"
position = [0.065, 0]
[[joint]]
name = "rail"
kind = "prismatic"
between = ["world", "finger"]
anchor = [0, 0]
axis = [1, 0]
MOTOR
[[contact]]
between = ["steel", "steel"]
friction = 0.2
"#;

#[test]
fn what_a_motor_leads_at_a_thin_wall_does_not_pass_it() {
    for motor in ["motor = { speed = 10, bound = 1e4 }", "motor = { position = \"10*t\", bound = 1e4 }"] {
        let scene = read(PLANE, &FINGER.replace("MOTOR", motor));
        let run = simulate(&scene);
        let Description::Body { position, .. } = &scene.system.describe(run.state())[0] else { panic!() };
        println!("{motor}: {:?}", position);
        // its front is at the plate's: 0.06 − 0.01
        assert!((position[0] - 0.05).abs() < 1e-12, "{motor}: {position:?}");
        assert!(run.certificate().worst.penetration < 1e-8, "{:?}", run.certificate());
    }
}

#[test]
fn springs_are_drawn_where_they_are_attached() {
    let drawn = |name: &str| {
        let text = stickslip_scene::find(name).unwrap();
        stickslip_scene::parse(name, text, &Overrides::default()).unwrap().system.drawing().unwrap()
    };
    // between the lower end of rod A, 0.3 m from its middle, and the particle B
    let drawing = drawn("belt-spring-particle");
    let [spring] = &drawing.springs[..] else { panic!("{:?}", drawing.springs) };
    let names = spring.between.map(|b| drawing.figures[b.unwrap()].name.as_str());
    assert_eq!((names, spring.kind), (["A", "B"], SpringKind::Linear));
    let [a, b] = spring.anchors;
    assert!((a[0].hypot(a[1]) - 0.3).abs() < 1e-12 && b[0].hypot(b[1]) < 1e-12, "{a:?} {b:?}");
    // on a guide: from where it has no force, the origin
    let [spring] = &drawn("coulomb-oscillator").springs[..] else { panic!("one spring") };
    assert_eq!((spring.kind, spring.between), (SpringKind::Linear, [None, Some(0)]));
    assert!(spring.anchors.iter().flatten().all(|x| x.abs() < 1e-12), "{:?}", spring.anchors);
    let [spring] = &drawn("woodpecker").springs[..] else { panic!("one spring") };
    assert_eq!((spring.kind, spring.anchors[0][0]), (SpringKind::Torsion, 0.01));
    // a motor that follows a function of time is no spring
    assert!(drawn("hoist").springs.is_empty());
}
