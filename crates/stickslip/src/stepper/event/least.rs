//! Forces by Gauss' principle of least constraint, at every evaluation of the flow [Gomez 2008, eq. 2.39].
//!
//! Held are all contacts that are closed, with or without load. With the generalized forces F of the unknowns x of
//! `flow.rs`, those of sliding contacts along `W_n − mu W_t d`,
//!
//! ```text
//! minimise  x^T (F^T M^-1 F) x / 2   subject to                                                           (1)
//! normals     x >= 0,   acceleration >= 0
//! joints      acceleration = 0
//! sticking    acceleration of slip = 0,   |x_t| <= mu x_n,   |x| <= bound for dry friction
//! ```
//!
//! (in space, where limits of friction are round, by `cuts.rs`) and of all minimisers that with the least Euclidean
//! norm of contact forces. (1) is convex but has no unique solution where contacts are redundant, so it is solved by
//! the proximal-point method,
//!
//! ```text
//! x_k+1 = argmin of (1) with eps |x − x_k|² / 2 added,                                                    (2)
//! ```
//!
//! which determines the accelerations to rounding in two or three steps, and then
//!
//! ```text
//! minimise  |x|² / 2   subject to   M^-1 F x as found, and the limits of (1).                             (3)
//! ```
//!
//! The flow is evaluated where positions and velocities have been moved onto the closed contacts (`settle.rs`), also
//! within a step: elsewhere redundant contacts ask for accelerations that no force gives. That is the projected
//! Runge–Kutta method
//! [Gomez 2008, §3.3].
//!
//! What is pressed does not lift: `press_or_lift.rs`.
//!
//! A normal force that reaches zero stays there without an event. Where nothing within the limits of friction lets
//! contacts stick, the flow goes on without those limits, for as long as it takes to locate that instant.

use super::cuts::Cut;
use super::flow::Flow;
use super::press_or_lift::Normal;
use crate::system::Law;
use complementarity::dense::{Dense, dot};
use complementarity::problem::qp::Qp;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::{Solver, Status};

/// eps of eq. (2), relative to the largest entry of F^T M^-1 F.
const PROXIMAL: f64 = 1e-7;
/// Eq. (2) has converged when it adds less than this to the gradient, relative to its terms.
const CONVERGED: f64 = 1e-14;
/// Normal accelerations may be negative by this, relative to the largest without forces: contacts that face each other
/// leave no acceleration but zero, and by rounding not even that.
const ROUNDING: f64 = 1e-11;
/// Optimality that every step of eq. (2) must reach.
const ON_THE_WAY: f64 = 1e-7;
/// The most steps of eq. (2).
const STEPS: usize = 40;

/// Memory of the programs.
#[derive(Default)]
pub(super) struct Least {
    forces: Dense,
    /// Eq. (1), and (2) and (3).
    pub(super) program: Qp,
    proximal: Qp,
    closest: Qp,
    solver: ActiveSet,
    second: ActiveSet,
    z: Vec<f64>,
    multipliers: Vec<f64>,
    /// What `press_or_lift.rs` has decided for the normals among the unknowns.
    pub(super) normals: Vec<Normal>,
    pub(super) best: Vec<Normal>,
    pub(super) path: Vec<usize>,
    /// Planes of round limits, `cuts.rs`, and the answer before those of eq. (3).
    pub(super) cuts: Vec<Cut>,
    pub(super) first: Vec<f64>,
    /// Violation of the optimality conditions of (1) at the last evaluation, relative to the largest free acceleration.
    pub residual: f64,
    /// Sticking is beyond the limits of friction.
    pub exceeded: bool,
    /// Eq. (1) has no solution, not even without the limits of friction.
    pub infeasible: bool,
}

impl Flow {
    /// Eq. (1) for the unknowns that are assembled; false when there is no solution.
    pub(super) fn solve_least(&mut self) -> bool {
        let m = self.unknowns.len();
        self.x.clear();
        self.x.resize(m, 0.0);
        (self.least.exceeded, self.least.infeasible, self.least.residual) = (false, false, 0.0);
        if m == 0 {
            return true;
        }
        self.expand_generalized_forces();
        if self.minimise_within(true) {
            return true;
        }
        let limited = |&(k, r): &(usize, usize)| self.parts[k].block_of(r).is_some();
        self.least.exceeded = self.unknowns.iter().any(limited);
        if self.least.exceeded && self.minimise_within(false) {
            return true;
        }
        self.least.infeasible = true;
        false
    }

