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
//! With `stabilisation` 0, (2) knows velocities only. Then u' = 0 (against fixed surroundings) satisfies all inequalities
//! whatever the gaps are, which is why there always is a solution; Stewart–Trinkle's `gap / dt` can ask for motions that
//! constraints do not allow together. The price: a contact closes after it overlaps, by up to `dt |gamma_n|`, and on curved paths
//! overlaps grow by O(dt²) a step, O(dt) in all. A `stabilisation` above 0 undoes that part of the overlap in each step (1: all
//! of it), which keeps it at O(dt²) / stabilisation [Anitescu & Hart 2004], at the cost of the velocity it takes: overlaps that
//! differ may ask for contradicting motions again, and a solver then says so.
//!
//! Joints: `W^T u' + drift + stabilisation gap / dt = 0`; what drift that leaves is removed at the end (`project.rs`). The certificate
//! judges (2) and (3) as they stand, and reports the true overlap at the end as penetration: what is acceptable is the
//! scene's to say. First order in time.
//!
//! Reference: M. Anitescu, F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//! complementarity problems", Nonlinear Dynamics 14, 1997.

use super::assemble::Assembly;
use super::project::Contacts;
use super::{StepError, Stepper, TimeStep};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Law, System};
use complementarity::problem::contact::ContactProblem;

/// The stepper, with its memory.
pub struct AnitescuPotra {
    assembly: Assembly,
    /// The part of an overlap that a step undoes, 0 to 1.
    stabilisation: f64,
}

impl AnitescuPotra {
    /// A stepper on an assembly.
    pub fn new(assembly: Assembly, stabilisation: f64) -> Self {
        Self { assembly, stabilisation }
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
        let a = &mut self.assembly;
        a.freeze_dynamics(system, from);
        a.free_velocity(&from.u, dt);
        a.freeze_constraints(system, from, 0.0);
        let unilateral = |c: &Constraint| matches!(c.law, Law::Contact { .. } | Law::Limit);
        let takes_part = |c: &Constraint| !unilateral(c) || c.gap[0] <= 0.0;
        let part = self.stabilisation;
        let shift = |c: &Constraint, _: f64, row: usize| match c.law {
            Law::Contact { .. } if row > 0 => 0.0,
            Law::Dry { .. } | Law::DryDisc { .. } => 0.0,
            Law::Servo { .. } => c.gap[row] / dt, // on its target at the end of the step
            Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit => part * c.gap[row] / dt, // eq. (2)
        };
        let report = a.solve(&from.u, dt, takes_part, shift);
        a.advance(system, from, time, out)?; // eq. (4)
        a.keep_joints(system, &mut out.state, Contacts { reach: 0.0, undo_overlap: false });
        a.judge_end(system, 0.0, out);
        a.finish(&from.u, report, out);
        Ok(())
    }

    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner {
            look: crate::audit::Look::Start,
            touch: crate::audit::Look::Start,
            ..Default::default()
        }
    }

    fn problem(&self) -> &ContactProblem {
        self.assembly.problem()
    }

    fn warm(&self) -> &Warm {
        self.assembly.warm()
    }

    fn set_warm(&mut self, warm: Warm) {
        self.assembly.set_warm(warm);
    }
}
