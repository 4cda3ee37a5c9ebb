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
//! the end, whose gap at the start was `gap(q') − dt W'^T u'`: should that break (2), more rows of the way. What is in
//! case (3) again slides off an edge within the step. The row then gives way by as much as the parts are apart at the
//! end, a bend b > 0, so that they just touch there; where they part sideways it does not push.
//!
//! *Bend.* Rows are linear and bodies turn: what touches by (1) is off by `b = gap(q') − g − dt W^T u'`, of second
//! order. For contacts that go on, b changes little from one step to the next, so that a negative one of the last step
//! serves, `b = dt² beta`, lest the bodies overlap; a positive one that is foreseen too large would make them, and is not
//! used. Where the end shows that b was another, by more than the overlap that is allowed, the step is solved again
//! with the b found, from the third solution on by a secant for each row. A pair that rests has b = 0.
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

use super::assemble::Assembly;
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot, System};

/// Cosine of the angle within which two normals are of the same direction.
const SAME: f64 = 0.95;
/// Of the overlap that is allowed, what may be left by a bend that was not foreseen.
const LEFT: f64 = 0.5;
/// Parts that are closer at the end than this part of what was looked through are not in doubt for contacts that
/// changed their names.
const NEAR: f64 = 0.02;
/// Cosine of the angle between a row and the direction in which its parts are apart at the end, above which the row can
/// bring them together by giving way.
const LEAN: f64 = 0.1;
/// The least slope, and the inverse of the largest, that a secant is trusted with.
const SLOPE: f64 = 0.4;
/// Work of contacts below this part of the kinetic energy is none.
const WORK: f64 = 1e-9;
/// A bend of this size, relative to the lengths whose difference a gap is, is none.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Two parts: their contacts have the same partners and the same upper bits of the feature.
type Parts = (u32, u32, u64);

fn parts(id: ConstraintId) -> Parts {
    (id.a, id.b, id.feature >> 16)
}

fn is_contact(c: &&Constraint) -> bool {
    matches!(c.law, Law::Contact { .. })
}

/// The contacts of a pair of parts; lists of constraints are ordered by id.
fn of(list: &[Constraint], pair: Parts) -> impl Iterator<Item = &Constraint> + Clone {
    let first = list.partition_point(|c| parts(c.id) < pair);
    list[first..].iter().take_while(move |c| parts(c.id) == pair).filter(is_contact)
}

fn position(list: &[Constraint], id: ConstraintId) -> Option<usize> {
    list.binary_search_by(|c| c.id.cmp(&id)).ok()
}

fn find(list: &[Constraint], id: ConstraintId) -> Option<&Constraint> {
    position(list, id).map(|k| &list[k])
}

/// A contact and its like at the end, by number.
#[derive(Clone, Copy)]
struct Seen {
    i: usize,
    k: usize,
    pushes: bool,
    /// Whether contacts worked in this solution.
    works: bool,
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
    /// The rows of the last solution.
    kept: Snapshot,
    /// Contacts of the end that had no row, with the gaps that they had at the start.
    adopted: Vec<(usize, f64)>,
    toward: Snapshot,
    next: Snapshot,
}

impl Pairs {
    /// Chooses for the pairs that have a choice, from the velocity at the start, and lets contacts bend as in the last
    /// step.
    pub fn begin(&mut self, a: &mut Assembly, course: &Course, end: f64) {
        a.bend_as_before(course.dt);
        let most = a.frozen.constraints.len();
        self.turned.clear();
        self.turned.reserve(most);
        self.past.clear();
        self.past.reserve(most);
        self.met.reserve(most);
        self.changes.reserve(most);
        self.before.reserve(most);
        self.looks.clear();
        self.looks.reserve(most);
        self.kept.constraints.clear();
        self.adopted.clear();
        self.adopted.reserve(most);
        self.doubtful.clear();
        self.doubtful.reserve(most);
        self.doubted.clear();
        if !course.system.chooses() {
            return;
        }
        self.foreseen.copy_from(course.from);
        self.foreseen.t = end;
        course.system.displace(&mut self.foreseen.q, &course.from.u, course.dt);
        let mut last = None;
        for c in a.frozen.constraints.iter().filter(is_contact) {
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
            self.choose(a, course, &foreseen);
            self.doubted.clear();
            self.foreseen = foreseen;
        }
    }

