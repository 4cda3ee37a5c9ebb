//! The iteration that `contact_newton` and `proximal` share: semismooth Newton steps on a contact problem, possibly
//! with a proximal term, kept on track by Gauss–Seidel sweeps.
//!
//! ```text
//! repeat   linearise every group where it is (`law/linearise.rs`), solve for the step (`newton_system.rs`)
//!          halve it until the merit, the sum of squared natural maps, is below the largest of the last few
//!          accepted: eps falls; one sweep (`nsgs.rs`) unless the step was a good one
//!          refused:  eps grows; after a few refusals in a row, sweeps
//! until    the residual is reached, or nothing gets better
//! ```
//!
//! The term `eps a (lambda⁺ − lambda)` of the linear system makes every step well-defined where contacts are
//! redundant, and short where the modes guessed contradict each other: Levenberg's rule. eps is a factor times the
//! residual, so that convergence stays fast in the end.

use crate::law::GroupLaw;
use crate::law::linearise::{Piece, Point, Weights};
use crate::problem::contact::ContactProblem;
use crate::solver::contact::local::Local;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::nsgs::{Shift, sweep_once};
use crate::solver::contact::sweep::Sweep;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most Newton steps.
    pub steps: usize,
    /// The most sweeps in a row when steps are refused.
    pub sweeps: usize,
    /// Steps without a better point after which the iteration ends.
    pub patience: usize,
}

/// How the Newton iteration goes about it; weights are relative to the diagonal of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Halvings of a step before it is refused. By hand.
    pub max_halvings: usize,
    /// Refusals in a row before sweeps. By hand.
    pub max_refusals: usize,
    /// How far beyond the tolerance the iteration goes while every step helps: the next solve starts from here. By
    /// hand.
    pub extra_accuracy: f64,
    /// Sweeps before the first Newton step. By hand.
    pub first_sweeps: usize,
    /// eps over the residual at the start. By hand.
    pub first_weight_factor: f64,
    /// The least of that: with eps of the order of the residual convergence stays superlinear. By hand.
    pub min_weight_factor: f64,
    /// The least eps: the rounding of redundant impulses is one over it. Rounding.
    pub min_weight: f64,
    /// What the least eps can grow to where that rounding carries impulses across their limits. By hand.
    pub max_min_weight: f64,
    /// The most: beyond it, a step does no more than a sweep. Theory.
    pub max_weight: f64,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            max_halvings: 2,
            max_refusals: 3,
            extra_accuracy: 0.1,
            first_sweeps: 4,
            first_weight_factor: 1e-2,
            min_weight_factor: 1e-5,
            min_weight: 1e-7,
            max_min_weight: 1e-4,
            max_weight: 1.0,
        }
    }
}

/// How far it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Residual of what is returned, relative to the problem's scale, with the proximal term in it.
    pub residual: f64,
    /// Newton steps.
    pub steps: usize,
    /// Sweeps.
    pub sweeps: usize,
}

/// The iteration's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine {
    /// How it goes about it.
    pub settings: NewtonSettings,
    sweep: Sweep,
    local: Local,
    system: NewtonSystem,
    pieces: Vec<Piece>,
    xi: Vec<f64>,
    change: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// Residual, relative to the problem's scale.
    pub residual: f64,
    /// Sum of squared natural maps.
    pub merit: f64,
    /// The residual that rounding alone can make.
    pub rounding: f64,
}

/// Where the iteration is.
#[derive(Clone, Copy, Debug)]
struct Progress {
    value: Value,
    /// The last merits, for the non-monotone guard.
    recent: [f64; MEMORY],
    /// `eps / residual`.
    factor: f64,
    /// The least eps.
    low: f64,
    /// Steps in a row that were accepted but did not help.
    poor: usize,
    /// Refusals in a row.
    refused: usize,
}

/// Number of merits a new one is compared with.
const MEMORY: usize = 4;

impl Engine {
    /// Improves `z` until the limits say stop; `z` becomes the best point met.
    pub(crate) fn run(
        &mut self,
        problem: &ContactProblem,
        shift: Shift,
        limits: Limits,
        z: &mut [f64],
    ) -> Outcome {
        self.sweep.start(problem, z);
        self.best.clear();
        let mut out = Outcome { residual: f64::INFINITY, steps: 0, sweeps: 0 };
        let mut value = self.sweeps(problem, shift, 1, z, &mut out);
        self.keep(value, z, &mut out);
        if out.residual > limits.tolerance {
            value = self.sweeps(problem, shift, self.settings.first_sweeps, z, &mut out);
            self.keep(value, z, &mut out);
            self.system.prepare(problem);
        }
        let mut at = Progress {
            value,
            recent: [value.merit; MEMORY],
            factor: self.settings.first_weight_factor,
            low: self.settings.min_weight,
            poor: 0,
            refused: 0,
        };
        let mut since_best = 0;
        while out.steps < limits.steps && at.value.residual.is_finite() {
            // beyond the tolerance if that is easy: the next solve starts from here and should need no step
            let easy = out.steps > 0
                && since_best == 0
                && out.residual > self.settings.extra_accuracy * limits.tolerance;
            if out.residual <= limits.tolerance && !easy {
                break;
            }
            let before = out.residual;
            self.iterate(problem, shift, limits.sweeps, z, (&mut at, &mut out));
            self.keep(at.value, z, &mut out);
            since_best = if out.residual < 0.9 * before { 0 } else { since_best + 1 };
            let at_rounding = out.residual <= at.value.rounding;
            if since_best >= limits.patience || (at_rounding && since_best > 2) {
                break;
            }
        }
        z.copy_from_slice(&self.best);
        out
    }

