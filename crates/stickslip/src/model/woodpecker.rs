//! The woodpecker toy of [Glocker & Studer 2003, §4]: a sleeve that jams on a pole, a bird on a torsion spring.
//!
//! Coordinates `q = (y, phi_M, phi_S)`: height of the sleeve, angle of the sleeve, angle of the bird; kinematics
//! linearised for small angles. With
//!
//! ```text
//!     | m_S + m_M   m_S l_M          m_S l_G        |
//! M = | m_S l_M     J_M + m_S l_M²   m_S l_M l_G    |                              (1) = [eq. 14]
//!     | m_S l_G     m_S l_M l_G      J_S + m_S l_G² |
//!
//! V = (m_S + m_M) g y + m_S g (l_M phi_M + l_G phi_S) + c (phi_M − phi_S)² / 2     (2)
//!
//! gap_beak  = l_M + l_G − l_S − r_O − h_S phi_S
//! gap_lower = r_M − r_O + h_M phi_M                                                (3) = [eq. 15]
//! gap_upper = r_M − r_O − h_M phi_M
//! ```
//!
//! the forces are `−dV/dq`. Tangential velocities are vertical speeds of the contact points [eq. 16].

use crate::drawing::{Drawing, Figure, FigureMotion, Placed, Solid, SpringKind, SpringMark};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Describe, Description, Law, Snapshot, SurfaceLaw, System};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::{Matrix3, Vector3};

/// Parameters and initial state of the toy, SI units; the names are those of [Glocker & Studer 2003, Table 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Woodpecker {
    /// Radius of the pole, m.
    pub r_o: f64,
    /// Inner radius of the sleeve, m.
    pub r_m: f64,
    /// Half the height of the sleeve, m.
    pub h_m: f64,
    /// Distance from the sleeve's centre to the spring, m.
    pub l_m: f64,
    /// Distance from the spring to the bird's centre of mass, m.
    pub l_g: f64,
    /// Height of the beak over the bird's centre of mass, m.
    pub h_s: f64,
    /// Length of the beak, m.
    pub l_s: f64,
    /// Mass of the sleeve, kg.
    pub m_m: f64,
    /// Mass of the bird, kg.
    pub m_s: f64,
    /// Moment of inertia of the sleeve, kg m².
    pub j_m: f64,
    /// Moment of inertia of the bird, kg m².
    pub j_s: f64,
    /// Stiffness of the spring, N m/rad.
    pub c_phi: f64,
    /// Gravity, m/s².
    pub g: f64,
    /// Surface laws of beak, lower and upper contact.
    pub surfaces: [SurfaceLaw; 3],
    /// Initial coordinates (m, rad, rad).
    pub q: [f64; 3],
    /// Initial velocities (m/s, rad/s, rad/s).
    pub u: [f64; 3],
}

/// Names of the coordinates.
const COORDINATES: [&str; 3] = ["y", "phi_M", "phi_S"];
/// Names of the contacts.
const CONTACTS: [&str; 3] = ["beak", "lower", "upper"];

impl Woodpecker {
    fn mass_matrix(&self) -> Matrix3<f64> {
        let (m_s, l_m, l_g) = (self.m_s, self.l_m, self.l_g);
        // eq. (1)
        Matrix3::new(
            m_s + self.m_m,
            m_s * l_m,
            m_s * l_g,
            m_s * l_m,
            self.j_m + m_s * l_m * l_m,
            m_s * l_m * l_g,
            m_s * l_g,
            m_s * l_m * l_g,
            self.j_s + m_s * l_g * l_g,
        )
    }

    /// True when the mass matrix is positive definite and everything is finite.
    pub fn is_valid(&self) -> bool {
        let m = self.mass_matrix();
        let state = self.q.iter().chain(&self.u).chain([&self.c_phi, &self.g]);
        m.iter().chain(state).all(|x| x.is_finite()) && m.cholesky().is_some()
    }

    /// Gap, normal row and tangential row of a contact, eq. (3).
    fn contact(&self, index: usize, q: &[f64]) -> (f64, [f64; 6]) {
        match index {
            0 => (
                self.l_m + self.l_g - self.l_s - self.r_o - self.h_s * q[2],
                [0.0, 0.0, -self.h_s, 1.0, self.l_m, self.l_g - self.l_s],
            ),
            1 => (self.r_m - self.r_o + self.h_m * q[1], [0.0, self.h_m, 0.0, 1.0, self.r_m, 0.0]),
            _ => (self.r_m - self.r_o - self.h_m * q[1], [0.0, -self.h_m, 0.0, 1.0, self.r_m, 0.0]),
        }
    }
}

