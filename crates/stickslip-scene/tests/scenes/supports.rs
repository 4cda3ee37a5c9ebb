//! Scenes without inertia and planar bodies on supports: what is read, and what is refused.

use stickslip_scene::{Overrides, load, parse};

/// Mind the line numbers.
const GOOD: &str = r#"[scene]
name = "test"
description = "a plate on a table"
dimension = 2
[world]
gravity = [0, 0]
support = { gravity = 9.81 }
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 1.0
[[body]]
name = "plate"
mass = 1.0
shape.polygon.vertices = [[1, 1], [1.3, 1], [1.3, 1.2], [1, 1.2]]
material = "steel"
position = [-1.15, -1.1]
support = { points = [[1.25, 1.12], [1.09, 1.18], [1.1, 1.01]], friction = 0.3 }
"#;

#[rustfmt::skip]
const CASES: &[(&str, &str, usize, &str, &str)] = &[
    ("support = { gravity = 9.81 }\n", "", 18, "`plate` has a support, but there is no surface", "`support = { gravity = 9.81 }` in [world]"),
    ("gravity = 9.81", "gravity = -9.81", 7, "`gravity` is -9.81", "greater than 0"),
    ("{ gravity = 9.81 }", "{ gravity = 9.81, speed = 1 }", 7, "unknown key `speed` in `support`", "`gravity`"),
    ("{ gravity = 9.81 }", "9.81", 7, "`support` is", "a table"),
    ("[1.1, 1.01]]", "[1.1, 1.01], [1, 1]]", 19, "`points` has 4 points", "three points"),
    ("[1.1, 1.01]]", "[1.17, 1.15]]", 19, "body plate has its three supports on a line", "inside of the triangle"),
    ("[1.25, 1.12]", "[1.12, 1.12]", 19, "body plate would tip", "inside of the triangle"),
    (", friction = 0.3", "", 19, "`support` of body `plate` has no `friction`", "`friction = 0.3`"),
    ("friction = 0.3", "friction = 0.3, height = -1", 19, "`height` is -1", "at least 0"),
    ("friction = 0.3", "friction = 0.3, hight = 1", 19, "unknown key `hight` in `support` of body `plate`", "`height`"),
    ("support = { points = [[1.25, 1.12], [1.09, 1.18], [1.1, 1.01]], friction = 0.3 }\n", "", 7, "no body lies on the surface", "bodies with `support`"),
    ("shape.polygon.vertices = [[1, 1], [1.3, 1], [1.3, 1.2], [1, 1.2]]\nmaterial = \"steel\"\nposition = [-1.15, -1.1]\nsupport = { points = [[1.25, 1.12], [1.09, 1.18], [1.1, 1.01]], friction = 0.3 }", "inertia = 1\nposition = [0, 0]\nsupport = { friction = 0.3 }", 18, "`support` of body `plate` has no `points`", "to choose them from"),
    ("mass = 1.0", "fixed = true", 19, "body plate lies on a surface, but does not move", "a dynamic body"),
    ("\"stewart-trinkle\"", "\"quasistatic\"\ncone = \"polygon:2\"", 10, "at least three friction directions", "polygon:8"),
    ("solver = \"auto\"", "solver = \"lemke\"", 10, "solver lemke needs a polyhedral cone", "polygon:8"),
];

