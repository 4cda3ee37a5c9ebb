//! What a step says of itself: outcomes, certificate, work.

use super::EventDriven;
use super::flow::Scope;
use super::part::Part;
use crate::certificate::{Blame, Certificate};
use crate::events::Event;
use crate::friction::{Block, SLIDING};
use crate::layer::{is_pressed, of_contact};
use crate::step::{Mode, Outcome, Step};
use crate::stepper::TimeStep;
use crate::stepper::surface::physical;
use crate::system::{Law, System};
use complementarity::problem::law::MAX_ROWS;
use complementarity::solver::{Report, Status};

/// Slip below this, relative to the terms it is the sum of, is called sticking where there is no friction.
const STICKING: f64 = 1e-9;

impl EventDriven {
    /// Fills the step from the state reached.
    pub(super) fn judge(&mut self, system: &dyn System, time: TimeStep, out: &mut Step) {
        out.state.copy_from(&self.state);
        out.dt = time.dt;
        let known = self.flow.evaluate(system, &self.state, &self.phase.held, Scope::All);
        self.write_forces(system, known, out);
        let look = &self.flow.look;
        out.kinetic = look.mass.half_square(&self.state.u);
        out.potential = look.potential;
        out.certificate = Certificate::default();
        out.blame = Blame::default();
        self.judge_laws(out);
        self.judge_geometry(out);
        // in rows that are not scaled
        system.constraints(&self.state, self.flow.reach, &mut self.flow.look);
        self.write_outcomes(out);
        let w = &mut self.work;
        // the change of kinetic energy that the integrated work is; what the integration misses is discretisation
        w.kinetic_change = w.conservative + w.applied + w.friction + w.normal + w.joints;
        w.turnover += w.kinetic_change.abs();
        out.work = *w;
        out.report = Report { status: Status::Solved, iterations: self.evaluations, residual: self.impact };
        self.evaluations = 0;
        let events = out.events.get_or_insert_default();
        events.clear();
        events.extend(self.events.iter().map(|e| Event { id: of_contact(e.id).0, ..*e }));
    }

    /// Residuals of the acceleration-level laws.
    fn judge_laws(&self, out: &mut Step) {
        let scale = self.flow.free_scale();
        let relative = |x: f64| if x == 0.0 { 0.0 } else { x / scale };
        let mut worst = 0.0;
        let c = &mut out.certificate;
        for part in &self.flow.parts {
            let (f, a, d) = (&part.force, &part.acceleration, &part.diagonal);
            let rows = part.law.rows();
            let size = |v: &[f64]| v.iter().fold(0.0, |s: f64, x| s.hypot(*x));
            let [mut normal, mut cone, mut slip] = [0.0f64; 3];
            match part.law {
                Law::Bilateral { .. } => {
                    let stabilised = self.flow.stabilisation != Default::default();
                    normal = if stabilised { 0.0 } else { relative(size(&a[..rows])) };
                }
                // refused before
                Law::Servo { .. } => {}
                Law::Limit => normal = relative(a[0].min(f[0] * d[0]).abs()),
                Law::Contact { .. } => normal = relative(a[0].min(f[0] * d[0]).abs()),
                Law::Dry { .. } | Law::DryDisc { .. } => {}
            }
            for block in part.blocks.iter().flatten() {
                let inertia = d[block.first];
                let limit = block.limit(f[0]);
                cone = cone.max(relative((block.size_of(f) - limit).max(0.0) * inertia));
                let off =
                    if block.sticks() { block.size_of(a) } else { friction_residual(block, f) * inertia };
                slip = keep_nan(slip, relative(off));
            }
            c.complementarity = keep_nan(c.complementarity, normal);
            c.cone = keep_nan(c.cone, cone);
            c.dissipation = keep_nan(c.dissipation, slip);
            let all = keep_nan(keep_nan(normal, cone), slip);
            if all > worst || all.is_nan() {
                worst = all;
                out.blame.law = Some(of_contact(self.flow.look.constraints[part.index].id).0);
            }
        }
        c.complementarity = keep_nan(c.complementarity, self.impact);
        if self.flow.of_least {
            c.complementarity = keep_nan(c.complementarity, self.flow.least.residual);
        }
    }

