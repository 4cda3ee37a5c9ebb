//! Controllers with a bound: a law of the step, `F = clamp(k (target − x') − c (v' − target'), ±bound)` at its end.

use crate::common;
use crate::random::{Mechanism, With, bodies};
use stickslip::stepper::TimeStep;

/// A mass on a slider, in the plane, with its controller.
fn slider(stepper: &str, step: f64, coordinates: &str, controller: &str) -> stickslip_scene::Scene {
    let text = format!(
        r#"
scene = {{ name = "slider", description = "a mass on a slider", dimension = 2 }}
world = {{ gravity = [0, -9.81], coordinates = "{coordinates}" }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {step}, until = 10 }}
body = [{{ name = "mass", mass = 2, inertia = 1, position = [0, 0], velocity = [0.5, 0] }}]
joint = [{{ name = "rail", kind = "prismatic", between = ["world", "mass"], anchor = [0, 0], axis = [1, 0] }}]
force = [{{ kind = "controller", joint = "rail", {controller} }}]
"#
    );
    stickslip_scene::parse("slider.toml", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

const M: f64 = 2.0;

/// One step by hand: x' = x + dt v', m (v' − v) = dt clamp(...), which is one equation with a clamp.
#[test]
fn a_step_is_the_law_of_the_controller_at_its_end() {
    let (k, c, v) = (300.0, 4.0, 0.5);
    for (step, bound) in [(1e-3, 1e3), (1e-3, 7.0), (1e-2, 1e3), (0.1, 5.0), (1.0, 1e4)] {
        for coordinates in ["joint", "body"] {
            for (stepper, s) in
                [("stewart-trinkle", 1.0), ("anitescu-potra", 1.0), ("implicit", 1.0), ("moreau", 0.5)]
            {
                let controller = format!(
                    "stiffness = {k}, damping = {c}, bound = {bound}, target = \"0.1 + 0.3*t\", feed_forward = \"2*t\""
                );
                let scene = slider(stepper, step, coordinates, &controller);
                let (mut stepper_, mut out) = (scene.stepper.build(), Default::default());
                let state = scene.system.initial();
                stepper_
                    .step(scene.system.as_ref(), &state, TimeStep::after(&state, step), &mut out)
                    .unwrap();
                // functions of time where the stepper takes them; of gaps that move over the step, the end
                let (t, moved) = match stepper {
                    "moreau" => (0.5 * step, 0.5 * step * v),
                    "anitescu-potra" => (0.0, 0.0),
                    _ => (step, 0.0),
                };
                // under anitescu-potra the target moves at its speed, under moreau for half a step
                let target = 0.1 + 0.3 * t + if t < step { 0.3 * s * step } else { 0.0 };
                let weight = c + s * step * k;
                let free = (-k * (moved - target) + c * 0.3 + 2.0 * t + M / step * v) / (M / step + weight);
                let force = M * (free - v) / step;
                let expected = v + step * force.clamp(-bound, bound) / M;
                let x = bodies(scene.system.as_ref(), &out.state).u[0];
                assert!(
                    (x - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{stepper} {coordinates} {step} {bound}: {x} {expected}"
                );
            }
        }
    }
}

/// Real gains at 1 ms on random mechanisms, with bounds that are reached and that are not: every step is certified, and
/// the motion is that in body coordinates.
#[test]
fn mechanisms_on_bounded_controllers_are_certified_and_the_same_in_both_coordinates() {
    for seed in 0..12 {
        let mechanism = Mechanism::new(seed, With { floor: true, ..With::default() });
        let (kp, kd, bound) =
            (20.0 + 40.0 * seed as f64, 0.5 + 0.4 * seed as f64, [3.0, 40.0][seed as usize % 2]);
        let mut text = mechanism.text.clone();
        let names: Vec<String> = text
            .split("[[joint]]")
            .skip(1)
            .filter(|joint| joint.contains("\"revolute\"") || joint.contains("\"prismatic\""))
            .filter_map(|joint| joint.split('"').nth(1).map(str::to_owned))
            .collect();
        for name in &names {
            text += &format!(
                "[[force]]\nkind = \"controller\"\njoint = \"{name}\"\nstiffness = {kp}\ndamping = {kd}\nbound = {bound}\n\
                 target = \"0.2*sin(5*t)\"\n\n"
            );
        }
        let mechanism = Mechanism { text, ..mechanism };
        let off = [1e-3, 2.5e-4].map(|step| {
            let simulation = format!("stepper = \"stewart-trinkle\"\nstep = {step}");
            let ends = ["joint", "body"].map(|coordinates| {
                let scene = mechanism.scene(coordinates, &simulation, Some(-1.3));
                let mut run = common::simulation(&scene);
                while run.state().t < 0.3 - 1e-9 {
                    run.advance().unwrap();
                    let last = &run.last().certificate;
                    assert!(
                        run.held() || coordinates == "body",
                        "{last:?} at {}\n{}",
                        run.state().t,
                        scene.text
                    );
                }
                bodies(scene.system.as_ref(), run.state()).q
            });
            ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs().min((a + b).abs())).fold(0.0, f64::max)
        });
        println!("seed {seed}: {} controllers, {off:?}", names.len());
        assert!(off[1] < 0.5 * off[0] || off[1] < 1e-5, "seed {seed}: {off:?}");
    }
}

/// A bound that is never reached changes nothing but when forces are taken.
#[test]
fn a_controller_settles_where_its_spring_balances() {
    for (coordinates, bound) in [("joint", 100.0), ("body", 100.0), ("joint", 12.0)] {
        let controller =
            format!("stiffness = 300, damping = 30, bound = {bound}, rest = 0.4, feed_forward = 6.0");
        let scene = slider("stewart-trinkle", 1e-3, coordinates, &controller);
        let mut run = common::simulation(&scene);
        while run.state().t < 5.0 {
            run.advance().unwrap();
            assert!(run.held(), "{:?}", run.last().certificate);
        }
        let x = bodies(scene.system.as_ref(), run.state()).q[0];
        assert!((x - 0.42).abs() < 1e-9, "{coordinates}: {x}");
        assert!(
            scene.system.label(run.last().outcomes.last().unwrap().constraint.id).ends_with(".controller")
        );
    }
}
