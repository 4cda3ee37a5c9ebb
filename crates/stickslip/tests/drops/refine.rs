//! Refining helps: with smaller steps the energy lost over a run converges, and steps are not more often missed.

use crate::run::run;
use crate::scenes::{STEPPERS, scene};

const STEPS: [f64; 5] = [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4];

#[test]
#[ignore = "minutes"]
fn the_energy_lost_by_50_drops_converges_and_small_steps_are_not_more_often_missed() {
    let mut failed = Vec::new();
    for stepper in &STEPPERS[..2] {
        let mut missed = [0; STEPS.len()];
        let mut differences = [const { Vec::<f64>::new() }; STEPS.len() - 1];
        // scenes of pairs that last for at least a tenth of a second
        let seeds = (0..).map(scene).filter(|d| d.until > 0.1 && !d.kind.contains("heap"));
        for drop in seeds.take(50) {
            let outcomes = STEPS.map(|step| run(&drop, stepper, step));
            let lost = outcomes.each_ref().map(|o| o.lost);
            let scale = lost.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (i, outcome) in outcomes.iter().enumerate() {
                missed[i] += u32::from(outcome.missed > 0);
            }
            for (i, pair) in lost.windows(2).enumerate() {
                differences[i].push((pair[1] - pair[0]).abs() / scale);
            }
            let misses = outcomes.each_ref().map(|o| o.missed);
            println!("{stepper} seed {}: lost {lost:.5?} J, missed {misses:?}, {}", drop.seed, drop.kind);
        }
        let middle = differences.each_mut().map(|d| {
            d.sort_by(f64::total_cmp);
            d[d.len() / 2]
        });
        let mean = differences.each_ref().map(|d| d.iter().sum::<f64>() / d.len() as f64);
        println!("{stepper}: runs missed at {STEPS:?} s: {missed:?}");
        println!("{stepper}: change of the energy lost, relative: median {middle:.6?}, mean {mean:.6?}");
        // first order would make each a half of the one before; some scenes end elsewhere for the least difference at
        // a corner
        let (first, last) = (0, STEPS.len() - 2);
        let converges = middle[last] < 0.5 * middle[first] && mean[last] < mean[first];
        if !converges || missed[last + 1] > missed[first] {
            failed.push(*stepper);
        }
    }
    assert!(failed.is_empty(), "refining does not help under {failed:?}");
}
