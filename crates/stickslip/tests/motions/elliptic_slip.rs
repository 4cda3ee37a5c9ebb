//! Friction that depends on the direction and on slip: an ellipse of slipping smaller than that of sticking, and one
//! that changes with the slip speed. With mu_1 and mu_2 along and across, the friction on a particle that slides at v
//! is
//!
//! f = −N s(|v|) (mu_1² v_1, mu_2² v_2) / |(mu_1 v_1, mu_2 v_2)|,  s(v) = (kinetic + slope v) / mu_1:
//!
//! of all forces within the ellipse of that size the one that dissipates most.

use crate::common;
use stickslip::step::Mode;
use stickslip_scene::{Scene, parse};

const G: f64 = 9.81;
const MU: [f64; 2] = [0.4, 0.16];

fn scene(stepper: &str, step: f64, until: f64, contact: &str, rest: &str) -> Scene {
    let text = format!(
        r#"
[scene]
name = "grain"
description = "a particle on a surface with a grain"
dimension = 3
[parameters]
slope = 0.0
[world]
gravity = ["9.81*sin(slope)", 0, "-9.81*cos(slope)"]
[simulation]
stepper = "{stepper}"
solver = "auto"
order = 8
absolute = 1e-12
relative = 1e-12
step = {step:?}
until = {until:?}
[[body]]
name = "floor"
fixed = true
shape.half_space = {{}}
material = "wood"
[[body]]
name = "p"
particle = true
mass = 0.7
shape.point = {{}}
material = "stone"
position = [0, 0, 0]
{rest}
[[contact]]
between = ["wood", "stone"]
friction = [0.4, 0.16]
along = [1, 0, 0]
{contact}
"#
    );
    parse("test", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The end of a run: position and velocity in the plane.
fn run(scene: &Scene) -> [f64; 4] {
    let end = common::run(scene, |_| {});
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    let s = end.state();
    [s.q[0], s.q[1], s.u[0], s.u[1]]
}

/// Along each axis the particle stops after v²/2a, or with a slope where the exponential solution ends.
#[test]
fn a_particle_along_either_axis_stops_at_the_analytic_distance() {
    let v: f64 = 1.3;
    for (axis, mu) in MU.into_iter().enumerate() {
        for b in [0.0, 0.2, -0.05] {
            // v' = −(k + c v), both shrunk across the grain as mu_2 / mu_1
            let (k, c) = (G * 0.3 * mu / MU[0], G * b * mu / MU[0]);
            let (time, distance) = if b == 0.0 {
                (v / k, 0.5 * v * v / k)
            } else {
                let time = (1.0 + c * v / k).ln() / c;
                (time, v / c - k / c * time)
            };
            let mut velocity = [0.0; 3];
            velocity[axis] = v;
            let rest = format!("velocity = {velocity:?}");
            let contact = format!("kinetic_friction = 0.3\nfriction_slope = {b:?}");
            let until = 1.1 * time;
            let exact = run(&scene("event", until / 4.0, until, &contact, &rest));
            println!("axis {axis}, slope {b}: {} m, exact {distance} m", exact[axis]);
            assert!((exact[axis] - distance).abs() < 1e-10 && exact[1 - axis].abs() < 1e-12, "{exact:?}");
            assert!(exact[2].abs() < 1e-12 && exact[3].abs() < 1e-12);
            let errors = [4e-3, 2e-3, 1e-3].map(|step| {
                (run(&scene("stewart-trinkle", step, until, &contact, &rest))[axis] - distance).abs()
            });
            println!("  stewart-trinkle: {errors:?}");
            assert!(errors.windows(2).all(|e| (1.7..2.3).contains(&(e[0] / e[1]))), "{errors:?}");
        }
    }
}

/// The motion by the classical Runge–Kutta rule, from the law as it stands above.
fn reference(v: [f64; 2], b: f64, until: f64) -> [f64; 4] {
    let rate = |x: [f64; 4]| {
        let v = [x[2], x[3]];
        let s = (0.3 + b * v[0].hypot(v[1])) / MU[0];
        let size = (MU[0] * v[0]).hypot(MU[1] * v[1]);
        [v[0], v[1], -G * s * MU[0] * MU[0] * v[0] / size, -G * s * MU[1] * MU[1] * v[1] / size]
    };
    let n = 20_000;
    let h = until / f64::from(n);
    let plus = |x: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    (0..n).fold([0.0, 0.0, v[0], v[1]], |x, _| {
        let k1 = rate(x);
        let k2 = rate(plus(x, k1, 0.5 * h));
        let k3 = rate(plus(x, k2, 0.5 * h));
        let k4 = rate(plus(x, k3, h));
        std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    })
}

#[test]
fn the_path_across_the_grain_bends_as_the_force_of_greatest_dissipation_bends_it() {
    let (v, until) = ([0.9, 0.8], 0.2);
    for b in [0.0, 0.15, -0.05] {
        let exact = reference(v, b, until);
        let contact = format!("kinetic_friction = 0.3\nfriction_slope = {b:?}");
        let rest = format!("velocity = [{:?}, {:?}, 0]", v[0], v[1]);
        let off = |x: [f64; 4]| (0..4).map(|i| (x[i] - exact[i]).abs()).fold(0.0, f64::max);
        let event = off(run(&scene("event", until, until, &contact, &rest)));
        println!(
            "slope {b}: event off by {event:e}, bent by {} rad",
            exact[3].atan2(exact[2]) - v[1].atan2(v[0])
        );
        assert!(event < 1e-9, "{event:e}");
        for stepper in ["stewart-trinkle", "implicit"] {
            let errors =
                [4e-3, 2e-3, 1e-3].map(|step| off(run(&scene(stepper, step, until, &contact, &rest))));
            println!("  {stepper}: {errors:?}");
            assert!(errors.windows(2).all(|e| (1.8..2.2).contains(&(e[0] / e[1]))), "{errors:?}");
        }
    }
}

/// On a ramp between the two limits what stands stays, and what slides goes on; in both directions.
#[test]
fn it_holds_by_the_ellipse_of_sticking_and_slides_by_that_of_slipping() {
    for stepper in ["stewart-trinkle", "event"] {
        for (along, mu) in [([1.0, 0.0], MU[0]), ([0.0, 1.0], MU[1])] {
            let kinetic = 0.5 * mu;
            let (hold, slide) = ((0.98 * mu).atan(), (1.02 * mu).atan());
            let ramp = |slope: f64, speed: f64| {
                let rest = format!("velocity = [{speed:?}, 0, 0]");
                let text = scene(stepper, 2e-3, 0.2, "kinetic_friction = 0.2", &rest);
                // gravity acts along x: the grain is turned instead
                let toml = text
                    .text
                    .replace("along = [1, 0, 0]", &format!("along = [{:?}, {:?}, 0]", along[0], along[1]));
                parse(
                    "test",
                    &toml.replace("slope = 0.0", &format!("slope = {slope:?}")),
                    &Default::default(),
                )
                .unwrap()
            };
            let mut modes = Vec::new();
            let scene = ramp(hold, 0.0);
            let end = common::run(&scene, |s| modes.push(s.last().outcomes[0].mode));
            assert!(modes.iter().all(|m| *m == Mode::Stick), "{stepper} {along:?}");
            assert!(end.state().q[0].abs() < 1e-12, "{:?}", end.state());
            // once it moves, the smaller ellipse cannot stop it
            let scene = ramp(hold, 0.01);
            let a = G * (hold.sin() - kinetic * hold.cos());
            let u = common::run(&scene, |_| {}).state().u[0];
            println!(
                "{stepper} {along:?}: holds at {hold:.3} rad; from 0.01 m/s to {u} m/s, exact {}",
                0.01 + 0.2 * a
            );
            assert!((u - 0.01 - 0.2 * a).abs() < 1e-10, "{u}");
            let u = common::run(&ramp(slide, 0.0), |_| {}).state().u[0];
            let exact = 0.2 * G * (slide.sin() - kinetic * slide.cos());
            assert!((u - exact).abs() < 1e-10, "{u} {exact}");
        }
    }
}
