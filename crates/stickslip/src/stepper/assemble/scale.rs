//! What the residuals of a step are compared with: the speeds of its free motion.

use super::problem::Posing;
use crate::system::{Constraint, Law, Snapshot};
use complementarity::problem::law as laws;

/// Row velocities of joints are differences; below this part of what they are differences of, their rounding would be
/// judged. A tolerance of 1e-8 then stands for 45 units in the last place.
const CANCELLATION: f64 = 1e-6;

impl Posing {
    /// The weight on a support is no force in the plane, but a speed per step all the same: without it a body at rest
    /// on its supports would be judged by rounding. Counts what friction there can change in a step.
    pub(super) fn scale_by_supports(&mut self) {
        if !self.contact.groups.iter().any(|g| g.law.dry_block().is_some()) {
            return;
        }
        self.compute_diagonal();
        let most = self.supports_speed();
        self.contact.scale = self.contact.scale.max(most);
    }

    /// The largest speed that friction at a support can change in a step. Needs the diagonal.
    pub(in crate::stepper) fn supports_speed(&self) -> f64 {
        let groups = self.contact.groups.iter().zip(&self.diagonal);
        let speed = |block: laws::Block, diagonal| block.friction * block.largest(diagonal);
        groups.filter_map(|(g, d)| Some(speed(g.law.dry_block()?, d))).fold(0.0, f64::max)
    }
}

/// The speed that residuals of a constraint are compared with: that of the free motion, of an overlap to be undone
/// within the step, of what dry friction can change in a step, and of what rounding leaves of a joint that turns
/// steadily.
pub(super) fn speed(
    at: &Snapshot,
    c: &Constraint,
    (free, q): (&[f64], &[f64]),
    (u, dt): (&[f64], f64),
    scratch: &mut Vec<f64>,
) -> f64 {
    if matches!(c.law, Law::Contact { .. }) {
        return free.iter().fold(-q[0], |m, x| m.max(x.abs()));
    }
    // what dry friction can change in a step: a body that it has brought to rest would be judged by rounding
    let mut most = match c.law {
        Law::Dry { bound } => bound * dt * diagonal(at, c, 0, scratch),
        _ => 0.0f64,
    };
    for r in 0..q.len() {
        let undo = match c.law {
            // a motor far from its target asks for more than its force can do: what it can do counts
            Law::Servo { bound, .. } => {
                let reachable = bound * dt * diagonal(at, c, r, scratch);
                q[r].abs().min(free[r].abs() + reachable)
            }
            _ if r == 0 => -q[r],
            _ => 0.0,
        };
        let size = c.drift[r].abs() + row_size(at, c, r, u);
        most = most.max(free[r].abs()).max(undo).max(CANCELLATION * size);
    }
    most
}

/// Sum of the sizes of what makes up one row velocity.
fn row_size(at: &Snapshot, c: &Constraint, row: usize, u: &[f64]) -> f64 {
    let mut sum = 0.0;
    for part in &at.jacobian.parts[c.first_part..c.end_part] {
        let values = &at.jacobian.values[part.at + row * part.width..part.at + (row + 1) * part.width];
        sum += values.iter().zip(&u[part.start..]).map(|(w, u)| (w * u).abs()).sum::<f64>();
    }
    sum
}

/// One diagonal entry of W^T M^-1 W.
fn diagonal(at: &Snapshot, c: &Constraint, row: usize, scratch: &mut Vec<f64>) -> f64 {
    let mut sum = 0.0;
    for part in &at.jacobian.parts[c.first_part..c.end_part] {
        let values = &at.jacobian.values[part.at + row * part.width..part.at + (row + 1) * part.width];
        sum += at.inverse_mass.square(part.start, values, scratch);
    }
    sum
}
