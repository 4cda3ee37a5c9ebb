//! LU factorisation with partial pivoting of a matrix whose rows end early: row i has no entries beyond column
//! `last_i`, and the zeros to the left of its first entry cost nothing.
//!
//! A chain or a stack of bodies in order makes a matrix with a narrow band, and the cost falls from n³ to n times the
//! squared width; a full matrix costs what it always does. Storage is dense and kept.

use crate::linear::dense::dot;

/// The factors, in storage that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProfileLu {
    n: usize,
    /// Row-major.
    lu: Vec<f64>,
    swaps: Vec<usize>,
    last: Vec<usize>,
    scale: Vec<f64>,
}

impl ProfileLu {
    /// Gives the matrix n rows and columns of zeros.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.lu.clear();
        self.lu.resize(n * n, 0.0);
    }

    /// The entries from `(row, column)` on, to write: row-major with n entries per row.
    pub(crate) fn tail_mut(&mut self, row: usize, column: usize) -> &mut [f64] {
        &mut self.lu[row * self.n + column..]
    }

    /// Makes the matrix symmetric: what is above the diagonal is copied below it.
    pub(crate) fn mirror(&mut self) {
        for i in 0..self.n {
            for j in 0..i {
                self.lu[i * self.n + j] = self.lu[j * self.n + i];
            }
        }
    }

    /// Factors what was written into the matrix, rows brought to a largest entry of one first. Returns false, and
    /// leaves no usable factor, when a pivot is zero or not a number.
    pub(crate) fn factor(&mut self) -> bool {
        let n = self.n;
        self.swaps.clear();
        self.last.clear();
        self.scale.clear();
        for row in self.lu.chunks_exact_mut(n.max(1)) {
            let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.scale.push(scale);
            self.last.push(row.iter().rposition(|x| *x != 0.0).unwrap_or(0));
        }
        for k in 0..n {
            let mut pivot = k;
            let mut size = self.lu[k * n + k].abs();
            for i in k + 1..n {
                let other = self.lu[i * n + k].abs();
                if other > size {
                    (pivot, size) = (i, other);
                }
            }
            if size.is_nan() || size <= f64::MIN_POSITIVE {
                return false;
            }
            self.swaps.push(pivot);
            if pivot != k {
                let (head, tail) = self.lu.split_at_mut(pivot * n);
                head[k * n..(k + 1) * n].swap_with_slice(&mut tail[..n]);
                self.last.swap(k, pivot);
            }
            self.eliminate(k);
        }
        true
    }

    /// True when the determinant of what was factored is negative.
    pub(crate) fn is_negative(&self) -> bool {
        let n = self.n;
        let flips = |k: &usize| (self.lu[k * n + k] < 0.0) != (self.swaps[*k] != *k);
        (0..n).filter(flips).count() % 2 == 1
    }

    /// Removes column `k` from the rows below.
    fn eliminate(&mut self, k: usize) {
        let n = self.n;
        let end = self.last[k] + 1;
        let (head, tail) = self.lu.split_at_mut((k + 1) * n);
        let source = &head[k * n..];
        let inverse = 1.0 / source[k];
        for (row, last) in tail.chunks_exact_mut(n).zip(&mut self.last[k + 1..]) {
            if row[k] == 0.0 {
                continue;
            }
            let factor = row[k] * inverse;
            *last = (*last).max(end - 1);
            row[k] = factor;
            for (t, s) in row[k + 1..end].iter_mut().zip(&source[k + 1..end]) {
                *t -= factor * s;
            }
        }
    }

    /// Solves `a x = b` in place, after a successful `factor`.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            b[k] *= self.scale[k];
        }
        for k in 0..n {
            b.swap(k, self.swaps[k]);
        }
        for i in 0..n {
            b[i] -= dot(&self.lu[i * n..i * n + i], &b[..i]);
        }
        for i in (0..n).rev() {
            let end = (self.last[i] + 1).max(i + 1);
            let row = &self.lu[i * n..(i + 1) * n];
            b[i] = (b[i] - dot(&row[i + 1..end], &b[i + 1..end])) / row[i];
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
        lu.reset(n);
        for i in 0..n * n {
            lu.tail_mut(i / n, i % n)[0] = entry(i / n, i % n);
        }
        assert!(lu.factor());
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        lu.solve(&mut b);
        assert!((0..n).all(|i| (b[i] - x[i]).abs() < 1e-9), "{b:?}");
    }

    #[test]
    fn a_singular_matrix_is_refused_and_an_empty_one_is_not() {
        let mut lu = ProfileLu::default();
        lu.reset(2);
        lu.tail_mut(0, 0)[0] = 1.0;
        assert!(!lu.factor());
        lu.reset(0);
        assert!(lu.factor());
        lu.solve(&mut []);
    }
}
