//! A stored run has all it needs: files that the scene reads are kept beside it.

use crate::common::{TempDir, outcome, read};

const SCENE: &str = r#"
[scene]
name = "lift"
description = "a box on a table that moves as a file says"
dimension = 2
[world]
gravity = [0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 0.5
[[body]]
name = "table"
drive.position = [0, { table = "data/motion.csv", column = "y" }]
shape.box.size = [1, 0.1]
material = "wood"
[[body]]
name = "box"
mass = 1
shape.box.size = [0.1, 0.1]
material = "wood"
position = [0, 0.1]
[[contact]]
between = ["wood", "wood"]
friction = 0.5
"#;

fn write(tmp: &TempDir, scene: &str, table: &str) -> String {
    let path = tmp.0.join("here").join(table);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "t,y\n0,0\n0.2,0.02\n0.4,0.01\n0.6,0.03\n").unwrap();
    std::fs::write(tmp.0.join("here/lift.toml"), scene).unwrap();
    tmp.join("here/lift.toml")
}

#[test]
fn a_run_with_a_table_is_repeated_from_its_directory_alone() {
    let tmp = TempDir::new("kept");
    let scene = write(&tmp, SCENE, "data/motion.csv");
    let (first, again, on) = (tmp.join("first"), tmp.join("again"), tmp.join("on"));
    let (code, _, stderr) = outcome(&["run", &scene, "--until", "0.3", "--out", &first]);
    assert_eq!(code, 0, "{stderr}");
    std::fs::remove_dir_all(tmp.0.join("here")).unwrap();
    let stored = format!("{first}/scene.toml");
    let (code, _, stderr) = outcome(&["run", &stored, "--out", &again]);
    assert_eq!(code, 0, "{stderr}");
    for file in ["scene.toml", "trajectory.csv", "contacts.csv", "checkpoint.json", "data/motion.csv"] {
        assert!(read(&first, file) == read(&again, file), "{file}");
    }
    // goes on from there, and into its own directory
    let checkpoint = format!("{first}/checkpoint.json");
    assert_eq!(outcome(&["run", &stored, "--until", "0.5", "--from", &checkpoint, "--out", &on]).0, 0);
    let before = read(&first, "trajectory.csv");
    assert_eq!(outcome(&["run", &stored, "--out", &first]).0, 0);
    assert!(before == read(&first, "trajectory.csv"));
}

#[test]
fn a_file_that_the_run_would_write_over_is_refused() {
    let tmp = TempDir::new("clash");
    let scene = write(&tmp, &SCENE.replace("data/motion.csv", "trajectory.csv"), "trajectory.csv");
    for out in ["out", "here"] {
        let (code, _, stderr) = outcome(&["run", &scene, "--out", &tmp.join(out)]);
        assert!(code == 2 && stderr.contains("trajectory.csv: the scene reads a file"), "{stderr}");
    }
    assert!(read(&tmp.join("here"), "trajectory.csv").starts_with("t,y"), "untouched");
}
