//! How well the forces of a quasistatic step balance, and how large its motions and forces are.

use super::Quasistatic;
use super::forces::{Probe, Span};
use crate::system::Law;
use complementarity::problem::law as laws;
use complementarity::problem::operator::Block;

/// The part of a motion by which it is changed to see what forces do.
const PROBE: f64 = 1e-3;
/// The least change of coordinates, relative to them.
const DIGITS: f64 = 1e-8;

/// How well forces balance.
#[derive(Clone, Copy)]
pub(super) struct Balance {
    /// The largest force left over, relative to the largest at work.
    pub value: f64,
    /// Where.
    pub worst: usize,
    /// How much, N s or N m s.
    pub left: f64,
}

impl Quasistatic {
    /// What eq. (1) leaves over, forces at `u`.
    pub(super) fn balance(&mut self, dt: f64) -> Balance {
        let a = &self.assembly;
        let n = self.u.len();
        let Self { left, turnover, forces, .. } = self;
        left.clear();
        left.extend((0..n).map(|i| dt * forces.total(i)));
        turnover.clear();
        turnover.extend(left.iter().zip(&forces.load).map(|(x, load)| x.abs().max(dt * load)));
        for (g, parts) in self.parts.iter().enumerate() {
            let lambda = &a.solving.impulses[a.posing.contact.groups[g].rows()];
            for part in &self.rows.parts[parts.clone()] {
                for (r, l) in lambda.iter().enumerate() {
                    for k in 0..part.width {
                        let force = self.rows.values[part.at + r * part.width + k] * l;
                        left[part.start + k] += force;
                        turnover[part.start + k] += force.abs();
                    }
                }
            }
        }
        let (mut worst, mut most, mut at_work) = (0, 0.0f64, 0.0f64);
        let mut broken = false;
        for block in a.frozen.at.mass.blocks() {
            for k in 0..block.size {
                let i = block.start + k;
                // through the square root of the mass, so that forces and torques can be compared
                let root = a.frozen.at.mass.values(*block)[k * block.size + k].sqrt();
                at_work = at_work.max(turnover[i] / root);
                broken |= left[i].is_nan();
                if left[i].abs() / root > most {
                    (worst, most) = (i, left[i].abs() / root);
                }
            }
        }
        let value = if broken {
            f64::NAN
        } else if most == 0.0 {
            0.0
        } else {
            most / at_work
        };
        Balance { value, worst, left: left.get(worst).copied().unwrap_or(0.0) }
    }

    /// The largest speed that anything asks for, and the largest that the forces would give in a step, per row.
    pub(super) fn scales(&mut self, span: Span<'_>) -> (f64, f64) {
        let a = &mut self.assembly;
        a.frozen.free_velocity(&self.u, span.dt);
        let a = &self.assembly;
        let (mut moving, mut pushing) = (0.0f64, 0.0f64);
        for (g, group) in a.posing.contact.groups.iter().enumerate() {
            let c = &a.frozen.at.constraints[a.posing.selected[g]];
            let free = self.velocity(g, &a.frozen.free);
            for (r, row) in group.rows().enumerate() {
                pushing = pushing.max(free[r].abs());
                let one_sided = r == 0 && matches!(c.law, Law::Contact { .. } | Law::Limit);
                moving = moving.max(if one_sided { -self.rest[row] } else { self.rest[row].abs() });
            }
            if let laws::Law::Dry { bound } = group.law {
                pushing = pushing.max(a.posing.diagonal[g][0] * bound);
            }
        }
        (moving, pushing.max(a.posing.supports_speed()))
    }

    /// How to move each coordinate to see what forces do around u: motions of equal energy, a small part of what the
    /// forces and the constraints would give in the step, and not less than coordinates can tell.
    pub(super) fn fill_probes(&mut self, span: Span<'_>, moving: f64) {
        let a = &self.assembly;
        let mass = &a.frozen.at.mass;
        let mut energy = mass.half_square(&self.u).max(mass.half_square(&a.frozen.free));
        for (g, group) in a.posing.contact.groups.iter().enumerate() {
            for diagonal in a.posing.diagonal[g][..group.law.rows()].iter().filter(|d| **d > 0.0) {
                energy = energy.max(0.5 * moving * moving / diagonal);
            }
        }
        let diagonal = |b: &Block, i: usize| mass.values(*b)[i * b.size + i];
        // the largest force beside the root of its inertia
        let mut force = 0.0f64;
        for block in mass.blocks() {
            for i in 0..block.size {
                force = force.max(self.forces.load[block.start + i] / diagonal(block, i).sqrt());
            }
        }
        let speed = PROBE * (2.0 * energy).sqrt().max(span.dt * force);
        // without any force or motion small steps tell what would oppose one
        let size = span.from.q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let still = 1e-6 * if size > 0.0 { size } else { 1.0 } / span.dt;
        let least = DIGITS * size / span.dt;
        self.probes.clear();
        for block in mass.blocks() {
            for root in (0..block.size).map(|i| diagonal(block, i).sqrt()) {
                let speed = if speed > 0.0 { (speed / root).max(least) } else { still };
                self.probes.push(Probe { speed, least, force: force * root });
            }
        }
    }

    /// The largest velocity of a row that u gives.
    pub(super) fn row_speed(&self) -> f64 {
        let speed = |g: usize| self.velocity(g, &self.u).iter().fold(0.0f64, |m, x| m.max(x.abs()));
        (0..self.parts.len()).map(speed).fold(0.0, f64::max)
    }
}
