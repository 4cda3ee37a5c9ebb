//! `touching`: small gaps and overlaps count as closed, larger ones do not, and nothing depends on the units.

use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::parse;

/// The gap (m), speed (m/s) and force over weight of a ball on the floor after 20 steps, all lengths in units of `unit`
/// metres.
fn rest(gap: f64, touching: f64, unit: f64) -> [f64; 3] {
    let text = format!(
        r#"
[scene]
name = "rest"
description = "a ball at rest, nearly on the floor"
dimension = 3
[world]
gravity = [0, 0, {}]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
touching = {touching:e}
step = 0.01
until = 0.2
[tolerance]
penetration = {:e}
[[contact]]
between = ["stone", "wall"]
friction = 0.5
[[body]]
name = "floor"
fixed = true
shape.half_space = {{}}
material = "wall"
[[body]]
name = "ball"
mass = 2.0
shape.sphere.radius = {:e}
material = "stone"
position = [0, 0, {:?}]
"#,
        -9.81 / unit,
        1e-6 / unit,
        0.1 / unit,
        0.1 / unit,
    );
    let scene = parse("rest", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    let mut q = run.state().q.clone();
    q[2] += gap;
    run.place(&q, &[0.0; 6]);
    while !run.is_done() {
        assert!(run.advance().unwrap());
    }
    let last = run.last();
    let force = last.outcomes.iter().map(|o| o.impulse[0]).sum::<f64>() / last.dt;
    [last.state.q[2] - 0.1 / unit, last.state.u[2].abs(), force * unit / (2.0 * 9.81)]
}

/// Gaps and overlaps within `touching` stay as they are, exactly at rest under the ball's weight; without it they are
/// closed.
#[test]
fn small_gaps_count_as_closed() {
    for unit in [1.0, 1e-3] {
        for gap in [4e-8, -4e-8] {
            let gap = gap / unit;
            let [kept, speed, force] = rest(gap, 1e-7 / unit, unit);
            println!("unit {unit} m, gap {gap:e}: {kept:e} kept, speed {speed:e}, force {force}");
            assert!((kept / gap - 1.0).abs() < 1e-6, "{kept:e}");
            assert!(speed < 1e-14 / unit && (force - 1.0).abs() < 1e-12, "{speed:e} {force}");
            let [closed, ..] = rest(gap, 0.0, unit);
            assert!(closed.abs() < 1e-14 / unit, "{closed:e}");
        }
    }
}

/// A gap larger than that is closed, as without it.
#[test]
fn larger_gaps_are_closed() {
    for gap in [3e-7, 1e-3] {
        let [closed, _, force] = rest(gap, 1e-7, 1.0);
        let [without, ..] = rest(gap, 0.0, 1.0);
        println!("gap {gap:e}: {closed:e} and {without:e} without, force {force}");
        assert!(closed.abs() < 1e-14 && without.abs() < 1e-14, "{closed:e}");
        assert!((force - 1.0).abs() < 1e-12, "{force}");
    }
}
