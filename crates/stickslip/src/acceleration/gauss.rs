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
use super::{AccelerationProblem, Solution};
use crate::friction::{direction, scaled};
use crate::step::HeldMotion;
use crate::stepper::surface::Scaling;
use complementarity::dense::Dense;
use complementarity::problem::qp::Qp;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::{Solver, Status};

/// The most turns of directions in which contacts begin to slide.
const TURNS: usize = 100;
/// Directions that turn by less (rad) have settled.
const SETTLED: f64 = 1e-12;

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
    for t in problem.touches.iter().filter(|t| !t.is_kept()) {
        let mut column = vec![(row, 1.0)];
        for block in t.blocks.iter().flatten() {
            if block.sticks() {
                return None;
            }
            for (k, d) in block.rows().zip(block.direction()) {
                column.push((row + k, -block.friction * d));
                constant[row + k] = -block.bound * d;
            }
        }
        if t.is_unilateral() {
            columns.push(column);
            normals.push(row);
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

/// The motion of least constraint among those that the laws allow: that of eq. (1) if it is one of them (normals that lift do not
/// press), otherwise the one of all complementary solutions with the least. None as for eq. (1).
pub(super) fn complementary(problem: &AccelerationProblem) -> Option<GaussSolution> {
    let mut found = solve(problem)?;
    let zero = problem.zero();
    let presses = |s: &Solution| {
        problem.touches.iter().zip(&s.contacts).any(|(t, c)| {
            let diagonal = problem.a[(t.first_row, t.first_row)];
            t.is_unilateral() && (c.force[0] * diagonal).min(c.acceleration[0]) > zero
        })
    };
    if found.solution.as_ref().is_some_and(presses) {
        found.solution = least(problem, problem.solve_as_it_is(super::LARGEST).solutions);
    }
    Some(found)
}

/// The solution whose accelerations are the closest to the free ones, in the metric of the mass.
pub(super) fn least(problem: &AccelerationProblem, solutions: Vec<Solution>) -> Option<Solution> {
    let constraint = |s: &Solution| {
        let mut force = vec![0.0; problem.b.len()];
        for (t, c) in problem.touches.iter().zip(&s.contacts) {
            let mut f = c.force;
            if let Some(scaling) = Scaling::of(&t.law, problem.cone) {
                scaling.scaled_impulses(&mut f[..t.law.rows()]);
            }
            force[t.first_row..t.first_row + t.law.rows()].copy_from_slice(&f[..t.law.rows()]);
        }
        // twice eq. (1) over all rows
        (0..force.len())
            .map(|r| force[r] * complementarity::dense::dot(problem.a.row(r), &force))
            .sum::<f64>()
    };
    solutions.into_iter().min_by(|a, b| constraint(a).total_cmp(&constraint(b)))
}

/// Where contacts with friction are at rest: the directions in which they would begin to slide without friction are tried with
/// it. If friction only slows that down this is the motion of least constraint, although redundant contacts could also stick, held
/// by forces that press against each other. In space friction may turn the directions, which then are tried again.
pub(super) fn from_rest(problem: &AccelerationProblem) -> Option<Solution> {
    let mut smooth = problem.clone();
    let mut some = false;
    for block in smooth.touches.iter_mut().filter(|t| t.is_unilateral()).flat_map(|t| &mut t.blocks) {
        if let Some(block) = block.as_mut().filter(|b| b.sticks()) {
            (block.hold, block.friction, some) = (0.0, 0.0, true);
        }
    }
    let without = solve(&smooth)?.solution.filter(|_| some)?;
    let still = problem.zero();
    let mut sliding = problem.clone();
    for (touch, state) in sliding.touches.iter_mut().zip(&without.contacts) {
        let acceleration = scaled(&touch.law, problem.cone, state.acceleration);
        for block in touch.blocks.iter_mut().flatten().filter(|b| b.sticks()) {
            let slip = &acceleration[block.rows()];
            if block.size_of(&acceleration) <= still {
                return None;
            }
            block.motion = HeldMotion::Slip(direction(slip));
        }
    }
    // what slides against the friction of sticking goes on with that of slipping
    let with = slide(problem, &mut sliding)?;
    let mut changed = false;
    for (rests, touch) in problem.touches.iter().zip(&mut sliding.touches) {
        let pairs = rests.blocks.iter().flatten().zip(touch.blocks.iter_mut().flatten());
        for (_, block) in pairs.filter(|(rests, _)| rests.sticks()) {
            let lower = block.beginning(&touch.law);
            changed |= lower < block.friction;
            block.friction = lower;
        }
    }
    if changed { slide(problem, &mut sliding) } else { Some(with) }
}

/// The motion in which what rests in `problem` slides in the directions that `sliding` gives it, turned until they are those of the
/// motion; none where something would slide the other way, or the directions do not settle.
fn slide(problem: &AccelerationProblem, sliding: &mut AccelerationProblem) -> Option<Solution> {
    let still = problem.zero();
    for _ in 0..TURNS {
        let with = complementary(sliding)?.solution?;
        let mut turned = 0.0f64;
        let all = problem.touches.iter().zip(sliding.touches.iter_mut().zip(&with.contacts));
        for (rests, (touch, state)) in all {
            let acceleration = scaled(&touch.law, problem.cone, state.acceleration);
            let pairs = rests.blocks.iter().flatten().zip(touch.blocks.iter_mut().flatten());
            for (_, block) in pairs.filter(|(rests, _)| rests.sticks()) {
                if block.along(&acceleration) <= still {
                    return None;
                }
                let (old, new) = (block.direction(), direction(&acceleration[block.rows()]));
                turned = old.iter().zip(new).fold(turned, |m, (a, b)| m.max((a - b).abs()));
                block.motion = HeldMotion::Slip(new);
            }
        }
        if turned <= SETTLED {
            return Some(with);
        }
    }
    None
}
