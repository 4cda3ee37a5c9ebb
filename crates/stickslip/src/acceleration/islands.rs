//! Constraints that do not act on each other: their problems are solved apart, and their solutions put together.

use super::{AccelerationProblem, Solution, Solutions, Verdict};

/// The most motions that are listed when those of several islands are put together.
const MOST: usize = 64;

impl AccelerationProblem {
    /// The constraints by number, those together that act on each other.
    pub(super) fn islands(&self) -> Vec<Vec<usize>> {
        let count = self.touches.len();
        let rows =
            |k: usize| self.touches[k].first_row..self.touches[k].first_row + self.touches[k].law.rows();
        let acts = |k: usize, l: usize| rows(k).any(|r| rows(l).any(|c| self.a[(r, c)] != 0.0));
        let mut of = vec![usize::MAX; count];
        let mut islands: Vec<Vec<usize>> = Vec::new();
        for first in 0..count {
            if of[first] != usize::MAX {
                continue;
            }
            let number = islands.len();
            of[first] = number;
            let mut members = vec![first];
            let mut next = 0;
            while let Some(&k) = members.get(next) {
                for l in 0..count {
                    if of[l] == usize::MAX && acts(k, l) {
                        of[l] = number;
                        members.push(l);
                    }
                }
                next += 1;
            }
            members.sort_unstable();
            islands.push(members);
        }
        islands
    }
}

/// The motions of all islands together: every choice of one of each.
pub(super) fn together(
    problem: &AccelerationProblem,
    islands: &[Vec<usize>],
    found: Vec<Solutions>,
) -> Solutions {
    let any = |verdict: Verdict| found.iter().any(|f| f.verdict == verdict);
    let verdict = [Verdict::None, Verdict::Unknown, Verdict::Several].into_iter().find(|v| any(*v));
    let mut solutions = vec![problem.solution(&vec![0.0; problem.b.len()])];
    for (island, of_island) in islands.iter().zip(&found) {
        let with = |whole: &Solution, own: &Solution| {
            let mut both = whole.clone();
            for (&k, contact) in island.iter().zip(&own.contacts) {
                both.contacts[k] = *contact;
            }
            let moved = own.acceleration.iter().zip(&problem.free).map(|(a, f)| a - f);
            both.acceleration.iter_mut().zip(moved).for_each(|(a, m)| *a += m);
            both
        };
        let all =
            of_island.solutions.iter().flat_map(|own| solutions.iter().map(move |whole| with(whole, own)));
        solutions = all.take(MOST).collect();
    }
    Solutions {
        verdict: verdict.unwrap_or(Verdict::Unique),
        solutions,
        forces_unique: found.iter().all(|f| f.forces_unique),
    }
}
