//! What joints and drives do: the mean forces over a step, from its impulses.

use super::World;
use super::joints::MOTOR;
use crate::body::Space;
use crate::step::{Outcome, Step};
use crate::system::{Law, Reaction};
use nalgebra::Vector3;

/// Force and torque.
type Wrench = [Vector3<f64>; 2];

impl<S: Space> World<S> {
    /// Forces of all joints on their second bodies, then of all drives. Joint forces act at the joint's place at the
    /// end of the step, contact forces where the step saw the contact. A coupling's belong to the joints it couples.
    pub(crate) fn all_reactions(&self, step: &Step) -> Vec<Reaction> {
        let mut joints = vec![[Vector3::zeros(); 2]; self.joints.len()];
        let mut drives = vec![[Vector3::zeros(); 2]; self.bodies.len()];
        let impulses = self.spread_impulses(step);
        for (o, impulse) in step.outcomes.iter().zip(&impulses) {
            let id = o.constraint.id;
            if let Law::Contact { .. } = o.constraint.law {
                self.add_contact_reaction(o, step, &mut drives);
            } else if let Law::DryDisc { .. } = o.constraint.law {
                // what lies on the surface is held by nothing that is asked for
            } else if let Some(coupling) = self.coupling_of(id) {
                for (joint, factor) in coupling.joints.into_iter().zip([1.0, -coupling.ratio]) {
                    let along = [impulse[0] * factor];
                    self.add_joint_reaction((joint, MOTOR), &along, step, (&mut joints, &mut drives));
                }
            } else {
                let joint = id.a as usize - self.bodies.len();
                self.add_joint_reaction((joint, id.b), impulse, step, (&mut joints, &mut drives));
            }
        }
        let reaction = |name: &str, drive: bool, [force, torque]: [Vector3<f64>; 2]| Reaction {
            name: name.to_owned(),
            drive,
            force: S::components(&force),
            torque: S::torque(&torque),
        };
        let joints = self.joints.iter().zip(joints).map(|(j, w)| reaction(&j.name, false, w));
        let driven = self.bodies.iter().zip(drives).enumerate().filter(|(i, _)| self.is_driven(*i));
        joints.chain(driven.map(|(_, (b, w))| reaction(&b.name, true, w))).collect()
    }

    /// What one constraint of a joint does, and what drives must do against it.
    fn add_joint_reaction(
        &self,
        (index, which): (usize, u32),
        impulse: &[f64],
        step: &Step,
        (joints, drives): (&mut [Wrench], &mut [Wrench]),
    ) {
        let joint = &self.joints[index];
        let placed = self.placed(joint, &step.state);
        let [force, torque] = self.joint_wrench(index, which, impulse, &placed).map(|v| v / step.dt);
        joints[index][0] += force;
        joints[index][1] += torque;
        for (side, sign) in [(&joint.a, 1.0), (&joint.b, -1.0)] {
            let Some(body) = side.body.filter(|&i| self.is_driven(i)) else { continue };
            let arm = placed.p[1] - S::frame(&self.pose(body, &step.state)).0;
            drives[body][0] += force * sign;
            drives[body][1] += (torque + arm.cross(&force)) * sign;
        }
    }

    /// The drive must hold against what a contact does to its body.
    fn add_contact_reaction(&self, o: &Outcome, step: &Step, drives: &mut [[Vector3<f64>; 2]]) {
        let c = &o.constraint;
        let tangential = S::tangent_vector(&c.normal, &o.impulse[1..=c.law.tangents()]);
        let moment = self.friction_moment(c, &o.impulse[1 + c.law.tangents()..c.law.rows()]);
        let mut force = c.normal * o.impulse[0];
        for (f, t) in force.iter_mut().zip(&tangential) {
            *f += t;
        }
        // on the body that moves; the driven one feels the opposite and the drive holds against that
        for body in [c.id.a as usize, c.id.b as usize] {
            if self.is_driven(body) {
                let arm = c.point - S::frame(&self.pose(body, &step.state)).0;
                drives[body][0] += force / step.dt;
                drives[body][1] += (arm.cross(&force) + moment) / step.dt;
            }
        }
    }
}
