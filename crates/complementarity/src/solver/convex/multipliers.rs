//! The method of multipliers with a semismooth Newton method inside, for convex laws (`augmented.rs`), from impulses
//! that are not far from a solution. With impulses c to start from and weights rho per group, the proximal-point
//! method asks for
//!
//! ```text
//! lambda = P(c − rho xi),   then c = lambda,                                                       (1)
//! ```
//!
//! P being the projection onto the sets of the laws (`law/convex.rs`). (1) is the condition of a minimum, without
//! constraints, of the velocities y:
//!
//! ```text
//! theta(y) = |y|²/2 + sum |P(c − rho xi(y))|² / (2 rho),   xi = J y + q,   A = J J^T              (2)
//! ```
//!
//! which is strictly convex with a continuous derivative. Newton's method on (2), with steps as long as theta falls,
//! gets there from everywhere; its matrix `1 + J^T rho P' J` is positive definite however redundant the contacts are,
//! and as sparse as the bodies' contacts. (1) converges whatever the weights (Rockafellar 1976), the faster the
//! larger they are. y is carried as impulses z, `y = J^T z`: a step is `dz = −(z − P) − rho P' dxi`, and the slope of
//! theta along it `dxi · (z + t dz − P(xi + t dxi))`.
//!
//! The trial impulses `P(c − rho xi)` are judged after every Newton step.
//!
//! References: R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex
//! programming", Math. Oper. Res. 1, 1976; X.-Y. Zhao, D. Sun, K.-C. Toh, "A Newton-CG augmented Lagrangian method",
//! SIAM J. Optim. 20, 2010; A. Castro, F. Permenter, X. Han, "An unconstrained convex formulation of compliant
//! contact", IEEE Trans. Robotics 39, 2023, for (2) in mechanics.

use crate::law::MAX_ROWS;
use crate::law::convex::{derivative, project};
use crate::problem::contact::ContactProblem;
use crate::solver::contact::newton_system::NewtonSystem;
use crate::solver::contact::sweep::Sweep;
use crate::solver::convex::best::Best;
use crate::solver::convex::response::Response;
use crate::solver::convex::settings::MultiplierSettings;

/// When to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The residual from which on a step that does not help is the last.
    pub enough: f64,
    /// The most Newton steps.
    pub most: usize,
}

/// What the method works with: the problem, its velocities, its linear systems, and the best impulses so far.
pub(crate) struct Tools<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// Velocities.
    pub sweep: &'a mut Sweep,
    /// Linear systems, prepared.
    pub system: &'a mut NewtonSystem,
    /// Impulses so far.
    pub best: &'a mut Best,
}

/// The method's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multipliers {
    /// How it goes about it.
    pub settings: MultiplierSettings,
    pieces: Vec<Response>,
    /// rho of each group.
    weight: Vec<f64>,
    centre: Vec<f64>,
    /// y, as impulses, and its velocities.
    z: Vec<f64>,
    xi: Vec<f64>,
    /// `P(c − rho xi)`.
    image: Vec<f64>,
    change: Vec<f64>,
    xi_change: Vec<f64>,
}

/// How a round of (1) ended.
enum Round {
    /// There is no need to go on, or no way.
    Over,
    /// Nearly enough for the next, or after as many steps as a round may have.
    Solved,
    /// In rounding.
    Rounding,
}

impl Multipliers {
    /// (1) again and again from impulses given. Returns the number of Newton steps.
    pub(crate) fn run(&mut self, tools: &mut Tools, start: &[f64], limits: Limits) -> usize {
        self.centre.clear();
        self.centre.extend_from_slice(start);
        self.begin(tools);
        let (mut kappa, mut steps, mut lost) = (self.settings.first_weight, 0, 0);
        while steps < limits.most && lost < self.settings.max_rounding_rounds {
            self.set_weights(tools, kappa);
            let left = Limits { most: limits.most - steps, ..limits };
            let (end, round) = self.round(tools, left);
            steps += round.max(1);
            self.centre.clone_from(&self.image);
            match end {
                Round::Over => break,
                Round::Solved => kappa = (kappa * self.settings.weight_growth).min(self.settings.max_weight),
                // there is less of it with smaller weights
                Round::Rounding => (kappa, lost) = (kappa / self.settings.weight_growth, lost + 1),
            }
        }
        steps
    }

    /// y and its velocities are those of the centre's impulses.
    fn begin(&mut self, tools: &mut Tools) {
        tools.sweep.refresh(tools.problem, &self.centre);
        self.z.clone_from(&self.centre);
        self.xi.clear();
        self.xi.extend_from_slice(tools.sweep.velocities());
        for v in [&mut self.change, &mut self.xi_change, &mut self.image] {
            v.clear();
            v.resize(self.centre.len(), 0.0);
        }
    }

    fn set_weights(&mut self, tools: &Tools, kappa: f64) {
        self.weight.clear();
        for (c, group) in tools.problem.groups.iter().enumerate() {
            let a = tools.sweep.diagonal(c, group).into_iter().fold(0.0f64, f64::max);
            self.weight.push(if a > 0.0 { kappa / a } else { 0.0 });
        }
    }

