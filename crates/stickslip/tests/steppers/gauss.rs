//! The stepper `gauss`: forces of least constraint and least norm inside a projected Runge–Kutta method of order five.

use crate::common;
use stickslip::events::{EventKind, Modes};
use stickslip::simulation::Checkpoint;
use stickslip::step::Mode;

/// The times at which the journal pendulum turns around, and the one at which it comes to rest.
fn turning_points(changes: &[&str]) -> (Vec<f64>, Option<f64>) {
    let scene = common::scene("journal-pendulum", changes);
    let (mut modes, mut list) = (Modes::default(), Vec::new());
    let (mut turns, mut rest) = (Vec::new(), None);
    common::run(&scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        // all points of the journal turn at the same instant
        for e in &list {
            match e.kind {
                EventKind::Stick => rest = rest.or(Some(e.t)),
                _ if turns.last() != Some(&e.t) => turns.push(e.t),
                _ => {}
            }
        }
        assert_eq!(s.certificate().missed_steps, 0, "{:?}", s.certificate());
    });
    (turns, rest)
}

#[test]
fn the_journal_pendulum_turns_where_it_should() {
    let t = turning_points(&["until=0.45", "step=0.45"]).0[0];
    let (until, step) = (format!("until={t}"), format!("step={t}"));
    let scene = common::scene("journal-pendulum", &[&until, &step]);
    let end = common::run(&scene, |_| {});
    let angle = end.state().q[2];
    println!("turns at {t:.6} s, {angle:.6} rad; rate there {:e} rad/s", end.state().u[2]);
    assert!((t - 0.4113).abs() < 2e-3 && (angle + 3.0135).abs() < 2e-3, "{t} {angle}");
}

#[test]
fn more_points_on_the_journal_converge() {
    let turns = [4, 8, 16, 32].map(|points| {
        let points = format!("points={points}");
        turning_points(&[&points, "until=0.415", "step=0.415"]).0[0]
    });
    let apart: Vec<f64> = turns.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    println!("turns at {turns:?} s, apart by {apart:?} s");
    // second order in the distance of the points
    assert!(apart[1] < 0.4 * apart[0] && apart[2] < 0.4 * apart[1], "{apart:?}");
}

/// Energy that is lost is the work of friction; loads bear on the lower side only.
#[test]
fn friction_takes_the_energy_and_loads_are_of_one_side() {
    let changes =
        ["until=0.45", "step=0.05", "simulation.absolute=1e-10", "simulation.relative=1e-10", "points=8"];
    let scene = common::scene("journal-pendulum", &changes);
    let end = common::run(&scene, |s| {
        let loads: Vec<f64> = s.last().outcomes.iter().map(|o| o.impulse[0] / 0.05).collect();
        println!("{:.2} s, {:.3} rad: mean loads {loads:.3?} N", s.state().t, s.state().q[2]);
        assert!(loads.iter().all(|n| *n > -1e-9), "{loads:?}");
    });
    let ledger = end.ledger();
    println!("{} J to friction, {:e} J unaccounted for", ledger.dissipated_friction, ledger.discretisation);
    assert!(ledger.dissipated_friction > 0.01 && ledger.discretisation.abs() < 1e-9, "{ledger:?}");
}

#[test]
fn the_journal_pendulum_comes_to_rest() {
    let (turns, rest) = turning_points(&["until=6", "step=0.1", "mu=0.6"]);
    println!("turns at {turns:?} s, rests from {rest:?} s");
    assert!(rest.is_some() && turns.len() > 1);
    let scene = common::scene("journal-pendulum", &["until=6", "step=0.1", "mu=0.6"]);
    let end = common::run(&scene, |_| {});
    assert!(end.last().outcomes.iter().all(|o| o.mode == Mode::Stick), "{:?}", end.state());
    // velocities are moved onto sticking contacts, to rounding
    assert!(end.state().u[2].abs() < 1e-20, "{:?}", end.state());
}

