//! What is conserved.

use std::fmt::Write;
use stickslip::step::Step;
use stickslip::stepper::TimeStep;
use stickslip::system::Snapshot;

/// An arm of seven hinges on the ground, as those that are sold.
fn arm(stepper: &str, step: f64) -> stickslip_scene::Scene {
    let mut text = format!(
        "[scene]\nname = \"arm\"\ndescription = \"an arm\"\ndimension = 3\n\n[world]\ngravity = [0, 0, -9.81]\n\
         coordinates = \"joint\"\n\n[simulation]\nstepper = \"{stepper}\"\nsolver = \"auto\"\nstep = {step}\nuntil = 100\n\n"
    );
    let (mut x, mut z) = (0.0, 0.0);
    for k in 0..7 {
        let (dx, dz) = if k < 3 { (0.02, 0.15) } else { (0.14, 0.03) };
        let (cx, cz) = (x + 0.5 * dx, z + 0.5 * dz);
        let axis = ["[0, 0, 1]", "[0, 1, 0]"][k % 2];
        let from = if k == 0 { "world".to_owned() } else { format!("l{}", k - 1) };
        let _ = write!(
            text,
            "[[body]]\nname = \"l{k}\"\nmass = {}\nposition = [{cx}, 0.01, {cz}]\ninertia = [0.012, 0.015, 0.008]\n\n\
             [[joint]]\nname = \"j{k}\"\nkind = \"revolute\"\nbetween = [\"{from}\", \"l{k}\"]\nanchor = [{x}, 0, {z}]\naxis = {axis}\n\n",
            2.5 - 0.3 * k as f64
        );
        (x, z) = (x + dx, z + dz);
    }
    stickslip_scene::parse("arm.toml", &text, &Default::default()).unwrap()
}

/// A free arm that falls and whirls for 60 s keeps its energy: without a trend, within what the step lets it swing.
#[test]
fn a_free_arm_keeps_its_energy_for_a_minute() {
    let scene = arm("stewart-trinkle", 2e-3);
    let system = scene.system.as_ref();
    let (mut stepper, mut state, mut step) = (scene.stepper.build(), system.initial(), Step::default());
    let mut look = Snapshot::default();
    system.dynamics(&state, &mut look);
    let start = look.potential;
    let (mut means, mut kinetic) = (Vec::new(), 0.0f64);
    for _ in 0..6 {
        let mut sum = 0.0;
        for _ in 0..5000 {
            stepper.step(system, &state, TimeStep::after(&state, scene.step), &mut step).unwrap();
            state.copy_from(&step.state);
            sum += step.kinetic + step.potential - start;
            kinetic = kinetic.max(step.kinetic);
        }
        means.push(sum / 5000.0 / kinetic);
    }
    println!("kinetic {kinetic}, means {means:?}");
    assert!(means.iter().all(|m| m.abs() < 0.02), "{means:?}");
}
