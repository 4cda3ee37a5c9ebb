//! The iteration that `contact_newton` and `proximal` share: semismooth Newton steps on a contact problem, possibly
//! with a proximal term, kept on track by Gauss–Seidel sweeps.
//!
//! ```text
//! repeat   linearise every group where it is (`linearise.rs`), solve for the step (`newton_system.rs`)
//!          shorten it until the merit  sum of squared natural maps  is below the largest of the last few
//!          one sweep (`nsgs.rs`)
//!          no such step: go back to the best point, sweeps
//! until    the residual is reached, or nothing gets better
//! ```
//!
//! The term `eps a (lambda⁺ − lambda)` in the linear system makes every step well-defined where contacts are
//! redundant; eps falls with the residual, so that convergence stays fast.

use super::linearise::{Piece, Point, Weights, defect, linearise};
use super::local::Local;
use super::newton_system::NewtonSystem;
use super::nsgs::{Shift, sweep_once};
use super::sweep::Sweep;
use crate::problem::contact::ContactProblem;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most Newton steps.
    pub steps: usize,
    /// The most sweeps in a row when a step is refused.
    pub sweeps: usize,
}

/// How far it came.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Residual of what is returned, relative to the problem's scale, with the proximal term in it.
    pub residual: f64,
    /// Newton steps.
    pub steps: usize,
    /// Sweeps.
    pub sweeps: usize,
}

/// The iteration's memory.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    sweep: Sweep,
    local: Local,
    system: NewtonSystem,
    pieces: Vec<Piece>,
    xi: Vec<f64>,
    change: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

/// Residual and merit of a point.
#[derive(Clone, Copy, Debug)]
struct Value {
    residual: f64,
    merit: f64,
}

/// Number of merits a new one is compared with.
const MEMORY: usize = 4;
/// Halvings of a step before it is refused.
const HALVINGS: usize = 6;
/// Steps without a better point after which the iteration ends.
const PATIENCE: usize = 40;
/// The same once the residual is near rounding.
const PATIENCE_AT_ROUNDING: usize = 4;

impl Engine {
    /// Improves `z` until the limits say stop; `z` becomes the best point met.
    pub fn run(&mut self, problem: &ContactProblem, shift: Shift, limits: Limits, z: &mut [f64]) -> Outcome {
        self.sweep.start(problem, z);
        let mut out = Outcome { residual: f64::INFINITY, steps: 0, sweeps: 0 };
        let mut value = self.sweeps(problem, shift, 1, z, &mut out);
        if self.keep(value, z, &mut out) <= limits.tolerance {
            return out;
        }
        value = self.sweeps(problem, shift, FIRST_SWEEPS, z, &mut out);
        self.keep(value, z, &mut out);
        self.system.prepare(problem);
        let mut recent = [value.merit; MEMORY];
        let mut since_best = 0;
        let mut refused = 0;
        while out.steps < limits.steps && out.residual > limits.tolerance && out.residual.is_finite() {
            out.steps += 1;
            let before = out.residual;
            let reference = recent.iter().fold(0.0f64, |m, x| m.max(*x));
            if self.newton(problem, shift, value, reference, z) {
                refused = 0;
                value = self.sweeps(problem, shift, 1, z, &mut out);
            } else {
                refused += 1;
                let count = (8usize << refused.min(20)).min(limits.sweeps);
                value = self.sweeps(problem, shift, count, z, &mut out);
                recent = [value.merit; MEMORY];
            }
            recent[out.steps % MEMORY] = value.merit;
            self.keep(value, z, &mut out);
            since_best = if out.residual < 0.9 * before { 0 } else { since_best + 1 };
            let patience = if out.residual < ROUNDING { PATIENCE_AT_ROUNDING } else { PATIENCE };
            if since_best >= patience {
                break;
            }
        }
        z.copy_from_slice(&self.best);
        out
    }

    /// Remembers the point if it is the best so far. Returns the best residual.
    fn keep(&mut self, value: Value, z: &[f64], out: &mut Outcome) -> f64 {
        if value.residual < out.residual || self.best.len() != z.len() {
            out.residual = value.residual;
            self.best.clear();
            self.best.extend_from_slice(z);
        }
        out.residual
    }

