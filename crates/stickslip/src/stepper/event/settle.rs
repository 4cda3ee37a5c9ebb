//! Keeps the state on closed contacts and joints: positions by Newton's method, velocities in one step, both in the metric
//! of the mass,
//!
//! ```text
//! G M^-1 G^T y = −gap,  q <- q ⊕ M^-1 G^T y;   G M^-1 G^T y = −gamma,  u <- u + M^-1 G^T y                (1)
//! ```

use super::flow::Part;
use super::{EventDriven, JointMethod};
use crate::step::HeldMotion;
use crate::system::{Law, System};

/// The most Newton steps.
const ITERATIONS: usize = 4;
/// Gaps of this size, relative to the lengths they are differences of, are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl EventDriven {
    /// Eq. (1) at the state.
    pub(super) fn settle(&mut self, system: &dyn System) {
        let joints = self.settings.joints == JointMethod::Projection;
        system.normalise(&mut self.state.q);
        for _ in 0..ITERATIONS {
            if !self.flow.look(system, &self.state, &self.phase.held) {
                return;
            }
            let (look, state) = (&self.flow.look, &self.state);
            let holds = |p: &Part| match p.law {
                Law::Bilateral { .. } => joints,
                Law::Contact { .. } | Law::Limit => true,
                Law::Dry { .. } | Law::Servo { .. } | Law::DryDisc { .. } => false,
            };
            let rows = |p: &Part| if let Law::Bilateral { rows } = p.law { rows } else { 1 };
            let off = self.flow.parts.iter().filter(|p| holds(p)).any(|p| {
                let c = &look.constraints[p.index];
                let size = system.size(state, look, c);
                c.gap[..rows(p)].iter().any(|g| g.abs() > ROUNDING * size)
            });
            if !off {
                break;
            }
            let value = |p: &Part, r: usize| (holds(p) && r < rows(p)).then_some(p.gap[r]);
            self.movement.clear();
            self.movement.resize(self.state.u.len(), 0.0);
            self.flow.correct(value, &mut self.movement);
            system.displace(&mut self.state.q, &self.movement, 1.0);
        }
        self.settle_velocity(system, joints);
    }

    fn settle_velocity(&mut self, system: &dyn System, joints: bool) {
        if !self.flow.look(system, &self.state, &self.phase.held) {
            return;
        }
        let value = |p: &Part, r: usize| {
            let holds = match (p.law, p.motion) {
                (Law::Bilateral { .. }, _) => joints,
                (Law::Contact { surface, .. }, motion) => {
                    r == 0 || (motion == HeldMotion::Stick && surface.friction > 0.0)
                }
                (Law::Limit, _) => true,
                (Law::Dry { .. }, motion) => motion == HeldMotion::Stick,
                (Law::Servo { .. } | Law::DryDisc { .. }, _) => false,
            };
            holds.then_some(p.velocity[r])
        };
        self.flow.correct(value, &mut self.state.u);
    }
}
