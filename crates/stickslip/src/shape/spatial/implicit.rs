//! Smooth convex shapes by their implicit function: ellipsoids (m = n = 2) and super-ellipsoids with exponents m, n >=
//! 2,
//!
//! (1) `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1`
//!
//! (Barr: Superquadrics and angle-preserving transformations, IEEE CGA 1, 1981, whose e_2 is 2/m and e_1 is 2/n). With
//! the norms `R = (|x/a|^m + |y/b|^m)^(1/m)` of the plane and `g = (R^n + |z/c|^n)^(1/n)`, the gauge, which is 1 on the
//! surface and of degree one; `r_i = |x_i/a_i| / R` and `R_i = sgn(x_i) r_i^(m−1) / a_i` for x and y, `rho = R/g`,
//! `zeta = |z/c| / g`:
//!
//! (2) `f = (g² − 1) / 2`, negative inside;
//! (3) `f_i = g g_i`, `g_i = rho^(n−1) R_i`, `g_z = sgn(z) zeta^(n−1) / c`;
//! (4) `f_ij = rho^(n−2) ((m − 1) r_i^(m−2) / a_i² delta_ij + (n − m) R_i R_j) − (n − 2) g_i g_j`,
//!     `f_iz = −(n − 2) g_i g_z`, `f_zz = (n − 1) zeta^(n−2) / c² − (n − 2) g_z²`.
//!
//! For m = n = 2 this is the ellipsoid's quadratic form. f is convex, and unlike `g^n − 1` of moderate size everywhere
//! however large the exponents are. The support function is the dual norm, with `1/n + 1/n' = 1`, `t_i = a_i |w_i|` and
//! the same norms of these, `T = (t_x^m' + t_y^m')^(1/m')`:
//!
//! (5) `h(w) = (T^n' + t_z^n')^(1/n')`, attained at (6) `x_i = sgn(w_i) a_i (T/h)^(1/(n−1)) (t_i/T)^(1/(m−1))`,
//! `z = sgn(w_z) c (t_z/h)^(1/(n−1))`.
//!
//! Mass properties (Dirichlet's integrals, the plane's and then along z), with G for the gamma function:
//!
//! (7) volume `8 a b c G(1 + 1/m)² G(1 + 1/n) G(1 + 2/n) / (G(1 + 2/m) G(1 + 3/n))`,
//! (8) `E[x²] / a² = G(1 + 3/m) G(1 + 2/m) / (3 G(1 + 1/m) G(1 + 4/m)) · G(1 + 4/n) G(1 + 3/n) / (G(1 + 2/n) G(1 +
//! 5/n))`,
//! (9) `E[z²] / c² = G(1 + 3/n)² / (3 G(1 + 1/n) G(1 + 5/n))`.

use super::gamma::gamma;
use nalgebra::{Matrix3, Vector3};

/// A smooth convex shape, eq. (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// Semi-axes a, b, c along the frame's x, y and z, m.
    pub semi_axes: [f64; 3],
    /// Exponents m across z and n along it, each at least 2: both 2 is an ellipsoid.
    pub exponents: [f64; 2],
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

/// The norm of order p.
fn norm<const N: usize>(v: [f64; N], p: f64) -> f64 {
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || p.is_infinite() {
        return largest;
    }
    if p == 2.0 {
        return largest * v.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt();
    }
    largest * v.iter().map(|x| (x.abs() / largest).powf(p)).sum::<f64>().powf(p.recip())
}

/// `x / y`, zero where y is.
fn share(x: f64, y: f64) -> f64 {
    if y > 0.0 { x / y } else { 0.0 }
}

impl Implicit {
    /// An ellipsoid.
    pub fn ellipsoid(semi_axes: [f64; 3]) -> Self {
        Self { semi_axes, exponents: [2.0; 2] }
    }

    /// The one exponent, if both are the same: then no axis is different.
    fn single(&self) -> Option<f64> {
        let [m, n] = self.exponents;
        (m == n).then_some(n)
    }

    /// The norm of order n of the third entry and of the norm of order m of the first two; and that of the first two.
    fn norms([x, y, z]: [f64; 3], [m, n]: [f64; 2]) -> (f64, f64) {
        let plane = norm([x, y], m);
        (if m == n { norm([x, y, z], n) } else { norm([plane, z], n) }, plane)
    }

    /// The coordinates in semi-axes.
    fn reduced(&self, x: &Vector3<f64>) -> [f64; 3] {
        [0, 1, 2].map(|i| x[i] / self.semi_axes[i])
    }

    /// The gauge: the factor by which the shape must grow about its centre to reach x. 1 on the surface.
    pub fn gauge(&self, x: &Vector3<f64>) -> f64 {
        Self::norms(self.reduced(x), self.exponents).0
    }

    /// The implicit function f, eq. (2): negative inside, zero on the surface; no unit.
    pub fn value(&self, x: &Vector3<f64>) -> f64 {
        let g = self.gauge(x);
        0.5 * (g - 1.0) * (g + 1.0)
    }

