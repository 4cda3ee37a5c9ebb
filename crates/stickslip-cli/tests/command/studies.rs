//! `refine`, `compare`, `explain` and `run --accuracy`: JSON fields, files, exit codes.

use crate::common::{TempDir, outcome, read};
use serde_json::Value;

fn json(args: &[&str], expected: i32) -> Value {
    let (code, stdout, stderr) = outcome(args);
    assert_eq!(code, expected, "{args:?}: {stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}\n{stdout}"))
}

fn has(value: &Value, fields: &[&str]) {
    let object = value.as_object().expect("an object");
    for field in fields {
        assert!(object.contains_key(*field), "{field} is missing in {:?}", object.keys().collect::<Vec<_>>());
    }
}

#[test]
fn refine_prints_its_fields_and_writes_its_files() {
    let dir = TempDir::new("refine");
    let out = dir.join("out");
    let value = json(&["refine", "slide-to-roll", "--levels", "4", "--json", "--out", &out], 0);
    has(
        &value,
        &["order", "steps", "quantities", "trusted_until", "verdict", "exact", "missed_steps", "parting"],
    );
    assert_eq!(value["steps"].as_array().unwrap().len(), 4);
    has(&value["quantities"]["sphere.x"], &["value", "error", "extrapolated", "size", "order", "exact"]);
    assert_eq!(value["trusted_until"], 0.6);
    assert_eq!(value["quantities"]["sphere.vx"]["exact"], true);
    assert!(read(&out, "refine.csv").starts_with("quantity,value,error"));
    assert!(read(&out, "report.html").contains("converging"));
    let stored: Value = serde_json::from_str(&read(&out, "refine.json")).unwrap();
    assert_eq!(stored, value);
    assert!(read(&out, "scene.toml").contains("slide-to-roll"));
}

#[test]
fn the_step_that_an_accuracy_takes_is_said_and_what_cannot_be_reached_is_refused() {
    let value = json(&["run", "slide-to-roll", "--accuracy", "1e-2", "--json"], 0);
    has(&value["accuracy"], &["asked", "estimated", "step", "runs"]);
    assert_eq!(value["accuracy"]["step"], value["step"]);
    assert!(value["accuracy"]["estimated"].as_f64().unwrap() <= 1e-2);
    assert!(value["step"].as_f64().unwrap() < 0.12);
    let pendulum = ["run", "double-pendulum", "--set", "angle_A=2.5", "--step", "0.05", "--until", "4"];
    let args: Vec<&str> = pendulum.iter().copied().chain(["--accuracy", "1e-10", "--json"]).collect();
    let (code, stdout, stderr) = outcome(&args);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("not reached"), "{stderr}");
    let (code, _, stderr) = outcome(&["run", "slide-to-roll", "--accuracy", "2"]);
    assert!(code == 2 && stderr.contains("accuracy"), "{stderr}");
}

#[test]
fn compare_prints_its_fields_and_writes_its_files() {
    let dir = TempDir::new("compare");
    let out = dir.join("out");
    let args =
        ["compare", "slide-to-roll", "--steppers", "stewart-trinkle,moreau", "--solvers", "nsgs,lemke"];
    let args: Vec<&str> = args.into_iter().chain(["--json", "--out", &out]).collect();
    let value = json(&args, 0);
    has(&value, &["scene", "until", "reference", "runs", "refused", "slopes", "crossings"]);
    assert_eq!(value["reference"]["stepper"], "event");
    assert_eq!(value["runs"].as_array().unwrap().len(), 2);
    has(
        &value["runs"][0],
        &[
            "stepper",
            "cone",
            "solver",
            "step",
            "error",
            "distance",
            "wall_seconds",
            "cpu_seconds",
            "certificate",
            "pareto",
        ],
    );
    assert_eq!(value["refused"].as_array().unwrap().len(), 2);
    assert!(value["refused"][0]["why"].as_str().unwrap().contains("polyhedral"));
    assert_eq!(read(&out, "compare.csv").lines().count(), 3);
    assert!(read(&out, "report.html").contains("Error against time"));
    for bad in [["--reference", "best"], ["--steps", "0"], ["--steppers", "euler"], ["--cones", "round"]] {
        let (code, stdout, stderr) = outcome(&["compare", "slide-to-roll", bad[0], bad[1]]);
        assert!(code == 2 && stdout.is_empty() && stderr.contains("expected"), "{bad:?}: {stderr}");
    }
}

#[test]
fn explain_prints_its_fields_and_maps() {
    let value = json(&["explain", "painleve-rod", "--set", "mu=2", "--json"], 0);
    has(
        &value,
        &[
            "time",
            "level",
            "verdict",
            "solutions",
            "painleve",
            "configuration",
            "free_forces",
            "velocity",
            "why",
        ],
    );
    assert_eq!((&value["verdict"], &value["level"]), (&Value::from("none"), &Value::from("acceleration")));
    assert_eq!(
        (&value["painleve"], &value["configuration"]),
        (&Value::from(true), &Value::from("inconsistent"))
    );
    assert_eq!(value["velocity"]["verdict"], "unique");
    let value = json(&["explain", "two-point-block", "--json"], 0);
    let contact = &value["solutions"][0]["contacts"][0];
    has(contact, &["label", "mode", "normal_force", "friction_force", "gap_acceleration", "slip_direction"]);
    assert_eq!((&value["painleve"], &value["taken"]), (&Value::from(false), &Value::from(0)));

    let dir = TempDir::new("explain");
    let out = dir.join("out");
    let ranges = "theta=0.1:3:12,theta_rate=-6:6:5";
    let value =
        json(&["explain", "painleve-rod", "--map", ranges, "--set", "mu=2", "--json", "--out", &out], 0);
    assert_eq!(value["cells"].as_array().unwrap().len(), 60);
    assert_eq!(read(&out, "map.csv").lines().count(), 61);
    assert!(read(&out, "report.html").contains("class=cell"));
    for bad in [
        &["--at", "-1"][..],
        &["--map", "theta=0:1"],
        &["--map", "theta=0:1:5"],
        &["--map", "x=0:1:5,y=0:1:5"],
    ] {
        let args: Vec<&str> = ["explain", "painleve-rod"].into_iter().chain(bad.iter().copied()).collect();
        let (code, stdout, stderr) = outcome(&args);
        assert!(code == 2 && stdout.is_empty() && stderr.contains("expected"), "{bad:?}: {stderr}");
    }
}
