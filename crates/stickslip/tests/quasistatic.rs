//! Quasistatic motion [Berard 2009, §3.4]: balance, friction, and what is not unique.

mod common;

use common::{run, scene};
use stickslip::simulation::Simulation;
use stickslip::system::Description;

fn position(simulation: &Simulation, body: &str) -> Vec<f64> {
    let parts = simulation.system().describe(simulation.state());
    let found = parts.into_iter().find_map(|part| match part {
        Description::Body { name, position, .. } if name == body => Some(position),
        _ => None,
    });
    found.unwrap()
}

/// The particle's path, exactly: at rest until the fence arrives, then along a line of the given slope as far as the
/// fence has come.
fn path(t: f64, start: f64, slope: f64) -> [f64; 3] {
    let farthest = if t < std::f64::consts::FRAC_PI_2 { 0.5 + 0.4 * t.sin() } else { 0.9 };
    let x = farthest.max(start);
    [x, slope * (x - start), 0.0]
}

/// The largest distance of the particle from its exact path.
fn error(overrides: &[&str], slope: f64) -> (f64, u64) {
    let scene = scene("fence-particle", overrides);
    let mut worst = 0.0f64;
    let done = run(&scene, |s| {
        let (p, q) = (position(s, "particle"), path(s.state().t, 0.7, slope));
        worst = (0..3).fold(worst, |m, i| m.max((p[i] - q[i]).abs()));
    });
    (worst, done.certificate().missed_steps)
}

#[test]
fn a_fence_pushes_a_particle_along_the_line_that_its_cone_says() {
    for (cone, slope) in [("exact", 0.5), ("polygon:4", 1.0)] {
        let mut before = f64::NAN;
        for step in [0.04, 0.02, 0.01] {
            let (worst, missed) =
                error(&[&format!("simulation.cone={cone}"), &format!("step={step}"), "until=3"], slope);
            println!("{cone}, step {step}: {worst:.3e} m from the exact path, {missed} steps missed");
            assert_eq!(missed, 0);
            // the turning point is met up to half a step: 0.4 (step/2)²/2 at most; else the path is exact
            assert!(worst <= 0.4 * 0.125 * step * step * slope.hypot(1.0) + 1e-9, "{cone} {step}: {worst:e}");
            before = worst;
        }
        assert!(before < 1e-5);
    }
}

#[test]
fn the_slope_is_the_fence_s_friction_with_the_exact_cone() {
    for mu in [0.0, 0.2, 0.9] {
        let (worst, missed) = error(&[&format!("mu_fence={mu}"), "until=2"], mu);
        println!("mu_fence {mu}: {worst:.3e} m, {missed} missed");
        assert!(worst < 6e-6 && missed == 0, "{mu}: {worst:e}");
    }
}

#[test]
fn without_friction_the_motion_is_not_unique_and_the_certificate_says_so() {
    let scene = scene("fence-particle", &["mu_plane=0", "mu_fence=0", "until=2"]);
    let done = run(&scene, |s| {
        // the least motion: as far as the fence pushes, not along it
        let p = position(s, "particle");
        let x = path(s.state().t, 0.7, 0.0)[0];
        assert!((p[0] - x).abs() < 6e-6 && p[1].abs() < 1e-12, "{p:?} at {}", s.state().t);
    });
    let c = done.certificate();
    println!("{c:?}");
    assert_eq!(c.missed_steps, done.steps());
    let worst = c.worst_step.as_ref().unwrap();
    assert_eq!((worst.what.as_str(), worst.contact.as_deref()), ("uniqueness", Some("particle.vx, particle.vy")));
    assert!(c.worst.balance < 1e-12 && c.worst.complementarity < 1e-12);
}
