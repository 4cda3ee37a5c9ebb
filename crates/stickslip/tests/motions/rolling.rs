//! Capsules, cylinders and polygons that rest, roll and tip as the books say, through scene, world and stepper.

use crate::common;
use stickslip::simulation::Simulation;
use stickslip_scene::{Overrides, Scene, parse};

const G: f64 = 9.81;

/// A body on fixed ground.
fn scene(dimension: usize, gravity: &str, ground: &str, body: &str) -> Scene {
    let text = format!(
        "[scene]\nname = \"test\"\ndescription = \"a body on the ground\"\ndimension = {dimension}\n\
         [world]\ngravity = {gravity}\n[simulation]\nstepper = \"stewart-trinkle\"\ncone = \"exact\"\n\
         solver = \"auto\"\nstep = 0.01\nuntil = 1.0\n\
         [[body]]\nname = \"ground\"\nfixed = true\nmaterial = \"stone\"\n{ground}\n\
         [[body]]\nname = \"body\"\nmass = 2.0\nmaterial = \"wood\"\n{body}\n\
         [[contact]]\nbetween = [\"stone\", \"wood\"]\nfriction = 0.9\n"
    );
    parse("test.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The normal forces of the last step that are not zero, with the x of their points.
fn forces(simulation: &Simulation) -> Vec<(f64, f64)> {
    let step = simulation.last();
    let force = |o: &stickslip::step::Outcome| (o.constraint.point.x, o.impulse[0] / step.dt);
    step.outcomes.iter().map(force).filter(|(_, f)| *f > 1e-6).collect()
}

fn run<'a>(scene: &'a Scene, each: impl FnMut(&Simulation)) -> Simulation<'a> {
    let end = common::run(scene, each);
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    end
}

/// Along y, lying: z turned to y.
const LYING: &str = "rotation = { axis = [1, 0, 0], angle = \"-pi / 2\" }";

#[test]
fn a_cylinder_rolls_without_ripple_in_its_normal_force() {
    let body = format!(
        "shape.cylinder = {{ radius = 0.1, height = 0.4 }}\nposition = [0, 0, 0.1]\n{LYING}\n\
         velocity = [1, 0, 0]\nangular_velocity = [0, 10, 0]"
    );
    let scene = scene(3, "[0, 0, -9.81]", "shape.half_space = {}", &body);
    let (mut ripple, mut slowed) = (0.0f64, 0.0f64);
    run(&scene, |s| {
        let found = forces(s);
        assert_eq!(found.len(), 2, "the two ends of its line: {found:?}");
        let total: f64 = found.iter().map(|(_, f)| f).sum();
        ripple = ripple.max((total / (2.0 * G) - 1.0).abs());
        slowed = slowed.max((s.state().u[0] - 1.0).abs());
    });
    assert!(ripple < 1e-9 && slowed < 1e-9, "{ripple:e} {slowed:e}");
}

#[test]
fn lying_capsules_and_cylinders_roll_down_as_fast_as_their_inertia_lets_them() {
    let (r, l) = (0.1, 0.4);
    // moments about the axis per mass and radius squared, from the volumes of the parts
    let (middle, ends) = (l, 4.0 / 3.0 * r);
    let capsule = (0.5 * middle + 0.4 * ends) / (middle + ends);
    for (shape, k) in [
        ("capsule = { radius = 0.1, length = 0.4 }", capsule),
        ("cylinder = { radius = 0.1, height = 0.4 }", 0.5),
    ] {
        let body = format!("shape.{shape}\nposition = [0, 0, 0.1]\n{LYING}");
        let scene = scene(3, "[3, 0, -9.81]", "shape.half_space = {}", &body);
        let a = 3.0 / (1.0 + k);
        run(&scene, |s| {
            let (t, u) = (s.state().t, &s.state().u);
            assert!(
                (u[0] - a * t).abs() < 1e-9 && (u[4] - a * t / r).abs() < 1e-8,
                "{shape} {t} {u:?} {}",
                a * t
            );
        });
    }
}

