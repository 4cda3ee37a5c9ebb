//! Joints: two frames, one on each body, and what stays equal between them.
//!
//! With points `p_a, p_b` and axes `x y z` of the frames in the world, every joint is made of rows of three kinds:
//!
//! ```text
//! slide k      a_k · (p_b − p_a)                     rate  a_k · (v_b − v_a), both bodies at the point p_b   (1)
//! dot i j      a_i · b_j                             rate  (omega_b − omega_a) · (b_j x a_i)                (2)
//! distance     |p_b − p_a| − length                  rate  n · (v_b(p_b) − v_a(p_a))                       (3)
//! ```
//!
//! Bilateral rows are kept at zero. What a joint leaves free in one direction (the angle of a hinge, the way of a
//! slider) can have limits, dry friction that is independent of the load [Trinkle 2003, eq. 16 and 38], a viscous term
//! and a motor; two such directions can be coupled (`coupling.rs`). `kind.rs` lists the rows of each kind of joint; in
//! space the joint's axis is the frame's z, in the plane a slider's is x. One file serves plane and space: a planar
//! body is a spatial one that stays in its plane.

mod coupling;
mod kind;

pub use coupling::Coupling;
pub use kind::{Kind, Row};

use crate::function::Function;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// One side of a joint or spring: a frame on a body, or in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Index of the body; none for the world.
    pub body: Option<usize>,
    /// Origin of the frame, in the body frame, m.
    pub p: Vector3<f64>,
    /// Axes of the frame as columns, in the body frame.
    pub r: Matrix3<f64>,
}

/// What a motor is after.
#[derive(Clone, Debug)]
pub enum Goal {
    /// A speed of the free direction, m/s or rad/s.
    Speed(Arc<dyn Function>),
    /// A position of the free direction, m or rad, turns counted. The motor is where it should be at the end of each
    /// step when its force allows, and pulls with all of it otherwise. It has neither gains nor a brake of its own: a
    /// target that is beyond its force is overshot.
    Position(Arc<dyn Function>),
}

/// A motor: moves the free direction as asked, as far as its force allows.
#[derive(Clone, Debug)]
pub struct Motor {
    /// What it is after.
    pub goal: Goal,
    /// Largest force or torque, N or N m.
    pub bound: f64,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// What it keeps equal.
    pub kind: Kind,
    /// First side.
    pub a: Side,
    /// Second side: positions are those of b relative to a.
    pub b: Side,
    /// Least and greatest position of the free direction, m or rad.
    pub limits: Option<[f64; 2]>,
    /// Largest dry friction force or torque in the free direction, N or N m.
    pub friction: f64,
    /// Viscous friction in the free direction, N s/m or N m s.
    pub viscous: f64,
    /// The motor.
    pub motor: Option<Motor>,
    /// Inertia of what turns or slides with the free direction alone, kg m² or kg: of a motor's rotor, times the square
    /// of its gear's ratio. In joint coordinates only ([`tree`](crate::tree)).
    pub rotor_inertia: f64,
    /// About where the free direction stands at the start, m or rad: of a hinge's angles that differ by whole turns,
    /// the one nearest to this is meant.
    pub start: f64,
}

impl Joint {
    /// A joint without limits, friction and motor.
    pub fn plain(name: &str, kind: Kind, a: Side, b: Side) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            a,
            b,
            limits: None,
            friction: 0.0,
            viscous: 0.0,
            motor: None,
            rotor_inertia: 0.0,
            start: 0.0,
        }
    }
}

/// The two frames of a joint in the world, at one state.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Origins of the bodies.
    pub c: [Vector3<f64>; 2],
    /// Origins of the frames.
    pub p: [Vector3<f64>; 2],
    /// Axes of the frames.
    pub r: [Matrix3<f64>; 2],
}

/// A row at one state: its value and, per body, the row of its rate in (v, omega).
#[derive(Clone, Copy, Debug)]
pub struct RowValue {
    /// Position error or free position, m or rad.
    pub value: f64,
    /// Size of the numbers the value is a difference of: what rounding is relative to.
    pub size: f64,
    /// Linear and angular part for each body.
    pub wrench: [(Vector3<f64>, Vector3<f64>); 2],
}

impl Placed {
    /// Evaluates a row.
    pub fn row(&self, row: Row) -> RowValue {
        let between = self.p[1] - self.p[0];
        let length = self.p[0].norm() + self.p[1].norm() + self.c[0].norm() + self.c[1].norm();
        match row {
            Row::Slide(k) => {
                let d: Vector3<f64> = self.r[0].column(k).into(); // eq. (1)
                let arm = |body: usize| (self.p[1] - self.c[body]).cross(&d);
                RowValue { value: d.dot(&between), size: length, wrench: [(-d, -arm(0)), (d, arm(1))] }
            }
            Row::Dot(i, j) => {
                let (s, r): (Vector3<f64>, Vector3<f64>) =
                    (self.r[0].column(i).into(), self.r[1].column(j).into());
                let turn = r.cross(&s); // eq. (2)
                let zero = Vector3::zeros();
                RowValue { value: s.dot(&r), size: 1.0, wrench: [(zero, -turn), (zero, turn)] }
            }
            Row::Distance(rest) => {
                let distance = between.norm();
                let n = if distance > 0.0 { between / distance } else { Vector3::x() }; // eq. (3)
                let arm = |body: usize| (self.p[body] - self.c[body]).cross(&n);
                RowValue { value: distance - rest, size: length, wrench: [(-n, -arm(0)), (n, arm(1))] }
            }
            Row::Turn(k) => {
                let (x, y) = ((k + 1) % 3, (k + 2) % 3);
                let axis: Vector3<f64> = self.r[0].column(k).into();
                let b = self.r[1].column(x);
                let value = self.r[0].column(y).dot(&b).atan2(self.r[0].column(x).dot(&b));
                let zero = Vector3::zeros();
                RowValue { value, size: 1.0, wrench: [(zero, -axis), (zero, axis)] }
            }
        }
    }
}
