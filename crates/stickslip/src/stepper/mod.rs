//! Steppers: time discretisations, one formulation per file. `assemble.rs` holds what they share, `config.rs` lists
//! them.

pub mod anitescu_potra;
pub mod assemble;
mod cone;
pub mod config;
pub mod convex;
pub mod event;
pub mod implicit;
mod layers;
mod limits;
pub mod moreau;
mod pairs;
pub mod project;
pub mod quasistatic;
mod shake;
pub mod stewart_trinkle;
pub(crate) mod surface;
mod varying;

use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::System;
use complementarity::problem::contact::ContactProblem;
pub use cone::Cone;
pub use config::{Forces, Method, Misfit, Own, Scheme, StepperConfig, Traits};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A time discretisation.
pub trait Stepper: Send {
    /// Advances `from` by a time step. The result, with what it satisfies and to what residual, is left in `out`, whose
    /// memory is reused.
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError>;
    /// The memory of the last step, and what it leaves to the next.
    fn assembly(&self) -> &assemble::Assembly;
    /// The same, to be changed.
    fn assembly_mut(&mut self) -> &mut assemble::Assembly;
    /// What an auditor has to know of its steps.
    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner::default()
    }
    /// The contact problem of the last step: with it the step can be solved again elsewhere.
    fn problem(&self) -> &ContactProblem {
        self.assembly().problem()
    }
    /// What the stepper carries from one step to the next: the impulses its solver starts from.
    fn warm(&self) -> &Warm {
        &self.assembly().warm
    }
    /// Gives a flag that ends a step under way once it is set, for steppers whose steps may take long
    /// ([`StepError::Interrupted`]); others end after their step.
    fn heed(&mut self, stop: Arc<AtomicBool>) {
        let _ = stop;
    }
    /// Continues from impulses that [`warm`](Self::warm) gave.
    fn set_warm(&mut self, warm: Warm) {
        self.assembly_mut().warm = warm;
    }
}

/// A step in time. The end is given beside the length, so that times can be multiples of the step instead of sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStep {
    /// Its length, s.
    pub dt: f64,
    /// The time at its end, s.
    pub end: f64,
}

impl TimeStep {
    /// The step of length `dt` after a state.
    pub fn after(state: &State, dt: f64) -> Self {
        Self { dt, end: state.t + dt }
    }
}

/// Why there is no next state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The new state is not a number.
    #[error("the state is no longer finite after the step from t = {t} s")]
    NotFinite {
        /// Time at the start of the step, s.
        t: f64,
    },
    /// Somebody asked for an end, within the step.
    #[error("interrupted in the step from t = {t} s")]
    Interrupted {
        /// Time at the start of the step, s.
        t: f64,
    },
    /// Something that is no number took part.
    #[error("{what} is not a number at t = {t} s")]
    NotANumber {
        /// When, s.
        t: f64,
        /// What, by name.
        what: String,
    },
    /// Nothing opposes a force, and the stepper knows no inertia.
    #[error(
        "no motion balances the forces in the step from t = {t} s: {coordinate} is left with {force:.3e} (N or N m)"
    )]
    NoBalance {
        /// Time at the start of the step, s.
        t: f64,
        /// The coordinate that is left with the most, by name.
        coordinate: String,
        /// What is left there, N or N m.
        force: f64,
    },
    /// A body would tip out of its plane.
    #[error(
        "in the step to t = {t} s {support} would have to pull: its body tips, which a planar body cannot"
    )]
    Lifts {
        /// Time at the end of the step, s.
        t: f64,
        /// The support, by name.
        support: String,
    },
    /// Steps of the integration became ever shorter without an end.
    #[error(
        "more than {count} integration steps in one interval of output, the last at t = {t} s: what jumps with the \
         motion, such as sign(velocity) in a force, cannot be integrated; friction has to be given as friction"
    )]
    TooManySteps {
        /// When, s.
        t: f64,
        /// How many.
        count: usize,
    },
    /// What a formula says drives the motion back to where it jumps, from both sides.
    #[error(
        "at t = {t} s a formula jumps, and on both sides of the jump the motion is driven back to it: no motion follows \
         what jumps like sign(velocity) in a force; friction has to be given as friction"
    )]
    BothSides {
        /// When, s.
        t: f64,
    },
    /// The laws allow no motion.
    #[error("no accelerations satisfy the laws of contact at t = {t} s (Painlevé): closed are {contacts}")]
    Inconsistent {
        /// When, s.
        t: f64,
        /// The closed contacts.
        contacts: String,
    },
    /// No solution was found, and none was ruled out.
    #[error("the accelerations at t = {t} s were not found: closed are {contacts}")]
    Unsolved {
        /// When, s.
        t: f64,
        /// The closed contacts.
        contacts: String,
    },
    /// Steps became too short.
    #[error("the accuracy asked for cannot be had at t = {t} s: steps became shorter than rounding")]
    TooShort {
        /// When, s.
        t: f64,
    },
    /// Too much happened.
    #[error("more than {count} events in the step that reached t = {t} s")]
    TooManyEvents {
        /// When, s.
        t: f64,
        /// How many are allowed.
        count: usize,
    },
    /// A constraint asks for what this stepper does not model.
    #[error("{0}")]
    Unsupported(String),
}
