//! Limits of joints and bounds of motors.

use crate::common::{self, run};
use crate::{judged, parse, stepped};

/// A pendulum on the stop of its hinge: Moreau's law stops it after it has passed, by more than is asked for.
#[test]
fn a_joint_limit_that_is_passed_is_missed() {
    let scene = |stepper: &str| {
        parse(&format!(
            r#"
scene = {{ name = "own", description = "own", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = 1e-3, until = 2.0 }}
tolerance = {{ joint = 1e-3 }}
[[body]]
name = "p"
mass = 1.0
inertia = 0.05
position = [1, 0]
[[joint]]
name = "j"
kind = "revolute"
between = ["world", "p"]
anchor = [0, 0]
limits = [-1.0, 0.5]
"#
        ))
    };
    for stepper in ["moreau", "stewart-trinkle"] {
        let scene = scene(stepper);
        let mut past = 0.0f64;
        let simulation = run(&scene, |s| past = past.max(-1.0 - s.state().q[1].atan2(s.state().q[0])));
        let certificate = simulation.certificate();
        assert!((certificate.worst.limits - past.max(0.0)).abs() < 1e-9, "{stepper} {past}");
        assert_eq!(certificate.missed_steps > 0, past > 1e-3, "{stepper} {past}");
        if stepper == "moreau" {
            let worst = certificate.worst_step.as_ref().unwrap();
            assert_eq!((worst.what.as_str(), worst.contact.as_deref()), ("limits", Some("j.least")));
        }
    }
}

#[test]
fn a_motor_beyond_its_bound_is_missed_by_the_part() {
    let scene = common::scene("hoist", &[]);
    let (from, mut step, manner) = stepped(&scene);
    let motor = |o: &&mut stickslip::step::Outcome| scene.system.label(o.constraint.id).ends_with(".motor");
    let Some(o) = step.outcomes.iter_mut().find(motor) else { panic!("a motor") };
    let stickslip::system::Law::Servo { bound, .. } = o.constraint.law else { panic!("a servo") };
    o.impulse[0] = 1.25 * bound * step.dt;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!((missed.limits - 0.25).abs() < 1e-12, "{}", missed.limits);
}
