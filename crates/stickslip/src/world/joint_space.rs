//! The joints of a world as those see and command them who think in joints.

use super::World;
use crate::body::Space;
use crate::joint_space::JointSpace;
use crate::state::State;

impl<S: Space> World<S> {
    /// The joints that leave exactly one direction free.
    pub(crate) fn free_joints(&self) -> impl Iterator<Item = usize> {
        (0..self.joints.len()).filter(|&j| self.joints[j].kind.free(S::CONTACT_ROWS).is_some())
    }

    /// Position and rate of a joint's one free direction.
    pub(crate) fn joint_motion(&self, joint: usize, at: &State) -> [f64; 2] {
        let value = self.free_row(joint, &self.placed(&self.joints[joint], at), at);
        value.map_or([0.0; 2], |value| [value.value, self.rate(&self.joints[joint], &value, at)])
    }

    /// The rows of a joint's rate: shows of each body that it moves which of those that move it is, and the row of its
    /// velocities.
    pub(crate) fn show_rate_rows(&self, joint: usize, at: &State, show: &mut dyn FnMut(usize, &[f64])) {
        let joint_here = &self.joints[joint];
        let Some(value) = self.free_row(joint, &self.placed(joint_here, at), at) else { return };
        let mut row = Vec::with_capacity(S::FREEDOMS);
        for (side, (linear, angular)) in [&joint_here.a, &joint_here.b].into_iter().zip(&value.wrench) {
            let Some(slot) = side.body.and_then(|body| self.slot[body]) else { continue };
            row.clear();
            S::push_row(linear, angular, &mut row);
            show(slot, &row);
        }
    }
}

impl<S: Space> JointSpace for World<S> {
    fn joint_names(&self) -> Vec<&str> {
        self.free_joints().map(|joint| self.joints[joint].name.as_str()).collect()
    }

    fn show_joints(&self, at: &State, show: &mut dyn FnMut([f64; 2])) {
        self.free_joints().for_each(|joint| show(self.joint_motion(joint, at)));
    }

    fn add_torques(&self, at: &State, torques: &[f64], out: &mut [f64]) {
        for (joint, torque) in self.free_joints().zip(torques).filter(|(_, torque)| **torque != 0.0) {
            self.show_rate_rows(joint, at, &mut |slot, row| {
                let own = &mut out[slot * S::FREEDOMS..(slot + 1) * S::FREEDOMS];
                own.iter_mut().zip(row).for_each(|(f, w)| *f += torque * w);
            });
        }
    }
}
