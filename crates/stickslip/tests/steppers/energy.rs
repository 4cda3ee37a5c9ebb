//! The energy ledger closes to rounding in every step of every scene, under every stepper that takes it.

use crate::common;

/// Runs a scene and returns the worst relative imbalance of a step and the error of the whole run's balance.
fn imbalance(name: &str, changes: &[&str]) -> (f64, f64) {
    let scene = common::scene(name, changes);
    let start = *common::simulation(&scene).ledger();
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let work = &s.last().work;
        // relative to what the step moves: all single works, and the energy it works on
        let size = work.turnover.max(s.last().kinetic);
        if size > 0.0 {
            worst = worst.max(work.imbalance().abs() / size);
        }
    });
    let l = end.ledger();
    let change = (l.kinetic + l.potential) - (start.kinetic + start.potential);
    let explained = l.work_in - l.dissipated_friction - l.dissipated_impact + l.discretisation + l.imbalance;
    let size = start.kinetic.abs() + start.potential.abs() + l.dissipated_friction + l.dissipated_impact;
    (worst, (change - explained).abs() / size)
}

#[test]
fn the_ledger_closes_in_every_step_of_every_scene() {
    let runs: &[(&str, &[&str])] = &[
        ("slide-to-roll", &["step=1e-3"]),
        ("slide-to-roll", &["stepper=moreau", "step=1e-3", "tolerance.penetration=1"]),
        ("incline", &[]),
        ("incline", &["slope=atan(0.6)"]),
        ("incline", &["slope=atan(0.6)", "cone=polygon:8", "solver=lemke", "heading=0.3"]),
        ("incline", &["slope=atan(0.6)", "stepper=moreau"]),
        ("box-stack", &["until=0.1"]),
        ("bouncing-ball", &[]),
        ("bouncing-ball", &["restitution=1", "until=10"]),
        ("double-pendulum", &[]),
        ("double-pendulum", &["stepper=stewart-trinkle"]),
        ("pushed-block-on-belt", &[]),
        ("pushed-block-on-belt", &["stepper=stewart-trinkle"]),
        ("belt-spring-particle", &[]),
        ("four-bar", &[]),
        ("conveyor", &[]),
        ("hoist", &[]),
        ("hoist", &["stepper=moreau"]),
        ("hoist", &["bound=0.15"]),
        ("door", &[]),
        ("door", &["stepper=moreau"]),
        ("woodpecker", &[]),
        ("woodpecker", &["stepper=stewart-trinkle", "restitution=0"]),
        ("woodpecker-formula", &[]),
        ("woodpecker-formula", &["stepper=stewart-trinkle", "restitution=0"]),
    ];
    for (name, changes) in runs {
        let (step, run) = imbalance(name, changes);
        println!("{name} {changes:?}: worst step {step:e}, run {run:e}");
        assert!(step < 1e-9, "{name} {changes:?}: a step is off by {step:e}");
        assert!(run < 1e-9, "{name} {changes:?}: the run is off by {run:e}");
    }
}

/// Sliding energy is known: the box loses mu m g cos(slope) times the way it slides.
#[test]
fn friction_dissipates_its_force_times_the_way() {
    let scene = common::scene("incline", &["slope=atan(0.6)", "step=1e-3"]);
    let end = common::run(&scene, |_| {});
    let slope = 0.6f64.atan();
    let acceleration = 9.81 * (slope.sin() - 0.5 * slope.cos());
    let dissipated = 0.5 * 9.81 * slope.cos() * 0.5 * acceleration;
    let ledger = end.ledger();
    assert!((ledger.dissipated_friction / dissipated - 1.0).abs() < 1e-9, "{ledger:?}");
    // the end-of-step velocity moves the box: it falls dt/2 v too far, and that is the discretisation's doing
    let too_far = -9.81 * slope.sin() * 0.5 * 1e-3 * acceleration;
    assert!((ledger.discretisation / too_far - 1.0).abs() < 1e-6, "{ledger:?} {too_far}");
    assert!(ledger.dissipated_impact.abs() < 1e-12);
}

/// A ball that lands without bouncing gives all its energy to the impact.
#[test]
fn an_inelastic_landing_is_an_impact_loss() {
    let scene = common::scene("bouncing-ball", &["restitution=0", "until=1", "step=1e-4"]);
    let mass = 1.0;
    let end = common::run(&scene, |_| {});
    let lost = end.ledger().dissipated_impact;
    assert!((lost - mass * 9.81).abs() < 9.81 * 1e-3, "{lost}");
}
