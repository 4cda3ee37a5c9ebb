//! The same mechanism moves in the same way, whatever its coordinates.

use crate::common;
use crate::random::{Mechanism, With, bodies};

/// Where the bodies are at the end, in joint and in body coordinates. In joint coordinates every step is certified. (In
/// body coordinates two bodies that are welded and fall have rounding on their joint alone, which is judged by itself.)
fn ends(mechanism: &Mechanism, simulation: &str, until: f64) -> [Vec<f64>; 2] {
    ["joint", "body"].map(|coordinates| {
        let scene = mechanism.scene(coordinates, simulation, None);
        let mut run = common::simulation(&scene);
        while run.state().t < until - 1e-9 {
            run.advance().unwrap();
            let last = &run.last().certificate;
            assert!(run.held() || coordinates == "body", "{last:?} at {}\n{}", run.state().t, scene.text);
        }
        bodies(scene.system.as_ref(), run.state()).q
    })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    // quaternions of either sign
    let d = a.iter().zip(b).map(|(x, y)| (x - y).abs().min((x + y).abs()));
    d.fold(0.0, f64::max)
}

const EVENT: &str = "stepper = \"event\"\nstep = 0.05\norder = 8\nabsolute = 1e-12\nrelative = 1e-12";

/// To 1e-9: positions are of size one, and both integrate to 1e-12 of themselves.
#[test]
fn smooth_phases_and_events_agree_to_the_accuracy_of_the_integration() {
    for seed in 0..20 {
        let with = With {
            forces: seed % 2 == 0,
            stops: seed % 4 == 1,
            gear: seed % 5 == 2,
            closed: seed % 4 == 3,
            ..With::default()
        };
        let mechanism = Mechanism::new(seed, with);
        let [tree, world] = ends(&mechanism, EVENT, 0.5);
        let off = distance(&tree, &world);
        println!("seed {seed}: {off:e}");
        assert!(off < 1e-9, "seed {seed}: {off:e}");
    }
}

/// First order under one, second under the other: the difference goes down with the step.
#[test]
fn time_steppers_agree_to_their_order() {
    for (stepper, order) in [("stewart-trinkle", 1), ("anitescu-potra", 1), ("moreau", 2), ("implicit", 1)] {
        for seed in 0..8 {
            let with = With { forces: seed % 2 == 0, closed: seed % 4 == 3, ..With::default() };
            let mechanism = Mechanism::new(seed, with);
            let off = [4e-3, 1e-3].map(|step| {
                let simulation = format!("stepper = \"{stepper}\"\nstep = {step}");
                let [tree, world] = ends(&mechanism, &simulation, 0.2);
                distance(&tree, &world)
            });
            println!("{stepper} seed {seed}: {off:?}");
            let shrinks = off[1] < 1.3 * off[0] / 4.0f64.powi(order) || off[1] < 1e-9;
            assert!(shrinks && off[1] < 2e-3, "{stepper} seed {seed}: {off:?}");
        }
    }
}
