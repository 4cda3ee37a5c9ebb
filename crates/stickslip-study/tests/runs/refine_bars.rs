//! Error bars of `refine` against the event-driven stepper, which locates every impact and integrates at order eight: on
//! scenes with and without impacts, at steps as they are and coarser, with few runs and with as many as it takes.

use stickslip_scene::{Overrides, Scene, load};
use stickslip_study::refine::{Refinement, Request, Verdict, refine};
use stickslip_study::sampled::{Plan, Sampled, times};

/// Scene, its end and step (s), and the stepper where its own locates events.
const SCENES: [(&str, f64, f64, &str); 11] = [
    ("bouncing-ball", 1.0, 2e-3, ""),
    ("belt-spring-particle", 1.0, 4e-3, ""),
    ("conveyor", 0.5, 1e-2, ""),
    ("coulomb-oscillator", 1.0, 2e-3, "stewart-trinkle"),
    ("double-pendulum", 1.0, 4e-3, ""),
    ("four-bar", 0.5, 4e-3, "stewart-trinkle"),
    ("pendulum-on-rough-block", 0.5, 2e-3, ""),
    ("plate-rocking", 0.2, 2e-4, ""),
    ("pushed-block", 1.0, 4e-3, ""),
    ("slide-to-roll", 0.6, 1e-2, ""),
    ("woodpecker", 0.4, 2e-4, ""),
];

fn scene(name: &str, until: f64, step: f64, stepper: &str) -> Scene {
    let stepper = Some(stepper.to_owned()).filter(|s| !s.is_empty());
    let (step, until) = (Some(format!("{step:?}")), Some(format!("{until:?}")));
    load(name, &Overrides { stepper, step, until, ..Overrides::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// All quantities of a scene at its end, by events.
fn by_events(name: &str, until: f64) -> Vec<(String, f64)> {
    let accuracy = ["simulation.order=8", "simulation.absolute=1e-11", "simulation.relative=1e-11"];
    let overrides = Overrides {
        stepper: Some("event".to_owned()),
        step: Some(format!("{:?}", until / 10.0)),
        until: Some(format!("{until:?}")),
        set: accuracy.map(str::to_owned).to_vec(),
        ..Overrides::default()
    };
    let scene = load(name, &overrides).unwrap_or_else(|e| panic!("{e}"));
    let looks = times(scene.step, until, 10);
    let run = Sampled::run(&Plan::of(&scene, scene.step, &looks));
    assert!(run.stopped.is_none(), "{name}: {:?}", run.stopped);
    run.quantities.iter().map(|q| q.name.clone()).zip(run.last().to_vec()).collect()
}

/// Quantities with a bar, and those of them whose bar holds the truth.
fn covered(result: &Refinement, truth: &[(String, f64)]) -> (usize, usize) {
    let (mut with, mut held) = (0, 0);
    for e in &result.estimates {
        let (Some(bar), Some((_, x))) = (e.error, truth.iter().find(|(name, _)| *name == e.name)) else {
            continue;
        };
        with += 1;
        let off = (e.value - x).abs();
        // what `event` itself leaves
        let holds = off <= bar + 1e-8 * e.size;
        if !holds {
            println!("  {}: off by {off:.2e}, bar {bar:.2e}", e.name);
        }
        held += usize::from(holds);
    }
    (with, held)
}

#[test]
fn nine_of_ten_bars_hold_what_events_say() {
    let (mut with, mut held) = (0, 0);
    for (name, until, step, stepper) in SCENES {
        let truth = by_events(name, until);
        for (factor, levels) in [(1.0, 3), (1.0, 5), (0.7, 4), (0.83, 6)] {
            let scene = scene(name, until, factor * step, stepper);
            let result = refine(&scene, &Request { levels, ..Request::default() })
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let (w, h) = covered(&result, &truth);
            println!(
                "{name}, {levels} runs from {:e} s: {}, order {:?} ± {:?}: {h} of {w}",
                scene.step,
                result.trust.verdict.name(),
                result.order,
                result.order_error
            );
            (with, held) = (with + w, held + h);
            // a verdict follows from the evidence
            if let (Some(p), Some(e)) = (result.order, result.order_error) {
                assert!(p > e || result.trust.verdict != Verdict::Converging, "{name}: {p} ± {e}");
            }
            if result.trust.verdict == Verdict::Unsure {
                assert_eq!(result.trust.until, 0.0);
            }
        }
    }
    println!("{held} of {with}");
    assert!(with > 300 && 20 * held >= 19 * with, "{held} of {with}");
}
