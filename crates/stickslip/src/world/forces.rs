//! The forces of a world.

use super::{Motion, World, WorldError};
use crate::body::Space;
use crate::force::{Controller, Force};
use crate::state::State;
use crate::system::Snapshot;
use nalgebra::Vector3;

impl<S: Space> World<S> {
    /// Adds a force.
    pub fn add_force(&mut self, force: Force) -> Result<(), WorldError> {
        let bodies = match &force {
            Force::Wrench(w) => [Some(w.body), None],
            Force::Drag(d) => [Some(d.body), None],
            Force::Spring(s) => [s.a.body, s.b.body],
            Force::Controller(c) if c.bound.is_some_and(|bound| !(bound >= 0.0 && bound.is_finite())) => {
                return Err(WorldError::Force { what: "has a bound that is negative or not finite" });
            }
            Force::Controller(c) if c.bound.is_some() && c.stiffness == 0.0 && c.damping == 0.0 => {
                return Err(WorldError::Force { what: "has a bound, but neither stiffness nor damping" });
            }
            Force::Controller(c) => match self.joints.get(c.joint) {
                Some(joint) if joint.kind.free(S::CONTACT_ROWS).is_some() => [joint.a.body, joint.b.body],
                _ => return Err(WorldError::Force { what: "needs a joint with exactly one free direction" }),
            },
            Force::Custom(_) => [None, None],
        };
        if bodies.iter().flatten().any(|&i| i >= self.bodies.len()) {
            return Err(WorldError::Force { what: "names a body that does not exist" });
        }
        let inert = bodies.iter().flatten().all(|&i| self.slot[i].is_none());
        if inert && !matches!(force, Force::Custom(_)) {
            return Err(WorldError::Force { what: "acts on no body that moves by the laws of motion" });
        }
        let timeless = match &force {
            Force::Drag(_) | Force::Spring(_) => true,
            Force::Controller(c) => c.rests() && c.ahead.is_none(),
            Force::Wrench(_) | Force::Custom(_) => false,
        };
        self.autonomous &= timeless && !bodies.iter().flatten().any(|&i| self.is_driven(i));
        self.forces.push(force);
        Ok(())
    }

    /// The forces.
    pub fn forces(&self) -> &[Force] {
        &self.forces
    }

    pub(crate) fn is_driven(&self, body: usize) -> bool {
        matches!(self.bodies[body].motion, Motion::Driven(_))
    }

    /// Adds a force and a torque about its origin to a body, if it is one that forces move.
    pub(super) fn add_wrench(
        &self,
        body: Option<usize>,
        (force, torque): (Vector3<f64>, Vector3<f64>),
        conservative: bool,
        out: &mut Snapshot,
    ) {
        let Some(slot) = body.and_then(|i| self.slot[i]) else { return };
        out.rows.clear();
        S::push_row(&force, &torque, &mut out.rows);
        let target = if conservative { &mut out.force } else { &mut out.applied };
        target[slot * S::FREEDOMS..].iter_mut().zip(&out.rows).for_each(|(f, x)| *f += x);
        out.load[slot * S::FREEDOMS..].iter_mut().zip(&out.rows).for_each(|(f, x)| *f += x.abs());
    }

    pub(super) fn add_forces(&self, at: &State, out: &mut Snapshot) {
        self.forces.iter().for_each(|force| self.add_one_force(force, at, out));
    }

    /// Adds what one force does.
    pub(crate) fn add_one_force(&self, force: &Force, at: &State, out: &mut Snapshot) {
        match force {
            Force::Wrench(wrench) => {
                let value = wrench.evaluate(at.instant(), &self.moving(Some(wrench.body), at));
                self.add_wrench(Some(wrench.body), value, false, out);
            }
            Force::Drag(drag) => {
                let value = drag.evaluate(&self.moving(Some(drag.body), at));
                self.add_wrench(Some(drag.body), value, false, out);
            }
            Force::Spring(spring) => {
                let ends = [spring.a.body, spring.b.body];
                let moving = ends.map(|body| self.moving(body, at));
                let f = spring.evaluate(&moving[0], &moving[1]);
                // with an end that is driven, the energy in the spring is the drive's as much as the system's
                let own = !ends.iter().flatten().any(|&i| self.is_driven(i));
                for (k, sign) in [(0, -1.0), (1, 1.0)] {
                    let arm = f.points[k] - moving[k].p;
                    let wrench = |force: Vector3<f64>| (force * sign, arm.cross(&force) * sign);
                    self.add_wrench(ends[k], wrench(f.elastic), own, out);
                    self.add_wrench(ends[k], wrench(f.damping), false, out);
                }
                if own {
                    out.potential += f.potential;
                }
            }
            Force::Controller(controller) if controller.bound.is_some() => {} // a constraint
            Force::Controller(controller) => self.add_controller(controller, at, out),
            Force::Custom(custom) => (custom.0)(at, &mut out.applied),
        }
    }

    fn add_controller(&self, controller: &Controller, at: &State, out: &mut Snapshot) {
        let joint = &self.joints[controller.joint];
        let Some(value) = self.free_row(controller.joint, &self.placed(joint, at), at) else { return };
        let (elastic, damping, energy) =
            controller.evaluate(at.instant().inside().0, value.value, self.rate(joint, &value, at));
        // as with springs between points: a driven end makes the energy the drive's as well
        let driven = [joint.a.body, joint.b.body].into_iter().flatten().any(|i| self.is_driven(i));
        let own = controller.rests() && !driven;
        for (side, (linear, angular)) in [&joint.a, &joint.b].into_iter().zip(&value.wrench) {
            self.add_wrench(side.body, (linear * elastic, angular * elastic), own, out);
            let applied = damping + controller.ahead(at.instant().inside().0);
            self.add_wrench(side.body, (linear * applied, angular * applied), false, out);
        }
        if own {
            out.potential += energy;
        }
    }
}
