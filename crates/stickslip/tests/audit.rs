//! The auditor judges what happened to the bodies. Each entry has a step that breaks it, by hand or by a stepper that
//! does so, and motions that are right and stay quiet. Answers are closed forms: distances, energies and depths that
//! follow from the sizes given.

mod common;

use common::{run, simulation};
use stickslip::audit::{Auditor, Exchange, Look, Manner, words};
use stickslip::certificate::{Certificate, Tolerance};
use stickslip::energy::Ledger;
use stickslip::events::Modes;
use stickslip::simulation::Checkpoint;
use stickslip::state::State;
use stickslip::step::Step;
use stickslip::stepper::{StepError, TimeStep};
use stickslip_scene::{Overrides, Scene};

const DT: f64 = 1e-3;

fn parse(text: &str) -> Scene {
    stickslip_scene::parse("own.toml", text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A scene in space without gravity: bodies given, all of one material.
fn space(stepper: &str, more: &str, bodies: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 3 }}
world = {{ gravity = [0, 0, {}] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {DT}, until = 1.0 {more} }}
{bodies}
[[contact]]
between = ["m", "m"]
friction = 0.5
"#,
        if bodies.contains("floor") { -9.81 } else { 0.0 }
    ))
}

/// A ball of radius 0.1 m at rest on a floor.
fn ball_on_floor(stepper: &str) -> Scene {
    space(
        stepper,
        "",
        r#"
[[body]]
name = "floor"
fixed = true
position = [0, 0, 0]
shape.half_space = {}
material = "m"
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.1
material = "m"
position = [0, 0, 0.1]
"#,
    )
}

/// A step of a scene's own stepper from its start.
fn stepped(scene: &Scene) -> (State, Step, Manner) {
    stepped_from(scene, scene.system.initial())
}

fn stepped_from(scene: &Scene, start: State) -> (State, Step, Manner) {
    let (mut stepper, mut step) = (scene.stepper.build(), Step::default());
    stepper.step(scene.system.as_ref(), &start, TimeStep::after(&start, scene.step), &mut step).unwrap();
    (start, step, stepper.manner())
}

/// What the auditor says of a step.
fn judged(scene: &Scene, from: &State, step: &mut Step, manner: Manner) -> Result<Certificate, StepError> {
    let (ledger, tolerance): (Ledger, _) = (*simulation(scene).ledger(), Tolerance::default());
    let mut exchange = Exchange::beginning(&ledger);
    let mut auditor = Auditor::new(scene.system.as_ref());
    auditor.judge(scene.system.as_ref(), manner, from, &tolerance, (&ledger, &mut exchange), step)?;
    Ok(step.certificate)
}

#[test]
fn a_force_across_a_gap_is_missed_by_the_gap() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    let quiet = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(quiet.touch < 1e-12, "{quiet:?}");
    step.state.q[2] += 1e-3; // the ball is a millimetre above the floor that pushes it
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!((missed.touch - 1e-3).abs() < 1e-9, "{}", missed.touch);
    assert_eq!(scene.system.label(step.blame.touch.unwrap()), "ball/floor");
}

#[test]
fn a_force_beside_its_body_is_missed_by_how_far_it_is_beside() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    step.outcomes[0].constraint.point.x += 0.05;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    // the point (0.05, 0, −0.1) is hypot(0.05, 0.1) from the centre of a ball of radius 0.1
    let off = 0.05f64.hypot(0.1) - 0.1;
    assert!((missed.touch - off).abs() < 1e-9, "{} {off}", missed.touch);
}

/// Under associated friction a contact that slips under load ends at dt mu |slip|: that is no gap.
#[test]
fn the_height_of_associated_friction_is_no_gap() {
    let scene = ball_on_floor("convex");
    let (from, mut step, manner) = stepped(&scene);
    assert!(manner.associated);
    let height = DT * 0.5 * 2.0;
    step.outcomes[0].velocity[1] = 2.0;
    step.state.q[2] = 0.1 + height;
    assert!(judged(&scene, &from, &mut step, manner).unwrap().touch < 1e-12);
    let exact = Manner { associated: false, ..manner };
    let missed = judged(&scene, &from, &mut step, exact).unwrap();
    assert!((missed.touch - height).abs() < 1e-9, "{}", missed.touch);
}