    /// F^T, one row per unknown.
    fn expand_generalized_forces(&mut self) {
        self.least.forces.reset(self.unknowns.len(), self.free.len());
        for (j, &(k, r)) in self.unknowns.iter().enumerate() {
            let part = &self.parts[k];
            let force = self.least.forces.row_mut(j);
            force.copy_from_slice(self.rows.row(part.row(r)));
            if r == 0 {
                for (t, factor) in part.per_normal() {
                    let extra = self.rows.row(part.row(t));
                    force.iter_mut().zip(extra).for_each(|(f, e)| *f += factor * e);
                }
            }
        }
    }

    /// Eq. (1).
    pub(super) fn write_program(&mut self, limits: bool) {
        let (m, count) = (self.unknowns.len(), self.limit_rows(limits));
        let Least { forces, program, normals, cuts, .. } = &mut self.least;
        program.h.reset(m, m);
        for i in 0..m {
            for j in 0..=i {
                let value = dot(forces.row(i), self.columns.row(j)) * self.scale[i] * self.scale[j];
                program.h[(i, j)] = value;
                program.h[(j, i)] = value;
            }
        }
        program.g.clear();
        program.g.resize(m, 0.0);
        let (c, lower, upper) = (&mut program.c, &mut program.lower, &mut program.upper);
        start(lower, upper);
        c.reset(m + count, m);
        let slack = ROUNDING * self.b.iter().fold(0.0f64, |m, b| m.max(b.abs()));
        for (i, &(k, r)) in self.unknowns.iter().enumerate() {
            c.row_mut(i).copy_from_slice(self.a.row(i));
            let unilateral = r == 0 && self.parts[k].is_unilateral();
            lower.push(if unilateral { self.b[i] - slack } else { self.b[i] });
            upper.push(match normals[i] {
                Normal::Closed => self.b[i] + slack,
                _ if unilateral => f64::INFINITY,
                _ => self.b[i],
            });
        }
        write_limits((&self.parts, &self.unknowns, &self.scale), (normals, cuts), (limits, m), program);
    }

    /// Eq. (3) around x.
    pub(super) fn write_closest(&mut self, limits: bool) {
        let (m, n) = (self.unknowns.len(), self.free.len());
        let count = self.limit_rows(limits);
        let Least { closest, normals, cuts, .. } = &mut self.least;
        closest.h.reset(m, m);
        (0..m).for_each(|j| closest.h[(j, j)] = 1.0);
        closest.g.clear();
        closest.g.resize(m, 0.0);
        closest.c.reset(n + count, m);
        start(&mut closest.lower, &mut closest.upper);
        for i in 0..n {
            let row = closest.c.row_mut(i);
            for (j, c) in row.iter_mut().enumerate() {
                *c = self.columns[(j, i)] * self.scale[j];
            }
            let norm = dot(row, row).sqrt();
            if norm > 0.0 {
                row.iter_mut().for_each(|c| *c /= norm);
            }
            let value = dot(closest.c.row(i), &self.x);
            closest.lower.push(value);
            closest.upper.push(value);
        }
        write_limits((&self.parts, &self.unknowns, &self.scale), (normals, cuts), (limits, n), closest);
    }

    /// Number of rows of the limits.
    fn limit_rows(&self, limits: bool) -> usize {
        let of = |&(k, r): &(usize, usize)| match self.parts[k].law {
            Law::Contact { .. } | Law::Limit if r == 0 => 1,
            Law::Contact { .. } if limits => 2,
            Law::Dry { .. } | Law::DryDisc { .. } if limits => 1,
            _ => 0,
        };
        let round = if limits { self.least.cuts.len() } else { 0 };
        self.unknowns.iter().map(of).sum::<usize>() + round
    }
}

type Unknowns<'a> = (&'a [super::part::Part], &'a [(usize, usize)], &'a [f64]);

