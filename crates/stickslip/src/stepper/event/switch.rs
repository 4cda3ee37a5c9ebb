//! From one smooth phase to the next: impacts, and what contacts do after.
//!
//! A contact that reached the limit of its friction slips against that friction, one without normal force opens: there
//! the motion is continuous and the old phase says what follows. Everything else (after an impact, where slip has come
//! to zero, at the start) is for the acceleration-level problem to say.

use super::flow::Scope;
use super::triggers::Trigger;
use super::{EventDriven, total};
use crate::acceleration::{AccelerationProblem, Solution, Verdict};
use crate::bias::row_sizes;
use crate::events::{Event, EventKind};
use crate::friction::{BLOCKS, Blocks, SLIDING, blocks, direction, scaled};
use crate::state::State;
use crate::step::{Held, HeldMotion, Mode};
use crate::stepper::{Cone, StepError};
use crate::system::{Constraint, ConstraintId, Law, Snapshot, System};
use complementarity::problem::law::MAX_ROWS;

/// Speeds below this, relative to the largest of an impact, are zero.
pub(super) const STILL: f64 = 1e-10;
/// How far ahead of an instant slip is looked for, in output steps.
const AHEAD: f64 = 1e-3;

/// The most unknowns for which the laws are asked for all motions that they allow; of more, for one.
const LARGEST: usize = 10;

pub(super) fn unilateral(c: &Constraint) -> bool {
    matches!(c.law, Law::Contact { .. } | Law::Limit)
}

/// Velocities of a constraint's rows.
pub(super) fn velocity(look: &Snapshot, c: &Constraint, u: &[f64]) -> [f64; MAX_ROWS] {
    let mut v = c.drift;
    look.jacobian.add_velocity(c.first_part..c.end_part, u, &mut v[..c.law.rows()]);
    v
}

/// What friction does at these velocities of scaled rows, with speeds up to `still` counting as none.
pub(super) fn slips(blocks: &Blocks, v: &[f64; MAX_ROWS], still: f64) -> [HeldMotion; BLOCKS] {
    let mut out = [HeldMotion::Stick; BLOCKS];
    for block in blocks.iter().flatten().filter(|b| b.size_of(v) > still) {
        out[block.slot] = HeldMotion::Slip(direction(&v[block.rows()]));
    }
    out
}

/// The same from velocities of rows that are not scaled.
pub(super) fn motions(law: &Law, cone: Cone, v: [f64; MAX_ROWS], still: f64) -> [HeldMotion; BLOCKS] {
    slips(&blocks(law, cone), &scaled(law, cone, v), still)
}

pub(super) fn insert(list: &mut Vec<(ConstraintId, usize)>, entry: (ConstraintId, usize)) {
    if let Err(k) = list.binary_search(&entry) {
        list.insert(k, entry);
    }
}

impl EventDriven {
    /// The first phase: what touches is closed or strikes.
    pub(super) fn start(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        let size = self.state.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        self.flow.reach = 4.0 * dt * system.speed(&self.state.q, &self.state.u) + 1e-9 * size;
        self.flow.acceleration.clear();
        self.flow.acceleration.resize(self.state.u.len(), 0.0);
        self.strike(system, dt)
    }

