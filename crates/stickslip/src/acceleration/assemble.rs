//! From a state to eq. (1) of `acceleration/mod.rs`: which constraints take part, their rows and how they slide.

use super::{AccelerationProblem, Touch, ZERO};
use crate::bias::{Probe, row_sizes};
use crate::friction::{blocks, direction};
use crate::state::State;
use crate::step::HeldMotion;
use crate::system::{Law, Snapshot, System};
use complementarity::dense::Dense;
use complementarity::problem::law::MAX_ROWS;

impl AccelerationProblem {
    /// Eq. (1) for the constraints of `look` (scaled rows) listed in `of`, all of them at rest.
    pub(crate) fn assemble(
        system: &dyn System,
        at: &State,
        look: &Snapshot,
        of: &[usize],
        probe: &mut Probe,
    ) -> Self {
        let (mut biases, n) = (Vec::new(), at.u.len());
        probe.biases(system, at, (look, of), &mut biases);
        let mut out = Self { free: vec![0.0; n], cone: probe.cone, ..Self::default() };
        let force: Vec<f64> = look.force.iter().zip(&look.applied).map(|(f, a)| f + a).collect();
        look.inverse_mass.add_product(0, &force, &mut out.free);
        let rows: usize = of.iter().map(|&i| look.constraints[i].law.rows()).sum();
        out.response.reset(rows, n);
        out.a.reset(rows, rows);
        let (mut unit, mut first_row) = (vec![0.0; n], 0);
        for (k, &i) in of.iter().enumerate() {
            let c = &look.constraints[i];
            let count = c.law.rows();
            out.touches.push(Touch { id: c.id, law: c.law, blocks: blocks(&c.law, probe.cone), first_row });
            let mut free = biases[k];
            look.jacobian.add_velocity(c.first_part..c.end_part, &out.free, &mut free[..count]);
            out.b.extend_from_slice(&free[..count]);
            for r in 0..count {
                let mut lambda = [0.0; MAX_ROWS];
                lambda[r] = 1.0;
                unit.fill(0.0);
                look.jacobian.add_force(c.first_part..c.end_part, &lambda[..count], &mut unit);
                look.inverse_mass.add_product(0, &unit, out.response.row_mut(first_row + r));
            }
            first_row += count;
        }
        for (touch, &i) in out.touches.iter().zip(of) {
            let (c, count) = (&look.constraints[i], touch.law.rows());
            for column in 0..rows {
                let mut acceleration = [0.0; MAX_ROWS];
                look.jacobian.add_velocity(
                    c.first_part..c.end_part,
                    out.response.row(column),
                    &mut acceleration[..count],
                );
                for r in 0..count {
                    out.a[(touch.first_row + r, column)] = acceleration[r];
                }
            }
        }
        out
    }

    /// Leaves out contacts that approach or part, and says which of the others slide.
    pub(super) fn only_closed(
        mut self,
        system: &dyn System,
        at: &State,
        (look, of): (&Snapshot, &[usize]),
    ) -> Self {
        let mut keep = Vec::with_capacity(of.len());
        for (touch, &i) in self.touches.iter_mut().zip(of) {
            let c = &look.constraints[i];
            let rows = c.law.rows();
            let mut velocity = c.drift;
            look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut velocity[..rows]);
            let sizes = row_sizes(look, c, &at.u);
            let size = system.size(at, look, c);
            let b = &self.b[touch.first_row..touch.first_row + rows];
            let still = |r: usize| velocity[r].abs() <= ZERO * (sizes[r] + (b[r].abs() * size).sqrt());
            for block in touch.blocks.iter_mut().flatten() {
                if !block.rows().all(still) {
                    let slip = HeldMotion::Slip(direction(&velocity[block.rows()]));
                    block.set(&c.law, slip, &velocity);
                }
            }
            keep.push(match c.law {
                Law::Servo { .. } => false,
                Law::Limit | Law::Contact { .. } => still(0),
                Law::Bilateral { .. } | Law::Dry { .. } | Law::DryDisc { .. } => true,
            });
        }
        self.retain(|k| keep[k]);
        self
    }

    /// Keeps the constraints that `keep` names by their index.
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut rows = Vec::new();
        let mut touches = Vec::new();
        for (_, touch) in self.touches.iter().enumerate().filter(|(k, _)| keep(*k)) {
            touches.push(Touch { first_row: rows.len(), ..*touch });
            rows.extend(touch.first_row..touch.first_row + touch.law.rows());
        }
        let (mut a, mut response) =
            (Dense::zeros(rows.len(), rows.len()), Dense::zeros(rows.len(), self.free.len()));
        for (i, &from) in rows.iter().enumerate() {
            for (j, &column) in rows.iter().enumerate() {
                a[(i, j)] = self.a[(from, column)];
            }
            response.row_mut(i).copy_from_slice(self.response.row(from));
        }
        self.b = rows.iter().map(|&r| self.b[r]).collect();
        (self.touches, self.a, self.response) = (touches, a, response);
    }
}
