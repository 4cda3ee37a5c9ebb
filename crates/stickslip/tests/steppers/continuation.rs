//! A run that ends and goes on, again and again, is the run in one piece: bit for bit where it ends at multiples of the
//! step, and without losing any time where it does not.

use crate::common;
use std::ops::ControlFlow;
use stickslip::checkpoint::{Checkpoint, CheckpointFault};
use stickslip::observer::{Ending, Observer, Stop, Strict};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::Method;
use stickslip_scene::{Overrides, Scene};

/// Scenes with sliding, rolling, impacts, joints, limits, drives and layers, with changes so that many steppers take
/// them, and steps to run.
const SCENES: [(&str, &[&str], u64); 9] = [
    ("slide-to-roll", &["step=0.01", "tolerance.penetration=1e-2"], 60),
    ("incline", &["slope=atan(0.6)", "heading=0.2", "tolerance.penetration=1e-2"], 40),
    ("bouncing-ball", &["restitution=0", "step=1e-2"], 60),
    ("woodpecker", &["restitution=0", "step=1e-3"], 60),
    ("conveyor", &[], 40),
    ("hoist", &[], 60),
    ("door", &[], 60),
    ("tripod-push", &[], 40),
    ("compliant-disc", &[], 60),
];

/// A scene under a stepper, if it takes it.
fn scene(name: &str, changes: &[&str], method: Method) -> Option<Scene> {
    let mut overrides = Overrides { stepper: Some(method.name().to_owned()), ..Overrides::default() };
    for change in changes {
        match change.strip_prefix("step=") {
            Some(step) => overrides.step = Some(step.to_owned()),
            None => overrides.set.push((*change).to_owned()),
        }
    }
    if matches!(method, Method::Event | Method::Gauss) {
        let tight = ["simulation.absolute=1e-9", "simulation.relative=1e-9"];
        overrides.set.extend(tight.map(str::to_owned));
    }
    stickslip_scene::load(name, &overrides).ok()
}

fn simulation(scene: &Scene, until: f64) -> Simulation<'_> {
    let settings = Settings { until, ..scene.settings() };
    Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings)
}

/// The lengths of steps, together, s.
struct Lengths(f64);

impl Observer for Lengths {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.0 += simulation.last().dt;
        ControlFlow::Continue(())
    }
}

/// Runs to each of the times in turn, each time in a new simulation, from the text of the last one's checkpoint.
/// The lengths of all steps add up to the time.
fn chained<'a>(scene: &'a Scene, times: &[f64]) -> Option<Simulation<'a>> {
    let (mut text, mut lengths): (Option<String>, _) = (None, Lengths(0.0));
    for (k, &until) in times.iter().enumerate() {
        let mut run = simulation(scene, until);
        if let Some(text) = &text {
            let checkpoint: Checkpoint = serde_json::from_str(text).unwrap();
            assert_eq!(
                checkpoint.fault(scene.system.as_ref(), run.settings()),
                None,
                "{} {times:?}",
                scene.name
            );
            run.restore(&checkpoint);
        }
        if run.run(&mut [&mut lengths]).reason().is_some() {
            return None;
        }
        assert!(run.is_done() && (run.state().t - until).abs() <= 1e-12 * until, "{} {until}", scene.name);
        assert!((lengths.0 - until).abs() <= 1e-9 * until, "{} {until}: {}", scene.name, lengths.0);
        if k + 1 == times.len() {
            return Some(run);
        }
        text = Some(serde_json::to_string(&run.checkpoint(&scene.text)).unwrap());
    }
    None
}

