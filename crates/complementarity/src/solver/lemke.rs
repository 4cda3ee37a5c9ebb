//! Lemke's complementary pivoting for the linear complementarity problem
//!
//! ```text
//! w = M z + q,   0 <= w ⟂ z >= 0.                                   (1)
//! ```
//!
//! With a covering vector `d > 0` and an artificial unknown `z0` the augmented problem
//!
//! ```text
//! w − M z − d z0 = q,   w, z, z0 >= 0,   w_i z_i = 0                (2)
//! ```
//!
//! has an almost complementary solution for large `z0`. From there a path of basic solutions is followed: of the
//! pair that has just left the basis, the complement enters; the leaving unknown is found by the ratio test. When
//! `z0` leaves, (1) is solved; when nothing blocks, the path ends in a secondary ray.
//!
//! *Degeneracy.* The ratio test is lexicographic: rows of `[B^-1 q | B^-1]` divided by the pivot, so that no basis
//! comes back. In the condensed tableau (one column per nonbasic unknown) the columns of `B^-1` are those of `w`, or
//! unit vectors where `w_j` is basic; they are looked at only when ratios tie. `z0` leaves whenever it can.
//!
//! *Convergence.* In exact arithmetic a solution is found for every copositive-plus `M` if (1) is feasible, for every
//! strictly copositive, and for every P-matrix. For other matrices a ray says nothing; other covering vectors, fixed
//! in advance, are tried before the solver gives up, and then other bases to start from: (2) with `w` and `z` exchanged
//! on a fixed set of unknowns and `d` covering that basis. Murty's examples need 2^n pivots.
//!
//! *Rounding.* Pivoting runs on data equilibrated by powers of two. The basis it ends in is solved anew from the
//! problem's data with iterative refinement. If its residual is small but misses the tolerance, the path is taken up
//! again from that basis with a fresh tableau. No warm start.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 4.4 and 4.9; Lemke, "Bimatrix
//! equilibrium points and mathematical programming", Management Science 11, 1965.

use super::enumeration::BasisSolver;
use super::{Report, Solver, Status};
use crate::dense::Dense;
use crate::problem::lcp::Lcp;

/// Pivots smaller than this, relative to their column and to equilibrated data, are rounding. Nearly dependent rows
/// can need smaller ones than is good for others, so attempts take turns.
const PIVOT: [f64; 2] = [1e-9, 1e-13];
/// Ratios closer than this, relative to the numbers they were computed from, tie.
const TIE: f64 = 32.0 * f64::EPSILON;
/// How many paths are tried.
const ATTEMPTS: usize = 16;
/// How many of them start from `z = 0`.
const PLAIN_ATTEMPTS: usize = 4;

/// Lemke's method.
#[derive(Clone, Debug)]
pub struct Lemke {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most pivots, over all attempts.
    pub iterations: usize,
    pub(super) scratch: Scratch,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    basis: BasisSolver,
    tableau: Tableau,
    cover: Vec<f64>,
    set: Vec<usize>,
    x: Vec<f64>,
}

impl Default for Lemke {
    fn default() -> Self {
        Self { tolerance: 1e-13, iterations: 100_000, scratch: Scratch::default() }
    }
}

