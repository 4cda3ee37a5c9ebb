//! Shards hold what the trials gave, and the summary is what one computes from the trials by hand.

use std::path::PathBuf;
use stickslip_study::sweep::plan::Plan;
use stickslip_study::sweep::{Options, sweep};
use stickslip_study::{Study, trial};

const STUDY: &str = r#"
[study]
name = "belt"
description = "a box on a belt"
kind = "sweep"
scene = "conveyor"
seed = 5

[set]
"simulation.step" = 1e-2

[parameters]
speed = { values = [0.5, 0.75, 1.0] }
start = { values = [0, 0.1], sets = "body.box.position.0" }
friction = { uniform = [-0.05, 0.5] }

[trials]
repeats = 6
chunk = 7

[quantities]
rides = { first = "box.vx >= 0.999*speed" }
way = { end = "box.x" }

[outcomes]
late = "rides > 0.25"
never = "not rides >= 0"
"#;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn shards_and_summary_hold_what_the_trials_gave() {
    let study = Study::parse("belt.toml", STUDY, None).unwrap();
    let dir = Scratch(std::env::temp_dir().join(format!("stickslip-sweep-{}", std::process::id())));
    let _ = std::fs::remove_dir_all(&dir.0);
    let options = Options { jobs: 2, out: Some(&dir.0), ..Options::default() };
    let summary = sweep(&study, &options, &|_, _| {}).unwrap().json();
    let trials: Vec<trial::Trial> = (0..36).map(|i| trial::run(&study, &study.trial_values(i))).collect();

    // what is read back is what was run, bit for bit
    let plan = Plan::new(&study, None).unwrap();
    let format = summary_format(&study, &dir.0);
    for chunk in 0..plan.chunks() {
        let range = plan.trials_of(chunk);
        let read = format.read(&dir.0.join(plan.file_name(chunk)), &range).unwrap().unwrap();
        for (index, trial) in range.zip(&read) {
            let expected = &trials[index as usize];
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&trial.values), bits(&expected.values));
            assert_eq!(bits(&trial.quantities), bits(&expected.quantities));
            assert_eq!((&trial.outcomes, &trial.failure), (&expected.outcomes, &expected.failure));
            assert_eq!((trial.steps, trial.missed_steps), (expected.steps, expected.missed_steps));
        }
    }

    // the summary, by other means
    let failed = trials.iter().filter(|t| t.failure.is_some()).count();
    println!("{failed} of 36 failed");
    assert!(failed > 0 && summary["failed"] == failed);
    for (k, name) in ["late", "never"].into_iter().enumerate() {
        let count = trials.iter().filter(|t| t.outcomes[k]).count();
        assert_eq!(summary["outcomes"][name]["count"], count);
        let held = |i: usize| trials.iter().skip(i).step_by(6).filter(|t| t.outcomes[k]).count();
        for cell in 0..6 {
            assert_eq!(summary["grid"]["outcomes"][name][cell]["count"], held(cell));
            assert_eq!(summary["grid"]["trials"][cell], 6);
        }
    }
    for cell in 0..6 {
        let here = || trials.iter().skip(cell).step_by(6).filter(|t| t.failure.is_none());
        let mean = here().map(|t| t.quantities[1]).sum::<f64>() / here().count() as f64;
        let found = summary["grid"]["quantities"]["way"][cell].as_f64().unwrap_or(f64::NAN);
        assert!(here().count() == 0 || (found / mean - 1.0).abs() < 1e-13, "{cell}: {found} {mean}");
    }
    let mut ways: Vec<f64> = trials.iter().filter(|t| t.failure.is_none()).map(|t| t.quantities[1]).collect();
    ways.sort_by(f64::total_cmp);
    let n = ways.len() as f64;
    let mean = ways.iter().sum::<f64>() / n;
    let deviation = (ways.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let way = &summary["quantities"]["way"];
    let near = |key: &str, x: f64| (way[key].as_f64().unwrap() / x - 1.0).abs() < 1e-13;
    assert!(near("mean", mean) && near("deviation", deviation));
    assert!(near("min", ways[0]) && near("max", ways[ways.len() - 1]));
    let index = |x: f64| trials.iter().position(|t| t.failure.is_none() && t.quantities[1] == x).unwrap();
    assert_eq!(way["min_trial"], index(ways[0]));
    assert_eq!(way["max_trial"], index(ways[ways.len() - 1]));
    let median = way["quantiles"]["0.5"].as_f64().unwrap();
    let middle = ways[(0.5 * n).ceil() as usize - 1];
    assert!((median - middle).abs() <= middle / 2048.0, "{median} {middle}");
}

/// The format of the shards in a directory: its digest is in the manifest.
fn summary_format(study: &Study, dir: &std::path::Path) -> stickslip_study::sweep::shard::Format {
    let manifest = std::fs::read_to_string(dir.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let digest = manifest["digest"].as_str().unwrap().to_owned();
    stickslip_study::sweep::shard::Format::new(study, digest).unwrap()
}

#[test]
fn columns_that_every_shard_has_are_taken() {
    for (from, to, name) in [("way =", "steps =", "steps"), ("never =", "certified =", "certified")] {
        let text = STUDY.replace(from, to);
        let study = Study::parse("belt.toml", &text, None).unwrap();
        let error = sweep(&study, &Options::default(), &|_, _| {}).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}` is a column of the results")), "{error}");
    }
}
