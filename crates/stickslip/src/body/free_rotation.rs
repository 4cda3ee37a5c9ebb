//! The rotation of a body under a torque that is constant in the world, with its energy and its angular momentum.
//!
//! With the orientation R, the spin Omega and the angular momentum `pi = J Omega` in the body frame, a step of length h is
//!
//! ```text
//! pi' = exp(−h m) (pi + h R^T torque),   m = (Omega + Omega') / 2,   R' = R exp(h m)        (1)
//! ```
//!
//! a rotation by the mean spin, of second order. Angular momentum follows the torque exactly, `R' pi' = R pi + h torque`.
//! Without a torque `pi' − pi` is at right angles to m, since the rotation is about it, so that
//!
//! ```text
//! T' − T = (pi' + pi) · J^-1 (pi' − pi) / 2 = m · (pi' − pi) = 0                          (2)
//! ```
//!
//! whatever h is [the midpoint rule of Simo & Wong, Int. J. Numer. Meth. Eng. 31, 1991]. Eq. (1) is solved by Newton's
//! method in Omega'. A step in which the body turns far is made of several, of at most [`FAR`] each.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// The largest turn of one step of eq. (1), rad.
const FAR: f64 = 0.25;
/// The most steps of eq. (1) in a step.
const MOST: usize = 4096;
/// The most iterations of Newton's method.
const ITERATIONS: usize = 24;
/// A change of the spin of this size, relative to it, is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The turn in the world that a body makes in a time, and its spin in the world after it, eq. (1). `inertia` and its
/// inverse are in the body frame.
pub(super) fn rotate(
    [inertia, inverse]: [&Matrix3<f64>; 2],
    (start, omega): (&Matrix3<f64>, &Vector3<f64>),
    torque: &Vector3<f64>,
    time: f64,
) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let (mut turn, mut r, mut spin) = (UnitQuaternion::identity(), *start, start.tr_mul(omega));
    let mut left = time;
    for step in 0..MOST {
        let most = spin.norm() + left * (inverse * r.tr_mul(torque)).norm();
        let count = (left * most / FAR).ceil().clamp(1.0, (MOST - step) as f64);
        let h = left / count;
        let momentum = inertia * spin + h * r.tr_mul(torque);
        let next = end_of_step([inertia, inverse], &spin, &momentum, h);
        // by small vectors of the world: what turns little turns with all its digits
        turn = UnitQuaternion::from_scaled_axis(r * (0.5 * h * (spin + next))) * turn;
        r = turn.to_rotation_matrix().into_inner() * start;
        spin = next;
        left -= h;
        if count == 1.0 {
            break;
        }
    }
    (turn, r * spin)
}

/// Omega' of eq. (1). With `p = exp(−h m) momentum` the residual is `J Omega' − p`, and `dp = h/2 p x dOmega'` up to the
/// order of h that does not matter to Newton's method.
fn end_of_step(
    [inertia, inverse]: [&Matrix3<f64>; 2],
    spin: &Vector3<f64>,
    momentum: &Vector3<f64>,
    h: f64,
) -> Vector3<f64> {
    let mut next = *spin;
    for _ in 0..ITERATIONS {
        let p = Rotation3::from_scaled_axis(-0.5 * h * (spin + next)) * momentum;
        let residual = inertia * next - p;
        let matrix = inertia - 0.5 * h * p.cross_matrix();
        let change = matrix.lu().solve(&residual).unwrap_or_else(|| inverse * residual);
        next -= change;
        if change.norm() <= ROUNDING * next.norm() {
            break;
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random bodies, spins and steps, up to many turns in a step.
    #[test]
    fn free_bodies_keep_energy_and_angular_momentum_at_any_step() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..300 {
            let (a, b) = (0.1 + random(), 0.1 + random());
            let c = (a - b).abs() + random() * (a + b - (a - b).abs());
            let axes =
                Rotation3::from_scaled_axis(Vector3::new(random(), random(), random()) * 3.0).into_inner();
            let inertia = axes * Matrix3::from_diagonal(&Vector3::new(a, b, c)) * axes.transpose();
            let Some(inverse) = inertia.try_inverse() else { continue };
            let mut r = Rotation3::from_scaled_axis(Vector3::new(random(), random(), random())).into_inner();
            let mut omega = Vector3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 200.0;
            let of = |r: &Matrix3<f64>, omega: &Vector3<f64>| r * (inertia * r.tr_mul(omega));
            let (start, energy) = (of(&r, &omega), 0.5 * omega.dot(&of(&r, &omega)));
            let dt = 10f64.powf(-4.0 + 4.0 * random());
            for _ in 0..20 {
                let turn;
                (turn, omega) = rotate([&inertia, &inverse], (&r, &omega), &Vector3::zeros(), dt);
                r = turn.to_rotation_matrix().into_inner() * r;
            }
            let momentum = of(&r, &omega);
            assert!((momentum - start).norm() < 1e-9 * start.norm(), "{dt}: {momentum} {start}");
            assert!((0.5 * omega.dot(&momentum) / energy - 1.0).abs() < 1e-9, "{dt}");
        }
    }

    /// About a principal axis the torque adds `t torque / J`, and the angle is that of constant acceleration.
    #[test]
    fn a_torque_along_a_principal_axis_accelerates() {
        let (inertia, inverse) = (Vector3::new(1.0, 2.0, 2.5), Vector3::new(1.0, 0.5, 0.4));
        let [inertia, inverse] = [inertia, inverse].map(|d| Matrix3::from_diagonal(&d));
        let (axis, time) = (Vector3::y(), 0.7);
        let start = (&Matrix3::identity(), &(axis * 3.0));
        let (turn, omega) = rotate([&inertia, &inverse], start, &(axis * 0.8), time);
        let angle = 3.0 * time + 0.5 * 0.4 * time * time;
        assert!((omega - axis * (3.0 + 0.4 * time)).norm() < 1e-13);
        assert!((turn.scaled_axis() - axis * angle).norm() < 1e-12);
    }
}
