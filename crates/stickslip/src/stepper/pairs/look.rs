//! What the end of a step shows of its contacts: their bends, and the pairs in doubt.

use super::{Course, Pairs, SAME, find, of, parts, position};
use crate::stepper::assemble::judgement::Ending;
use crate::stepper::assemble::solution::Solution;
use crate::system::{Constraint, Snapshot};

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

/// The constraints at both ends of a step, whose coordinates moved at the velocity u.
struct Sight<'a> {
    start: &'a Snapshot,
    end: &'a Snapshot,
    course: &'a Course<'a>,
    u: &'a [f64],
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

impl Pairs {
    /// Looks at the end that a solution led to: the bends that it shows, and the pairs in doubt, eq. (3) and (4). True
    /// when the step is to be solved again.
    pub fn doubt(&mut self, solution: &Solution, ending: &Ending, course: &Course, u: &[f64]) -> bool {
        let start = &solution.problem.frozen.at;
        let mut led = std::mem::take(&mut self.led);
        led.clear();
        led.extend_from_slice(u);
        if course.system.turns_under_constraints() {
            led.iter_mut().zip(&start.lead).for_each(|(u, lead)| *u += lead);
        }
        let again = self.doubt_led(solution, &Sight { start, end: &ending.at, course, u: &led });
        self.led = led;
        again
    }

    fn doubt_led(&mut self, solution: &Solution, sight: &Sight) -> bool {
        let course = sight.course;
        self.doubtful.clear();
        self.met.clear();
        self.changes.clear();
        std::mem::swap(&mut self.before, &mut self.looks);
        self.looks.clear();
        self.again = false;
        let works = course.inertia && works(solution, course, sight.u);
        self.defect = if works { f64::INFINITY } else { 0.0 };
        for (g, group) in solution.problem.posed.contact.groups.iter().enumerate() {
            let i = solution.problem.posed.selected[g];
            let (c, pushes) = (&sight.start.constraints[i], solution.found.impulses[group.first_row] > 0.0);
            if !c.is_contact() {
                continue;
            }
            let known = position(&sight.end.constraints, c.id);
            let seen = if pushes { known.or_else(|| like(&sight.end.constraints, c, course)) } else { known };
            match seen {
                Some(k) => self.look(sight, Seen { i, k, pushes, works }),
                None if pushes => self.miss_like(sight, i),
                None => {}
            }
        }
        self.miss(sight);
        self.doubtful.sort_unstable_by_key(|(pair, goes)| (*pair, !goes));
        self.doubtful.dedup_by_key(|(pair, _)| *pair);
        let turns = self.changes.iter().any(|(.., seen)| seen.is_some());
        if !(self.doubtful.is_empty() && self.adopted.is_empty() && self.met.is_empty()) || turns {
            self.looks.clear(); // of other rows
        }
        self.again || !self.doubtful.is_empty() || !self.adopted.is_empty()
    }

