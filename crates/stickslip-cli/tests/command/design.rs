//! `stickslip design`: files, exit codes, and going on after a kill.

use crate::common::{TempDir, outcome, read};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

const STUDY: &str = r#"
[study]
name = "grip"
description = "a friction that stops the slip after 0.25 s"
kind = "design"
scene = "conveyor"

[set]
"simulation.step" = 2e-3
"simulation.until" = 0.5

[parameters]
friction = { start = 0.6, lower = 0.25, upper = 1.0 }
load = { start = 1, lower = 1, upper = 3, sets = "body.box.mass" }

[quantities]
rides = { first = "box.vx >= 0.999*speed" }

[design]
objective = "abs(rides - 0.25) + 0.01*load"
evaluations = 150
"#;

fn study(dir: &TempDir) -> String {
    let path = dir.join("grip.toml");
    std::fs::write(&path, STUDY).unwrap();
    path
}

#[test]
fn a_design_leaves_log_result_and_page() {
    let dir = TempDir::new("design");
    let (path, out) = (study(&dir), dir.join("out"));
    let (code, stdout, stderr) = outcome(&["design", &path, "--out", &out, "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(stdout, read(&out, "design.json"));
    let best = &value["best"];
    println!("{best:#}");
    // the load costs and does nothing
    assert!((best["cases"][""]["rides"].as_f64().unwrap() - 0.25).abs() < 2e-3);
    assert!(best["parameters"]["load"].as_f64().unwrap() < 1.1);
    assert_eq!(value["certified"], true);
    let log = read(&out, "evaluations.jsonl");
    assert_eq!(log.lines().count() as u64, value["evaluations"].as_u64().unwrap());
    let best_line = log.lines().nth(best["evaluation"].as_u64().unwrap() as usize).unwrap();
    let line: Value = serde_json::from_str(best_line).unwrap();
    assert_eq!(line["objective"], best["objective"]);
    let page = read(&out, "report.html");
    for part in ["Objective with penalty", "best so far", "Before and after", "Certified", "load"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"));
    // the page again from the files, and no second design into them
    let before = page;
    assert_eq!(outcome(&["report", &out]).0, 0);
    assert_eq!(read(&out, "report.html"), before);
    let (code, _, stderr) = outcome(&["design", &path, "--out", &out]);
    assert!(code == 2 && stderr.contains("--resume"), "{stderr}");
}

#[test]
fn a_killed_design_goes_on_as_if_nothing_had_happened() {
    let dir = TempDir::new("design-killed");
    let (path, whole, torn) = (study(&dir), dir.join("whole"), dir.join("torn"));
    assert_eq!(outcome(&["design", &path, "--out", &whole, "--jobs", "1"]).0, 0);
    let mut lengths = Vec::new();
    for wait in [0, 3, 40, 90, 20, 60, 130, 10, 75, 30] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stickslip"))
            .args(["design", &path, "--out", &torn, "--resume", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let log = std::fs::read(format!("{torn}/evaluations.jsonl")).unwrap_or_default();
        assert!(read(&whole, "evaluations.jsonl").as_bytes().starts_with(&log[..log.len()]));
        lengths.push(log.len());
    }
    println!("bytes of the log after each kill: {lengths:?}");
    // as a kill within a write would leave it
    let log = format!("{torn}/evaluations.jsonl");
    let mut bytes = std::fs::read(&log).unwrap_or_default();
    bytes.truncate(bytes.len().saturating_sub(7));
    std::fs::create_dir_all(&torn).unwrap();
    std::fs::write(&log, bytes).unwrap();
    assert_eq!(outcome(&["design", &path, "--out", &torn, "--resume"]).0, 0);
    for name in ["evaluations.jsonl", "design.json", "report.html", "study.toml", "scene.toml"] {
        assert!(read(&whole, name) == read(&torn, name), "{name} differs");
    }
}

#[test]
fn only_the_same_study_can_be_resumed() {
    let dir = TempDir::new("design-other");
    let (path, out) = (study(&dir), dir.join("out"));
    assert_eq!(outcome(&["design", &path, "--out", &out, "--evaluations", "5"]).0, 0);
    assert_eq!(read(&out, "evaluations.jsonl").lines().count(), 5);
    // more evaluations are the same study
    assert_eq!(outcome(&["design", &path, "--out", &out, "--evaluations", "8", "--resume"]).0, 0);
    assert_eq!(read(&out, "evaluations.jsonl").lines().count(), 8);
    std::fs::write(&path, STUDY.replace("0.25)", "0.2)")).unwrap();
    let (code, _, stderr) = outcome(&["design", &path, "--out", &out, "--resume"]);
    assert!(code == 2 && stderr.contains("another study"), "{stderr}");
    // a log of other answers
    study(&dir);
    let log = read(&out, "evaluations.jsonl");
    let mut lines: Vec<&str> = log.lines().collect();
    lines.swap(3, 4);
    std::fs::write(format!("{out}/evaluations.jsonl"), lines.join("\n") + "\n").unwrap();
    let (code, _, stderr) = outcome(&["design", &path, "--out", &out, "--resume"]);
    assert!(code == 2 && stderr.contains("evaluations.jsonl:4:"), "{stderr}");
}

#[test]
fn what_is_not_a_design_is_an_error() {
    let dir = TempDir::new("design-bad");
    let path = dir.join("sweep.toml");
    let text = STUDY.replace("kind = \"design\"", "kind = \"sweep\"").replace("[design]", "[design]\nx = 1");
    std::fs::write(&path, text).unwrap();
    assert_eq!(outcome(&["design", &path]).0, 2);
    assert_eq!(outcome(&["design", "plate-circl-design"]).0, 2);
    assert_eq!(outcome(&["design", "plate-circle-design", "--resume"]).0, 2);
    assert_eq!(outcome(&["design", "plate-circle-design", "--jobs", "0"]).0, 2);
    // nothing that counts: exit 1
    let path = study(&dir);
    std::fs::write(&path, STUDY.replace("[set]", "[set]\n\"tolerance.law\" = 1e-30")).unwrap();
    let (code, stdout, _) = outcome(&["design", &path, "--evaluations", "3"]);
    assert!(code == 1 && stdout.contains("NO RESULT"), "{stdout}");
}
