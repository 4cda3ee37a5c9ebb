//! Every stepper on every built-in scene: taken, or refused for what its traits say; what is taken runs, its energy
//! ledger closes, and a step that is called certified holds its tolerances.

use crate::common;
use stickslip::stepper::{Method, Traits};
use stickslip_scene::Overrides;

/// Steps of each run.
const STEPS: usize = 8;
/// Velocities of the largest systems that are run under every stepper: heaps have their own tests.
const LARGEST: usize = 30;

/// The overrides that choose a stepper, with what it needs to know.
fn choose(method: Method, step: f64) -> Overrides {
    let mut set = Vec::new();
    if method.traits().events {
        set.extend(["simulation.order=8", "simulation.absolute=1e-10", "simulation.relative=1e-10"]);
    }
    Overrides {
        stepper: Some(method.name().to_owned()),
        cone: Some("exact".to_owned()),
        solver: Some("auto".to_owned()),
        until: Some(format!("{:?}", STEPS as f64 * step)),
        set: set.into_iter().map(str::to_owned).collect(),
        ..Overrides::default()
    }
}

/// True when a refusal names what the traits lack.
fn is_known(traits: &Traits, why: &str) -> bool {
    (!traits.restitution && why.contains("restitution"))
        || (!traits.velocity && (why.contains("inertia") || why.contains("one coefficient")))
        || (!traits.layers && why.contains("layer"))
        || (!traits.stabilisation && why.contains("stabilisation"))
        || (traits.convex && (why.contains("rolling") || why.contains("torsional")))
        || (traits.events && why.contains("does not model"))
}

/// Runs a scene for some steps. Says how many were certified, or why it stopped.
fn run(scene: &stickslip_scene::Scene, what: &str) -> Result<usize, String> {
    let (mut simulation, mut certified) = (common::simulation(scene), 0);
    while !simulation.is_done() {
        simulation.advance().map_err(|e| e.to_string())?;
        let (step, t) = (simulation.last(), simulation.state().t);
        assert!(simulation.state().is_finite(), "{what} at {t}");
        let work = step.work;
        assert!(work.imbalance().abs() <= 1e-9 * work.turnover.max(1e-300), "{what} at {t}: {work:?}");
        if simulation.held() {
            let c = &step.certificate;
            assert!(c.complementarity <= scene.tolerance.law, "{what} at {t}: {c:?}");
            assert!(c.penetration <= scene.tolerance.penetration, "{what} at {t}: {c:?}");
            assert!(c.joint <= scene.tolerance.joint, "{what} at {t}: {c:?}");
            certified += 1;
        }
    }
    Ok(certified)
}

#[test]
fn every_stepper_takes_every_scene_or_says_why() {
    let (mut ran, mut refused, mut steps, mut certified) = (0, 0, 0, 0);
    for (name, _) in stickslip_scene::builtin() {
        let own = common::scene(name, &[]);
        if own.system.initial().u.len() > LARGEST {
            continue;
        }
        for method in Method::ALL {
            let what = format!("{name} under {}", method.name());
            match stickslip_scene::load(name, &choose(method, own.step)) {
                Ok(scene) => match run(&scene, &what) {
                    Ok(count) => (ran, steps, certified) = (ran + 1, steps + STEPS, certified + count),
                    Err(why) => println!("{what}: {why}"),
                },
                Err(e) => {
                    refused += 1;
                    assert!(is_known(method.traits(), &e.to_string()), "{what}: {e}");
                }
            }
        }
    }
    println!("{ran} runs, {certified} of {steps} steps certified, {refused} pairings refused");
    assert!(ran > 250, "{ran}");
    assert!(certified * 10 > steps * 9, "{certified} of {steps}");
}
