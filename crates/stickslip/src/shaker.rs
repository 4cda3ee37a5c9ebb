//! The orientation of a shaken plate [Berard 2009, §5.3]: angular accelerations about the world's axes are sinusoids of
//! one frequency, the angular velocity is their integral, and the orientation is integrated from that:
//!
//! ```text
//! alpha_i = a_i sin(w t + c_i),   omega_i = -a_i / w cos(w t + c_i)                              (1)
//! r' = omega r / 2,   r(t) = F(t) r(0)                                                          (2)
//! F(s + n T) = F(s) F(T)^n,   T = 2 pi / w                                                      (3)
//! F(t + h) = exp(h (omega_1 + omega_2) / 2 - sqrt(3) h² / 12 omega_1 x omega_2) F(t) + O(h^5)     (4)
//! ```
//!
//! (4) is Magnus' expansion with omega at the two Gauss points. F is kept at the nodes of one period; (3) carries it to
//! all times, exactly: about several axes a plate does not come back to where it was after a period, but creeps by
//! F(T). r(0) is chosen such that over the first period each component of the rotation vector is symmetric about zero:
//! the middle between its least and its largest value is zero.

use nalgebra::{UnitQuaternion, Vector3};

/// Steps of eq. (4) in a period.
const NODES: usize = 4096;
/// The most corrections of r(0), and what is left of the asymmetry, relative to the largest angle.
const CORRECTIONS: usize = 100;
const ASYMMETRY: f64 = 1e-14;

/// A rotation by sinusoidal angular accelerations, eq. (1) to (3).
#[derive(Clone, Debug)]
pub struct ShakerRotation {
    /// a, rad/s².
    acceleration: Vector3<f64>,
    /// c, rad.
    phase: Vector3<f64>,
    /// w, rad/s.
    pulsation: f64,
    /// F at the nodes of one period, both ends included.
    nodes: Vec<UnitQuaternion<f64>>,
    /// The logarithm of F(T).
    creep: Vector3<f64>,
    start: UnitQuaternion<f64>,
}

impl ShakerRotation {
    /// The rotation with these amplitudes (rad/s²), phases (rad) and frequency (Hz, positive) about x, y and z. None
    /// when no start makes it symmetric: angles of a radian and more may have none.
    pub fn new(acceleration: [f64; 3], phase: [f64; 3], frequency: f64) -> Option<Self> {
        let mut out = Self {
            acceleration: acceleration.into(),
            phase: phase.into(),
            pulsation: std::f64::consts::TAU * frequency,
            nodes: Vec::with_capacity(NODES + 1),
            creep: Vector3::zeros(),
            start: UnitQuaternion::identity(),
        };
        let mut f = UnitQuaternion::identity();
        let h = out.period() / NODES as f64;
        out.nodes.push(f);
        for k in 0..NODES {
            f = out.turn(k as f64 * h, h) * f;
            f.renormalize();
            out.nodes.push(f);
        }
        out.creep = f.scaled_axis();
        out.make_symmetric().then_some(out)
    }

    /// T, s.
    fn period(&self) -> f64 {
        std::f64::consts::TAU / self.pulsation
    }

    /// Eq. (4): the rotation from `t` to `t + h`.
    fn turn(&self, t: f64, h: f64) -> UnitQuaternion<f64> {
        let root = 3.0f64.sqrt();
        let [first, second] = [0.5 - root / 6.0, 0.5 + root / 6.0].map(|c| self.angular_velocity(t + c * h));
        let vector = (first + second) * (0.5 * h) - first.cross(&second) * (root * h * h / 12.0);
        UnitQuaternion::from_scaled_axis(vector)
    }

    /// Finds r(0); false when there is none to be found.
    fn make_symmetric(&mut self) -> bool {
        let mut start = Vector3::zeros();
        let mut angles = Vec::with_capacity(self.nodes.len());
        for _ in 0..CORRECTIONS {
            self.start = UnitQuaternion::from_scaled_axis(start);
            angles.clear();
            angles.extend(self.nodes.iter().map(|f| (f * self.start).scaled_axis()));
            let most = Vector3::from_fn(|i, _| largest(&angles, |x| x[i]));
            let least = Vector3::from_fn(|i, _| -largest(&angles, |x| -x[i]));
            let middle = (least + most) * 0.5;
            if !middle.iter().all(|x| x.is_finite()) {
                return false;
            }
            if middle.amax() <= ASYMMETRY * (most - least).amax() {
                return true;
            }
            start -= middle;
        }
        false
    }

    /// The orientation at `t` (s).
    pub fn orientation(&self, t: f64) -> UnitQuaternion<f64> {
        let period = self.period();
        let whole = (t / period).floor();
        let s = (t - whole * period).clamp(0.0, period);
        let h = period / NODES as f64;
        let k = ((s / h) as usize).min(NODES);
        let within = self.turn(k as f64 * h, s - k as f64 * h) * self.nodes[k];
        within * UnitQuaternion::from_scaled_axis(self.creep * whole) * self.start // eq. (3)
    }

