//! The auditor judges what happened to the bodies. Each entry has a step that breaks it, by hand or by a stepper that
//! does so, and motions that are right and stay quiet; a file for each. Answers are closed forms: distances, energies
//! and depths that follow from the sizes given.

#[path = "../common/mod.rs"]
mod common;
mod finite;
mod limits;
mod overlap;
mod passage;
mod passivity;
mod touch;

use common::{run, simulation};
use stickslip::audit::{Auditor, Exchange, Manner, words};
use stickslip::certificate::{Certificate, Tolerance};
use stickslip::energy::Ledger;
use stickslip::state::State;
use stickslip::step::Step;
use stickslip::stepper::{StepError, TimeStep};
use stickslip_scene::{Overrides, Scene};

const DT: f64 = 1e-3;

fn parse(text: &str) -> Scene {
    stickslip_scene::parse("own.toml", text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A scene in space without gravity: bodies given, all of one material.
fn space(stepper: &str, more: &str, bodies: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 3 }}
world = {{ gravity = [0, 0, {}] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {DT}, until = 1.0 {more} }}
{bodies}
[[contact]]
between = ["m", "m"]
friction = 0.5
"#,
        if bodies.contains("floor") { -9.81 } else { 0.0 }
    ))
}

/// A ball of radius 0.1 m at rest on a floor.
fn ball_on_floor(stepper: &str) -> Scene {
    space(
        stepper,
        "",
        r#"
[[body]]
name = "floor"
fixed = true
position = [0, 0, 0]
shape.half_space = {}
material = "m"
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.1
material = "m"
position = [0, 0, 0.1]
"#,
    )
}

/// A step of a scene's own stepper from its start.
fn stepped(scene: &Scene) -> (State, Step, Manner) {
    stepped_from(scene, scene.system.initial())
}

fn stepped_from(scene: &Scene, start: State) -> (State, Step, Manner) {
    let (mut stepper, mut step) = (scene.stepper.build(), Step::default());
    stepper.step(scene.system.as_ref(), &start, TimeStep::after(&start, scene.step), &mut step).unwrap();
    (start, step, stepper.manner())
}

/// What the auditor says of a step.
fn judged(scene: &Scene, from: &State, step: &mut Step, manner: Manner) -> Result<Certificate, StepError> {
    let (ledger, tolerance): (Ledger, _) = (*simulation(scene).ledger(), Tolerance::default());
    let mut exchange = Exchange::beginning(&ledger);
    let mut auditor = Auditor::new(scene.system.as_ref());
    auditor.judge(scene.system.as_ref(), manner, from, &tolerance, (&ledger, &mut exchange), step)?;
    Ok(step.certificate)
}

/// A certificate that was written before there was an auditor still reads, and every entry has its words.
#[test]
fn old_certificates_read_and_every_entry_has_words() {
    let old = r#"{"complementarity":0.1,"cone":0,"dissipation":0,"penetration":0,"joint":0}"#;
    let certificate: Certificate = serde_json::from_str(old).unwrap();
    assert_eq!((certificate.complementarity, certificate.touch, certificate.passivity), (0.1, 0.0, 0.0));
    for (name, ..) in certificate.entries(&Tolerance::default()) {
        assert!(words::meaning(name).is_some() && words::advice(name).is_some(), "{name}");
    }
    assert!(words::meaning("uniqueness").is_some());
    assert!(!Certificate { passage: f64::NAN, ..Certificate::default() }.holds(&Tolerance::default()));
}

/// Every stepper looks at contacts where it says it does: a box that slides down a slope stays certified under all of
/// them.
#[test]
fn every_stepper_is_looked_at_where_it_looks() {
    let event = ["simulation.order=8", "simulation.absolute=1e-9", "simulation.relative=1e-9"];
    let steppers = [
        "stewart-trinkle",
        "convex",
        "moreau",
        "anitescu-potra",
        "implicit",
        "compliant",
        "compliant-implicit",
        "event",
    ];
    for stepper in steppers {
        let own = format!("stepper={stepper}");
        let mut changes = vec![own.as_str(), "slope=0.6", "tolerance.penetration=1e-3"];
        changes.extend(if stepper == "event" { &event[..] } else { &[] });
        let scene = common::scene("incline", &changes);
        let simulation = run(&scene, |_| {});
        assert_eq!(simulation.certificate().missed_steps, 0, "{stepper} {:?}", simulation.certificate());
    }
    for name in ["compliant-disc", "rolling-disc", "conveyor"] {
        let scene = common::scene(name, &["stepper=compliant"]);
        assert_eq!(run(&scene, |_| {}).certificate().missed_steps, 0, "{name}");
    }
}

/// Right motions stay quiet: those of the book, with the tolerances that they ask for.
#[test]
fn built_in_scenes_stay_certified() {
    let names = [
        "box-stack",
        "conveyor",
        "coulomb-oscillator",
        "curved-shapes",
        "door",
        "double-pendulum",
        "fence-particle",
        "four-bar",
        "gear-and-jaw",
        "gear-grasp",
        "hoist",
        "incline",
        "painleve-rod",
        "pendulum-on-block",
        "plate-circle",
        "pushed-block-on-belt",
        "rocking-lens",
        "rolling-disc",
        "slide-to-roll",
        "stick-slip",
        "tripod-push",
        "two-spheres",
        "woodpecker",
    ];
    for name in names {
        let scene = common::scene(name, &[]);
        let simulation = run(&scene, |_| {});
        assert_eq!(simulation.certificate().missed_steps, 0, "{name} {:?}", simulation.certificate());
    }
}
