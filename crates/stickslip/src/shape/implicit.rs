//! Smooth convex shapes by their implicit function: ellipsoids (n = 2) and super-ellipsoids with one exponent n >= 2.
//!
//! With the gauge `g(x) = (sum |x_i / a_i|^n)^(1/n)`, which is 1 on the surface and of degree one, and
//! `rho_i = |x_i / a_i| / g`, `s_i = sgn(x_i)`:
//!
//! (1) `f = (g² − 1) / 2`, negative inside;
//! (2) `f_i = g g_i`, `g_i = s_i rho_i^(n−1) / a_i`;
//! (3) `f_ij = (n − 1) rho_i^(n−2) / a_i² delta_ij − (n − 2) g_i g_j`.
//!
//! For n = 2 this is the ellipsoid's quadratic form. f is convex, and unlike `g^n − 1` of moderate size everywhere however large
//! n is. The support function is the dual norm, with `1/n + 1/n' = 1` and `t_i = a_i |w_i|`:
//!
//! (4) `h(w) = (sum t_i^n')^(1/n')`, attained at (5) `x_i = sgn(w_i) a_i (t_i / h)^(1/(n−1))`.
//!
//! Mass properties (Dirichlet's integrals): volume `8 a b c Gamma(1 + 1/n)³ / Gamma(1 + 3/n)`, second moments per volume
//!
//! (6) `E[x_i²] = a_i² Gamma(3/n) Gamma(1 + 3/n) / (Gamma(1/n) Gamma(1 + 5/n))`.

use super::gamma::gamma;
use nalgebra::{Matrix3, Vector3};

/// A smooth convex shape `sum |x_i / a_i|^n <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// Semi-axes a along the frame's x, y and z, m.
    pub semi_axes: [f64; 3],
    /// Exponent n, at least 2: 2 is an ellipsoid.
    pub exponent: f64,
}

/// `x^y` for x >= 0, quick and to the last bit for the exponents that ellipsoids need.
fn power(x: f64, y: f64) -> f64 {
    if y == 1.0 {
        x
    } else if y == 0.0 {
        1.0
    } else {
        x.powf(y)
    }
}

impl Implicit {
    fn axes(&self) -> Vector3<f64> {
        self.semi_axes.into()
    }

    /// The norm of order p of a vector.
    fn norm(v: &Vector3<f64>, p: f64) -> f64 {
        let largest = v.amax();
        if largest == 0.0 || p.is_infinite() {
            return largest;
        }
        if p == 2.0 {
            return largest * (v / largest).norm();
        }
        largest * v.iter().map(|x| (x.abs() / largest).powf(p)).sum::<f64>().powf(p.recip())
    }

    /// The gauge: the factor by which the shape must grow about its centre to reach x. 1 on the surface.
    pub fn gauge(&self, x: &Vector3<f64>) -> f64 {
        Self::norm(&x.component_div(&self.axes()), self.exponent)
    }

    /// The implicit function f, eq. (1): negative inside, zero on the surface; no unit.
    pub fn value(&self, x: &Vector3<f64>) -> f64 {
        let g = self.gauge(x);
        0.5 * (g - 1.0) * (g + 1.0)
    }

