//! The built-in part feeder: its cavity turns the cup whichever way it comes, its stages are what they say, and none of
//! them is in the way of the good ones.

use stickslip::simulation::{Settings, Simulation};
use stickslip::system::Description;
use stickslip_scene::{Overrides, load};
use stickslip_study::Study;
use stickslip_study::sweep::stages::{Spent, run};

#[test]
fn the_cup_comes_out_base_down_whichever_way_it_comes() {
    for entry in [0, 1] {
        for friction in [0.04, 0.1] {
            let set = vec![format!("entry={entry}"), format!("friction={friction:?}")];
            let scene = load("part-feeder", &Overrides { set, ..Overrides::default() }).unwrap();
            let value = |name: &str| scene.parameters.iter().find(|p| p.0 == name).map_or(f64::NAN, |p| p.1);
            let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
            let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
            while !run.is_done() {
                assert!(run.advance().unwrap(), "{:?}", run.certificate());
            }
            let Description::Body { position, orientation, .. } = &scene.system.describe(run.state())[0]
            else {
                panic!("the cup is a body")
            };
            println!("entry {entry}, friction {friction}: {position:?} {orientation:?}");
            // it stands on the floor of the lower chute, 60 mm below its mouth: base 20 x 10 mm and two walls of 2 x 15
            // mm
            let height = (0.2 * 5.0 + 0.06 * 17.5) / 0.26 * 1e-3;
            assert!((position[1] - (height - value("exit_y") - 0.06)).abs() < 1e-9);
            assert!(orientation[0].cos() > 1.0 - 1e-9);
        }
    }
}

/// The least distance from the origin to the line from a to b, by looking at many points.
fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let at = |k: u32| f64::from(k) / 20_000.0;
    let far = |s: f64| (a[0] + s * (b[0] - a[0])).hypot(a[1] + s * (b[1] - a[1]));
    (0..=20_000).map(|k| far(at(k))).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_geometric_stage_measures_the_room_beside_the_peg() {
    let study = Study::load("part-feeder").unwrap_or_else(|e| panic!("{e}"));
    for index in 0..30 {
        let values = study.trial_values(index);
        let value = |name: &str| values[study.parameters.iter().position(|p| p.name == name).unwrap()];
        let from_peg = |x: f64, depth: f64| [x - value("peg_x"), depth - value("peg_y")];
        for (side, sign) in [("left", -1.0), ("right", 1.0)] {
            let of = |name: &str| value(&format!("{side}_{name}"));
            let a = from_peg(sign * value("chute"), of("top"));
            let b = from_peg(sign * (value("chute") + of("out")), of("top") + of("drop"));
            let c = from_peg(value("exit_x") + sign * value("exit"), value("peg_y") + value("exit_drop"));
            let gap = distance(a, b).min(distance(b, c)) - value("peg_r");
            assert!((of("gap") - gap).abs() < 1e-9, "{side} of {index}: {} {gap}", of("gap"));
        }
    }
}

#[test]
fn a_good_cavity_passes_all_stages_and_others_end_early() {
    let study = Study::load("part-feeder").unwrap_or_else(|e| panic!("{e}"));
    let mut spent = Spent::new(&study);
    // the first that passes; one that has no room; one whose peg does not tip the cup
    for (index, stage, passed) in [(76, 2, true), (5, 0, false), (2, 1, false)] {
        let trial = run(&study, &study.trial_values(index), &mut spent);
        let passage = trial.passage.unwrap();
        println!("{index}: {passage:?}");
        assert_eq!(
            (passage.stage, passage.passed, passage.audit),
            (stage, passed, (!passed).then_some(false))
        );
        println!("{} of {} steps missed", trial.missed_steps, trial.steps);
        // a step in which a corner slides off another may be missed, and says so
        assert!(50 * trial.missed_steps <= trial.steps, "{index}: {} of {}", trial.missed_steps, trial.steps);
    }
}
