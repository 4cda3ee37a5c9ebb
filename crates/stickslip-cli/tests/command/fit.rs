//! `stickslip fit` through the command: what it writes, what it prints, how it ends.

use crate::common::{TempDir, outcome};
use serde_json::Value;

const STUDY: &str = r#"
[study]
name = "levels"
description = "two noise levels"
kind = "fit"
scene = "sliding-particle"

[parameters]
noise = { values = [1e-3, 1e-2] }
friction = { start = 0.5, lower = 0, upper = 1 }

[fit]
methods = ["least-squares"]

[[data]]
name = "positions"
synthetic = { every = 0.07, jitter = 0.2, missing = 0.3 }
columns = [{ signal = "particle.x", deviation = "noise" }]

[truth]
friction = 0.2
"#;

#[test]
fn a_fit_writes_its_files_and_is_the_same_resumed_and_for_any_jobs() {
    let tmp = TempDir::new("fit");
    let path = tmp.0.join("levels.toml");
    std::fs::write(&path, STUDY).unwrap();
    let path = path.to_str().unwrap();
    let (one, two) = (tmp.0.join("one"), tmp.0.join("two"));
    let (code, stdout, stderr) =
        outcome(&["fit", path, "--jobs", "1", "--json", "--out", one.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let whole: Value = serde_json::from_str(&stdout).unwrap();
    assert!(
        whole["synthetic"] == true
            && whole["certified"] == true
            && whole["cases"].as_array().unwrap().len() == 2
    );
    let error = whole["cases"][1]["answers"][0]["parameters"]["friction"]["error"].as_f64().unwrap();
    println!("error {error}");
    assert!(error.abs() < 6e-3 * 1e-2 * 3.0);
    let (code, words, _) = outcome(&["fit", path, "--jobs", "3", "--out", two.to_str().unwrap()]);
    assert!(code == 0 && words.contains("synthetic data"), "{words}");
    // a case that was lost is done again, the others are not
    std::fs::remove_file(two.join("cases/000001.json")).unwrap();
    let (code, _, stderr) = outcome(&["fit", path, "--resume", "--out", two.to_str().unwrap()]);
    assert!(code == 0 && stderr.matches("done").count() == 1, "{stderr}");
    for name in [
        "fit.json",
        "evaluations.csv",
        "residuals.csv",
        "report.html",
        "cases/000000.json",
        "cases/000001.json",
    ] {
        let read = |dir: &std::path::Path| std::fs::read(dir.join(name)).unwrap();
        assert!(read(&one) == read(&two) && !read(&one).is_empty(), "{name}");
    }
    let page = std::fs::read_to_string(one.join("report.html")).unwrap();
    assert!(
        page.contains("friction") && page.contains("residuals in deviations") && page.contains("synthetic")
    );
    // another study does not go on in this directory
    std::fs::write(tmp.0.join("levels.toml"), STUDY.replace("0.07", "0.08")).unwrap();
    let (code, _, stderr) = outcome(&["fit", path, "--resume", "--out", two.to_str().unwrap()]);
    assert!(code == 2 && stderr.contains("changed"), "{stderr}");
}

#[test]
fn bad_fits_end_with_2() {
    let tmp = TempDir::new("bad-fit");
    let path = tmp.0.join("levels.toml");
    for (from, to, says) in [
        ("friction = 0.2", "frction = 0.2", "levels.toml:21:"),
        ("every = 0.07", "every = 0.07, to = 9", "the scene ends at 5 s"),
        ("deviation = \"noise\"", "deviation = \"-noise\"", "the deviation is"),
    ] {
        std::fs::write(&path, STUDY.replace(from, to)).unwrap();
        let (code, stdout, stderr) = outcome(&["fit", path.to_str().unwrap()]);
        assert!(code == 2 && stdout.is_empty() && stderr.contains(says), "{code} {stdout} {stderr}");
    }
    let (code, _, stderr) = outcome(&["fit", "friction-from-partcle"]);
    assert!(code == 2 && stderr.contains("friction-from-particle"), "{stderr}");
}
