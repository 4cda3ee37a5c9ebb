//! The equations of one step with relaxed laws of contact.
//!
//! With M, f, W and gap at the start, as [`stewart_trinkle`](stickslip::stepper::stewart_trinkle) has them:
//!
//! ```text
//! M (u' − u) − h f − W lambda = 0                                                         (1)
//! 0 <= lambda_n ⟂ g >= 0,   g = gap/h + W_n^T u'        relaxed to  lambda_n g = tau L V    (2)
//! s lambda_t + mu lambda_n v = 0,   0 <= s ⟂ (mu lambda_n)² − |lambda_t|² >= 0               (3)
//! q' − q − h u' = 0                                                                       (4)
//! ```
//!
//! V is a speed and L an impulse that are typical of the contact, so that tau is a number. (2) is written as the smoothed function of Fischer
//! and Burmeister. In (3), Coulomb's law in the form of Fritz John [Berard 2009, §2.4], s is the slip speed |v|; taking
//!
//! ```text
//! s = sqrt(|v|² + tau V²)   gives   s² ((mu lambda_n)² − |lambda_t|²) = (mu lambda_n)² tau V²       (5)
//! ```
//!
//! the complementarity of (3) with its product relaxed from 0 to something of order tau, and no unknown s. It serves segments and
//! discs alike; for dry friction `mu lambda_n` is the known bound times h.

use nalgebra::{DMatrix, DVector};
use stickslip::state::State;
use stickslip::system::{Constraint, ConstraintId, Law, Snapshot, System};

/// Mass, forces and constraints at the start of a step.
pub struct Look {
    mass: DMatrix<f64>,
    force: DVector<f64>,
    /// W, a column for each row of a constraint.
    w: DMatrix<f64>,
    constraints: Vec<Constraint>,
    /// First column of each constraint.
    first: Vec<usize>,
}

/// What sizes the relaxation.
#[derive(Clone, Copy, Debug)]
pub struct Relaxation {
    /// The product of complementary quantities, as a number.
    pub tau: f64,
    /// V, m/s or rad/s.
    pub speed: f64,
}

/// Velocities and impulses of a step, and its length.
pub struct Motion<'a> {
    /// u.
    pub before: &'a DVector<f64>,
    /// u'.
    pub after: &'a DVector<f64>,
    /// lambda.
    pub impulse: &'a DVector<f64>,
    /// h, s.
    pub dt: f64,
}

