//! What people and the auditor see of mechanisms: the bodies and joints of their world.

use super::Tree;
use super::forest::Motion;
use crate::audit::part::Part;
use crate::audit::{Bodies, Frame};
use crate::body::Space;
use crate::describe::{Describe, Description, Reaction};
use crate::drawing::Drawing;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId};
use nalgebra::Vector3;

impl<S: Space> Bodies for Tree<S> {
    fn count(&self) -> usize {
        Bodies::count(&self.world)
    }

    fn name(&self, body: usize) -> &str {
        Bodies::name(&self.world, body)
    }

    fn touching(&self, id: ConstraintId) -> Option<[usize; 2]> {
        self.world.touching(id)
    }

    fn frame(&self, body: usize, at: &State) -> Frame {
        self.at(at, |memory| self.world.frame(body, &memory.bodies))
    }

    fn may_touch(&self, a: usize, b: usize) -> bool {
        self.world.may_touch(a, b)
    }

    fn twist(&self, body: usize, at: &State) -> (Vector3<f64>, Vector3<f64>) {
        self.at(at, |memory| self.world.twist(body, &memory.bodies))
    }

    fn is_driven(&self, body: usize) -> bool {
        self.world.is_driven(body)
    }

    fn is_flat(&self) -> bool {
        self.world.is_flat()
    }

    fn add_parts(&self, body: usize, out: &mut Vec<Part>) {
        self.world.add_parts(body, out);
    }
}

impl<S: Space> Describe for Tree<S> {
    fn label(&self, id: ConstraintId) -> String {
        self.world.label(id)
    }

    fn row_label(&self, id: ConstraintId, row: usize) -> String {
        self.world.row_label(id, row)
    }

    /// That of a free body's as in a world, else the joint's, with the axis where it has several.
    fn coordinate_name(&self, index: usize) -> String {
        let Some(node) = self.forest.node_of.get(index).map(|&node| &self.forest.nodes[node]) else {
            return "?".to_owned();
        };
        if let (Motion::Free, Some(link)) = (node.motion, node.link) {
            return self.world.coordinate_name(link.slot * S::FREEDOMS + index - node.u);
        }
        let Some(joint) = node.joint else { return "?".to_owned() };
        let name = &self.world.joints()[joint].name;
        match node.motion {
            _ if self.forest.single[joint].is_some() => name.clone(),
            Motion::Slide(k) => format!("{name}.v{}", ["x", "y", "z"][k]),
            Motion::Turn(k) => format!("{name}.w{}", ["x", "y", "z"][k]),
            Motion::Ball | Motion::Free | Motion::Fixed => {
                format!("{name}.w{}", ["x", "y", "z"][(index - node.u).min(2)])
            }
        }
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        let mut out = self.at(at, |memory| self.world.describe(&memory.bodies));
        let joints = out.iter_mut().filter_map(|part| match part {
            Description::Joint { position, velocity, .. } => Some((position, velocity)),
            Description::Body { .. } | Description::Coordinate { .. } => None,
        });
        for ((position, velocity), single) in joints.zip(&self.forest.single) {
            if let Some(single) = single {
                (*position, *velocity) = (Some(at.q[single.q]), Some(at.u[single.u]));
            }
        }
        out
    }

    fn drawing(&self) -> Option<Drawing> {
        self.world.drawing()
    }

    fn reactions(&self, step: &Step) -> Vec<Reaction> {
        self.all_reactions(step)
    }

    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.world.tangent_vector(constraint, components)
    }

    fn moment_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.world.moment_vector(constraint, components)
    }

    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        self.world.components(vector)
    }
}