/// A sequence of numbers in [0, 1), the same every time.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Ascending times, the last of which is the end.
fn times(count: usize, end: f64, next: &mut impl FnMut() -> f64, shape: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut times: Vec<f64> =
        (0..count).map(|_| shape(next() * end)).filter(|t| *t > 0.0 && *t < end).collect();
    times.push(end);
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Every stepper on every scene that it takes.
fn each(mut check: impl FnMut(&Scene, Method, f64)) {
    let mut seen = Vec::new();
    for (name, changes, steps) in SCENES {
        for method in Method::ALL {
            let Some(scene) = scene(name, changes, method) else { continue };
            let end = steps as f64 * scene.step;
            // what is not certified need not be the same at another step
            let ending = simulation(&scene, end).run(&mut [&mut Strict]);
            if ending != Ending::Complete {
                continue;
            }
            check(&scene, method, end);
            seen.push(method);
        }
    }
    for method in Method::ALL {
        assert!(seen.contains(&method), "{} was not tried", method.name());
    }
}

#[test]
fn at_multiples_of_the_step_bit_for_bit() {
    let mut next = random(1);
    each(|scene, method, end| {
        let mut whole = simulation(scene, end);
        assert_eq!(whole.run(&mut []).reason(), None);
        let step = scene.step;
        for _ in 0..3 {
            let times = times(5, end, &mut next, |t| (t / step).round() * step);
            let run = chained(scene, &times).expect("an end");
            let what = format!("{} under {}, {times:?}", scene.name, method.name());
            assert_eq!(run.checkpoint(""), whole.checkpoint(""), "{what}");
        }
    });
}

#[test]
fn between_multiples_of_the_step_no_time_is_lost() {
    let mut next = random(2);
    each(|scene, method, end| {
        let mut whole = simulation(scene, end);
        assert_eq!(whole.run(&mut []).reason(), None);
        let times = times(4, end, &mut next, |t| t);
        let what = format!("{} under {}, {times:?}", scene.name, method.name());
        // a step of another length may be one that cannot be taken: that is said, and no time is lost either
        let Some(run) = chained(scene, &times) else { return };
        assert_eq!(run.state().t, end, "{what}");
        assert_eq!(run.multiple(), whole.multiple(), "{what}");
        assert_eq!(run.index() - whole.index(), run.checkpoint("").broken, "{what}");
    });
}

/// The figures of the issue: to 0.2 s and on to 0.4 s, with steps of 0.12 s.
#[test]
fn a_sphere_that_went_on_from_between_two_steps_has_come_as_far() {
    let scene = common::scene("slide-to-roll", &["until=0.4"]);
    let mut whole = common::simulation(&scene);
    assert_eq!(whole.run(&mut []).reason(), None);
    let run = chained(&scene, &[0.2, 0.4]).expect("an end");
    let x = [whole.state().q[0], run.state().q[0]];
    assert!((x[0] - 0.6238).abs() < 1e-4 && (x[1] - x[0]).abs() < 0.01, "{x:?}");
    // 0.12, 0.2, 0.24, 0.36, 0.4
    assert_eq!((whole.index(), run.index()), (4, 5));
}

#[test]
fn what_contradicts_itself_is_found() {
    let scene = common::scene("slide-to-roll", &["step=0.01", "until=0.1"]);
    let mut run = common::simulation(&scene);
    assert_eq!(run.run(&mut []).reason(), None);
    let good = run.checkpoint(&scene.text);
    let (system, open) = (scene.system.as_ref(), Settings { until: 1.0, ..scene.settings() });
    assert_eq!(good.fault(system, &open), None);
    let fault = |change: &dyn Fn(&mut Checkpoint)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad.fault(system, &open).expect("a fault")
    };
    assert_eq!(
        fault(&|c| c.index = 7),
        CheckpointFault::Index { found: 7, t: 0.1, expected: 10, step: 0.01 }
    );
    assert!(matches!(fault(&|c| c.state.t = 0.2), CheckpointFault::Index { expected: 20, .. }));
    assert_eq!(fault(&|c| c.state.t = -0.1), CheckpointFault::Time { t: -0.1 });
    assert!(matches!(fault(&|c| c.state.q[3] *= 1.1), CheckpointFault::Quaternion { .. }));
    assert!(matches!(fault(&|c| c.state.u.truncate(5)), CheckpointFault::Size { found: 5, expected: 6, .. }));
    assert!(matches!(fault(&|c| c.state.u[0] = f64::NAN), CheckpointFault::NotFinite { .. }));
    assert!(matches!(fault(&|c| c.warm.forces.clear()), CheckpointFault::Size { .. }));
    assert_eq!(good.fault(system, &scene.settings()), Some(CheckpointFault::Past { t: 0.1, until: 0.1 }));
}