    /// Looks at the end that a solution led to, takes over the bends that it shows and lists the pairs in doubt, eq.
    /// (3) and (4). True when the step is to be solved again, which it is not after the last solution.
    pub fn doubt(&mut self, a: &mut Assembly, course: &Course, end: &State, last: bool) -> bool {
        let u = &end.u;
        self.doubtful.clear();
        self.met.clear();
        self.changes.clear();
        std::mem::swap(&mut self.before, &mut self.looks);
        self.looks.clear();
        self.again = false;
        let works = course.inertia && works(a, course, u);
        for g in 0..a.selected.len() {
            let (i, pushes) = (a.selected[g], a.impulses[a.problem.groups[g].first_row] > 0.0);
            let c = &a.frozen.constraints[i];
            let Law::Contact { .. } = c.law else { continue };
            match position(&a.end.constraints, c.id) {
                Some(k) => self.look(a, course, u, Seen { i, k, pushes, works }),
                None if pushes => match like(&a.end.constraints, c, course) {
                    Some(k) => self.look(a, course, u, Seen { i, k, pushes, works }),
                    None => self.miss_like(a, course, i),
                },
                None => {}
            }
        }
        self.miss(a, course, u);
        self.doubtful.sort_unstable_by_key(|(pair, goes)| (*pair, !goes));
        self.doubtful.dedup_by_key(|(pair, _)| *pair);
        let again = !last && (self.again || !self.doubtful.is_empty() || !self.adopted.is_empty());
        if again {
            copy_all(&a.frozen, &mut self.kept);
        }
        let turns = self.changes.iter().any(|(.., seen)| seen.is_some());
        if !(self.doubtful.is_empty() && self.adopted.is_empty() && self.met.is_empty()) || turns {
            self.looks.clear(); // of other rows
        }
        for k in 0..self.changes.len() {
            match self.changes[k] {
                (i, _, Some(seen)) if again => self.turn(a, course, end, (i, seen)),
                (i, bend, _) => a.frozen.constraints[i].bend = bend,
            }
        }
        again
    }

    /// The bend of a contact that is seen at the end.
    fn look(&mut self, a: &Assembly, course: &Course, u: &[f64], Seen { i, k, pushes, works }: Seen) {
        let (c, end) = (&a.frozen.constraints[i], &a.end.constraints[k]);
        let (gap, used, left) = (end.gap[0], c.bend, course.left());
        let mut rate = [0.0];
        a.frozen.jacobian.add_velocity(c.first_part..c.end_part, u, &mut rate);
        let found = gap - (c.gap[0] + course.dt * rate[0]);
        // what rests does not bend: its rounding would be all that changes from step to step
        let rounding = ROUNDING * course.system.size(course.from, &a.frozen, c);
        let found = if found.abs() > rounding { found } else { 0.0 };
        // an overlap is too much; being apart by a bend that was not foreseen is of second order, by one that was
        // foreseen and is not there it is not
        let off = found - used;
        let apart = if used < 0.0 || end.id != c.id { left } else { left.max(NEAR * course.reach) };
        let off = (off < -left && gap < -left) || (off > apart && pushes);
        let turned = self.turned.binary_search_by(|(id, _)| id.cmp(&c.id)).is_ok();
        let found = if turned { found.max(-c.gap[0].max(0.0)) } else { found };
        let works = works && pushes && !turned;
        let turns = works && found < 0.0 && end.law.rows() == c.law.rows() && is_alike(a, c, end);
        self.again |=
            (off && c.gap[0].abs() >= course.touching) || turns || (works && used < 0.0 && found >= 0.0);
        self.looks.push((c.id, used, found));
        let bend = self.before.binary_search_by(|(id, ..)| id.cmp(&c.id)).map_or(found, |k| {
            // the secant of what bends lead to
            let (_, before, led) = self.before[k];
            let slope = 1.0 - (found - led) / (used - before);
            if (SLOPE..1.0 / SLOPE).contains(&slope) { used + (found - used) / slope } else { found }
        });
        let bend = if turned { bend.max(-c.gap[0].max(0.0)) } else { bend };
        self.changes.push((i, bend, turns.then_some(k)));
    }

