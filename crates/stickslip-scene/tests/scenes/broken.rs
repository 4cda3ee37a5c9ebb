//! Scenes that are wrong: each gives file, line, what is wrong and what would be right.

use crate::cases::{BODIES, CHOICES, GOOD, MECHANISMS, NUMBERS, STRUCTURE};
use stickslip_scene::{MAX_BYTES, Overrides, SceneError, load, parse, parse_bytes};

fn broken(text: &str) -> SceneError {
    match parse("broken.toml", text, &Overrides::default()) {
        Ok(_) => panic!("this should be refused:\n{text}"),
        Err(error) => error,
    }
}

/// The line of the error output that begins with the place and contains both fragments.
fn assert_says(error: &SceneError, place: &str, message: &str, expected: &str) {
    let text = error.to_string();
    let fits = |line: &str| {
        let (what, right) = line.split_once("; expected ").unwrap_or((line, ""));
        what.starts_with(place) && what.contains(message) && right.contains(expected) && !right.is_empty()
    };
    assert!(text.lines().any(fits), "wanted {place} ... {message} ... {expected}, got\n{text}");
    // the fancy renderer takes it too
    let rendered = format!("{:?}", miette::Report::new(error.clone()));
    assert!(!rendered.is_empty());
}

#[test]
fn the_scene_is_good_before_it_is_broken() {
    parse("good.toml", GOOD, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn broken_scenes_say_where_what_and_how() {
    for (from, to, line, message, expected) in [STRUCTURE, NUMBERS, BODIES, CHOICES, MECHANISMS].concat() {
        assert!(GOOD.contains(from), "{from}");
        let error = broken(&GOOD.replacen(from, to, 1));
        assert_says(&error, &format!("broken.toml:{line}:"), message, expected);
    }
}

#[test]
fn what_the_plane_and_a_solver_do_not_know_is_refused() {
    let plane = GOOD
        .replace("dimension = 3", "dimension = 2")
        .replace("[0, 0, -9.81]", "[0, -9.81]")
        .replace("half_space", "half_plane")
        .replace("sphere", "disc")
        .replace("[0, 0, 0.5]", "[0, 0.5]");
    parse("good.toml", &plane, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let error = broken(&plane.replace("\"mu\"", "\"mu\"\ntorsional_friction = 0.01"));
    assert_says(&error, "broken.toml:29:", "`torsional_friction` is given in the plane", "nothing spins");
    let error = broken(&plane.replace("\"mu\"", "[0.2, 0.1]\nalong = [1, 0]"));
    assert_says(&error, "broken.toml:28:", "`friction` is a list in the plane", "one direction of slip");
    let moments = GOOD.replace("\"mu\"", "\"mu\"\nrolling_friction = 0.01");
    parse("good.toml", &moments, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let error = broken(&moments.replace("nsgs", "interior-point"));
    assert_says(&error, "broken.toml:12:", "does not take torsional or rolling friction", "auto");
}

#[test]
fn the_column_points_into_formulas_and_lists() {
    let error = broken(&GOOD.replace("\"mu\"", "\"1 + nu\""));
    assert_eq!(error.problems()[0].place.as_ref().unwrap().column, 17);
    let error = broken(&GOOD.replace("[0, 0, 0.5]", "[0, nan, 0.5]"));
    assert_eq!(error.problems()[0].place.as_ref().unwrap().column, 16);
}

#[test]
fn independent_errors_are_reported_together() {
    let text = GOOD
        .replace("mass = 1.0", "mass = nan")
        .replace("step = 0.01", "step = 0")
        .replace("friction", "frction");
    let error = broken(&text);
    let lines: Vec<usize> = error.problems().iter().map(|p| p.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [13, 22, 28], "{error}");
    // a misspelt key is not reported as missing, too
    let error = broken(&GOOD.replace("step = 0.01", "setp = 0.01"));
    assert_eq!(error.problems().len(), 1, "{error}");
    let many = format!("{GOOD}\n{}", "[[contact]]\n".repeat(1000));
    let text = broken(&many).to_string();
    assert!(text.lines().count() <= 21 && text.ends_with("more problems follow"), "{text}");
}

#[test]
fn planar_scenes_have_planar_rules() {
    let planar = GOOD
        .replace("dimension = 3", "dimension = 2")
        .replace("[0, 0, -9.81]", "[0, -9.81]")
        .replace("half_space", "half_plane")
        .replace("sphere", "disc")
        .replace("[0, 0, 0.5]", "[0, 0.5]");
    parse("planar.toml", &planar, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    for (from, to, line, message, expected) in [
        ("disc.radius", "sphere.radius", 23, "`sphere` does not exist with dimension = 2", "`disc`"),
        ("mass = 1.0", "mass = 1.0\ninertia = [1, 1, 1]", 23, "`inertia` is a list", "a number"),
        ("[0, 0.5]", "[0, 0.4]", 25, "overlap by", "touch at most"),
        ("\"exact\"", "\"polygon:4@0.5\"", 11, "the cone takes no angle", "`cone = \"exact\"`"),
    ] {
        assert_says(
            &broken(&planar.replacen(from, to, 1)),
            &format!("broken.toml:{line}:"),
            message,
            expected,
        );
    }
}

#[test]
fn hostile_files_are_refused() {
    let none = Overrides::default();
    let whole =
        |error: SceneError, message: &str, expected: &str| assert_says(&error, "x.toml:", message, expected);
    let large = format!("# {}\n{GOOD}", "x".repeat(10_000_000));
    whole(
        parse("x.toml", &large, &none).unwrap_err(),
        "bytes or more",
        &format!("at most {MAX_BYTES} bytes"),
    );
    let mut latin = GOOD.as_bytes().to_vec();
    let at = GOOD.find("ball on").unwrap();
    latin[at] = 0xe4;
    let error = parse_bytes("x.toml", &latin, &none).unwrap_err();
    assert_says(&error, "x.toml:3:18:", "the byte 0xe4 is not valid UTF-8", "UTF-8");
    whole(parse("x.toml", "", &none).unwrap_err(), "1:1: the scene has no `scene`", "[scene]");
    for (text, message) in [
        (format!("a = {}", "[".repeat(500_000)), ""),
        (format!("a = {}", "{a=".repeat(300_000)), ""),
        (format!("{} = 1", vec!["a"; 400_000].join(".")), "too many dots"),
        (format!("[{}]", vec!["\"\""; 200_000].join(".")), "too many dots"),
        (format!("a = {{{} = 1}}", vec!["a"; 200_000].join(" . ")), "too many dots"),
        (format!("{GOOD}x = {}", "9".repeat(900_000)), "unknown key `x`"),
        (format!("{GOOD}restitution = {}", "9".repeat(900_000)), "is inf"),
        (format!("{GOOD}restitution = 0x{}", "f".repeat(900_000)), "is inf"),
        (format!("{GOOD}{} = 1", "k".repeat(900_000)), "unknown key `kkk"),
        (format!("{GOOD}restitution = \"{}\"", "(".repeat(900_000)), "900000 bytes"),
        ("\0".repeat(1000), ""),
        ("\u{feff}".to_owned(), "no `scene`"),
        ("[[".repeat(400_000), ""),
    ] {
        whole(parse("x.toml", &text, &none).unwrap_err(), message, "");
    }
}

#[test]
fn many_bodies_in_one_place_are_refused_quickly() {
    let ball = |i: usize| {
        format!("[[body]]\nname=\"b{i}\"\nmass=1\nshape.sphere.radius=1\nmaterial=\"m\"\nposition=[0,0,9]\n")
    };
    let mut text = GOOD.to_owned();
    for i in 0..10_000 {
        text.push_str(&ball(i));
    }
    text.push_str("[[contact]]\nbetween=[\"m\",\"m\"]\nfriction=1\n[[contact]]\nbetween=[\"m\",\"ground\"]\nfriction=1\n");
    text.push_str("[[contact]]\nbetween=[\"m\",\"rubber\"]\nfriction=1\n");
    let error = broken(&text);
    assert!(error.to_string().contains("overlap by 2"), "{error}");
    assert!(error.problems().len() <= 5);
}

#[test]
fn files_that_are_none_are_refused() {
    let none = Overrides::default();
    let error = load("inclin", &none).unwrap_err();
    assert_says(&error, "inclin:", "there is no such file or built-in scene", "`incline`, or");
    let directory = std::env::temp_dir();
    let error = load(directory.to_str().unwrap(), &none).unwrap_err();
    assert_says(&error, directory.to_str().unwrap(), "this is a directory", "a scene file");
    let path = directory.join(format!("stickslip-scene-large-{}.toml", std::process::id()));
    std::fs::write(&path, vec![b'#'; 10_000_000]).unwrap();
    let error = load(path.to_str().unwrap(), &none).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert_says(
        &error,
        &format!("{}:1:1:", path.display()),
        "the file has 10000000 bytes",
        "at most 1000000 bytes",
    );
}

fn option(overrides: Overrides) -> SceneError {
    parse("test.toml", GOOD, &overrides).unwrap_err()
}

#[test]
fn wrong_options_are_named() {
    for (set, message, expected) in [
        ("mu=abc", "unknown name `abc`", "a formula of"),
        ("my=1", "the scene has no parameter `my`", "`mu`"),
        ("mu", "there is no `=`", "PATH=VALUE"),
        ("mu=", "there is no value", "PATH=VALUE"),
        ("=1", "`` cannot be part of a path", "PATH=VALUE"),
        ("a b=1", "`a b` cannot be part of a path", "PATH=VALUE"),
        ("mu=nan", "`mu` is NaN", "a finite number"),
        ("simulation.stepp=1", "unknown key `stepp`", "`step`"),
        ("simulation.step=0", "`step` is 0.0", "greater than 0"),
        ("body.bal.mass=1", "`body` has no element `bal`", "`ball`"),
        ("body.7.mass=1", "`body` has no element `7`", "an index from 0 to 1"),
        ("body.ball=1", "`body.ball` is a table", "a key in it: one of `mass`"),
        ("body.ball.mass.x=1", "`body.ball.mass` is not a table", "the path to end there"),
        ("body.ball.mass={}", "`mass` is a table", "a number"),
        ("nothing.here=1", "unknown key `nothing`", "one of `scene`"),
        ("tolerance.law=0", "`law` is 0.0", "greater than 0"),
        ("mu=[[[[[[", "unexpected `[`", "a number"),
    ] {
        let error = option(Overrides { set: vec![set.to_owned()], ..Default::default() });
        assert_says(&error, &format!("--set {set}: "), message, expected);
        assert!(!error.to_string().contains("test.toml"), "{error}");
    }
    let cone = Overrides { cone: Some("polygon:1".into()), ..Default::default() };
    assert_says(&option(cone), "--cone polygon:1: unknown cone", "", "N from 2 to 256");
    let solver = Overrides { solver: Some("lemke".into()), ..Default::default() };
    assert_says(&option(solver), "--solver lemke: solver lemke needs a polyhedral cone", "", "nsgs");
    let step = Overrides { step: Some("fast".into()), ..Default::default() };
    assert_says(&option(step), "--step fast: unknown name `fast`", "", "a formula");
}

#[test]
fn options_that_spoil_a_line_elsewhere_are_named_with_that_line() {
    let error = option(Overrides { set: vec!["mu=-1".into()], ..Default::default() });
    assert_says(&error, "--set mu=-1: test.toml:28:12: `friction` is -1.0 (from \"mu\")", "", "at least 0");
    let stepper = Overrides { stepper: Some("stewart-trinkle".into()), ..Default::default() };
    let error = load("bouncing-ball", &stepper).unwrap_err();
    assert_says(&error, "--stepper stewart-trinkle: bouncing-ball:", "`restitution` is 0.5", "moreau");
    // what was wrong before is the file's own fault, at its own line, whatever lines options insert
    let text = GOOD.replace("mass = 1.0", "mass = nan");
    let overrides = Overrides { set: vec!["simulation.solver_tolerance=1e-12".into()], ..Default::default() };
    let error = parse("test.toml", &text, &overrides).unwrap_err();
    assert_says(&error, "test.toml:22:8: `mass` is NaN", "", "a finite number");
}

/// A polygon above a line.
const PLANAR: &str = r#"[scene]
name = "test"
description = "a polygon"
dimension = 2
[world]
gravity = [0, -9.81]
[simulation]
stepper = "stewart-trinkle"
cone = "exact"
solver = "nsgs"
step = 0.01
until = 1.0
[[body]]
name = "wedge"
mass = 1.0
shape.polygon.vertices = [[0, 0], [3, 0], [0, 4]]
material = "steel"
position = [0, 1]
"#;

#[test]
fn polygons_that_are_none_say_why() {
    parse("good.toml", PLANAR, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    for (vertices, message, expected) in [
        ("[[0, 0], [3, 0]]", "`vertices` has 2 points", "from 3 to 4096 points"),
        ("[[0, 0], [0, 4], [3, 0]]", "`vertices` run clockwise", "in reverse order"),
        ("[[0, 0], [3, 0], [3, 0], [0, 4]]", "the same point at 1", "each vertex once"),
        ("[[0, 0], [3, 0], [1, 1], [0, 4]]", "do not turn left at point 2", "a convex polygon"),
        ("[[0, 0], [3, 0], [0, 4, 1]]", "`vertices[2]` has 3 entries", "a list of 2 numbers"),
        ("[[0, 0], [3, nan], [0, 4]]", "`vertices[1][1]` is NaN", "a finite number"),
        ("3", "`vertices` is a number", "a list of points"),
    ] {
        let error = broken(&PLANAR.replace("[[0, 0], [3, 0], [0, 4]]", vertices));
        assert_says(&error, "broken.toml:16:", message, expected);
    }
    let error = broken(&PLANAR.replace("polygon.vertices", "polygon.points"));
    assert_says(&error, "broken.toml:16:", "unknown key `points`", "`vertices`");
}

#[test]
fn a_name_is_taken_for_a_name_and_a_function_for_a_function() {
    let text = format!("parameters = {{ function_of = 1, sine = 2 }}\n{PLANAR}");
    parse("good.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    for (formula, message, expected) in [
        ("functon_of", "unknown name `functon_of`", "`function_of`, or a number"),
        ("function_off", "unknown name `function_off`", "`function_of`, or a number"),
        ("sine(1)", "unknown function `sine`", "`sin`, or a number"),
    ] {
        let error = broken(&text.replace("mass = 1.0", &format!("mass = \"{formula}\"")));
        assert_says(&error, "broken.toml:16:", message, expected);
    }
}

#[test]
fn the_frame_of_a_polygon_is_put_at_its_centre_of_mass() {
    let scene = parse("good.toml", PLANAR, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let q = scene.system.initial().q;
    assert!((q[0] - 1.0).abs() < 1e-15 && (q[1] - 7.0 / 3.0).abs() < 1e-15, "{q:?}");
    assert!(scene.to_string().contains("polygon of 3 vertices, 6 m²"), "{scene}");
    let turned = PLANAR.replace("position = [0, 1]", "position = [0, 1]\nangle = \"pi / 2\"");
    let scene = parse("good.toml", &turned, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let q = scene.system.initial().q;
    assert!((q[0] + 4.0 / 3.0).abs() < 1e-15 && (q[1] - 2.0).abs() < 1e-15, "{q:?}");
}