/// What bounces was in touch where Moreau's law looked, and is apart at the end.
#[test]
fn a_bounce_touched_where_the_law_looked() {
    let scene = common::scene("bouncing-ball", &[]);
    let mut bounced = 0;
    let simulation = run(&scene, |s| {
        let o = s.last().outcomes.first();
        bounced += u32::from(o.is_some_and(|o| o.impulse[0] > 0.0 && o.gap > 1e-6));
    });
    assert!(bounced > 0 && simulation.certificate().missed_steps == 0, "{bounced}");
}

/// Two balls of radius r that roll and slide around each other leave the tangent plane by d²/(4 r) in a step of d: no
/// gap, but curvature.
#[test]
fn curvature_of_round_bodies_is_no_gap() {
    let scene = common::scene("two-spheres", &["stepper=stewart-trinkle"]);
    let simulation = run(&scene, |_| {});
    assert!(simulation.certificate().worst.touch <= scene.tolerance.penetration);
}

#[test]
fn a_contact_that_puts_energy_in_is_missed() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    assert!(judged(&scene, &from, &mut step, manner).unwrap().passivity <= 1.0);
    // the floor throws the ball up at 1 m/s: lambda = m v, work m v² / 2
    let o = &mut step.outcomes[0];
    (o.impulse[0], o.velocity[0]) = (1.0, 1.0);
    step.state.u[2] = 1.0;
    step.state.q[2] = 0.1 + DT;
    (step.work.normal, step.work.kinetic_change, step.kinetic) = (0.5, 0.5, 0.5);
    step.work.turnover = 0.5;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(missed.passivity > 1e6, "{}", missed.passivity);
    assert_eq!(scene.system.label(step.blame.passivity.unwrap()), "ball/floor");
}

/// Taking out an overlap that was there has its own account: a ball 1 mm in the floor is pushed out in a step, at 1
/// m/s.
#[test]
fn taking_out_an_overlap_has_its_own_account() {
    let scene = ball_on_floor("stewart-trinkle");
    let mut deep = scene.system.initial();
    deep.q[2] = 0.099;
    let (from, mut step, manner) = stepped_from(&scene, deep);
    assert!((step.state.u[2] - 1.0).abs() < 1e-9, "{:?}", step.state.u);
    let certificate = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(certificate.passivity <= 1.0, "{}", certificate.passivity);
    // lambda = m (v + g dt) against 1 mm in a step
    let account = 1.0 * (1.0 + 9.81 * DT) * 1e-3 / DT;
    assert!((step.work.overlap - account).abs() < 1e-6, "{} {account}", step.work.overlap);
    // the same push on a ball that was not in the floor has none
    let mut apart = from.clone();
    apart.q[2] = 0.1;
    step.state.q[2] = 0.101;
    let missed = judged(&scene, &apart, &mut step, Manner { look: Look::Start, ..manner }).unwrap();
    assert!(missed.passivity > 1.0, "{}", missed.passivity);
}

fn spring(stiffness: f64, stepper: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, 0] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {DT}, until = 0.5 }}
[[body]]
name = "a"
mass = 1.0
inertia = 0.2
position = [1.1, 0]
[[force]]
kind = "spring"
between = ["world", "a"]
anchors = [[0, 0], [1.1, 0]]
rest_length = 1.0
stiffness = {stiffness}
"#
    ))
}

/// With w dt = 1 a spring's energy goes up by a quarter and more; with w dt = 0.02 it stays within a fiftieth. The
/// energy is computed here.
#[test]
fn a_spring_that_is_too_stiff_for_the_step_is_missed() {
    for stepper in ["moreau", "stewart-trinkle"] {
        for (stiffness, too_stiff) in [(1e6, true), (400.0, false)] {
            let scene = spring(stiffness, stepper);
            let mut most = 0.0f64;
            let simulation = run(&scene, |s| {
                let (q, u) = (&s.state().q, &s.state().u);
                let stretch = q[0].hypot(q[1]) - 1.0;
                most = most.max(0.5 * (u[0] * u[0] + u[1] * u[1] + stiffness * stretch * stretch));
            });
            let grown = most / (0.5 * stiffness * 0.01) - 1.0;
            assert_eq!(grown > 0.1, too_stiff, "{stepper} {stiffness} {grown}");
            let certificate = simulation.certificate();
            assert_eq!(certificate.missed_steps > 0, too_stiff, "{stepper} {stiffness} {certificate:?}");
            if too_stiff {
                assert_eq!(certificate.worst_step.as_ref().unwrap().what, "passivity");
            }
        }
    }
}