    /// The bend of a contact that is seen at the end.
    fn look(&mut self, sight: &Sight, Seen { i, k, pushes, works }: Seen) {
        let Sight { start, course, u, .. } = *sight;
        let (c, end) = (&start.constraints[i], &sight.end.constraints[k]);
        let (gap, used, left) = (end.gap[0], c.bend, course.left());
        let mut rate = [0.0];
        start.jacobian.add_velocity(c.first_part..c.end_part, u, &mut rate);
        let found = gap - (c.gap[0] + course.dt * rate[0]);
        // what rests does not bend: its rounding would be all that changes from step to step
        let rounding = ROUNDING * course.system.size(course.from, start, c);
        let found = if found.abs() > rounding { found } else { 0.0 };
        // an overlap is too much; being apart by a bend that was not foreseen is of second order, by one that was
        // foreseen and is not there it is not
        let off = found - used;
        let curved = course.system.turns_under_constraints(); // the bodies of mechanisms move on curves
        let apart = if used < 0.0 || end.id != c.id || curved { left } else { left.max(NEAR * course.reach) };
        let off = (off < -left && gap < -left) || (off > apart && pushes);
        let turned = self.turned.binary_search_by(|(id, _)| id.cmp(&c.id)).is_ok();
        let found = if turned { found.max(-c.gap[0].max(0.0)) } else { found };
        let works = works && pushes && !turned;
        let turns = works && found < 0.0 && end.law.rows() == c.law.rows() && is_alike(sight, c, end);
        if off {
            self.defect = self.defect.max(gap.abs());
        }
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
    fn miss_like(&mut self, &Sight { start, end, course, .. }: &Sight, i: usize) {
        let (c, left) = (&start.constraints[i], course.left());
        let pair = parts(c.id);
        let nearest = of(&end.constraints, pair).min_by(|x, y| x.gap[0].total_cmp(&y.gap[0]));
        let past = self.past.binary_search(&c.id);
        if nearest.is_some_and(|e| e.gap[0] <= left && (past.is_err() || e.gap[0] >= -left)) {
            return; // they touch, elsewhere
        }
        self.defect = self.defect.max(nearest.map_or(course.reach, |e| e.gap[0].abs()));
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
    fn miss(&mut self, sight: &Sight) {
        self.adopted.clear();
        let (end, course, left) = (&sight.end.constraints, sight.course, sight.course.left());
        for (first, e) in end.iter().enumerate().filter(|(_, e)| e.is_contact() && e.gap[0] < -left) {
            let pair = parts(e.id);
            let known = |k: usize| find(&sight.start.constraints, end[k].id).is_some();
            let listed = self.adopted.iter().any(|(k, _)| parts(end[*k].id) == pair);
            if known(first) || listed || self.met.contains(&pair) {
                continue;
            }
            self.defect = self.defect.max(-e.gap[0]);
            let from = end.partition_point(|c| parts(c.id) < pair);
            let of_pair = (from..end.len()).take_while(|&k| parts(end[k].id) == pair);
            for k in of_pair.filter(|&k| !known(k)) {
                let mut rate = [0.0];
                sight.end.jacobian.add_velocity(end[k].first_part..end[k].end_part, sight.u, &mut rate);
                let gap = end[k].gap[0] - course.dt * rate[0];
                if gap >= -left {
                    self.adopted.push((k, gap));
                } else if end[k].gap[0] >= -left || !course.system.chooses() {
                    continue;
                } else if self.crossed.contains(&pair) {
                    self.adopted.push((k, 0.0)); // eq. (2), and no deeper
                } else {
                    self.doubtful.push((pair, false));
                }
            }
        }
    }
}

/// The like contact at the end that is near there and closest.
fn like(end: &[Constraint], c: &Constraint, course: &Course) -> Option<usize> {
    let first = end.partition_point(|e| parts(e.id) < parts(c.id));
    let alike = (first..end.len()).take_while(|&k| parts(end[k].id) == parts(c.id)).filter(|&k| {
        let e = &end[k];
        e.is_contact() && e.normal.dot(&c.normal) > SAME && (e.point - c.point).norm() <= course.reach
    });
    let nearest = alike.min_by(|&k, &l| end[k].gap[0].total_cmp(&end[l].gap[0]));
    nearest.filter(|&k| end[k].gap[0].abs() <= course.left().max(NEAR * course.reach))
}

/// Whether the rows of a contact at the end act on the same coordinates as those at the start.
fn is_alike(sight: &Sight, c: &Constraint, end: &Constraint) -> bool {
    let (own, other) = (c.first_part..c.end_part, end.first_part..end.end_part);
    let same = |(k, l): (usize, usize)| {
        let (to, from) = (sight.start.jacobian.parts[k], sight.end.jacobian.parts[l]);
        (to.start, to.width) == (from.start, from.width)
    };
    own.len() == other.len() && own.zip(other).all(same)
}

/// True when contacts did work, eq. (5).
fn works(solution: &Solution, course: &Course, u: &[f64]) -> bool {
    let (posed, found) = (&solution.problem.posed, &solution.found);
    let mut work = 0.0;
    for (g, group) in posed.contact.groups.iter().enumerate() {
        let c = solution.problem.constraint(g);
        if !c.is_contact() {
            continue;
        }
        let rows = group.rows();
        if c.gap[0].abs() >= course.touching {
            // but for taking out an overlap
            let gap = c.gap[0] + c.bend;
            work -= found.impulses[rows.start] * (gap - gap.max(c.gap[0]).min(0.0)) / course.dt;
        }
        if !posed.associated {
            work += rows.skip(1).map(|r| found.impulses[r] * found.xi[r]).sum::<f64>();
        }
    }
    work > 0.0 && work > WORK * solution.problem.frozen.at.mass.half_square(u)
}