impl Look {
    /// At a state; `end` is the time at the end of the step (s), contacts are looked for up to `reach` (m).
    pub fn new(system: &dyn System, at: &State, end: f64, reach: f64) -> Self {
        let n = at.u.len();
        let mut snapshot = Snapshot::default();
        system.dynamics(at, &mut snapshot);
        let mut mass = DMatrix::zeros(n, n);
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let mut column = vec![0.0; n];
            snapshot.mass.add_product(0, &unit, &mut column);
            mass.set_column(j, &DVector::from_vec(column));
        }
        let force = DVector::from_fn(n, |i, _| snapshot.force[i] + snapshot.applied[i]);
        let mut look = at.clone();
        if !system.is_autonomous() {
            look.t = end;
        }
        system.constraints(&look, reach, &mut snapshot);
        let mut first = Vec::new();
        let mut columns = Vec::new();
        for c in &snapshot.constraints {
            first.push(columns.len());
            for row in 0..c.law.rows() {
                let mut unit = vec![0.0; c.law.rows()];
                unit[row] = 1.0;
                let mut column = vec![0.0; n];
                snapshot.jacobian.add_force(c.first_part..c.end_part, &unit, &mut column);
                columns.push(DVector::from_vec(column));
            }
        }
        let w = if columns.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&columns) };
        Self { mass, force, w, constraints: snapshot.constraints, first }
    }

    /// The constraints by name.
    pub fn ids(&self) -> Vec<ConstraintId> {
        self.constraints.iter().map(|c| c.id).collect()
    }

    /// Rows of each constraint.
    pub fn row_counts(&self) -> Vec<usize> {
        self.constraints.iter().map(|c| c.law.rows()).collect()
    }

    /// Number of impulses.
    pub fn rows(&self) -> usize {
        self.w.ncols()
    }

    /// The largest speed of a constraint's row at a velocity, m/s or rad/s.
    pub fn speed(&self, u: &DVector<f64>) -> f64 {
        (self.w.transpose() * u).amax()
    }

    /// L of a row: its effective mass times the speed.
    fn impulse_scale(&self, row: usize, speed: f64) -> f64 {
        let w = self.w.column(row).into_owned();
        let moved = self.mass.clone().lu().solve(&w).map_or(0.0, |x| x.dot(&w));
        if moved > 0.0 { speed / moved } else { 1.0 }
    }

    /// The diagonal entry of the mass matrix, never zero.
    fn mass_of(&self, i: usize) -> f64 {
        let mass = self.mass[(i, i)];
        if mass > 0.0 { mass } else { 1.0 }
    }

    /// How far a motion is from (1), (2) and (3), as a number: momenta over those at the speeds given; friction over s/V, without which
    /// an impulse beyond its limit would hardly be seen at a contact that sticks, but no less than a millionth, for rounding's sake.
    pub fn distance(&self, m: &Motion, relaxation: Relaxation, speeds: &[f64]) -> f64 {
        let n = self.force.len();
        let equations = self.equations(m, relaxation);
        let v = self.w.transpose() * m.after;
        let mut worst = (0..n).fold(0.0f64, |w, i| w.max(equations[i].abs() / (self.mass_of(i) * speeds[i])));
        for (k, c) in self.constraints.iter().enumerate() {
            let i = self.first[k];
            let mut tangents = i..i + c.law.rows();
            if has_normal(c.law) {
                worst = worst.max(equations[n + i].abs());
                tangents.start += 1;
            }
            let s = slip_size(tangents.clone().map(|j| v[j] + c.drift[j - i]), relaxation);
            for j in tangents {
                let size = self.impulse_scale(j, relaxation.speed) * (s / relaxation.speed).max(1e-6);
                worst = worst.max(equations[n + j].abs() / size);
            }
        }
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// Left sides of (1), (2), (3).
    pub fn equations(&self, m: &Motion, relaxation: Relaxation) -> DVector<f64> {
        let n = self.force.len();
        let mut out = DVector::zeros(n + self.rows());
        let balance = &self.mass * (m.after - m.before) - &self.force * m.dt - &self.w * m.impulse;
        out.rows_mut(0, n).copy_from(&balance);
        let v = self.w.transpose() * m.after;
        for (k, c) in self.constraints.iter().enumerate() {
            let (i, laws) = (self.first[k], c.law.rows());
            let mut tangents = i..i + laws;
            if has_normal(c.law) {
                let g = v[i] + c.gap[0] / m.dt;
                let a = m.impulse[i] / self.impulse_scale(i, relaxation.speed);
                out[n + i] = fischer(a, g / relaxation.speed, relaxation.tau).0;
                tangents.start += 1;
            }
            let limit = limit(c.law, m.impulse[i], m.dt);
            let slip = |j: usize| v[j] + c.drift[j - i];
            let s = slip_size(tangents.clone().map(slip), relaxation);
            for j in tangents {
                // over V, so that the row has the size of an impulse; not over s, which Newton's method would not survive
                out[n + j] = (m.impulse[j] * s + limit * slip(j)) / relaxation.speed;
            }
        }
        out
    }

    /// Their derivatives by u' and lambda.
    pub fn slopes(&self, m: &Motion, relaxation: Relaxation) -> DMatrix<f64> {
        let (n, rows) = (self.force.len(), self.rows());
        let mut out = DMatrix::zeros(n + rows, n + rows);
        out.view_mut((0, 0), (n, n)).copy_from(&self.mass);
        out.view_mut((0, n), (n, rows)).copy_from(&-&self.w);
        let v = self.w.transpose() * m.after;
        let w = |row: usize| self.w.column(row).transpose();
        for (k, c) in self.constraints.iter().enumerate() {
            let (i, laws) = (self.first[k], c.law.rows());
            let mut tangents = i..i + laws;
            if has_normal(c.law) {
                let size = self.impulse_scale(i, relaxation.speed);
                let g = v[i] + c.gap[0] / m.dt;
                let (_, da, db) = fischer(m.impulse[i] / size, g / relaxation.speed, relaxation.tau);
                out.view_mut((n + i, 0), (1, n)).copy_from(&(w(i) * (db / relaxation.speed)));
                out[(n + i, n + i)] = da / size;
                tangents.start += 1;
            }
            let (limit, mu) = (limit(c.law, m.impulse[i], m.dt), friction(c.law));
            let slip = |j: usize| v[j] + c.drift[j - i];
            let s = slip_size(tangents.clone().map(slip), relaxation);
            for j in tangents.clone() {
                out[(n + j, n + j)] = s / relaxation.speed;
                if has_normal(c.law) {
                    out[(n + j, n + i)] += mu * slip(j) / relaxation.speed;
                }
                for l in tangents.clone() {
                    let same = if l == j { limit } else { 0.0 };
                    let share = (same + m.impulse[j] * slip(l) / s) / relaxation.speed;
                    let row = w(l) * share + out.view((n + j, 0), (1, n));
                    out.view_mut((n + j, 0), (1, n)).copy_from(&row);
                }
            }
        }
        out
    }

    /// How the equations change from one look to another, per unit of `width`, at the same motion. Differences are taken of M, f, W, gap and limits,
    /// which are smooth; the laws, which have corners as tau goes to 0, are differentiated in closed form.
    pub fn change(
        &self,
        [less, more]: [&Look; 2],
        width: f64,
        m: &Motion,
        relaxation: Relaxation,
    ) -> DVector<f64> {
        let (n, speed) = (self.force.len(), relaxation.speed);
        let mut out = DVector::zeros(n + self.rows());
        let balance = (&more.mass - &less.mass) * (m.after - m.before)
            - (&more.force - &less.force) * m.dt
            - (&more.w - &less.w) * m.impulse;
        out.rows_mut(0, n).copy_from(&(balance / width));
        let v = self.w.transpose() * m.after;
        let dv = (&more.w - &less.w).transpose() * m.after / width;
        for (k, c) in self.constraints.iter().enumerate() {
            let (i, laws) = (self.first[k], c.law.rows());
            let (a, b) = (&less.constraints[k], &more.constraints[k]);
            let mut tangents = i..i + laws;
            if has_normal(c.law) {
                let size = self.impulse_scale(i, speed);
                let g = v[i] + c.gap[0] / m.dt;
                let (_, _, slope) = fischer(m.impulse[i] / size, g / speed, relaxation.tau);
                out[n + i] = slope * (dv[i] + (b.gap[0] - a.gap[0]) / (width * m.dt)) / speed;
                tangents.start += 1;
            }
            let bound = limit(c.law, m.impulse[i], m.dt);
            let moved = (limit(b.law, m.impulse[i], m.dt) - limit(a.law, m.impulse[i], m.dt)) / width;
            let slip = |j: usize| v[j] + c.drift[j - i];
            let slips = |j: usize| dv[j] + (b.drift[j - i] - a.drift[j - i]) / width;
            let s = slip_size(tangents.clone().map(slip), relaxation);
            let along: f64 = tangents.clone().map(|j| slip(j) * slips(j)).sum::<f64>() / s;
            for j in tangents {
                out[n + j] = (m.impulse[j] * along + bound * slips(j) + moved * slip(j)) / speed;
            }
        }
        out
    }

    /// A column of the mass matrix.
    pub fn mass_column(&self, i: usize) -> DVector<f64> {
        self.mass.column(i).into_owned()
    }

    /// How far a motion is from the laws themselves: the largest of `|min(lambda_n/L, g/V)|`, the excess of friction over its limit and
    /// `|lambda_t + limit v/|v||` times the share of the slip in V, all as numbers; and the balance (1) over L.
    pub fn violation(&self, m: &Motion, speed: f64) -> f64 {
        let n = self.force.len();
        let exact = self.equations(m, Relaxation { tau: 0.0, speed });
        let v = self.w.transpose() * m.after;
        let mut worst = 0.0f64;
        let momentum = (&self.mass * DVector::from_element(n, speed)).amax();
        worst = worst.max(exact.rows(0, n).amax() / momentum);
        for (k, c) in self.constraints.iter().enumerate() {
            let (i, laws) = (self.first[k], c.law.rows());
            let size = self.impulse_scale(i, speed);
            let mut tangents = i..i + laws;
            if has_normal(c.law) {
                let g = (v[i] + c.gap[0] / m.dt) / speed;
                worst = worst.max((m.impulse[i] / size).min(g).abs());
                tangents.start += 1;
            }
            let limit = limit(c.law, m.impulse[i], m.dt);
            // natural map of the disc: lambda_t − P(lambda_t − L v/V)
            let target: Vec<f64> =
                tangents.clone().map(|j| m.impulse[j] - size * (v[j] + c.drift[j - i]) / speed).collect();
            let length = target.iter().map(|x| x * x).sum::<f64>().sqrt();
            let shrink = if length > limit { limit.max(0.0) / length } else { 1.0 };
            for (j, x) in tangents.zip(target) {
                worst = worst.max((m.impulse[j] - shrink * x).abs() / size);
            }
        }
        worst
    }
}

