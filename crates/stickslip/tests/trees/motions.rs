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

/// Contacts, limits, dry friction and motors, in joint coordinates and in body coordinates: where bodies are at the end
/// goes together with the step.
#[test]
fn mechanisms_that_fall_on_a_floor_do_the_same() {
    for (stepper, seeds) in [("stewart-trinkle", 0..12), ("convex", 0..6), ("moreau", 0..6)] {
        for seed in seeds {
            let with = With { stops: true, floor: true, gear: seed % 5 == 2, ..With::default() };
            let mechanism = Mechanism::new(seed, with);
            let off = [4e-3, 5e-4].map(|step| {
                let tolerance = "\n\n[tolerance]\npenetration = 1e-1";
                let simulation = format!("stepper = \"{stepper}\"\nstep = {step}{tolerance}");
                let [tree, world] = ["joint", "body"].map(|coordinates| {
                    let scene = mechanism.scene(coordinates, &simulation, Some(-1.3));
                    let mut run = common::simulation(&scene);
                    while run.state().t < 0.4 - 1e-9 {
                        run.advance().unwrap();
                        let last = &run.last().certificate;
                        assert!(
                            run.held() || coordinates == "body",
                            "{last:?} at {}\n{}",
                            run.state().t,
                            scene.text
                        );
                    }
                    bodies(scene.system.as_ref(), run.state()).q
                });
                distance(&tree, &world)
            });
            println!("{stepper} seed {seed}: {off:?}");
            assert!(off[1] < 0.3 * off[0] || off[1] < 1e-4, "{stepper} seed {seed}: {off:?}");
        }
    }
}

/// The forces that joints carry are told as in body coordinates, where they are impulses of rows; to the order of the
/// step.
#[test]
fn joints_carry_what_they_carry_in_body_coordinates() {
    for seed in 0..16 {
        let with = With {
            forces: seed % 2 == 0,
            stops: seed % 4 == 1,
            floor: seed % 3 == 1,
            gear: seed % 5 == 2,
            closed: seed % 4 == 3,
        };
        let mechanism = Mechanism::new(seed, with);
        let off = [2e-3, 2.5e-4].map(|step| {
            let simulation = format!("stepper = \"stewart-trinkle\"\nstep = {step}");
            let [tree, world] = ["joint", "body"].map(|coordinates| {
                let scene = mechanism.scene(coordinates, &simulation, with.floor.then_some(-4.0));
                let mut run = common::simulation(&scene);
                while run.state().t < 0.1 - 1e-9 {
                    run.advance().unwrap();
                }
                let reactions = scene.system.reactions(run.last());
                reactions.iter().flat_map(|r| r.force.iter().chain(&r.torque).copied()).collect::<Vec<f64>>()
            });
            assert_eq!(tree.len(), world.len());
            let size = world.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            tree.iter().zip(&world).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
        });
        println!("seed {seed}: {off:?}");
        assert!(off[1] < 5e-3 && (off[1] < 0.3 * off[0] || off[1] < 1e-6), "seed {seed}: {off:?}");
    }
}
