//! Gauss' principle of least constraint as a convex quadratic program [Gomez 2008, eq. 2.39].
//!
//! Where every contact slides, or has no friction, all forces follow from the normal ones, `lambda = C N`, and of those
//! that keep the bodies apart the motion takes the ones of least constraint:
//!
//! ```text
//! minimise  N^T (C^T A' C) N / 2   subject to   N >= 0,   A'_n C N + b'_n >= 0                          (1)
//! ```
//!
//! with A', b' free of joints (`lcp.rs`). If several N give the motion, that of least Euclidean norm is meant. Feasible
//! means: the same set as that of the linear complementarity problem; with friction the minimiser need not be one of its
//! solutions, nor unique among them.

use super::lcp::Reduced;
use super::{AccelerationProblem, Motion, Solution, direction};
use crate::system::Law;
use complementarity::dense::Dense;
use complementarity::problem::qp::Qp;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::{Solver, Status};

/// What Gauss' principle says.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussSolution {
    /// The motion; none when no forces keep the bodies apart.
    pub solution: Option<Solution>,
    /// How the solver ended.
    pub status: Status,
}

/// Eq. (1); none where a contact with friction, or dry friction, is at rest.
pub(super) fn solve(problem: &AccelerationProblem) -> Option<GaussSolution> {
    let reduced = Reduced::new(problem);
    let mut columns: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut constant = vec![0.0; reduced.rows.len()];
    let (mut normals, mut row) = (Vec::new(), 0);
    for t in problem.touches.iter().filter(|t| t.motion != Motion::Kept) {
        match (t.law, t.motion) {
            (Law::Contact { tangents, surface }, Motion::Slides(d)) => {
                let friction = (0..tangents).map(|k| (row + 1 + k, -surface.friction * d[k]));
                columns.push([(row, 1.0)].into_iter().chain(friction).collect());
                normals.push(row);
            }
            (Law::Contact { surface, .. }, _) if surface.friction > 0.0 => return None,
            (Law::Contact { .. } | Law::Limit, _) => {
                columns.push(vec![(row, 1.0)]);
                normals.push(row);
            }
            (Law::Dry { bound }, Motion::Slides(d)) => constant[row] = -bound * d[0],
            (Law::Dry { .. }, _) => return None,
            (Law::Bilateral { .. } | Law::Servo { .. } | Law::DryDisc { .. }, _) => {}
        }
        row += t.law.rows();
    }
    let n = columns.len();
    // A' C, one column per normal force
    let effect = |j: usize, r: usize| columns[j].iter().map(|&(k, v)| reduced.a[(r, k)] * v).sum::<f64>();
    let mut h = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let value = columns[i].iter().map(|&(k, v)| v * effect(j, k)).sum::<f64>();
            h[(i, j)] = value;
            h[(j, i)] = value;
        }
    }
    let mut c = Dense::zeros(2 * n, n);
    let mut lower = vec![0.0; 2 * n];
    for (i, &r) in normals.iter().enumerate() {
        c[(i, i)] = 1.0;
        for j in 0..n {
            c[(n + i, j)] = effect(j, r);
        }
        lower[n + i] = -reduced.b[r] - complementarity::dense::dot(reduced.a.row(r), &constant);
    }
    let qp = Qp { h, g: vec![0.0; n], c, lower, upper: vec![f64::INFINITY; 2 * n] };
    // the solver answers with x and the multipliers
    let mut x = vec![0.0; qp.unknowns() + qp.constraints()];
    let report = ActiveSet::default().solve(&qp, &mut x);
    let solution = (report.status == Status::Solved).then(|| {
        let mut left = constant.clone();
        for (j, column) in columns.iter().enumerate() {
            column.iter().for_each(|&(k, v)| left[k] += v * x[j]);
        }
        problem.solution(&reduced.forces(problem, &left))
    });
    Some(GaussSolution { solution, status: report.status })
}

/// Where contacts with friction are at rest: the directions in which they would begin to slide without friction are tried with
/// it. If friction only slows that down this is the motion of least constraint, although redundant contacts could also stick, held
/// by forces that press against each other.
pub(super) fn from_rest(problem: &AccelerationProblem) -> Option<Solution> {
    let rests = |law: Law, motion: Motion| {
        matches!(law, Law::Contact { tangents: 1, surface } if surface.friction > 0.0)
            && motion == Motion::AtRest
    };
    let mut smooth = problem.clone();
    for touch in &mut smooth.touches {
        if let (true, Law::Contact { surface, .. }) = (rests(touch.law, touch.motion), &mut touch.law) {
            surface.friction = 0.0;
        }
    }
    let without = solve(&smooth)?.solution?;
    let still = super::ZERO * problem.scale();
    let mut sliding = problem.clone();
    for (touch, c) in sliding.touches.iter_mut().zip(&without.contacts) {
        if rests(touch.law, touch.motion) {
            if c.acceleration[1].abs() <= still {
                return None;
            }
            touch.motion = Motion::Slides(direction(&c.acceleration[1..2]));
        }
    }
    let with = solve(&sliding)?.solution?;
    let forward =
        problem.touches.iter().zip(sliding.touches.iter().zip(&with.contacts)).all(|(t, (s, c))| {
            let Motion::Slides(d) = s.motion else { return true };
            t.motion == s.motion || c.acceleration[1] * d[0] > still
        });
    forward.then_some(with)
}
