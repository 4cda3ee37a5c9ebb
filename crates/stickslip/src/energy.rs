//! Where the energy goes.
//!
//! A step solves `M (u' − u) = dt f + W lambda` with M, f and W frozen at one configuration, so with the mean velocity
//! `m = (u + u') / 2`
//!
//! ```text
//! T_frozen(u') − T_frozen(u) = dt f · m + sum lambda · W^T m                          (1)
//! ```
//!
//! holds to rounding: the kinetic change is the work of forces, friction, impact and joints. What is left over is
//! `imbalance`. The frozen quantities are not the true ones; what the discretisation adds to the true energy,
//!
//! ```text
//! (T' − T) − (T_frozen(u') − T_frozen(u)) + (V' − V) + dt f_conservative · m          (2)
//! ```
//!
//! is `discretisation`, a line of its own. Together: change of T + V = work_in − dissipated_friction −
//! dissipated_impact + discretisation + imbalance (joints do work only when driven, which is part of work_in).

use crate::system::Row;
use serde::{Deserialize, Serialize};

/// The work done in one step, eq. (1), J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Change of kinetic energy with the frozen mass matrix.
    pub kinetic_change: f64,
    /// Work of the forces that belong to kinetic and potential energy.
    pub conservative: f64,
    /// Work of all other applied forces.
    pub applied: f64,
    /// Work of friction on the system, mostly negative.
    pub friction: f64,
    /// Work of normal impulses on the system.
    pub normal: f64,
    /// Work of joint impulses on the system.
    pub joints: f64,
    /// Work of normal impulses that take out an overlap which was there before; a part of `normal`.
    pub overlap: f64,
    /// `|u' − u|² / 2` in the metric of the frozen mass: what a step with its laws at the end takes away beside them.
    pub half_change: f64,
    /// Work of gyroscopic forces at the velocity at the end; none where no body's inertia turns with it.
    pub gyroscopic: Option<f64>,
    /// Sum of the sizes of all single contributions, coordinate by coordinate and row by row: what the imbalance is to
    /// be compared with. At rest the contributions are rounding that cancels; their sums say nothing.
    pub turnover: f64,
}

impl StepWork {
    /// The account of what the impulse of a row does. All that a motor does is put in: its target's motion is `drift`.
    pub(crate) fn of(&mut self, row: Row) -> &mut f64 {
        match row {
            Row::Normal | Row::Limit => &mut self.normal,
            Row::Friction => &mut self.friction,
            Row::Joint => &mut self.joints,
            Row::Motor => &mut self.applied,
        }
    }

    /// What eq. (1) leaves over.
    pub fn imbalance(&self) -> f64 {
        self.kinetic_change - (self.conservative + self.applied + self.friction + self.normal + self.joints)
    }
}

/// The energy ledger of a run, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Energy friction took out since the start.
    pub dissipated_friction: f64,
    /// Energy normal impulses took out since the start.
    pub dissipated_impact: f64,
    /// Energy applied forces and drives put in since the start.
    pub work_in: f64,
    /// Energy the time discretisation added since the start, eq. (2).
    pub discretisation: f64,
    /// What does not close, summed over the steps: rounding.
    pub imbalance: f64,
    /// Energy that taking out overlaps put in since the start; `dissipated_impact` is less by it.
    #[serde(default)]
    pub overlap: f64,
}

impl Ledger {
    /// Takes a step into account that ends with the true energies given.
    pub fn take(&mut self, work: &StepWork, kinetic: f64, potential: f64) {
        self.discretisation +=
            (kinetic - self.kinetic) - work.kinetic_change + (potential - self.potential) + work.conservative; // eq. (2)
        self.dissipated_friction -= work.friction;
        self.dissipated_impact -= work.normal;
        self.overlap += work.overlap;
        self.work_in += work.applied + work.joints;
        self.imbalance += work.imbalance();
        self.kinetic = kinetic;
        self.potential = potential;
    }
}
