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

/// How [`Proximal`] goes about it; the weight alpha is relative to the diagonal of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalSettings {
    /// The first alpha. By hand.
    pub first_weight: f64,
    /// The least: the rounding of redundant impulses is one over it. Rounding.
    pub min_weight: f64,
    /// The most: steps of (1) are a tenth of those of a sweep there. By hand.
    pub max_weight: f64,
    /// alpha grows by this factor when (1) was not solved. By hand.
    pub weight_increase: f64,
    /// alpha falls by this factor at first when (1) was easy; the factor itself goes up when that was too bold. By
    /// hand.
    pub first_stride: f64,
    /// The least such factor after a (1) of moderate difficulty. By hand.
    pub moderate_stride: f64,
    /// The most it goes up to. By hand.
    pub max_stride: f64,
    /// A (1) of at most so many Newton steps was easy. By hand.
    pub easy_steps: usize,
    /// One of at most so many was moderate; alpha stays after a harder one. By hand.
    pub moderate_steps: usize,
    /// How exactly (1) is solved, relative to the residual there is. Theory wants a summable sequence; by hand.
    pub inner_accuracy: f64,
    /// A point this many times worse than the best is given up. By hand.
    pub max_setback: f64,
    /// Steps of kind (1) without a residual below nine tenths of the best after which it gives up. Measured: 20 lose
    /// none of the 30 stored contact problems of up to 900 rows.
    pub patience: usize,
    /// The most Newton steps and sweeps in all: work is bounded where there is no answer. Measured: those 30 problems
    /// need 3,350 at most.
    pub max_work: usize,
    /// The most sweeps in a row inside (1). By hand.
    pub newton_sweeps: usize,
    /// Newton steps of (1) without a better point. By hand.
    pub newton_patience: usize,
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self {
            first_weight: 0.1,
            min_weight: 1e-7,
            max_weight: 10.0,
            weight_increase: 3.0,
            first_stride: 0.1,
            moderate_stride: 0.3,
            max_stride: 0.8,
            easy_steps: 6,
            moderate_steps: 15,
            inner_accuracy: 1e-2,
            max_setback: 10.0,
            patience: 40,
            max_work: 100_000,
            newton_sweeps: 100,
            newton_patience: 30,
        }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Proximal {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most steps of kind (1).
    pub iterations: usize,
    /// The most Newton steps for each (1).
    pub newton_steps: usize,
    /// How it goes about it.
    pub settings: ProximalSettings,
    engine: Engine,
    centre: Vec<f64>,
    best: Vec<f64>,
}

impl Proximal {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let (settings, engine) = (ProximalSettings::default(), Engine::default());
        Self {
            tolerance,
            iterations,
            newton_steps: 60,
            settings,
            engine,
            centre: Vec::new(),
            best: Vec::new(),
        }
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
        let mut weight = Weight { alpha: self.settings.first_weight, stride: self.settings.first_stride };
        let (mut outer, mut total, mut since_best) = (0, 0, 0);
        while outer < self.iterations && best.residual > self.tolerance {
            outer += 1;
            self.centre.clear();
            self.centre.extend_from_slice(z);
            let shift = Shift { alpha: weight.alpha, centre: &self.centre };
            let tolerance = (self.settings.inner_accuracy * best.residual).max(0.5 * self.tolerance);
            let limits = Limits {
                tolerance,
                steps: self.newton_steps,
                sweeps: self.settings.newton_sweeps,
                patience: self.settings.newton_patience,
            };
            let inner = self.engine.run(problem, shift, limits, z);
            total += inner.steps + inner.sweeps;
            weight.adapt(&self.settings, inner.residual <= tolerance, inner.steps);
            let now = self.engine.residual(problem, z);
            since_best = if now.residual < 0.9 * best.residual { 0 } else { since_best + 1 };
            if now.residual < best.residual {
                best = now;
                self.best.copy_from_slice(z);
            } else if now.residual > self.settings.max_setback * best.residual || now.residual.is_nan() {
                z.copy_from_slice(&self.best);
            }
            let rounding = best.residual <= best.rounding && since_best > 2;
            if rounding || since_best > self.settings.patience || total >= self.settings.max_work {
                break;
            }
        }
        z.copy_from_slice(&self.best);
        let exhausted = outer >= self.iterations || total >= self.settings.max_work;
        let otherwise = if exhausted { Status::IterationLimit } else { Status::Failed };
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
    fn adapt(&mut self, settings: &ProximalSettings, solved: bool, steps: usize) {
        if solved {
            let stride = if steps <= settings.easy_steps {
                self.stride
            } else {
                self.stride.max(settings.moderate_stride)
            };
            self.alpha = (if steps <= settings.moderate_steps { stride } else { 1.0 } * self.alpha)
                .max(settings.min_weight);
        } else {
            // too bold: back, and in smaller strides from here on
            self.alpha = (settings.weight_increase * self.alpha).min(settings.max_weight);
            self.stride = (0.5 * (1.0 + self.stride)).min(settings.max_stride);
        }
    }
}