fn spinning(rates: [f64; 3], step: f64, until: f64, stepper: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 3 }}
world = {{ gravity = [0, 0, 0] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {step}, until = {until} }}
[[body]]
name = "a"
mass = 1.0
inertia = [1.0, 2.0, 2.5]
position = [0, 0, 0]
angular_velocity = [{}, {}, {}]
"#,
        rates[0], rates[1], rates[2]
    ))
}

/// Nothing acts on the body: its energy is that of the start. Where it is not, the run says so; at 2 ms and 10 rad/s it
/// is.
#[test]
fn a_free_body_that_spins_too_fast_for_the_step_is_missed() {
    for stepper in ["moreau", "stewart-trinkle", "implicit"] {
        let fast = spinning([1.0, 60.0, 2.0], 0.01, 0.5, stepper);
        let missed = run(&fast, |_| {});
        let start = 0.5 * (1.0 + 2.0 * 3600.0 + 2.5 * 4.0);
        let grown = missed.ledger().kinetic / start - 1.0;
        assert!(grown.abs() > 0.1 && missed.certificate().missed_steps > 0, "{stepper} {grown}");
        let slow = spinning([1.0, 10.0, 2.0], 0.002, 1.0, stepper);
        let slow = run(&slow, |_| {});
        assert_eq!(slow.certificate().missed_steps, 0, "{stepper} {:?}", slow.certificate());
    }
}

/// The account of growth goes on from a checkpoint: a run in two pieces misses the same steps.
#[test]
fn growth_is_restored_from_a_checkpoint() {
    let scene = spring(1e6, "moreau");
    let whole = run(&scene, |_| {});
    let mut first = simulation(&scene);
    (0..77).for_each(|_| assert!(first.advance().is_ok()));
    let text = serde_json::to_string(&first.checkpoint(&scene.text, &Modes::default())).unwrap();
    let mut second = simulation(&scene);
    second.restore(&serde_json::from_str::<Checkpoint>(&text).unwrap());
    while !second.is_done() {
        second.advance().unwrap();
    }
    assert_eq!(whole.certificate(), second.certificate());
    assert_eq!(whole.state(), second.state());
}

/// A ball of radius 0.05 beside a wall of 2 cm.
fn ball_and_wall(wall: &str) -> Scene {
    space(
        "moreau",
        "",
        &format!(
            r#"
[[body]]
name = "wall"
fixed = true
position = [0, 0, 0]
{wall}
material = "m"
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.05
material = "m"
position = [-0.2, 0, 0]
"#
        ),
    )
}

/// A ball that is at the other side of a wall after a step went through it: r + h deep when its centre was in the
/// middle.
#[test]
fn a_body_that_jumped_through_a_wall_is_missed_by_its_depth() {
    let scene = ball_and_wall("shape.box.size = [0.02, 2, 2]");
    let (from, mut step, manner) = stepped(&scene);
    let mut put = |x: f64, y: f64| {
        (step.state.q[0], step.state.q[1]) = (x, y);
        let certificate = judged(&scene, &from, &mut step, manner).unwrap();
        (certificate.passage, step.blame.passage)
    };
    let (depth, blame) = put(0.2, 0.0);
    assert!((depth - 0.06).abs() < 3e-3 && blame.is_some(), "{depth}");
    assert_eq!(put(-0.061, 0.0).0, 0.0, "stopped before the wall");
    assert_eq!(put(-0.2, 0.5).0, 0.0, "flew along the wall");
    let (deep, _) = put(5.0, 0.0);
    assert!(deep > 0.03, "far on the other side: {deep}");
}

