//! Steps of the integration, and where within one the phase ends.

use super::flow::Scope;
use super::rates::rates;
use super::triggers::{self, root};
use super::{EventDriven, FIRST_PROBE, JointMethod, WORKS};
use crate::system::System;

impl EventDriven {
    /// Prepares a step from the state and takes it with length `h`; returns the ratio of its error.
    pub(super) fn attempt(&mut self, system: &dyn System, h: f64) -> f64 {
        let speed = system.speed(&self.state.q, &self.state.u)
            + h * system.speed(&self.state.q, &self.flow.acceleration);
        let size = self.state.q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        self.flow.reach = 4.0 * h * speed + 1e-9 * size;
        self.flow.probe.features.set_out(&self.state);
        if self.flow.joints == JointMethod::PartitioningFull {
            self.flow.choose_partition(system, &self.state, &self.phase.held);
        }
        self.y.clear();
        self.y.extend_from_slice(&self.state.q);
        self.y.extend_from_slice(&self.state.u);
        self.tune(system, h);
        self.flow.look(system, &self.state, &self.phase.held, Scope::Held);
        let rows: usize = self.flow.parts.iter().map(|p| p.law.rows()).sum();
        let pressed = self.state.layers.iter().filter(|l| l.pressed).count();
        self.y.resize(self.y.len() + WORKS + rows + pressed, 0.0);
        let Self { method, flow, phase, look, evaluations, y, state, .. } = self;
        let mut rate = |t: f64, y: &[f64], out: &mut [f64]| {
            *evaluations += 1;
            rates(system, (flow, look), phase, (t, y), out);
        };
        method.begin(&mut rate, state.t, y);
        self.values_now(system, true);
        self.try_step(system, h);
        self.method.ratio(&self.y, self.state.q.len() + self.state.u.len(), self.settings.accuracy)
    }

    /// Sets the step of biases for a step of length `h`: by the velocities it will lead to.
    fn tune(&mut self, system: &dyn System, h: f64) {
        self.look.copy_from(&self.state);
        self.look.u.iter_mut().zip(&self.flow.acceleration).for_each(|(u, a)| *u += h * a);
        self.flow.look(system, &self.look, &self.phase.held, Scope::Held);
        let mut first = FIRST_PROBE * h;
        if self.flow.by_least_constraint {
            // steps may be short where loads change hands; the motion changes no faster there. At rest any step will
            // do, and it must not grow without end
            first = first.max(FIRST_PROBE * self.flow.probe.step.min(self.interval));
        }
        self.flow.tune(system, &self.look, first);
    }

    /// Takes the prepared step with length `h`.
    pub(super) fn try_step(&mut self, system: &dyn System, h: f64) {
        let Self { method, flow, phase, look, evaluations, y, state, .. } = self;
        let mut rate = |t: f64, y: &[f64], out: &mut [f64]| {
            *evaluations += 1;
            rates(system, (flow, look), phase, (t, y), out);
        };
        method.attempt(&mut rate, state.t, y, h);
    }

    /// What could end the phase, at the start of the step.
    fn values_now(&mut self, system: &dyn System, earlier: bool) {
        let list = if earlier { &mut self.earlier } else { &mut self.values };
        let at = if earlier { &self.state } else { &self.look };
        if earlier {
            self.flow.evaluate(system, at, &self.phase.held, Scope::All);
        }
        triggers::values(system, &self.flow, at, &self.phase, list);
    }

    /// The least of the values that end the phase, after a step of length `h`; NaN where there is no flow.
    fn margin(&mut self, system: &dyn System, h: f64) -> f64 {
        self.try_step(system, h);
        let (n, all) = (self.state.q.len(), self.state.q.len() + self.state.u.len());
        self.look.t = self.state.t + h;
        self.look.q.copy_from_slice(&self.method.end()[..n]);
        self.look.u.copy_from_slice(&self.method.end()[n..all]);
        self.margin_at_look(system)
    }

    fn margin_at_look(&mut self, system: &dyn System) -> f64 {
        self.evaluations += 1;
        system.normalise(&mut self.look.q);
        if self.flow.by_least_constraint || self.flow.ambiguous {
            self.flow.settle(system, &mut self.look, &self.phase.held);
        }
        if !self.flow.evaluate(system, &self.look, &self.phase.held, Scope::All) {
            return f64::NAN;
        }
        self.values_now(system, false);
        self.values.iter().map(|v| v.value).fold(f64::INFINITY, f64::min)
    }

    /// Looks at `theta` of the step of length `h` just taken, by interpolation; the least value there.
    fn sample(&mut self, system: &dyn System, h: f64, theta: f64) -> f64 {
        let (n, all) = (self.state.q.len(), self.state.q.len() + self.state.u.len());
        let Self { method, flow, phase, look, evaluations, state, y, sample, .. } = self;
        method.finish(
            &mut |t: f64, y: &[f64], out: &mut [f64]| {
                *evaluations += 1;
                rates(system, (flow, look), phase, (t, y), out);
            },
            state.t + h,
        );
        sample.resize(all, 0.0);
        method.dense(y, h, theta, sample);
        look.t = state.t + theta * h;
        look.q.copy_from_slice(&sample[..n]);
        look.u.copy_from_slice(&sample[n..]);
        self.margin_at_look(system)
    }

    /// Where within the step of length `h` just taken the phase ends, as a fraction just past the event.
    pub(super) fn crossing(&mut self, system: &dyn System, h: f64) -> Option<f64> {
        let mut before = (0.0, self.earlier.iter().map(|v| v.value).fold(f64::INFINITY, f64::min));
        if before.1 < 0.0 {
            return Some(0.0);
        }
        for theta in [0.5, 1.0] {
            let mut margin = self.sample(system, h, theta);
            let dip = triggers::dip(&self.earlier, &self.values, 0.5 * h);
            let candidate = if margin >= 0.0 { dip.map(|f| before.0 + 0.5 * f) } else { Some(theta) };
            if let Some(at) = candidate {
                // on the solution itself
                let there = self.margin(system, at * h);
                if there.is_nan() || there < 0.0 {
                    return Some(root(
                        |x| self.margin(system, x * h),
                        before,
                        (at, there.min(-f64::MIN_POSITIVE)),
                    ));
                }
                self.try_step(system, h);
                margin = self.sample(system, h, theta);
            }
            before = (theta, margin.max(0.0));
            std::mem::swap(&mut self.earlier, &mut self.values);
        }
        None
    }
}
