//! Anything that is not a number ends a run, by its name: what the scene gives (drives, surface velocities, motors),
//! gaps, impulses, energies. A state that is not finite is asked for what made it so.

use super::Case;
use crate::energy::StepWork;
use crate::state::State;
use crate::step::Step;
use crate::stepper::StepError;
use crate::system::{Snapshot, System};

/// Says what of a step is not a number, if so.
pub(super) fn judge(case: &Case) -> Result<(), StepError> {
    let at = &case.step.state;
    let given = || if case.system.is_autonomous() { None } else { case.system.not_a_number(at) };
    match given().or_else(|| in_state(case.system, at)).or_else(|| in_step(case.system, case.step)) {
        Some(what) => Err(StepError::NotANumber { t: at.t, what }),
        None => Ok(()),
    }
}

fn in_state(system: &dyn System, at: &State) -> Option<String> {
    if at.is_finite() {
        return None;
    }
    let velocity = at.u.iter().position(|u| !u.is_finite()).map(|i| system.coordinate_name(i));
    Some(velocity.unwrap_or_else(|| "a coordinate".to_owned()))
}

fn in_step(system: &dyn System, step: &Step) -> Option<String> {
    for o in &step.outcomes {
        let rows = o.constraint.law.rows();
        let finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
        let what = if !(finite(&o.constraint.gap[..rows]) && o.gap.is_finite()) {
            "the gap"
        } else if !(finite(&o.constraint.drift[..rows]) && finite(&o.velocity[..rows])) {
            "the velocity"
        } else if !finite(&o.impulse[..rows]) {
            "the impulse"
        } else {
            continue;
        };
        return Some(format!("{what} of {}", system.label(o.constraint.id)));
    }
    let StepWork { kinetic_change, conservative, applied, friction, normal, joints, .. } = step.work;
    let energies = [
        ("the kinetic energy", step.kinetic),
        ("the potential energy", step.potential),
        ("the change of kinetic energy", kinetic_change),
        ("the work of conservative forces", conservative),
        ("the work put in", applied),
        ("the work of friction", friction),
        ("the work of contacts", normal),
        ("the work of joints", joints),
    ];
    energies.iter().find(|(_, x)| !x.is_finite()).map(|(name, _)| (*name).to_owned())
}

/// A better name for a state that is no longer finite: what the scene gave, or the force that is not a number.
pub fn cause(system: &dyn System, from: &State, end: f64) -> Option<(f64, String)> {
    let at_end = State { t: end, ..from.clone() };
    if let Some(what) = system.not_a_number(from) {
        return Some((from.t, what));
    }
    if let Some(what) = system.not_a_number(&at_end) {
        return Some((end, what));
    }
    let mut look = Snapshot::default();
    for at in [from, &at_end] {
        system.dynamics(at, &mut look);
        let forces = look.force.iter().zip(&look.applied);
        if let Some(i) = forces.map(|(f, a)| f + a).position(|x| !x.is_finite()) {
            return Some((at.t, format!("the force on {}", system.coordinate_name(i))));
        }
    }
    None
}
