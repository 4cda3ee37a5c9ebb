//! Anitescu and Potra's stepper: a bead that slides down a bowl with friction, against the differential equation of its
//! angle.

use crate::common;
use stickslip_scene::parse;

const G: f64 = 9.81;
const MU: f64 = 0.2;

/// The angle from the vertical of a bead in a bowl of radius 1 that starts at rest at −1 rad:
/// theta'' = −g sin theta − mu (g cos theta + theta'²) while it slides forward; classical Runge–Kutta.
fn exact(until: f64) -> [f64; 2] {
    let rate = |x: [f64; 2]| [x[1], -G * x[0].sin() - MU * (G * x[0].cos() + x[1] * x[1])];
    let (mut x, n) = ([-1.0, 0.0], 20_000);
    let h = until / n as f64;
    for _ in 0..n {
        let at = |k: [f64; 2], s: f64| [x[0] + s * h * k[0], x[1] + s * h * k[1]];
        let k1 = rate(x);
        let k2 = rate(at(k1, 0.5));
        let k3 = rate(at(k2, 0.5));
        let k4 = rate(at(k3, 1.0));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    x
}

/// Error of the angle, and the deepest overlap.
fn bowl(step: f64, stabilisation: f64, until: f64) -> (f64, f64) {
    let text = format!(
        r#"
[scene]
name = "bowl"
description = "a bead in a bowl"
[simulation]
stepper = "anitescu-potra"
stabilisation = {stabilisation}
solver = "auto"
step = {step}
until = {until}
[tolerance]
penetration = 1e-1
[system]
kinetic = "0.5*(x_dot^2 + y_dot^2)"
potential = "9.81*y"
[[system.coordinate]]
name = "x"
position = "-sin(1)"
velocity = 0
[[system.coordinate]]
name = "y"
position = "-cos(1)"
velocity = 0
[[system.contact]]
name = "wall"
gap = "1 - sqrt(x^2 + y^2)"
slip = "(x*y_dot - y*x_dot)/sqrt(x^2 + y^2)"
friction = {MU}
"#
    );
    let scene = parse("bowl", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let end = common::run(&scene, |_| {});
    let worst = end.certificate();
    assert_eq!(worst.missed_steps, 0, "{worst:?}");
    let q = &end.state().q;
    ((q[0].atan2(-q[1]) - exact(until)[0]).abs(), worst.worst.penetration)
}

#[test]
fn it_is_of_first_order_and_its_overlap_as_documented() {
    for (stabilisation, depth_ratio) in [(0.0, 2.0), (0.2, 4.0), (1.0, 4.0)] {
        let runs: Vec<(f64, f64)> = [4e-3, 2e-3, 1e-3, 5e-4].map(|h| bowl(h, stabilisation, 0.5)).to_vec();
        for pair in runs.windows(2) {
            let (order, depth) = (pair[0].0 / pair[1].0, pair[0].1 / pair[1].1);
            println!(
                "stabilisation {stabilisation}: error {:e}, overlap {:e} m, ratios {order:.3} {depth:.3}",
                pair[1].0, pair[1].1
            );
            assert!((1.8..2.2).contains(&order), "{stabilisation}: {runs:?}");
            assert!((depth / depth_ratio - 1.0).abs() < 0.15, "{stabilisation}: {runs:?}");
        }
    }
}

#[test]
fn velocities_of_a_sphere_that_slides_and_rolls_are_exact() {
    for (cone, solver) in
        [("exact", "auto"), ("polygon:4", "lemke"), ("box", "nsgs"), ("ellipsoid", "newton")]
    {
        let changes = [format!("cone={cone}"), format!("solver={solver}")];
        let mut changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        changes.extend(["stepper=anitescu-potra", "step=0.01", "tolerance.penetration=1e-2"]);
        let scene = common::scene("slide-to-roll", &changes);
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0, "{changes:?}");
        let u = &end.state().u;
        assert!((u[0] - 10.0 / 7.0).abs() < 1e-9 && (u[4] - 10.0 / 7.0).abs() < 1e-9, "{changes:?} {u:?}");
    }
}
