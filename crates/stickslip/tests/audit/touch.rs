//! Who pushes touches.

use crate::common::{self, run};
use crate::{DT, ball_on_floor, judged, stepped};
use stickslip::audit::Manner;

#[test]
fn a_force_across_a_gap_is_missed_by_the_gap() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    let quiet = judged(&scene, &from, &mut step, manner).unwrap();
    assert!(quiet.touch < 1e-12, "{quiet:?}");
    step.state.q[2] += 1e-3; // the ball is a millimetre above the floor that pushes it
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    assert!((missed.touch - 1e-3).abs() < 1e-9, "{}", missed.touch);
    assert_eq!(scene.system.label(step.blame.touch.unwrap()), "ball/floor");
}

#[test]
fn a_force_beside_its_body_is_missed_by_how_far_it_is_beside() {
    let scene = ball_on_floor("stewart-trinkle");
    let (from, mut step, manner) = stepped(&scene);
    step.outcomes[0].constraint.point.x += 0.05;
    let missed = judged(&scene, &from, &mut step, manner).unwrap();
    // the point (0.05, 0, −0.1) is hypot(0.05, 0.1) from the centre of a ball of radius 0.1
    let off = 0.05f64.hypot(0.1) - 0.1;
    assert!((missed.touch - off).abs() < 1e-9, "{} {off}", missed.touch);
}

/// Under associated friction a contact that slips under load ends at dt mu |slip|: that is no gap.
#[test]
fn the_height_of_associated_friction_is_no_gap() {
    let scene = ball_on_floor("convex");
    let (from, mut step, manner) = stepped(&scene);
    assert!(manner.associated);
    let height = DT * 0.5 * 2.0;
    step.outcomes[0].velocity[1] = 2.0;
    step.state.q[2] = 0.1 + height;
    assert!(judged(&scene, &from, &mut step, manner).unwrap().touch < 1e-12);
    let exact = Manner { associated: false, ..manner };
    let missed = judged(&scene, &from, &mut step, exact).unwrap();
    assert!((missed.touch - height).abs() < 1e-9, "{}", missed.touch);
}

/// What bounces was in touch where Moreau's law looked, and is apart at the end.
#[test]
fn a_bounce_touched_where_the_law_looked() {
    let scene = common::scene("bouncing-ball", &[]);
    let mut bounced = 0;
    let simulation = run(&scene, |s| {
        let o = s.last().outcomes.first();
        bounced += u32::from(o.is_some_and(|o| o.impulse[0] > 0.0 && o.gap > 1e-6));
    });
    assert!(bounced > 0 && simulation.certificate().missed_steps == 0, "{bounced}");
}

/// Two balls of radius r that roll and slide around each other leave the tangent plane by d²/(4 r) in a step of d: no
/// gap, but curvature.
#[test]
fn curvature_of_round_bodies_is_no_gap() {
    let scene = common::scene("two-spheres", &["stepper=stewart-trinkle"]);
    let simulation = run(&scene, |_| {});
    assert!(simulation.certificate().worst.touch <= scene.tolerance.penetration);
}
