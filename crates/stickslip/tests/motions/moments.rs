//! Friction moments: torsional friction stops a spin, rolling friction a roll, when the closed forms say; sliding and
//! spinning together under one limit surface follow its differential equation.

use crate::common;

const G: f64 = 9.81;
const RADIUS: f64 = 0.05;

/// Every step certified, whatever the cone and solver: runs a scene and gives the largest error of `exact`.
fn worst(name: &str, changes: &[&str], exact: impl Fn(f64) -> [f64; 6]) -> f64 {
    let scene = common::scene(name, changes);
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let expected = exact(s.state().t);
        for i in 0..6 {
            worst = worst.max((s.state().u[i] - expected[i]).abs());
        }
    });
    assert_eq!(end.certificate().missed_steps, 0, "{changes:?}: {:?}", end.certificate().worst_step);
    let ledger = end.ledger();
    assert!(ledger.imbalance.abs() < 1e-14, "{ledger:?}");
    worst
}

/// Cones and solvers that are exact for motion along the first tangent.
const CHOICES: [(&str, &str); 7] = [
    ("exact", "auto"),
    ("exact", "newton"),
    ("exact", "nsgs"),
    ("exact", "pgs"),
    ("ellipsoid", "auto"),
    ("polygon:8", "lemke"),
    ("box", "auto"),
];

#[test]
fn a_spinning_sphere_stops_at_the_analytic_time() {
    let (spin, torsional) = (20.0, 0.002);
    // I w' = −torsional m g,  I = 2/5 m r²
    let rate = 2.5 * torsional * G / (RADIUS * RADIUS);
    for (cone, solver) in CHOICES {
        for step in ["0.01", "0.003"] {
            let changes = [format!("cone={cone}"), format!("solver={solver}"), format!("step={step}")];
            let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
            // linear until it stops: the step in which it stops is exact at its end
            let error =
                worst("spinning-sphere", &changes, |t| [0.0, 0.0, 0.0, 0.0, 0.0, (spin - rate * t).max(0.0)]);
            println!("{cone} {solver} step {step}: stop at {:.6} s, error {error:e} rad/s", spin / rate);
            assert!(error < 1e-9 * spin, "{cone} {solver} {step}: {error:e}");
        }
    }
}

#[test]
fn a_rolling_sphere_stops_at_the_analytic_time_and_place() {
    let (speed, rolling) = (1.0, 0.005);
    // m v' = f, I w' = −rolling m g − r f, v = r w
    let rate = 5.0 / 7.0 * rolling * G / RADIUS;
    for stepper in ["stewart-trinkle", "moreau"] {
        for (cone, solver) in CHOICES {
            let changes = [format!("cone={cone}"), format!("solver={solver}"), format!("stepper={stepper}")];
            let mut changes: Vec<&str> = changes.iter().map(String::as_str).collect();
            changes.push("tolerance.penetration=1e-3");
            let error = worst("rolling-sphere", &changes, |t| {
                let v = (speed - rate * t).max(0.0);
                [v, 0.0, 0.0, 0.0, v / RADIUS, 0.0]
            });
            println!("{stepper} {cone} {solver}: stop at {:.6} s, error {error:e}", speed / rate);
            assert!(error < 1e-8, "{stepper} {cone} {solver}: {error:e}");
        }
    }
    let distance = speed * speed / (2.0 * rate);
    for step in [0.01, 0.005, 0.0025] {
        let scene = common::scene("rolling-sphere", &[&format!("step={step}")]);
        let end = common::run(&scene, |_| {});
        let error = end.state().q[0] - distance;
        println!("step {step}: distance {} of {distance}, error {error:e} m", end.state().q[0]);
        // positions are those of the velocity at the end of each step
        assert!(error.abs() <= speed * step, "{error:e}");
    }
}

