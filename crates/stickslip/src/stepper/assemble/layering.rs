//! Visco-elastic layers (`stepper/layers.rs`) of the contacts of a step.

use super::solution::Solution;
use crate::step::Warm;
use crate::stepper::layers::Layered;
use crate::stepper::surface::physical;
use crate::system::System;

impl Solution<'_> {
    /// Keeps the deflections for the next step and returns the energy they store, J.
    pub fn keep_layers(&self, system: &dyn System, warm: &mut Warm) -> f64 {
        let layers = &self.problem.posed.layers;
        layers.keep(system, &self.problem.frozen.at.constraints, warm);
        layers.entries.iter().map(Layered::energy).sum()
    }

    /// The worst violation of a core, like the other laws as a speed relative to the problem's. Needs the diagonal.
    pub fn layer_violation(&self) -> f64 {
        let (posed, dt) = (&self.problem.posed, self.problem.dt);
        let worst = posed.layers.entries.iter().map(|e| {
            let (beyond, pull) = e.violation();
            let diagonal = posed.selected.binary_search(&e.constraint).map_or(0.0, |g| posed.diagonal[g][0]);
            (beyond / dt).max(pull * diagonal)
        });
        let worst = worst.fold(0.0, f64::max);
        if worst > 0.0 { worst / posed.contact.scale } else { 0.0 }
    }

    /// Tells the layers the impulses found. Returns true when contacts went onto their core or left it.
    pub fn press_layers(&mut self) -> bool {
        let (constraints, posed) = (&self.problem.frozen.at.constraints, &mut *self.problem.posed);
        posed.layers.take(constraints, self.problem.dt, |i| {
            let Ok(g) = posed.selected.binary_search(&i) else { return [0.0; 3] };
            let impulses = &self.found.impulses[posed.contact.groups[g].rows()];
            let p = physical(&constraints[i].law, posed.cone, impulses);
            [p[0], p[1], p[2]]
        })
    }
}
