//! Broken URDFs: each is refused with file, line and advice, and none makes the reader panic.

use stickslip_scene::{ImportOptions, MAX_ROBOT_BYTES, import, import_text};

const GOOD: &str = r#"<robot name="arm">
  <link name="base">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><origin rpy="0 0 0" xyz="0 0 2"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0"/>
  </joint>
</robot>
"#;

fn options() -> ImportOptions {
    let text = |word: &str| Some(word.to_owned());
    ImportOptions {
        gravity: text("0,0,-9.81"),
        base: text("fixed"),
        stepper: text("stewart-trinkle"),
        step: text("1e-3"),
        until: text("1"),
        strict: true,
        ..ImportOptions::default()
    }
}

fn refusal(urdf: &str, options: &ImportOptions) -> String {
    match import_text("robot.urdf", urdf, options) {
        Ok(imported) => panic!("taken:\n{urdf}\n{}", imported.text),
        Err(error) => error.to_string(),
    }
}

/// What to replace by what, the line that is blamed, and words of the complaint.
const CASES: &[(&str, &str, usize, &str)] = &[
    ("<robot name=\"arm\">", "<robot>", 1, "has no `name`"),
    ("<robot name=\"arm\">", "<robot name=\"arm\" colour=\"red\">", 1, "unknown attribute `colour`"),
    ("<robot name=\"arm\">", "<robot name=\"arm\" version=\"7\">", 1, "version"),
    ("<link name=\"arm\">", "<link>", 6, "has no `name`"),
    ("<link name=\"arm\">", "<link name=\"base\">", 6, "two links are named `base`"),
    ("<link name=\"arm\">", "<link name=\"arm\" type=\"x\">", 6, "unknown attribute `type`"),
    ("<link name=\"base\">", "<link name=\"base\"><friction/>", 2, "unknown element <friction>"),
    ("<link name=\"base\">", "<link name=\"base\">heavy", 2, "text inside <link>"),
    ("<joint name", "<bogus/><joint name", 10, "unknown element <bogus>"),
    ("<joint name", "<jiont/><joint name", 10, "`joint`"),
    ("<box size=\"1 1 1\"/>", "<torus radius=\"1\"/>", 4, "unknown element <torus>"),
    ("<box size=\"1 1 1\"/>", "<box size=\"1 1\"/>", 4, "no list of 3"),
    ("<box size=\"1 1 1\"/>", "<box size=\"1 1 -1\"/>", 4, "greater than 0"),
    ("<box size=\"1 1 1\"/>", "<box size=\"1 1 nan\"/>", 4, "3 finite numbers"),
    ("<box size=\"1 1 1\"/>", "<box/>", 4, "has no `size`"),
    ("<box size=\"1 1 1\"/>", "", 4, "does not hold one shape"),
    ("<box size=\"1 1 1\"/>", "<box size=\"1 1 1\"/><sphere radius=\"1\"/>", 4, "does not hold one shape"),
    ("<geometry><box size=\"1 1 1\"/></geometry>", "", 4, "has no <geometry>"),
    ("radius=\"0.1\"", "radius=\"0,1\"", 8, "is no number"),
    ("radius=\"0.1\"", "radius=\"0\"", 8, "greater than 0"),
    ("radius=\"0.1\"", "radius=\"inf\"", 8, "a finite number"),
    ("<mass value=\"2\"/>", "<mass value=\"-2\"/>", 3, "the mass is -2.0"),
    ("<mass value=\"2\"/>", "<mass value=\"two\"/>", 3, "is no number"),
    ("<mass value=\"2\"/>", "", 3, "has no <mass>"),
    ("<mass value=\"2\"/>", "<mass value=\"2\"/><mass value=\"3\"/>", 3, "a second <mass>"),
    ("ixx=\"1\" ixy=\"0\"", "ixx=\"3\" ixy=\"0\"", 3, "impossible for a rigid body"),
    ("ixx=\"1\" ixy=\"0\"", "ixx=\"1\" ixy=\"2\"", 3, "impossible for a rigid body"),
    ("ixx=\"1\" ixy=\"0\"", "ixx=\"1\"", 3, "has no `ixy`"),
    ("xyz=\"0 0 2\"", "xyz=\"0 0\"", 8, "no list of 3"),
    ("xyz=\"0 0 2\"", "quat=\"1 0 0 0\"", 8, "unknown attribute `quat`"),
    ("type=\"revolute\"", "type=\"hinge\"", 10, "unknown joint type \"hinge\""),
    ("type=\"revolute\"", "", 10, "has no `type`"),
    ("<parent link=\"base\"/>", "<parent link=\"bse\"/>", 11, "`bse` that does not exist; expected `base`"),
    ("<parent link=\"base\"/>", "", 10, "has no <parent>"),
    ("<child link=\"arm\"/>", "<child link=\"base\"/>", 12, "child of itself"),
    ("<child link=\"arm\"/>", "<child/>", 12, "has no `link`"),
    ("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", 13, "length 0"),
    ("lower=\"-1\" upper=\"1\"", "lower=\"1\" upper=\"-1\"", 14, "lower <= upper"),
    ("lower=\"-1\" upper=\"1\"", "lower=\"0.5\" upper=\"1\"", 10, "outside its limits"),
    ("effort=\"10\"", "effort=\"-10\"", 14, "at least 0"),
    ("    <limit lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"2\"/>\n", "", 10, "without <limit>"),
    ("damping=\"0.1\"", "damping=\"-0.1\"", 15, "negative"),
    ("damping=\"0.1\"", "stiffness=\"1\"", 15, "unknown attribute `stiffness`"),
    ("<dynamics", "<mimic joint=\"other\"/><dynamics", 15, "joint `other`"),
    ("  </link>\n  <link", "  <link", 16, "XML"),
    ("</robot>", "", 18, "XML"),
    ("<robot name=\"arm\">", "<robot name=\"arm\" name=\"b\">", 1, "XML"),
    ("<robot name=\"arm\">", "<sdf name=\"arm\">", 17, "XML"),
    ("<joint name", "<xacro:wheel/><joint name", 10, "xacro"),
    ("name=\"hinge\"", "name=\"&nbsp;\"", 10, "XML"),
    ("<box size=\"1 1 1\"/>", "<mesh filename=\"../secret.stl\"/>", 4, "leaves the model's folder"),
    ("<box size=\"1 1 1\"/>", "<mesh filename=\"/etc/passwd\"/>", 4, "leaves the model's folder"),
    ("<box size=\"1 1 1\"/>", "<mesh filename=\"file:///etc/passwd\"/>", 4, "leaves the model's folder"),
    (
        "<box size=\"1 1 1\"/>",
        "<mesh filename=\"package://arm/../../x.stl\"/>",
        4,
        "leaves the model's folder",
    ),
    ("<box size=\"1 1 1\"/>", "<mesh filename=\"none.stl\"/>", 4, "no file"),
    ("<box size=\"1 1 1\"/>", "<mesh/>", 4, "has no `filename`"),
];