    fn sweeps(
        &mut self,
        problem: &ContactProblem,
        shift: Shift,
        count: usize,
        z: &mut [f64],
        out: &mut Outcome,
    ) -> Value {
        for _ in 0..count {
            sweep_once(&mut self.sweep, &mut self.local, problem, shift, z);
        }
        out.sweeps += count;
        self.evaluate(problem, shift, z)
    }

    /// A Newton step with line search. Returns false, `z` unchanged, when no step is good enough.
    fn newton(
        &mut self,
        problem: &ContactProblem,
        shift: Shift,
        value: Value,
        reference: f64,
        z: &mut [f64],
    ) -> bool {
        let eps = (EPS_FACTOR * value.residual).clamp(EPS_LOW, EPS_HIGH);
        let weights = Weights { alpha: shift.alpha, eps };
        self.pieces.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let point = self.point(problem, c, z);
            let piece = linearise(&point, weights);
            debug_assert_eq!(piece.rows(), group.law.rows());
            self.pieces.push(piece);
        }
        self.change.resize(z.len(), 0.0);
        if !self.system.step(problem, &self.pieces, &mut self.change) {
            return false;
        }
        self.trial.clear();
        self.trial.extend_from_slice(z);
        let mut length = 1.0;
        for _ in 0..=HALVINGS {
            for i in 0..z.len() {
                z[i] = self.trial[i] + length * self.change[i];
            }
            let new = self.evaluate(problem, shift, z);
            if new.merit <= (1.0 - 0.1 * length) * reference {
                return true;
            }
            length *= 0.5;
        }
        z.copy_from_slice(&self.trial);
        self.evaluate(problem, shift, z);
        false
    }

    /// Velocities anew, with the proximal term; residual and merit.
    fn evaluate(&mut self, problem: &ContactProblem, shift: Shift, z: &[f64]) -> Value {
        if z.iter().any(|x| !x.is_finite()) {
            return Value { residual: f64::NAN, merit: f64::INFINITY };
        }
        self.sweep.refresh(problem, z);
        self.xi.clear();
        self.xi.extend_from_slice(self.sweep.velocities());
        let mut merit = 0.0;
        for (c, group) in problem.groups.iter().enumerate() {
            if shift.alpha > 0.0 {
                let diagonal = self.sweep.diagonal(c, group);
                for (r, i) in group.rows().enumerate() {
                    self.xi[i] += shift.alpha * diagonal[r] * (z[i] - shift.centre[i]);
                }
            }
            merit += defect(&self.point(problem, c, z));
        }
        let residual = problem.residual_of(z, &self.xi, |c| self.sweep.diagonal(c, &problem.groups[c])).max();
        Value { residual, merit: if merit.is_nan() { f64::INFINITY } else { merit } }
    }

    fn point<'a>(&'a self, problem: &'a ContactProblem, c: usize, z: &'a [f64]) -> Point<'a> {
        let group = &problem.groups[c];
        Point {
            law: group.law,
            directions: &problem.directions,
            lambda: &z[group.rows()],
            xi: &self.xi[group.rows()],
            diagonal: self.sweep.diagonal(c, group),
        }
    }
}

/// Sweeps before the first Newton step.
const FIRST_SWEEPS: usize = 4;
/// The vanishing proximal weight: this times the residual, between the two limits.
const EPS_FACTOR: f64 = 1e-2;
const EPS_LOW: f64 = 1e-8;
const EPS_HIGH: f64 = 1e-3;
/// Below this residual, no progress means rounding.
const ROUNDING: f64 = 1e-10;

/// True when nothing in the problem is infinite or not a number.
pub(crate) fn is_finite(problem: &ContactProblem) -> bool {
    use crate::problem::law::Law;
    use crate::problem::operator::Operator;
    let laws = problem.groups.iter().all(|g| match g.law {
        Law::Contact { friction, .. } => friction.is_finite() && friction >= 0.0,
        Law::Dry { bound } => bound.is_finite() && bound >= 0.0,
        Law::Bilateral { .. } | Law::Unilateral => true,
    });
    let all = |v: &[f64]| v.iter().all(|x| x.is_finite());
    let operator = match &problem.operator {
        Operator::Factored { inverse_mass, jacobian } => {
            inverse_mass.blocks().iter().all(|b| all(inverse_mass.values(*b))) && all(&jacobian.values)
        }
        Operator::Assembled(a) => all(&a.values),
    };
    laws && operator && all(&problem.q) && problem.scale.is_finite()
}