    /// A contact that pushes and has no like at the end, eq. (3).
    fn miss_like(&mut self, a: &Assembly, course: &Course, i: usize) {
        let (c, left) = (&a.frozen.constraints[i], course.left());
        let pair = parts(c.id);
        let nearest = of(&a.end.constraints, pair).min_by(|x, y| x.gap[0].total_cmp(&y.gap[0]));
        let past = self.past.binary_search(&c.id);
        if nearest.is_some_and(|e| e.gap[0] <= left && (past.is_err() || e.gap[0] >= -left)) {
            return; // they touch, elsewhere
        }
        let again = !course.system.chooses() || self.doubted.binary_search(&pair).is_ok() || past.is_ok();
        let lean = nearest.map_or(0.0, |e| e.normal.dot(&c.normal));
        let bend = match nearest {
            Some(e) if lean > LEAN => c.bend + e.gap[0] / lean,
            _ => course.reach,
        };
        if again || lean > LEAN {
            self.changes.push((i, bend.max(0.0), None));
            if let Err(at) = past {
                self.past.insert(at, c.id);
            }
        }
        if again {
            self.again = true;
            self.met.push(pair);
        } else {
            self.doubtful.push((pair, true));
        }
    }

    /// Lists the contacts of the end that eq. (4) misses.
    fn miss(&mut self, a: &Assembly, course: &Course, u: &[f64]) {
        self.adopted.clear();
        let (end, left) = (&a.end.constraints, course.left());
        for (first, e) in end.iter().enumerate().filter(|(_, e)| is_contact(e) && e.gap[0] < -left) {
            let pair = parts(e.id);
            let known = |k: usize| find(&a.frozen.constraints, end[k].id).is_some();
            let listed = self.adopted.iter().any(|(k, _)| parts(end[*k].id) == pair);
            if known(first) || listed || self.met.contains(&pair) {
                continue;
            }
            let from = end.partition_point(|c| parts(c.id) < pair);
            let of_pair = (from..end.len()).take_while(|&k| parts(end[k].id) == pair);
            for k in of_pair.filter(|&k| !known(k)) {
                let mut rate = [0.0];
                a.end.jacobian.add_velocity(end[k].first_part..end[k].end_part, u, &mut rate);
                let gap = end[k].gap[0] - course.dt * rate[0];
                if gap >= -left {
                    self.adopted.push((k, gap));
                } else if end[k].gap[0] < -left && course.system.chooses() {
                    self.doubtful.push((pair, false));
                }
            }
        }
    }

    /// Goes back to the rows of the last solution, if there was one that was looked at.
    pub fn return_to_last(&mut self, a: &mut Assembly) -> bool {
        let there = !self.kept.constraints.is_empty();
        if there {
            std::mem::swap(&mut a.frozen.constraints, &mut self.kept.constraints);
            std::mem::swap(&mut a.frozen.jacobian, &mut self.kept.jacobian);
        }
        there
    }

    /// Takes the rows of a contact at the end of the step instead of at its start.
    fn turn(&mut self, a: &mut Assembly, course: &Course, end: &State, (i, k): (usize, usize)) {
        let (c, seen) = (&mut a.frozen.constraints[i], &a.end.constraints[k]);
        let own = c.first_part..c.end_part;
        for (to, from) in own.clone().zip(seen.first_part..seen.end_part) {
            let (to, from) = (a.frozen.jacobian.parts[to], a.end.jacobian.parts[from]);
            let n = c.law.rows() * to.width;
            a.frozen.jacobian.values[to.at..to.at + n]
                .copy_from_slice(&a.end.jacobian.values[from.at..from.at + n]);
        }
        let mut rate = [0.0];
        a.frozen.jacobian.add_velocity(own, &end.u, &mut rate);
        let bend = (seen.gap[0] - (c.gap[0] + course.dt * rate[0])).max(0.0);
        course.place(c, seen, end, c.gap[0] + bend);
        let at = self.turned.partition_point(|(id, _)| *id < c.id);
        self.turned.insert(at, (c.id, bend));
    }

    /// Leaves the bends of rows at the start for the next step.
    pub fn end(&mut self, a: &mut Assembly) {
        for (id, bend) in &self.turned {
            if let Some(k) = position(&a.frozen.constraints, *id) {
                a.frozen.constraints[k].bend = -bend;
            }
        }
    }

    /// Chooses again for the pairs in doubt, from the way to the end that a solution led to.
    pub fn revise(&mut self, a: &mut Assembly, course: &Course, end: &State) {
        if !self.doubtful.is_empty() || !self.adopted.is_empty() {
            self.choose(a, course, end);
        }
    }

