//! What a step of the integration leaves: the state, works and impulses that were integrated along, and what no longer
//! starts at zero.

use super::flow::{Flow, Scope};
use super::{EventDriven, WORKS, part, triggers};
use crate::step::HeldMotion;
use crate::system::{ConstraintId, Law, System};
use complementarity::problem::law::MAX_ROWS;

/// Impulses of a constraint over the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    pub id: ConstraintId,
    pub impulse: [f64; MAX_ROWS],
    pub before: [f64; MAX_ROWS],
}

impl EventDriven {
    /// Makes the end of the step just taken the state, and adds up what was integrated along.
    pub(super) fn accept(&mut self, h: f64, t: f64) {
        let (n, m) = (self.state.q.len(), self.state.u.len());
        let end = if h == 0.0 { &self.y } else { self.method.end() };
        self.state.t = t;
        self.state.q.copy_from_slice(&end[..n]);
        self.state.u.copy_from_slice(&end[n..n + m]);
        let w = &end[n + m..n + m + WORKS];
        self.work.conservative += w[0];
        self.work.applied += w[1];
        self.work.friction += w[2];
        self.work.normal += w[3];
        self.work.joints += w[4];
        self.work.turnover += w.iter().map(|x| x.abs()).sum::<f64>();
        let mut at = n + m + WORKS;
        for part in &self.flow.parts {
            let id = self.flow.look.constraints[part.index].id;
            let total = total(&mut self.totals, id);
            for r in 0..part.law.rows() {
                total.impulse[r] += end[at + r];
            }
            at += part.law.rows();
        }
        for layer in self.state.layers.iter().filter(|l| l.pressed) {
            total(&mut self.totals, layer.id).impulse[0] += end[at];
            at += 1;
        }
        for (held, part) in self.phase.held.iter_mut().zip(held_parts(&self.flow)) {
            for block in part.blocks.iter().flatten() {
                if let (HeldMotion::Slip(d), HeldMotion::Slip(now)) =
                    (&mut held.motions[block.slot], block.motion)
                {
                    *d = now;
                }
            }
        }
    }

    /// Takes gaps and slips that have left zero out of the list of those that start there.
    pub(super) fn arm(&mut self, system: &dyn System) {
        self.leave_edges(system);
        if self.phase.starting.is_empty() {
            return;
        }
        let starting = std::mem::take(&mut self.phase.starting);
        self.look.copy_from(&self.state);
        self.flow.look(system, &self.look, &self.phase.held, Scope::All);
        triggers::values(system, &self.flow, &self.look, &self.phase, &mut self.values);
        self.phase.starting = starting;
        let values = &self.values;
        self.phase.starting.retain(|s| {
            values.iter().any(|v| (v.id, v.slot) == *s && v.moves() && v.value <= 2.0 * v.rounding)
        });
    }
}

/// The parts of the flow that are held, in the order of the phase.
pub(super) fn held_parts(flow: &Flow) -> impl Iterator<Item = &part::Part> {
    flow.parts.iter().filter(|p| !matches!(p.law, Law::Bilateral { .. }))
}

/// The total of a constraint, made when it is not there.
pub(super) fn total(totals: &mut Vec<Total>, id: ConstraintId) -> &mut Total {
    let k = match totals.binary_search_by_key(&id, |t| t.id) {
        Ok(k) => k,
        Err(k) => {
            totals.insert(k, Total { id, impulse: [0.0; MAX_ROWS], before: [0.0; MAX_ROWS] });
            k
        }
    };
    &mut totals[k]
}
