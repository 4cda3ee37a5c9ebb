//! Impacts: Newton's law with restitution, friction impulses by the velocity-level contact problem, and rebounds that pile up.

use super::switch::{STILL, insert, motions, slips, unilateral, velocity};
use super::triggers::GAP_ROUNDING;
use super::{EventDriven, total};
use crate::events::{Event, EventKind};
use crate::friction::blocks;
use crate::step::Held;
use crate::stepper::StepError;
use crate::stepper::surface::physical;
use crate::system::{Constraint, ConstraintId, Law, System};

/// A rebound lower than this, relative to the gap's size, is none.
const LOWEST: f64 = 1024.0 * f64::EPSILON;

impl EventDriven {
    /// Eq. (2) for everything that touches, then the next phase.
    pub(super) fn strike(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        let a = &mut self.assembly;
        system.dynamics(&self.state, &mut a.frozen);
        system.constraints(&self.state, self.flow.reach, &mut a.frozen);
        a.free.clone_from(&self.state.u);
        let near = |c: &Constraint| c.gap[0] <= 2.0 * GAP_ROUNDING * system.size(&self.state, &a.frozen, c);
        let held = &self.phase.held;
        let is_held = |c: &Constraint| held.binary_search_by_key(&c.id, |h| h.id).is_ok();
        let touching: Vec<ConstraintId> = a
            .frozen
            .constraints
            .iter()
            .filter(|c| matches!(c.law, Law::Bilateral { .. }) || (unilateral(c) && (is_held(c) || near(c))))
            .map(|c| c.id)
            .collect();
        let u = self.state.u.clone();
        let shift = |c: &Constraint, before: f64, row: usize| match c.law {
            Law::Contact { surface, .. } if row == 0 => surface.restitution * before,
            Law::Contact { surface, .. } => surface.tangential_restitution * before,
            _ => 0.0,
        };
        let report = a.solve(&u, 0.0, |c| touching.binary_search(&c.id).is_ok(), shift);
        a.end_velocity(&mut self.state.u);
        let scale = a.problem().scale;
        self.impact = self.impact.max(if scale > 0.0 { report.residual } else { 0.0 });
        self.account_impact(&u);
        let still = STILL.max(10.0 * report.residual) * scale;
        let mut rebounds = self.after_impact(&u, &touching, still);
        self.settle(system);
        self.select(system, dt)?;
        rebounds.retain(|id| self.is_too_low(system, *id));
        if !rebounds.is_empty() {
            for id in rebounds {
                self.close(id, still);
            }
            self.settle(system);
            self.select(system, dt)?;
        }
        Ok(())
    }

    /// Work and impulses of an impact from velocity `u`.
    fn account_impact(&mut self, u: &[f64]) {
        let look = &self.assembly.frozen;
        for (c, scaled) in self.assembly.impulses() {
            let impulse = physical(&c.law, self.assembly.cone, scaled);
            let (before, after) = (velocity(look, c, u), velocity(look, c, &self.state.u));
            let total = total(&mut self.totals, c.id);
            for (r, lambda) in impulse[..c.law.rows()].iter().enumerate() {
                total.impulse[r] += lambda;
                let power = lambda * 0.5 * (before[r] + after[r]);
                self.work.applied -= lambda * c.drift[r];
                self.work.turnover += power.abs() + (lambda * c.drift[r]).abs();
                match c.law {
                    Law::Contact { .. } | Law::Limit if r == 0 => self.work.normal += power,
                    Law::Bilateral { .. } => self.work.joints += power,
                    _ => self.work.friction += power,
                }
            }
        }
    }

    /// Which contacts are closed after an impact, and whether they slip. Returns those that rebound.
    fn after_impact(&mut self, u: &[f64], touching: &[ConstraintId], still: f64) -> Vec<ConstraintId> {
        let look = &self.assembly.frozen;
        let mut rebounds = Vec::new();
        self.phase.held.clear();
        for c in &look.constraints {
            let (before, after) = (velocity(look, c, u), velocity(look, c, &self.state.u));
            let took_part = unilateral(c) && touching.binary_search(&c.id).is_ok();
            if took_part && before[0] < -still {
                let event = Event { t: self.state.t, kind: EventKind::Impact, id: c.id, value: -before[0] };
                self.events.push(event);
            }
            if took_part && after[0] > still {
                insert(&mut self.phase.starting, (c.id, 0));
                if before[0] < -still {
                    rebounds.push(c.id);
                }
            } else if took_part || matches!(c.law, Law::Dry { .. } | Law::DryDisc { .. }) {
                let motions = motions(&c.law, self.assembly.cone, after, still);
                self.phase.held.push(Held { id: c.id, motions });
                self.phase.starting.retain(|s| s.0 != c.id);
            }
        }
        rebounds
    }

    /// True when the flight of an open contact is lower than rounding can resolve.
    fn is_too_low(&mut self, system: &dyn System, id: ConstraintId) -> bool {
        let Ok(index) = self.flow.look.constraints.binary_search_by_key(&id, |c| c.id) else { return false };
        let c = self.flow.look.constraints[index];
        let mut bias = Vec::new();
        self.flow.probe.biases(system, &self.state, (&self.flow.look, &[index]), &mut bias);
        let mut acceleration = bias[0];
        let parts = c.first_part..c.end_part;
        self.flow.look.jacobian.add_velocity(
            parts,
            &self.flow.acceleration,
            &mut acceleration[..c.law.rows()],
        );
        let speed = velocity(&self.flow.look, &c, &self.state.u)[0];
        let height = 0.5 * speed * speed;
        height <= LOWEST * system.size(&self.state, &self.flow.look, &c) * -acceleration[0]
    }

    /// Closes a contact whose rebounds pile up.
    fn close(&mut self, id: ConstraintId, still: f64) {
        let look = &self.flow.look;
        let Ok(index) = look.constraints.binary_search_by_key(&id, |c| c.id) else { return };
        let c = &look.constraints[index];
        // rows of the flow are scaled already
        let v = velocity(look, c, &self.state.u);
        let held = Held { id, motions: slips(&blocks(&c.law, self.assembly.cone), &v, still) };
        if let Err(k) = self.phase.held.binary_search_by_key(&id, |h| h.id) {
            self.phase.held.insert(k, held);
        }
        self.phase.starting.retain(|s| s.0 != id);
        self.events.push(Event { t: self.state.t, kind: EventKind::Accumulation, id, value: v[0].abs() });
    }
}
