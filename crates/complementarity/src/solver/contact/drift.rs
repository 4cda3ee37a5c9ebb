//! How far impulses can go along a direction before a group that is inside its limits reaches them.
//!
//! ```text
//! room = sup { t : lambda + t d within the limits of every group that holds, lambda_n + t d_n >= 0 }            (1)
//! ```
//!
//! A group that slides stays at its limit while its impulse grows or falls, and is not asked; it can only open.

use crate::law::{GroupLaw, Law, MAX_ROWS};
use crate::problem::contact::ContactProblem;

/// Beyond this there is no end to the room.
pub(crate) const ENDLESS: f64 = 1e15;
/// Bisections: the room is needed to six digits.
const BISECTIONS: usize = 20;

/// The room of eq. (1), at least `least`.
pub(crate) fn room(problem: &ContactProblem, lambda: &[f64], direction: &[f64], least: f64) -> f64 {
    let leaves = |t: f64| {
        problem.groups.iter().any(|group| {
            let (lambda, direction) = (&lambda[group.rows()], &direction[group.rows()]);
            direction.iter().any(|d| *d != 0.0)
                && leaves(group.law, &problem.directions, (lambda, direction), t)
        })
    };
    let mut low = least;
    if leaves(low) {
        return low;
    }
    while low < ENDLESS && !leaves(2.0 * low) {
        low *= 2.0;
    }
    let mut high = 2.0 * low;
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if leaves(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// True when a group is outside of its limits after t times the direction.
fn leaves(law: Law, directions: &[[f64; 2]], (lambda, direction): (&[f64], &[f64]), t: f64) -> bool {
    let mut at = [0.0; MAX_ROWS];
    for (at, (l, d)) in at.iter_mut().zip(lambda.iter().zip(direction)) {
        *at = l + t * d;
    }
    law.leaves(directions, lambda, &at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Cone;

    #[test]
    fn the_first_limit_on_the_way_ends_it() {
        let contact = Law::Contact { friction: 0.5, cone: Cone::Disc };
        let end = |law, lambda: &[f64], direction: &[f64]| {
            let (mut low, mut high) = (0.0, 100.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if leaves(law, &[], (lambda, direction), middle) { high = middle } else { low = middle }
            }
            high
        };
        // friction (0.2, t) reaches half of 1 at t² = 0.25 − 0.04
        assert!((end(contact, &[1.0, 0.2, 0.0], &[0.0, 0.0, 1.0]) - 0.21f64.sqrt()).abs() < 1e-12);
        // a falling load: 0.5 (1 − t) = 0.2
        assert!((end(contact, &[1.0, 0.2, 0.0], &[-1.0, 0.0, 0.0]) - 0.6).abs() < 1e-12);
        // one that slides can only open
        assert!((end(contact, &[1.0, 0.5, 0.0], &[-1.0, -0.4, 0.0]) - 1.0).abs() < 1e-12);
        assert!((end(Law::Dry { bound: 2.0 }, &[1.0], &[-1.0]) - 3.0).abs() < 1e-12);
        assert!((end(Law::Unilateral, &[1.0], &[-0.1]) - 10.0).abs() < 1e-11);
        assert_eq!(end(Law::Bilateral { rows: 1 }, &[1.0], &[-1.0]), 100.0);
    }
}
