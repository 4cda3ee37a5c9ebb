//! Loops stay closed.

use crate::common;

#[test]
fn the_four_bar_loop_stays_closed() {
    for stepper in ["stewart-trinkle", "moreau"] {
        let stepper = format!("stepper={stepper}");
        let scene = common::scene("four-bar", &[&stepper, "friction=0.001", "until=60", "step=2e-3"]);
        let mut worst = 0.0f64;
        let end = common::run(&scene, |s| worst = worst.max(s.last().certificate.joint));
        assert!(worst < 1e-9, "{stepper}: loop gap {worst:e}");
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    }
}

/// The four-bar linkage with a motor of 6 rad/s instead of friction, for a time. Returns the largest gap of the loop in
/// each fifth of it.
fn driven_four_bar(stepper: &str, step: f64, until: f64) -> [f64; 5] {
    let four_bar = include_str!("../../../../../scenes/four-bar.toml");
    let text = four_bar.replacen("friction = \"friction\"", "motor = { speed = 6, bound = 20 }", 1);
    let overrides = stickslip_scene::Overrides {
        stepper: Some(stepper.to_owned()),
        step: Some(step.to_string()),
        until: Some(until.to_string()),
        ..Default::default()
    };
    let scene = stickslip_scene::parse("driven.toml", &text, &overrides).unwrap();
    let mut worst = [0.0f64; 5];
    let end = common::run(&scene, |s| {
        let fifth = ((5.0 * s.state().t / until) as usize).min(4);
        worst[fifth] = worst[fifth].max(s.last().certificate.joint);
    });
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    let turns = end.state().positions[0] / std::f64::consts::TAU;
    println!("{stepper}: {turns} turns in {until} s, loop gap at most, by fifths, {worst:?} m");
    assert!((turns * std::f64::consts::TAU / (6.0 * until) - 1.0).abs() < 0.01, "{turns}");
    worst
}

/// Five minutes: what there is of a gap is the rounding of the angles that the bodies have turned through, some 1800
/// rad; nothing else grows.
#[test]
fn a_driven_four_bar_loop_stays_closed() {
    for stepper in ["stewart-trinkle", "moreau"] {
        let gaps = driven_four_bar(stepper, 2e-2, 300.0);
        for (fifth, gap) in gaps.iter().enumerate() {
            let angle = 6.0 * 60.0 * (fifth + 1) as f64;
            assert!(*gap < f64::EPSILON * angle, "{stepper}: {gaps:?}");
        }
    }
}

#[test]
#[ignore = "an hour of simulated time takes minutes"]
fn a_driven_four_bar_loop_stays_closed_for_an_hour() {
    for stepper in ["stewart-trinkle", "moreau"] {
        assert!(driven_four_bar(stepper, 1e-2, 3600.0).iter().all(|gap| *gap < 1e-9));
    }
}
