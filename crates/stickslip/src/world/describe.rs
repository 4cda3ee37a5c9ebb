//! What people are told and shown of a world.

use super::{Motion, World, supports};
use crate::body::Space;
use crate::describe::{Describe, Description, Reaction};
use crate::drawing::Drawing;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId};
use nalgebra::Vector3;

impl<S: Space> Describe for World<S> {
    fn coordinate_name(&self, index: usize) -> String {
        let slot = Some(index / S::FREEDOMS);
        let body = self.slot.iter().position(|s| *s == slot).map_or("?", |i| &self.bodies[i].name);
        format!("{body}.{}", S::velocity_name(index % S::FREEDOMS))
    }

    fn label(&self, id: ConstraintId) -> String {
        if id.a >= supports::SUPPORTS {
            return self.support_label(id);
        }
        if id.a as usize >= self.bodies.len() {
            return self.joint_label(id);
        }
        let (i, j) = (id.a as usize, id.b as usize);
        let (i, j) = if self.slot[i].is_some() { (i, j) } else { (j, i) };
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let single = [a, b].iter().any(|body| body.shape.as_ref().is_some_and(S::is_round));
        if single {
            format!("{}/{}", a.name, b.name)
        } else {
            format!("{}/{}#{}", a.name, b.name, id.feature)
        }
    }

    fn row_label(&self, id: ConstraintId, row: usize) -> String {
        if id.a as usize >= self.bodies.len() {
            return self.joint_row_label(id, row);
        }
        format!("{} row {row}", self.label(id))
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        let mut out = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if matches!(body.motion, Motion::Fixed) {
                continue;
            }
            let mut u = [0.0; 6];
            self.velocity(i, at, &mut u);
            let q = self.coordinates(i, at);
            out.push(S::describe(&body.name, &q[..S::COORDINATES], &u[..S::FREEDOMS]));
        }
        self.describe_joints(at, &mut out);
        out
    }

    fn drawing(&self) -> Option<Drawing> {
        Some(self.draw())
    }

    fn reactions(&self, step: &Step) -> Vec<Reaction> {
        self.all_reactions(step)
    }

    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        S::tangent_vector(&constraint.normal, components)
    }

    fn moment_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        S::torque(&self.friction_moment(constraint, components))
    }

    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        S::components(vector)
    }
}
