//! The contact problem of a step, made from a frozen configuration.

use super::frozen::Frozen;
use super::scale::speed;
use super::soft::push_rows;
use crate::stepper::Cone;
use crate::stepper::layers::Layers;
use crate::stepper::surface::{Scaling, associate, problem_law};
use crate::system::Constraint;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{self as laws, MAX_ROWS};
use complementarity::problem::operator::Operator;

/// How problems are posed, and the memory of one.
pub(in crate::stepper) struct Posing {
    pub cone: Cone,
    /// The part of a step that its coordinates move at the velocity of its end.
    pub moves: f64,
    /// Residuals are compared with this speed at least.
    pub least: f64,
    /// Friction is associated (`convex.rs`).
    pub associated: bool,
    /// Contacts with a layer; none unless the stepper looks for them.
    pub layers: Layers,
    pub contact: ContactProblem,
    /// Constraints of the frozen configuration that take part, ascending.
    pub selected: Vec<usize>,
    /// Velocities before the step, per row.
    pub before: Vec<f64>,
    /// The diagonal of W^T M^-1 W, per group.
    pub diagonal: Vec<[f64; MAX_ROWS]>,
    scratch: Vec<f64>,
}

/// The problem of a step at a frozen configuration.
pub(in crate::stepper) struct Problem<'a> {
    pub frozen: &'a Frozen,
    pub posed: &'a mut Posing,
    pub dt: f64,
}

impl Posing {
    pub fn new(cone: Cone) -> Self {
        let mut contact = ContactProblem::default();
        match cone {
            Cone::Polygon { directions, angle } => {
                laws::polygon_directions(directions, angle, &mut contact.directions);
            }
            Cone::Box => contact.directions.extend([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]),
            Cone::Exact | Cone::Ellipsoid => {}
        }
        Self {
            cone,
            moves: 1.0,
            least: 0.0,
            associated: false,
            layers: Layers::default(),
            contact,
            selected: Vec::new(),
            before: Vec::new(),
            diagonal: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The problem of the constraints that `takes_part` names, for a step of length dt from velocity u.
    /// `shift(constraint, row velocity before, row)` is the shift of eq. (2).
    pub fn pose<'a>(
        &'a mut self,
        frozen: &'a Frozen,
        (u, dt): (&[f64], f64),
        takes_part: impl Fn(&Constraint) -> bool,
        shift: impl Fn(&Constraint, f64, usize) -> f64,
    ) -> Problem<'a> {
        self.select(frozen, takes_part, dt);
        let Self { contact, selected, before: all_before, layers, cone, scratch, least, .. } = self;
        contact.q.clear();
        contact.scale = *least;
        all_before.clear();
        for &i in selected.iter() {
            let c = &frozen.at.constraints[i];
            let rows = c.law.rows();
            let parts = c.first_part..c.end_part;
            let (mut before, mut free) = (c.drift, c.drift);
            frozen.at.jacobian.add_velocity(parts.clone(), u, &mut before[..rows]);
            frozen.at.jacobian.add_velocity(parts, &frozen.free, &mut free[..rows]);
            let mut lead = [0.0; MAX_ROWS];
            frozen.add_lead(c, &mut lead[..rows]);
            let layer = layers.of(i).map(|e| e.compliance(dt).2);
            let give = |r: usize| layer.filter(|_| r < 3).map_or(0.0, |l| l[r]);
            let first = contact.q.len();
            contact.q.extend((0..rows).map(|r| free[r] + lead[r] + shift(c, before[r], r) + give(r)));
            if let Some(scaling) = Scaling::of(&c.law, *cone) {
                scaling.rows(&mut free[..rows], 1);
                scaling.rows(&mut contact.q[first..], 1);
            }
            let rows_of = (&free[..rows], &contact.q[first..]);
            contact.scale = contact.scale.max(speed(&frozen.at, c, rows_of, (u, dt), scratch));
            all_before.extend_from_slice(&before[..rows]);
        }
        self.scale_by_supports();
        Problem { frozen, posed: self, dt }
    }

    /// Lists the constraints that take part and copies their rows into the problem.
    pub fn select(&mut self, frozen: &Frozen, takes_part: impl Fn(&Constraint) -> bool, dt: f64) {
        let Self { contact, selected, cone, layers, associated, moves, .. } = self;
        let at = &frozen.at;
        selected.clear();
        contact.groups.clear();
        let Operator::Factored { inverse_mass, jacobian } = &mut contact.operator else { return };
        inverse_mass.copy_from(frozen.inverse());
        jacobian.clear();
        let mut first_row = 0;
        for (i, c) in at.constraints.iter().enumerate() {
            if !takes_part(c) {
                continue;
            }
            selected.push(i);
            let rows = c.law.rows();
            let first_part = jacobian.parts.len();
            push_rows(frozen.inverse(), (&at.jacobian, c.first_part..c.end_part), rows, jacobian);
            if let Some(layer) = layers.of(i) {
                layer.push(dt, rows, inverse_mass, jacobian);
            }
            if let Some(gains) = c.law.gains() {
                let start = inverse_mass.len();
                inverse_mass.push(1, &[gains.compliance([dt, *moves * dt])]);
                jacobian.push(start, 1, &[1.0]);
            }
            if let Some(scaling) = Scaling::of(&c.law, *cone) {
                for part in &jacobian.parts[first_part..] {
                    let (from, n) = (part.at, rows * part.width);
                    scaling.rows(&mut jacobian.values[from..from + n], part.width);
                }
            }
            let law = problem_law(c.law, *cone, dt);
            let law = if *associated { associate(law) } else { law };
            contact.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
            first_row += rows;
        }
    }

    pub fn compute_diagonal(&mut self) {
        self.diagonal.clear();
        let Operator::Factored { inverse_mass, jacobian } = &self.contact.operator else { return };
        for group in &self.contact.groups {
            let mut diagonal = [0.0; MAX_ROWS];
            for part in &jacobian.parts[group.parts()] {
                for (r, d) in diagonal[..group.law.rows()].iter_mut().enumerate() {
                    let row = &jacobian.values[part.at + r * part.width..part.at + (r + 1) * part.width];
                    *d += inverse_mass.square(part.start, row, &mut self.scratch);
                }
            }
            self.diagonal.push(diagonal);
        }
    }
}

impl Problem<'_> {
    /// The constraint of a group.
    pub fn constraint(&self, group: usize) -> &Constraint {
        &self.frozen.at.constraints[self.posed.selected[group]]
    }

    /// Takes a velocity for that before the step, where the problem was posed around another.
    pub fn compare_with(&mut self, u: &[f64]) {
        self.posed.before.clear();
        for &i in &self.posed.selected {
            let c = &self.frozen.at.constraints[i];
            let (rows, mut before) = (c.law.rows(), c.drift);
            self.frozen.at.jacobian.add_velocity(c.first_part..c.end_part, u, &mut before[..rows]);
            self.posed.before.extend_from_slice(&before[..rows]);
        }
    }
}
