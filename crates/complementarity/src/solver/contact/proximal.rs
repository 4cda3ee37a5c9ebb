//! The proximal-point method for frictional contact: a sequence of problems that are regular whatever the contacts,
//!
//! ```text
//! lambda^(k+1) solves   xi = A lambda + q + alpha_k D (lambda − lambda^k)   with the laws as they are,     (1)
//! ```
//!
//! D being the diagonal of A. A fixed point solves the problem itself, and the residual left after step k is
//! `alpha_k D (lambda^(k+1) − lambda^k)`. Where contacts are redundant A is singular, and Gauss–Seidel and Newton
//! iterations stall on directions in which nothing holds the impulses; in (1) the last impulses hold them. Each (1)
//! is solved by the Newton iteration of `newton_engine.rs`; alpha falls while that is easy and grows when it is not.
//!
//! Without friction A is monotone and the method converges for every sequence of alpha (Rockafellar 1976); with
//! friction there is no proof, and it is the most robust method known. Takes every law and cone, uses the warm start.
//! Reference: Acary, Brémond, Huber, "On solving contact problems with Coulomb friction", 2018, sec. 5.

use crate::problem::contact::ContactProblem;
use crate::solver::contact::newton_engine::{Engine, Limits, is_finite};
use crate::solver::contact::nsgs::Shift;
use crate::solver::{Report, Solver, Status};

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Proximal {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most steps of kind (1).
    pub iterations: usize,
    /// The most Newton steps for each (1).
    pub newton_steps: usize,
    engine: Engine,
    centre: Vec<f64>,
    best: Vec<f64>,
}

impl Proximal {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let engine = Engine::default();
        Self { tolerance, iterations, newton_steps: 60, engine, centre: Vec::new(), best: Vec::new() }
    }
}

impl Solver<ContactProblem> for Proximal {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        if problem.is_associated() || !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let mut best = self.engine.residual(problem, z);
        self.best.clear();
        self.best.extend_from_slice(z);
        let mut weight = Weight { alpha: ALPHA_FIRST, stride: 0.1 };
        let (mut outer, mut total, mut since_best) = (0, 0, 0);
        while outer < self.iterations && best.residual > self.tolerance {
            outer += 1;
            self.centre.clear();
            self.centre.extend_from_slice(z);
            let shift = Shift { alpha: weight.alpha, centre: &self.centre };
            let tolerance = (INNER * best.residual).max(0.5 * self.tolerance);
            let limits = Limits { tolerance, steps: self.newton_steps, sweeps: 100, patience: 30 };
            let inner = self.engine.run(problem, shift, limits, z);
            total += inner.steps + inner.sweeps;
            weight.adapt(inner.residual <= tolerance, inner.steps);
            let now = self.engine.residual(problem, z);
            since_best = if now.residual < 0.9 * best.residual { 0 } else { since_best + 1 };
            if now.residual < best.residual {
                best = now;
                self.best.copy_from_slice(z);
            } else if now.residual > FAR * best.residual || now.residual.is_nan() {
                z.copy_from_slice(&self.best);
            }
            if best.residual <= best.rounding && since_best > 2 {
                break;
            }
        }
        z.copy_from_slice(&self.best);
        let otherwise = if outer < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(best.residual, self.tolerance, total, otherwise)
    }
}

/// The weight alpha, and by how much it falls when (1) was easy.
#[derive(Clone, Copy, Debug)]
struct Weight {
    alpha: f64,
    stride: f64,
}

impl Weight {
    fn adapt(&mut self, solved: bool, steps: usize) {
        if solved {
            let stride = if steps <= 6 { self.stride } else { self.stride.max(0.3) };
            self.alpha = (if steps <= 15 { stride } else { 1.0 } * self.alpha).max(ALPHA_LOW);
        } else {
            // too bold: back, and in smaller strides from here on
            self.alpha = (3.0 * self.alpha).min(ALPHA_HIGH);
            self.stride = (0.5 * (1.0 + self.stride)).min(0.8);
        }
    }
}

/// The first weight, and its limits.
const ALPHA_FIRST: f64 = 0.1;
const ALPHA_LOW: f64 = 1e-7;
const ALPHA_HIGH: f64 = 10.0;
/// How exactly (1) is solved, relative to the residual there is.
const INNER: f64 = 1e-2;
/// A point this many times worse than the best is given up.
const FAR: f64 = 10.0;
