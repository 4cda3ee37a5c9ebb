//! Where the frames of a forest are and how they move, from the joints' coordinates.
//!
//! Velocities, forces and axes are spatial vectors in the axes of the world, all of one mechanism at one point o, where
//! its first frame is: nothing has to be transformed along the tree. With the axes s_k of the velocities u_k on the way
//! from the root to a frame,
//!
//! ```text
//! V = sum s_k u_k,     A = sum (ds_k/dt) u_k,     ds_k/dt = V_k x s_k                  (1)
//! ```
//!
//! where V_k is the velocity of the frame that the axis is fixed in, and A the acceleration of the frame that the
//! velocities make without changing. A turn about the unit vector d through p has the axis (d x (o − p), d), a slide
//! along d has (d, 0). The body at a frame, with centre of mass c, has
//!
//! ```text
//! v = V_o + omega x (c − o),     dv/dt = A_o + alpha x (c − o) + omega x v              (2)
//! ```
//!
//! A free body has as velocities that of its centre, whose axes o moves with, and its spin: `A_o = −omega x v`.

use super::forest::{Forest, Motion, Node};
use super::place::{Place, Spatial};
use crate::body::Space;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// All frames of a forest at one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinematics {
    /// Of each node where its motion takes place, and its frame.
    pub near: Vec<Place>,
    pub frames: Vec<Place>,
    /// The axis of each velocity.
    pub axes: Vec<Spatial>,
    /// The point o of each mechanism.
    pub origins: Vec<Vector3<f64>>,
    /// Of each node its velocity and its acceleration, eq. (1).
    pub velocity: Vec<Spatial>,
    pub acceleration: Vec<Spatial>,
}

fn unit(k: usize) -> Vector3<f64> {
    Vector3::ith(k, 1.0)
}

/// A unit quaternion w, x, y, z.
pub(super) fn quaternion(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// The frame that a motion leads to from where it takes place, at its coordinates.
fn moved<S: Space>(node: &Node, near: &Place, q: &[f64]) -> Place {
    match node.motion {
        Motion::Free => Place::of_body::<S>(q),
        Motion::Fixed => *near,
        Motion::Turn(k) => {
            let (sin, cos) = (0.5 * q[0]).sin_cos();
            let mut vector = Vector3::zeros();
            vector[k] = node.sign * sin;
            let turn = UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, vector));
            Place { rotation: near.rotation * turn, angle: near.angle + node.sign * q[0], ..*near }
        }
        Motion::Slide(k) => Place { p: near.p + near.rotation * unit(k) * (node.sign * q[0]), ..*near },
        Motion::Ball => Place { rotation: near.rotation * quaternion(q), ..*near },
    }
}

impl Kinematics {
    /// Fills frames and axes.
    pub fn place<S: Space>(&mut self, forest: &Forest, q: &[f64]) {
        self.place_frames::<S>(forest, q);
        self.origins.clear();
        for mechanism in &forest.mechanisms {
            self.origins.push(self.frames[mechanism.nodes.start].p);
        }
        self.place_axes::<S>(forest);
    }

    /// Fills the frames.
    pub fn place_frames<S: Space>(&mut self, forest: &Forest, q: &[f64]) {
        self.near.clear();
        self.frames.clear();
        for node in &forest.nodes {
            let near = node.parent.map_or(node.place, |p| self.frames[p].then(&node.place));
            let there = moved::<S>(node, &near, &q[node.q..]);
            self.near.push(near);
            self.frames.push(if node.link.is_some() { there.then(&node.inner) } else { there });
        }
    }

    /// Fills the axes, at the points o that there are.
    pub fn place_axes<S: Space>(&mut self, forest: &Forest) {
        self.axes.clear();
        self.axes.resize(forest.before.len(), Spatial::ZERO);
        for index in 0..forest.nodes.len() {
            self.place_axes_of::<S>(forest, index);
        }
    }

