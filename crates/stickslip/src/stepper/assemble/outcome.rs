//! What a step leaves behind: the work done, and what every constraint did.

use super::STICKING;
use super::solution::Solution;
use crate::energy::StepWork;
use crate::step::{Mode, Outcome, Step};
use crate::stepper::layers::Layered;
use crate::system::{Constraint, Law, Snapshot};
use complementarity::dense::dot;
use complementarity::problem::contact::Group;
use complementarity::problem::law::MAX_ROWS;

impl Solution<'_> {
    /// The work of the step, `energy.rs` eq. (1). Drives and moving surfaces put in what their drift does.
    pub(super) fn account(&mut self, u: &[f64], out: &mut Step) {
        let (end, frozen, posed) = (&out.state.u, &self.problem.frozen.at, &self.problem.posed);
        let mut work = StepWork::default();
        for i in 0..u.len() {
            let mean = 0.5 * (u[i] + end[i]);
            let (conservative, applied) = (frozen.force[i] * mean, frozen.applied[i] * mean);
            work.conservative += out.dt * conservative;
            work.applied += out.dt * applied;
            work.turnover += out.dt * (conservative.abs() + applied.abs());
        }
        let [conservative, applied, size] = self.problem.frozen.soft.works(frozen, u, out);
        work.conservative += conservative;
        work.applied += applied;
        work.turnover += size;
        for (g, group) in posed.contact.groups.iter().enumerate() {
            let c = self.problem.constraint(g);
            let mut mean = c.drift;
            let parts = c.first_part..c.end_part;
            frozen.jacobian.add_velocity(parts, end, &mut mean[..c.law.rows()]);
            let impulse = self.impulse(g);
            if let Some(layer) = posed.layers.of(posed.selected[g]) {
                self.account_layer(layer, (group, c), (&impulse, &mean), (out.dt, &mut work));
                continue;
            }
            for (r, row) in group.rows().enumerate() {
                let lambda = impulse[r];
                let power = lambda * 0.5 * (mean[r] + posed.before[row]);
                work.applied -= lambda * c.drift[r];
                work.turnover += power.abs() + (lambda * c.drift[r]).abs();
                *work.of(c.law.row(r)) += power;
            }
        }
        work.kinetic_change = frozen.mass.half_square(end) - frozen.mass.half_square(u);
        if !frozen.gyroscopic.is_empty() {
            work.gyroscopic = Some(out.dt * dot(&frozen.gyroscopic, end));
        }
        let scratch = &mut self.found.scratch;
        scratch.clear();
        scratch.extend(end.iter().zip(u).map(|(a, b)| a - b));
        work.half_change = frozen.mass.half_square(scratch);
        out.work = work;
    }

    /// The work of a layered contact: what its damper, its core and slip take, and the rest, which its spring stores
    /// but for the discretisation.
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
            let power = lambda * 0.5 * (end[r] + self.problem.posed.before[row]);
            total += power;
            work.applied -= lambda * c.drift[r];
            work.turnover += power.abs() + (lambda * c.drift[r]).abs();
            // scaled or not, the product is the same
            slip += if r > 0 { self.found.impulses[row] * self.found.xi[row] } else { 0.0 };
        }
        let first = group.rows().start;
        let taken = layer.core() * 0.5 * (end[0] + self.problem.posed.before[first]) - layer.damped(dt);
        work.normal += taken;
        work.friction += slip;
        work.conservative += total - taken - slip;
        work.turnover += taken.abs() + slip.abs();
    }

    /// What every constraint did; `end` are those of the end of the step.
    pub(super) fn write_outcomes(&self, end: &Snapshot, out: &mut Step) {
        out.outcomes.clear();
        let (posed, frozen) = (&self.problem.posed, &self.problem.frozen.at);
        let sticking = STICKING * posed.contact.scale;
        let (mut g, mut k) = (0, 0);
        for (i, c) in frozen.constraints.iter().enumerate() {
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
            frozen.jacobian.add_velocity(parts, &out.state.u, &mut outcome.velocity[..rows]);
            self.problem.frozen.add_lead(c, &mut outcome.velocity[..rows]);
            if posed.selected.get(g) == Some(&i) {
                outcome.impulse = self.impulse(g);
                outcome.velocity_before[..rows]
                    .copy_from_slice(&posed.before[posed.contact.groups[g].rows()]);
                outcome.mode = mode(c.law, &outcome, sticking);
                g += 1;
            }
            // the gap at the end: from the geometry there, or by its rate where the end does not list it
            while k < end.constraints.len() && end.constraints[k].id < c.id {
                k += 1;
            }
            let listed = end.constraints.get(k).filter(|e| e.id == c.id);
            outcome.gap = listed.map_or(c.gap[0] + out.dt * outcome.velocity[0], |e| e.gap[0]);
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