    /// Freezes other rows for the pairs in doubt: those of the way to an end.
    fn choose(&mut self, a: &mut Assembly, course: &Course, end: &State) {
        let Self { doubtful, doubted, adopted, toward, next, .. } = self;
        toward.constraints.clear();
        toward.jacobian.clear();
        let mut last = None;
        for &((first, second, _), _) in doubtful.iter() {
            if last != Some((first, second)) {
                let path = [course.from, end];
                course.system.contacts_toward((first, second), course.look, path, course.reach, toward);
            }
            last = Some((first, second));
        }
        next.constraints.clear();
        next.jacobian.clear();
        let doubt = |c: &Constraint| {
            let found = doubtful.binary_search_by(|(pair, _)| pair.cmp(&parts(c.id)));
            found.ok().filter(|_| is_contact(&c)).map(|k| doubtful[k].1)
        };
        let stays = |c: &Constraint| doubt(c) != Some(true);
        let kept = |id: ConstraintId| find(&a.frozen.constraints, id).is_some_and(stays);
        for (from, takes) in [
            (&a.frozen, &stays as &dyn Fn(&Constraint) -> bool),
            (&*toward, &|c| doubt(c).is_some() && c.gap[0] <= course.reach && !kept(c.id)),
        ] {
            for k in (0..from.constraints.len()).filter(|&k| takes(&from.constraints[k])) {
                copy(from, k, next);
            }
        }
        for &(k, gap) in adopted.iter() {
            let c = &a.end.constraints[k];
            if doubt(c) == Some(true) || next.constraints.iter().any(|n| n.id == c.id) {
                continue;
            }
            copy(&a.end, k, next);
            if let Some(adopted) = next.constraints.last_mut() {
                course.place(adopted, c, end, gap);
            }
        }
        next.constraints.sort_unstable_by_key(|c| c.id);
        for c in next.constraints.iter_mut().filter(|c| matches!(c.law, Law::Contact { .. })) {
            if let Some(known) = find(&a.frozen.constraints, c.id).filter(|k| k.normal.dot(&c.normal) > SAME)
            {
                c.bend = known.bend;
            }
        }
        doubted.extend(doubtful.iter().filter(|(_, goes)| *goes).map(|(pair, _)| *pair));
        doubted.sort_unstable();
        doubted.dedup();
        std::mem::swap(&mut a.frozen.constraints, &mut next.constraints);
        std::mem::swap(&mut a.frozen.jacobian, &mut next.jacobian);
    }
}

/// The like contact at the end that is near there and closest.
fn like(end: &[Constraint], c: &Constraint, course: &Course) -> Option<usize> {
    let first = end.partition_point(|e| parts(e.id) < parts(c.id));
    let alike = (first..end.len()).take_while(|&k| parts(end[k].id) == parts(c.id)).filter(|&k| {
        let e = &end[k];
        is_contact(&e) && e.normal.dot(&c.normal) > SAME && (e.point - c.point).norm() <= course.reach
    });
    let nearest = alike.min_by(|&k, &l| end[k].gap[0].total_cmp(&end[l].gap[0]));
    nearest.filter(|&k| end[k].gap[0].abs() <= course.left().max(NEAR * course.reach))
}

/// Whether the rows of a contact at the end act on the same coordinates as those at the start.
fn is_alike(a: &Assembly, c: &Constraint, end: &Constraint) -> bool {
    let (own, other) = (c.first_part..c.end_part, end.first_part..end.end_part);
    let same = |(k, l): (usize, usize)| {
        let (to, from) = (a.frozen.jacobian.parts[k], a.end.jacobian.parts[l]);
        (to.start, to.width) == (from.start, from.width)
    };
    own.len() == other.len() && own.zip(other).all(same)
}

/// True when contacts did work, eq. (5).
fn works(a: &Assembly, course: &Course, u: &[f64]) -> bool {
    let mut work = 0.0;
    for (g, group) in a.problem.groups.iter().enumerate() {
        let c = &a.frozen.constraints[a.selected[g]];
        let Law::Contact { .. } = c.law else { continue };
        let rows = group.rows();
        if c.gap[0].abs() >= course.touching {
            // but for taking out an overlap
            let gap = c.gap[0] + c.bend;
            work -= a.impulses[rows.start] * (gap - gap.max(c.gap[0]).min(0.0)) / course.dt;
        }
        if !a.associated {
            work += rows.skip(1).map(|r| a.impulses[r] * a.xi[r]).sum::<f64>();
        }
    }
    work > 0.0 && work > WORK * a.frozen.mass.half_square(u)
}

fn copy_all(from: &Snapshot, to: &mut Snapshot) {
    to.constraints.clone_from(&from.constraints);
    to.jacobian.parts.clone_from(&from.jacobian.parts);
    to.jacobian.values.clone_from(&from.jacobian.values);
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
