//! How often a step is solved while the pairs of its parts are chosen.

use crate::common;

/// The mean number of solutions of a step, and the largest.
fn solutions(name: &str, changes: &[&str]) -> (f64, usize) {
    let scene = common::scene(name, changes);
    let (mut steps, mut sum, mut most) = (0, 0, 0);
    common::run(&scene, |s| {
        (steps, sum, most) = (steps + 1, sum + s.last().solutions, most.max(s.last().solutions));
    });
    (sum as f64 / steps as f64, most)
}

#[test]
fn what_rests_rolls_or_is_held_is_solved_once_a_step() {
    assert_eq!(solutions("box-stack", &[]), (1.0, 1));
    assert_eq!(solutions("rover", &[]), (1.0, 1));
    assert_eq!(solutions("gear-grasp", &[]), (1.0, 1));
}

#[test]
fn what_falls_and_piles_up_is_hardly_ever_solved_twice() {
    for (name, mean) in [("part-feeder", 1.02), ("ball-pile", 1.3)] {
        let (found, most) = solutions(name, &["until=0.6"]);
        assert!(found <= mean, "{name}: {found} solutions a step");
        assert!(most <= 3, "{name}: {most} solutions of a step");
    }
}