    fn place_axes_of<S: Space>(&mut self, forest: &Forest, index: usize) {
        let node = &forest.nodes[index];
        let (near, o) = (&self.near[index], self.origins[node.mechanism]);
        match node.motion {
            Motion::Fixed => {}
            Motion::Turn(k) => {
                self.axes[node.u] = Spatial::turn(near.rotation * unit(k) * node.sign, &(o - near.p));
            }
            Motion::Slide(k) => {
                let linear = near.rotation * unit(k) * node.sign;
                self.axes[node.u] = Spatial { linear, angular: Vector3::zeros() };
            }
            Motion::Ball => {
                for k in 0..3 {
                    self.axes[node.u + k] = Spatial::turn(near.rotation * unit(k), &(o - near.p));
                }
            }
            Motion::Free => {
                let back = o - self.frames[index].p;
                for k in 0..S::FREEDOMS {
                    let mut one = [0.0; 6];
                    one[k] = 1.0;
                    let (linear, angular) = S::twist(&one[..S::FREEDOMS]);
                    self.axes[node.u + k] = Spatial { linear: linear + angular.cross(&back), angular };
                }
            }
        }
    }

    /// Fills velocities and accelerations, eq. (1).
    pub fn move_all<S: Space>(&mut self, forest: &Forest, u: &[f64]) {
        self.velocity.clear();
        self.acceleration.clear();
        for node in &forest.nodes {
            let parent = node.parent.map_or(Spatial::ZERO, |p| self.velocity[p]);
            let mut velocity = parent;
            let mut acceleration = node.parent.map_or(Spatial::ZERO, |p| self.acceleration[p]);
            let own = node.u..node.u + node.widths::<S>().1;
            for (axis, u) in self.axes[own.clone()].iter().zip(&u[own]) {
                velocity.add(axis, *u);
                if node.motion != Motion::Free {
                    acceleration.add(&parent.moves(axis), *u);
                }
            }
            if node.motion == Motion::Free {
                acceleration.linear -= velocity.angular.cross(&velocity.linear);
            }
            self.velocity.push(velocity);
            self.acceleration.push(acceleration);
        }
    }

    /// From o to the origin of a node's frame.
    #[inline]
    pub fn arm(&self, forest: &Forest, index: usize) -> Vector3<f64> {
        self.frames[index].p - self.origins[forest.nodes[index].mechanism]
    }

    /// Velocity of the origin of a node's frame, and spin, eq. (2).
    #[inline]
    pub fn twist(&self, forest: &Forest, index: usize) -> (Vector3<f64>, Vector3<f64>) {
        let v = &self.velocity[index];
        (v.linear + v.angular.cross(&self.arm(forest, index)), v.angular)
    }

    /// What the origin of a node's frame, and its spin, accelerate by without velocities changing, eq. (2).
    #[inline]
    pub fn bias(&self, forest: &Forest, index: usize) -> (Vector3<f64>, Vector3<f64>) {
        let a = &self.acceleration[index];
        let (v, omega) = self.twist(forest, index);
        (a.linear + a.angular.cross(&self.arm(forest, index)) + omega.cross(&v), a.angular)
    }
}

/// Turns a ball joint by a velocity in the axes before the motion for a time.
pub(super) fn displace_ball(q: &mut [f64], u: &[f64], dt: f64) {
    let turn = Vector3::from_column_slice(u) * dt;
    if turn != Vector3::zeros() {
        let moved = UnitQuaternion::from_scaled_axis(turn).into_inner() * quaternion(q).into_inner();
        let r = moved.normalize();
        q.copy_from_slice(&[r.w, r.i, r.j, r.k]);
    }
}

/// The rate of a ball joint's quaternion.
pub(super) fn rate_of_ball(q: &[f64], u: &[f64], out: &mut [f64]) {
    let r = Quaternion::new(0.0, u[0], u[1], u[2]) * quaternion(q).into_inner() * 0.5;
    out.copy_from_slice(&[r.w, r.i, r.j, r.k]);
}

/// Makes a ball joint's quaternion one of length 1.
pub(super) fn normalise_ball(q: &mut [f64]) {
    let r = quaternion(q).into_inner().normalize();
    q.copy_from_slice(&[r.w, r.i, r.j, r.k]);
}
