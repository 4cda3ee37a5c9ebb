//! Robots in MJCF and SDF, their files, and what `--repair` and `--strict` do. `tests/robots/compare.py` compares many more
//! with MuJoCo and Pinocchio.

use nalgebra::{Rotation3, Vector3};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use stickslip_scene::{
    BodySummary, ImportOptions, JointSummary, Model, Overrides, Scene, WorldSummary, import, import_text,
    is_robot, load_robot, parse,
};

pub(super) const WALKER: &str = include_str!("../robots/walker.xml");
pub(super) const CRANE: &str = include_str!("../robots/crane.sdf");
pub(super) const ARM: &str = include_str!("../robots/arm.urdf");

fn text(word: &str) -> Option<String> {
    Some(word.to_owned())
}

pub(super) fn options() -> ImportOptions {
    ImportOptions { stepper: text("stewart-trinkle"), until: text("1"), ..ImportOptions::default() }
}

/// What a URDF needs besides. Meshes are taken as they are: what is told here of them is where they are found.
pub(super) fn urdf() -> ImportOptions {
    let (gravity, friction, meshes) = (text("0,0,-9.81"), text("0.5"), text("exact"));
    ImportOptions { gravity, friction, meshes, base: text("fixed"), step: text("1e-3"), ..options() }
}

fn scene(file: &str, robot: &str, options: &ImportOptions) -> (Scene, String) {
    let imported = import_text(file, robot, options).unwrap_or_else(|e| panic!("{e}"));
    // the meshes of these robots are made by the import
    let placed = imported.place(Path::new(".")).unwrap();
    let read =
        stickslip_scene::parse_in("scene", &imported.text, &Overrides::default(), Some(placed.folder()));
    (read.unwrap_or_else(|e| panic!("{e}\n{}", imported.text)), imported.report.join("\n"))
}

fn world(scene: &Scene) -> &WorldSummary {
    match &scene.model {
        Model::World(world) => world,
        other => panic!("{other:?}"),
    }
}

fn body<'s>(scene: &'s Scene, name: &str) -> &'s BodySummary {
    let found = world(scene).bodies.iter().find(|b| b.name == name);
    found.unwrap_or_else(|| panic!("{name}: {}", world(scene)))
}

fn joint<'s>(scene: &'s Scene, name: &str) -> &'s JointSummary {
    let found = world(scene).joints.iter().find(|j| j.name == name);
    found.unwrap_or_else(|| panic!("{name}: {}", world(scene)))
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12 * (1.0 + y.abs()))
}

/// The lines of a table of the text, by its name.
fn table<'t>(text: &'t str, name: &str) -> &'t str {
    let from = text.find(name).unwrap_or_else(|| panic!("{name}:\n{text}"));
    text[from..].split("\n\n").next().unwrap_or_default()
}

/// Where the text of a scene has a joint.
fn anchor(text: &str, name: &str) -> Vec<f64> {
    let line = table(text, &format!("[[joint]]\nname = \"{name}\""));
    let values = line.lines().find_map(|l| l.strip_prefix("anchor = [")).unwrap().trim_end_matches(']');
    values.split(", ").map(|x| x.parse().unwrap()).collect()
}

