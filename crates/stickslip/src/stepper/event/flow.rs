//! The flow of a smooth phase: accelerations and forces while every contact keeps doing what it does.
//!
//! ```text
//! M a = f + C x,   G (a) + bias = target                                                                  (1)
//! joints            row W^T, force along it            target 0, or −2 alpha gamma − beta² gap (Baumgarte)
//! closed, sticking  rows W_n, W_t, forces along them   target 0
//! closed, sliding   row W_n, force along W_n − mu W_t d, d the slip's direction                            (2)
//! dry, sticking     its row; dry, sliding: force −bound d
//! ```
//!
//! Eliminating a gives `G M^-1 C x = target − G M^-1 f − bias`, a small dense system, asymmetric through (2). Where it is
//! singular (redundant joints, a block that sticks on two corners) the forces of least norm are taken; friction forces are
//! weighed by the inverse of their limits mu lambda_n, so that contacts which share a load reach their limits together. If
//! that breaks a limit, the distribution with the most left to the nearest limit is taken instead: contacts stick as long as
//! some distribution lets them.
//!
//! Near zero slip the direction d is the one carried from before, and it never turns around within a step: the flow goes
//! on smoothly past the instant at which slip ends, which is what locating that instant needs.

use super::JointMethod;
use crate::bias::{Probe, row_sizes};
use crate::minimum_norm::MinimumNorm;
use crate::state::State;
use crate::step::{Held, HeldMotion};
use crate::system::{Law, Snapshot, System};
use complementarity::dense::{Dense, dot};
use complementarity::problem::law::MAX_ROWS;

/// Slip below this, relative to the terms it is the sum of, has no direction of its own: where slip begins it grows like the
/// square of time, and its direction is lost in the error of the integration at first.
const NO_DIRECTION: f64 = 1e-8;

/// Baumgarte's parameters, 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stabilisation {
    pub alpha: f64,
    pub beta: f64,
}

/// A constraint that takes part in the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Index among the constraints of the look.
    pub index: usize,
    pub law: Law,
    /// What it does; joints stick.
    pub motion: HeldMotion,
    /// Gaps, velocities, forces and accelerations of its rows.
    pub gap: [f64; MAX_ROWS],
    pub velocity: [f64; MAX_ROWS],
    pub force: [f64; MAX_ROWS],
    pub acceleration: [f64; MAX_ROWS],
    /// Diagonal of W^T M^-1 W.
    pub diagonal: [f64; MAX_ROWS],
    /// Direction of slip.
    pub direction: [f64; 2],
    /// Friction coefficient: that of sticking, or of slipping at this speed.
    pub friction: f64,
    first_row: usize,
}

impl Part {
    /// Where row `r` is among all rows.
    pub fn row(&self, r: usize) -> usize {
        self.first_row + r
    }
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
    /// How far contacts are looked for, m.
    pub reach: f64,
    /// Forces are those of least constraint, `least.rs`.
    pub by_least_constraint: bool,
    pub(super) least: super::least::Least,
    indices: Vec<usize>,
    biases: Vec<[f64; MAX_ROWS]>,
    /// All rows of the parts, dense, and M^-1 times them.
    pub(super) rows: Dense,
    response: Dense,
    pub(super) free: Vec<f64>,
    /// Unknowns: (part, row); friction of sliding contacts follows its normal force.
    pub(super) unknowns: Vec<(usize, usize)>,
    pub(super) columns: Dense,
    pub(super) a: Dense,
    pub(super) b: Vec<f64>,
    pub(super) scale: Vec<f64>,
    weights: Vec<f64>,
    pub(super) x: Vec<f64>,
    solver: MinimumNorm,
}

