//! The customary error of a contact problem's candidate, next to the project's own residual.
//!
//! ```text
//! error = ‖r − P_K(r − (u + mu |u_t| n))‖ / max(‖q‖, ‖r‖, ‖u‖),   u = W r + q            (1)
//! ```
//!
//! with P_K the projection onto the product of the friction cones. Numbers with units of impulse and velocity are
//! added, so (1) depends on the units; it is what the test suites of the field report. The same divided by ‖q‖
//! alone does not let a large impulse hide an error. Reference: Acary, Bourrier, Viannay, 2023 (the numerics of Siconos).

use super::contact::ContactProblem;
use crate::law::{Law, project};

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
        match group.law {
            Law::Contact { friction, .. } => sum += contact(friction, friction, r, u),
            Law::Associated { friction, .. } => sum += contact(friction, 0.0, r, u),
            Law::Combined { .. } => sum += combined(problem, group.law, r, u),
            Law::Unilateral => sum += r[0].min(u[0]).powi(2),
            Law::Bilateral { .. } => sum += u.iter().map(|x| x * x).sum::<f64>(),
            Law::DryCone { bound, cone } => {
                let moved = std::array::from_fn(|i| if i < r.len() { r[i] - u[i] } else { 0.0 });
                let back = project(cone, &problem.directions, bound, moved);
                sum += r.iter().zip(back).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            }
            Law::Dry { bound } => sum += (r[0] - (r[0] - u[0]).max(-bound).min(bound)).powi(2),
        }
    }
    let norm = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let by = |size: f64| if sum == 0.0 { 0.0 } else { sum.sqrt() / size };
    let q = norm(&problem.q);
    CustomaryError { error: by(q.max(norm(r)).max(norm(&u))), error_by_q: by(q) }
}

/// The square of one contact's part of (1); associated friction does not have its term `opening |u_t| n`.
fn contact(mu: f64, opening: f64, r: &[f64], u: &[f64]) -> f64 {
    let tangential = |x: &[f64]| x[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    let normal = r[0] - (u[0] + opening * tangential(u));
    let slip: Vec<f64> = (1..r.len()).map(|i| r[i] - u[i]).collect();
    let size = slip.iter().map(|v| v * v).sum::<f64>().sqrt();
    // projection of (normal, slip) onto the cone size <= mu normal
    let (n, shrink) = if size <= mu * normal {
        (normal, 1.0)
    } else if normal <= -mu * size {
        (0.0, 0.0)
    } else {
        let n = (normal + mu * size) / (1.0 + mu * mu);
        (n, mu * n / size)
    };
    let tangents: f64 = slip.iter().zip(&r[1..]).map(|(s, r)| (r - shrink * s).powi(2)).sum();
    (r[0] - n).powi(2) + tangents
}

/// The squared natural map of a combined law.
fn combined(problem: &ContactProblem, law: Law, r: &[f64], u: &[f64]) -> f64 {
    let mut sum = r[0].min(u[0]).powi(2);
    for block in law.blocks() {
        let (own, slip) = (block.of(r), block.of(u));
        let moved = std::array::from_fn(|i| own[i] - slip[i]);
        let back = project(block.cone, &problem.directions, block.friction * r[0], moved);
        sum += own.iter().zip(back).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    }
    sum
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
