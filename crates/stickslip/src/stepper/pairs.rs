//! By which half-space each pair of parts is held in a step, and how far its gap bends.
//!
//! Two convex parts are apart when one direction separates them: non-penetration is a disjunction [Berard 2009, eq.
//! 3.3–3.5], and a step relies on one direction for each pair. With the gap g of a row at the start of the step, its
//! rate W and the bend b (below),
//!
//! ```text
//! 0 <= lambda ⟂ (g + b) / dt + W^T u' >= 0                                                            (1)
//! g >= min(0, d),   d the signed distance of the parts at the start                                  (2)
//! ```
//!
//! *Passivity.* By (1) a contact's work on the motion is `lambda W^T u' = -lambda (g + b) / dt`. With (2) that is not
//! positive but for taking out an overlap that was there, `d < 0`, and for b, whatever the solver does; what b does
//! is kept in check below. (2) holds for the features that are closest at the start, whose gaps are at least d, and for
//! every direction that separates there with any points p of the one part and r of the other, since `n·(p − r)` is at
//! least the separation along n. Those are all the rows there are: `collide/branch.rs` chooses among them; a pair that
//! is handed over, on its way, to a direction that did not separate at the start has no row.
//!
//! *Choice.* Most pairs have one separating direction, that of their closest features. Where there are several, the one
//! is chosen that separates along the way from the start to the foreseen end, at first the one that the velocity at the
//! start leads to. What a solution leads to is then looked at: a pair is in doubt when
//!
//! ```text
//! it pushes, and no like contact of it is near there at the end                                         (3)
//! it overlaps at the end at features that had no row                                                  (4)
//! ```
//!
//! and is chosen for again, from the way to that end: in case (3) other rows; in case (4) the rows of those features at
//! the end, whose gap at the start was `gap(q') − dt W'^T u'`: should that break (2), more rows of the way, and where
//! those do not help the rows of the end with a gap of zero, which keeps (2) and comes no deeper. What is in
//! case (3) again slides off an edge within the step. The row then gives way by as much as the parts are apart at the
//! end, a bend b > 0, so that they just touch there; where they part sideways it does not push.
//!
//! *Bend.* Rows are linear and bodies turn: what touches by (1) is off by `b = gap(q') − g − dt W^T u'`, of second
//! order. For contacts that go on, b changes little from one step to the next, so that a line through the last two
//! foresees it, `b = dt² beta`. Where it is negative, bodies overlap unless it is foreseen; where it is positive they
//! do if it is foreseen too large: half of it is taken, and none where it would not show. Where the end shows that b
//! was another, by more than the overlap that is allowed, the step is solved again with the b found, from the third
//! solution on by a secant for each row. A pair that rests has b = 0.
//!
//! Where b is negative, (1) lets the row do work of second order. Contacts together do, with associated friction
//! (`convex.rs`) or any friction that dissipates,
//!
//! ```text
//! P·u' <= sum_n lambda_n max(0, −b) / dt + sum_t lambda_t·W_t^T u'                                      (5)
//! ```
//!
//! Should (5) be positive, the rows with negative b are taken at the end of the step instead of at its start. Seen from
//! there the same curve bends the other way, `gap(q) = gap(q') − dt W'^T u' + b`, so that their bend is not negative,
//! and no contact does work.

mod choose;
mod look;

use super::assemble::frozen::Frozen;
use super::assemble::judgement::Ending;
use crate::state::State;
use crate::step::{Outcome, Warm};
use crate::system::{Constraint, ConstraintId, Snapshot, System};

/// Cosine of the angle within which two normals are of the same direction.
const SAME: f64 = 0.95;
/// Of the overlap that is allowed, what may be left by a bend that was not foreseen.
const LEFT: f64 = 0.5;

/// How often what cannot be solved is halved: a quarter of a change of bends is hardly worth another solution.
const HALVINGS: usize = 2;

/// Two parts: their contacts have the same partners and the same upper bits of the feature.
type Parts = (u32, u32, u64);

fn parts(id: ConstraintId) -> Parts {
    (id.a, id.b, id.feature >> 16)
}

/// The contacts of a pair of parts; lists of constraints are ordered by id.
fn of(list: &[Constraint], pair: Parts) -> impl Iterator<Item = &Constraint> + Clone {
    let first = list.partition_point(|c| parts(c.id) < pair);
    list[first..].iter().take_while(move |c| parts(c.id) == pair).filter(|c| c.is_contact())
}

