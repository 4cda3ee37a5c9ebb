//! The stepper `gauss`: forces of least constraint and least norm inside a projected Runge–Kutta method of order five.

mod common;

use stickslip::events::{EventKind, Modes};
use stickslip::simulation::{Checkpoint, Simulation};

/// The first turning point of the pendulum: time and angle, and the run to its end.
fn turning_point(changes: &[&str]) -> (f64, f64) {
    let scene = common::scene("journal-pendulum", changes);
    let (mut modes, mut list) = (Modes::default(), Vec::new());
    let (mut found, mut before) = (None, (0.0, 0.0));
    common::run(&scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        if let (None, Some(e)) = (found, list.first()) {
            found = Some((e.t, before));
        }
        before = (s.state().q[2], s.state().u[2]);
        assert!(s.certificate().missed_steps == 0, "{:?}", s.certificate());
    });
    let (t, _) = found.expect("it turns around");
    (t, before.0)
}

#[test]
fn the_journal_pendulum_turns_where_it_should() {
    // the angle at the turning point: a run that ends there
    let (t, _) = turning_point(&["until=0.45", "step=0.45"]);
    let until = format!("until={t}");
    let step = format!("step={t}");
    let scene = common::scene("journal-pendulum", &[&until, &step]);
    let end = common::run(&scene, |_| {});
    let angle = end.state().q[2];
    println!("turns at {t:.6} s, {angle:.6} rad; rate there {:e} rad/s", end.state().u[2]);
    assert!((t - 0.4113).abs() < 2e-3 && (angle + 3.0135).abs() < 2e-3, "{t} {angle}");
}

#[test]
fn more_points_on_the_journal_converge() {
    let turns: Vec<f64> = [4, 8, 16, 32]
        .map(|points| {
            let points = format!("points={points}");
            turning_point(&[&points, "until=0.415", "step=0.415"]).0
        })
        .to_vec();
    let apart: Vec<f64> = turns.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    println!("turns at {turns:?} s, apart {apart:?}");
    // second order in the distance of the points
    assert!(apart[1] < 0.5 * apart[0] && apart[2] < 0.5 * apart[1], "{apart:?}");
}