impl Flow {
    /// Looks at a state: mass, forces, and which constraints take part. False when one that is held is not there.
    pub fn look(&mut self, system: &dyn System, at: &State, held: &[Held]) -> bool {
        system.dynamics(at, &mut self.look);
        system.constraints(at, self.reach, &mut self.look);
        self.parts.clear();
        self.indices.clear();
        let (mut rows, mut found) = (0, 0);
        for (index, c) in self.look.constraints.iter().enumerate() {
            let known = held.binary_search_by_key(&c.id, |h| h.id).ok();
            found += usize::from(known.is_some());
            let motion = match (known, c.law) {
                (Some(k), _) => held[k].motion,
                (None, Law::Bilateral { .. }) => HeldMotion::Stick,
                (None, _) => continue,
            };
            let mut velocity = c.drift;
            let count = c.law.rows();
            self.look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut velocity[..count]);
            self.parts.push(Part {
                index,
                law: c.law,
                motion,
                gap: c.gap,
                velocity,
                force: [0.0; MAX_ROWS],
                acceleration: [0.0; MAX_ROWS],
                diagonal: [0.0; MAX_ROWS],
                direction: [0.0; 2],
                friction: 0.0,
                first_row: rows,
            });
            self.indices.push(index);
            rows += count;
        }
        for k in 0..self.parts.len() {
            self.parts[k].direction = self.slip_direction(k, &at.u);
            self.parts[k].friction = friction(&self.parts[k]);
        }
        found == held.len()
    }

    /// Sets the step of the biases; `first` is a guess from above.
    pub fn tune(&mut self, system: &dyn System, at: &State, first: f64) {
        self.probe.tune(system, at, &self.look, &self.indices, first);
    }

    /// The indices of the constraints that take part.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    fn slip_direction(&self, k: usize, u: &[f64]) -> [f64; 2] {
        let part = &self.parts[k];
        let HeldMotion::Slip(carried) = part.motion else { return [0.0; 2] };
        let Law::Contact { tangents: 2, .. } = part.law else { return carried };
        let v = [part.velocity[1], part.velocity[2]];
        let size = row_sizes(&self.look, &self.look.constraints[part.index], u);
        let speed = v[0].hypot(v[1]);
        if speed <= NO_DIRECTION * size[1].max(size[2]) {
            return carried;
        }
        let sign = if v[0] * carried[0] + v[1] * carried[1] < 0.0 { -1.0 } else { 1.0 };
        [sign * v[0] / speed, sign * v[1] / speed]
    }

    /// Solves eq. (1) at a state. False when a constraint that is held is not there.
    pub fn evaluate(&mut self, system: &dyn System, at: &State, held: &[Held]) -> bool {
        if !self.look(system, at, held) {
            return false;
        }
        let mut biases = std::mem::take(&mut self.biases);
        self.probe.biases(system, at, (&self.look, &self.indices), &mut biases);
        self.biases = biases;
        self.expand_rows();
        self.free_acceleration();
        self.assemble();
        if !self.by_least_constraint {
            self.solve();
        } else if !self.solve_least() {
            return false;
        }
        self.expand_forces();
        self.acceleration.iter().all(|a| a.is_finite())
    }

    /// Rows of the parts and their responses, dense.
    pub(super) fn expand_rows(&mut self) {
        let n = self.look.force.len();
        let total = self.parts.last().map_or(0, |p| p.first_row + p.law.rows());
        self.rows.reset(total, n);
        self.response.reset(total, n);
        for part in &mut self.parts {
            let c = &self.look.constraints[part.index];
            for piece in &self.look.jacobian.parts[c.first_part..c.end_part] {
                for r in 0..part.law.rows() {
                    let values = &self.look.jacobian.values[piece.at + r * piece.width..];
                    let row = &mut self.rows.row_mut(part.first_row + r)[piece.start..];
                    row[..piece.width].copy_from_slice(&values[..piece.width]);
                }
            }
            for r in 0..part.law.rows() {
                let at = part.first_row + r;
                self.look.inverse_mass.add_product(0, self.rows.row(at), self.response.row_mut(at));
                part.diagonal[r] = dot(self.rows.row(at), self.response.row(at));
            }
        }
    }

    /// Accelerations without the unknown forces: those applied, and dry friction that slides.
    fn free_acceleration(&mut self) {
        let Self { look, parts, free, response, .. } = self;
        let n = look.force.len();
        free.clear();
        free.resize(n, 0.0);
        self.b.clear();
        self.b.extend(look.force.iter().zip(&look.applied).map(|(f, a)| f + a));
        look.inverse_mass.add_product(0, &self.b, free);
        for part in parts {
            if let (Law::Dry { bound }, HeldMotion::Slip(d)) = (part.law, part.motion) {
                part.force[0] = -bound * d[0];
                free.iter_mut().zip(response.row(part.first_row)).for_each(|(a, w)| *a += w * part.force[0]);
            }
        }
    }

    /// The system for the unknown forces, scaled by the rows' own effective masses.
    fn assemble(&mut self) {
        self.unknowns.clear();
        for (k, part) in self.parts.iter().enumerate() {
            let rows = match (part.law, part.motion) {
                (Law::Contact { surface, .. }, motion) => {
                    let slides = motion != HeldMotion::Stick || surface.friction == 0.0;
                    if slides { 1 } else { part.law.rows() }
                }
                (Law::Dry { .. }, HeldMotion::Slip(_)) => 0,
                _ => part.law.rows(),
            };
            self.unknowns.extend((0..rows).map(|r| (k, r)));
        }
        let (m, n) = (self.unknowns.len(), self.free.len());
        self.columns.reset(m, n);
        self.a.reset(m, m);
        self.b.clear();
        self.scale.clear();
        for (j, &(k, r)) in self.unknowns.iter().enumerate() {
            let part = &self.parts[k];
            let column = self.columns.row_mut(j);
            column.copy_from_slice(self.response.row(part.first_row + r));
            if let (Law::Contact { tangents, .. }, HeldMotion::Slip(_)) = (part.law, part.motion) {
                for t in 0..tangents {
                    let factor = -part.friction * part.direction[t]; // eq. (2)
                    let extra = self.response.row(part.first_row + 1 + t);
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
            let row = self.rows.row(part.first_row + r);
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

    /// Gives the forces of all contacts one scale: their norm is Euclidean then.
    fn share_scale(&mut self) {
        let of = |&(k, _): &(usize, usize)| matches!(self.parts[k].law, Law::Contact { .. });
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, s) in self.unknowns.iter().zip(&self.scale).filter(|(u, _)| of(u)) {
            (sum, count) = (sum + s, count + 1.0);
        }
        for (_, s) in self.unknowns.iter().zip(&mut self.scale).filter(|(u, _)| of(u)) {
            *s = sum / count;
        }
    }

    /// Forces of least norm; friction in proportion to its limit.
    fn solve(&mut self) {
        let m = self.unknowns.len();
        self.solver.factor(&self.a, &self.b);
        self.weights.clear();
        self.weights.resize(m, 1.0);
        self.x.clear();
        self.x.resize(m, 0.0);
        self.solver.solve(&self.weights, &mut self.x);
        if self.solver.freedom() == 0 {
            return;
        }
        let mut normal = 0.0;
        // sums of limits mu lambda_n and of squared scales over the friction rows
        let mut sums = [0.0f64; 2];
        for pass in 0..2 {
            for (j, &(k, r)) in self.unknowns.iter().enumerate() {
                let Law::Contact { surface, .. } = self.parts[k].law else { continue };
                if r == 0 {
                    normal = surface.friction * self.x[j] * self.scale[j];
                } else if pass == 0 {
                    sums = [sums[0] + normal.abs(), sums[1] + self.scale[j].powi(2)];
                } else {
                    // what is weighed is the force, not the scaled unknown
                    let ratio = (sums[0] / normal) * (self.scale[j].powi(2) / sums[1]);
                    self.weights[j] = ratio.clamp(1e-6, 1e6);
                }
            }
        }
        self.solver.solve(&self.weights, &mut self.x);
        // another distribution may do where this one breaks a limit
        let Self { solver, x, parts, unknowns, scale, .. } = self;
        let worth = |x: &[f64]| least_margin(parts, unknowns, scale, x);
        if worth(x) < 0.0 {
            solver.improve(x, worth);
        }
    }

    /// True when forces are not unique.
    pub fn is_hyperstatic(&self) -> bool {
        self.solver.freedom() > 0
    }

    /// Forces and accelerations of all rows.
    fn expand_forces(&mut self) {
        self.acceleration.clone_from(&self.free);
        for (j, &(k, r)) in self.unknowns.iter().enumerate() {
            let force = self.x[j] * self.scale[j];
            let part = &mut self.parts[k];
            part.force[r] = force;
            if let (Law::Contact { tangents, .. }, HeldMotion::Slip(_)) = (part.law, part.motion) {
                for t in 0..tangents {
                    part.force[1 + t] = -part.friction * force * part.direction[t];
                }
            }
            self.acceleration.iter_mut().zip(self.columns.row(j)).for_each(|(a, c)| *a += force * c);
        }
        for (part, bias) in self.parts.iter_mut().zip(&self.biases) {
            for r in 0..part.law.rows() {
                part.acceleration[r] = dot(self.rows.row(part.first_row + r), &self.acceleration) + bias[r];
            }
        }
    }

    /// The largest acceleration that a row of these parts would have without constraint forces.
    pub fn free_scale(&self) -> f64 {
        let rows = self.parts.iter().zip(&self.biases);
        rows.flat_map(|(part, bias)| (0..part.law.rows()).map(move |r| (part.first_row + r, bias[r])))
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
        let at = |&(k, r): &(usize, usize)| self.parts[k].first_row + r;
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

/// The friction coefficient of a part. Slip past its end counts as negative speed, so that the flow stays smooth there.
fn friction(part: &Part) -> f64 {
    match (part.law, part.motion) {
        (Law::Contact { surface, tangents }, HeldMotion::Slip(_)) => {
            let v = &part.velocity[1..1 + tangents];
            surface.slipping(v.iter().zip(part.direction).map(|(v, d)| v * d).sum())
        }
        (Law::Contact { surface, .. }, HeldMotion::Stick) => surface.friction,
        _ => 0.0,
    }
}

/// What the forces `x` leave to the nearest limit of a contact or of dry friction, as an acceleration.
fn least_margin(parts: &[Part], unknowns: &[(usize, usize)], scale: &[f64], x: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    let mut j = 0;
    while j < unknowns.len() {
        let (k, first) = (unknowns[j].0, j);
        while j < unknowns.len() && unknowns[j].0 == k {
            j += 1;
        }
        let force = |i: usize| x[first + i] * scale[first + i];
        let a = &parts[k].diagonal;
        let margin = match parts[k].law {
            Law::Bilateral { .. } | Law::Servo { .. } | Law::DryDisc { .. } => continue,
            Law::Contact { surface, .. } if j - first > 1 => {
                let friction = (1..j - first).fold(0.0, |s: f64, i| s.hypot(force(i)));
                (surface.friction * force(0) - friction) * a[1]
            }
            Law::Contact { .. } | Law::Limit => force(0) * a[0],
            Law::Dry { bound } => (bound - force(0).abs()) * a[0],
        };
        least = least.min(margin);
    }
    least
}
