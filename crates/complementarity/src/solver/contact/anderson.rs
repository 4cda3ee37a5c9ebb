//! Gauss–Seidel sweeps accelerated by Anderson's mixing, for problems with many contacts.
//!
//! A sweep up and down (`packed.rs`) maps impulses x to G(x); its fixed points solve the problem. With
//! `f_k = v(G(x_k)) − v(x_k)`, v being velocities in units of mass one, and the differences of the last m iterations,
//!
//! ```text
//! gamma minimises | f_k − sum_j gamma_j (f_(j+1) − f_j) |                                        (1)
//! x_(k+1) = G(x_k) − sum_j gamma_j (G(x_(j+1)) − G(x_j))                                        (2)
//! ```
//!
//! Where no contact changes between open, sticking and sliding, G is nearly affine and this is GMRES preconditioned
//! with Gauss–Seidel: the number of sweeps grows like the diameter of the pile instead of its square. x may leave the
//! cones for a moment; the exact local solutions of the next sweep do not depend on it. The norm of (1) is the energy
//! of the motion, in which the impulses of redundant contacts do not count. When f grows, the mixture is undone, the
//! past forgotten and a number of plain sweeps made: where contacts keep changing their minds those get further. The
//! number doubles while mixing does not help. Work and memory are proportional to the number of contacts.
//!
//! Takes every law and cone on rigid bodies (at most two per group). Uses the warm start.
//! References: D. Anderson, J. ACM 12, 1965; H. Walker, P. Ni, SIAM J. Numer. Anal. 49, 2011.

use crate::linear::dense::dot;
use crate::problem::contact::ContactProblem;
use crate::solver::contact::packed::Packed;
use crate::solver::contact::sweep::Sweep;
use crate::solver::{Report, Solver, Status};

/// Iterations that (1) looks back.
const MEMORY: usize = 12;

/// How [`Anderson`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AndersonSettings {
    /// Growth of |f|² from one iteration to the next at which the past is forgotten. By hand.
    pub max_growth: f64,
    /// Mixing helped when |f|² fell by this factor since the past begins. By hand.
    pub helped_factor: f64,
    /// The most iterations without mixing in a row, after mixtures that were no good. By hand.
    pub max_plain_iterations: usize,
    /// Regularisation of the normal equations of (1), relative to their largest diagonal entry: rounding of a dot
    /// product.
    pub gram_ridge: f64,
    /// Iterations from one look at the residual to the next: a look costs about as much as an iteration.
    pub check_interval: usize,
}

impl Default for AndersonSettings {
    fn default() -> Self {
        Self {
            max_growth: 1.5,
            helped_factor: 0.05,
            max_plain_iterations: 64,
            gram_ridge: 1e-14,
            check_interval: 25,
        }
    }
}

/// The solver, with its memory.
#[derive(Clone, Debug)]
pub struct Anderson {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most iterations, two sweeps each.
    pub iterations: usize,
    /// How it goes about it.
    pub settings: AndersonSettings,
    packed: Packed,
    judge: Sweep,
    v: Vec<f64>,
    f: Vec<f64>,
    /// v(x), f, v(G) and G of the iteration before.
    last: Past,
    history: Vec<Past>,
    gram: [[f64; MEMORY]; MEMORY],
    best: Vec<f64>,
}

/// One iteration, or the difference of two.
#[derive(Clone, Debug, Default)]
struct Past {
    f: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
}

impl Past {
    fn set(&mut self, f: &[f64], v: &[f64], z: &[f64]) {
        for (mine, new) in [(&mut self.f, f), (&mut self.v, v), (&mut self.z, z)] {
            mine.clear();
            mine.extend_from_slice(new);
        }
    }

    /// Becomes `new − self`.
    fn subtract_from(&mut self, f: &[f64], v: &[f64], z: &[f64]) {
        for (mine, new) in [(&mut self.f, f), (&mut self.v, v), (&mut self.z, z)] {
            mine.iter_mut().zip(new).for_each(|(m, n)| *m = n - *m);
        }
    }
}

/// When to mix and when to sweep only.
#[derive(Clone, Copy, Debug)]
struct Guard {
    /// |f|² of the last iteration, and where the past begins.
    last: f64,
    restart: f64,
    /// Plain iterations still to make, and how many there will be after the next bad mixture.
    plain: usize,
    penalty: usize,
}

impl Guard {
    /// After a bad mixture: plain iterations, more of them each time unless mixing helped in between.
    fn refuse(&mut self, settings: &AndersonSettings) {
        let helped = self.last < settings.helped_factor * self.restart;
        self.penalty = if helped { 1 } else { (2 * self.penalty).min(settings.max_plain_iterations) };
        self.plain = self.penalty;
    }

    /// Takes a norm in; true when it is time to mix.
    fn mixes(&mut self, norm: f64, restart: bool) -> bool {
        self.last = norm;
        if self.plain > 0 {
            self.plain -= 1;
            return false;
        }
        if restart {
            self.restart = norm;
        }
        true
    }
}

