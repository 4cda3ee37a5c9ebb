//! The configuration at which a step takes mass, forces and rows.

use super::judgement::Ending;
use crate::state::State;
use crate::step::Warm;
use crate::system::{Law, Snapshot, System};

/// By how much of itself a bend may change from step to step for a line to foresee it.
const STEADY: f64 = 0.25;

/// M, f and W at one configuration, and the velocity that forces alone lead to.
#[derive(Default)]
pub(in crate::stepper) struct Frozen {
    pub at: Snapshot,
    /// u_free of eq. (1) in `assemble.rs`.
    pub free: Vec<f64>,
    /// dt f.
    impulse: Vec<f64>,
    /// Whether this is the end of the last step, whose constraints have been looked for.
    seen: bool,
}

impl Frozen {
    /// Freezes mass and forces at a state: those of the last step's end when that is the state.
    pub fn dynamics(&mut self, system: &dyn System, at: &State, last: &mut Ending) {
        self.seen = last.hand_over(system, at, &mut self.at);
        if !self.seen {
            system.dynamics(at, &mut self.at);
        }
    }

    /// The velocity that the coordinates of a step move at whose velocity at the end is `u`.
    pub fn led<'a>(&self, u: &'a [f64], memory: &'a mut Vec<f64>) -> &'a [f64] {
        if self.at.lead.is_empty() {
            return u;
        }
        memory.clear();
        memory.extend(u.iter().zip(&self.at.lead).map(|(u, lead)| u + lead));
        memory
    }

    /// Freezes the constraints within `reach` at the state whose dynamics were frozen. Looks as far as the end of the
    /// last step was looked at, if that is enough: then what was seen there serves again, and a run that goes on from a
    /// checkpoint, which has not seen it, looks in the same way.
    pub fn constraints(&mut self, system: &dyn System, at: &State, reach: f64, warm: &Warm) {
        let enough = warm.look >= reach;
        if !(enough && self.seen) {
            system.constraints(at, if enough { warm.look } else { reach }, &mut self.at);
        }
        self.seen = false;
        self.at.constraints.retain(|c| !matches!(c.law, Law::Contact { .. }) || c.gap[0] <= reach);
    }

    /// Eq. (1): the velocity without impulses, from a velocity before.
    pub fn free_velocity(&mut self, u: &[f64], dt: f64) {
        self.impulse.clear();
        self.impulse.extend(self.at.force.iter().zip(&self.at.applied).map(|(f, a)| dt * (f + a)));
        self.free.clear();
        self.free.extend_from_slice(u);
        self.at.inverse_mass.add_product(0, &self.impulse, &mut self.free);
    }

    /// The forces of constraints in a step that ends with the velocity u.
    pub fn reaction(&mut self, u: &[f64], dt: f64, out: &mut Vec<f64>) {
        self.impulse.clear();
        self.impulse.extend(u.iter().zip(&self.free).map(|(u, free)| (u - free) / dt));
        out.clear();
        out.resize(u.len(), 0.0);
        self.at.mass.add_product(0, &self.impulse, out);
    }

    /// Lets the gaps of contacts bend as the last steps foretell (`pairs.rs`); both lists are ordered by id. A positive
    /// bend below `least`, m, is none.
    pub fn foresee_bends(&mut self, warm: &Warm, dt: f64, least: f64) {
        let mut k = 0;
        for c in &mut self.at.constraints {
            while k < warm.bends.len() && warm.bends[k].0 < c.id {
                k += 1;
            }
            let known = warm.bends.get(k).filter(|(id, ..)| *id == c.id);
            let beta = match known {
                Some((_, last, Some(before))) if (last - before).abs() <= STEADY * last.abs() => {
                    2.0 * last - before // a line
                }
                Some((_, last, _)) => last.min(0.0),
                None => 0.0,
            };
            let bend = beta * dt * dt;
            c.bend = if bend < 0.0 { bend } else { 0.5 * bend };
            if bend > 0.0 && c.bend <= least {
                c.bend = 0.0;
            }
        }
    }

    /// True when a gap bends.
    pub fn is_bent(&self) -> bool {
        self.at.constraints.iter().any(|c| c.bend != 0.0)
    }
}
