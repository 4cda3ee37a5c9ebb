//! Principal pivoting for the mixed linear complementarity problem with bounds, one unknown after the other:
//!
//! ```text
//! w = M z + q,   l <= z <= u,   w_i >= 0 where z_i = l_i,   w_i <= 0 where z_i = u_i,   w_i = 0 between.      (1)
//! ```
//!
//! The unknowns dealt with so far satisfy (1); the others wait at the point of their interval closest to zero. The next
//! one, i, moves against its `w_i` while the unknowns in C (those with `w = 0`) follow so that their `w` stay zero,
//!
//! ```text
//! dz_C = −M_CC^-1 M_Ci dz_i,   dw_k = (M_ki − M_kC M_CC^-1 M_Ci) dz_i,                                       (2)
//! ```
//!
//! until `w_i = 0` or `z_i` is at a bound: done. If before that an unknown of C comes to a bound, it leaves C; if a
//! `w_k` outside of C comes to zero, k joins C; then i goes on. The coefficients of (2) are a column of the principal
//! pivot transform of M, kept up to date by one principal pivot per exchange, O(n²).
//!
//! *Convergence.* For symmetric positive semi-definite `M`, `M_CC` stays regular: what blocks in (2) is independent
//! of C. Steps that go anywhere reduce `z^T M z / 2 + q^T z`; of what blocks at once, the least index goes first, or
//! the lot decides (the same in every run) where that leads nowhere. Unknowns that depend on C (redundant rows) stay
//! where they are with `w = 0` and join C when a later step would move their `w`. If nothing blocks at all, (1) has
//! no solution for such `M`; for other `M` that says nothing: the solve ends as failed. The final C is solved anew
//! with iterative refinement. No warm start.
//!
//! Reference: Cottle, Dantzig, "Complementary pivot theory of mathematical programming", Linear Algebra Appl. 1, 1968;
//! Baraff, "Fast contact force computation for nonpenetrating rigid bodies", SIGGRAPH 1994 (the form ODE uses).

use crate::linear::dense::Dense;
use crate::problem::mixed::MixedLcp;
use crate::solver::lcp::principal::{FreeSet, power_of_two_near_root, principal_pivot};
use crate::solver::scatter::scatter;
use crate::solver::traits::{MatrixKind, MixedTraits};
use crate::solver::{Report, Solver, Status};

/// How [`Dantzig`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DantzigSettings {
    /// Coefficients of (2) below this, relative to the largest of the column, are zero. Rounding.
    pub min_rate: f64,
    /// Principal pivots of scaled data below this are zero: the row depends on those of C. Rounding.
    pub min_pivot: f64,
    /// Steps below this, relative to the unknowns, go nowhere. Rounding.
    pub min_step: f64,
    /// After so many of those in a row the lot decides who leaves or joins first. By hand.
    pub max_zero_steps: usize,
    /// A `w` below this, relative to the numbers it is the sum of, is zero. Rounding.
    pub min_slack: f64,
}

impl Default for DantzigSettings {
    fn default() -> Self {
        Self {
            min_rate: 1e-11,
            min_pivot: 1e-13,
            min_step: 1e-15,
            max_zero_steps: 10,
            min_slack: 64.0 * f64::EPSILON,
        }
    }
}

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Not dealt with yet.
    Waiting,
    /// In C: `w = 0`, and it moves.
    Free,
    /// `w = 0`, and it stays: its row depends on those of C.
    Redundant,
    /// At its lower bound.
    Lower,
    /// At its upper bound.
    Upper,
}

/// What ends a step: how far it goes, who ends it and where that unknown is afterwards.
#[derive(Clone, Copy, Debug)]
struct Block {
    step: f64,
    unknown: usize,
    then: Place,
}