    /// One step, or what takes its place.
    fn iterate(
        &mut self,
        problem: &ContactProblem,
        shift: Shift,
        most_sweeps: usize,
        z: &mut [f64],
        (at, out): (&mut Progress, &mut Outcome),
    ) {
        out.steps += 1;
        let merit = at.value.merit;
        if let Some(value) = self.newton(problem, shift, at, z) {
            at.refused = 0;
            at.value = value;
            if value.merit > 0.1 * merit {
                at.value = self.sweeps(problem, shift, 1, z, out);
            }
            if at.value.merit < merit {
                at.factor = (0.1 * at.factor).max(self.settings.min_weight_factor);
            }
            at.poor = if at.value.merit > 0.5 * merit { at.poor + 1 } else { 0 };
            if at.poor > 1 {
                // rounding over eps moves redundant impulses across their limits: another eps
                at.poor = 0;
                at.low = if at.low > self.settings.max_min_weight {
                    self.settings.min_weight
                } else {
                    100.0 * at.low
                };
            }
        } else {
            at.refused += 1;
            at.factor *= 100.0;
            if at.refused > self.settings.max_refusals
                || at.factor * at.value.residual > self.settings.max_weight
            {
                let count = (4usize << at.refused.min(20)).min(most_sweeps);
                at.value = self.sweeps(problem, shift, count, z, out);
                at.recent = [at.value.merit; MEMORY];
                at.factor = 1e-3 * self.settings.max_weight / at.value.residual;
            }
        }
        at.recent[out.steps % MEMORY] = at.value.merit;
    }

    /// What is known of `z` without any proximal term.
    pub(crate) fn residual(&mut self, problem: &ContactProblem, z: &[f64]) -> Value {
        self.sweep.start(problem, z);
        self.evaluate(problem, Shift::default(), z)
    }

    /// Remembers the point if it is the best so far.
    fn keep(&mut self, value: Value, z: &[f64], out: &mut Outcome) {
        if value.residual < out.residual || self.best.len() != z.len() {
            out.residual = value.residual;
            self.best.clear();
            self.best.extend_from_slice(z);
        }
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

    /// A Newton step with line search. Returns nothing, `z` unchanged, when no step is good enough.
    fn newton(
        &mut self,
        problem: &ContactProblem,
        shift: Shift,
        at: &Progress,
        z: &mut [f64],
    ) -> Option<Value> {
        let eps = (at.factor * at.value.residual).clamp(at.low, self.settings.max_weight);
        let weights = Weights { alpha: shift.alpha, eps };
        let reference = at.recent.iter().fold(0.0f64, |m, x| m.max(*x));
        self.pieces.clear();
        for c in 0..problem.groups.len() {
            let piece = problem.groups[c].law.linearise(&self.point(problem, c, z), weights);
            self.pieces.push(piece);
        }
        self.change.resize(z.len(), 0.0);
        if !self.system.step(problem, &self.pieces, &mut self.change) {
            return None;
        }
        self.trial.clear();
        self.trial.extend_from_slice(z);
        let mut length = 1.0;
        for _ in 0..=self.settings.max_halvings {
            for i in 0..z.len() {
                z[i] = self.trial[i] + length * self.change[i];
            }
            let new = self.evaluate(problem, shift, z);
            if new.merit <= (1.0 - 0.1 * length) * reference {
                return Some(new);
            }
            length *= 0.5;
        }
        z.copy_from_slice(&self.trial);
        self.evaluate(problem, shift, z);
        None
    }

    /// Velocities anew, with the proximal term; residual and merit.
    fn evaluate(&mut self, problem: &ContactProblem, shift: Shift, z: &[f64]) -> Value {
        if z.iter().any(|x| !x.is_finite()) {
            return Value { residual: f64::NAN, merit: f64::INFINITY, rounding: 0.0 };
        }
        self.sweep.refresh(problem, z);
        self.xi.clear();
        self.xi.extend_from_slice(self.sweep.velocities());
        let (mut merit, mut largest) = (0.0, problem.scale);
        for (c, group) in problem.groups.iter().enumerate() {
            let diagonal = self.sweep.diagonal(c, group);
            for (r, i) in group.rows().enumerate() {
                largest = largest.max((diagonal[r] * z[i]).abs());
            }
            if shift.alpha > 0.0 {
                for (r, i) in group.rows().enumerate() {
                    self.xi[i] += shift.alpha * diagonal[r] * (z[i] - shift.centre[i]);
                }
            }
            merit += group.law.defect(&self.point(problem, c, z));
        }
        let residual = problem.residual_of(z, &self.xi, |c| self.sweep.diagonal(c, &problem.groups[c])).max();
        let rounding = 16.0 * f64::EPSILON * largest / problem.scale;
        Value { residual, merit: if merit.is_nan() { f64::INFINITY } else { merit }, rounding }
    }

    fn point<'a>(&'a self, problem: &'a ContactProblem, c: usize, z: &'a [f64]) -> Point<'a> {
        let group = &problem.groups[c];
        Point {
            directions: &problem.directions,
            lambda: &z[group.rows()],
            xi: &self.xi[group.rows()],
            diagonal: self.sweep.diagonal(c, group),
        }
    }
}

/// True when nothing in the problem is infinite or not a number.
pub(crate) fn is_finite(problem: &ContactProblem) -> bool {
    use crate::problem::operator::Operator;
    let laws = problem.groups.iter().all(|g| g.law.is_valid());
    let all = |v: &[f64]| v.iter().all(|x| x.is_finite());
    let operator = match &problem.operator {
        Operator::Factored { inverse_mass, jacobian } => {
            inverse_mass.blocks().iter().all(|b| all(inverse_mass.values(*b))) && all(&jacobian.values)
        }
        Operator::Assembled(a) => all(&a.values),
    };
    laws && operator && all(&problem.q) && problem.scale.is_finite()
}
