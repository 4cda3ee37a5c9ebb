//! The judge: energy and overlap of a trajectory, from masses and shapes that the scene was made of. It shares
//! nothing with the engine but the coordinates and velocities before and after each step.
//!
//! With the contacts' impulse P of a step, whatever problem it comes from, a stepper that freezes M and the
//! gyroscopic torque tau = -omega x I omega at the start of the step and moves by the end velocity, q' = q ⊕ dt u',
//! has
//!
//! ```text
//! M (u' - u) = dt f + dt tau + P                                                        (1)
//! V' - V     = -dt f . u'                            gravity is uniform                  (2)
//! T'         = 1/2 u' . M u'                         M at q or at q' alike               (3)
//! ```
//!
//! where (3) holds because a turn about omega' leaves omega' . I omega' as it is. (1) times u' gives
//!
//! ```text
//! E' - E = P . u' - 1/2 |u' - u|²_M + dt tau . u'                                       (4)
//! ```
//!
//! and since tau . omega = 0, the last two are at most the largest value of dt tau . x - 1/2 x . I x over all changes
//! of spin x, which is
//!
//! ```text
//! E' - E - P . u' <= 1/2 dt² tau . I⁻¹ tau                                              (5)
//! ```
//!
//! reached by a free body. A stepper that takes M and tau at the end of the step has tau . omega' = 0 and instead
//!
//! ```text
//! E' - E = P . u' - 1/2 |u' - u|²_M' + 1/2 u . (M' - M) u                               (6)
//! ```
//!
//! of which the judge knows the last two terms. What a step gains beyond the larger of (5) and (6), body by body, is
//! work of contacts. Taking out an overlap of depth d that was there at the start (as the judge measures it) may do
//! the work of pushing with the speed s = d / dt: for a body of mass m at most max over P of P s - |P + dt f|² / 2m
//! <= m s² / 2 + m g d, which is allowed twice, for bodies pushed from two sides; in a wedge the body moves by more
//! than d, so that d is the way it moved, up to ten times as much. Rounding and the tolerance of the laws (1e-8) are
//! allowed in proportion to the energy at hand: T + T' and what the forces of a step would make of a body at rest,
//! m (g dt)².
//!
//! (4) also gives P . u' itself, which is more than the gain by what the change of velocity dissipates. It is
//! counted, not asserted, because it is exact only for steppers that satisfy (1).

use crate::drop::{Drop, GRAVITY, deepest};
use crate::solid::Pose;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

type V = Vector3<f64>;

/// What laws are certified to, relative to the energy at hand.
const SLACK: f64 = 1e-8;
/// By how much more than its overlap a body moves at most to get out of a wedge.
const WEDGE: f64 = 10.0;
/// Overlaps below this part of a body's size are none.
pub const LIE: f64 = 1e-4;

/// A configuration and its energies.
pub struct Look {
    pub poses: Vec<Pose>,
    twists: Vec<(V, V)>,
    pub kinetic: f64,
    pub potential: f64,
    /// The deepest overlap, m, and the size of the smaller body of that pair, m.
    pub overlap: (f64, f64),
}

/// What a step did, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gain {
    /// Energy after less energy before.
    pub gain: f64,
    /// What of it smooth forces and the overlap before explain.
    pub allowed: f64,
    /// Energy at hand.
    pub scale: f64,
    /// P . u' by eq. (4), less what taking out an overlap explains.
    pub work: f64,
}

impl Gain {
    /// Work that only contacts can have done, J.
    pub fn unexplained(&self) -> f64 {
        self.gain - self.allowed
    }

    /// True when contacts did positive work; a NaN is positive.
    pub fn is_positive(&self) -> bool {
        exceeds(self.unexplained(), SLACK * self.scale)
    }

    /// True when contacts did positive work if eq. (1) is the stepper's.
    pub fn works(&self) -> bool {
        exceeds(self.work, SLACK * self.scale)
    }
}