    /// The gradient of f, eq. (3), 1/m: along the outward normal of the level surface through x.
    pub fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let (g, plane) = Self::norms(self.reduced(x), self.exponents);
        self.slopes(x, g, plane) * g
    }

    /// The Hessian of f, eq. (4), 1/m²: symmetric and positive semidefinite. At the centre it is not defined unless m =
    /// n = 2, nor where the axis z meets the surface if m > n = 2; zero is taken for what is not.
    pub(crate) fn hessian(&self, x: &Vector3<f64>) -> Matrix3<f64> {
        let ([m, n], u) = (self.exponents, self.reduced(x));
        let (g, plane) = Self::norms(u, self.exponents);
        let slopes = self.slopes(x, g, plane);
        let [a, b, c] = self.semi_axes;
        let curved = if self.single().is_some() {
            Vector3::from_fn(|i, _| {
                (n - 1.0) * power(share(u[i].abs(), g), n - 2.0) / self.semi_axes[i].powi(2)
            })
        } else {
            let thick = power(share(plane, g), n - 2.0) * (m - 1.0);
            let in_plane = |u: f64, a: f64| thick * power(share(u.abs(), plane), m - 2.0) / (a * a);
            let along = (n - 1.0) * power(share(u[2].abs(), g), n - 2.0) / (c * c);
            Vector3::new(in_plane(u[0], a), in_plane(u[1], b), along)
        };
        let hessian = Matrix3::from_diagonal(&curved) - slopes * slopes.transpose() * (n - 2.0);
        if self.single().is_some() {
            return hessian;
        }
        let turn = |u: f64, a: f64| power(share(u.abs(), plane), m - 1.0).copysign(u) / a;
        let turns = Vector3::new(turn(u[0], a), turn(u[1], b), 0.0);
        hessian + turns * turns.transpose() * ((n - m) * power(share(plane, g), n - 2.0))
    }

    /// The gradient of the gauge, g_i of eq. (3).
    fn slopes(&self, x: &Vector3<f64>, g: f64, plane: f64) -> Vector3<f64> {
        if g == 0.0 {
            return Vector3::zeros();
        }
        let [m, n] = self.exponents;
        let outward = power(plane / g, n - 1.0);
        Vector3::from_fn(|i, _| {
            let a = self.semi_axes[i];
            let u = (x[i] / a).abs();
            let slope = match self.single() {
                None if i < 2 => outward * power(share(u, plane), m - 1.0),
                _ => power(u / g, n - 1.0),
            };
            slope.copysign(x[i]) / a
        })
    }

    /// The norms of order m' and n' of a direction, eq. (5).
    fn dual(&self, w: &Vector3<f64>) -> (f64, f64) {
        let t = [0, 1, 2].map(|i| w[i] * self.semi_axes[i]);
        Self::norms(t, self.exponents.map(|n| n / (n - 1.0)))
    }

    /// The greatest `w · x` over the shape, eq. (5).
    pub fn support(&self, w: &Vector3<f64>) -> f64 {
        self.dual(w).0
    }

    /// The point of the surface where the outward normal is along w, eq. (6).
    pub(crate) fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        let (h, plane) = self.dual(w);
        let [p, q] = self.exponents.map(|n| (n - 1.0).recip());
        let outward = power(share(plane, h), q);
        Vector3::from_fn(|i, _| {
            let a = self.semi_axes[i];
            let t = a * w[i].abs();
            let part = match self.single() {
                None if i < 2 => outward * power(share(t, plane), p),
                _ => power(share(t, h), q),
            };
            (a * part).copysign(w[i])
        })
    }

    /// How far it reaches along the world's axes when it is turned, m.
    pub(super) fn reach(&self, r: &Matrix3<f64>) -> Vector3<f64> {
        Vector3::from_fn(|k, _| self.support(&r.row(k).transpose()))
    }

    /// Distance of the farthest point from the centre, m: the greatest `sum a_i² t_i²` where the norm of order n of the
    /// t_i is 1 is the norm of the a_i² of order n / (n − 2); first in the plane, then with z.
    pub fn outer_radius(&self) -> f64 {
        let largest = self.semi_axes.iter().fold(0.0f64, |m, a| m.max(*a));
        let squares = self.semi_axes.map(|a| (a / largest).powi(2));
        largest * Self::norms(squares, self.exponents.map(|n| n / (n - 2.0))).0.sqrt()
    }

    /// Volume, m³, eq. (7).
    pub fn volume(&self) -> f64 {
        let ([a, b, c], [m, n]) = (self.semi_axes, self.exponents);
        let plane = gamma(1.0 + 1.0 / m).powi(2) / gamma(1.0 + 2.0 / m);
        8.0 * a * b * c * plane * gamma(1.0 + 1.0 / n) * gamma(1.0 + 2.0 / n) / gamma(1.0 + 3.0 / n)
    }

    /// Principal moments of inertia per unit mass of a uniform body, m², from eq. (8) and (9).
    pub fn unit_inertia(&self) -> [f64; 3] {
        let [m, n] = self.exponents;
        let g = |k: f64, n: f64| gamma(1.0 + k / n);
        let across = g(3.0, m) * g(2.0, m) / (3.0 * g(1.0, m) * g(4.0, m)) * (g(4.0, n) * g(3.0, n))
            / (g(2.0, n) * g(5.0, n));
        let along = g(3.0, n) * g(3.0, n) / (3.0 * g(1.0, n) * g(5.0, n));
        let [a, b, c] = self.semi_axes;
        let [x, y, z] = [across * a * a, across * b * b, along * c * c];
        [y + z, x + z, x + y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [([f64; 3], [f64; 2]); 8] = [
        ([0.3, 0.5, 0.9], [2.0, 2.0]),
        ([0.3, 0.5, 0.9], [2.5, 2.5]),
        ([1.0, 0.4, 0.7], [4.0, 4.0]),
        ([0.6, 0.5, 1.1], [11.0, 11.0]),
        ([0.3, 0.5, 0.9], [2.0, 6.0]),
        ([0.3, 0.5, 0.9], [5.0, 2.5]),
        ([1.0, 0.4, 0.7], [4.0, 2.0]),
        ([0.6, 0.5, 1.1], [11.0, 3.0]),
    ];

    fn points(mut check: impl FnMut(&Implicit, Vector3<f64>)) {
        for (semi_axes, exponents) in SHAPES {
            let shape = Implicit { semi_axes, exponents };
            // not k = 0, where x = 0: there |x|^2.5 has no third derivative, and difference quotients come closer as
            // sqrt(h) only
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
        for [m, n] in [[2.0, 2.0], [2.5, 2.5], [4.0, 4.0], [11.0, 11.0], [2.0, 8.0], [6.0, 2.0], [3.0, 20.0]]
        {
            let shape = Implicit { semi_axes: [0.3, 0.5, 0.9], exponents: [m, n] };
            // at the height z = c t the slice is the planar shape with semi-axes shrunk by k = (1 − t^n)^(1/n); at x =
            // a t its chord is one of b (1 − t^m)^(1/m)
            let chord = |t: f64| (1.0 - t.powf(m)).max(0.0).powf(1.0 / m);
            let shrink = |t: f64| (1.0 - t.powf(n)).max(0.0).powf(1.0 / n);
            let [area, first] = [integral(chord), integral(|t| t * t * chord(t))];
            let [v0, v2] = [integral(|t| shrink(t).powi(2)), integral(|t| (t * shrink(t)).powi(2))];
            let fourth = integral(|t| shrink(t).powi(4));
            let volume = 8.0 * 0.3 * 0.5 * 0.9 * area * v0;
            let zz = 0.81 * v2 / v0;
            let [xx, yy] = [0.09, 0.25].map(|square| square * (first / area) * (fourth / v0));
            let inertia = shape.unit_inertia();
            let exact = [yy + zz, xx + zz, xx + yy];
            let worst = exact.iter().zip(inertia).map(|(x, y)| (y / x - 1.0).abs());
            let off = [(shape.volume() / volume - 1.0).abs(), worst.fold(0.0, f64::max)];
            println!("m = {m}, n = {n}: volume {:e}, inertia {:e}", off[0], off[1]);
            assert!(off.iter().all(|x| *x < 1e-9), "{m} {n} {off:?}");
        }
        let ball = Implicit::ellipsoid([2.0; 3]);
        assert!((ball.volume() / (32.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-14);
        assert!(ball.unit_inertia().iter().all(|x| (x / 1.6 - 1.0).abs() < 1e-14));
        let cube = Implicit { semi_axes: [1.0; 3], exponents: [1e12; 2] };
        assert!((cube.volume() - 8.0).abs() < 1e-10 && (cube.unit_inertia()[0] - 2.0 / 3.0).abs() < 1e-10);
        // nearly a cylinder of radius 1 and height 2
        let can = Implicit { semi_axes: [1.0; 3], exponents: [2.0, 1e12] };
        let [x, y, z] = can.unit_inertia();
        assert!((can.volume() / (2.0 * std::f64::consts::PI) - 1.0).abs() < 1e-10 && (z - 0.5).abs() < 1e-10);
        assert!((x - 0.25 - 1.0 / 3.0).abs() < 1e-10 && x == y);
    }

    #[test]
    fn the_farthest_point_is_where_the_normal_points_at_it() {
        for (semi_axes, exponents) in SHAPES {
            let shape = Implicit { semi_axes, exponents };
            // the fixed points of x -> support point along x are where |x| is stationary
            let farthest = |start: Vector3<f64>| {
                (0..3000).fold(start, |x, _| shape.support_point(&x.normalize())).norm()
            };
            let starts = [[1.0, 1.0, 1.0], [1.0, 0.2, 0.2], [0.2, 1.0, 0.2], [0.2, 0.2, 1.0]];
            let most = starts.iter().map(|s| farthest(Vector3::from(*s))).fold(0.0, f64::max);
            assert!(
                (shape.outer_radius() / most - 1.0).abs() < 1e-9,
                "{exponents:?} {} {most}",
                shape.outer_radius()
            );
        }
    }
}
