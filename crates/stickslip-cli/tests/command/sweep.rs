//! `stickslip sweep`: the same bytes for any number of jobs and after any interruption; nothing half-written.

use crate::common::{TempDir, outcome, read, stickslip};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A box on a belt, 40 trials; `lowest` is the least friction coefficient drawn.
fn study(tmp: &TempDir, lowest: f64) -> String {
    let text = format!(
        "[study]\nname = \"belt\"\ndescription = \"a box on a belt\"\nkind = \"sweep\"\nscene = \"conveyor\"\nseed = 3\n\
         [set]\n\"simulation.step\" = 5e-3\n\
         [parameters]\nspeed = {{ values = [0.5, 1.0] }}\nfriction = {{ uniform = [{lowest:?}, 0.5] }}\n\
         [trials]\nrepeats = 20\nchunk = 3\n\
         [quantities]\nrides = {{ first = \"box.vx >= 0.999*speed\" }}\nway = {{ end = \"box.x\" }}\n[outcomes]\nlate = \"rides > 0.25\"\n"
    );
    let path = tmp.join("belt.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Every file of a directory.
fn contents(dir: &str) -> BTreeMap<String, Vec<u8>> {
    let entry = |e: std::io::Result<std::fs::DirEntry>| {
        let e = e.unwrap();
        (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap())
    };
    std::fs::read_dir(dir).unwrap().map(entry).collect()
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_jobs() {
    let tmp = TempDir::new("sweep-jobs");
    let study = study(&tmp, 0.3);
    let (one, three) = (tmp.join("one"), tmp.join("three"));
    assert_eq!(outcome(&["sweep", &study, "--out", &one, "--jobs", "1"]).0, 0);
    let (code, printed, _) = outcome(&["sweep", &study, "--out", &three, "--jobs", "3", "--json"]);
    assert_eq!(code, 0);
    let (a, b) = (contents(&one), contents(&three));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    assert!(a == b);
    assert_eq!(a.keys().filter(|n| n.ends_with(".parquet")).count(), 14);
    assert_eq!(printed, read(&three, "summary.json"));
    // without a directory the summary is the same
    assert_eq!(outcome(&["sweep", &study, "--json"]).1, printed);
}

#[test]
fn ranges_make_up_the_whole() {
    let tmp = TempDir::new("sweep-ranges");
    let study = study(&tmp, 0.3);
    let (whole, parts) = (tmp.join("whole"), tmp.join("parts"));
    assert_eq!(outcome(&["sweep", &study, "--out", &whole]).0, 0);
    for range in ["21..40", "0..9", "9..21"] {
        let args = ["sweep", &study, "--out", &parts, "--resume", "--range", range];
        assert_eq!(outcome(&args).0, 0);
    }
    assert!(contents(&whole) == contents(&parts));
    let (code, _, said) = outcome(&["sweep", &study, "--range", "0..10"]);
    assert!(code == 2 && said.contains("multiples of 3") && said.contains("at most 40"), "{said}");
}

#[test]
fn kill_9_at_ten_moments_loses_and_repeats_nothing() {
    let tmp = TempDir::new("sweep-kill");
    let study = study(&tmp, 0.3);
    let (calm, torn) = (tmp.join("calm"), tmp.join("torn"));
    let start = Instant::now();
    assert_eq!(outcome(&["sweep", &study, "--out", &calm]).0, 0);
    let whole = start.elapsed();
    let reference = contents(&calm);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut killed = 0;
    for _ in 0..10 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stickslip"))
            .args(["sweep", &study, "--out", &torn, "--resume"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // within the first third of the whole time, so that ten of them do not reach the end
        let share = (state >> 40) as f64 / f64::from(1 << 24) / 3.0;
        std::thread::sleep(Duration::from_secs_f64(share * whole.as_secs_f64()));
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
        if Path::new(&torn).exists() {
            for (name, bytes) in contents(&torn).iter().filter(|(n, _)| n.ends_with(".parquet")) {
                assert!(reference[name] == *bytes, "{name} after {killed} kills");
            }
        }
    }
    println!("killed {killed} of 10 while at work; undisturbed {whole:?}");
    assert!(killed > 0);
    std::fs::write(Path::new(&torn).join("trials-000000000000-000000000003.parquet.1.part"), "half").unwrap();
    assert_eq!(outcome(&["sweep", &study, "--out", &torn, "--resume"]).0, 0);
    assert!(contents(&torn) == reference);
}

#[test]
fn a_full_disk_is_an_error_and_nothing_is_corrupt() {
    let tmp = TempDir::new("sweep-full");
    let study = study(&tmp, 0.3);
    let (calm, full) = (tmp.join("calm"), tmp.join("full"));
    assert_eq!(outcome(&["sweep", &study, "--out", &calm]).0, 0);
    // no file beyond 1 kB: study, scene and manifest fit, shards do not
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let args = ["-c", script, "-", env!("CARGO_BIN_EXE_stickslip"), "sweep", &study, "--out", &full];
    let out = Command::new("bash").args(args).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    println!("{said}");
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("--resume") && !said.contains("panicked"),
        "{said}"
    );
    let left = contents(&full);
    assert!(
        left.keys().all(|n| n.ends_with(".toml") || n == "manifest.json" || n == ".lock"),
        "{:?}",
        left.keys()
    );
    assert_eq!(outcome(&["sweep", &study, "--out", &full, "--resume"]).0, 0);
    assert!(contents(&full) == contents(&calm));
}

#[test]
fn a_directory_is_resumed_by_its_own_study_only() {
    let tmp = TempDir::new("sweep-other");
    let path = study(&tmp, 0.3);
    let dir = tmp.join("out");
    assert_eq!(outcome(&["sweep", &path, "--out", &dir]).0, 0);
    let before = contents(&dir);
    let (code, _, said) = outcome(&["sweep", &path, "--out", &dir]);
    assert!(code == 2 && said.contains("not empty") && said.contains("--resume"), "{said}");
    study(&tmp, 0.2);
    let (code, _, said) = outcome(&["sweep", &path, "--out", &dir, "--resume"]);
    assert!(code == 2 && said.contains("study.toml differs"), "{said}");
    study(&tmp, 0.3);
    let stray = tmp.join("stray");
    std::fs::create_dir(&stray).unwrap();
    std::fs::write(Path::new(&stray).join("letter.txt"), "mine").unwrap();
    let (code, _, said) = outcome(&["sweep", &path, "--out", &stray, "--resume"]);
    assert!(code == 2 && said.contains("no manifest.json"), "{said}");
    // a damaged shard and one of other trials are run again
    let shard = |k: usize| Path::new(&dir).join(before.keys().filter(|n| n.ends_with("t")).nth(k).unwrap());
    let bytes = std::fs::read(shard(1)).unwrap();
    std::fs::write(shard(1), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::copy(shard(3), shard(2)).unwrap();
    assert_eq!(outcome(&["sweep", &path, "--out", &dir, "--resume"]).0, 0);
    assert!(contents(&dir) == before);
}

#[test]
fn failed_trials_are_rows_with_their_reason() {
    let tmp = TempDir::new("sweep-failed");
    let study = study(&tmp, -0.5);
    let dir = tmp.join("out");
    let out = stickslip(&["sweep", &study, "--out", &dir, "--json"]);
    assert_eq!(out.status.code(), Some(1));
    let summary: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let failed = summary["failed"].as_u64().unwrap();
    println!("{failed} of 40 failed");
    assert!((10..30).contains(&failed) && summary["trials"] == 40, "{failed}");
    assert_eq!(summary["quantities"]["way"]["count"].as_u64(), Some(40 - failed));
    let reason = summary["failures"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("friction"), "{reason}");
    let page = read(&dir, "report.html");
    assert!(page.contains(&format!("{failed} trials failed")) && page.contains("class=\"verdict bad\""));
}

#[test]
fn a_trial_can_be_run_on_its_own() {
    let temp = TempDir::new("sweep-trial");
    let (study, dir) = (temp.join("study.toml"), temp.join("sweep"));
    // a scene of the user's own: the directory has all that the trial needs
    let scene =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/incline.toml")).unwrap();
    std::fs::write(temp.join("my-scene.toml"), scene).unwrap();
    let text = "[study]\nname = \"s\"\ndescription = \"d\"\nkind = \"sweep\"\nscene = \"my-scene.toml\" # mine\n[set]\n\
                \"simulation.until\" = 0.1\n[parameters]\nslope = { grid = { from = 0.5, to = 0.9, count = 3 } }\n\
                heading = { values = [0, 0.1] }\nfriction = { uniform = [0.1, 0.5] }\n[trials]\nrepeats = 4\n\
                [quantities]\nx = { end = \"box.x\" }\n[outcomes]\nfar = \"x > 0.01\"\n";
    std::fs::write(&study, text).unwrap();
    assert_eq!(outcome(&["sweep", &study, "--out", &dir]).0, 0);
    std::fs::remove_file(temp.join("my-scene.toml")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&read(&dir, "summary.json")).unwrap();
    let trial = summary["quantities"]["x"]["max_trial"].to_string();
    let (code, out, error) = outcome(&["sweep", &dir, "--trial", &trial, "--out", &dir, "--json"]);
    assert_eq!(code, 0, "{error}");
    let run: serde_json::Value = serde_json::from_str(&out).unwrap();
    // the same trial to the last digit
    println!("trial {trial}: x = {} m, {}", run["bodies"]["box"]["position"][0], error.replace('\n', " "));
    assert_eq!(run["bodies"]["box"]["position"][0], summary["quantities"]["x"]["max"]);
    assert!(error.contains("friction = 0."));
    let page = read(&dir, "report.html");
    assert!(page.contains(&format!("\"pages\":[{trial}]")) && page.contains("95 % interval"));
    assert!(read(&dir, &format!("trials/{trial}/report.html")).contains("Certified"));
    let (code, _, error) = outcome(&["sweep", &dir, "--trial", "24"]);
    assert!(code == 2 && error.contains("from 0 to 23"), "{error}");
    let (code, _, error) = outcome(&["sweep", &temp.join(""), "--trial", "0"]);
    assert_eq!(code, 2, "{error}");
}
