//! Following the central path of `interior_point.rs` round its folds.
//!
//! With friction the path is a curve that may turn back: `target` falls, rises for a while, and falls again. So target is not a
//! parameter but a coordinate, its logarithm s. At a point, with the factors of one matrix,
//!
//! ```text
//! N    the Newton step to the path at the present target
//! T    the tangent: dlambda/ds along the path                                                    (1)
//! ```
//!
//! and in the metric of the barriers, `<a, b> = sum a^T V b / target + count a_s b_s`, in which a length below one stays inside
//! the cones, the step is
//!
//! ```text
//! (N, 0) − kappa (T, 1) ± h (T, 1),   kappa = <(N, 0), (T, 1)> / <(T, 1), (T, 1)>                (2)
//! ```
//!
//! the correction at right angles to the path and a piece of the path. Where the path turns, T grows without bound while
//! h T does not. Which way is forward the determinant of the matrix says: ds along the path has its sign (H. Keller 1977), down at the
//! start, where target is large and the matrix nearly one.
//!
//! A point is near the path when the correction is short. A piece is taken from a point near the path, corrected until it is near again, and
//! given up for a shorter one when that fails.

use super::interior_group::Step;
use super::interior_point::InteriorPoint;
use crate::problem::contact::ContactProblem;

/// The part of the way to the cones' boundary that a step may go.
const INSIDE: f64 = 0.99;
/// No product falls below this part of their mean.
const NEAR: f64 = 1e-2;
/// The proximal weight eps of eq. (5) of `interior_point.rs`.
const EPS: f64 = 1e-13;
/// A correction that is shorter than this means near the path, one that is longer than the second too far from it.
const NEARBY: f64 = 0.1;
const FAR: f64 = 1.0;
/// The longest piece of the path, in the metric of any one cone, and in s.
const RADIUS: f64 = 0.8;
const LONGEST: f64 = 0.95;
/// The shortest.
const SHORTEST: f64 = 1e-7;
/// A correction must shorten the next by this factor, and bring the point near the path in so many.
const HELPS: f64 = 0.5;
const CORRECTIONS: usize = 4;
/// The path may turn where a tangent is longer than this; elsewhere the determinant's sign is not looked at, as rounding can change it.
const STEEP: f64 = 3.0;
/// Steps without half the residual after which the iteration ends.
const PATIENCE: usize = 50;
/// Of a correction along s no more than this is taken at a time.
const CAUTION: f64 = 0.5;
/// Newton tries to finish from the path when its residual has fallen by this factor since the last try, for the first time from here on.
const FINISH: f64 = 1e-4;
const AGAIN: f64 = 0.1;

/// Where the iteration is on the path.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    target: f64,
    /// `−kappa` of eq. (2).
    correct: f64,
    /// The longest correction and the longest tangent of any cone.
    away: f64,
    most: f64,
    /// The determinant is negative.
    negative: bool,
}

/// A point with the steps from it.
#[derive(Clone, Debug, Default)]
pub struct Anchor {
    at: Place,
    z: Vec<f64>,
    dual: Vec<f64>,
    low: Vec<f64>,
    newton: Vec<f64>,
    tangent: Vec<f64>,
}

/// What to do next.
enum Next {
    /// A piece of the path from here, which is now the anchor.
    Forward,
    /// A correction from here.
    Correct,
    /// A shorter piece from the anchor.
    Shorter,
}

/// How the path is walked.
struct Walk {
    /// The size of a piece in s, and the part of the correction that goes with it.
    h: f64,
    damp: f64,
    /// There is an anchor.
    anchored: bool,
    /// Corrections since the last piece, and the length of the one before.
    corrections: usize,
    before: f64,
    /// Forward is where target falls.
    down: bool,
    /// The residual when it was last halved, and the steps since.
    mark: f64,
    since: usize,
}

impl Walk {
    fn next(&self, at: &Place) -> Next {
        if at.away <= NEARBY {
            Next::Forward
        } else if !self.anchored
            || (at.away <= FAR.min(HELPS * self.before) && self.corrections < CORRECTIONS)
        {
            Next::Correct
        } else {
            Next::Shorter
        }
    }

    /// The next piece from a point near the path, `last` being the anchor before.
    fn forward(&mut self, at: &Place, last: &Place) {
        let steep = at.most.max(last.most) > STEEP;
        self.down ^= self.anchored && steep && at.negative != last.negative;
        (self.anchored, self.damp, self.corrections, self.before) = (true, 1.0, 0, f64::INFINITY);
        let longer = if at.away < NEARBY { 2.0 * self.h } else { self.h };
        self.h = longer.min(LONGEST).min(RADIUS / at.most);
    }

    /// A shorter one, with less of the correction.
    fn shorten(&mut self) {
        (self.h, self.damp, self.corrections, self.before) =
            (0.4 * self.h, 0.7 * self.damp, 0, f64::INFINITY);
    }

    fn piece(&self) -> (f64, f64) {
        (self.damp, if self.down { -self.h } else { self.h })
    }

    /// Takes the best residual in; true when it has not been halved for too long.
    fn is_stuck(&mut self, best: f64) -> bool {
        if best < HELPS * self.mark {
            (self.mark, self.since) = (best, 0);
        } else {
            self.since += 1;
        }
        self.since > PATIENCE
    }
}

