//! Blocks that fly past a corner, exactly, and blocks that hit it.

use super::{Conjunction, parse, run, slid};
use crate::common;
use stickslip::stepper::Scheme;
use stickslip_scene::Scene;

/// A scene of one moving and some fixed bodies without gravity.
fn flight(dimension: usize, step: f64, bodies: &str) -> Scene {
    let gravity = if dimension == 2 { "[0, 0]" } else { "[0, 0, 0]" };
    parse(&format!(
        r#"
scene = {{ name = "flight", description = "past a corner", dimension = {dimension} }}
world = {{ gravity = {gravity} }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = {step:?}, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.4 }}]
{bodies}
"#
    ))
}

/// A unit block thrown along x past a unit block at the origin, `above` its top; `turned` by an angle, both.
/// The block hardly turns: what a step's end looks like is then a matter of translation.
fn past_a_box(step: f64, above: f64, shape: &str, angle: f64) -> Scene {
    // half the height of the shape when turned
    let half = if angle == 0.0 { 0.5 } else { 0.5f64.sqrt() };
    flight(
        2,
        step,
        &format!(
            r#"
[[body]]
name = "rock"
fixed = true
{shape}
material = "stone"
angle = {angle:?}
[[body]]
name = "block"
mass = 1.0
inertia = 1e9
{shape}
material = "wood"
angle = {angle:?}
position = [-1.7, {:?}]
velocity = [3.3, 0]
"#,
            2.0 * half + above
        ),
    )
}

/// A cube thrown along x past a cube at the origin, `above` its top; on its way it would meet an edge, or a corner.
fn past_a_cube(step: f64, above: f64, shape: &str, y: f64) -> Scene {
    flight(
        3,
        step,
        &format!(
            r#"
[[body]]
name = "rock"
fixed = true
{shape}
material = "stone"
[[body]]
name = "block"
mass = 1.0
inertia = [1e9, 1e9, 1e9]
{shape}
material = "wood"
position = [-1.7, {y:?}, {:?}]
velocity = [3.3, 0, 0]
"#,
            1.0 + above
        ),
    )
}

const BOX: &str = "shape.box.size = [1, 1]";

const OUTLINE: &str =
    "shape.outline.vertices = [[-0.5, -0.5], [0, -0.3], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]";

const CUBE: &str = "shape.box.size = [1, 1, 1]";

const HULL: &str = "shape.convex.vertices = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.5, 0.5, -0.5], [-0.5, 0.5, -0.5], \
                    [-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]]";

const STEPS: [f64; 6] = [1.0, 0.5, 0.2, 0.1, 0.03125, 0.01];

