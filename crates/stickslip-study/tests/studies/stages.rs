//! A sweep in stages: who passes is what the exact solution says, an audit finds what was refused wrongly, and the
//! bytes depend on nothing but the study.
//!
//! A box put on a belt of speed v reaches it after v/(mu g).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stickslip_study::Study;
use stickslip_study::sweep::{Options, sweep};

/// The stages want v/(mu g) below 0.15 s for 0.5 m/s (by formula), below 0.12 s (by a coarse run), and below 0.25 s
/// for 0.5 and 0.75 m/s.
const STUDY: &str = r#"
[study]
name = "belt"
description = "a box on a belt, in stages"
kind = "sweep"
scene = "conveyor"
seed = 11

[set]
"simulation.until" = 0.4

[parameters]
friction = { uniform = [0.2, 0.6] }
due = "0.5/(friction*9.81)"

[trials]
repeats = 40
chunk = 7
audit = true

[quantities]
rides = { first = "box.vx >= 0.999*speed" }

[outcomes]
quick = "rides < 0.2"

[[stage]]
name = "formula"
require = ["due < 0.15", "due > 0"]

[[stage]]
name = "coarse"
set = { "simulation.step" = 1e-2 }
each = { speed = [0.5] }
accept = "rides < 0.12"

[[stage]]
name = "fine"
set = { "simulation.step" = 2e-3 }
each = { speed = [0.5, 0.75] }
accept = "rides < 0.25"
"#;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn scratch(name: &str) -> Scratch {
    let dir = std::env::temp_dir().join(format!("stickslip-stages-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    Scratch(dir)
}

/// Every file that does not depend on the clock.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entry = |e: std::io::Result<std::fs::DirEntry>| {
        let e = e.unwrap();
        (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap())
    };
    std::fs::read_dir(dir).unwrap().map(entry).filter(|(n, _)| !n.starts_with("timing")).collect()
}

/// The stage that ends a trial, whether it passes, the last run, and what an audit finds.
fn expected(friction: f64) -> (usize, bool, Option<u64>, Option<bool>) {
    let due = 0.5 / (friction * 9.81);
    let fine = 1.5 * due < 0.25;
    match due {
        due if due >= 0.15 => (0, false, None, Some(fine)),
        due if due >= 0.12 => (1, false, Some(0), Some(fine)),
        _ => (2, fine, Some(1), None),
    }
}

#[test]
fn the_exact_solution_says_who_passes_and_who_was_refused_wrongly() {
    let study = Study::parse("belt.toml", STUDY, None).unwrap_or_else(|e| panic!("{e}"));
    let dirs = [scratch("one"), scratch("two")];
    let run = |dir: &Path, jobs| {
        let options = Options { jobs, out: Some(dir), ..Options::default() };
        sweep(&study, &options, &|_, _| {}).unwrap()
    };
    let summary = run(&dirs[0].0, 1);
    let again = run(&dirs[1].0, 3);
    assert!(contents(&dirs[0].0) == contents(&dirs[1].0));
    assert_eq!(summary.spent.trials, 40);
    assert_eq!(again.spent.trials, 40);

    let (mut passed, mut wrongly, mut ends) = (0, [0, 0], [0; 3]);
    for index in 0..40 {
        let friction = study.trial_values(index)[0];
        let due = 0.5 / (friction * 9.81);
        // the exact solution decides where the runs' own steps do not
        assert!([0.12, 0.15, 0.25 / 1.5].iter().all(|edge| (due / edge - 1.0).abs() > 2e-3), "{due}");
        let (stage, passes, run, audit) = expected(friction);
        let mut spent = stickslip_study::sweep::stages::Spent::new(&study);
        let trial = stickslip_study::sweep::stages::run(&study, &study.trial_values(index), &mut spent);
        let passage = trial.passage.unwrap();
        assert_eq!((passage.stage, passage.passed, passage.run, passage.audit), (stage, passes, run, audit));
        assert_eq!(trial.quantities[0].is_nan(), stage == 0);
        assert!(trial.outcomes[0] == (stage == 2 && 1.5 * due < 0.2));
        ends[stage] += 1;
        passed += u64::from(passes);
        if let Some(true) = audit {
            wrongly[stage] += 1;
        }
    }
    println!("ended in {ends:?}, passed {passed}, refused wrongly {wrongly:?}");
    assert!(ends.iter().all(|n| *n > 0) && wrongly.iter().all(|n| *n > 0));
    let json = summary.json();
    for (k, stage) in json["stages"].as_array().unwrap().iter().enumerate() {
        let refused = if k == 2 { ends[2] - passed } else { ends[k] };
        assert_eq!(stage["refused"], refused);
        assert_eq!(stage["trials"], ends[k..].iter().sum::<u64>());
        assert_eq!(stage["wrongly_refused"], wrongly.get(k).map_or(serde_json::Value::Null, |n| (*n).into()));
    }
    assert_eq!(json["passed"]["count"], passed);
}

#[test]
fn a_stage_that_cannot_be_is_refused_when_the_study_is_read() {
    for (from, to, says) in [
        ("accept = \"rides < 0.25\"", "", "neither `require` nor `accept`"),
        ("accept = \"rides < 0.25\"", "accept = \"rides\"", "neither true nor false"),
        ("each = { speed = [0.5] }", "each = { friction = [0.5] }", "the parameter `friction` sets"),
        ("each = { speed = [0.5] }", "each = { sped = [0.5] }", "sped"),
        ("set = { \"simulation.step\" = 1e-2 }", "set = { \"simulation.step\" = -1 }", "step"),
        ("require = [\"due < 0.15\"", "require = [\"rides < 0.15\"", "unknown name `rides`"),
        (
            "require = [\"due < 0.15\", \"due > 0\"]",
            "require = \"friction > 0\"",
            "nothing uses the parameter `due`",
        ),
        ("name = \"coarse\"", "name = \"fine\"", "two stages are called `fine`"),
    ] {
        assert!(STUDY.contains(from), "{from}");
        let error = Study::parse("x.toml", &STUDY.replacen(from, to, 1), None).map(|_| ()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(says) && error.contains("x.toml:"), "{says}: {error}");
    }
    let without = &STUDY[..STUDY.find("[[stage]]").unwrap()].replace("due = \"0.5/(friction*9.81)\"", "");
    let error = Study::parse("x.toml", without, None).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("`audit` without a last stage"), "{error}");
}
