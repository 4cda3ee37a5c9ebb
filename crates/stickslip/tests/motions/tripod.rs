//! Planar bodies that lie on three supports [Berard 2009, §3.3], against references of their own.

use crate::common;
use crate::common::{run, scene};

const POINTS: [[f64; 2]; 3] = [[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]];
const MU: f64 = 0.3;
const G: f64 = 9.81;
const INERTIA: f64 = (0.3 * 0.3 + 0.2 * 0.2) / 12.0;

/// Loads of the supports with the centre of mass over `centre`, by Cramer's rule on areas of triangles.
fn loads(points: [[f64; 2]; 3], centre: [f64; 2]) -> [f64; 3] {
    let area =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let [p, q, r] = points;
    let whole = area(p, q, r);
    [area(centre, q, r), area(p, centre, r), area(p, q, centre)].map(|a| G * a / whole)
}

fn turned(p: [f64; 2], angle: f64) -> [f64; 2] {
    let (s, c) = angle.sin_cos();
    [c * p[0] - s * p[1], s * p[0] + c * p[1]]
}

/// Rates of (x, y, angle, vx, vy, omega) while all supports slide; mass 1.
fn rates(y: [f64; 6], height: f64) -> [f64; 6] {
    let arms = POINTS.map(|p| turned(p, y[2]));
    let slips = arms.map(|r| {
        let v = [y[3] - r[1] * y[5], y[4] + r[0] * y[5]];
        v.map(|x| x / v[0].hypot(v[1]))
    });
    // loads balance about points shifted against slip by the lever of friction
    let lever = height * MU;
    let n =
        loads(std::array::from_fn(|i| std::array::from_fn(|k| arms[i][k] - lever * slips[i][k])), [0.0; 2]);
    let mut out = [y[3], y[4], y[5], 0.0, 0.0, 0.0];
    for i in 0..3 {
        let f = slips[i].map(|s| -MU * n[i] * s);
        out[3] += f[0];
        out[4] += f[1];
        out[5] += (arms[i][0] * f[1] - arms[i][1] * f[0]) / INERTIA;
    }
    out
}

