//! `[[no_contact]]` and `center_of_mass`.

use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::{Model, Overrides, Scene, parse};

const HEAD: &str = r#"
[scene]
name = "apart"
description = "a ball above a shelf above the floor"
dimension = 3
[world]
gravity = [0, 0, -10]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 1.0
"#;

const BALL: &str = r#"
[[body]]
name = "floor"
fixed = true
shape.half_space = {}
material = "stone"
[[body]]
name = "shelf"
fixed = true
shape.box.size = [1, 1, 0.1]
material = "wood"
position = [0, 0, 1]
[[body]]
name = "ball"
mass = 1
shape.sphere.radius = 0.1
material = "rubber"
position = [0, 0, 1.15]
[[contact]]
between = ["rubber", "stone"]
friction = 0.5
"#;

const SHELF: &str = "[[contact]]\nbetween = [\"rubber\", \"wood\"]\nfriction = 0.5\n";

fn scene(parts: &[&str]) -> Scene {
    let text = [&[HEAD], parts].concat().concat();
    parse("apart.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(parts: &[&str]) -> String {
    let text = [&[HEAD], parts].concat().concat();
    match parse("apart.toml", &text, &Overrides::default()) {
        Ok(_) => panic!("taken:\n{text}"),
        Err(error) => error.to_string(),
    }
}

fn run(scene: &Scene) -> Simulation<'_> {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!(simulation.certificate().missed_steps, 0);
    simulation
}

#[test]
fn a_ball_falls_through_what_it_is_kept_apart_from_and_rests_on_the_rest() {
    let rests = scene(&[BALL, SHELF]);
    assert!((run(&rests).state().q[2] - 1.15).abs() < 1e-12);
    let falls = scene(&[BALL, "[[no_contact]]\nbetween = [\"ball\", \"shelf\"]\n"]);
    assert!((run(&falls).state().q[2] - 0.1).abs() < 1e-12);
    let Model::World(world) = &falls.model else { panic!() };
    assert_eq!(world.apart, [["shelf".to_owned(), "ball".to_owned()]]);
    assert_eq!(world.touching.len(), 1);
    assert_eq!(world.touching[0].materials, ["rubber", "stone"]);
}

#[test]
fn overlap_is_allowed_and_a_law_needed_only_where_bodies_can_touch() {
    let inside = BALL.replace("[0, 0, 1.15]", "[0, 0, 1]");
    assert!(refusal(&[&inside, SHELF]).contains("overlap"));
    scene(&[&inside, "[[no_contact]]\nbetween = [\"ball\", \"shelf\"]\n"]);
    // another ball of the same surface still needs the law
    let second = BALL.replace("[[contact]]", "[[body]]\nname = \"other\"\nmass = 1\nshape.sphere.radius = 0.1\nmaterial = \"rubber\"\nposition = [3, 0, 1]\n[[contact]]");
    let own = "[[contact]]\nbetween = [\"rubber\", \"rubber\"]\nfriction = 0\n";
    let apart = "[[no_contact]]\nbetween = [\"ball\", \"shelf\"]\n";
    assert!(refusal(&[&second, own, apart]).contains("`other` and `shelf` can touch"));
    // three bodies in one list: no pair of them touches
    let all = "[[no_contact]]\nbetween = [\"ball\", \"shelf\", \"other\"]\n";
    let Model::World(world) = scene(&[&second, all]).model else { panic!() };
    assert_eq!(world.apart.len(), 3);
}

#[test]
fn wrong_lists_of_bodies_are_refused_with_their_place() {
    for (list, said) in [
        ("[\"ball\", \"shelff\"]", "there is no body \"shelff\"; expected `shelf`"),
        ("[\"ball\", \"wood\"]", "there is no body \"wood\""),
        ("[\"ball\"]", "fewer than two"),
        ("[\"ball\", \"ball\"]", "named twice"),
        ("\"ball\"", "is a string"),
        ("[1, 2]", "is a number"),
    ] {
        let error = refusal(&[BALL, SHELF, &format!("[[no_contact]]\nbetween = {list}\n")]);
        assert!(error.contains("apart.toml:38:") && error.contains(said), "{list}: {error}");
    }
    assert!(refusal(&[BALL, SHELF, "[[no_contact]]\nbodies = 1\n"]).contains("unknown key `bodies`"));
}

/// The normal forces of a block whose centre of mass is off its middle balance the moment of its weight.
#[test]
fn an_eccentric_block_presses_harder_on_its_heavy_side() {
    let block = |extra: &str| {
        format!(
            "[[body]]\nname = \"floor\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"stone\"\n[[body]]\nname = \"block\"\n\
             mass = 2\nmaterial = \"wood\"\nshape.box.size = [1, 1, 1]\nposition = [3, 0, 0.5]\n{extra}\n[[contact]]\n\
             between = [\"wood\", \"stone\"]\nfriction = 0.5\n"
        )
    };
    let scene = scene(&[&block("inertia = [0.3, 0.3, 0.3]\ncenter_of_mass = [0.2, 0, -0.1]")]);
    let simulation = run(&scene);
    assert!((simulation.state().q[0] - 3.2).abs() < 1e-12 && (simulation.state().q[2] - 0.4).abs() < 1e-12);
    let mut sides = [0.0; 2];
    for outcome in &simulation.last().outcomes {
        sides[usize::from(outcome.constraint.point.x > 3.0)] += outcome.impulse[0] / 0.01;
    }
    println!("left {} N, right {} N", sides[0], sides[1]);
    assert!((sides[0] - 0.3 * 20.0).abs() < 1e-9 && (sides[1] - 0.7 * 20.0).abs() < 1e-9, "{sides:?}");
    for (extra, said) in [
        ("center_of_mass = [0, 0, 0]", "has no `inertia`"),
        ("inertia = [1, 1, 1]\ncenter_of_mass = [0, 0]", "2 entries"),
        ("inertia = [1, 1, 1]\ncenter_of_mass = 3", "is a number"),
    ] {
        assert!(refusal(&[&block(extra)]).contains(said), "{extra}: {}", refusal(&[&block(extra)]));
    }
    let fixed = block("center_of_mass = [0, 0, 0]\nfixed = true").replace("mass = 2\n", "");
    assert!(refusal(&[&fixed]).contains("is fixed or driven"), "{}", refusal(&[&fixed]));
}
