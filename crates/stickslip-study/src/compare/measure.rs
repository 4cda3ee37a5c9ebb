//! What a run is found to be: how far off, how dear.

use super::{Entry, directions};
use crate::refine::Sizes;
use crate::sampled::{Kind, Sampled};
use complementarity::problem::convert::ContactLcp;
use complementarity::solver::ContactSolver;
use std::time::Instant;
use stickslip::stepper::Cone;
use stickslip_scene::Scene;

/// How often each problem is solved again; the fastest counts.
const REPEATS: usize = 5;

/// The time of a single solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solve {
    /// Mean over the problems kept, each solved from zero, s.
    pub seconds: f64,
    /// Mean number of unknowns of what is solved.
    pub unknowns: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// e(t), eq. (1) of `mod.rs`, at the times looked at.
    pub errors: Vec<f64>,
    /// The largest of them; none when the run stopped early.
    pub error: Option<f64>,
    /// The last of them.
    pub error_end: Option<f64>,
    /// Their mean.
    pub error_mean: Option<f64>,
    /// The largest distance of a body from where it should be, m, over the times; none without bodies.
    pub distance: Option<f64>,
    /// The largest difference from the run with the exact cone and all else equal, of eq. (1).
    pub cone_error: Option<f64>,
    /// The time of a single solution; none without contact.
    pub solve: Option<Solve>,
}

pub(super) fn measure(scene: &Scene, run: &Sampled, (truth, sizes): (&Sampled, &Sizes)) -> Measured {
    let errors = differences(run, truth, sizes);
    let complete = run.stopped.is_none() && !errors.is_empty();
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    Measured {
        error: complete.then(|| largest(&errors)),
        error_end: errors.last().copied().filter(|_| complete),
        error_mean: complete.then_some(mean),
        distance: distance(run, truth).filter(|_| complete),
        cone_error: None,
        solve: solve(scene, run),
        errors,
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(*x) })
}

/// e(t), eq. (1).
fn differences(run: &Sampled, truth: &Sampled, sizes: &Sizes) -> Vec<f64> {
    let at = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let quantities = truth.quantities.iter().zip(&sizes.size).enumerate();
        let continuous = quantities.filter(|(_, (q, size))| q.kind.is_continuous() && **size > 0.0);
        continuous.map(|(i, (_, size))| (a[i] - b[i]).abs() / size).fold(0.0, f64::max)
    };
    run.values.iter().zip(&truth.values).map(at).collect()
}

/// Bodies have their position first, as two or three quantities in a row.
fn distance(run: &Sampled, truth: &Sampled) -> Option<f64> {
    let quantities = &truth.quantities;
    let mut worst: Option<f64> = None;
    for (a, b) in run.values.iter().zip(&truth.values) {
        let (mut i, mut square) = (0, 0.0);
        while i < quantities.len() {
            if quantities[i].kind == Kind::Position {
                square += (a[i] - b[i]).powi(2);
                if quantities.get(i + 1).is_none_or(|q| q.kind != Kind::Position) {
                    worst = Some(worst.unwrap_or(0.0).max(f64::sqrt(square)));
                    square = 0.0;
                }
            }
            i += 1;
        }
    }
    worst
}

/// Solves the problems of a run again, one by one, from zero.
fn solve(scene: &Scene, run: &Sampled) -> Option<Solve> {
    let count = run.problems.len();
    if count == 0 {
        return None;
    }
    let config = scene.stepper.solver;
    let linear = matches!(config.method, ContactSolver::Lemke | ContactSolver::Enumeration);
    let (mut seconds, mut unknowns) = (0.0, 0.0);
    for problem in &run.problems {
        let mut solver = config.build();
        let mut z = vec![0.0; problem.len()];
        let mut fastest = f64::INFINITY;
        for _ in 0..REPEATS {
            z.fill(0.0);
            let start = Instant::now();
            solver.solve(problem, &mut z);
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        seconds += fastest;
        let mut lcp = ContactLcp::default();
        let size = if linear && lcp.build(problem).is_ok() { lcp.lcp().len() } else { problem.len() };
        unknowns += size as f64;
    }
    Some(Solve { seconds: seconds / count as f64, unknowns: unknowns / count as f64 })
}

/// Fills in how far runs with polyhedral cones are from the one with the exact cone.
pub(super) fn cone_errors(entries: &mut [Entry], sizes: &Sizes) {
    for i in 0..entries.len() {
        let mine = &entries[i].combination;
        if mine.cone().and_then(directions).is_none() {
            continue;
        }
        let equal = |e: &&Entry| {
            let c = &e.combination;
            c.cone() == Some(Cone::Exact)
                && c.stepper == mine.stepper
                && c.step == mine.step
                && c.constraint == mine.constraint
        };
        let exact = entries.iter().find(equal).filter(|e| e.run.stopped.is_none());
        let error = exact.map(|e| largest(&differences(&entries[i].run, &e.run, sizes)));
        entries[i].measured.cone_error = error.filter(|_| entries[i].run.stopped.is_none());
    }
}
