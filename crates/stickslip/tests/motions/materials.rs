//! Friction that depends on direction and on slip, and the cones it is seen through.

use crate::common;
use stickslip::system::{Law, Snapshot};
use stickslip_scene::{Scene, parse};

const G: f64 = 9.81;

fn read(text: &str) -> Scene {
    parse("test", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The direction d = (cos phi, sin phi) in the frame of the grain, and the acceleration, of a particle that starts from
/// rest under gravity (g_1, g_2) along and across: g = a d + n E² d / |E d|. Bisection on phi after elimination of a.
fn drift(mu: [f64; 2], g: [f64; 2], n: f64) -> (f64, f64) {
    let size = |phi: f64| (mu[0] * phi.cos()).hypot(mu[1] * phi.sin());
    let rest = |phi: f64| [phi.cos(), phi.sin()].map(|d| n * d / size(phi));
    let lack = |phi: f64| {
        let f = rest(phi);
        (g[0] - mu[0].powi(2) * f[0]) * phi.sin() - (g[1] - mu[1].powi(2) * f[1]) * phi.cos()
    };
    let (mut low, mut high) = (0.0f64, std::f64::consts::FRAC_PI_2);
    assert!(lack(low) < 0.0 && lack(high) > 0.0);
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if lack(mid) < 0.0 { low = mid } else { high = mid }
    }
    let f = rest(low);
    (low, (g[0] - mu[0].powi(2) * f[0]) * low.cos() + (g[1] - mu[1].powi(2) * f[1]) * low.sin())
}

#[test]
fn a_particle_on_a_ramp_with_a_grain_drifts_by_the_exact_angle() {
    let slope = 0.6f64.atan();
    for grain in [0.3, 0.6, 1.2] {
        for (stepper, solver) in
            [("stewart-trinkle", "auto"), ("stewart-trinkle", "pgs"), ("moreau", "newton")]
        {
            // the line of fall in the frame of the grain is at −grain: mirrored
            let g = [G * slope.sin() * f64::cos(grain), G * slope.sin() * f64::sin(grain)];
            let (phi, a) = drift([0.2, 0.4], g, G * slope.cos());
            let exact = grain - phi;
            let changes =
                [format!("grain={grain}"), format!("stepper={stepper}"), format!("solver={solver}")];
            let mut changes: Vec<&str> = changes.iter().map(String::as_str).collect();
            changes.push("tolerance.penetration=1e-3");
            let scene = common::scene("wood-grain", &changes);
            let end = common::run(&scene, |_| {});
            assert_eq!(end.certificate().missed_steps, 0);
            let u = &end.state().u;
            let (angle, speed) = (u[1].atan2(u[0]), u[0].hypot(u[1]));
            println!(
                "grain {grain} {stepper} {solver}: {angle} rad, exact {exact}; speed {speed}, exact {}",
                a * 0.5
            );
            assert!((angle - exact).abs() < 1e-10, "{angle} {exact}");
            assert!((speed - a * 0.5).abs() < 1e-10, "{speed} {}", a * 0.5);
            assert!(exact > 0.05, "it drifts");
        }
    }
}

fn box_on_floor(contact: &str) -> String {
    format!(
        r#"
[scene]
name = "box"
description = "a box on a floor"
dimension = 3
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 0.3
[[body]]
name = "floor"
fixed = true
shape.half_space = {{}}
material = "stone"
[[body]]
name = "box"
mass = 1.0
shape.box.size = [0.4, 0.4, 0.1]
material = "wood"
position = [0, 0, 0.05]
rotation = {{ axis = [0, 0, 1], angle = 0.4 }}
velocity = [1.0, 0.5, 0]
[[contact]]
{contact}
"#
    )
}

#[test]
fn the_grain_turns_with_the_body_named_first() {
    for (contact, expected) in [
        ("between = [\"wood\", \"stone\"]\nfriction = [0.3, 0.1]\nalong = [1, 0, 0]", 0.4),
        ("between = [\"stone\", \"wood\"]\nfriction = [0.3, 0.1]\nalong = [1, 0, 0]", 0.0),
        (
            "between = [\"box\", \"stone\"]\nfriction = [0.3, 0.1]\nalong = [1, 1, 0]",
            0.4 + 0.25 * std::f64::consts::PI,
        ),
    ] {
        let scene = read(&box_on_floor(contact));
        let mut out = Snapshot::default();
        scene.system.constraints(&scene.system.initial(), 0.01, &mut out);
        assert_eq!(out.constraints.len(), 4);
        for c in &out.constraints {
            let Law::Contact { surface, .. } = c.law else { panic!() };
            let ellipse = surface.ellipse.unwrap();
            assert_eq!((surface.friction, ellipse.across), (0.3, 0.1));
            assert!((ellipse.angle - expected).abs() < 1e-12, "{contact}: {}", ellipse.angle);
        }
    }
    // where it stands on the surface every direction is across
    let scene =
        read(&box_on_floor("between = [\"wood\", \"stone\"]\nfriction = [0.3, 0.1]\nalong = [0, 0, 1]"));
    let mut out = Snapshot::default();
    scene.system.constraints(&scene.system.initial(), 0.01, &mut out);
    let Law::Contact { surface, .. } = out.constraints[0].law else { panic!() };
    assert_eq!((surface.friction, surface.ellipse), (0.1, None));
}

/// v' = −g (mu + b v) has v = (v0 + mu/b) exp(−b g t) − mu/b; the implicit step is v' = (v − dt g mu) / (1 + dt g b).
#[test]
fn friction_that_depends_on_the_slip_speed_gives_the_exponential_solution() {
    for (stepper, b) in
        [("stewart-trinkle", 0.4), ("stewart-trinkle", -0.1), ("implicit", 0.4), ("implicit", -0.1)]
    {
        let (mu, v0, until) = (0.2, 1.25f64.sqrt(), 0.3);
        let exact = (v0 + mu / b) * f64::exp(-b * G * until) - mu / b;
        let contact = format!("between = [\"wood\", \"stone\"]\nfriction = {mu}\nfriction_slope = {b}");
        let mut errors = Vec::new();
        for step in [0.02, 0.01, 0.005] {
            let text = box_on_floor(&contact).replace("stewart-trinkle", stepper);
            let scene = read(&text.replace("step = 0.01", &format!("step = {step}")));
            let (mut discrete, mut off) = (v0, 0.0f64);
            let end = common::run(&scene, |s| {
                discrete = (discrete - step * G * mu) / (1.0 + step * G * b);
                off = off.max((s.state().u[0].hypot(s.state().u[1]) - discrete).abs());
            });
            assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
            let error = (end.state().u[0].hypot(end.state().u[1]) - exact).abs();
            println!("{stepper} b {b} step {step}: off the implicit step by {off:e}, error {error:e}");
            assert!(off < 1e-11, "{off:e}");
            errors.push(error);
        }
        for pair in errors.windows(2) {
            assert!((1.85..2.15).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
    }
}

/// The exact position of the block of `stick-slip`.
fn pulled(t: f64) -> f64 {
    let (k, pull, mu_s, mu_k) = (100.0, 0.1, 0.5, 0.3);
    let w = f64::sqrt(k);
    let z0 = (mu_s - mu_k) * G / k;
    let leap = (2.0 * std::f64::consts::PI - 2.0 * (z0 * w / pull).atan()) / w;
    let period = leap + 2.0 * z0 / pull;
    let first = mu_s * G / (k * pull);
    if t < first {
        return 0.0;
    }
    let n = ((t - first) / period).floor();
    let s = (t - first - n * period).min(leap);
    // x = pull t − y, z = y − mu_k g / k = z0 cos w s + pull / w sin w s
    let moved = pull * s + z0 - z0 * (w * s).cos() - pull / w * (w * s).sin();
    n * pull * period + moved
}

/// The worst error until a time when the block starts at `x0`, which delays everything by `x0 / pull`.
fn stick_slip_error(stepper: &str, step: f64, x0: f64, until: f64) -> f64 {
    let keys = [
        format!("stepper={stepper}"),
        format!("step={step}"),
        format!("until={until}"),
        format!("system.coordinate.x.position={x0:?}"),
    ];
    let scene = common::scene("stick-slip", &keys.each_ref().map(String::as_str));
    let (mut worst, mut stuck, mut slipped) = (0.0f64, 0, 0);
    let end = common::run(&scene, |s| {
        worst = worst.max((s.state().q[0] - x0 - pulled(s.state().t - x0 / 0.1)).abs());
        match s.last().outcomes[0].mode {
            stickslip::step::Mode::Stick => stuck += 1,
            _ => slipped += 1,
        }
    });
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    assert!(stuck > 0 && slipped > 0);
    worst
}

/// A leap begins at the end of a step: by how much too late depends on where in the step it should have begun. The mean
/// over starts spread over a step is of first order for one leap. Over several leaps the delays add up or cancel as the
/// period and the step happen to fit, up to one step a leap at the largest speed.
#[test]
fn a_block_pulled_by_a_spring_sticks_and_slips_as_the_exact_solution() {
    let fastest = 0.1 + 0.1f64.hypot(0.2 * G / 10.0);
    for stepper in ["stewart-trinkle", "implicit"] {
        let mut means = Vec::new();
        for step in [2e-3, 1e-3, 5e-4, 2.5e-4] {
            let starts = (0..8).map(|j| 0.1 * step * j as f64 / 8.0);
            let mean = starts.map(|x0| stick_slip_error(stepper, step, x0, 1.2)).sum::<f64>() / 8.0;
            let (long, bound) = (stick_slip_error(stepper, step, 0.0, 4.0), 4.0 * step * fastest);
            println!("{stepper} {step}: one leap {mean:e} m in the mean; four {long:e} m, bound {bound:e} m");
            // forces at the end of the step damp the spring: a leap then falls short by the order of a step as well
            assert!(long < bound || stepper == "implicit");
            means.push(mean);
        }
        for pair in means.windows(2) {
            println!("ratio {:.3}", pair[0] / pair[1]);
            assert!((1.6..2.5).contains(&(pair[0] / pair[1])), "{stepper} {means:?}");
        }
    }
}

/// A particle that slides in a direction between the tangents: each tangent on its own loses mu g, so that friction
/// against the diagonal is sqrt(2) mu; under the round cone it is mu in every direction.
#[test]
fn the_box_bounds_each_tangent_on_its_own() {
    let text = |cone: &str, v: [f64; 2]| {
        box_on_floor("between = [\"wood\", \"stone\"]\nfriction = 0.3")
            .replace("solver = \"auto\"", &format!("solver = \"auto\"\ncone = \"{cone}\""))
            .replace("velocity = [1.0, 0.5, 0]", &format!("velocity = [{:?}, {:?}, 0]", v[0], v[1]))
            .replace("rotation = { axis = [0, 0, 1], angle = 0.4 }", "")
    };
    let loss = 0.3 * G * 0.1;
    for (cone, v, expected) in [
        ("box", [1.0, 1.0], [1.0 - loss, 1.0 - loss]),
        ("box", [1.0, 0.1], [1.0 - loss, 0.0]),
        ("polygon:4", [1.0, 0.1], [1.0 - loss, 0.1]),
        ("exact", [1.0, 1.0], [1.0 - loss / 2f64.sqrt(), 1.0 - loss / 2f64.sqrt()]),
        ("ellipsoid", [1.0, 1.0], [1.0 - loss / 2f64.sqrt(), 1.0 - loss / 2f64.sqrt()]),
    ] {
        let scene = read(&text(cone, v).replace("until = 0.3", "until = 0.1"));
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0, "{cone}");
        let u = &end.state().u;
        println!("{cone} {v:?}: {:?}, expected {expected:?}", &u[..2]);
        assert!((u[0] - expected[0]).abs() < 1e-9 && (u[1] - expected[1]).abs() < 1e-9, "{cone} {u:?}");
    }
}

/// A ball that strikes a floor too rough to slip on: Moreau's law turns the slip around, gamma_t' = −e_t gamma_t,
/// through the tangential inertia 7 / (2 m) of a sphere.
#[test]
fn tangential_restitution_turns_the_slip_around() {
    let (m, r, e_n, e_t, v) = (0.3, 0.1, 0.8, 0.5, [1.0, -2.0]);
    let text = format!(
        r#"
[scene]
name = "superball"
description = "a ball strikes a rough floor"
dimension = 3
[world]
gravity = [0, 0, 0]
[simulation]
stepper = "moreau"
solver = "auto"
step = 1e-3
until = 1e-3
[tolerance]
penetration = 1e-2
[[body]]
name = "floor"
fixed = true
shape.half_space = {{}}
material = "a"
[[body]]
name = "ball"
mass = {m}
shape.sphere.radius = {r}
material = "b"
position = [0, 0, {r}]
velocity = [{:?}, 0, {:?}]
[[contact]]
between = ["a", "b"]
friction = 5
restitution = {e_n}
tangential_restitution = {e_t}
"#,
        v[0], v[1]
    );
    let scene = read(&text);
    let end = common::run(&scene, |_| {});
    assert_eq!(end.certificate().missed_steps, 0);
    let u = &end.state().u;
    let speed = v[0] - (1.0 + e_t) * v[0] * 2.0 / 7.0;
    let spin = (speed + e_t * v[0]) / r;
    println!("velocity {:?}, spin {}; exact {speed}, {}, {spin}", &u[..3], u[4], -e_n * v[1]);
    assert!((u[0] - speed).abs() < 1e-12 && (u[2] + e_n * v[1]).abs() < 1e-12 && (u[4] - spin).abs() < 1e-11);
}

/// The mode that kinetic friction starts from is part of a checkpoint.
#[test]
fn stick_slip_goes_on_from_a_checkpoint_to_the_last_bit() {
    let scene = common::scene("stick-slip", &["until=1.0", "step=2e-3"]);
    // while it sticks, while it leaps
    for stop in [200, 260, 300] {
        let whole = common::run(&scene, |_| {});
        let mut first = common::simulation(&scene);
        for _ in 0..stop {
            first.advance().unwrap();
        }
        let checkpoint = first.checkpoint("");
        let text = serde_json::to_string(&checkpoint).unwrap();
        let mut second = common::simulation(&scene);
        second.restore(&serde_json::from_str(&text).unwrap());
        while !second.is_done() {
            second.advance().unwrap();
        }
        assert_eq!(second.state(), whole.state(), "{stop}");
    }
}
