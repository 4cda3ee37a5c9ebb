//! Dense row-major matrices whose storage is kept when they are resized, and their LU factorisation.
//!
//! Solvers keep these as scratch memory: after the first solve of a given size nothing is allocated.

use std::ops::{Index, IndexMut};

/// A dense matrix, row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dense {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Dense {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        let mut m = Self::zeros(n, n);
        for i in 0..n {
            m[(i, i)] = 1.0;
        }
        m
    }

    /// A matrix from its rows; all rows must have the same length.
    pub fn from_rows<const C: usize>(rows: &[[f64; C]]) -> Self {
        Self { rows: rows.len(), cols: C, data: rows.iter().flatten().copied().collect() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to write.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Two different rows: `i` to read and `j` to write.
    pub fn row_pair(&mut self, i: usize, j: usize) -> (&[f64], &mut [f64]) {
        let c = self.cols;
        if i < j {
            let (head, tail) = self.data.split_at_mut(j * c);
            (&head[i * c..(i + 1) * c], &mut tail[..c])
        } else {
            let (head, tail) = self.data.split_at_mut(i * c);
            (&tail[..c], &mut head[j * c..(j + 1) * c])
        }
    }

    /// Gives the matrix a new shape filled with zeros; keeps the allocation.
    pub fn reset(&mut self, rows: usize, cols: usize) {
        self.rows = rows;
        self.cols = cols;
        self.data.clear();
        self.data.resize(rows * cols, 0.0);
    }

    /// Becomes a copy of `other`; keeps the allocation.
    pub fn copy_from(&mut self, other: &Dense) {
        self.rows = other.rows;
        self.cols = other.cols;
        self.data.clear();
        self.data.extend_from_slice(&other.data);
    }

    /// `out = self * x`.
    pub fn mul_into(&self, x: &[f64], out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate() {
            *o = dot(self.row(i), x);
        }
    }
}

impl Index<(usize, usize)> for Dense {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}

/// The inner product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `start + a · b` as if computed with twice the digits and rounded once: no cancellation but that of the data.
/// (Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005.)
pub(crate) fn dot_compensated(start: f64, a: &[f64], b: &[f64]) -> f64 {
    let (mut sum, mut rest) = (start, 0.0);
    for (x, y) in a.iter().zip(b) {
        let product = x * y;
        let total = sum + product;
        let part = total - sum;
        rest += x.mul_add(*y, -product) + ((sum - (total - part)) + (product - part));
        sum = total;
    }
    sum + rest
}

/// LU factorisation with partial pivoting, in storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    lu: Dense,
    swaps: Vec<usize>,
}

impl Lu {
    /// Factors `a`. Returns false, and leaves no usable factor, when a pivot is not larger than `rounding` times
    /// the largest entry of `a`.
    pub fn factor(&mut self, a: &Dense, rounding: f64) -> bool {
        let n = a.rows();
        self.lu.copy_from(a);
        self.swaps.clear();
        let largest = a.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.lu[(i, k)].abs() > self.lu[(pivot, k)].abs() {
                    pivot = i;
                }
            }
            let size = self.lu[(pivot, k)].abs();
            if size.is_nan() || size <= rounding * largest {
                return false;
            }
            self.swaps.push(pivot);
            if pivot != k {
                for j in 0..n {
                    let (x, y) = (self.lu[(k, j)], self.lu[(pivot, j)]);
                    self.lu[(k, j)] = y;
                    self.lu[(pivot, j)] = x;
                }
            }
            for i in k + 1..n {
                let factor = self.lu[(i, k)] / self.lu[(k, k)];
                let (source, target) = self.lu.row_pair(k, i);
                target[k] = factor;
                for j in k + 1..n {
                    target[j] -= factor * source[j];
                }
            }
        }
        true
    }

    /// Solves `a x = b` in place, after a successful `factor`.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.lu.rows();
        for k in 0..n {
            b.swap(k, self.swaps[k]);
        }
        for i in 0..n {
            b[i] -= dot(&self.lu.row(i)[..i], &b[..i]);
        }
        for i in (0..n).rev() {
            b[i] = (b[i] - dot(&self.lu.row(i)[i + 1..], &b[i + 1..n])) / self.lu[(i, i)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lu_solves_a_system_that_needs_pivoting() {
        let a = Dense::from_rows(&[[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 5.0, 0.0]]);
        let x = [1.0, -2.0, 0.5];
        let mut b = [0.0; 3];
        a.mul_into(&x, &mut b);
        let mut lu = Lu::default();
        assert!(lu.factor(&a, 1e-14));
        lu.solve(&mut b);
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn lu_refuses_a_singular_matrix() {
        assert!(!Lu::default().factor(&Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0]]), 1e-14));
        assert!(!Lu::default().factor(&Dense::from_rows(&[[f64::NAN]]), 1e-14));
    }

    #[test]
    fn an_empty_system_is_solved() {
        let mut lu = Lu::default();
        assert!(lu.factor(&Dense::zeros(0, 0), 1e-14));
        lu.solve(&mut []);
    }
}
