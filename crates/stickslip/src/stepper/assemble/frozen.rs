//! The configuration at which a step takes mass, forces and rows.

use super::judgement::Ending;
use super::soft::{Soft, Taken};
use crate::state::State;
use crate::step::Warm;
use crate::system::{Constraint, Law, Snapshot, System, Turn};
use complementarity::problem::operator::BlockDiagonal;

/// By how much of itself a bend may change from step to step for a line to foresee it.
const STEADY: f64 = 0.25;

/// M, f and W at one configuration, and the velocity that forces alone lead to.
#[derive(Default)]
pub(in crate::stepper) struct Frozen {
    pub at: Snapshot,
    /// u_free of eq. (1) in `assemble.rs`.
    pub free: Vec<f64>,
    /// The velocity before.
    pub before: Vec<f64>,
    /// Forces that answer the motion of the step.
    pub soft: Soft,
    /// dt f.
    impulse: Vec<f64>,
    /// Laws are those of the velocity that coordinates move at, lead and all, instead of that at the end of the step.
    pub leads: bool,
    reaction: Vec<f64>,
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
        self.before.clear();
        self.before.extend_from_slice(u);
        if self.soft.acts {
            self.soft.add_forces(&self.at, dt, &mut self.impulse);
        }
        let mut free = std::mem::take(&mut self.free);
        self.inverse().add_product(0, &self.impulse, &mut free);
        self.free = free;
    }

    /// What smooth motion needs of the dynamics that are frozen: forces that answer it, bodies that turn under all
    /// forces, the velocity without impulses.
    pub fn smooth(&mut self, system: &dyn System, turn: &Turn, taken: Taken) {
        let (u, dt) = (&turn.from.u, turn.times[0]);
        if self.soft.chosen {
            system.stiffness(turn.at, &mut self.at);
            self.soft.take(&self.at, (u, dt), taken);
        }
        let later = system.turns_under_constraints();
        if !self.soft.acts && !later {
            system.turn(turn, &mut self.at);
        }
        self.free_velocity(u, dt);
        if self.soft.acts && !later {
            let free = std::mem::take(&mut self.free);
            self.turn_under(system, turn, &free);
            self.free = free;
            self.free_velocity(u, dt);
        }
    }

    /// Lets bodies turn under all forces of a step that ends with a velocity.
    pub fn turn_under(&mut self, system: &dyn System, turn: &Turn, end: &[f64]) {
        let (u, dt) = (&turn.from.u, turn.times[0]);
        self.impulse.clear();
        self.impulse.extend(end.iter().zip(u).map(|(end, u)| (end - u) / dt));
        self.reaction.clear();
        self.reaction.extend(self.at.force.iter().zip(&self.at.applied).map(|(f, a)| -f - a));
        self.at.mass.add_product(0, &self.impulse, &mut self.reaction);
        system.turn(&Turn { reaction: Some(&self.reaction), ..*turn }, &mut self.at);
    }

    /// Adds what the coordinates of a mechanism move at along the rows of a constraint beside the velocity at the end
    /// of the step, where its laws are those of the motion. Joints are aimed at otherwise (`shake.rs`).
    pub fn add_lead(&self, c: &Constraint, rates: &mut [f64]) {
        if self.leads && !self.at.lead.is_empty() && !matches!(c.law, Law::Bilateral { .. }) {
            self.at.jacobian.add_velocity(c.first_part..c.end_part, &self.at.lead, rates);
        }
    }

    /// Lets mechanisms move as their constraints leave them, once those are known, with the forces of the last step.
    /// Where nothing turns so, nothing is done.
    pub fn turn_as_before(&mut self, system: &dyn System, turn: &Turn, warm: &Warm) {
        if !system.turns_under_constraints() {
            return;
        }
        let dt = turn.times[0];
        self.impulse.clear();
        self.impulse.resize(self.free.len(), 0.0);
        let mut k = 0;
        for c in &self.at.constraints {
            while k < warm.ids.len() && warm.ids[k] < c.id {
                k += 1;
            }
            if warm.ids.get(k) == Some(&c.id) {
                let force = warm.forces[k].map(|f| dt * f);
                let parts = c.first_part..c.end_part;
                self.at.jacobian.add_force(parts, &force[..c.law.rows()], &mut self.impulse);
            }
        }
        let mut end = std::mem::take(&mut self.free);
        self.inverse().add_product(0, &self.impulse, &mut end);
        self.turn_under(system, turn, &end);
        self.free = end;
        self.free_velocity(&turn.from.u, dt);
    }

    /// The inverse mass, with what forces that answer motion make of it.
    pub fn inverse(&self) -> &BlockDiagonal {
        if self.soft.acts { &self.soft.inverse } else { &self.at.inverse_mass }
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
