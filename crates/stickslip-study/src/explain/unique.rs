//! Proofs that the motion found is the only one, where not all solutions can be listed: round cones, many contacts.
//!
//! For two solutions of `xi = A lambda + b` with the laws of contact, differences written with δ, and the blocks of
//! friction rows t behind the normals n,
//!
//! ```text
//! δlambda^T A δlambda = δxi^T δlambda <= sum over blocks of  mu |δlambda_n| |δxi_t|                         (1)
//! ```
//!
//! because normals contribute at most 0, and so do joints and friction of constant bound; a block that slips in a known
//! direction d, `lambda_t = −mu lambda_n d`, contributes no more either. The left side is the square of δu in the
//! metric of the mass; where it is 0, the motion is the same.
//!
//! *Little friction*: with A = B^T B and y = B δlambda, where A is regular, `δlambda_n = c^T y`, `c = B A^-1 e_n`, and
//! a component of δxi_t is `d^T y`, `d = B_t s`. c and d are orthogonal, whence `|c^T y| |d^T y| <= |c| |d| |y|²/2`,
//! and (1) leaves only y = 0 when
//!
//! ```text
//! 1/2 sum of mu nu tau < 1,   nu² = (A^-1)_nn,   tau² the largest eigenvalue of A_tt                       (2)
//! ```
//!
//! *Idle friction*, where contacts may share a load (A singular): let the motion without friction, `lambda_t = 0`, have
//!
//! ```text
//! sum over a contact's blocks of  mu |xi_t| <= xi_n                                                        (3)
//! ```
//!
//! at every contact: those that press do not slip, so that it is a motion with friction as well. With any other
//! solution, of impulses lambda', the sum in (1) is at most `sum of lambda'_n (mu |xi_t| − xi_n) <= 0`: the motions are
//! the same. A box at rest on a level floor is one.
//!
//! *Associated friction* (stepper `convex`) has contributions of at most 0 alone: there the motion is always one.
//!
//! None of these says anything where friction bears a load that contacts share, a box on a slope: then the verdict
//! stays `unknown`.

use crate::error::StudyError;
use complementarity::dense::{Dense, Lu, dot};
use complementarity::problem::assemble::Assembly;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law as ProblemLaw};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig};
use std::ops::Range;
use stickslip::acceleration::AccelerationProblem;
use stickslip::system::Law;

/// The most rows.
const LARGEST: usize = 300;
/// Pivots of the matrix with unit diagonal below this make it singular; speeds below this part of the problem's are
/// zero.
const ZERO: f64 = 1e-9;

/// The rows of one constraint.
enum Part {
    /// Kept: joints.
    Kept(Range<usize>),
    /// Pushes only: the normal's row, and blocks of friction rows with their coefficients.
    Pushes(usize, Vec<(Range<usize>, f64)>),
    /// Friction of constant bound.
    Dry(Range<usize>, f64),
}

/// A problem of either level.
pub(super) struct Question {
    a: Dense,
    b: Vec<f64>,
    scale: f64,
    parts: Vec<Part>,
    /// True when friction acts in a direction that is known: (3) does not apply.
    slides: bool,
    /// Friction is associated.
    convex: bool,
}

/// A motion that is the only one.
pub(super) struct Proof {
    /// Why, in words.
    pub words: String,
    /// False when forces that move nothing exist.
    pub forces_unique: bool,
    /// Velocities, or accelerations, of all rows, where the proof has them.
    pub motion: Option<Vec<f64>>,
}

impl Question {
    /// The problem of a step; or, in words, that it has a law of which the proofs know nothing.
    pub fn of_step(problem: &ContactProblem) -> Result<Self, StudyError> {
        let mut a = Dense::default();
        Assembly::default().dense(problem, &mut a);
        let part = |g: &Group| match g.law {
            ProblemLaw::Bilateral { .. } => Ok(Part::Kept(g.rows())),
            ProblemLaw::Dry { bound } | ProblemLaw::DryCone { bound, .. } => Ok(Part::Dry(g.rows(), bound)),
            ProblemLaw::Unilateral
            | ProblemLaw::Contact { .. }
            | ProblemLaw::Associated { .. }
            | ProblemLaw::Combined { .. } => {
                let at = |first: usize| g.first_row + first;
                let blocks = g.law.blocks();
                let rows = blocks.map(|b| (at(b.first)..at(b.first + b.cone.tangents()), b.friction));
                Ok(Part::Pushes(g.first_row, rows.collect()))
            }
            // a law that is new: nothing is claimed until the proofs are extended to it
            other => Err(StudyError::UnprovenLaw(Box::new(other))),
        };
        let parts = problem.groups.iter().map(part).collect::<Result<_, _>>()?;
        let convex = problem.is_associated();
        Ok(Self { a, b: problem.q.clone(), scale: problem.scale, parts, slides: false, convex })
    }

