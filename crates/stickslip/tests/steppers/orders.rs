//! The order of every dynamic time-stepper in a smooth phase, against the event-driven one at order 8 and 1e-12. What
//! moves without inertia has its test in `tripod.rs`, `gauss` in `gauss.rs`, `event` in `event.rs`.

use crate::common;

/// Coordinates at the end of a certified run.
fn end(name: &str, stepper: &str, step: f64, changes: &[&str]) -> Vec<f64> {
    let (stepper, step) = (format!("stepper={stepper}"), format!("step={step}"));
    let all: Vec<&str> = changes.iter().copied().chain([stepper.as_str(), step.as_str()]).collect();
    let scene = common::scene(name, &all);
    let run = common::run(&scene, |_| {});
    assert_eq!(run.certificate().missed_steps, 0, "{name} {stepper}");
    run.state().q.clone()
}

/// Ratios of the errors when the step is halved, twice.
fn ratios(name: &str, stepper: &str, step: f64, changes: &[&str]) -> [f64; 2] {
    let tight = ["simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];
    let tight: Vec<&str> = changes.iter().copied().chain(tight).collect();
    let exact = end(name, "event", 0.01, &tight);
    let error = |h: f64| {
        let found = end(name, stepper, h, changes);
        found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let errors = [step, 0.5 * step, 0.25 * step].map(error);
    println!("{name} {stepper}: errors {errors:?}");
    [errors[0] / errors[1], errors[1] / errors[2]]
}

#[test]
fn a_pendulum_on_a_sliding_block_is_of_first_order() {
    for stepper in ["stewart-trinkle", "anitescu-potra", "implicit"] {
        let found = ratios("pendulum-on-block", stepper, 2e-3, &["until=0.5"]);
        assert!(found.iter().all(|r| (1.8..2.2).contains(r)), "{stepper}: {found:?}");
    }
    // the midpoint rule is of second order as long as nothing happens, of first order over events (`woodpecker.rs`)
    let found = ratios("pendulum-on-block", "moreau", 2e-3, &["until=0.5"]);
    assert!(found.iter().all(|r| (3.6..4.4).contains(r)), "moreau: {found:?}");
}

#[test]
fn a_disc_that_sinks_into_a_layer_is_of_first_order() {
    for stepper in ["compliant", "compliant-implicit"] {
        let found = ratios("compliant-disc", stepper, 1e-4, &["core_depth=1", "until=0.36"]);
        assert!(found.iter().all(|r| (1.8..2.2).contains(r)), "{stepper}: {found:?}");
    }
}
