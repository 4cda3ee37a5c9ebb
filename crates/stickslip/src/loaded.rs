//! A system under further forces: those that somebody applies from outside, step by step or as a function of the state.
//!
//! With the system's own `M u' = f + W lambda` and the load p,
//!
//! ```text
//! M u' = f + p(t, q, u) + W lambda.                                                        (1)
//! ```
//!
//! The work of p counts as work put in. Everything else is the system's.

use crate::drawing::Drawing;
use crate::layer::Layer;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId, Description, Reaction, Snapshot, System};
use nalgebra::Vector3;

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
    fn initial(&self) -> State {
        self.system.initial()
    }

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

    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot) {
        self.system.constraints(at, reach, out);
    }

    fn chooses(&self) -> bool {
        self.system.chooses()
    }

    fn has_choice(&self, path: [&State; 2], id: ConstraintId) -> bool {
        self.system.has_choice(path, id)
    }

    fn contacts_toward(
        &self,
        partners: (u32, u32),
        at: &State,
        path: [&State; 2],
        reach: f64,
        out: &mut Snapshot,
    ) {
        self.system.contacts_toward(partners, at, path, reach, out);
    }

    fn carried(&self, contact: &Constraint, seen: &State, at: &State) -> Option<[Vector3<f64>; 2]> {
        self.system.carried(contact, seen, at)
    }

    fn constraints_toward(&self, at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot) {
        self.system.constraints_toward(at, path, reach, out);
    }

    /// The loads of the next step may be others: what was seen at the end of a step does not serve again.
    fn is_autonomous(&self) -> bool {
        false
    }

    fn has_joints(&self) -> bool {
        self.system.has_joints()
    }

    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        self.system.joints(at, out)
    }

    fn layer(&self, id: ConstraintId) -> Option<Layer> {
        self.system.layer(id)
    }

    fn has_layers(&self) -> bool {
        self.system.has_layers()
    }

    fn reactions(&self, step: &Step) -> Vec<Reaction> {
        self.system.reactions(step)
    }

    fn follow(&self, from: &State, to: &mut State) {
        self.system.follow(from, to);
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        self.system.displace(q, u, dt);
    }

    fn rate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        self.system.rate(q, u, out);
    }

    fn normalise(&self, q: &mut [f64]) {
        self.system.normalise(q);
    }

    fn size(&self, at: &State, look: &Snapshot, constraint: &Constraint) -> f64 {
        self.system.size(at, look, constraint)
    }

    fn size_of_bodies(&self) -> Option<f64> {
        self.system.size_of_bodies()
    }

    fn speed(&self, u: &[f64]) -> f64 {
        self.system.speed(u)
    }

    fn coordinate_name(&self, index: usize) -> String {
        self.system.coordinate_name(index)
    }

    fn is_immaterial(&self, index: usize) -> bool {
        self.system.is_immaterial(index)
    }

    fn bodies(&self) -> Option<&dyn crate::audit::Bodies> {
        self.system.bodies()
    }

    fn limits(&self, at: &State, look: &mut Snapshot, show: &mut dyn FnMut(ConstraintId, f64)) {
        self.system.limits(at, look, show);
    }

    fn not_a_number(&self, at: &State) -> Option<String> {
        self.system.not_a_number(at)
    }

    fn label(&self, id: ConstraintId) -> String {
        self.system.label(id)
    }

    fn row_label(&self, id: ConstraintId, row: usize) -> String {
        self.system.row_label(id, row)
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        self.system.describe(at)
    }

    fn drawing(&self) -> Option<Drawing> {
        self.system.drawing()
    }

    fn figure_poses(&self, at: &State) -> Vec<[f64; 3]> {
        self.system.figure_poses(at)
    }

    fn drawn_contact(&self, at: &State, id: ConstraintId) -> Option<[Vector3<f64>; 3]> {
        self.system.drawn_contact(at, id)
    }

    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.system.tangent_vector(constraint, components)
    }

    fn moment_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.system.moment_vector(constraint, components)
    }

    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        self.system.components(vector)
    }
}
