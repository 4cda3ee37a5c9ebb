//! The linearised equations of the semismooth Newton method and the directions made from them.
//!
//! ```text
//! Phi_i = phi(z_i, s_i w_i),   V = D_z + D_w S J,   gradient of |Phi|²/2 = V^T Phi           (1)
//! ```
//!
//! A direction counts only if it is one of descent, `g · d <= −1e-12 |g| |d|`.

use crate::linear::dense::{Dense, Lu, dot};
use crate::problem::mcp::{Mcp, Triplets};
use crate::solver::mcp::merit::Map;

/// What to solve for a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Direction {
    /// `V d = −Phi`.
    Newton,
    /// `(V^T V + nu I) d = −V^T Phi`.
    Levenberg,
    /// `d = −V^T Phi`.
    Gradient,
}

/// Eq. (1) at a point, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linearisation {
    /// `V^T Phi`.
    pub(crate) gradient: Vec<f64>,
    /// The latest direction.
    pub(crate) direction: Vec<f64>,
    weight: Vec<f64>,
    phi: Vec<f64>,
    jacobian: Triplets,
    by_w: Vec<f64>,
    v: Dense,
    normal: Dense,
    lu: Lu,
}

impl Linearisation {
    /// Memory, and the weights s of the rows from the Jacobian at `z`.
    pub(crate) fn begin<P: Mcp + ?Sized>(&mut self, problem: &P, z: &[f64]) {
        let n = z.len();
        for vector in
            [&mut self.gradient, &mut self.direction, &mut self.weight, &mut self.phi, &mut self.by_w]
        {
            vector.clear();
            vector.resize(n, 0.0);
        }
        if self.v.rows() != n {
            self.normal.copy_from(&Dense::identity(n));
            self.lu.factor(&self.normal, 0.0);
            self.v.reset(n, n);
        }
        self.differentiate(problem, z);
        for &(i, j, v) in &self.jacobian.entries {
            if i < n && j < n && v.is_finite() {
                self.weight[i] = self.weight[i].max(v.abs());
            }
        }
        for s in &mut self.weight {
            *s = if s.is_normal() { 1.0 / *s } else { 1.0 };
        }
    }

    /// The Jacobian at `z`.
    pub(crate) fn differentiate<P: Mcp + ?Sized>(&mut self, problem: &P, z: &[f64]) {
        self.jacobian.entries.clear();
        problem.jacobian(z, &mut self.jacobian);
    }

    /// Phi, V and the gradient at the point of the latest `differentiate`; returns `|Phi|²/2`.
    pub(crate) fn linearise<P: Mcp + ?Sized>(&mut self, problem: &P, map: Map, z: &[f64], w: &[f64]) -> f64 {
        let n = z.len();
        self.v.reset(n, n);
        for i in 0..n {
            let pair = map.pair(problem.bounds(i), z[i], self.weight[i] * w[i]);
            self.phi[i] = pair.phi;
            self.v[(i, i)] = pair.by_z;
            self.by_w[i] = pair.by_w * self.weight[i];
        }
        for &(i, j, v) in &self.jacobian.entries {
            if i < n && j < n {
                self.v[(i, j)] += self.by_w[i] * v;
            }
        }
        self.gradient.fill(0.0);
        for i in 0..n {
            let phi = self.phi[i];
            self.gradient.iter_mut().zip(self.v.row(i)).for_each(|(g, v)| *g += v * phi);
        }
        0.5 * dot(&self.phi, &self.phi)
    }

    /// `|Phi|²/2` at any point.
    pub(crate) fn merit<P: Mcp + ?Sized>(&self, problem: &P, map: Map, z: &[f64], w: &[f64]) -> f64 {
        let square = |i: usize| map.pair(problem.bounds(i), z[i], self.weight[i] * w[i]).phi.powi(2);
        0.5 * (0..z.len()).map(square).sum::<f64>()
    }

    /// Computes a direction; false when there is none of this kind, or it is no descent.
    pub(crate) fn direction(&mut self, kind: Direction, merit: f64) -> bool {
        let found = match kind {
            Direction::Newton => {
                self.direction.iter_mut().zip(&self.phi).for_each(|(d, phi)| *d = -phi);
                self.lu.factor(&self.v, 1e-14)
            }
            Direction::Levenberg => {
                self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
                self.fill_normal(merit);
                self.lu.factor(&self.normal, 0.0)
            }
            Direction::Gradient => {
                self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
                true
            }
        };
        if !found {
            return false;
        }
        if kind != Direction::Gradient {
            self.lu.solve(&mut self.direction);
        }
        let (g, d) = (&self.gradient, &self.direction);
        dot(g, d) <= -1e-12 * (dot(g, g) * dot(d, d)).sqrt() && dot(d, d) > 0.0 && dot(d, d).is_finite()
    }

    /// `V^T V + nu I`, nu following `|Phi|` so that it fades out where the method converges.
    fn fill_normal(&mut self, merit: f64) {
        let n = self.phi.len();
        self.normal.reset(n, n);
        for k in 0..n {
            for i in 0..n {
                let factor = self.v[(k, i)];
                if factor != 0.0 {
                    let target = self.normal.row_mut(i);
                    target.iter_mut().zip(self.v.row(k)).for_each(|(t, v)| *t += factor * v);
                }
            }
        }
        let largest = (0..n).fold(0.0f64, |m, i| m.max(self.normal[(i, i)]));
        let nu = largest * (1e-3 * (2.0 * merit).sqrt()).clamp(1e-12, 1e-2);
        for i in 0..n {
            self.normal[(i, i)] += nu;
        }
    }
}
