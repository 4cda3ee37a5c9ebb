//! A system under further forces: those that somebody applies from outside, step by step or as a function of the state.
//!
//! With the system's own `M u' = f + W lambda` and the load p,
//!
//! ```text
//! M u' = f + p(t, q, u) + W lambda.                                                        (1)
//! ```
//!
//! The work of p counts as work put in. Everything else is the system's.

use crate::pass_on::names::*;
use crate::pass_on::pass_on;
use crate::system::{Describe, System};

/// A force on the velocities of a system.
pub trait Load: Send + Sync {
    /// Adds the force at a state to `out`, one entry per velocity, N or N m.
    fn add(&self, at: &State, out: &mut [f64]);
}

/// A force that is the same at all states, N or N m, one entry per velocity.
pub struct Constant<'a>(pub &'a [f64]);

impl Load for Constant<'_> {
    fn add(&self, _: &State, out: &mut [f64]) {
        out.iter_mut().zip(self.0).for_each(|(o, p)| *o += p);
    }
}

/// A system and the loads on it, eq. (1).
pub struct Loaded<'a> {
    /// The system.
    pub system: &'a dyn System,
    /// What acts on it.
    pub loads: &'a [&'a dyn Load],
}

// every method goes to the system: one that is forgotten would silently be another system
#[deny(clippy::missing_trait_methods)]
impl System for Loaded<'_> {
    pass_on!(self => self.system; initial, constraints, chooses, has_choice, constraints_toward, contacts_toward, carried, is_contact, has_curved_pairs, anchor, add_anchored, anchored, next_break, branches, margins, has_joints, joints, layer, has_layers, follow, displace, rate, normalise, size, size_of_bodies, speed, bodies, joint_space, limits, not_a_number, is_immaterial, turn, turns_under_constraints, stiffness);

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        self.system.dynamics(at, out);
        let mut force = std::mem::take(&mut out.rows);
        let sizes_kept = out.load.len() == out.applied.len();
        for load in self.loads {
            force.clear();
            force.resize(out.applied.len(), 0.0);
            load.add(at, &mut force);
            out.applied.iter_mut().zip(&force).for_each(|(a, f)| *a += f); // eq. (1)
            if sizes_kept {
                out.load.iter_mut().zip(&force).for_each(|(size, f)| *size += f.abs());
            }
        }
        out.rows = force;
    }

    /// The loads of the next step may be others: what was seen at the end of a step does not serve again.
    fn is_autonomous(&self) -> bool {
        false
    }
}

#[deny(clippy::missing_trait_methods)]
impl Describe for Loaded<'_> {
    pass_on!(self => self.system; label, row_label, coordinate_name, describe, reactions, drawing, figure_poses, drawn_contact, tangent_vector, moment_vector, components);
}