/// Friction mu + b v on a level: v = (v0 + mu/b) exp(−b g t) − mu/b.
#[test]
fn friction_that_grows_with_speed_slows_a_block_exactly() {
    let text = r#"# a sliding block
[scene]
name = "slider"
description = "friction mu + b v"
[parameters]
mu = 0.2
b = 0.3
[simulation]
solver = "auto"
absolute = 1e-11
relative = 1e-11
step = 0.1
until = 0.5
STEPPER
[system]
kinetic = "x_dot^2 + y_dot^2"
potential = "2*9.81*y"
[[system.coordinate]]
name = "x"
position = 0
velocity = 3
[[system.coordinate]]
name = "y"
position = 0
velocity = 0
[[system.contact]]
name = "floor"
gap = "y"
slip = "x_dot"
friction = "mu"
friction_slope = "b"
"#;
    for stepper in ["stepper = \"gauss\"", "stepper = \"event\"\norder = 8"] {
        let scene = stickslip_scene::parse("slider", &text.replace("STEPPER", stepper), &Default::default())
            .unwrap_or_else(|e| panic!("{e}"));
        let end = common::run(&scene, |_| {});
        let ratio = 0.2 / 0.3;
        let exact = (3.0 + ratio) * (-0.3f64 * 9.81 * 0.5).exp() - ratio;
        let off = end.state().u[0] - exact;
        println!("{stepper}: {} m/s, off by {off:e}", end.state().u[0]);
        assert!(off.abs() < 1e-9 && end.certificate().missed_steps == 0, "{off:e}");
    }
}

/// The error against the work that buys it, for a smooth motion with redundant sliding contacts: a frictionless
/// journal.
#[test]
fn smooth_phases_are_of_fifth_order() {
    let end = |tolerance: f64| {
        let keys =
            [format!("simulation.absolute={tolerance:e}"), format!("simulation.relative={tolerance:e}")];
        let mut changes = vec!["until=1", "step=1", "mu=0", "points=8"];
        changes.extend(keys.iter().map(String::as_str));
        let scene = common::scene("journal-pendulum", &changes);
        let mut work = 0;
        let end = common::run(&scene, |s| work += s.last().report.iterations);
        (end.state().q[2], work as f64)
    };
    // without friction the loads do not matter: the pendulum in theta alone, by an independent method
    let exact = frictionless(1.0);
    let (coarse, fine) = (end(1e-5), end(1e-9));
    let errors = [(coarse.0 - exact).abs(), (fine.0 - exact).abs()];
    let order = (errors[0] / errors[1]).ln() / (fine.1 / coarse.1).ln();
    println!("errors {errors:?} rad with {} and {} evaluations: order {order:.2}", coarse.1, fine.1);
    assert!(errors[1] < 1e-7 && order > 4.3, "{order}");
}

/// (J + m l²) theta'' = −m g l cos theta from the horizontal at rest, by the classical method with tiny steps.
fn frictionless(until: f64) -> f64 {
    let (r, bore, width, rod, length) = (0.01f64, 0.02f64, 0.0826f64, 0.0048f64, 0.147f64);
    let (mp, mr, mw, stack) = (0.196, 0.074, 0.181, 0.0374f64);
    let (lr, lw) = (length / 2.0, length - 0.0375 + stack / 2.0);
    let solid = width * r.powi(4) - bore * rod * rod * (3.0 * rod * rod + bore * bore) / 6.0;
    let jp = 0.5 * mp * solid / (width * r * r - bore * rod * rod);
    let jr = mr * (3.0 * rod * rod + length * length) / 12.0;
    let jw = mw * (3.0 * (rod * rod + 0.015f64.powi(2)) + stack * stack) / 12.0;
    // about the axis of the journal
    let inertia = jp + jr + mr * lr * lr + jw + mw * lw * lw;
    let k = 9.80665 * (mr * lr + mw * lw) / inertia;
    let (mut y, n) = ([0.0f64, 0.0], 100_000);
    let h = until / f64::from(n);
    let rate = |y: [f64; 2]| [y[1], -k * y[0].cos()];
    let add = |y: [f64; 2], s: f64, k: [f64; 2]| [y[0] + s * k[0], y[1] + s * k[1]];
    for _ in 0..n {
        let a = rate(y);
        let b = rate(add(y, 0.5 * h, a));
        let c = rate(add(y, 0.5 * h, b));
        let d = rate(add(y, h, c));
        y = [0, 1].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y[0]
}

/// The kinds and contacts of all events but those at the start, their times, and the state at the end.
fn course(name: &str, changes: &[&str]) -> (Vec<(EventKind, String)>, Vec<f64>, Vec<f64>) {
    let scene = common::scene(name, changes);
    let (mut modes, mut list) = (Modes::default(), Vec::new());
    let (mut what, mut when) = (Vec::new(), Vec::new());
    let end = common::run(&scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        for e in list.iter().filter(|e| e.t > 0.0) {
            what.push((e.kind, s.system().label(e.id)));
            when.push(e.t);
        }
    });
    assert_eq!(end.certificate().missed_steps, 0, "{name} {changes:?}: {:?}", end.certificate());
    (what, when, end.state().q.clone())
}

