//! Trials against the closed form of a box on a belt: it slips until t = v/(mu g), then rides along.

use stickslip_study::{Study, trial};

const STUDY: &str = r#"
[study]
name = "belt"
description = "a box on a belt"
kind = "sweep"
scene = "conveyor"
seed = 3

[set]
"simulation.step" = 1e-3

[parameters]
speed = { values = [0.5, 1.0] }
z = { uniform = [0.3, 0.5] }
friction = "2*z - z"
load = { log_uniform = [1, 10], sets = "body.box.mass" }

[trials]
repeats = 3

[quantities]
rides = { first = "box.vx >= 0.999*speed" }
way = { end = "box.x" }
press = { mean = "contact.box.belt.force", from = 0.1 }
drag = { max = "contact.box.belt.friction" }
slipping = { max = "contact.box.belt.slip" }
work = { end = "energy.dissipated_friction" }
due = "speed/(friction*9.81)"

[outcomes]
late = "rides > 0.25"
"#;

fn error(text: &str) -> String {
    Study::parse("belt.toml", text, None).unwrap_err().to_string()
}

#[test]
fn quantities_are_those_of_the_closed_form() {
    let study = Study::parse("belt.toml", STUDY, None).unwrap();
    assert_eq!(study.cells(), 2);
    for index in 0..6 {
        let values = study.trial_values(index);
        let [speed, z, friction, load] = values[..] else { panic!() };
        assert_eq!(speed, if index % 2 == 0 { 0.5 } else { 1.0 });
        assert!(z == friction && (0.3..0.5).contains(&z) && (1.0..10.0).contains(&load));
        let trial = trial::run(&study, &values);
        assert!(trial.is_certified(), "{trial:?}");
        let [rides, way, press, drag, slipping, work, due] = trial.quantities[..] else { panic!() };
        let (mu_g, step) = (friction * 9.81, 1e-3);
        assert!((rides - 0.999 * speed / mu_g).abs() < step, "{rides} {due}");
        assert!((way - (speed - 0.5 * speed * speed / mu_g)).abs() < speed * step, "{way}");
        assert!((press - load * 9.81).abs() < 1e-9 * press, "{press}");
        assert!((drag - load * mu_g).abs() < 1e-6 * drag, "{drag}");
        // the first step already takes mu g h off the slip
        assert!((slipping - (speed - mu_g * step)).abs() < 1e-9, "{slipping}");
        // the belt's work less what the box keeps: m v²/2 is lost to slipping
        assert!((work.abs() - 0.5 * load * speed * speed).abs() < 2.0 * load * mu_g * speed * step, "{work}");
        assert_eq!(trial.outcomes, [rides > 0.25]);
    }
    // a trial's numbers depend on its index only
    assert_eq!(study.trial_values(4), Study::parse("x", STUDY, None).unwrap().trial_values(4));
    assert_ne!(study.trial_values(4)[1], study.trial_values(2)[1]);
}

#[test]
fn a_trial_that_cannot_run_says_why() {
    let study = Study::parse("belt.toml", STUDY, None).unwrap();
    let trial = trial::run(&study, &[1.0, 0.3, -0.3, 2.0]);
    println!("{:?}", trial.failure);
    assert!(!trial.is_certified() && trial.failure.unwrap().contains("friction"));
    assert_eq!(trial.outcomes, [false]);
}

#[test]
fn broken_studies_are_told_where() {
    for (from, to, line, says) in [
        ("kind = \"sweep\"", "kind = \"swep\"", 5, "`sweep`"),
        ("scene = \"conveyor\"", "scene = \"conveyr\"", 6, "`conveyor`"),
        ("seed = 3", "sead = 3", 7, "`seed`"),
        ("\"simulation.step\" = 1e-3", "\"simulation.stp\" = 1e-3", 6, "`step`"),
        ("z = { uniform = [0.3, 0.5] }", "z = { uniform = [0.5, 0.3] }", 14, "smaller number first"),
        (
            "z = { uniform = [0.3, 0.5] }",
            "z = { start = 0.3, lower = 0, upper = 1 }",
            14,
            "a sweep seeks nothing",
        ),
        ("z = { uniform = [0.3, 0.5] }", "z = { unifrm = [0.5, 0.3] }", 14, "`uniform`"),
        ("friction = \"2*z - z\"", "frction = \"2*z - z\"", 15, "nothing uses the parameter `frction`"),
        ("friction = \"2*z - z\"", "friction = \"2*load\"", 15, "unknown name `load`"),
        ("repeats = 3", "repeats = 0", 19, "whole number"),
        ("box.vx >=", "bx.vx >=", 22, "`box.vx`"),
        ("box.vx >=", "box.vx -", 22, "a comparison"),
        ("{ end = \"box.x\" }", "{ end = \"box.x\", from = 2, to = 1 }", 23, "`from` before `to`"),
        ("{ end = \"box.x\" }", "{ ends = \"box.x\" }", 23, "`end`"),
        ("contact.box.belt.force", "contact.box.bolt.force", 24, "unknown name `contact.box.bolt.force`"),
        ("rides > 0.25", "rides", 31, "neither true nor false"),
        ("rides > 0.25", "ride > 0.25", 31, "`rides`"),
        ("[outcomes]", "[outcome]", 30, "`outcomes`"),
    ] {
        let text = STUDY.replace(from, to);
        assert_ne!(text, STUDY);
        let error = error(&text);
        println!("{error}\n");
        assert!(
            error.contains(&format!("belt.toml:{line}:")) && error.contains(says),
            "{line} {says}: {error}"
        );
    }
}
