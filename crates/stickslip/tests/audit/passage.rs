//! What goes through something within a step is missed, and what goes past it is not.

use crate::common::{run, simulation};
use crate::{DT, judged, parse, space, stepped};
use stickslip::audit::Manner;
use stickslip::step::Step;
use stickslip_scene::{Overrides, Scene};

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

/// A rod beside a ball. After a step it is where it was but for 1/100 rad, and spins: it went round a hundred times,
/// through the ball, or hardly moved.
#[test]
fn a_rod_that_goes_round_in_a_step_sweeps_what_is_beside_it() {
    let scene = parse(
        r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 1e-3, until = 1.0 }
[[body]]
name = "rod"
mass = 1.0
shape.box.size = [1, 0.1]
material = "m"
position = [0, 0]
[[body]]
name = "ball"
fixed = true
shape.disc.radius = 0.1
material = "m"
position = [0, 0.4]
[[contact]]
between = ["m", "m"]
friction = 0
"#,
    );
    let (from, mut step, manner) = stepped(&scene);
    for (turns, swept) in [(0.0, false), (1.0, true), (3.0, true), (-1.0, true)] {
        let angle = 0.01 + turns * std::f64::consts::TAU;
        (step.state.q[2], step.state.u[2]) = (angle, angle / DT);
        let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
        // upright, the ball's centre is in the rod, 0.4 below its end: the way out is to its side
        assert_eq!(depth > 0.1, swept, "{turns} {depth}");
        assert!(depth < 0.15 + 1e-9, "{turns} {depth}");
    }
}

/// A turn by rounding alone, whose cosine is above one, is no turn, and no excuse.
#[test]
fn a_body_that_hardly_turns_is_followed_too() {
    let scene = ball_and_wall("shape.box.size = [0.02, 2, 2]");
    for part in [1.0, 1.0 + 3e-16, 1.0 - 3e-16] {
        let (mut from, mut step, manner) = stepped(&scene);
        let q = [0.2777902515864681 * part, 0.8915074015566229, -0.12026924744160683, -0.33701993592829943];
        from.q[3..7].copy_from_slice(&[
            0.277790251586468,
            0.8915074015566227,
            -0.1202692474416068,
            -0.3370199359282994,
        ]);
        step.state.q[3..7].copy_from_slice(&q);
        step.state.q[0] = 0.2;
        let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
        assert!((depth - 0.06).abs() < 3e-3, "{depth}");
    }
}

/// Polygons and boxes of the plane leave each other within it: one that went through another was as deep in it as it is
/// thick.
#[test]
fn a_box_that_jumped_through_a_box_in_the_plane_is_missed_by_its_depth() {
    let scene = parse(
        r#"
scene = { name = "own", description = "own", dimension = 2 }
world = { gravity = [0, 0] }
simulation = { stepper = "moreau", solver = "auto", step = 1e-3, until = 1.0 }
[[body]]
name = "wall"
fixed = true
shape.box.size = [0.02, 2]
material = "m"
position = [0, 0]
[[body]]
name = "box"
mass = 1.0
shape.box.size = [0.1, 0.1]
material = "m"
position = [-0.2, 0]
[[contact]]
between = ["m", "m"]
friction = 0
"#,
    );
    let (from, mut step, manner) = stepped(&scene);
    step.state.q[0] = 0.2;
    let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
    assert!((depth - 0.06).abs() < 3e-3, "{depth}");
    step.state.q[0] = -0.061;
    assert_eq!(judged(&scene, &from, &mut step, manner).unwrap().passage, 0.0);
}

/// In an interval, each motion that the stepper lists is followed, and the way between two that do not meet: a ball
/// that goes up, over a wall and down is not said to have gone through it, and one that is put behind it is.
#[test]
fn an_interval_is_followed_motion_by_motion() {
    let scene = ball_and_wall("shape.box.size = [0.02, 2, 2]");
    let (from, mut step, manner) = stepped(&scene);
    let manner = Manner { interval: true, ..manner };
    let at = |t: f64, x: f64, y: f64| {
        let mut state = from.clone();
        (state.t, state.q[0], state.q[1]) = (t, x, y);
        state
    };
    step.state.q[0] = 0.2;
    let corners = [from.clone(), at(0.25 * DT, -0.2, 1.2), at(0.75 * DT, 0.2, 1.2), step.state.clone()];
    let legs = |skipped: Option<usize>, step: &mut Step| {
        step.motions.clear();
        for k in (0..3).filter(|k| Some(*k) != skipped) {
            let [mut a, mut b] = [corners[k].clone(), corners[k + 1].clone()];
            for i in 0..3 {
                let speed = (b.q[i] - a.q[i]) / (b.t - a.t);
                (a.u[i], b.u[i]) = (speed, speed);
            }
            step.motions.push(&a, &b);
        }
        judged(&scene, &from, step, manner).unwrap().passage
    };
    assert_eq!(legs(None, &mut step), 0.0);
    assert_eq!(legs(Some(1), &mut step), 0.0, "the way between two motions leads over the wall too");
    step.motions.clear();
    step.motions.push(&corners[0], &at(0.5 * DT, -0.2, 0.0));
    let depth = judged(&scene, &from, &mut step, manner).unwrap().passage;
    assert!((depth - 0.06).abs() < 3e-3, "{depth}");
}
