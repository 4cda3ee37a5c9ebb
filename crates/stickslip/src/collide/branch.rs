//! Which of two convex bodies' separating directions a step relies on.
//!
//! Convex bodies are apart exactly when one of finitely many directions separates them (faces; in space also pairs of
//! edges): non-penetration is a disjunction, `max_i s_i >= 0` [Berard 2009, eq. 3.3], and the force of direction i
//! needs `max_j s_j = 0` and `s_i = 0` [eq. 3.4, 3.5]. A time-stepper wants linear conditions, so one direction is
//! chosen: with the separations s_i at the start and at the foreseen end of a step, linear in between (for a
//! translation they are), direction i separates during an interval of time, and
//!
//! 1. begin at the start; of the directions that separate now, follow the one that does so the longest; go on from
//!    where it ceases to; until the end is reached or no direction goes on;
//! 2. at the end: the direction of greatest separation there, [eq. 3.5]. It carries no force on the foreseen path: a
//!    corner passes a corner, one direction hands over to the next, and what slides off a face leaves it;
//! 3. stopped before the end: that is the first touch, and the direction that ceased there is its normal. A body that
//!    would come out on the far side is held where it first touches;
//! 4. bodies that overlap at the start: the same, with that overlap for zero.
//!
//! *What may push.* A force along direction i does the work `lambda W^T u' = -lambda s_i / dt` in a step. So only what
//! separates at the start may push, or, where the bodies overlap there, what separates best:
//!
//! ```text
//! s_i >= min(0, d) at the start,   d = max_j s_j                                                       (1)
//! ```
//!
//! A direction of case 2 that does not is one that others hand over to: the pair passes, and has no contact. For one of
//! case 3 the direction of (1) that lasts longest stands in.
//!
//! Inner directions, those of cuts between the pieces of one body, separate like others but carry no force: when one is
//! chosen, other pieces stand in the way and there is no contact. Separations within a slack of zero count as zero, for
//! inner directions as negative, so that surfaces that are flush are passed over.

/// The separation along a direction at both ends of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    pub start: f64,
    pub end: f64,
    pub inner: bool,
}

impl Course {
    /// When the direction begins to separate and when it ceases to, as fractions of the step; none when it never does.
    fn interval(&self, slack: f64) -> Option<(f64, f64)> {
        let zero = if self.inner { slack } else { -slack };
        let (start, end) = (self.start - zero, self.end - zero);
        let crossing = || start / (start - end);
        match (start >= 0.0, end >= 0.0) {
            (true, true) => Some((0.0, 1.0)),
            (true, false) => Some((0.0, crossing())),
            (false, true) => Some((crossing(), 1.0)),
            _ => None,
        }
    }
}

/// The direction to rely on, of `count` with the courses given; none when nothing is to push.
pub(super) fn choose(count: usize, course: impl Fn(usize) -> Course, slack: f64) -> Option<usize> {
    // case 4: with an overlap at the start, what separates best there counts as separating
    let depth = (0..count).map(|i| course(i).start).fold(f64::NEG_INFINITY, f64::max).min(0.0);
    let course = |i: usize| {
        let Course { start, end, inner } = course(i);
        Course { start: start - depth, end: end - depth, inner }
    };
    let (mut now, mut followed) = (0.0, None);
    // each turn follows another direction to its end
    for _ in 0..=count {
        let mut next: Option<(usize, Course, f64)> = None;
        for i in 0..count {
            let candidate = course(i);
            let Some((from, to)) = candidate.interval(slack) else { continue };
            if from > now {
                continue;
            }
            let better = next.is_none_or(|(_, best, until)| {
                to > until || (to == until && candidate.start > best.start + slack)
            });
            if better {
                next = Some((i, candidate, to));
            }
        }
        match next {
            Some((i, chosen, until)) if until >= 1.0 => {
                // any other that separates at the end can be handed over to
                let farthest = |best: (usize, Course), i: usize| {
                    let other = course(i);
                    let better = other.interval(slack).is_some_and(|(_, to)| to >= 1.0)
                        && other.end > best.1.end + slack;
                    if better { (i, other) } else { best }
                };
                let (i, chosen) = (0..count).fold((i, chosen), farthest);
                // one that does not separate at the start may not push, eq. (1)
                return (!chosen.inner && chosen.start >= -slack).then_some(i);
            }
            Some((i, chosen, until)) if until > now || followed.is_none() => {
                (now, followed) = (until, Some((i, chosen)));
            }
            _ => break,
        }
    }
    let (i, chosen) = followed?;
    if chosen.inner {
        return None;
    }
    if chosen.start >= -slack {
        return Some(i);
    }
    // it separates nothing at the start: what does so longest holds
    let lasts = |i: usize| course(i).interval(slack).filter(|(from, _)| *from == 0.0).map(|(_, to)| to);
    let real = (0..count).filter(|&i| !course(i).inner);
    real.filter_map(|i| Some((i, lasts(i)?))).reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|x| x.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(courses: &[(f64, f64)]) -> Option<usize> {
        let courses: Vec<Course> =
            courses.iter().map(|&(start, end)| Course { start, end, inner: false }).collect();
        choose(courses.len(), |i| courses[i], 1e-9)
    }

    #[test]
    fn a_corner_passes_a_corner() {
        // left of it and just above: the top stays positive
        assert_eq!(chosen(&[(1.0, -1.0), (1e-6, 1e-6)]), Some(1));
        // just below: the left side is hit
        assert_eq!(chosen(&[(1.0, -1.0), (-1e-6, -1e-6)]), Some(0));
        // one direction hands over to another that did not separate at first, and may not push
        assert_eq!(chosen(&[(1.1, -1.0), (-1.0, 1.1)]), None);
        // or comes too late
        assert_eq!(chosen(&[(1.0, -1.1), (-1.1, 1.0)]), Some(0));
    }

    #[test]
    fn what_would_come_out_behind_is_held_in_front() {
        assert_eq!(chosen(&[(0.1, -5.0), (-0.3, 4.6)]), Some(0));
    }

    #[test]
    fn flush_surfaces_are_passed_over_and_inner_edges_carry_nothing() {
        assert_eq!(chosen(&[(0.3, -0.5), (-1e-13, -1e-12)]), Some(1));
        let wall = Course { start: 0.2, end: -0.1, inner: true };
        let real = Course { start: 0.1, end: -0.05, inner: false };
        let between = |other: Course| choose(2, |i| if i == 0 { wall } else { other }, 1e-9);
        assert_eq!(between(real), Some(1));
        assert_eq!(between(Course { end: -0.2, ..real }), None);
    }
}
