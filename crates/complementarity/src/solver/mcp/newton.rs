//! Semismooth Newton for mixed complementarity problems, linear or not:
//!
//! ```text
//! w = F(z),   z_i = l_i => w_i >= 0,   z_i = u_i => w_i <= 0,   otherwise w_i = 0,
//! written as   Phi(z) = 0,   Phi_i = phi(z_i, s_i w_i)                                       (1)
//! ```
//!
//! with the Fischer–Burmeister function or the min map (`merit.rs`) and positive weights `s_i` that bring the rows of
//! the first Jacobian to a size of one. With `V = D_z + D_w S J` an element of the generalised Jacobian,
//!
//! ```text
//! V d = −Phi,                            (2)     Newton
//! (V^T V + nu I) d = −V^T Phi,           (3)     Levenberg–Marquardt, nu ~ |Phi|: when V is singular or (2) no descent
//! d = −V^T Phi,                          (4)     the gradient of |Phi|²/2, when (3) gets nowhere
//! ```
//!
//! are tried in this order with an Armijo line search on `|Phi|²/2` against the largest of the last few values. Close
//! to a solution a plain step with the min map is tried first and kept if it halves the residual of the problem: near
//! degenerate solutions the Fischer–Burmeister map sees half of the digits only.
//!
//! *Convergence.* Limit points are stationary for `|Phi|²/2`; they solve the problem if F is a P0-function there with
//! a regular V, and convergence is quadratic then. Points on the way may be outside of the bounds, the answer is not.
//! Elsewhere the method may end in a stationary point that is no solution: it starts again, with the other map and
//! from points scattered around the warm start (the same in every run), before it gives up. Dense factorisation: for
//! small problems, O(n³) per step. Uses the warm start, moved into the bounds.
//!
//! Reference: De Luca, Facchinei, Kanzow, "A semismooth equation approach to the solution of nonlinear complementarity
//! problems", Math. Programming 75, 1996; Grippo, Lampariello, Lucidi, SIAM J. Numer. Anal. 23, 1986.

use crate::linear::dense::dot;
use crate::problem::mcp::{Mcp, natural_residual};
use crate::solver::mcp::merit::Map;
use crate::solver::mcp::newton_step::{Direction, Linearisation};
use crate::solver::scatter::scatter;
use crate::solver::traits::{LcpTraits, MatrixKind};
use crate::solver::{Report, Solver, Status};

/// How many values of the merit function the line search looks back at.
const MEMORY: usize = 6;

/// How [`Newton`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McpNewtonSettings {
    /// The decrease a step must bring, relative to what its slope promises: any number below a half. Theory, the
    /// digits are the customary ones.
    pub armijo_factor: f64,
    /// Line searches give up below this step. By hand.
    pub min_step: f64,
    /// An attempt ends when the merit function has not come below 0.99 of its best in as many iterations. By hand.
    pub patience: usize,
}

impl Default for McpNewtonSettings {
    fn default() -> Self {
        Self { armijo_factor: 1e-4, min_step: 1e-10, patience: 25 }
    }
}

/// The semismooth Newton method.
#[derive(Clone, Debug)]
pub struct Newton {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most iterations, over all attempts.
    pub iterations: usize,
    /// How often it starts again when it gets stuck.
    pub restarts: usize,
    /// The map of the first attempt.
    pub map: Map,
    /// How it goes about it.
    pub settings: McpNewtonSettings,
    scratch: Scratch,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
struct Scratch {
    settings: McpNewtonSettings,
    linear: Linearisation,
    z: Vec<f64>,
    w: Vec<f64>,
    trial: Vec<f64>,
    trial_w: Vec<f64>,
    /// The candidate with the smallest residual so far.
    best: Vec<f64>,
    best_residual: f64,
}

impl Newton {
    /// What it answers; further problems it only may.
    pub const TRAITS: LcpTraits = LcpTraits { matrices: MatrixKind::P, largest: usize::MAX };
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            iterations: 500,
            restarts: 9,
            map: Map::FischerBurmeister,
            settings: McpNewtonSettings::default(),
            scratch: Scratch::default(),
        }
    }
}

