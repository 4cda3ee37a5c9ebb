//! Bodies that are in each other at the end of a step are missed, whatever the rows of the contacts say.

use crate::{judged, parse, stepped};
use stickslip_scene::Scene;

/// Two bodies without gravity, far apart at the start; the second is at the origin and does not move.
fn two(flat: bool, first: &str, second: &str) -> Scene {
    let (dimension, zero, away) =
        if flat { (2, "[0, 0]", "[-5, 5]") } else { (3, "[0, 0, 0]", "[-5, 5, 5]") };
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = {dimension} }}
world = {{ gravity = {zero} }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 1e-3, until = 1.0 }}
[[body]]
name = "first"
mass = 1.0
shape.{first}
material = "m"
position = {away}
[[body]]
name = "second"
fixed = true
shape.{second}
material = "m"
position = {zero}
[[contact]]
between = ["m", "m"]
friction = 0.5
"#
    ))
}

/// The overlap that the auditor finds where the first body is put, in a step that knows of no contact at all.
fn overlap(scene: &Scene, place: &[f64]) -> f64 {
    let (mut from, mut step, manner) = stepped(scene);
    assert!(step.outcomes.is_empty());
    step.state.q.copy_from_slice(place);
    from.q.copy_from_slice(place);
    let certificate = judged(scene, &from, &mut step, manner).unwrap();
    assert_eq!(step.blame.overlap, (certificate.penetration > 0.0).then_some([0, 1]));
    certificate.penetration
}

/// Rows and columns of closed forms: shapes, where the first is, how deep it is.
#[test]
fn an_overlap_that_no_contact_tells_of_is_missed_by_its_depth() {
    let (h, q) = (0.5f64.sqrt(), 0.125f64 * std::f64::consts::PI);
    let upright = [1.0, 0.0, 0.0, 0.0];
    let eighth = |x: f64, y: f64, z: f64| [q.cos(), x * q.sin(), y * q.sin(), z * q.sin()];
    let in_space = [
        ("sphere.radius = 0.05", "box.size = [0.02, 2, 2]", [-0.03, 0.0, 0.0], upright, 0.03),
        ("sphere.radius = 0.05", "box.size = [0.02, 2, 2]", [0.061, 0.0, 0.0], upright, 0.0),
        ("sphere.radius = 0.5", "sphere.radius = 0.25", [0.0, 0.6, 0.0], upright, 0.15),
        ("box.size = [1, 1, 1]", "box.size = [1, 1, 1]", [0.1, 0.2, 0.97], upright, 0.03),
        // an edge over a face, 0.5 sqrt(2) below the middle
        ("box.size = [1, 1, 1]", "box.size = [4, 4, 1]", [0.3, 0.1, h + 0.4], eighth(1.0, 0.0, 0.0), 0.1),
        ("box.size = [1, 1, 1]", "half_space = {}", [0.3, 0.1, h - 0.02], eighth(1.0, 0.0, 0.0), 0.02),
        ("cylinder = { radius = 0.2, height = 1 }", "box.size = [4, 4, 1]", [0.0, 0.0, 0.9], upright, 0.1),
        ("capsule = { radius = 0.2, length = 1 }", "sphere.radius = 0.3", [0.45, 0.0, 0.3], upright, 0.05),
    ];
    for (first, second, p, r, depth) in in_space {
        let found = overlap(&two(false, first, second), &[p.as_slice(), &r].concat());
        assert!((found - depth).abs() < 1e-9, "{first} in {second}: {found} {depth}");
    }
    let turned = 0.25 * std::f64::consts::PI;
    let in_the_plane = [
        ("disc.radius = 0.05", "box.size = [0.02, 2]", [-0.03, 0.0, 0.0], 0.03),
        ("box.size = [1, 1]", "box.size = [1, 1]", [0.9, 0.2, 0.0], 0.1),
        ("box.size = [1, 1]", "box.size = [1, 1]", [0.5 + h - 0.1, 0.2, turned], 0.1),
        ("box.size = [1, 1]", "box.size = [1, 1]", [0.5 + h + 0.1, 0.2, turned], 0.0),
        ("box.size = [1, 1]", "half_plane = {}", [3.0, h - 0.01, turned], 0.01),
        ("capsule = { radius = 0.1, length = 1 }", "disc.radius = 0.1", [0.3, 0.15, 0.0], 0.05),
    ];
    for (first, second, place, depth) in in_the_plane {
        let found = overlap(&two(true, first, second), &place);
        assert!((found - depth).abs() < 1e-9, "{first} in {second}: {found} {depth}");
    }
}

/// Two edges across each other touch in one direction only, which no face has: at a distance of 2 (0.5 sqrt(2)) less
/// the depth, however small.
#[test]
fn the_depth_of_crossed_edges_is_exact() {
    let q = 0.125 * std::f64::consts::PI;
    let scene = two(false, "box.size = [1, 1, 1]", "box.size = [1, 1, 1]");
    let text = scene.text.replace(
        "position = [0, 0, 0]",
        "position = [0, 0, 0]\nrotation = { axis = [0, 1, 0], angle = 0.7853981633974483 }",
    );
    let scene = parse(&text);
    for depth in [0.2, 1e-2, 1e-4, 1e-6, 1e-7] {
        let place = [0.01, 0.02, 2f64.sqrt() - depth, q.cos(), q.sin(), 0.0, 0.0];
        let found = overlap(&scene, &place);
        assert!((found - depth).abs() < 1e-9, "{found} {depth}");
    }
    for gap in [1e-9, 1e-3] {
        assert_eq!(overlap(&scene, &[0.0, 0.0, 2f64.sqrt() + gap, q.cos(), q.sin(), 0.0, 0.0]), 0.0);
    }
}
