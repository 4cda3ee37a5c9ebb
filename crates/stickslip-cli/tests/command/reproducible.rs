//! Same input, same bytes out: across runs, and across stopping and going on.

use crate::common::{TempDir, outcome, read};
use serde_json::Value;

/// The files that must not differ at all.
const FILES: [&str; 5] = ["scene.toml", "trajectory.csv", "contacts.csv", "events.jsonl", "checkpoint.json"];

fn run(args: &[&str]) {
    let (code, _, stderr) = outcome(args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
}

/// The summary without what the clock says.
fn summary(dir: &str) -> String {
    let mut value: Value = serde_json::from_str(&read(dir, "summary.json")).unwrap();
    value.as_object_mut().unwrap().remove("wall_seconds").expect("wall_seconds");
    value.to_string()
}

/// Built-in scenes with a short end each.
const SCENES: [(&str, &str); 10] = [
    ("slide-to-roll", "0.6"),
    ("incline", "0.5"),
    ("box-stack", "0.05"),
    ("bouncing-ball", "1.0"),
    ("woodpecker", "0.2"),
    ("woodpecker-formula", "0.2"),
    ("belt-spring-particle", "0.5"),
    ("conveyor", "0.3"),
    ("hoist", "2.5"),
    ("door", "0.2"),
];

#[test]
fn two_runs_write_the_same_bytes() {
    let tmp = TempDir::new("twice");
    for (scene, until) in SCENES {
        let dirs = [tmp.join(&format!("{scene}-a")), tmp.join(&format!("{scene}-b"))];
        for dir in &dirs {
            run(&["run", scene, "--until", until, "--out", dir]);
        }
        for file in FILES {
            assert!(read(&dirs[0], file) == read(&dirs[1], file), "{scene}: {file} differs");
        }
        assert_eq!(summary(&dirs[0]), summary(&dirs[1]), "{scene}");
    }
}

#[test]
fn a_restored_run_ends_in_the_same_bytes() {
    let tmp = TempDir::new("restored");
    for (scene, until) in SCENES {
        let (whole, rest) = (tmp.join(&format!("{scene}-whole")), tmp.join(&format!("{scene}-rest")));
        run(&["run", scene, "--until", until, "--out", &whole, "--checkpoint-every", "3"]);
        let checkpoint = format!("{whole}/checkpoints/000000003.json");
        run(&["run", scene, "--until", until, "--out", &rest, "--from", &checkpoint]);
        assert_eq!(summary(&whole), summary(&rest), "{scene}");
        assert!(
            read(&whole, "checkpoint.json") == read(&rest, "checkpoint.json"),
            "{scene}: checkpoints differ"
        );
        // the restored run records from where it starts: the rest of the whole run, line by line
        for file in ["trajectory.csv", "contacts.csv", "events.jsonl"] {
            let (whole, rest) = (read(&whole, file), read(&rest, file));
            let body = |text: &str| -> String {
                let header = usize::from(file != "events.jsonl");
                text.lines().skip(header).map(|l| format!("{l}\n")).collect()
            };
            assert!(body(&whole).ends_with(&body(&rest)), "{scene}: {file} differs");
            assert!(
                file != "trajectory.csv" || body(&rest).len() > 100, // not all scenes have contacts
                "{scene}: {file} is too short to tell"
            );
        }
    }
}

#[test]
fn a_run_can_be_prolonged() {
    let tmp = TempDir::new("prolonged");
    let (half, whole, rest) = (tmp.join("half"), tmp.join("whole"), tmp.join("rest"));
    run(&["run", "woodpecker", "--until", "0.1", "--out", &half]);
    run(&["run", "woodpecker", "--until", "0.2", "--out", &whole]);
    run(&[
        "run",
        "woodpecker",
        "--until",
        "0.2",
        "--out",
        &rest,
        "--from",
        &format!("{half}/checkpoint.json"),
    ]);
    assert_eq!(summary(&whole), summary(&rest));
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let tmp = TempDir::new("refused");
    let dir = tmp.join("a");
    run(&["run", "incline", "--until", "0.1", "--out", &dir]);
    let checkpoint = format!("{dir}/checkpoint.json");
    for other in
        [["woodpecker", "--until=0.1"], ["incline", "--set=friction=0.6"], ["incline", "--step=0.02"]]
    {
        let (code, _, stderr) = outcome(&["run", other[0], other[1], "--from", &checkpoint]);
        assert_eq!(code, 2, "{other:?}");
        assert!(stderr.contains("another scene"), "{stderr}");
    }
    std::fs::write(tmp.0.join("broken.json"), "{\"index\": 3").unwrap();
    let (code, _, stderr) = outcome(&["run", "incline", "--from", &tmp.join("broken.json")]);
    assert_eq!(code, 2);
    assert!(stderr.contains("broken.json") && stderr.contains("expected"), "{stderr}");
}
