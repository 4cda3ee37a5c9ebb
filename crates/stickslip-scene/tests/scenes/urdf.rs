//! URDF robots: what becomes of them, and that the scenes move as the robots would.

use stickslip::simulation::{Settings, Simulation};
use stickslip::system::Description;
use stickslip_scene::{ImportOptions, Model, Overrides, Scene, WorldSummary, import_text, parse};

fn text(word: &str) -> Option<String> {
    Some(word.to_owned())
}

/// What the built-in scene was made with.
fn rover_options() -> ImportOptions {
    let axles = ["front_left", "front_right", "rear_left", "rear_right"];
    ImportOptions {
        gravity: text("0,0,-9.81"),
        ground: text("0"),
        friction: text("0.8"),
        stepper: text("stewart-trinkle"),
        step: text("2e-3"),
        until: text("4"),
        // as it was made, long before robots had the coordinates of their joints
        coordinates: text("body"),
        motor: axles.map(|w| format!("{w}_axle=8")).to_vec(),
        ..ImportOptions::default()
    }
}

/// Options for a robot that touches nothing, its meshes as they are.
fn plain(base: &str) -> ImportOptions {
    ImportOptions {
        meshes: text("exact"),
        gravity: text("0,0,-9.81"),
        base: text(base),
        stepper: text("stewart-trinkle"),
        step: text("1e-3"),
        until: text("1"),
        ..ImportOptions::default()
    }
}

fn scene_of(urdf: &str, options: &ImportOptions) -> (Scene, Vec<String>) {
    let imported = import_text("robot.urdf", urdf, options).unwrap_or_else(|e| panic!("{e}"));
    let scene = parse("robot.toml", &imported.text, &Overrides::default());
    (scene.unwrap_or_else(|e| panic!("{e}\n{}", imported.text)), imported.report)
}

fn world(scene: &Scene) -> &WorldSummary {
    match &scene.model {
        Model::World(world) => world,
        other => panic!("{other:?}"),
    }
}

fn simulation(scene: &Scene) -> Simulation<'_> {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings)
}

fn velocity_of(simulation: &Simulation, body: &str) -> Vec<f64> {
    let found = simulation.system().describe(simulation.state()).into_iter().find_map(|d| match d {
        Description::Body { name, velocity, .. } if name == body => Some(velocity),
        _ => None,
    });
    found.expect("the body")
}

fn joint_of(simulation: &Simulation, joint: &str) -> f64 {
    let found = simulation.system().describe(simulation.state()).into_iter().find_map(|d| match d {
        Description::Joint { name, position, .. } if name == joint => position,
        _ => None,
    });
    found.expect("the joint")
}

#[test]
fn the_built_in_rover_is_what_its_urdf_becomes_byte_for_byte() {
    let urdf = include_str!("../../../../scenes/rover.urdf");
    let imported = import_text("scenes/rover.urdf", urdf, &rover_options()).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        imported.text == include_str!("../../../../scenes/rover.toml"),
        "scenes/rover.toml: import it again"
    );
    let report = imported.report.join("\n");
    for said in [
        "`world` is the world",
        "`base_footprint` has no mass",
        "4 pairs",
        "not used: visual",
        "limit velocity",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
}

