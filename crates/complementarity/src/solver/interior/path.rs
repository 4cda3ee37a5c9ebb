//! Following the central path of `interior_point.rs` round its folds.
//!
//! With friction the path is a curve that may turn back: `target` falls, rises for a while, and falls again. So
//! target is not a parameter but a coordinate. At a point, with the factors of one matrix,
//!
//! ```text
//! N    the Newton step to the path at the present target
//! T    the tangent: target dlambda/dtarget along the path
//! C    the curvature: target² d²lambda/dtarget², from T (eq. (2) of `interior/group.rs`)             (1)
//! ```
//!
//! and, the last coordinate being the relative change of target, the step of size h along the path is
//!
//! ```text
//! (N, 0) − kappa (T, 1)  ±  h (T, 1)  +  h²/2 ((C, 0) − gamma (T, 1)),                               (2)
//! kappa = <(N, 0), (T, 1)> / <(T, 1), (T, 1)>,   gamma = <(C, 0), (T, 1)> / <(T, 1), (T, 1)>
//! ```
//!
//! the correction at right angles to the path, a piece of its tangent, and how it bends. Where the path turns, T and
//! C grow without bound while h T and h² (C − gamma T) do not. The product is
//!
//! ```text
//! <a, b> = sum w a^T V b / target + a_s b_s,   w = (|T| / the longest T of any cone)^6               (3)
//! ```
//!
//! V being the metric of the barriers, in which a length below one stays inside a cone. A turn is the matter of a few
//! contacts among thousands: w lets these decide what is along the path and what across.
//!
//! Which way is forward: at first as the determinant says (down where it is positive, H. Keller 1977), then on
//! without turning back, `<T now, T before> > 0`. A point is near the path when the correction is short, and a point
//! beyond a turn must be nearer. A piece is taken from a point near the path, corrected until it is near again, and
//! given up for a shorter one when that fails.

use crate::law::MAX_ROWS;
use crate::problem::contact::ContactProblem;
use crate::solver::interior::group::{Bend, Step};
use crate::solver::interior::interior_point::InteriorPoint;
use crate::solver::interior::walk::{Next, Place, Walk};

/// N, T and C of eq. (1), and what C adds to the multipliers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directions {
    newton: Vec<f64>,
    tangent: Vec<f64>,
    second: Vec<f64>,
    bends: Vec<Bend>,
}

impl Directions {
    /// Becomes a copy, in the memory that is there.
    fn copy(&mut self, other: &Self) {
        self.newton.clone_from(&other.newton);
        self.tangent.clone_from(&other.tangent);
        self.second.clone_from(&other.second);
        self.bends.clone_from(&other.bends);
    }
}

/// A point with the steps from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchor {
    at: Place,
    z: Vec<f64>,
    dual: Vec<f64>,
    low: Vec<f64>,
    along: Directions,
}

impl InteriorPoint {
    /// Along the path. Returns the residual of the best point, the steps along the path and Newton's iterations.
    pub(super) fn follow(&mut self, problem: &ContactProblem, z: &mut [f64]) -> (f64, usize, usize) {
        let (mut best, mut finish, mut steps, mut finishing) =
            (f64::INFINITY, self.settings.first_finish_residual, 0, 0);
        let (mut at, mut walk) = (self.first_place(problem, z), Walk::new(self.settings));
        let begin = at.target;
        loop {
            let residual = self.keep(problem, z, &mut best);
            if residual <= finish && best > self.tolerance {
                finishing += self.polish(problem, z, &mut best);
                finish = self.settings.finish_again_factor * residual;
            }
            let outside = at.target > self.settings.max_target_growth * begin
                || at.target < self.settings.min_target_factor * begin;
            let missing = at.target < self.settings.late_target_factor * begin
                && self.left_out(problem) > 0.5 * residual;
            let over = steps >= self.iterations || outside || missing || walk.is_stuck(at.target);
            if best <= self.tolerance || residual.is_nan() || over {
                break;
            }
            let aimless =
                !walk.anchored && steps >= self.settings.max_centring_steps && self.starts_from_given();
            if aimless || !self.look(problem, &mut at, z, walk.anchored) {
                break;
            }
            steps += 1;
            let piece = match walk.next(&at) {
                Next::Forward => {
                    walk.forward(&at);
                    self.drop_anchor(at, z);
                    walk.piece()
                }
                Next::Correct => {
                    (walk.corrections, walk.before) = (walk.corrections + 1, at.away);
                    (1.0, 0.0)
                }
                Next::Shorter => {
                    at = self.return_to_anchor(problem, z);
                    walk.shorten();
                    walk.piece()
                }
            };
            if walk.h < self.settings.min_piece || !self.advance(problem, piece, &mut at, z) {
                break;
            }
        }
        if walk.anchored && best > self.tolerance && best.is_finite() {
            finishing += self.polish(problem, z, &mut best);
        }
        (best, steps, finishing)
    }