#[test]
fn every_broken_robot_is_refused_with_file_line_and_advice() {
    assert!(import_text("robot.urdf", GOOD, &options()).is_ok());
    let mut wrong = Vec::new();
    for (from, to, line, said) in CASES {
        let broken = GOOD.replacen(from, to, 1);
        assert_ne!(broken, GOOD, "{from}");
        let error = refusal(&broken, &options());
        let placed = error.contains(&format!("robot.urdf:{line}:"));
        if !(placed && error.contains(said) && error.contains("expected")) {
            wrong.push(format!("{to}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} broken robots refused", CASES.len());
}

#[test]
fn trees_that_are_none_are_refused() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let robot = |joints: &str| {
        format!(
            "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n{joints}</robot>"
        )
    };
    let loops = robot(&[joint("1", "a", "b"), joint("2", "b", "c"), joint("3", "c", "a")].concat());
    assert!(refusal(&loops, &options()).contains("its own ancestor"));
    let shared = robot(&[joint("1", "a", "b"), joint("2", "c", "b")].concat());
    assert!(refusal(&shared, &options()).contains("robot.urdf:4:"), "{}", refusal(&shared, &options()));
    assert!(refusal(&robot(&joint("1", "a", "b")), &options()).contains("both children of no joint"));
    let apart = robot(&[joint("1", "b", "c"), joint("2", "c", "b")].concat());
    assert!(
        refusal(&apart, &options()).contains("child of two joints")
            || refusal(&apart, &options()).contains("ancestor")
    );
    let twice = robot(&[joint("1", "a", "b"), joint("1", "a", "c")].concat());
    assert!(refusal(&twice, &options()).contains("two joints are named `1`"));
}

#[test]
fn moving_links_need_mass() {
    let urdf = GOOD.replace("<inertial><origin xyz=\"0 0 1\"/><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>", "");
    assert!(!urdf.contains("0 0 1\"/><mass"));
    let error = refusal(&urdf, &options());
    assert!(error.contains("robot.urdf:6:") && error.contains("`arm` has no mass and moves"), "{error}");
}

/// What to change in the options.
type Change = dyn Fn(&mut ImportOptions);

#[test]
fn options_are_asked_for_and_checked() {
    let error = refusal(GOOD, &ImportOptions::default());
    for said in ["--gravity", "--base fixed or --base floating", "--stepper", "--step", "--until"] {
        assert!(error.contains(said), "{said}: {error}");
    }
    let with = |change: &Change| {
        let mut options = options();
        change(&mut options);
        refusal(GOOD, &options)
    };
    fn text(word: &str) -> Option<String> {
        Some(word.to_owned())
    }
    let cases: [(&Change, &str); 9] = [
        (&|o| o.ground = text("0"), "--friction"),
        (&|o| o.gravity = text("0,0"), "three numbers"),
        (&|o| o.friction = text("-1"), "at least 0"),
        (&|o| o.restitution = text("2"), "from 0 to 1"),
        (&|o| o.base = text("loose"), "fixed or floating"),
        (&|o| o.joint = vec!["hing=0.1".to_owned()], "`hinge`"),
        (&|o| o.joint = vec!["hinge=3".to_owned()], "outside its limits"),
        (&|o| o.motor = vec!["hinge".to_owned()], "no `=`"),
        (&|o| o.no_contact = vec!["base,hand".to_owned()], "no link `hand`"),
    ];
    for (change, said) in cases {
        let error = with(change);
        assert!(error.contains(said) && error.contains("expected"), "{said}: {error}");
    }
    let world = GOOD.replace("\"base\"", "\"world\"");
    assert!(refusal(&world, &options()).contains("no --base"));
}

#[test]
fn bombs_and_monsters_are_refused_in_no_time() {
    let mut bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [\n<!ENTITY a \"aaaaaaaaaa\">\n".to_owned();
    for (x, y) in ["ba", "cb", "dc", "ed", "fe", "gf", "hg", "ih"].map(|s| s.split_at(1)) {
        bomb += &format!("<!ENTITY {x} \"{}\">\n", format!("&{y};").repeat(10));
    }
    bomb += "]><robot name=\"&i;\"/>";
    let error = refusal(&bomb, &options());
    assert!(error.contains("robot.urdf:2:") && error.contains("DOCTYPE"), "{error}");
    let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert!(refusal(&deep, &options()).contains("expected"));
    let wide = format!("<robot name=\"r\">{}</robot>", "<link/>".repeat(100_000));
    assert!(refusal(&wide, &options()).contains("more problems"));
    let chain: String = (0..3000)
        .map(|i| {
            format!("<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"fixed\"><parent link=\"l{i}\"/><child link=\"l{}\"/></joint>", i + 1)
        })
        .collect();
    let chain = format!("<robot name=\"r\">{chain}<link name=\"l3000\"/></robot>");
    assert!(import_text("robot.urdf", &chain, &options()).is_ok());
    for nothing in ["", " ", "<", "<robot/>", "\0", "<robot name=\"r\"/>"] {
        assert!(refusal(nothing, &options()).contains("expected"));
    }
    let path = std::env::temp_dir().join(format!("stickslip-huge-{}.urdf", std::process::id()));
    std::fs::write(&path, vec![b' '; MAX_ROBOT_BYTES + 1]).unwrap();
    let error = import(path.to_str().unwrap(), &options()).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.contains("more than 10000000 bytes"), "{error}");
    let error = import("/no/such.urdf", &options()).unwrap_err().to_string();
    assert!(error.contains("/no/such.urdf") && error.contains("cannot be read"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_mesh_cannot_leave_the_folder_by_a_link() {
    let root = std::env::temp_dir().join(format!("stickslip-mesh-{}", std::process::id()));
    let folder = root.join("model");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(root.join("outside.stl"), "solid").unwrap();
    std::os::unix::fs::symlink("../outside.stl", folder.join("inside.stl")).unwrap();
    let urdf = GOOD.replace("<box size=\"1 1 1\"/>", "<mesh filename=\"package://arm/inside.stl\"/>");
    let path = folder.join("robot.urdf");
    let error = import_text(path.to_str().unwrap(), &urdf, &options()).unwrap_err().to_string();
    std::fs::remove_dir_all(&root).unwrap();
    assert!(error.contains("robot.urdf:4:") && error.contains("leads out of the model's folder"), "{error}");
}

/// Robots cut short and with a byte changed: an answer, never a panic.
#[test]
fn damaged_robots_never_panic() {
    let mut seed = 7u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..2000 {
        let mut bytes = GOOD.as_bytes().to_vec();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"<>\"/ 0-e=&a"[random(11)],
                _ => drop(bytes.remove(at)),
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match import_text("robot.urdf", &text, &options()) {
            Ok(_) => taken += 1,
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("expected"), "{error}");
            }
        }
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken > 10 && refused > 100);
}