#[test]
fn a_corner_passes_a_corner_by_a_micrometre_at_any_step() {
    let mut worst = 0.0f64;
    for step in STEPS {
        for (shape, angle) in [(BOX, 0.0), (BOX, std::f64::consts::FRAC_PI_4), (OUTLINE, 0.0)] {
            let scene = past_a_box(step, 1e-6, shape, angle);
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            let off = (end.q[0] - start.q[0] - 3.3).abs().max((end.q[1] - start.q[1]).abs());
            println!("step {step}, {shape}, {angle}: off by {off:e} m");
            worst = worst.max(off).max(end.u[2].abs());
            assert!(missed == 0 && depth == 0.0, "{step} {shape} {missed} {depth:e}");
        }
    }
    println!("largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-14, "{worst:e}");
}

#[test]
fn with_one_half_space_for_each_pair_it_catches() {
    let scene = past_a_box(0.2, 1e-6, BOX, 0.0);
    let (end, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
    println!("the conjunction leaves the block at x = {:?}, vx = {:?}", end.q[0], end.u[0]);
    assert!(end.u[0] < 3.0, "{end:?}");
}

#[test]
fn a_corner_that_should_hit_does() {
    for step in STEPS {
        for shape in [BOX, OUTLINE] {
            // a micrometre too low: the sides meet and nothing else is there to move the block up
            let scene = past_a_box(step, -1e-6, shape, 0.0);
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-12, "{step} {shape} {missed} {depth:e}");
            // friction may lift it off the corner; it may not come past
            assert!(end.q[0] < -0.999 || end.q[1] > 1.0, "{step} {shape} {end:?}");
        }
        // and head on
        let scene = past_a_box(step, -0.3, BOX, 0.0);
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        assert!(missed == 0 && depth < 1e-12, "{step} {missed} {depth:e}");
        assert!(end.q[0] < -0.99, "{step} {end:?}");
    }
}

#[test]
fn in_space_a_corner_passes_a_corner_and_one_that_should_hit_does() {
    let mut worst = 0.0f64;
    for step in STEPS {
        for (shape, y) in [(CUBE, 0.1), (CUBE, 0.999), (CUBE, 0.0), (HULL, 0.3)] {
            let scene = past_a_cube(step, 1e-6, shape, y);
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            let off = (end.q[0] - start.q[0] - 3.3).abs().max((end.q[2] - start.q[2]).abs());
            worst = worst.max(off).max((end.q[1] - y).abs());
            assert!(missed == 0 && depth == 0.0, "{step} {shape} {y} {missed} {depth:e}");
            let scene = past_a_cube(step, -1e-3, shape, y);
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-9, "{step} {shape} {y} {missed} {depth:e}");
            assert!(end.q[0] < -0.999, "{step} {shape} {y} {end:?}");
        }
    }
    println!("in space: largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-14, "{worst:e}");
    let scene = past_a_cube(0.2, 1e-6, CUBE, 0.1);
    let (held, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
    println!("the conjunction leaves the cube at x = {:?}, vx = {:?}", held.q[0], held.u[0]);
    assert!(held.u[0] < 3.0);
}

fn implicit(mut scene: Scene) -> Scene {
    scene.stepper.scheme = Scheme::Implicit {};
    scene
}

/// The geometrically implicit stepper has the geometry of the end, but at a corner that is flush with what lies beyond
/// it could also stop.
#[test]
fn implicit_steps_pass_corners_and_hit_what_they_should() {
    let mut worst = 0.0f64;
    for step in [0.2, 0.1, 0.03125, 0.01] {
        let passes = [
            past_a_box(step, 1e-6, BOX, 0.0),
            past_a_box(step, 1e-6, OUTLINE, 0.0),
            past_a_cube(step, 1e-6, CUBE, 0.2),
            past_a_cube(step, 1e-6, HULL, 0.2),
        ];
        for scene in passes.map(implicit) {
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            worst = worst.max((end.q[0] - start.q[0] - 3.3).abs()).max((end.q[1] - start.q[1]).abs());
            assert!(missed == 0 && depth == 0.0, "{step} {missed} {depth:e} {end:?}");
        }
        for above in [-1e-6, -0.3] {
            let scene = implicit(past_a_box(step, above, BOX, 0.0));
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-12, "{step} {missed} {depth:e}");
            assert!(end.q[0] < -0.99 || (above > -0.1 && end.q[1] > 1.0), "{step} {end:?}");
        }
    }
    println!("largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-13, "{worst:e}");
    for step in ["0.04", "0.01", "0.0025"] {
        let scene = common::scene("block-over-hole", &[&format!("step={step}"), "stepper=implicit"]);
        let start = scene.system.initial();
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        let h: f64 = step.parse().unwrap();
        let off = (end.q[0] - start.q[0] - slid(2.0, 0.2, h, (0.4 / h).round())).abs();
        println!("slot at {step}: off by {off:e} m, height by {:e} m, overlap {depth:e} m", end.q[1] - 0.1);
        assert!(missed == 0 && off < 1e-9 && (end.q[1] - 0.1).abs() < 1e-9, "{missed} {off:e} {end:?}");
    }
}