impl Woodpecker {
    /// A pole, a sleeve round it with an arm to the spring, a bird with its beak; angles are small, shapes are as at
    /// rest.
    fn draw(&self) -> Drawing {
        let rectangle = |x: f64, y: f64, half: [f64; 2]| Placed {
            position: [x, y, 0.0],
            ..Placed::here(Solid::Rectangle { half })
        };
        let polygon = |vertices: Vec<[f64; 2]>| Placed::here(Solid::Polygon { vertices });
        let figure = |name: &str, motion, pose: [f64; 3], solids| Figure {
            name: name.to_owned(),
            motion,
            belt: false,
            pose: pose.to_vec(),
            solids,
        };
        let start = State { q: self.q.to_vec(), ..State::default() };
        let poses = self.figure_poses(&start);
        let (wall, tall) = (0.3 * self.r_o, 20.0 * self.h_m);
        let side = self.r_m + wall;
        let sleeve = vec![
            rectangle(side, 0.0, [wall, self.h_m]),
            rectangle(-side, 0.0, [wall, self.h_m]),
            rectangle(0.5 * (self.l_m + self.r_m), 0.0, [0.5 * (self.l_m - self.r_m), 0.4 * wall]),
        ];
        // about the bird's centre of mass: the arm to the spring, the body, head and beak
        let (l, h) = (self.l_s, self.h_s);
        let round = |x: f64, y: f64, a: f64, b: f64| {
            (0..96)
                .map(|i| std::f64::consts::TAU * f64::from(i) / 96.0)
                .map(move |t| [x + a * t.cos(), y + b * t.sin()])
        };
        let bird = vec![
            rectangle(-0.5 * self.l_g, 0.0, [0.5 * self.l_g, 0.4 * wall]),
            polygon(round(0.0, 0.1 * h, 0.3 * l, 0.9 * h).collect()),
            polygon(round(-0.15 * l, h, 0.28 * l, 0.28 * l).collect()),
            polygon(vec![[-l, h], [-0.35 * l, 0.85 * h], [-0.35 * l, 1.12 * h]]),
        ];
        Drawing {
            dimension: 2,
            figures: vec![
                figure(
                    "pole",
                    FigureMotion::Fixed,
                    [0.0, -0.5 * tall, 0.0],
                    vec![rectangle(0.0, 0.0, [self.r_o, tall])],
                ),
                figure("sleeve", FigureMotion::Moving, poses[0], sleeve),
                figure("bird", FigureMotion::Moving, poses[1], bird),
            ],
            joints: Vec::new(),
            springs: vec![SpringMark {
                name: "spring".to_owned(),
                kind: SpringKind::Torsion,
                between: [Some(1), Some(2)],
                anchors: [[self.l_m, 0.0, 0.0], [-self.l_g, 0.0, 0.0]],
                axis: Some([0.0, 0.0, 1.0]),
            }],
        }
    }
}

impl System for Woodpecker {
    fn initial(&self) -> State {
        State { t: 0.0, q: self.q.to_vec(), u: self.u.to_vec(), ..State::default() }
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        let m = self.mass_matrix();
        out.mass.clear();
        out.mass.push(3, m.as_slice());
        out.inverse_mass.clear();
        // validated at construction; an unusable matrix gives NaN, which the stepper reports
        let inverse = m.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
        let inverse = (inverse + inverse.transpose()) * 0.5;
        out.inverse_mass.push(3, inverse.as_slice());
        let (y, phi_m, phi_s) = (at.q[0], at.q[1], at.q[2]);
        let twist = phi_m - phi_s;
        let weight = (self.m_s + self.m_m) * self.g;
        let (bird_m, bird_s) = (self.m_s * self.g * self.l_m, self.m_s * self.g * self.l_g);
        out.force.clear();
        out.force.extend_from_slice(&[-weight, -self.c_phi * twist - bird_m, self.c_phi * twist - bird_s]);
        out.applied.clear();
        out.applied.resize(3, 0.0);
        out.potential = weight * y + bird_m * phi_m + bird_s * phi_s + 0.5 * self.c_phi * twist * twist; // eq. (2)
    }

    fn constraints(&self, at: &State, _reach: f64, out: &mut Snapshot) {
        out.constraints.clear();
        out.jacobian.clear();
        for index in 0..3 {
            let (distance, rows) = self.contact(index, &at.q);
            let first_part = out.jacobian.parts.len();
            out.jacobian.push(0, 3, &rows);
            let mut gap = [0.0; MAX_ROWS];
            gap[0] = distance;
            out.constraints.push(Constraint {
                bend: 0.0,
                id: ConstraintId { a: index as u32, b: 0, feature: 0 },
                law: Law::Contact { tangents: 1, surface: self.surfaces[index] },
                gap,
                drift: [0.0; MAX_ROWS],
                first_part,
                end_part: first_part + 1,
                point: Vector3::zeros(),
                normal: Vector3::zeros(),
            });
        }
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        for (q, u) in q.iter_mut().zip(u) {
            *q += dt * u;
        }
    }

    fn speed(&self, _q: &[f64], u: &[f64]) -> f64 {
        (u[1] * self.h_m).abs().max((u[2] * self.h_s).abs())
    }
}

impl Describe for Woodpecker {
    fn drawing(&self) -> Option<Drawing> {
        Some(self.draw())
    }

    fn figure_poses(&self, at: &State) -> Vec<[f64; 3]> {
        let [y, sleeve, bird] = [at.q[0], at.q[1], at.q[2]];
        vec![[0.0, y, sleeve], [self.l_m + self.l_g, y + self.l_m * sleeve + self.l_g * bird, bird]]
    }

    fn drawn_contact(&self, at: &State, id: ConstraintId) -> Option<[Vector3<f64>; 3]> {
        let [y, sleeve, bird] = [at.q[0], at.q[1], at.q[2]];
        let height = match id.a {
            0 => y + self.l_m * sleeve + self.h_s + (self.l_g - self.l_s) * bird,
            1 => y + self.r_m * sleeve - self.h_m,
            _ => y + self.r_m * sleeve + self.h_m,
        };
        Some([Vector3::new(self.r_o, height, 0.0), Vector3::x(), Vector3::y()])
    }

    fn label(&self, id: ConstraintId) -> String {
        CONTACTS[id.a as usize % 3].to_owned()
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        (0..3)
            .map(|i| Description::Coordinate {
                name: COORDINATES[i].to_owned(),
                position: at.q[i],
                velocity: at.u[i],
            })
            .collect()
    }
}
