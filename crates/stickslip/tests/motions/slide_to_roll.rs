//! A sphere of unit radius and mass thrown flat onto a plane slides, spins up and rolls [Trinkle 2003, §4].
//!
//! While it slides, v = v0 − mu g t and omega = (5/2) mu g t; slip v − omega ends at t = 2 v0 / (7 mu g) with
//! v = omega = 5 v0 / 7.

use crate::common;

const MU: f64 = 0.2;
const G: f64 = 9.81;
const V0: f64 = 2.0;

/// Exact v and omega with friction coefficient `mu`.
fn exact(mu: f64, t: f64) -> (f64, f64) {
    if t < 2.0 * V0 / (7.0 * mu * G) {
        (V0 - mu * G * t, 2.5 * mu * G * t)
    } else {
        (5.0 / 7.0 * V0, 5.0 / 7.0 * V0)
    }
}

/// Largest errors of v, omega and of all other velocities, and deepest penetration, over all steps.
fn errors(changes: &[&str], mu: f64) -> (f64, f64) {
    let scene = common::scene("slide-to-roll", changes);
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let (v, omega) = exact(mu, s.state().t);
        let expected = [v, 0.0, 0.0, 0.0, omega, 0.0];
        for i in 0..6 {
            worst = worst.max((s.state().u[i] - expected[i]).abs());
        }
    });
    assert_eq!(end.certificate().missed_steps, 0, "{changes:?}");
    (worst, end.certificate().worst.penetration)
}

#[test]
fn velocities_are_exact_at_any_step_with_the_exact_cone() {
    for step in ["0.12", "0.06", "0.05", "0.01", "0.007", "1e-3", "1e-4"] {
        for solver in ["nsgs", "pgs"] {
            let (error, penetration) = errors(&[&format!("step={step}"), &format!("solver={solver}")], MU);
            assert!(error < 1e-10, "step {step} {solver}: {error:e}");
            assert!(penetration <= 1e-12, "step {step} {solver}: {penetration:e}");
        }
    }
}

#[test]
fn velocities_are_exact_with_a_friction_direction_along_the_motion() {
    for step in ["0.12", "0.01", "1e-3", "1e-4"] {
        for solver in ["lemke", "enumeration", "nsgs", "pgs"] {
            let (error, penetration) =
                errors(&["cone=polygon:4", &format!("step={step}"), &format!("solver={solver}")], MU);
            assert!(error < 1e-10, "step {step} {solver}: {error:e}");
            assert!(penetration <= 1e-12, "step {step} {solver}: {penetration:e}");
        }
    }
}

/// With directions at ±45 and ±135 degrees the limit set is a square whose *edge*, not a vertex, faces the slip. The
/// friction impulse that opposes the slip best has two equal components on that edge, at distance mu lambda_n cos 45°
/// from the centre: the sphere feels mu / sqrt(2).
#[test]
fn directions_turned_by_45_degrees_act_as_less_friction() {
    let angle = std::f64::consts::FRAC_PI_4;
    for solver in ["lemke", "nsgs"] {
        for step in ["0.12", "0.01", "1e-3"] {
            let changes =
                [&format!("cone=polygon:4@{angle:?}"), &format!("step={step}"), &format!("solver={solver}")];
            let changes: Vec<&str> = changes.iter().map(|s| s.as_str()).collect();
            let (error, _) = errors(&changes, MU / 2f64.sqrt());
            assert!(error < 1e-10, "{solver} step {step}: {error:e}");
        }
    }
}
