//! Other rows for pairs in doubt: those of the way to the end of a step, or of the end itself.

use super::{Course, Pairs, SAME, find, parts};
use crate::state::State;
use crate::stepper::assemble::frozen::Frozen;
use crate::stepper::assemble::judgement::Ending;
use crate::system::{Constraint, ConstraintId, Snapshot};

impl Pairs {
    /// Takes the rows of a contact at the end of the step instead of at its start.
    pub(super) fn turn(
        &mut self,
        (frozen, i): (&mut Frozen, usize),
        (ending, k): (&Ending, usize),
        course: &Course,
        end: &State,
    ) {
        let (c, seen) = (&mut frozen.at.constraints[i], &ending.at.constraints[k]);
        let own = c.first_part..c.end_part;
        for (to, from) in own.clone().zip(seen.first_part..seen.end_part) {
            let (to, from) = (frozen.at.jacobian.parts[to], ending.at.jacobian.parts[from]);
            let n = c.law.rows() * to.width;
            frozen.at.jacobian.values[to.at..to.at + n]
                .copy_from_slice(&ending.at.jacobian.values[from.at..from.at + n]);
        }
        let mut rate = [0.0];
        frozen.at.jacobian.add_velocity(own, &self.led, &mut rate);
        let bend = (seen.gap[0] - (c.gap[0] + course.dt * rate[0])).max(0.0);
        course.place(c, seen, end, c.gap[0] + bend);
        let at = self.turned.partition_point(|(id, _)| *id < c.id);
        self.turned.insert(at, (c.id, bend));
    }

    /// Freezes other rows for the pairs in doubt: those of the way to an end.
    pub(super) fn choose(
        &mut self,
        frozen: &mut Frozen,
        ending: Option<&Ending>,
        course: &Course,
        end: &State,
    ) {
        let Self { doubtful, doubted, crossed, adopted, toward, next, .. } = self;
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
            found.ok().filter(|_| c.is_contact()).map(|k| doubtful[k].1)
        };
        let stays = |c: &Constraint| doubt(c) != Some(true);
        let kept = |id: ConstraintId| find(&frozen.at.constraints, id).is_some_and(stays);
        for (from, takes) in [
            (&frozen.at, &stays as &dyn Fn(&Constraint) -> bool),
            (&*toward, &|c| doubt(c).is_some() && c.gap[0] <= course.reach && !kept(c.id)),
        ] {
            for k in (0..from.constraints.len()).filter(|&k| takes(&from.constraints[k])) {
                copy(from, k, next);
            }
        }
        for (&(k, gap), ending) in adopted.iter().zip(ending.into_iter().cycle()) {
            let c = &ending.at.constraints[k];
            if doubt(c) == Some(true) || next.constraints.iter().any(|n| n.id == c.id) {
                continue;
            }
            copy(&ending.at, k, next);
            if let Some(adopted) = next.constraints.last_mut() {
                course.place(adopted, c, end, gap);
            }
        }
        next.constraints.sort_unstable_by_key(|c| c.id);
        for c in next.constraints.iter_mut().filter(|c| c.is_contact()) {
            if let Some(known) = find(&frozen.at.constraints, c.id).filter(|k| k.normal.dot(&c.normal) > SAME)
            {
                c.bend = known.bend;
            }
        }
        crossed.extend(doubtful.iter().filter(|(_, goes)| !*goes).map(|(pair, _)| *pair));
        doubted.extend(doubtful.iter().filter(|(_, goes)| *goes).map(|(pair, _)| *pair));
        doubted.sort_unstable();
        doubted.dedup();
        std::mem::swap(&mut frozen.at.constraints, &mut next.constraints);
        std::mem::swap(&mut frozen.at.jacobian, &mut next.jacobian);
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
