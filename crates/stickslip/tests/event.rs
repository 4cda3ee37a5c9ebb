//! The event-driven stepper against exact solutions.

mod common;

use stickslip::events::{Event, EventKind, Modes};
use stickslip::simulation::Simulation;

/// The changes that turn a scene into an event-driven one.
const EVENT: [&str; 4] =
    ["stepper=event", "simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];

/// Runs to the end and collects the events, with the names of their contacts.
fn events(name: &str, changes: &[&str], mut each: impl FnMut(&Simulation)) -> Vec<(Event, String)> {
    let scene = common::scene(name, changes);
    let (mut modes, mut list, mut all) = (Modes::default(), Vec::new(), Vec::new());
    common::run(&scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        all.extend(list.iter().map(|e| (*e, s.system().label(e.id))));
        each(s);
    });
    all
}

#[test]
fn the_coulomb_oscillator_rests_after_thirteen_half_cycles() {
    let mut end = (0.0, 0.0);
    let all = events("coulomb-oscillator", &[], |s| end = (s.state().q[0], s.state().u[0]));
    for (e, label) in &all {
        println!("{:.13} {} {label} {}", e.t, e.kind.name(), e.value);
    }
    let turns: Vec<f64> = all
        .iter()
        .filter(|(e, _)| matches!(e.kind, EventKind::Slip | EventKind::Stick))
        .map(|(e, _)| e.t)
        .collect();
    assert_eq!(turns.len(), 13, "{turns:?}");
    for (k, t) in turns.iter().enumerate() {
        let exact = (k + 1) as f64 * std::f64::consts::PI / 10.0;
        assert!((t - exact).abs() < 1e-10, "{k}: {t} {exact}");
    }
    assert!((end.0 - 0.01).abs() < 1e-10 && end.1 == 0.0, "{end:?}");
}

#[test]
fn two_spheres_times() {
    let all = events("two-spheres", &[], |_| {});
    for (e, label) in &all {
        println!("{:.9} {} {label} {}", e.t, e.kind.name(), e.value);
    }
}

#[test]
fn explore() {
    for (name, until) in [
        ("bouncing-ball", "2"),
        ("woodpecker", "0.1"),
        ("double-pendulum", "2"),
        ("pendulum-on-block", "2"),
        ("pendulum-on-rough-block", "2"),
        ("pushed-block", "2"),
        ("pushed-block-on-belt", "2"),
        ("belt-spring-particle", "2"),
        ("four-bar", "5"),
        ("incline", "1"),
        ("slide-to-roll", "1"),
        ("conveyor", "1"),
        ("painleve-rod", "0.05"),
        ("two-point-block", "0.1"),
    ] {
        let mut changes = EVENT.to_vec();
        let until = format!("until={until}");
        changes.extend([until.as_str(), "step=0.01", "solver=auto"]);
        let scene = common::scene(name, &changes);
        let mut s = common::simulation(&scene);
        let start = std::time::Instant::now();
        let mut count = [0usize; 2];
        let mut list = Vec::new();
        let failed = loop {
            if s.is_done() {
                break None;
            }
            match s.advance() {
                Ok(_) => {
                    count[0] += s.last().report.iterations;
                    list.extend(s.last().events.clone().unwrap());
                }
                Err(e) => break Some(e.to_string()),
            }
        };
        println!(
            "{name}: t {} evaluations {} events {} in {:?} {failed:?}",
            s.state().t,
            count[0],
            list.len(),
            start.elapsed()
        );
        println!("   {:?}\n   {:?} q {:?}", s.certificate().worst, s.ledger(), s.state().q);
        for e in list.iter().take(24) {
            print!(" {:.9} {} {},", e.t, e.kind.name(), s.system().label(e.id));
        }
        println!();
    }
}
