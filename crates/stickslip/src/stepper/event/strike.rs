//! Impacts: Newton's law with restitution, friction impulses by the velocity-level contact problem, and rebounds that
//! pile up.
//!
//! Newton's law and Coulomb's together may make energy (Kane and Levinson's pendulum): the normal velocity is turned
//! around whatever friction has done meanwhile. With the relative velocities gamma before and after,
//!
//! ```text
//! sum Lambda · (gamma− + gamma+) / 2 <= 0                                                               (1)
//! ```
//!
//! holds for every impact without restitution, and for all impacts where nothing rubs. Where (1) does not hold, all
//! restitutions of the impact are lowered by the same factor, the largest with which it does, and `restrained` is listed
//! with that factor.

use super::switch::{STILL, insert, motions, slips, unilateral, velocity};
use super::triggers::GAP_ROUNDING;
use super::{EventDriven, Total, total};
use crate::energy::StepWork;
use crate::events::{Event, EventKind};
use crate::friction::blocks;
use crate::step::Held;
use crate::stepper::StepError;
use crate::stepper::assemble::Assembly;
use crate::stepper::assemble::solution::Solution;
use crate::system::{Constraint, ConstraintId, Law, System};

/// A rebound lower than this, relative to the gap's size, is none.
const LOWEST: f64 = 1024.0 * f64::EPSILON;

/// Energy that an impact makes below this part of what it turns over is rounding.
const NOTHING: f64 = 1e-12;
/// How narrowly the part of the restitution that makes no energy is found.
const NARROW: f64 = 1e-12;

impl EventDriven {
    /// Eq. (2) for everything that touches, then the next phase.
    pub(super) fn strike(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        let Assembly { frozen, posing, solving, warm, .. } = &mut self.assembly;
        self.flow.probe.features.set_out(&self.state);
        system.dynamics(&self.state, &mut frozen.at);
        system.constraints(&self.state, self.flow.reach, &mut frozen.at);
        frozen.free.clone_from(&self.state.u);
        let near = |c: &Constraint| c.gap[0] <= 2.0 * GAP_ROUNDING * system.size(&self.state, &frozen.at, c);
        let held = &self.phase.held;
        let is_held = |c: &Constraint| held.binary_search_by_key(&c.id, |h| h.id).is_ok();
        let touching: Vec<ConstraintId> = frozen
            .at
            .constraints
            .iter()
            .filter(|c| matches!(c.law, Law::Bilateral { .. }) || (unilateral(c) && (is_held(c) || near(c))))
            .map(|c| c.id)
            .collect();
        let u = self.state.u.clone();
        let takes_part = |c: &Constraint| touching.binary_search(&c.id).is_ok();
        let mut part = Restraint::default();
        let solution = loop {
            let shift = |c: &Constraint, before: f64, row: usize| part.kept * c.law.restitution(row) * before;
            let problem = posing.pose(frozen, (&u, 0.0), takes_part, shift);
            let mut solution = solving.solve(problem, warm);
            solution.velocity(&mut self.state.u);
            if part.is_found(&solution, [&u, &self.state.u]) {
                break solution;
            }
        };
        let (mut report, scale) = (solution.report, solution.problem.posed.contact.scale);
        if approaches(&solution, &u, STILL * scale) {
            account_impact(&solution, [&u, &self.state.u], &mut self.totals, &mut self.work);
        } else {
            self.state.u.clone_from(&u);
            report.residual = 0.0;
        }
        self.impact = self.impact.max(if scale > 0.0 { report.residual } else { 0.0 });
        let still = STILL.max(10.0 * report.residual) * scale;
        let mut rebounds = self.after_impact(&u, &touching, still);
        if part.kept < 1.0
            && let Some(id) = self.hardest()
        {
            self.events.push(Event { t: self.state.t, kind: EventKind::Restrained, id, value: part.kept });
        }
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

    /// Which contacts are closed after an impact, and whether they slip. Returns those that rebound, or are thrown off by
    /// others.
    fn after_impact(&mut self, u: &[f64], touching: &[ConstraintId], still: f64) -> Vec<ConstraintId> {
        let look = &self.assembly.frozen.at;
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
                rebounds.push(c.id);
            } else if took_part || matches!(c.law, Law::Dry { .. } | Law::DryDisc { .. }) {
                let motions = motions(&c.law, self.assembly.posing.cone, after, still);
                self.phase.held.push(Held { id: c.id, motions });
                self.phase.starting.retain(|s| s.0 != c.id);
            }
        }
        rebounds
    }

    /// The contact that the impact at this instant struck fastest.
    fn hardest(&self) -> Option<ConstraintId> {
        let now = self.events.iter().filter(|e| e.t == self.state.t && e.kind == EventKind::Impact);
        now.max_by(|x, y| x.value.total_cmp(&y.value)).map(|e| e.id)
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
        let held = Held { id, motions: slips(&blocks(&c.law, self.assembly.posing.cone), &v, still) };
        if let Err(k) = self.phase.held.binary_search_by_key(&id, |h| h.id) {
            self.phase.held.insert(k, held);
        }
        self.phase.starting.retain(|s| s.0 != id);
        self.events.push(Event { t: self.state.t, kind: EventKind::Accumulation, id, value: v[0].abs() });
    }
}