impl Look {
    /// Looks at coordinates and velocities.
    pub fn at(drop: &Drop, q: &[f64], u: &[f64]) -> Self {
        let (mut poses, mut twists) = (Vec::new(), Vec::new());
        let (mut i, mut kinetic, mut potential) = (0, 0.0, 0.0);
        for body in &drop.bodies {
            let Some(mass) = body.mass else {
                poses.push(body.pose);
                twists.push((V::zeros(), V::zeros()));
                continue;
            };
            let (pose, twist) = if drop.planar {
                let (q, u) = (&q[3 * i..3 * i + 3], &u[3 * i..3 * i + 3]);
                let turn = UnitQuaternion::from_scaled_axis(V::z() * q[2]);
                let r = turn.to_rotation_matrix().into_inner();
                ((V::new(q[0], q[1], 0.0), r), (V::new(u[0], u[1], 0.0), V::z() * u[2]))
            } else {
                let (q, u) = (&q[7 * i..7 * i + 7], &u[6 * i..6 * i + 6]);
                let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
                let r = turn.to_rotation_matrix().into_inner();
                ((V::new(q[0], q[1], q[2]), r), (V::new(u[0], u[1], u[2]), V::new(u[3], u[4], u[5])))
            };
            i += 1;
            let inertia = in_world(&(body.shape.inertia * mass), &pose);
            kinetic += 0.5 * (mass * twist.0.norm_squared() + twist.1.dot(&(inertia * twist.1)));
            potential += mass * GRAVITY * if drop.planar { pose.0.y } else { pose.0.z };
            poses.push(pose);
            twists.push(twist);
        }
        let overlap = deepest(drop, &poses);
        Self { poses, twists, kinetic, potential, overlap }
    }

    /// Energy, J.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// True when two bodies overlap more than rounding and tolerance could have it.
    pub fn lies(&self) -> bool {
        exceeds(self.overlap.0, LIE * self.overlap.1)
    }
}

/// Whether a value is more than it may be; a NaN is.
fn exceeds(value: f64, most: f64) -> bool {
    value.is_nan() || most.is_nan() || value > most
}

fn in_world(inertia: &Matrix3<f64>, pose: &Pose) -> Matrix3<f64> {
    pose.1 * inertia * pose.1.transpose()
}

/// Judges a step of length dt.
pub fn gain(drop: &Drop, before: &Look, after: &Look, dt: f64) -> Gain {
    let gain = after.energy() - before.energy();
    let mut out = Gain { gain, allowed: 0.0, scale: before.kinetic + after.kinetic, work: gain };
    let removed = before.overlap.0.max(0.0);
    for (i, body) in drop.bodies.iter().enumerate() {
        let Some(mass) = body.mass else { continue };
        let fall = mass * GRAVITY * dt;
        let jump = after.twists[i].0 - before.twists[i].0;
        let down = if drop.planar { V::y() } else { V::z() } * -fall;
        out.work += 0.5 * mass * jump.norm_squared() - (jump * mass - down).norm() * removed / dt;
        out.scale += fall * fall / mass;
        let moved = (after.poses[i].0 - before.poses[i].0).norm().clamp(removed, WEDGE * removed);
        out.allowed += 2.0 * (0.5 * mass * (moved / dt).powi(2) + mass * GRAVITY * moved);
        let own = body.shape.inertia * mass;
        let (inertia, inertia_after) = (in_world(&own, &before.poses[i]), in_world(&own, &after.poses[i]));
        let (spin, change) = (before.twists[i].1, after.twists[i].1 - before.twists[i].1);
        out.work += 0.5 * change.dot(&(inertia * change));
        if !drop.planar {
            let torque = spin.cross(&(inertia * spin));
            let inverse = inertia.try_inverse().expect("an inertia");
            let explicit = 0.5 * dt * dt * torque.dot(&(inverse * torque)); // eq. (5)
            let turned = spin.dot(&((inertia_after - inertia) * spin));
            let implicit = 0.5 * (turned - change.dot(&(inertia_after * change))); // eq. (6)
            out.allowed += explicit.max(implicit);
            out.work += dt * torque.dot(&after.twists[i].1); // torque is -tau
        }
    }
    out
}
