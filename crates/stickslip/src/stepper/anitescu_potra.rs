//! The time-stepper of Anitescu and Potra: constraints at velocity level, inelastic contact; every step has a solution.
//!
//! M, f, W and the gaps are taken at the start of the step; contacts with gap <= 0 there take part:
//!
//! ```text
//! M (u' − u) = dt f + W lambda                                                          (1)
//! 0 <= lambda_n ⟂ W_n^T u' + d gap/dt + stabilisation gap / dt >= 0                      (2)
//! lambda_t dissipates the most in mu lambda_n F, at the slip velocity of u'              (3)
//! q' = q ⊕ dt u'                                                                        (4)
//! ```
//!
//! With `stabilisation` 0, (2) knows velocities only. Then u' = 0 (against fixed surroundings) satisfies all
//! inequalities whatever the gaps are, which is why there always is a solution; Stewart–Trinkle's `gap / dt` can ask
//! for motions that constraints do not allow together. The price: a contact closes after it overlaps, by up to
//! `dt |gamma_n|`, and on curved paths overlaps grow by O(dt²) a step, O(dt) in all. A `stabilisation` above 0 undoes
//! that part of the overlap in each step (1: all of it), which keeps it at O(dt²) / stabilisation [Anitescu & Hart
//! 2004], at the cost of the velocity it takes: overlaps that differ may ask for contradicting motions again, and a
//! solver then says so.
//!
//! Joints hold at the end of the step, by the velocity (`shake.rs`); where that cannot be, `W^T u' + drift +
//! stabilisation gap / dt = 0` and positions are moved onto them (`project.rs`).
//! The certificate judges (2) and (3) as they stand, and reports the true overlap at the end as penetration: what is
//! acceptable is the scene's to say. First order in time.
//!
//! Reference: M. Anitescu, F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with friction as
//! solvable linear complementarity problems", Nonlinear Dynamics 14, 1997.

use super::assemble::Assembly;
use super::assemble::soft::Taken;
use super::project::Contacts;
use super::shake::Shake;
use super::{StepError, Stepper, StepperConfig, TimeStep, Traits};
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, Row, System, Turn};

/// What the stepper takes.
pub const TRAITS: Traits = Traits {
    name: "anitescu-potra",
    summary: "constraints at velocity level, always solvable; inelastic",
    stabilisation: true,
    ..Traits::PLAIN
};

/// The stepper of a configuration, which undoes a part of overlaps.
pub(super) fn build(config: &StepperConfig, stabilisation: f64) -> Box<dyn Stepper> {
    Box::new(AnitescuPotra::new(config.assembly(), stabilisation))
}

/// The stepper, with its memory.
pub struct AnitescuPotra {
    assembly: Assembly,
    joints: Shake,
    /// The part of an overlap that a step undoes, 0 to 1.
    stabilisation: f64,
}

impl AnitescuPotra {
    /// A stepper on an assembly.
    pub fn new(assembly: Assembly, stabilisation: f64) -> Self {
        Self { assembly, joints: Shake::default(), stabilisation }
    }
}

impl Stepper for AnitescuPotra {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        let dt = time.dt;
        let Assembly { frozen, posing, solving, ending, warm } = &mut self.assembly;
        frozen.dynamics(system, from, ending);
        frozen.smooth(system, &Turn::throughout(from, from, dt), Taken::Start);
        frozen.constraints(system, from, 0.0, warm);
        frozen.turn_as_before(system, &Turn::throughout(from, from, dt), warm);
        let takes_part = |c: &Constraint| !c.law.is_unilateral() || c.gap[0] <= 0.0;
        let part = self.stabilisation;
        self.joints.begin((system, from, time), frozen, (posing, solving, warm));
        let shift = |c: &Constraint, row: usize| match c.law.row(row) {
            Row::Friction => 0.0,
            Row::Motor if let Some(gains) = c.law.gains() => gains.shift(c.gap[row], dt),
            Row::Motor => c.gap[row] / dt, // on its target at the end of the step
            Row::Normal | Row::Joint | Row::Limit => part * c.gap[row] / dt, // eq. (2)
        };
        let (memory, rows) = ((&*frozen, posing, solving), (f64::INFINITY, takes_part, shift));
        let mut solution = self.joints.solve((system, from, time), memory, rows, (warm, out))?; // eq. (1) to (4)
        let contacts = Contacts { reach: 0.0, undo_overlap: false };
        self.joints.project((system, frozen), ending, &mut out.state, contacts);
        ending.look(system, 0.0, &solution, out);
        ending.judge(&mut solution, &from.u, warm, out);
        Ok(())
    }

    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner {
            look: crate::audit::Look::Start,
            touch: crate::audit::Look::Start,
            ..Default::default()
        }
    }

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}
