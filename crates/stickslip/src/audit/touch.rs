//! `touch`: who pushes touches.
//!
//! With a contact's normal impulse lambda, larger than what the tolerance of the laws leaves undecided, its normal n
//! and gap g where the stepper looked at it, the force acts on body A at `a = p + n g/2` and on B at `b = p − n g/2`.
//! Judged is, in m,
//!
//! ```text
//! dist(a, A) and dist(b, B)        where the stepper looked: a force acts on its body                     (1)
//! dist(A', B') − height            where contacts touch: who pushes touches                               (2)
//! height = dt mu |slip|            where friction is associated (`stepper/convex.rs`), else zero           (3)
//! ```
//!
//! A corner that comes to lie on a face within the step is beside it when it starts: (1) is less the way that the
//! bodies slide on each other in the step, or would at the velocity of its start. And a step moves along the tangent
//! plane of where it began. What bodies that strike leave that plane by is of second order, and no force across a gap:
//! with the angles theta that they turn by, the arms r of the force, the way s that they slide and their least
//! half-widths w,
//!
//! ```text
//! bend = sum over both of  2 r (1 − cos theta) + s theta + min(outside, s² / w, w / 20)                  (4)
//! ```
//!
//! is allowed in (2) beside the tolerance; the last is how far a round surface falls off within s, and hides nothing
//! that slides off an edge.
//!
//! A' and B' are the parts at the end of the step. For laws at velocity level (`moreau`, `anitescu-potra`) a contact
//! pushes because it was closed where the law looked, at the midpoint or the start, and may be apart at the end after a
//! bounce: there (2) is asked at that configuration. For intervals with events (`event`, `gauss`) it is asked at the
//! end of those that are still closed, and of those that no event opened.
//!
//! The distance in (2) is computed only where a witness fails: the point a, carried along with A, lies within the
//! tolerance of B, or b of A. Systems without bodies are asked for the gap itself.

use super::distance::{Placed, signed};
use super::part::{Core, Frame, Part};
use super::{Auditor, Case, Look, Manner, worse};
use crate::step::{Mode, Outcome};
use crate::system::{ConstraintId, Law};
use nalgebra::Vector3;

/// The most that a round surface may fall off within a step, as a part of the least half-width: beyond, it is passed.
const ROUND: f64 = 0.05;

impl Auditor {
    pub(super) fn judge_touch(&mut self, case: &Case) -> (f64, Option<ConstraintId>) {
        let (mut value, mut blame) = (0.0, None);
        let contacts =
            || case.step.outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. }));
        let most = contacts().map(|o| o.impulse[0]).fold(0.0, f64::max);
        let pushes = contacts().filter(|o| pushes(case, o, case.tolerance.law * most));
        let Some(bodies) = case.system.bodies() else {
            for o in pushes {
                let gap = if case.manner.touch == Look::End { o.gap } else { o.constraint.gap[0] };
                worse(&mut value, &mut blame, ((gap - height(case, o)).max(0.0), o.constraint.id));
            }
            return (value, blame);
        };
        let Manner { look, touch, .. } = case.manner;
        for o in pushes {
            let c = &o.constraint;
            let Some([a, b]) = bodies.touching(c.id) else { continue };
            let half = c.normal * (0.5 * c.gap[0]);
            let push = Push {
                parts: [&self.parts[a], &self.parts[b]],
                look: [a, b].map(|body| self.frame(bodies, body, look)),
                touch: [a, b].map(|body| self.frame(bodies, body, touch)),
                points: [c.point + half, c.point - half],
                normal: c.normal,
                flat: self.flat,
            };
            let foreseen = || {
                let way = [a, b].map(|body| {
                    let (v, spin) = bodies.twist(body, case.from);
                    (v + spin.cross(&(c.point - bodies.frame(body, case.from).p))) * case.step.dt
                });
                push.across(way[0] - way[1])
            };
            let off = push.violation(height(case, o), case.tolerance.penetration, foreseen);
            worse(&mut value, &mut blame, (off, c.id));
        }
        (value, blame)
    }
}

/// True for a contact that pushed by more than that and has to touch for it.
fn pushes(case: &Case, o: &Outcome, least: f64) -> bool {
    // over an interval a layer pushes and lets go; what it stores is for `passivity`
    if case.manner.interval && case.system.layer(o.constraint.id).is_some() {
        return false;
    }
    if o.impulse[0] <= least {
        return false;
    }
    let id = o.constraint.id;
    let told = || case.step.events.iter().flatten().any(|e| e.id == id);
    !case.manner.interval || o.mode != Mode::Open || !told()
}

/// Eq. (3).
fn height(case: &Case, o: &Outcome) -> f64 {
    let Law::Contact { tangents, surface } = o.constraint.law else { return 0.0 };
    if !case.manner.associated {
        return 0.0;
    }
    let mu = surface.ellipse.map_or(surface.friction, |e| surface.friction.max(e.across));
    let slip = o.velocity[1..=tangents].iter().fold(0.0, |m: f64, v| m.hypot(*v));
    let spin =
        if surface.has_spin(tangents) { surface.torsional * o.velocity[1 + tangents].abs() } else { 0.0 };
    case.step.dt * (mu * slip).hypot(spin)
}

