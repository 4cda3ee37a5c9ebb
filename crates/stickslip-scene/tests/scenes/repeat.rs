//! Bodies by formula: `repeat`.

use std::path::Path;
use stickslip_scene::{Model, Overrides, Scene, SceneError, load, parse};

const CHAIN: &str = r#"[scene]
name = "chain"
description = "beads that hang on each other"
dimension = 3
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 0.1
[[body]]
name = "bead"
repeat = { count = 4, index = "i", random = { seed = 7, names = ["a"] } }
mass = "1 + i"
particle = true
position = ["0.1*i", "a", 0]
[[joint]]
name = "link"
kind = "distance"
between = ["bead0", "bead3"]
anchors = [[0, 0.07630828937395717, 0], [0.3, 0.7234650953969986, 0]]
"#;

fn scene(text: &str) -> Result<Scene, SceneError> {
    parse("repeat.toml", text, &Overrides::default())
}

#[test]
fn copies_are_numbered_and_know_their_number() {
    let scene = scene(CHAIN).unwrap();
    let Model::World(world) = &scene.model else { panic!() };
    let names: Vec<&str> = world.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["bead0", "bead1", "bead2", "bead3"]);
    for (i, body) in world.bodies.iter().enumerate() {
        assert_eq!(body.mass, Some(1.0 + i as f64));
        assert_eq!(body.position[0], 0.1 * i as f64);
    }
    // Python: numpy.random.RandomState(7).random_sample(2), to the digits numpy's documentation prints
    assert!((world.bodies[0].position[1] - 0.07630829).abs() < 1e-8);
    assert!((world.bodies[1].position[1] - 0.77991879).abs() < 1e-8);
}

#[test]
#[ignore = "needs ../shared; .ci/run runs it where that is"]
fn the_pile_is_the_shared_one_that_other_simulators_were_given() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers");
    for count in [100, 1000] {
        let text = std::fs::read_to_string(folder.join(format!("pile_{count}.txt"))).unwrap();
        let mut lines = text.lines();
        let half_width: f64 = lines.next().unwrap().parse().unwrap();
        let overrides = Overrides { set: vec![format!("count={count}")], ..Default::default() };
        let scene = load("ball-pile", &overrides).unwrap();
        assert!(scene.parameters.contains(&("half_width".to_owned(), half_width)));
        let state = scene.system.initial();
        let mut worst = 0.0f64;
        assert_eq!(lines.clone().count(), count);
        for (q, line) in state.q.chunks_exact(7).zip(lines) {
            for (mine, theirs) in q.iter().zip(line.split_whitespace()) {
                worst = worst.max((mine - theirs.parse::<f64>().unwrap()).abs());
            }
        }
        println!("{count} balls: positions within {worst:e} m of the file's");
        assert!(worst < 1e-12);
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    for (from, to, line, message, expected) in [
        ("count = 4", "count = 0", 14, "`count` is 0.0", "from 1 to"),
        ("count = 4, ", "", 14, "`repeat` has no `count`", "count = 10"),
        ("index = \"i\"", "index = \"pi\"", 14, "`pi` cannot name a variable", "letters"),
        ("names = [\"a\"]", "names = [\"i\"]", 14, "`i` is a parameter already", "a name of its own"),
        ("names = [\"a\"]", "names = []", 14, "`names` has 0 entries", "1 to 16"),
        ("seed = 7", "seed = -1", 14, "`seed` is -1.0", "a whole number"),
        ("seed = 7", "sed = 7", 14, "unknown key `sed`", "`seed`"),
        ("0.1*i", "0.1*j", 17, "unknown name `j`", "a number or a formula"),
        ("repeat = {", "repaet = {", 14, "unknown key `repaet`", "`repeat`"),
        ("\"bead0\"", "\"bead\"", 21, "there is no body \"bead\"", "bead0"),
    ] {
        assert!(CHAIN.contains(from), "{from}");
        let error = scene(&CHAIN.replacen(from, to, 1)).expect_err(to).to_string();
        let said = error.matches(message).count();
        assert_eq!(said, 1, "{to}: {error}");
        let place = format!("repeat.toml:{line}:");
        assert!(error.lines().any(|l| l.starts_with(&place) && l.contains(message)), "{to}: {error}");
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn the_number_is_not_known_outside_of_the_body() {
    let error = scene(&CHAIN.replace("anchors = [[0,", "anchors = [[\"i\",")).unwrap_err().to_string();
    assert!(error.contains("unknown name `i`"), "{error}");
}

const STACK: &str = r#"
scene = { name = "stack", description = "bodies above each other", dimension = 3 }
world = { gravity = [0, 0, -9.81] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 1 }
[[body]]
name = "floor"
shape.box.size = [1, 1, 1]
material = "rock"
fixed = true
repeat = { count = 45000, index = "i" }
position = [0, 0, "2*i"]
[[contact]]
between = ["rock", "rock"]
friction = 0.5
"#;

/// Bodies above each other are looked at in no time; as many in one place are too many to look at, which is said.
#[test]
fn looking_for_overlaps_is_bounded() {
    scene(STACK).unwrap_or_else(|e| panic!("{e}"));
    let error = scene(&STACK.replace("[0, 0, \"2*i\"]", "[0, 0, 0]")).expect_err("too many").to_string();
    assert!(
        error.contains("too many bodies lie beside each other") && error.contains("expected fewer"),
        "{error}"
    );
}
