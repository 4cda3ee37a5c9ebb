//! What a step leaves behind: the work done, and what every constraint did.

use super::super::layers::Layered;
use super::super::surface::physical;
use super::{Assembly, STICKING};
use crate::energy::StepWork;
use crate::step::{Mode, Outcome, Step};
use crate::system::{Constraint, Law};
use complementarity::problem::contact::Group;
use complementarity::problem::law::MAX_ROWS;

impl Assembly {
    /// The work of the step, `energy.rs` eq. (1). Drives and moving surfaces put in what their drift does.
    pub(super) fn account(&mut self, u: &[f64], out: &mut Step) {
        let end = &out.state.u;
        let mut work = StepWork::default();
        for i in 0..u.len() {
            let mean = 0.5 * (u[i] + end[i]);
            let (conservative, applied) = (self.frozen.force[i] * mean, self.frozen.applied[i] * mean);
            work.conservative += out.dt * conservative;
            work.applied += out.dt * applied;
            work.turnover += out.dt * (conservative.abs() + applied.abs());
        }
        for (g, group) in self.problem.groups.iter().enumerate() {
            let c = &self.frozen.constraints[self.selected[g]];
            let mut mean = c.drift;
            let parts = c.first_part..c.end_part;
            self.frozen.jacobian.add_velocity(parts, end, &mut mean[..c.law.rows()]);
            let impulse = physical(&c.law, self.cone, &self.impulses[group.rows()]);
            if let Some(layer) = self.layers.of(self.selected[g]) {
                self.account_layer(layer, (group, c), (&impulse, &mean), (out.dt, &mut work));
                continue;
            }
            for (r, row) in group.rows().enumerate() {
                let lambda = impulse[r];
                let power = lambda * 0.5 * (mean[r] + self.before[row]);
                work.applied -= lambda * c.drift[r];
                work.turnover += power.abs() + (lambda * c.drift[r]).abs();
                match c.law {
                    Law::Contact { .. } | Law::Limit if r == 0 => work.normal += power,
                    Law::Contact { .. } | Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } => {
                        work.friction += power
                    }
                    Law::Bilateral { .. } => work.joints += power,
                    // all that a motor does is put in; its target's motion is in `drift`
                    Law::Servo { .. } => work.applied += power,
                }
            }
        }
        work.kinetic_change = self.frozen.mass.half_square(end) - self.frozen.mass.half_square(u);
        self.scratch.clear();
        self.scratch.extend(end.iter().zip(u).map(|(a, b)| a - b));
        work.half_change = self.frozen.mass.half_square(&self.scratch);
        out.work = work;
    }

    /// The work of a layered contact: what its damper, its core and slip take, and the rest, which its spring stores but
    /// for the discretisation.
    fn account_layer(
        &self,
        layer: &Layered,
        (group, c): (&Group, &Constraint),
        (impulse, end): (&[f64; MAX_ROWS], &[f64; MAX_ROWS]),
        (dt, work): (f64, &mut StepWork),
    ) {
        let (mut total, mut slip) = (0.0, 0.0);
        for (r, row) in group.rows().enumerate() {
            let lambda = impulse[r];
            let power = lambda * 0.5 * (end[r] + self.before[row]);
            total += power;
            work.applied -= lambda * c.drift[r];
            work.turnover += power.abs() + (lambda * c.drift[r]).abs();
            // scaled or not, the product is the same
            slip += if r > 0 { self.impulses[row] * self.xi[row] } else { 0.0 };
        }
        let first = group.rows().start;
        let taken = layer.core() * 0.5 * (end[0] + self.before[first]) - layer.damped(dt);
        work.normal += taken;
        work.friction += slip;
        work.conservative += total - taken - slip;
        work.turnover += taken.abs() + slip.abs();
    }

    pub(super) fn write_outcomes(&self, out: &mut Step) {
        out.outcomes.clear();
        let sticking = STICKING * self.problem.scale;
        let (mut g, mut k) = (0, 0);
        for (i, c) in self.frozen.constraints.iter().enumerate() {
            let mut outcome = Outcome {
                constraint: *c,
                gap: c.gap[0],
                impulse: [0.0; MAX_ROWS],
                velocity: c.drift,
                velocity_before: [0.0; MAX_ROWS],
                mode: Mode::Open,
            };
            let rows = c.law.rows();
            let parts = c.first_part..c.end_part;
            self.frozen.jacobian.add_velocity(parts, &out.state.u, &mut outcome.velocity[..rows]);
            if g < self.selected.len() && self.selected[g] == i {
                let range = self.problem.groups[g].rows();
                outcome.impulse = physical(&c.law, self.cone, &self.impulses[range.clone()]);
                outcome.velocity_before[..rows].copy_from_slice(&self.before[range]);
                outcome.mode = mode(c.law, &outcome, sticking);
                g += 1;
            }
            // the gap at the end: from the geometry there, or by its rate where the end does not list it
            while k < self.end.constraints.len() && self.end.constraints[k].id < c.id {
                k += 1;
            }
            let listed = k < self.end.constraints.len() && self.end.constraints[k].id == c.id;
            outcome.gap =
                if listed { self.end.constraints[k].gap[0] } else { c.gap[0] + out.dt * outcome.velocity[0] };
            out.outcomes.push(outcome);
        }
    }
}

fn mode(law: Law, outcome: &Outcome, sticking: f64) -> Mode {
    let v = &outcome.velocity;
    let slip = match law {
        Law::Contact { .. } | Law::Limit if outcome.impulse[0] <= 0.0 => return Mode::Open,
        Law::Contact { tangents: 1, .. } => v[1].abs(),
        Law::Contact { .. } => v[1].hypot(v[2]),
        Law::Dry { .. } | Law::Servo { .. } => v[0].abs(),
        Law::DryDisc { .. } => v[0].hypot(v[1]),
        Law::Bilateral { .. } | Law::Limit => 0.0,
    };
    if slip > sticking { Mode::Slip } else { Mode::Stick }
}