/// Where loads are not redundant in the direction of motion, least constraint and complementarity are the same motion:
/// `gauss` and `event` agree on every event. A contact that is pressed although it could lift, as the pusher of
/// `pushed-block` from 1.26 s on if least constraint alone had its way, would open and close without end.
#[test]
fn it_moves_as_the_event_driven_stepper_does() {
    let scenes = [
        ("pushed-block", "2"),
        ("pushed-block-on-belt", "2"),
        ("belt-spring-particle", "2"),
        ("pendulum-on-block", "2"),
        ("pendulum-on-rough-block", "2"),
        ("double-pendulum", "1"),
        ("four-bar", "1"),
        ("two-point-block", "0.1"),
        ("painleve-rod", "0.05"),
        ("coulomb-oscillator", "5"),
        ("woodpecker", "0.5"),
        ("stick-slip", "2"),
        ("rolling-disc", "1"),
        ("plate-rocking", "0.3"),
    ];
    for (name, until) in scenes {
        let until = format!("until={until}");
        let tight = ["simulation.absolute=1e-9", "simulation.relative=1e-9", "step=0.05", &until];
        let gauss = course(name, &[&["stepper=gauss"][..], &tight].concat());
        let event = course(name, &[&["stepper=event", "simulation.order=8"][..], &tight].concat());
        assert_eq!(gauss.0, event.0, "{name}");
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let (times, places) = (apart(&gauss.1, &event.1), apart(&gauss.2, &event.2));
        println!("{name}: {} events, apart by {times:e} s; ends apart by {places:e}", gauss.0.len());
        assert!(times < 1e-6 && places < 1e-6, "{name}: {times:e} {places:e}");
    }
}

/// What rests has no time scale to adapt to.
#[test]
fn a_ball_that_has_bounced_out_rests_for_as_long_as_one_likes() {
    let tight = ["simulation.absolute=1e-9", "simulation.relative=1e-9", "step=1e-3", "until=4"];
    let scene = common::scene("bouncing-ball", &[&["stepper=gauss"][..], &tight].concat());
    let end = common::run(&scene, |_| {});
    println!("{:?}", end.state());
    assert!((end.state().q[1] - 0.1).abs() < 1e-15 && end.state().u[1] == 0.0);
    assert_eq!(end.certificate().missed_steps, 0);
}

/// Loads change hands between the points for twenty swings, each a little shorter than the last, until friction holds.
#[test]
fn the_journal_pendulum_swings_out() {
    let (turns, rest) = turning_points(&["until=8", "step=0.5", "points=8"]);
    let half_periods: Vec<f64> = turns.windows(2).map(|w| w[1] - w[0]).collect();
    println!("{} turns, the last at {:?} s; rests from {rest:?} s", turns.len(), turns.last());
    // finite swings take longer than small ones
    assert!(half_periods.windows(2).all(|w| w[1] < w[0]), "{half_periods:?}");
    assert!(turns.len() > 15 && rest.is_some_and(|t| t > 7.0 && t < 8.0), "{turns:?} {rest:?}");
}

#[test]
fn a_run_goes_on_from_a_checkpoint_bit_for_bit() {
    for (name, until) in [("journal-pendulum", "0.6"), ("pushed-block", "0.8"), ("stick-slip", "1.2")] {
        let until = format!("until={until}");
        let own =
            ["stepper=gauss", "simulation.absolute=1e-8", "simulation.relative=1e-8", "step=0.02", &until];
        let scene = common::scene(name, &own);
        let whole = common::run(&scene, |_| {});
        let mut first = common::simulation(&scene);
        for _ in 0..23 {
            first.advance().unwrap();
        }
        let text = serde_json::to_string(&first.checkpoint(&scene.text)).unwrap();
        let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
        let mut second = common::simulation(&scene);
        second.restore(&checkpoint);
        while !second.is_done() {
            second.advance().unwrap();
        }
        assert_eq!(second.state(), whole.state(), "{name}");
        assert_eq!(second.ledger(), whole.ledger(), "{name}");
    }
}
