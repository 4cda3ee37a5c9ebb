//! `passage`: parts that went through each other between the ends of a step, or left at the far side, m.
//!
//! Bodies are taken from where they were to where they are,
//!
//! ```text
//! p(s) = p + s (p' − p),   R(s) = R exp(s theta),   exp(theta) = R^T R',   0 <= s <= 1                   (1)
//! ```
//!
//! in an interval with events (`event`, `gauss`) by the cubic with the velocities at both ends, which is exact in free
//! flight. Of the turns theta + 2 pi k about the same axis that lead from R to R', it is the one nearest to the spin of
//! the step, `dt (omega + omega') / 2` or `dt omega'`: a rod that turns round and round sweeps what it does not touch
//! at the ends. With d(s) the signed distance of two convex parts along (1), missed is
//!
//! ```text
//! max_s(−d(s)) − max(0, −d(0), −d(1)) > ALLOWANCE (inner_A + inner_B)                                     (2)
//! ```
//!
//! What overlaps at the ends is judged by `penetration`. A part that goes through another reaches the depth of both
//! half-widths on the way; a corner that is cut by the straight line from end to end does not reach the allowed tenth
//! of them. (2) is asked only of pairs that moved by twice the allowed depth: one has to go in and come out again.
//! Steps along s are those of conservative advancement: within d / L nothing can meet, where no point of the one moves
//! by more than L relative to the other. Where parts are so thin that a step leads from one side to the other, the
//! direction of their distance turns round, which is a passage too.
//!
//! In an interval, bodies with events in it are left out, since where they were then is not known here, and pairs that
//! pushed each other, which `touch` judges.

use super::distance::{Placed, signed};
use super::part::{Frame, Part};
use super::touch::each;
use super::{Auditor, Bodies, Case, Look};
use crate::collide::Aabb;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// The part of the half-widths of two parts that a corner may be cut by.
pub const ALLOWANCE: f64 = 0.1;
/// The most looks at a pair of parts on its way.
const LOOKS: usize = 160;

/// The way of a body in a step, eq. (1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    from: Frame,
    /// The way of the origin, and its rates at both ends times the length of the step, m.
    way: Vector3<f64>,
    rates: [Vector3<f64>; 2],
    /// The turn, in the body frame, rad.
    turn: Vector3<f64>,
}

impl Path {
    /// From one frame to another, turned by about `spin` (rad, in the world).
    fn new(from: Frame, to: &Frame, spin: &Vector3<f64>, rates: Option<[Vector3<f64>; 2]>) -> Self {
        let way = to.p - from.p;
        // no turn is the commonest
        let turn =
            if from.r == to.r { Vector3::zeros() } else { turn(&from.r.tr_mul(&to.r), &from.r.tr_mul(spin)) };
        Self { from, way, rates: rates.unwrap_or([way; 2]), turn }
    }

    fn at(&self, s: f64) -> Frame {
        let [a, b] = self.rates;
        let (t, bend) = (1.0 - s, s * (1.0 - s));
        let p = self.from.p + self.way * s + ((a - self.way) * t - (b - self.way) * s) * bend;
        let turned = self.turn != Vector3::zeros();
        let r = if turned {
            self.from.r * Rotation3::from_scaled_axis(self.turn * s).into_inner()
        } else {
            self.from.r
        };
        Frame { p, r }
    }

    /// No point within a radius of the origin moves by more, per unit of s.
    fn speed(&self, radius: f64) -> f64 {
        let bend = (self.rates[0] - self.way).norm() + (self.rates[1] - self.way).norm();
        let turn = self.turn.norm();
        self.way.norm() + bend + if turn > 0.0 { turn * radius } else { 0.0 }
    }
}

