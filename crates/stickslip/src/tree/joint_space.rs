//! The joints of mechanisms as those see and command them who think in joints: coordinates, but for those that close
//! loops or hang on what is driven.

use super::Tree;
use crate::body::Space;
use crate::joint_space::JointSpace;
use crate::state::State;

impl<S: Space> JointSpace for Tree<S> {
    fn joint_names(&self) -> Vec<&str> {
        self.world.joint_names()
    }

    fn show_joints(&self, at: &State, show: &mut dyn FnMut([f64; 2])) {
        for joint in self.world.free_joints() {
            show(match self.forest.single[joint] {
                Some(single) => [at.q[single.q], at.u[single.u]],
                None => self.at(at, |memory| self.world.joint_motion(joint, &memory.bodies)),
            });
        }
    }

    fn add_torques(&self, at: &State, torques: &[f64], out: &mut [f64]) {
        for (joint, torque) in self.world.free_joints().zip(torques).filter(|(_, torque)| **torque != 0.0) {
            if let Some(single) = self.forest.single[joint] {
                out[single.u] += torque;
                continue;
            }
            self.at(at, |memory| {
                self.world.show_rate_rows(joint, &memory.bodies, &mut |slot, row| {
                    let node = self.forest.of_slot[slot];
                    self.row_along((node, row), &memory.kinematics, |k, [value, _]| out[k] += torque * value);
                });
            });
        }
    }
}
