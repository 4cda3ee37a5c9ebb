//! What a step leaves behind. A stepper writes into a [`Step`] that it is given instead of returning one, so that after
//! the first steps nothing is allocated.

use crate::certificate::{Blame, Certificate};
use crate::energy::StepWork;
use crate::events::Event;
use crate::state::State;
use crate::system::{Constraint, ConstraintId};
use complementarity::problem::law::MAX_ROWS;
use complementarity::solver::Report;
use serde::{Deserialize, Serialize};

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No impulse.
    Open,
    /// Impulse, no slip.
    Stick,
    /// Impulse and slip.
    Slip,
}

impl Mode {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Open => "open",
            Mode::Stick => "stick",
            Mode::Slip => "slip",
        }
    }
}

/// A constraint after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The constraint as the step saw it.
    pub constraint: Constraint,
    /// The gap at the end of the step, m.
    pub gap: f64,
    /// Impulses of its rows, N s or N m s.
    pub impulse: [f64; MAX_ROWS],
    /// Relative velocities of its rows at the end of the step; of mechanisms in joint coordinates, where laws are
    /// those of the motion, the ones at which their coordinates move.
    pub velocity: [f64; MAX_ROWS],
    /// Relative velocities of its rows at the start of the step.
    pub velocity_before: [f64; MAX_ROWS],
    /// What the contact does.
    pub mode: Mode,
}

/// The smooth motions that a step is made of, in order of time: where each starts and ends. Memory is reused from step
/// to step.
#[derive(Clone, Debug, Default)]
pub struct Motions {
    all: Vec<[State; 2]>,
    count: usize,
}

impl Motions {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// The most that are kept. A step of more has two and two of them taken together.
    pub const MOST: usize = 4096;

    /// Appends one.
    pub fn push(&mut self, from: &State, to: &State) {
        if self.count == Self::MOST {
            for k in 0..Self::MOST / 2 {
                let [mut a, mut b] = [2 * k, 2 * k + 1].map(|i| std::mem::take(&mut self.all[i]));
                std::mem::swap(&mut a[1], &mut b[1]);
                (self.all[k], self.all[2 * k + 1]) = (a, b);
            }
            self.count /= 2;
        }
        if self.count == self.all.len() {
            self.all.push(Default::default());
        }
        let [a, b] = &mut self.all[self.count];
        a.copy_from(from);
        b.copy_from(to);
        self.count += 1;
    }

    /// All of them.
    pub fn list(&self) -> &[[State; 2]] {
        &self.all[..self.count]
    }
}

/// A step: the new state and everything there is to know of it. Memory is reused from step to step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The state at the end.
    pub state: State,
    /// The state at the start, where whoever had the step taken says so (a simulation does); else empty.
    pub start: State,
    /// Length of the step, s.
    pub dt: f64,
    /// The constraints that took part, ordered by id.
    pub outcomes: Vec<Outcome>,
    /// The forces of closed contacts, joints and dry friction at the end of the step, N or N m, by rows as impulses are,
    /// ordered by id, where a stepper knows them (`event`, `gauss`); else empty: there are means over the step only.
    pub instant: Vec<(ConstraintId, [f64; MAX_ROWS])>,
    /// What holds at the end.
    pub certificate: Certificate,
    /// Who is to blame for what does not.
    pub blame: Blame,
    /// The entries of u that a stepper without inertia finds not determined, ascending.
    pub free: Vec<usize>,
    /// The work done.
    pub work: StepWork,
    /// Kinetic energy at the end, J.
    pub kinetic: f64,
    /// Potential energy at the end, J.
    pub potential: f64,
    /// What the solver said.
    pub report: Report,
    /// How many contact problems were solved for the step while its pairs of parts were chosen (`stepper/pairs.rs`).
    pub solutions: usize,
    /// What happened within the step, in order of time, where the stepper knows that better than a comparison of the
    /// steps' ends.
    pub events: Option<Vec<Event>>,
    /// The smooth motions between events, where a step is made of such; else empty.
    pub motions: Motions,
}