    /// The problem of an instant.
    pub fn of_instant(problem: &AccelerationProblem) -> Self {
        let mut slides = false;
        let mut parts = Vec::new();
        for t in &problem.touches {
            let all = t.first_row..t.first_row + t.law.rows();
            let blocks = || t.blocks.iter().flatten();
            slides |= blocks().any(|b| !b.sticks() && (b.friction > 0.0 || b.bound > 0.0));
            parts.push(match t.law {
                Law::Contact { .. } | Law::Limit => {
                    let rows = |r: Range<usize>| t.first_row + r.start..t.first_row + r.end;
                    Part::Pushes(t.first_row, blocks().map(|b| (rows(b.rows()), b.friction)).collect())
                }
                Law::Bilateral { .. } | Law::Servo { .. } => Part::Kept(all),
                Law::Dry { bound } | Law::DryDisc { bound } => Part::Dry(all, bound),
            });
        }
        let (a, b, scale) = (problem.a.clone(), problem.b.clone(), problem.scale());
        Self { a, b, scale, parts, slides, convex: false }
    }

    /// Proves that all solutions have one motion; or says in a sentence what is not decided.
    pub fn proof(&self) -> Result<Proof, StudyError> {
        let n = self.b.len();
        if n > LARGEST {
            return Err(StudyError::TooLargeToProve(n));
        }
        let inverse = self.inverse();
        if self.convex {
            let words = "the step is a convex program, which has one motion".to_owned();
            return Ok(Proof { words, forces_unique: inverse.is_some(), motion: None });
        }
        if let Some(inverse) = &inverse {
            let sum = self.little(inverse);
            if sum < 1.0 {
                let words =
                    format!("friction is too little for a second motion (eq. 2 of explain: {sum:.3} < 1)");
                return Ok(Proof { words, forces_unique: true, motion: None });
            }
        }
        if let Some(motion) = self.idle() {
            let rough = |p: &Part| matches!(p, Part::Pushes(_, blocks) if blocks.iter().any(|b| b.1 > 0.0));
            let words = if self.parts.iter().any(rough) {
                "the motion without friction does not slip, and no friction changes it"
            } else {
                "contacts without friction allow one motion only"
            };
            return Ok(Proof {
                words: words.to_owned(),
                forces_unique: inverse.is_some(),
                motion: Some(motion),
            });
        }
        Err(match inverse {
            Some(inverse) => StudyError::MuchFriction(self.little(&inverse)),
            None => StudyError::SharedLoad,
        })
    }

    /// A^-1, unless A is singular.
    fn inverse(&self) -> Option<Dense> {
        let n = self.b.len();
        let (unit, scale) = super::free::with_unit_diagonal(self.a.clone());
        if !super::free::null_space(unit.clone()).is_empty() {
            return None;
        }
        let mut lu = Lu::default();
        if !lu.factor(&unit, ZERO) {
            return None;
        }
        let mut out = Dense::zeros(n, n);
        for j in 0..n {
            let mut column = vec![0.0; n];
            column[j] = scale[j];
            lu.solve(&mut column);
            (0..n).for_each(|i| out[(i, j)] = scale[i] * column[i]);
        }
        Some(out)
    }

    /// The left side of (2).
    fn little(&self, inverse: &Dense) -> f64 {
        let mut sum = 0.0;
        for part in &self.parts {
            let Part::Pushes(normal, blocks) = part else { continue };
            let nu = inverse[(*normal, *normal)].max(0.0).sqrt();
            for (rows, friction) in blocks {
                sum += 0.5 * friction * nu * self.largest_eigenvalue(rows.clone()).sqrt();
            }
        }
        sum
    }

