//! The customary error of a contact problem's candidate, next to the project's own residual.
//!
//! ```text
//! error = ‖r − P_K(r − (u + mu |u_t| n))‖ / max(‖q‖, ‖r‖, ‖u‖),   u = W r + q            (1)
//! ```
//!
//! with P_K the projection onto the product of the friction cones. Numbers with units of impulse and velocity are
//! added, so (1) depends on the units; it is what the test suites of the field report. The same divided by ‖q‖ alone
//! does not let a large impulse hide an error. Reference: Acary, Bourrier, Viannay, 2023 (the numerics of Siconos).

use super::contact::ContactProblem;
use crate::law::GroupLaw;

/// Eq. (1), with both denominators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CustomaryError {
    /// Divided by `max(‖q‖, ‖r‖, ‖u‖)`.
    pub error: f64,
    /// Divided by `‖q‖`.
    pub error_by_q: f64,
}

/// Eq. (1) of a candidate. Groups that are not contacts with the exact cone count with the natural map of their law.
pub fn customary_error(problem: &ContactProblem, r: &[f64]) -> CustomaryError {
    let (mut scratch, mut work, mut u) = (Vec::new(), Vec::new(), Vec::new());
    problem.velocities(r, &mut scratch, &mut work, &mut u);
    let mut sum = 0.0;
    for group in &problem.groups {
        let (r, u) = (&r[group.rows()], &u[group.rows()]);
        sum += group.law.customary_error(&problem.directions, r, u);
    }
    let norm = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let by = |size: f64| if sum == 0.0 { 0.0 } else { sum.sqrt() / size };
    let q = norm(&problem.q);
    CustomaryError { error: by(q.max(norm(r)).max(norm(&u))), error_by_q: by(q) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::text::{TextProblem, read};

    #[test]
    fn the_error_vanishes_for_a_contact_at_rest_and_not_for_a_perturbed_one() {
        let Ok(TextProblem::Contact(problem)) = read("fc 3 1 3\n0.5\n-2 0.5 0\n0 0 1\n1 1 1\n2 2 1\n") else {
            panic!("a contact problem")
        };
        assert!(customary_error(&problem, &[2.0, -0.5, 0.0]).error < 1e-15);
        let off = customary_error(&problem, &[2.1, -0.5, 0.0]);
        assert!(off.error > 1e-2 && off.error_by_q >= off.error);
    }
}
