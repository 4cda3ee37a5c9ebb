//! The study `needle-push` [Berard 2009, §4.3.2]: motion without inertia has no time and no unit of force of its own.

use stickslip::simulation::{Settings, Simulation};
use stickslip_study::study::SceneText;
use stickslip_study::{Study, builtin};

/// Where the peg ends: x, y (m), angle (rad).
fn end(scene: &SceneText, values: &[(&str, f64)]) -> Vec<f64> {
    let scene = scene.with(values).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        assert!(simulation.advance().unwrap(), "t = {}", simulation.state().t);
    }
    simulation.state().q[..3].to_vec()
}

#[test]
fn the_push_does_not_depend_on_how_heavy_the_peg_or_how_rough_the_table_is() {
    let study = Study::parse("needle-push", builtin::find("needle-push").unwrap(), None).unwrap();
    let push = |surface: f64, mass: f64| {
        let values = [("offset", -1e-4), ("direction", 0.0), ("length", 1.2e-3), ("bend", 0.0)];
        let more = [("surface", surface), ("body.peg.mass", mass), ("simulation.step", 0.005)];
        let loose = [("tolerance.penetration", 1e-7)];
        end(&study.scene, &[&values[..], &more[..], &loose[..]].concat())
    };
    let here = push(0.4, 4.8e-6);
    println!("{here:?}");
    // it is moved by about as much as it is pushed, and turned to the left by a straight push right of its middle
    assert!((0.5e-3..1.3e-3).contains(&here[0]) && here[2] > 0.05, "{here:?}");
    for (surface, mass) in [(0.1, 4.8e-6), (0.9, 4.8e-6), (0.4, 4.8e-3)] {
        let there = push(surface, mass);
        println!("{there:?}");
        // steps are solved to 1e-9; the peg turns a little more with every step
        for (a, b) in here.iter().zip(&there) {
            assert!((a - b).abs() < 1e-10 * a.abs(), "{here:?} {there:?}");
        }
    }
}