impl<P: Mcp> Solver<P> for Newton {
    fn solve(&mut self, problem: &P, z: &mut [f64]) -> Report {
        let n = problem.size();
        if problem.validate().is_err() || z.len() != n {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let scale = problem.scale();
        for (i, z) in z.iter_mut().enumerate() {
            let (l, u) = problem.bounds(i);
            *z = if z.is_finite() { z.max(l).min(u) } else { 0.0f64.max(l).min(u) };
        }
        let s = &mut self.scratch;
        s.settings = self.settings;
        s.begin(problem, z);
        let mut left = self.iterations;
        for attempt in 0..=self.restarts {
            if s.best_residual / scale <= self.tolerance || left == 0 {
                break;
            }
            let other = if self.map == Map::Min { Map::FischerBurmeister } else { Map::Min };
            let map = if attempt % 2 == 0 { self.map } else { other };
            s.place(problem, z, attempt);
            s.attempt(problem, map, self.tolerance * scale, &mut left);
        }
        z.copy_from_slice(&s.best);
        let otherwise = if left == 0 { Status::IterationLimit } else { Status::Failed };
        Report::checked(s.best_residual / scale, self.tolerance, self.iterations - left, otherwise)
    }
}

impl Scratch {
    /// Takes `z` as the best candidate, and the weights of the rows from the Jacobian there.
    fn begin<P: Mcp + ?Sized>(&mut self, problem: &P, z: &[f64]) {
        let n = z.len();
        for vector in [&mut self.w, &mut self.trial_w] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        self.best.clear();
        self.best.extend_from_slice(z);
        problem.evaluate(z, &mut self.w);
        self.best_residual = natural_residual(problem, z, &self.w);
        self.linear.begin(problem, z);
    }

    /// Where an attempt starts: twice the warm start, then points scattered around it, ever wider.
    fn place<P: Mcp + ?Sized>(&mut self, problem: &P, start: &[f64], attempt: usize) {
        let width = if attempt < 2 { 0.0 } else { 0.5 * (attempt - 1) as f64 };
        self.z.clear();
        self.z.extend(start.iter().enumerate().map(|(i, z)| {
            let (l, u) = problem.bounds(i);
            let moved = z + width * (1.0 + z.abs()) * (2.0 * scatter(attempt, i) - 1.0);
            moved.max(l).min(u)
        }));
        problem.evaluate(&self.z, &mut self.w);
    }

    /// Iterates from `self.z` until `goal` is reached or nothing moves any more.
    fn attempt<P: Mcp + ?Sized>(&mut self, problem: &P, map: Map, goal: f64, left: &mut usize) {
        let mut history = [0.0f64; MEMORY];
        let (mut lowest, mut patience) = (f64::INFINITY, self.settings.patience);
        for count in 0.. {
            let residual = self.note(problem);
            if residual.is_nan() || self.best_residual <= goal || *left == 0 || patience == 0 {
                return;
            }
            *left -= 1;
            self.linear.differentiate(problem, &self.z);
            if self.polish(problem, residual) {
                continue;
            }
            let merit = self.linear.linearise(problem, map, &self.z, &self.w);
            history[count % MEMORY] = merit;
            let reference = history[..MEMORY.min(count + 1)].iter().fold(merit, |m, v| m.max(*v));
            patience = if merit < 0.99 * lowest { self.settings.patience } else { patience - 1 };
            lowest = lowest.min(merit);
            let moved = [Direction::Newton, Direction::Levenberg, Direction::Gradient]
                .into_iter()
                .any(|d| self.linear.direction(d, merit) && self.search(problem, map, reference));
            if !moved {
                return;
            }
        }
    }

    /// Remembers the current point, moved into the bounds, if it is the best so far; returns its residual, or that
    /// of the point itself where F is not defined at the former.
    fn note<P: Mcp + ?Sized>(&mut self, problem: &P) -> f64 {
        self.trial.clear();
        self.trial.extend(self.z.iter().enumerate().map(|(i, z)| {
            let (l, u) = problem.bounds(i);
            z.max(l).min(u)
        }));
        problem.evaluate(&self.trial, &mut self.trial_w);
        let residual = natural_residual(problem, &self.trial, &self.trial_w);
        if residual.is_nan() {
            return natural_residual(problem, &self.z, &self.w);
        }
        if residual < self.best_residual || self.best_residual.is_nan() {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.trial);
        }
        residual
    }

    /// A plain step with the min map, kept if it halves the residual.
    fn polish<P: Mcp + ?Sized>(&mut self, problem: &P, residual: f64) -> bool {
        let merit = self.linear.linearise(problem, Map::Min, &self.z, &self.w);
        if !self.linear.direction(Direction::Newton, merit) {
            return false;
        }
        self.step(problem, 1.0);
        let better = natural_residual(problem, &self.trial, &self.trial_w) <= 0.5 * residual;
        if better {
            self.accept();
        }
        better
    }

    /// The Armijo line search along the current direction.
    fn search<P: Mcp + ?Sized>(&mut self, problem: &P, map: Map, reference: f64) -> bool {
        let slope = dot(&self.linear.gradient, &self.linear.direction);
        let mut length = 1.0;
        while length >= self.settings.min_step {
            self.step(problem, length);
            let merit = self.linear.merit(problem, map, &self.trial, &self.trial_w);
            if merit <= reference + self.settings.armijo_factor * length * slope {
                self.accept();
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// `trial = z + length d`.
    fn step<P: Mcp + ?Sized>(&mut self, problem: &P, length: f64) {
        self.trial.clear();
        self.trial.extend(self.z.iter().zip(&self.linear.direction).map(|(z, d)| z + length * d));
        problem.evaluate(&self.trial, &mut self.trial_w);
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.z, &mut self.trial);
        std::mem::swap(&mut self.w, &mut self.trial_w);
    }
}
