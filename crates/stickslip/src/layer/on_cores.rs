//! Layers as forces, and their cores as the surfaces that touch: for steppers that follow smooth motion.
//!
//! Where a layer is rigid along the surface, eq. (1) and (2) of `layer.rs` say that as long as it keeps to the body it
//! presses back with
//!
//! ```text
//! lambda_s = −k gap − c gap',                                                                             (1)
//! ```
//!
//! of which the first term has the potential `k gap²/2`; eq. (3) there is rigid contact at `gap + depth`. The layer is
//! let go where (1) vanishes, not where the gap does; from then on it recovers, `delta' = −(k/c) delta`, and it is met
//! again where `gap + delta = 0`. Which of the two it does is part of the state (`State::layers`); whoever integrates
//! locates the instants.
//!
//! Friction on a layer that keeps to the body is then dry friction of a known bound, `mu lambda_s`: a constraint of its
//! own beside the core's contact, with the partners of that contact and [`ON_LAYER`].

use crate::pass_on::names::*;
use crate::pass_on::pass_on;
use crate::system::{Describe, Law, SurfaceLaw, System};
use complementarity::problem::law::MAX_ROWS;
use complementarity::problem::operator::Part;

/// What is added to the second partner of a contact for the friction on its layer: more bodies than there can be.
pub(crate) const ON_LAYER: u32 = 1 << 31;

/// The contact that a constraint belongs to, and whether it is the friction on its layer.
pub(crate) fn of_contact(id: ConstraintId) -> (ConstraintId, bool) {
    (ConstraintId { b: id.b & !ON_LAYER, ..id }, id.b & ON_LAYER != 0)
}

/// A system seen so.
pub struct OnCores<'a>(pub &'a dyn System);

impl System for OnCores<'_> {
    pass_on!(self => self.0; initial, turn, turns_under_constraints, stiffness, is_autonomous, next_break, branches, margins, has_joints, joints, layer, follow, displace, rate, normalise, size_of_bodies, speed, bodies, joint_space, limits, not_a_number, is_immaterial);

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
        let count = out.constraints.len();
        for k in 0..count {
            let c = out.constraints[k];
            let Law::Contact { .. } = c.law else { continue };
            let Some(layer) = self.0.layer(c.id) else { continue };
            if is_pressed(at, c.id) {
                push_friction(&layer, at, c, out);
            }
            out.constraints[k].gap[0] += layer.depth;
        }
        if out.constraints.len() > count {
            out.constraints.sort_unstable_by_key(|c| c.id);
        }
    }

    fn has_layers(&self) -> bool {
        true
    }

    fn size(&self, at: &State, look: &Snapshot, constraint: &Constraint) -> f64 {
        let (id, _) = of_contact(constraint.id);
        let constraint = &Constraint { id, ..*constraint };
        self.0.size(at, look, constraint) + self.0.layer(constraint.id).map_or(0.0, |layer| layer.depth)
    }
}

impl Describe for OnCores<'_> {
    pass_on!(self => self.0; coordinate_name, describe, reactions, tangent_vector, components);

    fn label(&self, id: ConstraintId) -> String {
        self.0.label(of_contact(id).0)
    }
}

/// Appends the friction on the layer of a contact with an undeformed gap; nothing where it is smooth.
fn push_friction(layer: &Layer, at: &State, c: Constraint, out: &mut Snapshot) {
    let Law::Contact { tangents, surface } = c.law else { return };
    if surface.friction == 0.0 {
        return;
    }
    let mut rate = [c.drift[0]];
    out.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut rate);
    let bound = surface.friction * layer.normal_force(c.gap[0], rate[0]).max(0.0);
    let first_part = out.jacobian.parts.len();
    for k in c.first_part..c.end_part {
        let part = out.jacobian.parts[k];
        let rows = part.at + part.width..part.at + (1 + tangents) * part.width;
        let at = out.jacobian.values.len();
        out.jacobian.parts.push(Part { at, ..part });
        out.jacobian.values.extend_from_within(rows);
    }
    let mut drift = [0.0; MAX_ROWS];
    drift[..tangents].copy_from_slice(&c.drift[1..1 + tangents]);
    let law = if tangents == 1 { Law::Dry { bound } } else { Law::DryDisc { bound } };
    let id = ConstraintId { b: c.id.b | ON_LAYER, ..c.id };
    let (gap, end_part) = ([0.0; MAX_ROWS], out.jacobian.parts.len());
    out.constraints.push(Constraint { id, law, gap, drift, first_part, end_part, ..c });
}

/// True when a layer keeps to the body.
pub(crate) fn is_pressed(at: &State, id: ConstraintId) -> bool {
    at.layers.binary_search_by_key(&id, |l| l.id).is_ok_and(|k| at.layers[k].pressed)
}

/// Why a contact with a layer cannot be seen so, if that is the case.
pub fn refusal(layer: &Layer, law: &SurfaceLaw) -> Option<&'static str> {
    if layer.rows > 1 {
        Some("layers that give way along the surface: their deflection there is a state of its own")
    } else if law.varies() || law.ellipse.is_some() || law.torsional > 0.0 || law.rolling > 0.0 {
        Some("friction on layers other than Coulomb's with one coefficient")
    } else {
        None
    }
}
