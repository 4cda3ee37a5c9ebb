//! The examples of `docs/scene-files.md` are scenes.

use stickslip_scene::{Overrides, parse};

const REFERENCE: &str = include_str!("../../../../docs/scene-files.md");

#[test]
fn every_example_of_the_reference_reads_and_runs() {
    let blocks: Vec<&str> =
        REFERENCE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 5);
    for text in blocks {
        let scene =
            parse("scene-files.md", text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let settings = stickslip::simulation::Settings {
            step: scene.step,
            until: scene.until,
            tolerance: scene.tolerance,
        };
        let mut run =
            stickslip::simulation::Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        while !run.is_done() {
            run.advance().unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        }
        assert_eq!(run.certificate().missed_steps, 0, "{}: {:?}", scene.name, run.certificate());
    }
}
