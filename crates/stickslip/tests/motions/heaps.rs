//! Boxes, polygons and capsules that fall on each other: at the end of every step no parts overlap, what pushes
//! touches, and pushing puts no energy in.

use crate::common;
use stickslip_scene::Scene;

/// What falls: a name, how many, its shape, and after how many others it lies in the grid.
type Kind<'a> = (&'a str, usize, &'a str, usize);

fn parse(text: &str) -> Scene {
    stickslip_scene::parse("heap.toml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn head(dimension: usize, stepper: &str, until: f64) -> String {
    let (gravity, floor) =
        if dimension == 2 { ("[0, -9.81]", "half_plane") } else { ("[0, 0, -9.81]", "half_space") };
    format!(
        r#"
scene = {{ name = "heap", description = "falls on a floor", dimension = {dimension} }}
world = {{ gravity = {gravity} }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = 0.005, until = {until:?} }}
tolerance = {{ law = 1e-6, penetration = 1e-3 }}
contact = [{{ between = ["stone", "ground"], friction = 0.6 }}, {{ between = ["stone", "stone"], friction = 0.6 }}]
[[body]]
name = "floor"
fixed = true
shape.{floor} = {{}}
material = "ground"
"#
    )
}

/// Bodies in a column of layers of 2 by 2, moved a little and turned by chance.
fn in_space(stepper: &str, until: f64, seed: usize, kinds: &[Kind]) -> Scene {
    let mut text = head(3, stepper, until);
    for (k, (name, count, shape, first)) in kinds.iter().enumerate() {
        let seed = seed + 1000 * k;
        text += &format!(
            r#"
[[body]]
name = "{name}"
repeat = {{ count = {count}, index = "i", random = {{ seed = {seed}, names = ["a", "b", "c", "d", "e", "f", "g"] }} }}
density = 1000.0
{shape}
material = "stone"
position = [
    "(floor((i+{first})/2) - 2*floor((i+{first})/4) - 0.5)*0.27 + (-0.02 + 0.04*a)",
    "((i+{first}) - 2*floor((i+{first})/2) - 0.5)*0.27 + (-0.02 + 0.04*b)",
    "0.2 + floor((i+{first})/4)*0.27 + (-0.01 + 0.02*c)",
]
rotation = {{ axis = ["d-0.5", "e-0.5", "f-0.4999"], angle = "6.283*g" }}
"#
        );
    }
    parse(&text)
}

/// Bodies in a column of layers of three.
fn in_the_plane(stepper: &str, until: f64, seed: usize, kinds: &[Kind]) -> Scene {
    let mut text = head(2, stepper, until);
    for (k, (name, count, shape, first)) in kinds.iter().enumerate() {
        let seed = seed + 1000 * k;
        text += &format!(
            r#"
[[body]]
name = "{name}"
repeat = {{ count = {count}, index = "i", random = {{ seed = {seed}, names = ["a", "b", "c"] }} }}
density = 1000.0
{shape}
material = "stone"
position = [
    "((i+{first}) - 3*floor((i+{first})/3) - 1)*0.26 + (-0.02 + 0.04*a)",
    "0.2 + floor((i+{first})/3)*0.26 + (-0.01 + 0.02*b)",
]
angle = "6.283*c"
"#
        );
    }
    parse(&text)
}

const BOX: &str = "shape.box.size = [0.2, 0.15, 0.1]";
const CAPSULE: &str = "shape.capsule = { radius = 0.05, length = 0.15 }";

/// Runs a heap: every step certified. Returns the deepest overlap (m) and the largest energy a step put in, relative to
/// all there was (J).
fn certified(scene: &Scene) -> (f64, f64) {
    let (mut gain, mut before, mut first) = (0.0f64, f64::INFINITY, 0.0);
    let end = common::run(scene, |run| {
        let energy = run.ledger().kinetic + run.ledger().potential;
        if before.is_infinite() {
            first = energy;
        }
        gain = gain.max(energy - before);
        before = energy;
    });
    let certificate = end.certificate();
    println!("{:?}: {:?}, gain {gain:e} of {first:e} J", scene.stepper.method(), certificate.worst);
    assert_eq!(certificate.missed_steps, 0, "{certificate:?}");
    (certificate.worst.penetration, gain / first)
}

/// A box that rocks on two edges of another is held at both: the distance of a pair of edges is theirs, not that of
/// what lies deepest.
#[test]
fn boxes_that_fall_on_boxes_rock_without_overlap() {
    for stepper in ["convex", "stewart-trinkle"] {
        let (overlap, gain) = certified(&in_space(stepper, 0.4, 1, &[("box", 12, BOX, 0)]));
        // of the overlap that the scene allows a step leaves at most half
        assert!(overlap < 5e-4 && gain < 0.01, "{stepper}: {overlap:e} {gain:e}");
    }
}

/// Beside an edge or a corner a capsule is round: it touches there, not where the box's faces would go on.
#[test]
fn capsules_among_boxes_touch_where_they_push() {
    for stepper in ["convex", "stewart-trinkle"] {
        let kinds = [("box", 6, BOX, 0), ("capsule", 6, CAPSULE, 6)];
        let (overlap, gain) = certified(&in_space(stepper, 0.6, 2, &kinds));
        assert!(overlap < 1e-3 && gain < 0.02, "{stepper}: {overlap:e} {gain:e}");
    }
}

#[test]
fn in_the_plane_capsules_among_boxes_do_too() {
    for stepper in ["convex", "stewart-trinkle"] {
        let kinds = [("box", 12, "shape.box.size = [0.2, 0.12]", 0), ("capsule", 9, CAPSULE, 12)];
        let (overlap, gain) = certified(&in_the_plane(stepper, 0.6, 4, &kinds));
        assert!(overlap < 1e-3 && gain < 0.02, "{stepper}: {overlap:e} {gain:e}");
    }
}
