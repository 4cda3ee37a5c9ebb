//! `passage`: parts that went through each other between the ends of a step, or left at the far side, m.
//!
//! Bodies are taken from where they were to where they are,
//!
//! ```text
//! p(s) = p + s (p' − p),   R(s) = R exp(s theta),   exp(theta) = R^T R',   0 <= s <= 1                   (1)
//! ```
//!
//! in an interval with events (`event`, `gauss`) motion by motion as the stepper lists them, each by the cubics in p
//! and theta with the velocities at its ends, which are exact in free flight. Where a motion does not start where the
//! last one ended, the way between is one too. Of the turns theta + 2 pi k about the same axis that lead from R to R',
//! it is the one nearest to the spin of the step, `dt (omega + omega') / 2` or `dt omega'`: a rod that turns round and
//! round sweeps what it does not touch at the ends. With d(s) the signed distance of two convex parts along (1), missed
//! is
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
//! direction of their distance turns round, which is a passage too. What a layer gives way by is allowed, and where
//! there is no thickness a hundredth of what the cubics bend by, for what they are off between their ends.

use super::distance::{Placed, signed};
use super::part::{Frame, Part};
use super::touch::each;
use super::{Auditor, Bodies, Case, Look, give};
use crate::collide::Aabb;
use crate::state::State;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// The part of the half-widths of two parts that a corner may be cut by.
pub(crate) const ALLOWANCE: f64 = 0.1;
/// The part of what cubics bend by that they may be off.
const CUBIC: f64 = 0.01;
/// The most looks at a pair of parts on its way.
const LOOKS: usize = 160;

/// The way of a body in a step, eq. (1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    from: Frame,
    /// The way of the origin, m, and the turn, in the body frame, rad.
    way: Vector3<f64>,
    turn: Vector3<f64>,
    /// By how much their rates at both ends, times the length of the step, differ from them.
    bends: Option<[[Vector3<f64>; 2]; 2]>,
}

impl Path {
    /// From one frame to another, turned by about `spin` (rad, in the world); with the velocity and spin at both ends,
    /// times the length of the step, by a cubic.
    fn new(
        [from, to]: [&Frame; 2],
        spin: &Vector3<f64>,
        rates: Option<[(Vector3<f64>, Vector3<f64>); 2]>,
    ) -> Self {
        let way = to.p - from.p;
        // no turn is the commonest
        let turn =
            if from.r == to.r { Vector3::zeros() } else { turn(&from.r.tr_mul(&to.r), &from.r.tr_mul(spin)) };
        let bends = rates.map(|[a, b]| {
            let turned = turn != Vector3::zeros();
            let bend = |r: &Matrix3<f64>, spin| if turned { r.tr_mul(&spin) - turn } else { turn };
            [[a.0 - way, b.0 - way], [bend(&from.r, a.1), bend(&to.r, b.1)]]
        });
        Self { from: *from, way, turn, bends }
    }

    fn at(&self, s: f64) -> Frame {
        let (mut way, mut turn) = (self.way * s, self.turn * s);
        if let Some([p, r]) = &self.bends {
            let (t, bend) = (1.0 - s, s * (1.0 - s));
            way += (p[0] * t - p[1] * s) * bend;
            turn += (r[0] * t - r[1] * s) * bend;
        }
        let r = if self.turn == Vector3::zeros() {
            self.from.r
        } else {
            self.from.r * Rotation3::from_scaled_axis(turn).into_inner()
        };
        Frame { p: self.from.p + way, r }
    }

    /// No point within a radius of the origin moves by more, per unit of s.
    fn speed(&self, radius: f64) -> f64 {
        let size = |bend: &[Vector3<f64>; 2]| bend[0].norm() + bend[1].norm();
        let [p, r] = self.bends.as_ref().map_or([0.0; 2], |b| [size(&b[0]), size(&b[1])]);
        let turn = self.turn.norm() + r;
        self.way.norm() + p + if turn > 0.0 { turn * radius } else { 0.0 }
    }

    /// How far the origin may be off the straight line, m.
    fn bulge(&self) -> f64 {
        self.bends.as_ref().map_or(0.0, |[p, _]| 0.25 * (p[0].norm() + p[1].norm()))
    }

    /// How far a point within a radius of the origin may be off where the cubics have it, m.
    fn inexact(&self, radius: f64) -> f64 {
        let turn = self.bends.as_ref().map_or(0.0, |[_, r]| 0.25 * (r[0].norm() + r[1].norm()));
        CUBIC * (self.bulge() + if turn > 0.0 { turn * radius } else { 0.0 })
    }
}

