//! A ball dropped from 1 m. Free flight under the midpoint rule is exact, so what is seen is the impact law.

use crate::common;

const G: f64 = 9.81;

/// Heights of the lowest point at the tops between bounces.
fn tops(changes: &[&str]) -> Vec<f64> {
    let scene = common::scene("bouncing-ball", changes);
    let radius = scene.system.initial().q[1] - 1.0;
    let mut tops = Vec::new();
    let (mut rising, mut highest) = (false, f64::NEG_INFINITY);
    common::run(&scene, |s| {
        let (y, v) = (s.state().q[1] - radius, s.state().u[1]);
        if v > 0.0 {
            rising = true;
        }
        highest = if rising { highest.max(y + v.abs() * v / (2.0 * G)) } else { highest };
        if rising && v < 0.0 {
            tops.push(highest);
            (rising, highest) = (false, f64::NEG_INFINITY);
        }
    });
    tops
}

#[test]
fn rebound_heights_follow_the_square_of_the_restitution() {
    for e in [0.3, 0.5, 0.8] {
        for step in ["2e-4", "1e-4"] {
            let tops = tops(&[&format!("restitution={e}"), &format!("step={step}"), "until=1.3"]);
            // the impact is seen up to a step late: the height is off by at most that much fall
            let late: f64 = (2.0 * G).sqrt() * step.parse::<f64>().unwrap();
            assert!((tops[0] - e * e).abs() < late, "e {e}: {}", tops[0]);
        }
    }
}

#[test]
fn comes_to_rest_at_the_zeno_time() {
    // falls for sqrt(2 H / g), then flights of 2 e, 2 e², ... times that: (1 + e) / (1 − e) in all
    for (e, until) in [(0.5, "2"), (0.2, "1")] {
        let zeno = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        for step in [1e-3, 1e-4] {
            let end = moving(e, step, until);
            println!("e {e} step {step}: at rest after {end} s, Zeno time {zeno} s");
            assert!((end - zeno).abs() <= 20.0 * step, "e {e} step {step}: {end}, expected {zeno}");
        }
    }
}

/// The last time the ball moves faster than a thousandth of what gravity gives in a step.
fn moving(e: f64, step: f64, until: &str) -> f64 {
    let changes = [format!("restitution={e}"), format!("step={step}"), format!("until={until}")];
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    let scene = common::scene("bouncing-ball", &changes);
    let mut last = 0.0;
    common::run(&scene, |s| {
        if s.state().u[1].abs() > 1e-3 * G * step {
            last = s.state().t;
        }
    });
    last
}

#[test]
fn an_elastic_ball_keeps_its_height() {
    for step in [1e-3, 1e-4] {
        let tops = tops(&["restitution=1", &format!("step={step}"), "until=20"]);
        assert!(tops.len() >= 20);
        let error = (tops[19] - 1.0).abs();
        println!("step {step}: height after 20 bounces off by {error:e} m");
        assert!(error < (2.0 * G).sqrt() * step, "step {step}: {error:e}");
    }
}
