//! Boxes in contact, as contact problems: what several tests solve.
#![allow(dead_code)]

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};

/// Numbers between −1 and 1, the same in every run.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Boxes of side 2 on a plane with velocities before contact; contacts at corners, normal up.
pub struct Boxes {
    mass: f64,
    cone: Cone,
    friction: f64,
    u: Vec<[f64; 6]>,
    inverse_mass: BlockDiagonal,
    jacobian: Jacobian,
    groups: Vec<Group>,
    q: Vec<f64>,
}

impl Boxes {
    /// No boxes yet.
    pub fn new(mass: f64, friction: f64, cone: Cone) -> Self {
        let (inverse_mass, jacobian) = Default::default();
        Self {
            mass,
            cone,
            friction,
            u: Vec::new(),
            inverse_mass,
            jacobian,
            groups: Vec::new(),
            q: Vec::new(),
        }
    }

    /// A box with its velocity before contact.
    pub fn push_box(&mut self, u: [f64; 6]) {
        let mut inverse = [0.0; 36];
        for i in 0..6 {
            inverse[7 * i] = if i < 3 { 1.0 } else { 1.5 } / self.mass;
        }
        self.inverse_mass.push(6, &inverse);
        self.u.push(u);
    }

    /// A contact at `arm` from the upper box and, if there is one, `arm` + (0, 0, 2) from the lower one.
    pub fn push_contact(&mut self, upper: usize, lower: Option<usize>, arm: [f64; 3]) {
        let law = Law::Contact { friction: self.friction, cone: self.cone };
        let (first_row, first_part) = (self.q.len(), self.jacobian.parts.len());
        let mut q = [0.0; 3];
        let sides = [(Some(upper), 1.0, arm), (lower, -1.0, [arm[0], arm[1], arm[2] + 2.0])];
        for (body, sign, arm) in sides {
            let Some(body) = body else { continue };
            let mut rows = [0.0; 18];
            for (r, axis) in [2, 0, 1].into_iter().enumerate() {
                let mut direction = [0.0; 3];
                direction[axis] = sign;
                let moment = [
                    arm[1] * direction[2] - arm[2] * direction[1],
                    arm[2] * direction[0] - arm[0] * direction[2],
                    arm[0] * direction[1] - arm[1] * direction[0],
                ];
                rows[6 * r..6 * r + 3].copy_from_slice(&direction);
                rows[6 * r + 3..6 * r + 6].copy_from_slice(&moment);
                q[r] += (0..6).map(|j| rows[6 * r + j] * self.u[body][j]).sum::<f64>();
            }
            self.jacobian.push(6 * body, 6, &rows);
        }
        self.q.extend_from_slice(&q);
        self.groups.push(Group { law, first_row, first_part, end_part: self.jacobian.parts.len() });
    }

    /// The problem.
    pub fn finish(self) -> ContactProblem {
        let scale = self.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut directions = Vec::new();
        polygon_directions(6, 0.1, &mut directions);
        let operator = Operator::Factored { inverse_mass: self.inverse_mass, jacobian: self.jacobian };
        let problem = ContactProblem { groups: self.groups, q: self.q, operator, directions, scale };
        problem.validate().unwrap();
        problem
    }
}

/// Lower corners of a box, from its centre.
pub const CORNERS: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]];

/// Boxes on top of each other, falling at a speed.
pub fn stack(count: usize, mass: f64, fall: f64, cone: Cone) -> ContactProblem {
    let mut boxes = Boxes::new(mass, 0.5, cone);
    for b in 0..count {
        boxes.push_box([0.0, 0.0, -fall, 0.0, 0.0, 0.0]);
        for arm in CORNERS {
            boxes.push_contact(b, b.checked_sub(1), arm);
        }
    }
    boxes.finish()
}

/// One box with random velocities: sticking, sliding, tipping. Three corners touch: with four, what a sliding box
/// does is not determined.
pub fn thrown(random: &mut Random, mass: f64, speed: f64, cone: Cone) -> ContactProblem {
    let mut boxes = Boxes::new(mass, 0.3 + 0.3 * random.next(), cone);
    let mut u: [f64; 6] = std::array::from_fn(|_| speed * random.next());
    u[2] = -speed * (1.0 + random.next());
    boxes.push_box(u);
    for &arm in &CORNERS[..3] {
        boxes.push_contact(0, None, arm);
    }
    boxes.finish()
}

/// What the impulses add to the bodies' velocities.
pub fn velocity(problem: &ContactProblem, lambda: &[f64]) -> Vec<f64> {
    let (mut scratch, mut work) = (Vec::new(), Vec::new());
    problem.impulse_velocity(lambda, &mut scratch, &mut work);
    work
}