/// Principal pivoting with bounds.
#[derive(Clone, Debug)]
pub struct Dantzig {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most pivots.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: DantzigSettings,
    scratch: Scratch,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
struct Scratch {
    settings: DantzigSettings,
    /// The principal pivot transform of the scaled M.
    table: Dense,
    /// Powers of two that bring the diagonal of M to about one; z is counted in these.
    unit: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    place: Vec<Place>,
    free: FreeSet,
    /// How many steps of length zero there were in a row.
    stalled: usize,
}

impl Dantzig {
    /// What it answers; further problems it only may.
    pub const TRAITS: MixedTraits = MixedTraits { matrices: MatrixKind::Semidefinite, symmetric: true };
}

impl Default for Dantzig {
    fn default() -> Self {
        let (settings, scratch) = (DantzigSettings::default(), Scratch::default());
        Self { tolerance: 1e-13, iterations: 100_000, settings, scratch }
    }
}

impl Solver<MixedLcp> for Dantzig {
    fn solve(&mut self, problem: &MixedLcp, z: &mut [f64]) -> Report {
        let n = problem.len();
        if problem.validate().is_err() || z.len() != n {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let scratch = &mut self.scratch;
        scratch.settings = self.settings;
        scratch.load(problem);
        let (mut status, mut left) = (Status::Solved, self.iterations);
        // equations first: they are never left again
        for pass in [true, false] {
            for i in 0..n {
                let equation = scratch.bounds[i] == (f64::NEG_INFINITY, f64::INFINITY);
                if equation == pass && status == Status::Solved {
                    status = scratch.settle(problem, i, &mut left);
                }
            }
        }
        let residual = scratch.finish(problem, z);
        let otherwise = if status == Status::Solved { Status::Failed } else { status };
        Report::checked(residual / problem.scale(), self.tolerance, self.iterations - left, otherwise)
    }
}

impl Scratch {
    /// Scaled data, everything waiting.
    fn load(&mut self, problem: &MixedLcp) {
        let n = problem.len();
        self.unit.clear();
        self.unit.extend((0..n).map(|i| power_of_two_near_root(problem.m[(i, i)])));
        self.table.copy_from(&problem.m);
        for i in 0..n {
            for (v, unit) in self.table.row_mut(i).iter_mut().zip(&self.unit) {
                *v *= unit * self.unit[i];
            }
        }
        self.bounds.clear();
        let bounds = problem.lower.iter().zip(&problem.upper).zip(&self.unit);
        self.bounds.extend(bounds.map(|((l, u), unit)| (l / unit, u / unit)));
        self.z.clear();
        self.z.extend(self.bounds.iter().map(|(l, u)| l.max(0.0).min(*u)));
        self.place.clear();
        self.place.resize(n, Place::Waiting);
        self.w.clear();
        self.w.resize(n, 0.0);
        self.free.reserve(n);
        self.stalled = 0;
    }

    /// `w_k` from the problem, zero when it is no more than rounding.
    fn slack(&self, problem: &MixedLcp, k: usize) -> f64 {
        let (mut w, mut size) = (problem.q[k], problem.q[k].abs());
        for ((m, z), unit) in problem.m.row(k).iter().zip(&self.z).zip(&self.unit) {
            w += m * z * unit;
            size += (m * z * unit).abs();
        }
        if w.abs() <= self.settings.min_slack * size { 0.0 } else { w * self.unit[k] }
    }

    /// Moves unknown i until (1) holds for it as well. `Solved` when that succeeds.
    fn settle(&mut self, problem: &MixedLcp, i: usize, left: &mut usize) -> Status {
        for k in 0..self.place.len() {
            self.w[k] = if self.place[k] == Place::Free { 0.0 } else { self.slack(problem, k) };
        }
        loop {
            let (low, high) = self.bounds[i];
            if self.w[i] >= 0.0 && self.z[i] <= low {
                self.place[i] = Place::Lower;
            } else if self.w[i] <= 0.0 && self.z[i] >= high {
                self.place[i] = Place::Upper;
            } else if self.w[i] == 0.0 {
                self.place[i] = Place::Redundant;
            }
            if self.place[i] != Place::Waiting {
                return Status::Solved;
            }
            if *left == 0 {
                return Status::IterationLimit;
            }
            *left -= 1;
            let direction = -self.w[i].signum();
            let Some(block) = self.first_block(i, direction) else {
                // a redundant row: whether it agrees with the others up to rounding, the residual will say
                self.place[i] = Place::Redundant;
                return Status::Solved;
            };
            self.stalled = if block.step > 0.0 { 0 } else { self.stalled + 1 };
            self.advance(i, direction * block.step);
            if !self.take(block) {
                return Status::Failed;
            }
            if block.unknown == i {
                return Status::Solved;
            }
            self.w[i] = self.slack(problem, i);
        }
    }

