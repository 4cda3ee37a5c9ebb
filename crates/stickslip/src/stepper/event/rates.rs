//! What the integration of a smooth phase sees: rates of coordinates, velocities, work and impulses.

use super::flow::{Flow, Scope};
use super::{JointMethod, WORKS};
use crate::state::State;
use crate::step::Phase;
use crate::stepper::surface::physical;
use crate::system::{Law, System};

/// Eq. (1) of `mod.rs` as rates of everything that is integrated; NaN where there is no flow.
pub(super) fn rates(
    system: &dyn System,
    (flow, look): (&mut Flow, &mut State),
    phase: &Phase,
    (t, y): (f64, &[f64]),
    out: &mut [f64],
) {
    let (n, m) = (look.q.len(), look.u.len());
    look.t = t;
    look.q.copy_from_slice(&y[..n]);
    look.u.copy_from_slice(&y[n..n + m]);
    // off the closed contacts, redundant ones ask for accelerations that no force gives
    if flow.joints == JointMethod::PartitioningFull || flow.by_least_constraint || flow.ambiguous {
        flow.settle(system, look, &phase.held);
    }
    if !flow.evaluate(system, look, &phase.held, Scope::Held) {
        out.fill(f64::NAN);
        return;
    }
    system.rate(&look.q, &look.u, &mut out[..n]);
    out[n..n + m].copy_from_slice(&flow.acceleration);
    let (work, impulses) = out[n + m..].split_at_mut(WORKS);
    work.fill(0.0);
    for i in 0..m {
        work[0] += flow.look.force[i] * look.u[i];
        work[1] += flow.look.applied[i] * look.u[i];
    }
    if system.has_layers() {
        super::layers::share_work(system, flow, look, work);
    }
    let mut at = 0;
    for part in &flow.parts {
        let drift = &flow.look.constraints[part.index].drift;
        let force = physical(&part.law, flow.probe.cone, &part.force[..part.law.rows()]);
        for r in 0..part.law.rows() {
            impulses[at + r] = force[r];
            let power = part.force[r] * part.velocity[r];
            work[1] -= part.force[r] * drift[r];
            match part.law {
                Law::Contact { .. } | Law::Limit if r == 0 => work[3] += power,
                Law::Bilateral { .. } => work[4] += power,
                _ => work[2] += power,
            }
        }
        at += part.law.rows();
    }
    if system.has_layers() {
        super::layers::forces(system, flow, look, &mut impulses[at..]);
    }
}
