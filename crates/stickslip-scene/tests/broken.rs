//! Scenes that are wrong: each gives file, line, what is wrong and what would be right.

use stickslip_scene::{MAX_BYTES, Overrides, SceneError, load, parse, parse_bytes};

/// A good scene; what follows breaks it one line at a time. Mind the line numbers.
const GOOD: &str = r#"[scene]
name = "test"
description = "a ball on a floor"
dimension = 3
[parameters]
mu = 0.5
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
cone = "exact"
solver = "nsgs"
step = 0.01
until = 1.0
[[body]]
name = "floor"
fixed = true
shape.half_space = {}
material = "ground"
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.5
material = "rubber"
position = [0, 0, 0.5]
[[contact]]
between = ["rubber", "ground"]
friction = "mu"
"#;

/// What is replaced by what, the line of the error, parts of the message and of what is expected.
type Case = (&'static str, &'static str, usize, &'static str, &'static str);

#[rustfmt::skip]
const STRUCTURE: &[Case] = &[
    // typos and missing lines
    ("friction =", "frcition =", 28, "unknown key `frcition` in [[contact]]", "`friction` (one of `between`"),
    ("material = \"rubber\"", "materail = \"rubber\"", 24, "unknown key `materail` in body `ball`", "`material`"),
    ("[world]", "[wordl]", 7, "unknown key `wordl` in the scene", "`world`"),
    ("sphere.radius", "sphere.radios", 23, "unknown key `radios` in shape `sphere`", "`radius`"),
    ("until = 1.0", "untill = 1.0", 14, "unknown key `untill` in [simulation]", "`until`"),
    ("until = 1.0\n", "", 9, "[simulation] has no `until`", "`until = 1.0`"),
    ("stepper = \"stewart-trinkle\"\n", "", 9, "[simulation] has no `stepper`", "`stepper = \"stewart-trinkle\"`"),
    ("dimension = 3\n", "", 1, "[scene] has no `dimension`", "`dimension = 3`"),
    ("name = \"ball\"\n", "", 20, "[[body]] has no `name`", "`name = \"box\"`"),
    ("position = [0, 0, 0.5]\n", "", 20, "body `ball` has no `position`", "`position = [0.0, 0.0, 1.0]`"),
    ("material = \"rubber\"\n", "", 20, "body `ball` has no `material`", "`material = \"wood\"`"),
    ("friction = \"mu\"\n", "", 26, "[[contact]] has no `friction`", "`friction = 0.5`"),
    ("gravity = [0, 0, -9.81]\n", "", 7, "[world] has no `gravity`", "`gravity = [0, 0, -9.81]`"),
    ("[scene]\nname = \"test\"\ndescription = \"a ball on a floor\"\ndimension = 3\n", "", 1, "the scene has no `scene`", "[scene]"),
    ("[world]\ngravity = [0, 0, -9.81]\n", "", 1, "the scene has no [world]", "`[world]` with `gravity`"),
    // syntax
    ("step = 0.01", "step = ", 13, "string values must be quoted", "literal string"),
    ("step = 0.01", "step = 0.01.2", 13, "", ""),
    ("name = \"ball\"", "name = \"ball", 21, "invalid basic string", "`\"`"),
    ("step = 0.01", "step = 0.01\nstep = 0.02", 14, "duplicate key", "each key and each table once"),
    ("[parameters]", "[scene]", 5, "duplicate key", "each key and each table once"),
    ("[world]", "[world", 7, "unclosed table", "`]`"),
    // types and lengths
    ("mass = 1.0", "mass = true", 22, "`mass` is a boolean", "a number"),
    ("mass = 1.0", "mass = [1.0]", 22, "`mass` is a list", "a number"),
    ("mass = 1.0", "mass = 2026-11-05", 22, "`mass` is a date or time", "a number"),
    ("fixed = true", "fixed = \"yes\"", 17, "`fixed` is a string", "true or false"),
    ("name = \"ball\"", "name = 7", 21, "`name` is a number", "a name"),
    ("dimension = 3", "dimension = 4", 4, "`dimension` is 4", "a whole number from 2 to 3"),
    ("dimension = 3", "dimension = 2.5", 4, "`dimension` is 2.5", "a whole number from 2 to 3"),
    ("[0, 0, -9.81]", "[0, -9.81]", 8, "`gravity` has 2 entries", "a list of 3 numbers"),
    ("[0, 0, 0.5]", "[0, 0, 0.5, 1]", 25, "`position` has 4 entries", "a list of 3 numbers"),
    ("[0, 0, 0.5]", "[0, 0, \"x\"]", 25, "unknown name `x` in the formula for `position[2]`", "a formula of `mu`"),
    ("[[contact]]", "[contact]", 26, "`contact` is a table", "tables under `[[contact]]` headers"),
    ("[simulation]", "[[simulation]]", 9, "`simulation` is a list", "a table [simulation]"),
];

