//! Scenes that are right: the built-in ones with their numbers, overrides, formulas.

use stickslip::stepper::{Cone, Method};
use stickslip::system::SurfaceLaw;
use stickslip_scene::{Model, Overrides, Scene, WorldSummary, builtin, load, parse, parse_bytes};

fn scene(name: &str) -> Scene {
    load(name, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn with(name: &str, set: &[&str]) -> Scene {
    let set = set.iter().map(|s| s.to_string()).collect();
    load(name, &Overrides { set, ..Default::default() }).unwrap_or_else(|e| panic!("{e}"))
}

fn world(scene: &Scene) -> &WorldSummary {
    match &scene.model {
        Model::World(world) => world,
        _ => panic!("{} is no world", scene.name),
    }
}

/// The same motion: same start, same choices.
fn assert_same(a: &Scene, b: &Scene) {
    assert_eq!(a.model, b.model);
    assert_eq!(a.system.initial(), b.system.initial());
    assert_eq!((a.stepper, a.step, a.until, a.tolerance), (b.stepper, b.step, b.until, b.tolerance));
    assert_eq!((&a.parameters, a.record_every, a.tangents), (&b.parameters, b.record_every, b.tangents));
}

#[test]
fn every_built_in_scene_reads_and_keeps_its_text() {
    let names: Vec<&str> = builtin().iter().map(|(name, _)| *name).collect();
    for name in ["bouncing-ball", "box-stack", "incline", "slide-to-roll", "woodpecker"] {
        assert!(names.contains(&name), "{name}");
    }
    for (name, text) in builtin() {
        let scene = scene(name);
        assert_eq!(scene.text, *text);
        assert!(!scene.description.is_empty());
        assert!(scene.to_string().contains(&scene.description));
    }
}

#[test]
fn slide_to_roll_has_the_numbers_of_the_paper() {
    let scene = scene("slide-to-roll");
    assert_eq!((scene.step, scene.until, scene.tangents), (0.12, 0.6, 2));
    assert_eq!(scene.stepper.method(), Method::StewartTrinkle);
    assert_eq!(scene.parameters, [("friction".to_owned(), 0.2), ("speed".to_owned(), 2.0)]);
    let start = scene.system.initial();
    assert_eq!(start.q, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(start.u, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let world = world(&scene);
    assert_eq!(world.gravity, [0.0, 0.0, -9.81]);
    assert_eq!((world.bodies[1].mass, world.bodies[1].inertia.as_slice()), (Some(1.0), [0.4; 3].as_slice()));
    let law =
        SurfaceLaw { friction: 0.2, restitution: 0.0, tangential_restitution: 0.0, ..SurfaceLaw::default() };
    assert_eq!(world.pairs[0].surface, law);
}

#[test]
fn the_box_rests_on_its_large_face_at_every_heading() {
    for heading in ["0", "0.3", "-2", "pi / 2"] {
        let scene = with("incline", &[&format!("heading={heading}")]);
        let (slope, heading) = (0.45f64.atan(), scene.parameters[2].1);
        let n = [slope.sin() * heading.cos(), slope.sin() * heading.sin(), slope.cos()];
        let body = &world(&scene).bodies[1];
        for i in 0..3 {
            assert!((body.position[i] - 0.05 * n[i]).abs() < 1e-17);
        }
        // the quaternion turns z into the slope's normal
        let [w, x, y, z] = body.orientation[..] else { panic!() };
        let turned = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
        for i in 0..3 {
            assert!((turned[i] - n[i]).abs() < 1e-15, "{turned:?} {n:?}");
        }
        assert!((w * w + x * x + y * y + z * z - 1.0).abs() < 1e-15);
        assert_eq!(world(&scene).bodies[0].orientation, body.orientation);
    }
}

#[test]
fn the_stack_has_ten_cubes_that_touch() {
    let scene = scene("box-stack");
    assert_eq!((scene.step, scene.until), (0.01, 5.0));
    let bodies = &world(&scene).bodies;
    assert_eq!(bodies.len(), 11);
    for (i, body) in bodies[1..].iter().enumerate() {
        assert_eq!(body.name, format!("box{}", i + 1));
        assert_eq!(body.position, [0.0, 0.0, i as f64 + 0.5]);
        assert_eq!(body.shape.as_deref(), Some("box of 1 x 1 x 1 m"));
        assert_eq!(body.inertia, [1.0 / 6.0; 3]);
    }
}

#[test]
fn the_ball_is_dropped_from_a_metre() {
    let scene = scene("bouncing-ball");
    assert_eq!(scene.tangents, 1);
    assert_eq!(scene.system.initial().q, [0.0, 1.1, 0.0]);
    assert_eq!(world(&scene).pairs[0].surface.restitution, 0.5);
    assert_eq!((scene.tolerance.law, scene.tolerance.penetration), (1e-8, 1e-2));
}

#[test]
fn the_woodpecker_has_the_numbers_of_table_1() {
    let scene = scene("woodpecker");
    assert_eq!((scene.step, scene.until, scene.tangents), (1e-4, 1.0, 1));
    let start = scene.system.initial();
    assert_eq!((start.q, start.u), (vec![0.0, -0.1036, -0.2788], vec![-0.3411, 0.0, -7.4583]));
    let Model::ClosedForm(model) = &scene.model else { panic!() };
    let value = |name: &str| model.constants.iter().find(|c| c.0 == name).unwrap().1;
    let names = ["r_O", "r_M", "h_M", "l_M", "l_G", "h_S", "l_S", "m_M", "m_S", "J_M", "J_S", "c_phi", "g"];
    let table = [0.0025, 0.0031, 0.0058, 0.01, 0.015, 0.02, 0.0201, 0.0003, 0.0045, 5e-9, 7e-7, 0.0056, 9.81];
    assert_eq!(names.map(value), table);
    assert_eq!(model.contacts.iter().map(|c| c.0).collect::<Vec<_>>(), ["beak", "lower", "upper"]);
    assert_eq!(model.contacts.iter().map(|c| c.1.restitution).collect::<Vec<_>>(), [0.5, 0.0, 0.0]);
}

#[test]
fn overrides_leave_a_text_that_reproduces_the_scene() {
    let overrides = Overrides {
        stepper: Some("moreau".into()),
        cone: Some("polygon:8@0.5".into()),
        solver: Some("lemke".into()),
        step: Some("1 / 512".into()),
        until: Some("2".into()),
        set: [
            "slope=atan(0.6)",
            "friction = 0.25",
            "tolerance.law=1e-6",
            "tolerance.joint=1e-7",
            "body.box.mass=2",
            "body.box.angular_velocity=[0, 0, \"slope\"]",
            "body.1.shape.box.size=[0.2, 0.2, 0.1]",
            "contact.0.restitution=0.5",
            "world.gravity.2=-1.62",
            "scene.description=\"on the moon # not a comment\"",
            "output.every=10",
            "friction=0.3",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let changed = load("incline", &overrides).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(changed.stepper.method(), Method::Moreau);
    assert_eq!(changed.stepper.cone, Cone::Polygon { directions: 8, angle: 0.5 });
    assert_eq!((changed.step, changed.until, changed.record_every), (1.0 / 512.0, 2.0, 10));
    assert_eq!(changed.parameters[0], ("slope".to_owned(), 0.6f64.atan()));
    assert_eq!(changed.parameters[1], ("friction".to_owned(), 0.3));
    assert_eq!((changed.tolerance.law, changed.tolerance.joint), (1e-6, 1e-7));
    assert_eq!(changed.description, "on the moon # not a comment");
    let world = world(&changed);
    assert_eq!(world.gravity, [0.0, 0.0, -1.62]);
    assert_eq!(world.bodies[1].mass, Some(2.0));
    assert_eq!(world.bodies[1].angular_velocity, [0.0, 0.0, 0.6f64.atan()]);
    assert_eq!(
        world.pairs[0].surface,
        SurfaceLaw { friction: 0.3, restitution: 0.5, ..SurfaceLaw::default() }
    );
    let again = parse("again", &changed.text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_same(&changed, &again);
    assert!(changed.text.contains("# rad; downhill"), "comments stay");
}

#[test]
fn inline_and_implied_tables_can_be_set() {
    let scene = with("woodpecker", &["model.woodpecker.position.phi_M=-0.1", "model.woodpecker.g=1.62"]);
    assert_eq!(scene.system.initial().q[1], -0.1);
    let scene = with("bouncing-ball", &["body.ball.shape.disc.radius=0.2"]);
    assert_eq!(world(&scene).bodies[1].shape.as_deref(), Some("disc of radius 0.2 m"));
    assert_same(&scene, &parse("again", &scene.text, &Overrides::default()).unwrap());
}

/// Two balls of one material, of which one is named in an entry of its own.
const TWO_BALLS: &str = r#"
scene = { name = "two", description = "two balls on a floor", dimension = 3 }
world = { gravity = [0, 0, -9.81] }
simulation = { stepper = "moreau", solver = "nsgs", step = 0.01, until = 1 }
contact = [
    { between = ["wood", "ground"], friction = 0.1 },
    { between = ["right", "ground"], friction = 0.2 },
    { between = ["wood", "wood"], friction = 0.3, restitution = 0.5, tangential_restitution = 0.25 },
]
[[body]]
name = "floor"
fixed = true
shape.half_space = {}
material = "ground"
[[body]]
name = "left"
density = 3
shape.sphere.radius = 0.5
material = "wood"
position = [-1, 0, 0.5]
orientation = [0, 0, 0, 1]
[[body]]
name = "right"
mass = 1
inertia = [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 2]]
shape.sphere.radius = 0.5
material = "wood"
position = [1, 0, 0.5]
[[body]]
name = "ghost"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
"#;

#[test]
fn entries_that_name_bodies_win_over_those_that_name_materials() {
    let scene = parse("two.toml", TWO_BALLS, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let world = world(&scene);
    assert_eq!(world.bodies[1].mass, Some(3.0 * (4.0 / 3.0 * std::f64::consts::PI * 0.125)));
    assert_eq!(world.bodies[2].inertia, [2.0, 2.0, 2.0, 0.5, 0.0, 0.0]);
    assert_eq!(world.bodies[3].shape, None);
    // ask the system itself which friction acts where
    let mut snapshot = stickslip::system::Snapshot::default();
    scene.system.constraints(&scene.system.initial(), 10.0, &mut snapshot);
    let mut seen: Vec<(String, f64)> = snapshot
        .constraints
        .iter()
        .map(|c| match c.law {
            stickslip::system::Law::Contact { surface, .. } => {
                // which of the two bodies comes first does not matter here
                let label = scene.system.label(c.id);
                let mut names: Vec<&str> = label.split('/').collect();
                names.sort_unstable();
                (names.join("/"), surface.friction)
            }
            _ => panic!("only contacts"),
        })
        .collect();
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("floor/left", 0.1), ("floor/right", 0.2), ("left/right", 0.3)];
    assert_eq!(seen, expected.map(|(name, mu)| (name.to_owned(), mu)));
}

#[test]
fn parameters_may_use_those_before_them() {
    let text = scene("incline").text.replace("friction = 0.5\n", "friction = \"2 * tan(slope) - 0.4\"\n");
    let scene = parse("incline.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!((scene.parameters[1].1 - 0.5).abs() < 1e-15);
    // what an option sets is seen by the formulas after it
    let overrides = Overrides { set: vec!["slope=0.5".into()], ..Default::default() };
    let scene = parse("incline.toml", &text, &overrides).unwrap();
    assert_eq!(scene.parameters[1].1, 2.0 * 0.5f64.tan() - 0.4);
}

struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Damages a text in one of a few ways.
fn mutate(bytes: &mut Vec<u8>, random: &mut Xorshift) {
    const WORDS: [&str; 16] = [
        "nan",
        "-inf",
        "1e400",
        "-1",
        "0",
        "\"",
        "[",
        "]",
        "{",
        "}",
        "\n[[body]]\n",
        "#",
        ".",
        "=",
        "99999999999999999999999999",
        "é",
    ];
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(30)).min(bytes.len());
    match random.below(5) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        3 => drop(bytes.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
        _ => {
            // a whole token replaced
            let word = WORDS[random.below(WORDS.len())].bytes();
            let stop = |b: &u8| b.is_ascii_whitespace() || b",]})".contains(b);
            let end = bytes[at..].iter().position(stop).map_or(bytes.len(), |i| at + i);
            drop(bytes.splice(at..end, word));
        }
    }
}

#[test]
fn damaged_scenes_never_panic() {
    let mut random = Xorshift(0x5eed_1234_5678_9abc);
    let (mut good, mut bad) = (0, 0);
    for round in 0..6000 {
        let mut bytes = builtin()[round % builtin().len()].1.as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            mutate(&mut bytes, &mut random);
        }
        let set = if round % 3 == 0 { vec!["friction=0.25".to_owned()] } else { Vec::new() };
        match parse_bytes("damaged.toml", &bytes, &Overrides { set, ..Default::default() }) {
            Ok(scene) => {
                good += 1;
                let _ = scene.to_string();
            }
            Err(error) => {
                bad += 1;
                assert!(!error.problems().is_empty());
                let text = error.to_string();
                assert!(text.contains("; expected ") && !text.contains("the scene cannot be read"), "{text}");
            }
        }
    }
    assert!(good > 500 && bad > 500, "{good} {bad}");
}

/// A large ball, a small one, a smaller fixed one, a point and what touches nothing; `more` is added to the scene.
fn balls(scale: f64, more: &str) -> Result<Scene, stickslip_scene::SceneError> {
    let ball = |name: &str, radius: f64, x: f64, rest: &str| {
        let (radius, x) = (radius * scale, x * scale);
        format!(
            "[[body]]\nname = \"{name}\"\nshape.sphere.radius = {radius:?}\n\
             material = \"ivory\"\nposition = [{x:?}, 0, 0]\n{rest}\n"
        )
    };
    let text = format!(
        r#"
scene = {{ name = "balls", description = "of many sizes", dimension = 3 }}
world = {{ gravity = [0, 0, -9.81] }}
contact = [{{ between = ["ivory", "ivory"], friction = 0.1 }}]
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 0.1 }}
{}{}{}{}{more}
"#,
        ball("large", 0.5, 0.0, "mass = 1.0"),
        ball("small", 0.03125, 1.0, "mass = 1.0"),
        ball("held", 0.001, 2.0, "fixed = true"),
        "[[body]]\nname = \"bare\"\nmass = 1.0\ninertia = [1, 1, 1]\nposition = [9, 0, 0]\n",
    );
    stickslip_scene::parse("balls.toml", &text, &Overrides::default())
}

#[test]
fn overlaps_are_certified_relative_to_the_smallest_body_that_moves_and_can_touch() {
    let penetration = |scale: f64, more: &str| balls(scale, more).unwrap().tolerance.penetration;
    assert_eq!(penetration(1.0, ""), 1e-5 * 0.03125);
    for scale in [1e-3, 1e3] {
        assert!((penetration(scale, "") / (scale * penetration(1.0, "")) - 1.0).abs() < 1e-14);
    }
    let apart = |other: &str| format!("[[no_contact]]\nbetween = [\"small\", \"{other}\"]\n");
    assert_eq!(penetration(1.0, &apart("large")), 1e-5 * 0.03125, "there is the one held");
    assert_eq!(
        penetration(1.0, &(apart("large") + &apart("held"))),
        1e-5 * 0.5,
        "the small one touches nothing"
    );
    // as asked, where it is asked for; the others keep their defaults
    assert_eq!(penetration(1.0, "[tolerance]\npenetration = 1e-3\n"), 1e-3);
    let law = balls(1.0, "[tolerance]\nlaw = 1e-6\n").unwrap().tolerance;
    assert_eq!((law.law, law.penetration, law.joint), (1e-6, 1e-5 * 0.03125, 1e-8));
    let text = balls(1.0, "").unwrap().to_string();
    assert!(text.contains("penetration 3.125e-7 m (1e-5 of the smallest body)"), "{text}");
}

#[test]
fn systems_without_bodies_that_have_a_size_keep_ten_nanometres() {
    for name in ["sliding-particle", "double-pendulum"] {
        let tolerance = load(name, &Overrides::default()).unwrap().tolerance;
        assert_eq!(tolerance.penetration, 1e-8, "{name}");
    }
}

#[test]
fn gaps_count_as_closed_up_to_the_overlap_that_bodies_of_this_size_may_have() {
    let touching = |at: &str| {
        let text =
            balls(1.0, "").unwrap().text.replace("step = 0.01", &format!("step = 0.01, touching = {at}"));
        stickslip_scene::parse("balls.toml", &text, &Overrides::default())
    };
    assert!(touching("3e-7").is_ok());
    let error = touching("4e-7").unwrap_err().to_string();
    assert!(error.contains("more than the 3.125e-7 m to which overlaps are certified"), "{error}");
}
