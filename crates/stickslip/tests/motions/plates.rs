//! Particles on shaken plates [Berard 2009, ch. 5 and 6].

use crate::common;
use stickslip::step::Mode;

const G: f64 = 9.81;

/// The mean velocity of a particle that always slips, at distance `r` from above the axis, by the theory of no
/// sticking: the plate's surface moves along itself with a speed that falls from w = alpha T depth / 4 to −w in the
/// first half of the period and rises back in the second, and the particle weighs m (g ± alpha r) in them, so it is
/// pulled after the plate with a = mu (g + alpha r) and b = mu (g − alpha r). With s = alpha depth it is overtaken at
/// t1 = (w − v0) / (a + s) after the start and at t2 = (w + v1) / (b + s) after the middle, where
/// v1 = v0 + a (2 t1 − T/2); the period closes when a (2 t1 − T/2) + b (T/2 − 2 t2) = 0, which is linear in v0.
fn drift(r: f64, alpha: f64, period: f64, depth: f64, mu: f64) -> f64 {
    let (a, b) = (mu * (G + alpha * r), mu * (G - alpha * r));
    let (s, w, half) = (alpha * depth, alpha * period * depth / 4.0, period / 2.0);
    let times = |v0: f64| {
        let t1 = (w - v0) / (a + s);
        let v1 = v0 + a * (2.0 * t1 - half);
        (t1, v1, (w + v1) / (b + s))
    };
    let open = |v0: f64| {
        let (t1, _, t2) = times(v0);
        a * (2.0 * t1 - half) + b * (half - 2.0 * t2)
    };
    let v0 = -open(0.0) / (open(1.0) - open(0.0));
    let (t1, v1, t2) = times(v0);
    // areas under the four straight pieces of v(t)
    let top = v0 + a * t1;
    let bottom = v1 - b * t2;
    let first = 0.5 * (v0 + top) * t1 + 0.5 * (top + v1) * (half - t1);
    let second = 0.5 * (v1 + bottom) * t2 + 0.5 * (bottom + v0) * (half - t2);
    (first + second) / period
}

/// Mean velocity and position over the last period of a run, and whether the particle ever stuck in it.
fn last_period(changes: &[&str], period: f64) -> (f64, f64, bool) {
    let scene = common::scene("plate-rocking", changes);
    let from = scene.until - period;
    let (mut sum, mut count, mut stuck, mut before) = (0.0, 0, false, None);
    let end = common::run(&scene, |s| {
        let (t, q) = (s.state().t, s.state().q[0]);
        if t > from - 1e-9 && before.is_none() {
            before = Some(q);
        }
        if t > from + 1e-9 {
            sum += q;
            count += 1;
            stuck |= s.last().outcomes.iter().any(|o| o.mode == Mode::Stick);
        }
    });
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    ((end.state().q[0] - before.unwrap()) / period, sum / f64::from(count), stuck)
}

#[test]
fn a_particle_drifts_on_a_rocking_plate_as_the_theory_of_no_sticking_says() {
    for r0 in ["0.02", "0.03", "-0.03"] {
        let (v, r, _) = last_period(&[&format!("r0={r0}")], 0.03);
        let theory = drift(r, 180.0, 0.03, 0.05, 0.3);
        println!("r = {r:.5} m: {v:.6} m/s, theory {theory:.6}, off by {:.2} %", 100.0 * (v / theory - 1.0));
        assert!((v / theory - 1.0).abs() < 0.02);
    }
}

#[test]
fn it_slips_with_the_axis_far_below_and_sticks_with_the_axis_near() {
    assert!(!last_period(&["until=0.6"], 0.03).2);
    assert!(last_period(&["until=0.6", "depth=0.01"], 0.03).2);
}

#[test]
fn the_circle_motion_carries_a_particle_round() {
    let angle = |changes: &[&str]| {
        let scene = common::scene("plate-circle", changes);
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
        let q = &end.state().q;
        println!("{changes:?}: radius {:.5} m, angle {:.5} rad", q[0].hypot(q[1]), q[1].atan2(q[0]));
        (q[0].hypot(q[1]), q[1].atan2(q[0]))
    };
    // one turn takes about 41.9 s by the field of [Berard 2009, §6.1.1]
    let (radius, far) = angle(&[]);
    assert!((radius - 0.08).abs() < 2e-3);
    assert!((0.05..0.3).contains(&far), "{far}");
    // closer in it sticks part of the time and moves less
    let (_, near) = angle(&["R=0.04"]);
    assert!(near < 0.8 * far, "{near} {far}");
}

/// The plate's rotation is symmetric about level, and a quarter of a period turned on itself the field pushes outwards.
#[test]
fn the_centrifuge_drives_a_particle_outwards() {
    let scene = common::scene("plate-centrifuge", &["until=0.5"]);
    let mut radii = Vec::new();
    let end = common::run(&scene, |s| radii.push(s.state().q[0].hypot(s.state().q[1])));
    println!("from {:.5} to {:.5} m", radii[0], radii[radii.len() - 1]);
    assert!(radii[radii.len() - 1] > radii[0]);
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
}