#[test]
fn a_corner_that_is_cut_is_no_passage() {
    let scene = ball_and_wall("shape.box.size = [0.2, 0.2, 0.2]");
    let (mut from, mut step, manner) = stepped(&scene);
    // past the edge at (−0.1, 0.1), along a line at 45°: the deepest point is r − distance deep
    for (distance, cut) in [(0.048, true), (0.02, false), (0.052, true)] {
        let along = (-0.1 - distance / 2f64.sqrt(), 0.1 + distance / 2f64.sqrt());
        (from.q[0], from.q[1]) = (along.0 - 0.1, along.1 - 0.1);
        (step.state.q[0], step.state.q[1]) = (along.0 + 0.1, along.1 + 0.1);
        let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
        assert_eq!(depth == 0.0, cut, "{distance} {depth}");
    }
}

/// Numbers between 0 and 1, always the same.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Two bodies meet head-on, at any speed, size and offset, in the plane and in space, solid or thin: if they are on
/// each other's side in the end, some step was missed.
#[test]
fn a_head_on_pair_never_passes_certified() {
    let mut random = numbers();
    let mut passed = 0;
    for case in 0..120 {
        let stepper = ["moreau", "anitescu-potra", "stewart-trinkle", "event"][case % 4];
        let (dimension, flat) = if case % 8 < 4 { (3, false) } else { (2, true) };
        let (r, speed) = (0.02 + 0.1 * random(), 10f64.powf(3.0 * random()));
        let thin = r * 10f64.powf(-2.0 * random());
        let offset = 0.3 * r * random();
        let more = if stepper == "event" { ", order = 5, absolute = 1e-8, relative = 1e-8" } else { "" };
        let (round, box_) = if flat {
            (format!("shape.disc.radius = {r}"), format!("shape.box.size = [{}, {}]", 2.0 * thin, 8.0 * r))
        } else {
            (
                format!("shape.sphere.radius = {r}"),
                format!("shape.box.size = [{}, {r}, {}]", 2.0 * thin, 8.0 * r),
            )
        };
        let other = if random() < 0.5 { &round } else { &box_ };
        let (zero, at) = if flat { ("", format!("{offset}")) } else { (", 0", format!("0, {offset}")) };
        let scene = parse(&format!(
            r#"
scene = {{ name = "own", description = "own", dimension = {dimension} }}
world = {{ gravity = [0, 0{zero}] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {DT}, until = {} {more} }}
tolerance = {{ penetration = {} }}
[[body]]
name = "a"
mass = 1.0
{round}
material = "m"
position = [{}, {at}]
velocity = [{speed}, 0{zero}]
[[body]]
name = "b"
mass = 1.0
{other}
material = "m"
position = [0.5, 0{zero}]
velocity = [{}, 0{zero}]
[[contact]]
between = ["m", "m"]
friction = 0.0
"#,
            (1.5 / speed).max(3.0 * DT),
            1e-3 * r,
            -0.5 - 0.1 * random(),
            -speed,
        ));
        let mut simulation = simulation(&scene);
        while !simulation.is_done() && simulation.advance().is_ok() {}
        let q = &simulation.state().q;
        let second = if flat { 3 } else { 7 };
        let through = simulation.is_done() && q[0] > q[second];
        passed += u32::from(through);
        let held = simulation.certificate().missed_steps == 0;
        assert!(!(through && held), "case {case} {stepper} passed certified: {}", scene.text);
    }
    assert!(passed > 5, "no case puts the auditor to the test");
}

