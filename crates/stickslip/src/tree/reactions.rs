use super::Tree;
use crate::body::Space;
use crate::describe::Reaction;
use crate::step::Step;

impl<S: Space> Tree<S> {
    pub(super) fn all_reactions(&self, step: &Step) -> Vec<Reaction> {
        let bodies = Step { state: self.in_bodies(&step.state), ..step.clone() };
        self.world.all_reactions(&bodies)
    }
}
