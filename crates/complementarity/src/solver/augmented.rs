//! The method of multipliers with a semismooth Newton method inside, for convex laws: associated friction, unilateral and bilateral rows,
//! dry friction. The impulses minimise
//!
//! ```text
//! lambda^T A lambda / 2 + q^T lambda   over the sets C of the laws,                                (1)
//! ```
//!
//! and `−xi ∈ N(lambda)` with `xi = A lambda + q` says that they do. With impulses c to start from and weights rho per group, the
//! proximal-point method asks for
//!
//! ```text
//! lambda = P(c − rho xi),   then c = lambda,                                                       (2)
//! ```
//!
//! P being the projection onto C (`associated.rs`). (2) is again the condition of a minimum, now without constraints, of the velocities y:
//!
//! ```text
//! theta(y) = |y|²/2 + sum |P(c − rho xi(y))|² / (2 rho),   xi = J y + q,   A = J J^T              (3)
//! ```
//!
//! which is strictly convex with a continuous derivative. Newton's method on (3), with steps as long as theta falls, gets there from
//! everywhere; its matrix `1 + J^T rho P' J` is positive definite however redundant the contacts are, and as sparse as the
//! bodies' contacts. (2) converges whatever the weights (Rockafellar 1976), the faster the larger they are. y is carried as impulses z, `y = J^T z`: a step
//! is `dz = −(z − P) − rho P' dxi`, and the slope of theta along it `dxi · (z + t dz − P(xi + t dxi))`.
//!
//! In order: a few projected Gauss–Seidel sweeps from the warm start; where they do not come near a solution, the central path
//! (`convex_path.rs`) from there, without the contacts that are far from closing, and sweeps again; then (2) with all of them. The trial impulses `P(c − rho xi)` are judged
//! after every Newton step, with velocities computed anew from the problem. Every problem (1) that has a solution is solved, up to rounding.
//!
//! References: R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming", Math. Oper. Res. 1, 1976;
//! X.-Y. Zhao, D. Sun, K.-C. Toh, "A Newton-CG augmented Lagrangian method", SIAM J. Optim. 20, 2010;
//! A. Castro, F. Permenter, X. Han, "An unconstrained convex formulation of compliant contact", IEEE Trans. Robotics 39, 2023, for (3) in mechanics.

use super::associated::{derivative, is_convex, project};
use super::convex_path::{ConvexPath, End};
use super::newton_engine::is_finite;
use super::newton_system::NewtonSystem;
use super::response::Response;
use super::sweep::Sweep;
use super::{Report, Solver, Status};
use crate::problem::contact::ContactProblem;
use crate::problem::law::{Law, MAX_ROWS};

/// The first weight, the largest, and its growth; relative to one over a group's own diagonal. Rounding of velocities is that many times larger in impulses.
const FIRST: f64 = 1e3;
const LARGEST: f64 = 1e5;
const GROWTH: f64 = 10.0;
/// Newton steps that do not help after which they are taken for rounding, and how often that may be.
const STALLED: usize = 8;
const LOST: usize = 6;
/// How exactly (2) is solved, relative to the residual there is, and the most Newton steps for one (2).
const INNER: f64 = 0.1;
const STEPS: usize = 60;
/// Sweeps from the warm start and from the end of the path, and projections for each group in one of them.
const SWEEPS: usize = 20;
const PROJECTIONS: usize = 4;
/// With a residual above the first the central path is walked, until it is below the second.
const NEAR: f64 = 1e-5;
const ARRIVED: f64 = 3e-5;
/// Contacts that open faster than this part of the problem's speed are not on the path.
const LEAVING: f64 = 0.05;
/// A step may end where theta still changes by this part of its first slope.
const FLAT: f64 = 0.1;

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Augmented {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The residual from which on a step that does not help is the last, if it is larger than `tolerance`.
    pub enough: f64,
    /// The most matrices factored.
    pub iterations: usize,
    sweep: Sweep,
    judge: Sweep,
    system: NewtonSystem,
    path: ConvexPath,
    /// Groups that are not on the path.
    left_out: Vec<bool>,
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
    best: Vec<f64>,
    best_residual: f64,
}

