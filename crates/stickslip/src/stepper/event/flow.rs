//! The flow of a smooth phase: accelerations and forces while every contact keeps doing what it does.
//!
//! ```text
//! M a = f + C x,   G (a) + bias = target                                                                  (1)
//! joints            row W^T, force along it            target 0, or −2 alpha gamma − beta² gap (Baumgarte)
//! closed contact    row W_n                            target 0
//! friction, sticks  rows W_t, forces along them        target 0
//! friction, slips   force −(mu lambda_n + bound) d along W_t, d the slip's direction                       (2)
//! ```
//!
//! for every block of friction rows (`friction.rs`): sliding, spin and rolling may each stick or slip.
//! Eliminating a gives `G M^-1 C x = target − G M^-1 f − bias`, a small dense system, asymmetric through (2). Where it
//! is singular `share.rs` chooses the forces.
//!
//! Near zero slip the direction d is the one carried from before, and it never turns around within a step: the flow
//! goes on smoothly past the instant at which slip ends, which is what locating that instant needs.

use super::JointMethod;
use super::part::Part;
use crate::bias::Probe;
use crate::friction::{SLIDING, scale_rows};
use crate::minimum_norm::MinimumNorm;
use crate::state::State;
use crate::step::{Held, HeldMotion};
use crate::system::{Constraint, ConstraintId, Law, Snapshot, System};
use complementarity::dense::{Dense, dot};
use complementarity::problem::law::MAX_ROWS;

/// Baumgarte's parameters, 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stabilisation {
    pub alpha: f64,
    pub beta: f64,
}

/// Which constraints are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Those that are held, and joints: the flow needs no others.
    Held,
    /// Also what may come to be held.
    All,
}

/// Evaluates the flow, in memory that is kept.
#[derive(Default)]
pub(super) struct Flow {
    pub look: Snapshot,
    pub parts: Vec<Part>,
    pub acceleration: Vec<f64>,
    pub probe: Probe,
    pub stabilisation: Stabilisation,
    pub joints: JointMethod,
    /// Memory of `settle.rs`.
    pub(super) movement: Vec<f64>,
    pub(super) table: Dense,
    pub(super) columns_of_table: Vec<usize>,
    pub(super) mobility: Vec<f64>,
    pub(super) dependent: Vec<f64>,
    /// Which velocities are dependent ones (`settle.rs`); empty where that is chosen each time.
    pub(super) dependents: Vec<bool>,
    /// How far contacts are looked for, m.
    pub reach: f64,
    /// Held contacts whose features did not touch at the last look at everything, ordered.
    pub(super) passed: Vec<ConstraintId>,
    /// Forces are those of least constraint, `least.rs`.
    pub by_least_constraint: bool,
    /// The laws allow several motions in this phase, of which the one of least constraint is meant.
    pub ambiguous: bool,
    /// The forces of the last evaluation are those of least constraint.
    pub of_least: bool,
    pub(super) least: super::least::Least,
    indices: Vec<usize>,
    biases: Vec<[f64; MAX_ROWS]>,
    /// All rows of the parts, dense, and M^-1 times them.
    pub(super) rows: Dense,
    response: Dense,
    pub(super) free: Vec<f64>,
    pull: Vec<f64>,
    /// Unknowns: (part, row); friction of sliding contacts follows its normal force.
    pub(super) unknowns: Vec<(usize, usize)>,
    pub(super) columns: Dense,
    pub(super) a: Dense,
    pub(super) b: Vec<f64>,
    pub(super) scale: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) solver: MinimumNorm,
}

impl Flow {
    /// Looks at a state: mass, forces, and which constraints take part. False when one that is held is not there.
    pub fn look(&mut self, system: &dyn System, at: &State, held: &[Held], scope: Scope) -> bool {
        system.dynamics(at, &mut self.look);
        self.list(system, at, held, scope);
        scale_rows(&mut self.look, self.probe.cone);
        self.parts.clear();
        self.indices.clear();
        let (mut rows, mut found) = (0, 0);
        self.pull(held);
        let resting = [HeldMotion::Stick; 3];
        for (index, c) in self.look.constraints.iter().enumerate() {
            let known = held.binary_search_by_key(&c.id, |h| h.id).ok();
            found += usize::from(known.is_some());
            let motions = match (known, c.law) {
                (Some(k), _) => &held[k].motions,
                (None, Law::Bilateral { .. }) => &resting,
                (None, _) => continue,
            };
            let natural = match motions[SLIDING] {
                HeldMotion::Slip(_) => (self.free_of(c) * system.size(at, &self.look, c)).sqrt(),
                HeldMotion::Stick => 0.0,
            };
            self.parts.push(Part::new((&self.look, index), (&at.u, natural), motions, self.probe.cone, rows));
            self.indices.push(index);
            rows += c.law.rows();
        }
        found == held.len()
    }

