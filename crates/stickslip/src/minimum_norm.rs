//! Linear systems that may be singular: elimination with complete pivoting, and of all solutions the one of least
//! weighted norm,
//!
//! ```text
//! A x = b,   x = x_p + N c,   minimise sum w_i x_i²  =>  (N^T w N) c = −N^T w x_p                         (1)
//! ```
//!
//! with x_p the solution whose dependent unknowns are zero and N a basis of the null space. Rows and columns come
//! scaled such that the entries are of the order of one: what is left below [`RANK`] is rounding.

use complementarity::dense::{Dense, Lu};

/// Pivots below this end the elimination.
const RANK: f64 = 1e-10;

/// The elimination, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinimumNorm {
    table: Dense,
    columns: Vec<usize>,
    rank: usize,
    null: Dense,
    gram: Dense,
    lu: Lu,
    c: Vec<f64>,
}

impl MinimumNorm {
    /// Eliminates A with the right-hand side b.
    pub(crate) fn factor(&mut self, a: &Dense, b: &[f64]) {
        let n = b.len();
        self.table.reset(n, n + 1);
        for i in 0..n {
            self.table.row_mut(i)[..n].copy_from_slice(a.row(i));
            self.table[(i, n)] = b[i];
        }
        self.columns.clear();
        self.columns.extend(0..n);
        self.rank = 0;
        while self.rank < n && self.eliminate(self.rank) {
            self.rank += 1;
        }
        self.null_space();
    }

    /// One step with the largest pivot there is; false when there is none.
    fn eliminate(&mut self, k: usize) -> bool {
        let n = self.columns.len();
        let (mut best, mut at) = (0.0f64, (k, k));
        for i in k..n {
            for j in k..n {
                if self.table[(i, j)].abs() > best {
                    (best, at) = (self.table[(i, j)].abs(), (i, j));
                }
            }
        }
        if best <= RANK {
            return false;
        }
        self.columns.swap(k, at.1);
        for i in 0..n {
            let row = self.table.row_mut(i);
            row.swap(k, at.1);
        }
        for j in 0..=n {
            let (x, y) = (self.table[(k, j)], self.table[(at.0, j)]);
            self.table[(k, j)] = y;
            self.table[(at.0, j)] = x;
        }
        for i in k + 1..n {
            let factor = self.table[(i, k)] / self.table[(k, k)];
            if factor != 0.0 {
                let (pivot, row) = self.table.row_pair(k, i);
                for j in k..=n {
                    row[j] -= factor * pivot[j];
                }
            }
        }
        true
    }

    /// Fills `null` with one row per dependent unknown, in the order of the unknowns.
    fn null_space(&mut self) {
        let (n, r) = (self.columns.len(), self.rank);
        self.null.reset(n - r, n);
        for f in 0..n - r {
            self.null[(f, self.columns[r + f])] = 1.0;
            for i in (0..r).rev() {
                let sum: f64 =
                    (i + 1..r).map(|j| self.table[(i, j)] * self.null[(f, self.columns[j])]).sum::<f64>()
                        + self.table[(i, r + f)];
                self.null[(f, self.columns[i])] = -sum / self.table[(i, i)];
            }
        }
    }

    /// A basis of what can be added to a solution, one row per direction.
    pub(crate) fn null(&self) -> &Dense {
        &self.null
    }

    /// Number of directions in which the unknowns are not determined.
    pub(crate) fn freedom(&self) -> usize {
        self.columns.len() - self.rank
    }

    /// Moves `x` within the solutions such that the concave function `worth` becomes as large as it can: direction by
    /// direction, each by golden section. Exact for one direction.
    pub(crate) fn improve(&mut self, x: &mut [f64], worth: impl Fn(&[f64]) -> f64) {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let n = x.len();
        let rounds = if self.freedom() > 1 { 8 } else { 1 };
        let size = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        self.c.resize(n, 0.0);
        for k in (0..self.freedom()).cycle().take(rounds * self.freedom()) {
            let direction = self.null.row(k);
            let largest = direction.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let reach = 4.0 * size / largest;
            let moved = &mut self.c;
            let mut at = |c: f64| {
                (0..n).for_each(|i| moved[i] = x[i] + c * direction[i]);
                worth(moved)
            };
            let (mut low, mut high) = (-reach, reach);
            let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            let (mut at_a, mut at_b) = (at(a), at(b));
            for _ in 0..90 {
                if at_a < at_b {
                    (low, a, at_a) = (a, b, at_b);
                    b = low + GOLDEN * (high - low);
                    at_b = at(b);
                } else {
                    (high, b, at_b) = (b, a, at_a);
                    a = high - GOLDEN * (high - low);
                    at_a = at(a);
                }
            }
            let c = 0.5 * (low + high);
            (0..n).for_each(|i| x[i] += c * direction[i]);
        }
    }

    /// The solution of least norm with the weights given, eq. (1).
    pub(crate) fn solve(&mut self, weights: &[f64], x: &mut [f64]) {
        let (n, r) = (self.columns.len(), self.rank);
        x.fill(0.0);
        for i in (0..r).rev() {
            let sum: f64 = (i + 1..r).map(|j| self.table[(i, j)] * x[self.columns[j]]).sum();
            x[self.columns[i]] = (self.table[(i, n)] - sum) / self.table[(i, i)];
        }
        let k = n - r;
        if k == 0 {
            return;
        }
        self.gram.reset(k, k);
        self.c.clear();
        for i in 0..k {
            for j in 0..k {
                self.gram[(i, j)] = (0..n).map(|m| weights[m] * self.null[(i, m)] * self.null[(j, m)]).sum();
            }
            self.c.push(-(0..n).map(|m| weights[m] * self.null[(i, m)] * x[m]).sum::<f64>());
        }
        if self.lu.factor(&self.gram, 0.0) {
            self.lu.solve(&mut self.c);
            for i in 0..k {
                for m in 0..n {
                    x[m] += self.c[i] * self.null[(i, m)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_norm_solution_is_orthogonal_to_the_null_space() {
        // x0 + x1 = 2 twice, x2 = 3
        let a = Dense::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let mut solver = MinimumNorm::default();
        solver.factor(&a, &[2.0, 2.0, 3.0]);
        assert_eq!(solver.freedom(), 1);
        let mut x = [0.0; 3];
        solver.solve(&[1.0; 3], &mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15 && (x[2] - 3.0).abs() < 1e-15);
        // weights 3 : 1 share as 1 : 3
        solver.solve(&[3.0, 1.0, 1.0], &mut x);
        assert!((x[0] - 0.5).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn the_best_of_all_solutions_is_found() {
        // x0 + x1 = 2 with the lesser of x0 and 3 x1 as large as it can be
        let a = Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]);
        let mut solver = MinimumNorm::default();
        solver.factor(&a, &[2.0, 2.0]);
        let mut x = [2.0, 0.0];
        solver.improve(&mut x, |x| x[0].min(3.0 * x[1]));
        assert!((x[0] - 1.5).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12, "{x:?}");
    }

    #[test]
    fn regular_systems_are_solved() {
        let a = Dense::from_rows(&[[0.0, 2.0], [1.0, -1.0]]);
        let mut solver = MinimumNorm::default();
        solver.factor(&a, &[4.0, -1.0]);
        let mut x = [0.0; 2];
        solver.solve(&[1.0; 2], &mut x);
        assert!(solver.freedom() == 0 && (x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
    }
}
