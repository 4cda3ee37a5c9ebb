//! A planar body that lies on a surface on three points: the 2.5-dimensional model [Berard 2009, §3.3].
//!
//! Out of the plane nothing moves, so the loads N_i of the supports at `r_i` from the centre of mass follow from
//! balance [eq. 3.21–3.24],
//!
//! ```text
//! sum N_i = m g,   sum N_i r_i = 0                                                      (1)
//! ```
//!
//! and each support has dry friction with the known bound `mu N_i`. When the centre of mass is a height above the
//! surface, friction has a lever: with forces F_i at the supports and all others at the height of the centre of mass,
//!
//! ```text
//! sum N_i r_i = −height sum F_i,   F_i = −mu N_i v_i / |v_i|                            (2)
//! ```
//!
//! v_i being the slip at the support: a body that is braked presses on its front. (2) is linear in N. A support that
//! does not slip adds nothing to the sum: what it carries is not known before the step is solved.

use crate::shape::PlanarShape;
use nalgebra::{Matrix3, Vector2, Vector3};

/// Three supports under a planar body.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Index of the body.
    pub body: usize,
    /// The supports in the body frame, from the centre of mass, m.
    pub points: [Vector2<f64>; 3],
    /// Coulomb's coefficient on the surface.
    pub friction: f64,
    /// Height of the centre of mass above the surface, m; zero for loads that do not shift.
    pub height: f64,
}

impl Support {
    /// The loads of the supports under a weight (N), eq. (1) or (2): `arms` from the centre of mass and directions of
    /// slip (of length one or zero) in one frame. None when the supports are on a line.
    pub fn loads(
        &self,
        weight: f64,
        arms: &[Vector2<f64>; 3],
        slips: &[Vector2<f64>; 3],
    ) -> Option<[f64; 3]> {
        let lever = self.height * self.friction;
        let columns: [Vector3<f64>; 3] = std::array::from_fn(|i| {
            let r = arms[i] - slips[i] * lever;
            Vector3::new(1.0, r.x, r.y)
        });
        // lengths of the size of the tripod, so that the determinant is a number
        let size = arms.iter().fold(0.0f64, |m, r| m.max(r.norm()));
        let scale = |v: &Vector3<f64>| Vector3::new(v.x, v.y / size, v.z / size);
        let m = Matrix3::from_columns(&[scale(&columns[0]), scale(&columns[1]), scale(&columns[2])]);
        if m.determinant().is_nan() || m.determinant().abs() <= 1e-9 {
            return None;
        }
        let n = m.lu().solve(&Vector3::new(weight, 0.0, 0.0))?;
        Some([n.x, n.y, n.z])
    }

    /// Three supports under a uniform shape, about its centre of mass and at equal distances: each carries a third, and
    /// spinning in place meets the friction torque of uniform pressure, `mu m g` times the mean distance of the shape's
    /// points. The first is along the body's x axis. None for shapes whose mean distance is not known.
    pub fn tripod(shape: &PlanarShape) -> Option<[Vector2<f64>; 3]> {
        let r = shape.geometry().mean_distance()?;
        let (s, c) = (0.75f64.sqrt(), -0.5);
        Some([Vector2::new(r, 0.0), Vector2::new(r * c, r * s), Vector2::new(r * c, -r * s)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Rectangle;

    const POINTS: [[f64; 2]; 3] = [[0.10, 0.02], [-0.06, 0.08], [-0.05, -0.09]];

    fn support(height: f64) -> Support {
        Support { body: 0, points: POINTS.map(Vector2::from), friction: 0.3, height }
    }

    #[test]
    fn loads_carry_the_weight_without_a_moment() {
        let s = support(0.0);
        let n = s.loads(9.81, &s.points, &[Vector2::zeros(); 3]).unwrap();
        let moment = (0..3).fold(Vector2::zeros(), |m, i| m + s.points[i] * n[i]);
        assert!(
            (n.iter().sum::<f64>() - 9.81).abs() < 1e-14
                && moment.norm() < 1e-15
                && n.iter().all(|n| *n > 0.0)
        );
    }

    #[test]
    fn a_braked_body_presses_on_its_front() {
        let s = support(0.05);
        let forward = Vector2::new(1.0, 0.0);
        let n = s.loads(9.81, &s.points, &[forward; 3]).unwrap();
        let centre = (0..3).fold(Vector2::zeros(), |m, i| m + s.points[i] * n[i]) / 9.81;
        // the centre of pressure is where weight and braking force meet the surface
        assert!((centre - forward * 0.05 * 0.3).norm() < 1e-15, "{centre:?}");
    }

    #[test]
    fn supports_on_a_line_carry_nothing() {
        let mut s = support(0.0);
        s.points = [[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]].map(Vector2::from);
        assert_eq!(s.loads(1.0, &s.points, &[Vector2::zeros(); 3]), None);
    }

    #[test]
    fn the_mean_distance_of_a_box_agrees_with_a_sum() {
        let shape = PlanarShape::Box(Rectangle { half: [0.15, 0.1] });
        let n = 400;
        let at = |i: usize, half: f64| half * ((2 * i + 1) as f64 / n as f64 - 1.0);
        let mut sum = 0.0;
        for i in 0..n {
            for j in 0..n {
                sum += at(i, 0.15).hypot(at(j, 0.1));
            }
        }
        let mean = sum / (n * n) as f64;
        let tripod = Support::tripod(&shape).unwrap();
        println!("mean distance {mean}, radius of the tripod {}", tripod[0].x);
        assert!((tripod[0].x - mean).abs() < 1e-6 && (tripod[1].norm() - tripod[0].x).abs() < 1e-15);
    }
}
