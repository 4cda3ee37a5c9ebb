//! `penetration`: bodies that are in each other at the end of a step, m.
//!
//! The rows of the contacts at the end say how deep those contacts are that were found. Two bodies whose rows are none,
//! or are those of other parts, are in each other all the same. So all pairs whose boxes overlap at the end are asked,
//! part by part: two convex parts are in each other by the least way that separates them,
//!
//! ```text
//! depth = min over unit n of o(n),   o(n) = max_B n · b − min_A n · a                                    (1)
//! ```
//!
//! and a pair of bodies by the greatest depth of its parts (triangles, of a mesh), less what a layer gives way by.
//! Entered is what is beyond the tolerance. That is seldom, and mostly disproved by one direction: o(n) is at most the
//! tolerance for the normal of a contact of the two, turned with the one or the other body from where the stepper
//! looked to the end. A normal that is wrong disproves nothing, so that rows are asked for hints only. Where no hint
//! does it, (1) is computed (`distance.rs`).

use super::distance::{Placed, along, signed};
use super::part::{Core, Frame, Part};
use super::touch::each;
use super::{Auditor, Bodies, Case, give};
use crate::collide::Aabb;
use crate::system::{ConstraintId, Law};
use nalgebra::Vector3;

/// To what part of the tolerance for overlaps the auditor's own distances are exact.
pub(super) const EXACT: f64 = 0.01;
/// The most normals of contacts that are tried for a pair.
const HINTS: usize = 4;

impl Auditor {
    /// The greatest depth of eq. (1) that is beyond the tolerance, else zero, and the pair.
    pub(super) fn judge_overlap(&mut self, case: &Case, bodies: &dyn Bodies) -> (f64, Option<[usize; 2]>) {
        let (mut value, mut blame) = (0.0, None);
        self.boxes.clear();
        for (parts, frame) in self.parts.iter().zip(&self.end) {
            let all = parts.iter().fold(Aabb::NOTHING, |all, p| all.with(&bounds(p, &p.frame(frame))));
            self.boxes.push(all);
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        self.broad.pairs(&self.boxes, |i, j| bodies.may_touch(i, j), &mut pairs);
        self.list_hints(case, bodies);
        for &(i, j) in &pairs {
            let depth = self.end_depth(case, bodies, (i, j));
            if depth > value {
                (value, blame) = (depth, Some([i as usize, j as usize]));
            }
        }
        self.pairs = pairs;
        (value, blame)
    }

    /// Lists the contacts by their pair of bodies.
    fn list_hints(&mut self, case: &Case, bodies: &dyn Bodies) {
        self.hints.clear();
        for (k, o) in case.step.outcomes.iter().enumerate() {
            let ConstraintId { a, b, .. } = o.constraint.id;
            if matches!(o.constraint.law, Law::Contact { .. }) && bodies.touching(o.constraint.id).is_some() {
                self.hints.push((a.min(b), a.max(b), k as u32));
            }
        }
        self.hints.sort_unstable();
    }

    /// How deep two bodies are in each other at the end, where that is beyond the tolerance; else zero.
    fn end_depth(&self, case: &Case, bodies: &dyn Bodies, (i, j): (u32, u32)) -> f64 {
        let [a, b] = [i as usize, j as usize];
        let give = give(case, [a, b]);
        let most = (1.0 + EXACT) * case.tolerance.penetration + give;
        let (mut hints, mut count) = ([Vector3::zeros(); 2 * HINTS], None);
        let mut deepest = 0.0f64;
        for pa in &self.parts[a] {
            let frame = pa.frame(&self.end[a]);
            let here = bounds(pa, &frame);
            if !here.touches(&self.boxes[b]) {
                continue;
            }
            let pa = Placed { part: pa, frame };
            for pb in &self.parts[b] {
                let frame = pb.frame(&self.end[b]);
                if self.parts[b].len() > 1 && !here.touches(&bounds(pb, &frame)) {
                    continue;
                }
                let pb = Placed { part: pb, frame };
                each(&pa, &pb, 0.0, &mut |a, b| {
                    let count =
                        *count.get_or_insert_with(|| self.fill_hints(case, bodies, (i, j), &mut hints));
                    let depth = beyond(a, b, &hints[..count], most, self.flat);
                    deepest = deepest.max(depth);
                });
            }
        }
        (deepest - give).max(0.0)
    }

    /// Fills the directions from body j to body i that their contacts show. Returns their number.
    fn fill_hints(
        &self,
        case: &Case,
        bodies: &dyn Bodies,
        (i, j): (u32, u32),
        out: &mut [Vector3<f64>; 2 * HINTS],
    ) -> usize {
        let first = self.hints.partition_point(|&(a, b, _)| (a, b) < (i, j));
        let (mut count, mut last) = (0, Vector3::zeros());
        for &(_, _, k) in self.hints[first..].iter().take_while(|&&(a, b, _)| (a, b) == (i, j)) {
            let c = &case.step.outcomes[k as usize].constraint;
            if c.normal == last {
                continue; // of the same face
            }
            last = c.normal;
            let turned_over = bodies.touching(c.id) != Some([i as usize, j as usize]);
            let n = if turned_over { -c.normal } else { c.normal };
            for body in [i as usize, j as usize] {
                let at = self.frame(bodies, body, case.manner.look);
                out[count] = self.end[body].r * at.r.tr_mul(&n);
                count += 1;
            }
            if count == out.len() {
                break;
            }
        }
        count
    }
}

/// Eq. (1) where it is more than `most`, else zero.
fn beyond(a: &Placed, b: &Placed, hints: &[Vector3<f64>], most: f64, flat: bool) -> f64 {
    let planes = [a, b].iter().any(|p| matches!(p.part.core, Core::HalfSpace(_)));
    let mut least = f64::INFINITY;
    if !planes {
        for n in hints {
            least = least.min(along(a, b, n));
            if least <= most {
                return 0.0;
            }
        }
    }
    least = least.min(-signed(a, b, flat).0);
    if least > most { least } else { 0.0 }
}

/// A box about a part.
fn bounds(part: &Part, frame: &Frame) -> Aabb {
    if matches!(part.core, Core::HalfSpace(_)) {
        return Aabb::EVERYTHING;
    }
    let [least, most] = part.extent(&frame.r);
    Aabb { min: frame.p + least, max: frame.p + most }
}
