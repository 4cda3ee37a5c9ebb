//! Forces that answer the motion of the step that they act in: springs, dampers, controllers and drag, taken implicitly.
//!
//! Such a force is one along a row w, and linear in the rate `rho = w · u + drift` of its length and in its integral
//! (`Snapshot::stiff`), with stiffness k and damping c. With `K = sum k w w^T` and `D = sum c w w^T`, a step takes it as
//!
//! ```text
//! frozen at the start, u' throughout:      f' = f − K dt [phi rho + theta (u' − u)] − D (u' − u)          (1)
//! frozen at q_m, half of u, half of u':    f' = f − K dt (u' − u) / 4 − D (u' − u) / 2                    (2)
//! frozen at q ⊕ dt v and the velocity z:   f' = f − K dt (u' − v) − D (u' − z)                            (3)
//! ```
//!
//! (3) is the force at the end, which dissipates. (2) is the force in the middle of both ends, stable without a loss
//! whatever k is. For (1), with `kappa = dt² k w · M^-1 w`, the square of the angle that the spring swings in a step,
//!
//! ```text
//! phi = kappa³ / (kappa³ + SOFT³) / 2,   theta = 1/4 + phi / 2                                           (4)
//! ```
//!
//! A soft spring has theta = 1/4, phi = 0: a quarter of the end, half of the start and a quarter of the step before,
//! which as its explicit part is the same forwards and backwards in time and has no loss. But its energy, of positions and
//! velocities half a step apart, swings by that angle. A stiff one has theta = phi = 1/2, the middle of the step, and
//! `E' − E = −|u' − u|²_M / 2`: it does not swing, it is damped. With (4) the energy grows by at most a tenth at any step,
//! and is kept where a period has a hundred steps and more. Dampers act at the end. With N of M and the factors of
//! `u' − u`, all of them are
//!
//! ```text
//! N (u' − u) = dt (f + g) + W lambda                                                                    (5)
//! ```
//!
//! where g is known. Where `dt² k` and `dt c` are small against M, all are what explicit forces make. N has the blocks of M
//! but where a force acts between bodies: there the block reaches from the first to the last of them, and rows are
//! widened to it ([`push_rows`]). Where it were of more than [`MOST`] coordinates its forces stay explicit.

use crate::state::State;
use crate::step::Step;
use crate::system::{Snapshot, Stiff};
use complementarity::dense::dot;
use complementarity::problem::operator::{BlockDiagonal, Jacobian};
use std::ops::Range;

/// Springs are soft up to this square of the angle that they swing in a step, eq. (4).
const SOFT: f64 = 0.03;
/// The most coordinates of a block.
const MOST: usize = 180;
/// The most coordinates of a body; blocks of more are mechanisms.
const BODY: usize = 6;

/// Where forces are frozen.
#[derive(Clone, Copy)]
pub(in crate::stepper) enum Taken<'a> {
    /// At the start of the step, eq. (1).
    Start,
    /// In its middle, eq. (2).
    Middle,
    /// Where this velocity leads, and at that of a state, eq. (3).
    Iterate(&'a [f64], &'a State),
}

/// N and g of eq. (5), and memory for them.
pub(in crate::stepper) struct Soft {
    /// True when forces are taken implicitly.
    pub chosen: bool,
    /// True when there are such forces in this step.
    pub acts: bool,
    /// The inverse of N.
    pub inverse: BlockDiagonal,
    /// Of each force its part of N along its row, of the spring and of the damper, kg.
    weights: Vec<[f64; 2]>,
    /// Of each force its part of g along its row, of the spring and of the damper, N.
    forces: Vec<[f64; 2]>,
    /// One past the last block that each block is joined with.
    ends: Vec<usize>,
    block: Vec<f64>,
    inverted: Vec<f64>,
}

impl Default for Soft {
    fn default() -> Self {
        Self {
            chosen: true,
            acts: false,
            inverse: BlockDiagonal::default(),
            weights: Vec::new(),
            forces: Vec::new(),
            ends: Vec::new(),
            block: Vec::new(),
            inverted: Vec::new(),
        }
    }
}

fn parts(stiff: &Stiff) -> Range<usize> {
    stiff.first_part..stiff.end_part
}

/// w · u.
fn rate(at: &Snapshot, stiff: &Stiff, u: &[f64]) -> f64 {
    let mut rate = [0.0];
    at.stiff_rows.add_velocity(parts(stiff), u, &mut rate);
    rate[0]
}