impl Anderson {
    /// A solver with its limits.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        Self {
            tolerance,
            iterations,
            settings: AndersonSettings::default(),
            packed: Packed::default(),
            judge: Sweep::default(),
            v: Vec::new(),
            f: Vec::new(),
            last: Past::default(),
            history: vec![Past::default(); MEMORY],
            gram: [[0.0; MEMORY]; MEMORY],
            best: Vec::new(),
        }
    }

    /// Takes the difference to the last iteration in, in place of the oldest. `k` counts from the last restart.
    fn remember(&mut self, k: usize, z: &[f64]) {
        if k > 0 {
            let slot = (k - 1) % MEMORY;
            std::mem::swap(&mut self.history[slot], &mut self.last);
            self.history[slot].subtract_from(&self.f, &self.v, z);
            for j in 0..k.min(MEMORY) {
                let product = dot(&self.history[j].f, &self.history[slot].f);
                (self.gram[slot][j], self.gram[j][slot]) = (product, product);
            }
        }
        self.last.set(&self.f, &self.v, z);
    }

    /// Eqs. (1) and (2).
    fn mix(&mut self, k: usize, z: &mut [f64]) {
        let m = k.min(MEMORY);
        let mut gamma = [0.0; MEMORY];
        for j in 0..m {
            gamma[j] = dot(&self.history[j].f, &self.f);
        }
        if !solve_positive(&self.gram, m, &mut gamma, self.settings.gram_ridge) {
            return;
        }
        for j in 0..m {
            let Past { v, z: past, .. } = &self.history[j];
            self.v.iter_mut().zip(v).for_each(|(x, d)| *x -= gamma[j] * d);
            z.iter_mut().zip(past).for_each(|(x, d)| *x -= gamma[j] * d);
        }
    }
}

impl Solver<ContactProblem> for Anderson {
    fn solve(&mut self, problem: &ContactProblem, z: &mut [f64]) -> Report {
        if z.iter().any(|x| !x.is_finite()) || !self.packed.load(problem) {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        self.judge.prepare_blocks(problem);
        self.packed.state(z, &mut self.v);
        let limit = self.tolerance * problem.scale;
        let (mut best, mut since_restart) = (f64::INFINITY, 0);
        let mut guard = Guard { last: f64::INFINITY, restart: f64::INFINITY, plain: 0, penalty: 1 };
        self.best.clear();
        self.best.extend_from_slice(z);
        for iteration in 1..=self.iterations {
            self.f.clear();
            self.f.extend(self.v.iter().map(|v| -v));
            let change = self.packed.sweep(problem, z, &mut self.v);
            self.f.iter_mut().zip(&self.v).for_each(|(f, v)| *f += v);
            let norm = dot(&self.f, &self.f);
            if change <= limit
                || iteration % self.settings.check_interval == 0
                || iteration == self.iterations
            {
                let residual = self.judge.residual(problem, z).max();
                if residual < best {
                    best = residual;
                    self.best.copy_from_slice(z);
                }
                if best <= self.tolerance || change == 0.0 || !norm.is_finite() {
                    z.copy_from_slice(&self.best);
                    return Report::checked(best, self.tolerance, iteration, Status::Failed);
                }
            }
            if since_restart > 1 && norm > self.settings.max_growth * guard.last {
                // the mixture was no good: back to the sweep it was made from
                z.copy_from_slice(&self.last.z);
                self.packed.state(z, &mut self.v); // also without the rounding that updates have gathered
                since_restart = 0;
                guard.refuse(&self.settings);
                continue;
            }
            if guard.mixes(norm, since_restart == 0) {
                self.remember(since_restart, z);
                self.mix(since_restart, z);
                since_restart += 1;
            }
        }
        z.copy_from_slice(&self.best);
        Report::checked(best, self.tolerance, self.iterations, Status::IterationLimit)
    }
}

/// Solves `a x = x` in place for the leading m x m part of a positive semi-definite matrix, by Cholesky with a ridge.
fn solve_positive(a: &[[f64; MEMORY]; MEMORY], m: usize, x: &mut [f64; MEMORY], relative_ridge: f64) -> bool {
    let mut l = *a;
    let ridge = relative_ridge * (0..m).fold(0.0f64, |most, i| most.max(a[i][i]));
    for j in 0..m {
        for k in 0..j {
            l[j][j] -= l[j][k] * l[j][k];
        }
        l[j][j] += ridge;
        if l[j][j].is_nan() || l[j][j] <= 0.0 {
            return false;
        }
        l[j][j] = l[j][j].sqrt();
        for i in j + 1..m {
            for k in 0..j {
                l[i][j] -= l[i][k] * l[j][k];
            }
            l[i][j] /= l[j][j];
        }
    }
    for i in 0..m {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for i in (0..m).rev() {
        for k in i + 1..m {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
    x.iter().all(|x| x.is_finite())
}
