//! LU factorisation with partial pivoting of a matrix whose rows end early: row i has no entries beyond column
//! `last_i`, and the zeros to the left of its first entry cost nothing.
//!
//! A chain or a stack of bodies in order makes a matrix with a narrow band, and the cost falls from n³ to n times the
//! squared width; a full matrix costs what it always does. Storage is dense and kept.

use crate::dense::Dense;

/// The factors, in storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct ProfileLu {
    lu: Dense,
    swaps: Vec<usize>,
    last: Vec<usize>,
    scale: Vec<f64>,
}

impl ProfileLu {
    /// The matrix to be factored, as zeros; write into it, then call [`factor`](Self::factor).
    pub fn reset(&mut self, n: usize) -> &mut Dense {
        self.lu.reset(n, n);
        &mut self.lu
    }

    /// Factors what was written into the matrix, rows brought to a largest entry of one first. Returns false, and
    /// leaves no usable factor, when a pivot is zero or not a number.
    pub fn factor(&mut self) -> bool {
        let n = self.lu.rows();
        self.swaps.clear();
        self.last.clear();
        self.scale.clear();
        for i in 0..n {
            let row = self.lu.row_mut(i);
            let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.scale.push(scale);
            self.last.push(row.iter().rposition(|x| *x != 0.0).unwrap_or(0));
        }
        for k in 0..n {
            let mut pivot = k;
            let mut size = self.lu[(k, k)].abs();
            for i in k + 1..n {
                let other = self.lu[(i, k)].abs();
                if other > size {
                    (pivot, size) = (i, other);
                }
            }
            if size.is_nan() || size <= f64::MIN_POSITIVE {
                return false;
            }
            self.swaps.push(pivot);
            if pivot != k {
                for j in 0..n {
                    let x = self.lu[(k, j)];
                    self.lu[(k, j)] = self.lu[(pivot, j)];
                    self.lu[(pivot, j)] = x;
                }
                self.last.swap(k, pivot);
            }
            self.eliminate(k);
        }
        true
    }

    /// Removes column `k` from the rows below.
    fn eliminate(&mut self, k: usize) {
        let inverse = 1.0 / self.lu[(k, k)];
        let end = self.last[k] + 1;
        for i in k + 1..self.lu.rows() {
            let entry = self.lu[(i, k)];
            if entry == 0.0 {
                continue;
            }
            let factor = entry * inverse;
            self.last[i] = self.last[i].max(self.last[k]);
            let (source, target) = self.lu.row_pair(k, i);
            target[k] = factor;
            for (t, s) in target[k + 1..end].iter_mut().zip(&source[k + 1..end]) {
                *t -= factor * s;
            }
        }
    }

    /// Solves `a x = b` in place, after a successful `factor`.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.lu.rows();
        for k in 0..n {
            b[k] *= self.scale[k];
        }
        for k in 0..n {
            b.swap(k, self.swaps[k]);
        }
        for i in 0..n {
            b[i] -= crate::dense::dot(&self.lu.row(i)[..i], &b[..i]);
        }
        for i in (0..n).rev() {
            let end = self.last[i] + 1;
            let sum = if end > i + 1 {
                crate::dense::dot(&self.lu.row(i)[i + 1..end], &b[i + 1..end])
            } else {
                0.0
            };
            b[i] = (b[i] - sum) / self.lu[(i, i)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banded_system_that_needs_pivoting_is_solved() {
        let n = 30;
        let mut lu = ProfileLu::default();
        let entry =
            |i: usize, j: usize| if i.abs_diff(j) <= 3 { ((7 * i + 3 * j) % 11) as f64 - 5.0 } else { 0.0 };
        let a = lu.reset(n);
        for i in 0..n * n {
            a[(i / n, i % n)] = entry(i / n, i % n);
        }
        assert!(lu.factor());
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        lu.solve(&mut b);
        assert!((0..n).all(|i| (b[i] - x[i]).abs() < 1e-9), "{b:?}");
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = ProfileLu::default();
        let a = lu.reset(2);
        a[(0, 0)] = 1.0;
        assert!(!lu.factor());
    }
}
