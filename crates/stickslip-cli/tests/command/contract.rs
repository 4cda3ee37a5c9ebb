//! Command names, JSON fields and exit codes: what others build on.

use crate::common::{TempDir, outcome, read};
use serde_json::Value;

/// The fields of a run, in order.
const RUN: [&str; 14] = [
    "scene",
    "stepper",
    "cone",
    "solver",
    "step",
    "time",
    "steps",
    "wall_seconds",
    "bodies",
    "coordinates",
    "joints",
    "contacts",
    "energy",
    "certificate",
];
/// Those of its energies, in order.
const ENERGY: [&str; 8] = [
    "kinetic",
    "potential",
    "dissipated_friction",
    "dissipated_impact",
    "work_in",
    "discretisation",
    "imbalance",
    "overlap",
];
/// Those that its certificate has among others.
const CERTIFICATE: [&str; 12] = [
    "complementarity",
    "cone",
    "dissipation",
    "penetration",
    "joint",
    "touch",
    "passivity",
    "passage",
    "limits",
    "worst",
    "tolerance",
    "missed_steps",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn json(args: &[&str]) -> Value {
    let (code, stdout, stderr) = outcome(args);
    assert!(code < 2, "{args:?}: {stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}\n{stdout}"))
}

#[test]
fn run_prints_one_object_with_the_promised_fields() {
    let spatial = json(&["run", "slide-to-roll", "--json"]);
    assert_eq!(keys(&spatial), RUN);
    assert_eq!(
        keys(&spatial["bodies"]["sphere"]),
        ["position", "orientation", "velocity", "angular_velocity"]
    );
    assert_eq!(spatial["bodies"]["sphere"]["orientation"].as_array().unwrap().len(), 4);
    let contact = &spatial["contacts"][0];
    for field in ["label", "gap", "normal_force", "friction_force", "slip", "mode"] {
        assert!(!contact[field].is_null(), "{field}");
    }
    assert_eq!(contact["label"], "sphere/floor");
    assert_eq!(contact["normal_force"], 9.81);
    assert_eq!(contact["normal"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(keys(&spatial["energy"]), ENERGY);
    for field in CERTIFICATE {
        assert!(spatial["certificate"].get(field).is_some(), "{field}");
    }
    let planar = json(&["run", "bouncing-ball", "--json"]);
    assert!(planar["bodies"]["ball"]["orientation"].is_number());
    let closed = json(&["run", "woodpecker", "--json", "--until", "0.01"]);
    assert_eq!(keys(&closed["coordinates"]), ["y", "phi_M", "phi_S"]);
    let labels: Vec<&str> =
        closed["contacts"].as_array().unwrap().iter().filter_map(|c| c["label"].as_str()).collect();
    assert_eq!(labels, ["beak", "lower", "upper"]);
}

/// Friction acts on the first-named body: it slows the sphere down and is what mu N says.
#[test]
fn friction_forces_act_on_the_first_named_body() {
    let run = json(&["run", "slide-to-roll", "--json", "--until", "0.12"]);
    let contact = &run["contacts"][0];
    assert_eq!(contact["mode"], "slip");
    let friction = contact["friction_force"][0].as_f64().unwrap();
    assert!((friction + 0.2 * 9.81).abs() < 1e-12, "{friction}");
    assert!(contact["slip"][0].as_f64().unwrap() > 0.0);
}

#[test]
fn exit_codes_tell_certified_missed_and_bad_apart() {
    assert_eq!(outcome(&["run", "incline", "--until", "0.1"]).0, 0);
    let missed = ["run", "bouncing-ball", "--set", "tolerance.penetration=1e-12"];
    let (code, stdout, _) = outcome(&missed);
    assert_eq!(code, 1);
    assert!(stdout.contains("NOT certified") && !stdout.contains("every step within"), "{stdout}");
    assert_eq!(outcome(&["run", "no-such-scene"]).0, 2);
    assert_eq!(outcome(&["run", "incline", "--bogus"]).0, 2);
    assert_eq!(outcome(&["report", "/no/such/directory"]).0, 2);
    assert_eq!(outcome(&["list"]).0, 0);
}

#[test]
fn strict_stops_at_the_first_missed_step() {
    let args = ["run", "bouncing-ball", "--set", "tolerance.penetration=1e-12", "--json", "--strict"];
    let (code, stdout, stderr) = outcome(&args);
    assert_eq!(code, 1);
    assert!(stderr.contains("penetration"), "{stderr}");
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(value["certificate"]["missed_steps"], 1);
    assert!(value["time"].as_f64().unwrap() < 0.5);
}

#[test]
fn out_writes_a_complete_directory() {
    let tmp = TempDir::new("complete");
    let dir = tmp.join("run");
    assert_eq!(
        outcome(&["run", "bouncing-ball", "--set", "restitution=1", "--until=20", "--out", &dir]).0,
        0
    );
    let mut names: Vec<String> =
        std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "checkpoint.json",
        "contacts.csv",
        "drawing.json",
        "events.jsonl",
        "report.html",
        "scene.toml",
        "summary.json",
        "trajectory.csv",
    ];
    assert_eq!(names, expected, "nothing else, nothing half-written");
    let report = read(&dir, "report.html");
    assert!(report.contains("Turning points") && report.contains("last peak − start"));
    std::fs::remove_file(format!("{dir}/report.html")).unwrap();
    assert_eq!(outcome(&["report", &dir]).0, 0);
    assert!(read(&dir, "report.html") == report, "the report is made from the files alone");
    // the scene as run gives the same run
    let again = tmp.join("again");
    assert_eq!(outcome(&["run", &format!("{dir}/scene.toml"), "--out", &again]).0, 0);
    assert!(read(&dir, "trajectory.csv") == read(&again, "trajectory.csv"));
}

#[test]
fn every_builtin_checks_and_is_listed() {
    let (_, listed, _) = outcome(&["list"]);
    for name in [
        "bouncing-ball",
        "box-stack",
        "conveyor",
        "door",
        "four-bar",
        "hoist",
        "pushed-block",
        "slide-to-roll",
        "woodpecker",
        "woodpecker-formula",
    ] {
        assert!(listed.lines().any(|l| l.starts_with(name)), "{name}");
        let (code, stdout, stderr) = outcome(&["check", name]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("stepper") && stdout.contains("cone"), "{stdout}");
    }
}

#[test]
fn studies_are_listed_and_checked() {
    let (_, listed, _) = outcome(&["list"]);
    assert!(listed.lines().any(|l| l.starts_with("grasp-map") && l.contains("sweep")), "{listed}");
    let (code, said, _) = outcome(&["check", "grasp-map"]);
    assert!(code == 0 && said.contains("26460 trials") && said.contains("outcomes: success"), "{said}");
    let study = json(&["check", "grasp-map", "--json"]);
    assert_eq!((study["kind"].as_str(), study["trials"].as_u64()), (Some("sweep"), Some(26460)));
    let (code, _, said) = outcome(&["check", "grasp-map", "--step", "1"]);
    assert!(code == 2 && said.contains("[set]"), "{said}");
}

#[test]
fn check_prints_the_model_as_one_object() {
    let rover = json(&["check", "rover", "--json"]);
    assert_eq!(
        keys(&rover),
        ["scene", "description", "parameters", "model", "simulation", "tolerance", "steppers"]
    );
    let model = &rover["model"];
    for field in [
        "kind",
        "dimension",
        "gravity",
        "bodies",
        "joints",
        "degrees_of_freedom",
        "joint_rows",
        "redundant_rows",
        "forces",
        "touching",
        "never_touching",
        "overlaps",
    ] {
        assert!(model.get(field).is_some(), "{field}");
    }
    // a chassis with six freedoms and one for each wheel
    assert_eq!((&model["degrees_of_freedom"], &model["joint_rows"]), (&10.into(), &20.into()));
    assert_eq!(model["never_touching"].as_array().unwrap().len(), 4);
    assert_eq!(model["bodies"][2]["principal_moments"], serde_json::json!([0.17, 0.37, 0.5]));
    assert_eq!(model["joints"][0]["motor_bound"], 2.0);
    let bar = json(&["check", "four-bar", "--json"]);
    assert_eq!(bar["model"]["degrees_of_freedom"], 1);
    // a particle does not turn
    assert_eq!(json(&["check", "wood-grain", "--json"])["model"]["degrees_of_freedom"], 3);
    let ball = json(&["check", "bouncing-ball", "--json"]);
    let stand = |name: &str| {
        let all = ball["steppers"].as_array().unwrap();
        all.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("{name}: {all:?}")).clone()
    };
    assert_eq!(stand("moreau")["accepts"], true);
    let refused = stand("stewart-trinkle");
    assert_eq!(refused["accepts"], false);
    assert!(refused["refusal"].as_str().unwrap().contains("restitution"), "{refused:?}");
    assert_eq!(json(&["check", "woodpecker", "--json"])["model"]["kind"], "closed-form");
}

