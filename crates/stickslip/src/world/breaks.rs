//! Where the functions of time that a world is given have their kinks and jumps.

use super::{Motion, World};
use crate::body::Space;
use crate::drive::first_break;
use crate::force::{Force, Target};
use crate::joint::Goal;

impl<S: Space> World<S> {
    /// The first after `t` of drives, moving surfaces, motors and forces; none where all are smooth.
    pub(super) fn first_break(&self, t: f64, until: f64) -> Option<f64> {
        let drives = self.bodies.iter().filter_map(|b| match &b.motion {
            Motion::Driven(drive) => drive.next_break(t, until),
            _ => None,
        });
        let under = self.support_surface.iter().filter_map(|s| s.velocity.as_ref());
        let surfaces = self.surface_velocity.iter().flatten().chain(under);
        let motors = self.joints.iter().filter_map(|j| match &j.motor.as_ref()?.goal {
            Goal::Speed(f) | Goal::Position(f) => f.next_break(t, until),
        });
        let forces = self.forces.iter().filter_map(|force| match force {
            Force::Wrench(w) => first_break(w.force.iter().chain(&w.torque), (t, until)),
            Force::Controller(c) => {
                let target = if let Target::Follow(f) = &c.target { Some(f) } else { None };
                first_break(target.into_iter().chain(&c.ahead), (t, until))
            }
            _ => None,
        });
        let surfaces = surfaces.filter_map(|s| s.next_break(t, until));
        drives.chain(surfaces).chain(motors).chain(forces).reduce(f64::min)
    }
}
