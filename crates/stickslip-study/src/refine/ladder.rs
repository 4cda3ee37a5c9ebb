//! Which runs a refinement takes, and whether one more.
//!
//! Time-steppers: h, h/2, h/4, ... Event-driven steppers choose their own steps; there the accuracies asked of them are divided
//! by `2^order`, which would halve their steps. Below 1e-14 rounding is all that is left to control: a series that would get there begins with
//! accuracies above those of the scene, at most 1e-3.

use super::{LEAST_LEVELS, Refinement, Request, Verdict};
use stickslip::stepper::{Scheme, StepperConfig};
use stickslip_scene::Scene;

/// Half the distance of the orders 1/2 and 1: an interval no wider to each side tells them apart.
pub const SETTLED: f64 = 0.25;
/// Steps times the square of the number of velocities, of all runs together, up to which more are taken than were asked for: some
/// seconds to a minute of work.
const MOST_WORK: f64 = 1e8;
/// The least relative accuracy to ask of an event-driven stepper.
const FINEST: f64 = 1e-14;
/// The largest to begin with, unless the scene asks for less.
const COARSEST: f64 = 1e-3;

pub(super) fn refines_accuracy(stepper: &StepperConfig) -> bool {
    stepper.method().traits().events
}

/// Step (s) and stepper of all runs that may be taken, coarse to fine.
pub(super) fn ladder(scene: &Scene, request: &Request) -> Vec<(f64, StepperConfig)> {
    let count = if request.accuracy.is_some() { request.levels } else { request.levels.max(request.most) };
    let Some(event) = scene.stepper.event() else {
        return (0..count).map(|k| (scene.step / f64::powi(2.0, k as i32), scene.stepper)).collect();
    };
    let shrink = f64::powi(2.0, -(event.pair.order() as i32));
    let relative = event.accuracy.relative;
    // with an accuracy to reach, the series may end early: it need not begin coarser than three runs take
    let needed = if request.accuracy.is_some() { LEAST_LEVELS } else { request.levels };
    let mut first = 0;
    while relative * f64::powi(shrink, first + needed as i32 - 1) < FINEST
        && relative * f64::powi(shrink, first - 1) <= COARSEST
    {
        first -= 1;
    }
    (0..count as i32)
        .map(|k| f64::powi(shrink, first + k))
        .enumerate()
        .take_while(|(k, factor)| *k < LEAST_LEVELS || relative * factor >= FINEST)
        .map(|(_, factor)| {
            let mut stepper = scene.stepper;
            if let Scheme::Event { event } | Scheme::Gauss { event } = &mut stepper.scheme {
                event.accuracy.absolute *= factor;
                event.accuracy.relative *= factor;
            }
            (scene.step, stepper)
        })
        .collect()
}

/// True when another run would make the order surer, and all together take no more than `steps` that are worth it.
pub(super) fn goes_on(scene: &Scene, steps: f64, so_far: &Refinement) -> bool {
    let velocities = scene.system.initial().u.len() as f64;
    let approach = matches!(so_far.trust.verdict, Verdict::Converging | Verdict::Unsure | Verdict::Coarse);
    approach
        && so_far.order_error.is_some_and(|e| e > SETTLED)
        && steps * velocities * velocities <= MOST_WORK
}
