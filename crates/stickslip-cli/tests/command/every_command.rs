//! Every command has `--json`: one object on stdout and nothing else there. Every built-in study, in a small setting,
//! writes `report.html`.

use crate::common;
use crate::common::{TempDir, outcome, stickslip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const ROBOT: &str = r#"<robot name="bob"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"#;
/// What a robot's file does not say.
const IMPORT: [&str; 12] = [
    "--base",
    "fixed",
    "--gravity",
    "0,0,-9.81",
    "--friction",
    "0.5",
    "--stepper",
    "stewart-trinkle",
    "--step",
    "1e-3",
    "--until",
    "1",
];
const PROBLEM: &str = "lcp 1 1\n-1\n0 0 2\n";

fn object(args: &[&str], stdout: &str) -> Value {
    let value: Value = serde_json::from_str(stdout).unwrap_or_else(|e| panic!("{args:?}: {e}\n{stdout}"));
    assert!(value.is_object(), "{args:?}: {stdout}");
    value
}

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let (_, help, _) = outcome(&["--help"]);
    let list = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    // two blanks before a name, more before the rest of what is said of it
    let names = list.lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_prints_one_object_with_json() {
    let dir = TempDir::new("every-command");
    let [run, study, robot, problem, made] =
        ["run", "study.toml", "bob.urdf", "problem.lcp", "made"].map(|name| dir.join(name));
    std::fs::write(&robot, ROBOT).unwrap();
    std::fs::write(&problem, PROBLEM).unwrap();
    std::fs::write(&study, small("rolling-polygon")).unwrap();
    assert_eq!(outcome(&["run", "slide-to-roll", "--out", &run]).0, 0);
    let needle = dir.join("needle.toml");
    std::fs::write(&needle, small("needle-push")).unwrap();
    let particle = dir.join("particle.toml");
    std::fs::write(&particle, small("friction-from-particle")).unwrap();
    std::fs::create_dir(&made).unwrap();
    let cases: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["completions", "bash"],
        vec!["check", "incline"],
        vec!["check", &study],
        vec!["design", &needle],
        [&["import", &robot], &IMPORT[..]].concat(),
        vec!["run", "slide-to-roll"],
        vec!["refine", "slide-to-roll", "--levels", "3"],
        vec!["compare", "slide-to-roll", "--steppers", "stewart-trinkle"],
        vec!["explain", "slide-to-roll"],
        vec!["fit", &particle],
        vec!["schema"],
        vec!["solve", &problem],
        vec!["sweep", &study, "--range", "0..1"],
        vec!["report", &run],
    ];
    let mut seen: Vec<&str> = vec!["new", "view"];
    for case in &cases {
        let args: Vec<&str> = case.iter().copied().chain(["--json"]).collect();
        let (code, stdout, stderr) = outcome(&args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        object(&args, &stdout);
        seen.push(case[0]);
    }
    new_says_what_it_wrote(&made);
    view_says_where_it_serves(&run);
    for name in commands() {
        assert!(seen.contains(&name.as_str()), "`{name}` is not among the commands tried here");
    }
}

/// It writes into the directory it is called in.
fn new_says_what_it_wrote(dir: &str) {
    let new = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["new", "first", "--json"])
        .current_dir(dir)
        .output()
        .unwrap();
    let said = object(&["new"], &String::from_utf8_lossy(&new.stdout));
    assert!(std::path::Path::new(dir).join(said["file"].as_str().unwrap()).is_file());
}

/// It serves until it is ended.
fn view_says_where_it_serves(run: &str) {
    let mut view = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["view", run, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(view.stdout.take().unwrap()).read_line(&mut line).unwrap();
    view.kill().unwrap();
    view.wait().unwrap();
    assert!(object(&["view"], &line)["address"].as_str().unwrap().starts_with("http://127.0.0.1:"));
}

/// A built-in study with one trial, evaluation or case, over a short time.
fn small(name: &str) -> String {
    let source = stickslip_study::builtin().iter().find(|s| s.0 == name).expect("a study").1;
    let line = |line: &str| {
        let replaced = [
            ("repeats = ", "repeats = 1"),
            ("chunk = ", "chunk = 1"),
            ("evaluations = ", "evaluations = 1"),
            ("restarts = ", "restarts = 0"),
            ("methods = ", "methods = [\"least-squares\"]"),
            ("\"simulation.until\" = \"", "\"simulation.until\" = \"1/33\""),
            ("\"simulation.until\" = 1.0", "\"simulation.until\" = 0.2"),
            ("noise = { values", "noise = { values = [0.01] }"),
            ("particles = { values", "particles = { values = [2] }"),
        ];
        let new = replaced.iter().find(|(start, _)| line.starts_with(start)).map_or(line, |r| r.1);
        format!("{new}\n")
    };
    source.lines().map(line).collect()
}

#[test]
fn every_built_in_study_writes_its_page() {
    let dir = TempDir::new("every-study");
    let listed = object(&["list"], &String::from_utf8_lossy(&stickslip(&["list", "--json"]).stdout));
    let studies = listed["studies"].as_array().unwrap();
    assert_eq!(studies.len(), stickslip_study::builtin().len());
    for study in studies {
        let (name, kind) = (study["name"].as_str().unwrap(), study["kind"].as_str().unwrap());
        let (file, out) = (dir.join(&format!("{name}.toml")), dir.join(name));
        std::fs::write(&file, small(name)).unwrap();
        let mut args = vec![kind, &file, "--json", "--out", &out];
        if kind == "sweep" {
            args.extend(["--range", "0..1"]);
        }
        let clock = std::time::Instant::now();
        let (code, stdout, stderr) = outcome(&args);
        // a single evaluation need not hold all constraints
        assert!(code <= 1, "{name}: {stderr}");
        object(&args, &stdout);
        let page = common::read(&out, "report.html");
        println!(
            "{name}: exit {code}, {} bytes of report.html, {:.1} s",
            page.len(),
            clock.elapsed().as_secs_f64()
        );
        assert!(page.starts_with("<!") && page.contains(name), "{name}");
    }
}
