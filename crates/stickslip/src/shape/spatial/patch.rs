//! Pieces of surfaces: each by three equations in a point x and the outward direction w there, in the body's frame.
//!
//! A smooth piece of dimension d has 3 − d equations that x lies on it, and d that w is across its tangents:
//!
//! (1) vertex v: `x = v`.
//! (2) line through c along d, with e1, e2 across it: `e1·(x − c) = e2·(x − c) = 0`, `d·w = 0`.
//! (3) plane through c across m, with tangents t1, t2: `m·(x − c) = 0`, `t1·w = t2·w = 0`.
//! (4) rim of radius r about z at height c: `z = c`, `x² + y² = r²`, `x w_y − y w_x = 0`.
//! (5) cone's side `rho = k (top − z)`, with `e = (x, y)/rho`, f across it and the generator `g = (−k e, 1)`: the
//! equation of the side,
//!     `w·g = 0`, `w·f = 0`.
//! (6) smooth surface f = 0: that, and two components of `grad f × w = 0`, all but the one along which w is greatest.
//! (7) edge of two surfaces, f = g = 0: those, and `w · (grad f × grad g) = 0`.

use crate::shape::{Implicit, Surface};
use nalgebra::{Matrix3, RowVector3, Vector3};

/// A piece of a surface, lengths in units of the pair.
#[derive(Clone, Copy)]
pub(crate) enum Patch {
    Vertex(Vector3<f64>),
    Line(Vector3<f64>, Vector3<f64>),
    Plane(Vector3<f64>, Vector3<f64>),
    Rim {
        z: f64,
        radius: f64,
    },
    Slope {
        k: f64,
        top: f64,
    },
    Smooth(Implicit),
    /// A smooth surface of an intersection.
    Placed(Surface),
    Edge(Surface, Surface),
}

/// The three equations' values and their derivatives with respect to x and to w.
pub(crate) struct Equations {
    pub value: Vector3<f64>,
    pub dx: Matrix3<f64>,
    pub dw: Matrix3<f64>,
}

/// Two unit vectors across a unit vector and each other.
fn across(d: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let e = d.cross(&Vector3::ith(d.iamin(), 1.0)).normalize();
    [e, d.cross(&e)]
}

fn rows(rows: [Vector3<f64>; 3]) -> Matrix3<f64> {
    Matrix3::from_rows(&rows.map(|row| row.transpose()))
}

impl Patch {
    pub(crate) fn equations(&self, x: &Vector3<f64>, w: &Vector3<f64>) -> Equations {
        let zero = Vector3::zeros();
        match self {
            Patch::Vertex(v) => {
                Equations { value: x - v, dx: Matrix3::identity(), dw: Matrix3::zeros() } // eq. (1)
            }
            Patch::Line(c, d) => {
                let ([e1, e2], y) = (across(d), x - c); // eq. (2)
                let value = Vector3::new(e1.dot(&y), e2.dot(&y), d.dot(w));
                Equations { value, dx: rows([e1, e2, zero]), dw: rows([zero, zero, *d]) }
            }
            Patch::Plane(c, m) => {
                let [t1, t2] = across(m); // eq. (3)
                let value = Vector3::new(m.dot(&(x - c)), t1.dot(w), t2.dot(w));
                Equations { value, dx: rows([*m, zero, zero]), dw: rows([zero, t1, t2]) }
            }
            Patch::Rim { z, radius: r } => {
                let turn = (x.x * w.y - x.y * w.x) / r; // eq. (4)
                let value = Vector3::new(x.z - z, 0.5 * (x.x * x.x + x.y * x.y - r * r) / r, turn);
                let dx = [Vector3::z(), Vector3::new(x.x, x.y, 0.0) / *r, Vector3::new(w.y, -w.x, 0.0) / *r];
                Equations { value, dx: rows(dx), dw: rows([zero, zero, Vector3::new(-x.y, x.x, 0.0) / *r]) }
            }
            Patch::Slope { k, top } => slope((*k, *top), x, w),
            Patch::Smooth(shape) => smooth((shape.value(x), shape.gradient(x), shape.hessian(x)), w),
            Patch::Placed(s) => smooth((s.value(x), s.gradient(x), s.hessian(x)), w),
            Patch::Edge(f, g) => edge(f, g, x, w),
        }
    }
}

