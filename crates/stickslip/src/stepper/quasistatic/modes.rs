//! The metric of the proximal steps, eq. (5) of `mod.rs`, mode by mode.
//!
//! ```text
//! v_i^T M v_j = δ_ij,   dt v_i^T B v_j = b_i δ_ij                                       (1)
//! P = sum of p_i (M v_i) (M v_i)^T,   p_i = min(eps, c b_i) where b_i > 0, else eps     (2)
//! (P + dt B)^-1 = sum of v_i v_i^T / (p_i + b_i)                                        (3)
//! ```
//!
//! Along a mode that forces hold, stiffness sets the motion, and the error of (5) falls by `p / (p + b)`: p has to be
//! small beside b, whatever the motion and the step. Along the others inertia is all there is, and eps has the size
//! that `mod.rs` gives it; small values there would only cost digits. What pushes a motion on (b < 0, a spring under
//! pressure across its axis) is left to contacts and friction: it counts as b = 0.

use complementarity::dense::Dense;
use complementarity::problem::operator::BlockDiagonal;
use nalgebra::{DMatrix, SymmetricEigen};

/// Stiffness below this, relative to the largest of the coordinates that it is coupled to, is what differences leave.
const NOISE: f64 = 1e-7;

/// The modes of eq. (1); each has entries for the coordinates of its part alone.
#[derive(Default)]
pub(super) struct Modes {
    parts: Vec<Part>,
    label: Vec<usize>,
}

/// Coordinates that neither M nor B couples to others.
struct Part {
    coordinates: Vec<usize>,
    /// Mode after mode.
    vectors: Vec<f64>,
    /// b of each mode, not negative.
    stiffness: Vec<f64>,
}

impl Modes {
    /// Modes of M and B. False if M is not positive definite.
    pub fn find(&mut self, mass: &BlockDiagonal, slope: &Dense, dt: f64) -> bool {
        let n = slope.rows();
        self.label.clear();
        self.label.extend(0..n);
        for block in mass.blocks() {
            (1..block.size).for_each(|k| self.join(block.start, block.start + k));
        }
        for i in 0..n {
            for j in 0..i {
                if slope[(i, j)] != 0.0 {
                    self.join(i, j);
                }
            }
        }
        let mut whole = DMatrix::zeros(n, n);
        for block in mass.blocks() {
            for (k, m) in mass.values(*block).iter().enumerate() {
                whole[(block.start + k / block.size, block.start + k % block.size)] = *m;
            }
        }
        self.parts.clear();
        for first in 0..n {
            if self.label[first] == first {
                let coordinates: Vec<usize> = (first..n).filter(|i| self.label[*i] == first).collect();
                let Some(part) = Part::of(coordinates, &whole, slope, dt) else { return false };
                self.parts.push(part);
            }
        }
        true
    }

    /// Gives two coordinates the same label, the least of all that they are coupled to.
    fn join(&mut self, i: usize, j: usize) {
        let (low, high) = (self.label[i].min(self.label[j]), self.label[i].max(self.label[j]));
        if low < high {
            self.label.iter_mut().filter(|l| **l == high).for_each(|l| *l = low);
        }
    }

    /// Eq. (3), row after row.
    pub fn inverse(&self, eps: f64, weight: f64, n: usize, out: &mut Vec<f64>) {
        out.clear();
        out.resize(n * n, 0.0);
        for part in &self.parts {
            let size = part.coordinates.len();
            for (v, b) in part.vectors.chunks_exact(size).zip(&part.stiffness) {
                let p = if *b > 0.0 { eps.min(weight * b) } else { eps };
                for (i, x) in part.coordinates.iter().zip(v) {
                    for (j, y) in part.coordinates.iter().zip(v) {
                        out[i * n + j] += x * y / (p + b);
                    }
                }
            }
        }
    }
}

impl Part {
    /// With `M = L L^T`, the modes are `L^-T` times the eigenvectors of `L^-1 dt B L^-T`.
    fn of(coordinates: Vec<usize>, mass: &DMatrix<f64>, slope: &Dense, dt: f64) -> Option<Self> {
        let n = coordinates.len();
        let at = |i: usize, j: usize| (coordinates[i], coordinates[j]);
        let root = DMatrix::from_fn(n, n, |i, j| mass[at(i, j)]).cholesky()?.l();
        let inverse = root.solve_lower_triangular(&DMatrix::identity(n, n))?;
        let b = &inverse * DMatrix::from_fn(n, n, |i, j| dt * slope[at(i, j)]) * inverse.transpose();
        let eigen = SymmetricEigen::new(b);
        let noise = NOISE * eigen.eigenvalues.amax();
        let stiffness = eigen.eigenvalues.iter().map(|b| if *b > noise { *b } else { 0.0 }).collect();
        // column after column, as nalgebra keeps them
        let vectors = (inverse.transpose() * eigen.eigenvectors).as_slice().to_vec();
        Some(Self { coordinates, vectors, stiffness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mass matrix of two blocks and any B: (3) times `P + dt B` is one.
    #[test]
    fn the_inverse_is_that_of_inertia_and_stiffness() {
        let mut mass = BlockDiagonal::default();
        mass.push(2, &[2.0, 0.3, 0.3, 1.0]);
        mass.push(1, &[5.0]);
        let slope = Dense::from_rows(&[[7.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]]);
        let mut modes = Modes::default();
        assert!(modes.find(&mass, &slope, 0.5));
        let mut inverse = Vec::new();
        // eps beside which c b is large: P is eps M
        modes.inverse(1e-3, 1e3, 3, &mut inverse);
        let eps_mass = [[2e-3, 3e-4, 0.0], [3e-4, 1e-3, 0.0], [0.0, 0.0, 5e-3]];
        for i in 0..3 {
            for j in 0..3 {
                let one: f64 =
                    (0..3).map(|k| inverse[3 * i + k] * (eps_mass[k][j] + 0.5 * slope[(k, j)])).sum();
                assert!((one - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}: {one}");
            }
        }
    }

    #[test]
    fn what_pushes_on_counts_as_free_and_what_holds_is_not_slowed_down() {
        let mut mass = BlockDiagonal::default();
        mass.push(1, &[2.0]);
        mass.push(1, &[2.0]);
        let mut modes = Modes::default();
        assert!(modes.find(&mass, &Dense::from_rows(&[[-8.0, 0.0], [0.0, 1e-6]]), 0.1));
        let mut inverse = Vec::new();
        modes.inverse(1.0, 0.01, 2, &mut inverse);
        assert!((inverse[0] - 0.5).abs() < 1e-15 && inverse[1] == 0.0);
        // 1 / (1.01 dt B)
        assert!((inverse[3] * 1.01e-7 - 1.0).abs() < 1e-12, "{inverse:?}");
    }
}