/// A planar disc with rolling friction: m v' = f, I w' = rolling m g − r f about the axis it rolls on, I = m r²/2.
#[test]
fn a_rolling_disc_in_the_plane_stops_at_the_analytic_time() {
    let text = r#"
[scene]
name = "rolling-disc-in-the-plane"
description = "rolling friction in the plane"
dimension = 2
[world]
gravity = [0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "lemke"
step = 0.01
until = 2.0
[[body]]
name = "floor"
fixed = true
shape.half_plane = {}
material = "a"
[[body]]
name = "disc"
mass = 0.3
shape.disc.radius = 0.05
material = "b"
position = [0, 0.05]
velocity = [1, 0]
angular_velocity = -20
[[contact]]
between = ["a", "b"]
friction = 0.4
rolling_friction = 0.004
"#;
    let scene = stickslip_scene::parse("plane", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let rate = 2.0 / 3.0 * 0.004 * G / 0.05;
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let v = (1.0 - rate * s.state().t).max(0.0);
        worst = worst.max((s.state().u[0] - v).abs()).max((s.state().u[2] + v / 0.05).abs());
    });
    println!("stop at {:.4} s, error {worst:e}", 1.0 / rate);
    assert_eq!(end.certificate().missed_steps, 0);
    assert!(worst < 1e-9, "{worst:e}");
}

