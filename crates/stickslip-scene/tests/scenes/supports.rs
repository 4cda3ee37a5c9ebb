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