/// On the floor and on the ramp of 10 degrees: wheel radius times speed, to rounding; every step certified.
#[test]
fn the_rover_rolls_without_slip_on_the_floor_and_up_the_ramp() {
    let scene = stickslip_scene::load("rover", &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = simulation(&scene);
    let (speed, slope) = (0.1 * 8.0, 10.0_f64.to_radians());
    let mut worst = [0.0_f64; 2];
    while !simulation.is_done() {
        simulation.advance().unwrap_or_else(|e| panic!("{e}"));
        let t = simulation.state().t;
        let v = velocity_of(&simulation, "chassis");
        let off = |along: [f64; 3]| (0..3).map(|k| (v[k] - speed * along[k]).abs()).fold(0.0, f64::max);
        if (0.5..1.5).contains(&t) {
            worst[0] = worst[0].max(off([1.0, 0.0, 0.0]));
        } else if t > 3.0 {
            worst[1] = worst[1].max(off([slope.cos(), 0.0, slope.sin()]));
        }
    }
    println!(
        "off from wheel radius times speed: {:.1e} m/s on the floor, {:.1e} on the ramp",
        worst[0], worst[1]
    );
    assert!(worst.iter().all(|w| *w < 1e-11), "{worst:?}");
    assert_eq!(simulation.certificate().missed_steps, 0);
}

/// A link whose centre of mass is off the hinge and whose inertia is written in turned axes, against Runge-Kutta on
/// (I_xx + m l²) angle'' = −m g l sin(angle).
#[test]
fn an_offset_and_turned_inertia_swings_as_the_pendulum_it_is() {
    let urdf = r#"<robot name="pendulum"><link name="base"/>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/>
          <origin xyz="1 2 3" rpy="0 0 0.7"/><axis xyz="2 0 0"/></joint>
        <link name="bob"><inertial><origin xyz="0.1 0 -0.4" rpy="0.3 0.2 1.5707963267948966"/><mass value="2"/>
          <inertia ixx="0.05" ixy="0.004" ixz="0.002" iyy="0.03" iyz="0.001" izz="0.04"/></inertial></link></robot>"#;
    let mut options = plain("fixed");
    options.joint = vec!["hinge=0.8".to_owned()];
    let (scene, report) = scene_of(urdf, &options);
    assert!(report.iter().any(|l| l.contains("starts at 0.8")), "{report:?}");
    let mut angles = Vec::new();
    for step in [1e-3, 5e-4] {
        let settings = Settings { step, until: scene.until, tolerance: scene.tolerance };
        let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        while !simulation.is_done() {
            simulation.advance().unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(simulation.certificate().missed_steps, 0);
        angles.push(joint_of(&simulation, "hinge"));
    }
    // the moment about the link's x, by hand: R = Rz(90 degrees) Ry(0.2) Rx(0.3), x of the link in the inertia's axes
    // is R^T e_x
    let rows = nalgebra::Rotation3::from_euler_angles(0.3, 0.2, std::f64::consts::FRAC_PI_2);
    let tensor = nalgebra::Matrix3::new(0.05, 0.004, 0.002, 0.004, 0.03, 0.001, 0.002, 0.001, 0.04);
    let x = rows.inverse() * nalgebra::Vector3::x();
    let moment = x.dot(&(tensor * x)) + 2.0 * 0.4 * 0.4;
    let mut state = [0.8_f64, 0.0];
    let f = |s: [f64; 2]| [s[1], -2.0 * 9.81 * 0.4 * s[0].sin() / moment];
    let h = 1e-4;
    for _ in 0..10_000 {
        let go = |s: [f64; 2], k: [f64; 2], h: f64| [s[0] + h * k[0], s[1] + h * k[1]];
        let k1 = f(state);
        let k2 = f(go(state, k1, 0.5 * h));
        let k3 = f(go(state, k2, 0.5 * h));
        let k4 = f(go(state, k3, h));
        state = [0, 1].map(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let errors: Vec<f64> = angles.iter().map(|a| (a - state[0]).abs()).collect();
    let extrapolated = 2.0 * angles[1] - angles[0] - state[0];
    println!("angle {}, errors {errors:?} at 1e-3 and 5e-4, extrapolated {extrapolated:.1e}", state[0]);
    assert!(errors[0] < 5e-3 && (errors[0] / errors[1] - 2.0).abs() < 0.05, "{errors:?}");
    assert!(extrapolated.abs() < 1e-5, "{extrapolated}");
}

/// A ring of compounds, offsets and rotations: every shape is where the URDF's frames put it.
#[test]
fn shapes_and_bodies_are_where_the_frames_put_them() {
    let urdf = r#"<robot name="two">
        <link name="base"><inertial><origin xyz="0 0 0.5"/><mass value="3"/>
            <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
          <collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.2 0.4"/></geometry></collision></link>
        <joint name="slide" type="prismatic"><parent link="base"/><child link="tip"/>
          <origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><axis xyz="0 0 1"/>
          <limit lower="-0.1" upper="0.6" effort="5" velocity="1"/><dynamics friction="0.3" damping="0.2"/></joint>
        <link name="tip"><inertial><mass value="1"/>
            <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
          <collision><geometry><sphere radius="0.05"/></geometry></collision>
          <collision><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.04" length="0.1"/></geometry></collision></link>
        <joint name="eye" type="fixed"><parent link="tip"/><child link="camera"/><origin xyz="0 0.1 0"/></joint>
        <link name="camera"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
        </robot>"#;
    let mut options = plain("floating");
    options.joint = vec!["slide=0.25".to_owned()];
    options.base_position = text("0,0,2");
    let (scene, report) = scene_of(urdf, &options);
    let world = world(&scene);
    let close = |a: &[f64], b: [f64; 3]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-15 * 4.0);
    let [base, tip] = &world.bodies[..] else { panic!("{:?}", world.bodies) };
    assert!(close(&base.position, [0.0, 0.0, 2.5]) && close(&tip.position, [0.25, 0.0, 3.0]), "{world}");
    assert!(tip.shape.as_ref().unwrap().contains("sphere of radius 0.05"), "{world}");
    assert!(tip.shape.as_ref().unwrap().contains("sphere of radius 0.01"), "{world}");
    let joint = &world.joints[0];
    assert_eq!((joint.kind.as_str(), joint.friction, joint.viscous), ("prismatic", 0.3, 0.2));
    assert_eq!(joint.limits, Some([-0.1, 0.6]));
    assert_eq!(world.apart, [["base".to_owned(), "tip".to_owned()]]);
    assert_eq!(world.degrees_of_freedom, 7);
    assert!(report.iter().any(|l| l.contains("`camera` has no mass: part of `tip`")), "{report:?}");
    assert!(report.iter().any(|l| l.contains("effort of a joint that nothing drives")), "{report:?}");
}

/// What is fixed, welded, planar and floating.
#[test]
fn every_kind_of_joint_leaves_the_freedom_it_should() {
    let inertial =
        r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;
    for (kind, extra, freedoms) in [
        ("revolute", r#"<limit lower="-1" upper="1" effort="1" velocity="1"/>"#, 7),
        ("continuous", "", 7),
        ("prismatic", r#"<limit lower="-1" upper="1" effort="1" velocity="1"/>"#, 7),
        ("fixed", "", 6),
        ("floating", "", 12),
        ("planar", "", 9),
    ] {
        let urdf = format!(
            r#"<robot name="r"><link name="a">{inertial}</link><link name="b">{inertial}</link>
            <joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{extra}</joint></robot>"#
        );
        for (base, taken) in [("floating", 0), ("fixed", 6)] {
            let (scene, _) = scene_of(&urdf, &plain(base));
            assert_eq!(world(&scene).degrees_of_freedom, freedoms - taken, "{kind}, {base}");
        }
    }
}

#[test]
fn names_that_scenes_cannot_have_are_changed_and_listed() {
    let inertial =
        r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;
    let urdf = format!(
        r#"<robot name="a b"><link name="arm/1">{inertial}</link><link name="x">{inertial}</link>
        <joint name="x" type="continuous"><parent link="arm/1"/><child link="x"/></joint></robot>"#
    );
    let (scene, report) = scene_of(&urdf, &plain("floating"));
    assert_eq!(world(&scene).bodies[0].name, "arm_1");
    assert_eq!(world(&scene).joints[0].name, "x_joint");
    assert_eq!(report.iter().filter(|l| l.starts_with("approximated")).count(), 2, "{report:?}");
}

/// Two fingers, the second follows the first with twice its angle from 0.1 rad on; a servo moves the first beyond a
/// turn, with accelerations that its effort allows: 42 rad/s² of 0.5 kg m².
#[test]
fn a_mimicking_joint_follows_and_a_servo_reaches_its_position() {
    let finger = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
            <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"#
        )
    };
    let urdf = format!(
        r#"<robot name="hand"><link name="palm"/>{}{}
        <joint name="one" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="9" effort="50" velocity="1"/></joint>
        <joint name="two" type="revolute"><parent link="palm"/><child link="b"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/>
          <limit lower="-3" upper="20" effort="5" velocity="1"/><mimic joint="one" multiplier="2" offset="0.1"/></joint>
        </robot>"#,
        finger("a"),
        finger("b")
    );
    let mut options = plain("fixed");
    options.joint = vec!["one=0.5".to_owned()];
    options.servo = vec!["one=0.5+7*t^2*(3-2*t)".to_owned()];
    let (scene, report) = scene_of(&urdf, &options);
    assert_eq!(world(&scene).degrees_of_freedom, 1, "{}", world(&scene));
    assert!(report.iter().any(|l| l.contains("`two` starts at 1.1")), "{report:?}");
    let mut simulation = simulation(&scene);
    while !simulation.is_done() {
        simulation.advance().unwrap_or_else(|e| panic!("{e}"));
    }
    let (one, two) = (joint_of(&simulation, "one"), joint_of(&simulation, "two"));
    println!("one {one}, two {two}");
    assert!((one - 7.5).abs() < 1e-9 && (two - 15.1).abs() < 1e-9, "{one} {two}");
    assert_eq!(simulation.certificate().missed_steps, 0);
    for (from, to, said) in [
        ("joint=\"one\"", "joint=\"three\"", "joint `three`"),
        ("joint=\"one\"", "joint=\"two\"", "follows itself"),
        ("multiplier=\"2\"", "multiplier=\"0\"", "multiplier is 0"),
        ("multiplier=\"2\"", "times=\"2\"", "unknown attribute `times`"),
        ("upper=\"20\"", "upper=\"1\"", "outside its limits"),
    ] {
        let broken = urdf.replacen(from, to, 1);
        let strict = ImportOptions { strict: true, ..options.clone() };
        let error = import_text("robot.urdf", &broken, &strict).expect_err(to).to_string();
        assert!(error.contains("robot.urdf:") && error.contains(said), "{to}: {error}");
    }
}

#[test]
fn joints_start_within_their_limits() {
    let urdf = r#"<robot name="r"><link name="base"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <joint name="j" type="revolute"><parent link="base"/><child link="b"/>
        <limit lower="1" upper="8" effort="1" velocity="1"/></joint></robot>"#;
    let error = import_text("robot.urdf", urdf, &plain("fixed")).unwrap_err().to_string();
    assert!(error.contains("robot.urdf:3:") && error.contains("--joint j=4.5"), "{error}");
    let mut options = plain("fixed");
    options.joint = vec!["j=4.5".to_owned()];
    assert_eq!(world(&scene_of(urdf, &options).0).joints[0].limits, Some([1.0, 8.0]));
}

/// As simulators write fixed bases and locked joints: a mass of zero, limits without numbers.
#[test]
fn a_mass_of_zero_is_none_and_missing_limits_are_zero() {
    let urdf = r#"<robot name="r"><link name="base"><inertial><mass value="0"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <link name="b"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <joint name="j" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
        <limit effort="1" velocity="1"/></joint></robot>"#;
    let (scene, report) = scene_of(urdf, &plain("fixed"));
    assert!(report.iter().any(|l| l.contains("`j` cannot move")), "{report:?}");
    assert!(report.iter().any(|l| l.contains("mass 0") && l.contains("line 1")), "{report:?}");
    let mut simulation = simulation(&scene);
    while !simulation.is_done() {
        simulation.advance().unwrap_or_else(|e| panic!("{e}"));
    }
    assert!(joint_of(&simulation, "j").abs() < 1e-12, "{}", joint_of(&simulation, "j"));
    assert_eq!(simulation.certificate().missed_steps, 0);
    let error = import_text("robot.urdf", urdf, &plain("floating")).unwrap_err().to_string();
    assert!(error.contains("robot.urdf:1:") && error.contains("no mass and is a floating base"), "{error}");
}

/// A tetrahedron, as OBJ, its centre of mass where the URDF says and not in its middle.
#[test]
fn meshes_are_read_beside_the_robot_and_placed_by_their_origin() {
    let folder = std::env::temp_dir().join(format!("stickslip-robot-mesh-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("meshes/part.obj"), obj).unwrap();
    let urdf = r#"<robot name="r"><link name="part"><inertial><origin xyz="0.1 0.1 0.1"/><mass value="1"/>
        <inertia ixx="1.5" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial><collision><geometry>
        <mesh filename="package://robot/meshes/part.obj" scale="2 2 2"/></geometry>
        <origin xyz="0.3 0 0" rpy="0 0 1.5707963267948966"/></collision></link></robot>"#;
    let path = folder.join("robot.urdf");
    std::fs::write(&path, urdf).unwrap();
    let path = path.to_str().unwrap();
    let skewed = import_text(path, &urdf.replace("2 2 2", "2 2 -1"), &plain("floating")).unwrap();
    let nothing =
        import_text(path, &urdf.replace("2 2 2", "2 2 0"), &plain("floating")).unwrap_err().to_string();
    let loaded = stickslip_scene::load_robot(path, &plain("floating"), &Overrides::default());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(nothing.contains("robot.urdf:3:") && nothing.contains("none of which is 0"), "{nothing}");
    // mirrored: a file of its own, whose triangles face outwards all the same
    let mirrored = String::from_utf8(skewed.further["r_meshes/part.obj"].clone()).unwrap();
    assert!(mirrored.contains("v 0.0 0.0 -1.0") && mirrored.contains("f 1 2 3"), "{mirrored}");
    let (scene, report) = loaded.unwrap_or_else(|e| panic!("{e}"));
    assert!(report.iter().any(|l| l.contains("the frame of its mesh")), "{report:?}");
    let part = &world(&scene).bodies[0];
    // the centre of mass where the link has it, the axes those of the mesh, a quarter turn on
    let half = 0.5_f64.sqrt();
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-15);
    assert!(near(&part.position, &[0.1, 0.1, 0.1]), "{part:?}");
    assert!(near(&part.orientation, &[half, 0.0, 0.0, half]), "{part:?}");
    assert!(near(&part.inertia, &[2.0, 1.5, 2.5]), "{part:?}");
    assert!(part.shape.as_ref().unwrap().contains("closed mesh of 4 triangles"), "{part:?}");
    assert_eq!(scene.files, ["meshes/part.obj"], "kept with a run");
}
