//! Steps of the integration that go beyond an output.
//!
//! The integration has steps of its own, (1), which know nothing of when somebody wants to be shown the state:
//!
//! ```text
//! y_k+1 = y_k + h_k Phi(y_k, h_k)                       until something ends the phase                      (1)
//! y(t)  = y_k + (t − t_k) Phi(y_k, t − t_k)             for an output t between t_k and t_k+1               (2)
//! ```
//!
//! (2) is a step of the same method from the same start, no longer than the one that was found accurate; what is shown is
//! then moved onto contacts and joints as the end of a step is, and nothing goes on from it. So a motion is the same, to
//! the last bit, whatever the interval of output, and costs no more with a fine one than its outputs do.
//!
//! Works and impulses are integrated from t_k on; of each output counts what is new since the one before. A system that
//! others may change after a step ([`System::changes_between_steps`]) ends its steps where it is shown.

use super::flow::Scope;
use super::{EventDriven, SHORTEST};
use crate::state::State;
use crate::step::Motions;
use crate::stepper::{StepError, TimeStep};
use crate::system::System;

/// The part of the first step that Hairer and Wanner take of the ratio of sizes and rates (Solving ODEs I, §II.4).
const FIRST: f64 = 0.01;
/// A new piece of time is searched for breaks so many trial steps ahead.
const SEARCHED: f64 = 4.0;
/// Times closer than this, relative to themselves and the interval, are one.
const ONE: f64 = 1e-12;

/// The end of a step of eq. (1), where it is known and not reached yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// False once it is reached, or given up.
    pub known: bool,
    /// The start.
    pub from: State,
    /// Time and everything that was integrated, at the end.
    pub t: f64,
    pub end: Vec<f64>,
    /// Something ends the phase there.
    pub crossing: bool,
    /// The accelerations there, as they were looked at last.
    pub acceleration: Vec<f64>,
    /// How far the step looked for contacts, m.
    pub reach: f64,
    /// What to try next, s.
    pub next: f64,
}

impl EventDriven {
    /// Finds the end of the next step of eq. (1), with what may be tried after it.
    pub(super) fn go_ahead(&mut self, system: &dyn System, time: TimeStep) -> Result<(), StepError> {
        let TimeStep { dt, end } = time;
        for _ in 0..super::MOST_STEPS {
            self.check_stop()?;
            let trial = self.phase.trial.min(self.longest(system));
            if self.state.t + trial > self.searched {
                let until = (self.state.t + SEARCHED * trial).max(self.searched);
                self.begin_piece(system, TimeStep { dt: until - self.state.t, end: until });
            }
            let (stop, rest) = self.room(time);
            let last = trial >= rest * (1.0 - 1e-9);
            let h = if last { rest } else { trial };
            if h <= SHORTEST * (self.state.t.abs() + dt) && !last {
                return Err(if self.flow.least.infeasible {
                    self.without_motion(system)
                } else {
                    StepError::TooShort { t: self.state.t }
                });
            }
            let ratio = self.attempt(system, h);
            let next = self.method.next_length(h, ratio);
            if ratio.is_nan() || ratio > 1.0 {
                // what is given need not be there beyond the end
                let beyond = ratio.is_nan() && self.state.t + h > end && self.state.t < end;
                self.phase.trial = if beyond { next.max(end - self.state.t) } else { next };
                self.clipped = beyond;
                continue;
            }
            self.clipped = false;
            let reach = self.flow.reach;
            let crossing = self.crossing(system, h);
            let (h, t) = match crossing {
                None if last => (h, stop),
                None => (h, self.state.t + h),
                Some(fraction) => {
                    let h = fraction * h;
                    self.try_step(system, h);
                    (h, self.state.t + h)
                }
            };
            // an event says nothing about how long steps can be
            let next = if last || crossing.is_some() { next.max(self.phase.trial) } else { next };
            let of = if h == 0.0 { &self.y } else { self.method.end() };
            let p = &mut self.pending;
            p.end.clear();
            p.end.extend_from_slice(of);
            p.acceleration.clone_from(&self.flow.acceleration);
            p.from.copy_from(&self.state);
            (p.t, p.crossing, p.reach, p.next, p.known) = (t, crossing.is_some(), reach, next, true);
            return Ok(());
        }
        Err(StepError::TooManySteps { t: self.state.t, count: super::MOST_STEPS })
    }

    /// Until when a step may go, and how far that is, s.
    fn room(&self, time: TimeStep) -> (f64, f64) {
        let own = if self.ends_shown || self.clipped { time.end } else { f64::INFINITY };
        let stop = own.min(self.piece_ends);
        (stop, stop - self.state.t)
    }

    /// The length of the first step of all, s.
    pub(super) fn first_length(&mut self, system: &dyn System, dt: f64) -> f64 {
        let mut rates = vec![0.0; self.state.q.len()];
        system.rate(&self.state.q, &self.state.u, &mut rates);
        let accuracy = self.settings.accuracy;
        let relative = |x: f64, y: f64| (y / (accuracy.absolute + accuracy.relative * x.abs())).abs();
        let (mut size, mut rate) = (0.0f64, 0.0f64);
        let coordinates = self.state.q.iter().zip(&rates);
        for (x, y) in coordinates.chain(self.state.u.iter().zip(&self.flow.acceleration)) {
            (size, rate) = (size.max(relative(*x, *x)), rate.max(relative(*x, *y)));
        }
        let first = FIRST * size / rate;
        let longest = self.longest(system);
        if first.is_finite() && first > 0.0 { first.min(longest) } else { longest.min(dt) }
    }

