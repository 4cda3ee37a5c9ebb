//! What a run needs to go on from where it was.

use crate::audit::Exchange;
use crate::certificate::RunCertificate;
use crate::energy::Ledger;
use crate::events::Modes;
use crate::simulation::{Settings, steps_until};
use crate::state::State;
use crate::step::Warm;
use crate::system::System;
use serde::{Deserialize, Serialize};

/// Everything a run needs to go on from where it was, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The scene as run; a checkpoint continues only the same scene.
    pub scene: String,
    /// Steps done.
    pub index: u64,
    /// Those of them that a run in one piece does not take: they began between two multiples of the step, where a run
    /// had ended.
    #[serde(default, skip_serializing_if = "none")]
    pub broken: u64,
    /// The state.
    pub state: State,
    /// Impulses the solver starts from.
    pub warm: Warm,
    /// The energy ledger so far.
    pub ledger: Ledger,
    /// The certificate so far.
    pub certificate: RunCertificate,
    /// What each contact was doing.
    pub modes: Modes,
    /// The energies that growth is compared with; a file without them begins anew.
    #[serde(default)]
    pub exchange: Exchange,
}

/// What is wrong with a checkpoint, and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckpointFault {
    /// It is of another system: numbers of coordinates, velocities or impulses do not fit.
    #[error("it has {found} {what}; expected {expected}")]
    Size {
        /// Of what.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// Something is not a number.
    #[error("{what} is not finite; expected numbers")]
    NotFinite {
        /// What.
        what: &'static str,
    },
    /// Constraints are not in order.
    #[error("the constraints of {what} are not in order; expected them ascending, each once")]
    Order {
        /// Which list.
        what: &'static str,
    },
    /// The time is before the start.
    #[error("its time is {t} s; expected one from 0 on")]
    Time {
        /// s
        t: f64,
    },
    /// Steps and time contradict each other.
    #[error("its index is {found} at t = {t} s; expected {expected}, with steps of {step} s")]
    Index {
        /// As written.
        found: u64,
        /// s
        t: f64,
        /// What the time says.
        expected: u64,
        /// s
        step: f64,
    },
    /// A quaternion does not have the length 1.
    #[error(
        "coordinate {index} (state.q) is {found}, of a quaternion that is not of length 1; expected {expected}"
    )]
    Quaternion {
        /// Index of the coordinate.
        index: usize,
        /// As written.
        found: f64,
        /// That of a unit quaternion.
        expected: f64,
    },
    /// The run would be over.
    #[error("it is at t = {t} s, and `until` is {until} s; expected an `until` after that")]
    Past {
        /// s
        t: f64,
        /// s
        until: f64,
    },
}

/// How far entries of quaternions may be off those of unit ones.
const OFF_UNIT: f64 = 1e-9;

impl Checkpoint {
    /// What keeps a run of this system from going on here, if anything does.
    pub fn fault(&self, system: &dyn System, settings: &Settings) -> Option<CheckpointFault> {
        self.size_fault(system).or_else(|| self.order_fault()).or_else(|| self.time_fault(settings)).or_else(
            || {
                let mut unit = self.state.q.clone();
                system.normalise(&mut unit);
                let index = unit.iter().zip(&self.state.q).position(|(a, b)| (a - b).abs() > OFF_UNIT)?;
                let (found, expected) = (self.state.q[index], unit[index]);
                Some(CheckpointFault::Quaternion { index, found, expected })
            },
        )
    }

    fn size_fault(&self, system: &dyn System) -> Option<CheckpointFault> {
        let initial = system.initial();
        let positions = if self.state.positions.is_empty() { 0 } else { initial.positions.len() };
        let sizes = [
            ("coordinates (state.q)", self.state.q.len(), initial.q.len()),
            ("velocities (state.u)", self.state.u.len(), initial.u.len()),
            ("positions of joints (state.positions)", self.state.positions.len(), positions),
            ("impulses (warm.forces)", self.warm.forces.len(), self.warm.ids.len()),
            ("modes (modes.modes)", self.modes.sizes()[1], self.modes.sizes()[0]),
        ];
        let wrong = sizes.into_iter().find(|(_, found, expected)| found != expected);
        wrong.map(|(what, found, expected)| CheckpointFault::Size { what, found, expected })
    }

    fn order_fault(&self) -> Option<CheckpointFault> {
        if !self.state.is_finite() {
            return Some(CheckpointFault::NotFinite { what: "its state" });
        }
        let warm = self.warm.ids.is_sorted_by(|a, b| a < b);
        let list = if !warm { "warm" } else { "modes" };
        (!warm || !self.modes.is_ordered()).then_some(CheckpointFault::Order { what: list })
    }

    fn time_fault(&self, settings: &Settings) -> Option<CheckpointFault> {
        let (t, Settings { step, until, .. }) = (self.state.t, *settings);
        if t < 0.0 {
            return Some(CheckpointFault::Time { t });
        }
        let expected = steps_until(t, step).saturating_add(self.broken);
        if self.index != expected {
            return Some(CheckpointFault::Index { found: self.index, t, expected, step });
        }
        (t >= until).then_some(CheckpointFault::Past { t, until })
    }
}

fn none(count: &u64) -> bool {
    *count == 0
}