    /// The gradient of f, eq. (2), 1/m: along the outward normal of the level surface through x.
    pub fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let g = self.gauge(x);
        self.slopes(x, g) * g
    }

    /// The Hessian of f, eq. (3), 1/m²: symmetric and positive semidefinite. At the centre it is not defined unless n = 2; zero
    /// is returned there.
    pub fn hessian(&self, x: &Vector3<f64>) -> Matrix3<f64> {
        let (g, n) = (self.gauge(x), self.exponent);
        let slopes = self.slopes(x, g);
        let curved = Vector3::from_fn(|i, _| {
            let a = self.semi_axes[i];
            let rho = if g > 0.0 { (x[i] / a).abs() / g } else { 0.0 };
            (n - 1.0) * power(rho, n - 2.0) / (a * a)
        });
        Matrix3::from_diagonal(&curved) - slopes * slopes.transpose() * (n - 2.0)
    }

    /// The gradient of the gauge.
    fn slopes(&self, x: &Vector3<f64>, g: f64) -> Vector3<f64> {
        if g == 0.0 {
            return Vector3::zeros();
        }
        Vector3::from_fn(|i, _| {
            let a = self.semi_axes[i];
            power((x[i] / a).abs() / g, self.exponent - 1.0).copysign(x[i]) / a
        })
    }

    /// The greatest `w · x` over the shape, eq. (4).
    pub fn support(&self, w: &Vector3<f64>) -> f64 {
        Self::norm(&w.component_mul(&self.axes()), self.exponent / (self.exponent - 1.0))
    }

    /// The point of the surface where the outward normal is along w, eq. (5).
    pub fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        let h = self.support(w);
        let y = (self.exponent - 1.0).recip();
        Vector3::from_fn(|i, _| {
            let a = self.semi_axes[i];
            let share = if h > 0.0 { power(a * w[i].abs() / h, y) } else { 0.0 };
            (a * share).copysign(w[i])
        })
    }

    /// Distance of the farthest point from the centre, m: the greatest `sum a_i² t_i²` with `sum t_i^n = 1` is the norm of
    /// the a_i² of order n / (n − 2).
    pub fn outer_radius(&self) -> f64 {
        let largest = self.axes().amax();
        let squares = (self.axes() / largest).map(|a| a * a);
        largest * Self::norm(&squares, self.exponent / (self.exponent - 2.0)).sqrt()
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        let [a, b, c] = self.semi_axes;
        let n = self.exponent;
        8.0 * a * b * c * gamma(1.0 + 1.0 / n).powi(3) / gamma(1.0 + 3.0 / n)
    }

    /// Principal moments of inertia per unit mass of a uniform body, m², from eq. (6).
    pub fn unit_inertia(&self) -> [f64; 3] {
        let n = self.exponent;
        // Gamma(3/n) / Gamma(1/n), with the poles at large n divided out
        let ratio = gamma(1.0 + 3.0 / n) / (3.0 * gamma(1.0 + 1.0 / n));
        let k = ratio * gamma(1.0 + 3.0 / n) / gamma(1.0 + 5.0 / n);
        let [x, y, z] = self.semi_axes.map(|a| k * a * a);
        [y + z, x + z, x + y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [([f64; 3], f64); 4] =
        [([0.3, 0.5, 0.9], 2.0), ([0.3, 0.5, 0.9], 2.5), ([1.0, 0.4, 0.7], 4.0), ([0.6, 0.5, 1.1], 11.0)];

    fn points(mut check: impl FnMut(&Implicit, Vector3<f64>)) {
        for (semi_axes, exponent) in SHAPES {
            let shape = Implicit { semi_axes, exponent };
            // not k = 0, where x = 0: there |x|^2.5 has no third derivative, and difference quotients come closer as sqrt(h) only
            for k in 1..200 {
                let k = f64::from(k);
                let w = Vector3::new((1.7 * k).sin(), (2.3 * k + 0.4).cos(), (0.9 * k + 1.1).sin());
                check(&shape, w);
            }
        }
    }

    #[test]
    fn gradient_and_hessian_are_the_differences_quotients() {
        let (mut worst, h) = ([0.0f64; 2], 1e-5);
        points(|shape, w| {
            let x = shape.support_point(&w) * 1.01;
            let (gradient, hessian) = (shape.gradient(&x), shape.hessian(&x));
            for i in 0..3 {
                // of fourth order: close to x = 0 the third derivative of |x|^2.5 is large
                let at = |k: f64| x + Vector3::ith(i, k * h);
                let f = |k: f64| shape.value(&at(k)) - shape.value(&at(-k));
                let slope = (8.0 * f(1.0) - f(2.0)) / (12.0 * h);
                worst[0] = worst[0].max((slope - gradient[i]).abs());
                let g = |k: f64| shape.gradient(&at(k)) - shape.gradient(&at(-k));
                let column = (g(1.0) * 8.0 - g(2.0)) / (12.0 * h);
                worst[1] = worst[1].max((column - hessian.column(i)).norm() / (1.0 + hessian.norm()));
            }
        });
        println!("gradient {:e}, Hessian {:e}", worst[0], worst[1]);
        assert!(worst[0] < 1e-8 && worst[1] < 1e-8, "{worst:?}");
    }

    #[test]
    fn support_points_lie_on_the_surface_and_their_normals_point_along_the_direction() {
        let mut worst = [0.0f64; 3];
        points(|shape, w| {
            let (w, x) = (w.normalize(), shape.support_point(&w.normalize()));
            worst[0] = worst[0].max(shape.value(&x).abs());
            worst[1] = worst[1].max(shape.gradient(&x).normalize().cross(&w).norm());
            worst[2] = worst[2].max((shape.support(&w) - w.dot(&x)).abs());
        });
        println!("f {:e}, normal {:e}, support {:e}", worst[0], worst[1], worst[2]);
        assert!(worst.iter().all(|x| *x < 1e-14), "{worst:?}");
    }

    /// The integral over 0..1 by Gauss–Legendre quadrature on panels that shrink towards both ends.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        const NODES: [[f64; 2]; 5] = [
            [0.0, 0.568_888_888_888_888_9],
            [-0.538_469_310_105_683_1, 0.478_628_670_499_366_47],
            [0.538_469_310_105_683_1, 0.478_628_670_499_366_47],
            [-0.906_179_845_938_664, 0.236_926_885_056_189_08],
            [0.906_179_845_938_664, 0.236_926_885_056_189_08],
        ];
        // x = 3t² − 2t³ flattens the ends
        let m = 4000;
        let panel = |k: i32| {
            let (mid, half) = ((f64::from(k) + 0.5) / f64::from(m), 0.5 / f64::from(m));
            NODES.iter().fold(0.0, |sum, [at, weight]| {
                let t = mid + half * at;
                sum + weight * half * 6.0 * t * (1.0 - t) * f(t * t * (3.0 - 2.0 * t))
            })
        };
        (0..m).map(panel).sum()
    }

    #[test]
    fn mass_properties_are_the_integrals_over_slices() {
        for n in [2.0, 2.5, 4.0, 11.0] {
            let shape = Implicit { semi_axes: [0.3, 0.5, 0.9], exponent: n };
            // at the height z = c t the slice is the planar shape with semi-axes shrunk by k = (1 − t^n)^(1/n)
            let shrink = |t: f64| (1.0 - t.powf(n)).max(0.0).powf(1.0 / n);
            let [area, first] = [integral(shrink), integral(|t| t * t * shrink(t))];
            let [v0, v2] = [integral(|t| shrink(t).powi(2)), integral(|t| (t * shrink(t)).powi(2))];
            let fourth = integral(|t| shrink(t).powi(4));
            let volume = 8.0 * 0.3 * 0.5 * 0.9 * area * v0;
            let zz = 0.81 * v2 / v0;
            let xx = 0.09 * (first / area) * (fourth / v0);
            let [_, y, _] = shape.unit_inertia();
            let off = [(shape.volume() / volume - 1.0).abs(), (y / (xx + zz) - 1.0).abs()];
            println!("n = {n}: volume {:e}, inertia {:e}", off[0], off[1]);
            assert!(off.iter().all(|x| *x < 1e-9), "{n} {off:?}");
        }
        let ball = Implicit { semi_axes: [2.0; 3], exponent: 2.0 };
        assert!((ball.volume() / (32.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-14);
        assert!(ball.unit_inertia().iter().all(|x| (x / 1.6 - 1.0).abs() < 1e-14));
        let cube = Implicit { semi_axes: [1.0; 3], exponent: 1e12 };
        assert!((cube.volume() - 8.0).abs() < 1e-10 && (cube.unit_inertia()[0] - 2.0 / 3.0).abs() < 1e-10);
    }
}
