//! What happens to contacts between one step and the next: closing, striking, opening, sticking, slipping.

use crate::step::{Mode, Step};
use crate::system::{ConstraintId, Law};
use serde::{Deserialize, Serialize};

/// A contact event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When it happened, s: the end of the step, or the instant itself where the stepper finds it.
    pub t: f64,
    /// What happened.
    pub kind: EventKind,
    /// To which constraint.
    pub id: ConstraintId,
    /// Approach speed (m/s) for an impact, slip speed (m/s) for slip, that of a moment's scaled row for `turn`,
    /// otherwise zero.
    pub value: f64,
}

/// Kinds of contact events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Closed with an approach speed: the normal velocity jumped.
    Impact,
    /// Closed softly.
    Close,
    /// Opened.
    Open,
    /// Began to stick.
    Stick,
    /// Began to slip, or to slip the other way.
    Slip,
    /// Spin about the normal or rolling came to rest under its own friction moment.
    Still,
    /// Spin about the normal or rolling began, or turned around, against its own friction moment.
    Turn,
    /// Impacts followed each other ever faster (Zeno): the contact was closed.
    Accumulation,
    /// Newton's law and friction would have made energy: the restitution was lowered by the factor that is the value.
    Restrained,
    /// The laws allowed several motions; the value says how many were found. The one of least constraint was taken, or
    /// where friction is not known the one with the fewest forces.
    Ambiguous,
}

impl EventKind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::Close => "close",
            EventKind::Open => "open",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
            EventKind::Still => "still",
            EventKind::Turn => "turn",
            EventKind::Accumulation => "accumulation",
            EventKind::Restrained => "restrained",
            EventKind::Ambiguous => "ambiguous",
        }
    }
}

/// What each contact was doing at the end of the last step, ordered by id; open ones are not listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Modes {
    ids: Vec<ConstraintId>,
    modes: Vec<Mode>,
}

impl Modes {
    /// How many constraints and modes are listed.
    pub(crate) fn sizes(&self) -> [usize; 2] {
        [self.ids.len(), self.modes.len()]
    }

    /// True when the constraints are ascending, each once.
    pub(crate) fn is_ordered(&self) -> bool {
        self.ids.is_sorted_by(|a, b| a < b)
    }

    /// Compares with a step, or asks it where it knows, appends what happened to `events`, and remembers the step.
    pub fn take(&mut self, step: &Step, events: &mut Vec<Event>) {
        match &step.events {
            Some(known) => events.extend_from_slice(known),
            None => self.compare(step, events),
        }
        self.ids.clear();
        self.modes.clear();
        for o in &step.outcomes {
            if o.mode != Mode::Open && matches!(o.constraint.law, Law::Contact { .. }) {
                self.ids.push(o.constraint.id);
                self.modes.push(o.mode);
            }
        }
    }

    fn compare(&self, step: &Step, events: &mut Vec<Event>) {
        let t = step.state.t;
        let mut k = 0;
        let closed = step.outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. }));
        for o in closed.filter(|o| o.mode != Mode::Open) {
            let id = o.constraint.id;
            while k < self.ids.len() && self.ids[k] < id {
                events.push(Event { t, kind: EventKind::Open, id: self.ids[k], value: 0.0 });
                k += 1;
            }
            let spatial = matches!(o.constraint.law, Law::Contact { tangents: 2, .. });
            let slip = o.velocity[1].hypot(if spatial { o.velocity[2] } else { 0.0 });
            if k < self.ids.len() && self.ids[k] == id {
                if self.modes[k] != o.mode {
                    let (kind, value) =
                        if o.mode == Mode::Slip { (EventKind::Slip, slip) } else { (EventKind::Stick, 0.0) };
                    events.push(Event { t, kind, id, value });
                }
                k += 1;
            } else {
                let approach = -o.velocity_before[0];
                // the impulse of a strike turns the approach around; that of soft closing only stops a step's fall
                let struck = approach > 0.0 && o.velocity[0] - o.velocity_before[0] > 0.5 * approach;
                let kind = if struck { EventKind::Impact } else { EventKind::Close };
                events.push(Event { t, kind, id, value: if struck { approach } else { 0.0 } });
            }
        }
        for &id in &self.ids[k..] {
            events.push(Event { t, kind: EventKind::Open, id, value: 0.0 });
        }
    }
}