#[test]
fn an_mjcf_has_the_masses_frames_and_drives_that_it_says() {
    let (scene, report) = scene("walker.xml", WALKER, &options());
    assert_eq!((scene.step, world(&scene).gravity.as_slice()), (0.004, [0.0, 0.0, -9.8].as_slice()));
    // density 800 times the volume; what is drawn weighs nothing; the thigh lends its carrier some
    assert!(near(&[body(&scene, "trunk").mass.unwrap()], &[800.0 * 0.4 * 0.2 * 0.1]), "{report}");
    let (r, length) = (0.04, (0.02f64.powi(2) + 0.4f64.powi(2)).sqrt());
    let thigh = 800.0 * PI * (r * r * length + 4.0 / 3.0 * r * r * r);
    let both = body(&scene, "thigh").mass.unwrap() + body(&scene, "thigh_0").mass.unwrap();
    assert!(near(&[both], &[thigh]), "{both} {thigh}");
    let ellipsoid = 800.0 * 4.0 / 3.0 * PI * 0.04 * 0.05 * 0.2;
    assert!(near(&[body(&scene, "shin").mass.unwrap()], &[ellipsoid + 0.3]), "the plate is welded to it");
    // turns about z, then the new y, then the new x
    let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), PI / 6.0)
        * Rotation3::from_axis_angle(&Vector3::x_axis(), PI / 9.0);
    let knee = Vector3::new(0.1, 0.15, 1.2) + turn * Vector3::new(0.0, 0.02, -0.39);
    assert!(near(&anchor(&scene.text, "knee"), knee.as_slice()), "{knee:?}\n{}", scene.text);
    assert_eq!(joint(&scene, "hip_y").limits, Some([-PI / 2.0, 60f64.to_radians()]));
    assert_eq!((joint(&scene, "hip_y").friction, joint(&scene, "hip_y").viscous), (0.2, 0.5));
    assert_eq!(joint(&scene, "ankle").limits, Some([-0.01, 0.02]), "metres are no degrees");
    assert_eq!(joint(&scene, "ankle").viscous, 0.1, "of its class");
    // a velocity actuator at rest brakes
    assert!(near(&[joint(&scene, "wag").viscous], &[0.8]));
    let hip = "joint = \"hip_y\"\nstiffness = 50.0\ndamping = 2.0\ntarget = 0.0";
    let ankle = "joint = \"ankle\"\nstiffness = 400.0\ndamping = 8.0\ntarget = 0.005";
    let knee = "joint = \"knee\"\nstiffness = 3.0\nrest = -0.17453292519943295";
    let lift = "mimic = { joint = \"knee\", multiplier = 0.5, offset = 0.1 }";
    for said in [
        hip,
        ankle,
        knee,
        lift,
        "kind = \"spherical\"",
        "between = [\"trunk\", \"shin\"]",
        "rotor_inertia = 0.01",
        "coordinates = \"joint\"",
    ] {
        assert!(scene.text.contains(said), "{said}\n{}", scene.text);
    }
    for said in ["solver settings", "`thigh_0` has no mass", "keyframe", "meets nothing"] {
        assert!(report.contains(said), "{said}: {report}");
    }
}

/// The free body, the hinges and the slide of the keyframe, and its controls.
#[test]
fn a_keyframe_says_where_an_mjcf_starts() {
    let options = ImportOptions { keyframe: text("crouch"), ..options() };
    let (scene, report) = scene("walker.xml", WALKER, &options);
    assert!(near(&body(&scene, "trunk").position, &[0.0, 0.0, 1.0]), "{report}");
    assert!(scene.text.contains("joint = \"hip_y\"\nstiffness = 50.0\ndamping = 2.0\ntarget = -0.4"));
    assert!(scene.text.contains("joint = \"ankle\"\nstiffness = 400.0\ndamping = 8.0\ntarget = 0.015"));
    for said in
        ["`hip_x` starts at 0.1", "`knee` starts at -1.2", "`ankle` starts at 0.01", "`lift` starts at -0.5"]
    {
        assert!(report.contains(said), "{said}: {report}");
    }
    let wrong = ImportOptions { keyframe: text("crowch"), ..options };
    let error = import_text("walker.xml", WALKER, &wrong).unwrap_err().to_string();
    assert!(error.contains("--keyframe crowch") && error.contains("`crouch`"), "{error}");
}