/// The turn of a rotation that is nearest to a spin, rad, both in the body frame.
fn turn(moved: &Matrix3<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
    let shortest =
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*moved)).scaled_axis();
    if spin.norm_squared() < PI * PI {
        return shortest;
    }
    let angle = shortest.norm();
    let axis = if angle > 0.0 { shortest / angle } else { spin.normalize() };
    axis * (angle + TAU * ((axis.dot(spin) - angle) / TAU).round())
}

impl Auditor {
    pub(super) fn judge_passage(&mut self, case: &Case, bodies: &dyn Bodies) -> (f64, Option<[usize; 2]>) {
        let (mut value, mut blame) = (0.0, None);
        if !self.trace(case, bodies) {
            return (value, blame);
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        let fast = &self.fast;
        let counts = |i: usize, j: usize| (fast[i] || fast[j]) && bodies.may_touch(i, j);
        self.broad.pairs(&self.boxes, counts, &mut pairs);
        for &(i, j) in &pairs {
            let pair = [i as usize, j as usize];
            if case.manner.interval && left_out(case, bodies, pair) {
                continue;
            }
            let depth = self.passed(case, pair);
            if depth > value || depth.is_nan() {
                (value, blame) = (depth, Some(pair));
            }
        }
        self.pairs = pairs;
        (value, blame)
    }

    /// Lists the ways of the bodies, and the boxes about them. Returns true when one is fast enough to pass through
    /// another.
    fn trace(&mut self, case: &Case, bodies: &dyn Bodies) -> bool {
        self.fast.clear();
        let mut any = false;
        for body in 0..self.parts.len() {
            let (way, turned) =
                (self.end[body].p - self.start[body].p, self.start[body].r != self.end[body].r);
            let reach = way.norm() + if turned { 2.0 * self.outer[body] } else { 0.0 };
            let mut fast = reach > 2.0 * ALLOWANCE * self.inner[body] || case.manner.interval;
            // the angle is worth a look only now
            if fast && turned && !case.manner.interval {
                let spin = self.spin(case, bodies, body);
                let path = Path::new(self.start[body], &self.end[body], &spin, None);
                fast = path.speed(self.outer[body]) > 2.0 * ALLOWANCE * self.inner[body];
            }
            any |= fast;
            self.fast.push(fast);
        }
        if !any {
            return false;
        }
        self.paths.clear();
        self.boxes.clear();
        for body in 0..self.parts.len() {
            let rates = case
                .manner
                .interval
                .then(|| [case.from, &case.step.state].map(|at| bodies.twist(body, at).0 * case.step.dt));
            let spin = self.spin(case, bodies, body);
            let path = Path::new(self.start[body], &self.end[body], &spin, rates);
            let radius = self.outer[body];
            self.boxes.push(if self.parts[body].is_empty() {
                Aabb::NOTHING
            } else if radius.is_infinite() {
                Aabb::EVERYTHING
            } else {
                let (a, b) = (self.start[body].p, self.end[body].p);
                let bend = (path.rates[0] - path.way).norm() + (path.rates[1] - path.way).norm();
                Aabb { min: a.inf(&b), max: a.sup(&b) }.grown(radius + 0.25 * bend)
            });
            self.paths.push(path);
        }
        true
    }

    /// By about how much a body turned, rad.
    fn spin(&self, case: &Case, bodies: &dyn Bodies, body: usize) -> Vector3<f64> {
        if self.start[body].r == self.end[body].r {
            return Vector3::zeros();
        }
        let end = bodies.twist(body, &case.step.state).1;
        // the others move by the velocity at the end
        let by_mean = case.manner.interval || case.manner.touch == Look::Middle || bodies.is_driven(body);
        let rate = if by_mean { 0.5 * (bodies.twist(body, case.from).1 + end) } else { end };
        rate * case.step.dt
    }

    /// Eq. (2) over the parts of two bodies: the greatest depth that counts, m.
    fn passed(&self, case: &Case, [a, b]: [usize; 2]) -> f64 {
        let paths = [&self.paths[a], &self.paths[b]];
        let apart =
            [0.0, 1.0].map(|s| (paths[0].at(s).p - paths[1].at(s).p).norm()).into_iter().fold(0.0, f64::max);
        // what is unbounded is met within reach of the other only
        let arms = [self.outer[a].min(apart + self.outer[b]), self.outer[b].min(apart + self.outer[a])];
        let speed = paths[0].speed(arms[0]) + paths[1].speed(arms[1]);
        let mut worst = 0.0f64;
        for pa in &self.parts[a] {
            for pb in &self.parts[b] {
                let thick = |x: f64| if x.is_finite() { x } else { 0.0 };
                let inner = thick(pa.inner) + thick(pb.inner);
                if speed <= 2.0 * ALLOWANCE * inner {
                    continue;
                }
                let here = |s: f64| {
                    let frames = [paths[0].at(s), paths[1].at(s)];
                    (
                        Placed { part: pa, frame: pa.frame(&frames[0]) },
                        Placed { part: pb, frame: pb.frame(&frames[1]) },
                    )
                };
                // triangles of a mesh are met one by one, each along the whole way
                let (a, b) = here(0.5);
                each(&a, &b, speed, &mut |a, b| {
                    let way = Way { parts: [a.part, b.part], paths, flat: self.flat };
                    let depth = way.depth(speed, inner, case.tolerance.penetration);
                    if depth > worst || depth.is_nan() {
                        worst = depth;
                    }
                });
            }
        }
        worst
    }
}

/// True for a pair that is not judged in an interval with events.
fn left_out(case: &Case, bodies: &dyn Bodies, pair: [usize; 2]) -> bool {
    let step = case.step;
    let concerns = |body: usize| move |of: [usize; 2]| of.contains(&body);
    let told =
        |body: usize| step.events.iter().flatten().filter_map(|e| bodies.touching(e.id)).any(concerns(body));
    let pushed = |of: [usize; 2]| of == pair || [of[1], of[0]] == pair;
    let pushes = step.outcomes.iter().filter(|o| o.impulse[0] > 0.0);
    told(pair[0]) || told(pair[1]) || pushes.filter_map(|o| bodies.touching(o.constraint.id)).any(pushed)
}

/// Two convex parts on their way.
struct Way<'a> {
    parts: [&'a Part; 2],
    paths: [&'a Path; 2],
    flat: bool,
}

impl Way<'_> {
    fn look(&self, s: f64) -> (f64, Vector3<f64>) {
        let placed =
            |k: usize| Placed { part: self.parts[k], frame: self.parts[k].frame(&self.paths[k].at(s)) };
        signed(&placed(0), &placed(1), self.flat)
    }

    /// How deep they go through each other beyond eq. (2), m; else zero.
    fn depth(&self, speed: f64, inner: f64, tolerance: f64) -> f64 {
        let allowed = (ALLOWANCE * inner).max(tolerance);
        let ends = [self.look(0.0), self.look(1.0)];
        let least = 1.0 / LOOKS as f64;
        let (mut s, mut deepest, mut last) = (0.0, 0.0f64, ends[0]);
        while s < 1.0 {
            let step = (last.0.max(0.0) + 0.5 * allowed) / speed;
            s = (s + step.max(least)).min(1.0);
            let next = if s < 1.0 { self.look(s) } else { ends[1] };
            deepest = if next.0.is_nan() { f64::NAN } else { deepest.max(-next.0) };
            // from one side to the other within a step that was too long to be sure
            let jumped = step < least && last.0 >= 0.0 && next.0 >= 0.0 && last.1.dot(&next.1) < -0.5;
            if jumped {
                deepest = deepest.max(inner + speed * least);
            }
            last = next;
            if deepest.is_nan() {
                return deepest;
            }
        }
        let beyond = deepest - ends[0].0.min(ends[1].0).min(0.0).abs();
        if beyond > allowed { beyond } else { 0.0 }
    }
}