impl InteriorPoint {
    /// Along the path. Returns the residual of the best point, the steps along the path and Newton's iterations.
    pub(super) fn follow(&mut self, problem: &ContactProblem, z: &mut [f64]) -> (f64, usize, usize) {
        let (mut best, mut finish, mut steps, mut finishing) = (f64::INFINITY, FINISH, 0, 0);
        let now = self.products(problem, z, 0.0);
        // without any barrier there is no target either
        let target = if now.count > 0.0 { now.sum / now.count } else { 1.0 };
        let mut at = Place { target, ..Default::default() };
        let mut walk = Walk {
            h: RADIUS,
            damp: 1.0,
            anchored: false,
            corrections: 0,
            before: f64::INFINITY,
            down: true,
            mark: f64::INFINITY,
            since: 0,
        };
        loop {
            let residual = self.keep(problem, z, &mut best);
            if residual <= finish && best > self.tolerance {
                finishing += self.polish(problem, z, &mut best);
                finish = AGAIN * residual;
            }
            let over = steps >= self.iterations || walk.is_stuck(best);
            if best <= self.tolerance || residual.is_nan() || over || !self.look(problem, &mut at, z) {
                break;
            }
            steps += 1;
            let piece = match walk.next(&at) {
                Next::Forward => {
                    walk.forward(&at, &self.anchor.at);
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
            if walk.h < SHORTEST || !self.advance(problem, piece, &mut at, z) {
                break;
            }
        }
        if best > self.tolerance && best.is_finite() {
            finishing += self.polish(problem, z, &mut best);
        }
        (best, steps, finishing)
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

    /// N and T of eq. (1) and what they say. Returns false when the matrix cannot be factored.
    fn look(&mut self, problem: &ContactProblem, at: &mut Place, z: &[f64]) -> bool {
        let count = self.products(problem, z, 0.0).count.max(1.0);
        self.relate(problem, at.target, z);
        if !(self.system.step(problem, &self.barriers, &mut self.newton)
            && self.system.refine(problem, &self.barriers, &mut self.newton))
        {
            return false;
        }
        at.negative = self.system.is_negative();
        // right-hand sides are affine in target: their derivative with respect to s is a difference
        for c in 0..problem.groups.len() {
            let doubled = self.place(problem, c, z).relate(2.0 * at.target, EPS).f;
            let own = &mut self.barriers[c];
            own.f = std::array::from_fn(|i| if own.fixed { 0.0 } else { doubled[i] - own.f[i] });
        }
        if !(self.system.step_again(problem, &self.barriers, &mut self.tangent)
            && self.system.refine(problem, &self.barriers, &mut self.tangent))
        {
            return false;
        }
        let (mut newton, mut tangent, mut most) = (0.0, 0.0, 0.0f64);
        for (own, group) in self.barriers.iter().zip(&problem.groups) {
            let (n, t) = (&self.newton[group.rows()], &self.tangent[group.rows()]);
            let square = own.inner(t, t) / at.target;
            most = most.max(square);
            tangent += square;
            newton += own.inner(n, t) / at.target;
        }
        at.correct = -newton / (tangent + count);
        let mut away = 0.0f64;
        for (own, group) in self.barriers.iter().zip(&problem.groups) {
            let mut d = [0.0; crate::problem::law::MAX_ROWS];
            for (d, i) in d.iter_mut().zip(group.rows()) {
                *d = self.newton[i] + at.correct * self.tangent[i];
            }
            away = away.max(own.inner(&d, &d) / at.target);
        }
        (at.away, at.most) = (away.sqrt(), most.sqrt());
        at.away.is_finite() && at.most.is_finite()
    }

    fn relate(&mut self, problem: &ContactProblem, target: f64, z: &[f64]) {
        self.barriers.clear();
        for c in 0..problem.groups.len() {
            let barrier = self.place(problem, c, z).relate(target, EPS);
            self.barriers.push(barrier);
        }
    }

    fn drop_anchor(&mut self, at: Place, z: &[f64]) {
        let anchor = &mut self.anchor;
        anchor.at = at;
        anchor.low.clone_from(&self.low);
        anchor.dual.clone_from(&self.dual);
        anchor.newton.clone_from(&self.newton);
        anchor.tangent.clone_from(&self.tangent);
        anchor.z.clear();
        anchor.z.extend_from_slice(z);
    }

    fn return_to_anchor(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Place {
        z.copy_from_slice(&self.anchor.z);
        self.low.clone_from(&self.anchor.low);
        self.dual.clone_from(&self.anchor.dual);
        self.newton.clone_from(&self.anchor.newton);
        self.tangent.clone_from(&self.anchor.tangent);
        self.sweep.refresh(problem, z);
        self.anchor.at
    }

    /// The step of eq. (2) with a piece of the path of this size in s, as far as the cones allow. Returns false when that is nowhere.
    fn advance(
        &mut self,
        problem: &ContactProblem,
        (damp, piece): (f64, f64),
        at: &mut Place,
        z: &mut [f64],
    ) -> bool {
        let part = (CAUTION / at.correct.abs()).min(damp);
        let relative = (part * at.correct + piece).max(-LONGEST);
        for ((change, n), t) in self.change.iter_mut().zip(&self.newton).zip(&self.tangent) {
            *change = part * n + relative * t;
        }
        let target = at.target * (1.0 + relative);
        self.relate(problem, target, z);
        let mut length = 1.0f64;
        for (c, group) in problem.groups.iter().enumerate() {
            let place = self.place(problem, c, z);
            let (dual, low) = place.dual_step(&self.barriers[c], target, &self.change[group.rows()]);
            let step = Step { change: &self.change[group.rows()], dual, low };
            length = length.min(INSIDE * place.longest(&step));
            self.dual_change[c] = (dual, low);
        }
        for _ in 0..30 {
            let after = self.products(problem, z, length);
            if after.least >= NEAR * after.sum / after.count.max(1.0) {
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
