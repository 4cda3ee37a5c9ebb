//! The condensed tableau of Lemke's method and the path through it.
//!
//! ```text
//! x_basic + T x_nonbasic = b,   b >= 0                              (1)
//! ```
//!
//! with one column per nonbasic unknown and, at the start of a path, the covering vector as the column of `z0`. A
//! pivot exchanges a basic and a nonbasic unknown.
//!
//! *Degeneracy.* The ratio test is lexicographic: rows of `[B^-1 q | B^-1]` divided by the pivot, so that no basis
//! comes back. The columns of `B^-1` are those of the unknowns the path started from, or unit vectors where these are
//! basic; they are looked at only when ratios tie. `z0` leaves whenever it can.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 4.4 and 4.9.

use crate::linear::dense::Dense;
use crate::solver::lcp::basis::BasisSolver;

/// How a path ended.
pub(crate) enum End {
    Complementary,
    Ray,
    Limit,
}

/// The condensed tableau `x_basic + T x_nonbasic = b`. Unknowns are numbered `w_i = i`, `z_i = n + i`, `z0 = 2 n`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tableau {
    n: usize,
    /// Pivots smaller than this, relative to their column, are rounding.
    pub(crate) smallest_pivot: f64,
    /// Ratios closer than this, relative to the numbers they were computed from, tie.
    pub(crate) ratio_tie: f64,
    /// n x (n + 2): the nonbasic columns, then b.
    table: Dense,
    /// Which unknown is basic in each row.
    basic: Vec<usize>,
    /// Which unknown was basic in each row at the start: their columns are those of `B^-1`.
    origin: Vec<usize>,
    /// Which unknown each nonbasic column belongs to.
    nonbasic: Vec<usize>,
    /// The row of a basic unknown; n + the column of a nonbasic one.
    place: Vec<usize>,
    /// The largest numbers that each entry of b: what its rounding is measured by.
    noise: Vec<f64>,
    tied: Vec<usize>,
}

impl Tableau {
    /// The tableau of the basis with `z_i` for i in `set` and `w_i` otherwise; false when that is singular.
    pub(crate) fn start(&mut self, data: &BasisSolver, set: &[usize], cover: &[f64]) -> bool {
        let n = data.q.len();
        self.n = n;
        self.table.reset(n, n + 2);
        for i in 0..n {
            let row = self.table.row_mut(i);
            row.iter_mut().zip(data.m.row(i)).for_each(|(t, v)| *t = -v);
            row[n + 1] = data.q[i];
        }
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend(0..=2 * n);
        self.tied.clear();
        self.tied.reserve(n);
        self.noise.clear();
        self.noise.extend(data.q.iter().map(|v| v.abs()));
        for &column in set {
            let open = set.iter().filter(|&&i| self.basic[i] == i);
            let size = |i: usize| self.table[(i, column)].abs();
            let row = open.copied().reduce(|a, b| if size(b) > size(a) { b } else { a });
            match row.filter(|&i| size(i) > self.smallest_pivot) {
                Some(row) => self.pivot(row, column),
                None => return false,
            }
        }
        for i in 0..n {
            self.table[(i, n)] = -cover[i];
        }
        self.origin.clone_from(&self.basic);
        true
    }

    /// Follows the path from the start to its end; also says how many pivots that took.
    pub(crate) fn follow(&mut self, limit: usize) -> (End, usize) {
        let n = self.n;
        // the lexicographic minimum of (q_i, e_i) / d_i: of equal ratios the last row
        let ratio = |i: usize| -self.table[(i, n + 1)] / self.table[(i, n)];
        let first = (0..n).reduce(|a, b| if ratio(b) <= ratio(a) { b } else { a });
        let Some(mut row) = first.filter(|&i| ratio(i) < 0.0) else { return (End::Complementary, 0) };
        let mut column = n;
        for pivots in 1..=limit {
            let leaving = self.basic[row];
            self.pivot(row, column);
            if leaving == 2 * n {
                return (End::Complementary, pivots);
            }
            let entering = if leaving < n { leaving + n } else { leaving - n };
            column = self.place[entering] - n;
            match self.leaving_row(column) {
                Some(next) => row = next,
                None => return (End::Ray, pivots),
            }
        }
        (End::Limit, limit)
    }

    /// The value of the basic one of the pair `w_i`, `z_i`; the other is zero.
    pub(crate) fn pair_value(&self, i: usize) -> f64 {
        let row = self.place[i].min(self.place[self.n + i]);
        self.table[(row, self.n + 1)]
    }

    /// Exchanges `w_i` and `z_i`, one of which must be basic. False, and nothing is done, when the principal pivot
    /// is not that of a P-matrix, that is positive and not mere rounding.
    pub(crate) fn exchange(&mut self, i: usize) -> bool {
        let (w, z) = (self.place[i], self.place[self.n + i]);
        let (row, column) = (w.min(z), w.max(z) - self.n);
        // the tableau holds −M and its principal pivot transforms
        let fits = -self.table[(row, column)] > self.smallest_pivot;
        if fits {
            self.pivot(row, column);
        }
        fits
    }