    /// Accelerations that the forces of the look make without constraints, where something slips.
    fn pull(&mut self, held: &[Held]) {
        let Self { look, pull, b, .. } = self;
        pull.clear();
        if !held.iter().any(|h| matches!(h.motions[SLIDING], HeldMotion::Slip(_))) {
            return;
        }
        b.clear();
        b.extend(look.force.iter().zip(&look.applied).map(|(f, a)| f + a));
        pull.resize(b.len(), 0.0);
        look.inverse_mass.add_product(0, b, pull);
    }

    /// The largest of these accelerations along the rows of a constraint.
    fn free_of(&self, c: &Constraint) -> f64 {
        let (mut rows, count) = ([0.0; MAX_ROWS], c.law.rows());
        self.look.jacobian.add_velocity(c.first_part..c.end_part, &self.pull, &mut rows[..count]);
        rows.iter().fold(0.0, |m, a| m.max(a.abs()))
    }

    /// Sets the step of the biases; `first` is a guess from above.
    pub fn tune(&mut self, system: &dyn System, at: &State, first: f64) {
        self.probe.tune(system, at, &self.look, &self.indices, first);
    }

    /// The indices of the constraints that take part.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Solves eq. (1) at a state. False when a constraint that is held is not there.
    pub fn evaluate(&mut self, system: &dyn System, at: &State, held: &[Held], scope: Scope) -> bool {
        if !self.look(system, at, held, scope) {
            return false;
        }
        let mut biases = std::mem::take(&mut self.biases);
        self.probe.biases(system, at, (&self.look, &self.indices), &mut biases);
        self.biases = biases;
        self.expand_rows();
        self.free_acceleration();
        self.assemble();
        self.of_least = self.by_least_constraint;
        if !self.by_least_constraint {
            self.solve();
            if self.ambiguous && self.is_hyperstatic() {
                let share = self.x.clone();
                self.of_least = self.solve_least();
                if !self.of_least {
                    self.x = share;
                }
            }
        } else if !self.solve_least() {
            return false;
        }
        self.expand_forces();
        self.acceleration.iter().all(|a| a.is_finite())
    }

    /// Rows of the parts and their responses, dense.
    pub(super) fn expand_rows(&mut self) {
        let n = self.look.force.len();
        let total = self.parts.last().map_or(0, |p| p.row(p.law.rows()));
        self.rows.reset(total, n);
        self.response.reset(total, n);
        for part in &mut self.parts {
            let c = &self.look.constraints[part.index];
            for piece in &self.look.jacobian.parts[c.first_part..c.end_part] {
                for r in 0..part.law.rows() {
                    let values = &self.look.jacobian.values[piece.at + r * piece.width..];
                    let row = &mut self.rows.row_mut(part.row(r))[piece.start..];
                    row[..piece.width].copy_from_slice(&values[..piece.width]);
                }
            }
            for r in 0..part.law.rows() {
                let at = part.row(r);
                self.look.inverse_mass.add_product(0, self.rows.row(at), self.response.row_mut(at));
                part.diagonal[r] = dot(self.rows.row(at), self.response.row(at));
            }
        }
    }

    /// Accelerations without the unknown forces: those applied, and friction that slides with a bound of its own.
    fn free_acceleration(&mut self) {
        let Self { look, parts, free, response, .. } = self;
        let n = look.force.len();
        free.clear();
        free.resize(n, 0.0);
        self.b.clear();
        self.b.extend(look.force.iter().zip(&look.applied).map(|(f, a)| f + a));
        look.inverse_mass.add_product(0, &self.b, free);
        for part in parts {
            for block in part.blocks.iter().flatten().filter(|b| b.bound > 0.0 && !b.sticks()) {
                for (r, d) in block.rows().zip(block.direction()) {
                    let force = -block.bound * d;
                    part.force[r] = force;
                    free.iter_mut().zip(response.row(part.row(r))).for_each(|(a, w)| *a += w * force);
                }
            }
        }
    }

