//! The best impulses that a solver has met, judged by the residual of the problem with velocities computed anew.

use crate::problem::contact::ContactProblem;
use crate::solver::contact::sweep::Sweep;

/// The best so far, with the memory for judging.
#[derive(Clone, Debug, Default)]
pub(crate) struct Best {
    judge: Sweep,
    /// The impulses.
    pub z: Vec<f64>,
    /// Their residual; infinite when there are none.
    pub residual: f64,
}

impl Best {
    /// Forgets all, for a problem.
    pub(crate) fn reset(&mut self, problem: &ContactProblem) {
        self.judge.prepare_blocks(problem);
        self.z.clear();
        self.residual = f64::INFINITY;
    }

    /// Judges impulses, which are remembered when they are the best so far. Returns their residual.
    pub(crate) fn keep(&mut self, problem: &ContactProblem, z: &[f64]) -> f64 {
        let residual = self.judge.residual(problem, z).max();
        if residual < self.residual || self.z.len() != z.len() {
            self.residual = residual;
            self.z.clear();
            self.z.extend_from_slice(z);
        }
        residual
    }

    /// Computes the velocities of impulses, and judges nothing.
    pub(crate) fn look(&mut self, problem: &ContactProblem, z: &[f64]) {
        self.judge.refresh(problem, z);
    }

    /// The velocities of the impulses judged or looked at last.
    pub(crate) fn velocities(&self) -> &[f64] {
        self.judge.velocities()
    }
}
