//! What holds at the end of a step, made from its solution.

use super::frozen::Frozen;
use super::solution::Solution;
use crate::certificate::{Blame, Certificate};
use crate::state::State;
use crate::step::{Mode, Step, Warm};
use crate::stepper::project::{Contacts, Projection};
use crate::system::{Law, Snapshot, System};
use complementarity::problem::law::MAX_ROWS;

/// The configuration at the end of a step.
#[derive(Default)]
pub(in crate::stepper) struct Ending {
    pub at: Snapshot,
    /// The state that it belongs to, if it was looked at since it was handed over.
    state: State,
    is_looked_at: bool,
    /// How far contacts were looked for, m.
    reach: f64,
    projection: Projection,
}

impl Ending {
    /// Gives what was seen at the end of the last step to the next, if that begins there.
    pub fn hand_over(&mut self, system: &dyn System, at: &State, to: &mut Snapshot) -> bool {
        let same = self.is_looked_at && system.is_autonomous() && self.state == *at;
        if same {
            std::mem::swap(&mut self.at, to);
        }
        self.is_looked_at = false;
        same
    }

    /// Moves positions back onto the joints they drifted off, not into contacts. The energy that takes is the
    /// discretisation's.
    pub fn keep_joints(
        &mut self,
        system: &dyn System,
        frozen: &Frozen,
        state: &mut State,
        contacts: Contacts,
    ) {
        if system.has_joints() {
            self.projection.apply(system, &frozen.at, state, contacts);
        }
    }

    /// Looks at the configuration that a solution leads to: energies, penetration and joint errors. The next step may
    /// use this look when it needs contacts no farther away than `reach`.
    pub fn look(&mut self, system: &dyn System, reach: f64, solution: &Solution, out: &mut Step) {
        system.dynamics(&out.state, &mut self.at);
        system.constraints(&out.state, reach, &mut self.at);
        self.state.copy_from(&out.state);
        self.is_looked_at = true;
        self.reach = reach;
        out.kinetic = self.at.mass.half_square(&out.state.u);
        out.potential = self.at.potential;
        out.certificate = Certificate::default();
        out.blame = Blame::default();
        let has_layers = !solution.problem.posed.layers.entries.is_empty();
        for c in &self.at.constraints {
            match c.law {
                Law::Contact { .. } => {
                    // a layer gives way as far as its core
                    let layer = if has_layers { system.layer(c.id) } else { None };
                    let overlap = -c.gap[0] - layer.map_or(0.0, |l| l.depth);
                    if overlap > out.certificate.penetration {
                        out.certificate.penetration = overlap;
                        out.blame.penetration = Some(c.id);
                    }
                }
                Law::Bilateral { rows } => {
                    let error = c.gap[..rows].iter().fold(0.0, |m: f64, g| m.max(g.abs()));
                    if error > out.certificate.joint {
                        out.certificate.joint = error;
                        out.blame.joint = Some(c.id);
                    }
                }
                Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } | Law::Servo { .. } => {}
            }
        }
    }

    /// True when a contact overlaps at the end of the step that did not take part in it.
    pub fn has_overlooked_contact(&self, solution: &Solution) -> bool {
        let (mut k, groups) = (0, solution.problem.posed.selected.len());
        let overlap = self.at.constraints.iter().filter(|c| c.is_contact() && c.gap[0] < 0.0);
        overlap.into_iter().any(|c| {
            while k < groups && solution.problem.constraint(k).id < c.id {
                k += 1;
            }
            k == groups || solution.problem.constraint(k).id != c.id
        })
    }

    /// Judges a solution that was looked at: residuals of the laws, work, outcomes; keeps the forces for the next step.
    /// `u` is the velocity before.
    pub fn judge(&self, solution: &mut Solution, u: &[f64], warm: &mut Warm, out: &mut Step) {
        solution.problem.posed.compute_diagonal();
        let (posed, found) = (&solution.problem.posed, &solution.found);
        let residual = posed.contact.residual_of(&found.impulses, &found.xi, |c| posed.diagonal[c]);
        // a joint's velocity law is an equation: it is judged with the other laws
        let (contact, joint) = (residual.complementarity, residual.bilateral);
        let broken = contact.is_nan() || joint.is_nan();
        out.certificate.complementarity = if broken { f64::NAN } else { contact.max(joint) };
        out.certificate.cone = residual.cone;
        out.certificate.dissipation = residual.dissipation;
        out.blame.law = residual.worst_group.map(|g| solution.problem.constraint(g).id);
        out.report = solution.report;
        solution.account(u, out);
        solution.write_outcomes(&self.at, out);
        warm.look = self.reach;
        warm.ids.clear();
        warm.forces.clear();
        warm.slips.clear();
        warm.ids.reserve(out.outcomes.len());
        warm.forces.reserve(out.outcomes.len());
        for o in out.outcomes.iter().filter(|o| o.impulse != [0.0; MAX_ROWS]) {
            warm.ids.push(o.constraint.id);
            warm.forces.push(o.impulse.map(|x| force(x, out.dt)));
            warm.slips.push((o.constraint.id, o.mode == Mode::Slip));
        }
    }
}

/// The force that gives an impulse in a time, to the last bit where one of the three numbers next to the quotient does:
/// impulses that are the same from step to step are then the same from checkpoint to checkpoint.
fn force(impulse: f64, dt: f64) -> f64 {
    let quotient = impulse / dt;
    let near = [quotient, quotient.next_up(), quotient.next_down()];
    near.into_iter().find(|f| f * dt == impulse).unwrap_or(quotient)
}