impl Solver<Lcp> for Lemke {
    fn solve(&mut self, lcp: &Lcp, z: &mut [f64]) -> Report {
        if lcp.validate().is_err() || z.len() != lcp.len() {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        z.fill(0.0);
        let (scale, nothing) = (lcp.scale(), lcp.residual(z));
        // unless it is exact, z = 0 is no candidate: rows much smaller than the scale want to be solved as well
        let mut best = if nothing > 0.0 { f64::INFINITY } else { 0.0 };
        let Scratch { basis, tableau, cover, set, x } = &mut self.scratch;
        let (mut pivots, mut status, mut closer) = (0, Status::Failed, false);
        if best > 0.0 {
            basis.load(lcp);
            set.clear();
            set.reserve(lcp.len());
            x.clear();
            x.reserve(lcp.len());
        }
        for attempt in 0..ATTEMPTS {
            if best / scale <= self.tolerance || pivots >= self.iterations {
                break;
            }
            // a basis that is nearly right was spoilt by rounding: go on from there with a fresh tableau
            if !closer {
                starting_set(attempt, lcp.len(), set);
            }
            covering_vector(if closer { 0 } else { attempt }, &basis.m, cover);
            closer = false;
            tableau.smallest_pivot = PIVOT[attempt % 2];
            if !tableau.start(basis, set, cover) {
                continue;
            }
            // a path that does not end may not use up what the other attempts need
            let left = self.iterations - pivots;
            let (end, used) = tableau.follow(if attempt + 1 < ATTEMPTS { left.div_ceil(2) } else { left });
            pivots += used;
            let before = best;
            // also at the end of a ray: where z0 is down to rounding, rows depend on each other but for rounding
            tableau.answer(set, x);
            basis.consider(lcp, set, x, z, &mut best);
            basis.improve(lcp, set, z, &mut best);
            match end {
                End::Complementary => closer = best < 0.5 * before,
                End::Ray => {}
                End::Limit => status = Status::IterationLimit,
            }
        }
        if best / scale > self.tolerance && nothing <= best {
            z.fill(0.0);
            best = nothing;
        }
        Report::checked(best / scale, self.tolerance, pivots, status)
    }
}

/// The basis an attempt starts from: `z = 0` in the first ones, then fixed sets of about half of the unknowns.
fn starting_set(attempt: usize, n: usize, set: &mut Vec<usize>) {
    set.clear();
    if attempt >= PLAIN_ATTEMPTS {
        set.extend((0..n).filter(|&i| scatter(attempt + ATTEMPTS, i) < 0.5));
    }
}

/// The covering vectors: ones, the row sums of |M|, then fixed numbers between 1/8 and 8.
fn covering_vector(attempt: usize, m: &Dense, cover: &mut Vec<f64>) {
    cover.clear();
    cover.extend((0..m.rows()).map(|i| match attempt {
        0 => 1.0,
        1 => 1.0 + m.row(i).iter().map(|v| v.abs()).sum::<f64>(),
        _ => (6.0 * scatter(attempt, i) - 3.0).exp2(),
    }));
}

/// A fixed number in [0, 1) that looks random: splitmix64 of the arguments.
fn scatter(attempt: usize, i: usize) -> f64 {
    let mut h = (((attempt as u64) << 32) | i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((h ^ (h >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// How a path ended.
enum End {
    Complementary,
    Ray,
    Limit,
}

/// The condensed tableau `x_basic + T x_nonbasic = b`. Unknowns are numbered `w_i = i`, `z_i = n + i`, `z0 = 2 n`.
#[derive(Clone, Debug, Default)]
struct Tableau {
    n: usize,
    smallest_pivot: f64,
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
    /// The largest numbers that went into each entry of b: what its rounding is measured by.
    noise: Vec<f64>,
    tied: Vec<usize>,
}

impl Tableau {
    /// The tableau of the basis with `z_i` for i in `set` and `w_i` otherwise; false when that is singular.
    fn start(&mut self, data: &BasisSolver, set: &[usize], cover: &[f64]) -> bool {
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
    fn follow(&mut self, limit: usize) -> (End, usize) {
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
            (0..n)
                .filter(blocks)
                .filter(|&i| i == first || ratio(i) - smallest <= TIE * noise(i).max(noise(first))),
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
            self.tied.retain(|&i| entry(i) - least <= TIE * size);
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
            if target[n + 1].abs() <= TIE * self.noise[i] {
                target[n + 1] = 0.0;
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.place[self.basic[row]] = row;
        self.place[self.nonbasic[column]] = n + column;
    }

    /// The unknowns z in the basis, in order, and their values.
    fn answer(&self, set: &mut Vec<usize>, x: &mut Vec<f64>) {
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

    #[test]
    fn covering_vectors_are_positive_and_differ() {
        let m = Dense::from_rows(&[[0.0, -2.0], [1.0, 3.0]]);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for attempt in 0..ATTEMPTS {
            covering_vector(attempt, &m, &mut a);
            assert!(a.iter().all(|&d| (0.125..=8.0).contains(&d)));
            assert_ne!(a, b);
            std::mem::swap(&mut a, &mut b);
        }
    }

    #[test]
    fn ties_are_broken_by_the_rows_of_the_inverse_basis() {
        // all ratios tie at the start: the last row leaves, and of rows 0 and 1 the lexicographically smaller next
        let m = Dense::from_rows(&[[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]);
        let lcp = Lcp::new(m, vec![-1.0; 3]).unwrap();
        let mut basis = BasisSolver::default();
        basis.load(&lcp);
        let mut tableau = Tableau::default();
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
        let mut tableau = Tableau::default();
        assert!(!tableau.start(&basis, &[0], &[1.0; 2]));
        assert!(tableau.start(&basis, &[0, 1], &[1.0; 2]));
        assert!(matches!(tableau.follow(9), (End::Complementary, 0)));
    }
}