#[test]
fn a_capsule_on_a_plane_rests_on_two_points() {
    let planar = "shape.capsule = { radius = 0.1, length = 0.6 }\nposition = [0, 0.1]";
    let spatial = "shape.capsule = { radius = 0.1, length = 0.6 }\nposition = [0, 0, 0.1]\n\
                   rotation = { axis = [0, 1, 0], angle = \"pi / 2\" }";
    for scene in [
        scene(2, "[0, -9.81]", "shape.half_plane = {}", planar),
        scene(3, "[0, 0, -9.81]", "shape.half_space = {}", spatial),
    ] {
        let end = run(&scene, |_| ());
        let found = forces(&end);
        assert_eq!(found.len(), 2, "{found:?}");
        for (x, f) in found {
            assert!((x.abs() - 0.3).abs() < 1e-12 && (f - G).abs() < 1e-8, "{x} {f}");
        }
        assert!(end.state().u.iter().all(|u| u.abs() < 1e-9));
    }
}

#[test]
fn a_capsule_across_a_narrow_box_is_carried_at_its_rims_by_the_lever_rule() {
    let x = 0.03;
    let planar = format!("shape.capsule = {{ radius = 0.1, length = 1.0 }}\nposition = [{x}, 0.6]");
    let spatial = format!(
        "shape.capsule = {{ radius = 0.1, length = 1.0 }}\nposition = [{x}, 0, 0.6]\n\
         rotation = {{ axis = [0, 1, 0], angle = \"pi / 2\" }}"
    );
    for scene in [
        scene(2, "[0, -9.81]", "shape.box.size = [0.2, 1.0]", &planar),
        scene(3, "[0, 0, -9.81]", "shape.box.size = [0.2, 0.4, 1.0]", &spatial),
    ] {
        let end = run(&scene, |_| ());
        let mut found = forces(&end);
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(found.len(), 2, "{found:?}");
        for ((at, force), side) in found.into_iter().zip([-0.1, 0.1]) {
            let expected = 2.0 * G * (0.5 + 0.5 * x / side);
            assert!((at - side).abs() < 1e-9 && (force - expected).abs() < 1e-6, "{at} {force} {expected}");
        }
    }
}