fn position(list: &[Constraint], id: ConstraintId) -> Option<usize> {
    list.binary_search_by(|c| c.id.cmp(&id)).ok()
}

fn find(list: &[Constraint], id: ConstraintId) -> Option<&Constraint> {
    position(list, id).map(|k| &list[k])
}

/// A step whose pairs are chosen for.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub system: &'a dyn System,
    pub from: &'a State,
    /// Where constraints are linearised.
    pub look: &'a State,
    pub dt: f64,
    pub reach: f64,
    /// Gaps up to this size count as closed, m.
    pub touching: f64,
    /// The overlap to which gaps are exact, m.
    pub overlap: f64,
    /// Whether bodies have inertia, and contacts could make energy.
    pub inertia: bool,
}

impl Course<'_> {
    /// Places a contact whose rows are those seen at the end: its points are taken back along with their bodies, and
    /// its gap and bend are together what the rows say that its gap was.
    fn place(&self, c: &mut Constraint, seen: &Constraint, end: &State, gap: f64) {
        c.normal = seen.normal;
        (c.gap[0], c.bend) = (gap, 0.0);
        if let Some([a, b]) = self.system.carried(seen, end, self.look) {
            c.point = (a + b) * 0.5;
            c.gap[0] = c.normal.dot(&(a - b));
            c.bend = gap - c.gap[0];
        }
    }

    /// What may be left by a bend that was not foreseen, m.
    fn left(&self) -> f64 {
        LEFT * self.overlap
    }
}

/// The pairs of a step, and the memory to choose for them.
#[derive(Default)]
pub(super) struct Pairs {
    /// Pairs in doubt, ordered, and whether their rows are to go.
    doubtful: Vec<(Parts, bool)>,
    /// Pairs that were in doubt before, ordered.
    doubted: Vec<Parts>,
    /// Pairs that were in case (4) before, at directions that did not separate at the start.
    crossed: Vec<Parts>,
    foreseen: State,
    /// Contacts whose rows are those of the end, ordered, and their bends seen from there.
    turned: Vec<(ConstraintId, f64)>,
    /// Contacts that end within the step, ordered, and their pairs in this look.
    past: Vec<ConstraintId>,
    met: Vec<Parts>,
    /// What a look at the end changes: contacts by number, their bends, and their likes at the end if they are turned.
    changes: Vec<(usize, f64, Option<usize>)>,
    /// Whether the step is to be solved again for what its contacts show.
    again: bool,
    /// Of the contacts of the last two looks at the end: the bends that were used, and those that they led to.
    before: Vec<(ConstraintId, f64, f64)>,
    looks: Vec<(ConstraintId, f64, f64)>,
    /// How far, m, contacts are from what they should be at the end that was looked at last, and at the best of the
    /// step; infinite where they work.
    defect: f64,
    least: f64,
    /// The rows of the best solution.
    kept: Snapshot,
    /// How often changes of bends were halved.
    halvings: usize,
    /// The velocity that the coordinates of the step that was looked at last moved at.
    led: Vec<f64>,
    /// Bends of the step before.
    bends: Vec<(ConstraintId, f64, Option<f64>)>,
    /// Contacts of the end that had no row, with the gaps that they had at the start.
    adopted: Vec<(usize, f64)>,
    toward: Snapshot,
    next: Snapshot,
}

impl Pairs {
    /// Chooses for the pairs that have a choice, from the velocity at the start, and lets contacts bend as in the last
    /// step.
    pub fn begin(&mut self, frozen: &mut Frozen, warm: &Warm, course: &Course, end: f64) {
        frozen.foresee_bends(warm, course.dt, course.left());
        let most = frozen.at.constraints.len();
        self.turned.clear();
        self.halvings = 0;
        self.turned.reserve(most);
        self.past.clear();
        self.past.reserve(most);
        self.met.reserve(most);
        self.changes.reserve(most);
        self.before.reserve(most);
        self.looks.clear();
        self.looks.reserve(most);
        self.kept.constraints.clear();
        self.least = f64::INFINITY;
        self.adopted.clear();
        self.adopted.reserve(most);
        self.doubtful.clear();
        self.doubtful.reserve(most);
        self.doubted.clear();
        self.crossed.clear();
        if !course.system.chooses() {
            return;
        }
        self.foreseen.copy_from(course.from);
        self.foreseen.t = end;
        course.system.displace(&mut self.foreseen.q, &course.from.u, course.dt);
        let mut last = None;
        for c in frozen.at.constraints.iter().filter(|c| c.is_contact()) {
            // contacts of the same features of meshes, or of the same parts
            let group = (c.id.a, c.id.b, c.id.feature >> 11);
            if last != Some(group) && course.system.has_choice([course.from, &self.foreseen], c.id) {
                self.doubtful.push((parts(c.id), true));
            }
            last = Some(group);
        }
        self.doubtful.dedup();
        if !self.doubtful.is_empty() {
            let foreseen = std::mem::take(&mut self.foreseen);
            self.choose(frozen, None, course, &foreseen);
            self.doubted.clear();
            self.foreseen = foreseen;
        }
    }