#[test]
fn an_sdf_has_the_frames_joints_and_friction_that_it_says() {
    let (scene, report) = scene("crane.sdf", CRANE, &options());
    assert_eq!((scene.step, world(&scene).gravity.as_slice()), (0.002, [0.0, 0.0, -9.7].as_slice()));
    // the crane is turned by a quarter: 0.5 + 0.1 along its x is along y; the centre of mass of the jib is 0.1 further
    let half = 0.5f64.sqrt();
    assert!(near(&body(&scene, "crane__jib").position, &[1.0, 2.6, 1.1]), "{report}");
    assert!(near(&body(&scene, "crane__jib").orientation, &[half, 0.0, 0.0, half]));
    assert!(near(&body(&scene, "crane__load").position, &[1.0, 3.0, 0.4]));
    let slew = joint(&scene, "crane__slew");
    assert_eq!((slew.limits, slew.friction, slew.viscous), (Some([-2.0, 2.0]), 0.1, 0.4));
    let of = |name: &str| table(&scene.text, &format!("[[joint]]\nname = \"{name}\"")).to_owned();
    assert!(near(&anchor(&scene.text, "crane__slew"), &[1.0, 2.0, 1.0]));
    assert!(of("crane__slew").contains("axis = [0.0, 0.0, 1.0]"), "{}", of("crane__slew"));
    assert!(of("crane__hoist").contains("axis = [0.0, 0.0, 1.0]"), "in the frame of the model");
    let sway = of("crane__sway");
    assert!(
        sway.contains("between = [\"crane__sway_cross\", \"crane__hook\"]") && sway.contains("viscous = 0.2"),
        "{sway}"
    );
    assert!(scene.text.contains("stiffness = 2.0\nrest = 0.1"), "{}", scene.text);
    // 6 of the post, 5 hinges and slides
    assert_eq!(world(&scene).degrees_of_freedom, 10, "{}", world(&scene));
    // the lesser coefficient holds; links of one model do not meet
    let touching = &world(&scene).touching;
    assert!(
        touching.iter().any(|t| t.surface.friction == 0.6)
            && touching.iter().all(|t| t.surface.friction == 0.6)
    );
    assert!(world(&scene).apart.len() >= 3, "{:?}", world(&scene).apart);
}

/// Zero moments of a camera welded to a link are no body of their own: m |d|² is added.
#[test]
fn welded_links_are_one_body_with_the_inertia_of_both() {
    let (scene, report) = scene("arm.urdf", ARM, &urdf());
    let upper = body(&scene, "upper");
    assert!(near(&[upper.mass.unwrap()], &[2.1]), "{report}");
    assert!(!world(&scene).bodies.iter().any(|b| b.name == "camera"));
    assert!(report.contains("`camera` is welded to `upper`"), "{report}");
    assert!(
        import_text(
            "arm.urdf",
            &ARM.replace("mount\" type=\"fixed\"", "mount\" type=\"continuous\""),
            &urdf()
        )
        .is_err()
    );
}

/// A folder of its own, which goes at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-robots-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn with_mesh(file: &str) -> String {
    format!(
        "<robot name=\"r\"><link name=\"part\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" \
         iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial><collision><geometry><mesh filename=\"{file}\"/></geometry></collision>\
         </link></robot>"
    )
}

