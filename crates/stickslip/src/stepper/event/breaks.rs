//! Kinks and jumps of what is given: drives, moving surfaces, motors, forces, formulas.
//!
//! A smooth phase is integrated with every function and formula on the branch that it began with, as contacts are
//! followed on their features: past the end of a branch is its smooth continuation. So the flow is smooth whatever is
//! given, and steps end
//!
//! ```text
//! at t = t_k                  a kink or jump of a function of time, known in advance                       (1)
//! where margin(q, u, t) = 0   of a formula of the state, located like other events (`triggers.rs`)          (2)
//! ```
//!
//! Where driven bodies or surfaces change their velocity at once their contacts strike; else contacts go on from the
//! forces of the next branch. If behind (2) motion is driven back on both sides there is no motion that a formula
//! describes (`sign(velocity)` as friction): that is said.

use super::EventDriven;
use super::flow::{Flow, Scope};
use super::switch::velocity;
use super::triggers::{self, Trigger};
use crate::bias::row_sizes;
use crate::state::State;
use crate::stepper::{StepError, TimeStep};
use crate::system::{ConstraintId, System};
use complementarity::problem::law::MAX_ROWS;

/// Breaks nearer to each other than this, relative to their times and the interval, are one: a formula may decide the
/// same one twice.
const ONE: f64 = 1e-12;
/// The most breaks that are one.
const MOST: usize = 100;
/// Velocities that change by less than this, relative to the terms that they are sums of, do not jump.
const SAME: f64 = 1e-10;
/// A formula lies on the edge of its branch when it will pass it, or came from it, within this part of a step.
const EDGE: f64 = 1e-9;
/// How far ahead, as a part of a step, the rates of margins are looked for.
const AHEAD: f64 = 1e-6;

/// The rates of the margins at a state whose accelerations are known, by a small step ahead of length `h`.
pub(super) fn margin_rates(
    system: &dyn System,
    flow: &Flow,
    at: &State,
    h: f64,
    margins: &[f64],
) -> Vec<f64> {
    let mut rates = Vec::new();
    system.margins(&ahead(system, flow, at, h), &mut rates);
    rates.iter_mut().zip(margins).for_each(|(r, m)| *r = (*r - m) / h);
    rates
}

/// The state a little later.
fn ahead(system: &dyn System, flow: &Flow, at: &State, h: f64) -> State {
    let mut later = at.clone();
    later.t += h;
    system.displace(&mut later.q, &at.u, h);
    later.u.iter_mut().zip(&flow.acceleration).for_each(|(u, a)| *u += h * a);
    later
}

/// The last of the breaks that are one with a time; that time when there is none.
fn last_of(system: &dyn System, mut t: f64, near: f64) -> f64 {
    for _ in 0..MOST {
        match system.next_break(t, near).filter(|next| *next <= near) {
            Some(next) => t = next,
            None => break,
        }
    }
    t
}

impl EventDriven {
    /// Finds the piece of time that the state begins or is in.
    pub(super) fn begin_piece(&mut self, system: &dyn System, TimeStep { dt, end }: TimeStep) {
        let near = |t: f64| t + ONE * (t.abs() + dt);
        let from = last_of(system, self.state.t, near(self.state.t));
        let (mut piece, mut stop) = (None, f64::INFINITY);
        if let Some(first) = system.next_break(from, near(end)) {
            piece = Some([from, end.max(from)]);
            if first <= near(end) {
                piece = Some([from, first.next_down().max(from)]);
                stop = last_of(system, first, near(first));
            }
        }
        // one at the end of the step belongs to it
        self.piece_ends = if near(stop) >= end && stop.is_finite() { end } else { stop };
        self.state.branch.piece = piece;
        self.hold();
    }

    /// Looks at everything on the branches of the state.
    fn hold(&mut self) {
        self.look.branch.piece = self.state.branch.piece;
        self.look.branch.choices.clone_from(&self.state.branch.choices);
    }

    /// Goes on to the next smooth piece of functions of time, eq. (1).
    pub(super) fn pass_break(&mut self, system: &dyn System, time: TimeStep) -> Result<(), StepError> {
        let before = self.phase.held.clone();
        let velocities = self.row_velocities(system);
        self.begin_piece(system, time);
        self.choose_branches(system)?;
        if self.jumps(system, &velocities) {
            self.strike(system, time.dt)?;
        } else {
            self.settle(system);
            self.select(system, time.dt)?;
        }
        self.note_changes(&before);
        Ok(())
    }