/// The part of the restitution with which an impact makes no energy: all of it, unless Newton's law and friction
/// together would; without restitution they never do.
struct Restraint {
    /// The part that is looked at.
    kept: f64,
    /// The largest that is known to make none, and the least that does.
    low: f64,
    high: f64,
}

impl Default for Restraint {
    fn default() -> Self {
        Self { kept: 1.0, low: 0.0, high: f64::INFINITY }
    }
}

impl Restraint {
    /// Looks at an impact with the part kept; false when it is to be solved again with another.
    fn is_found(&mut self, solution: &Solution, velocities: [&[f64]; 2]) -> bool {
        if self.high.is_finite() && self.high - self.low <= NARROW {
            return true;
        }
        let (mut work, mut turnover) = (0.0, 0.0);
        let look = &solution.problem.frozen.at;
        for (c, impulse) in solution.impulses() {
            let [before, after] = velocities.map(|u| velocity(look, c, u));
            for (r, lambda) in impulse[..c.law.rows()].iter().enumerate() {
                work += lambda * 0.5 * (before[r] + after[r]);
                turnover += (lambda * before[r]).abs() + (lambda * after[r]).abs();
            }
        }
        let makes = work > NOTHING * turnover;
        if !makes && self.kept == 1.0 {
            return true;
        }
        if makes {
            self.high = self.kept
        } else {
            self.low = self.kept
        }
        // at last the part that is known to make none
        let narrow = self.high - self.low <= NARROW;
        self.kept = if narrow { self.low } else { 0.5 * (self.low + self.high) };
        false
    }
}

/// True when something strikes. Where nothing does no impulse is among those that the laws allow, and it is the one that
/// is meant: with friction there may be others (shocks without an impact), which solvers may find.
fn approaches(solution: &Solution, u: &[f64], still: f64) -> bool {
    let look = &solution.problem.frozen.at;
    solution.impulses().any(|(c, _)| {
        let v = velocity(look, c, u);
        match c.law {
            Law::Bilateral { rows } => v[..rows].iter().any(|v| v.abs() > still),
            _ => unilateral(c) && v[0] < -still,
        }
    })
}

/// Work and impulses of an impact, with the velocities before and after.
fn account_impact(
    solution: &Solution,
    [before, after]: [&[f64]; 2],
    totals: &mut Vec<Total>,
    work: &mut StepWork,
) {
    let look = &solution.problem.frozen.at;
    for (c, impulse) in solution.impulses() {
        let (before, after) = (velocity(look, c, before), velocity(look, c, after));
        let total = total(totals, c.id);
        for (r, lambda) in impulse[..c.law.rows()].iter().enumerate() {
            total.impulse[r] += lambda;
            let power = lambda * 0.5 * (before[r] + after[r]);
            work.applied -= lambda * c.drift[r];
            work.turnover += power.abs() + (lambda * c.drift[r]).abs();
            *work.of(c.law.row(r)) += power;
        }
    }
}
