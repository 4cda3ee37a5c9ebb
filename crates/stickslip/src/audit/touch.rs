//! `touch`: who pushes touches.
//!
//! With a contact's normal impulse lambda > 0, its normal n and gap g where the stepper looked at it, the force acts on
//! body A at `a = p + n g/2` and on B at `b = p − n g/2`. Judged is, in m,
//!
//! ```text
//! dist(a, A) and dist(b, B)        where the stepper looked: a force acts on its body                     (1)
//! dist(A', B') − height            where contacts touch: who pushes touches                               (2)
//! height = dt mu |slip|            where friction is associated (`stepper/convex.rs`), else zero           (3)
//! ```
//!
//! A step at the end of which contacts touch moves along the tangent plane of where it began. What the bodies leave
//! that plane by is of second order, and no force across a gap: with the angles theta that they turn by, the arms r of
//! the force, and s the way along the plane that they slide on each other,
//!
//! ```text
//! bend = 2 [r_A (1 − cos theta_A) + r_B (1 − cos theta_B) + outside(a + s, A) + outside(b + s, B)]         (4)
//! ```
//!
//! is allowed in (2) beside the tolerance. The last two are how far their surfaces fall off within s, zero on flat
//! sides; twice, because rolling and sliding go the same way: `(x + y)² <= 2 x² + 2 y²`. Likewise in (1): a corner that
//! comes to lie on a face within the step is beside it by up to s when it starts.
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

impl Auditor {
    pub(super) fn judge_touch(&mut self, case: &Case) -> (f64, Option<ConstraintId>) {
        let (mut value, mut blame) = (0.0, None);
        let pushes = case.step.outcomes.iter().filter(|o| pushes(case, o));
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
            let off = push.violation(height(case, o), case.tolerance.penetration);
            worse(&mut value, &mut blame, (off, c.id));
        }
        (value, blame)
    }
}

/// True for a contact that pushed and has to touch for it.
fn pushes(case: &Case, o: &Outcome) -> bool {
    if !(matches!(o.constraint.law, Law::Contact { .. }) && o.impulse[0] > 0.0) {
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
    /// The larger of (1) and (2), m.
    fn violation(&self, height: f64, tolerance: f64) -> f64 {
        let reach = tolerance + height;
        let own = [0, 1].map(|k| self.look[k].local(&self.points[k]));
        let off = [0, 1].map(|k| outside(self.parts[k], &own[k], tolerance)); // eq. (1)
        let off = off[0].max(off[1]).max(0.0);
        let mut apart = f64::INFINITY;
        for k in [0, 1] {
            let there = self.touch[1 - k].local(&self.touch[k].world_point(&own[k]));
            // a point that is off its own body is no witness
            apart = apart.min(outside(self.parts[1 - k], &there, reach) + off);
            if apart <= reach {
                return off.max(apart - height);
            }
        }
        let (slide, bend) = self.bend(&own, tolerance);
        let apart = self.distance(reach + bend).min(apart) - height; // eq. (2)
        let beyond = |value: f64, allowed: f64| {
            if value <= tolerance + allowed { value.min(tolerance) } else { value }
        };
        beyond(off, slide).max(beyond(apart, bend))
    }

    /// The way that the bodies slide on each other, and eq. (4), m.
    fn bend(&self, own: &[Vector3<f64>; 2], tolerance: f64) -> (f64, f64) {
        let ends = [0, 1].map(|k| self.touch[k].world_point(&own[k]));
        let way = (ends[0] - self.points[0]) - (ends[1] - self.points[1]);
        let slide = way - self.normal * self.normal.dot(&way);
        let mut bend = 0.0;
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let turned = self.look[k].r.tr_mul(&self.touch[k].r);
            bend += own[k].norm() * 0.5 * (3.0 - turned.trace()).max(0.0);
            let beside = self.look[k].local(&(self.points[k] + slide * sign));
            bend += outside(self.parts[k], &beside, slide.norm() + tolerance).clamp(0.0, slide.norm());
        }
        (slide.norm(), 2.0 * bend)
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
    let grow = Vector3::repeat(part.part.outer + reach);
    (centre - grow, centre + grow)
}
