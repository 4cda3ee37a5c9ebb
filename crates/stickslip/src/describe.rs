//! What people are told and shown of a system: names, states, forces and pictures. No step depends on it.

use crate::drawing::Drawing;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId};
use nalgebra::Vector3;

/// What to print of a part of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Description {
    /// A rigid body.
    Body {
        /// Its name.
        name: String,
        /// Position of the centre of mass, m.
        position: Vec<f64>,
        /// Angle (rad), or unit quaternion w x y z.
        orientation: Vec<f64>,
        /// Velocity of the centre of mass, m/s.
        velocity: Vec<f64>,
        /// Angular velocity, rad/s.
        angular_velocity: Vec<f64>,
    },
    /// A generalized coordinate of a closed-form system.
    Coordinate {
        /// Its name.
        name: String,
        /// Its value.
        position: f64,
        /// Its rate.
        velocity: f64,
    },
    /// A joint.
    Joint {
        /// Its name.
        name: String,
        /// Position of its free direction, m or rad; none unless there is exactly one.
        position: Option<f64>,
        /// Its rate.
        velocity: Option<f64>,
    },
}

/// What a constraint or a drive does to its bodies over a step, as mean force and torque in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// Name of the joint or of the driven body.
    pub name: String,
    /// True for the force that drives a body, false for that of a joint on its second body.
    pub drive: bool,
    /// Force, N.
    pub force: Vec<f64>,
    /// Torque about the body's origin or the joint's point, N m.
    pub torque: Vec<f64>,
}

/// What there is to tell and to show of a system.
pub trait Describe {
    /// The name of a constraint for people.
    fn label(&self, id: ConstraintId) -> String;
    /// The name of one row of a constraint for people.
    fn row_label(&self, id: ConstraintId, row: usize) -> String {
        format!("{} row {row}", self.label(id))
    }
    /// The name of a velocity for people.
    fn coordinate_name(&self, index: usize) -> String {
        format!("u[{index}]")
    }
    /// What to print of the state.
    fn describe(&self, at: &State) -> Vec<Description>;
    /// Mean forces of joints and drives over a step.
    fn reactions(&self, step: &Step) -> Vec<Reaction> {
        let _ = step;
        Vec::new()
    }
    /// What it looks like; none where there is no geometry.
    fn drawing(&self) -> Option<Drawing> {
        None
    }
    /// Where the moving figures of [`drawing`](Self::drawing) are, x, y, angle of each in m and rad, for systems whose
    /// coordinates are not those of bodies; else nothing.
    fn figure_poses(&self, at: &State) -> Vec<[f64; 3]> {
        let _ = at;
        Vec::new()
    }
    /// Point, normal and tangent of a contact in the drawing, for systems without geometry of their own.
    fn drawn_contact(&self, at: &State, id: ConstraintId) -> Option<[Vector3<f64>; 3]> {
        let _ = (at, id);
        None
    }
    /// Tangential components of a contact as a vector in the world frame; the components where there is no geometry.
    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        let _ = constraint;
        components.to_vec()
    }
    /// The friction moment of a contact in the world frame, from its components about the normal (if it has that row)
    /// and about the tangents, N m; empty where there is no geometry.
    fn moment_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        let _ = (constraint, components);
        Vec::new()
    }
    /// A vector of the world in as many components as the system's space has; empty where there is no geometry.
    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        let _ = vector;
        Vec::new()
    }
}
