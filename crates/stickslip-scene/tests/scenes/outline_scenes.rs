//! Outlines and polylines in scene files: what is refused, where and why.

use stickslip_scene::{Overrides, parse};

fn scene(shape: &str, rest: &str) -> Result<stickslip_scene::Scene, stickslip_scene::SceneError> {
    let text = format!(
        r#"[scene]
name = "shape"
description = "a shape"
dimension = 2
[world]
gravity = [0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.01
until = 1.0
[[body]]
name = "part"
material = "stone"
{shape}
{rest}
"#
    );
    parse("shape.toml", &text, &Overrides::default())
}

#[test]
fn wrong_outlines_and_polylines_are_refused_at_their_line() {
    let moving = "density = 2.0\nposition = [0, 0]";
    for (shape, rest, message, expected) in [
        (
            "shape.outline.vertices = [[0, 0], [1, 1], [1, 0], [0, 1]]",
            moving,
            "points 0 and 2 meet",
            "do not meet",
        ),
        ("shape.outline.vertices = [[0, 0], [0, 1], [1, 0]]", moving, "run clockwise", "reverse order"),
        (
            "shape.outline.vertices = [[0, 0], [2, 0], [1, 0], [1, 1]]",
            moving,
            "fold back at point 1",
            "an inside",
        ),
        (
            "shape.outline.vertices = [[0, 0], [1, 0], [1, 0], [0, 1]]",
            moving,
            "same point at 1",
            "each vertex once",
        ),
        ("shape.outline.vertices = [[0, 0], [1, 0]]", moving, "has 2 corners", "from 3 to 256"),
        ("shape.outline.vertices = [[0, 0], [1, nan], [0, 1]]", moving, "is NaN", "a finite number"),
        ("shape.polyline.vertices = [[0, 0], [1, 0]]", "fixed = true", "has no `sides`", "sides = \"left\""),
        (
            "shape.polyline = { vertices = [[0, 0], [1, 0]], sides = \"top\" }",
            "fixed = true",
            "`sides` is \"top\"",
            "both",
        ),
        (
            "shape.polyline = { vertices = [[0, 0]], sides = \"both\" }",
            "fixed = true",
            "has 1 corners",
            "from 2 to 257",
        ),
        (
            "shape.polyline = { vertices = [[0, 0], [1, 0]], sides = \"both\" }",
            moving,
            "encloses nothing",
            "fixed = true",
        ),
        ("shape.mesh.file = \"part.stl\"", moving, "does not exist with dimension = 2", "`outline`"),
    ] {
        let error = scene(shape, rest).err().unwrap_or_else(|| panic!("{shape} is taken")).to_string();
        assert!(error.contains("shape.toml:15:"), "{shape}: {error}");
        assert!(error.contains(message) && error.contains(expected), "{shape}: {error}");
    }
}

#[test]
fn an_outline_has_the_mass_of_its_area_about_its_centre() {
    let ell = "shape.outline.vertices = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]]";
    let scene = scene(ell, "density = 2.0\nposition = [5, 0]").unwrap_or_else(|e| panic!("{e}"));
    let printed = scene.to_string();
    assert!(printed.contains("part  8 ") && printed.contains("outline of 6 vertices, 4 m²"), "{printed}");
    let q = scene.system.initial().q;
    assert!((q[0] - 6.25).abs() < 1e-15 && (q[1] - 0.75).abs() < 1e-15, "{q:?}");
}