impl Augmented {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self {
            tolerance,
            enough: tolerance,
            iterations,
            sweep: Sweep::default(),
            judge: Sweep::default(),
            system: NewtonSystem::default(),
            path: ConvexPath::default(),
            left_out: Vec::new(),
            pieces: Vec::new(),
            weight: Vec::new(),
            centre: Vec::new(),
            z: Vec::new(),
            xi: Vec::new(),
            image: Vec::new(),
            change: Vec::new(),
            xi_change: Vec::new(),
            best: Vec::new(),
            best_residual: f64::INFINITY,
        }
    }

    /// Judges impulses, which are remembered when they are the best so far. Returns their residual.
    fn keep(&mut self, problem: &ContactProblem, z: &[f64]) -> f64 {
        let residual = self.judge.residual(problem, z).max();
        if residual < self.best_residual || self.best.len() != z.len() {
            self.best_residual = residual;
            self.best.clear();
            self.best.extend_from_slice(z);
        }
        residual
    }

    /// The points of the sets next to the warm start, and a few sweeps from there where that is not enough.
    fn approach(&mut self, problem: &ContactProblem, z: &[f64]) {
        self.centre.clear();
        for group in &problem.groups {
            let n = group.law.rows();
            let mut x = [0.0; MAX_ROWS];
            x[..n].copy_from_slice(&z[group.rows()]);
            self.centre.extend_from_slice(&project(group.law, &x)[..n]);
        }
        self.judge.prepare_blocks(problem);
        let mut centre = std::mem::take(&mut self.centre);
        if self.keep(problem, &centre) > self.tolerance {
            self.sweep.start(problem, &centre);
            (0..SWEEPS).for_each(|_| sweep_once(&mut self.sweep, problem, &mut centre));
            self.keep(problem, &centre);
        }
        self.centre = centre;
    }

    /// Goes on from the centre: y and its velocities are those of its impulses.
    fn restart(&mut self, problem: &ContactProblem) {
        self.sweep.refresh(problem, &self.centre);
        self.z.clone_from(&self.centre);
        self.xi.clear();
        self.xi.extend_from_slice(self.sweep.velocities());
        for v in [&mut self.change, &mut self.xi_change, &mut self.image] {
            v.clear();
            v.resize(self.centre.len(), 0.0);
        }
    }

    /// Along the central path from the centre to its last point, which is the new centre. Returns the number of steps.
    fn walk(&mut self, problem: &ContactProblem) -> usize {
        self.left_out.clear();
        for group in &problem.groups {
            let xi = &self.xi[group.rows()];
            let out = match group.law {
                Law::Associated { friction, .. } => {
                    let slip = xi[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
                    self.centre[group.first_row] <= 0.0 && xi[0] - friction * slip > LEAVING * problem.scale
                }
                _ => false,
            };
            self.left_out.push(out);
        }
        let mut centre = std::mem::take(&mut self.centre);
        self.path.begin(problem, &mut self.sweep, &self.left_out, &mut centre);
        let mut steps = 0;
        while steps < self.iterations {
            steps += 1;
            let end = self.path.step(problem, &mut self.sweep, &mut self.system, &mut centre);
            let residual = self.keep(problem, &centre);
            if residual <= ARRIVED || end != End::Open {
                break;
            }
        }
        // what a few contacts still have to settle among themselves is not worth a matrix for all
        (0..SWEEPS).for_each(|_| sweep_once(&mut self.sweep, problem, &mut centre));
        self.keep(problem, &centre);
        self.centre = centre;
        self.restart(problem);
        steps
    }

    fn set_weights(&mut self, problem: &ContactProblem, kappa: f64) {
        self.weight.clear();
        for (c, group) in problem.groups.iter().enumerate() {
            let a = self.sweep.diagonal(c, group).into_iter().fold(0.0f64, f64::max);
            self.weight.push(if a > 0.0 { kappa / a } else { 0.0 });
        }
    }

    /// The image and the relations at the present point. Returns what is left of (2), as a speed.
    fn linearise(&mut self, problem: &ContactProblem) -> f64 {
        self.pieces.clear();
        let mut left = 0.0f64;
        for (c, group) in problem.groups.iter().enumerate() {
            let (n, weight) = (group.law.rows(), self.weight[c]);
            let mut x = [0.0; MAX_ROWS];
            for (x, r) in x.iter_mut().zip(group.rows()) {
                *x = self.centre[r] - weight * self.xi[r];
            }
            let image = project(group.law, &x);
            let mut f = [0.0; MAX_ROWS];
            let diagonal = self.sweep.diagonal(c, group);
            for (k, r) in group.rows().enumerate() {
                self.image[r] = image[k];
                f[k] = self.z[r] - image[k];
                left = left.max((diagonal[k] * f[k]).abs());
            }
            self.pieces.push(Response { rows: n, slope: derivative(group.law, &x, weight), f });
        }
        left
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

    /// The part of the step at which theta is least, nearly; at most 1.
    fn length(&self, problem: &ContactProblem) -> f64 {
        let first = self.slope(problem, 0.0);
        let (mut low, mut high) = ((0.0, first), (1.0, self.slope(problem, 1.0)));
        if first >= 0.0 || high.1 <= FLAT * first.abs() {
            return 1.0;
        }
        for _ in 0..30 {
            // the secant's root, never at the very ends
            let guess = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            let margin = 0.05 * (high.0 - low.0);
            let t = guess.clamp(low.0 + margin, high.0 - margin);
            let slope = self.slope(problem, t);
            if slope.abs() <= FLAT * first.abs() {
                return t;
            }
            if slope < 0.0 { low = (t, slope) } else { high = (t, slope) }
        }
        0.5 * (low.0 + high.0)
    }

    /// One Newton step on (3). Returns false when the system cannot be solved.
    fn newton(&mut self, problem: &ContactProblem) -> bool {
        let solved = self.system.step(problem, &self.pieces, &mut self.change)
            && self.system.refine(problem, &self.pieces, &mut self.change);
        if !solved {
            return false;
        }
        // the velocities that the whole step leads to
        self.change.iter_mut().zip(&self.z).for_each(|(c, z)| *c += z);
        self.sweep.refresh(problem, &self.change);
        self.change.iter_mut().zip(&self.z).for_each(|(c, z)| *c -= z);
        let ends = self.sweep.velocities().iter().zip(&self.xi);
        self.xi_change.iter_mut().zip(ends).for_each(|(d, (end, xi))| *d = end - xi);
        let t = self.length(problem);
        self.z.iter_mut().zip(&self.change).for_each(|(z, d)| *z += t * d);
        self.xi.iter_mut().zip(&self.xi_change).for_each(|(x, d)| *x += t * d);
        true
    }

    /// (2) again and again, with at most this many Newton steps. Returns how many there were.
    fn multiply(&mut self, problem: &ContactProblem, most: usize) -> usize {
        let (mut kappa, mut steps, mut lost) = (FIRST, 0, 0);
        for _ in 0..most {
            self.set_weights(problem, kappa);
            let (end, round) = self.round(problem, most - steps);
            steps += round;
            self.centre.clone_from(&self.image);
            match end {
                Round::Over => break,
                Round::Solved => kappa = (kappa * GROWTH).min(LARGEST),
                // there is less of it with smaller weights
                Round::Rounding => (kappa, lost) = (kappa / GROWTH, lost + 1),
            }
            if steps == most || lost == LOST {
                break;
            }
        }
        steps
    }

    /// Solves (2) nearly enough. Returns how it ended and the number of Newton steps.
    fn round(&mut self, problem: &ContactProblem, most: usize) -> (Round, usize) {
        let aim = INNER * self.best_residual * problem.scale;
        let (mut least, mut since) = (f64::INFINITY, 0);
        let mut steps = 0;
        loop {
            let left = self.linearise(problem);
            let (before, image) = (self.best_residual, std::mem::take(&mut self.image));
            self.keep(problem, &image);
            self.image = image;
            let content = before <= self.enough && self.best_residual > 0.5 * before && steps > 0;
            if self.best_residual <= self.tolerance || content {
                return (Round::Over, steps);
            }
            (least, since) = if left < 0.5 * least { (left, 0) } else { (least, since + 1) };
            let rounding = since > STALLED && left < NEAR * problem.scale;
            if left <= aim || rounding || steps == most.min(STEPS) {
                return (if rounding { Round::Rounding } else { Round::Solved }, steps);
            }
            if !self.newton(problem) {
                return (Round::Over, steps);
            }
            steps += 1;
        }
    }
}

/// How a round of (2) ended.
enum Round {
    /// There is no need to go on, or no way.
    Over,
    /// Nearly enough for the next, or after as many steps as a round may have.
    Solved,
    /// In rounding.
    Rounding,
}

/// One projected Gauss–Seidel sweep: group after group, a few projected gradient steps.
fn sweep_once(sweep: &mut Sweep, problem: &ContactProblem, lambda: &mut [f64]) {
    for (c, group) in problem.groups.iter().enumerate() {
        let n = group.law.rows();
        let (mut xi, block) = (sweep.velocity(problem, c), sweep.block(c, group));
        // no eigenvalue is larger than the largest sum of a row
        let a = block.chunks_exact(n).map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
        let own = &mut lambda[group.rows()];
        let mut total = [0.0; MAX_ROWS];
        if a.is_nan() || a <= 0.0 {
            continue;
        }
        for _ in 0..PROJECTIONS {
            let x = std::array::from_fn(|i| if i < n { own[i] - xi[i] / a } else { 0.0 });
            let new = project(group.law, &x);
            let change: [f64; MAX_ROWS] = std::array::from_fn(|i| if i < n { new[i] - own[i] } else { 0.0 });
            if change == [0.0; MAX_ROWS] {
                break;
            }
            own.copy_from_slice(&new[..n]);
            for i in 0..n {
                total[i] += change[i];
                xi[i] += crate::dense::dot(&block[i * n..(i + 1) * n], &change[..n]);
            }
        }
        if total != [0.0; MAX_ROWS] {
            sweep.update(problem, c, &total[..n]);
        }
    }
}

impl Solver<ContactProblem> for Augmented {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        let convex = problem.groups.iter().all(|g| is_convex(g.law));
        if !convex || !is_finite(problem) || z.iter().any(|x| !x.is_finite()) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        (self.best_residual, self.enough) = (f64::INFINITY, self.enough.max(self.tolerance));
        self.best.clear();
        self.approach(problem, z);
        let mut steps = 0;
        if self.best_residual > self.tolerance {
            self.restart(problem);
            self.system.prepare(problem);
            if self.best_residual > NEAR && ConvexPath::takes(problem) {
                steps += self.walk(problem);
            }
            steps += self.multiply(problem, self.iterations.saturating_sub(steps));
        }
        z.copy_from_slice(&self.best);
        let otherwise = if steps < self.iterations { Status::Failed } else { Status::IterationLimit };
        Report::checked(self.best_residual, self.tolerance, steps, otherwise)
    }
}
