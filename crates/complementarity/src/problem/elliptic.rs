//! Elliptic friction, with a moment about the normal or without: friction that differs along two tangents, and
//! friction that resists the spin of a contact with some extent.
//!
//! The friction impulses along the tangents t and o and the friction moment r about the normal are bounded by the limit
//! surface
//!
//! ```text
//! (lambda_t / e_t)² + (lambda_o / e_o)² + (lambda_r / e_r)² <= (mu lambda_n)²            (1)
//! ```
//!
//! and dissipate the most: `−(xi_t lambda_t + xi_o lambda_o + xi_r lambda_r)` is the largest of all impulses that
//! satisfy (1). For slip and spin at a time this gives (with the multiplier sigma = the speed `sqrt(sum (e_i
//! xi_i)²)`)
//!
//! ```text
//! sigma lambda_i = −mu lambda_n e_i² xi_i.                                              (2)
//! ```
//!
//! Scaling the tangential rows,
//!
//! ```text
//! xi^_i = e_i xi_i,   lambda_i = e_i lambda^_i                                          (3)
//! ```
//!
//! keeps the power, `xi^ · lambda^ = xi · lambda`, and the form of the problem, `xi^ = (E A E) lambda^ + E q`, and
//! makes the ellipsoid (1) the ball `|lambda^_t| <= mu lambda^_n`. So the solvers know round cones only:
//! [`scale_tangents`] before the solve, [`recover`] after it. Residuals of the scaled problem are speeds: `e_t` and
//! `e_o` are numbers (`mu e_t` is the friction coefficient along t), `e_r` is a length (m; `xi_r` in rad/s,
//! `lambda_r` in N m s).
//!
//! Reference: Berard 2009, eq. (3.82) and (3.83); Howe and Cutkosky, 1996, for (1) as a model of soft contacts.

use super::ProblemError;
use super::contact::ContactProblem;
use super::operator::Operator;
use crate::law::GroupLaw;

/// Eq. (3): scales the tangential rows of a contact, so that its cone means the limit surface (1) with these
/// semi-axes: two for `Cone::Disc` and `Cone::Polygon` (whose limit set is stretched likewise), three for
/// `Cone::Ball`, one for `Cone::Segment`; one for each friction row of a combined law. Scaling twice multiplies the
/// semi-axes. The problem's `scale` stays as it is. Refused, the problem unchanged: groups that are no contacts,
/// another number of semi-axes, and semi-axes that are not positive (a contact without friction moment has
/// `Cone::Disc`).
pub fn scale_tangents(
    problem: &mut ContactProblem,
    group: usize,
    semi_axes: &[f64],
) -> Result<(), ProblemError> {
    check(problem, group, semi_axes)?;
    let own = problem.groups[group];
    let rows = own.law.rows();
    // the normal row keeps its size
    let factor = |row: usize| if row == 0 { 1.0 } else { semi_axes[row - 1] };
    for (row, q) in problem.q[own.rows()].iter_mut().enumerate() {
        *q *= factor(row);
    }
    match &mut problem.operator {
        Operator::Factored { jacobian, .. } => {
            for part in &jacobian.parts[own.parts()] {
                let values = &mut jacobian.values[part.at..part.at + rows * part.width];
                for (k, value) in values.iter_mut().enumerate() {
                    *value *= factor(k / part.width);
                }
            }
        }
        Operator::Assembled(a) => {
            for (c, other) in problem.groups.iter().enumerate() {
                for e in a.row_start[c]..a.row_start[c + 1] {
                    let (d, columns) = (a.column[e], problem.groups[a.column[e]].law.rows());
                    let values = &mut a.values[a.at[e]..a.at[e] + other.law.rows() * columns];
                    for (k, value) in values.iter_mut().enumerate() {
                        let left = if c == group { factor(k / columns) } else { 1.0 };
                        let right = if d == group { factor(k % columns) } else { 1.0 };
                        *value *= left * right;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Eq. (3): makes the impulses of a contact of a scaled problem those of the contact itself, in place. `lambda` has
/// the rows of the whole problem; semi-axes as in [`scale_tangents`].
pub fn recover(
    problem: &ContactProblem,
    group: usize,
    semi_axes: &[f64],
    lambda: &mut [f64],
) -> Result<(), ProblemError> {
    check(problem, group, semi_axes)?;
    super::check_size("impulses", lambda.len(), problem.len())?;
    for (value, e) in lambda[problem.groups[group].rows()].iter_mut().skip(1).zip(semi_axes) {
        *value *= e;
    }
    Ok(())
}

fn check(problem: &ContactProblem, group: usize, semi_axes: &[f64]) -> Result<(), ProblemError> {
    let contact = problem.groups.get(group).and_then(|g| {
        let friction = g.law.blocks().next().is_some() && !g.law.is_associated();
        friction.then(|| g.law.rows() - 1)
    });
    let Some(tangents) = contact else {
        let expected = "a contact with friction";
        return Err(ProblemError::Range { what: "group", index: group, value: group as f64, expected });
    };
    super::check_size("semi-axes", semi_axes.len(), tangents)?;
    match semi_axes.iter().position(|e| !(*e > 0.0 && e.is_finite())) {
        Some(index) => {
            let (what, value) = ("semi-axes", semi_axes[index]);
            Err(ProblemError::Range { what, index, value, expected: "a number > 0" })
        }
        None => Ok(()),
    }
}