/// A motion within a step, or the step itself.
#[derive(Clone, Copy)]
struct Leg<'a> {
    ends: [&'a State; 2],
    /// The velocities at its ends are those of a smooth motion between them.
    smooth: bool,
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
        let mut worst = (0.0, None);
        let (mut last, end) = (case.from, &case.step.state);
        let motions = if case.manner.interval { case.step.motions.list() } else { &[] };
        for [from, to] in motions {
            if from.q != last.q {
                self.judge_leg(case, bodies, Leg { ends: [last, from], smooth: false }, &mut worst);
            }
            self.judge_leg(case, bodies, Leg { ends: [from, to], smooth: true }, &mut worst);
            last = to;
        }
        if motions.is_empty() || last.q != end.q {
            let smooth = case.manner.interval && motions.is_empty();
            self.judge_leg(case, bodies, Leg { ends: [last, end], smooth }, &mut worst);
        }
        worst
    }

    fn judge_leg(
        &mut self,
        case: &Case,
        bodies: &dyn Bodies,
        leg: Leg,
        worst: &mut (f64, Option<[usize; 2]>),
    ) {
        if !self.trace(case, bodies, leg) {
            return;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        let fast = &self.fast;
        let counts = |i: usize, j: usize| (fast[i] || fast[j]) && bodies.may_touch(i, j);
        self.broad.pairs(&self.boxes, counts, &mut pairs);
        for &(i, j) in &pairs {
            let pair = [i as usize, j as usize];
            let depth = self.passed(case, pair);
            if depth > worst.0 || depth.is_nan() {
                *worst = (depth, Some(pair));
            }
        }
        self.pairs = pairs;
    }

    /// Lists the ways of the bodies, and the boxes about them. Returns true when one is fast enough to pass through
    /// another.
    fn trace(&mut self, case: &Case, bodies: &dyn Bodies, leg: Leg) -> bool {
        let whole = [case.from, &case.step.state];
        let mut ends = std::mem::take(&mut self.ends);
        for k in [0, 1] {
            ends[k].clear();
            if std::ptr::eq(leg.ends[k], whole[k]) {
                ends[k].extend_from_slice(if k == 0 { &self.start } else { &self.end });
            } else {
                ends[k].extend((0..self.parts.len()).map(|body| bodies.frame(body, leg.ends[k])));
            }
        }
        let any = self.trace_between(case, bodies, leg, &ends);
        self.ends = ends;
        any
    }

    fn trace_between(&mut self, case: &Case, bodies: &dyn Bodies, leg: Leg, ends: &[Vec<Frame>; 2]) -> bool {
        self.fast.clear();
        self.paths.clear();
        let mut any = false;
        for body in 0..self.parts.len() {
            let (from, to) = (&ends[0][body], &ends[1][body]);
            let (inner, outer) = (self.inner[body], self.outer[body]);
            let (way, turned) = (to.p - from.p, from.r != to.r);
            let mut path = Path::new([from, from], &Vector3::zeros(), None);
            let mut fast = leg.smooth || way.norm() + if turned { outer } else { 0.0 } > 0.0;
            if fast {
                path = way_of(case, bodies, leg, body, [from, to]);
                fast = path.speed(outer) > 2.0 * ALLOWANCE * inner;
            }
            any |= fast;
            self.paths.push(path);
            self.fast.push(fast);
        }
        if !any {
            return false;
        }
        self.boxes.clear();
        for (body, path) in self.paths.iter().enumerate() {
            let radius = self.outer[body];
            self.boxes.push(if self.parts[body].is_empty() {
                Aabb::NOTHING
            } else if radius.is_infinite() {
                Aabb::EVERYTHING
            } else {
                let (a, b) = (ends[0][body].p, ends[1][body].p);
                Aabb { min: a.inf(&b), max: a.sup(&b) }.grown(radius + path.bulge())
            });
        }
        true
    }

    /// Eq. (2) over the parts of two bodies: the greatest depth that counts, m.
    fn passed(&self, case: &Case, [a, b]: [usize; 2]) -> f64 {
        let paths = [&self.paths[a], &self.paths[b]];
        let apart =
            [0.0, 1.0].map(|s| (paths[0].at(s).p - paths[1].at(s).p).norm()).into_iter().fold(0.0, f64::max);
        // what is unbounded is met within reach of the other only
        let arms = [self.outer[a].min(apart + self.outer[b]), self.outer[b].min(apart + self.outer[a])];
        let speed = paths[0].speed(arms[0]) + paths[1].speed(arms[1]);
        let give = give(case, [a, b]);
        let spare =
            case.tolerance.penetration.max(give) + paths[0].inexact(arms[0]) + paths[1].inexact(arms[1]);
        let mut worst = 0.0f64;
        for pa in &self.parts[a] {
            for pb in &self.parts[b] {
                let thick = |x: f64| if x.is_finite() { x } else { 0.0 };
                let inner = thick(pa.inner) + thick(pb.inner);
                if speed <= 2.0 * (ALLOWANCE * inner + give) {
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
                    let depth = way.depth(speed, inner, spare);
                    if depth > worst || depth.is_nan() {
                        worst = depth;
                    }
                });
            }
        }
        worst
    }
}

/// The way of a body from one frame to another.
fn way_of(case: &Case, bodies: &dyn Bodies, leg: Leg, body: usize, frames: [&Frame; 2]) -> Path {
    let dt = leg.ends[1].t - leg.ends[0].t;
    let rates = || leg.ends.map(|at| bodies.twist(body, at)).map(|(v, spin)| (v * dt, spin * dt));
    if leg.smooth {
        let rates = rates();
        return Path::new(frames, &(0.5 * (rates[0].1 + rates[1].1)), Some(rates));
    }
    if frames[0].r == frames[1].r {
        return Path::new(frames, &Vector3::zeros(), None);
    }
    let [start, end] = rates();
    // the others move by the velocity at the end
    let by_mean = case.manner.touch == Look::Middle || bodies.is_driven(body);
    Path::new(frames, &if by_mean { 0.5 * (start.1 + end.1) } else { end.1 }, None)
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
    fn depth(&self, speed: f64, inner: f64, spare: f64) -> f64 {
        let allowed = (ALLOWANCE * inner).max(spare);
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
