//! URDF files through the command.

use crate::common::{TempDir, outcome, read};

const ARM: &str = r#"<robot name="arm"><link name="base"/>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bar"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit effort="5" velocity="1"/></joint>
  <link name="bar"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial>
    <visual/><collision><origin xyz="0.3 0 0"/><geometry><box size="0.6 0.05 0.05"/></geometry></collision></link></robot>"#;

const OPTIONS: [&str; 12] = [
    "--base=fixed",
    "--gravity",
    "0,0,-9.81",
    "--ground",
    "-0.5",
    "--friction=0.3",
    "--stepper=stewart-trinkle",
    "--step=1e-2",
    "--until=0.5",
    "--motor",
    "hinge=0.5*sin(t)",
    "--solver=auto",
];

fn with<'a>(first: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [first, &OPTIONS, rest].concat()
}

#[test]
fn a_robot_runs_as_the_scene_it_is_imported_to() {
    let tmp = TempDir::new("urdf-run");
    let (urdf, scene) = (tmp.join("arm.urdf"), tmp.join("arm.toml"));
    std::fs::write(&urdf, ARM).unwrap();
    let (code, stdout, stderr) = outcome(&with(&["import", &urdf], &["-o", &scene]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("not used: visual (line 6)") && stdout.contains("arm.toml"), "{stdout}");
    let (a, b) = (tmp.join("a"), tmp.join("b"));
    let (code, stdout, stderr) = outcome(&with(&["run", &urdf], &["--json", "--out", &a]));
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("not used: visual") && serde_json::from_str::<serde_json::Value>(&stdout).is_ok()
    );
    assert_eq!(outcome(&["run", &scene, "--out", &b]).0, 0);
    for file in ["scene.toml", "trajectory.csv", "checkpoint.json"] {
        assert!(read(&a, file) == read(&b, file), "{file}");
    }
    assert!(read(&a, "scene.toml") == std::fs::read_to_string(&scene).unwrap());
    let (code, stdout, _) = outcome(&with(&["check", &urdf], &["--set", "joint.hinge.friction=0.1"]));
    assert!(code == 0 && stdout.contains("1 degree of freedom"), "{stdout}");
}

#[test]
fn an_existing_file_is_written_over_only_by_force() {
    let tmp = TempDir::new("urdf-force");
    let (urdf, scene) = (tmp.join("arm.urdf"), tmp.join("arm.toml"));
    std::fs::write(&urdf, ARM).unwrap();
    std::fs::write(&scene, "mine").unwrap();
    let (code, _, stderr) = outcome(&with(&["import", &urdf], &["-o", &scene]));
    assert!(code == 2 && stderr.contains("--force"), "{stderr}");
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), "mine");
    assert_eq!(outcome(&with(&["import", &urdf], &["-o", &scene, "--force"])).0, 0);
    let text = std::fs::read_to_string(&scene).unwrap();
    // what is printed without -o is the same, and nothing else
    let (_, stdout, stderr) = outcome(&with(&["import", &urdf], &[]));
    assert!(stdout == text && stderr.contains("not used"), "{stderr}");
    let mut names: Vec<_> = std::fs::read_dir(&tmp.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["arm.toml", "arm.urdf"], "nothing half-written");
}

#[test]
fn what_is_wrong_is_exit_2_with_its_place() {
    let tmp = TempDir::new("urdf-wrong");
    let urdf = tmp.join("arm.urdf");
    std::fs::write(&urdf, ARM.replace("\"continuous\"", "\"hinge\"")).unwrap();
    let (code, stdout, stderr) = outcome(&with(&["run", &urdf], &[]));
    assert!(code == 2 && stdout.is_empty() && stderr.contains("arm.urdf:2:"), "{stderr}");
    let (code, _, stderr) = outcome(&["run", "incline", "--ground", "0"]);
    assert!(code == 2 && stderr.contains("--set"), "{stderr}");
    // the scene is refused by the ordinary reader: the block overlaps the ground
    std::fs::write(&urdf, ARM).unwrap();
    let (code, _, stderr) = outcome(&with(&["check", &urdf], &["--base-position=0,0,-1.5"]));
    assert!(code == 2 && stderr.contains("arm.urdf as a scene:") && stderr.contains("overlap"), "{stderr}");
}
