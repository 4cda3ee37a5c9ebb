//! Scenes with systems by formula, for the tests.
#![allow(dead_code)]

use stickslip_scene::{Overrides, Scene, parse};

pub fn scene(text: &str) -> Scene {
    parse("formula.toml", text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

pub const PENDULUM: &str = r#"[scene]
name = "pendulum"
description = "a point mass on a rod"
[parameters]
m = 2.0
l = 0.7
g = 9.81
[simulation]
stepper = "moreau"
solver = "nsgs"
step = 5e-4
until = 10.0
[system]
kinetic = "0.5*m*(l*phi_dot)^2"
potential = "-m*g*l*cos(phi)"
[[system.coordinate]]
name = "phi"
position = 2.0
velocity = 0.0
"#;

pub const DOUBLE_PENDULUM: &str = r#"[scene]
name = "double-pendulum"
description = "two point masses on two rods"
[parameters]
m1 = 1.0
m2 = 0.5
l1 = 0.6
l2 = 0.4
g = 9.81
[simulation]
stepper = "moreau"
solver = "nsgs"
step = 1e-3
until = 1.0
[system]
kinetic = """0.5*m1*(l1*A_dot)^2 + 0.5*m2*((l1*cos(A)*A_dot + l2*cos(B)*B_dot)^2
    + (l1*sin(A)*A_dot + l2*sin(B)*B_dot)^2)"""
potential = "-(m1 + m2)*g*l1*cos(A) - m2*g*l2*cos(B)"
[[system.coordinate]]
name = "A"
position = 0.9
velocity = 0
[[system.coordinate]]
name = "B"
position = 0.5
velocity = 0
"#;

pub const HOOP: &str = r#"[scene]
name = "hoop"
description = "a bead on a hoop that turns about its vertical diameter"
[parameters]
m = 0.3
R = 0.5
g = 9.81
omega = 6.0
[simulation]
stepper = "moreau"
solver = "nsgs"
step = 1e-3
until = 2.0
[system]
kinetic = "0.5*m*R^2*(theta_dot^2 + omega^2*sin(theta)^2)"
potential = "-m*g*R*cos(theta)"
[[system.coordinate]]
name = "theta"
position = "acos(g/(omega^2*R))"
velocity = 0
"#;

/// Mind the line numbers: what is broken in tests breaks this.
pub const SHAKEN: &str = r#"[scene]
name = "shaken"
description = "a block on a belt that shakes"
[parameters]
m = 2.0
g = 9.81
a = 0.005
w = "2*pi*5"
belt = 0.5
[simulation]
stepper = "stewart-trinkle"
solver = "nsgs"
step = 1e-3
until = 1.0
[tolerance]
penetration = 1e-4
[system]
kinetic = "0.5*m*(x_dot^2 + y_dot^2)"
potential = "m*g*y"
[[system.coordinate]]
name = "x"
position = 0
velocity = 0
[[system.coordinate]]
name = "y"
position = 0
velocity = "a*w"
[[system.contact]]
name = "floor"
gap = "y - a*sin(w*t)"
slip = "x_dot - belt"
friction = 0.25
"#;
