//! Nothing but drives, motors and applied forces puts energy in.

use crate::common::{run, simulation};
use crate::{DT, ball_on_floor, judged, parse, stepped, stepped_from};
use stickslip::audit::{Look, Manner};
use stickslip::simulation::Checkpoint;
use stickslip_scene::Scene;

#[test]
fn a_contact_that_puts_energy_in_is_missed() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    assert!(judged(&scene, &from, &mut step, manner).unwrap().passivity <= 1.0);
    // the floor throws the ball up at 1 m/s: lambda = m v, work m v² / 2
    let o = &mut step.outcomes[0];
    (o.impulse[0], o.velocity[0]) = (1.0, 1.0);
    step.state.u[2] = 1.0;
    step.state.q[2] = 0.1 + DT;
    (step.work.normal, step.work.kinetic_change, step.kinetic) = (0.5, 0.5, 0.5);
    step.work.turnover = 0.5;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(missed.passivity > 1e6, "{}", missed.passivity);
    assert_eq!(scene.system.label(step.blame.passivity.unwrap()), "ball/floor");
}

/// Taking out an overlap that was there has its own account: a ball 1 mm in the floor is pushed out in a step, at 1
/// m/s.
#[test]
fn taking_out_an_overlap_has_its_own_account() {
    let scene = ball_on_floor("stewart-trinkle");
    let mut deep = scene.system.initial();
    deep.q[2] = 0.099;
    let (from, mut step, manner) = stepped_from(&scene, deep);
    assert!((step.state.u[2] - 1.0).abs() < 1e-9, "{:?}", step.state.u);
    let certificate = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(certificate.passivity <= 1.0, "{}", certificate.passivity);
    // lambda = m (v + g dt) against 1 mm in a step
    let account = 1.0 * (1.0 + 9.81 * DT) * 1e-3 / DT;
    assert!((step.work.overlap - account).abs() < 1e-6, "{} {account}", step.work.overlap);
    // the same push on a ball that was not in the floor has none
    let mut apart = from.clone();
    apart.q[2] = 0.1;
    step.state.q[2] = 0.101;
    let missed = judged(&scene, &apart, &mut step, Manner { look: Look::Start, ..manner }).unwrap();
    assert!(missed.passivity > 1.0, "{}", missed.passivity);
}

fn spring(stiffness: f64, stepper: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, 0] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {DT}, until = 0.5, forces = "explicit" }}
[[body]]
name = "a"
mass = 1.0
inertia = 0.2
position = [1.1, 0]
[[force]]
kind = "spring"
between = ["world", "a"]
anchors = [[0, 0], [1.1, 0]]
rest_length = 1.0
stiffness = {stiffness}
"#
    ))
}

/// Of forces as they are at the start of a step: with w dt = 1 a spring's energy goes up by a quarter and more; with
/// w dt = 0.02 it stays within a fiftieth. The energy is computed here.
#[test]
fn a_spring_that_is_too_stiff_for_the_step_is_missed() {
    for stepper in ["moreau", "stewart-trinkle"] {
        for (stiffness, too_stiff) in [(1e6, true), (400.0, false)] {
            let scene = spring(stiffness, stepper);
            let mut most = 0.0f64;
            let simulation = run(&scene, |s| {
                let (q, u) = (&s.state().q, &s.state().u);
                let stretch = q[0].hypot(q[1]) - 1.0;
                most = most.max(0.5 * (u[0] * u[0] + u[1] * u[1] + stiffness * stretch * stretch));
            });
            let grown = most / (0.5 * stiffness * 0.01) - 1.0;
            assert_eq!(grown > 0.1, too_stiff, "{stepper} {stiffness} {grown}");
            let certificate = simulation.certificate();
            assert_eq!(certificate.missed_steps > 0, too_stiff, "{stepper} {stiffness} {certificate:?}");
            if too_stiff {
                assert_eq!(certificate.worst_step.as_ref().unwrap().what, "passivity");
            }
        }
    }
}

fn spinning(rates: [f64; 3], step: f64, until: f64, stepper: &str) -> Scene {
    parse(&format!(
        r#"
scene = {{ name = "own", description = "own", dimension = 3 }}
world = {{ gravity = [0, 0, 0] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = {step}, until = {until} }}
[[body]]
name = "a"
mass = 1.0
inertia = [1.0, 2.0, 2.5]
position = [0, 0, 0]
angular_velocity = [{}, {}, {}]
"#,
        rates[0], rates[1], rates[2]
    ))
}

/// Nothing acts on the body: its energy is that of the start, however fast it spins for the step, and no step is missed.
#[test]
fn a_free_body_keeps_its_energy_at_any_spin_and_is_certified() {
    for stepper in ["moreau", "stewart-trinkle", "implicit"] {
        for (rates, step) in [([1.0, 60.0, 2.0], 0.01), ([1.0, 10.0, 2.0], 0.002)] {
            let scene = spinning(rates, step, 0.5, stepper);
            let done = run(&scene, |_| {});
            let start = 0.5 * (rates[0].powi(2) + 2.0 * rates[1].powi(2) + 2.5 * rates[2].powi(2));
            let grown = done.ledger().kinetic / start - 1.0;
            assert!(grown.abs() < 1e-11, "{stepper} {grown}");
            assert_eq!(done.certificate().missed_steps, 0, "{stepper} {:?}", done.certificate());
        }
    }
}

/// The account of growth goes on from a checkpoint: a run in two pieces misses the same steps.
#[test]
fn growth_is_restored_from_a_checkpoint() {
    let scene = spring(1e6, "moreau");
    let whole = run(&scene, |_| {});
    let mut first = simulation(&scene);
    (0..77).for_each(|_| assert!(first.advance().is_ok()));
    let text = serde_json::to_string(&first.checkpoint(&scene.text)).unwrap();
    let mut second = simulation(&scene);
    second.restore(&serde_json::from_str::<Checkpoint>(&text).unwrap());
    while !second.is_done() {
        second.advance().unwrap();
    }
    assert_eq!(whole.certificate(), second.certificate());
    assert_eq!(whole.state(), second.state());
}