fn has_normal(law: Law) -> bool {
    matches!(law, Law::Contact { .. } | Law::Limit)
}

fn friction(law: Law) -> f64 {
    match law {
        Law::Contact { surface, .. } => surface.friction,
        _ => 0.0,
    }
}

/// The most friction impulse.
fn limit(law: Law, normal: f64, dt: f64) -> f64 {
    match law {
        Law::Contact { surface, .. } => surface.friction * normal,
        Law::Dry { bound } | Law::DryDisc { bound } => bound * dt,
        _ => 0.0,
    }
}

/// eq. (5).
fn slip_size(slips: impl Iterator<Item = f64>, r: Relaxation) -> f64 {
    let square: f64 = slips.map(|v| v * v).sum();
    (square + r.tau * r.speed * r.speed).sqrt().max(f64::MIN_POSITIVE)
}

/// `a + b − sqrt(a² + b² + 2 tau)`, zero where a b = tau with both positive, and its slopes.
fn fischer(a: f64, b: f64, tau: f64) -> (f64, f64, f64) {
    let root = (a * a + b * b + 2.0 * tau).sqrt().max(f64::MIN_POSITIVE);
    (a + b - root, 1.0 - a / root, 1.0 - b / root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_equations() {
        let scene =
            stickslip_scene::load("sliding-particle", &stickslip_scene::Overrides::default()).unwrap();
        let state = scene.system.initial();
        let look = Look::new(scene.system.as_ref(), &state, 0.05, 100.0);
        let n = state.u.len();
        let before = DVector::from_vec(state.u.clone());
        let relaxation = Relaxation { tau: 0.02, speed: 3.0 };
        let mut z = DVector::from_fn(n + look.rows(), |i, _| [0.7, -0.4, 0.1, 0.5, 0.2][i % 5]);
        let at = |z: &DVector<f64>| {
            let (after, impulse) = (z.rows(0, n).into_owned(), z.rows(n, look.rows()).into_owned());
            let m = Motion { before: &before, after: &after, impulse: &impulse, dt: 0.05 };
            (look.equations(&m, relaxation), look.slopes(&m, relaxation))
        };
        let slopes = at(&z).1;
        let mut worst = 0.0f64;
        for j in 0..z.len() {
            let d = 1e-6;
            z[j] += d;
            let up = at(&z).0;
            z[j] -= 2.0 * d;
            let down = at(&z).0;
            z[j] += d;
            worst = worst.max(((up - down) / (2.0 * d) - slopes.column(j)).amax());
        }
        println!("worst difference {worst:.2e}");
        assert!(worst < 1e-8);
    }
}