    /// What first ends the move of i in the given direction; of several at once the least index.
    fn first_block(&self, i: usize, direction: f64) -> Option<Block> {
        let n = self.place.len();
        let largest = (0..n).fold(1.0f64, |m, k| m.max(self.table[(k, i)].abs()));
        let size = self.z.iter().fold(1.0f64, |m, z| m.max(z.abs()));
        let DantzigSettings { min_rate, min_pivot, min_step, max_zero_steps, .. } = self.settings;
        let mut first: Option<Block> = None;
        let mut offer = |step: f64, unknown: usize, then: Place| {
            let step = if step < min_step * size { 0.0 } else { step };
            // who has not moved for long chooses between ties by lot
            let lot = self.stalled > max_zero_steps && scatter(self.stalled, unknown) < 0.5;
            if first.is_none_or(|f| step < f.step || (lot && step == f.step)) {
                first = Some(Block { step, unknown, then });
            }
        };
        for k in 0..n {
            let rate = direction * self.table[(k, i)];
            let (low, high) = self.bounds[k];
            // what depends on C does not move, whatever rounding says
            let depends = self.place[k] != Place::Free && self.table[(k, k)] <= min_pivot;
            let still = rate.abs() <= min_rate * largest || depends;
            match self.place[k] {
                Place::Waiting if k == i => {
                    let room = if direction > 0.0 { high - self.z[k] } else { self.z[k] - low };
                    if rate * direction > min_rate * largest {
                        offer(-self.w[k] / rate, k, Place::Free);
                    }
                    if room.is_finite() {
                        offer(room, k, if direction > 0.0 { Place::Upper } else { Place::Lower });
                    }
                }
                Place::Waiting => {}
                _ if still => {}
                Place::Free if rate < 0.0 && low.is_finite() => {
                    offer((low - self.z[k]) / rate, k, Place::Lower)
                }
                Place::Free if rate > 0.0 && high.is_finite() => {
                    offer((high - self.z[k]) / rate, k, Place::Upper)
                }
                Place::Free => {}
                Place::Redundant => offer(0.0, k, Place::Free),
                // an interval of one point takes any w
                Place::Lower | Place::Upper if low == high => {}
                Place::Lower if rate < 0.0 => offer(-self.w[k] / rate, k, Place::Free),
                Place::Upper if rate > 0.0 => offer(-self.w[k] / rate, k, Place::Free),
                Place::Lower | Place::Upper => {}
            }
        }
        first
    }

    /// Moves i by `step`, and everything else along, eq. (2).
    fn advance(&mut self, i: usize, step: f64) {
        for k in 0..self.place.len() {
            let change = self.table[(k, i)] * step;
            match self.place[k] {
                Place::Free => self.z[k] += change,
                _ => self.w[k] += change,
            }
        }
        self.z[i] += step;
    }

    /// Puts the unknown that blocked where it belongs; false when M_CC would become singular.
    fn take(&mut self, block: Block) -> bool {
        let k = block.unknown;
        let was_free = self.place[k] == Place::Free;
        if was_free != (block.then == Place::Free) {
            if self.table[(k, k)].abs() < f64::EPSILON {
                return false;
            }
            principal_pivot(&mut self.table, k);
        }
        match block.then {
            Place::Lower => self.z[k] = self.bounds[k].0,
            Place::Upper => self.z[k] = self.bounds[k].1,
            _ => {}
        }
        if was_free || block.then == Place::Free {
            self.w[k] = 0.0;
        }
        self.place[k] = block.then;
        true
    }

    /// Solves for the final C anew; the better of both answers goes to `z`. Returns its residual.
    fn finish(&mut self, problem: &MixedLcp, z: &mut [f64]) -> f64 {
        for i in 0..z.len() {
            let there = self.z[i] * self.unit[i];
            let there = if there.is_finite() { there } else { 0.0 };
            z[i] = there.max(problem.lower[i]).min(problem.upper[i]);
        }
        let place = &self.place;
        self.free.choose((0..place.len()).filter(|&k| place[k] == Place::Free));
        self.free.improve(problem, &self.unit, z)
    }
}