#[rustfmt::skip]
const NUMBERS: &[Case] = &[
    ("mass = 1.0", "mass = nan", 22, "`mass` is NaN", "a finite number"),
    ("mass = 1.0", "mass = inf", 22, "`mass` is inf", "a finite number"),
    ("mass = 1.0", "mass = -1.0", 22, "`mass` is -1.0", "a number greater than 0"),
    ("mass = 1.0", "mass = 0", 22, "`mass` is 0.0", "a number greater than 0"),
    ("mass = 1.0", "mass = 1e-310", 22, "a mass of 1e-310 kg", "within the range of numbers"),
    ("mass = 1.0", "mass = 1e400", 22, "`mass` is inf", "a finite number"),
    ("radius = 0.5", "radius = -0.5", 23, "`radius` is -0.5", "a number greater than 0"),
    ("radius = 0.5", "radius = 1e-200", 20, "moment of inertia beyond the range of numbers", "a mass and extents"),
    ("sphere.radius = 0.5", "box.size = [1, 1, 0]", 23, "`size[2]` is 0.0", "a number greater than 0"),
    ("step = 0.01", "step = 0", 13, "`step` is 0.0", "a number greater than 0"),
    ("step = 0.01", "step = -0.01", 13, "`step` is -0.01", "a number greater than 0"),
    ("step = 0.01", "step = 1e-12", 13, "takes 1.000e12 steps", "at most 1e9 steps"),
    ("until = 1.0", "until = -1", 14, "`until` is -1.0", "a number greater than 0"),
    ("mu = 0.5", "mu = -0.5", 28, "`friction` is -0.5 (from \"mu\")", "a number of at least 0"),
    ("mu = 0.5", "mu = \"sqrt(-1)\"", 6, "`mu` is NaN (from \"sqrt(-1)\")", "a finite number"),
    ("mu = 0.5", "mu = \"2 * * 3\"", 6, "unexpected `*` in the formula for `mu`", "a number, a parameter"),
    ("mu = 0.5", "sin = 0.5", 6, "`sin` cannot name a parameter", "no function's name"),
    ("friction = \"mu\"", "friction = \"nu\"", 28, "unknown name `nu` in the formula for `friction`", "`mu`"),
    ("friction = \"mu\"", "friction = \"sine(mu)\"", 28, "unknown function `sine`", "`sin`"),
    ("friction = \"mu\"", "friction = 0.5\nrestitution = 1.5", 29, "`restitution` is 1.5", "a number from 0 to 1"),
    ("until = 1.0", "until = 1.0\nsolver_iterations = 0", 15, "`solver_iterations` is 0.0", "a whole number from 1"),
    ("until = 1.0", "until = 1.0\nsolver_tolerance = 0", 15, "`solver_tolerance` is 0.0", "greater than 0"),
    ("[world]", "[tolerance]\nlaw = -1\n[world]", 8, "`law` is -1.0", "greater than 0"),
    ("[world]", "[output]\nevery = 0\n[world]", 8, "`every` is 0.0", "a whole number from 1"),
    ("[world]", "[output]\nevery = 123456789012345678901234567890\n[world]", 8, "`every` is 1.2345678901234568e29", "a whole number"),
];

#[rustfmt::skip]
const BODIES: &[Case] = &[
    ("mass = 1.0", "mass = 1.0\ndensity = 2", 23, "both `mass` and `density`", "one of the two"),
    ("mass = 1.0\n", "", 20, "body `ball` has no `mass`", "`density = 700.0`"),
    ("fixed = true", "fixed = true\nmass = 1", 18, "body `floor` is fixed and has `mass`", "`fixed = false`"),
    ("fixed = true", "fixed = true\nvelocity = [1, 0, 0]", 18, "is fixed and has `velocity`", "`fixed = false`"),
    ("fixed = true", "mass = 1\nposition = [0, 0, 0]", 19, "a shape without bounds and is not fixed", "`fixed = true`"),
    ("mass = 1.0", "mass = 1.0\ninertia = [1, 1, 3]", 23, "`inertia` is impossible", "the sum of the other two"),
    ("mass = 1.0", "mass = 1.0\ninertia = [1, 1, -1]", 23, "`inertia` is impossible", "positive definite"),
    ("mass = 1.0", "mass = 1.0\ninertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]", 23, "`inertia` is impossible", "symmetric"),
    ("mass = 1.0", "mass = 1.0\ninertia = [[1, 0, 0], [0, 1, 0]]", 23, "`inertia` has 2 rows", "a 3x3 matrix"),
    ("mass = 1.0", "mass = 1.0\ninertia = 1", 23, "`inertia` is a number", "a list of 3 numbers"),
    ("sphere.radius", "disc.radius", 23, "shape `disc` does not exist with dimension = 3", "`sphere`"),
    ("sphere.radius", "shpere.radius", 23, "unknown shape `shpere`", "`sphere`"),
    ("shape.sphere.radius = 0.5", "shape = {}", 23, "`shape` names none", "exactly one of"),
    ("shape.sphere.radius = 0.5", "shape.sphere.radius = 0.5\nshape.box.size = [1, 1, 1]", 23, "`shape` names several", "exactly one of"),
    ("shape.half_space = {}", "shape.half_space = { height = 1 }", 18, "unknown key `height` in shape `half_space`", "no keys here"),
    ("shape.sphere.radius = 0.5\n", "", 23, "has a material but no shape", "without a shape it touches nothing"),
    ("shape.sphere.radius = 0.5\nmaterial = \"rubber\"\n", "", 20, "neither a shape nor `inertia`", "`inertia = ...`"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\norientation = [1, 1, 0, 0]", 26, "`orientation` has length 1.414", "a unit quaternion"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nrotation = { axis = [0, 0, 0], angle = 1 }", 26, "length 0", "[0, 0, 1]"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nrotation = { axis = [0, 0, 1] }", 26, "`rotation` has no `angle`", "`angle = 0.3`"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nangle = 1", 26, "unknown key `angle` in body `ball`", "`rotation`"),
    ("name = \"ball\"", "name = \"floor\"", 21, "two bodies are named `floor`", "a name of its own"),
    ("name = \"ball\"", "name = \"ground\"", 21, "`ground` names a body and a material", "different names"),
    ("name = \"ball\"", "name = \"my ball\"", 21, "`name` is \"my ball\"", "letters, digits"),
    ("name = \"test\"", "name = \"\"", 2, "`name` is \"\"", "letters, digits"),
    ("\"a ball on a floor\"", "\"\"\"\ntwo\nlines\"\"\"", 3, "`description` is", "one line of text"),
    ("[0, 0, 0.5]", "[0, 0, 0.4]", 25, "`floor` and `ball` overlap by 0.", "bodies that touch at most"),
];

