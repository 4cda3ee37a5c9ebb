//! Functions of time that a program gives: a scene names them, and cannot be had without them.

use std::sync::Arc;
use stickslip::function::{Function, Polynomial};
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip_scene::{Functions, Overrides, Scene, builtin, parse_with};

/// The built-in scene with the pusher's x given by a program.
fn text() -> String {
    let (_, text) = builtin().iter().find(|(name, _)| *name == "pushed-block").unwrap();
    let given = text.replace("{ polynomial = [-0.5, 0, 0.25] }", "{ program = \"push\" }");
    assert_ne!(&given, text);
    given
}

fn functions(name: &str) -> Functions {
    let push: Arc<dyn Function> = Arc::new(Polynomial(vec![-0.5, 0.0, 0.25]));
    Functions::from([(name.to_owned(), push)])
}

fn end(scene: &Scene) -> State {
    let settings = Settings { step: scene.step, until: 0.2, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().unwrap();
    }
    simulation.state().clone()
}

#[test]
fn a_body_driven_by_a_program_moves_as_by_the_file() {
    let given = parse_with("s.toml", &text(), &Overrides::default(), None, &functions("push")).unwrap();
    let plain = stickslip_scene::load("pushed-block", &Overrides::default()).unwrap();
    assert_eq!(end(&given), end(&plain));
}

#[test]
fn without_the_program_the_scene_says_what_is_missing() {
    let error = stickslip_scene::parse("s.toml", &text(), &Overrides::default()).unwrap_err().to_string();
    assert!(error.contains("s.toml:") && error.contains("no program gives the function \"push\""), "{error}");
    let others = parse_with("s.toml", &text(), &Overrides::default(), None, &functions("pull")).unwrap_err();
    assert!(others.to_string().contains("pull"), "{others}");
}