/// The classical Runge–Kutta method with a small step.
fn integrate(mut y: [f64; 6], until: f64, height: f64) -> [f64; 6] {
    let n = 4000;
    let h = until / n as f64;
    let shifted = |y: [f64; 6], k: [f64; 6], s: f64| std::array::from_fn(|i| y[i] + s * k[i]);
    for _ in 0..n {
        let k1 = rates(y, height);
        let k2 = rates(shifted(y, k1, 0.5 * h), height);
        let k3 = rates(shifted(y, k2, 0.5 * h), height);
        let k4 = rates(shifted(y, k3, h), height);
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

#[test]
fn a_sliding_and_spinning_plate_converges_to_the_exact_motion() {
    for (height, until) in [(0.0, 0.25), (0.04, 0.25)] {
        let exact = integrate([0.0, 0.0, 0.0, 1.0, 0.5, 8.0], until, height);
        for stepper in ["stewart-trinkle", "moreau", "anitescu-potra"] {
            let mut errors = Vec::new();
            for step in [5e-3, 2.5e-3, 1.25e-3, 6.25e-4] {
                let changes = [
                    format!("stepper={stepper}"),
                    format!("step={step}"),
                    format!("until={until}"),
                    format!("height={height}"),
                ];
                let scene = scene("tripod-slider", &changes.each_ref().map(String::as_str));
                let done = run(&scene, |_| {});
                assert_eq!(done.certificate().missed_steps, 0);
                let state = done.state();
                let error =
                    (0..3).map(|i| (state.q[i] - exact[i]).abs().max((state.u[i] - exact[3 + i]).abs()));
                errors.push(error.fold(0.0, f64::max));
            }
            let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
            println!("height {height}, {stepper}: errors {errors:?}, orders {orders:.3?}");
            assert!(orders.iter().all(|o| *o > 0.9), "{orders:?}");
            assert!(errors[3] < 0.03);
        }
    }
}

#[test]
fn sliding_and_spinning_end_together_and_friction_has_taken_all_energy() {
    for stepper in ["stewart-trinkle", "moreau", "anitescu-potra"] {
        let scene = scene("tripod-slider", &[&format!("stepper={stepper}")]);
        let mut last = [f64::NAN; 2];
        let done = run(&scene, |s| {
            let u = &s.state().u;
            let [v, w] = [u[0].hypot(u[1]), u[2].abs()];
            if v > 1e-9 {
                last[0] = s.state().t;
            }
            if w > 1e-9 {
                last[1] = s.state().t;
            }
        });
        let energy = 0.5 * (1.0 + 0.25) + 0.5 * INERTIA * 64.0;
        let ledger = done.ledger();
        println!("{stepper}: sliding until {} s, spinning until {} s, {ledger:?}", last[0], last[1]);
        assert!((last[0] - last[1]).abs() <= 2e-3 && last[0] > 0.3 && last[0] < 0.6);
        assert!((ledger.dissipated_friction - energy).abs() < 1e-9 * energy, "{energy}");
        assert_eq!(done.certificate().missed_steps, 0);
    }
}

/// The rate of rotation about a pin that makes the power of friction least, at an angle of the plate: the root of the
/// derivative of a convex function, by bisection.
fn least_power(angle: f64, speed: f64) -> f64 {
    let pin = turned([-0.15, 0.04], angle);
    let n = loads(POINTS, [0.0; 2]);
    let slope = |w: f64| {
        (0..3).fold(0.0, |sum, i| {
            let p = turned(POINTS[i], angle);
            let r = [p[0] - pin[0], p[1] - pin[1]];
            let v = [speed - w * r[1], w * r[0]];
            sum + MU * n[i] * (v[1] * r[0] - v[0] * r[1]) / v[0].hypot(v[1])
        })
    };
    let (mut low, mut high) = (-10.0 * speed / 0.1, 10.0 * speed / 0.1);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[test]
fn a_led_plate_turns_about_the_point_of_least_power() {
    for speed in [0.05, 50.0] {
        let scene = scene(
            "tripod-push",
            &[
                &format!("speed={speed}"),
                &format!("step={}", 1e-3 / speed),
                &format!("until={}", 0.2 / speed),
            ],
        );
        let (mut angle, mut worst) = (0.0, 0.0f64);
        let done = run(&scene, |s| {
            let w = least_power(angle, speed);
            worst = worst.max((s.state().u[2] - w).abs() * 0.1 / speed);
            angle = s.state().q[2];
        });
        println!("speed {speed}: worst difference {worst:.3e} (relative), {:?}", done.certificate().worst);
        assert!(worst < 1e-8);
        assert_eq!(done.certificate().missed_steps, 0);
    }
}

#[test]
fn the_path_of_a_led_plate_converges_at_first_order() {
    let mut exact = 0.0;
    let n = 2000;
    let h = 4.0 / n as f64;
    for _ in 0..n {
        let k1 = least_power(exact, 0.05);
        let k2 = least_power(exact + 0.5 * h * k1, 0.05);
        let k3 = least_power(exact + 0.5 * h * k2, 0.05);
        let k4 = least_power(exact + h * k3, 0.05);
        exact += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    let error = |step: f64| {
        let scene = scene("tripod-push", &[&format!("step={step}")]);
        (run(&scene, |_| {}).state().q[2] - exact).abs()
    };
    let errors = [0.08, 0.04, 0.02].map(error);
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    println!("angle {exact}, errors {errors:?}, orders {orders:.3?}");
    assert!(orders.iter().all(|o| (0.9..1.15).contains(o)) && errors[2] < 1e-2);
}

#[test]
fn a_tripod_that_would_tip_stops_the_run() {
    let scene = scene("tripod-slider", &["height=1"]);
    let mut simulation = common::simulation(&scene);
    let error = simulation.advance().unwrap_err().to_string();
    println!("{error}");
    assert!(error.contains("plate.support") && error.contains("tips"));
}

/// A plate set down at rest on a belt that runs at 0.3 m/s.
const BELT: &str = r#"
scene = { name = "belt", description = "a plate on a belt", dimension = 2 }
world = { gravity = [0, 0], support = { gravity = 9.81, velocity = [0.3, 0] } }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 1e-3, until = 0.2 }
[[body]]
name = "plate"
mass = 1.0
shape.box.size = [0.3, 0.2]
material = "steel"
position = [0, 0]
support = { points = [[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]], friction = 0.3 }
"#;

#[test]
fn a_belt_takes_a_plate_along() {
    // mu g until it rides; without inertia it rides at once
    let slipping = 0.3 / (MU * G);
    let rides = 0.3 * 0.2 - 0.5 * 0.3 * slipping;
    for (stepper, cone, solver, x, tolerance) in [
        ("stewart-trinkle", "exact", "auto", rides, 2e-4),
        ("moreau", "polygon:4", "lemke", rides, 2e-4),
        ("quasistatic", "exact", "auto", 0.06, 1e-12),
        ("quasistatic", "box", "lemke", 0.06, 1e-12),
    ] {
        let overrides = stickslip_scene::Overrides {
            stepper: Some(stepper.into()),
            cone: Some(cone.into()),
            solver: Some(solver.into()),
            ..Default::default()
        };
        let scene = stickslip_scene::parse("belt.toml", BELT, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let done = run(&scene, |_| {});
        let (q, u) = (&done.state().q, &done.state().u);
        println!("{stepper} {cone} {solver}: x off by {:.3e}, {:?}", q[0] - x, done.certificate().worst);
        assert!((q[0] - x).abs() < tolerance && (u[0] - 0.3).abs() < 1e-12);
        assert!(q[1].abs() < 1e-12 && q[2].abs() < 1e-12 && done.certificate().missed_steps == 0);
    }
}
