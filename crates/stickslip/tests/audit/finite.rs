//! What is not a number ends a run, by its name.

use crate::common::simulation;
use crate::parse;

/// A block on a floor, of which `drive` says how it moves.
fn floor(drive: &str) -> String {
    format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "moreau", solver = "auto", step = 0.01, until = 0.2 }}
tolerance = {{ penetration = 1e-2 }}
[[body]]
name = "floor"
{drive}
shape.half_plane = {{}}
material = "m"
[[body]]
name = "b"
mass = 1.0
shape.box.size = [0.2, 0.1]
material = "m"
position = [0, 0.05]
[[contact]]
between = ["m", "m"]
friction = 0.5
"#
    )
}

/// A motor whose speed is given up to t = 0.055 s; so are the other functions of time here.
const MOTOR: &str = r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 0.2 }
[[body]]
name = "b"
mass = 1.0
inertia = 1.0
position = [0, 0]
[[joint]]
name = "axle"
kind = "revolute"
between = ["world", "b"]
anchor = [0, 0]
motor = { speed = "log(0.055 - t)", bound = 1.0 }
"#;

const GAP: &str = r#"
scene = { name = "own", description = "own" }
simulation = { stepper = "moreau", solver = "auto", step = 0.01, until = 0.2 }
[system]
kinetic = "0.5*x_dot^2"
potential = "9.81*x"
coordinate = [{ name = "x", position = 1, velocity = 0 }]
contact = [{ name = "ground", gap = "x + sqrt(0.055 - t)", slip = "x_dot", friction = 0 }]
"#;

const FORCE: &str = r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 0.2 }
[[body]]
name = "b"
mass = 1.0
inertia = 1.0
position = [0, 0]
[[force]]
kind = "wrench"
body = "b"
force = ["sqrt(0.055 - t)", 0]
"#;

/// Whatever a scene gives that is not a number stops the run, by its name.
#[test]
fn what_is_not_a_number_is_named() {
    let runs = [
        (floor(r#"drive = { position = ["sqrt(0.055 - t)", 0] }"#), "the drive of body \"floor\""),
        (
            floor(
                r#"fixed = true
position = [0, 0]
surface_velocity = { velocity = ["sqrt(0.055 - t)", 0] }"#,
            ),
            "the surface velocity of body \"floor\"",
        ),
        (MOTOR.to_owned(), "the speed of the motor of joint \"axle\""),
        (GAP.to_owned(), "the gap of ground"),
        (FORCE.to_owned(), "the force on b.vx"),
    ];
    for (text, name) in runs {
        let scene = parse(&text);
        let mut simulation = simulation(&scene);
        let stopped = loop {
            match simulation.advance() {
                Ok(_) if simulation.is_done() => panic!("{name}: the run did not stop"),
                Ok(_) => {}
                Err(e) => break e.to_string(),
            }
        };
        assert!(stopped.starts_with(name) && stopped.contains("not a number at t = 0.06"), "{stopped}");
    }
}
