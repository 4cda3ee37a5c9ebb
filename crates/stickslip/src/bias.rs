//! The part of a constraint's acceleration that does not come from accelerations of the system:
//!
//! ```text
//! d gamma/dt = W^T u' + bias,   bias = d/ds [ W(q ⊕ s u, t + s)^T u + drift(q ⊕ s u, t + s) ] at s = 0    (1)
//! bias ≈ sum_k w_k (gamma(k h) − gamma(−k h)) / h,   w = 3/4, −3/20, 1/60                              (2)
//! ```
//!
//! Eq. (2) is of sixth order: with a step of a hundredth of the time over which the rows change, truncation and
//! rounding are both below 1e-12 of `|gamma| / time`. That step is found by going down from a first guess until a step
//! and a quarter of it agree within the rounding of the shorter one, or as well as they ever do ([`Probe::tune`]). Only
//! ratios are compared: a system scaled in length, mass and time has a step scaled with time.
//!
//! So every shape and joint serves the event-driven steppers at order eight without second derivatives of its own.

use crate::features::Features;
use crate::friction::scale_rows;
use crate::state::State;
use crate::stepper::Cone;
use crate::system::{Constraint, Snapshot, System};
use complementarity::problem::law::MAX_ROWS;

/// Weights of eq. (2).
const WEIGHTS: [f64; 3] = [0.75, -0.15, 1.0 / 60.0];
/// From one guess of the step to the next.
const FINER: f64 = 0.25;
/// How many guesses there are.
const GUESSES: usize = 24;
/// Below this disagreement, relative to |gamma| / step, the step resolves the motion.
const RESOLVED: f64 = 1e-10;
/// Agreement within this many roundings.
const ROUNDINGS: f64 = 16.0;

/// Memory and step for biases by differences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    /// Step h of eq. (2), s.
    pub step: f64,
    /// The friction cone that rows are scaled for (`friction.rs`).
    pub cone: Cone,
    /// What contacts are followed by, where that is known.
    pub features: Features,
    shifted: State,
    look: Snapshot,
    finer: Vec<[f64; MAX_ROWS]>,
    coarser: Vec<[f64; MAX_ROWS]>,
}

impl Probe {
    /// Eq. (2) for the constraints of `held` that are listed in `of` (by index), in that order. A constraint that is
    /// not there at a shifted state gives NaN.
    pub(crate) fn biases(
        &mut self,
        system: &dyn System,
        at: &State,
        (held, of): (&Snapshot, &[usize]),
        out: &mut Vec<[f64; MAX_ROWS]>,
    ) {
        out.clear();
        out.resize(of.len(), [0.0; MAX_ROWS]);
        let listed = || of.iter().map(|&i| &held.constraints[i]);
        let h = self.step;
        let drift = listed().flat_map(|c| c.drift).fold(0.0f64, |m, d| m.max(d.abs()));
        let gap = listed().map(|c| c.gap[0]).fold(0.0f64, f64::max);
        // both bodies at full speed over three steps, twice that for safety
        let reach = gap + 12.0 * h * (system.speed(&at.q, &at.u) + drift);
        if of.is_empty() {
            return;
        }
        self.features.want(system, listed().map(|c| c.id), reach);
        for (k, w) in WEIGHTS.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let s = sign * (k + 1) as f64 * h;
                self.shifted.copy_from(at);
                self.shifted.t += s;
                system.displace(&mut self.shifted.q, &at.u, s);
                if !self.features.fill(system, &self.shifted, reach, &mut self.look) {
                    system.constraints(&self.shifted, reach, &mut self.look);
                    for c in listed() {
                        if self.look.constraints.binary_search_by_key(&c.id, |c| c.id).is_err() {
                            let among = |id| listed().any(|c| c.id == id);
                            self.features.add(system, c.id, (&self.shifted, reach), among, &mut self.look);
                        }
                    }
                }
                scale_rows(&mut self.look, self.cone);
                for (c, bias) in listed().zip(out.iter_mut()) {
                    let velocity = row_velocity(&self.look, c, &at.u);
                    for (b, v) in bias.iter_mut().zip(velocity) {
                        *b += sign * w * v / h;
                    }
                }
            }
        }
    }

    /// Sets the step, going down from a first guess.
    pub(crate) fn tune(
        &mut self,
        system: &dyn System,
        at: &State,
        held: &Snapshot,
        of: &[usize],
        first: f64,
    ) {
        self.step = first;
        let (mut coarser, mut finer) = (std::mem::take(&mut self.coarser), std::mem::take(&mut self.finer));
        self.biases(system, at, (held, of), &mut coarser);
        let (mut best, mut best_step) = (f64::INFINITY, first);
        for _ in 0..GUESSES {
            let h = self.step;
            self.step = FINER * h;
            self.biases(system, at, (held, of), &mut finer);
            let mut apart = 0.0f64;
            for (k, &i) in of.iter().enumerate() {
                let size = row_sizes(held, &held.constraints[i], &at.u);
                for r in 0..held.constraints[i].law.rows() {
                    let off = (coarser[k][r] - finer[k][r]).abs();
                    let off = if off == 0.0 { 0.0 } else { off / size[r] };
                    apart = if off.is_nan() || apart.is_nan() { f64::NAN } else { apart.max(off) };
                }
            }
            // relative to |gamma| / step: one where the step is too long, then falling, then constant (rounding)
            apart *= self.step;
            let better = apart < 0.5 * best;
            if better {
                // the longer step has the smaller rounding
                (best, best_step) = (apart, h);
            }
            if apart <= ROUNDINGS * f64::EPSILON || (best < RESOLVED && !better) {
                break;
            }
            std::mem::swap(&mut coarser, &mut finer);
        }
        self.step = best_step;
        (self.coarser, self.finer) = (coarser, finer);
    }
}

/// Velocities of the rows of `like`, as they are in `look`.
fn row_velocity(look: &Snapshot, like: &Constraint, u: &[f64]) -> [f64; MAX_ROWS] {
    let found = look.constraints.binary_search_by_key(&like.id, |c| c.id);
    let Some(c) = found.ok().map(|k| &look.constraints[k]) else { return [f64::NAN; MAX_ROWS] };
    let mut velocity = c.drift;
    look.jacobian.add_velocity(c.first_part..c.end_part, u, &mut velocity[..c.law.rows()]);
    velocity
}

/// The sizes of the sums that the velocities of a constraint's rows are: what their rounding is relative to.
pub(crate) fn row_sizes(look: &Snapshot, c: &Constraint, u: &[f64]) -> [f64; MAX_ROWS] {
    let mut size = c.drift.map(f64::abs);
    for part in &look.jacobian.parts[c.first_part..c.end_part] {
        for (r, s) in size[..c.law.rows()].iter_mut().enumerate() {
            let row = &look.jacobian.values[part.at + r * part.width..part.at + (r + 1) * part.width];
            *s += row.iter().zip(&u[part.start..]).map(|(w, u)| (w * u).abs()).sum::<f64>();
        }
    }
    size
}
