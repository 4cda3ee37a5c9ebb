//! Layers as forces, and their cores as the surfaces that touch: for steppers that follow smooth motion.
//!
//! While nothing rubs on a layer, eq. (1) and (2) of `layer.rs` say that as long as it keeps to the body it presses back with
//!
//! ```text
//! lambda_s = −k gap − c gap',                                                                             (1)
//! ```
//!
//! of which the first term has the potential `k gap²/2`; eq. (3) there is rigid contact at `gap + depth`. The layer is let go where (1) vanishes, not
//! where the gap does; from then on it recovers, `delta' = −(k/c) delta`, and it is met again where `gap + delta = 0`. Which of the two it does is part of the
//! state (`State::layers`); whoever integrates locates the instants.

use super::Layer;
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId, Description, Law, Reaction, Snapshot, System};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

/// A system seen so.
pub struct OnCores<'a>(pub &'a dyn System);

impl System for OnCores<'_> {
    fn initial(&self) -> State {
        self.0.initial()
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        self.0.dynamics(at, out);
        let mut look = Snapshot::default();
        self.0.constraints(at, 0.0, &mut look);
        for c in look.constraints.iter().filter(|c| is_pressed(at, c.id)) {
            let Some(layer) = self.0.layer(c.id) else { continue };
            let (rows, parts) = (c.law.rows(), c.first_part..c.end_part);
            let mut rate = c.drift;
            look.jacobian.add_velocity(parts.clone(), &at.u, &mut rate[..rows]);
            let mut force = [0.0; MAX_ROWS];
            force[0] = layer.normal_force(c.gap[0], 0.0); // eq. (1)
            look.jacobian.add_force(parts.clone(), &force[..rows], &mut out.force);
            force[0] = layer.normal_force(0.0, rate[0]);
            look.jacobian.add_force(parts, &force[..rows], &mut out.applied);
            out.potential += layer.energy(&[-c.gap[0], 0.0, 0.0]);
        }
    }

    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot) {
        self.0.constraints(at, reach, out);
        for c in out.constraints.iter_mut().filter(|c| matches!(c.law, Law::Contact { .. })) {
            c.gap[0] += self.0.layer(c.id).map_or(0.0, |layer| layer.depth);
        }
    }

    fn layer(&self, id: ConstraintId) -> Option<Layer> {
        self.0.layer(id)
    }

    fn has_layers(&self) -> bool {
        true
    }

    fn is_autonomous(&self) -> bool {
        self.0.is_autonomous()
    }

    fn has_joints(&self) -> bool {
        self.0.has_joints()
    }

    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        self.0.joints(at, out)
    }

    fn reactions(&self, step: &Step) -> Vec<Reaction> {
        self.0.reactions(step)
    }

    fn follow(&self, from: &State, to: &mut State) {
        self.0.follow(from, to);
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        self.0.displace(q, u, dt);
    }

    fn rate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        self.0.rate(q, u, out);
    }

    fn normalise(&self, q: &mut [f64]) {
        self.0.normalise(q);
    }

    fn size(&self, at: &State, look: &Snapshot, constraint: &Constraint) -> f64 {
        self.0.size(at, look, constraint) + self.0.layer(constraint.id).map_or(0.0, |layer| layer.depth)
    }

    fn speed(&self, u: &[f64]) -> f64 {
        self.0.speed(u)
    }

    fn coordinate_name(&self, index: usize) -> String {
        self.0.coordinate_name(index)
    }

    fn is_immaterial(&self, index: usize) -> bool {
        self.0.is_immaterial(index)
    }

    fn label(&self, id: ConstraintId) -> String {
        self.0.label(id)
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        self.0.describe(at)
    }

    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.0.tangent_vector(constraint, components)
    }

    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        self.0.components(vector)
    }
}

/// True when a layer keeps to the body.
pub fn is_pressed(at: &State, id: ConstraintId) -> bool {
    at.layers.binary_search_by_key(&id, |l| l.id).is_ok_and(|k| at.layers[k].pressed)
}

/// Why a contact with a layer cannot be seen so, if that is the case: its force is then not one of where the bodies are.
pub fn refusal(layer: &Layer, friction: f64) -> Option<&'static str> {
    if layer.rows > 1 {
        Some("layers that give way along the surface: their deflection there is a state of its own")
    } else if friction > 0.0 {
        Some("friction on layers: it acts while they carry, before the bodies' cores touch")
    } else {
        None
    }
}
