//! The features that contacts have from some state on, whatever comes between.
//!
//! Where two bodies touch is found anew at every state (`collide`), and other features may be found a moment later. What
//! integrates the motion of closed contacts, or takes differences of their rows, needs the same features on both sides of
//! such an instant: they are looked up once, where they touch, and followed from there (`collide/anchor.rs`). That is
//! also quicker than finding all contacts.

use crate::collide::anchor::Anchor;
use crate::state::State;
use crate::system::{ConstraintId, Snapshot, System};

/// Features of contacts, looked up when they are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Where they touch; none at first, when nothing is followed.
    from: Option<State>,
    /// By id; none for features that cannot be followed.
    known: Vec<(ConstraintId, Option<Anchor>)>,
    wanted: Vec<(ConstraintId, Anchor)>,
}

impl Features {
    /// From here on.
    pub fn set_out(&mut self, from: &State) {
        match &mut self.from {
            Some(state) => state.copy_from(from),
            none => *none = Some(from.clone()),
        }
        self.known.clear();
    }

    fn anchor(&mut self, system: &dyn System, id: ConstraintId, reach: f64) -> Option<Anchor> {
        let from = self.from.as_ref()?;
        let k = self.known.binary_search_by_key(&id, |k| k.0).unwrap_or_else(|k| {
            self.known.insert(k, (id, system.anchor(id, from, reach)));
            k
        });
        self.known[k].1
    }

    /// Prepares [`fill`](Self::fill) for these constraints, ordered; false if not all contacts among them can be
    /// followed.
    pub fn want(&mut self, system: &dyn System, ids: impl Iterator<Item = ConstraintId>, reach: f64) -> bool {
        self.wanted.clear();
        for id in ids.filter(|id| system.is_contact(*id)) {
            let Some(anchor) = self.anchor(system, id, reach) else { return false };
            self.wanted.push((id, anchor));
        }
        true
    }

    /// Fills the constraints at a state, of contacts only those that are wanted; false where a system does not know how.
    pub fn fill(&self, system: &dyn System, at: &State, out: &mut Snapshot) -> bool {
        self.from.is_some() && system.anchored(&self.wanted, at, out)
    }

    /// Adds a contact that a list lacks; true when it can be followed.
    pub fn add(
        &mut self,
        system: &dyn System,
        id: ConstraintId,
        (at, reach): (&State, f64),
        out: &mut Snapshot,
    ) -> bool {
        let anchor = self.anchor(system, id, reach);
        if let Some(anchor) = &anchor {
            system.add_anchored(id, anchor, at, out);
        }
        anchor.is_some()
    }
}