/// A wall of triangles, open: a ball that is behind it after a step went through.
#[test]
fn an_open_mesh_is_passed_by_a_radius() {
    let dir = std::env::temp_dir().join(format!("stickslip-audit-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let obj = "v 0 -1 -1\nv 0 1 -1\nv 0 1 1\nv 0 -1 1\nf 1 4 3\nf 1 3 2\n";
    std::fs::write(dir.join("wall.obj"), obj).unwrap();
    let box_ = ball_and_wall("shape.box.size = [0.02, 2, 2]");
    let text = box_.text.replace("shape.box.size = [0.02, 2, 2]", "shape.mesh.file = \"wall.obj\"");
    std::fs::write(dir.join("own.toml"), text).unwrap();
    let path = dir.join("own.toml").display().to_string();
    let scene = stickslip_scene::load(&path, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let (from, mut step, manner) = stepped(&scene);
    step.state.q[0] = 0.2;
    let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
    std::fs::remove_dir_all(&dir).unwrap();
    assert!((depth - 0.05).abs() < 3e-3, "{depth}");
}

/// Thrown over a wall within one interval: the way is a parabola, and the straight line from end to end would lead
/// through.
#[test]
fn a_throw_over_a_wall_is_no_passage() {
    let scene = parse(
        r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, -10] }
simulation = { stepper = "event", solver = "auto", step = 1, until = 1, order = 8, absolute = 1e-9, relative = 1e-9 }
[[body]]
name = "wall"
fixed = true
position = [0, 0]
shape.box.size = [0.2, 1.6]
material = "m"
[[body]]
name = "ball"
mass = 1.0
shape.disc.radius = 0.1
material = "m"
position = [-1, 0]
velocity = [2, 5]
[[contact]]
between = ["m", "m"]
friction = 0
"#,
    );
    // at x = −0.2, 0.2 the ball is at 5·0.4 − 5·0.16 = 1.2: 0.3 above the wall
    let simulation = run(&scene, |_| {});
    assert!((simulation.state().q[0] - 1.0).abs() < 1e-9);
    assert_eq!(simulation.certificate().missed_steps, 0, "{:?}", simulation.certificate());
}

/// A pendulum on the stop of its hinge: Moreau's law stops it after it has passed, by more than is asked for.
#[test]
fn a_joint_limit_that_is_passed_is_missed() {
    let scene = |stepper: &str| {
        parse(&format!(
            r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = 1e-3, until = 2.0 }}
tolerance = {{ joint = 1e-3 }}
[[body]]
name = "p"
mass = 1.0
inertia = 0.05
position = [1, 0]
[[joint]]
name = "j"
kind = "revolute"
between = ["world", "p"]
anchor = [0, 0]
limits = [-1.0, 0.5]
"#
        ))
    };
    for stepper in ["moreau", "stewart-trinkle"] {
        let scene = scene(stepper);
        let mut past = 0.0f64;
        let simulation = run(&scene, |s| past = past.max(-1.0 - s.state().q[1].atan2(s.state().q[0])));
        let certificate = simulation.certificate();
        assert!((certificate.worst.limits - past.max(0.0)).abs() < 1e-9, "{stepper} {past}");
        assert_eq!(certificate.missed_steps > 0, past > 1e-3, "{stepper} {past}");
        if stepper == "moreau" {
            let worst = certificate.worst_step.as_ref().unwrap();
            assert_eq!((worst.what.as_str(), worst.contact.as_deref()), ("limits", Some("j.least")));
        }
    }
}

#[test]
fn a_motor_beyond_its_bound_is_missed_by_the_part() {
    let scene = common::scene("hoist", &[]);
    let (from, mut step, manner) = stepped(&scene);
    let motor = |o: &&mut stickslip::step::Outcome| scene.system.label(o.constraint.id).ends_with(".motor");
    let Some(o) = step.outcomes.iter_mut().find(motor) else { panic!("a motor") };
    let stickslip::system::Law::Servo { bound } = o.constraint.law else { panic!("a servo") };
    o.impulse[0] = 1.25 * bound * step.dt;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!((missed.limits - 0.25).abs() < 1e-12, "{}", missed.limits);
}

/// Whatever a scene gives that is not a number stops the run, by its name.
#[test]
fn what_is_not_a_number_is_named() {
    let floor = |drive: &str| {
        format!(
            r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "moreau", solver = "auto", step = 0.01, until = 0.2 }}
tolerance = {{ penetration = 1e-2 }}
[[body]]
name = "floor"
{drive}
shape.half_plane = {{}}
material = "m"
[[body]]
name = "b"
mass = 1.0
shape.box.size = [0.2, 0.1]
material = "m"
position = [0, 0.05]
[[contact]]
between = ["m", "m"]
friction = 0.5
"#
        )
    };
    let motor = r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 0.2 }
[[body]]
name = "b"
mass = 1.0
inertia = 1.0
position = [0, 0]
[[joint]]
name = "axle"
kind = "revolute"
between = ["world", "b"]
anchor = [0, 0]
motor = { speed = "log(0.055 - t)", bound = 1.0 }
"#;
    let gap = r#"
scene = { name = "own", description = "own" }
simulation = { stepper = "moreau", solver = "auto", step = 0.01, until = 0.2 }
[system]
kinetic = "0.5*x_dot^2"
potential = "9.81*x"
coordinate = [{ name = "x", position = 1, velocity = 0 }]
contact = [{ name = "ground", gap = "x + sqrt(0.055 - t)", slip = "x_dot", friction = 0 }]
"#;
    let force = r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 0.2 }
