//! The half-spaces that a step was solved with, pair by pair of parts, and those that the end it led to asks for.
//!
//! The law of a step is one of each pair of parts, and so is the question whether a choice is right. With the contacts S that were solved
//! for and the contacts A that `collide/branch.rs` chooses from the end that came out, a pair is *certain* when the solution solves the
//! problem of A, too:
//!
//! ```text
//! what pushes stays:        lambda_c = 0                                 for c in S, not in A      (1)
//! what is new is obeyed:    gap_c / dt + W_c^T u' >= 0 (with lambda_c = 0)  for c in A, not in S      (2)
//! ```
//!
//! (with `convex`, `>= mu |slip|`). In a heap there are always pairs far from touching whose closest features change from end to end; (1) and
//! (2) do not mind them. Of a pair that is doubtful the contacts of A are tried next.
//!
//! *Not through each other.* A half-space that does not separate at the start may be handed over to on the way, but it may not push: parts that
//! do not overlap would be pushed through each other, to its far side, where the choice belongs to the end and is right by (1) and (2), at the cost
//! of energy from nowhere. A pair with such a push is doubtful, whatever A is, and is tried with the closest features at the start,
//!
//! ```text
//! lambda_c > 0 only if  gap_c >= min(0, gap of the pair at the start),  or c is like a contact there      (3)
//! ```

use super::assemble::Assembly;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};

/// A gap of this size, relative to how far contacts were looked for, is none.
pub(super) const APART: f64 = 1e-6;
/// Cosine of the angle within which two normals are of the same direction.
pub(super) const SAME: f64 = 0.95;

/// Two parts: their contacts have the same partners and the same upper bits of the feature.
pub(super) type Parts = (u32, u32, u64);

pub(super) fn parts(id: ConstraintId) -> Parts {
    (id.a, id.b, id.feature >> 16)
}

pub(super) fn is_contact(c: &&Constraint) -> bool {
    matches!(c.law, Law::Contact { .. })
}

fn alike(x: &Constraint, y: &Constraint) -> bool {
    x.normal.dot(&y.normal) > SAME
}

/// The contacts of a pair of parts; lists of constraints are ordered by id.
fn of(list: &[Constraint], pair: Parts) -> impl Iterator<Item = &Constraint> + Clone {
    let first = list.partition_point(|c| parts(c.id) < pair);
    list[first..].iter().take_while(move |c| parts(c.id) == pair).filter(is_contact)
}

fn find(list: &[Constraint], id: ConstraintId) -> Option<&Constraint> {
    list.binary_search_by(|c| c.id.cmp(&id)).ok().map(|k| &list[k])
}

/// Which list a constraint of a new choice is taken from.
#[derive(Clone, Copy)]
enum From {
    Start,
    Solved,
    Asked,
}

/// What was chosen for each pair, and the memory to choose again.
#[derive(Default)]
pub(super) struct Choices {
    /// The contacts of the closest features at the start.
    start: Snapshot,
    /// Pairs whose choice is not that of the end, ordered, and whether they were pushed through each other.
    doubtful: Vec<(Parts, bool)>,
    /// The next choice: which constraints of which list.
    taken: Vec<(ConstraintId, From, usize)>,
    next: Snapshot,
}

impl Choices {
    /// Keeps the contacts of the start, which were frozen, and freezes the first choice instead.
    pub fn begin(&mut self, frozen: &mut Snapshot, first: &mut Snapshot) {
        std::mem::swap(&mut self.start.constraints, &mut frozen.constraints);
        std::mem::swap(&mut self.start.jacobian, &mut frozen.jacobian);
        std::mem::swap(&mut first.constraints, &mut frozen.constraints);
        std::mem::swap(&mut first.jacobian, &mut frozen.jacobian);
    }