    /// The lexicographic ratio test; none when the unknown of this column can grow for ever.
    fn leaving_row(&mut self, column: usize) -> Option<usize> {
        let (n, table) = (self.n, &self.table);
        let largest = (0..n).fold(1.0f64, |m, i| m.max(table[(i, column)].abs()));
        let blocks = |i: &usize| table[(*i, column)] > self.smallest_pivot * largest;
        let ratio = |i: usize| table[(i, n + 1)].max(0.0) / table[(i, column)];
        let first = (0..n).filter(blocks).reduce(|a, b| if ratio(b) < ratio(a) { b } else { a })?;
        let smallest = ratio(first);
        let noise = |i: usize| self.noise[i] / table[(i, column)];
        self.tied.clear();
        self.tied.extend(
            (0..n).filter(blocks).filter(|&i| {
                i == first || ratio(i) - smallest <= self.ratio_tie * noise(i).max(noise(first))
            }),
        );
        if let Some(&row) = self.tied.iter().find(|&&i| self.basic[i] == 2 * n) {
            return Some(row);
        }
        for column_of_inverse in 0..n {
            if self.tied.len() == 1 {
                break;
            }
            let inverse = |i: usize| match self.place[self.origin[column_of_inverse]] {
                row if row < n => f64::from(u8::from(i == row)),
                place => table[(i, place - n)],
            };
            let entry = |i: usize| inverse(i) / table[(i, column)];
            let (least, size) = self
                .tied
                .iter()
                .fold((f64::INFINITY, 0.0f64), |(l, s), &i| (l.min(entry(i)), s.max(entry(i).abs())));
            self.tied.retain(|&i| entry(i) - least <= self.ratio_tie * size);
        }
        self.tied.first().copied()
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let n = self.n;
        let inverse = 1.0 / self.table[(row, column)];
        let pivot_row = self.table.row_mut(row);
        pivot_row.iter_mut().for_each(|v| *v *= inverse);
        pivot_row[column] = inverse;
        self.noise[row] *= inverse.abs();
        for i in 0..n {
            let factor = self.table[(i, column)];
            if i == row || factor == 0.0 {
                continue;
            }
            let (source, target) = self.table.row_pair(row, i);
            target[column] = 0.0;
            target.iter_mut().zip(source).for_each(|(t, s)| *t -= factor * s);
            self.noise[i] = self.noise[i].max(factor.abs() * source[n + 1].abs());
            if target[n + 1].abs() <= self.ratio_tie * self.noise[i] {
                target[n + 1] = 0.0;
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.place[self.basic[row]] = row;
        self.place[self.nonbasic[column]] = n + column;
    }

    /// The unknowns z in the basis, in order, and their values.
    pub(crate) fn answer(&self, set: &mut Vec<usize>, x: &mut Vec<f64>) {
        set.clear();
        x.clear();
        for i in 0..self.n {
            let row = self.place[self.n + i];
            if row < self.n {
                set.push(i);
                x.push(self.table[(row, self.n + 1)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::lcp::Lcp;

    #[test]
    fn ties_are_broken_by_the_rows_of_the_inverse_basis() {
        // all ratios tie at the start: the last row leaves, and of rows 0 and 1 the lexicographically smaller next
        let m = Dense::from_rows(&[[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]);
        let lcp = Lcp::new(m, vec![-1.0; 3]).unwrap();
        let mut basis = BasisSolver::default();
        basis.load(&lcp);
        let mut tableau = Tableau { ratio_tie: 32.0 * f64::EPSILON, ..Tableau::default() };
        assert!(tableau.start(&basis, &[], &[1.0; 3]));
        tableau.pivot(2, 3);
        assert_eq!(tableau.basic, [0, 1, 6]);
        tableau.table.row_mut(0)[2] = 1.0;
        tableau.table.row_mut(1)[2] = 1.0;
        tableau.table.row_mut(2)[2] = 0.0;
        assert_eq!(tableau.leaving_row(2), Some(1));
    }

    #[test]
    fn a_basis_met_by_rounding_can_be_started_from() {
        let m = Dense::from_rows(&[[0.0, 1.0], [2.0, 0.0]]);
        let mut basis = BasisSolver::default();
        basis.load(&Lcp::new(m, vec![-1.0, -2.0]).unwrap());
        let mut tableau = Tableau { ratio_tie: 32.0 * f64::EPSILON, ..Tableau::default() };
        assert!(!tableau.start(&basis, &[0], &[1.0; 2]));
        assert!(tableau.start(&basis, &[0, 1], &[1.0; 2]));
        assert!(matches!(tableau.follow(9), (End::Complementary, 0)));
    }
}