/// Eq. (5), the first two scaled to lengths.
fn slope((k, top): (f64, f64), x: &Vector3<f64>, w: &Vector3<f64>) -> Equations {
    let rho = x.x.hypot(x.y).max(f64::MIN_POSITIVE);
    let (e, f) = (Vector3::new(x.x, x.y, 0.0) / rho, Vector3::new(-x.y, x.x, 0.0) / rho);
    let c = (1.0 + k * k).sqrt().recip();
    let generator = (Vector3::z() - e * k) * c;
    let value = Vector3::new((rho - k * (top - x.z)) * c, w.dot(&generator), w.dot(&f));
    let normal = (e + Vector3::z() * k) * c;
    let dx = rows([normal, f * (-k * c * w.dot(&f) / rho), f * (-w.dot(&e) / rho)]);
    Equations { value, dx, dw: rows([Vector3::zeros(), generator, f]) }
}

/// Eq. (6).
fn smooth((f, gradient, hessian): (f64, Vector3<f64>, Matrix3<f64>), w: &Vector3<f64>) -> Equations {
    let (turn, by_x, by_w) = (gradient.cross(w), -w.cross_matrix() * hessian, gradient.cross_matrix());
    let greatest = w.iamax();
    let [i, j] = [(greatest + 1) % 3, (greatest + 2) % 3];
    let value = Vector3::new(f, turn[i], turn[j]);
    let none = RowVector3::zeros();
    let dx = Matrix3::from_rows(&[gradient.transpose(), by_x.row(i).into(), by_x.row(j).into()]);
    let dw = Matrix3::from_rows(&[none, by_w.row(i).into(), by_w.row(j).into()]);
    Equations { value, dx, dw }
}

/// Eq. (7).
fn edge(f: &Surface, g: &Surface, x: &Vector3<f64>, w: &Vector3<f64>) -> Equations {
    let (a, b) = (f.gradient(x), g.gradient(x));
    let along = a.cross(&b);
    let by_x = b.cross(w).transpose() * f.hessian(x) + w.cross(&a).transpose() * g.hessian(x);
    let value = Vector3::new(f.value(x), g.value(x), w.dot(&along));
    let dx = Matrix3::from_rows(&[a.transpose(), b.transpose(), by_x]);
    Equations { value, dx, dw: rows([Vector3::zeros(), Vector3::zeros(), along]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::spatial::SpatialPose;

    #[test]
    fn derivatives_are_the_difference_quotients() {
        let d = Vector3::new(0.3, -0.5, 0.8).normalize();
        let smooth = |m, n| Patch::Smooth(Implicit { semi_axes: [0.7, 0.9, 1.3], exponents: [m, n] });
        let (x, w) = (Vector3::new(0.4, -0.6, 0.5), Vector3::new(-0.7, 0.2, 0.4));
        let pose = SpatialPose::new(Vector3::new(0.1, 0.2, -0.1), [0.6, 0.0, 0.8, 0.0]);
        let placed =
            |n| Surface::Smooth { shape: Implicit { semi_axes: [0.7, 0.9, 1.3], exponents: [n; 2] }, pose };
        let plane = Surface::Plane { point: Vector3::x(), normal: d, length: 0.7 };
        for patch in [
            Patch::Vertex(d),
            Patch::Line(Vector3::x(), d),
            Patch::Plane(Vector3::y(), d),
            Patch::Rim { z: 0.3, radius: 0.8 },
            Patch::Slope { k: 0.6, top: 1.2 },
            smooth(2.0, 2.0),
            smooth(5.0, 5.0),
            smooth(2.0, 7.0),
            smooth(6.0, 3.0),
            Patch::Placed(placed(3.0)),
            Patch::Edge(placed(2.0), placed(4.0)),
            Patch::Edge(placed(3.0), plane),
        ] {
            let at = patch.equations(&x, &w);
            for i in 0..3 {
                let (h, e) = (1e-6, Vector3::ith(i, 1e-6));
                let by_x =
                    (patch.equations(&(x + e), &w).value - patch.equations(&(x - e), &w).value) / (2.0 * h);
                let by_w =
                    (patch.equations(&x, &(w + e)).value - patch.equations(&x, &(w - e)).value) / (2.0 * h);
                assert!((by_x - at.dx.column(i)).norm() < 1e-8 && (by_w - at.dw.column(i)).norm() < 1e-8);
            }
        }
    }
}
