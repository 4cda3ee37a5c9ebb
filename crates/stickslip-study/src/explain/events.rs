//! Which motion an event-driven stepper goes on with: it is let go on for a thousandth of its interval, and the solution
//! is sought whose accelerations it has.

use super::velocity::as_written;
use super::{Answer, Solution, Verdict};
use stickslip::state::State;
use stickslip::step::{Mode, Step};
use stickslip::stepper::TimeStep;
use stickslip_scene::Scene;

/// The part of the interval.
const PART: f64 = 1e-3;
/// Accelerations that are this close, relative to the largest, are the same motion.
const CLOSE: f64 = 1e-2;

/// Marks the solution that is taken; one that is not listed, from within a continuum, is added.
pub(super) fn follow(answer: &mut Answer, scene: &Scene, state: &State) {
    let (system, name) = (scene.system.as_ref(), scene.stepper.method().name());
    let (mut stepper, mut step) = (scene.stepper.build(), Step::default());
    if let Err(why) = stepper.step(system, state, TimeStep::after(state, PART * scene.step), &mut step) {
        answer.why = format!("{name} stops here: {why}");
        return;
    }
    let pairs = step.state.u.iter().zip(&state.u);
    let mean: Vec<f64> = pairs.map(|(after, before)| (after - before) / step.dt).collect();
    let size = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let off = |s: &Solution| {
        let largest = size(&s.acceleration).max(size(&mean));
        let apart = mean.iter().zip(&s.acceleration).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if largest > 0.0 { apart / largest } else { 0.0 }
    };
    let order = |&a: &usize, &b: &usize| off(&answer.solutions[a]).total_cmp(&off(&answer.solutions[b]));
    let nearest = (0..answer.solutions.len()).min_by(order);
    answer.taken = nearest.filter(|&k| off(&answer.solutions[k]) <= CLOSE);
    let least = |k: usize| {
        answer.solutions.iter().all(|s| answer.solutions[k].constraint <= s.constraint * (1.0 + 1e-9))
    };
    answer.why = match (answer.taken, answer.verdict) {
        (Some(_), Verdict::Unique) => format!("the only one; {name} goes on with it"),
        (Some(k), _) if answer.solutions.len() > 1 && least(k) => {
            format!("{name} goes on with this motion, that of least constraint (Gauss)")
        }
        (Some(_), _) => format!("{name} goes on with this motion"),
        (None, Verdict::Several) => {
            let mut own = as_written(system, &step);
            // closed contacts stay so
            own.contacts.retain(|c| c.mode != Mode::Open);
            own.contacts.iter_mut().for_each(|c| c.gap = 0.0);
            own.acceleration = mean;
            answer.solutions.push(own);
            answer.taken = Some(answer.solutions.len() - 1);
            format!("{name} goes on with a motion between the others")
        }
        (None, Verdict::None) => {
            format!("{name} goes on with none of them: an impulse, as if there were a collision")
        }
        (None, _) => format!("{name} goes on with none of them closely"),
    };
}