    /// Ends the phase at the state, where something has triggered.
    pub(super) fn switch(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        if !self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All) {
            // a contact has gone where it can no longer be followed: over an edge
            return self.lost(system, dt);
        }
        let ended = self.pass_on_features(system);
        super::triggers::values(system, &self.flow, &self.state, &self.phase, &mut self.values);
        let before = self.phase.held.clone();
        let triggered: Vec<_> =
            self.values.iter().filter(|v| v.value < 0.0).map(|v| (v.trigger, v.id, v.slot)).collect();
        let of_layer = |t: &(Trigger, ConstraintId, usize)| matches!(t.0, Trigger::Touch | Trigger::Release);
        let kinked = triggered.iter().any(|(trigger, ..)| *trigger == Trigger::Kink);
        for (trigger, id, _) in triggered.iter().filter(|t| of_layer(t)) {
            self.toggle_layer(system, *trigger, *id);
        }
        // what rubs on a layer that is met begins as after an impact
        if kinked && (ended || !triggered.iter().all(|(trigger, ..)| *trigger == Trigger::Kink)) {
            self.choose_branches(system)?;
        }
        if ended || triggered.iter().any(|(trigger, ..)| matches!(trigger, Trigger::Gap | Trigger::Touch)) {
            self.strike(system, dt)?;
        } else if kinked && triggered.iter().all(|(trigger, ..)| *trigger == Trigger::Kink) {
            self.pass_kinks(system, dt)?;
        } else {
            let limit = triggered.iter().any(|(trigger, ..)| *trigger == Trigger::Limit);
            let shared = self.flow.by_least_constraint || self.flow.is_hyperstatic();
            if !(limit && shared && self.select_ahead(system, dt)?) {
                for (trigger, id, slot) in triggered {
                    self.change(trigger, id, slot);
                }
                self.settle(system);
                self.select(system, dt)?;
            }
        }
        self.note_changes(&before);
        Ok(())
    }

    /// A contact that is no longer listed opens.
    fn lost(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        let before = self.phase.held.clone();
        let look = &self.flow.look;
        self.phase.held.retain(|h| look.constraints.binary_search_by_key(&h.id, |c| c.id).is_ok());
        if self.phase.held.len() == before.len() {
            return Err(StepError::NotFinite { t: self.state.t });
        }
        self.settle(system);
        self.select(system, dt)?;
        self.note_changes(&before);
        Ok(())
    }

    /// The continuous transitions, and slip that has ended.
    fn change(&mut self, trigger: Trigger, id: ConstraintId, slot: usize) {
        let Ok(k) = self.phase.held.binary_search_by_key(&id, |h| h.id) else { return };
        match trigger {
            Trigger::Gap | Trigger::Touch | Trigger::Release | Trigger::Feature | Trigger::Kink => {}
            Trigger::Force => {
                self.phase.held.remove(k);
                self.phase.starting.retain(|s| s.0 != id);
                insert(&mut self.phase.starting, (id, 0));
            }
            Trigger::Limit => {
                let mut parts = super::held_parts(&self.flow);
                let Some(part) = parts.find(|p| self.flow.look.constraints[p.index].id == id) else { return };
                let Some(block) = part.blocks[slot] else { return };
                let d = direction(&part.force[block.rows()]);
                self.phase.held[k].motions[slot] = HeldMotion::Slip(d.map(|x| -x));
                insert(&mut self.phase.starting, (id, slot));
            }
            Trigger::Slip => {
                self.phase.held[k].motions[slot] = HeldMotion::Stick;
                self.stop_with_it();
            }
        }
    }

    /// Where slip has ended, whatever else slips no faster than rounding has come to rest with it.
    fn stop_with_it(&mut self) {
        let Self { flow, phase, state, .. } = self;
        for part in super::held_parts(flow) {
            let c = &flow.look.constraints[part.index];
            let Ok(k) = phase.held.binary_search_by_key(&c.id, |h| h.id) else { continue };
            let sizes = row_sizes(&flow.look, c, &state.u);
            for block in part.blocks.iter().flatten() {
                let size = sizes[block.rows()].iter().fold(part.natural, |m, s| m.max(*s));
                let starts = phase.starting.binary_search(&(c.id, block.slot)).is_ok();
                if block.size_of(&part.velocity) <= STILL * size && !starts {
                    phase.held[k].motions[block.slot] = HeldMotion::Stick;
                }
            }
        }
    }

    /// Where forces are not unique, which of the contacts at their limits slips is not to be seen at the instant
    /// itself: the accelerations of slip begin at zero. A moment later, had all stuck on, they are not. False when none
    /// slips then.
    fn select_ahead(&mut self, system: &dyn System, dt: f64) -> Result<bool, StepError> {
        let before = self.phase.held.clone();
        let now = self.state.clone();
        let ahead = AHEAD * dt;
        self.state.t += ahead;
        system.displace(&mut self.state.q, &now.u, ahead);
        let pull = self.flow.acceleration.clone();
        self.state.u.iter_mut().zip(&pull).for_each(|(u, a)| *u += ahead * a);
        self.settle(system);
        let decided = self.decide(system, dt);
        self.state = now;
        decided?;
        self.settle(system);
        self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        Ok(self.phase.held != before)
    }

    /// The next phase, by the acceleration-level problem.
    pub(super) fn select(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        self.decide(system, dt)?;
        self.flow.ambiguous = self.phase.least;
        self.settle(system);
        self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        Ok(())
    }

    /// What the acceleration-level problem at the state says of the contacts.
    fn decide(&mut self, system: &dyn System, dt: f64) -> Result<(), StepError> {
        self.phase.least = false;
        let problem = self.problem(system, dt);
        if let Some(solution) = self.solve(system, &problem)? {
            self.take(&problem, &solution);
        }
        Ok(())
    }

    /// The acceleration-level problem of the closed contacts.
    fn problem(&mut self, system: &dyn System, dt: f64) -> AccelerationProblem {
        self.flow.look(system, &self.state, &self.phase.held, Scope::All);
        self.flow.tune(system, &self.state, super::FIRST_PROBE * dt);
        let indices = self.flow.indices().to_vec();
        let (look, probe) = (&self.flow.look, &mut self.flow.probe);
        let mut problem = AccelerationProblem::assemble(system, &self.state, look, &indices, probe);
        for (touch, part) in problem.touches.iter_mut().zip(&self.flow.parts) {
            touch.blocks = part.blocks;
        }
        problem
    }

    /// Why forces of least constraint end: that no motion satisfies the laws is said only where all possibilities were
    /// looked at.
    pub(super) fn without_motion(&mut self, system: &dyn System, dt: f64) -> StepError {
        let none = self.problem(system, dt).solve_up_to(LARGEST).verdict == Verdict::None;
        let (t, contacts) = (self.state.t, self.closed(system));
        if none { StepError::Inconsistent { t, contacts } } else { StepError::Unsolved { t, contacts } }
    }

    /// One solution; none when there is nothing to decide.
    fn solve(
        &mut self,
        system: &dyn System,
        problem: &AccelerationProblem,
    ) -> Result<Option<Solution>, StepError> {
        if self.phase.held.is_empty() {
            return Ok(None);
        }
        let t = self.state.t;
        let closed = self.closed(system);
        let contacts = || closed.clone();
        if self.flow.by_least_constraint {
            // that the program has no solution is no proof that there is none
            if let Some(solution) = problem.gauss_complementary().and_then(|known| known.solution) {
                return Ok(Some(solution));
            }
            if let Some(slides) = problem.gauss_from_rest() {
                return Ok(Some(slides));
            }
            // what can stick does
            if self.can_stick(system) {
                return Ok(None);
            }
        }
        let mut found = problem.solve_up_to(LARGEST);
        match found.verdict {
            Verdict::None => return Err(StepError::Inconsistent { t, contacts: contacts() }),
            _ if found.solutions.is_empty() && self.can_stick(system) => {
                self.phase.least = true;
                return Ok(None);
            }
            _ if found.solutions.is_empty() => return Err(StepError::Unsolved { t, contacts: contacts() }),
            Verdict::Several => {
                let id = self.phase.held[0].id;
                let value = found.solutions.len() as f64;
                self.events.push(Event { t, kind: EventKind::Ambiguous, id, value });
                if let Some(least) = problem.gauss_complementary().and_then(|g| g.solution) {
                    // the phase is of least constraint as well
                    self.phase.least = true;
                    return Ok(Some(least));
                }
            }
            Verdict::Unique | Verdict::Unknown => {}
        }
        Ok(Some(found.solutions.swap_remove(0)))
    }

    /// True when forces of least constraint keep everything as it is: what sticks within the limits of friction.
    fn can_stick(&mut self, system: &dyn System) -> bool {
        let known = std::mem::replace(&mut self.flow.by_least_constraint, true);
        let found = self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        self.flow.by_least_constraint = known;
        found && !self.flow.least.exceeded
    }

    /// The closed contacts, for people.
    pub(super) fn closed(&self, system: &dyn System) -> String {
        let labels: Vec<String> = self.phase.held.iter().map(|h| system.label(h.id)).collect();
        labels.join(", ")
    }

    /// Contacts do what a solution says.
    fn take(&mut self, problem: &AccelerationProblem, solution: &Solution) {
        for (touch, c) in problem.touches.iter().zip(&solution.contacts) {
            let Ok(k) = self.phase.held.binary_search_by_key(&touch.id, |h| h.id) else { continue };
            if c.mode == Mode::Open {
                self.phase.held.remove(k);
                self.phase.starting.retain(|s| s.0 != touch.id);
                insert(&mut self.phase.starting, (touch.id, 0));
                continue;
            }
            let acceleration = scaled(&touch.law, problem.cone, c.acceleration);
            for block in touch.blocks.iter().flatten().filter(|b| b.sticks()) {
                if block.size_of(&acceleration) > problem.zero() {
                    let d = direction(&acceleration[block.rows()]);
                    self.phase.held[k].motions[block.slot] = HeldMotion::Slip(d);
                    insert(&mut self.phase.starting, (touch.id, block.slot));
                }
            }
        }
    }

    /// Lists what has changed since `before`.
    pub(super) fn note_changes(&mut self, before: &[Held]) {
        let t = self.state.t;
        let find =
            |list: &[Held], id| list.binary_search_by_key(&id, |h: &Held| h.id).ok().map(|k| list[k].motions);
        for old in before {
            let Some(now) = find(&self.phase.held, old.id) else {
                self.events.push(Event { t, kind: EventKind::Open, id: old.id, value: 0.0 });
                continue;
            };
            let turned = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0;
            for (slot, (before, now)) in old.motions.iter().zip(now).enumerate() {
                let kind = match (*before, now, slot) {
                    (HeldMotion::Slip(_), HeldMotion::Stick, SLIDING) => EventKind::Stick,
                    (HeldMotion::Slip(_), HeldMotion::Stick, _) => EventKind::Still,
                    (HeldMotion::Slip(a), HeldMotion::Slip(b), _) if !turned(a, b) => continue,
                    (_, HeldMotion::Slip(_), SLIDING) => EventKind::Slip,
                    (_, HeldMotion::Slip(_), _) => EventKind::Turn,
                    (HeldMotion::Stick, HeldMotion::Stick, _) => continue,
                };
                let begins = matches!(kind, EventKind::Slip | EventKind::Turn);
                let value = if begins { self.slip_speed(old.id, slot) } else { 0.0 };
                self.events.push(Event { t, kind, id: old.id, value });
            }
        }
        for held in &self.phase.held {
            let struck =
                self.events.iter().any(|e| e.t == t && e.id == held.id && e.kind == EventKind::Impact);
            if find(before, held.id).is_none() && !struck {
                self.events.push(Event { t, kind: EventKind::Close, id: held.id, value: 0.0 });
            }
        }
    }

    /// The speed of a block of friction, m/s; zero where it is rounding.
    fn slip_speed(&self, id: ConstraintId, slot: usize) -> f64 {
        let mut parts = super::held_parts(&self.flow);
        let part = parts.find(|p| self.flow.look.constraints[p.index].id == id);
        let block = part.and_then(|p| Some((p, p.blocks[slot]?)));
        block.map_or(0.0, |(p, block)| {
            let speed = block.size_of(&p.velocity);
            let sizes = row_sizes(&self.flow.look, &self.flow.look.constraints[p.index], &self.state.u);
            // the slip with which a contact begins to slip is zero but for rounding
            let size = sizes[block.rows()].iter().fold(0.0f64, |m, s| m.max(*s));
            if speed <= STILL * size { 0.0 } else { speed }
        })
    }

    /// Remembers the row velocities at the start of the step.
    pub(super) fn velocities_before(&mut self, system: &dyn System) {
        let at: &State = &self.state;
        system.constraints(at, self.flow.reach, &mut self.flow.look);
        for c in &self.flow.look.constraints {
            total(&mut self.totals, c.id).before = velocity(&self.flow.look, c, &at.u);
        }
    }
}
