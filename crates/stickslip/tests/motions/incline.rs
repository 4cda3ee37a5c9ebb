//! A box on a slope: sticks below the friction angle, slides at g (sin − mu cos) above it, whichever way the slope
//! runs.

use crate::common;
use std::f64::consts::{PI, TAU};

const HEADINGS: [f64; 9] = [0.0, 0.1, PI / 4.0, 1.0, PI / 2.0, 2.0, PI, 4.0, 5.5];

#[test]
fn sticks_below_the_friction_angle_without_creeping_for_ten_minutes() {
    for heading in HEADINGS {
        let scene = common::scene("incline", &[&format!("heading={heading:?}"), "until=600"]);
        let start = scene.system.initial();
        let mut creep = 0.0f64;
        let end = common::run(&scene, |s| {
            let moved: f64 = (0..3).map(|i| (s.state().q[i] - start.q[i]).powi(2)).sum();
            creep = creep.max(moved.sqrt());
        });
        assert!(creep < 1e-12, "heading {heading}: {creep:e}");
        assert_eq!(end.certificate().missed_steps, 0);
    }
}

/// Speed divided by the exact one, minus one, at the end of a second of sliding.
fn speed_error(heading: f64, changes: &[&str]) -> f64 {
    let heading = format!("heading={heading:?}");
    let mut all = vec!["slope=atan(0.6)", &heading];
    all.extend(changes);
    let scene = common::scene("incline", &all);
    let slope = 0.6f64.atan();
    let acceleration = 9.81 * (slope.sin() - 0.5 * slope.cos());
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let u = &s.state().u;
        let speed = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
        let error = speed / (acceleration * s.state().t) - 1.0;
        worst = if error.abs() > worst.abs() { error } else { worst };
    });
    assert_eq!(end.certificate().missed_steps, 0, "{all:?}");
    worst
}

#[test]
fn slides_as_galileo_and_coulomb_say_at_every_heading() {
    for heading in HEADINGS {
        for step in ["0.01", "0.001"] {
            let error = speed_error(heading, &[&format!("step={step}")]);
            assert!(error.abs() < 1e-9, "heading {heading} step {step}: {error:e}");
        }
    }
}

/// A polygon with n vertices has the full friction in the directions of its vertices and cos(pi/n) of it half-way
/// between; there friction has the direction of the edge's normal, so the motion stays straight.
#[test]
fn polyhedral_cones_show_their_anisotropy() {
    let slope = 0.6f64.atan();
    for n in [4usize, 8] {
        for solver in ["nsgs", "lemke"] {
            let cone = format!("cone=polygon:{n}");
            let changes = [cone.as_str(), &format!("solver={solver}")];
            assert!(speed_error(0.0, &changes).abs() < 1e-9);
            // half-way between two directions, as seen in the plane of the slope: the first tangent is the world's x
            // axis projected onto the slope, so a heading h appears there at the angle atan2(sin h cos s, cos h)
            let half = PI / n as f64;
            let heading = (half.sin() * slope.cos()).atan2(half.cos()).rem_euclid(TAU);
            let heading = find_heading(half, slope, heading);
            let weaker = 0.5 * half.cos();
            let expected = (slope.sin() - weaker * slope.cos()) / (slope.sin() - 0.5 * slope.cos()) - 1.0;
            let found = speed_error(heading, &changes);
            assert!((found / expected - 1.0).abs() < 1e-6, "n {n} {solver}: {found} expected {expected}");
        }
    }
}

/// The heading whose downhill direction makes the angle `target` with the contact's first tangent.
fn find_heading(target: f64, slope: f64, start: f64) -> f64 {
    let angle = |h: f64| {
        let n = [slope.sin() * h.cos(), slope.sin() * h.sin(), slope.cos()];
        let down = [slope.cos() * h.cos(), slope.cos() * h.sin(), -slope.sin()];
        let along = 1.0 - n[0] * n[0];
        let t1 = [along / along.sqrt(), -n[0] * n[1] / along.sqrt(), -n[0] * n[2] / along.sqrt()];
        let t2 = [n[1] * t1[2] - n[2] * t1[1], n[2] * t1[0] - n[0] * t1[2], n[0] * t1[1] - n[1] * t1[0]];
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        dot(down, t2).atan2(dot(down, t1))
    };
    let mut h = start;
    for _ in 0..60 {
        let slope = (angle(h + 1e-6) - angle(h - 1e-6)) / 2e-6;
        h -= (angle(h) - target) / slope;
    }
    h
}
