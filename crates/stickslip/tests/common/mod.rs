//! Runs scenes for the tests.
#![allow(dead_code)]

use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::{Overrides, Scene};

/// A built-in scene with `--set` style changes; `stepper=`, `cone=`, `solver=`, `step=` and `until=` without dots are
/// the command line's shorthands.
pub fn scene(name: &str, changes: &[&str]) -> Scene {
    let mut overrides = Overrides::default();
    for change in changes {
        let (key, value) = change.split_once('=').expect("KEY=VALUE");
        let value = value.to_owned();
        match key {
            "stepper" => overrides.stepper = Some(value),
            "cone" => overrides.cone = Some(value),
            "solver" => overrides.solver = Some(value),
            "step" => overrides.step = Some(value),
            "until" => overrides.until = Some(value),
            _ => overrides.set.push((*change).to_owned()),
        }
    }
    stickslip_scene::load(name, &overrides).unwrap_or_else(|e| panic!("{name} {changes:?}: {e}"))
}

/// The simulation of a scene, at its start.
pub fn simulation(scene: &Scene) -> Simulation<'_> {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings)
}

/// Runs a scene to its end, showing every step to `each`.
pub fn run<'a>(scene: &'a Scene, mut each: impl FnMut(&Simulation)) -> Simulation<'a> {
    let mut simulation = simulation(scene);
    while !simulation.is_done() {
        simulation.advance().unwrap();
        each(&simulation);
    }
    simulation
}

/// A built-in scene that is written for the event-driven stepper, for another: without the keys that only that one
/// takes.
pub fn scene_without_event_keys(name: &str, changes: &[&str]) -> Scene {
    let (_, text) =
        stickslip_scene::builtin().iter().find(|(known, _)| *known == name).expect("a built-in scene");
    let own = ["order", "absolute", "relative"];
    let keep = |line: &&str| !own.contains(&line.split_whitespace().next().unwrap_or(""));
    let text: String = text.lines().filter(keep).flat_map(|l| [l, "\n"]).collect();
    let mut overrides = Overrides::default();
    for change in changes {
        let (key, value) = change.split_once('=').expect("KEY=VALUE");
        match key {
            "stepper" => overrides.stepper = Some(value.to_owned()),
            "step" => overrides.step = Some(value.to_owned()),
            _ => overrides.set.push((*change).to_owned()),
        }
    }
    stickslip_scene::parse(name, &text, &overrides).unwrap_or_else(|e| panic!("{name} {changes:?}: {e}"))
}
