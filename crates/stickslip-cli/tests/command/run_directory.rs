//! The directory of a run is that of one whole run, whatever happens to the process that writes it.

use crate::common::{TempDir, outcome, read};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process with the signals of a terminal: whoever runs the tests in the background may have it ignore interrupts.
fn start(args: &[&str]) -> Child {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_stickslip")]).args(args);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A run of many minutes.
fn long_run(dir: &str) -> Child {
    start(&["run", "woodpecker", "--until", "100000", "--checkpoint-every", "500", "--out", dir])
}

/// Waits until something is so.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// All files below a directory by name, without what the clock and the page say; the lock stays, a torn run does not
/// count.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
            if name == ".lock" || name == "unfinished" || name == ".left" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut text = std::fs::read_to_string(&path).unwrap();
            if name == "summary.json" {
                let mut value: Value = serde_json::from_str(&text).unwrap();
                value.as_object_mut().unwrap().remove("wall_seconds");
                text = value.to_string();
            }
            if name == "report.html" {
                assert!(text.trim_end().ends_with("</html>"), "a whole page");
                text.clear();
            }
            out.insert(name, text);
        }
    }
    out
}

#[test]
fn a_second_run_into_a_directory_is_refused_while_the_first_goes_on() {
    let tmp = TempDir::new("two-runs");
    let dir = tmp.join("run");
    let mut first = long_run(&dir);
    let part = Path::new(&dir).join("unfinished/trajectory.csv.part");
    wait_for("the first run", || part.exists());
    let (code, _, stderr) = outcome(&["run", "incline", "--out", &dir]);
    assert!(
        code == 2 && stderr.contains("another process is at work") && stderr.contains("expected"),
        "{stderr}"
    );
    assert!(part.exists(), "the first goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    // its lock went with it
    assert_eq!(outcome(&["run", "incline", "--out", &dir]).0, 0);
    assert!(!part.exists() && !Path::new(&dir).join("checkpoints").exists());
    assert!(read(&dir, "scene.toml").contains("incline"));
}

/// Two runs that leave different sets of files, each over the other, killed at fifty moments of their lives.
#[test]
fn a_run_that_is_killed_over_an_old_one_leaves_a_whole_one() {
    let tmp = TempDir::new("kills");
    let kinds: [&[&str]; 2] = [
        &["run", "woodpecker", "--until", "0.02", "--checkpoint-every", "50"],
        &["run", "incline", "--until", "0.2", "--set", "slope=0.6"],
    ];
    let whole: Vec<BTreeMap<String, String>> = (0..2)
        .map(|k| {
            let dir = tmp.join(&format!("whole-{k}"));
            assert_eq!(outcome(&[kinds[k], &["--out", &dir]].concat()).0, 0);
            files(Path::new(&dir))
        })
        .collect();
    assert!(whole[0].contains_key("figures.csv") && whole[0].contains_key("checkpoints/000000100.json"));
    assert!(!whole[1].keys().any(|name| name.starts_with("figures") || name.starts_with("checkpoints")));
    let dir = tmp.join("run");
    assert_eq!(outcome(&[kinds[0], &["--out", &dir]].concat()).0, 0);
    let (mut old, mut seen, mut longest) = (0, [0, 0], Duration::from_millis(10));
    for k in 0..50u32 {
        let new = 1 - old;
        let clock = Instant::now();
        let mut run = start(&[kinds[new], &["--out", &dir]].concat());
        // moments from the start of the process to well after its end
        while clock.elapsed() < longest * (k % 12) / 6 && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        if run.try_wait().unwrap().is_none() {
            run.kill().unwrap();
        } else {
            longest = longest.max(clock.elapsed());
        }
        run.wait().unwrap();
        if k == 0 {
            // how long they take
            assert_eq!(outcome(&[kinds[new], &["--out", &dir]].concat()).0, 0);
            longest = clock.elapsed();
        }
        // whoever reads a directory puts a run in its place first that was killed on its way there
        if [".whole", ".moving"].iter().any(|name| Path::new(&dir).join(name).exists()) {
            assert_eq!(outcome(&["report", &dir]).0, 0);
        }
        let now = files(Path::new(&dir));
        let is = whole.iter().position(|w| *w == now);
        let is = is.unwrap_or_else(|| panic!("kill {k}: a mixture: {:?}", now.keys().collect::<Vec<_>>()));
        seen[usize::from(is == new)] += 1;
        old = is;
    }
    println!("old {} times, new {} times", seen[0], seen[1]);
    assert!(seen[0] >= 4 && seen[1] >= 4, "{seen:?}");
}

/// An interrupt or TERM ends a run as its end does; it then goes on to where it would have come.
#[test]
fn an_interrupted_run_is_whole_and_goes_on() {
    let tmp = TempDir::new("interrupted");
    for signal in ["INT", "TERM"] {
        let (dir, whole, rest) =
            (tmp.join(signal), tmp.join(&format!("{signal}-whole")), tmp.join(&format!("{signal}-rest")));
        let mut run = long_run(&dir);
        wait_for("a checkpoint", || Path::new(&dir).join("unfinished/checkpoints/000000500.json").exists());
        let sent =
            Command::new("kill").args([&format!("-{signal}"), &run.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(run.wait().unwrap().code(), Some(1), "{signal}");
        let there = files(Path::new(&dir));
        for name in ["scene.toml", "trajectory.csv", "contacts.csv", "events.jsonl", "report.html"] {
            assert!(there.contains_key(name), "{signal}: {name}");
        }
        let summary: Value = serde_json::from_str(&there["summary.json"]).unwrap();
        assert_eq!(summary["stopped"], "interrupted", "{signal}");
        let checkpoint: Value = serde_json::from_str(&there["checkpoint.json"]).unwrap();
        assert_eq!(checkpoint["index"], summary["steps"], "{signal}");
        let page = read(&dir, "report.html");
        assert!(page.contains("interrupted") && !page.contains("Certified:"), "{signal}");
        // a little further, in two pieces and in one
        let until = format!("{:?}", summary["time"].as_f64().unwrap() + 0.01);
        let from = format!("{dir}/checkpoint.json");
        assert_eq!(outcome(&["run", "woodpecker", "--until", &until, "--from", &from, "--out", &rest]).0, 0);
        assert_eq!(outcome(&["run", "woodpecker", "--until", &until, "--out", &whole]).0, 0);
        assert!(read(&rest, "checkpoint.json") == read(&whole, "checkpoint.json"), "{signal}");
    }
}

/// What a killed run had written is there until the next run begins, and that may be the one that goes on.
#[test]
fn a_killed_run_goes_on_from_its_own_directory() {
    let tmp = TempDir::new("killed");
    let dir = tmp.join("run");
    let mut run = long_run(&dir);
    let [scene, from] = ["scene.toml", "checkpoints/000000500.json"].map(|n| format!("{dir}/unfinished/{n}"));
    wait_for("a checkpoint", || Path::new(&from).exists());
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!Path::new(&dir).join("summary.json").exists());
    let (code, _, stderr) = outcome(&["run", &scene, "--until", "0.1", "--from", &from, "--out", &dir]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!Path::new(&dir).join("unfinished").exists());
    let summary: Value = serde_json::from_str(&read(&dir, "summary.json")).unwrap();
    assert_eq!((&summary["steps"], &summary["time"]), (&json!(1000), &json!(0.1)));
}

/// Bad checkpoints: the file, what is wrong, what would be right, exit 2.
#[test]
fn a_checkpoint_that_contradicts_itself_is_refused() {
    let tmp = TempDir::new("contradictions");
    let dir = tmp.join("run");
    assert_eq!(outcome(&["run", "slide-to-roll", "--until", "0.24", "--out", &dir]).0, 0);
    let good: Value = serde_json::from_str(&read(&dir, "checkpoint.json")).unwrap();
    let changes: [(&str, &str, Value, &str); 8] = [
        ("/index", "index is 7 at t = 0.24 s", json!(7), "expected 2"),
        ("/state/t", "index is 2 at t = 0.36 s", json!(0.36), "expected 3"),
        ("/state/t", "time is -1 s", json!(-1.0), "from 0 on"),
        ("/state/q/3", "not of length 1", json!(0.5), "expected 0.9"),
        ("/state/u", "0 velocities", json!([]), "expected 6"),
        ("/warm/forces", "0 impulses", json!([]), "expected 1"),
        ("/modes/modes", "0 modes", json!([]), "expected 1"),
        ("/state/q/0", "not a checkpoint", json!("far"), "expected a checkpoint.json"),
    ];
    let file = tmp.join("bad.json");
    for (place, what, value, right) in changes {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value;
        std::fs::write(&file, bad.to_string()).unwrap();
        let (code, stdout, stderr) = outcome(&["run", "slide-to-roll", "--from", &file]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{place}: {stderr}");
        for text in ["bad.json", what, right] {
            assert!(stderr.contains(text), "{place}: `{text}` is not in {stderr}");
        }
    }
    // a time that has passed
    let from = format!("{dir}/checkpoint.json");
    for until in ["0.1", "0.24"] {
        let (code, _, stderr) = outcome(&["run", "slide-to-roll", "--until", until, "--from", &from]);
        assert!(code == 2 && stderr.contains("checkpoint.json") && stderr.contains("after that"), "{stderr}");
    }
}

/// To 0.2 s and on to 0.4 s with steps of 0.12 s: nothing is lost on the way.
#[test]
fn a_run_goes_on_from_between_two_steps() {
    let tmp = TempDir::new("between");
    let (first, rest, whole) = (tmp.join("first"), tmp.join("rest"), tmp.join("whole"));
    let scene = "slide-to-roll";
    let from = format!("{first}/checkpoint.json");
    assert_eq!(outcome(&["run", scene, "--until", "0.2", "--out", &first]).0, 0);
    assert_eq!(outcome(&["run", scene, "--until", "0.4", "--out", &rest, "--from", &from]).0, 0);
    assert_eq!(outcome(&["run", scene, "--until", "0.4", "--out", &whole]).0, 0);
    let rows = |dir: &str| -> Vec<[f64; 2]> {
        let number = |line: &str, k: usize| line.split(',').nth(k).unwrap().parse().unwrap();
        read(dir, "trajectory.csv").lines().skip(1).map(|l| [number(l, 0), number(l, 1)]).collect()
    };
    let times = |dir: &str| rows(dir).iter().map(|r| r[0]).collect::<Vec<f64>>();
    assert_eq!(times(&whole), [0.0, 0.12, 0.24, 0.36, 0.4]);
    assert_eq!(times(&rest), [0.24, 0.36, 0.4]);
    let end = |dir: &str| rows(dir).last().unwrap()[1];
    assert!((end(&whole) - 0.6238).abs() < 1e-4 && (end(&rest) - end(&whole)).abs() < 0.01, "{}", end(&rest));
}