#[rustfmt::skip]
const CHOICES: &[Case] = &[
    ("solver = \"nsgs\"", "solver = \"ngs\"", 12, "unknown solver \"ngs\"", "`nsgs`"),
    ("stepper = \"stewart-trinkle\"", "stepper = \"euler\"", 10, "unknown stepper \"euler\"", "`moreau`"),
    ("cone = \"exact\"", "cone = \"round\"", 11, "unknown cone \"round\"", "polygon:N"),
    ("cone = \"exact\"", "cone = \"polygon:1\"", 11, "unknown cone \"polygon:1\"", "N from 2 to 256"),
    ("cone = \"exact\"", "cone = \"polygon:2\"", 11, "at least three friction directions", "polygon:8"),
    ("solver = \"nsgs\"", "solver = \"lemke\"", 12, "solver lemke needs a polyhedral cone", "`solver = \"nsgs\"`"),
    ("cone = \"exact\"\nsolver = \"nsgs\"", "solver = \"enumeration\"", 11, "solver enumeration needs", "`cone = \"polygon:8\"`"),
    ("friction = \"mu\"", "friction = \"mu\"\nrestitution = 0.5", 29, "stewart-trinkle models inelastic contact", "`stepper = \"moreau\"`"),
    ("friction = \"mu\"", "friction = \"mu\"\ntangential_restitution = 0.5", 29, "`tangential_restitution` is 0.5", "`stepper = \"moreau\"`"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"ruber\", \"ground\"]", 27, "no material or body \"ruber\"", "`rubber`"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"rubber\"]", 27, "`between` has 1 entries", "two names"),
    ("between = [\"rubber\", \"ground\"]", "between = \"rubber\"", 27, "`between` is not a list", "two names"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"ball\", \"ball\"]", 27, "`ball` is paired with itself", "two bodies"),
    ("[[contact]]", "[[contact]]\nbetween = [\"ground\", \"rubber\"]\nfriction = 1\n[[contact]]", 30, "is declared twice", "one [[contact]] for each pair"),
    ("[[contact]]\nbetween = [\"rubber\", \"ground\"]\nfriction = \"mu\"\n", "", 24, "`ball` and `floor` can touch, but no friction is declared", "between = [\"rubber\", \"ground\"]"),
    ("[world]", "[model.woodpekcer]\n[world]", 7, "unknown model `woodpekcer`", "`woodpecker`"),
    ("[world]", "[model.woodpecker]\n[world]", 7, "[model.woodpecker] has no `r_O`", "`r_O = 0.0025`"),
    ("[[contact]]", "[[body]]\nname = \"ghost\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0]\n[[contact]]\nbetween = [\"ghost\", \"ground\"]\nfriction = 1\n[[contact]]", 32, "`ghost` has no shape", "a body with a shape"),
    ("[[contact]]", "[[contact]]\nbetween = [\"ball\", \"ground\"]\nfriction = 1\n[[contact]]\nbetween = [\"rubber\", \"floor\"]\nfriction = 2\n[[contact]]", 24, "of equal rank", "`between = [\"ball\", \"floor\"]`"),
];

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
    for (from, to, line, message, expected) in [STRUCTURE, NUMBERS, BODIES, CHOICES].concat() {
        assert!(GOOD.contains(from), "{from}");
        let error = broken(&GOOD.replacen(from, to, 1));
        assert_says(&error, &format!("broken.toml:{line}:"), message, expected);
    }
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
