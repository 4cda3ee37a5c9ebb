//! Joint space: a system as those see and command it who think in joints and frames of bodies.
//!
//! The positions x of the joints that leave exactly one direction free move at rates that are linear in the velocities
//! of the system, and so do the velocity v of a point of a body and the body's spin omega:
//!
//! ```text
//! x' = J_x(q) u,     (v, omega) = J(q) u + what drives do                               (1)
//! ```
//!
//! By the same rows a torque (N m; a force, N, where a joint slides) acts on the system, with mass matrix M and bias h,
//! the forces without the torques that it takes to keep its velocities as they are:
//!
//! ```text
//! M(q) u' + h(q, u, t) = J_x^T tau + W lambda                                            (2)
//! ```
//!
//! In joint coordinates J_x picks entries; in body coordinates it does not. All here asks the [`System`] and its
//! [`Bodies`], and is the same for both.

use crate::audit::Bodies;
use crate::loaded::Load;
use crate::state::State;
use crate::system::{Snapshot, System};
use nalgebra::Vector3;

/// The joints of a system that leave exactly one direction free.
pub trait JointSpace {
    /// Their names.
    fn joint_names(&self) -> Vec<&str>;
    /// Shows of each its position, turns counted, and its rate, m or rad.
    fn show_joints(&self, at: &State, show: &mut dyn FnMut([f64; 2]));
    /// Adds the generalized force of torques, one for each, `J_x^T tau` of eq. (2).
    fn add_torques(&self, at: &State, torques: &[f64], out: &mut [f64]);
}

/// Torques on the joints, N m or N, the same at all states.
pub struct Torques<'a> {
    /// The joints.
    pub joints: &'a (dyn JointSpace + Sync),
    /// One for each.
    pub torques: &'a [f64],
}

impl Load for Torques<'_> {
    fn add(&self, at: &State, out: &mut [f64]) {
        self.joints.add_torques(at, self.torques, out);
    }
}

/// J of eq. (1) for a point of a body, given in the body's frame: six rows, of the velocity of the point and of the spin,
/// one column for each velocity of the system.
pub fn frame_jacobian(bodies: &dyn Bodies, body: usize, point: &Vector3<f64>, at: &State) -> Vec<f64> {
    let columns = at.u.len();
    let frame = bodies.frame(body, at);
    let arm = frame.r * point;
    let mut moving = at.clone();
    moving.u.fill(0.0);
    let (v, omega) = bodies.twist(body, &moving);
    let drives = (v + omega.cross(&arm), omega);
    let mut out = vec![0.0; 6 * columns];
    for k in 0..columns {
        moving.u[k] = 1.0;
        let (v, omega) = bodies.twist(body, &moving);
        let column = (v + omega.cross(&arm) - drives.0, omega - drives.1);
        for (row, value) in column.0.iter().chain(column.1.iter()).enumerate() {
            out[row * columns + k] = *value;
        }
        moving.u[k] = 0.0;
    }
    out
}

/// M of eq. (2), row-major.
pub fn mass_matrix(system: &dyn System, at: &State) -> Vec<f64> {
    let n = at.u.len();
    let mut look = Snapshot::default();
    system.dynamics(at, &mut look);
    let mut out = vec![0.0; n * n];
    let mut unit = vec![0.0; n];
    for k in 0..n {
        unit[k] = 1.0;
        look.mass.add_product(0, &unit, &mut out[k * n..(k + 1) * n]);
        unit[k] = 0.0;
    }
    out
}

/// h of eq. (2).
pub fn bias(system: &dyn System, at: &State) -> Vec<f64> {
    let mut look = Snapshot::default();
    system.dynamics(at, &mut look);
    look.force.iter().zip(&look.applied).map(|(f, a)| -f - a).collect()
}