    /// That of a diagonal block: exact for up to two rows, the trace, which is no less, for more.
    fn largest_eigenvalue(&self, rows: Range<usize>) -> f64 {
        let trace: f64 = rows.clone().map(|r| self.a[(r, r)]).sum();
        if rows.len() != 2 {
            return trace;
        }
        let (i, j) = (rows.start, rows.start + 1);
        let half = 0.5 * (self.a[(i, i)] - self.a[(j, j)]);
        0.5 * trace + half.hypot(self.a[(i, j)])
    }

    /// The motion without friction, if (3) holds.
    fn idle(&self) -> Option<Vec<f64>> {
        if self.slides {
            return None;
        }
        let (problem, rows) = self.without_friction()?;
        let mut lambda = vec![0.0; rows.len()];
        let report = ContactSolverConfig::new(ContactSolver::Auto).build().solve(&problem, &mut lambda);
        if report.residual.is_nan() || report.residual > 0.1 * ZERO {
            return None;
        }
        let mut all = vec![0.0; self.b.len()];
        rows.iter().zip(&lambda).for_each(|(&r, l)| all[r] = *l);
        let xi: Vec<f64> = (0..all.len()).map(|i| self.b[i] + dot(self.a.row(i), &all)).collect();
        let holds = |part: &Part| {
            let Part::Pushes(normal, blocks) = part else { return true };
            let slip = |rows: &Range<usize>| xi[rows.clone()].iter().fold(0.0f64, |s, x| s.hypot(*x));
            let sum: f64 = blocks.iter().map(|(rows, friction)| friction * slip(rows)).sum();
            sum <= xi[*normal] + ZERO * self.scale // eq. (3)
        };
        self.parts.iter().all(holds).then_some(xi)
    }

    /// The problem of all rows but those of contacts' friction, and these rows; none where friction of constant bound
    /// is not round.
    fn without_friction(&self) -> Option<(ContactProblem, Vec<usize>)> {
        let mut out = ContactProblem { scale: self.scale, ..ContactProblem::default() };
        let mut rows: Vec<usize> = Vec::new();
        for (k, part) in self.parts.iter().enumerate() {
            let (law, mine) = match part {
                Part::Kept(r) => (ProblemLaw::Bilateral { rows: r.len() }, r.clone()),
                Part::Pushes(normal, _) => (ProblemLaw::Unilateral, *normal..*normal + 1),
                Part::Dry(r, bound) => {
                    let cone = [Cone::Segment, Cone::Disc, Cone::Ball].get(r.len().wrapping_sub(1))?;
                    (ProblemLaw::DryCone { bound: *bound, cone: *cone }, r.clone())
                }
            };
            out.groups.push(Group { law, first_row: rows.len(), first_part: k, end_part: k + 1 });
            rows.extend(mine);
        }
        let n = rows.len();
        out.q = rows.iter().map(|&r| self.b[r]).collect();
        // A as `I A I`: one block of inverse mass, and rows that pick their own coordinate
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        let values: Vec<f64> = rows.iter().flat_map(|&i| rows.iter().map(move |&j| self.a[(i, j)])).collect();
        inverse_mass.push(n, &values);
        for group in &out.groups {
            let mut pick = vec![0.0; group.law.rows() * n];
            group.rows().enumerate().for_each(|(r, row)| pick[r * n + row] = 1.0);
            jacobian.push(0, n, &pick);
        }
        out.operator = Operator::Factored { inverse_mass, jacobian };
        Some((out, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere on a plane: A = diag(1, 7/2, 7/2)/m, so that (2) is mu sqrt(7/2)/2 < 1.
    #[test]
    fn a_sphere_on_a_plane_has_one_motion_up_to_the_friction_of_equation_two() {
        for (friction, expected) in [(1.06, true), (1.08, false)] {
            let mut a = Dense::zeros(3, 3);
            (0..3).for_each(|i| a[(i, i)] = if i == 0 { 0.5 } else { 1.75 });
            // pressed on, and pushed to the side so that friction is not idle
            let parts = vec![Part::Pushes(0, vec![(1..3, friction)])];
            let question =
                Question { a, b: vec![-1.0, 9.0, 0.0], scale: 9.0, parts, slides: false, convex: false };
            assert_eq!(question.proof().is_ok(), expected, "mu {friction}");
        }
    }
}
