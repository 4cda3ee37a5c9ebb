//! The acceleration-level problem in space, with the round cone: one solution.
//!
//! Contacts at rest obey Coulomb's law with accelerations in the place of velocities, which is the contact problem of the
//! time-steppers. Sliding ones have a friction force of known direction and of a size that follows from the normal
//! force; it is lagged:
//!
//! ```text
//! xi = A lambda + b + A_t lambda_t(k),   laws(xi, lambda);   lambda_t(k+1) = −mu lambda_n d                  (1)
//! ```
//!
//! The iteration converges linearly where friction couples the normals weakly. Where it does not, that is said:
//! the verdict is `Unknown` without a solution. A solution found is exact, but not known to be the only one.

use super::{AccelerationProblem, Solutions, Touch, Verdict};
use crate::friction::Block;
use crate::system::Law;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law as laws;
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig};

/// The most rounds of eq. (1).
const ROUNDS: usize = 500;
/// Friction stands when the accelerations it makes change by less than this, relative to the largest without forces. (Forces
/// themselves may wander where they are not unique.)
const STANDS: f64 = 1e-13;

/// A solution, if it is found.
pub(super) fn one(problem: &AccelerationProblem) -> Solutions {
    let (mut contact, rows) = contact_problem(problem);
    let b = contact.q.clone();
    let mut solver = ContactSolverConfig::new(ContactSolver::Auto).build();
    let mut lambda = vec![0.0; contact.q.len()];
    let mut force = vec![0.0; problem.b.len()];
    let mut stands = false;
    for _ in 0..ROUNDS {
        let report = solver.solve(&contact, &mut lambda);
        if report.residual.is_nan() || report.residual > 1e-9 {
            break;
        }
        for (&row, l) in rows.iter().zip(&lambda) {
            force[row] = *l;
        }
        set_sliding(problem, &mut force);
        let sliding = sliding_only(problem, &force);
        let mut change = 0.0f64;
        for (k, &row) in rows.iter().enumerate() {
            let q = b[k] + complementarity::dense::dot(problem.a.row(row), &sliding); // eq. (1)
            change = change.max((q - contact.q[k]).abs());
            contact.q[k] = q;
        }
        stands = change <= STANDS * contact.scale;
        if stands {
            break;
        }
    }
    let solutions = if stands { vec![problem.solution(&force)] } else { Vec::new() };
    Solutions { verdict: Verdict::Unknown, solutions, forces_unique: false }
}

/// Friction of what slides, from the normal forces.
fn set_sliding(problem: &AccelerationProblem, force: &mut [f64]) {
    for (first, block) in sliding(problem) {
        let limit = block.limit(force[first]);
        for (r, d) in block.rows().zip(block.direction()) {
            force[first + r] = -limit * d;
        }
    }
}

/// The forces of [`set_sliding`] alone.
fn sliding_only(problem: &AccelerationProblem, force: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; force.len()];
    for (first, block) in sliding(problem) {
        let rows = first + block.first..first + block.first + block.count;
        out[rows.clone()].copy_from_slice(&force[rows]);
    }
    out
}

/// The blocks that slide, with the first rows of their constraints.
fn sliding(problem: &AccelerationProblem) -> impl Iterator<Item = (usize, &Block)> {
    let all = problem.touches.iter().flat_map(|t| t.blocks.iter().flatten().map(|b| (t.first_row, b)));
    all.filter(|(_, b)| !b.sticks())
}

/// The law of what does not slide of a constraint.
fn resting_law(touch: &Touch) -> Option<laws::Law> {
    let mut resting = touch.blocks.iter().flatten().filter(|b| b.sticks());
    match touch.law {
        Law::Bilateral { rows } => Some(laws::Law::Bilateral { rows }),
        Law::Limit => Some(laws::Law::Unilateral),
        Law::Dry { bound } => resting.next().map(|_| laws::Law::Dry { bound }),
        Law::DryDisc { bound } => {
            resting.next().map(|_| laws::Law::DryCone { bound, cone: laws::Cone::Disc })
        }
        Law::Servo { .. } => None,
        Law::Contact { .. } => {
            let (mut friction, mut cones) = ([0.0; 3], [None; 3]);
            for (k, block) in resting.enumerate() {
                friction[k] = block.friction;
                cones[k] = Some([laws::Cone::Segment, laws::Cone::Disc, laws::Cone::Ball][block.count - 1]);
            }
            Some(match cones {
                [None, ..] => laws::Law::Unilateral,
                [Some(cone), None, _] => laws::Law::Contact { friction: friction[0], cone },
                _ => laws::Law::Combined { friction, cones },
            })
        }
    }
}

/// The contact problem of everything but sliding friction, and its rows as rows of the whole problem.
fn contact_problem(problem: &AccelerationProblem) -> (ContactProblem, Vec<usize>) {
    let mut out = ContactProblem::default();
    let mut rows = Vec::new();
    for t in &problem.touches {
        let Some(law) = resting_law(t) else { continue };
        let part = out.groups.len();
        out.groups.push(Group { law, first_row: rows.len(), first_part: part, end_part: part + 1 });
        let slides = |r: usize| t.blocks.iter().flatten().any(|b| !b.sticks() && b.rows().contains(&r));
        rows.extend((0..t.law.rows()).filter(|r| !slides(*r)).map(|r| t.first_row + r));
    }
    out.q = rows.iter().map(|&r| problem.b[r]).collect();
    out.scale = problem.scale();
    // A = W^T M^-1 W needs a factor: coordinates in which the forces of all rows are the unknowns
    let (inverse_mass, jacobian) = factored(problem, &out.groups, &rows);
    out.operator = Operator::Factored { inverse_mass, jacobian };
    (out, rows)
}

/// A as `I A I`: one block of inverse mass, and rows that pick their own coordinate.
fn factored(problem: &AccelerationProblem, groups: &[Group], rows: &[usize]) -> (BlockDiagonal, Jacobian) {
    let n = rows.len();
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let mut values = Vec::with_capacity(n * n);
    for &i in rows {
        values.extend(rows.iter().map(|&j| problem.a[(i, j)]));
    }
    inverse_mass.push(n, &values);
    for group in groups {
        let mut pick = vec![0.0; group.law.rows() * n];
        for (r, row) in group.rows().enumerate() {
            pick[r * n + row] = 1.0;
        }
        jacobian.push(0, n, &pick);
    }
    (inverse_mass, jacobian)
}