/// A force between two bodies.
struct Push<'a> {
    parts: [&'a [Part]; 2],
    look: [&'a Frame; 2],
    touch: [&'a Frame; 2],
    points: [Vector3<f64>; 2],
    normal: Vector3<f64>,
    flat: bool,
}

impl Push<'_> {
    /// The larger of (1) and (2), m, with the way that the bodies would slide at the velocity of the start.
    fn violation(&self, height: f64, tolerance: f64, foreseen: impl Fn() -> f64) -> f64 {
        let reach = tolerance + height;
        let own = [0, 1].map(|k| self.look[k].local(&self.points[k]));
        let slide = self.slide(&own);
        let beside = |slide: f64| {
            let off = [0, 1].map(|k| outside(self.parts[k], &own[k], tolerance + slide));
            (off[0].max(off[1]) - slide).max(0.0)
        };
        let off = beside(slide); // eq. (1)
        let off = if off > tolerance { off.min(beside(foreseen())) } else { off };
        let mut apart = f64::INFINITY;
        for k in [0, 1] {
            let there = self.touch[1 - k].local(&self.touch[k].world_point(&own[k]));
            // a point that may be off its own body is a witness of so much less
            let own_off = outside(self.parts[k], &own[k], reach).max(0.0);
            apart = apart.min(outside(self.parts[1 - k], &there, reach) + own_off);
            if apart <= reach {
                return off.max(apart - height);
            }
        }
        let bend = self.bend(&own, slide, tolerance);
        let apart = self.distance(reach + bend).min(apart) - height; // eq. (2)
        off.max(if apart <= tolerance + bend { apart.min(tolerance) } else { apart })
    }

    /// Eq. (4), m.
    fn bend(&self, own: &[Vector3<f64>; 2], slide: f64, tolerance: f64) -> f64 {
        let mut bend = 0.0;
        for k in [0, 1] {
            let turned = self.look[k].r.tr_mul(&self.touch[k].r);
            let fall = 0.5 * (3.0 - turned.trace()).max(0.0); // 1 − cos theta
            bend += 2.0 * own[k].norm() * fall + slide * (2.0 * fall).sqrt();
            let inner = self.parts[k].iter().map(|part| part.inner).fold(f64::INFINITY, f64::min);
            if inner > 0.0 {
                let there = self.touch[k].local(&self.touch[1 - k].world_point(&own[1 - k]));
                let fall = (slide * slide / inner).min(ROUND * inner);
                bend += outside(self.parts[k], &there, slide + tolerance).clamp(0.0, fall);
            }
        }
        bend
    }

    /// The way that the bodies slide on each other, m.
    fn slide(&self, own: &[Vector3<f64>; 2]) -> f64 {
        let ends = [0, 1].map(|k| self.touch[k].world_point(&own[k]));
        self.across((ends[0] - self.points[0]) - (ends[1] - self.points[1]))
    }

    /// The part of a way that is across the normal, m.
    fn across(&self, way: Vector3<f64>) -> f64 {
        (way - self.normal * self.normal.dot(&way)).norm()
    }

    /// The distance of the bodies where they touch, m.
    fn distance(&self, reach: f64) -> f64 {
        let mut least = f64::INFINITY;
        for a in self.parts[0] {
            for b in self.parts[1] {
                let (a, b) = (
                    Placed { part: a, frame: a.frame(self.touch[0]) },
                    Placed { part: b, frame: b.frame(self.touch[1]) },
                );
                each(&a, &b, reach, &mut |a, b| least = least.min(signed(a, b, self.flat).0));
            }
        }
        least.max(0.0)
    }
}

/// How far a point of a body's frame lies off it, m; infinite where it is farther than `reach` from a mesh.
fn outside(parts: &[Part], x: &Vector3<f64>, reach: f64) -> f64 {
    let mut least = f64::INFINITY;
    for part in parts {
        least = least.min(part.outside(x, reach));
        if least <= 0.0 {
            break;
        }
    }
    least
}

/// Shows the convex pairs of two parts; triangles of a mesh where they are within reach of the other.
pub(super) fn each(a: &Placed, b: &Placed, reach: f64, show: &mut dyn FnMut(&Placed, &Placed)) {
    match (&a.part.core, &b.part.core) {
        (Core::Mesh(mesh), _) => {
            let (min, max) = bounds(b, &a.frame, reach);
            mesh.visit(&min, &max, |t| {
                let triangle = Part::triangle(mesh, t, a.part.place);
                each(&Placed { part: &triangle, frame: a.frame }, b, reach, show);
            });
        }
        (_, Core::Mesh(_)) => each(b, a, reach, &mut |b, a| show(a, b)),
        _ => show(a, b),
    }
}

/// The box of a part in a frame, grown.
fn bounds(part: &Placed, frame: &Frame, reach: f64) -> (Vector3<f64>, Vector3<f64>) {
    let centre = frame.local(&part.frame.p);
    let [least, most] = part.part.extent(&(frame.r.transpose() * part.frame.r));
    (centre + least.add_scalar(-reach), centre + most.add_scalar(reach))
}