    /// Lists the doubtful pairs, eq. (1)–(3), from the contacts asked for and the velocity found.
    pub fn doubt(
        &mut self,
        a: &Assembly,
        asked: &Snapshot,
        (u, shift): (&[f64], impl Fn(&Constraint, f64, usize) -> f64),
        reach: f64,
    ) {
        self.doubtful.clear();
        for (c, _) in a.impulses_of_contacts().filter(|(_, impulse)| *impulse > 0.0) {
            let pair = parts(c.id);
            let mut start = of(&self.start.constraints, pair).peekable();
            let least = start.clone().map(|s| s.gap[0]).fold(0.0, f64::min);
            let overlaps = c.gap[0] < least - APART * reach;
            let through = overlaps && start.peek().is_some() && !start.any(|s| alike(s, c));
            if through || find(&asked.constraints, c.id).is_none() {
                self.doubtful.push((pair, through));
            }
        }
        let least = -a.tolerance * a.problem.scale;
        for c in asked.constraints.iter().filter(is_contact) {
            if find(&a.frozen.constraints, c.id).is_none()
                && a.opening(asked, c, u) + shift(c, 0.0, 0) < least
            {
                self.doubtful.push((parts(c.id), false));
            }
        }
        // of a pair's entries the one that says most
        self.doubtful.sort_unstable_by_key(|(pair, through)| (*pair, !through));
        self.doubtful.dedup_by_key(|(pair, _)| *pair);
    }

    /// True when no pair is doubtful.
    pub fn are_certain(&self) -> bool {
        self.doubtful.is_empty()
    }

    /// None for a certain pair, else whether it was pushed through itself.
    fn doubts(&self, pair: Parts) -> Option<bool> {
        self.doubtful.binary_search_by(|(p, _)| p.cmp(&pair)).ok().map(|k| self.doubtful[k].1)
    }

    /// True when at the end of the step, with its contacts given, the doubtful pairs are as eq. (2) of `branches.rs` says.
    pub fn hold_at(&self, a: &Assembly, end: &Snapshot) -> bool {
        let doubted = |id: ConstraintId| self.doubts(parts(id)).is_some();
        let mut pushing = a.impulses_of_contacts().filter(|(c, impulse)| *impulse > 0.0 && doubted(c.id));
        let mut overlaps =
            end.constraints.iter().filter(|e| is_contact(e) && e.gap[0] < 0.0 && doubted(e.id));
        pushing.all(|(c, _)| of(&end.constraints, parts(c.id)).any(|e| alike(e, c)))
            && overlaps.all(|e| of(&a.frozen.constraints, parts(e.id)).any(|c| alike(e, c)))
    }

    /// Freezes the next choice: what was asked for, or the start's contacts for pairs that were pushed through each other. `keeps`: certain
    /// pairs stay as they are.
    pub fn revise(&mut self, a: &mut Assembly, asked: &Snapshot, keeps: bool) {
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        for (k, c) in asked.constraints.iter().enumerate() {
            let (contact, doubt) = (is_contact(&c), self.doubts(parts(c.id)));
            if !contact || doubt == Some(false) || (doubt.is_none() && !keeps) {
                taken.push((c.id, From::Asked, k));
            }
        }
        for (k, c) in a.frozen.constraints.iter().enumerate().filter(|(_, c)| is_contact(c)) {
            if keeps && self.doubts(parts(c.id)).is_none() {
                taken.push((c.id, From::Solved, k));
            }
        }
        for (k, c) in self.start.constraints.iter().enumerate().filter(|(_, c)| is_contact(c)) {
            if self.doubts(parts(c.id)) == Some(true) {
                taken.push((c.id, From::Start, k));
            }
        }
        taken.sort_unstable_by_key(|(id, ..)| *id);
        self.next.constraints.clear();
        self.next.jacobian.clear();
        for (_, from, k) in &taken {
            let source = match from {
                From::Start => &self.start,
                From::Solved => &a.frozen,
                From::Asked => asked,
            };
            copy(source, *k, &mut self.next);
        }
        self.taken = taken;
        std::mem::swap(&mut a.frozen.constraints, &mut self.next.constraints);
        std::mem::swap(&mut a.frozen.jacobian, &mut self.next.jacobian);
    }
}

/// Appends a constraint with its rows.
fn copy(from: &Snapshot, index: usize, to: &mut Snapshot) {
    let c = &from.constraints[index];
    let first_part = to.jacobian.parts.len();
    for part in &from.jacobian.parts[c.first_part..c.end_part] {
        let values = &from.jacobian.values[part.at..part.at + c.law.rows() * part.width];
        to.jacobian.push(part.start, part.width, values);
    }
    to.constraints.push(Constraint { first_part, end_part: to.jacobian.parts.len(), ..*c });
}