    /// A time in which the motion changes, a guess from above, s.
    pub(super) fn horizon(&self, system: &dyn System) -> f64 {
        let longest = self.longest(system);
        if longest.is_finite() { longest } else { self.interval.max(self.phase.trial) }
    }

    /// Makes the end of a step the state, eq. (1).
    pub(super) fn arrive(&mut self, system: &dyn System, motions: &mut Motions) {
        let end = std::mem::take(&mut self.pending.end);
        let p = &mut self.pending;
        p.known = false;
        self.phase.trial = p.next;
        self.phase.pace = self.phase.pace.max(p.t - self.state.t);
        self.flow.reach = p.reach;
        self.flow.least.forget();
        self.flow.acceleration.clone_from(&p.acceleration);
        let t = p.t;
        self.before.copy_from(&self.state);
        self.take_state(&end, t);
        self.flow.look(system, &self.state, &self.phase.held, Scope::Held);
        self.take_new(&end);
        self.done.clear();
        self.pending.end = end;
        self.carry_directions();
        system.normalise(&mut self.state.q);
        system.follow(&self.before, &mut self.state);
        self.note_motion(motions);
        self.look.positions.clone_from(&self.state.positions);
    }

    /// Makes the state that of an output within a step, eq. (2).
    pub(super) fn show(&mut self, system: &dyn System, end: f64, motions: &mut Motions) {
        self.before.copy_from(&self.state);
        self.flow.reach = self.pending.reach;
        self.try_step(system, end - self.state.t);
        let mut y = std::mem::take(&mut self.shown_values);
        y.clear();
        y.extend_from_slice(self.method.end());
        self.take_state(&y, end);
        self.flow.look(system, &self.state, &self.phase.held, Scope::Held);
        self.take_new(&y);
        let first = self.state.q.len() + self.smooth(self.state.u.len());
        self.done.clear();
        self.done.extend_from_slice(&y[first..]);
        self.shown_values = y;
        system.normalise(&mut self.state.q);
        system.follow(&self.before, &mut self.state);
        self.settle(system);
        self.note_motion(motions);
        let mut ahead = self.spare.take().unwrap_or_default();
        ahead.start.copy_from(&self.before);
        ahead.acceleration.clone_from(&self.start_acceleration);
        ahead.done.clone_from(&self.done);
        ahead.shown.copy_from(&self.state);
        ahead.breaks = [self.piece_ends, self.searched].map(|t| t.is_finite().then_some(t));
        self.phase.ahead = Some(ahead);
    }

    /// Goes back to the start of the step that was under way when `from` was shown; false when none was, or the state is
    /// another one.
    pub(super) fn go_on(&mut self, from: &State) -> bool {
        let Some(ahead) = self.phase.ahead.take() else { return false };
        let same = |a: &State, b: &State| (a.t, &a.q, &a.u) == (b.t, &b.q, &b.u);
        let goes_on = !self.ends_shown && same(&ahead.shown, from);
        if goes_on {
            self.state.copy_from(&ahead.start);
            self.look.copy_from(&self.state);
            self.flow.acceleration.clone_from(&ahead.acceleration);
            self.done.clone_from(&ahead.done);
            [self.piece_ends, self.searched] = ahead.breaks.map(|t| t.unwrap_or(f64::INFINITY));
            self.pending.known &= same(&self.pending.from, &self.state);
        }
        self.spare = Some(ahead);
        goes_on
    }

    /// True when a time is that of the output.
    pub(super) fn is_shown(&self, t: f64, TimeStep { dt, end }: TimeStep) -> bool {
        (t - end).abs() <= ONE * (end.abs() + dt)
    }

    /// How many entries behind the coordinates have their error controlled: velocities, and what given forces alone would
    /// add to them where these change with time.
    pub(super) fn smooth(&self, velocities: usize) -> usize {
        if self.changes { 2 * velocities } else { velocities }
    }

    /// Lists the motion up to the state: from the start of the step, or from what was shown since.
    fn note_motion(&self, motions: &mut Motions) {
        let since = self.shown.t > self.before.t;
        motions.push(if since { &self.shown } else { &self.before }, &self.state);
    }

    fn take_state(&mut self, y: &[f64], t: f64) {
        let (n, m) = (self.state.q.len(), self.state.u.len());
        self.state.t = t;
        self.state.q.copy_from_slice(&y[..n]);
        self.state.u.copy_from_slice(&y[n..n + m]);
    }

    /// Adds what was integrated along since the last output to that of this one.
    fn take_new(&mut self, y: &[f64]) {
        let first = self.state.q.len() + self.smooth(self.state.u.len());
        let mut new = std::mem::take(&mut self.new);
        new.clear();
        new.extend_from_slice(&y[first..]);
        new.iter_mut().zip(&self.done).for_each(|(x, d)| *x -= d);
        self.account(&new);
        self.new = new;
    }
}
