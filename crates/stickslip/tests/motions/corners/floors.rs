//! Blocks that slide over slots and seams as over a floor.

use super::{Conjunction, parse, run, slid};
use crate::common;

#[test]
fn a_block_slides_over_a_slot_as_over_a_floor() {
    for step in ["0.04", "0.01", "0.0025"] {
        let scene = common::scene("block-over-hole", &[&format!("step={step}")]);
        let start = scene.system.initial();
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        let h: f64 = step.parse().unwrap();
        let expected = slid(2.0, 0.2, h, (0.4 / h).round());
        let off = (end.q[0] - start.q[0] - expected).abs();
        let up = (end.q[1] - 0.1).abs().max(end.q[2].abs());
        let (caught, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
        println!(
            "step {step}: off by {off:e} m along, {up:e} across; overlap {depth:e} m; the conjunction ends at x = {:.4} \
             instead of {:.4}",
            caught.q[0], end.q[0]
        );
        assert!(missed == 0, "{step}: {missed}");
        assert!(off < 1e-9 && up < 1e-9, "{off:e} {up:e}");
        if h > 0.005 {
            assert!(caught.q[0] < end.q[0] - 0.05, "{caught:?}");
        }
    }
}

#[test]
fn a_block_slides_over_the_seam_of_two_flush_floors() {
    for (left, right) in [
        ("shape.box.size = [4, 1]", "shape.box.size = [4, 1]"),
        ("shape.polygon.vertices = [[-2, -0.5], [2, -0.5], [2, 0.5], [-2, 0.5]]", "shape.box.size = [4, 1]"),
    ] {
        let scene = parse(&format!(
            r#"
scene = {{ name = "seam", description = "two floors", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.1 }}]
[[body]]
name = "left"
fixed = true
{left}
material = "stone"
position = [-2, -0.5]
[[body]]
name = "right"
fixed = true
{right}
material = "stone"
position = [2, -0.5]
[[body]]
name = "block"
mass = 1.0
shape.box.size = [0.4, 0.2]
material = "wood"
position = [-0.9, 0.1]
velocity = [2, 0]
"#
        ));
        let (end, missed, _) = run(&scene, scene.system.as_ref());
        let off = (end.q[0] + 0.9 - slid(2.0, 0.1, 0.01, 100.0)).abs();
        println!("over the seam: off by {off:e} m, height off by {:e} m", (end.q[1] - 0.1).abs());
        assert!(missed == 0 && off < 1e-9 && (end.q[1] - 0.1).abs() < 1e-9, "{missed} {end:?}");
    }
}

#[test]
fn in_space_a_block_slides_over_the_seam_of_two_flush_floors() {
    let floor = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nfixed = true\nshape.box.size = [4, 4, 1]\nmaterial = \"stone\"\nposition = [{x:?}, 0, -0.5]\n"
        )
    };
    let scene = parse(&format!(
        r#"
scene = {{ name = "seam", description = "two floors", dimension = 3 }}
world = {{ gravity = [0, 0, -9.81] }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.1 }}]
{}{}
[[body]]
name = "block"
mass = 1.0
shape.box.size = [0.4, 0.3, 0.2]
material = "wood"
position = [-0.9, 0.03, 0.1]
velocity = [2, 0, 0]
"#,
        floor("left", -2.0),
        floor("right", 2.0)
    ));
    let (end, missed, _) = run(&scene, scene.system.as_ref());
    let off = (end.q[0] + 0.9 - slid(2.0, 0.1, 0.01, 100.0)).abs();
    println!("in space over the seam: off by {off:e} m, height off by {:e} m", (end.q[2] - 0.1).abs());
    assert!(missed == 0 && off < 1e-8 && (end.q[2] - 0.1).abs() < 1e-8, "{missed} {end:?}");
}

/// Steppers at velocity level know a contact once it overlaps: there is nothing to catch on.
#[test]
fn steppers_at_velocity_level_pass_over_the_slot() {
    for stepper in ["moreau", "anitescu-potra"] {
        let changes = ["step=0.0025", &format!("stepper={stepper}"), "tolerance.penetration=1e-3"];
        let scene = common::scene("block-over-hole", &changes);
        let start = scene.system.initial();
        let (end, missed, _) = run(&scene, scene.system.as_ref());
        let exact = 2.0 * 0.4 - 0.5 * 0.2 * 9.81 * 0.16;
        println!("{stepper}: off by {:e} m", end.q[0] - start.q[0] - exact);
        assert!(missed == 0 && (end.q[0] - start.q[0] - exact).abs() < 5e-3, "{stepper} {missed} {end:?}");
    }
}