/// Velocity and spin of a sliding, spinning sphere under one limit surface, by the classical Runge–Kutta method:
/// f = −mu N s/sigma, moment −mu N e² w_z/sigma, sigma = |(s, e w_z)|, e = torsional/mu, s the slip.
fn limit_surface(mu: f64, torsional: f64, mut u: [f64; 6], until: f64) -> [f64; 6] {
    let e = torsional / mu;
    let rate = |u: &[f64; 6]| {
        let slip = [u[0] - RADIUS * u[4], u[1] + RADIUS * u[3]];
        let sigma = (slip[0] * slip[0] + slip[1] * slip[1] + (e * u[5]).powi(2)).sqrt();
        let f = slip.map(|s| -mu * G * s / sigma);
        let inertia = 0.4 * RADIUS * RADIUS;
        let moment = -mu * G * e * e * u[5] / sigma;
        [f[0], f[1], 0.0, RADIUS * f[1] / inertia, -RADIUS * f[0] / inertia, moment / inertia]
    };
    let n = 20_000;
    let h = until / n as f64;
    for _ in 0..n {
        let at = |k: &[f64; 6], s: f64| -> [f64; 6] { std::array::from_fn(|i| u[i] + s * h * k[i]) };
        let k1 = rate(&u);
        let k2 = rate(&at(&k1, 0.5));
        let k3 = rate(&at(&k2, 0.5));
        let k4 = rate(&at(&k3, 1.0));
        u = std::array::from_fn(|i| u[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    u
}

#[test]
fn sliding_and_spinning_follow_the_limit_surface() {
    let (mu, torsional, until) = (0.3, 0.006, 0.06);
    let exact = limit_surface(mu, torsional, [0.8, 0.0, 0.0, 0.0, 0.0, 40.0], until);
    let mut errors = Vec::new();
    for step in [4e-3, 2e-3, 1e-3, 5e-4] {
        let (step, until) = (format!("step={step}"), format!("until={until}"));
        let changes = ["cone=ellipsoid", "speed=0.8", "spin=40", "torsional=0.006", &step, &until];
        let scene = common::scene("spinning-sphere", &changes);
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0);
        let error = (0..6).fold(0.0f64, |m, i| m.max((end.state().u[i] - exact[i]).abs()));
        println!("{step}: u {:?}, error {error:e}", end.state().u);
        errors.push(error);
    }
    // spinning made sliding easier: with the separate limits of the exact cone the sphere would be slower by now
    let alone = 0.8 - mu * G * until;
    assert!(exact[0] > alone + 0.01, "{exact:?} {alone}");
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        println!("ratio {ratio:.3}");
        assert!((1.7..2.4).contains(&ratio), "{errors:?}");
    }
}

/// A sphere at rest at the centre of a turntable is spun up by torsional friction, w = 2.5 torsional g t / r², until it
/// turns with the table: a surface that moves on a fixed body, or a driven body, whose drive holds against the moment.
#[test]
fn a_turntable_spins_a_sphere_up() {
    let scene = include_str!("../../../../scenes/spinning-sphere.toml");
    let rate = 2.5 * 0.002 * G / (RADIUS * RADIUS);
    let belt = "fixed = true\nsurface_velocity.spin = [0, 0, 5]";
    let driven = "drive.position = [0, 0, 0]\ndrive.axis = [0, 0, 1]\ndrive.angle = \"5*t\"";
    for (table, stepper) in
        [(belt, "stewart-trinkle"), (driven, "stewart-trinkle"), (belt, "moreau"), (driven, "anitescu-potra")]
    {
        let text = scene
            .replace("fixed = true", table)
            .replace("spin = 20.0", "spin = 0.0")
            .replace("stewart-trinkle", stepper)
            .replace("[[contact]]", "[tolerance]\npenetration = 1e-2\n[[contact]]");
        let scene =
            stickslip_scene::parse("turntable", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut worst = 0.0f64;
        let end = common::run(&scene, |s| {
            let expected = (rate * s.state().t).min(5.0);
            worst = worst.max((s.state().u[5] - expected).abs());
            for r in s.system().reactions(s.last()).iter().filter(|_| s.state().t < 0.2) {
                assert!((r.torque[2] - 0.002 * 0.2 * G).abs() < 1e-12, "{r:?}");
            }
        });
        println!("{stepper}: error {worst:e} rad/s, work put in {:e} J", end.ledger().work_in);
        assert_eq!(end.certificate().missed_steps, 0);
        assert!(worst < 1e-9, "{worst:e}");
        // the table does moment times angle: half becomes motion, half heat
        let (kinetic, heat) = (end.ledger().kinetic, end.ledger().dissipated_friction);
        assert!((end.ledger().work_in - kinetic - heat).abs() < 1e-12 && (heat / kinetic - 1.0).abs() < 0.1);
    }
}

/// Four corners under every law at a time, sliding and turning to rest: certified throughout, and at rest in the end.
#[test]
fn a_box_under_all_laws_at_a_time_comes_to_rest() {
    let text = r#"
[scene]
name = "box"
description = "a box that slides and turns"
dimension = 3
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.005
until = 1.0
[[body]]
name = "floor"
fixed = true
shape.half_space = {}
material = "a"
[[body]]
name = "box"
mass = 1.0
shape.box.size = [0.3, 0.2, 0.1]
material = "b"
position = [0, 0, 0.05]
velocity = [1.0, 0.3, 0]
angular_velocity = [0, 0, 6]
[[contact]]
between = ["a", "b"]
friction = 0.4
kinetic_friction = 0.3
friction_slope = 0.05
torsional_friction = 0.01
rolling_friction = 0.005
"#;
    for cone in ["exact", "ellipsoid", "box", "polygon:6"] {
        let text = text.replace("solver", &format!("cone = \"{cone}\"\nsolver"));
        let scene =
            stickslip_scene::parse("box", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let end = common::run(&scene, |_| {});
        let run = end.certificate();
        println!("{cone}: {:?}, heat {}", run.worst, end.ledger().dissipated_friction);
        assert_eq!(run.missed_steps, 0, "{cone} {run:?}");
        assert!(end.state().u.iter().all(|u| u.abs() < 1e-9), "{cone} {:?}", end.state().u);
        let energy = 0.5 * (1.0 + 0.09) + 0.5 * (0.09 + 0.04) / 12.0 * 36.0;
        assert!((end.ledger().dissipated_friction - energy).abs() < 1e-9, "{cone}");
    }
}