/// A rod in Painlevé's inconsistent region has no motion at all: no step is taken, and none is called certified.
#[test]
fn a_run_that_stops_is_not_called_certified() {
    let event = ["--stepper", "event", "--set", "simulation.order=8", "--set", "simulation.absolute=1e-10"];
    let rod = ["--set", "simulation.relative=1e-10", "--set", "mu=2.5", "--set", "theta=1.1"];
    let args = [&["run", "painleve-rod"][..], &event, &rod].concat();
    let (code, stdout, stderr) = outcome(&args);
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.contains("NOT certified: stopped before its end; 0 steps"), "{stdout}");
    assert!(!stdout.contains("certified: every"), "{stdout}");
    let tmp = TempDir::new("stopped");
    let out = tmp.join("run");
    let summary = json(&[&args[..], &["--json", "--out", &out]].concat());
    assert!(summary["stopped"].as_str().unwrap().contains("Painlevé"), "{summary}");
    assert!(!read(&out, "report.html").contains("every step within its tolerances"));
}

#[test]
fn a_run_without_inertia_records_its_balance() {
    let tmp = TempDir::new("balance");
    let out = tmp.join("run");
    json(&["run", "tripod-push", "--until", "0.2", "--json", "--out", &out]);
    let text = read(&out, "trajectory.csv");
    let column = text.lines().next().unwrap().split(',').position(|c| c == "certificate.balance").unwrap();
    let values: Vec<f64> =
        text.lines().skip(2).map(|l| l.split(',').nth(column).unwrap().parse().unwrap()).collect();
    println!("{values:?}");
    assert!(values.len() > 3 && values.iter().all(|b| *b <= 1e-8) && values.iter().any(|b| *b > 0.0));
    assert!(read(&out, "report.html").contains("<td>balance"));
}