    fn first_place(&self, problem: &ContactProblem, z: &[f64]) -> Place {
        let now = self.products(problem, z, 0.0);
        // without any barrier there is no target either
        let target = if now.count > 0.0 { now.sum / now.count } else { 1.0 };
        Place { target, ..Default::default() }
    }

    /// The residual; the point is remembered if it is the best.
    fn keep(&mut self, problem: &ContactProblem, z: &[f64], best: &mut f64) -> f64 {
        let residual = self.sweep.residual(problem, z).max();
        if residual < *best || self.best.len() != z.len() {
            *best = residual;
            self.best.clear();
            self.best.extend_from_slice(z);
        }
        residual
    }

    /// Eq. (1) and what it says. Returns false when the matrix cannot be factored.
    fn look(&mut self, problem: &ContactProblem, at: &mut Place, z: &[f64], anchored: bool) -> bool {
        let mut along = std::mem::take(&mut self.along);
        let solved = self.directions(problem, at.target, z, &mut along);
        self.along = along;
        if solved {
            at.negative = self.system.is_negative();
            self.measure(problem, at, anchored);
        }
        solved && at.away.is_finite() && at.most.is_finite() && at.curve.is_finite()
    }

    /// Solves for N, T and C.
    fn directions(
        &mut self,
        problem: &ContactProblem,
        target: f64,
        z: &[f64],
        along: &mut Directions,
    ) -> bool {
        for v in [&mut along.newton, &mut along.tangent, &mut along.second] {
            v.resize(z.len(), 0.0);
        }
        self.relate(problem, target, z);
        if !(self.system.step(problem, &self.barriers, &mut along.newton)
            && self.system.refine(problem, &self.barriers, &mut along.newton))
        {
            return false;
        }
        for c in 0..problem.groups.len() {
            let push = self.place(problem, c, z).push(target);
            self.barriers[c].f = if self.barriers[c].fixed { [0.0; MAX_ROWS] } else { push };
        }
        if !(self.system.step_again(problem, &self.barriers, &mut along.tangent)
            && self.system.refine(problem, &self.barriers, &mut along.tangent))
        {
            return false;
        }
        along.bends.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let (place, change) = (self.place(problem, c, z), &along.tangent[group.rows()]);
            let (dual, low) = place.dual_tangent(&self.barriers[c], target, change);
            let bend = place.bend(&self.barriers[c], &Step { change, dual, low });
            let own = &mut self.barriers[c];
            own.f = if own.fixed { [0.0; MAX_ROWS] } else { bend.f };
            along.bends.push(bend);
        }
        self.system.step_again(problem, &self.barriers, &mut along.second)
            && self.system.refine(problem, &self.barriers, &mut along.second)
    }

    /// Lengths and products of N, T and C. Before there is an anchor all cones count alike in eq. (3), and s for as
    /// much as they.
    fn measure(&self, problem: &ContactProblem, at: &mut Place, anchored: bool) {
        let Directions { newton, tangent, second, .. } = &self.along;
        let groups = || self.barriers.iter().zip(&problem.groups);
        let mut most = 0.0f64;
        for (own, group) in groups() {
            let t = &tangent[group.rows()];
            most = most.max(own.inner(t, t) / at.target);
        }
        let (mut nt, mut tt, mut ct, mut forth, mut count) = (0.0, 0.0, 0.0, 1.0, 0.0);
        for (own, group) in groups() {
            let t = &tangent[group.rows()];
            let square = own.inner(t, t) / at.target;
            let weight = if !anchored || most == 0.0 { 1.0 } else { (square / most).powi(3) };
            nt += weight * own.inner(&newton[group.rows()], t) / at.target;
            ct += weight * own.inner(&second[group.rows()], t) / at.target;
            tt += weight * square;
            count += 1.0;
            if anchored {
                forth += weight * own.inner(&self.anchor.along.tangent[group.rows()], t) / at.target;
            }
        }
        let size = tt + if anchored { 1.0 } else { f64::max(count, 1.0) };
        (at.correct, at.bend, at.turned) = (-nt / size, -ct / size, forth < 0.0);
        let (mut away, mut curve) = (0.0f64, 0.0f64);
        for (own, group) in groups() {
            let sum = |a: &[f64], factor: f64| -> [f64; MAX_ROWS] {
                let (a, t) = (&a[group.rows()], &tangent[group.rows()]);
                std::array::from_fn(|i| if i < a.len() { a[i] + factor * t[i] } else { 0.0 })
            };
            let (correction, bend) = (sum(newton, at.correct), sum(second, at.bend));
            away = away.max(own.inner(&correction, &correction) / at.target);
            curve = curve.max(own.inner(&bend, &bend) / at.target);
        }
        (at.away, at.most, at.curve) = (away.sqrt(), most.sqrt(), curve.sqrt());
    }

    fn relate(&mut self, problem: &ContactProblem, target: f64, z: &[f64]) {
        self.barriers.clear();
        for c in 0..problem.groups.len() {
            let barrier = self.place(problem, c, z).relate(target, self.settings.proximal_weight);
            self.barriers.push(barrier);
        }
    }

    fn drop_anchor(&mut self, at: Place, z: &[f64]) {
        let anchor = &mut self.anchor;
        anchor.at = at;
        anchor.low.clone_from(&self.low);
        anchor.dual.clone_from(&self.dual);
        anchor.along.copy(&self.along);
        anchor.z.clear();
        anchor.z.extend_from_slice(z);
    }

    fn return_to_anchor(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Place {
        z.copy_from_slice(&self.anchor.z);
        self.low.clone_from(&self.anchor.low);
        self.dual.clone_from(&self.anchor.dual);
        self.along.copy(&self.anchor.along);
        self.sweep.refresh(problem, z);
        self.anchor.at
    }

    /// The step of eq. (2) with a piece of the path of this size in s, as far as the cones allow. Returns false when
    /// that is nowhere.
    fn advance(
        &mut self,
        problem: &ContactProblem,
        (damp, piece): (f64, f64),
        at: &mut Place,
        z: &mut [f64],
    ) -> bool {
        let part = (self.settings.max_correction_along / at.correct.abs()).min(damp);
        let half_square = 0.5 * piece * piece;
        let relative = (part * at.correct + piece + half_square * at.bend)
            .clamp(-self.settings.max_piece, self.settings.max_relative_rise);
        let Directions { newton, tangent, second, .. } = &self.along;
        for (i, change) in self.change.iter_mut().enumerate() {
            *change = part * newton[i] + relative * tangent[i] + half_square * second[i];
        }
        let target = at.target * (1.0 + relative);
        self.relate(problem, target, z);
        let mut length = 1.0f64;
        for (c, group) in problem.groups.iter().enumerate() {
            let (place, bend) = (self.place(problem, c, z), &self.along.bends[c]);
            let (mut dual, mut low) = place.dual_step(&self.barriers[c], target, &self.change[group.rows()]);
            dual.iter_mut().zip(bend.dual).for_each(|(d, b)| *d += half_square * b);
            low += half_square * bend.low;
            let step = Step { change: &self.change[group.rows()], dual, low };
            length = length.min(self.settings.max_step_fraction * place.longest(&step));
            self.dual_change[c] = (dual, low);
        }
        for _ in 0..30 {
            let after = self.products(problem, z, length);
            if after.least >= self.settings.min_product_fraction * after.sum / after.count.max(1.0) {
                break;
            }
            length *= 0.8;
        }
        for (x, d) in z.iter_mut().zip(&self.change) {
            *x += length * d;
        }
        for (c, group) in problem.groups.iter().enumerate() {
            let (dual, low) = self.dual_change[c];
            self.dual[group.rows()].iter_mut().zip(dual).for_each(|(v, d)| *v += length * d);
            self.low[c] += length * low;
        }
        at.target *= 1.0 + length * relative;
        length > 0.0 && at.target > 0.0 && at.target.is_finite()
    }
}