    /// True when there are rows to go back to.
    pub fn has_kept(&self) -> bool {
        !self.kept.constraints.is_empty()
    }

    /// True when an earlier solution was better than the last one that was looked at.
    pub fn had_better(&self) -> bool {
        self.has_kept() && self.least < self.defect
    }

    /// Where a step whose contacts bend cannot be solved, takes half of the last changes of bends back. True when that
    /// was done.
    pub fn halve(&mut self, frozen: &mut Frozen) -> bool {
        let (new, old) = (&mut frozen.at.constraints, &self.kept.constraints);
        let same = new.len() == old.len()
            && new.iter().zip(old).all(|(n, o)| n.id == o.id && n.gap[0] == o.gap[0])
            && frozen.at.jacobian.values == self.kept.jacobian.values;
        if !same || self.halvings >= HALVINGS {
            return false;
        }
        self.halvings += 1;
        new.iter_mut().zip(old).for_each(|(n, o)| n.bend = 0.5 * (n.bend + o.bend));
        self.looks.clear(); // of other bends
        true
    }

    /// Goes back to the rows of the best solution that was looked at, or takes all bends out if there was none. True
    /// when nothing else is left to try.
    pub fn go_back(&mut self, frozen: &mut Frozen) -> bool {
        if self.has_kept() {
            std::mem::swap(&mut frozen.at.constraints, &mut self.kept.constraints);
            std::mem::swap(&mut frozen.at.jacobian, &mut self.kept.jacobian);
            return true;
        }
        frozen.at.constraints.iter_mut().for_each(|c| c.bend = 0.0);
        false
    }

    /// Takes over what a look at the end changes, and chooses again for the pairs in doubt, from the way to that end.
    pub fn revise(&mut self, frozen: &mut Frozen, ending: &Ending, course: &Course, end: &State) {
        if !self.has_kept() || self.defect < self.least {
            self.least = self.defect;
            self.kept.constraints.clone_from(&frozen.at.constraints);
            self.kept.jacobian.parts.clone_from(&frozen.at.jacobian.parts);
            self.kept.jacobian.values.clone_from(&frozen.at.jacobian.values);
        }
        for k in 0..self.changes.len() {
            match self.changes[k] {
                (i, _, Some(seen)) => self.turn((frozen, i), (ending, seen), course, end),
                (i, bend, None) => frozen.at.constraints[i].bend = bend,
            }
        }
        if !self.doubtful.is_empty() || !self.adopted.is_empty() {
            self.choose(frozen, Some(ending), course, end);
        }
    }

    /// Leaves the bends of rows at the start for the next steps.
    pub fn keep(&mut self, outcomes: &[Outcome], dt: f64, warm: &mut Warm) {
        std::mem::swap(&mut warm.bends, &mut self.bends);
        warm.bends.clear();
        warm.bends.reserve(outcomes.len());
        let mut changes = self.changes.iter().peekable();
        for (i, o) in outcomes.iter().enumerate() {
            while changes.next_if(|(k, ..)| *k < i).is_some() {}
            let id = o.constraint.id;
            let found =
                changes.peek().filter(|(k, ..)| *k == i).map_or(o.constraint.bend, |(_, bend, _)| *bend);
            let turned = self.turned.binary_search_by(|(t, _)| t.cmp(&id));
            let bend = turned.map_or(found, |k| -self.turned[k].1);
            if o.impulse[0] > 0.0 && bend != 0.0 && self.past.binary_search(&id).is_err() {
                let before = self.bends.binary_search_by(|(b, ..)| b.cmp(&id));
                warm.bends.push((id, bend / (dt * dt), before.ok().map(|k| self.bends[k].1)));
            }
        }
    }
}