[[body]]
name = "b"
mass = 1.0
inertia = 1.0
position = [0, 0]
[[force]]
kind = "wrench"
body = "b"
force = ["sqrt(0.055 - t)", 0]
"#;
    let runs = [
        (floor(r#"drive = { position = ["sqrt(0.055 - t)", 0] }"#), "the drive of body \"floor\""),
        (
            floor(
                r#"fixed = true
position = [0, 0]
surface_velocity = { velocity = ["sqrt(0.055 - t)", 0] }"#,
            ),
            "the surface velocity of body \"floor\"",
        ),
        (motor.to_owned(), "the speed of the motor of joint \"axle\""),
        (gap.to_owned(), "the gap of ground"),
        (force.to_owned(), "the force on b.vx"),
    ];
    for (text, name) in runs {
        let scene = parse(&text);
        let mut simulation = simulation(&scene);
        let stopped = loop {
            match simulation.advance() {
                Ok(_) if simulation.is_done() => panic!("{name}: the run did not stop"),
                Ok(_) => {}
                Err(e) => break e.to_string(),
            }
        };
        assert!(stopped.starts_with(name) && stopped.contains("not a number at t = 0.06"), "{stopped}");
    }
}

/// A certificate that was written before there was an auditor still reads, and every entry has its words.
#[test]
fn old_certificates_read_and_every_entry_has_words() {
    let old = r#"{"complementarity":0.1,"cone":0,"dissipation":0,"penetration":0,"joint":0}"#;
    let certificate: Certificate = serde_json::from_str(old).unwrap();
    assert_eq!((certificate.complementarity, certificate.touch, certificate.passivity), (0.1, 0.0, 0.0));
    for (name, ..) in certificate.entries(&Tolerance::default()) {
        assert!(words::meaning(name).is_some() && words::advice(name).is_some(), "{name}");
    }
    assert!(words::meaning("uniqueness").is_some());
    assert!(!Certificate { passage: f64::NAN, ..Certificate::default() }.holds(&Tolerance::default()));
}

/// Every stepper looks at contacts where it says it does: a box that slides down a slope stays certified under all of them.
#[test]
fn every_stepper_is_looked_at_where_it_looks() {
    let event = ["simulation.order=8", "simulation.absolute=1e-9", "simulation.relative=1e-9"];
    let steppers = [
        "stewart-trinkle",
        "convex",
        "moreau",
        "anitescu-potra",
        "implicit",
        "compliant",
        "compliant-implicit",
        "event",
    ];
    for stepper in steppers {
        let own = format!("stepper={stepper}");
        let mut changes = vec![own.as_str(), "slope=0.6", "tolerance.penetration=1e-3"];
        changes.extend(if stepper == "event" { &event[..] } else { &[] });
        let scene = common::scene("incline", &changes);
        let simulation = run(&scene, |_| {});
        assert_eq!(simulation.certificate().missed_steps, 0, "{stepper} {:?}", simulation.certificate());
    }
    for name in ["compliant-disc", "rolling-disc", "conveyor"] {
        let scene = common::scene(name, &["stepper=compliant"]);
        assert_eq!(run(&scene, |_| {}).certificate().missed_steps, 0, "{name}");
    }
}

/// Right motions stay quiet: those of the book, with the tolerances that they ask for.
#[test]
fn built_in_scenes_stay_certified() {
    let names = [
        "box-stack",
        "conveyor",
        "coulomb-oscillator",
        "curved-shapes",
        "door",
        "double-pendulum",
        "fence-particle",
        "four-bar",
        "gear-and-jaw",
        "gear-grasp",
        "hoist",
        "incline",
        "painleve-rod",
        "pendulum-on-block",
        "plate-circle",
        "pushed-block-on-belt",
        "rocking-lens",
        "rolling-disc",
        "slide-to-roll",
        "stick-slip",
        "tripod-push",
        "two-spheres",
        "woodpecker",
    ];
    for name in names {
        let scene = common::scene(name, &[]);
        let simulation = run(&scene, |_| {});
        assert_eq!(simulation.certificate().missed_steps, 0, "{name} {:?}", simulation.certificate());
    }
}