#[test]
fn a_triangle_rests_on_its_base_by_the_lever_rule() {
    let body = "shape.polygon.vertices = [[0, 0], [3, 0], [0, 4]]\nposition = [0, 0]";
    let scene = scene(2, "[0, -9.81]", "shape.half_plane = {}", body);
    let end = run(&scene, |_| ());
    let found = forces(&end);
    // the centre of mass is a third of the base from its left end
    for (x, f) in &found {
        let expected = if *x < 1.0 { 4.0 / 3.0 * G } else { 2.0 / 3.0 * G };
        assert!((f - expected).abs() < 1e-8, "{x} {f}");
    }
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_standing_cylinder_tips_where_its_weight_leaves_the_base() {
    // radius 0.1, half height 0.2: it tips when the slope exceeds r/h = 0.5
    for heading in [0.0f64, 0.3, std::f64::consts::FRAC_PI_8, 2.0] {
        for (slope, tips) in [(0.45, false), (0.51, true)] {
            let gravity = format!("[{}, {}, -9.81]", G * slope * heading.cos(), G * slope * heading.sin());
            let body = "shape.cylinder = { radius = 0.1, height = 0.4 }\nposition = [0, 0, 0.2]";
            let scene = scene(3, &gravity, "shape.half_space = {}", body);
            // a tipping body turns about a point of its rim: the gaps bend in each step, which is no error of a law
            let end = common::run(&scene, |_| ());
            assert!(tips || end.certificate().missed_steps == 0, "{:?}", end.certificate());
            let q = &end.state().q;
            let tilt = 2.0 * (q[4] * q[4] + q[5] * q[5]).sqrt();
            assert!(if tips { tilt > 0.1 } else { tilt < 1e-8 }, "{heading} {slope} {tilt}");
        }
    }
}

#[test]
fn a_box_glued_from_two_halves_slides_like_the_box() {
    let whole = "shape.box.size = [0.4, 0.2, 0.2]\nposition = [0, 0, 0.1]\nvelocity = [1, 0.5, 0]";
    // written about a corner of the base, one half turned about the vertical
    let glued = "shape.compound = [{ shape.box.size = [0.2, 0.2, 0.2], position = [0.1, 0.1, 0.1] }, \
                 { shape.box.size = [0.2, 0.2, 0.2], position = [0.3, 0.1, 0.1], \
                 rotation = { axis = [0, 0, 1], angle = \"pi / 2\" } }]\n\
                 position = [-0.2, -0.1, 0]\nvelocity = [1, 0.5, 0]";
    let [whole, glued] = [whole, glued].map(|body| scene(3, "[0, 0, -9.81]", "shape.half_space = {}", body));
    let (mut path, mut k) = (Vec::new(), 0);
    run(&whole, |s| path.push(s.state().clone()));
    run(&glued, |s| {
        for (x, y) in s.state().q.iter().chain(&s.state().u).zip(path[k].q.iter().chain(&path[k].u)) {
            assert!((x - y).abs() < 1e-9, "{k} {:?} {:?}", s.state(), path[k]);
        }
        k += 1;
    });
    assert_eq!(k, path.len());
}

#[test]
fn a_dumbbell_rests_on_both_parts_by_the_lever_rule() {
    // discs of equal density: masses 4 to 1, the centre of mass a fifth of the way from the larger one
    let planar = "shape.compound = [{ shape.disc.radius = 0.2, position = [0, 0.2] }, \
                  { shape.disc.radius = 0.1, position = [1, 0.1] }]\nposition = [0, 0]";
    let scene = scene(2, "[0, -9.81]", "shape.half_plane = {}", planar);
    let end = run(&scene, |_| ());
    let found = forces(&end);
    assert_eq!(found.len(), 2, "{found:?}");
    for (x, f) in found {
        let share = if x < 0.5 { 0.8 } else { 0.2 };
        assert!((f - share * 2.0 * G).abs() < 1e-8, "{x} {f}");
    }
    assert!(end.state().u.iter().all(|u| u.abs() < 1e-9));
}

/// The corners of a box of this size about the origin.
fn corners(size: [f64; 3]) -> String {
    let corner = |k: usize| [0, 1, 2].map(|i| size[i] * if k >> i & 1 == 1 { 0.5 } else { -0.5 });
    format!("{:?}", (0..8).map(corner).collect::<Vec<_>>())
}

#[test]
fn the_hull_of_a_boxs_corners_slides_like_the_box_on_a_plane_and_on_a_box() {
    for (ground, z) in
        [("shape.half_space = {}", 0.1), ("shape.box.size = [9, 9, 2]\nposition = [0, 0, -1]", 0.1)]
    {
        let whole =
            format!("shape.box.size = [0.4, 0.2, 0.2]\nposition = [0, 0, {z}]\nvelocity = [1, 0.5, 0]");
        let hull = whole.replace(
            "box.size = [0.4, 0.2, 0.2]",
            &format!("convex.vertices = {}", corners([0.4, 0.2, 0.2])),
        );
        let [whole, hull] = [whole, hull].map(|body| scene(3, "[0, 0, -9.81]", ground, &body));
        let (mut path, mut k) = (Vec::new(), 0);
        run(&whole, |s| path.push(s.state().clone()));
        run(&hull, |s| {
            for (x, y) in s.state().q.iter().chain(&s.state().u).zip(path[k].q.iter().chain(&path[k].u)) {
                assert!((x - y).abs() < 1e-9, "{k} {:?} {:?}", s.state(), path[k]);
            }
            k += 1;
        });
        assert_eq!(k, path.len());
    }
}

#[test]
fn a_tetrahedron_weighs_on_its_base_as_its_centre_of_mass_divides_it() {
    let body =
        "shape.convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.3, 1]]\nposition = [3, 4, 0]";
    let scene = scene(3, "[0, 0, -9.81]", "shape.half_space = {}", body);
    let end = run(&scene, |_| ());
    let found = forces(&end);
    assert_eq!(found.len(), 3, "{found:?}");
    // the mean of the four corners, seen from above: the apex is 0.5, 0.2, 0.3 of the base's corners
    for weight in [0.5, 0.2, 0.3] {
        let expected = 2.0 * G * (1.0 + weight) / 4.0;
        assert!(found.iter().any(|(_, f)| (f - expected).abs() < 1e-7), "{expected} {found:?}");
    }
    assert!(end.state().u.iter().all(|u| u.abs() < 1e-9));
}