impl Soft {
    /// N and g of the forces of a snapshot, for a step of length dt from the velocity u.
    pub fn take(&mut self, at: &Snapshot, (u, dt): (&[f64], f64), taken: Taken) {
        self.acts = !at.stiff.is_empty();
        if !self.acts {
            return;
        }
        self.weights.clear();
        self.forces.clear();
        for stiff in &at.stiff {
            let (spring, damper) = (dt * dt * stiff.stiffness, dt * stiff.damping);
            let (weights, rates) = match taken {
                Taken::Start => {
                    let phi = self.phi(at, stiff, spring);
                    ([(0.25 + 0.5 * phi) * spring, damper], [-phi * (rate(at, stiff, u) + stiff.drift), 0.0])
                }
                Taken::Middle => ([0.25 * spring, 0.5 * damper], [0.0; 2]),
                Taken::Iterate(v, state) => {
                    let now = rate(at, stiff, u);
                    ([spring, damper], [rate(at, stiff, v) - now, rate(at, stiff, &state.u) - now])
                }
            };
            self.weights.push(weights);
            self.forces.push([dt * stiff.stiffness * rates[0], stiff.damping * rates[1]]);
        }
        self.join(at);
        self.invert(at);
    }

    /// phi of eq. (4) for a spring of `dt² k`.
    fn phi(&mut self, at: &Snapshot, stiff: &Stiff, spring: f64) -> f64 {
        let mut kappa = 0.0;
        for part in &at.stiff_rows.parts[parts(stiff)] {
            let row = &at.stiff_rows.values[part.at..part.at + part.width];
            self.block.clear();
            self.block.resize(part.width, 0.0);
            at.inverse_mass.add_product(part.start, row, &mut self.block);
            kappa += spring * dot(row, &self.block);
        }
        let hard = (kappa / SOFT).powi(3);
        if hard.is_finite() { 0.5 * hard / (hard + 1.0) } else { 0.5 }
    }

    /// Which blocks are one.
    fn join(&mut self, at: &Snapshot) {
        self.ends.clear();
        self.ends.extend(1..=at.mass.blocks().len());
        for k in 0..at.stiff.len() {
            let touched = touched(at, &at.stiff[k]);
            if let Some(end) = self.ends.get_mut(touched.start) {
                *end = touched.end.max(*end);
            }
        }
        let mut first = 0;
        while first < self.ends.len() {
            let mut end = self.ends[first];
            let mut k = first;
            while k < end {
                end = end.max(self.ends[k]);
                k += 1;
            }
            let size: usize = at.mass.blocks()[first..end].iter().map(|b| b.size).sum();
            if size > MOST {
                for (k, stiff) in at.stiff.iter().enumerate() {
                    if (first..end).contains(&touched(at, stiff).start) {
                        (self.weights[k], self.forces[k]) = ([0.0; 2], [0.0; 2]);
                    }
                }
                (first..end).for_each(|b| self.ends[b] = b + 1);
            } else {
                self.ends[first..end].fill(end);
            }
            first = end;
        }
    }

    /// The inverse of N.
    fn invert(&mut self, at: &Snapshot) {
        let Self { inverse, block, inverted, ends, weights, .. } = self;
        inverse.clear();
        let blocks = at.mass.blocks();
        let mut first = 0;
        while first < blocks.len() {
            let own = first..ends[first];
            let start = blocks[first].start;
            let n: usize = blocks[own.clone()].iter().map(|b| b.size).sum();
            block.clear();
            block.resize(n * n, 0.0);
            for b in &blocks[own.clone()] {
                for (i, row) in at.mass.values(*b).chunks_exact(b.size).enumerate() {
                    let to = (b.start - start + i) * n + b.start - start;
                    block[to..to + b.size].copy_from_slice(row);
                }
            }
            let mut softened = false;
            for (stiff, weight) in at.stiff.iter().zip(weights.iter()) {
                let weight = weight[0] + weight[1];
                if weight > 0.0 && own.contains(&touched(at, stiff).start) {
                    softened = true;
                    add_square(block, (start, n), weight, &at.stiff_rows, parts(stiff));
                }
            }
            if softened && own.len() == 1 && n > BODY {
                invert_from_the_tips(block, n, inverted);
                inverse.push(n, inverted);
            } else if softened {
                invert_in_place(block, n);
                inverse.push(n, block);
            } else {
                own.clone().for_each(|b| inverse.push(blocks[b].size, at.inverse_mass.values(blocks[b])));
            }
            first = own.end;
        }
    }

    /// Adds g of eq. (5) to forces.
    pub fn add_forces(&self, at: &Snapshot, factor: f64, out: &mut [f64]) {
        for (stiff, force) in at.stiff.iter().zip(&self.forces) {
            at.stiff_rows.add_force(parts(stiff), &[factor * (force[0] + force[1])], out);
        }
    }

    /// The works of what is implicit in a step from the velocity u to that of `out`, of forces with a potential and of
    /// all others; and the sum of their sizes.
    pub fn works(&self, at: &Snapshot, u: &[f64], out: &Step) -> [f64; 3] {
        let mut works = [0.0; 3];
        if !self.acts {
            return works;
        }
        for (k, stiff) in at.stiff.iter().enumerate() {
            let (before, end) = (rate(at, stiff, u), rate(at, stiff, &out.state.u));
            let impulse = |i: usize| out.dt * self.forces[k][i] - self.weights[k][i] * (end - before);
            let [spring, damper] = [0, 1].map(|i| impulse(i) * 0.5 * (before + end));
            works[usize::from(!stiff.conservative)] += spring;
            works[1] += damper;
            works[2] += spring.abs() + damper.abs();
        }
        works
    }
}