    /// Goes on to the next branches of formulas, eq. (2).
    pub(super) fn pass_kinks(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        let velocities = self.row_velocities(system);
        self.choose_branches(system)?;
        if self.jumps(system, &velocities) {
            return self.strike(system, dt);
        }
        self.settle(system);
        self.select(system, dt)
    }

    fn row_velocities(&mut self, system: &dyn System) -> Vec<(ConstraintId, [f64; MAX_ROWS])> {
        system.constraints(&self.state, self.flow.reach, &mut self.flow.look);
        let look = &self.flow.look;
        look.constraints.iter().map(|c| (c.id, velocity(look, c, &self.state.u))).collect()
    }

    /// True when constraints move otherwise than before.
    fn jumps(&mut self, system: &dyn System, before: &[(ConstraintId, [f64; MAX_ROWS])]) -> bool {
        system.constraints(&self.state, self.flow.reach, &mut self.flow.look);
        let look = &self.flow.look;
        look.constraints.iter().any(|c| {
            let Ok(k) = before.binary_search_by_key(&c.id, |b| b.0) else { return true };
            let sizes = row_sizes(look, c, &self.state.u);
            let pairs = velocity(look, c, &self.state.u).into_iter().zip(before[k].1);
            pairs.zip(sizes).any(|((now, before), size)| (now - before).abs() > SAME * size.max(before.abs()))
        })
    }

    /// Chooses the branches of formulas: where the state lies on the edge of one, that on which motion goes on.
    pub(super) fn choose_branches(&mut self, system: &dyn System) -> Result<(), StepError> {
        let mut choices = Vec::new();
        system.branches(&self.state, &mut choices);
        self.state.branch.choices = choices;
        self.hold();
        if self.state.branch.choices.is_empty() {
            return Ok(());
        }
        let (margins, rates) = self.margins(system);
        let h = self.phase.trial.min(self.interval);
        let on_edge = |m: f64, r: f64| m.is_finite() && m <= EDGE * h * r.abs();
        let edges: Vec<usize> = (0..margins.len()).filter(|&k| on_edge(margins[k], rates[k])).collect();
        self.phase.turned.clear();
        if edges.is_empty() {
            return Ok(());
        }
        let mut later = Vec::new();
        system.branches(&ahead(system, &self.flow, &self.state, AHEAD * h), &mut later);
        edges.iter().for_each(|&k| self.state.branch.choices[k] = later[k]);
        self.hold();
        let (margins, rates) = self.margins(system);
        for k in edges {
            if margins[k] <= EDGE * h * rates[k].abs() && rates[k] < 0.0 {
                return Err(StepError::BothSides { t: self.state.t });
            }
            self.phase.turned.push(k as u32);
        }
        Ok(())
    }

    /// Takes branches whose edge the state has left out of the list of those just entered.
    pub(super) fn leave_edges(&mut self, system: &dyn System) {
        if !self.phase.turned.is_empty() {
            let mut margins = Vec::new();
            system.margins(&self.state, &mut margins);
            self.phase.turned.retain(|k| margins.get(*k as usize).is_some_and(|m| *m <= 0.0));
        }
    }

    /// How far the state lies within its branches, and at which rates.
    fn margins(&mut self, system: &dyn System) -> (Vec<f64>, Vec<f64>) {
        let mut margins = Vec::new();
        system.margins(&self.state, &mut margins);
        self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        let rates = margin_rates(system, &self.flow, &self.state, AHEAD * self.phase.trial, &margins);
        (margins, rates)
    }
}

/// Lists the margins of the branches that a state holds.
pub(super) fn values(
    system: &dyn System,
    flow: &Flow,
    at: &State,
    phase: &crate::step::Phase,
    out: &mut Vec<triggers::Value>,
) {
    if at.branch.choices.is_empty() {
        return;
    }
    let mut margins = Vec::new();
    system.margins(at, &mut margins);
    let rates = margin_rates(system, flow, at, AHEAD * phase.trial, &margins);
    for (k, (value, rate)) in margins.into_iter().zip(rates).enumerate() {
        if value == f64::INFINITY {
            continue;
        }
        let rounding = EDGE * phase.trial * rate.abs();
        let starts = phase.turned.binary_search(&(k as u32)).is_ok();
        let value = if starts { triggers::begin(value, rate >= 0.0, rounding) } else { value };
        out.push(triggers::Value {
            trigger: Trigger::Kink,
            id: ConstraintId::default(),
            slot: k,
            value,
            rate,
            rounding,
        });
    }
}
