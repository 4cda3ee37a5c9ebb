//! Gears and followers in a world: one bilateral row each, on up to four bodies.
//!
//! ```text
//! gap = x_0 − ratio x_1 − offset,   row = w_0 − ratio w_1                               (1)
//! ```
//!
//! with the rows w of the two joints' free directions. Their constraints come after those of all joints: `id.a` is the
//! number of bodies and joints plus the coupling's index.

use super::{World, WorldError};
use crate::body::Space;
use crate::joint::{Coupling, RowValue};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

impl<S: Space> World<S> {
    /// Couples two joints that are there already.
    pub fn add_coupling(&mut self, coupling: Coupling) -> Result<(), WorldError> {
        let fault = |what: &'static str| Err(WorldError::Joint { joint: coupling.name.clone(), what });
        let [a, b] = coupling.joints;
        if a == b {
            return fault("couples a joint with itself");
        }
        let free = |i: usize| self.joints.get(i).is_some_and(|j| j.kind.free(S::CONTACT_ROWS).is_some());
        if !free(a) || !free(b) {
            return fault("couples a joint that does not leave exactly one direction free");
        }
        if !(coupling.ratio.is_finite() && coupling.offset.is_finite()) || coupling.ratio == 0.0 {
            return fault("has a ratio that is zero, or numbers that are not finite");
        }
        self.couplings.push(coupling);
        Ok(())
    }

    /// The couplings.
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// The coupling that a constraint belongs to; none for a joint's own.
    pub(crate) fn coupling_of(&self, id: ConstraintId) -> Option<&Coupling> {
        (id.a as usize).checked_sub(self.bodies.len() + self.joints.len()).and_then(|i| self.couplings.get(i))
    }

    /// The constraint of one coupling. Returns its relative error.
    pub(crate) fn add_coupling_rows(&self, index: usize, at: &State, out: &mut Snapshot) -> f64 {
        let coupling = &self.couplings[index];
        let sides = coupling.joints.map(|j| self.free_row(j, &self.placed(&self.joints[j], at), at));
        let [Some(first), Some(second)] = sides else { return 0.0 };
        let gap = first.value - coupling.ratio * second.value - coupling.offset; // eq. (1)
        let size = first.size + (coupling.ratio * second.size).abs() + coupling.offset.abs();
        self.push_coupling(at, index, (gap, [&first, &second]), out);
        if gap == 0.0 { 0.0 } else { gap.abs() / size }
    }

    fn push_coupling(
        &self,
        at: &State,
        index: usize,
        (value, free): (f64, [&RowValue; 2]),
        out: &mut Snapshot,
    ) {
        let coupling = &self.couplings[index];
        let zero = Vector3::zeros();
        let mut bodies: [(Option<usize>, Vector3<f64>, Vector3<f64>); 4] = [(None, zero, zero); 4];
        for (k, sign) in [(0, 1.0), (1, -coupling.ratio)] {
            let joint = &self.joints[coupling.joints[k]];
            for (side, (linear, angular)) in [&joint.a, &joint.b].into_iter().zip(&free[k].wrench) {
                let Some(body) = side.body else { continue };
                // a body that both joints hold on to has one part in the row
                let place = bodies.iter().position(|(b, ..)| *b == Some(body));
                let place = place.or_else(|| bodies.iter().position(|(b, ..)| b.is_none()));
                if let Some(part) = place.map(|i| &mut bodies[i]) {
                    *part = (Some(body), part.1 + linear * sign, part.2 + angular * sign);
                }
            }
        }
        let (mut gap, mut drift) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        gap[0] = value;
        let first_part = out.jacobian.parts.len();
        for (body, linear, angular) in bodies {
            let Some(body) = body else { continue };
            out.rows.clear();
            S::push_row(&linear, &angular, &mut out.rows);
            if let Some(slot) = self.slot[body] {
                out.jacobian.push(slot * S::FREEDOMS, S::FREEDOMS, &out.rows);
            } else if self.is_driven(body) {
                self.add_drift(body, at, &out.rows, &mut drift);
            }
        }
        out.constraints.push(Constraint {
            bend: 0.0,
            id: ConstraintId { a: (self.bodies.len() + self.joints.len() + index) as u32, b: 0, feature: 0 },
            law: Law::Bilateral { rows: 1 },
            gap,
            drift,
            first_part,
            end_part: out.jacobian.parts.len(),
            point: zero,
            normal: zero,
        });
    }
}