    /// The system for the unknown forces, scaled by the rows' own effective masses.
    fn assemble(&mut self) {
        self.unknowns.clear();
        for (k, part) in self.parts.iter().enumerate() {
            self.unknowns.extend((0..part.law.rows()).filter(|r| part.is_unknown(*r)).map(|r| (k, r)));
        }
        let (m, n) = (self.unknowns.len(), self.free.len());
        self.columns.reset(m, n);
        self.a.reset(m, m);
        self.b.clear();
        self.scale.clear();
        for (j, &(k, r)) in self.unknowns.iter().enumerate() {
            let part = &self.parts[k];
            let column = self.columns.row_mut(j);
            column.copy_from_slice(self.response.row(part.row(r)));
            if r == 0 {
                for (t, factor) in part.per_normal() {
                    let extra = self.response.row(part.row(t)); // eq. (2)
                    column.iter_mut().zip(extra).for_each(|(c, e)| *c += factor * e);
                }
            }
            let diagonal = part.diagonal[r];
            self.scale.push(if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 });
        }
        if self.by_least_constraint {
            self.share_scale();
        }
        for (i, &(k, r)) in self.unknowns.iter().enumerate() {
            let part = &self.parts[k];
            let row = self.rows.row(part.row(r));
            for j in 0..m {
                self.a[(i, j)] = dot(row, self.columns.row(j)) * self.scale[i] * self.scale[j];
            }
            let mut target = 0.0;
            if let Law::Bilateral { .. } = part.law {
                let gap = self.look.constraints[part.index].gap[r];
                let s = self.stabilisation;
                target = -2.0 * s.alpha * part.velocity[r] - s.beta * s.beta * gap;
            }
            self.b.push((target - dot(row, &self.free) - self.biases[k][r]) * self.scale[i]);
        }
    }

    /// Forces and accelerations of all rows.
    fn expand_forces(&mut self) {
        self.acceleration.clone_from(&self.free);
        for (j, &(k, r)) in self.unknowns.iter().enumerate() {
            let force = self.x[j] * self.scale[j];
            let part = &mut self.parts[k];
            part.force[r] = force;
            if r == 0 && part.is_unilateral() {
                let blocks = part.blocks;
                for block in blocks.iter().flatten().filter(|b| !b.sticks()) {
                    for (t, d) in block.rows().zip(block.direction()) {
                        part.force[t] = -block.limit(force) * d;
                    }
                }
            }
            self.acceleration.iter_mut().zip(self.columns.row(j)).for_each(|(a, c)| *a += force * c);
        }
        for (part, bias) in self.parts.iter_mut().zip(&self.biases) {
            for r in 0..part.law.rows() {
                part.acceleration[r] = dot(self.rows.row(part.row(r)), &self.acceleration) + bias[r];
            }
        }
    }

    /// The largest acceleration that a row of these parts would have without constraint forces.
    pub fn free_scale(&self) -> f64 {
        let rows = self.parts.iter().zip(&self.biases);
        rows.flat_map(|(part, bias)| (0..part.law.rows()).map(move |r| (part.row(r), bias[r])))
            .fold(0.0f64, |m, (row, bias)| m.max((dot(self.rows.row(row), &self.free) + bias).abs()))
    }

    /// Moves `x` (a velocity, or a displacement) such that rows become zero: `x += M^-1 G^T y`, with
    /// `G M^-1 G^T y = −value(part, row)`; none leaves a row alone.
    pub fn correct(&mut self, value: impl Fn(&Part, usize) -> Option<f64>, x: &mut [f64]) {
        self.expand_rows();
        self.unknowns.clear();
        self.b.clear();
        for (k, part) in self.parts.iter().enumerate() {
            for r in 0..part.law.rows() {
                if let Some(v) = value(part, r) {
                    self.unknowns.push((k, r));
                    self.b.push(-v);
                }
            }
        }
        let m = self.unknowns.len();
        self.a.reset(m, m);
        let at = |&(k, r): &(usize, usize)| self.parts[k].row(r);
        self.scale.clear();
        for u in &self.unknowns {
            let d = self.parts[u.0].diagonal[u.1];
            self.scale.push(if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 });
        }
        for (i, u) in self.unknowns.iter().enumerate() {
            for (j, v) in self.unknowns.iter().enumerate() {
                let response = self.response.row(at(v));
                self.a[(i, j)] = dot(self.rows.row(at(u)), response) * self.scale[i] * self.scale[j];
            }
            self.b[i] *= self.scale[i];
        }
        self.solver.factor(&self.a, &self.b);
        self.weights.clear();
        self.weights.resize(m, 1.0);
        self.x.clear();
        self.x.resize(m, 0.0);
        self.solver.solve(&self.weights, &mut self.x);
        for (j, u) in self.unknowns.iter().enumerate() {
            let force = self.x[j] * self.scale[j];
            x.iter_mut().zip(self.response.row(at(u))).for_each(|(x, w)| *x += force * w);
        }
    }
}