    /// Solves (1) nearly enough. Returns how it ended and the number of Newton steps.
    fn round(&mut self, tools: &mut Tools, limits: Limits) -> (Round, usize) {
        let scale = tools.problem.scale;
        let aim = self.settings.inner_accuracy * tools.best.residual * scale;
        let (mut least, mut since) = (f64::INFINITY, 0);
        let mut steps = 0;
        loop {
            let left = self.linearise(tools);
            let before = tools.best.residual;
            tools.best.keep(tools.problem, &self.image);
            let residual = tools.best.residual;
            let content = before <= limits.enough && residual > 0.5 * before && steps > 0;
            if residual <= limits.tolerance || content {
                return (Round::Over, steps);
            }
            (least, since) = if left < 0.5 * least { (left, 0) } else { (least, since + 1) };
            let rounding =
                since > self.settings.max_stalled_steps && left < self.settings.rounding_residual * scale;
            if left <= aim || rounding || steps == limits.most.min(self.settings.max_newton_steps) {
                return (if rounding { Round::Rounding } else { Round::Solved }, steps);
            }
            if !self.newton(tools) {
                return (Round::Over, steps);
            }
            steps += 1;
        }
    }

    /// The image and the relations at the present point. Returns what is left of (1), as a speed.
    fn linearise(&mut self, tools: &Tools) -> f64 {
        self.pieces.clear();
        let mut left = 0.0f64;
        for (c, group) in tools.problem.groups.iter().enumerate() {
            let (n, weight) = (group.law.rows(), self.weight[c]);
            let mut x = [0.0; MAX_ROWS];
            for (x, r) in x.iter_mut().zip(group.rows()) {
                *x = self.centre[r] - weight * self.xi[r];
            }
            let image = project(group.law, &x);
            let mut f = [0.0; MAX_ROWS];
            let diagonal = tools.sweep.diagonal(c, group);
            for (k, r) in group.rows().enumerate() {
                self.image[r] = image[k];
                f[k] = self.z[r] - image[k];
                left = left.max((diagonal[k] * f[k]).abs());
            }
            self.pieces.push(Response { rows: n, slope: derivative(group.law, &x, weight), f });
        }
        left
    }

    /// One Newton step on (2). Returns false when the system cannot be solved.
    fn newton(&mut self, tools: &mut Tools) -> bool {
        let problem = tools.problem;
        let solved = tools.system.step(problem, &self.pieces, &mut self.change)
            && tools.system.refine(problem, &self.pieces, &mut self.change);
        if !solved {
            return false;
        }
        // the velocities that the whole step leads to
        self.change.iter_mut().zip(&self.z).for_each(|(c, z)| *c += z);
        tools.sweep.refresh(problem, &self.change);
        self.change.iter_mut().zip(&self.z).for_each(|(c, z)| *c -= z);
        let ends = tools.sweep.velocities().iter().zip(&self.xi);
        self.xi_change.iter_mut().zip(ends).for_each(|(d, (end, xi))| *d = end - xi);
        let t = self.length(problem);
        self.z.iter_mut().zip(&self.change).for_each(|(z, d)| *z += t * d);
        self.xi.iter_mut().zip(&self.xi_change).for_each(|(x, d)| *x += t * d);
        true
    }

    /// The part of the step at which theta is least, nearly; at most 1.
    fn length(&self, problem: &ContactProblem) -> f64 {
        let first = self.slope(problem, 0.0);
        let (mut low, mut high) = ((0.0, first), (1.0, self.slope(problem, 1.0)));
        if first >= 0.0 || high.1 <= self.settings.slope_factor * first.abs() {
            return 1.0;
        }
        for _ in 0..30 {
            // the secant's root, never at the very ends
            let guess = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            let margin = 0.05 * (high.0 - low.0);
            let t = guess.clamp(low.0 + margin, high.0 - margin);
            let slope = self.slope(problem, t);
            if slope.abs() <= self.settings.slope_factor * first.abs() {
                return t;
            }
            if slope < 0.0 { low = (t, slope) } else { high = (t, slope) }
        }
        0.5 * (low.0 + high.0)
    }

    /// The slope of theta along the step, at the part `t` of it.
    fn slope(&self, problem: &ContactProblem, t: f64) -> f64 {
        let mut sum = 0.0;
        for (group, weight) in problem.groups.iter().zip(&self.weight) {
            let mut x = [0.0; MAX_ROWS];
            for (x, r) in x.iter_mut().zip(group.rows()) {
                *x = self.centre[r] - weight * (self.xi[r] + t * self.xi_change[r]);
            }
            let image = project(group.law, &x);
            for (k, r) in group.rows().enumerate() {
                sum += self.xi_change[r] * (self.z[r] + t * self.change[r] - image[k]);
            }
        }
        sum
    }
}