/// The limits of forces in eq. (1), from row `at` on; those of friction only if asked for.
fn write_limits(
    (parts, unknowns, scale): Unknowns<'_>,
    (normals, cuts): (&[Normal], &[Cut]),
    (friction, mut at): (bool, usize),
    out: &mut Qp,
) {
    let mut push = |entries: &[(usize, f64)], sides: [f64; 2]| {
        entries.iter().for_each(|&(j, v)| out.c[(at, j)] = v);
        out.lower.push(sides[0]);
        out.upper.push(sides[1]);
        at += 1;
    };
    for (j, &(k, r)) in unknowns.iter().enumerate() {
        match parts[k].law {
            Law::Contact { .. } | Law::Limit if r == 0 => {
                let most = if normals[j] == Normal::Open { 0.0 } else { f64::INFINITY };
                push(&[(j, 1.0)], [0.0, most]);
            }
            Law::Contact { .. } if friction => {
                // unknowns of a contact have the same scale; that of its normal is the first of them
                let mu = parts[k].block_of(r).map_or(0.0, |b| b.friction);
                let normal = unknowns[..j].iter().rposition(|u| *u == (k, 0)).unwrap_or(j);
                push(&[(normal, mu), (j, 1.0)], [0.0, f64::INFINITY]);
                push(&[(normal, mu), (j, -1.0)], [0.0, f64::INFINITY]);
            }
            Law::Dry { bound } | Law::DryDisc { bound } if friction => {
                push(&[(j, 1.0)], [-bound / scale[j], bound / scale[j]]);
            }
            _ => {}
        }
    }
    if friction {
        for cut in cuts {
            let (entries, count, least) = cut.entries(parts, (unknowns, scale));
            push(&entries[..count], [least, f64::INFINITY]);
        }
    }
}

fn start(lower: &mut Vec<f64>, upper: &mut Vec<f64>) {
    lower.clear();
    upper.clear();
}

impl Least {
    /// Forgets which forces were zero at the last evaluation: a run that goes on from a file then takes the same way.
    pub fn forget(&mut self) {
        for solver in [&mut self.solver, &mut self.second] {
            solver.forget();
            solver.warm = true;
        }
        // eps leaves that much of rounding on the way; what is left at the end is measured, and certified
        self.solver.tolerance = ON_THE_WAY;
    }

    /// Eq. (2), from zero; false when (1) has no solution.
    pub(super) fn minimise(&mut self, x: &mut [f64]) -> bool {
        let Self { program, proximal, solver, z, residual, multipliers, .. } = self;
        let m = x.len();
        let weight = program.h.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let eps = PROXIMAL * if weight > 0.0 { weight } else { 1.0 };
        proximal.h.copy_from(&program.h);
        proximal.c.copy_from(&program.c);
        proximal.g.clone_from(&program.g);
        proximal.lower.clone_from(&program.lower);
        proximal.upper.clone_from(&program.upper);
        (0..m).for_each(|j| proximal.h[(j, j)] += eps);
        x.fill(0.0);
        z.clear();
        z.resize(m + program.constraints(), 0.0);
        for _ in 0..STEPS {
            (0..m).for_each(|j| proximal.g[j] = -eps * x[j]);
            if solver.solve(proximal, z).status != Status::Solved {
                return false;
            }
            let change = x.iter().zip(z.iter()).fold(0.0f64, |m, (x, z)| m.max((x - z).abs()));
            let size = z[..m].iter().fold(0.0f64, |m, x| m.max(x.abs()));
            x.copy_from_slice(&z[..m]);
            if eps * change <= CONVERGED * weight * size {
                break;
            }
        }
        *residual = program.residual(x, &z[m..]) / program.scale();
        multipliers.clear();
        multipliers.extend_from_slice(&z[m..]);
        true
    }

    /// Eq. (3). Where loads are concentrated on as few contacts as can bear them, no other forces give the same
    /// accelerations and rounding may hide even those: then x, from zero by eq. (2) and so of least norm but for eps,
    /// stays, and false is returned.
    pub(super) fn closest_to_zero(&mut self, x: &mut [f64]) -> bool {
        let Self { program, closest, second: solver, z, multipliers, residual, .. } = self;
        let m = x.len();
        z.clear();
        z.resize(m + closest.constraints(), 0.0);
        let solved = solver.solve(closest, z).status == Status::Solved;
        if solved {
            x.copy_from_slice(&z[..m]);
            // every optimal multiplier goes with every optimal x
            *residual = program.residual(x, multipliers) / program.scale();
        }
        solved
    }
}