#[test]
fn broken_supports_say_where_what_and_how() {
    parse("good.toml", GOOD, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    for (from, to, line, message, expected) in CASES {
        assert!(GOOD.contains(from), "{from}");
        let Err(error) = parse("broken.toml", &GOOD.replacen(from, to, 1), &Overrides::default()) else {
            panic!("{to} should be refused");
        };
        let text = error.to_string();
        let fits = |l: &str| {
            l.starts_with(&format!("broken.toml:{line}:")) && l.contains(message) && l.contains(expected)
        };
        assert!(text.lines().any(fits), "wanted {line} {message} ... {expected}, got\n{text}");
    }
}

#[test]
fn supports_are_a_matter_of_the_plane() {
    let scene = r#"
scene = { name = "s", description = "s", dimension = 3 }
world = { gravity = [0, 0, 0], support = { gravity = 1 } }
simulation = { stepper = "moreau", solver = "auto", step = 1, until = 1 }
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
"#;
    let error = parse("s.toml", scene, &Overrides::default()).unwrap_err().to_string();
    assert!(error.contains("s.toml:3:") && error.contains("exists in the plane only"), "{error}");
}

#[test]
fn points_are_written_in_the_frame_of_the_shape() {
    // the same plate about its centre: same loads, same motion
    let centred = GOOD
        .replace(
            "[[1, 1], [1.3, 1], [1.3, 1.2], [1, 1.2]]",
            "[[-0.15, -0.1], [0.15, -0.1], [0.15, 0.1], [-0.15, 0.1]]",
        )
        .replace("[-1.15, -1.1]", "[0, 0]")
        .replace(
            "[[1.25, 1.12], [1.09, 1.18], [1.1, 1.01]]",
            "[[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]]",
        );
    let end = |text: &str| {
        let text =
            text.replace("friction = 0.3 }", "friction = 0.3 }\nvelocity = [1, 0.5]\nangular_velocity = 8");
        let scene = parse("s.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut stepper = scene.stepper.build();
        let (mut state, mut step) = (scene.system.initial(), stickslip::step::Step::default());
        for _ in 0..20 {
            let time = stickslip::stepper::TimeStep::after(&state, scene.step);
            stepper.step(scene.system.as_ref(), &state, time, &mut step).unwrap();
            state.copy_from(&step.state);
        }
        state
    };
    let (a, b) = (end(GOOD), end(&centred));
    assert!(a.q.iter().zip(&b.q).all(|(x, y)| (x - y).abs() < 1e-12), "{a:?} {b:?}");
}

#[test]
fn a_tripod_can_be_chosen_from_the_shape() {
    let text = GOOD.replace("points = [[1.25, 1.12], [1.09, 1.18], [1.1, 1.01]], ", "");
    parse("s.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn what_has_no_inertia_takes_no_velocity_and_no_restitution() {
    let with = |name: &str| {
        load(name, &Overrides { stepper: Some("quasistatic".into()), ..Default::default() })
            .unwrap_err()
            .to_string()
    };
    let error = with("slide-to-roll");
    assert!(error.contains("starts with a velocity") && error.contains("starts at rest"), "{error}");
    assert_eq!(error.lines().count(), 1);
    assert!(
        with("bouncing-ball").contains("`restitution` is 0.5, but quasistatic models inelastic contact only")
    );
    let text = GOOD
        .replace("stewart-trinkle", "quasistatic")
        .replace("mass = 1.0", "mass = 1.0\nangular_velocity = 1");
    let error = parse("s.toml", &text, &Overrides::default()).unwrap_err().to_string();
    assert!(error.starts_with("s.toml:9:11: the scene starts with a velocity"), "{error}");
    let error = with("stick-slip");
    assert!(
        error.contains("takes friction with one coefficient only") && error.contains("`kinetic_friction`"),
        "{error}"
    );
}

/// A plate on three supports under a stepper with smooth phases: its coordinates at a time.
fn slides(stepper: &str, [vx, vy, spin]: [f64; 3], points: &str, (step, until): (f64, f64)) -> Vec<f64> {
    let text = format!(
        "scene = {{ name = \"s\", description = \"s\", dimension = 2 }}\n\
         world = {{ gravity = [0, 0], support = {{ gravity = 10 }} }}\n\
         simulation = {{ stepper = \"{stepper}\", solver = \"auto\", step = {step}, until = {until} }}\n\
         [[body]]\nname = \"b\"\nmass = 2\ninertia = 0.05\nposition = [0, 0]\nvelocity = [{vx}, {vy}]\n\
         angular_velocity = {spin}\nsupport = {{ points = {points}, friction = 0.25 }}\n"
    );
    let scene = parse("s.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let settings = stickslip::simulation::Settings { step, until, tolerance: scene.tolerance };
    let mut simulation =
        stickslip::simulation::Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().unwrap();
        assert!(simulation.held(), "{:?}", simulation.last().certificate);
    }
    let state = simulation.state();
    state.q.iter().chain(&state.u).copied().collect()
}

/// Three supports: a plate that does not spin is braked by mu g, one that spins in place by mu m g r / I; what does both
/// moves as by an integration of its own, until both end together.
#[test]
fn supports_slide_and_spin_in_smooth_phases_as_by_hand() {
    let points: [[f64; 2]; 3] = [[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]];
    let uneven = "[[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]]";
    let even = "[[0.1, 0], [-0.05, 0.0866025403784438646763723], [-0.05, -0.0866025403784438646763723]]";
    for stepper in ["event", "gauss"] {
        for step in [0.01, 1.0] {
            let end = slides(stepper, [1.5, 2.0, 0.0], uneven, (step, 2.0));
            // v² / (2 mu g) = 1.25 m along (0.6, 0.8)
            let off = (end[0] - 0.75).abs().max((end[1] - 1.0).abs()).max(end[2].abs());
            assert!(off < 1e-8, "{stepper} {step}: {end:?}");
            let end = slides(stepper, [0.0, 0.0, 6.0], even, (step, 2.0));
            // alpha = 0.25 * 2 * 10 * 0.1 / 0.05 = 10 rad/s²: 1.8 rad
            assert!(
                (end[2] - 1.8).abs().max(end[0].abs()).max(end[1].abs()) < 1e-8,
                "{stepper} {step}: {end:?}"
            );
        }
        let end = slides(stepper, [1.0, 0.5, 8.0], uneven, (0.1, 0.25));
        let by_hand = integrate(&points, [0.0, 0.0, 0.0, 1.0, 0.5, 8.0], 0.25);
        let off = end.iter().zip(by_hand).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-7, "{stepper}: {end:?} for {by_hand:?}");
    }
}

/// Loads by the areas of the triangles that the centre makes, Runge–Kutta's method of order four.
fn integrate(points: &[[f64; 2]; 3], mut y: [f64; 6], until: f64) -> [f64; 6] {
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let area: [f64; 3] = std::array::from_fn(|i| cross(points[(i + 1) % 3], points[(i + 2) % 3]));
    let loads = area.map(|a| a / area.iter().sum::<f64>() * 20.0);
    let rate = |y: &[f64; 6]| {
        let (s, c) = y[2].sin_cos();
        let mut out = [y[3], y[4], y[5], 0.0, 0.0, 0.0];
        for (p, n) in points.iter().zip(loads) {
            let r = [c * p[0] - s * p[1], s * p[0] + c * p[1]];
            let v = [y[3] - y[5] * r[1], y[4] + y[5] * r[0]];
            let f = v.map(|x| -0.25 * n * x / v[0].hypot(v[1]));
            (out[3], out[4]) = (out[3] + f[0] / 2.0, out[4] + f[1] / 2.0);
            out[5] += cross(r, f) / 0.05;
        }
        out
    };
    let count = 20_000;
    let h = until / f64::from(count);
    let shifted = |y: &[f64; 6], k: &[f64; 6], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..count {
        let a = rate(&y);
        let b = rate(&shifted(&y, &a, 0.5 * h));
        let c = rate(&shifted(&y, &b, 0.5 * h));
        let d = rate(&shifted(&y, &c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
    }
    y
}
