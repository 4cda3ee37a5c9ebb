//! Visco-elastic layers (`stepper/layers.rs`) of the contacts of a step.

use super::super::layers::Layered;
use super::super::surface::physical;
use super::Assembly;
use crate::system::System;

impl Assembly {
    /// Finds the contacts with a layer.
    pub(in crate::stepper) fn look_at_layers(&mut self, system: &dyn System) {
        self.layers.look(system, &self.frozen.constraints, &self.warm);
    }

    /// Keeps the deflections for the next step and returns the energy they store, J.
    pub(in crate::stepper) fn keep_layers(&mut self, system: &dyn System) -> f64 {
        self.layers.keep(system, &self.frozen.constraints, &mut self.warm);
        self.layers.entries.iter().map(Layered::energy).sum()
    }

    /// The worst violation of a core, like the other laws as a speed relative to the problem's. Needs `finish`.
    pub(in crate::stepper) fn layer_violation(&self, dt: f64) -> f64 {
        let worst = self.layers.entries.iter().map(|e| {
            let (beyond, pull) = e.violation();
            let diagonal = self.selected.binary_search(&e.constraint).map_or(0.0, |g| self.diagonal[g][0]);
            (beyond / dt).max(pull * diagonal)
        });
        let worst = worst.fold(0.0, f64::max);
        if worst > 0.0 { worst / self.problem.scale } else { 0.0 }
    }

    /// Tells the layers the impulses found. Returns true when contacts went onto their core or left it.
    pub(in crate::stepper) fn press_layers(&mut self, dt: f64) -> bool {
        let Self { layers, frozen, selected, problem, impulses, cone, .. } = self;
        layers.take(&frozen.constraints, dt, |i| {
            let Ok(g) = selected.binary_search(&i) else { return [0.0; 3] };
            let p = physical(&frozen.constraints[i].law, *cone, &impulses[problem.groups[g].rows()]);
            [p[0], p[1], p[2]]
        })
    }
}
