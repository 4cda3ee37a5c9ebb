//! Every command that takes a scene, on every built-in scene: an answer, or a refusal that says what would be right;
//! never a panic.

use crate::common::{TempDir, outcome};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of the scene's own length to run.
const STEPS: f64 = 3.0;

/// Runs a command; what it prints with --json, if it has an answer.
fn answer(args: &[&str]) -> Option<Value> {
    let (code, stdout, stderr) = outcome(&[args, &["--json"]].concat());
    assert!(code <= 2 && !stderr.contains("panicked"), "{args:?}: exit {code}\n{stderr}");
    if code == 2 {
        assert!(stderr.starts_with("error: ") && stderr.contains("expected"), "{args:?}: {stderr}");
        return None;
    }
    let value: Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}\n{stdout}"));
    Some(value)
}

fn every_command(name: &str, tmp: &TempDir) {
    let checked = answer(&["check", name]).unwrap_or_else(|| panic!("{name} is refused"));
    let step = checked["simulation"]["step"].as_f64().unwrap();
    let until = format!("{:?}", STEPS * step);
    let dir = tmp.join(name);
    let ran = answer(&["run", name, "--until", &until, "--out", &dir]).expect("a run");
    assert_eq!(ran["steps"], STEPS as u64, "{name}");
    assert!(ran["certificate"]["missed_steps"] == 0, "{name}: {}", ran["certificate"]);
    // and goes on
    let (from, further) = (format!("{dir}/checkpoint.json"), format!("{:?}", (STEPS + 1.0) * step));
    let on = answer(&["run", name, "--until", &further, "--from", &from]).expect("a run that goes on");
    assert_eq!(on["steps"], STEPS as u64 + 1, "{name}");
    for at in ["0", until.as_str()] {
        assert!(answer(&["explain", name, "--at", at]).is_some(), "{name} at {at}");
    }
    answer(&["refine", name, "--until", &until, "--levels", "3"]);
    let stepper = checked["simulation"]["stepper"].as_str().unwrap();
    answer(&["compare", name, "--until", &until, "--steppers", stepper]);
    assert!(answer(&["report", &dir]).is_some(), "{name}");
    let [still, plots, motion, log] =
        ["still.png", "plots", "motion.gltf", "log.mcap"].map(|n| tmp.join(&format!("{name}-{n}")));
    answer(&["report", &dir, "--png", &still]);
    assert!(answer(&["report", &dir, "--svg", &plots]).is_some(), "{name}");
    answer(&["report", &dir, "--gltf", &motion]);
    assert!(answer(&["report", &dir, "--mcap", &log]).is_some() && Path::new(&log).exists(), "{name}");
}

#[test]
fn every_command_on_every_built_in_scene() {
    let tmp = TempDir::new("every-scene");
    let scenes: Vec<&str> = stickslip_scene::builtin().iter().map(|(name, _)| *name).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(name) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let clock = std::time::Instant::now();
                    every_command(name, &tmp);
                    println!("{name}: {:.1} s", clock.elapsed().as_secs_f64());
                }
            });
        }
    });
}

/// A joint at its limit: the door on its stop, the hoist at the end of its rope.
#[test]
fn a_joint_at_its_limit_is_explained() {
    for (name, times) in [("door", ["0.5", "2", "4"]), ("hoist", ["1", "3", "5"])] {
        for at in times {
            let said = answer(&["explain", name, "--at", at]).unwrap_or_else(|| panic!("{name} at {at}"));
            assert_eq!(said["time"].as_f64(), at.parse().ok(), "{name}");
        }
    }
}
