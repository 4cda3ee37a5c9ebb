//! Normals that press or lift, not both, under Gauss' principle.
//!
//! With friction the minimiser of eq. (1) of `least.rs` may press a contact that lifts: forces that only let the motion
//! come nearer to the free one, or buy friction for a contact that sticks. An instant later they would be gone, the
//! contact closed again, and so on without end. A normal therefore does one or the other,
//!
//! ```text
//! 0 <= x ⟂ acceleration >= 0,                                                                             (1)
//! ```
//!
//! and where the minimiser contradicts that, the least of what (1) allows is found by branching: the worst contact
//! closed, or open. Where friction leaves the minimiser complementary by itself this changes nothing.

use super::flow::Flow;
use complementarity::dense::dot;

/// A normal force and a normal acceleration that are both larger than this, relative to the largest acceleration
/// without forces, contradict each other.
const PRESSES: f64 = 1e-10;
/// The most programs on the way to eq. (1).
const BRANCHES: usize = 200;

/// What a normal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normal {
    /// Press or lift.
    Either,
    /// Does not lift.
    Closed,
    /// Does not press.
    Open,
}

impl Flow {
    /// The program of `least.rs` and eq. (1), with the limits of friction or without; false when there is no solution.
    pub(super) fn minimise_within(&mut self, limits: bool) -> bool {
        self.least.normals.clear();
        self.least.normals.resize(self.unknowns.len(), Normal::Either);
        self.least.cuts.clear();
        let mut found = self.minimise_round(limits);
        if found && let Some(i) = self.contradiction() {
            found = self.branch(i, limits);
        }
        if found {
            self.closest_round(limits);
        }
        found
    }

    /// Eq. (1) by branching, from a contact that contradicts it: closed, or open; the value of the program is a bound
    /// on what follows.
    fn branch(&mut self, first: usize, limits: bool) -> bool {
        let mut path = std::mem::take(&mut self.least.path);
        let mut best = std::mem::take(&mut self.least.best);
        path.clear();
        path.push(first);
        self.least.normals[first] = Normal::Closed;
        let mut least = f64::INFINITY;
        for _ in 0..BRANCHES {
            let found = self.minimise_round(limits) && self.holds();
            let value = if found { self.least.program.objective(&self.x) } else { f64::INFINITY };
            if value < least {
                if let Some(i) = self.contradiction() {
                    self.least.normals[i] = Normal::Closed;
                    path.push(i);
                    continue;
                }
                least = value;
                best.clone_from(&self.least.normals);
            }
            // back to the last contact that was not yet taken for open; one that sticks does not open for want of
            // friction
            while let Some(&i) = path.last() {
                let sticks = self.parts[self.unknowns[i].0].blocks.iter().flatten().any(|b| b.sticks());
                if self.least.normals[i] == Normal::Closed && !sticks {
                    self.least.normals[i] = Normal::Open;
                    break;
                }
                self.least.normals[i] = Normal::Either;
                path.pop();
            }
            if path.is_empty() {
                break;
            }
        }
        let any = least < f64::INFINITY;
        if any {
            self.least.normals.clone_from(&best);
            self.minimise_round(limits);
        }
        (self.least.path, self.least.best) = (path, best);
        any
    }

    /// What a normal acceleration may be beside a normal force, in the scale of the program.
    fn allowed(&self) -> f64 {
        PRESSES * self.b.iter().fold(0.0f64, |m, b| m.max(b.abs()))
    }

    /// The acceleration of an unknown's row.
    fn rises(&self, i: usize) -> f64 {
        dot(self.a.row(i), &self.x) - self.b[i]
    }

    /// True when what is meant to be closed is: on its way the solver is not that strict.
    fn holds(&self) -> bool {
        let allowed = self.allowed();
        let normals = self.least.normals.iter().enumerate();
        normals.filter(|(_, n)| **n == Normal::Closed).all(|(i, _)| self.rises(i) <= allowed)
    }

    /// The contact that contradicts eq. (1) the most.
    fn contradiction(&self) -> Option<usize> {
        let allowed = self.allowed();
        let by = |i: usize| (self.a[(i, i)] * self.x[i]).min(self.rises(i));
        let normal = |&i: &usize| {
            let (k, r) = self.unknowns[i];
            r == 0 && self.parts[k].is_unilateral() && self.least.normals[i] == Normal::Either
        };
        let worst = (0..self.unknowns.len()).filter(normal).max_by(|&i, &j| by(i).total_cmp(&by(j)));
        worst.filter(|&i| by(i) > allowed)
    }
}