    /// Overlaps and errors of joints.
    fn judge_geometry(&self, out: &mut Step) {
        for c in &self.flow.look.constraints {
            match c.law {
                Law::Contact { .. } if -c.gap[0] > out.certificate.penetration => {
                    out.certificate.penetration = -c.gap[0];
                    out.blame.penetration = Some(c.id);
                }
                Law::Bilateral { rows } => {
                    let error = c.gap[..rows].iter().fold(0.0, |m: f64, g| m.max(g.abs()));
                    if error > out.certificate.joint {
                        out.certificate.joint = error;
                        out.blame.joint = Some(c.id);
                    }
                }
                _ => {}
            }
        }
    }

    /// The forces at the end of the step, of the flow that was evaluated there.
    fn write_forces(&self, system: &dyn System, known: bool, out: &mut Step) {
        let instant = &mut out.instant;
        instant.clear();
        if !known {
            return;
        }
        let mut pressed = vec![0.0; self.state.layers.iter().filter(|l| l.pressed).count()];
        if !pressed.is_empty() {
            super::layers::forces(system, &self.flow, &self.state, &mut pressed);
        }
        for (layer, normal) in self.state.layers.iter().filter(|l| l.pressed).zip(pressed) {
            let mut force = [0.0; MAX_ROWS];
            force[0] = normal;
            instant.push((layer.id, force));
        }
        instant.sort_unstable_by_key(|i| i.0);
        for part in &self.flow.parts {
            let (id, on_layer) = of_contact(self.flow.look.constraints[part.index].id);
            let rows = part.law.rows();
            let force = physical(&part.law, self.flow.probe.cone, &part.force[..rows]);
            match instant.binary_search_by_key(&id, |i| i.0) {
                // friction on a layer is the contact's
                Ok(k) if on_layer => instant[k].1[1..=rows].copy_from_slice(&force[..rows]),
                Ok(_) => {}
                Err(k) => instant.insert(k, (id, force)),
            }
        }
    }

    /// Impulses over the step and what contacts do at its end.
    fn write_outcomes(&self, out: &mut Step) {
        out.outcomes.clear();
        let mut parts = self.flow.parts.iter().peekable();
        for (index, c) in self.flow.look.constraints.iter().enumerate() {
            let part = parts.next_if(|p| p.index == index);
            let total = self.totals.binary_search_by_key(&c.id, |t| t.id).ok().map(|k| self.totals[k]);
            let rows = c.law.rows();
            let mut velocity = c.drift;
            self.flow.look.jacobian.add_velocity(
                c.first_part..c.end_part,
                &self.state.u,
                &mut velocity[..rows],
            );
            let slides = |p: &Part| match p.blocks[SLIDING] {
                Some(block) if block.is_rough() => !block.sticks(),
                Some(block) => {
                    let sizes = crate::bias::row_sizes(&self.flow.look, c, &self.state.u);
                    block.rows().any(|r| velocity[r].abs() > STICKING * sizes[r])
                }
                None => false,
            };
            let rubs = |p: Option<&Part>| if p.is_some_and(slides) { Mode::Slip } else { Mode::Stick };
            if let (id, true) = of_contact(c.id) {
                // friction on a layer is the contact's
                let base = out.outcomes.iter_mut().rfind(|o| o.constraint.id == id);
                if let (Some(base), Some(total)) = (base, total) {
                    base.impulse[1..=rows].iter_mut().zip(total.impulse).for_each(|(i, f)| *i += f);
                    base.mode = rubs(part);
                }
                continue;
            }
            let mode = match part {
                None if is_pressed(&self.state, c.id) => {
                    let sizes = crate::bias::row_sizes(&self.flow.look, c, &self.state.u);
                    let slips = (1..=c.law.tangents()).any(|r| velocity[r].abs() > STICKING * sizes[r]);
                    if slips { Mode::Slip } else { Mode::Stick }
                }
                None => Mode::Open,
                Some(p) if slides(p) => Mode::Slip,
                Some(_) => Mode::Stick,
            };
            out.outcomes.push(Outcome {
                constraint: *c,
                gap: c.gap[0],
                impulse: total.map_or([0.0; MAX_ROWS], |t| t.impulse),
                velocity,
                velocity_before: total.map_or([0.0; MAX_ROWS], |t| t.before),
                mode,
            });
        }
    }
}

/// How far friction that slips is from its limit opposite to the slip, as a force.
fn friction_residual(block: &Block, force: &[f64; MAX_ROWS]) -> f64 {
    let limit = block.limit(force[0]);
    block.rows().zip(block.direction()).fold(0.0, |s: f64, (r, d)| s.hypot(force[r] + limit * d))
}

fn keep_nan(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
