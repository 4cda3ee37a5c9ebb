//! Closed contacts whose features change: a disc rolls over the edge of a table, a corner slides off a face.
//!
//! Within a step a closed contact stays one of the features that it began the step with, whether or not others have come
//! between (`collide/anchor.rs`): the flow is smooth. Where the features are no longer those that touch, the phase ends.
//! If the next ones touch at the same point with the same normal, the contact is theirs from there on and does what it
//! did; the curvature may jump, the velocity does not. Otherwise it ends, and what touches then strikes or lets go
//! (`strike.rs`): along another normal bodies may approach each other.

use super::EventDriven;
use super::flow::{Flow, Scope};
use crate::state::State;
use crate::step::Held;
use crate::system::{Constraint, ConstraintId, Snapshot, System};

/// Normals within this angle, rad, and points within this part of the size of the bodies, are the same.
const SAME: f64 = 1e-6;

impl Flow {
    /// Lists the constraints at a state: all, or of contacts only those that are held. What is held and not found is
    /// followed.
    pub(super) fn list(&mut self, system: &dyn System, at: &State, held: &[Held], scope: Scope) {
        let Self { look, probe, passed, reach, .. } = self;
        passed.clear();
        if scope == Scope::Held {
            probe.features.want(system, held.iter().map(|h| h.id), *reach);
            if probe.features.fill(system, at, *reach, look) {
                return;
            }
        }
        system.constraints(at, *reach, look);
        for h in held {
            let found = look.constraints.binary_search_by_key(&h.id, |c| c.id).is_ok();
            let among = |id| held.binary_search_by_key(&id, |h| h.id).is_ok();
            if !found && probe.features.add(system, h.id, (at, *reach), among, look) {
                passed.push(h.id);
            }
        }
    }
}

impl EventDriven {
    /// Contacts whose features have changed become those of the features that follow, or end; true when one has ended.
    pub(super) fn pass_on_features(&mut self, system: &dyn System) -> bool {
        let mut ended = false;
        if self.flow.passed.is_empty() {
            return ended;
        }
        for k in 0..self.flow.passed.len() {
            let id = self.flow.passed[k];
            let held = &mut self.phase.held;
            let Ok(at) = held.binary_search_by_key(&id, |h| h.id) else { continue };
            let Held { motions, .. } = held.remove(at);
            match successor(system, (&self.state, &self.flow.look), id, held) {
                Some(next) => {
                    let place = held.partition_point(|h| h.id < next);
                    held.insert(place, Held { id: next, motions });
                    self.phase.starting.iter_mut().filter(|s| s.0 == id).for_each(|s| s.0 = next);
                    self.phase.starting.sort_unstable();
                }
                None => {
                    self.phase.starting.retain(|s| s.0 != id);
                    ended = true;
                }
            }
        }
        self.flow.probe.features.set_out(&self.state);
        self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        ended
    }
}

/// The contact of the same bodies that touches where one that has passed does, and in the same direction.
fn successor(
    system: &dyn System,
    (at, look): (&State, &Snapshot),
    id: ConstraintId,
    held: &[Held],
) -> Option<ConstraintId> {
    let Ok(k) = look.constraints.binary_search_by_key(&id, |c| c.id) else { return None };
    let old = &look.constraints[k];
    let near = SAME * system.size(at, look, old);
    let same = |c: &&Constraint| {
        (c.id.a, c.id.b) == (id.a, id.b)
            && c.id != id
            && c.is_contact()
            && held.binary_search_by_key(&c.id, |h| h.id).is_err()
            && c.normal.cross(&old.normal).norm() <= SAME
            && c.normal.dot(&old.normal) > 0.0
            && (c.point - old.point).norm() <= near
    };
    look.constraints.iter().find(same).map(|c| c.id)
}