/// The blocks that a force acts on: of one body those with an entry, of several all from the first to the last.
fn touched(at: &Snapshot, stiff: &Stiff) -> Range<usize> {
    let (rows, mass) = (&at.stiff_rows, &at.mass);
    let (mut first, mut end) = (usize::MAX, 0);
    for part in &rows.parts[parts(stiff)] {
        for b in mass.blocks_in(part.start, part.width) {
            let block = mass.blocks()[b];
            let from = part.at + block.start - part.start;
            if parts(stiff).len() > 1 || rows.values[from..from + block.size].iter().any(|w| *w != 0.0) {
                (first, end) = (first.min(b), end.max(b + 1));
            }
        }
    }
    first.min(end)..end
}

/// `block += weight w w^T`, with the block's first coordinate and size.
fn add_square(
    block: &mut [f64],
    (start, n): (usize, usize),
    weight: f64,
    rows: &Jacobian,
    parts: Range<usize>,
) {
    for a in &rows.parts[parts.clone()] {
        for b in &rows.parts[parts.clone()] {
            for i in 0..a.width {
                for j in 0..b.width {
                    let value = weight * rows.values[a.at + i] * rows.values[b.at + j];
                    // entries of zero may lie outside
                    if value != 0.0 {
                        block[(a.start + i - start) * n + b.start + j - start] += value;
                    }
                }
            }
        }
    }
}

/// Gauss and Jordan's elimination of a symmetric and positive definite matrix.
fn invert_in_place(a: &mut [f64], n: usize) {
    for k in 0..n {
        let pivot = 1.0 / a[k * n + k];
        a[k * n + k] = 1.0;
        a[k * n..(k + 1) * n].iter_mut().for_each(|x| *x *= pivot);
        for i in (0..n).filter(|i| *i != k) {
            let factor = std::mem::replace(&mut a[i * n + k], 0.0);
            if factor != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            (a[i * n + j], a[j * n + i]) = (mean, mean);
        }
    }
}

/// The inverse of the matrix of a mechanism, which is destroyed, by `L^T D L`: from the tips to the root, so that L
/// has no entry that the matrix has not (`tree/mass.rs`, eq. 2).
fn invert_from_the_tips(a: &mut [f64], n: usize, inverse: &mut Vec<f64>) {
    for k in (0..n).rev() {
        let (rows, own) = a.split_at_mut(k * n);
        let pivot = own[k];
        for i in (0..k).filter(|i| own[*i] != 0.0) {
            let factor = own[i] / pivot;
            rows[i * n..=i * n + i].iter_mut().zip(&*own).for_each(|(x, y)| *x -= factor * y);
        }
        own[..k].iter_mut().for_each(|x| *x /= pivot);
    }
    inverse.clear();
    inverse.resize(n * n, 0.0);
    for c in 0..n {
        for k in c..n {
            let (own, column) = (&a[k * n..k * n + k], &inverse[c * n..(c + 1) * n]);
            // what is before the first entry of a row are other branches
            let first = own.iter().position(|x| *x != 0.0).unwrap_or(k);
            let above = dot(&own[first..], &column[first..k]);
            let value = if k == c { 1.0 / a[k * n + k] - above } else { -above };
            inverse[c * n + k] = value;
            inverse[k * n + c] = value;
        }
    }
}

/// Appends the rows of a constraint, its parts widened to the blocks that they are in.
pub(in crate::stepper) fn push_rows(
    inverse: &BlockDiagonal,
    (from, parts): (&Jacobian, Range<usize>),
    rows: usize,
    out: &mut Jacobian,
) {
    let first = out.parts.len();
    for part in &from.parts[parts] {
        let values = &from.values[part.at..part.at + rows * part.width];
        let blocks = &inverse.blocks()[inverse.blocks_in(part.start, part.width)];
        let start = blocks.first().map_or(part.start, |b| b.start);
        let width = blocks.last().map_or(part.start + part.width, |b| b.start + b.size) - start;
        if (start, width) == (part.start, part.width) {
            out.push(start, width, values);
            continue;
        }
        let known = out.parts[first..].iter().find(|p| p.start == start).copied();
        let wide = known.unwrap_or_else(|| {
            let at = out.values.len();
            out.values.resize(at + rows * width, 0.0);
            out.parts.push(complementarity::problem::operator::Part { start, width, at });
            out.parts[out.parts.len() - 1]
        });
        for (r, row) in values.chunks_exact(part.width).enumerate() {
            let to = wide.at + r * width + part.start - start;
            out.values[to..to + part.width].iter_mut().zip(row).for_each(|(o, x)| *o += x);
        }
    }
}