    /// The angular velocity at `t` (s) in the world, rad/s; eq. (1).
    pub fn angular_velocity(&self, t: f64) -> Vector3<f64> {
        let w = self.pulsation;
        self.acceleration.zip_map(&self.phase, |a, c| -a / w * (w * t + c).cos())
    }
}

/// The largest value of a smooth function given at nodes: that of the parabola through the largest node and its
/// neighbours.
fn largest(nodes: &[Vector3<f64>], of: impl Fn(&Vector3<f64>) -> f64) -> f64 {
    let mut best = 0;
    for k in 1..nodes.len() {
        if of(&nodes[k]) > of(&nodes[best]) {
            best = k;
        }
    }
    let y = of(&nodes[best]);
    if best == 0 || best + 1 == nodes.len() {
        return y;
    }
    let (before, after) = (of(&nodes[best - 1]), of(&nodes[best + 1]));
    let bend = before - 2.0 * y + after;
    if bend < 0.0 { y - (after - before).powi(2) / (8.0 * bend) } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// The Centrifuge field of [Berard 2009, §5.3].
    fn centrifuge(scale: f64) -> ShakerRotation {
        ShakerRotation::new([100.0 * scale, 100.0 * scale, 0.0], [0.5 * PI, PI, 0.0], 33.0).unwrap()
    }

    #[test]
    fn the_centrifuge_starts_with_the_published_quaternion() {
        let r = centrifuge(1.0).orientation(0.0);
        // x to the rounding of 66 pi in the paper's own computation, z (a second-order effect) to three digits
        assert!((r.i + 0.00116298).abs() < 5e-8, "{r:?}");
        assert!((r.k + 4.24925e-6).abs() < 5e-9, "{r:?}");
        assert!(r.j.abs() < 5e-9 && (r.w - 0.999999).abs() < 5e-7, "{r:?}");
    }

    #[test]
    fn about_one_axis_the_angle_is_the_closed_form() {
        // [eq. 5.13]
        let shaker = ShakerRotation::new([0.0, 9.0, 0.0], [0.0, 0.7, 0.0], 0.5).unwrap();
        for t in [0.0, 0.3, 1.9, 2.0, 7.77, -1.3] {
            let angle = -9.0 / (PI * PI) * (PI * t + 0.7).sin();
            let error = (shaker.orientation(t).scaled_axis() - Vector3::new(0.0, angle, 0.0)).amax();
            assert!(error < 1e-11, "{t}: {error:e}");
        }
    }

    /// Against eq. (2) integrated by Runge and Kutta over several periods, at amplitudes of half a radian.
    #[test]
    fn the_orientation_solves_its_differential_equation() {
        let shaker = centrifuge(200.0);
        let h = 1.0 / 33.0 / 2000.0;
        let rate = |t: f64, r: nalgebra::Quaternion<f64>| {
            nalgebra::Quaternion::from_imag(shaker.angular_velocity(t)) * r * 0.5
        };
        let mut r = shaker.orientation(0.0).into_inner();
        for k in 0..7000 {
            let t = k as f64 * h;
            let k1 = rate(t, r);
            let k2 = rate(t + 0.5 * h, r + k1 * (0.5 * h));
            let k3 = rate(t + 0.5 * h, r + k2 * (0.5 * h));
            let k4 = rate(t + h, r + k3 * h);
            r += (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0);
        }
        let found = shaker.orientation(7000.0 * h).into_inner();
        assert!((found - r).norm().min((found + r).norm()) < 1e-10, "{found} {r}");
        assert!(shaker.creep.norm() > 0.1, "it creeps: {}", shaker.creep);
    }

    #[test]
    fn the_angular_velocity_is_the_derivative_of_the_orientation() {
        let shaker = centrifuge(100.0);
        for t in [1e-5, 0.0101, 0.05, 1.0, 60.0] {
            let h = 1e-5;
            let along = |s: f64| (shaker.orientation(t + s) * shaker.orientation(t).inverse()).scaled_axis();
            let slope = ((along(h) - along(-h)) * 8.0 - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
            let exact = shaker.angular_velocity(t);
            assert!((slope - exact).amax() < 1e-8 * exact.amax(), "{t}: {slope} {exact}");
        }
    }

    #[test]
    fn each_angle_is_symmetric_about_zero_over_the_first_period() {
        let shaker = centrifuge(50.0);
        let angles: Vec<Vector3<f64>> =
            (0..5000).map(|k| shaker.orientation(k as f64 / 4999.5 / 33.0).scaled_axis()).collect();
        for i in 0..3 {
            let (low, high) = angles.iter().fold((0.0f64, 0.0f64), |(l, h), a| (l.min(a[i]), h.max(a[i])));
            // the samples miss the ends of the period, where what creeps is largest
            assert!((low + high).abs() < 5e-4 * high && high > 1e-3, "{i}: {low} {high}");
        }
    }
}