/// By name of a folder above, by package.xml, by `--package`; never outside of those.
#[test]
fn packages_are_found_upwards_and_where_they_are_named_and_nowhere_else() {
    let folder = Folder::new("packages");
    folder.write("ws/arm_description/meshes/part.obj", TETRAHEDRON);
    folder.write("ws/other/package.xml", "<package><name>hand_description</name></package>");
    folder.write("ws/other/part.obj", TETRAHEDRON);
    folder.write("secret/part.obj", TETRAHEDRON);
    let robot = |place: &str, file: &str| folder.write(place, &with_mesh(file));
    let above = robot("ws/arm_description/urdf/a.urdf", "package://arm_description/meshes/part.obj");
    let beside = robot("ws/third/urdf/a.urdf", "package://arm_description/meshes/part.obj");
    let by_xml = robot("ws/other/urdf/a.urdf", "package://hand_description/part.obj");
    let options = ImportOptions { base: text("floating"), ..urdf() };
    for path in [&above, &beside, &by_xml] {
        let imported = import(path, &options).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_eq!(imported.files, ["r_meshes/part.obj"], "{path}");
        let (scene, _) = load_robot(path, &options, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(body(&scene, "part").shape.as_ref().unwrap().contains("closed mesh of 4 triangles"));
        // its meshes are where the scene is, as long as that lasts
        let kept = scene.folder.clone().unwrap();
        assert!(kept.join("r_meshes/part.obj").is_file());
        drop(scene);
        assert!(!kept.exists());
    }
    let lost = robot("ws/arm_description/urdf/b.urdf", "package://nowhere/part.obj");
    let error = import(&lost, &options).unwrap_err().to_string();
    assert!(
        error.contains("b.urdf:1:") && error.contains("no file") && error.contains("--package"),
        "{error}"
    );
    let named = ImportOptions {
        package: vec![format!("nowhere={}", folder.0.join("secret").display())],
        ..options.clone()
    };
    assert!(import(&lost, &named).is_ok());
    for outside in [
        "package://arm_description/../../secret/part.obj",
        "../../../secret/part.obj",
        "package://../secret/part.obj",
        "file:///etc/passwd",
    ] {
        let path = robot("ws/arm_description/urdf/c.urdf", outside);
        let error = import(&path, &options).unwrap_err().to_string();
        assert!(
            error.contains("c.urdf:1:") && error.contains("leaves the model's folder"),
            "{outside}: {error}"
        );
    }
    #[cfg(unix)]
    {
        let link = folder.0.join("ws/arm_description/meshes/link.obj");
        std::os::unix::fs::symlink(folder.0.join("secret/part.obj"), link).unwrap();
        let path = robot("ws/arm_description/urdf/d.urdf", "package://arm_description/meshes/link.obj");
        let error = import(&path, &options).unwrap_err().to_string();
        assert!(error.contains("leads out of the model's folder"), "{error}");
    }
    let error = import(&above, &ImportOptions { package: vec!["x".to_owned()], ..options }).unwrap_err();
    assert!(error.to_string().contains("--package x"), "{error}");
}

/// A tetrahedron of 100 units of 1 cm along y, which is up, moved by its node; the volume is that of one of 1 m.
#[test]
fn a_dae_is_placed_by_its_nodes_in_metres_with_z_up() {
    let folder = Folder::new("dae");
    let dae = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
      <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">
        0 0 0 100 0 0 0 0 -100 0 100 0</float_array><technique_common><accessor source="#a" count="4" stride="3"/>
        </technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 3 3 3</vcount>
        <p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist></mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene id="s"><node><translate>0 50 0</translate>
        <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
      <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    folder.write("part.dae", dae);
    let path = folder.write("r.urdf", &with_mesh("part.dae"));
    let options = ImportOptions { base: text("floating"), ..urdf() };
    let (scene, _) = load_robot(&path, &options, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.files, ["part.dae"]);
    assert!(body(&scene, "part").shape.as_ref().unwrap().contains("closed mesh of 4 triangles"));
    let uniform = scene.text.replace("mass = 1.0\ninertia = [1.0, 1.0, 1.0]\n", "density = 6.0\n");
    let uniform = uniform.lines().filter(|l| !l.starts_with("center_of_mass")).collect::<Vec<_>>().join("\n");
    let scene = stickslip_scene::parse_in("scene", &uniform, &Overrides::default(), Some(&folder.0)).unwrap();
    let part = body(&scene, "part");
    assert!(near(&[part.mass.unwrap()], &[1.0]) && near(&part.position, &[0.25, 0.25, 0.75]), "{part:?}");
    let broken = folder.write("r.urdf", &with_mesh("part.dae"));
    for (from, to, said) in [
        ("<vcount>3 3 3 3", "<vcount>3 3 3 9", "ends within a polygon"),
        ("0 2 1 0 1 3", "0 2 1 0 1 7", "vertex 7 of 4"),
        ("0 50 0", "0 x 0", "no finite number"),
        ("meter=\"0.01\"", "meter=\"-1\"", "no number of metres"),
        ("</COLLADA>", "", "XML"),
    ] {
        folder.write("part.dae", &dae.replacen(from, to, 1));
        let error = import(&broken, &options).unwrap_err().to_string();
        assert!(
            error.contains("r.urdf:1:") && error.contains("part.dae:") && error.contains(said),
            "{to}: {error}"
        );
    }
}

/// Each is an error that names `--repair`, and with it a scene that loads, with a line that says what was done.
#[test]
fn repair_applies_the_cures_that_errors_name_and_lists_them() {
    let cases = [
        (
            "ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\"",
            "ixx=\"0.09\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\"",
            "principal moments",
        ),
        ("lower=\"-2\" upper=\"2\"", "lower=\"0.5\" upper=\"2\"", "starts at 0.5"),
        ("<mimic joint=\"finger\"/>", "<mimic joint=\"fingr\"/>", "follows `fingr`"),
        ("<robot name=\"arm\">", "<robot>", "that of its file"),
        (
            "<inertial><mass value=\"0.1\"/><inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\"/></inertial>",
            "",
            "",
        ),
    ];
    let repaired = ImportOptions { repair: true, ..urdf() };
    for (from, to, said) in cases {
        let broken = ARM.replacen(from, to, 1);
        assert_ne!(broken, ARM, "{from}");
        if !said.is_empty() {
            let error = import_text("arm.urdf", &broken, &urdf()).unwrap_err().to_string();
            assert!(error.contains("--repair") || said == "that of its file", "{to}: {error}");
        }
        let (_, report) = scene("arm.urdf", &broken, &repaired);
        assert!(report.contains("repaired") && report.contains(said) || said.is_empty(), "{to}: {report}");
    }
    // a hand between two hinges without mass: lent by the next one, so that both weigh what the file says
    let massless = ARM.replace(
        "<link name=\"lower\">",
        "<link name=\"wrist\"/><joint name=\"roll\" type=\"continuous\"><parent link=\"wrist\"/><child link=\"lower\"/>\
         <axis xyz=\"0 0 1\"/></joint><link name=\"lower\">",
    );
    let massless = massless.replace("<child link=\"lower\"/><origin", "<child link=\"wrist\"/><origin");
    let error = import_text("arm.urdf", &massless, &urdf()).unwrap_err().to_string();
    assert!(error.contains("`wrist` has no mass and moves") && error.contains("--repair"), "{error}");
    let (scene, report) = scene("arm.urdf", &massless, &repaired);
    let both = body(&scene, "wrist").mass.unwrap() + body(&scene, "lower").mass.unwrap();
    assert!(near(&[both], &[1.0]) && report.contains("link `wrist` has no mass"), "{both} {report}");
    // what overlaps: said, and with --repair kept apart
    let thick = ARM.replace("<sphere radius=\"0.05\"/>", "<sphere radius=\"0.7\"/>");
    let plain = import_text("arm.urdf", &thick, &urdf()).unwrap();
    assert!(
        plain.report.iter().any(|l| l.contains("overlap at the start") && l.contains("--repair")),
        "{:?}",
        plain.report
    );
    assert!(parse("scene", &plain.text, &Overrides::default()).is_err());
    let cured = import_text("arm.urdf", &thick, &repaired).unwrap();
    parse("scene", &cured.text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn robots_are_recognised_by_what_they_are() {
    let folder = Folder::new("kinds");
    for (name, content, robot) in [
        ("a.txt", ARM, true),
        ("b", WALKER, true),
        ("c.world", CRANE, true),
        ("d.xml", "<?xml version=\"1.0\"?>\n<!-- x -->\n<mujoco/>", true),
        ("e.toml", ARM, false),
        ("f.txt", "[scene]\nname = \"<robot\"", false),
    ] {
        assert_eq!(is_robot(&folder.write(name, content)), robot, "{name}");
    }
    assert!(!is_robot("rover") && !is_robot(folder.0.to_str().unwrap()));
}