impl Default for Step {
    fn default() -> Self {
        Self {
            state: State::default(),
            start: State::default(),
            dt: 0.0,
            outcomes: Vec::new(),
            instant: Vec::new(),
            certificate: Certificate::default(),
            blame: Blame::default(),
            free: Vec::new(),
            work: StepWork::default(),
            kinetic: 0.0,
            potential: 0.0,
            report: Report { status: complementarity::solver::Status::Solved, iterations: 0, residual: 0.0 },
            solutions: 1,
            events: None,
            motions: Motions::default(),
        }
    }
}

/// What a stepper carries from one step to the next: the impulses of the last step by constraint, ordered by id, where
/// the solver starts from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Warm {
    /// The constraints.
    pub ids: Vec<ConstraintId>,
    /// Their impulses per unit of time (so that a change of step does not matter), N or N m.
    pub forces: Vec<[f64; MAX_ROWS]>,
    /// Whether each contact with an impulse slipped at the end of the last step, ordered by id: for friction that is
    /// less while slipping. May be missing.
    #[serde(default)]
    pub slips: Vec<(ConstraintId, bool)>,
    /// How contacts with an impulse bent in the last step, and in the one before if they were there, per square of the
    /// step's length, ordered by id (`stepper/pairs.rs`), m/s². May be missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bends: Vec<(ConstraintId, f64, Option<f64>)>,
    /// How far the last look at contacts went, m. The next step looks as far when that is enough.
    pub look: f64,
    /// Deflections of visco-elastic layers, ordered by id: normal, then tangential as a vector of the world, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<(ConstraintId, [f64; 4])>,
    /// The phase of motion that an event-driven stepper is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
}

impl Warm {
    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &Warm) {
        self.ids.clone_from(&other.ids);
        self.forces.clone_from(&other.forces);
        self.slips.clone_from(&other.slips);
        self.bends.clone_from(&other.bends);
        self.look = other.look;
        self.layers.clone_from(&other.layers);
        self.phase.clone_from(&other.phase);
    }
}

/// What the friction of a closed contact does in a smooth phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeldMotion {
    /// No slip.
    #[default]
    Stick,
    /// Slips in this direction: a unit vector over the scaled rows of a block of friction (`friction.rs`), zeros
    /// behind.
    Slip([f64; 3]),
}

/// A closed contact, limit or dry friction row in a smooth phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Which.
    pub id: ConstraintId,
    /// What each block of its friction does: sliding, spin about the normal, rolling.
    pub motions: [HeldMotion; 3],
}

/// A smooth phase of motion: which contacts are closed and what they do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Closed contacts and limits, and dry friction, ordered by id.
    pub held: Vec<Held>,
    /// Those whose gap (when open) or slip (when slipping, by block) starts at zero and has not left it yet, in order.
    pub starting: Vec<(ConstraintId, usize)>,
    /// Next step of the integration to be tried, s.
    pub trial: f64,
    /// Step of the differences that biases are computed with, s.
    pub probe: f64,
    /// The branches of formulas of the state (`System::branches`), and those of them that have just been entered, in
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<f64>,
    /// The laws allowed several motions, of which that of least constraint is followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub least: bool,
    /// See `choices`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of many motions keeps where it starts and ends, and no gap between.
    #[test]
    fn many_motions_are_taken_together() {
        let mut motions = Motions::default();
        let at = |t: usize| State { t: t as f64, ..State::default() };
        let count = 3 * Motions::MOST + 7;
        (0..count).for_each(|k| motions.push(&at(k), &at(k + 1)));
        let list = motions.list();
        assert!(list.len() > Motions::MOST / 2 && list.len() <= Motions::MOST);
        assert_eq!((list[0][0].t, list[list.len() - 1][1].t), (0.0, count as f64));
        assert!(list.windows(2).all(|w| w[0][1] == w[1][0] && w[0][0].t < w[0][1].t));
    }
}
