//! Visco-elastic layers in smooth phases: where they are met and let go (`layer/on_cores.rs`), and what that does to
//! the ledger.
//!
//! A layer is let go where its force vanishes. Distance and rate from the body are then both zero, and a moment before
//! the force would have pulled: the second derivative of the distance is positive. Energy that is left in a layer when
//! it is let go is its damper's; it counts as lost in impact at once, and what is left of it when the layer is met
//! again counts as regained.

use super::EventDriven;
use super::flow::{Flow, Scope};
use super::triggers::{GAP_ROUNDING, Trigger, Value, begin};
use crate::events::{Event, EventKind};
use crate::layer::{Layer, LayerState, is_pressed, of_contact};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, System};

/// The slot of a layer among the blocks that start at zero.
pub(super) const LAYER: usize = 3;
/// A rate is zero if it is this small beside the rates it is the difference of.
const STILL: f64 = 1e-9;

/// A contact with a layer: the layer, the gap of the undeformed surfaces and its rate.
fn layered(system: &dyn System, flow: &Flow, c: &Constraint, u: &[f64]) -> Option<(Layer, f64, f64)> {
    let Law::Contact { .. } = c.law else { return None };
    let layer = system.layer(c.id)?;
    let mut rate = [c.drift[0]];
    flow.look.jacobian.add_velocity(c.first_part..c.end_part, u, &mut rate);
    Some((layer, c.gap[0] - layer.depth, rate[0]))
}

/// Where a layer that is not pressed is, and its rate.
fn recovering(layer: &Layer, at: &State, id: ConstraintId) -> (f64, f64) {
    let Ok(k) = at.layers.binary_search_by_key(&id, |l| l.id) else { return (0.0, 0.0) };
    // without a damper it is back at once
    let damped = layer.damping[(0, 0)] > 0.0 && at.layers[k].deflection > 0.0;
    let deflection = if damped { layer.recovering(&at.layers[k], at.t) } else { 0.0 };
    (deflection, if deflection > 0.0 { -layer.recovery() * deflection } else { 0.0 })
}

/// Lists what ends the phase at layers.
pub(super) fn values(
    system: &dyn System,
    flow: &Flow,
    at: &State,
    starting: &[(ConstraintId, usize)],
    out: &mut Vec<Value>,
) {
    for c in &flow.look.constraints {
        let Some((layer, gap, rate)) = layered(system, flow, c, &at.u) else { continue };
        let (id, slot) = (c.id, LAYER);
        let starts = starting.binary_search(&(id, LAYER)).is_ok();
        let rounding = GAP_ROUNDING * system.size(at, &flow.look, c);
        if is_pressed(at, id) {
            let (force, rounding) = (layer.normal_force(gap, rate), layer.stiffness[(0, 0)] * rounding);
            let value = if starts { begin(force, rate <= 0.0, rounding) } else { force };
            out.push(Value { trigger: Trigger::Release, id, slot, value, rate: 0.0, rounding });
        } else {
            let (deflection, back) = recovering(&layer, at, id);
            let apart = rate + back;
            let grows = apart >= -STILL * (rate.abs() + back.abs());
            let value = gap + deflection;
            let value = if starts { begin(value, grows, rounding) } else { value };
            out.push(Value { trigger: Trigger::Touch, id, slot, value, rate: apart, rounding });
        }
    }
}

/// Moves work of pressed layers to where it belongs, given rates of the five works of `mod.rs`: what dampers take is
/// lost in impact, and what a moving surface does through a layer is put in.
pub(super) fn share_work(system: &dyn System, flow: &Flow, at: &State, work: &mut [f64]) {
    for c in flow.look.constraints.iter().filter(|c| is_pressed(at, c.id)) {
        let Some((layer, gap, rate)) = layered(system, flow, c, &at.u) else { continue };
        let (elastic, damping) = (layer.normal_force(gap, 0.0), layer.normal_force(0.0, rate));
        work[0] += elastic * c.drift[0];
        work[1] -= elastic * c.drift[0] + damping * rate;
        work[3] += damping * rate;
    }
}

/// The forces of pressed layers in their order, N.
pub(super) fn forces(system: &dyn System, flow: &Flow, at: &State, out: &mut [f64]) {
    let pressed = at.layers.iter().filter(|l| l.pressed);
    for (l, force) in pressed.zip(out.iter_mut()) {
        let found = flow.look.constraints.binary_search_by_key(&l.id, |c| c.id).ok();
        let layered = found.and_then(|k| layered(system, flow, &flow.look.constraints[k], &at.u));
        *force = layered.map_or(0.0, |(layer, gap, rate)| layer.normal_force(gap, rate));
    }
}

impl EventDriven {
    /// What layers do at the start: those that are pressed in and press back keep to the body.
    pub(super) fn start_layers(&mut self, system: &dyn System) {
        self.flow.look(system, &self.state, &[], Scope::All);
        let (flow, state) = (&self.flow, &self.state);
        let mut layers = Vec::new();
        for c in &flow.look.constraints {
            let Some((layer, gap, rate)) = layered(system, flow, c, &state.u) else { continue };
            if gap <= 0.0 {
                let pressed = layer.normal_force(gap, rate) > 0.0;
                layers.push(LayerState { id: c.id, pressed, deflection: -gap, since: state.t });
                super::switch::insert(&mut self.phase.starting, (c.id, LAYER));
            }
        }
        self.state.layers = layers;
        self.look.layers.clone_from(&self.state.layers);
    }

    /// A layer is met or let go.
    pub(super) fn toggle_layer(&mut self, system: &dyn System, trigger: Trigger, id: ConstraintId) {
        let flow = &self.flow;
        let Ok(index) = flow.look.constraints.binary_search_by_key(&id, |c| c.id) else { return };
        let found = layered(system, flow, &flow.look.constraints[index], &self.state.u);
        let Some((layer, gap, _)) = found else { return };
        let pressed = trigger == Trigger::Touch;
        let entry = LayerState { id, pressed, deflection: (-gap).max(0.0), since: self.state.t };
        match self.state.layers.binary_search_by_key(&id, |l| l.id) {
            Ok(k) => self.state.layers[k] = entry,
            Err(k) => self.state.layers.insert(k, entry),
        }
        self.look.layers.clone_from(&self.state.layers);
        let energy = layer.energy(&[gap, 0.0, 0.0]);
        let regained = if pressed { energy } else { -energy };
        self.work.conservative -= regained;
        self.work.normal += regained;
        super::switch::insert(&mut self.phase.starting, (id, LAYER));
        if !pressed {
            // friction on it goes with it
            self.phase.held.retain(|h| of_contact(h.id) != (id, true));
            self.phase.starting.retain(|s| of_contact(s.0) != (id, true));
        }
        let kind = if pressed { EventKind::Close } else { EventKind::Open };
        self.events.push(Event { t: self.state.t, kind, id, value: 0.0 });
    }
}
