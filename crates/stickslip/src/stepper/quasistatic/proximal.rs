//! The problems that quasistatic steps are solved by and judged by, eq. (5) of `mod.rs`.

use super::Quasistatic;
use crate::stepper::assemble::Assembly;
use complementarity::problem::contact::Group;
use complementarity::problem::law as laws;
use complementarity::problem::operator::Operator;
use complementarity::solver::{Report, Status};

/// The metric P of (5).
#[derive(Clone, Copy)]
pub(super) struct Weight {
    /// Of the mass matrix.
    pub eps: f64,
    /// Of stiffness, where there is any.
    pub part: f64,
    /// Modes of mass and stiffness are known.
    pub stiff: bool,
}

impl Quasistatic {
    /// Lists all constraints and keeps the rows that the problem has for them.
    pub(super) fn select(&mut self, dt: f64) {
        let Assembly { frozen, posing, .. } = &mut self.assembly;
        posing.select(frozen, |_| true, dt);
        let Operator::Factored { jacobian, .. } = &self.assembly.posing.contact.operator else { return };
        self.rows.parts.clone_from(&jacobian.parts);
        self.rows.values.clone_from(&jacobian.values);
        self.parts.clear();
        self.parts.extend(self.assembly.posing.contact.groups.iter().map(Group::parts));
    }

    /// The velocities that u gives the rows of a group.
    pub(super) fn velocity(&self, group: usize, u: &[f64]) -> [f64; laws::MAX_ROWS] {
        let mut out = [0.0; laws::MAX_ROWS];
        let n = self.assembly.posing.contact.groups[group].law.rows();
        self.rows.add_velocity(self.parts[group].clone(), u, &mut out[..n]);
        out
    }

    /// One step of kind (5), from `u` and the forces there.
    pub(super) fn proximal_step(&mut self, weight: Weight, dt: f64) -> Report {
        self.fill_metric(weight);
        self.fill_rows(weight.stiff);
        let a = &mut self.assembly;
        let Operator::Factored { inverse_mass, .. } = &a.posing.contact.operator else {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        };
        a.solving.scratch.clear();
        a.solving.scratch.extend((0..self.u.len()).map(|i| dt * self.forces.total(i)));
        a.frozen.free.clone_from(&self.u);
        inverse_mass.add_product(0, &a.solving.scratch, &mut a.frozen.free);
        self.pose(1.0 / weight.eps);
        let a = &mut self.assembly;
        let report = if a.posing.contact.is_empty() {
            Report { status: Status::Solved, iterations: 0, residual: 0.0 }
        } else {
            a.solving.solver.solve(&a.posing.contact, &mut a.solving.impulses)
        };
        a.solving.velocities(&a.posing);
        self.u.clear();
        self.u.extend(a.frozen.free.iter().zip(&a.solving.velocity_change).map(|(a, b)| a + b));
        report
    }

    /// The inverse of `P + dt B`.
    fn fill_metric(&mut self, weight: Weight) {
        let (n, a) = (self.u.len(), &mut self.assembly);
        let Operator::Factored { inverse_mass, .. } = &mut a.posing.contact.operator else { return };
        inverse_mass.clear();
        if weight.stiff {
            self.modes.inverse(weight.eps, weight.part, n, &mut self.row);
            inverse_mass.push(n, &self.row);
            return;
        }
        for block in a.frozen.at.inverse_mass.blocks() {
            self.row.clear();
            self.row.extend(a.frozen.at.inverse_mass.values(*block).iter().map(|x| x / weight.eps));
            inverse_mass.push(block.size, &self.row);
        }
    }

    /// The rows, which must fill whole blocks of the metric.
    fn fill_rows(&mut self, dense: bool) {
        let (n, a) = (self.u.len(), &mut self.assembly);
        let Operator::Factored { jacobian, .. } = &mut a.posing.contact.operator else { return };
        jacobian.clear();
        for (g, group) in a.posing.contact.groups.iter_mut().enumerate() {
            let (rows, first_part) = (group.law.rows(), jacobian.parts.len());
            self.row.clear();
            self.row.resize(if dense { rows * n } else { 0 }, 0.0);
            for part in &self.rows.parts[self.parts[g].clone()] {
                let values = &self.rows.values[part.at..part.at + rows * part.width];
                if !dense {
                    jacobian.push(part.start, part.width, values);
                    continue;
                }
                for (k, v) in values.iter().enumerate() {
                    self.row[k / part.width * n + part.start + k % part.width] += v;
                }
            }
            if dense {
                jacobian.push(0, n, &self.row);
            }
            (group.first_part, group.end_part) = (first_part, jacobian.parts.len());
        }
    }

    /// Velocities without impulses and their scale, from `free`; `per_mass` is one over eps.
    fn pose(&mut self, per_mass: f64) {
        self.assembly.posing.contact.q.clear();
        let mut scale = per_mass * self.assembly.posing.supports_speed();
        for g in 0..self.parts.len() {
            let free = self.velocity(g, &self.assembly.frozen.free);
            let group = self.assembly.posing.contact.groups[g];
            let two_sided = matches!(group.law, laws::Law::Bilateral { .. } | laws::Law::Dry { .. });
            for (r, row) in group.rows().enumerate() {
                let q = free[r] + self.rest[row];
                // an overlap to be undone counts as a speed, and so does what drives; a gap does not
                scale = scale.max(free[r].abs()).max(if r == 0 && !two_sided { -q } else { q.abs() });
                self.assembly.posing.contact.q.push(q);
            }
        }
        self.assembly.posing.contact.scale = scale;
    }

    /// Poses (5) with eps = 1 around the answer itself: the problem that the certificate is judged by, in the metric of
    /// the mass like those of all other steppers.
    pub(super) fn pose_answer(&mut self, dt: f64) {
        self.select(dt);
        let n = self.u.len();
        let a = &mut self.assembly;
        a.frozen.at.force.clone_from(&self.forces.conservative);
        a.frozen.at.applied.clone_from(&self.forces.applied);
        a.solving.scratch.clear();
        a.solving.scratch.extend((0..n).map(|i| dt * self.forces.total(i)));
        a.frozen.free.clone_from(&self.u);
        a.frozen.at.inverse_mass.add_product(0, &a.solving.scratch, &mut a.frozen.free);
        self.pose(1.0);
        self.assembly.solving.xi.clear();
        self.assembly.posing.before.clear();
        for g in 0..self.parts.len() {
            let xi = self.velocity(g, &self.u);
            let a = &mut self.assembly;
            a.solving
                .xi
                .extend(a.posing.contact.groups[g].rows().enumerate().map(|(r, row)| xi[r] + self.rest[row]));
            // there is no velocity before: work is done along the displacement
            let c = &a.frozen.at.constraints[a.posing.selected[g]];
            let mut v = c.drift;
            a.frozen.at.jacobian.add_velocity(c.first_part..c.end_part, &self.u, &mut v[..c.law.rows()]);
            a.posing.before.extend_from_slice(&v[..c.law.rows()]);
        }
    }
}
