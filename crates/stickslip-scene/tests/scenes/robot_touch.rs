//! What touches of imported robots: hulls of their meshes; and limits of joints that follow others.

use stickslip_scene::{ImportOptions, Imported, Model, Overrides, import, import_text, load_robot};

fn text(word: &str) -> Option<String> {
    Some(word.to_owned())
}

fn options(meshes: Option<&str>, strict: bool) -> ImportOptions {
    ImportOptions {
        gravity: text("0,0,-9.81"),
        friction: text("0.5"),
        base: text("floating"),
        stepper: text("stewart-trinkle"),
        step: text("1e-3"),
        until: text("1"),
        meshes: meshes.map(str::to_owned),
        strict,
        ..ImportOptions::default()
    }
}

/// A notched box: two bars that meet in an L, closed.
const NOTCHED: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\n\
    v 0 2 1\nf 4 3 2\nf 4 2 1\nf 4 1 6\nf 4 6 5\nf 10 8 9\nf 10 7 8\nf 10 12 7\nf 10 11 12\n\
    f 1 2 8\nf 1 8 7\nf 2 3 9\nf 2 9 8\nf 3 4 10\nf 3 10 9\nf 4 5 11\nf 4 11 10\nf 5 6 12\nf 5 12 11\nf 6 1 7\nf 6 7 12\n";

/// A robot of one link with a mesh, in a folder of its own.
struct Robot(std::path::PathBuf);

impl Robot {
    fn new(name: &str, mesh: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stickslip-touch-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("part.obj"), mesh).unwrap();
        let urdf = r#"<robot name="r"><link name="part"><inertial><mass value="1"/>
            <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
            <collision><geometry><mesh filename="part.obj"/></geometry></collision></link></robot>"#;
        std::fs::write(folder.join("robot.urdf"), urdf).unwrap();
        Self(folder)
    }

    fn path(&self) -> String {
        self.0.join("robot.urdf").to_string_lossy().into_owned()
    }

    /// What the link touches with, and what is said of it.
    fn shape(&self, options: &ImportOptions) -> (String, String) {
        let (scene, report) =
            load_robot(&self.path(), options, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let Model::World(world) = &scene.model else { panic!("a world") };
        (world.bodies[0].shape.clone().unwrap(), report.join("\n"))
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_mesh_of_a_link_touches_as_its_hull_which_is_listed_or_as_it_is_where_that_is_asked_for() {
    let robot = Robot::new("hull", NOTCHED);
    let (shape, report) = robot.shape(&options(None, false));
    assert!(shape.contains("10 vertices") || shape.contains("10 corners"), "{shape}");
    let line = "approximated: what touches of 1 meshes of links that move is their convex hull";
    assert!(report.contains(line), "{report}");
    let (shape, report) = robot.shape(&options(Some("hull"), false));
    assert!(!shape.contains("mesh") && !report.contains("approximated"), "{shape} {report}");
    let (shape, report) = robot.shape(&options(Some("exact"), false));
    assert!(shape.contains("closed mesh of 20 triangles"), "{shape}");
    assert!(!report.contains("hull"), "{report}");
    // strictly it has to be said
    let error = import(&robot.path(), &options(None, true)).unwrap_err().to_string();
    assert!(error.contains("robot.urdf:3:") && error.contains("--meshes"), "{error}");
    assert!(import(&robot.path(), &options(Some("hull"), true)).is_ok());
    let error = import(&robot.path(), &options(Some("convex"), false)).unwrap_err().to_string();
    assert!(error.contains("--meshes convex") && error.contains("hull or exact"), "{error}");
}

/// Points of a sphere: 200 corners.
#[test]
fn a_hull_with_many_corners_has_32_of_them_and_says_what_stands_out() {
    let mut mesh = String::new();
    for k in 0..200 {
        let (z, a) = (1.0 - (2.0 * k as f64 + 1.0) / 200.0, 2.399963 * k as f64);
        let r = (1.0 - z * z).sqrt();
        mesh += &format!("v {} {} {z}\n", r * a.cos(), r * a.sin());
    }
    (0..198).for_each(|k| mesh += &format!("f {} {} {}\n", k + 1, k + 2, k + 3));
    let robot = Robot::new("many", &mesh);
    let (_, report) = robot.shape(&options(None, false));
    let line =
        report.lines().find(|l| l.contains("have 32 of their corners")).unwrap_or_else(|| panic!("{report}"));
    let off: f64 = line.split("at most ").nth(1).unwrap().split(" m").next().unwrap().parse().unwrap();
    // triangles between 32 points of a sphere: of the order of 1 − cos of half their distance
    assert!((0.05..0.25).contains(&off), "{line}");
}

fn follower(limits: [&str; 2], mimic: &str) -> Imported {
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" \
             iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
        )
    };
    let joint = |name: &str, child: &str, limits: &str, inner: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"a\"/><child link=\"{child}\"/>\
             <limit {limits} effort=\"1\" velocity=\"1\"/>{inner}</joint>"
        )
    };
    let parts = [
        link("a"),
        link("b"),
        link("c"),
        joint("first", "b", limits[0], ""),
        joint("second", "c", limits[1], &format!("<mimic joint=\"first\" {mimic}/>")),
    ];
    let urdf = format!("<robot name=\"r\">{}</robot>", parts.concat());
    import_text("robot.urdf", &urdf, &options(None, false)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn limits_of_a_joint_that_follows_are_those_of_the_joint_it_follows() {
    let limits = |imported: &Imported| {
        let lines = imported.text.lines().filter(|l| l.starts_with("limits"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let opposed = follower(["lower=\"-1\" upper=\"2\"", "lower=\"-1\" upper=\"0.5\""], "multiplier=\"-2\"");
    assert_eq!(limits(&opposed), ["limits = [-0.25, 0.5]"]);
    assert!(opposed.report.iter().any(|l| l.contains("joint `second` are those of `first`")), "{opposed:?}");
    let shifted = follower(["lower=\"-1\" upper=\"2\"", "lower=\"0\" upper=\"2\""], "offset=\"1\"");
    assert_eq!(limits(&shifted), ["limits = [-1.0, 1.0]"]);
}

#[test]
fn limits_the_wrong_way_round_are_an_error_or_with_repair_none() {
    let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="revolute">
        <parent link="a"/><child link="b"/><limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>"#;
    let options = |repair| ImportOptions { base: text("fixed"), repair, ..options(None, false) };
    let error = import_text("robot.urdf", urdf, &options(false)).unwrap_err().to_string();
    assert!(error.contains("robot.urdf:3:") && error.contains("--repair"), "{error}");
    let imported = import_text("robot.urdf", urdf, &options(true)).unwrap_or_else(|e| panic!("{e}"));
    assert!(!imported.text.contains("\nlimits"), "{}", imported.text);
    assert!(imported.report.iter().any(|l| l.starts_with("repaired: joint `j`")), "{:?}", imported.report);
}
