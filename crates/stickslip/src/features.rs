//! The features that contacts have from some state on, whatever comes between.
//!
//! Where two bodies touch is found anew at every state (`collide`), and other features may be found a moment later. What
//! integrates the motion of closed contacts, or takes differences of their rows, needs the same features on both sides of
//! such an instant: they are looked up once, where they touch, and followed from there (`collide/anchor.rs`). That is
//! also quicker than finding all contacts. Of curved surfaces, which have no features to follow, the contact that the
//! bodies have then stands for the one they had: it moves smoothly along.

use crate::collide::anchor::Anchor;
use crate::state::State;
use crate::system::{ConstraintId, Snapshot, System};

/// The features of a contact.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: ConstraintId,
    /// None for features that cannot be followed.
    anchor: Option<Anchor>,
    /// Looked up since the start was set.
    fresh: bool,
}

/// Features of contacts, looked up when they are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Where they touch; none at first, when nothing is followed.
    from: Option<State>,
    /// By id.
    known: Vec<Known>,
    wanted: Vec<(ConstraintId, Option<Anchor>)>,
    memory: Snapshot,
}

impl Features {
    /// From here on. What does not touch here, by rounding, is followed from where it did before.
    pub fn set_out(&mut self, from: &State) {
        match &mut self.from {
            Some(state) => state.copy_from(from),
            none => *none = Some(from.clone()),
        }
        self.known.retain(|k| k.fresh);
        self.known.iter_mut().for_each(|k| k.fresh = false);
    }

    fn anchor(&mut self, system: &dyn System, id: ConstraintId, reach: f64) -> Option<Anchor> {
        let from = self.from.as_ref()?;
        let k = self.known.binary_search_by_key(&id, |k| k.id).unwrap_or_else(|k| {
            self.known.insert(k, Known { id, anchor: None, fresh: false });
            k
        });
        let known = &mut self.known[k];
        if !known.fresh {
            known.anchor = system.anchor(id, (from, reach), &mut self.memory).or(known.anchor);
            known.fresh = true;
        }
        known.anchor
    }

    /// Prepares [`fill`](Self::fill) for these constraints, ordered.
    pub fn want(&mut self, system: &dyn System, ids: impl Iterator<Item = ConstraintId>, reach: f64) {
        self.wanted.clear();
        for id in ids.filter(|id| system.is_contact(*id)) {
            let anchor = self.anchor(system, id, reach);
            self.wanted.push((id, anchor));
        }
    }

    /// Fills the constraints at a state, of contacts only those that are wanted; false where a system does not know how.
    pub fn fill(&self, system: &dyn System, at: &State, reach: f64, out: &mut Snapshot) -> bool {
        self.from.is_some() && system.anchored(&self.wanted, (at, reach), out)
    }

    /// Adds one of these contacts to a list that lacks it; false when it can neither be followed nor does another one
    /// stand for it.
    pub fn add(
        &mut self,
        system: &dyn System,
        id: ConstraintId,
        (at, reach): (&State, f64),
        among: impl Fn(ConstraintId) -> bool,
        out: &mut Snapshot,
    ) -> bool {
        if let Some(anchor) = &self.anchor(system, id, reach) {
            system.add_anchored(id, anchor, at, out);
            return true;
        }
        if self.from.is_none() {
            return false;
        }
        let others = out
            .constraints
            .iter()
            .filter(|c| (c.id.a, c.id.b) == (id.a, id.b) && c.is_contact() && !among(c.id));
        let Some(mut stands) = others.min_by(|x, y| x.gap[0].abs().total_cmp(&y.gap[0].abs())).copied()
        else {
            return false;
        };
        stands.id = id;
        let place = out.constraints.partition_point(|c| c.id < id);
        out.constraints.insert(place, stands);
        true
    }
}
